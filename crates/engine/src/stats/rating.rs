//! Ratings: a maximum-likelihood fit of the strengths of all players to all games of a match.
//!
//! **Model.** Plackett–Luce (Luce 1959, Plackett 1975): the ranks are assigned from the first to
//! the last, each to one of the remaining players with a probability in proportion to e^strength.
//! With two players it is the model of Bradley and Terry (1952).
//!
//! **Ties.** The log-likelihood of a group of tied players is the mean over all their orders. With
//! two players a draw is then half a win of each.
//!
//! **Intervals.** Games of a block share their deal, so the variance is the sandwich estimator
//! clustered over blocks (Huber 1967, Liang and Zeger 1986), with Student's t.
//!
//! **Undefeated players.** A finite maximum exists if and only if there is a chain of players from
//! each player to each other in which each was ranked above the next or tied with it (Ford 1957,
//! Hunter 2004). Otherwise one drawn game of each player against player 0 is added for the fit, and
//! the intervals of differences that the games do not bound are unbounded.
//!
//! **Goodness of fit.** In games of 3 or more players, the predicted win rate depends on all ranks
//! and may be wrong. [`PairingFit`] compares it with the observed one for each pairing of one
//! player against copies of another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::pairing_fit::{POOR_FIT_Z, PairingFit, PlayerPair};

use self::{
    likelihood::{Likelihood, information, maximum},
    pairing_fit::pairing_fits,
};
use super::{
    Merge,
    elo::ELO_PER_NAT,
    linear::{Matrix, add_square, inverse, product, zeros},
    pairs,
    ratio::{Estimate, critical_value},
};

mod likelihood;
mod pairing_fit;

/// The result of a game: groups of tied players, the best first. Copies of a player have the same
/// number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Ranking(Vec<Vec<usize>>);

impl Ranking {
    /// Creates the ranking of these groups, the best first.
    pub fn new(mut groups: Vec<Vec<usize>>) -> Self {
        for group in &mut groups {
            group.sort_unstable();
        }
        Self(groups)
    }

    fn has_player(&self, player: usize) -> bool {
        self.0.iter().flatten().any(|&other| other == player)
    }
}

/// The games of a match by block.
///
/// ```
/// use watershed::stats::rating::{RankedGames, Ranking};
///
/// // Player 0 wins 3 of 4 games against player 1; each block has one game.
/// let mut games = RankedGames::new(2);
/// for block in 0..200 {
///     let winner = usize::from(block % 4 == 0);
///     games.add_block(vec![Ranking::new(vec![vec![winner], vec![1 - winner]])]);
/// }
/// let difference = games.ratings().difference(0, 1);
/// // Odds of 3 to 1 are 400 · log10(3) Elo points.
/// assert!((difference.value - 190.8).abs() < 0.1, "{difference:?}");
/// assert!(130.0 < difference.low && difference.high < 250.0, "{difference:?}");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RankedGames {
    players: usize,
    /// Number of blocks with the same rankings, which are sorted.
    #[serde(with = "pairs")]
    blocks: BTreeMap<Vec<Ranking>, u64>,
}

/// Both matches are between the same players.
impl Merge for RankedGames {
    fn merge(&mut self, other: &Self) {
        Merge::merge(&mut self.blocks, &other.blocks);
    }
}

/// Fitted strengths of all players, in units of log odds, with their covariances.
#[derive(Clone, Debug)]
pub struct Ratings {
    /// Games of each player.
    games: Vec<u64>,
    /// Blocks of each player.
    blocks: Vec<u64>,
    strengths: Vec<f64>,
    /// The inverse of the information: the covariances if all games are independent.
    model: Matrix,
    /// The covariances clustered over blocks.
    robust: Matrix,
    /// True if a chain leads from one player to the other in which each was ranked above the next
    /// or tied with it.
    chains: Vec<Vec<bool>>,
    /// The fit of each pairing.
    pub pairing_fits: BTreeMap<PlayerPair, PairingFit>,
}

