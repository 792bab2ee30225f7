//! The tables for players: items by round, win rates by lead, and the flow of resources.

use super::analysis::RunAnalysis;
use crate::{
    arena::{
        play_statistics::{TakenTally, lead_limits},
        resources::FIRST_ROUND,
    },
    study::shared::prelude::*,
};

/// Returns the tables of items whose takers are compared with others.
fn compared_tables(game: &BoundGame) -> impl Iterator<Item = &ItemTable> {
    let tables = game.catalog().tables().iter();
    tables.filter(|table| table.reported_seats == ReportedSeats::TakersAndNonTakers)
}

/// Describes all tables.
pub(super) fn schemas() -> [Schema; 3] {
    [items_columns().schema(), leads_columns().schema(), resources_columns().schema()]
}

/// An item in a round.
struct TakenRow<'a> {
    table: &'a str,
    item: &'a Item,
    round: u64,
    tally: &'a TakenTally,
}

fn items_columns<'a>() -> Columns<TakenRow<'a>> {
    let title = "One row for each item in each round in which it was available to a seat. \
                 Associations, not effects.";
    let taken = "Share of the seats to which it was available in the round that took it in the \
                 round.";
    let without = "Win rate of the seats to which it was available and that did not take it in \
                   the round.";
    let with = "Win rate of the seats that took it.";
    Columns::<TakenRow<'_>>::new("items_by_round", title)
        .text("table", "Table of the item.", |row| row.table)
        .text("item", "Name of the item.", |row| row.item)
        .integer("round", "Round from 1, 0 for the setup.", |row| row.round)
        .percent("taken", taken, |row| row.tally.taken.rate(1))
        .n("n")
        .group_win_rate("with", with, |row| &row.tally.wins.treatment)
        .group_win_rate("without", without, |row| &row.tally.wins.control)
        .percentage_points("difference", "`with_win_rate` minus `without_win_rate`.", |row| {
            row.tally.wins.difference_of_rates(UNITS_PER_WIN).estimate()
        })
        .provenance()
        .label()
}

/// Tabulates items by round; `None` for a game whose items are not compared.
pub(super) fn items_by_round(game: &BoundGame, analysis: &RunAnalysis<'_>) -> Option<DataTable> {
    compared_tables(game).next()?;
    let all = compared_tables(game)
        .flat_map(|items| items.items.iter().zip(items.ids().iter()).map(|of| (items.name, of)));
    let rows = all.flat_map(|(table, (item, id))| {
        (0..).zip(&analysis.tally.play.items).filter_map(move |(round, tallies)| {
            let tally = tallies.get(id.index()).filter(|tally| tally.taken.n > 0)?;
            Some(TakenRow { table, item, round, tally })
        })
    });
    Some(items_columns().table(analysis.provenance(), rows))
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
        .integer("round", "Round from 1.", |(round, ..)| *round)
        .integer("lead from", "Smallest lead; empty if it is open.", limit(0))
        .measured_in("points")
        .integer(("lead_to", "to"), "Largest lead; empty if it is open.", limit(1))
        .measured_in("points")
        .percent("win rate", win_rate, |(.., wins)| wins.rate(UNITS_PER_WIN))
        .n("n")
        .ci("ci")
        .provenance()
}

/// Tabulates the wins by lead; `None` for a single player.
pub(super) fn leads(analysis: &RunAnalysis<'_>) -> Option<DataTable> {
    let rows = (1..).zip(&analysis.tally.play.leads).flat_map(|(round, classes)| {
        let played = classes.iter().enumerate().filter(|(_, wins)| wins.n > 0);
        played.map(move |(class, wins)| (round, class, wins))
    });
    (analysis.players() > 1).then(|| leads_columns().table(analysis.provenance(), rows))
}

/// A change of a resource in a scope of the tally.
struct ResourceRow {
    scope: usize,
    resource: String,
    source: &'static str,
    flow: &'static str,
    changes: MeanSums,
}

fn resources_columns() -> Columns<ResourceRow> {
    let round = "Round from 1, 0 for the setup; empty for all rounds.";
    let title = "One row for each resource and source of its changes: of all seats in all rounds, \
                 of each seat in all rounds, and of all seats in each round. Of more than 1,000 \
                 blocks, the first 1,000 and each eighth after them are counted.";
    let amount = "Mean amount of a seat in a game, or in a game that has the round.";
    let or_all = |number: Option<usize>| number.map(|n| n.to_string()).unwrap_or_default();
    Columns::<ResourceRow>::new("resources", title)
        .text("resource", "Name of the resource.", |row| row.resource.clone())
        .text("source", "Source of the change, as the game names it.", |row| row.source)
        .word("flow", &["gained", "spent", "lost"], "Kind of the change.", |row| row.flow)
        .text("seat", "Seat from 0; empty for all seats.", move |row| {
            or_all(row.scope.checked_sub(1).filter(|_| row.scope < FIRST_ROUND))
        })
        .counted_from_1()
        .text("round", round, move |row| or_all(row.scope.checked_sub(FIRST_ROUND)))
        .estimate("amount", Unit::Decimals(2), amount, |row| {
            let mean = row.changes.mean();
            if row.flow == "gained" { mean } else { mean.negated() }
        })
        .n(("n", "seats"))
        .ci("ci")
        .provenance()
}

/// Tabulates the flow of resources; `None` for a game without resources.
pub(super) fn resources(game: &BoundGame, analysis: &RunAnalysis<'_>) -> Option<DataTable> {
    let flow = game.resource_flow();
    let names: Vec<_> = flow
        .kinds
        .iter()
        .flat_map(|kind| flow.sources.iter().map(move |&source| (kind, source)))
        .collect();
    let scopes = analysis.tally.resources.changes().enumerate();
    let rows = scopes.flat_map(|(scope, changes)| {
        let changes = changes.enumerate().filter(|(_, changes)| changes.ratio.x != 0);
        changes.map(|(index, changes)| (scope, names[index], changes)).collect::<Vec<_>>()
    });
    let row = |(scope, (resource, source), changes): (usize, (&String, &'static str), MeanSums)| {
        let taken = if source == flow.loss { "lost" } else { "spent" };
        let flow = if changes.ratio.x > 0 { "gained" } else { taken };
        ResourceRow { scope, resource: resource.clone(), source, flow, changes }
    };
    (!names.is_empty()).then(|| resources_columns().table(analysis.provenance(), rows.map(row)))
}

/// Names the resources that every seat has at the beginning of each round after the first.
pub(super) fn never_short(game: &BoundGame, analysis: &RunAnalysis<'_>) -> Option<String> {
    let kinds = game.resource_flow().kinds.into_iter().zip(&analysis.tally.resources.without);
    let never = kinds.filter(|(_, (seats, without))| *seats > 0 && *without == 0);
    let names = never.map(|(kind, _)| kind).collect::<Vec<_>>().join(", ");
    let sentence = "no seat was without it at the beginning of a round after the first";
    (!names.is_empty()).then(|| format!("Never short: {names}; {sentence}."))
}
