//! Ratings: one maximum-likelihood fit of strengths to all games of all tables.
//!
//! **Model.** Plackett–Luce (Luce 1959, Plackett 1975): among those who are still to be ranked,
//! each comes next with a chance in proportion to e^strength. With two players it is the model of
//! Bradley and Terry (1952).
//!
//! **Equals.** A group of equals counts as the mean log-likelihood of all orders in which it could
//! stand. With two players a draw is then half a win of each.
//!
//! **Intervals.** Games of a block share their deal, so the variance is the sandwich estimator
//! clustered over blocks (Huber 1967, Liang and Zeger 1986), with Student's t.
//!
//! **Bots that are never beaten.** A finite maximum exists if and only if from every player to
//! every other there is a chain of players of which each has been ranked above the next or equal to
//! it (Ford 1957, Hunter 2004). Where it does not, one drawn game of each player against player 0
//! is added for the fit, and the intervals of the differences that the games do not bound are open.
//!
//! **Goodness of fit.** At tables of three or more players the model says from second and third
//! places how often a player comes first, and that may be wrong. [`PairingFit`] compares the two
//! for each pairing of one player against copies of another.

use std::collections::BTreeMap;

use statrs::function::factorial::binomial;

use super::{
    conditional_logit::solve_linear,
    paired::MIN_BLOCKS,
    ratio::{Estimate, critical_value},
};

/// Points per unit of strength: 400 points are odds of ten to one. The scale is that of Elo.
pub const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// The result of a game: the players best first, in groups of equals. Copies of a player share its
/// number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ranking(Vec<Vec<usize>>);

impl Ranking {
    /// The ranking of these groups, best first.
    pub fn new(mut groups: Vec<Vec<usize>>) -> Self {
        for group in &mut groups {
            group.sort_unstable();
        }
        Self(groups)
    }

    fn players(&self) -> Vec<usize> {
        let mut players = self.0.concat();
        players.sort_unstable();
        players.dedup();
        players
    }

    /// Returns the player in one seat and the player of all other seats, both ways at a table of
    /// two; nothing for other tables.
    fn pairings(&self) -> Vec<(usize, usize)> {
        let &[first, second] = &self.players()[..] else { return Vec::new() };
        let seats = self.0.concat();
        let is_alone = |player| seats.iter().filter(|&&seated| seated == player).count() == 1;
        [(first, second), (second, first)].into_iter().filter(|&(one, _)| is_alone(one)).collect()
    }

    /// Returns the share of the first place that a player in one seat has.
    fn share_of_first(&self, player: usize) -> f64 {
        self.0
            .first()
            .filter(|first| first.contains(&player))
            .map_or(0.0, |first| 1.0 / first.len() as f64)
    }
}

/// The games of a match, block by block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedGames {
    players: usize,
    /// How often the same rankings made up a block; in any order, for no estimate depends on it.
    blocks: BTreeMap<Vec<Ranking>, u64>,
}

/// A square matrix.
type Matrix = Vec<Vec<f64>>;

/// The share of first places of a player in one seat against copies of another, as observed and as
/// the fitted strengths predict it. A first place that several players share is divided among them,
/// and so is a game that nobody won.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairingFit {
    /// Games.
    pub games: u64,
    /// The observed share.
    pub observed: f64,
    /// The predicted share.
    pub predicted: f64,
    /// The difference between the two in standard errors, over blocks and with the uncertainty of
    /// the fit; none where the fit reproduces the share by construction, where one player never
    /// came behind the other, and below [`MIN_BLOCKS`].
    pub z: Option<f64>,
}

/// A fit whose largest |z| exceeds this is reported as poor.
pub const POOR_FIT_Z: f64 = 3.0;

/// The least share of the variance between blocks that the fit may leave. Less is left only where
/// it is free to reproduce the observed share.
const LEAST_VARIANCE_LEFT: f64 = 0.01;

/// Strengths and how sure they are.
#[derive(Clone, Debug)]
pub struct Ratings {
    /// For each player, the games it took part in, and the blocks.
    games: Vec<u64>,
    blocks: Vec<u64>,
    strengths: Vec<f64>,
    /// The inverse of the information; its differences are variances if all games are independent.
    model: Matrix,
    /// The sandwich.
    robust: Matrix,
    /// Whether a chain of results leads down from one player to the other.
    above: Vec<Vec<bool>>,
    fits: BTreeMap<(usize, usize), PairingFit>,
}

