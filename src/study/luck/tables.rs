//! `luck.csv` and its terminal text.

use std::fmt::Write;

use super::analysis::{DEAL, LuckAnalysis, LuckShares, METRIC_NAMES, METRICS, PLAYER};
use crate::{
    experiments::luck::LuckTally,
    report::{
        data_table::{Column, DataTable, Schema},
        html::Unit,
        provenance::Claim,
        text::{paragraph, truncate},
    },
    study::shared::agreement::LabelledSentence,
};

/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 44;

/// The limits of all shares.
pub(super) const CAVEAT: &str = "These are shares among the players of the lineup: between equal \
                                 players only chance makes a difference, in any game, which does \
                                 not show that skill has no effect (`balance skill` measures it).";

/// Describes `luck.csv`.
pub fn schema() -> Schema {
    let share = |key, title, description| Column::estimate(key, title, Unit::Percent, description);
    Schema::new("luck", "Variance of a metric explained by a chance source.")
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(Column::word("metric", "metric", &METRIC_NAMES, "Metric of a seat."))
        .column(Column::label("seat", "seat", "Seat, or `all` for the sum over all seats."))
        .column(Column::word("scope", "scope", &["overall", "seat"], "`overall` for all seats."))
        .column(Column::text(
            "source",
            "source",
            "Chance source; `deal` is all chance of the game, `bots` that of the bots.",
        ))
        .column(Column::integer("blocks", "blocks", "Whole blocks played."))
        .column(share(
            "first_order",
            "explained alone",
            "First-order Sobol index: share of the variance explained by the source alone.",
        ))
        .column(share(
            "sensitivity",
            "total index",
            "Total Sobol index: share of the variance in which the source takes part. The indices \
             of all sources add up to more than 1 if sources interact.",
        ))
        .provenance()
}

/// Describes `shares.csv`.
pub fn shares_schema() -> Schema {
    Schema::new("shares", "Additive share of the variance of the win share, over all seats.")
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(Column::text(
            "source",
            "source",
            "Chance source; `player` is the difference between the seats, `bots` are the random \
             choices of the bots.",
        ))
        .column(Column::integer("blocks", "blocks", "Whole blocks played."))
        .column(Column::estimate(
            "share",
            "share",
            Unit::Percent,
            "Share of the variance that arises at the events of the source. The shares of a lineup \
             add up to 1; estimates near 0 can be negative.",
        ))
        .provenance()
}

impl LuckAnalysis<'_> {
    /// Returns `luck.csv`, and `shares.csv` if there are additive shares.
    pub fn tables(&self, provenance: &Claim) -> Vec<DataTable> {
        let shares = self.has_shares.then(|| self.shares_table(provenance));
        std::iter::once(self.table(provenance)).chain(shares).collect()
    }

    fn shares_table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(shares_schema(), provenance);
        for LuckShares { lineup, blocks, sources } in self.shares() {
            for (source, share) in sources {
                table.push([lineup.into(), source.into(), blocks.into(), share.into()]);
            }
        }
        table
    }

    /// Returns the rows of `luck.csv`.
    fn table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(schema(), provenance);
        for row in self.rows() {
            table.push([
                row.lineup.into(),
                row.metric.as_str().into(),
                row.seat.map_or("all".to_owned(), |seat| seat.to_string()).into(),
                if row.is_overall() { "overall" } else { "seat" }.into(),
                row.source.into(),
                row.blocks.into(),
                row.first_order.into(),
                row.total.into(),
            ]);
        }
        table
    }

    /// Returns the answer, a row for each lineup, and the sources of the first lineup, for the
    /// terminal.
    pub fn text(&self, tables: &[DataTable]) -> String {
        let ([table, shares @ ..], Some(first)) = (tables, self.results.first()) else {
            return String::new();
        };
        let rows = self.rows();
        let mut text = String::from("\n");
        text += &paragraph(&self.lead(&rows));
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
