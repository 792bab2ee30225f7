//! The difference between the rate of a subset of observations and the rate of all of them.
//!
//! The two rates are correlated: they share the subset, and games of one block share their deal.
//! The interval combines the Wilson intervals of both rates with the correlation that the blocks
//! show (the MOVER method for paired proportions; Newcombe, *Statistics in Medicine* 17, 1998; Zou
//! and Donner, *Statistics in Medicine* 27, 2008). Unlike an interval from the standard error of
//! the difference it holds for few observations and for rates near 0 and 1, as when an opening was
//! played three times and won each time.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::{
    paired::covariance,
    ratio::{Estimate, Ratio},
};

/// Sums over blocks of the products of a subset's n and x with those of all observations: n·n, n·x,
/// x·n and x·x.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SubsetProducts([i64; 4]);

impl SubsetProducts {
    /// Adds one block's observations, (n, x) of the subset and of all.
    #[inline]
    pub fn add_block(&mut self, subset: (i64, i64), all: (i64, i64)) {
        *self += Self([subset.0 * all.0, subset.0 * all.1, subset.1 * all.0, subset.1 * all.1]);
    }
}

impl AddAssign for SubsetProducts {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine += theirs);
    }
}

/// Returns the rate of a subset less the rate of all observations, with its 95 % interval. The
/// number of observations is that of the subset. A subset that is everything has no interval: it
/// can't differ.
pub fn difference_from_whole(
    subset: &Ratio,
    all: &Ratio,
    products: &SubsetProducts,
    unit: i64,
) -> Estimate {
    let [own, whole] = [subset, all].map(|ratio| ratio.rate(unit));
    let value = own.value - whole.value;
    if subset.n == 0 || subset.n == all.n {
        return Estimate { n: subset.n, value, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let correlation = correlation(subset, all, products);
    let reach = |own: f64, whole: f64| {
        (own * own - 2.0 * correlation * own * whole + whole * whole).max(0.0).sqrt()
    };
    let low = value - reach(own.value - own.low, whole.high - whole.value);
    let high = value + reach(own.high - own.value, whole.value - whole.low);
    Estimate { n: subset.n, value, low, high }
}

/// The correlation of the two rates over blocks; 0 if one of them does not vary.
fn correlation(subset: &Ratio, all: &Ratio, products: &SubsetProducts) -> f64 {
    let variance = |ratio: &Ratio| {
        covariance([ratio.n, ratio.x], [ratio.n, ratio.x], [ratio.nn, ratio.nx, ratio.nx, ratio.xx])
    };
    let scale = (variance(subset) * variance(all)).sqrt();
    let correlation = covariance([subset.n, subset.x], [all.n, all.x], products.0) / scale;
    if correlation.is_finite() { correlation.clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Block = ((i64, i64), (i64, i64));

    fn of(blocks: impl IntoIterator<Item = Block>) -> Estimate {
        let (mut subset, mut all, mut products) =
            (Ratio::default(), Ratio::default(), SubsetProducts::default());
        for (own, whole) in blocks {
            subset.add_block(own.0, own.1);
            all.add_block(whole.0, whole.1);
            products.add_block(own, whole);
        }
        difference_from_whole(&subset, &all, &products, 1)
    }

    #[test]
    fn a_subset_that_is_everything_does_not_differ_and_has_no_interval() {
        let all = of((0..50).map(|block| ((1, block % 2), (1, block % 2))));
        assert_eq!(
            (all.n, all.value, all.low, all.high),
            (50, 0.0, f64::NEG_INFINITY, f64::INFINITY)
        );
    }

    /// 120 of 200 games won, and 80 of 200 others. The variances of the two rates are 0.24 / 200
    /// and 0.25 / 400 and their covariance is 0.24 / 400, so the standard error of the difference
    /// is 0.025.
    #[test]
    fn the_interval_takes_account_of_the_games_in_common() {
        let half = of((0..400).map(|game| {
            let (in_subset, won) = (game < 200, if game < 200 { game < 120 } else { game < 280 });
            ((i64::from(in_subset), i64::from(in_subset && won)), (1, i64::from(won)))
        }));
        assert!((half.value - 0.1).abs() < 1e-12 && half.n == 200, "{half:?}");
        assert!(((half.high - half.low) / 2.0 - 1.966 * 0.025).abs() < 1e-3, "{half:?}");
    }

    #[test]
    fn few_games_that_were_all_won_show_little() {
        let rare = |games: i64| {
            of((0..1000).map(|game| {
                (
                    (i64::from(game < games), i64::from(game < games)),
                    (1, i64::from(game < games || game % 2 == 0)),
                )
            }))
        };
        let (three, thirty) = (rare(3), rare(30));
        assert!(three.low < 0.0 && thirty.low > 0.3 && thirty.high <= 0.6, "{three:?} {thirty:?}");
    }
}
