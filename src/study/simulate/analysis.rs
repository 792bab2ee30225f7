//! The analysis of a run: estimates, differences, rankings and distributions that tables, terminal
//! text and page show.

use super::setup::RunSetup;
use crate::{
    arena::tally::{BotTally, Opening, OpeningTally, ResultTally},
    study::shared::prelude::*,
};

/// The results of a run, complete or not.
#[derive(Clone, Debug)]
pub(crate) struct RunAnalysis<'a> {
    pub(crate) setup: &'a RunSetup,
    pub(crate) tally: &'a Tally,
    /// Index of the first seat of each distinct bot.
    pub(crate) distinct_bots: Vec<usize>,
    /// The intervals of win rates, if the run has a goal.
    pub(crate) confidence_sequence: Option<ConfidenceSequence>,
    pub(crate) expected_share: ExpectedShare,
}

/// The win rate of equal bots.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ExpectedShare {
    /// 1 / players if every game had one win, else the mean win rate of all seats.
    pub(crate) value: f64,
    /// True if every game had one win.
    pub(crate) always_won: bool,
}

impl ExpectedShare {
    fn new(tally: &Tally, players: usize) -> Self {
        let wins: i64 = tally.bots.iter().map(|cells| cells[ALL_SEATS].wins.x).sum();
        let always_won = wins == tally.games as i64 * UNITS_PER_WIN;
        let value = if always_won {
            1.0 / players as f64
        } else {
            wins as f64 / UNITS_PER_WIN as f64 / (players as f64 * tally.games as f64)
        };
        Self { value, always_won }
    }
}

impl<'a> RunAnalysis<'a> {
    /// Analyses the games that have been played.
    pub(crate) fn new(setup: &'a RunSetup, tally: &'a Tally) -> Self {
        let goal = setup.question.goal;
        Self {
            setup,
            tally,
            distinct_bots: setup.distinct_bots(),
            confidence_sequence: goal.map(|goal| goal.confidence_sequence(&setup.win_rates(tally))),
            expected_share: ExpectedShare::new(tally, setup.identity.players),
        }
    }

    /// Returns the provenance of the data file.
    pub(super) fn provenance(&self) -> &Claim {
        &self.setup.question.data.provenance
    }

    /// Returns the number of players.
    pub(crate) const fn players(&self) -> usize {
        self.setup.identity.players
    }

