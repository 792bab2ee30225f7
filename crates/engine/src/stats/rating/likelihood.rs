//! The log-likelihood of rankings, its derivatives and its maximum.

use statrs::function::factorial::binomial;

use super::{
    super::linear::{Matrix, add_square, solve, zeros},
    Ranking,
};

/// The log-likelihood of a ranking that occurred in several games: for each rank, the strength of
/// the player that has it minus ln Σ e^strength over the seats that could have had it.
pub(super) struct Likelihood {
    /// Number of games.
    pub(super) games: f64,
    /// Seats of each player.
    seats: Vec<f64>,
    choices: Vec<RankChoice>,
}

/// The choice of the next rank among the seats without one.
struct RankChoice {
    /// The share of the orders of tied seats that contain this choice.
    weight: f64,
    /// Seats of each player that have no rank yet.
    left: Vec<f64>,
}

impl Likelihood {
    pub(super) fn new(ranking: &Ranking, players: usize, games: f64) -> Self {
        let count = |seats: &mut dyn Iterator<Item = usize>| {
            let mut counts = vec![0.0; players];
            seats.for_each(|player| counts[player] += 1.0);
            counts
        };
        let mut choices = Vec::new();
        for (index, group) in ranking.0.iter().enumerate() {
            let behind = || ranking.0[index + 1..].iter().flatten().copied();
            // Over all orders of a group, its subsets of one size are left equally often.
            for set in 1_u32..1 << group.len() {
                let weight = 1.0 / binomial(group.len() as u64, set.count_ones().into());
                let members = crate::bits::ones(set.into()).map(|member| group[member as usize]);
                choices.push(RankChoice { weight, left: count(&mut members.chain(behind())) });
            }
        }
        let seats = count(&mut ranking.0.iter().flatten().copied());
        Self { games, seats, choices }
    }

    /// Returns the log-likelihood of one game.
    fn value(&self, strengths: &[f64]) -> f64 {
        let seats: f64 =
            self.seats.iter().zip(strengths).map(|(seats, strength)| seats * strength).sum();
        let choice = |choice: &RankChoice| choice.weight * choice.total(strengths).ln();
        seats - self.choices.iter().map(choice).sum::<f64>()
    }

    /// Returns the gradient of the log-likelihood of one game.
    pub(super) fn gradient(&self, strengths: &[f64]) -> Vec<f64> {
        let mut gradient = self.seats.clone();
        for choice in &self.choices {
            for (sum, probability) in gradient.iter_mut().zip(choice.probabilities(strengths)) {
                *sum -= choice.weight * probability;
            }
        }
        gradient
    }
}

impl RankChoice {
    fn total(&self, strengths: &[f64]) -> f64 {
        self.left.iter().zip(strengths).map(|(left, strength)| left * strength.exp()).sum()
    }

    /// Returns the probability of each player.
    fn probabilities(&self, strengths: &[f64]) -> Vec<f64> {
        let total = self.total(strengths);
        let seats = self.left.iter().zip(strengths);
        seats.map(|(left, strength)| left * strength.exp() / total).collect()
    }
}

/// Returns the Fisher information of all games.
pub(super) fn information(likelihoods: &[&Likelihood], strengths: &[f64]) -> Matrix {
    let mut information = zeros(strengths.len());
    // The likelihood depends on differences of strengths only. This entry keeps the strength of
    // player 0 at 0.
    information[0][0] = 1.0;
    for likelihood in likelihoods {
        for choice in &likelihood.choices {
            let weight = likelihood.games * choice.weight;
            let probabilities = choice.probabilities(strengths);
            for (player, probability) in probabilities.iter().enumerate() {
                information[player][player] += weight * probability;
            }
            add_square(&mut information, &probabilities, -weight);
        }
    }
    information
}

/// Largest number of Newton steps.
const MAX_STEPS: usize = 200;

/// Returns the strengths that maximise the log-likelihood, which is concave, by Newton's method
/// with step halving.
pub(super) fn maximum(likelihoods: &[&Likelihood], players: usize) -> Vec<f64> {
    let value = |strengths: &[f64]| {
        likelihoods.iter().map(|one| one.games * one.value(strengths)).sum::<f64>()
    };
    let mut strengths = vec![0.0; players];
    for _ in 0..MAX_STEPS {
        let mut gradient = vec![0.0; players];
        for likelihood in likelihoods {
            for (sum, part) in gradient.iter_mut().zip(likelihood.gradient(&strengths)) {
                *sum += likelihood.games * part;
            }
        }
        let step = solve(information(likelihoods, &strengths).concat(), gradient);
        let moved = |length: f64| -> Vec<f64> {
            strengths.iter().zip(&step).map(|(strength, step)| strength + length * step).collect()
        };
        let (before, mut length) = (value(&strengths), 1.0);
        while value(&moved(length)) < before - 1e-12 * before.abs() {
            length /= 2.0;
        }
        strengths = moved(length);
        if step.iter().all(|step| step.abs() < 1e-10) {
            break;
        }
    }
    strengths
}