impl RankedGames {
    /// No game yet between this many players.
    pub fn new(players: usize) -> Self {
        Self { players, blocks: BTreeMap::new() }
    }

    /// Adds a block of games that are not independent of each other.
    pub fn add_block(&mut self, mut rankings: Vec<Ranking>) {
        rankings.sort_unstable();
        *self.blocks.entry(rankings).or_default() += 1;
    }

    /// Fits the strengths.
    pub fn ratings(&self) -> Ratings {
        let mut counts: BTreeMap<&Ranking, f64> = BTreeMap::new();
        for (block, &times) in &self.blocks {
            for ranking in block {
                *counts.entry(ranking).or_default() += times as f64;
            }
        }
        let above = self.chains(counts.keys().copied());
        let drawn: Vec<Ranking> =
            (1..self.players).map(|player| Ranking::new(vec![vec![0, player]])).collect();
        if above.iter().flatten().any(|&leads| !leads) {
            for ranking in &drawn {
                *counts.entry(ranking).or_default() += 1.0;
            }
        }
        let likelihoods: BTreeMap<_, _> = counts
            .keys()
            .map(|&ranking| (ranking, Likelihood::new(ranking, self.players)))
            .collect();
        let terms: Vec<_> = likelihoods.values().zip(counts.into_values()).collect();
        let strengths = maximum(&terms, self.players);
        let model = inverse(&information(&terms, &strengths));
        let gradients: BTreeMap<_, _> = likelihoods
            .iter()
            .map(|(&ranking, likelihood)| (ranking, likelihood.gradient(&strengths)))
            .collect();
        let robust = product(&product(&model, &self.spread(&gradients)), &model);
        let fits = self.fits(&gradients, &strengths, &model, &robust, &above);
        let of = |player, weight: fn(&[Ranking], usize) -> u64| {
            self.blocks.iter().map(|(block, times)| weight(block, player) * times).sum::<u64>()
        };
        let games = |block: &[Ranking], player| {
            block.iter().filter(|game| game.players().contains(&player)).count() as u64
        };
        let blocks = |block: &[Ranking], player| {
            u64::from(block.iter().any(|game| game.players().contains(&player)))
        };
        Ratings {
            games: (0..self.players).map(|player| of(player, games)).collect(),
            blocks: (0..self.players).map(|player| of(player, blocks)).collect(),
            strengths,
            model,
            robust,
            above,
            fits,
        }
    }

    /// For each two players, whether a chain leads from one down to the other in which each has
    /// been ranked above the next or equal to it.
    fn chains<'a>(&self, rankings: impl Iterator<Item = &'a Ranking>) -> Vec<Vec<bool>> {
        let mut above: Vec<Vec<bool>> = (0..self.players)
            .map(|one| (0..self.players).map(|other| one == other).collect())
            .collect();
        for ranking in rankings {
            for (place, group) in ranking.0.iter().enumerate() {
                for &one in group {
                    ranking.0[place..].iter().flatten().for_each(|&other| above[one][other] = true);
                }
            }
        }
        for middle in 0..self.players {
            for one in 0..self.players {
                for other in 0..self.players {
                    above[one][other] |= above[one][middle] && above[middle][other];
                }
            }
        }
        above
    }

    /// Returns the factor by which the mean of squares over blocks is less than their variance.
    fn few(&self) -> f64 {
        let blocks: u64 = self.blocks.values().sum();
        blocks as f64 / (blocks as f64 - 1.0).max(1.0)
    }

    /// Sum over blocks of the products of the block's gradient with itself.
    fn spread(&self, gradients: &BTreeMap<&Ranking, Vec<f64>>) -> Matrix {
        let few = self.few();
        let mut spread = zeros(self.players);
        for (block, &times) in &self.blocks {
            let mut sum = vec![0.0; self.players];
            for gradient in block.iter().filter_map(|ranking| gradients.get(ranking)) {
                sum.iter_mut().zip(gradient).for_each(|(sum, part)| *sum += part);
            }
            add_square(&mut spread, &sum, times as f64 * few);
        }
        spread
    }
}

/// Sums over the blocks of a pairing.
#[derive(Clone, Default)]
struct PairingSums {
    games: u64,
    blocks: u64,
    seats: usize,
    /// Observed minus predicted first places: their sum, the sum of their squares, and the sum of
    /// their products with the block's gradient.
    excess: f64,
    squares: f64,
    products: Vec<f64>,
}

