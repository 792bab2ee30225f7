//! Estimates of a book: the effects of actions in each group of situations, and their order.

use super::{
    shrinkage,
    tally::{BookTally, EFFECT_UNIT, SituationKey, SituationSums},
};
use crate::{
    game::UNITS_PER_WIN,
    stats::{
        holm::{SIGNIFICANCE_LEVEL, holm_adjust},
        paired::{Effect, MIN_BLOCKS, mean_of_differences},
        ratio::{Estimate, Ratio},
    },
};

/// The place of an action among those of its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookVerdict {
    /// The highest lower end of the interval.
    Best,
    /// Not distinguished from the best action.
    Level,
    /// Significantly worse than the best action, by Holm's correction over the group.
    Worse,
    /// Too few forks.
    Unknown,
}

impl BookVerdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Best, Self::Level, Self::Worse, Self::Unknown];

    /// Returns the word in tables.
    pub const fn as_str(self) -> &'static str {
        ["best", "level", "worse", "unknown"][self as usize]
    }
}

/// An action in a group of situations.
#[derive(Clone, Debug)]
pub struct BookRow {
    /// The group.
    pub key: SituationKey,
    /// The code of the opening step.
    pub code: u8,
    /// Rank in the group by the lower end of the interval, from 1.
    pub rank: usize,
    /// The place among the actions of the group.
    pub verdict: BookVerdict,
    /// Number of actions of the group that are not distinguished from the best one, itself
    /// included.
    pub level_actions: usize,
    /// The effect; n is the number of forks.
    pub effect: Effect,
    /// The effect, shrunk towards that in coarser groups.
    pub shrunk: f64,
    /// Win share with the action, over the forks.
    pub with_action: Estimate,
    /// Win share of the seats that chose the action; n is their number.
    pub chosen: Estimate,
    /// Number of decisions in the group.
    pub decisions: i64,
    /// The first games in which a seat chose the action.
    pub examples: Vec<u64>,
}

/// Two actions of a group that were plausible together.
#[derive(Clone, Debug)]
pub struct PairRow {
    /// The group.
    pub key: SituationKey,
    /// The codes of the opening steps, the better one first.
    pub codes: [u8; 2],
    /// Win share with the first action minus that with the second, in the same forks.
    pub difference: Effect,
}

/// Returns the rows of a book: groups in the order of turn positions, steps and levels; actions of
/// a group in descending order of the lower ends of their intervals.
pub fn rows(tally: &BookTally) -> Vec<BookRow> {
    let (shrunk, _) = shrinkage::estimate(tally);
    let mut groups: Vec<_> = tally.situations.iter().collect();
    groups.sort_by_key(|(key, _)| (key.turn_position, key.step, key.level()));
    let mut rows = Vec::new();
    for (key, sums) in groups {
        let ranked = rank(sums);
        let verdicts = verdicts(sums, &ranked);
        let is_leading =
            |verdict: &&BookVerdict| matches!(verdict, BookVerdict::Best | BookVerdict::Level);
        let level_actions = verdicts.iter().filter(is_leading).count();
        for (index, ((code, effect), verdict)) in ranked.into_iter().zip(verdicts).enumerate() {
            let action = &sums.actions[&code];
            let forks = action.with_action;
            rows.push(BookRow {
                key: key.clone(),
                code,
                rank: index + 1,
                verdict,
                level_actions,
                effect,
                shrunk: shrunk.get(&(key.clone(), code)).copied().unwrap_or(f64::NAN),
                with_action: with_forks_as_n(forks.rate(UNITS_PER_WIN), &forks),
                chosen: action.chosen.rate(UNITS_PER_WIN),
                decisions: sums.wins.n,
                examples: action.examples.iter().copied().collect(),
            });
        }
    }
    rows
}

/// Returns the pairs of actions with an interval, in the order of the groups.
pub fn pair_rows(tally: &BookTally) -> Vec<PairRow> {
    let mut groups: Vec<_> = tally.situations.iter().collect();
    groups.sort_by_key(|(key, _)| (key.turn_position, key.step, key.level()));
    let pairs = groups.into_iter().flat_map(|(key, sums)| {
        let ranked = rank(sums);
        let place = |code| ranked.iter().position(|(other, _)| *other == code);
        let known = sums.pairs.iter().filter(|(_, pair)| pair.blocks >= MIN_BLOCKS);
        let mut pairs: Vec<_> = known
            .map(|(&(one, other), pair)| {
                let difference = of_pair(pair);
                if difference.value < 0.0 {
                    ([other, one], negated(difference))
                } else {
                    ([one, other], difference)
                }
            })
            .collect();
        pairs.sort_by_key(|([one, other], _)| (place(*one), place(*other)));
        pairs.into_iter().map(|(codes, difference)| PairRow { key: key.clone(), codes, difference })
    });
    pairs.collect()
}

