//! Student's t distribution for any number of degrees of freedom.
//!
//! The incomplete beta function of `statrs` loses precision above some millions of degrees of
//! freedom, and its inverse does not terminate above about 15 million. Expansions around the normal
//! distribution are used there.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

thread_local! {
    /// The quantiles that were computed, by the bits of the probability and the degrees of freedom.
    /// The library searches for each, and most rows of a table of openings have equal degrees.
    static QUANTILES: RefCell<FxHashMap<[u64; 2], f64>> = RefCell::default();
}

/// Degrees of freedom from which the expansions are used.
const LARGE: f64 = 1e6;

/// Confidence level of intervals.
pub(super) const LEVEL: f64 = 0.95;

/// Returns the half-width of the 95 % interval of an estimate in standard errors.
pub(super) fn critical_value(freedom: f64) -> f64 {
    quantile(0.5 + LEVEL / 2.0, freedom)
}

/// Returns the quantile of Student's t with `freedom` degrees of freedom for a probability above 0
/// and below 1.
///
/// From ν = 1 million degrees of freedom, it is z + (z³ + z) / 4ν: the normal quantile z and the
/// first term of its Cornish-Fisher expansion (Abramowitz and Stegun, 26.7.5). The error is about
/// 1e-11.
pub fn quantile(probability: f64, freedom: f64) -> f64 {
    if freedom >= LARGE {
        let z = Normal::standard().inverse_cdf(probability);
        return z + (z.powi(3) + z) / (4.0 * freedom);
    }
    QUANTILES.with_borrow_mut(|known| {
        *known.entry([probability, freedom].map(f64::to_bits)).or_insert_with(|| {
            StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(probability))
        })
    })
}

/// Returns the two-sided p-value of t, the probability of a value at least as far from 0. It is
/// never 0.
///
/// From ν = 1 million degrees of freedom, it is that of the normal distribution at z = (8ν + 1) /
/// (8ν + 3) · √(ν ln(1 + t²/ν)) (Wallace 1959).
pub fn two_sided_p(t: f64, freedom: f64) -> f64 {
    let t = t.abs();
    let tail = if freedom >= LARGE {
        let z = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
            * (freedom * (t * t / freedom).ln_1p()).sqrt();
        Normal::standard().sf(z)
    } else {
        StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |student| student.sf(t))
    };
    if tail.is_nan() { tail } else { (2.0 * tail).clamp(f64::MIN_POSITIVE, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    const NORMAL: f64 = 1.959_963_984_540_054;

    #[test]
    fn quantiles_decrease_to_that_of_the_normal_distribution() {
        let quantiles: Vec<_> = (0..=18).map(|power| quantile(0.975, 10_f64.powi(power))).collect();
        assert!(quantiles.is_sorted_by(|one, other| one >= other), "{quantiles:?}");
        assert!(quantiles[..9].is_sorted_by(|one, other| one > other), "{quantiles:?}");
        quantiles[10..].iter().for_each(|&quantile| assert_close(quantile, NORMAL, 1e-9));
        // Tables of the distribution: 1, 10, 100 and 1000 degrees of freedom.
        for (&quantile, expected) in
            quantiles.iter().zip([12.706_205, 2.228_139, 1.983_972, 1.962_339])
        {
            assert_close(quantile, expected, 1e-6);
        }
    }

    #[test]
    fn expansions_agree_with_the_library_where_they_begin() {
        for probability in [0.975, 0.9975, 0.999_75] {
            let [below, above] = [LARGE - 1.0, LARGE].map(|freedom| quantile(probability, freedom));
            // The quantile of the library has an error of 4e-5 there.
            assert_close(below / above, 1.0, 5e-5);
        }
        for t in [0.0, 0.1, 1.0, NORMAL, 5.0, 12.0, 30.0] {
            let [below, above] = [LARGE - 1.0, LARGE].map(|freedom| two_sided_p(t, freedom));
            assert_close(below / above, 1.0, 1e-3);
        }
    }

    #[test]
    fn p_is_the_inverse_of_the_quantile_for_any_freedom() {
        for power in 0..=18 {
            let freedom = 10_f64.powi(power);
            for probability in [0.6, 0.975, 0.9995] {
                let p = two_sided_p(quantile(probability, freedom), freedom);
                // The quantile of the library loses precision from 10^5 degrees of freedom.
                let tolerance = if freedom < LARGE { 2e-6 } else { 1e-8 };
                assert_close(p, 2.0 * (1.0 - probability), tolerance);
            }
        }
    }

    #[test]
    fn p_is_never_0() {
        for freedom in [20.0, 1e5, 1e9] {
            for t in [40.0, 1e3, 1e6, f64::INFINITY] {
                let p = two_sided_p(-t, freedom);
                assert!(p > 0.0 && p < 1e-15, "{freedom} {t}: {p}");
            }
        }
        assert_close(two_sided_p(0.0, 1e9), 1.0, 1e-12);
    }
}