impl RankedGames {
    /// Compares the observed and the predicted shares of first places of all pairings.
    fn fits(
        &self,
        gradients: &BTreeMap<&Ranking, Vec<f64>>,
        strengths: &[f64],
        model: &Matrix,
        robust: &Matrix,
        above: &[Vec<bool>],
    ) -> BTreeMap<(usize, usize), PairingFit> {
        let few = self.few();
        let predicted = |(one, other): (usize, usize), seats: usize| {
            first_place(strengths[one] - strengths[other], seats)
        };
        let mut sums: BTreeMap<(usize, usize), PairingSums> = BTreeMap::new();
        for (block, &times) in &self.blocks {
            for pairing in block.first().map(Ranking::pairings).unwrap_or_default() {
                let seats = block[0].0.concat().len();
                let expected = predicted(pairing, seats);
                let excess: f64 =
                    block.iter().map(|ranking| ranking.share_of_first(pairing.0) - expected).sum();
                let sums = sums.entry(pairing).or_insert_with(|| PairingSums {
                    products: vec![0.0; self.players],
                    ..PairingSums::default()
                });
                let weight = times as f64;
                sums.seats = seats;
                sums.blocks += times;
                sums.games += times * block.len() as u64;
                sums.excess += weight * excess;
                sums.squares += weight * excess * excess;
                for gradient in block.iter().filter_map(|ranking| gradients.get(ranking)) {
                    sums.products
                        .iter_mut()
                        .zip(gradient)
                        .for_each(|(sum, part)| *sum += weight * excess * part);
                }
            }
        }
        let fit = |(pairing, sums): ((usize, usize), PairingSums)| {
            let (one, other) = pairing;
            let (games, expected) = (sums.games as f64, predicted(pairing, sums.seats));
            // The fit follows the data by this much: derivative of the predicted first places by
            // the strengths, times the inverse information.
            let slope = games * expected * (1.0 - expected);
            let follows: Vec<f64> =
                model.iter().map(|row| slope * (row[one] - row[other])).collect();
            let of_fit = slope
                * slope
                * (robust[one][one] + robust[other][other] - 2.0 * robust[one][other]);
            let together: f64 = follows
                .iter()
                .zip(&sums.products)
                .map(|(follows, product)| follows * product)
                .sum();
            let variance = sums.squares - 2.0 * together + of_fit / few;
            let is_bounded = above[one][other] && above[other][one];
            let is_tested = is_bounded
                && sums.blocks >= MIN_BLOCKS
                && variance > LEAST_VARIANCE_LEFT * sums.squares;
            let z = is_tested.then(|| sums.excess / (variance * few).sqrt());
            (
                pairing,
                PairingFit {
                    games: sums.games,
                    observed: expected + sums.excess / games,
                    predicted: expected,
                    z,
                },
            )
        };
        sums.into_iter().map(fit).collect()
    }
}

/// Returns the chance to come first in one of `seats` against equal others, for a player whose
/// strength is greater by `difference`.
fn first_place(difference: f64, seats: usize) -> f64 {
    1.0 / (1.0 + (seats as f64 - 1.0) * (-difference).exp())
}

impl Ratings {
    /// The pairings of one player against copies of another, with the observed and the predicted
    /// share of first places.
    pub const fn pairing_fits(&self) -> &BTreeMap<(usize, usize), PairingFit> {
        &self.fits
    }

