//! Mixtures of strategies that play each other.

/// Iterations of [`unbeaten_mixture`]. The largest gain of a strategy is then below 0.1 % of the
/// largest payoff in games of ten strategies.
const ITERATIONS: usize = 20_000;

/// Chance that a strategy that does not win more takes the place of another. It makes the chain of
/// [`alpha_rank`] irreducible.
const MUTATION: f64 = 1e-3;

/// Returns a mixture that no strategy beats by more than 0.1 % of the largest payoff: an
/// equilibrium of the symmetric zero-sum game in which strategy i gains `gains[i][j]` from
/// strategy j, with `gains[j][i] == -gains[i][j]`. By regret matching+ from the uniform mixture,
/// with averages weighted by the iteration (Tammelin 2014).
pub fn unbeaten_mixture(gains: &[Vec<f64>]) -> Vec<f64> {
    let n = gains.len();
    let mut regrets = vec![0.0; n];
    let mut sums = vec![0.0; n];
    for iteration in 1..=ITERATIONS {
        let total: f64 = regrets.iter().sum();
        let weight = |&regret: &f64| if total > 0.0 { regret / total } else { 1.0 / n as f64 };
        let mixture: Vec<_> = regrets.iter().map(weight).collect();
        let against = |gains: &Vec<f64>| gains.iter().zip(&mixture).map(|(g, x)| g * x).sum();
        let values: Vec<f64> = gains.iter().map(against).collect();
        // In a symmetric zero-sum game, the mixture gains nothing from itself.
        regrets
            .iter_mut()
            .zip(&values)
            .for_each(|(regret, value)| *regret = (*regret + value).max(0.0));
        sums.iter_mut().zip(&mixture).for_each(|(sum, x)| *sum += iteration as f64 * x);
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
    for _ in 0..ITERATIONS {
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
