//! `luck.csv` and its terminal text.

use std::fmt::Write;

use super::analysis::{DEAL, LuckAnalysis, LuckRow, LuckShares, METRIC_NAMES, METRICS, PLAYER};
use crate::{
    experiments::luck::LuckTally,
    report::{
        data_table::{Columns, DataTable},
        provenance::Claim,
        text::{paragraph, truncate},
    },
    stats::ratio::Estimate,
    study::shared::panel_verdict::LabelledSentence,
};

/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 44;

/// The limits of all shares.
pub(super) const CAVEAT: &str = "These are shares among the players of the lineup: among equal \
                                 players chance alone decides any game. `balance skill` measures \
                                 how much skill counts.";

/// Returns the columns of `luck.csv`.
pub(super) fn columns<'a>() -> Columns<&'a LuckRow<'a>> {
    Columns::<&LuckRow<'_>>::new("luck", "Variance of a metric explained by a chance source.")
        .text("lineup", "lineup", "Bots in the seats.", |row| row.lineup)
        .word("metric", "metric", &METRIC_NAMES, "Metric of a seat.", |row| row.metric.as_str())
        .text_or_number("seat", "seat", "Seat, or `all` for the sum over all seats.", |row| {
            row.seat.map_or("all".to_owned(), |seat| seat.to_string())
        })
        .word("scope", "scope", &["overall", "seat"], "`overall` for all seats.", |row| {
            if row.is_overall() { "overall" } else { "seat" }
        })
        .text(
            "source",
            "source",
            "Chance source; `deal` is all chance of the game, `bots` that of the bots.",
            |row| row.source,
        )
        .integer("blocks", "blocks", "Whole blocks played.", |row| row.blocks)
        .percent(
            "first_order",
            "explained alone",
            "First-order Sobol index: share of the variance explained by the source alone.",
            |row| row.first_order,
        )
        .percent(
            "sensitivity",
            "total index",
            "Total Sobol index: share of the variance in which the source takes part. The indices \
             of all sources add up to more than 1 if sources interact.",
            |row| row.total,
        )
        .provenance()
}

/// Returns the columns of `shares.csv`.
pub(super) fn shares_columns<'a>() -> Columns<(&'a LuckShares<'a>, (&'a str, Estimate))> {
    Columns::<(&LuckShares<'_>, (&str, Estimate))>::new(
        "shares",
        "Additive share of the variance of the win share, over all seats.",
    )
    .text("lineup", "lineup", "Bots in the seats.", |(row, _)| row.lineup)
    .text(
        "source",
        "source",
        "Chance source; `player` is the difference between the seats, `bots` are the random \
             choices of the bots.",
        |(_, (source, _))| *source,
    )
    .integer("blocks", "blocks", "Whole blocks played.", |(row, _)| row.blocks)
    .percent(
        "share",
        "share",
        "Share of the variance that arises at the events of the source. The shares of a lineup \
             add up to 1; estimates near 0 can be negative.",
        |(_, (_, share))| *share,
    )
    .provenance()
}

impl LuckAnalysis<'_> {
    /// Returns `luck.csv`, and `shares.csv` if there are additive shares.
    pub fn tables(&self, provenance: &Claim) -> Vec<DataTable> {
        let shares = self.has_shares.then(|| {
            let shares = self.shares();
            let rows = shares.iter().flat_map(|row| row.sources.iter().map(move |&of| (row, of)));
            shares_columns().table(provenance, rows)
        });
        std::iter::once(columns().table(provenance, &self.rows())).chain(shares).collect()
    }

    /// Returns the answer, a row for each lineup, and the sources of the first lineup, for the
    /// terminal.
    pub fn text(&self, tables: &[DataTable]) -> String {
        let ([table, shares @ ..], Some(first)) = (tables, self.results.first()) else {
            return String::new();
        };
        let rows = self.rows();
        let mut text = String::from("\n");
        text += &paragraph(&format!("{} {CAVEAT}", self.lead(&rows)));
        if let Some(label) = LabelledSentence::of_only_lineup(self.results) {
            text += &label.text();
        } else {
            text += "\nvariance of the win share with each bot: share of the deal, and of the \
                     largest\nsingle source [95 % CI]\n";
            text += &self.lineups_table(&rows).view().text();
        }
        let lineup = truncate(&first.lineup, LINEUP_WIDTH);
        let LuckTally { blocks, games, .. } = &first.tally;
        let _ = writeln!(text, "\n{lineup}: {games} games in {blocks} blocks");
        for metric in METRICS {
            let name = metric.as_str().replace('_', " ");
            let _ =
                writeln!(text, "\nvariance of the {name} explained by each source alone [95 % CI]");
            let is_shown = |index: &usize| {
                let row = &rows[*index];
                (row.lineup, row.metric) == (first.lineup.as_str(), metric) && row.is_overall()
            };
            let shown = table.view().select(&["source", "first_order"]);
            text += &shown.rows((0..rows.len()).filter(is_shown)).text();
            if first.tally.bots_source().is_some_and(|bots| bots.has_no_effect(metric)) {
                let _ = writeln!(text, "{lineup}: random choices of the bots had no effect");
            }
        }
        text += &format!("\n{DEAL}: all chance of the game; bots: random choices of the bots\n");
        for shares in shares {
            text += "\nshares of the variance of the win share that add up to 100 % [95 % CI]\n";
            let of_first = shares.view().filter(|row| row[0] == first.lineup.as_str().into());
            text += &of_first.select(&["source", "share"]).text();
            let _ = writeln!(text, "\n{PLAYER}: the difference between the seats");
        }
        text
    }
}
