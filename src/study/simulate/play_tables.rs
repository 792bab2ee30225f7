//! The tables for players: choices between two items, items by round, and win rates by lead.

use super::{analysis::RunAnalysis, tables::new_table};
use crate::{
    arena::play_statistics::{TakenTally, lead_limits},
    bound::BoundGame,
    game::{ItemTable, ReportedSeats, UNITS_PER_WIN},
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
    },
};

/// Smallest number of choices of a row.
pub(super) const MIN_CHOICES: i64 = 30;

/// The tables for players.
#[derive(Clone, Debug)]
pub(crate) struct PlayTables {
    /// None for a game whose items are not compared.
    pub(crate) choices: Option<DataTable>,
    /// None for a game whose items are not compared.
    pub(crate) items: Option<DataTable>,
    /// None for a single player.
    pub(crate) leads: Option<DataTable>,
}

impl PlayTables {
    /// Tabulates the results of a run.
    pub(super) fn new(game: &dyn BoundGame, analysis: &RunAnalysis<'_>) -> Self {
        let has_items = compared_tables(game).next().is_some();
        Self {
            choices: has_items.then(|| choices(game, analysis)),
            items: has_items.then(|| items_by_round(game, analysis)),
            leads: (analysis.players() > 1).then(|| leads(analysis)),
        }
    }

    /// Returns all tables in their order.
    pub(super) fn into_tables(self) -> impl Iterator<Item = DataTable> {
        [self.choices, self.items, self.leads].into_iter().flatten()
    }
}

/// Returns the tables of items whose takers are compared with others.
pub(super) fn compared_tables(game: &dyn BoundGame) -> impl Iterator<Item = &ItemTable> {
    let tables = game.catalog().tables().iter();
    tables.filter(|table| table.reported_seats == ReportedSeats::TakersAndNonTakers)
}

/// Describes all tables.
pub(super) fn schemas() -> [Schema; 3] {
    [choices_schema(), items_schema(), leads_schema()]
}

fn round_column(description: &str) -> Column {
    Column::integer("round", "round", description)
}

fn win_rate_column(group: &str, description: &str) -> Column {
    let (key, title) = (format!("{group}_win_rate"), format!("win rate {group}"));
    let column = Column::estimate(key, title, Unit::Percent, description);
    column.n(format!("{group}_n"), format!("n {group}")).ci(format!("{group}_ci"))
}

fn difference_column(description: &str) -> Column {
    Column::estimate("difference", "difference", Unit::PercentagePoints, description)
}

fn choices_schema() -> Schema {
    let title = "One row for each two items of a table between which a seat chose at least 30 \
                 times: it took one and could have taken the other. Associations, not effects.";
    Schema::new("choices", title)
        .column(Column::text("table", "table", "Table of the items."))
        .column(Column::text("item", "item", "Name of an item."))
        .column(Column::text("other", "other", "Name of the other item."))
        .column(round_column("Round from 1, 0 for the setup; empty for all rounds."))
        .column(
            Column::integer(
                "turn_position",
                "turn position",
                "Position in the turn order, 0 for the first player; empty for all.",
            )
            .counted_from_1(),
        )
        .column(
            Column::estimate(
                "taken",
                "item taken",
                Unit::Percent,
                "Share of the choices in which the seat took `item`.",
            )
            .n("n", "n"),
        )
        .column(win_rate_column("item", "Win rate of the seats that took `item`."))
        .column(win_rate_column("other", "Win rate of the seats that took `other`."))
        .column(difference_column("`item_win_rate` minus `other_win_rate`."))
        .provenance()
}

fn choices(game: &dyn BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let mut table = new_table(choices_schema(), analysis.setup);
    let catalog = game.catalog();
    for (choice, tally) in analysis.tally.play.choices.sorted() {
        if tally.taken.n < MIN_CHOICES {
            continue;
        }
        let [item, other] = choice.items;
        let [round, position] = match choice.situation {
            None => [Value::Missing, Value::Missing],
            Some((round, position)) => [u64::from(round).into(), u64::from(position).into()],
        };
        let head = [
            catalog.table(item).name.into(),
            catalog.item(item).into(),
            catalog.item(other).into(),
            round,
            position,
        ];
        table.push(head.into_iter().chain(taken_values(tally)));
    }
    table
}

/// Returns the share that took an item, both win rates, and their difference.
fn taken_values(tally: &TakenTally) -> [Value; 4] {
    let TakenTally { taken, wins } = tally;
    [
        taken.rate(1).into(),
        wins.treatment.rate(UNITS_PER_WIN).into(),
        wins.control.rate(UNITS_PER_WIN).into(),
        wins.difference_of_rates(UNITS_PER_WIN).estimate().into(),
    ]
}

fn items_schema() -> Schema {
    let title = "One row for each item in each round in which it was available to a seat. \
                 Associations, not effects.";
    Schema::new("items_by_round", title)
        .column(Column::text("table", "table", "Table of the item."))
        .column(Column::text("item", "item", "Name of the item."))
        .column(round_column("Round from 1, 0 for the setup."))
        .column(
            Column::estimate(
                "taken",
                "taken",
                Unit::Percent,
                "Share of the seats to which it was available in the round that took it in the \
                 round.",
            )
            .n("n", "n"),
        )
        .column(win_rate_column("with", "Win rate of the seats that took it."))
        .column(win_rate_column(
            "without",
            "Win rate of the seats to which it was available and that did not take it in the \
             round.",
        ))
        .column(difference_column("`with_win_rate` minus `without_win_rate`."))
        .provenance()
        .label()
}

fn items_by_round(game: &dyn BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let mut table = new_table(items_schema(), analysis.setup);
    for items in compared_tables(game) {
        for (item, id) in items.items.iter().zip(items.ids().iter()) {
            let rounds = analysis.tally.play.items.iter().zip(0_u64..);
            for (tallies, round) in rounds {
                let Some(tally) = tallies.get(id.index()).filter(|tally| tally.taken.n > 0) else {
                    continue;
                };
                let head = [items.name.into(), item.into(), round.into()];
                table.push(head.into_iter().chain(taken_values(tally)));
            }
        }
    }
    table
}

fn leads_schema() -> Schema {
    let title = "One row for each range of the lead of a seat after each round after which the \
                 game went on. The lead is the score if the game ended then, minus the best score \
                 of the others.";
    let limit = |key: &str, title: &str, description| {
        Column::integer(key, title, description).measured_in("points")
    };
    Schema::new("leads", title)
        .column(round_column("Round from 1."))
        .column(limit("lead_from", "lead from", "Smallest lead; empty if it is open."))
        .column(limit("lead_to", "to", "Largest lead; empty if it is open."))
        .column(
            Column::estimate(
                "win_rate",
                "win rate",
                Unit::Percent,
                "Win rate of the seats with such a lead.",
            )
            .n("n", "n")
            .ci("ci"),
        )
        .provenance()
}

fn leads(analysis: &RunAnalysis<'_>) -> DataTable {
    let mut table = new_table(leads_schema(), analysis.setup);
    for (classes, round) in analysis.tally.play.leads.iter().zip(1_u64..) {
        for (class, wins) in classes.iter().enumerate().filter(|(_, wins)| wins.n > 0) {
            let [from, to] = lead_limits(class).map(|lead| lead.map(i64::from).into());
            table.push([round.into(), from, to, wins.rate(UNITS_PER_WIN).into()]);
        }
    }
    table
}
