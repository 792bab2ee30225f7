//! Reasons for a difference between two actions: parts of the final scores, and features.

use super::rollout::{ActionRollouts, part_difference};
use crate::{
    game::{Features, Seat},
    rng::{Purpose, stream},
    search::heuristic::Heuristic,
    stats::{
        holm::{SIGNIFICANCE_LEVEL, holm_adjust},
        paired::Effect,
    },
};

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

/// A feature that an action changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FeatureChange {
    /// The seat whose feature it is.
    pub seat: Seat,
    /// Name of the feature.
    pub feature: &'static str,
    /// Value before the action.
    pub before: f64,
    /// Value after the action.
    pub after: f64,
    /// Win chance of the seat that decides after the action, less what it would be without this
    /// change, by the heuristic.
    pub chance: f64,
}

/// Number of determinizations over which changes of features are averaged.
const DETERMINIZATIONS: u64 = 16;

/// Returns the features that an action changes at once, by a heuristic, in descending order of
/// their absolute worth. They are means over determinizations for the seat that decides, so they do
/// not depend on what is hidden from it.
pub fn feature_changes<G: Features>(
    game: &G,
    heuristic: &Heuristic,
    state: &G::State,
    seat: Seat,
    action: G::Action,
) -> Vec<FeatureChange> {
    let names = game.feature_names().iter();
    let empty = |(seat, &feature)| FeatureChange {
        seat: Seat::new(seat),
        feature,
        before: 0.0,
        after: 0.0,
        chance: 0.0,
    };
    let seats = 0..game.seats();
    let mut sums: Vec<_> =
        names.flat_map(|name| seats.clone().map(move |seat| (seat, name))).map(empty).collect();
    for index in 0..DETERMINIZATIONS {
        let mut hidden = stream(0, index, 0, Purpose::Determinization);
        let state = game.determinize(state, seat, &mut hidden);
        add_changes(game, heuristic, &state, seat, action, &mut sums);
    }
    let count = DETERMINIZATIONS as f64;
    for sum in &mut sums {
        sum.before /= count;
        sum.after /= count;
        sum.chance /= count;
    }
    sums.retain(|change| (change.before - change.after).abs() > 1e-9);
    sums.sort_by(|one, other| other.chance.abs().total_cmp(&one.chance.abs()));
    sums
}

/// Adds the changes of all features in one position to sums over positions.
fn add_changes<G: Features>(
    game: &G,
    heuristic: &Heuristic,
    state: &G::State,
    seat: Seat,
    action: G::Action,
    sums: &mut [FeatureChange],
) {
    let mut after_state = *state;
    game.apply(&mut after_state, action);
    let features = |state: &G::State| -> Vec<_> {
        (0..game.seats()).map(|seat| game.features(state, Seat::new(seat))).collect()
    };
    let (before, after) = (features(state), features(&after_state));
    let (progress, nobody) = (game.progress(&after_state), game.can_end_without_winner());
    let chance = |features: &[_]| {
        heuristic.win_probabilities_of_features(features, progress, nobody)[seat.index()]
    };
    let with_all = chance(&after);
    for (position, sum) in sums.iter_mut().enumerate() {
        let (index, of) = (position / game.seats(), sum.seat.index());
        let (old, new) = (before[of][index], after[of][index]);
        sum.before += old;
        sum.after += new;
        if (old - new).abs() > 1e-9 {
            let mut without = after.clone();
            without[of][index] = old;
            sum.chance += with_all - chance(&without);
        }
    }
}
