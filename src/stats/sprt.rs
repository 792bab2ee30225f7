//! A sequential test of two hypotheses about a bot's strength, over the scores of blocks.
//!
//! The generalised sequential probability ratio test: after each block, the log-likelihood ratio
//! (LLR) compares the likeliest distributions of block scores with the mean that either hypothesis
//! expects (Van den Bergh, *Comments on normalized Elo* and *Maximum likelihood estimation of a
//! multinomial distribution with given expectation*). With two players and two games a block this
//! is the pentanomial test of chess engines.
//!
//! **Games that nobody wins.** A bot is compared with the other seats at the same table and not
//! with 1 / players, because in some games all seats may lose. A strength of e Elo points expects a
//! share s(e) of the games that somebody wins. The block score minus s(e) times the games won in
//! the block has therefore mean 0, whatever the share of lost games is: that share needs no value
//! under either hypothesis and is profiled out of the likelihood. The same constraint in terms of
//! d, the win share of the bot minus the mean of the other seats, is that d has mean W (s(e) - (1 -
//! s(e)) / (players - 1)), with W the share of games that somebody wins. If every game is won, the
//! test is the usual one.

use std::{collections::BTreeMap, str::FromStr};

use super::{rating::ELO_PER_NAT, ratio::Estimate};

/// What is tested: whether a bot is `elo1` (H1) rather than `elo0` (H0) points stronger than its
/// opponents.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hypotheses {
    /// The strength under H0, in Elo points.
    pub elo0: f64,
    /// The strength under H1, greater than that under H0.
    pub elo1: f64,
    /// The chance that is accepted of taking H1 for true when H0 is.
    pub alpha: f64,
    /// The chance that is accepted of taking H0 for true when H1 is.
    pub beta: f64,
}

/// Beyond this all games are won or lost.
const MOST_ELO: f64 = 1000.0;

impl FromStr for Hypotheses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused =
            |why: &str| format!("expected elo0,elo1,alpha,beta, as in 0,10,0.05,0.05, {why}");
        let numbers: Result<Vec<f64>, _> =
            text.split(',').map(|number| number.trim().parse()).collect();
        let &[elo0, elo1, alpha, beta] = &numbers.map_err(|_| refused("all of them numbers"))?[..]
        else {
            return Err(refused("four numbers"));
        };
        if !(-MOST_ELO <= elo0 && elo0 < elo1 && elo1 <= MOST_ELO) {
            return Err(refused(&format!(
                "with elo0 less than elo1 and both from -{MOST_ELO} to {MOST_ELO}"
            )));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(refused("with alpha and beta above 0 and their sum below 1"));
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }
}

/// Returns the expected share of the games that somebody wins, for a bot `elo` points stronger than
/// the others at its table, which are equal.
pub fn expected_score(elo: f64, players: usize) -> f64 {
    1.0 / (1.0 + (players as f64 - 1.0) * (-elo / ELO_PER_NAT).exp())
}

/// Returns the Elo difference `elo_wins` between a bot and the others at its table, which are
/// equal: 400·log10((players - 1)·p / (1 - p)), where p, the `rate`, is the bot's share of the
/// games that somebody won. Inverse of [`expected_score`]. Infinite where p is 0 or 1.
pub fn elo(rate: Estimate, players: usize) -> Estimate {
    let elo = |score: f64| ELO_PER_NAT * ((players as f64 - 1.0) * score / (1.0 - score)).ln();
    Estimate { n: rate.n, value: elo(rate.value), low: elo(rate.low), high: elo(rate.high) }
}

/// How a test ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The bot is rather `elo1` stronger than `elo0`.
    H1,
    /// The bot is rather `elo0` stronger than `elo1`.
    H0,
}

/// A test as it goes on.
#[derive(Clone, PartialEq, Debug)]
pub struct Sprt {
    /// The bot's expected share of the games that somebody wins, under either hypothesis.
    expected: [f64; 2],
    bounds: [f64; 2],
    /// The win shares of all seats in a block of which every game is won.
    most: i64,
    /// The number of blocks by the win shares of the bot and those of all seats.
    counts: BTreeMap<(i64, i64), u64>,
}

