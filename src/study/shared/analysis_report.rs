//! The analysis of a position with everything that its text and its JSON object show.

pub(crate) mod json;

use crate::{
    analysis::{
        judge::{JudgedAction, PositionAnalysis},
        named::NamedAction,
        reason::{ScoreReason, score_reasons},
    },
    bots::BotFactory,
    bound::GamePosition,
    config::Document,
    game::ActionEffects,
    report::provenance::Claim,
};

/// Number of alternatives that get reasons.
const EXPLAINED_ALTERNATIVES: usize = 2;

/// An analysis with everything that its text and JSON show.
pub(crate) struct AnalysisReport<'a> {
    pub(crate) players: usize,
    pub(crate) title: &'a str,
    pub(crate) document: &'a Document,
    pub(crate) provenance: &'a Claim,
    pub(crate) search: &'a BotFactory,
    pub(crate) policy: &'a BotFactory,
    pub(crate) seed: u64,
    pub(crate) position: String,
    pub(crate) round: u32,
    pub(crate) analysis: PositionAnalysis<NamedAction>,
    /// The action that was played, in a record.
    pub(crate) played: Option<NamedAction>,
    pub(crate) reasons: Vec<ActionReason>,
}

/// Reasons for an action.
pub(crate) struct ActionReason {
    pub(crate) action: NamedAction,
    /// Its consequences that not all explained actions share.
    pub(crate) effects: ActionEffects,
    /// Parts of the final scores, less those after the best action.
    pub(crate) scores: Vec<ScoreReason>,
}

/// Returns the reasons for the best action and its first alternatives.
pub(crate) fn action_reasons(
    position: &GamePosition<'_>,
    analysis: &PositionAnalysis<NamedAction>,
) -> Vec<ActionReason> {
    let explained: Vec<_> = analysis.ranked().take(1 + EXPLAINED_ALTERNATIVES).collect();
    let actions: Vec<_> = explained.iter().map(|judged| judged.action.clone()).collect();
    let effects = position.reasons(&actions);
    let best = explained.first().and_then(|judged| judged.rollouts.as_ref());
    let reason = |(judged, effects): (&&JudgedAction<NamedAction>, ActionEffects)| ActionReason {
        action: judged.action.clone(),
        effects,
        scores: match (&judged.rollouts, best) {
            (Some(rollouts), Some(best)) if judged.action != actions[0] => {
                score_reasons(rollouts, best)
            }
            _ => Vec::new(),
        },
    };
    explained.iter().zip(effects).map(reason).collect()
}