    /// The pairing with the largest |z|.
    pub fn worst_fit(&self) -> Option<((usize, usize), PairingFit)> {
        let tested =
            self.fits.iter().filter_map(|(&pairing, &fit)| Some((fit.z?.abs(), (pairing, fit))));
        tested.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, fit)| fit)
    }

    /// By how many points one player is stronger than another, with its 95 % interval. The interval
    /// is open where one of them was never behind the other, not even by a chain of others. `n` is
    /// the number of games of the first.
    pub fn difference(&self, one: usize, other: usize) -> Estimate {
        let n = self.games[one] as i64;
        let value = (self.strengths[one] - self.strengths[other]) * ELO_PER_NAT;
        if one == other {
            return Estimate { n, value, low: value, high: value };
        }
        let variance =
            |matrix: &Matrix| matrix[one][one] + matrix[other][other] - 2.0 * matrix[one][other];
        let (model, robust) = (variance(&self.model), variance(&self.robust));
        let (bounded_below, bounded_above) = (self.above[one][other], self.above[other][one]);
        // Blocks that never vary, or only because of the added games, tell nothing of how sure the
        // difference is.
        let blocks_tell = bounded_below && bounded_above && robust > 1e-9 * model;
        let variance = if blocks_tell { robust } else { model.max(robust) };
        let blocks = self.blocks[one].min(self.blocks[other]);
        let half_width = if blocks < 2 {
            f64::INFINITY
        } else {
            critical_value(blocks) * variance.sqrt() * ELO_PER_NAT
        };
        Estimate {
            n,
            value,
            low: if bounded_below { value - half_width } else { f64::NEG_INFINITY },
            high: if bounded_above { value + half_width } else { f64::INFINITY },
        }
    }

    /// A player's rating: how much stronger it is than player 0.
    pub fn rating(&self, player: usize) -> Estimate {
        self.difference(player, 0)
    }

    /// The players, strongest first.
    pub fn ranked_players(&self) -> Vec<usize> {
        let mut order: Vec<_> = (0..self.strengths.len()).collect();
        order.sort_by(|&one, &other| self.strengths[other].total_cmp(&self.strengths[one]));
        order
    }

    /// Whether the games alone have no finite maximum, so that drawn games were added.
    pub fn has_added_draws(&self) -> bool {
        self.above.iter().flatten().any(|&leads| !leads)
    }
}

/// The log-likelihood of a ranking: the strengths of all seats less ln Σ e^strength of those among
/// whom each was next.
struct Likelihood {
    /// How many seats each player has.
    seats: Vec<f64>,
    next: Vec<Next>,
}

/// Somebody comes next.
struct Next {
    /// In which share of the orders of its group it is among these.
    weight: f64,
    /// How many of each player are left.
    left: Vec<f64>,
}

impl Likelihood {
    fn new(ranking: &Ranking, players: usize) -> Self {
        let counted = |seats: &mut dyn Iterator<Item = usize>| {
            let mut counts = vec![0.0; players];
            seats.for_each(|player| counts[player] += 1.0);
            counts
        };
        let mut next = Vec::new();
        for (place, group) in ranking.0.iter().enumerate() {
            let behind = || ranking.0[place + 1..].iter().flatten().copied();
            // As orders of the group go on, each set of its members of the same size is left
            // equally often.
            for set in 1_u32..1 << group.len() {
                let weight = 1.0 / binomial(group.len() as u64, set.count_ones().into());
                let members = group
                    .iter()
                    .enumerate()
                    .filter(|(member, _)| set >> member & 1 == 1)
                    .map(|(_, &player)| player);
                next.push(Next { weight, left: counted(&mut members.chain(behind())) });
            }
        }
        Self { seats: counted(&mut ranking.0.iter().flatten().copied()), next }
    }

    fn value(&self, strengths: &[f64]) -> f64 {
        let seats: f64 =
            self.seats.iter().zip(strengths).map(|(seats, strength)| seats * strength).sum();
        seats - self.next.iter().map(|next| next.weight * next.total(strengths).ln()).sum::<f64>()
    }

    fn gradient(&self, strengths: &[f64]) -> Vec<f64> {
        let mut gradient = self.seats.clone();
        for next in &self.next {
            gradient
                .iter_mut()
                .zip(next.chances(strengths))
                .for_each(|(gradient, chance)| *gradient -= next.weight * chance);
        }
        gradient
    }

    /// Adds the information, which is the curvature of the log-likelihood downwards.
    fn add_information(&self, information: &mut Matrix, strengths: &[f64], times: f64) {
        for next in &self.next {
            let chances = next.chances(strengths);
            chances.iter().enumerate().for_each(|(player, chance)| {
                information[player][player] += times * next.weight * chance
            });
            add_square(information, &chances, -times * next.weight);
        }
    }
}

impl Next {
    fn total(&self, strengths: &[f64]) -> f64 {
        self.left.iter().zip(strengths).map(|(left, strength)| left * strength.exp()).sum()
    }

    /// How likely each player is to be it.
    fn chances(&self, strengths: &[f64]) -> Vec<f64> {
        let total = self.total(strengths);
        self.left
            .iter()
            .zip(strengths)
            .map(|(left, strength)| left * strength.exp() / total)
            .collect()
    }
}