    /// Returns the name of the bot in a seat of the first game of a block.
    pub(crate) fn bot_name(&self, seat: usize) -> &'a str {
        &self.setup.question.bots[seat].name
    }

    /// Returns the names of the distinct bots.
    pub(crate) fn bot_names(&self) -> Vec<String> {
        self.distinct_bots.iter().map(|&seat| self.bot_name(seat).to_owned()).collect()
    }

    /// Returns a win rate of bots, with the interval that suits the goal of the run.
    pub(crate) fn win_rate(&self, wins: &Ratio) -> Estimate {
        self.confidence_sequence
            .map_or_else(|| wins.rate(UNITS_PER_WIN), |sequence| sequence.rate(wins, UNITS_PER_WIN))
    }

    /// Returns true if the same bot has all seats.
    pub(super) const fn has_equal_bots(&self) -> bool {
        self.distinct_bots.len() == 1
    }

    /// Returns true if the win rate of all seats together is 1/players by construction: one bot has
    /// all of several seats, and every game was won.
    pub(crate) fn has_constant_win_rate(&self) -> bool {
        self.players() > 1 && self.has_equal_bots() && self.expected_share.always_won
    }

    /// Returns the number of games that each distinct bot lost by a failure.
    pub(crate) fn forfeits(&self) -> impl Iterator<Item = (&'a str, u64)> {
        self.bots().map(|(bot, tally)| (bot, tally.forfeits))
    }

    /// Returns the results of each distinct bot in all seats.
    pub(crate) fn bots(&self) -> impl Iterator<Item = (&'a str, &'a BotTally)> {
        self.bots_by_seat().filter(|(_, seat, _)| seat.is_none()).map(|(bot, _, cell)| (bot, cell))
    }

    /// Returns the results of each distinct bot in all seats and in each.
    pub(crate) fn bots_by_seat(
        &self,
    ) -> impl Iterator<Item = (&'a str, Option<usize>, &'a BotTally)> {
        self.distinct_bots.iter().zip(&self.tally.bots).flat_map(move |(&bot, cells)| {
            let seats = (0..self.players()).map(|seat| (Some(seat), &cells[seat]));
            let all = std::iter::once((None, &cells[ALL_SEATS])).chain(seats);
            let played = all.filter(|(_, cell)| cell.wins.n > 0);
            played.map(move |(seat, cell)| (self.bot_name(bot), seat, cell))
        })
    }

    /// Returns the results of each distinct bot at each turn position.
    pub(crate) fn turn_positions(&self) -> impl Iterator<Item = (&'a str, usize, &'a ResultTally)> {
        self.distinct_bots.iter().zip(&self.tally.turn_order).flat_map(move |(&bot, positions)| {
            let played = positions.iter().enumerate().filter(|(_, results)| results.wins.n > 0);
            played.map(move |(position, results)| (self.bot_name(bot), position, results))
        })
    }

    /// Returns a bot's win rate minus the mean of the other seats; `None` if it has all seats.
    ///
    /// Wins of all seats together, or of none, add the same to both, so they cancel.
    pub(crate) fn difference_from_others(&self, cell: &BotTally) -> Option<Estimate> {
        let players = self.players() as f64;
        let own_seats = cell.split_wins.n as f64 / self.tally.games.max(1) as f64;
        let scale = players / (players - own_seats);
        let rate = self.win_rate(&cell.split_wins);
        (own_seats < players).then(|| rate.map(|rate| (rate - 1.0 / players) * scale))
    }

    /// Returns the share of the games that nobody won.
    pub(crate) fn share_nobody_won(&self) -> Estimate {
        self.tally.health.nobody_won.rate(1)
    }

    /// Returns the tallies of the items of a table.
    pub(crate) fn item_tallies(&self, table: &ItemTable) -> &'a [ItemTally] {
        &self.tally.items[table.ids().range()]
    }

    /// Returns the openings with the difference of their win rate from that of their turn
    /// position, ordered by the lower end of the interval, highest first.
    pub(crate) fn rank_openings(&self) -> Vec<RankedOpening<'a>> {
        let ranked = self.tally.openings.kept.iter().map(|(opening, results)| {
            let difference = self.tally.opening_difference(opening.turn_position(), results);
            RankedOpening { opening, results, difference }
        });
        let mut openings: Vec<_> = ranked.collect();
        let key = |opening: &Opening| (opening.turn_position(), *opening.steps());
        openings.sort_unstable_by(|one, other| {
            let by_low = other.difference.low.total_cmp(&one.difference.low);
            by_low.then_with(|| key(one.opening).cmp(&key(other.opening)))
        });
        openings
    }

    /// Returns the items never offered or taken and the kinds of action never legal.
    pub(crate) fn never_happened(&self, game: &BoundGame) -> Vec<NeverEvent> {
        let mut events = Vec::new();
        for table in game.catalog().tables() {
            for (Item { name, label, .. }, tally) in
                table.items.iter().zip(self.item_tallies(table))
            {
                let event = if table.offered && tally.taken.n == 0 {
                    "offered"
                } else if tally.times_taken == 0 {
                    table.taken_label
                } else {
                    continue;
                };
                let (name, label) = (name.clone(), label.clone());
                events.push(NeverEvent { event, kind: table.singular, name, label });
            }
        }
        for (kind, name) in game.action_kinds().iter().enumerate() {
            if !self.tally.health.legal_kinds.contains(kind) {
                let (event, kind, name) = ("legal", "action", (*name).to_owned());
                events.push(NeverEvent { event, kind, label: name.clone(), name });
            }
        }
        events
    }
}

/// An opening with its results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedOpening<'a> {
    pub(crate) opening: &'a Opening,
    pub(crate) results: &'a OpeningTally,
    /// Win rate minus that of all seats at the same turn position.
    pub(crate) difference: Estimate,
}

/// An item or kind of action to which an event never happened.
#[derive(Clone, Debug)]
pub(crate) struct NeverEvent {
    /// `offered`, `legal`, or the word for taking an item of the table.
    pub(crate) event: &'static str,
    /// The kind of item, or `action`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// The name for people.
    pub(crate) label: String,
}

/// Returns the mean rank of a bot.
pub(crate) fn mean_rank(tally: &BotTally) -> Estimate {
    // Ranks are counted in halves.
    tally.ranks.mean().map(|rank| rank / 2.0)
}

/// Returns the standard deviation of a bot's scores; not a number with fewer than two.
pub(crate) fn score_standard_deviation(tally: &BotTally) -> f64 {
    let n = tally.scores.ratio.n as f64;
    if n < 2.0 {
        return f64::NAN;
    }
    let mean = tally.scores.value();
    ((tally.squared_scores as f64 / n - mean * mean) * n / (n - 1.0)).max(0.0).sqrt()
}
