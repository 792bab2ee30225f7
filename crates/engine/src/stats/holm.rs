//! Multiple tests: Holm's correction, and false discovery rates.

/// Family-wise error rate. An effect is significant if its Holm-adjusted p-value is lower.
pub const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// Returns the p-values of a family of tests adjusted by Holm's step-down method (*Scandinavian
/// Journal of Statistics* 6, 1979). With m tests and ordered p-values, the adjusted value of rank k
/// is max over j ≤ k of min(1, (m − j + 1) · p₍ⱼ₎). Rejecting at level α then rejects a true
/// hypothesis of the family with probability α at most. Values that are not numbers have no test;
/// they do not count and stay as they are.
pub fn holm_adjust(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<_> = (0..p_values.len()).filter(|&test| !p_values[test].is_nan()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut adjusted = p_values.to_vec();
    let mut max = 0.0;
    for (rank, &test) in order.iter().enumerate() {
        max = f64::max(max, ((order.len() - rank) as f64 * p_values[test]).min(1.0));
        adjusted[test] = max;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, holm_adjust};

    #[track_caller]
    fn check(p_values: &[f64], expected: &[f64]) {
        let adjusted = holm_adjust(p_values);
        adjusted.iter().zip(expected).for_each(|(&one, &other)| assert_close(one, other, 1e-12));
    }

    /// The examples of R's `p.adjust` and of Holm's paper.
    #[test]
    fn adjusted_values_equal_published_examples() {
        check(&[0.01, 0.02, 0.03, 0.04, 0.05], &[0.05, 0.08, 0.09, 0.09, 0.09]);
        check(&[0.01, 0.04, 0.03, 0.005], &[0.03, 0.06, 0.06, 0.02]);
        check(&[0.6, 0.7], &[1.0, 1.0]);
    }

    #[test]
    fn missing_p_values_do_not_count() {
        let adjusted = holm_adjust(&[f64::NAN, 0.02, 0.04]);
        assert!(adjusted[0].is_nan());
        adjusted[1..].iter().for_each(|&p| assert_close(p, 0.04, 1e-12));
    }
}
