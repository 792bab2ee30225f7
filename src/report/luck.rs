//! What a study of luck writes: the share of the variance of outcomes that each source of chance explains.

use std::fmt::Write;

use super::{
    csv::{Table, number, words},
    table::shortened,
};
use crate::{
    arena::luck::{LuckTally, Measure},
    stats::ratio::Estimate,
};

const NAME_WIDTH: usize = 16;

/// A study of luck as its tables show it.
#[derive(Clone, Copy, Debug)]
pub struct LuckReport<'a> {
    /// The names of the sources of chance, the bots' dice the last.
    pub sources: &'a [&'a str],
    /// Number of players.
    pub players: usize,
    /// What was counted.
    pub tally: &'a LuckTally,
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

impl LuckReport<'_> {
    /// `luck.csv`: a row for each outcome, seat or all seats together, and source.
    pub fn csv(&self) -> Vec<u8> {
        let heading = [
            "outcome",
            "seat",
            "source",
            "blocks",
            "first_order",
            "first_order_ci_low",
            "first_order_ci_high",
            "total",
            "total_ci_low",
            "total_ci_high",
            "provenance",
        ];
        let mut table = Table::new(&words(&heading));
        let blocks = self.tally.blocks.to_string();
        for measure in Measure::ALL {
            for seat in std::iter::once(None).chain((0..self.players).map(Some)) {
                let seat_name = seat.map_or("all".to_owned(), |seat| seat.to_string());
                for (name, source) in self.sources.iter().zip(&self.tally.sources) {
                    let names = [measure.name().to_owned(), seat_name.clone(), (*name).to_owned(), blocks.clone()];
                    let shares = [source.first_order(measure, seat), source.total(measure, seat)].map(share).concat();
                    table.row(&[&names[..], &shares, &[self.provenance.to_owned()]].concat());
                }
            }
        }
        table.into_bytes()
    }

    /// The shares of all seats together, for the terminal.
    pub fn text(&self) -> String {
        let LuckTally { blocks, games, .. } = self.tally;
        let provenance = self.provenance.lines().next().unwrap_or_default();
        let mut text = format!("data: {provenance} (the data file marks its values)\n{games} games in {blocks} blocks\n");
        for measure in Measure::ALL {
            let title = format!("{} %", measure.name().replace('_', " "));
            let _ = writeln!(text, "\n{title:<NAME_WIDTH$}  {:<27}  with its interactions", "by itself [95 % interval]");
            for (name, source) in self.sources.iter().zip(&self.tally.sources) {
                let [first, total] = [source.first_order(measure, None), source.total(measure, None)].map(percent);
                let _ = writeln!(text, "{:<NAME_WIDTH$}  {first:<27}  {total}", shortened(name, NAME_WIDTH));
            }
        }
        text
    }
}

fn share(estimate: Estimate) -> [String; 3] {
    [estimate.value, estimate.low, estimate.high].map(|value| number(value, 6))
}

fn percent(estimate: Estimate) -> String {
    let Estimate { value, low, high, .. } = estimate;
    match (value.is_finite(), low.is_finite()) {
        (true, true) => format!("{:.1} [{:.1}, {:.1}]", 100.0 * value, 100.0 * low, 100.0 * high),
        (true, false) => format!("{:.1}", 100.0 * value),
        _ => "-".to_owned(),
    }
}
