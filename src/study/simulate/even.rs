//! The win rate of equal seats, with which reports compare win rates.

use crate::{
    arena::tally::{ALL_SEATS, BotTally, Tally},
    report::html::{Unit, format_percent},
    stats::ratio::Estimate,
    study::simulate::csv::TableContext,
};

/// The win rate that seats would have if all were equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpectedShare {
    pub(crate) value: f64,
    /// True if every game was won: the value is then 1 / players, and else the mean of all seats.
    pub(crate) always_won: bool,
}

impl ExpectedShare {
    pub(crate) fn new(tally: &Tally, players: usize) -> Self {
        let always_won = tally.health.nobody_won.x == 0;
        let won = tally.games as i64 - tally.health.nobody_won.x;
        let value = if always_won {
            1.0 / players as f64
        } else {
            won as f64 / (players as f64 * tally.games as f64)
        };
        Self { value, always_won }
    }

    pub(crate) const fn name(self) -> &'static str {
        if self.always_won { "a fair share" } else { "the mean of all seats in these games" }
    }

    pub(crate) fn percent_text(self) -> String {
        let whole = (100.0 * self.value).fract() == 0.0;
        format!("{} %", Unit::Percent.format_number(self.value, usize::from(!whole)))
    }

    /// Returns the sentence that states the value and, if some games were lost by all seats, how
    /// many.
    pub(crate) fn describe(self, tally: &Tally) -> String {
        let name = self.name();
        let lost = if self.always_won {
            String::new()
        } else {
            format!("; nobody won {} of the games", format_percent(share_nobody_won(tally)))
        };
        format!("{}{} is {}{lost}.", name[..1].to_uppercase(), &name[1..], self.percent_text())
    }
}

/// The share of games that nobody won.
pub(crate) fn share_nobody_won(tally: &Tally) -> Estimate {
    tally.health.nobody_won.rate(1)
}

/// A bot's win rate minus the mean of the other seats at its table; none if the bot sat in all
/// seats.
pub(crate) fn difference_from_others(
    context: &TableContext<'_>,
    tally: &Tally,
    cell: &BotTally,
) -> Option<Estimate> {
    let players = context.bots.len() as f64;
    let own_seats = cell.split_wins.n as f64 / tally.games.max(1) as f64;
    // A game that nobody won adds the same to the bot's rate and to that of the others.
    let scale = players / (players - own_seats);
    let Estimate { n, value, low, high } = context.win_rate(&cell.split_wins);
    let difference = |rate: f64| (rate - 1.0 / players) * scale;
    (own_seats < players).then(|| Estimate {
        n,
        value: difference(value),
        low: difference(low),
        high: difference(high),
    })
}

/// The differences of all bots, by the index of the bot; empty with a single bot.
pub(crate) fn differences_from_others(
    context: &TableContext<'_>,
    tally: &Tally,
) -> Vec<(usize, Estimate)> {
    let cells = context.distinct_bots.iter().zip(&tally.bots);
    cells
        .filter_map(|(&bot, cells)| {
            Some((bot, difference_from_others(context, tally, &cells[ALL_SEATS])?))
        })
        .collect()
}