/// What a score that has not occurred counts, if it is the least or the most there is: neither
/// hypothesis is impossible before it is seen.
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// Creates a test at tables of `players`, with win shares from 0 to `most` in a block.
    pub fn new(hypotheses: &Hypotheses, players: usize, most: i64) -> Self {
        let Hypotheses { elo0, elo1, alpha, beta } = *hypotheses;
        Self {
            expected: [elo0, elo1].map(|elo| expected_score(elo, players)),
            bounds: [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()],
            most,
            counts: BTreeMap::new(),
        }
    }

    /// Adds a block by the win shares of the bot and those of all seats; `won` is less than `most`
    /// if games of the block were won by nobody.
    pub fn add_block(&mut self, score: i64, won: i64) {
        *self.counts.entry((score, won)).or_default() += 1;
    }

    /// The LLR at or below which H0 is accepted and that at or above which H1 is.
    pub fn bounds(&self) -> [f64; 2] {
        self.bounds
    }

    /// The log-likelihood ratio of H1 to H0.
    pub fn llr(&self) -> f64 {
        if self.counts.is_empty() {
            return 0.0;
        }
        let mut counts: BTreeMap<(i64, i64), f64> =
            self.counts.iter().map(|(&block, &count)| (block, count as f64)).collect();
        for end in [0, self.most] {
            counts.entry((end, self.most)).or_insert(UNSEEN);
        }
        let total: f64 = counts.values().sum();
        let share = |wins: i64| wins as f64 / self.most as f64;
        let observed: Vec<_> = counts
            .iter()
            .map(|(&(score, won), count)| ([share(score), share(won)], count / total))
            .collect();
        // The likeliest distribution with the expected share s has the chance p / (1 + tilt (a − w
        // s)) where p of the blocks score a of w.
        let [tilt0, tilt1] = self.expected.map(|expected| tilt(&observed, expected));
        let [expected0, expected1] = self.expected;
        let ratio = |&(block, chance): &([f64; 2], f64)| {
            chance
                * ((1.0 + tilt0 * excess(block, expected0))
                    / (1.0 + tilt1 * excess(block, expected1)))
                .ln()
        };
        total * observed.iter().map(ratio).sum::<f64>()
    }

    /// The verdict, once the LLR has reached a bound.
    pub fn verdict(&self) -> Option<Verdict> {
        let llr = self.llr();
        let [lower, upper] = self.bounds;
        if llr >= upper {
            Some(Verdict::H1)
        } else if llr <= lower {
            Some(Verdict::H0)
        } else {
            None
        }
    }
}

/// Returns how much a block's score exceeds the expected share of its won games.
fn excess([score, won]: [f64; 2], expected: f64) -> f64 {
    score - won * expected
}