fn information(terms: &[(&Likelihood, f64)], strengths: &[f64]) -> Matrix {
    let mut information = zeros(strengths.len());
    // Games tell differences only. This keeps the strength of player 0 where it is, at 0, and
    // changes no difference.
    information[0][0] = 1.0;
    for (likelihood, times) in terms {
        likelihood.add_information(&mut information, strengths, *times);
    }
    information
}

/// More steps than Newton's method has ever needed here.
const MOST_STEPS: usize = 200;

/// The strengths at which the log-likelihood, which is concave, has its maximum, by Newton's method
/// with steps that go uphill.
fn maximum(terms: &[(&Likelihood, f64)], players: usize) -> Vec<f64> {
    let value = |strengths: &[f64]| {
        terms.iter().map(|(likelihood, times)| times * likelihood.value(strengths)).sum::<f64>()
    };
    let mut strengths = vec![0.0; players];
    for _ in 0..MOST_STEPS {
        let mut gradient = vec![0.0; players];
        for (likelihood, times) in terms {
            gradient
                .iter_mut()
                .zip(likelihood.gradient(&strengths))
                .for_each(|(sum, part)| *sum += times * part);
        }
        let step = solve_linear(information(terms, &strengths).concat(), gradient);
        let moved = |length: f64| {
            strengths
                .iter()
                .zip(&step)
                .map(|(strength, step)| strength + length * step)
                .collect::<Vec<_>>()
        };
        let (here, mut length) = (value(&strengths), 1.0);
        while value(&moved(length)) < here - 1e-12 * here.abs() {
            length /= 2.0;
        }
        let largest = step.iter().fold(0.0_f64, |largest, step| largest.max(step.abs()));
        strengths = moved(length);
        if largest < 1e-10 {
            break;
        }
    }
    strengths
}

fn zeros(size: usize) -> Matrix {
    vec![vec![0.0; size]; size]
}

/// Adds `weight` times the products of all pairs of entries.
fn add_square(matrix: &mut Matrix, vector: &[f64], weight: f64) {
    for (row, one) in matrix.iter_mut().zip(vector) {
        row.iter_mut().zip(vector).for_each(|(entry, other)| *entry += weight * one * other);
    }
}

fn product(one: &Matrix, other: &Matrix) -> Matrix {
    let size = one.len();
    (0..size)
        .map(|row| {
            (0..size)
                .map(|column| (0..size).map(|k| one[row][k] * other[k][column]).sum())
                .collect()
        })
        .collect()
}

