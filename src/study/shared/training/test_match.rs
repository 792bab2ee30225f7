//! The sequential test by which a generation replaces the last one.

use std::{iter, ops::ControlFlow, sync::atomic::Ordering};

use crate::{
    stats::{elo::expected_score, sprt::Sprt},
    study::shared::prelude::*,
};

/// Hypotheses of the test: the new generation is 15 Elo points weaker than the best one, or 15
/// stronger. Most generations gain less than the margin of a test that asks for a sure gain, which
/// would keep the games of an old network for ever.
pub(crate) const HYPOTHESES: Hypotheses =
    Hypotheses { elo0: -15.0, elo1: 15.0, alpha: 0.1, beta: 0.1 };
/// Blocks of each number of players between two looks at the result.
const BLOCKS_PER_LOOK: u64 = 8;

/// A match between two networks with the same search, or of one against a frozen bot, in all games.
#[derive(Clone, Copy)]
pub(crate) struct TestMatch<'a> {
    pub(crate) games: &'a [&'a BoundGame],
    /// The candidate, and the best network or the frozen bot, for each game.
    pub(crate) bots: &'a [Vec<BotFactory>; 2],
    /// Name of the frozen bot, against which the match does not end early.
    pub(crate) against: Option<&'a str>,
    pub(crate) max_games: u64,
    pub(crate) seed: u64,
}

/// Result of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TestResult {
    pub(crate) games: u64,
    /// Win shares of the seats of the candidate and of the best network, for each number of
    /// players.
    shares: Vec<(usize, [Ratio; 2])>,
    /// Log-likelihood ratio of both hypotheses, and its bounds.
    pub(crate) llr: f64,
    pub(crate) bounds: [f64; 2],
    /// Name of the frozen bot, if the test was against one instead of the best network.
    pub(crate) against: Option<String>,
    /// The test on edited data files, if the training has some.
    #[serde(default)]
    edited: Option<Box<Self>>,
    /// True if the test was on edited files.
    #[serde(default)]
    is_edited: bool,
}

/// Results of a test with one number of players.
pub(crate) struct TestWinRates {
    /// True on edited data files.
    pub(crate) is_edited: bool,
    pub(crate) players: usize,
    pub(crate) candidate: Estimate,
    /// Mean of the seats of the best network.
    pub(crate) best: Estimate,
}

impl TestResult {
    /// Returns the test on the data file, with that on edited files.
    pub(crate) fn with_edited(self, edited: Self) -> Self {
        Self { edited: Some(Box::new(Self { is_edited: true, ..edited })), ..self }
    }

    /// Returns the test, and that on edited files.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        iter::once(self).chain(self.edited.as_deref())
    }

    /// Returns true if the candidate replaces the best network: the test accepts that it is
    /// stronger, or, at the maximum number of games, that is the more probable hypothesis. With
    /// edited files, both tests together decide, and it must be weaker in neither.
    pub(crate) fn is_promoted(&self) -> bool {
        let Some(edited) = &self.edited else { return self.llr > 0.0 };
        self.llr + edited.llr > 0.0 && !self.is_weaker() && !edited.is_weaker()
    }

    /// Returns true if the candidate is weaker with some number of players.
    fn is_weaker(&self) -> bool {
        self.win_rates().any(|TestWinRates { candidate, best, .. }| candidate.high < best.low)
    }

    /// Returns the win rates for each number of players.
    pub(crate) fn win_rates(&self) -> impl Iterator<Item = TestWinRates> {
        self.shares.iter().map(|&(players, shares)| {
            let [candidate, best] = shares.map(|share| share.rate(UNITS_PER_WIN));
            TestWinRates { is_edited: self.is_edited, players, candidate, best }
        })
    }

    /// Returns the win rates of the candidate as text.
    fn rates(&self) -> String {
        let rates = self.win_rates().map(|rates| format!("{:.1}", 100.0 * rates.candidate.value));
        rates.collect::<Vec<_>>().join(", ")
    }

    /// Returns lines with the win rates and the verdict.
    pub(crate) fn messages(&self) -> Vec<String> {
        let edited = self.edited.iter();
        let edited = edited.map(|test| format!("wins {} % with edited data", test.rates()));
        let rates = self.rates();
        let players = match (self.shares.first(), self.shares.last()) {
            (Some((first, _)), Some((last, _))) if first < last => format!("{first} to {last}"),
            (first, _) => first.map_or_else(String::new, |(players, _)| players.to_string()),
        };
        let verdict = match &self.against {
            Some(_) => "",
            None if self.is_promoted() => ": promoted",
            None => ": not promoted",
        };
        let all = format!("wins {rates} % of games with {players} players{verdict}");
        edited.chain([all]).collect()
    }
}

