//! A sequential test of two hypotheses about the strength of a bot, from the scores of blocks.
//!
//! The generalised sequential probability ratio test: after each block, the log-likelihood ratio
//! (LLR) compares the maximum-likelihood distributions of block scores under the means that the two
//! hypotheses expect (Van den Bergh, *Comments on normalized Elo* and *Maximum likelihood
//! estimation of a multinomial distribution with given expectation*). With 2 players and 2 games
//! per block, it is the pentanomial test of chess engines.
//!
//! **Games without a winner.** A bot is compared with its opponents and not with 1 / players,
//! because all players may lose a game. A strength of e Elo points expects a share s(e) of the
//! games with a winner. The block score minus s(e) times the won games of the block therefore has
//! mean 0 for any share of lost games: that share needs no value under either hypothesis and is
//! profiled out of the likelihood. Let d be the win share of the bot minus the mean of the other
//! seats, and W the share of games with a winner. The same constraint is that d has mean W (s(e) -
//! (1 - s(e)) / (players - 1)). If every game has a winner, the test is the usual one.

use std::{collections::BTreeMap, str::FromStr};

use serde::Serialize;

use super::elo::expected_score;

/// Two hypotheses: a bot is `elo0` (H0) or `elo1` (H1) points stronger than its opponents.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Hypotheses {
    /// The strength under H0, in Elo points.
    pub elo0: f64,
    /// The strength under H1, greater than that under H0.
    pub elo1: f64,
    /// Accepted probability of a type I error: H1 is accepted although H0 is true.
    pub alpha: f64,
    /// Accepted probability of a type II error: H0 is accepted although H1 is true.
    pub beta: f64,
}

/// Largest strength of a hypothesis, in Elo points.
const MAX_ELO: f64 = 1000.0;

impl FromStr for Hypotheses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error =
            |why: &str| format!("expected elo0,elo1,alpha,beta, as in 0,10,0.05,0.05, {why}");
        let numbers: Result<Vec<f64>, _> =
            text.split(',').map(|number| number.trim().parse()).collect();
        let &[elo0, elo1, alpha, beta] = &numbers.map_err(|_| error("all of them numbers"))?[..]
        else {
            return Err(error("four numbers"));
        };
        if !(-MAX_ELO <= elo0 && elo0 < elo1 && elo1 <= MAX_ELO) {
            return Err(error(&format!(
                "with elo0 less than elo1 and both from -{MAX_ELO} to {MAX_ELO}"
            )));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(error("with alpha and beta above 0 and their sum below 1"));
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }
}

/// The hypothesis that a test accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtVerdict {
    /// The bot is `elo1` points stronger than its opponents.
    H1,
    /// The bot is `elo0` points stronger than its opponents.
    H0,
}

/// The state of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Sprt {
    /// Expected share of the games with a winner, under each hypothesis.
    expected: [f64; 2],
    /// The LLR at or below which H0 is accepted, and the LLR at or above which H1 is accepted.
    pub bounds: [f64; 2],
    /// Win shares of all seats in a block if every game has a winner.
    max_wins: i64,
    /// Number of blocks by the win shares of the bot and those of all seats.
    counts: BTreeMap<(i64, i64), u64>,
}

/// Number of blocks assumed for the lowest and the highest score if they have not occurred, so that
/// neither hypothesis is impossible.
const UNSEEN_BLOCKS: f64 = 1e-3;

impl Sprt {
    /// Creates a test for games of `players`, with win shares from 0 to `max_wins` in a block.
    pub fn new(hypotheses: &Hypotheses, players: usize, max_wins: i64) -> Self {
        let Hypotheses { elo0, elo1, alpha, beta } = *hypotheses;
        Self {
            expected: [elo0, elo1].map(|elo| expected_score(elo, players)),
            bounds: [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()],
            max_wins,
            counts: BTreeMap::new(),
        }
    }

    /// Adds a block with the win shares of the bot and those of all seats. `won` is less than
    /// `max_wins` if games of the block had no winner.
    pub fn add_block(&mut self, score: i64, won: i64) {
        self.add_blocks(score, won, 1);
    }

    /// Adds several blocks with the same win shares.
    pub fn add_blocks(&mut self, score: i64, won: i64, blocks: u64) {
        *self.counts.entry((score, won)).or_default() += blocks;
    }

