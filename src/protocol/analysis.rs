//! Analyses of decisions.

use serde::Serialize;

use crate::{
    analysis::{
        hint::{Advisor, Hint, HintRow, Judgement},
        named::NamedAction,
    },
    erased::{AnyAction, AnyGame},
};

/// The name and version of the format.
pub const FORMAT: &str = "watershed.analysis/3";

/// The analysis of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Analysis {
    /// The name and version of the format.
    pub format: &'static str,
    /// The game.
    pub game: String,
    /// SHA-256 of the data file.
    pub config_sha256: String,
    /// The provenance of the data.
    pub provenance: String,
    /// Number of players.
    pub players: usize,
    /// The seed of the searches.
    pub seed: u64,
    /// The bot that searched.
    pub bot: String,
    /// Iterations of the search; null if there is only one legal action.
    pub iterations: Option<u64>,
    /// True if the chances are calibrated.
    pub calibrated: bool,
    /// The bot that played the rollouts.
    pub policy: String,
    /// Number of rollouts of each candidate.
    pub rollouts: u64,
    /// The position, as the seat that decides sees it.
    pub position: String,
    /// The round.
    pub round: u32,
    /// The seat that decides.
    pub decider: usize,
    /// The action that was played, in a record.
    pub played: Option<String>,
    /// The chances of each seat after the best action.
    pub seats: Vec<BestActionChances>,
    /// The actions, the best first.
    pub actions: Vec<Candidate>,
    /// Number of legal actions.
    pub legal: usize,
    /// The action that the first search chose, if the searches after it and another one reject it.
    pub rejected: Option<String>,
    /// True if two analyses with other seeds have the same best action; null without
    /// `--until-stable`.
    pub stable: Option<bool>,
    /// The expected line: seats and actions.
    pub line: Vec<(usize, String)>,
    /// `own-moves` if the line has the decisions of the decider only, else `all`.
    pub line_kind: &'static str,
}

/// The chances of a seat after the best action.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BestActionChances {
    /// Win chance.
    pub win: Option<f64>,
    /// Mean final score in the rollouts.
    pub score: Option<f64>,
    /// Lower end of the 95 % confidence interval of the score.
    pub score_low: Option<f64>,
    /// Upper end.
    pub score_high: Option<f64>,
}

/// An action that was analysed.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Candidate {
    /// The action.
    pub action: String,
    /// The action in words.
    pub label: String,
    /// Number of visits of the search.
    pub visits: u64,
    /// Win chance of the decider: by the searches after the action if it is a candidate, else by
    /// the search of the position.
    pub value: Option<f64>,
    /// Lower end of the 95 % confidence interval of the value.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Number of searches after the action.
    pub n: usize,
    /// Win chance of the decider by the search of the position.
    pub search_value: Option<f64>,
    /// Win chance less that after the best action.
    pub difference: Option<f64>,
    /// Lower end of the 95 % confidence interval of the difference.
    pub difference_low: Option<f64>,
    /// Upper end.
    pub difference_high: Option<f64>,
    /// `worse` if the difference is more than 2 percentage points, `close` if it is not, `open`
    /// without searches after the action.
    pub verdict: &'static str,
    /// Mean final score of the decider.
    pub score: Option<f64>,
    /// The reason for the best action, or against one that is worse, in a sentence that begins with
    /// `it`; null if the expected lines do not differ enough.
    pub reason: Option<String>,
}

/// Suggested actions.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Suggestions {
    /// The comparison of the first actions.
    pub verdict: &'static str,
    /// The chances of the players in a sentence; null if nothing was searched.
    pub chances: Option<String>,
    /// The origin of the numbers of the actions in a sentence; null if nothing was searched.
    pub method: Option<String>,
    /// The actions, in descending order of their numbers.
    pub actions: Vec<SuggestedAction>,
    /// The judgement of the action that was asked for; null if none was.
    pub judgement: Option<JudgedChoice>,
}

/// The judgement of an action that was chosen.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JudgedChoice {
    /// Win chance that it loses against the best action, at least 0.
    pub loss: f64,
    /// True if it is the best action or about equally good.
    pub is_good: bool,
    /// A sentence about it.
    pub text: String,
    /// A sentence about the best action; null if it is that.
    pub better: Option<String>,
}

/// A suggested action.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuggestedAction {
    /// The action.
    pub action: String,
    /// The action in words.
    pub label: String,
    /// Its number: a chance or points.
    pub value: Option<f64>,
    /// Its number in words; empty if nothing was searched.
    pub number: String,
    /// A sentence about the action.
    pub reason: Option<String>,
}

impl Suggestions {
    /// Describes a hint of an advisor in a game.
    pub fn new(game: &AnyGame, hint: Hint<AnyAction>, advisor: &Advisor) -> Self {
        let (verdict, chances) = (hint.verdict(), hint.chance_text());
        let method = hint.method(advisor.name(hint.measure));
        let judgement = hint.judgement(|action| NamedAction::new(game, action).label);
        let judgement = judgement.map(|Judgement { loss, is_good, text, better }| JudgedChoice {
            loss,
            is_good,
            text,
            better,
        });
        let numbers: Vec<_> = hint.rows.iter().map(|row| hint.number(row)).collect();
        let actions = hint.rows.into_iter().zip(numbers).map(|(row, number)| {
            let NamedAction { notation: action, label } = NamedAction::new(game, row.action);
            let HintRow { number: value, reason, .. } = row;
            SuggestedAction { action, label, value, number, reason }
        });
        Self { verdict, chances, method, actions: actions.collect(), judgement }
    }
}
