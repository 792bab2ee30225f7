//! A sequential test of two hypotheses about a bot's strength, over the scores of blocks.
//!
//! The generalised sequential probability ratio test: after each block, the log-likelihood ratio (LLR) compares the likeliest distributions of
//! block scores with the mean that either hypothesis expects (Van den Bergh, *Comments on normalized Elo* and *Maximum likelihood estimation of
//! a multinomial distribution with given expectation*). With two players and two games a block this is the pentanomial test of chess engines.

use std::{collections::BTreeMap, str::FromStr};

use super::{rating::ELO, ratio::Estimate};

/// What is tested: whether a bot is `elo1` (H1) rather than `elo0` (H0) points stronger than its opponents.
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
        let refused = |why: &str| format!("expected elo0,elo1,alpha,beta, as in 0,10,0.05,0.05, {why}");
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let &[elo0, elo1, alpha, beta] = &numbers.map_err(|_| refused("all of them numbers"))?[..] else {
            return Err(refused("four numbers"));
        };
        if !(-MOST_ELO <= elo0 && elo0 < elo1 && elo1 <= MOST_ELO) {
            return Err(refused(&format!("with elo0 less than elo1 and both from -{MOST_ELO} to {MOST_ELO}")));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(refused("with alpha and beta above 0 and their sum below 1"));
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }
}

/// The win share that is expected of a bot so many Elo points stronger than the others at a table, which are equal.
pub fn expected_score(elo: f64, players: usize) -> f64 {
    1.0 / (1.0 + (players as f64 - 1.0) * (-elo / ELO).exp())
}

/// By how many Elo points a bot with this win rate is stronger than the others at a table, which are equal: the inverse of [`expected_score`].
/// Without end if it wins, or may win, everything or nothing.
pub fn elo(rate: Estimate, players: usize) -> Estimate {
    let elo = |score: f64| ELO * ((players as f64 - 1.0) * score / (1.0 - score)).ln();
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
    /// The mean block score under either hypothesis.
    expected: [f64; 2],
    bounds: [f64; 2],
    /// What a block that is won throughout scores.
    most: i64,
    /// How many blocks had each score.
    counts: BTreeMap<i64, u64>,
}

/// What a score that has not occurred counts, if it is the least or the most there is: neither hypothesis is impossible before it is seen.
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// A test at tables of so many players, whose block scores go from 0 to `most`.
    pub fn new(hypotheses: &Hypotheses, players: usize, most: i64) -> Self {
        let Hypotheses { elo0, elo1, alpha, beta } = *hypotheses;
        Self {
            expected: [elo0, elo1].map(|elo| expected_score(elo, players)),
            bounds: [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()],
            most,
            counts: BTreeMap::new(),
        }
    }

    /// Adds a block by its score.
    pub fn add_block(&mut self, score: i64) {
        *self.counts.entry(score).or_default() += 1;
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
        let mut counts: BTreeMap<i64, f64> = self.counts.iter().map(|(&score, &count)| (score, count as f64)).collect();
        for end in [0, self.most] {
            counts.entry(end).or_insert(UNSEEN);
        }
        let total: f64 = counts.values().sum();
        let observed: Vec<(f64, f64)> = counts.iter().map(|(&score, count)| (score as f64 / self.most as f64, count / total)).collect();
        // The likeliest distribution with mean s has the chance p / (1 + tilt (a − s)) where p of the blocks score a.
        let [tilt0, tilt1] = self.expected.map(|mean| tilt(&observed, mean));
        let [mean0, mean1] = self.expected;
        let ratio = |&(score, share): &(f64, f64)| share * ((1.0 + tilt0 * (score - mean0)) / (1.0 + tilt1 * (score - mean1))).ln();
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

/// Solves Σ p (a − s) / (1 + x (a − s)) = 0 for x, by bisection: the sum falls all the way between its poles.
fn tilt(observed: &[(f64, f64)], mean: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        let sum: f64 = observed.iter().map(|&(score, share)| share * (score - mean) / (1.0 + middle * (score - mean))).sum();
        if sum > 0.0 {
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
        let mut test = Sprt::new(&Hypotheses { elo0, elo1, alpha: 0.05, beta: 0.05 }, 2, counts.len() as i64 - 1);
        test.counts = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(score, &count)| (score as i64, count)).collect();
        test.llr()
    }

    /// The cases of the logistic model in the tests of fastchess (`app/tests/sprt_test.cpp`), pairs of games by their points and single games.
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

    /// Made with the formulas of fishtest's `LLRcalc.LLR_logistic` and scipy's `brentq`. Fishtest gives weight to every unseen score, this
    /// program to the ends only.
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
        assert!("0,10,0.05,0.1".parse::<Hypotheses>().is_ok_and(|test| test.elo1 > 9.0 && test.beta > 0.09));
        for text in ["", "0,10,0.05", "0,10,0.05,x", "10,0,0.05,0.05", "0,10,0,0.05", "0,10,0.6,0.4", "0,nan,0.05,0.05", "0,1e9,0.05,0.05"]
        {
            assert!(text.parse::<Hypotheses>().is_err(), "{text}");
        }
    }

    #[test]
    fn blocks_that_never_vary_decide_too() {
        let mut test = Sprt::new(&Hypotheses { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 }, 2, 4);
        assert_eq!(test.verdict(), None);
        (0..200).for_each(|_| test.add_block(2));
        assert_eq!(test.verdict(), Some(Verdict::H0));
    }
}
