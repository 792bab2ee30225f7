//! `forks.csv`, `removed_items.csv` and their terminal text.

use std::fmt::Write;

use super::{
    analysis::{EffectRow, ItemEffectsAnalysis},
    removed_items::RemovedItemsAnalysis,
};
use crate::{
    report::data_table::Value,
    study::shared::{
        comparison::{
            analysis::{DifferenceRow, metric_subject},
            tables::{with_sides, with_tests},
        },
        prelude::*,
    },
};

/// Values of the column `flag` of `forks.csv`.
const FLAGS: [&str; 1] = [Flag::Flips.name()];
/// Maximum widths of a lineup in terminal text, in a title and before its numbers.
const NAME_WIDTH: usize = 16;

/// Returns the description of an estimate in tables.
const fn description(estimand: Estimand) -> &'static str {
    match estimand {
        Estimand::Access => {
            "Mean over forks of `free` minus `never`: the effect of being allowed to take the \
                 item."
        }
        Estimand::Takers => {
            "The same over the forks whose seat takes the item in the free arm: the effect on \
                 those who take it."
        }
        Estimand::Worth => {
            "Mean over forks of `free` minus `gone`: the effect of the item, compared with its \
                 absence for all seats."
        }
        Estimand::Denial => {
            "Mean over forks of `gone` minus `never`: the effect of keeping the item from the \
                 other seats. `worth` and `denial` add up to `access`."
        }
        Estimand::Now => {
            "Mean over forks of `must` minus `not now`: the effect of taking the item at the \
                 fork. Above 0, the bot takes it too late or too seldom; below 0, a forced pick is \
                 harmful."
        }
    }
}

/// An analysis with one of its rows.
type EffectOf<'a> = (&'a ItemEffectsAnalysis<'a>, &'a EffectRow);

/// Adds the columns of an estimate.
fn with_estimate(columns: Columns<EffectOf<'_>>, estimand: Estimand) -> Columns<EffectOf<'_>> {
    let (name, description) = (estimand.name(), description(estimand));
    let columns =
        columns.difference((format!("{name}_estimate"), name), description, move |(_, row)| {
            (row.effect(estimand).effect.estimate(), row.metric.metric())
        });
    let is_of_takers = estimand == Estimand::Takers;
    let columns =
        if is_of_takers { columns.n_after((format!("{name}_n"), "n taken")) } else { columns };
    columns
        .ci(format!("{name}_ci"))
        .p_value((format!("{name}_p"), "p"), "Test of no effect.", move |(_, row)| {
            row.effect(estimand).effect.p_value()
        })
        .p_value(
            (format!("{name}_p_holm"), "p (Holm)"),
            "The p-value adjusted by Holm's method for all items of the table; in a row of a round \
             or a turn position, for all items and rounds or turn positions.",
            move |(_, row)| row.effect(estimand).p_holm,
        )
}

/// Returns the columns of `forks.csv` that name and count the forks.
fn counts_columns<'a>() -> Columns<EffectOf<'a>> {
    let turn_position = "Turn position of the seats of the forks, 0 for the first player; empty \
                         for all.";
    let taken_share = "Share of the forks whose seat takes the item by choice in the free arm.";
    let taken_at_once_share = "Share of the forks at which the seat takes the item.";
    let forced = "Decisions of the arm `never` at which all legal actions took the item.";
    let scope = "Forks of the row: all, those of one round, or those of one turn position. Rows of \
                 different scope count the same forks.";
    Columns::<EffectOf<'_>>::new(
        "forks",
        "Effects of an item on a metric of a seat, over its forks: the decisions at which a seat \
         can take the item for the first time and can also do something else.",
    )
    .text("lineup", "Bots in the seats.", |(all, row)| &all.results[row.lineup].lineup)
    .text("table", "Item table.", |(all, row)| all.catalog.table(row.item).name)
    .text("item", "Item.", |(all, row)| all.item(row.item))
    .text("properties", "Properties of the item.", |(all, row)| all.properties(row.item))
    .word("metric", &SeatMetric::NAMES, "Metric of a seat.", |(_, row)| row.metric.name())
    .word("scope", &["overall", "round", "turn_position"], scope, |(_, row)| match row.stratum {
        Stratum::All => "overall",
        Stratum::Round(_) => "round",
        Stratum::TurnPosition(_) => "turn_position",
    })
    .integer("round", "Round of the forks; empty for all rounds.", |(_, row)| match row.stratum {
        Stratum::Round(round) => Some(u64::from(round)),
        Stratum::All | Stratum::TurnPosition(_) => None,
    })
    .integer("turn position", turn_position, |(_, row)| match row.stratum {
        Stratum::TurnPosition(position) => Some(position),
        Stratum::All | Stratum::Round(_) => None,
    })
    .counted_from_1()
    .integer("forks", "Number of forks, at most one for a seat and game.", |(_, row)| {
        row.sums.forks()
    })
    .integer("blocks", "Number of blocks with a fork.", |(_, row)| row.sums.taken.blocks)
    .percent(("taken_share", "taken"), taken_share, |(_, row)| row.sums.taken.rate(1))
    .percent(("taken_at_once_share", "taken at once"), taken_at_once_share, |(_, row)| {
        row.sums.taken_at_once.rate(1)
    })
    .integer("forced", forced, |(_, row)| row.sums.forced)
}

