//! The spread of several rates: the rates of seats, or of places in the turn order.
//!
//! The best rate less the worst is greater than 0 even where all are equal in truth. The standard
//! deviation of the true rates has an estimate of its square that is right on average: the variance
//! of the observed rates less the part of it that is due to chance.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use statrs::function::gamma::{gamma_lr, ln_gamma};

use super::ratio::{Estimate, JointSums, MIN_BLOCKS_OF_MEAN};

/// The most rates that are compared.
pub const MAX_RATES: usize = 5;
/// The pairs of rates, each with itself too.
const PAIRS: usize = MAX_RATES * (MAX_RATES + 1) / 2;

/// Sums over blocks from which several rates and their covariances follow. All are integers, so
/// that sums in any grouping are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RateSums {
    blocks: u64,
    /// The observations of each rate and what they add up to.
    sums: [[i64; 2]; MAX_RATES],
    /// Sums of the products of each rate's observations with those of each rate up to it: n·n, n·x,
    /// x·n and x·x.
    products: [[i64; 4]; PAIRS],
}

impl AddAssign for RateSums {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        let add = |mine: &mut [i64], theirs: &[i64]| {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs)
        };
        add(self.sums.as_flattened_mut(), other.sums.as_flattened());
        add(self.products.as_flattened_mut(), other.products.as_flattened());
    }
}

impl RateSums {
    /// Adds one block's observations of each rate and what they add up to.
    pub fn add_block(&mut self, rates: &[(i64, i64); MAX_RATES]) {
        self.blocks += 1;
        let mut products = self.products.iter_mut();
        for (index, &(n, x)) in rates.iter().enumerate() {
            self.sums[index][0] += n;
            self.sums[index][1] += x;
            for (&(m, y), sums) in rates[..=index].iter().zip(&mut products) {
                for (sum, product) in sums.iter_mut().zip([n * m, n * y, x * m, x * y]) {
                    *sum += product;
                }
            }
        }
    }

    /// The covariance of two rates, in units of x squared.
    fn covariance(&self, one: usize, other: usize) -> f64 {
        let (later, earlier) = (one.max(other), one.min(other));
        let products = self.products[later * (later + 1) / 2 + earlier];
        let [one, other] = [self.sums[later], self.sums[earlier]];
        let blocks = self.blocks as f64;
        JointSums { one, other, products }.residuals() / (one[0] as f64 * other[0] as f64) * blocks
            / (blocks - 1.0)
    }

    /// The standard deviation of the first so many true rates, with its 95 % interval; nothing if
    /// there are fewer than two rates, or observations of none.
    ///
    /// With p the observed rates, C their covariances over blocks and H the matrix that centres, σ²
    /// = (Σ(p − mean)² − tr HCH) / rates has no bias. It may be negative, where the rates differ
    /// less than chance makes them; the value is the root of its size with its sign, so that
    /// squares of many runs still average to the truth. For the interval, Σ(p − mean)² is taken for
    /// a multiple of a noncentral χ² whose degrees of freedom have its mean and variance without
    /// differences (Satterthwaite 1946), which is inverted. An interval of a negative value begins
    /// there.
    pub fn standard_deviation(&self, rates: usize, unit: i64) -> Option<Estimate> {
        let n: i64 = self.sums[..rates].iter().map(|[n, _]| n).sum();
        if rates < 2 || self.sums[..rates].iter().any(|[n, _]| *n == 0) {
            return None;
        }
        let count = rates as f64;
        let observed: Vec<_> =
            self.sums[..rates].iter().map(|[n, x]| *x as f64 / (*n as f64 * unit as f64)).collect();
        let mean = observed.iter().sum::<f64>() / count;
        let square: f64 = observed.iter().map(|rate| (rate - mean).powi(2)).sum();
        if self.blocks < MIN_BLOCKS_OF_MEAN {
            return Some(Estimate {
                n,
                value: f64::NAN,
                low: f64::NEG_INFINITY,
                high: f64::INFINITY,
            });
        }
        let centred = self.centred_covariances(rates, unit);
        let trace: f64 = (0..rates).map(|index| centred[index][index]).sum();
        let squares: f64 = centred.iter().flatten().map(|covariance| covariance.powi(2)).sum();
        let variance = (square - trace) / count;
        let value = variance.signum() * variance.abs().sqrt();
        if trace <= 0.0 {
            return Some(Estimate { n, value, low: f64::NEG_INFINITY, high: f64::INFINITY });
        }
        let (scale, freedom) = (squares / trace, trace * trace / squares);
        let [low, high] = noncentralities(square / scale, freedom)
            .map(|noncentrality| (noncentrality * scale / count).sqrt());
        Some(Estimate { n, value, low: low.min(value), high: high.max(value) })
    }

