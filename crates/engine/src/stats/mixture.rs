//! Mixtures of strategies that play each other.

/// Iterations of [`unbeaten_mixture`]. In 60 random games of ten strategies, no strategy then gains
/// more than 0.1 % of the largest payoff.
const ITERATIONS: usize = 2000;
/// Steps of the chain of [`alpha_rank`].
const STEPS: usize = 20_000;

/// Chance that a strategy that does not win more takes the place of another. It makes the chain of
/// [`alpha_rank`] irreducible.
const MUTATION: f64 = 1e-3;

/// Returns a mixture that no strategy beats: an equilibrium, up to a small error, of the symmetric
/// zero-sum game in which strategy i gains `gains[i][j]` from strategy j, with
/// `gains[j][i] == -gains[i][j]`. By predictive regret matching+ from the uniform mixture, with
/// averages weighted by the square of the iteration (Farina, Kroer and Sandholm 2021).
pub fn unbeaten_mixture(gains: &[Vec<f64>]) -> Vec<f64> {
    let n = gains.len();
    let (mut regrets, mut values, mut sums) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for iteration in 1..=ITERATIONS {
        // In a symmetric zero-sum game the mixture gains nothing from itself, so that a value is a
        // regret. The last values predict the next ones.
        let predicted =
            regrets.iter().zip(&values).map(|(regret, value): (&f64, &f64)| regret + value);
        let predicted: Vec<f64> = predicted.map(|regret| regret.max(0.0)).collect();
        let is_zero = predicted.iter().all(|&regret| regret <= 0.0);
        let mixture = normalize(if is_zero { vec![1.0; n] } else { predicted });
        let against = |gains: &Vec<f64>| gains.iter().zip(&mixture).map(|(g, x)| g * x).sum();
        values = gains.iter().map(against).collect();
        let weight = (iteration * iteration) as f64;
        for strategy in 0..n {
            regrets[strategy] = f64::max(regrets[strategy] + values[strategy], 0.0);
            sums[strategy] += weight * mixture[strategy];
        }
    }
    normalize(sums)
}

/// Returns the share of each strategy in the long run (α-rank with one population and infinite
/// intensity of selection, Omidshafiei et al. 2019): where all play strategy j, one player tries
/// strategy i, which takes over if it wins more than the fair share `fair`. `wins[i][j]` is the
/// win rate of one strategy i among strategies j.
pub fn alpha_rank(wins: &[Vec<f64>], fair: f64) -> Vec<f64> {
    let n = wins.len();
    let mut shares = vec![1.0 / n as f64; n];
    let rate = |i: usize, j: usize| {
        let chance = if wins[i][j] > fair { 1.0 } else { MUTATION };
        chance / (n.max(2) - 1) as f64
    };
    // The chain moves to another strategy with probability 1/2 at most, so it has no period.
    for _ in 0..STEPS {
        let mut next = shares.clone();
        for j in 0..n {
            for i in (0..n).filter(|&i| i != j) {
                let moved = 0.5 * shares[j] * rate(i, j);
                next[i] += moved;
                next[j] -= moved;
            }
        }
        shares = next;
    }
    normalize(shares)
}

fn normalize(weights: Vec<f64>) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, random_below, stream};

    fn assert_near(found: &[f64], expected: &[f64]) {
        assert!(
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.01),
            "{found:?} is not {expected:?}"
        );
    }

    #[test]
    fn rock_paper_scissors_has_its_equilibrium() {
        // The second strategy gains twice as much from the first as the others from theirs.
        let gains = [vec![0.0, -2.0, 1.0], vec![2.0, 0.0, -1.0], vec![-1.0, 1.0, 0.0]];
        assert_near(&unbeaten_mixture(&gains), &[0.25, 0.25, 0.5]);
    }

    #[test]
    fn no_strategy_beats_the_mixture_of_a_random_game() {
        for seed in 0..60 {
            let mut rng = stream(seed, 0, 0, Purpose::Playout);
            let mut gains = vec![vec![0.0; 10]; 10];
            for (i, j) in (0..10).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let gain = f64::from(random_below(&mut rng, 2001)) / 1000.0 - 1.0;
                (gains[i][j], gains[j][i]) = (gain, -gain);
            }
            let mixture = unbeaten_mixture(&gains);
            for row in &gains {
                let gain: f64 = row.iter().zip(&mixture).map(|(gain, share)| gain * share).sum();
                assert!(gain < 1e-3, "seed {seed}: {gain}");
            }
        }
    }

    #[test]
    fn a_dominant_strategy_is_played_alone() {
        let gains = [vec![0.0, 0.1, 0.2], vec![-0.1, 0.0, 0.3], vec![-0.2, -0.3, 0.0]];
        assert_near(&unbeaten_mixture(&gains), &[1.0, 0.0, 0.0]);
    }

    #[test]
    fn alpha_rank_follows_the_invasions() {
        let third = 1.0 / 3.0;
        // The first strategy invades both others, and neither invades it.
        let wins = [vec![third, 0.4, 0.4], vec![0.3, third, 0.4], vec![0.2, 0.2, third]];
        assert_near(&alpha_rank(&wins, third), &[1.0, 0.0, 0.0]);
        // Each strategy invades the next one.
        let wins = [vec![third, 0.4, 0.2], vec![0.2, third, 0.4], vec![0.4, 0.2, third]];
        assert_near(&alpha_rank(&wins, third), &[third, third, third]);
    }
}
