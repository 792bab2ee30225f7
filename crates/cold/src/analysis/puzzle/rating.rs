//! Ratings from results against opponents with known ratings.

/// Mean of ratings before any result.
const MEAN: f64 = 1300.0;
/// Standard deviation of ratings before any result.
const DEVIATION: f64 = 400.0;
/// Difference of ratings at which the odds are 10.
const SCALE: f64 = 400.0;

/// Returns the most probable rating, by the scale of Elo and a normal prior, after results against
/// opponents: the rating of each, and true if it was beaten.
pub fn of_results(results: &[(f64, bool)]) -> f64 {
    // The derivative of the logarithm of the posterior density falls with the rating.
    let slope = |rating: f64| {
        let surprise = results.iter().map(|&(other, is_won)| {
            let expected = 1.0 / (1.0 + 10_f64.powf((other - rating) / SCALE));
            f64::from(u8::from(is_won)) - expected
        });
        let prior = (MEAN - rating) / DEVIATION.powi(2);
        surprise.sum::<f64>() * std::f64::consts::LN_10 / SCALE + prior
    };
    let [mut low, mut high] = [-2000.0, 5000.0];
    while high - low > 0.5 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    low.round()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_between_those_of_the_beaten_and_of_the_others() {
        assert!((of_results(&[]) - 1300.0_f64).abs() < 1.0);
        let even = [(1000.0, true), (1000.0, false)].repeat(50);
        assert!((of_results(&even) - 1000.0).abs() < 10.0);
        let of = |solved: usize| {
            let panel = [800.0, 1200.0, 1600.0, 2000.0];
            let results: Vec<_> =
                panel.iter().enumerate().map(|(index, &rating)| (rating, index < solved)).collect();
            of_results(&results.repeat(4))
        };
        assert!((0..4).all(|solved| of(solved) < of(solved + 1)));
        assert!((1250.0..1550.0).contains(&of(2)));
    }
}
