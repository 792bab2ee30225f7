//! What a study of luck writes: the share of the variance of outcomes that each source of chance explains.

use std::fmt::Write;

use super::{
    csv::{Table, number, words},
    table::{shortened, with_interval},
};
use crate::{
    arena::{luck::LuckTally, measure::Measure},
    stats::ratio::Estimate,
};

const NAME_WIDTH: usize = 22;

/// What of an outcome the tables explain: what a seat gets of it.
pub(super) const MEASURES: [Measure; 2] = [Measure::WinShare, Measure::Score];

/// What was counted with some bots in the seats.
#[derive(Clone, Debug)]
pub struct Rung {
    /// The bots in short.
    pub bots: String,
    /// What was counted.
    pub tally: LuckTally,
}

/// A study of luck as its tables show it.
#[derive(Clone, Copy, Debug)]
pub struct LuckReport<'a> {
    /// The names of the sources of chance, the bots' dice the last.
    pub sources: &'a [&'a str],
    /// Number of players.
    pub players: usize,
    /// What was counted, for each set of bots.
    pub rungs: &'a [Rung],
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

impl LuckReport<'_> {
    /// `luck.csv`: a row for each set of bots, outcome, seat or all seats together, and source.
    pub fn csv(&self) -> Vec<u8> {
        let heading = [
            "bots",
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
        for (Rung { bots, tally }, measure) in self.rungs.iter().flat_map(|rung| MEASURES.map(|measure| (rung, measure))) {
            for seat in std::iter::once(None).chain((0..self.players).map(Some)) {
                let seat_name = seat.map_or("all".to_owned(), |seat| seat.to_string());
                for (&name, source) in self.sources.iter().zip(&tally.sources) {
                    let names = [bots, measure.as_str(), &seat_name, name].map(str::to_owned);
                    let shares = [source.first_order(measure, seat), source.total(measure, seat)].map(share).concat();
                    table.row(&[&names[..], &[tally.blocks.to_string()], &shares, &[self.provenance.to_owned()]].concat());
                }
            }
        }
        table.into_bytes()
    }

    /// The shares of all seats together, for the terminal: those of each source by all bots beneath each other.
    pub fn text(&self) -> String {
        let provenance = self.provenance.lines().next().unwrap_or_default();
        let mut text = format!("data: {provenance} (the data file marks its values)\n");
        for Rung { bots, tally: LuckTally { blocks, games, .. } } in self.rungs {
            let _ = writeln!(text, "{}: {games} games in {blocks} blocks", shortened(bots, 2 * NAME_WIDTH));
        }
        for measure in MEASURES {
            let title = format!("{} %", measure.as_str().replace('_', " "));
            let _ = writeln!(text, "\n{title:<NAME_WIDTH$}  {:<25}  with its interactions", "by itself [95 % interval]");
            for (index, source) in self.sources.iter().enumerate() {
                if self.rungs.len() > 1 {
                    let _ = writeln!(text, "{source}");
                }
                for Rung { bots, tally } in self.rungs {
                    let name = if self.rungs.len() > 1 { format!("  {bots}") } else { (*source).to_owned() };
                    let source = &tally.sources[index];
                    let [first, total] = [source.first_order(measure, None), source.total(measure, None)].map(percent);
                    let _ = writeln!(text, "{:<NAME_WIDTH$}  {first:<25}  {total}", shortened(&name, NAME_WIDTH));
                }
            }
        }
        text
    }
}

fn share(estimate: Estimate) -> [String; 3] {
    [estimate.value, estimate.low, estimate.high].map(|value| number(value, 6))
}

fn percent(estimate: Estimate) -> String {
    with_interval(estimate, |share| format!("{:.1}", 100.0 * share))
}
