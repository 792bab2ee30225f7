//! The difference between the rate of a subset of observations and the rate of all of them.
//!
//! The two rates are correlated: they share the subset, and games of one block share their deal.
//! The interval combines the Wilson intervals of both rates with the correlation that the blocks
//! show (the MOVER method for paired proportions; Newcombe, *Statistics in Medicine* 17, 1998; Zou
//! and Donner, *Statistics in Medicine* 27, 2008). Unlike an interval from the standard error of
//! the difference it has its nominal coverage for few observations and for rates near 0 and 1, for
//! example if an opening was played 3 times and won each time.

use super::ratio::{Estimate, Products, Ratio};

/// Returns the rate of a subset minus the rate of all observations, with its 95 % interval.
/// `products` are those of the subset with all observations. The number of observations is that of
/// the subset. The interval is unbounded if the subset is empty or contains all observations.
pub fn difference_from_whole(
    subset: &Ratio,
    all: &Ratio,
    products: &Products,
    unit: i64,
) -> Estimate {
    let [own, whole] = [subset, all].map(|ratio| ratio.rate(unit));
    let value = own.value - whole.value;
    if subset.n == 0 || subset.n == all.n {
        return Estimate::unbounded(subset.n, value);
    }
    let correlation = correlation(subset, all, products);
    // The distance of an end of the interval from the difference.
    let distance = |own: f64, whole: f64| {
        (own * own - 2.0 * correlation * own * whole + whole * whole).max(0.0).sqrt()
    };
    let low = value - distance(own.value - own.low, whole.high - whole.value);
    let high = value + distance(own.high - own.value, whole.value - whole.low);
    Estimate { n: subset.n, value, low, high }
}

/// Returns the correlation of the two rates over blocks; 0 if one of them does not vary.
fn correlation(subset: &Ratio, all: &Ratio, products: &Products) -> f64 {
    let scale = (subset.uncorrected_variance() * all.uncorrected_variance()).sqrt();
    let correlation = products.covariance(subset.totals(), all.totals()) / scale;
    if correlation.is_finite() { correlation.clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    /// Returns the difference for blocks with (n, x) of the subset and of all observations.
    fn difference(blocks: impl IntoIterator<Item = [(i64, i64); 2]>) -> Estimate {
        let (mut subset, mut all, mut products) =
            (Ratio::default(), Ratio::default(), Products::default());
        for [own, whole] in blocks {
            subset.add_block(own.0, own.1);
            all.add_block(whole.0, whole.1);
            products.add_block(own, whole);
        }
        difference_from_whole(&subset, &all, &products, 1)
    }

    #[test]
    fn a_subset_of_all_observations_does_not_differ_and_has_no_interval() {
        let all = difference((0..50).map(|block| [(1, block % 2); 2]));
        assert_eq!(all, Estimate::unbounded(50, 0.0));
    }

    /// 120 of 200 games won, and 80 of 200 others. The variances of the two rates are 0.24 / 200
    /// and 0.25 / 400 and their covariance is 0.24 / 400, so the standard error of the difference
    /// is 0.025.
    #[test]
    fn the_interval_takes_account_of_the_games_in_common() {
        let half = difference((0..400).map(|game| {
            let (in_subset, won) = (game < 200, if game < 200 { game < 120 } else { game < 280 });
            [(i64::from(in_subset), i64::from(in_subset && won)), (1, i64::from(won))]
        }));
        assert_eq!(half.n, 200);
        assert_close(half.value, 0.1, 1e-12);
        assert_close((half.high - half.low) / 2.0, 1.966 * 0.025, 1e-3);
    }

    #[test]
    fn few_games_that_were_all_won_are_not_significant() {
        let [three, thirty] = [3, 30].map(|games: i64| {
            difference((0..1000).map(|game| {
                let in_subset = i64::from(game < games);
                [(in_subset, in_subset), (1, i64::from(game < games || game % 2 == 0))]
            }))
        });
        assert!(three.low < 0.0 && thirty.low > 0.3 && thirty.high <= 0.6, "{three:?} {thirty:?}");
    }
}
