//! Many tests at once.

/// The error rate of all tests of a family together: what has a corrected p-value below it is taken
/// for shown.
pub const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// Holm's step-down correction (1979): p-values adjusted so that of all true hypotheses together
/// one is refuted with no more than the chance named. Values that are not numbers belong to no test
/// and stay as they are.
pub fn holm_adjust(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<_> = (0..p.len()).filter(|&test| !p[test].is_nan()).collect();
    order.sort_by(|&one, &other| p[one].total_cmp(&p[other]));
    let mut adjusted = p.to_vec();
    let mut least = 0.0;
    for (rank, &test) in order.iter().enumerate() {
        least = f64::max(least, ((order.len() - rank) as f64 * p[test]).min(1.0));
        adjusted[test] = least;
    }
    adjusted
}

/// For each of some effects, values with their adjusted p-values, returns true if the same effect
/// is statistically significant with the opposite sign for another bot, and significant for this
/// one too. The effects of each bot follow those of the bot before, the same effects in the same
/// order.
///
/// A p-value that is not a number is never significant.
pub fn sign_differs_by_bot(effects: &[(f64, f64)], bots: usize) -> Vec<bool> {
    let signs: Vec<_> = effects
        .iter()
        .map(|&(value, p)| if p < SIGNIFICANCE_LEVEL { value.signum() } else { 0.0 })
        .collect();
    let of_bot = signs.len() / bots.max(1);
    let of_effect = |index: usize| signs.iter().skip(index % of_bot).step_by(of_bot);
    (0..signs.len()).map(|index| of_effect(index).any(|other| other * signs[index] < 0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::{holm_adjust, sign_differs_by_bot};

    #[test]
    fn only_significant_effects_of_opposite_signs_flip() {
        let effects =
            [(1.0, 0.01), (1.0, 0.01), (1.0, 0.01), (-2.0, 0.04), (-2.0, 0.06), (-2.0, f64::NAN)];
        assert_eq!(sign_differs_by_bot(&effects, 2), [true, false, false, true, false, false]);
        assert_eq!(
            sign_differs_by_bot(&effects, 1),
            [false; 6],
            "effects of one bot are different effects"
        );
        assert_eq!(sign_differs_by_bot(&[], 2), [false; 0]);
    }

    #[track_caller]
    fn check(p: &[f64], expected: &[f64]) {
        let adjusted = holm_adjust(p);
        assert!(
            adjusted.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12),
            "{adjusted:?}"
        );
    }

    /// The example of the documentation of `p.adjust` in R, and that of Holm's paper in its usual
    /// form.
    #[test]
    fn published_examples() {
        check(&[0.01, 0.02, 0.03, 0.04, 0.05], &[0.05, 0.08, 0.09, 0.09, 0.09]);
        check(&[0.01, 0.04, 0.03, 0.005], &[0.03, 0.06, 0.06, 0.02]);
        check(&[0.6, 0.7], &[1.0, 1.0]);
    }

    #[test]
    fn what_is_no_test_does_not_count() {
        let adjusted = holm_adjust(&[f64::NAN, 0.02, 0.04]);
        assert!(adjusted[0].is_nan());
        assert_eq!(
            adjusted[1..].iter().map(|p| format!("{p:.3}")).collect::<Vec<_>>(),
            ["0.040", "0.040"]
        );
    }
}
