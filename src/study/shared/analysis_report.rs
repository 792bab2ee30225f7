//! A decision with the bots that analyse it, and its analysis with everything that its text and its
//! JSON object show.

use super::decision::DecisionPosition;
use crate::{
    analysis::{
        judge::{Analyst, CLOSE, JudgedAction, PositionAnalysis},
        named::NamedAction,
        reason::Reasoner,
        rollout::ActionRollouts,
        watch::AnalysisWatch,
    },
    protocol::analysis::{Analysis, BestActionChances, Candidate, FORMAT},
    study::shared::prelude::*,
};

/// Number of alternatives that get reasons.
const EXPLAINED_ALTERNATIVES: usize = 2;

/// A decision with the bots and settings of its analysis.
pub(crate) struct AnalysisTask<'a> {
    pub(crate) document: &'a Document,
    pub(crate) provenance: &'a str,
    pub(crate) decision: DecisionPosition<'a>,
    /// Actions that are candidates in any case.
    pub(crate) named: Vec<AnyAction>,
    pub(crate) search: BotFactory,
    pub(crate) policy: BotFactory,
    pub(crate) rollouts: u64,
    pub(crate) candidates: usize,
    pub(crate) reasoner: Reasoner,
    pub(crate) seed: u64,
}

/// An analysis with everything that its text and JSON show.
pub(crate) struct AnalysisReport<'a> {
    pub(crate) task: &'a AnalysisTask<'a>,
    pub(crate) analysis: PositionAnalysis<AnyAction>,
    /// Reasons for the best action and against worse ones, in sentences that begin with `it`.
    pub(crate) reasons: Vec<(AnyAction, String)>,
}

impl AnalysisTask<'_> {
    /// Returns the bots and the budget. Without rollouts, the search of the position answers alone.
    pub(crate) fn analyst(&self) -> Analyst<'_> {
        let Self { search, policy, rollouts, candidates, seed, .. } = self;
        Analyst {
            search,
            after: (*rollouts > 0).then_some(search),
            policy,
            rollouts: *rollouts,
            candidates: *candidates,
            seed: *seed,
        }
    }

    /// Returns the report of an analysis of the decision, with reasons until the watch stops them;
    /// without reasons if there is no watch.
    pub(crate) fn report(
        &self,
        analysis: PositionAnalysis<AnyAction>,
        watch: Option<&AnalysisWatch>,
    ) -> AnalysisReport<'_> {
        let reasons = watch.map_or_else(Vec::new, |watch| self.reasons(&analysis, watch));
        AnalysisReport { task: self, reasons, analysis }
    }

    /// Returns the reasons for the best action and against the first worse ones.
    fn reasons(
        &self,
        analysis: &PositionAnalysis<AnyAction>,
        watch: &AnalysisWatch,
    ) -> Vec<(AnyAction, String)> {
        let DecisionPosition { position, seat, .. } = &self.decision;
        let best = analysis.actions[0].action;
        let worse = analysis.worse().into_iter().take(EXPLAINED_ALTERNATIVES);
        let worse: Vec<_> = worse.map(|judged| judged.action).collect();
        let search = (self.seed, watch.flag());
        let reasons = position.reasons(&self.reasoner, *seat, (best, &worse), search);
        let actions = [best].into_iter().chain(worse);
        actions.zip(reasons).filter_map(|(action, reason)| Some((action, reason?))).collect()
    }
}

impl AnalysisReport<'_> {
    /// Returns the object that other programs read.
    pub(crate) fn to_protocol(&self) -> Analysis {
        let Self { task, analysis, .. } = self;
        let DecisionPosition { position, seat, played } = &task.decision;
        let text = position.view_text(*seat);
        let notation = |action: &AnyAction| position.name(*action).notation;
        let best = &analysis.actions[0];
        let rollouts = best.rollouts.as_ref();
        let line = analysis.search.iter().flat_map(|search| &search.principal_variation);
        let line: Vec<_> = line.map(|(seat, action)| (seat.index(), notation(action))).collect();
        let is_own = line.iter().all(|&(other, _)| other == seat.index());
        let seat_chances = |other: usize| {
            let score = rollouts.map(|rollouts| rollouts.score(Seat::new(other)));
            let [score, score_low, score_high] = interval(score);
            let win = best.best_chances().map(|chances| rounded(chances[other]));
            BestActionChances { win, score, score_low, score_high }
        };
        Analysis {
            format: FORMAT,
            game: text.split('/').next().unwrap_or_default().to_owned(),
            config_sha256: task.document.sha256(),
            provenance: task.provenance.to_owned(),
            players: position.seats(),
            seed: task.seed,
            bot: task.search.name().to_owned(),
            iterations: analysis.search.as_ref().map(|search| search.iterations),
            calibrated: analysis.is_calibrated,
            policy: task.policy.name().to_owned(),
            rollouts: rollouts.map_or(0, ActionRollouts::blocks),
            position: text,
            round: position.round(),
            decider: seat.index(),
            played: played.as_ref().map(notation),
            seats: (0..position.seats()).map(seat_chances).collect(),
            actions: analysis.actions.iter().map(|judged| self.candidate(judged)).collect(),
            legal: analysis.legal,
            rejected: analysis.rejected.as_ref().map(notation),
            stable: analysis.is_stable,
            line,
            line_kind: if is_own { "own-moves" } else { "all" },
        }
    }

    fn candidate(&self, judged: &JudgedAction<AnyAction>) -> Candidate {
        let analysis = &self.analysis;
        let (seat, best) = (analysis.seat, &analysis.actions[0]);
        let after = judged.after.as_ref();
        let search_value = judged.chances.map(|chances| rounded(chances[seat.index()]));
        let [value, low, high] = interval(after.map(|after| after.estimate(seat)));
        let effect = analysis.difference(judged).filter(|_| judged.action != best.action);
        let [difference, difference_low, difference_high] =
            interval(effect.map(|effect| effect.estimate()));
        let [score, ..] = interval(judged.rollouts.as_ref().map(|rollouts| rollouts.score(seat)));
        let NamedAction { notation, label } = self.task.decision.position.name(judged.action);
        Candidate {
            action: notation,
            label,
            visits: judged.visits,
            value: value.or(search_value),
            low,
            high,
            n: after.map_or(0, |after| after.samples.len()),
            search_value,
            difference,
            difference_low,
            difference_high,
            verdict: match effect {
                Some(effect) if effect.value < -CLOSE => "worse",
                Some(_) => "close",
                None => "open",
            },
            score,
            reason: self.reasons.iter().find(|one| one.0 == judged.action).map(|one| one.1.clone()),
        }
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