    /// Returns the log-likelihood ratio of H1 to H0.
    pub fn llr(&self) -> f64 {
        if self.counts.is_empty() {
            return 0.0;
        }
        let mut counts: BTreeMap<(i64, i64), f64> =
            self.counts.iter().map(|(&block, &count)| (block, count as f64)).collect();
        for end in [0, self.max_wins] {
            counts.entry((end, self.max_wins)).or_insert(UNSEEN_BLOCKS);
        }
        let total: f64 = counts.values().sum();
        let share = |wins: i64| wins as f64 / self.max_wins as f64;
        let block = |(&(score, won), count)| ([share(score), share(won)], count / total);
        let observed: Vec<_> = counts.iter().map(block).collect();
        // The maximum-likelihood distribution with the expected share s has the probability
        // p / (1 + tilt (a − w s)) for the score a of w that a share p of the blocks has.
        let [tilt0, tilt1] = self.expected.map(|expected| tilt(&observed, expected));
        let [expected0, expected1] = self.expected;
        let ratio = |&(block, share): &([f64; 2], f64)| {
            share
                * ((1.0 + tilt0 * excess(block, expected0))
                    / (1.0 + tilt1 * excess(block, expected1)))
                .ln()
        };
        total * observed.iter().map(ratio).sum::<f64>()
    }

    /// Returns the verdict; none until the LLR has reached a bound.
    pub fn verdict(&self) -> Option<SprtVerdict> {
        let llr = self.llr();
        let [lower, upper] = self.bounds;
        (llr >= upper).then_some(SprtVerdict::H1).or((llr <= lower).then_some(SprtVerdict::H0))
    }
}

/// Returns the score of a block minus the expected share of its won games.
fn excess([score, won]: [f64; 2], expected: f64) -> f64 {
    score - won * expected
}

