//! The results of a match: win rates, Elo differences, Plackett-Luce strengths and their fit, and
//! the sequential test.

use super::margins::{MarginSubject, MarginVerdicts};
use crate::{
    stats::{
        paired::MIN_BLOCKS,
        rating::Ratings,
        sprt::{Sprt, SprtVerdict},
    },
    study::shared::{
        pairing::{MatchMode, MatchTally, Pairing},
        prelude::*,
    },
};

/// The tally of a match with the ratings that follow from it.
#[derive(Clone, Debug)]
pub(super) struct Standings<'a> {
    /// Names of the bots in the order of the command line.
    pub(super) bots: Vec<&'a str>,
    pub(super) mode: MatchMode,
    pub(super) tally: &'a MatchTally,
    pub(super) ratings: Ratings,
    /// The intervals, if the match ends when it is decided.
    pub(super) sequence: Option<ConfidenceSequence>,
    /// Largest number of games of a pairing, if the match has ended by itself or without decision.
    pub(super) max_games: Option<u64>,
}

/// Results of one bot in one seat against copies of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairingResult<'a> {
    /// The bot by its index among the bots of the match.
    pub(super) bot: usize,
    /// The bot in the other seats.
    pub(super) opponent: usize,
    pub(super) win_shares: &'a Ratio,
    pub(super) win_rate: Estimate,
    /// Mean win rate of all seats.
    pub(super) mean_win_rate: f64,
    /// Win rate of the bot minus the mean of the other seats.
    pub(super) difference: Estimate,
    pub(super) elo_wins: Estimate,
    /// Win rate by the Plackett-Luce strengths; not a number without a fit.
    pub(super) predicted_win_rate: f64,
    /// Standardised deviation from the predicted win rate; not a number without a test.
    pub(super) z: f64,
}

impl PairingResult<'_> {
    /// Returns the beginning of the statement that there are too few games for an interval of the
    /// difference; `None` if there is one.
    pub(super) fn missing_games(&self) -> Option<String> {
        let Ratio { blocks, n, .. } = *self.win_shares;
        let missing = MIN_BLOCKS.saturating_sub(blocks) * n.unsigned_abs() / blocks.max(1);
        let games = format_count(missing, "more game");
        let is_missing = missing > 0 && self.difference.low.is_infinite();
        is_missing.then(|| format!("{games} are needed to judge which"))
    }
}

/// The ratings of a bot.
#[derive(Clone, Copy, Debug)]
pub(super) struct RatedBot {
    /// Index among the bots of the match.
    pub(super) bot: usize,
    /// Elo difference from the first bot, if the two have met.
    pub(super) elo_wins: Option<Estimate>,
    /// Plackett-Luce strength minus that of the first bot.
    pub(super) pl_strength: Estimate,
    /// The next stronger bot, with its strength minus that of this bot.
    pub(super) next_better: Option<(usize, Estimate)>,
}

impl<'a> Standings<'a> {
    /// Computes the ratings of a match with intervals of the sequence, if there is one.
    pub(super) fn new(
        bots: &'a [BotFactory],
        mode: MatchMode,
        tally: &'a MatchTally,
        sequence: Option<ConfidenceSequence>,
    ) -> Self {
        let bots = bots.iter().map(BotFactory::name).collect();
        Self { bots, mode, tally, ratings: tally.rankings.ratings(), sequence, max_games: None }
    }

    /// Returns a rate of wins with the interval that suits the end of the match.
    fn rate(&self, wins: &Ratio) -> Estimate {
        match &self.sequence {
            Some(sequence) => sequence.rate(wins, UNITS_PER_WIN),
            None => wins.rate(UNITS_PER_WIN),
        }
    }

    /// Returns the Plackett-Luce strength of a bot minus that of another.
    fn strength_difference(&self, bot: usize, other: usize) -> Estimate {
        let Some(sequence) = self.sequence else { return self.ratings.difference(bot, other) };
        // The strengths follow from all pairings, of which the first may have ended early.
        let blocks = self.tally.results.values().map(|result| result.win_shares().blocks);
        let critical_values = blocks.map(|blocks| sequence.critical_value(blocks));
        let largest = critical_values.fold(0.0, f64::max);
        self.ratings.difference_with(bot, other, |_| largest)
    }

    /// Returns the numbers of games that bots lost by failures.
    pub(super) fn forfeits(&self) -> impl Iterator<Item = (&'a str, u64)> {
        self.tally.forfeits.iter().map(|(&bot, &games)| (self.bots[bot], games))
    }

