//! A monotone curve through estimates, and the point at which it crosses 0.

use super::{
    joint::JointEstimates,
    ratio::{Estimate, MIN_BLOCKS_OF_MEAN},
    student,
};

/// The point at which a monotone curve crosses 0, with its 95 % confidence interval. An end that is
/// not a number is outside of the estimated points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Crossing {
    /// The point; not a number if the curve does not cross 0 between the points.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Crossing {
    /// Returns the crossing as an estimate from this number of observations.
    pub fn estimate(&self, n: i64) -> Estimate {
        let Self { value, low, high } = *self;
        let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
        let high = if high.is_nan() { f64::INFINITY } else { high };
        Estimate { n, value, low, high }
    }
}

/// Steps between two points at which the interval is evaluated.
const STEPS: usize = 1000;

/// Finds the point at which a monotone curve through estimates crosses 0. `points` ascend; between
/// them the curve is linear.
///
/// The curve is the isotonic regression of the estimates with equal weights (pool adjacent
/// violators; Ayer et al., *Annals of Mathematical Statistics* 26, 1955), descending or ascending,
/// as fits better. The interval contains the points at which 0 is in the 95 % interval of the
/// curve, given the covariances of the estimates. Between two neighbours this is Fieller's interval
/// (*Journal of the Royal Statistical Society B* 16, 1954).
pub fn crossing(points: &[f64], estimates: &JointEstimates) -> Crossing {
    let none = Crossing { value: f64::NAN, low: f64::NAN, high: f64::NAN };
    if points.len() < 2 || estimates.values.iter().any(|value| !value.is_finite()) {
        return none;
    }
    let groups = [1.0, -1.0].map(|sign| {
        let signed: Vec<_> = estimates.values.iter().map(|value| sign * value).collect();
        pool(&signed)
    });
    let errors = groups.each_ref().map(|groups| squared_error(&estimates.values, groups));
    let groups = if errors[0] <= errors[1] { &groups[0] } else { &groups[1] };
    // The weights of the estimates in the fitted value of each point.
    let weights: Vec<Vec<f64>> = (0..points.len())
        .map(|point| {
            let group = groups.iter().find(|group| group.contains(&point)).cloned();
            let group = group.unwrap_or(point..point + 1);
            let share = 1.0 / group.len() as f64;
            let weight = |index: usize| if group.contains(&index) { share } else { 0.0 };
            (0..points.len()).map(weight).collect()
        })
        .collect();
    let fitted: Vec<f64> =
        weights.iter().map(|weights| estimates.combination(weights).value).collect();
    let value = (1..points.len()).find_map(|next| {
        let (before, after) = (fitted[next - 1], fitted[next]);
        ((before - after).abs() > 0.0 && before * after <= 0.0).then(|| {
            points[next - 1] + (points[next] - points[next - 1]) * before / (before - after)
        })
    });
    let Some(value) = value else { return none };
    if estimates.blocks < MIN_BLOCKS_OF_MEAN {
        return Crossing { value, ..none };
    }
    let critical = student::critical_value(estimates.blocks as f64 - 1.0);
    let contains_0 = |segment: usize, step: usize| {
        let share = step as f64 / STEPS as f64;
        let pairs = weights[segment].iter().zip(&weights[segment + 1]);
        let mixed: Vec<_> = pairs.map(|(one, other)| (1.0 - share) * one + share * other).collect();
        let effect = estimates.combination(&mixed);
        effect.value.abs() <= critical * effect.standard_error
    };
    let position = |segment: usize, step: usize| {
        let share = step as f64 / STEPS as f64;
        points[segment] + share * (points[segment + 1] - points[segment])
    };
    let last = points.len() - 2;
    let all = || (0..=last).flat_map(|segment| (0..=STEPS).map(move |step| (segment, step)));
    let low = all().find(|&(segment, step)| contains_0(segment, step));
    let high = all().rev().find(|&(segment, step)| contains_0(segment, step));
    let inside = |(segment, step): &(usize, usize)| {
        (*segment, *step) != (0, 0) && (*segment, *step) != (last, STEPS)
    };
    let end = |found: Option<(usize, usize)>| {
        found.filter(inside).map_or(f64::NAN, |(segment, step)| position(segment, step))
    };
    Crossing { value, low: end(low), high: end(high) }
}

/// Returns the groups of values that an ascending isotonic regression pools.
fn pool(values: &[f64]) -> Vec<std::ops::Range<usize>> {
    let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
    let mean = |group: &std::ops::Range<usize>| {
        values[group.clone()].iter().sum::<f64>() / group.len() as f64
    };
    for index in 0..values.len() {
        let mut group = index..index + 1;
        while let Some(before) = groups.last().filter(|before| mean(before) > mean(&group)) {
            group.start = before.start;
            groups.pop();
        }
        groups.push(group);
    }
    groups
}

fn squared_error(values: &[f64], groups: &[std::ops::Range<usize>]) -> f64 {
    let error = |group: &std::ops::Range<usize>| {
        let mean = values[group.clone()].iter().sum::<f64>() / group.len() as f64;
        values[group.clone()].iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    groups.iter().map(error).sum()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{assert_close, joint::JointSums},
        *,
    };

    /// Independent estimates with these values and a standard error of 0.1.
    fn estimates(values: &[f64]) -> JointEstimates {
        let mut sums = JointSums::default();
        // Walsh functions of 64 blocks are orthogonal, so that the covariances are 0.
        for block in 0..64_u32 {
            let observed = values.iter().enumerate().map(|(index, value)| {
                let sign = if (block & (index as u32 + 1)).count_ones().is_multiple_of(2) {
                    1.0
                } else {
                    -1.0
                };
                let spread = 0.1 * 63.0_f64.sqrt() * sign;
                (1, ((value + spread) * 1e6).round() as i64)
            });
            sums.add_block(&observed.collect::<Vec<_>>());
        }
        sums.estimates(1_000_000)
    }

    #[test]
    fn the_crossing_lies_between_values_of_opposite_signs() {
        let found = crossing(&[0.0, 1.0, 2.0], &estimates(&[3.0, 1.0, -1.0]));
        assert_close(found.value, 1.5, 1e-6);
        // Var((1 − s) a + s b) = 0.01 (s² + (1 − s)²), and the curve is 1 − 2 s; the critical value
        // for 63 degrees of freedom is 1.99834: 1 − 2 s = 0.199834 √(s² + (1 − s)²).
        assert!((1.42..1.435).contains(&found.low) && (1.565..1.58).contains(&found.high));
        let ascending = crossing(&[0.0, 1.0], &estimates(&[-1.0, 1.0]));
        assert_close(ascending.value, 0.5, 1e-6);
    }

    #[test]
    fn values_out_of_order_are_pooled() {
        // 0.5 and 0.7 are pooled to 0.6.
        let found = crossing(&[0.0, 1.0, 2.0, 3.0], &estimates(&[3.0, 0.5, 0.7, -0.6]));
        assert_close(found.value, 2.5, 1e-6);
        assert_eq!(pool(&[1.0, 3.0, 2.0, 2.2, 5.0]), [0..1, 1..4, 4..5]);
    }

    #[test]
    fn without_a_crossing_there_is_no_value() {
        let found = crossing(&[0.0, 1.0], &estimates(&[3.0, 1.0]));
        assert!(found.value.is_nan() && found.low.is_nan());
        let found = crossing(&[0.0, 1.0], &estimates(&[3.0, -0.01]));
        assert!(found.value > 0.9 && found.low > 0.9 && found.high.is_nan(), "{found:?}");
        assert!(found.estimate(5).high.is_infinite());
    }
}
