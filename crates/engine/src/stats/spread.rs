//! The standard deviation of several true rates: of seats or of turn positions.
//!
//! The observed rates differ even if the true rates are equal. An unbiased estimate of the variance
//! of the true rates is the variance of the observed rates minus the part of it that is due to
//! chance.

use statrs::function::gamma::{gamma_lr, ln_gamma};

use super::{
    Merge,
    joint::JointEstimates,
    linear::Matrix,
    paired::Effect,
    ratio::{Estimate, MIN_BLOCKS_OF_MEAN, Products},
    tally,
};

/// Largest number of rates.
pub const MAX_RATES: usize = 5;
/// Number of pairs of rates, including those of a rate with itself.
const PAIRS: usize = MAX_RATES * (MAX_RATES + 1) / 2;

tally! {
    /// Sums over blocks for several rates and their covariances. All sums are integers, so they do
    /// not depend on grouping.
    #[derive(Copy)]
    pub struct RateSums {
        blocks: u64,
        /// Number of observations of each rate and their sum.
        sums: [(i64, i64); MAX_RATES],
        /// Products of each rate with each rate up to it.
        products: [Products; PAIRS],
    }
}

impl RateSums {
    /// Adds one block: the number of observations of each rate and their sum.
    pub fn add_block(&mut self, rates: &[(i64, i64); MAX_RATES]) {
        self.blocks += 1;
        self.sums.merge(rates);
        // A game with fewer seats has no observations of the last rates.
        let rates = &rates[..rates.iter().rposition(|rate| *rate != (0, 0)).map_or(0, |i| i + 1)];
        let mut products = self.products.iter_mut();
        for (index, &one) in rates.iter().enumerate() {
            for (&other, sums) in rates[..=index].iter().zip(&mut products) {
                sums.add_block(one, other);
            }
        }
    }

    /// Returns the first `rates` rates with their covariances, where 1 is `unit` units of x.
    pub fn estimates(&self, rates: usize, unit: i64) -> JointEstimates {
        JointEstimates::new(self.blocks, &self.sums[..rates], &self.products, unit)
    }

    /// Returns the standard deviation of the first `rates` true rates, with its 95 % interval; none
    /// if there are fewer than 2 rates or one of them has no observations.
    ///
    /// With the observed rates p, their covariances C over blocks and the centring matrix H, σ² =
    /// (Σ(p − mean)² − tr HCH) / rates is unbiased. It is negative if the rates differ less than
    /// expected by chance. The value is sign(σ²) · √|σ²|, so that the mean of its signed squares
    /// over many runs is unbiased. For the interval, Σ(p − mean)² is treated as a multiple of a
    /// noncentral χ² whose scale and degrees of freedom match its mean and variance under equal
    /// rates (Satterthwaite 1946). The interval of a negative value starts at the value.
    pub fn standard_deviation(&self, rates: usize, unit: i64) -> Option<Estimate> {
        let n: i64 = self.sums[..rates].iter().map(|(n, _)| n).sum();
        if rates < 2 || self.sums[..rates].iter().any(|(n, _)| *n == 0) {
            return None;
        }
        if self.blocks < MIN_BLOCKS_OF_MEAN {
            return Some(Estimate::unbounded(n, f64::NAN));
        }
        let count = rates as f64;
        let JointEstimates { values: observed, covariances, .. } = self.estimates(rates, unit);
        let mean = observed.iter().sum::<f64>() / count;
        let square: f64 = observed.iter().map(|rate| (rate - mean).powi(2)).sum();
        let centred = centred(&covariances);
        let trace: f64 = (0..rates).map(|index| centred[index][index]).sum();
        let squares: f64 = centred.iter().flatten().map(|covariance| covariance.powi(2)).sum();
        let variance = (square - trace) / count;
        let value = variance.signum() * variance.abs().sqrt();
        if trace <= 0.0 {
            return Some(Estimate::unbounded(n, value));
        }
        let (scale, freedom) = (squares / trace, trace * trace / squares);
        let [low, high] = noncentralities(square / scale, freedom)
            .map(|noncentrality| (noncentrality * scale / count).sqrt());
        Some(Estimate { n, value, low: low.min(value), high: high.max(value) })
    }