impl RankedGames {
    /// Creates an empty match between this many players, which are numbered from 0.
    pub const fn new(players: usize) -> Self {
        Self { players, blocks: BTreeMap::new() }
    }

    /// Adds a block: the ranking of each of its games, which may depend on each other.
    pub fn add_block(&mut self, mut rankings: Vec<Ranking>) {
        rankings.sort_unstable();
        *self.blocks.entry(rankings).or_default() += 1;
    }

    /// Fits the strengths.
    pub fn ratings(&self) -> Ratings {
        let mut counts: BTreeMap<&Ranking, f64> = BTreeMap::new();
        let [mut games, mut blocks] = [vec![0; self.players], vec![0; self.players]];
        for (block, &count) in &self.blocks {
            for ranking in block {
                *counts.entry(ranking).or_default() += count as f64;
            }
            for player in 0..self.players {
                let own = block.iter().filter(|ranking| ranking.has_player(player)).count();
                games[player] += count * own as u64;
                blocks[player] += count * u64::from(own > 0);
            }
        }
        let chains = self.chains(counts.keys().copied());
        let draws: Vec<Ranking> =
            (1..self.players).map(|player| Ranking::new(vec![vec![0, player]])).collect();
        if has_gap(&chains) {
            for draw in &draws {
                *counts.entry(draw).or_default() += 1.0;
            }
        }
        let likelihoods: BTreeMap<_, _> = counts
            .into_iter()
            .map(|(ranking, games)| (ranking, Likelihood::new(ranking, self.players, games)))
            .collect();
        let terms: Vec<_> = likelihoods.values().collect();
        let strengths = maximum(&terms, self.players);
        let model = inverse(&information(&terms, &strengths));
        let gradients: BTreeMap<_, _> = likelihoods
            .iter()
            .map(|(&ranking, likelihood)| (ranking, likelihood.gradient(&strengths)))
            .collect();
        let robust = product(&product(&model, &self.block_variance(&gradients)), &model);
        let fits = BTreeMap::new();
        let mut ratings =
            Ratings { games, blocks, strengths, model, robust, chains, pairing_fits: fits };
        ratings.pairing_fits = pairing_fits(self, &gradients, &ratings);
        ratings
    }

    /// Returns [`Ratings::chains`].
    fn chains<'a>(&self, rankings: impl Iterator<Item = &'a Ranking>) -> Vec<Vec<bool>> {
        let players = 0..self.players;
        let mut chains: Vec<Vec<bool>> = players
            .clone()
            .map(|one| players.clone().map(|other| one == other).collect())
            .collect();
        for ranking in rankings {
            for (index, group) in ranking.0.iter().enumerate() {
                let behind = || ranking.0[index..].iter().flatten();
                for &one in group {
                    behind().for_each(|&other| chains[one][other] = true);
                }
            }
        }
        for middle in players.clone() {
            for one in players.clone() {
                for other in players.clone() {
                    chains[one][other] |= chains[one][middle] && chains[middle][other];
                }
            }
        }
        chains
    }

    /// Returns N / (N − 1) for N blocks, the correction of a mean of squares.
    fn sample_correction(&self) -> f64 {
        let blocks: u64 = self.blocks.values().sum();
        blocks as f64 / (blocks as f64 - 1.0).max(1.0)
    }

    /// Returns the sum over blocks of the outer product of the block's gradient with itself.
    fn block_variance(&self, gradients: &BTreeMap<&Ranking, Vec<f64>>) -> Matrix {
        let correction = self.sample_correction();
        let mut variance = zeros(self.players);
        for (block, &count) in &self.blocks {
            let mut sum = vec![0.0; self.players];
            for gradient in block.iter().filter_map(|ranking| gradients.get(ranking)) {
                sum.iter_mut().zip(gradient).for_each(|(sum, part)| *sum += part);
            }
            add_square(&mut variance, &sum, count as f64 * correction);
        }
        variance
    }
}

