//! The tables for players: choices between two items, items by round, and win rates by lead.

use super::analysis::RunAnalysis;
use crate::{
    arena::play_statistics::{TakenTally, lead_limits},
    bound::BoundGame,
    game::{Item, ItemTable, ReportedSeats, UNITS_PER_WIN},
    report::data_table::{Columns, DataTable, Schema},
    stats::ratio::Ratio,
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
    [choices_columns().schema(), items_columns().schema(), leads_columns().schema()]
}

/// An item with its round and its turn position, if there are any, and with another item.
struct TakenRow<'a> {
    table: &'a str,
    item: &'a Item,
    other: Option<&'a Item>,
    round: Option<u64>,
    position: Option<u64>,
    tally: &'a TakenTally,
}

/// Adds the win rates of those who took the item and of the others, and their difference.
fn with_win_rates<'a>(
    columns: Columns<TakenRow<'a>>,
    [(taken, of_taken), (other, of_other)]: [(&str, &str); 2],
) -> Columns<TakenRow<'a>> {
    let difference = format!("`{taken}_win_rate` minus `{other}_win_rate`.");
    columns
        .group_win_rate(taken, of_taken, |row| &row.tally.wins.treatment)
        .group_win_rate(other, of_other, |row| &row.tally.wins.control)
        .percentage_points("difference", "difference", &difference, |row| {
            row.tally.wins.difference_of_rates(UNITS_PER_WIN).estimate()
        })
}

/// Values of the column `scope` of `choices.csv`.
const CHOICE_SCOPES: [&str; 2] = ["overall", "round_and_turn_position"];

fn choices_columns<'a>() -> Columns<TakenRow<'a>> {
    let title = "One row for each two items of a table between which a seat chose at least 30 \
                 times: it took one and could have taken the other. Associations, not effects.";
    let round = "Round from 1, 0 for the setup; empty for all rounds.";
    let position = "Position in the turn order, 0 for the first player; empty for all.";
    let scope = "Choices of the row: all, or those in one round at one turn position. Rows of \
                 different scope count the same choices.";
    let taken = "Share of the choices in which the seat took `item`.";
    let columns = Columns::<TakenRow<'_>>::new("choices", title)
        .text("table", "table", "Table of the items.", |row| row.table)
        .text("item", "item", "Name of an item.", |row| row.item)
        .text("other", "other", "Name of the other item.", |row| row.other)
        .integer("round", "round", round, |row| row.round)
        .integer("turn_position", "turn position", position, |row| row.position)
        .counted_from_1()
        .word("scope", "scope", &CHOICE_SCOPES, scope, |row| {
            CHOICE_SCOPES[usize::from(row.round.is_some())]
        })
        .percent("taken", "item taken", taken, |row| row.tally.taken.rate(1))
        .n("n", "n");
    let groups = [
        ("item", "Win rate of the seats that took `item`."),
        ("other", "Win rate of the seats that took `other`."),
    ];
    with_win_rates(columns, groups).provenance()
}

fn choices(game: &dyn BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let catalog = game.catalog();
    let choices = analysis.tally.play.choices.sorted().into_iter();
    let rows = choices.filter(|(_, tally)| tally.taken.n >= MIN_CHOICES).map(|(choice, tally)| {
        let [item, other] = choice.items;
        TakenRow {
            table: catalog.table(item).name,
            item: catalog.item(item),
            other: Some(catalog.item(other)),
            round: choice.situation.map(|(round, _)| round.into()),
            position: choice.situation.map(|(_, position)| position.into()),
            tally,
        }
    });
    choices_columns().table(analysis.provenance(), rows)
}

fn items_columns<'a>() -> Columns<TakenRow<'a>> {
    let title = "One row for each item in each round in which it was available to a seat. \
                 Associations, not effects.";
    let taken = "Share of the seats to which it was available in the round that took it in the \
                 round.";
    let columns = Columns::<TakenRow<'_>>::new("items_by_round", title)
        .text("table", "table", "Table of the item.", |row| row.table)
        .text("item", "item", "Name of the item.", |row| row.item)
        .integer("round", "round", "Round from 1, 0 for the setup.", |row| row.round)
        .percent("taken", "taken", taken, |row| row.tally.taken.rate(1))
        .n("n", "n");
    let without = "Win rate of the seats to which it was available and that did not take it in \
                   the round.";
    let groups = [("with", "Win rate of the seats that took it."), ("without", without)];
    with_win_rates(columns, groups).provenance().label()
}

fn items_by_round(game: &dyn BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let all = compared_tables(game)
        .flat_map(|items| items.items.iter().zip(items.ids().iter()).map(|of| (items.name, of)));
    let rows = all.flat_map(|(table, (item, id))| {
        (0..).zip(&analysis.tally.play.items).filter_map(move |(round, tallies)| {
            let tally = tallies.get(id.index()).filter(|tally| tally.taken.n > 0)?;
            Some(TakenRow { table, item, other: None, round: Some(round), position: None, tally })
        })
    });
    items_columns().table(analysis.provenance(), rows)
}

/// The wins of seats whose lead is in a class after a round.
type LeadRow<'a> = (u64, usize, &'a Ratio);

fn leads_columns<'a>() -> Columns<LeadRow<'a>> {
    let title = "One row for each range of the lead of a seat after each round after which the \
                 game went on. The lead is the score if the game ended then, minus the best score \
                 of the others.";
    let limit =
        |end: usize| move |&(_, class, _): &LeadRow<'_>| lead_limits(class)[end].map(i64::from);
    let win_rate = "Win rate of the seats with such a lead.";
    Columns::<LeadRow<'_>>::new("leads", title)
        .integer("round", "round", "Round from 1.", |(round, ..)| *round)
        .integer("lead_from", "lead from", "Smallest lead; empty if it is open.", limit(0))
        .measured_in("points")
        .integer("lead_to", "to", "Largest lead; empty if it is open.", limit(1))
        .measured_in("points")
        .percent("win_rate", "win rate", win_rate, |(.., wins)| wins.rate(UNITS_PER_WIN))
        .n("n", "n")
        .ci("ci")
        .provenance()
}

fn leads(analysis: &RunAnalysis<'_>) -> DataTable {
    let rows = (1..).zip(&analysis.tally.play.leads).flat_map(|(round, classes)| {
        let played = classes.iter().enumerate().filter(|(_, wins)| wins.n > 0);
        played.map(move |(class, wins)| (round, class, wins))
    });
    leads_columns().table(analysis.provenance(), rows)
}