/// Solves Σ p (a − w s) / (1 + x (a − w s)) = 0 for x, by bisection: the sum falls all the way
/// between its poles.
fn tilt(observed: &[([f64; 2], f64)], expected: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - expected), 1.0 / expected);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        let term = |&(block, chance): &([f64; 2], f64)| {
            chance * excess(block, expected) / (1.0 + middle * excess(block, expected))
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
    use super::*;

    fn llr(counts: &[u64], elo0: f64, elo1: f64) -> f64 {
        let most = counts.len() as i64 - 1;
        let mut test = Sprt::new(&Hypotheses { elo0, elo1, alpha: 0.05, beta: 0.05 }, 2, most);
        test.counts = counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(score, &count)| ((score as i64, most), count))
            .collect();
        test.llr()
    }

    /// The LLR of scores between 0 and 1, given their means under both hypotheses and how often
    /// each occurred.
    fn llr_of_means(scores: &[(f64, f64)], means: [f64; 2]) -> f64 {
        let total: f64 = scores.iter().map(|(_, count)| count).sum();
        let observed: Vec<_> =
            scores.iter().map(|&(score, count)| ([score, 1.0], count / total)).collect();
        let [tilt0, tilt1] = means.map(|mean| tilt(&observed, mean));
        let ratio = |&([score, _], chance): &([f64; 2], f64)| {
            chance * ((1.0 + tilt0 * (score - means[0])) / (1.0 + tilt1 * (score - means[1]))).ln()
        };
        total * observed.iter().map(ratio).sum::<f64>()
    }

    /// Blocks of 3 games at tables of 3: the win shares of the bot and of all seats in games, and
    /// how often they occurred.
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

    /// A difference d to the other seats lies between -1/2 and 1 here, and x = (1 + 2 d) / 3
    /// between 0 and 1.
    fn difference([score, won]: [f64; 2]) -> f64 {
        (1.0 + 2.0 * (score - (won - score) / 2.0)) / 3.0
    }

    /// If every game is won, the difference to the other seats is an affine function of the score,
    /// so that the test is the same by either.
    #[test]
    fn llr_by_the_difference_to_the_other_seats_is_the_same_where_every_game_is_won() {
        let hypotheses = Hypotheses { elo0: -10.0, elo1: 40.0, alpha: 0.05, beta: 0.05 };
        let mut test = Sprt::new(&hypotheses, 3, 3);
        let mut scores = Vec::new();
        for &(score, won, count) in BLOCKS.iter().filter(|(_, won, _)| *won == 3) {
            (0..count).for_each(|_| test.add_block(score, won));
            scores.push((score as f64 / 3.0, count as f64));
        }
        let expected = [-10.0, 40.0].map(|elo| expected_score(elo, 3));
        // Equal to the last bit: nothing that was published about such games changes.
        assert_eq!(test.llr().to_bits(), llr_of_means(&scores, expected).to_bits());
        let differences: Vec<_> =
            scores.iter().map(|&(score, count)| (difference([score, 1.0]), count)).collect();
        let by_difference =
            llr_of_means(&differences, expected.map(|share| difference([share, 1.0])));
        assert!(
            (test.llr() - by_difference).abs() < 1e-9 && test.llr().abs() > 0.5,
            "{} {by_difference}",
            test.llr()
        );
    }

    /// With lost games the LLR is the largest over all shares W of games won: at the maximum under
    /// either hypothesis the mean of d is W (s - (1 - s) / 2).
    #[test]
    fn the_share_of_lost_games_is_profiled_out() {
        let mut test =
            Sprt::new(&Hypotheses { elo0: 0.0, elo1: 60.0, alpha: 0.05, beta: 0.05 }, 3, 3);
        for (score, won, count) in BLOCKS {
            (0..count).for_each(|_| test.add_block(score, won));
        }
        let total: u64 = BLOCKS.iter().map(|(.., count)| count).sum();
        let observed: Vec<_> = BLOCKS
            .iter()
            .map(|&(score, won, count)| {
                ([score, won].map(|games| games as f64 / 3.0), count as f64 / total as f64)
            })
            .collect();
        let log_likelihood = |expected: f64| {
            let tilt = tilt(&observed, expected);
            let chances: Vec<_> = observed
                .iter()
                .map(|&(block, chance)| chance / (1.0 + tilt * excess(block, expected)))
                .collect();
            let sum = |value: &dyn Fn([f64; 2]) -> f64| {
                observed
                    .iter()
                    .zip(&chances)
                    .map(|((block, _), chance)| chance * value(*block))
                    .sum::<f64>()
            };
            let (won, mean) =
                (sum(&|[_, won]| won), sum(&|[score, won]| score - (won - score) / 2.0));
            assert!((sum(&|_| 1.0) - 1.0).abs() < 1e-9, "a distribution");
            assert!((mean - won * (expected - (1.0 - expected) / 2.0)).abs() < 1e-9, "{mean}");
            observed
                .iter()
                .zip(&chances)
                .map(|((_, share), chance)| total as f64 * share * chance.ln())
                .sum::<f64>()
        };
        let [h0, h1] = [0.0, 60.0].map(|elo| log_likelihood(expected_score(elo, 3)));
        assert!((test.llr() - (h1 - h0)).abs() < 1e-9, "{} {}", test.llr(), h1 - h0);
    }

    #[test]
    fn games_that_nobody_won_say_nothing_about_strength() {
        let mut test =
            Sprt::new(&Hypotheses { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 }, 3, 180);
        (0..10_000).for_each(|_| test.add_block(0, 0));
        assert!(test.llr().abs() < 0.01 && test.verdict().is_none(), "{}", test.llr());
    }

    /// The cases of the logistic model in the tests of fastchess (`app/tests/sprt_test.cpp`), pairs
    /// of games by their points and single games.
    #[test]
    fn llr_is_that_of_fastchess() {
        for (counts, [elo0, elo1], expected) in [
            (&[223, 9863, 21279, 10037, 246][..], [0.5, 2.5], -3.07),
            (&[871, 26175, 55983, 26678, 821], [0.0, 2.0], -4.98),
            (&[21184, 40708, 21404], [0.5, 2.5], -1.57),
            (&[57030, 106_593, 57433], [0.0, 2.0], -2.59),
        ] {
            let llr = llr(counts, elo0, elo1);
            assert!((llr - expected).abs() < 0.005, "{llr}, expected {expected}");
        }
    }

    /// Made with the formulas of fishtest's `LLRcalc.LLR_logistic` and scipy's `brentq`. Fishtest
    /// gives weight to every unseen score, this program to the ends only.
    #[test]
    fn llr_is_that_of_fishtest() {
        for (counts, [elo0, elo1], expected) in [
            ([10, 50, 100, 60, 20], [0.0, 5.0], 0.805_130_7),
            ([0, 3, 10, 30, 7], [0.0, 50.0], 6.678_821_0),
            ([0, 0, 0, 0, 104], [0.0, 5.0], 1.485_9),
        ] {
            let llr = llr(&counts, elo0, elo1);
            assert!((llr - expected).abs() < 1e-4, "{llr}, expected {expected}");
        }
    }

    #[test]
    fn expected_scores_and_elo_are_each_other_turned_round() {
        assert!((expected_score(0.0, 4) - 0.25).abs() < 1e-12);
        assert!((expected_score(400.0, 2) - 10.0 / 11.0).abs() < 1e-12);
        let rate = Estimate { n: 9, value: expected_score(120.0, 3), low: 0.0, high: 1.0 };
        let elo = elo(rate, 3);
        assert!((elo.value - 120.0).abs() < 1e-9);
        assert_eq!((elo.n, elo.low, elo.high), (9, f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn hypotheses_that_make_no_sense_are_refused() {
        assert!(
            "0,10,0.05,0.1"
                .parse::<Hypotheses>()
                .is_ok_and(|test| test.elo1 > 9.0 && test.beta > 0.09)
        );
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
    fn blocks_that_never_vary_decide_too() {
        let mut test =
            Sprt::new(&Hypotheses { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 }, 2, 4);
        assert_eq!(test.verdict(), None);
        (0..200).for_each(|_| test.add_block(2, 4));
        assert_eq!(test.verdict(), Some(Verdict::H0));
    }
}
