//! What a match writes: who beat whom, and ratings.

use std::fmt::Write;

use super::{
    csv::{Table, number, rate, words},
    table::shortened,
};
use crate::{
    arena::pairing::MatchTally,
    bots::profile::Profile,
    game::WIN,
    stats::{rating::Ratings, ratio::Estimate},
};

/// A match as its tables show it.
#[derive(Clone, Copy, Debug)]
pub struct Standings<'a> {
    /// The bots in the order they were named.
    pub bots: &'a [Profile],
    /// What was counted.
    pub tally: &'a MatchTally,
    /// Their ratings.
    pub ratings: &'a Ratings,
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

const NAME_WIDTH: usize = 18;
const CELL_WIDTH: usize = 14;
const ELO_WIDTH: usize = 24;

impl Standings<'_> {
    /// `crosstable.csv`: each bot against each other that it met, from one seat.
    pub fn crosstable_csv(&self) -> Vec<u8> {
        let mut table = Table::new(&words(&["bot", "against", "games", "wins", "win_rate", "ci_low", "ci_high", "provenance"]));
        for (&(bot, against), wins) in &self.tally.wins {
            let names = [bot, against].map(|bot| self.bots[bot].name.clone());
            let counts = [wins.n.to_string(), number(wins.x as f64 / WIN as f64, 4)];
            table.row(&[&names[..], &counts, &rate(wins.rate(WIN)), &[self.provenance.to_owned()]].concat());
        }
        table.into_bytes()
    }

    /// `ratings.csv`: the bots, strongest first. An end of an interval that is open is empty.
    pub fn ratings_csv(&self) -> Vec<u8> {
        let heading =
            ["bot", "games", "elo", "ci_low", "ci_high", "next_better", "behind", "behind_ci_low", "behind_ci_high", "provenance"];
        let mut table = Table::new(&words(&heading));
        let elo = |estimate: Estimate| [estimate.value, estimate.low, estimate.high].map(|value| number(value, 2));
        for (bot, better) in self.by_rating() {
            let rating = self.ratings.rating(bot);
            let behind = better.map(|better| elo(self.ratings.difference(better, bot))).unwrap_or_default();
            let better = better.map(|better| self.bots[better].name.clone()).unwrap_or_default();
            let first = [self.bots[bot].name.clone(), rating.n.to_string()];
            table.row(&[&first[..], &elo(rating), &[better], &behind, &[self.provenance.to_owned()]].concat());
        }
        table.into_bytes()
    }

    /// How many games there were, and of what data.
    pub fn heading(&self) -> String {
        let MatchTally { games, blocks, capped, shared_wins, .. } = self.tally;
        let provenance = shortened(self.provenance.lines().next().unwrap_or_default(), NAME_WIDTH);
        format!(
            "{games} games in {blocks} blocks; {capped} capped by the round limit; {shared_wins} shared wins\n\
             data: {provenance} (the data file marks its values)\n"
        )
    }

    /// Both tables for the terminal: at most 80 columns wide with four bots, and little more with more.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}", self.heading(), self.crosstable(), self.ratings())
    }

    fn crosstable(&self) -> String {
        let players = self.tally.players;
        let games = || self.tally.wins.values().map(|wins| wins.n);
        let games = match (games().min(), games().max()) {
            (Some(least), Some(most)) if least != most => format!("{least} to {most} games each"),
            (_, most) => format!("{} games each", most.unwrap_or(0)),
        };
        let mut text = if players == 2 {
            format!("win % of row against column, {games} [95 % interval]\n")
        } else {
            let (others, even) = (players - 1, 100.0 / players as f64);
            format!("win % of one row against {others} of column (even: {even:.1}), {games} [95 % interval]\n")
        };
        let columns: String = (1..=self.bots.len()).map(|column| format!("{column:>CELL_WIDTH$}")).collect();
        let _ = writeln!(text, "{:1$}{columns}", "", NAME_WIDTH + 3);
        for (row, bot) in self.bots.iter().enumerate() {
            let cells = (0..self.bots.len()).map(|column| self.tally.wins.get(&(row, column)).map(|wins| wins.rate(WIN)));
            let cells: Vec<_> = cells.collect();
            if cells.iter().all(Option::is_none) {
                continue;
            }
            let line = |shown: &dyn Fn(Estimate) -> String, missing: &str| -> String {
                cells.iter().map(|cell| format!("{:>CELL_WIDTH$}", cell.map_or(missing.to_owned(), shown))).collect()
            };
            let rates = line(&|wins| format!("{:.1}", 100.0 * wins.value), "-");
            let intervals = line(&|wins| format!("[{:.1}, {:.1}]", 100.0 * wins.low, 100.0 * wins.high), "");
            let _ = writeln!(text, "{:>2} {:<NAME_WIDTH$}{rates}", row + 1, shortened(&bot.name, NAME_WIDTH));
            let _ = writeln!(text, "{:2$}{}", "", intervals.trim_end(), NAME_WIDTH + 3);
        }
        text
    }

    fn ratings(&self) -> String {
        let mut text = "Elo, bot 1 being 0, and how far behind the next better one [95 % interval]\n".to_owned();
        let _ = writeln!(text, "   {:<NAME_WIDTH$}{:>8}{:>ELO_WIDTH$}{:>ELO_WIDTH$}", "", "games", "Elo", "behind");
        for (bot, better) in self.by_rating() {
            let rating = self.ratings.rating(bot);
            let elo = if bot == 0 { "0".to_owned() } else { elo(rating) };
            let behind = better.map_or_else(|| "-".to_owned(), |better| self::elo(self.ratings.difference(better, bot)));
            let name = shortened(&self.bots[bot].name, NAME_WIDTH);
            let _ = writeln!(text, "{:>2} {name:<NAME_WIDTH$}{:>8}{elo:>ELO_WIDTH$}{behind:>ELO_WIDTH$}", bot + 1, rating.n);
        }
        if self.ratings.drawn_games_added() {
            text += "A bot won or lost everything: each has one more game for its rating, a draw with bot 1.\n";
        }
        text
    }

    /// The bots, strongest first, each with the next better one.
    fn by_rating(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let order = self.ratings.order();
        let better: Vec<_> = std::iter::once(None).chain(order.iter().copied().map(Some)).collect();
        order.into_iter().zip(better)
    }
}

/// A strength or a difference with its interval, whose ends may be open.
pub fn elo(estimate: Estimate) -> String {
    let end = |value: f64| match value {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "-∞".to_owned(),
        value => format!("{value:+.*}", usize::from(value.abs() < 1000.0)),
    };
    format!("{} [{}, {}]", end(estimate.value), end(estimate.low), end(estimate.high))
}