/// Solves Σ p (a − w s) / (1 + x (a − w s)) = 0 for x by bisection: the sum decreases between its
/// poles.
fn tilt(observed: &[([f64; 2], f64)], expected: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - expected), 1.0 / expected);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        let term = |&(block, share): &([f64; 2], f64)| {
            share * excess(block, expected) / (1.0 + middle * excess(block, expected))
        };
        if observed.iter().map(term).sum::<f64>() > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    /// Creates a test with error probabilities of 5 %.
    fn new_test([elo0, elo1]: [f64; 2], players: usize, max_wins: i64) -> Sprt {
        Sprt::new(&Hypotheses { elo0, elo1, alpha: 0.05, beta: 0.05 }, players, max_wins)
    }

    fn llr(counts: &[u64], elos: [f64; 2]) -> f64 {
        let max_wins = counts.len() as i64 - 1;
        let mut test = new_test(elos, 2, max_wins);
        test.counts = (0..)
            .zip(counts)
            .filter(|(_, count)| **count > 0)
            .map(|(score, &count)| ((score, max_wins), count))
            .collect();
        test.llr()
    }

    /// Returns the LLR of scores from 0 to 1 with their numbers, given the means under both
    /// hypotheses.
    fn llr_of_means(scores: &[(f64, f64)], means: [f64; 2]) -> f64 {
        let total: f64 = scores.iter().map(|(_, count)| count).sum();
        let observed: Vec<_> =
            scores.iter().map(|&(score, count)| ([score, 1.0], count / total)).collect();
        let [tilt0, tilt1] = means.map(|mean| tilt(&observed, mean));
        let ratio = |&([score, _], share): &([f64; 2], f64)| {
            share * ((1.0 + tilt0 * (score - means[0])) / (1.0 + tilt1 * (score - means[1]))).ln()
        };
        total * observed.iter().map(ratio).sum::<f64>()
    }

    /// Blocks of 3 games with 3 players: win shares of the bot and of all seats, and the number of
    /// such blocks.
    const BLOCKS: [(i64, i64, u64); 9] = [
        (0, 3, 40),
        (1, 3, 55),
        (2, 3, 21),
        (3, 3, 6),
        (0, 2, 31),
        (1, 2, 28),
        (0, 1, 20),
        (1, 1, 13),
        (0, 0, 9),
    ];

    /// Returns (1 + 2 d) / 3, from 0 to 1, for the difference d from the other seats, which is from
    /// -1/2 to 1.
    fn scaled_difference([score, won]: [f64; 2]) -> f64 {
        (1.0 + 2.0 * (score - (won - score) / 2.0)) / 3.0
    }

    /// If every game has a winner, the difference from the other seats is an affine function of the
    /// score.
    #[test]
    fn llr_of_differences_equals_that_of_scores_if_every_game_has_a_winner() {
        let mut test = new_test([-10.0, 40.0], 3, 3);
        let mut scores = Vec::new();
        for &(score, won, count) in BLOCKS.iter().filter(|(_, won, _)| *won == 3) {
            (0..count).for_each(|_| test.add_block(score, won));
            scores.push((score as f64 / 3.0, count as f64));
        }
        let expected = [-10.0, 40.0].map(|elo| expected_score(elo, 3));
        assert_eq!(test.llr().to_bits(), llr_of_means(&scores, expected).to_bits());
        let differences: Vec<_> =
            scores.iter().map(|&(score, count)| (scaled_difference([score, 1.0]), count)).collect();
        let by_difference =
            llr_of_means(&differences, expected.map(|share| scaled_difference([share, 1.0])));
        assert_close(test.llr(), by_difference, 1e-9);
        assert!(test.llr().abs() > 0.5, "{}", test.llr());
    }

    /// With lost games, the likelihood is maximised over the share W of won games: at the maximum
    /// under each hypothesis the mean of d is W (s - (1 - s) / 2).
    #[test]
    fn the_share_of_lost_games_is_profiled_out() {
        let mut test = new_test([0.0, 60.0], 3, 3);
        for (score, won, count) in BLOCKS {
            (0..count).for_each(|_| test.add_block(score, won));
        }
        let total: u64 = BLOCKS.iter().map(|(.., count)| count).sum();
        let observed = BLOCKS.map(|(score, won, count)| {
            ([score, won].map(|games| games as f64 / 3.0), count as f64 / total as f64)
        });
        let log_likelihood = |expected: f64| {
            let tilt = tilt(&observed, expected);
            let probability =
                |&(block, share): &([f64; 2], f64)| share / (1.0 + tilt * excess(block, expected));
            let mean = |value: fn([f64; 2]) -> f64| -> f64 {
                observed.iter().map(|block| probability(block) * value(block.0)).sum()
            };
            assert_close(mean(|_| 1.0), 1.0, 1e-9);
            let won = mean(|[_, won]| won);
            let difference = mean(|[score, won]| score - (won - score) / 2.0);
            assert_close(difference, won * (expected - (1.0 - expected) / 2.0), 1e-9);
            let term = |block: &([f64; 2], f64)| total as f64 * block.1 * probability(block).ln();
            observed.iter().map(term).sum::<f64>()
        };
        let [h0, h1] = [0.0, 60.0].map(|elo| log_likelihood(expected_score(elo, 3)));
        assert_close(test.llr(), h1 - h0, 1e-9);
    }

    #[test]
    fn games_without_a_winner_do_not_change_the_llr() {
        let mut test = new_test([0.0, 100.0], 3, 180);
        (0..10_000).for_each(|_| test.add_block(0, 0));
        assert!(test.llr().abs() < 0.01 && test.verdict().is_none(), "{}", test.llr());
    }

    /// The cases of the logistic model in the tests of fastchess (`app/tests/sprt_test.cpp`): pairs
    /// of games by points, and single games.
    #[test]
    fn llr_equals_that_of_fastchess() {
        for (counts, elos, expected) in [
            (&[223, 9863, 21279, 10037, 246][..], [0.5, 2.5], -3.07),
            (&[871, 26175, 55983, 26678, 821], [0.0, 2.0], -4.98),
            (&[21184, 40708, 21404], [0.5, 2.5], -1.57),
            (&[57030, 106_593, 57433], [0.0, 2.0], -2.59),
        ] {
            assert_close(llr(counts, elos), expected, 0.005);
        }
    }

    /// From the formulas of fishtest's `LLRcalc.LLR_logistic` and scipy's `brentq`. Fishtest
    /// assumes a number of blocks for every score that has not occurred, this program for the
    /// lowest and highest only.
    #[test]
    fn llr_equals_that_of_fishtest() {
        for (counts, elos, expected) in [
            ([10, 50, 100, 60, 20], [0.0, 5.0], 0.805_130_7),
            ([0, 3, 10, 30, 7], [0.0, 50.0], 6.678_821_0),
            ([0, 0, 0, 0, 104], [0.0, 5.0], 1.485_9),
        ] {
            assert_close(llr(&counts, elos), expected, 1e-4);
        }
    }

    #[test]
    fn invalid_hypotheses_are_errors() {
        let valid = "0,10,0.05,0.1".parse();
        assert_eq!(valid, Ok(Hypotheses { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.1 }));
        for text in [
            "",
            "0,10,0.05",
            "0,10,0.05,x",
            "10,0,0.05,0.05",
            "0,10,0,0.05",
            "0,10,0.6,0.4",
            "0,nan,0.05,0.05",
            "0,1e9,0.05,0.05",
        ] {
            assert!(text.parse::<Hypotheses>().is_err(), "{text}");
        }
    }

    #[test]
    fn blocks_that_never_vary_reach_a_verdict() {
        let mut test = new_test([0.0, 100.0], 2, 4);
        assert_eq!(test.verdict(), None);
        (0..200).for_each(|_| test.add_block(2, 4));
        assert_eq!(test.verdict(), Some(SprtVerdict::H0));
    }
}
