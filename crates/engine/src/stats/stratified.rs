//! Rates of a group of observations, compared with the other observations of the same strata.

use super::{
    paired::{Effect, MIN_BLOCKS},
    ratio::{Estimate, Ratio},
};

/// A group of observations, compared with all others of the same strata (direct standardisation).
/// Observations of strata that only the group has are left out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StratifiedDifference {
    /// Rate of the group.
    pub own: f64,
    /// Rate of the others with the group's numbers of observations in the strata. Its observations
    /// are those of the group in these strata.
    pub others: Estimate,
    /// Rate of all others, whatever their strata.
    pub all_others: f64,
    /// `own` minus `others`.
    pub difference: Effect,
}

impl StratifiedDifference {
    /// Compares a group with the others. `group` has the number of observations of the group and
    /// their sum, by stratum; `all` those of the group and the others together. `blocks` has the
    /// sums of the group over blocks, and `unit` is 1 in units of x.
    ///
    /// The variance of the group is that of a proportion with 2 more observations, one of them a
    /// success (Agresti and Coull, *The American Statistician* 52, 1998), times the design effect
    /// of its blocks; the variances of the others are those of proportions, times the design
    /// effects of their strata. Both sides play the same games, so their errors are taken as fully
    /// correlated, with the sign that makes the interval widest.
    pub fn new(group: &[(i64, i64)], all: &[Ratio], blocks: &Ratio, unit: i64) -> Self {
        let unit = unit as f64;
        let share = |(n, x): (i64, i64)| x as f64 / (n as f64 * unit);
        let (mut n, mut x, mut expected, mut variance) = (0, 0, 0.0, 0.0);
        let (mut other_n, mut other_x) = (0, 0);
        for (&(own_n, own_x), all) in group.iter().zip(all) {
            let others = (all.n - own_n, all.x - own_x);
            other_n += others.0;
            other_x += others.1;
            if own_n == 0 || others.0 == 0 {
                continue;
            }
            n += own_n;
            x += own_x;
            expected += own_n as f64 * share(others);
            let of_share = variance_of_share(others, unit) * design_effect(all, unit);
            variance += (own_n as f64).powi(2) * of_share;
        }
        let (own, others) = (share((n, x)), expected / n as f64);
        let others_error = variance.sqrt() / n as f64;
        let difference = if n == 0 || blocks.blocks < MIN_BLOCKS {
            Effect { value: own - others, ..Effect::unknown(n) }
        } else {
            let own_error = (variance_of_share((n, x), unit) * design_effect(blocks, unit)).sqrt();
            let error = own_error + others_error;
            Effect::new(n, own - others, error, blocks.blocks as f64 - 1.0)
        };
        let difference = Effect { limits: [-1.0, 1.0], ..difference };
        let freedom = blocks.blocks as f64 - 1.0;
        let others = Effect::new(n, others, others_error, freedom);
        let others = Effect { limits: [0.0, 1.0], ..others }.estimate();
        Self { own, others, all_others: share((other_n, other_x)), difference }
    }
}

/// Returns the variance of a share of independent observations.
fn variance_of_share((n, x): (i64, i64), unit: f64) -> f64 {
    let share = (x as f64 / unit + 1.0) / (n as f64 + 2.0);
    share * (1.0 - share) / n as f64
}

/// Returns the variance of a rate over blocks, divided by that of independent observations; 1 if
/// there are too few blocks for it.
fn design_effect(sums: &Ratio, unit: f64) -> f64 {
    let share = sums.x as f64 / (sums.n as f64 * unit);
    let effect = sums.variance(unit) * sums.n as f64 / (share * (1.0 - share));
    if sums.blocks >= MIN_BLOCKS && effect.is_finite() && effect > 0.0 { effect } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    fn ratio(blocks: u64, is_won: impl Fn(u64) -> bool) -> Ratio {
        let mut ratio = Ratio::default();
        (0..blocks).for_each(|block| ratio.add_block(1, i64::from(is_won(block))));
        ratio
    }

    #[test]
    fn group_is_compared_within_strata() {
        // The first stratum is won by 1 in 10 and the second by 7 in 10, in the group and outside.
        // Only the group has the third.
        let all = [ratio(1000, |block| block % 10 < 1), ratio(1000, |block| block % 10 < 7)];
        let all = [all[0], all[1], ratio(50, |_| true)];
        let group = [(100, 10), (300, 210), (50, 50)];
        let own = ratio(450, |block| block % 45 < 27);
        let result = StratifiedDifference::new(&group, &all, &own, 1);
        assert_eq!(result.difference.n, 400);
        assert_close(result.own, 0.55, 1e-12);
        assert_close(result.others.value, 0.55, 1e-12);
        assert!(0.5 < result.others.low && result.others.high < 0.6, "{result:?}");
        assert_close(result.difference.value, 0.0, 1e-12);
        assert!(result.all_others < 0.4, "{result:?}");
        assert!(result.difference.p_value() > 0.9);
    }

    #[test]
    fn group_that_always_wins_has_an_interval() {
        let all = [ratio(1000, |block| block % 2 == 0 || block < 60)];
        let own = ratio(60, |_| true);
        let result = StratifiedDifference::new(&[(60, 60)], &all, &own, 1);
        assert!(result.difference.is_testable() && result.difference.estimate().low > 0.4);
        let few = StratifiedDifference::new(&[(5, 5)], &all, &ratio(5, |_| true), 1);
        assert!(!few.difference.is_testable() && few.difference.value.is_finite());
    }
}
