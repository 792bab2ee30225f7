//! The tables of a match: who beat whom, Elo differences and Plackett-Luce strengths.

use std::fmt::Write;

use crate::{
    bots::profile::Profile,
    game::UNITS_PER_WIN,
    report::text::truncate,
    stats::{
        rating::{POOR_FIT_Z, PairingFit, Ratings},
        ratio::Estimate,
    },
    study::{
        matches::pairing::{MatchTally, PairingTally},
        simulate::csv::{CsvTable, number, rate, words},
    },
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
const POINTS_WIDTH: usize = 25;

impl Standings<'_> {
    /// `crosstable.csv`: each bot against each other that it met, from one seat.
    pub fn crosstable_csv(&self) -> Vec<u8> {
        let mut table = CsvTable::new(&words(&[
            "bot",
            "against",
            "games",
            "wins",
            "win_rate",
            "ci_low",
            "ci_high",
            "even_win_rate",
            "difference",
            "difference_ci_low",
            "difference_ci_high",
            "elo_wins",
            "elo_wins_ci_low",
            "elo_wins_ci_high",
            "predicted_win_rate",
            "z",
            "provenance",
        ]));
        for (&(bot, against), result) in &self.tally.results {
            let wins = result.win_shares();
            let mut row = [bot, against].map(|bot| self.bots[bot].name.clone()).to_vec();
            row.extend([wins.n.to_string(), number(wins.x as f64 / UNITS_PER_WIN as f64, 4)]);
            row.extend(rate(wins.rate(UNITS_PER_WIN)));
            row.push(number(result.table_mean(), 6));
            row.extend(estimate(result.difference().estimate(), 6));
            row.extend(estimate(result.elo_wins(self.tally.players), 2));
            let fit = self.ratings.pairing_fits().get(&(bot, against));
            row.push(number(fit.map_or(f64::NAN, |fit| self.predicted_win_rate(result, fit)), 6));
            row.push(number(fit.and_then(|fit| fit.z).unwrap_or(f64::NAN), 2));
            row.push(self.provenance.to_owned());
            table.row(&row);
        }
        table.into_bytes()
    }

    /// `ratings.csv`: the bots, strongest first. An end of an interval that is open is empty.
    pub fn ratings_csv(&self) -> Vec<u8> {
        let mut heading = words(&["bot", "games"]);
        heading.extend(
            ["elo_wins", "pl_strength"]
                .iter()
                .flat_map(|name| ["", "_ci_low", "_ci_high"].map(|end| format!("{name}{end}"))),
        );
        heading.extend(words(&[
            "next_better",
            "pl_behind",
            "pl_behind_ci_low",
            "pl_behind_ci_high",
            "provenance",
        ]));
        let mut table = CsvTable::new(&heading);
        for (bot, better) in self.by_strength() {
            let strength = self.ratings.rating(bot);
            let mut row = vec![self.bots[bot].name.clone(), strength.n.to_string()];
            row.extend(self.elo_wins(bot).map(|elo| estimate(elo, 2)).unwrap_or_default());
            row.extend(estimate(strength, 2));
            row.push(better.map(|better| self.bots[better].name.clone()).unwrap_or_default());
            row.extend(
                better
                    .map(|better| estimate(self.ratings.difference(better, bot), 2))
                    .unwrap_or_default(),
            );
            row.push(self.provenance.to_owned());
            table.row(&row);
        }
        table.into_bytes()
    }

    /// The win rate that the Plackett-Luce strengths predict. The fit takes a game that nobody won
    /// as one that all seats shared.
    fn predicted_win_rate(&self, result: &PairingTally, fit: &PairingFit) -> f64 {
        fit.predicted - (1.0 / self.tally.players as f64 - result.table_mean())
    }

    /// The Elo difference between a bot and the first one, from the bot's own pairing with copies
    /// of the first or else from the reverse pairing.
    fn elo_wins(&self, bot: usize) -> Option<Estimate> {
        let of = |pairing| {
            self.tally
                .results
                .get(&pairing)
                .map(|result: &PairingTally| result.elo_wins(self.tally.players))
        };
        if bot == 0 {
            return Some(Estimate { n: 0, value: 0.0, low: 0.0, high: 0.0 });
        }
        let reversed = |Estimate { n, value, low, high }: Estimate| Estimate {
            n,
            value: -value,
            low: -high,
            high: -low,
        };
        of((bot, 0)).or_else(|| of((0, bot)).map(reversed))
    }

    /// How many games there were, and of what data.
    pub fn summary(&self) -> String {
        let MatchTally { games, blocks, capped, shared_wins, nobody_won, .. } = self.tally;
        let nobody_won =
            if *nobody_won > 0 { format!("; {nobody_won} won by nobody") } else { String::new() };
        let provenance = truncate(self.provenance.lines().next().unwrap_or_default(), NAME_WIDTH);
        format!(
            "{games} games in {blocks} blocks; {capped} capped by the round limit; {shared_wins} \
             shared wins{nobody_won}\ndata: {provenance} (the data file marks its values)\n"
        )
    }

    /// Both tables for the terminal: at most 80 columns wide with four bots, and little more with
    /// more.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}", self.summary(), self.crosstable(), self.ratings())
    }

    fn crosstable(&self) -> String {
        let players = self.tally.players;
        let some_are_lost = self.tally.nobody_won > 0;
        let games = || self.tally.results.values().map(|result| result.win_shares().n);
        let games = match (games().min(), games().max()) {
            (Some(least), Some(most)) if least != most => format!("{least} to {most} games each"),
            (_, most) => format!("{} games each", most.unwrap_or(0)),
        };
        let even = if some_are_lost {
            String::new()
        } else {
            format!(" (even: {:.1})", 100.0 / players as f64)
        };
        let mut text = if players == 2 {
            format!("win % of row against column, {games} [95 % interval]\n")
        } else {
            format!(
                "win % of one row against {} of column{even}, {games} [95 % interval]\n",
                players - 1
            )
        };
        if some_are_lost {
            text += "below each: what equal bots would win, as some games were won by nobody\n";
        }
        let columns: String =
            (1..=self.bots.len()).map(|column| format!("{column:>CELL_WIDTH$}")).collect();
        let _ = writeln!(text, "{:1$}{columns}", "", NAME_WIDTH + 3);
        for (row, bot) in self.bots.iter().enumerate() {
            let cells: Vec<_> =
                (0..self.bots.len()).map(|column| self.tally.results.get(&(row, column))).collect();
            if cells.iter().all(Option::is_none) {
                continue;
            }
            let line = |shown: &dyn Fn(&PairingTally) -> String, missing: &str| -> String {
                cells
                    .iter()
                    .map(|cell| format!("{:>CELL_WIDTH$}", cell.map_or(missing.to_owned(), shown)))
                    .collect()
            };
            let rates = line(
                &|result| format!("{:.1}", 100.0 * result.win_shares().rate(UNITS_PER_WIN).value),
                "-",
            );
            let interval =
                |wins: Estimate| format!("[{:.1}, {:.1}]", 100.0 * wins.low, 100.0 * wins.high);
            let intervals = line(&|result| interval(result.win_shares().rate(UNITS_PER_WIN)), "");
            let _ = writeln!(
                text,
                "{:>2} {:<NAME_WIDTH$}{rates}",
                row + 1,
                truncate(&bot.name, NAME_WIDTH)
            );
            let _ = writeln!(text, "{:2$}{}", "", intervals.trim_end(), NAME_WIDTH + 3);
            if some_are_lost {
                let evens = line(&|result| format!("even {:.1}", 100.0 * result.table_mean()), "");
                let _ = writeln!(text, "{:2$}{}", "", evens.trim_end(), NAME_WIDTH + 3);
            }
        }
        text
    }

    fn ratings(&self) -> String {
        let mut text =
            "bot 1 is 0; Elo by wins, strength by the Plackett-Luce fit to all rankings\n"
                .to_owned();
        let heading =
            ["Elo [95 %]", "strength [95 %]"].map(|name| format!("{name:>POINTS_WIDTH$}")).concat();
        let _ = writeln!(text, "   {:<NAME_WIDTH$}{:>8}{heading}", "", "games");
        for (bot, _) in self.by_strength() {
            let strength = self.ratings.rating(bot);
            let shown = |estimate: Option<Estimate>| match estimate {
                Some(estimate) => {
                    if bot == 0 {
                        "0".to_owned()
                    } else {
                        points_with_interval(estimate)
                    }
                }
                None => "-".to_owned(),
            };
            let (elo, games) = (shown(self.elo_wins(bot)), strength.n);
            let name = truncate(&self.bots[bot].name, NAME_WIDTH);
            let _ = writeln!(
                text,
                "{:>2} {name:<NAME_WIDTH$}{games:>8}{elo:>POINTS_WIDTH$}{:>POINTS_WIDTH$}",
                bot + 1,
                shown(Some(strength))
            );
        }
        if self.ratings.has_added_draws() {
            text += "A bot won or lost everything: each has one more game for its strength, a draw \
                with bot 1.\n";
        }
        text + &self.goodness_of_fit()
    }

    /// The pairing whose win rate the Plackett-Luce strengths predict worst, with a warning if the
    /// model does not fit.
    pub fn goodness_of_fit(&self) -> String {
        let Some(((bot, against), fit)) = self.ratings.worst_fit() else { return String::new() };
        let Some((result, z)) = self.tally.results.get(&(bot, against)).zip(fit.z) else {
            return String::new();
        };
        let figures = format!(
            "{} against {} wins {:.1} %, predicted {:.1} % (z = {z:+.1})",
            self.bots[bot].name,
            self.bots[against].name,
            100.0 * result.win_shares().value(UNITS_PER_WIN),
            100.0 * self.predicted_win_rate(result, &fit),
        );
        if z.abs() > POOR_FIT_Z {
            format!("warning: Plackett-Luce does not fit: {figures}; compare bots by Elo\n")
        } else {
            format!("Plackett-Luce fits; largest deviation: {figures}\n")
        }
    }

    /// The bots, strongest first, each with the next better one.
    fn by_strength(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let order = self.ratings.ranked_players();
        let better: Vec<_> = std::iter::once(None).chain(order.iter().copied().map(Some)).collect();
        order.into_iter().zip(better)
    }
}

/// The three fields of an estimate; an end that is open is empty.
fn estimate(estimate: Estimate, decimals: usize) -> [String; 3] {
    [estimate.value, estimate.low, estimate.high].map(|value| number(value, decimals))
}

/// A difference in points with its interval, whose ends may be open.
pub fn points_with_interval(estimate: Estimate) -> String {
    if estimate.value.is_nan() {
        return "-".to_owned();
    }
    let end = |value: f64| match value {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "-∞".to_owned(),
        value => format!("{value:+.*}", usize::from(value.abs() < 1000.0)),
    };
    format!("{} [{}, {}]", end(estimate.value), end(estimate.low), end(estimate.high))
}
