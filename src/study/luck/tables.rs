//! What a study of luck writes: the share of the variance of outcomes that each source of chance
//! explains.

use std::fmt::Write;

use crate::{
    arena::metric::SeatMetric,
    report::text::{format_with_interval, truncate},
    stats::ratio::Estimate,
    study::{
        luck::experiment::LuckTally,
        simulate::csv::{CsvTable, number, words},
    },
};

const NAME_WIDTH: usize = 22;
const TITLE_WIDTH: usize = 30;

/// What of an outcome the tables explain: what a seat gets of it.
pub(crate) const METRICS: [SeatMetric; 2] = [SeatMetric::WinShare, SeatMetric::Score];

/// What was counted with some bots in the seats.
#[derive(Clone, Debug)]
pub struct LineupLuck {
    /// The bots in short.
    pub lineup: String,
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
    pub results: &'a [LineupLuck],
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

impl LuckReport<'_> {
    /// `luck.csv`: a row for each set of bots, outcome, seat or all seats together, and source; the
    /// first source is the deal, all of the game's together.
    pub fn csv(&self) -> Vec<u8> {
        let heading = [
            "bots",
            "outcome",
            "seat",
            "scope",
            "source",
            "blocks",
            "first_order",
            "first_order_ci_low",
            "first_order_ci_high",
            "sensitivity",
            "sensitivity_ci_low",
            "sensitivity_ci_high",
            "provenance",
        ];
        let mut table = CsvTable::new(&words(&heading));
        for (LineupLuck { lineup: bots, tally }, measure) in
            self.results.iter().flat_map(|rung| METRICS.map(|measure| (rung, measure)))
        {
            for seat in std::iter::once(None).chain((0..self.players).map(Some)) {
                let seat_name = seat.map_or("all".to_owned(), |seat| seat.to_string());
                let deal = [
                    tally.deal_first_order_index(measure, seat),
                    tally.deal_total_index(measure, seat),
                ];
                let deal = deal.map(|estimate| estimate.map(share).unwrap_or_default()).concat();
                let sources = self.sources.iter().zip(&tally.sources).map(|(&name, source)| {
                    (
                        name,
                        [
                            source.first_order_index(measure, seat),
                            source.total_index(measure, seat),
                        ]
                        .map(share)
                        .concat(),
                    )
                });
                for (name, shares) in std::iter::once((DEAL, deal)).chain(sources) {
                    let scope = if seat.is_some() { "seat" } else { "overall" };
                    let names =
                        [bots, measure.as_str(), &seat_name, scope, name].map(str::to_owned);
                    table.row(
                        &[
                            &names[..],
                            &[tally.blocks.to_string()],
                            &shares,
                            &[self.provenance.to_owned()],
                        ]
                        .concat(),
                    );
                }
            }
        }
        table.into_bytes()
    }

    /// The shares of all seats together, for the terminal: what the deal as a whole fixes, then
    /// what each source explains by itself.
    pub fn text(&self) -> String {
        let provenance = self.provenance.lines().next().unwrap_or_default();
        let mut text = format!("data: {provenance} (the data file marks its values)\n");
        for LineupLuck { lineup: bots, tally: LuckTally { blocks, games, .. } } in self.results {
            let _ = writeln!(
                text,
                "{}: {games} games in {blocks} blocks",
                truncate(bots, 2 * NAME_WIDTH)
            );
        }
        for measure in METRICS {
            let name = measure.as_str().replace('_', " ");
            let _ = writeln!(text, "\nvariance of the {name} explained, % [95 % interval]");
            for (title, source) in self.rows() {
                if self.results.len() > 1 {
                    let _ = writeln!(text, "{title}");
                }
                for rung in self.results {
                    let name = if self.results.len() > 1 {
                        format!("  {}", rung.lineup)
                    } else {
                        title.to_owned()
                    };
                    let shown = source
                        .first_order(&rung.tally, measure, None)
                        .map_or_else(|| "-".to_owned(), percent);
                    let _ =
                        writeln!(text, "{:<TITLE_WIDTH$}  {shown}", truncate(&name, TITLE_WIDTH));
                }
            }
            for LineupLuck { lineup: bots, tally } in self.results {
                if tally.bots_source().is_some_and(|dice| dice.has_no_effect(measure)) {
                    let _ = writeln!(
                        text,
                        "{}: with other dice of the bots no game ended otherwise",
                        truncate(bots, TITLE_WIDTH)
                    );
                }
            }
        }
        text + "\nThe deal is all of the game's chance. A source by itself: the others drawn \
            anew.\n"
    }

    /// The rows of the tables: the deal as a whole, then each source, with the titles of their
    /// rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&str, VarianceSource)> {
        let sources = self
            .sources
            .iter()
            .enumerate()
            .map(|(index, &source)| (source, VarianceSource::Source(index)));
        std::iter::once((DEAL_TITLE, VarianceSource::Deal)).chain(sources)
    }
}

/// The name in the table of all sources of chance of the game together.
const DEAL: &str = "deal";
/// Their names for people.
pub(crate) const DEAL_TITLE: &str = "the deal as a whole";

/// The sources that may explain the outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarianceSource {
    /// All sources of chance of the game together.
    Deal,
    /// One of the sources, the bots' dice being the last.
    Source(usize),
}

impl VarianceSource {
    /// The share of the variance that it explains by itself.
    pub(crate) fn first_order(
        self,
        tally: &LuckTally,
        measure: SeatMetric,
        seat: Option<usize>,
    ) -> Option<Estimate> {
        match self {
            Self::Deal => tally.deal_first_order_index(measure, seat),
            Self::Source(source) => {
                tally.sources.get(source).map(|source| source.first_order_index(measure, seat))
            }
        }
    }
}

fn share(estimate: Estimate) -> [String; 3] {
    [estimate.value, estimate.low, estimate.high].map(|value| number(value, 6))
}

fn percent(estimate: Estimate) -> String {
    format_with_interval(estimate, 1, |share, decimals| format!("{:.decimals$}", 100.0 * share))
}