    /// Returns the deviation of one of the first `rates` rates from their mean.
    ///
    /// If no block varies, the standard error is the one under equal rates, of which each
    /// observation picks one.
    pub fn deviation_from_mean(&self, index: usize, rates: usize, unit: i64) -> Effect {
        let effect = self.estimates(rates, unit).difference_from_mean(index);
        if self.blocks < MIN_BLOCKS_OF_MEAN || !effect.is_constant() {
            return effect;
        }
        let (blocks, share) = (self.blocks as f64, 1.0 / rates as f64);
        let standard_error = (share * (1.0 - share) / (blocks - 1.0)).sqrt();
        Effect::new(effect.n, effect.value, standard_error, blocks - 1.0)
    }
}

/// Returns the covariances of the deviations of rates from their mean.
fn centred(covariances: &Matrix) -> Matrix {
    let rates = covariances.len();
    let means: Vec<_> =
        covariances.iter().map(|row| row.iter().sum::<f64>() / rates as f64).collect();
    let total = means.iter().sum::<f64>() / rates as f64;
    let entry =
        |row: usize, column: usize| covariances[row][column] - means[row] - means[column] + total;
    (0..rates).map(|row| (0..rates).map(|column| entry(row, column)).collect()).collect()
}

/// Probability that the true value is beyond an end of the interval, for each end.
const TAIL: f64 = 0.025;
/// Normal quantile of 1 − [`TAIL`].
const NORMAL: f64 = 1.959_963_984_540_054;
/// Observed value above which the normal approximation of √χ² is used.
const LARGE: f64 = 200.0;

/// Returns the ends of the 95 % interval of the noncentrality of a χ² distribution, given one
/// observed value of it.
fn noncentralities(observed: f64, freedom: f64) -> [f64; 2] {
    if observed > LARGE {
        return [-NORMAL, NORMAL].map(|quantile| {
            let root = observed.sqrt() + quantile;
            (root - (freedom - 1.0) / (2.0 * root)).powi(2)
        });
    }
    // Bisection: the distribution function decreases with the noncentrality.
    [1.0 - TAIL, TAIL].map(|probability| {
        let (mut low, mut high) = (0.0, 2.0 * LARGE);
        if noncentral_cdf(observed, freedom, low) <= probability {
            return 0.0;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if noncentral_cdf(observed, freedom, middle) > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    })
}

/// Returns the distribution function of the noncentral χ²: a mixture of central χ² distributions
/// with freedom + 2k degrees of freedom, with Poisson weights of mean noncentrality / 2.
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
    use super::{super::assert_close, *};

    /// With one degree of freedom, 0.95 is from tables, and the second value is Φ(2 − 2) − Φ(−2 −
    /// 2). The others were computed by another program.
    #[test]
    fn the_noncentral_distribution_has_known_values() {
        for (value, freedom, noncentrality, expected) in [
            (3.841_459, 1.0, 0.0, 0.95),
            (4.0, 1.0, 4.0, 0.499_968_3),
            (10.0, 3.0, 2.0, 0.898_565_0),
            (5.0, 2.0, 6.0, 0.332_007_4),
        ] {
            assert_close(noncentral_cdf(value, freedom, noncentrality), expected, 1e-6);
        }
    }

    #[test]
    fn bisection_and_normal_approximation_agree_where_they_meet() {
        for freedom in [1.0, 2.5, 4.0] {
            let [below, above] =
                [LARGE, LARGE + 1e-6].map(|observed| noncentralities(observed, freedom));
            assert_close(below[0] / above[0], 1.0, 0.005);
            assert_close(below[1] / above[1], 1.0, 0.005);
        }
        assert_eq!(noncentralities(0.5, 3.0)[0].to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn rates_that_never_vary_have_no_interval() {
        let mut sums = RateSums::default();
        (0..100).for_each(|_| sums.add_block(&[(1, 2), (1, 0), (0, 0), (0, 0), (0, 0)]));
        let deviation = sums.standard_deviation(2, 2).expect("two rates");
        assert_close(deviation.value, 0.5, 1e-12);
        assert!(!deviation.low.is_finite());
        assert_eq!(sums.standard_deviation(1, 2), None);
        assert_eq!(sums.standard_deviation(3, 2), None);
    }
}