/// Returns the columns of `forks.csv`.
pub(super) fn forks_columns<'a>() -> Columns<EffectOf<'a>> {
    let equal_independent_games = "Independent games, half of them with the item forbidden to the \
                                   seat, that would give the standard error of `access`.";
    let flag = "`flips`: `access` differs from 0 with opposite signs for two lineups \
                (Holm-adjusted p < 0.05).";
    Estimand::ALL
        .into_iter()
        .fold(counts_columns(), with_estimate)
        .integer(("equal_independent_games", "equal games"), equal_independent_games, |(_, row)| {
            row.sums.equal_independent_games(row.metric)
        })
        .word("flag", &FLAGS, flag, |(_, row)| {
            let flips = row.effect(Estimand::Access).sign_differs && row.stratum == Stratum::All;
            flips.then(|| Flag::Flips.name())
        })
        .provenance()
        .label()
}

/// An analysis with one of its rows.
type RemovedOf<'a> = (&'a RemovedItemsAnalysis<'a>, &'a DifferenceRow<'a>);

/// Returns the columns of `removed_items.csv`.
pub(super) fn removed_items_columns<'a>() -> Columns<RemovedOf<'a>> {
    let subject = "Seat, turn position or bot of the metric; empty for the whole game.";
    let columns = Columns::<RemovedOf<'_>>::new(
        "removed_items",
        "Difference of a metric with and without an item in the data file.",
    )
    .text("lineup", "Bots in the seats.", |(_, row)| &row.result.lineup)
    .text("item", "Changed item.", |(all, row)| {
        let item = &all.items[row.variant];
        Value::Item(item.name.clone(), item.label.clone())
    })
    .text("change", "Change: `removed`, or `replaced by` an item.", |(all, row)| {
        &all.items[row.variant].change
    })
    .text("metric", "Metric whose mean is compared.", |(_, row)| row.metric.metric.name())
    .text("of", subject, |(_, row)| metric_subject(row.metric, row.result));
    let columns = with_sides(columns, |(_, row)| row);
    let family =
        "`p` adjusted by Holm's method for all items and lineups with the same metric and `of`.";
    with_tests(columns, family, |(_, row)| Some(row)).provenance().label()
}

impl ItemEffectsAnalysis<'_> {
    /// Returns the properties of an item with their names.
    fn properties(&self, item: ItemId) -> String {
        let (table, item) = (self.catalog.table(item), self.item(item));
        let properties: Vec<_> = (table.properties.iter().zip(&item.properties))
            .filter(|(_, value)| !value.is_empty())
            .map(|(property, value)| format!("{property}={value}"))
            .collect();
        properties.join(" ")
    }

    /// Returns the rows of `forks.csv`.
    pub fn table(&self, provenance: &Claim) -> DataTable {
        forks_columns().table(provenance, self.rows.iter().map(|row| (self, row)))
    }

    /// States the numbers of games for the terminal.
    pub(super) fn games_text(&self) -> String {
        let mut text = "\n".to_owned();
        for LineupResult { lineup, tally, .. } in self.results {
            let ItemEffectsTally { games, arms, blocks, capped, .. } = tally;
            let _ = writeln!(
                text,
                "{}: {games} games in {blocks} blocks, {arms} continuations, {capped} at the round \
                 limit",
                truncate(lineup, NAME_WIDTH),
            );
        }
        text
    }
}

impl RemovedItemsAnalysis<'_> {
    /// Returns the rows of `removed_items.csv`.
    pub(crate) fn table(&self, provenance: &Claim) -> DataTable {
        removed_items_columns().table(provenance, self.rows.iter().map(|row| (self, row)))
    }
}