    /// The covariances of the rates less their mean.
    fn centred_covariances(&self, rates: usize, unit: i64) -> Vec<Vec<f64>> {
        let covariance = |row: usize| {
            (0..rates).map(|column| self.covariance(row, column) / (unit as f64).powi(2)).collect()
        };
        let covariances: Vec<Vec<f64>> = (0..rates).map(covariance).collect();
        let means: Vec<_> =
            covariances.iter().map(|row| row.iter().sum::<f64>() / rates as f64).collect();
        let mean = means.iter().sum::<f64>() / rates as f64;
        let centred = |row: usize| {
            (0..rates)
                .map(|column| covariances[row][column] - means[row] - means[column] + mean)
                .collect()
        };
        (0..rates).map(centred).collect()
    }
}

/// The chance of each end of an interval to lie on the wrong side of the truth.
const TAIL: f64 = 0.025;
/// The normal quantile of that chance.
const NORMAL: f64 = 1.959_963_984_540_054;
/// From here on the root of a noncentral χ² is as good as normally distributed.
const LARGE: f64 = 200.0;

/// The ends of the 95 % interval of the noncentrality of a χ² distribution of which this was
/// observed.
fn noncentralities(observed: f64, freedom: f64) -> [f64; 2] {
    if observed > LARGE {
        return [-NORMAL, NORMAL].map(|quantile| {
            let root = observed.sqrt() + quantile;
            (root - (freedom - 1.0) / (2.0 * root)).powi(2)
        });
    }
    // The distribution function falls as the noncentrality grows.
    [1.0 - TAIL, TAIL].map(|share| {
        let (mut low, mut high) = (0.0, 2.0 * LARGE);
        if noncentral_cdf(observed, freedom, low) <= share {
            return 0.0;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if noncentral_cdf(observed, freedom, middle) > share {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    })
}

/// The distribution function of the noncentral χ²: a mixture of central ones with two degrees of
/// freedom more each, in the proportions of a Poisson distribution.
fn noncentral_cdf(value: f64, freedom: f64, noncentrality: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let (half, mean) = (value / 2.0, noncentrality / 2.0);
    let mut central = gamma_lr(freedom / 2.0, half);
    let mut step = (freedom / 2.0 * half.ln() - half - ln_gamma(freedom / 2.0 + 1.0)).exp();
    let mut weight = (-mean).exp();
    let (mut sum, mut left) = (0.0, 1.0);
    for term in 0..2000 {
        let term = f64::from(term);
        sum += weight * central;
        left -= weight;
        if left < 1e-12 && term > mean {
            break;
        }
        central = (central - step).max(0.0);
        step *= half / (freedom / 2.0 + term + 1.0);
        weight *= mean / (term + 1.0);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one degree of freedom 0.95 is from tables, and Φ(2 − 2) − Φ(−2 − 2) is the second; the
    /// others were summed by another program.
    #[test]
    fn the_noncentral_distribution_has_known_values() {
        for (value, freedom, noncentrality, expected) in [
            (3.841_459, 1.0, 0.0, 0.95),
            (4.0, 1.0, 4.0, 0.499_968_3),
            (10.0, 3.0, 2.0, 0.898_565_0),
            (5.0, 2.0, 6.0, 0.332_007_4),
        ] {
            let share = noncentral_cdf(value, freedom, noncentrality);
            assert!((share - expected).abs() < 1e-6, "{value} {freedom} {noncentrality}: {share}");
        }
    }

    #[test]
    fn both_ways_to_invert_meet() {
        for freedom in [1.0, 2.5, 4.0] {
            let [below, above] =
                [LARGE, LARGE + 1e-6].map(|observed| noncentralities(observed, freedom));
            assert!(
                below.iter().zip(above).all(|(below, above)| (below / above - 1.0).abs() < 0.005),
                "{below:?} {above:?}"
            );
        }
        assert_eq!(noncentralities(0.5, 3.0)[0].to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn rates_that_never_vary_have_no_interval() {
        let mut sums = RateSums::default();
        (0..100).for_each(|_| sums.add_block(&[(1, 2), (1, 0), (0, 0), (0, 0), (0, 0)]));
        let Some(Estimate { value, low, .. }) = sums.standard_deviation(2, 2) else {
            panic!("two rates")
        };
        assert!((value - 0.5).abs() < 1e-12 && !low.is_finite());
        assert_eq!(sums.standard_deviation(1, 2), None);
        assert_eq!(sums.standard_deviation(3, 2), None);
    }
}