/// Returns true if some player has no chain to some other.
fn has_gap(chains: &[Vec<bool>]) -> bool {
    chains.iter().flatten().any(|&leads| !leads)
}

/// Returns the variance of the difference of two estimates with these covariances.
fn variance_of_difference(covariances: &Matrix, one: usize, other: usize) -> f64 {
    covariances[one][one] + covariances[other][other] - 2.0 * covariances[one][other]
}

impl Ratings {
    /// Returns the pairing with the largest |z|.
    pub fn worst_fit(&self) -> Option<(PlayerPair, PairingFit)> {
        let tested = self
            .pairing_fits
            .iter()
            .filter_map(|(&pairing, &fit)| Some((fit.z?.abs(), (pairing, fit))));
        tested.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, fit)| fit)
    }

    /// Returns the strength of one player minus that of another in Elo points, with its 95 %
    /// interval. An end of the interval is infinite if no chain of games bounds it. `n` is the
    /// number of games of the first player.
    pub fn difference(&self, one: usize, other: usize) -> Estimate {
        self.difference_with(one, other, critical_value)
    }

    /// Returns [`Ratings::difference`] with the half-width of the interval in standard errors that
    /// `critical_value` returns for a number of blocks.
    pub fn difference_with(
        &self,
        one: usize,
        other: usize,
        critical_value: impl Fn(u64) -> f64,
    ) -> Estimate {
        let n = self.games[one] as i64;
        let value = (self.strengths[one] - self.strengths[other]) * ELO_PER_NAT;
        if one == other {
            return Estimate::symmetric(n, value, 0.0);
        }
        let [model, robust] = [&self.model, &self.robust]
            .map(|covariances| variance_of_difference(covariances, one, other));
        let (bounded_below, bounded_above) = (self.chains[one][other], self.chains[other][one]);
        // Blocks that do not vary, or vary only because of the added draws, do not show the
        // uncertainty of the difference.
        let blocks_vary = bounded_below && bounded_above && robust > 1e-9 * model;
        let variance = if blocks_vary { robust } else { model.max(robust) };
        let blocks = self.blocks[one].min(self.blocks[other]);
        let half_width = if blocks < 2 {
            f64::INFINITY
        } else {
            critical_value(blocks) * variance.sqrt() * ELO_PER_NAT
        };
        let Estimate { low, high, .. } = Estimate::symmetric(n, value, half_width);
        Estimate {
            n,
            value,
            low: if bounded_below { low } else { f64::NEG_INFINITY },
            high: if bounded_above { high } else { f64::INFINITY },
        }
    }

    /// Returns the rating of a player: its strength minus that of player 0, in Elo points with its
    /// 95 % interval.
    pub fn rating(&self, player: usize) -> Estimate {
        self.difference(player, 0)
    }

    /// Returns the players, the strongest first.
    pub fn ranked_players(&self) -> Vec<usize> {
        let mut order: Vec<_> = (0..self.strengths.len()).collect();
        order.sort_by(|&one, &other| self.strengths[other].total_cmp(&self.strengths[one]));
        order
    }

    /// Returns true if the games have no finite maximum, so that drawn games were added.
    pub fn has_added_draws(&self) -> bool {
        has_gap(&self.chains)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    /// Returns games that are blocks of their own. In `results`, `20 0>1=2` stands for 20 games in
    /// which player 0 is ranked first and players 1 and 2 are tied.
    fn games(players: usize, results: &str) -> RankedGames {
        let number = |text: &str| text.parse().expect("a number");
        let mut games = RankedGames::new(players);
        for result in results.split(", ") {
            let (count, groups) = result.split_once(' ').expect("a number and a ranking");
            let groups = groups.split('>').map(|group| group.split('=').map(number).collect());
            let ranking = Ranking::new(groups.collect());
            (0..number(count)).for_each(|_| games.add_block(vec![ranking.clone()]));
        }
        games
    }

    #[track_caller]
    fn assert_ratings(games: &RankedGames, expected: &[f64]) {
        let ratings = games.ratings();
        for (player, &expected) in expected.iter().enumerate() {
            assert_close(ratings.rating(player).value, expected, 1e-3);
        }
    }

    #[test]
    fn two_players_with_draws_have_the_closed_form() {
        // 50 wins, 30 draws, 20 losses: 65 points of 100. Each game is a block, so the variance of
        // the mean score is known too.
        let games = games(2, "50 1>0, 30 0=1, 20 0>1");
        assert_ratings(&games, &[0.0, ELO_PER_NAT * (0.65_f64 / 0.35).ln()]);
        let variance: f64 =
            (50.0 * 0.35 * 0.35 + 30.0 * 0.15 * 0.15 + 20.0 * 0.65 * 0.65) / 99.0 / 100.0;
        let half_width = 1.984_217 * ELO_PER_NAT * variance.sqrt() / (0.65 * 0.35);
        let rating = games.ratings().rating(1);
        assert_close(rating.high - rating.value, half_width, 1e-3);
        assert_close(rating.value - rating.low, half_width, 1e-3);
        assert_eq!(rating.n, 100);
        let wider =
            games.ratings().difference_with(1, 0, |blocks| 2.0 * 0.019_842_17 * blocks as f64);
        assert_close(wider.high - wider.value, 2.0 * half_width, 1e-3);
    }

    /// From choix 0.4.1: `choix.opt_pairwise(4, data, tol=1e-12)` with `data` the (winner, loser)
    /// of the same games, minus the first parameter, times 400 / ln 10.
    #[test]
    fn ratings_of_pairings_equal_those_of_choix() {
        let pairings = "7 0>1, 3 1>0, 6 1>2, 4 2>1, 8 0>2, 5 2>0, 2 3>0, 9 0>3, 5 3>2, 5 2>3";
        let expected = [0.0, -111.131_043, -149.286_581, -196.815_640];
        assert_ratings(&games(4, pairings), &expected);
    }

    /// From choix 0.4.1: `choix.opt_rankings(4, rankings, tol=1e-12)`, likewise.
    #[test]
    fn ratings_of_four_player_games_equal_those_of_choix() {
        let rankings = "4 0>1>2>3, 3 1>0>3>2, 2 2>3>0>1, 1 3>1>2>0, 3 0>2>1>3, 2 1>3>2>0";
        let expected = [0.0, -5.834_548, -100.933_785, -177.743_073];
        assert_ratings(&games(4, rankings), &expected);
    }

    #[test]
    fn ties_count_as_the_mean_of_their_orders() {
        let orders = "1 3>0>1>2>4, 1 3>0>2>1>4, 1 3>1>0>2>4, 1 3>1>2>0>4, 1 3>2>0>1>4, \
                      1 3>2>1>0>4, 3 4>1>0>3>2";
        let [split, tied] =
            [orders, "6 3>2=0=1>4, 3 4>1>0>3>2"].map(|results| games(5, results).ratings());
        for player in 1..5 {
            assert_close(split.rating(player).value, tied.rating(player).value, 1e-6);
        }
    }

    #[test]
    fn player_with_its_share_of_each_rank_is_as_strong_as_its_opponents() {
        // In games of 4 players, the player has each rank in a quarter of the games.
        let games = games(2, "10 0>1>1>1, 10 1>0>1>1, 10 1>1>0>1, 10 1>1>1>0");
        assert_ratings(&games, &[0.0, 0.0]);
    }

    #[test]
    fn rating_of_an_undefeated_player_has_no_upper_bound() {
        let ratings = games(3, "20 0>1, 10 0>2, 10 2>0").ratings();
        assert!(ratings.has_added_draws());
        let loser = ratings.rating(1);
        assert!(loser.low.is_infinite());
        assert!(loser.value.is_finite() && loser.high < -100.0, "{loser:?}");
        let other = ratings.difference(2, 1);
        assert!(other.low.is_finite() && other.high == f64::INFINITY, "{other:?}");
        let beaten = ratings.rating(2);
        assert!(beaten.low.is_finite() && beaten.high.is_finite(), "{beaten:?}");
        assert_close(beaten.value, 0.0, 1e-6);
        assert_eq!(ratings.ranked_players(), [0, 2, 1]);
    }

    #[test]
    fn blocks_of_equal_games_count_once() {
        let [single, fourfold] = [1, 4].map(|copies: usize| {
            let mut games = RankedGames::new(2);
            for block in 0..60 {
                let winner = usize::from(block % 3 == 0);
                games.add_block(vec![Ranking::new(vec![vec![winner], vec![1 - winner]]); copies]);
            }
            games.ratings().rating(1)
        });
        assert_close(single.high, fourfold.high, 1e-6);
        assert_close(single.low, fourfold.low, 1e-6);
    }

    /// Returns games of one player against two copies of another, with the numbers of games in
    /// which it has ranks 1, 2 and 3.
    fn games_by_rank([first, second, third]: [u64; 3]) -> RankedGames {
        games(2, &format!("{first} 0>1>1, {second} 1>0>1, {third} 1>1>0"))
    }

    #[test]
    fn a_model_that_fits_has_z_near_0() {
        // Odds of 2 against each other player: ranks 1, 2 and 3 in 1/2, 1/3 and 1/6 of the games.
        let ratings = games_by_rank([600, 400, 200]).ratings();
        let fit = ratings.pairing_fits[&(0, 1)];
        assert_close(fit.observed, 0.5, 1e-9);
        assert_close(fit.predicted, 0.5, 1e-6);
        assert!(fit.z.is_some_and(|z| z.abs() < 0.01), "{fit:?}");
        assert_eq!((ratings.pairing_fits.len(), fit.games), (1, 1200));
    }

    /// Rank 1 in 64 %, but rank 3 as often as rank 2. With ±√(p (1 - p) / n) as standard error z
    /// would be below 4; the fit adds its own uncertainty.
    #[test]
    fn a_model_that_does_not_fit_is_found() {
        let ratings = games_by_rank([640, 180, 180]).ratings();
        let (pairing, fit) = ratings.worst_fit().expect("a fit");
        assert_eq!(pairing, (0, 1));
        assert!(fit.predicted < fit.observed && fit.z.is_some_and(|z| z > POOR_FIT_Z), "{fit:?}");
    }

    #[test]
    fn a_fit_that_has_the_observed_share_by_construction_is_not_tested() {
        let two = games(2, "60 1>0, 40 0>1").ratings();
        assert_close(two.pairing_fits[&(0, 1)].predicted, 0.4, 1e-9);
        assert_eq!(two.worst_fit(), None);
        // Player 2 never wins; the added draws change the other strengths a little.
        let three = games(3, "60 1>0, 40 0>1, 100 0>2, 100 1>2").ratings();
        assert!(three.has_added_draws() && three.worst_fit().is_none(), "{three:?}");
    }

    /// Each of 3 players beats the next in 60 % of the games. All strengths are equal, and each
    /// observed share differs by 0.1, in total by √3 · 0.1 / (0.49 / √100).
    #[test]
    fn cyclic_results_do_not_fit() {
        let cycle = games(3, "60 0>1, 40 1>0, 60 1>2, 40 2>1, 60 2>0, 40 0>2");
        let z = cycle.ratings().pairing_fits[&(0, 1)].z.unwrap_or(0.0);
        assert_close(z, 3.0_f64.sqrt() * 0.1 / (0.24_f64 / 100.0).sqrt(), 0.3);
    }

    #[test]
    fn few_games_give_no_interval() {
        assert_eq!(RankedGames::new(2).ratings().rating(1), Estimate::unbounded(0, 0.0));
        let one = games(2, "1 0=1").ratings().rating(1);
        assert_eq!((one.low, one.high), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