/// Returns true if the best action of a group is significantly better than each other one.
pub(super) fn is_settled(sums: &SituationSums) -> bool {
    let verdicts = verdicts(sums, &rank(sums));
    verdicts.len() > 1
        && verdicts[0] == BookVerdict::Best
        && verdicts[1..].iter().all(|&verdict| verdict == BookVerdict::Worse)
}

/// Returns the effects of the actions that were forked, in descending order of the lower ends of
/// their intervals.
fn rank(sums: &SituationSums) -> Vec<(u8, Effect)> {
    let forked = sums.actions.iter().filter(|(_, action)| action.with_action.n > 0);
    let mut ranked: Vec<_> =
        forked.map(|(&code, action)| (code, of_sums(&action.all_effects(), EFFECT_UNIT))).collect();
    let key = |effect: &Effect| {
        let estimate = effect.estimate();
        (estimate.low, estimate.value)
    };
    ranked.sort_by(|(_, one), (_, other)| {
        let (one, other) = (key(one), key(other));
        other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    ranked
}

/// Returns the verdicts of actions in the order of their ranks.
fn verdicts(sums: &SituationSums, ranked: &[(u8, Effect)]) -> Vec<BookVerdict> {
    let is_known = |effect: &Effect| effect.estimate().low.is_finite();
    let Some(best) = ranked.first().filter(|(_, effect)| is_known(effect)) else {
        return vec![BookVerdict::Unknown; ranked.len()];
    };
    let differences: Vec<_> =
        ranked[1..].iter().map(|action| difference_to_best(sums, best, action)).collect();
    let p_values: Vec<_> = differences.iter().map(Effect::p_value).collect();
    let adjusted = holm_adjust(&p_values);
    let of_other = |((difference, p), (_, effect)): ((&Effect, f64), &(u8, Effect))| {
        if !is_known(effect) {
            BookVerdict::Unknown
        } else if p < SIGNIFICANCE_LEVEL && difference.value > 0.0 {
            BookVerdict::Worse
        } else {
            BookVerdict::Level
        }
    };
    let others = differences.iter().zip(adjusted).zip(&ranked[1..]).map(of_other);
    std::iter::once(BookVerdict::Best).chain(others).collect()
}

/// Returns the win share with the best action minus that with another one: over the forks at which
/// both are plausible, or, if these are too few, the difference of their effects.
fn difference_to_best(sums: &SituationSums, best: &(u8, Effect), other: &(u8, Effect)) -> Effect {
    let (one, two) = (best.0.min(other.0), best.0.max(other.0));
    match sums.pairs.get(&(one, two)).filter(|pair| pair.blocks >= MIN_BLOCKS) {
        Some(pair) if best.0 == one => of_pair(pair),
        Some(pair) => negated(of_pair(pair)),
        None => {
            let error = best.1.standard_error.hypot(other.1.standard_error);
            let freedom = best.1.degrees_of_freedom.min(other.1.degrees_of_freedom);
            Effect::new(other.1.n, best.1.value - other.1.value, error, freedom)
        }
    }
}

/// Returns the mean of weighted differences of win shares; n is the number of forks.
fn of_pair(sums: &Ratio) -> Effect {
    of_sums(sums, UNITS_PER_WIN)
}

/// Returns the mean of weighted differences in units of 1/`unit`; n is the number of forks.
fn of_sums(sums: &Ratio, unit: i64) -> Effect {
    Effect { n: forks_of(sums), ..mean_of_differences(sums, unit) }
}

fn negated(effect: Effect) -> Effect {
    Effect { value: -effect.value, ..effect }
}

fn with_forks_as_n(estimate: Estimate, sums: &Ratio) -> Estimate {
    Estimate { n: forks_of(sums), ..estimate }
}

fn forks_of(sums: &Ratio) -> i64 {
    i64::try_from(sums.blocks).unwrap_or(i64::MAX)
}
