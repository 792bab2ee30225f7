//! The goodness of fit of ratings: observed and predicted wins of one player against copies of
//! another.

use std::collections::BTreeMap;

use super::{
    super::{elo::first_rank_probability, paired::MIN_BLOCKS},
    RankedGames, Ranking, Ratings, variance_of_difference,
};

/// A fit whose largest |z| exceeds this is reported as poor.
pub const POOR_FIT_Z: f64 = 3.0;

/// Smallest share of the variance between blocks that the fit must leave for a test. If it leaves
/// less, it has reproduced the observed share.
const MIN_VARIANCE_LEFT: f64 = 0.01;

/// A player in one seat, and the player of all other seats.
pub type PlayerPair = (usize, usize);

/// The share of first ranks of a player in one seat against copies of another, observed and
/// predicted by the fitted strengths. A first rank that several players share is divided among
/// them, as is a game without a winner.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairingFit {
    /// Games.
    pub games: u64,
    /// The observed share.
    pub observed: f64,
    /// The predicted share.
    pub predicted: f64,
    /// The difference in standard errors, which include the uncertainty of the fit; none if the fit
    /// reproduces the share by construction, if one player was never ranked below the other, and
    /// below [`MIN_BLOCKS`].
    pub z: Option<f64>,
}

/// Sums over the blocks of a pairing.
#[derive(Clone, Default)]
struct PairingSums {
    games: u64,
    blocks: u64,
    seats: usize,
    /// Observed minus predicted first ranks.
    excess: f64,
    /// Squares of the excess of a block.
    squares: f64,
    /// Products of the excess of a block with its gradient.
    products: Vec<f64>,
}

impl Ranking {
    /// Returns the pairings of a game, 2 in a game of 2 players; empty for other lineups.
    fn pairings(&self) -> Vec<PlayerPair> {
        let seats = self.0.concat();
        let mut players = seats.clone();
        players.sort_unstable();
        players.dedup();
        let &[first, second] = &players[..] else { return Vec::new() };
        let is_alone = |player| seats.iter().filter(|&&seated| seated == player).count() == 1;
        [(first, second), (second, first)].into_iter().filter(|&(one, _)| is_alone(one)).collect()
    }

    /// Returns the share of the first rank of a player with one seat.
    fn share_of_first(&self, player: usize) -> f64 {
        let first = self.0.first().filter(|first| first.contains(&player));
        first.map_or(0.0, |first| 1.0 / first.len() as f64)
    }
}

/// Compares the observed and the predicted shares of first ranks of all pairings. `gradients` are
/// those of the log-likelihood of one game.
pub(super) fn pairing_fits(
    games: &RankedGames,
    gradients: &BTreeMap<&Ranking, Vec<f64>>,
    ratings: &Ratings,
) -> BTreeMap<PlayerPair, PairingFit> {
    let strengths = &ratings.strengths;
    let predicted = |(one, other): PlayerPair, seats: usize| {
        first_rank_probability(strengths[one] - strengths[other], seats)
    };
    let mut all: BTreeMap<PlayerPair, PairingSums> = BTreeMap::new();
    for (block, &count) in &games.blocks {
        for pairing in block.first().map(Ranking::pairings).unwrap_or_default() {
            let seats = block[0].0.concat().len();
            let expected = predicted(pairing, seats);
            let excess: f64 =
                block.iter().map(|ranking| ranking.share_of_first(pairing.0) - expected).sum();
            let sums = all.entry(pairing).or_default();
            let weight = count as f64;
            sums.seats = seats;
            sums.blocks += count;
            sums.games += count * block.len() as u64;
            sums.excess += weight * excess;
            sums.squares += weight * excess * excess;
            sums.products.resize(strengths.len(), 0.0);
            for gradient in block.iter().filter_map(|ranking| gradients.get(ranking)) {
                for (sum, part) in sums.products.iter_mut().zip(gradient) {
                    *sum += weight * excess * part;
                }
            }
        }
    }
    let correction = games.sample_correction();
    let fit = |(pairing, sums): (PlayerPair, PairingSums)| {
        let (one, other) = pairing;
        let expected = predicted(pairing, sums.seats);
        // The linear response of the predicted first ranks to the excess: their derivative by the
        // strengths times the inverse of the information.
        let slope = sums.games as f64 * expected * (1.0 - expected);
        let response = ratings.model.iter().map(|row| slope * (row[one] - row[other]));
        let covariance: f64 =
            response.zip(&sums.products).map(|(response, product)| response * product).sum();
        let of_fit = slope * slope * variance_of_difference(&ratings.robust, one, other);
        let variance = sums.squares - 2.0 * covariance + of_fit / correction;
        let is_tested = ratings.chains[one][other]
            && ratings.chains[other][one]
            && sums.blocks >= MIN_BLOCKS
            && variance > MIN_VARIANCE_LEFT * sums.squares;
        let fit = PairingFit {
            games: sums.games,
            observed: expected + sums.excess / sums.games as f64,
            predicted: expected,
            z: is_tested.then(|| sums.excess / (variance * correction).sqrt()),
        };
        (pairing, fit)
    };
    all.into_iter().map(fit).collect()
}
