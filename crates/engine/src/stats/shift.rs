//! The shift between two samples: the estimate of Hodges and Lehmann (*Annals of Mathematical
//! Statistics* 34, 1963) with the interval of the Mann-Whitney test.
//!
//! Nothing is assumed about the distribution, and a few extreme values change little.

use super::{ratio::Estimate, student::LEVEL};

/// Largest product of the sample sizes for which the distribution of the test is computed exactly.
const MAX_EXACT: usize = 10_000;

/// Returns the shift from sample `old` to sample `new`: the median of all differences of a new and
/// an old value, with a 95 % confidence interval.
///
/// Its ends are the k-th smallest and the k-th largest difference, where k - 1 is the largest value
/// that the Mann-Whitney statistic does not exceed with a probability of at most 2.5 %. With fewer
/// than 4 values in both samples the interval is unbounded.
pub fn shift(old: &[f64], new: &[f64]) -> Estimate {
    let mut differences: Vec<f64> =
        new.iter().flat_map(|new| old.iter().map(move |old| new - old)).collect();
    differences.sort_by(f64::total_cmp);
    let n = (old.len() + new.len()) as i64;
    let value = median(&differences);
    match rank(old.len(), new.len()) {
        0 => Estimate::unbounded(n, value),
        rank => Estimate {
            n,
            value,
            low: differences[rank - 1],
            high: differences[differences.len() - rank],
        },
    }
}

/// Returns the median of sorted values; not a number if there is none.
pub fn median(sorted: &[f64]) -> f64 {
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => f64::NAN,
        (half, 1) => sorted[half],
        (half, _) => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// Returns the rank of the ends of the interval among all differences, from 1; 0 if the samples are
/// too small for an interval.
fn rank(m: usize, n: usize) -> usize {
    let tail = (1.0 - LEVEL) / 2.0;
    if m * n > MAX_EXACT {
        return normal_rank(m as f64, n as f64);
    }
    let mut probability = 0.0;
    let counts = statistic_counts(m, n);
    let all: f64 = counts.iter().sum();
    counts
        .iter()
        .take_while(|&count| {
            probability += count / all;
            probability <= tail
        })
        .count()
}

/// Returns the rank by the normal approximation.
fn normal_rank(m: f64, n: f64) -> usize {
    let deviation = (m * n * (m + n + 1.0) / 12.0).sqrt();
    // With this number of degrees of freedom, Student's t is the normal distribution.
    (m * n / 2.0 - super::student::critical_value(1e12) * deviation).floor().max(0.0) as usize
}

/// Returns the number of orders of `m` and `n` values with each value of the Mann-Whitney
/// statistic.
fn statistic_counts(m: usize, n: usize) -> Vec<f64> {
    // The counts are the coefficients of the Gaussian binomial coefficient, the product over i of
    // (1 - q^(n + i)) / (1 - q^i).
    let mut counts = vec![0.0; m * n + 1];
    counts[0] = 1.0;
    for i in 1..=m {
        for power in (n + i..counts.len()).rev() {
            counts[power] -= counts[power - n - i];
        }
        for power in i..counts.len() {
            counts[power] += counts[power - i];
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    #[test]
    fn ranks_are_those_of_the_tables() {
        // One more than the critical values of the two-sided test at 5 % (Mann and Whitney 1947;
        // Conover, *Practical Nonparametric Statistics*).
        for (m, n, critical) in [(4, 4, 0), (5, 5, 2), (7, 7, 8), (7, 10, 14), (20, 20, 127)] {
            assert_eq!(rank(m, n), critical + 1, "{m} {n}");
            assert_eq!(rank(n, m), critical + 1, "{n} {m}");
        }
        assert_eq!(rank(3, 3), 0);
    }

    #[test]
    fn the_approximation_agrees_with_the_exact_distribution() {
        let (exact, approximation) = (rank(100, 100), normal_rank(100.0, 100.0));
        assert!(exact.abs_diff(approximation) <= 2, "{exact} {approximation}");
    }

    #[test]
    fn the_shift_is_the_median_difference_with_an_interval_around_it() {
        let old = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let new = old.map(|value| value + 10.0);
        let Estimate { n, value, low, high } = shift(&old, &new);
        assert_eq!((n, value), (14, 10.0));
        assert_close(low, 7.0, 1e-12);
        assert_close(high, 13.0, 1e-12);

        // One extreme value moves neither far.
        let mut outlier = new;
        outlier[6] = 1e9;
        let shifted = shift(&old, &outlier);
        assert!((9.0..=11.0).contains(&shifted.value) && shifted.high < 20.0, "{shifted:?}");

        let few = shift(&old[..3], &new[..3]);
        assert_close(few.value, 10.0, 1e-12);
        assert!(few.low.is_infinite() && few.high.is_infinite());
    }

    /// With equal distributions the interval covers 0 in at least 95 % of all orders.
    #[test]
    fn intervals_cover_the_truth_in_all_orders_but_5_percent() {
        const N: usize = 5;
        let (mut orders, mut covered) = (0, 0);
        for set in 0_u32..1 << (2 * N) {
            if set.count_ones() as usize != N {
                continue;
            }
            let values = |is_new: bool| -> Vec<f64> {
                let of_sample = |rank: &usize| (set >> rank & 1 == 1) == is_new;
                (0..2 * N).filter(of_sample).map(|rank| rank as f64).collect()
            };
            let Estimate { low, high, .. } = shift(&values(false), &values(true));
            orders += 1;
            covered += u32::from(low <= 0.0 && 0.0 <= high);
        }
        let coverage = f64::from(covered) / f64::from(orders);
        assert!((0.95..0.99).contains(&coverage), "{coverage}");
    }
}