    /// Returns the results of all pairings, those of each bot after those of the bot before.
    pub(super) fn pairings(&self) -> Vec<PairingResult<'_>> {
        let pairs = self.tally.results.keys();
        pairs.filter_map(|&(bot, opponent)| self.pairing(bot, opponent)).collect()
    }

    /// Returns the results of the pairings that were played. With 2 players, the reverse of a
    /// pairing is the same games.
    pub(super) fn played(&self) -> Vec<PairingResult<'_>> {
        let pairings = self.mode.pairings(self.bots.len(), self.tally.players.0).into_iter();
        pairings.filter_map(|Pairing { bot, opponent }| self.pairing(bot, opponent)).collect()
    }

    /// Returns the results of a bot against another, if they have met.
    pub(super) fn pairing(&self, bot: usize, opponent: usize) -> Option<PairingResult<'_>> {
        let result = self.tally.results.get(&(bot, opponent))?;
        let fit = self.ratings.pairing_fits.get(&(bot, opponent));
        // The fit counts a game without a winner as one that all seats shared.
        let shared = 1.0 / self.tally.players.0 as f64 - result.mean_win_rate();
        Some(PairingResult {
            bot,
            opponent,
            win_shares: result.win_shares(),
            win_rate: self.rate(result.win_shares()),
            mean_win_rate: result.mean_win_rate(),
            difference: match self.sequence {
                Some(_) => result.difference_with(self.tally.players.0, |wins| self.rate(wins)),
                None => result.difference().estimate(),
            },
            elo_wins: result.elo_wins_with(self.tally.players.0, |wins| self.rate(wins)),
            predicted_win_rate: fit.map_or(f64::NAN, |fit| fit.predicted - shared),
            z: fit.and_then(|fit| fit.z).unwrap_or(f64::NAN),
        })
    }

    /// Returns the ratings of all bots, strongest first.
    pub(super) fn rated_bots(&self) -> Vec<RatedBot> {
        let order = self.ratings.ranked_players();
        let next_better = std::iter::once(None).chain(order.iter().copied().map(Some));
        let rate = |(&bot, better): (&usize, Option<usize>)| RatedBot {
            bot,
            elo_wins: self.elo_wins(bot),
            pl_strength: self.strength_difference(bot, 0),
            next_better: better.map(|better| (better, self.strength_difference(better, bot))),
        };
        order.iter().zip(next_better).map(rate).collect()
    }

    /// Compares the differences of all pairings with a margin.
    pub(super) fn margin_verdicts(&self, margin: f64) -> MarginVerdicts {
        let subjects = self.played().into_iter().map(|pairing| {
            let [bot, opponent] = [pairing.bot, pairing.opponent].map(|bot| self.bots[bot]);
            MarginSubject {
                lineup: format!("{bot},{opponent}"),
                name: format!("{bot} against {opponent}"),
                effect: self.tally.results[&(pairing.bot, pairing.opponent)].difference(),
                games: pairing.win_rate.n as u64,
            }
        });
        MarginVerdicts::new(subjects.collect(), margin)
    }

    /// Returns the pairing whose win rate the Plackett-Luce strengths predict worst.
    pub(super) fn worst_fit(&self) -> Option<PairingResult<'_>> {
        let ((bot, opponent), _) = self.ratings.worst_fit()?;
        self.pairing(bot, opponent).filter(|pairing| !pairing.z.is_nan())
    }

    /// Returns the Elo difference between a bot and the first one, from the bot's own pairing with
    /// copies of the first or else from the reverse pairing.
    fn elo_wins(&self, bot: usize) -> Option<Estimate> {
        if bot == 0 {
            return Some(Estimate { n: 0, value: 0.0, low: 0.0, high: 0.0 });
        }
        let elo = |bot, opponent| Some(self.pairing(bot, opponent)?.elo_wins);
        elo(bot, 0).or_else(|| elo(0, bot).map(Estimate::negated))
    }
}

/// The state of a sequential test of two hypotheses about the Elo difference of two bots.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct SequentialTest {
    #[serde(flatten)]
    pub(super) hypotheses: Hypotheses,
    /// Log-likelihood ratio of H1 to H0.
    pub(super) llr: f64,
    /// H0 is accepted at this log-likelihood ratio and below.
    pub(super) lower_bound: f64,
    /// H1 is accepted at this log-likelihood ratio and above.
    pub(super) upper_bound: f64,
    /// The verdict in words.
    pub(super) verdict: &'static str,
}

impl SequentialTest {
    /// Describes a test; it is undecided without a verdict.
    pub(super) fn new(hypotheses: Hypotheses, sprt: &Sprt, verdict: Option<SprtVerdict>) -> Self {
        let [lower_bound, upper_bound] = sprt.bounds;
        let verdict = match verdict {
            Some(SprtVerdict::H1) => "H1 accepted",
            Some(SprtVerdict::H0) => "H0 accepted",
            None => "undecided",
        };
        Self { hypotheses, llr: sprt.llr(), lower_bound, upper_bound, verdict }
    }
}
