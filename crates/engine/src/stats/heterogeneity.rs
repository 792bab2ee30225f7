//! Tests of whether the parts of a run agree with each other.
//!
//! Parts have other deals, so their rates differ by chance only. The score statistic of a part
//! compares its rate with that of the whole run, with the variance over the blocks of the whole run
//! (Cochran, *Biometrics* 10, 1954, for one degree of freedom): a part in which something happens
//! to be constant does not look exact. If the blocks of the part vary more, their own variance
//! counts: a single block that is an exception lies in one part, and is no deviation of it.

use statrs::distribution::{ContinuousCDF, Normal};

use super::ratio::Ratio;

/// Smallest number of blocks of a part that is tested.
const MIN_BLOCKS: u64 = 30;

/// Smallest square of the rate of a part in standard errors: for counts of rare events this is
/// their number. The rates of rarer ones are not normal.
const MIN_EVENTS: f64 = 10.0;

/// Returns the difference of the rate of a part from the rate of the whole run, of which it is a
/// part, in standard errors; `None` if it has too few blocks or events to be tested.
pub fn deviation_of_part(part: &Ratio, whole: &Ratio) -> Option<f64> {
    if part.blocks < MIN_BLOCKS || part.n <= 0 || part.n >= whole.n {
        return None;
    }
    let variance = whole.variance(1.0);
    let share = part.n as f64 / whole.n as f64;
    let is_testable = variance > 0.0 && whole.value(1).powi(2) >= MIN_EVENTS * variance / share;
    let own = part.residuals_about(whole) / (part.n as f64).powi(2);
    let standard_error = ((variance / share).max(own) * (1.0 - share)).sqrt();
    is_testable.then(|| (part.value(1) - whole.value(1)) / standard_error)
}

/// Returns the p-value of a deviation in standard errors, adjusted by Bonferroni's method for the
/// number of tested deviations.
pub fn adjusted_p_value(deviation: f64, tested: usize) -> f64 {
    let one = 2.0 * Normal::standard().cdf(-deviation.abs());
    (one * tested as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    /// Returns blocks of one game each; the first `won` games are won.
    fn games(games: i64, won: i64) -> Ratio {
        let mut ratio = Ratio::default();
        (0..games).for_each(|game| ratio.add_block(1, i64::from(game < won)));
        ratio
    }

    /// 60 of 100 games are won in one part of four, and 150 of 300 in the others. The rate of all
    /// is 0.525, with the variance 0.249375 / 399; that of the part has three times this variance
    /// around it.
    #[test]
    fn deviation_is_in_standard_errors_of_the_part() {
        let z = deviation_of_part(&games(100, 60), &games(400, 210)).expect("enough blocks");
        assert_close(z, 0.075 / (3.0 * 0.249_375 / 399.0_f64).sqrt(), 1e-9);
        assert_close(adjusted_p_value(1.959_964, 1), 0.05, 1e-6);
        assert_close(adjusted_p_value(-1.959_964, 10), 0.5, 1e-5);
    }

    #[test]
    fn rare_and_few_events_are_not_tested() {
        for (part, whole) in [
            (games(20, 10), games(400, 200)),
            (games(1000, 5), games(24_000, 5)),
            (games(100, 100), games(400, 400)),
            (games(100, 50), games(100, 50)),
        ] {
            assert_eq!(deviation_of_part(&part, &whole), None, "{part:?}");
        }
    }

    /// Of 100 parts of 100 games, one has the only game that is lost.
    #[test]
    fn a_single_exception_is_no_deviation() {
        let z = deviation_of_part(&games(100, 99), &games(10_000, 9999)).expect("enough blocks");
        assert!((-1.1..-0.9).contains(&z), "{z}");
    }
}