/// The inverse of a symmetric positive definite matrix.
fn inverse(matrix: &Matrix) -> Matrix {
    let unit =
        |one: usize| (0..matrix.len()).map(|other| f64::from(u8::from(one == other))).collect();
    (0..matrix.len()).map(|row| solve_linear(matrix.concat(), unit(row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each game a block.
    fn games(players: usize, rankings: &[(u64, &[&[usize]])]) -> RankedGames {
        let mut games = RankedGames::new(players);
        for &(times, groups) in rankings {
            for _ in 0..times {
                games.add_block(vec![Ranking::new(
                    groups.iter().map(|group| group.to_vec()).collect(),
                )]);
            }
        }
        games
    }

    fn assert_ratings(ratings: &Ratings, expected: &[f64]) {
        for (player, expected) in expected.iter().enumerate() {
            let rating = ratings.rating(player).value;
            assert!(
                (rating - expected).abs() < 1e-3,
                "player {player}: {rating}, expected {expected}"
            );
        }
    }

    #[test]
    fn two_players_with_draws_have_the_closed_form() {
        // 50 wins, 30 draws, 20 losses: 65 points of 100. Each game a block, the variance of a mean
        // of these scores is known too.
        let ratings =
            games(2, &[(50, &[&[1], &[0]]), (30, &[&[0, 1]]), (20, &[&[0], &[1]])]).ratings();
        assert_ratings(&ratings, &[0.0, ELO_PER_NAT * (0.65_f64 / 0.35).ln()]);
        let variance: f64 =
            (50.0 * 0.35 * 0.35 + 30.0 * 0.15 * 0.15 + 20.0 * 0.65 * 0.65) / 99.0 / 100.0;
        let half_width = 1.984_217 * ELO_PER_NAT * variance.sqrt() / (0.65 * 0.35);
        let rating = ratings.rating(1);
        assert!(
            (rating.high - rating.value - half_width).abs() < 1e-3
                && (rating.value - rating.low - half_width).abs() < 1e-3,
            "{rating:?}"
        );
        assert_eq!(rating.n, 100);
    }

    /// Made with choix 0.4.1: `choix.opt_pairwise(4, data, tol=1e-12)` with `data` the (winner,
    /// loser) of the same games, less the first parameter, times 400 / ln 10.
    #[test]
    fn pairings_are_fitted_as_choix_fits_them() {
        let won = [
            (7, [0, 1]),
            (3, [1, 0]),
            (6, [1, 2]),
            (4, [2, 1]),
            (8, [0, 2]),
            (5, [2, 0]),
            (2, [3, 0]),
            (9, [0, 3]),
            (5, [3, 2]),
            (5, [2, 3]),
        ];
        let mut all = RankedGames::new(4);
        for (times, [winner, loser]) in won {
            (0..times)
                .for_each(|_| all.add_block(vec![Ranking::new(vec![vec![winner], vec![loser]])]));
        }
        assert_ratings(&all.ratings(), &[0.0, -111.131_043, -149.286_581, -196.815_640]);
    }

    /// Made with choix 0.4.1: `choix.opt_rankings(4, rankings, tol=1e-12)`, likewise.
    #[test]
    fn tables_are_fitted_as_choix_fits_them() {
        let mut all = RankedGames::new(4);
        let rankings = [
            (4, [0, 1, 2, 3]),
            (3, [1, 0, 3, 2]),
            (2, [2, 3, 0, 1]),
            (1, [3, 1, 2, 0]),
            (3, [0, 2, 1, 3]),
            (2, [1, 3, 2, 0]),
        ];
        for (times, order) in rankings {
            (0..times).for_each(|_| {
                all.add_block(vec![Ranking::new(
                    order.iter().map(|&player| vec![player]).collect(),
                )])
            });
        }
        assert_ratings(&all.ratings(), &[0.0, -5.834_548, -100.933_785, -177.743_073]);
    }

    #[test]
    fn equals_count_as_the_mean_of_their_orders() {
        let orders: [&[&[usize]]; 6] = [
            &[&[3], &[0], &[1], &[2], &[4]],
            &[&[3], &[0], &[2], &[1], &[4]],
            &[&[3], &[1], &[0], &[2], &[4]],
            &[&[3], &[1], &[2], &[0], &[4]],
            &[&[3], &[2], &[0], &[1], &[4]],
            &[&[3], &[2], &[1], &[0], &[4]],
        ];
        let other: &[&[usize]] = &[&[4], &[1], &[0], &[3], &[2]];
        let split: Vec<_> = orders.iter().map(|&order| (1, order)).chain([(3, other)]).collect();
        let tied: &[&[usize]] = &[&[3], &[2, 0, 1], &[4]];
        let (split, tied) =
            (games(5, &split).ratings(), games(5, &[(6, tied), (3, other)]).ratings());
        for player in 1..5 {
            assert!((split.rating(player).value - tied.rating(player).value).abs() < 1e-6);
        }
    }

    #[test]
    fn one_against_copies_of_another_is_even_at_its_share_of_seats() {
        // First in a quarter of the games at tables of four, second, third and last as often.
        let ratings = games(
            2,
            &[
                (10, &[&[0], &[1], &[1], &[1]]),
                (10, &[&[1], &[0], &[1], &[1]]),
                (10, &[&[1], &[1], &[0], &[1]]),
                (10, &[&[1], &[1], &[1], &[0]]),
            ],
        );
        assert_ratings(&ratings.ratings(), &[0.0, 0.0]);
    }

    #[test]
    fn who_is_never_beaten_has_no_upper_end() {
        let ratings =
            games(3, &[(20, &[&[0], &[1]]), (10, &[&[0], &[2]]), (10, &[&[2], &[0]])]).ratings();
        assert!(ratings.has_added_draws());
        let loser = ratings.rating(1);
        assert!(loser.low.is_infinite());
        assert!(loser.value.is_finite() && loser.high < -100.0, "{loser:?}");
        let other = ratings.difference(2, 1);
        assert!(other.low.is_finite() && other.high == f64::INFINITY, "{other:?}");
        let beaten = ratings.rating(2);
        assert!(
            beaten.low.is_finite() && beaten.high.is_finite() && beaten.value.abs() < 1e-6,
            "{beaten:?}"
        );
        assert_eq!(ratings.ranked_players(), [0, 2, 1]);
    }

    #[test]
    fn blocks_of_equal_games_count_once() {
        let of = |times: usize| {
            let mut games = RankedGames::new(2);
            for block in 0..60 {
                let winner = usize::from(block % 3 == 0);
                games.add_block(vec![Ranking::new(vec![vec![winner], vec![1 - winner]]); times]);
            }
            games.ratings().rating(1)
        };
        let (single, fourfold) = (of(1), of(4));
        assert!(
            (single.high - fourfold.high).abs() < 1e-6 && (single.low - fourfold.low).abs() < 1e-6
        );
    }

    /// One player against two copies of another, in 400 blocks: the one comes first, second or
    /// third with these weights, in turn.
    fn tables_of_three(first_second_third: [u64; 3]) -> RankedGames {
        let orders: [&[&[usize]]; 3] =
            [&[&[0], &[1], &[1]], &[&[1], &[0], &[1]], &[&[1], &[1], &[0]]];
        let counts = orders
            .into_iter()
            .zip(first_second_third)
            .map(|(order, count)| (count, order))
            .collect::<Vec<_>>();
        games(2, &counts)
    }

    #[test]
    fn a_model_that_fits_is_not_said_to_fit_poorly() {
        // Twice as strong as the others: first in 1/2, second in 1/3, third in 1/6 of the games.
        let ratings = tables_of_three([600, 400, 200]).ratings();
        let fit = ratings.pairing_fits()[&(0, 1)];
        assert!((fit.observed - 0.5).abs() < 1e-9 && (fit.predicted - 0.5).abs() < 1e-6, "{fit:?}");
        assert!(fit.z.is_some_and(|z| z.abs() < 0.01), "{fit:?}");
        assert_eq!((ratings.pairing_fits().len(), fit.games), (1, 1200));
    }

    /// First in 64 %, but last as often as second. With ±√(p (1 - p) / n) as standard error z would
    /// be 4 and less; the fit adds its own.
    #[test]
    fn a_model_that_does_not_fit_is_named() {
        let ratings = tables_of_three([640, 180, 180]).ratings();
        let ((one, other), fit) = ratings.worst_fit().unwrap_or_else(|| panic!("a fit"));
        assert_eq!((one, other), (0, 1));
        assert!(fit.predicted < fit.observed && fit.z.is_some_and(|z| z > POOR_FIT_Z), "{fit:?}");
    }

    #[test]
    fn a_fit_that_has_the_observed_share_by_construction_is_not_tested() {
        let two = games(2, &[(60, &[&[1], &[0]]), (40, &[&[0], &[1]])]).ratings();
        assert!(
            (two.pairing_fits()[&(0, 1)].predicted - 0.4).abs() < 1e-9 && two.worst_fit().is_none(),
            "{:?}",
            two.pairing_fits()
        );
        // Player 2 never wins; the added draws move the others a little.
        let three = games(
            3,
            &[(60, &[&[1], &[0]]), (40, &[&[0], &[1]]), (100, &[&[0], &[2]]), (100, &[&[1], &[2]])],
        )
        .ratings();
        assert!(
            three.has_added_draws() && three.worst_fit().is_none(),
            "{:?}",
            three.pairing_fits()
        );
        // Each beats the next of three: strengths can't say so.
        let ring = games(
            3,
            &[
                (60, &[&[0], &[1]]),
                (40, &[&[1], &[0]]),
                (60, &[&[1], &[2]]),
                (40, &[&[2], &[1]]),
                (60, &[&[2], &[0]]),
                (40, &[&[0], &[2]]),
            ],
        );
        // All strengths are equal, and the three pairings are 0.1, 0.1 and 0.1 off: together √3 ·
        // 0.1 / (0.49 / √100).
        let z = ring.ratings().pairing_fits()[&(0, 1)].z.unwrap_or(0.0);
        assert!((z - 3.0_f64.sqrt() * 0.1 / (0.24_f64 / 100.0).sqrt()).abs() < 0.3, "{z}");
    }

    #[test]
    fn no_games_tell_nothing() {
        let rating = RankedGames::new(2).ratings().rating(1);
        assert_eq!(
            (rating.n, rating.value, rating.low, rating.high),
            (0, 0.0, f64::NEG_INFINITY, f64::INFINITY)
        );
        let one = games(2, &[(1, &[&[0, 1]])]).ratings().rating(1);
        assert_eq!((one.low, one.high), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
