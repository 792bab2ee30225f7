//! Reasons for a difference between actions: consequences in words, and parts of the final scores.

use super::rollout::{ActionRollouts, part_difference};
use crate::{
    game::{ActionEffects, Notation, Seat},
    stats::{
        holm::{SIGNIFICANCE_LEVEL, holm_adjust},
        paired::Effect,
    },
};

/// Returns the consequences of each of several legal actions that not all of them share. One action
/// alone keeps all its consequences. If an action has no gain of its own, and all the others have a
/// cost that it has not, its gain is `does not lose 3 points`.
///
/// The sentence for people is [`ActionEffects::because`] of the better action, as in
/// `better: Produce wood, because it …`.
pub fn distinct_reasons<G: Notation>(
    game: &G,
    state: &G::State,
    actions: &[G::Action],
) -> Vec<ActionEffects> {
    let effects: Vec<_> =
        actions.iter().map(|&action| game.action_effects(state, action)).collect();
    let distinct = |index: usize| {
        let others = || effects.iter().enumerate().filter(|(other, _)| *other != index);
        let is_distinct = |own: &dyn Fn(&ActionEffects) -> bool| {
            actions.len() == 1 || !others().all(|(_, effects)| own(effects))
        };
        let ActionEffects { mut gains, mut costs } = effects[index].clone();
        let avoided = others().next().map_or(&[][..], |(_, other)| &other.costs);
        let avoided = avoided.iter().filter(|&cost| {
            let is_like = |own: &String| verb(own) == verb(cost);
            !costs.iter().any(is_like) && others().all(|(_, other)| other.costs.contains(cost))
        });
        let avoided: Vec<_> = avoided.map(|cost| negated(cost)).collect();
        gains.retain(|phrase| is_distinct(&|other| other.gains.contains(phrase)));
        costs.retain(|phrase| is_distinct(&|other| other.costs.contains(phrase)));
        if gains.is_empty() {
            gains = avoided;
        }
        ActionEffects { gains, costs }
    };
    (0..actions.len()).map(distinct).collect()
}

/// Returns the verb of a phrase.
fn verb(phrase: &str) -> &str {
    phrase.split_once(' ').map_or(phrase, |(verb, _)| verb)
}

/// Returns the negation of a phrase with a regular verb.
fn negated(phrase: &str) -> String {
    let verb = verb(phrase);
    format!("does not {}{}", &verb[..verb.len() - 1], &phrase[verb.len()..])
}

/// A part of the score of a seat that differs significantly between two actions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreReason {
    /// The seat.
    pub seat: Seat,
    /// The part of the score.
    pub part: &'static str,
    /// Points after one action minus those after the other.
    pub difference: Effect,
}

/// Returns the parts of the final scores that differ significantly between two actions, by Holm's
/// correction over all parts of all seats, in descending order of their absolute differences.
pub fn score_reasons(one: &ActionRollouts, other: &ActionRollouts) -> Vec<ScoreReason> {
    let parts = one.score_parts.iter().enumerate().flat_map(|(seat, parts)| {
        let seat = Seat::new(seat);
        parts.keys().map(move |&part| ScoreReason {
            seat,
            part,
            difference: part_difference(one, other, seat, part),
        })
    });
    let parts: Vec<_> = parts.collect();
    let p_values: Vec<_> = parts.iter().map(|reason| reason.difference.p_value()).collect();
    let adjusted = holm_adjust(&p_values);
    let significant = parts.into_iter().zip(adjusted).filter(|(_, p)| *p < SIGNIFICANCE_LEVEL);
    let mut reasons: Vec<_> = significant.map(|(reason, _)| reason).collect();
    reasons
        .sort_by(|one, other| other.difference.value.abs().total_cmp(&one.difference.value.abs()));
    reasons
}
