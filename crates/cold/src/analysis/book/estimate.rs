//! Estimates of a book: the effects of actions in each group of situations, and their verdicts.

use super::{
    shrinkage::{self, ShrunkEffect},
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

/// The loss of win share, against the mean over what the policy would choose, that makes an action
/// bad; also the largest difference of two actions that are level.
pub const TOLERANCE: f64 = 0.02;

/// Largest half-width of an interval that contains the loss of [`TOLERANCE`] and says enough.
const MAX_HALF_WIDTH: f64 = 0.04;

watershed_engine::named! {
    /// The worth of an action in a group of situations, by the interval of its shrunk effect.
    pub enum BookVerdict {
        /// The interval lies above a loss of [`TOLERANCE`].
        Good = "good",
        /// The interval contains that loss.
        Playable = "playable",
        /// The interval lies below that loss.
        Bad = "bad",
        /// There is no interval, it contains that loss and is wider than ± 4 points, or that of the
        /// plain mean alone lies below that loss.
        TooRare = "too rare",
    }
}

impl BookVerdict {
    /// Returns the verdict on an action by its shrunk effect and its mean effect.
    fn new(effect: Estimate, mean: Estimate) -> Self {
        let is_bad = |estimate: Estimate| estimate.high < -TOLERANCE;
        if is_bad(effect) {
            Self::Bad
        } else if effect.low > -TOLERANCE {
            Self::Good
        } else if is_bad(mean) || (effect.high - effect.low) / 2.0 > MAX_HALF_WIDTH {
            Self::TooRare
        } else {
            Self::Playable
        }
    }
}

watershed_engine::named! {
    /// The comparison of two actions of a group, the better one first.
    pub enum PairVerdict {
        /// The interval of the difference lies above 0, and not within ± [`TOLERANCE`].
        Better = "better",
        /// The interval lies within ± [`TOLERANCE`].
        Level = "level",
        /// Neither.
        Unclear = "unclear",
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
    /// The worth of the action.
    pub verdict: BookVerdict,
    /// The effect, shrunk towards that in coarser groups; n is the number of forks.
    pub effect: Effect,
    /// The mean effect over the forks.
    pub mean: Effect,
    /// Win share with the action, over the forks.
    pub with_action: Estimate,
    /// Win share of the seats that chose the action; n is their number.
    pub chosen: Estimate,
    /// Number of decisions in the group.
    pub decisions: i64,
    /// The first games in which a seat chose the action.
    pub examples: Vec<u64>,
}

impl BookRow {
    /// Returns true if there are enough forks for an interval.
    pub fn has_interval(&self) -> bool {
        self.effect.is_testable()
    }
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

impl PairRow {
    /// Compares the actions.
    pub fn verdict(&self) -> PairVerdict {
        let Estimate { low, high, .. } = self.difference.estimate();
        if low >= -TOLERANCE && high <= TOLERANCE {
            PairVerdict::Level
        } else if low > 0.0 {
            PairVerdict::Better
        } else {
            PairVerdict::Unclear
        }
    }
}

/// Returns the rows of a book: groups in the order of turn positions, steps and levels; actions of
/// a group in descending order of the lower ends of their intervals.
pub fn rows(tally: &BookTally) -> Vec<BookRow> {
    let shrunk = shrinkage::estimate(tally);
    let mut groups: Vec<_> = tally.situations.iter().collect();
    groups.sort_by_key(|(key, _)| (key.turn_position, key.step, key.level()));
    let mut rows = Vec::new();
    for (key, sums) in groups {
        let shrunk = |code, forks: &Ratio| shrunk_effect(forks, shrunk.get(&(key.clone(), code)));
        for (index, (code, effect)) in rank(sums, shrunk).into_iter().enumerate() {
            let action = &sums.actions[&code];
            let forks = action.with_action;
            let mean = mean_effect(&action.all_effects());
            rows.push(BookRow {
                key: key.clone(),
                code,
                rank: index + 1,
                verdict: BookVerdict::new(effect.estimate(), mean.estimate()),
                effect,
                mean,
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
        let ranked = rank(sums, |_, forks| mean_effect(forks));
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

/// Returns true if the best action of a group, that with the highest lower end of its mean effect,
/// is significantly better than each other one, by Holm's correction over the group.
pub(super) fn is_settled(sums: &SituationSums) -> bool {
    let ranked = rank(sums, |_, forks| mean_effect(forks));
    let Some((best, others)) = ranked.split_first() else { return false };
    let is_known = |(_, effect): &(u8, Effect)| effect.estimate().low.is_finite();
    let differences: Vec<_> =
        others.iter().map(|action| difference_to_best(sums, best, action)).collect();
    let p_values: Vec<_> = differences.iter().map(Effect::p_value).collect();
    let is_better =
        |(difference, p): (&Effect, f64)| p < SIGNIFICANCE_LEVEL && difference.value > 0.0;
    !others.is_empty()
        && ranked.iter().all(is_known)
        && differences.iter().zip(holm_adjust(&p_values)).all(is_better)
}

/// Returns the effects of the actions that were forked, in descending order of the lower ends of
/// their intervals.
fn rank(sums: &SituationSums, effect: impl Fn(u8, &Ratio) -> Effect) -> Vec<(u8, Effect)> {
    let forked = sums.actions.iter().filter(|(_, action)| action.with_action.n > 0);
    let mut ranked: Vec<_> =
        forked.map(|(&code, action)| (code, effect(code, &action.all_effects()))).collect();
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

/// Returns the mean effect over forks.
fn mean_effect(forks: &Ratio) -> Effect {
    of_sums(forks, EFFECT_UNIT)
}

/// Returns a shrunk effect with its interval, which is unbounded if there are too few forks.
fn shrunk_effect(forks: &Ratio, shrunk: Option<&ShrunkEffect>) -> Effect {
    let n = forks_of(forks);
    let Some(shrunk) = shrunk else { return Effect::unknown(n) };
    let error = if forks.blocks < MIN_BLOCKS { f64::INFINITY } else { shrunk.variance.sqrt() };
    Effect::new(n, shrunk.value, error, forks.blocks as f64 - 1.0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_from_intervals() {
        let interval = |low: f64, high: f64| Estimate { n: 100, value: 0.0, low, high };
        let wide = interval(-1.0, 1.0);
        for (low, high, mean, word) in [
            (-0.019, 0.3, wide, "good"),
            (-0.4, -0.021, wide, "bad"),
            (-0.05, 0.01, wide, "playable"),
            (-0.06, 0.03, wide, "too rare"),
            // The shrunk effect does not confirm the mean.
            (-0.05, 0.01, interval(-0.3, -0.03), "too rare"),
            (f64::NEG_INFINITY, f64::INFINITY, wide, "too rare"),
        ] {
            assert_eq!(BookVerdict::new(interval(low, high), mean).name(), word, "{low} {high}");
        }
    }

    #[test]
    fn actions_are_level_only_within_two_points() {
        let key = SituationKey { turn_position: 0, step: 0, starter: None, open: vec![] };
        for (value, error, word) in [
            (0.0, 0.009, "level"),
            (0.0, 0.02, "unclear"),
            (0.01, 0.001, "level"),
            (0.05, 0.01, "better"),
            (0.05, 0.03, "unclear"),
        ] {
            let difference = Effect::new(1000, value, error, 999.0);
            let row = PairRow { key: key.clone(), codes: [0, 1], difference };
            assert_eq!(row.verdict().name(), word, "{value} {error}");
        }
    }
}
