//! The analysis as one JSON object.

use serde::Serialize;
use serde_json::Value;

use super::AnalysisReport;
use crate::{
    analysis::{
        judge::{CLOSE, JudgedAction},
        named::NamedAction,
        rollout::ActionRollouts,
    },
    game::{ActionEffects, Seat},
    stats::ratio::Estimate,
};

/// The name and version of the format.
pub(crate) const FORMAT: &str = "watershed.analysis/2";

/// The analysis of a position.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct AnalyzedPosition<'a> {
    format: &'a str,
    game: &'a str,
    config_sha256: String,
    provenance: String,
    players: usize,
    seed: u64,
    /// The bot that searched.
    bot: &'a str,
    iterations: Option<u64>,
    /// True if the chances are calibrated.
    calibrated: bool,
    /// The bot that played the rollouts.
    policy: &'a str,
    /// Number of rollouts of each candidate.
    rollouts: u64,
    position: &'a str,
    round: u32,
    /// The seat that decides.
    decider: usize,
    played: Option<String>,
    seats: Vec<BestActionChances>,
    actions: Vec<Candidate>,
    legal: usize,
    /// The action that the first search chose, if the searches after it and another one reject it.
    rejected: Option<String>,
    /// True if two analyses with other seeds have the same best action; null without
    /// `--until-stable`.
    stable: Option<bool>,
    /// The expected line: seats and actions.
    line: Vec<(usize, String)>,
    /// `own-moves` if the line has the decisions of the decider only, else `all`.
    line_kind: &'a str,
}

/// The chances of a seat after the best action.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BestActionChances {
    win: Option<f64>,
    score: Option<f64>,
    score_low: Option<f64>,
    score_high: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Candidate {
    action: String,
    visits: u64,
    /// Win chance of the decider: by the searches after the action if it is a candidate, else by
    /// the search of the position.
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// Number of searches after the action.
    n: usize,
    /// Win chance of the decider by the search of the position.
    search_value: Option<f64>,
    /// Win chance less that after the best action.
    difference: Option<f64>,
    difference_low: Option<f64>,
    difference_high: Option<f64>,
    /// `worse` if the difference is more than 2 percentage points, `close` if it is not, `open`
    /// without searches after the action.
    verdict: &'static str,
    /// Mean final score of the decider.
    score: Option<f64>,
    why: Vec<Value>,
}

impl AnalysisReport<'_> {
    /// Returns the object and a newline.
    pub(crate) fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(&self.analyzed_position())? + "\n")
    }

    /// Returns the object.
    pub(crate) fn analyzed_position(&self) -> AnalyzedPosition<'_> {
        let analysis = &self.analysis;
        let (seat, seats) = (analysis.seat, self.players);
        let best = &analysis.actions[0];
        let line = analysis.search.iter().flat_map(|search| &search.principal_variation);
        let line: Vec<_> =
            line.map(|(seat, action)| (seat.index(), action.notation.clone())).collect();
        let is_own = line.iter().all(|&(other, _)| other == seat.index());
        let seat_chances = |other: Seat| {
            let rollouts = best.rollouts.as_ref();
            let score = interval(rollouts.map(|rollouts| rollouts.score(other)));
            BestActionChances {
                win: best.best_chances().map(|chances| rounded(chances[other.index()])),
                score: score[0],
                score_low: score[1],
                score_high: score[2],
            }
        };
        AnalyzedPosition {
            format: FORMAT,
            game: self.position.split('/').next().unwrap_or_default(),
            config_sha256: self.document.sha256(),
            provenance: self.provenance.as_str().to_owned(),
            players: seats,
            seed: self.seed,
            bot: self.search.name(),
            iterations: analysis.search.as_ref().map(|search| search.iterations),
            calibrated: analysis.is_calibrated,
            policy: self.policy.name(),
            rollouts: best.rollouts.as_ref().map_or(0, ActionRollouts::blocks),
            position: &self.position,
            round: self.round,
            decider: seat.index(),
            played: self.played.as_ref().map(|action| action.notation.clone()),
            seats: (0..seats).map(|seat| seat_chances(Seat::new(seat))).collect(),
            actions: analysis.actions.iter().map(|judged| self.action(judged)).collect(),
            legal: analysis.legal,
            rejected: analysis.rejected.as_ref().map(|action| action.notation.clone()),
            stable: analysis.is_stable,
            line,
            line_kind: if is_own { "own-moves" } else { "all" },
        }
    }

    fn action(&self, judged: &JudgedAction<NamedAction>) -> Candidate {
        let analysis = &self.analysis;
        let (seat, best) = (analysis.seat, &analysis.actions[0]);
        let rollouts = judged.rollouts.as_ref();
        let search_value = judged.chances.map(|chances| rounded(chances[seat.index()]));
        let after = judged.after.as_ref();
        let value = interval(after.map(|after| after.estimate(seat)));
        let difference = analysis.difference(judged).filter(|_| judged.action != best.action);
        let verdict = match difference {
            Some(effect) if effect.value < -CLOSE => "worse",
            Some(_) => "close",
            None => "open",
        };
        let difference = interval(difference.map(|effect| effect.estimate()));
        let score = interval(rollouts.map(|rollouts| rollouts.score(seat)));
        Candidate {
            action: judged.action.notation.clone(),
            visits: judged.visits,
            value: value[0].or(search_value),
            low: value[1],
            high: value[2],
            n: after.map_or(0, |after| after.samples.len()),
            search_value,
            difference: difference[0],
            difference_low: difference[1],
            difference_high: difference[2],
            verdict,
            score: score[0],
            why: self.why(&judged.action),
        }
    }

    /// Returns the reasons for an action, of all kinds.
    fn why(&self, action: &NamedAction) -> Vec<Value> {
        let reasons = self.reasons.iter().filter(|reason| reason.action == *action);
        let mut why = Vec::new();
        for reason in reasons {
            let ActionEffects { gains, costs } = &reason.effects;
            why.extend(gains.iter().map(|gain| serde_json::json!({ "gain": gain })));
            why.extend(costs.iter().map(|cost| serde_json::json!({ "cost": cost })));
            for part in &reason.scores {
                let [value, low, high] = interval(Some(part.difference.estimate()));
                why.push(serde_json::json!({
                    "score": part.part,
                    "seat": part.seat.index(),
                    "difference": value,
                    "difference_low": low,
                    "difference_high": high,
                }));
            }
        }
        why
    }
}

/// Returns value, lower and upper end of an estimate, those that are known.
fn interval(estimate: Option<Estimate>) -> [Option<f64>; 3] {
    estimate.map_or([None; 3], |Estimate { value, low, high, .. }| {
        [value, low, high].map(|number| number.is_finite().then(|| rounded(number)))
    })
}

/// Returns a number with 4 decimals.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