impl TestMatch<'_> {
    /// Plays until the test stops or the maximum number of games is reached.
    pub(crate) fn run(&self, stop: &AtomicBool) -> TestResult {
        let new_test = |game: &&BoundGame| {
            let players = game.seats();
            Sprt::new(&HYPOTHESES, players, UNITS_PER_WIN * players as i64)
        };
        let mut tests: Vec<Sprt> = self.games.iter().map(new_test).collect();
        let mut llr_together = 0.0;
        let mut shares: Vec<_> =
            self.games.iter().map(|game| (game.seats(), [Ratio::default(); 2])).collect();
        let lineups: Vec<_> = (0..self.games.len()).map(|index| self.lineups(index)).collect();
        let bounds = tests[0].bounds;
        for look in 0.. {
            for (index, game) in self.games.iter().enumerate() {
                let blocks = look * BLOCKS_PER_LOOK..(look + 1) * BLOCKS_PER_LOOK;
                // Seats and win shares of the candidate and of the best network, by block.
                let mut results: BTreeMap<u64, [(i64, i64); 2]> = BTreeMap::new();
                let wins_together = wins_together(game);
                for (number, lineup) in lineups[index].iter().enumerate() {
                    let experiment = Experiment {
                        game_rows: true,
                        ..Experiment::new(lineup, self.seed, blocks.clone())
                    };
                    game.run(&experiment, stop, &|_| {}, &mut |batch| {
                        for row in &batch.game_rows {
                            let result = results.entry(row.block).or_default();
                            for seat in 0..game.seats() {
                                let is_best = number > 0 || !wins_together && row.bot_in[seat] > 0;
                                let (seats, wins) = &mut result[usize::from(is_best)];
                                *seats += 1;
                                *wins += row.outcome.win_share(Seat::new(seat));
                            }
                        }
                        ControlFlow::Continue(())
                    });
                }
                for [candidate, best] in results.into_values() {
                    if wins_together {
                        llr_together += llr_of_deals(candidate.1 > 0, best.1 > 0);
                    } else {
                        tests[index].add_block(candidate.1, candidate.1 + best.1);
                    }
                    let seats = if wins_together { game.seats() } else { 1 } as i64;
                    for (sums, (n, wins)) in shares[index].1.iter_mut().zip([candidate, best]) {
                        sums.add_block(n / seats, wins / seats);
                    }
                }
            }
            let against = self.games.iter().zip(&tests).filter(|(game, _)| !wins_together(game));
            let llr = llr_together + against.map(|(_, test)| test.llr()).sum::<f64>();
            let games = shares.iter().map(|(_, [candidate, _])| candidate.n.unsigned_abs()).sum();
            let is_decided = self.against.is_none() && (llr <= bounds[0] || llr >= bounds[1]);
            if is_decided || games >= self.max_games || stop.load(Ordering::Relaxed) {
                // Several data files have the same number of players.
                let mut by_players: BTreeMap<usize, [Ratio; 2]> = BTreeMap::new();
                for (players, own) in &shares {
                    let all = by_players.entry(*players).or_default();
                    all.iter_mut().zip(own).for_each(|(all, own)| all.merge(own));
                }
                let against = self.against.map(str::to_owned);
                let shares = by_players.into_iter().collect();
                return TestResult {
                    games,
                    shares,
                    llr,
                    bounds,
                    against,
                    edited: None,
                    is_edited: false,
                };
            }
        }
        unreachable!("the maximum number of games is reached")
    }

    /// Returns the candidate with the best network in all other seats; in a game that all seats win
    /// or lose together, a lineup of each network.
    fn lineups(&self, index: usize) -> Vec<Vec<BotFactory>> {
        let [candidate, best] = self.bots.each_ref().map(|bots| bots[index].clone());
        let seats = self.games[index].seats();
        if wins_together(self.games[index]) {
            return vec![vec![candidate; seats], vec![best; seats]];
        }
        let mut lineup = vec![best; seats];
        lineup[0] = candidate;
        vec![lineup]
    }
}

/// Returns true if there is one seat, or if all seats win or lose together.
fn wins_together(game: &BoundGame) -> bool {
    game.seats() == 1 || game.is_cooperative()
}

/// Returns the log-likelihood ratio of two games on the same deal in which each network has all
/// seats. The test counts the deals on which only one of them wins, of which a stronger candidate
/// has the greater share.
fn llr_of_deals(is_won: bool, is_won_by_best: bool) -> f64 {
    let [weaker, stronger] =
        [HYPOTHESES.elo0, HYPOTHESES.elo1].map(|difference| expected_score(difference, 2));
    match (is_won, is_won_by_best) {
        (true, false) => (stronger / weaker).ln(),
        (false, true) => ((1.0 - stronger) / (1.0 - weaker)).ln(),
        _ => 0.0,
    }
}
