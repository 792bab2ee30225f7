//! The data tables of a run.

use super::{
    analysis::{NeverEvent, RunAnalysis, mean_rank, score_standard_deviation},
    columns::POINTS,
    game_rows,
    health_metrics::HealthMetric,
    items::ShownItems,
    panel_table, play_tables, playtests,
};
use crate::{
    arena::{
        rounds::RoundsTally,
        tally::{BotTally, OpeningTally, ResultTally, opening_steps},
    },
    game::RoundMetric,
    report::data_table::Value,
    stats::stratified::StratifiedDifference,
    study::shared::{convergence, prelude::*, reference},
};

/// Describes all tables, with placeholders for what depends on the game.
pub(super) fn schemas() -> Vec<Schema> {
    let items = ItemTable::new(["<items>", "<item>", "<taken>"], &["<property>"], [])
        .offered()
        .reservable()
        .scoring();
    let [items_by_round, leads, resources] = play_tables::schemas();
    vec![
        reference::schema(),
        panel_table::columns().schema(),
        convergence::schema(),
        playtests::columns().schema(),
        win_rates_columns().schema(),
        turn_order_columns().schema(),
        items_columns(&items).schema(),
        rounds_columns().schema(),
        health_columns().schema(),
        never_columns().schema(),
        openings_columns(1).schema(),
        items_by_round,
        leads,
        resources,
        game_rows::games_columns(1).schema(),
    ]
}

/// A bot in a seat, or in all seats.
type BotRow<'a> = (&'a RunAnalysis<'a>, &'a str, Option<usize>, &'a BotTally);

fn win_rates_columns<'a>() -> Columns<BotRow<'a>> {
    let title = "One row for each bot overall and for each bot in each seat.";
    let rank = "Mean rank from 1; equal scores share the mean of their ranks. Empty for 1 player.";
    let margin = "Mean of the score minus the best score of the others. Empty for 1 player.";
    let difference = "Win rate minus the mean win rate of the other seats, overall only. Games \
                      without a winner cancel.";
    let scope = "Games of the row: those of the bot in all seats, or in one. Rows of different \
                 scope count the same games.";
    Columns::<BotRow<'_>>::new("win_rates", title)
        .text("bot", "Name of the bot.", |(_, bot, ..)| *bot)
        .text("seat", "Seat from 0, or `all`.", |(.., seat, _)| {
            seat.map_or("all".to_owned(), |seat| seat.to_string())
        })
        .counted_from_1()
        .integer("games", "Games of the bot in the seat.", |(.., cell)| cell.wins.n)
        .number("wins", 4, "Sum of win shares.", |(.., cell)| {
            cell.wins.x as f64 / UNITS_PER_WIN as f64
        })
        .unit(Unit::Decimals(1))
        .win_rate(|(all, _, seat, cell)| {
            let rate = all.win_rate(&cell.wins);
            // An interval of a constant would suggest that it could have been another.
            let is_constant = seat.is_none() && all.has_constant_win_rate();
            if is_constant { Estimate::unbounded(rate.n, rate.value) } else { rate }
        })
        .mean_score(|(.., cell)| cell.scores.mean())
        .number(("sd_score", "SD of score"), 4, "Standard deviation of the score.", |(.., cell)| {
            score_standard_deviation(cell)
        })
        .measured_in("points")
        .estimate("mean rank", POINTS, rank, |(all, .., cell)| {
            (all.players() > 1).then(|| mean_rank(cell))
        })
        .estimate(
            ("mean_margin", "mean margin to the best opponent"),
            Unit::Signed(2),
            margin,
            |(all, .., cell)| (all.players() > 1).then(|| cell.margins.mean()),
        )
        .measured_in("points")
        .word(
            "scope",
            &["overall", "seat"],
            scope,
            |(.., seat, _)| {
                if seat.is_none() { "overall" } else { "seat" }
            },
        )
        .interval_of("mean_score")
        .interval_of("mean_rank")
        .interval_of("mean_margin")
        .percentage_points(
            ("difference", "difference from the other seats"),
            difference,
            |(all, _, seat, cell)| {
                if seat.is_none() { all.difference_from_others(cell) } else { None }
            },
        )
        .provenance()
}

/// Tabulates the win rates and scores of bots and seats.
pub(super) fn win_rates(analysis: &RunAnalysis<'_>) -> DataTable {
    let rows = analysis.bots_by_seat().map(|(bot, seat, cell)| (analysis, bot, seat, cell));
    win_rates_columns().table(analysis.provenance(), rows)
}

fn turn_order_columns<'a>() -> Columns<(&'a str, usize, &'a ResultTally)> {
    let title = "One row for each bot at each turn position.";
    let turn_position = "Position in the turn order, 0 for the first player.";
    Columns::<(&str, usize, &ResultTally)>::new("turn_order", title)
        .text("bot", "Name of the bot.", |(bot, ..)| *bot)
        .integer("turn position", turn_position, |(_, position, _)| *position)
        .counted_from_1()
        .integer(("n", "games"), "Games of the bot at the turn position.", |(.., results)| {
            results.wins.n
        })
        .win_rate(|(.., results)| results.wins.rate(UNITS_PER_WIN))
        .mean_score(|(.., results)| results.scores.mean())
        .provenance()
}

/// Tabulates the win rates at the turn positions.
pub(super) fn turn_order(analysis: &RunAnalysis<'_>) -> DataTable {
    turn_order_columns().table(analysis.provenance(), analysis.turn_positions())
}

/// An item with its counts, and its owners compared with those of the other items.
struct ItemRow<'a> {
    item: &'a Item,
    tally: &'a ItemTally,
    owners: Option<&'a StratifiedDifference>,
}

fn items_columns<'a>(items: &ItemTable) -> Columns<ItemRow<'a>> {
    let ItemTable { name, singular, taken_label: taken, offered, .. } = *items;
    let has_takers = items.reported_seats != ReportedSeats::None;
    let has_others = items.reported_seats == ReportedSeats::TakersAndNonTakers;
    let per_offer = "Share of the offers at which it was taken.";
    let round = "Mean round in which it was taken.";
    let position = "Mean number of items of the table taken in the same round up to it.";
    let without = "Win rate of the seats to which it was available and that did not take it.";
    let score = "Mean final score of the seats that took it.";
    let points = "Mean of the points that it scored itself, over the seats that scored with it.";
    let columns = Columns::<ItemRow<'_>>::new(name, format!("One row for each {singular}."));
    let columns = columns.text(singular, "Name of the item.", |row| row.item);
    let properties = items.properties.iter().enumerate();
    let columns = properties.fold(columns, |columns, (index, &name)| {
        let value = move |row: &ItemRow<'_>| row.item.properties[index].clone();
        columns.text_or_number(name, "Property of the item.", value)
    });
    let columns = columns
        .integer("offered", "Times it was offered.", |row| row.tally.taken.n)
        .only_if(offered)
        .integer("reserved", "Times it was reserved.", |row| row.tally.reserved)
        .only_if(items.reservable)
        .integer(taken, "Times it was taken.", |row| row.tally.times_taken)
        .percent(format!("{taken} per offer"), per_offer, |row| row.tally.taken.rate(1))
        .only_if(offered)
        .estimate(format!("mean round {taken}"), POINTS, round, |row| row.tally.rounds.mean())
        .measured_in("rounds")
        .estimate(format!("mean position {taken}"), POINTS, position, |row| {
            row.tally.positions.mean()
        })
        .group_win_rate("with", "Win rate of the seats that took it.", |row| &row.tally.wins_with)
        .only_if(has_takers)
        .group_win_rate("without", without, |row| &row.tally.wins_without)
        .only_if(has_others);
    with_owners(columns, has_takers)
        .estimate(("with_mean_score", "mean score with"), POINTS, score, |row| {
            row.tally.scores_with.mean()
        })
        .measured_in("points")
        .only_if(has_takers)
        .estimate("mean own points", POINTS, points, |row| row.tally.points.mean())
        .measured_in("points")
        .n(("mean_own_points_n", "n own points"))
        .only_if(items.scoring)
        .provenance()
        .label()
}

/// Tabulates the items of a table.
pub(super) fn items(analysis: &RunAnalysis<'_>, shown: &ShownItems) -> DataTable {
    let ShownItems { items, tallies, comparisons } = shown;
    let comparisons = comparisons.iter().map(Some).chain(std::iter::repeat(None));
    let rows = items.items.iter().zip(tallies).zip(comparisons);
    let rows = rows.map(|((item, tally), owners)| ItemRow { item, tally, owners });
    items_columns(items).table(analysis.provenance(), rows)
}

/// Adds the columns of the seats that took an item, compared with those that took as many others.
fn with_owners(columns: Columns<ItemRow<'_>>, has_takers: bool) -> Columns<ItemRow<'_>> {
    let others = "Win rate of the seats that did not take it and took as many items of the table; \
                  seats with each number are weighted by those that took it.";
    let above = "Win rate of the seats that took it minus `others_win_rate`, over the numbers of \
                 items for which there are others. Both play the same games, so the interval is \
                 the widest of any correlation.";
    columns
        .percent(("others_win_rate", "win rate of others"), others, |row| {
            row.owners.map(|owners| owners.others)
        })
        .only_if(has_takers)
        .percentage_points("above others", above, |row| {
            row.owners.map(|owners| owners.difference.estimate())
        })
        .only_if(has_takers)
}

/// A metric with its sums in a round; none at the end.
type RoundRow<'a> = (Option<u64>, &'a RoundMetric, &'a MeanSums);

fn rounds_columns<'a>() -> Columns<RoundRow<'a>> {
    let mean = "Mean; 6 decimals for a share.";
    let title = "One row for each round metric of the game, in each round and at the end.";
    let when = "Before the last decision of the round, or at the end of the game.";
    Columns::<RoundRow<'_>>::new("rounds", title)
        .text_or_number("round", "Round from 1; empty at the end.", |(round, ..)| {
            round.map(|round| round.to_string())
        })
        .word(
            "when",
            &["round", "end"],
            when,
            |(round, ..)| {
                if round.is_some() { "round" } else { "end" }
            },
        )
        .text("metric", "Name of the metric.", |(_, metric, _)| metric.name)
        .estimate(("mean", "mean or share"), POINTS, mean, |(_, metric, sums)| {
            if metric.is_share {
                Value::EstimateIn(sums.ratio.rate(1), Unit::Percent)
            } else {
                sums.mean().into()
            }
        })
        .n("n")
        .ci("ci")
        .provenance()
}

/// Tabulates the metrics of each round.
pub(super) fn rounds(analysis: &RunAnalysis<'_>, metrics: &[RoundMetric]) -> DataTable {
    let RoundsTally { rounds, end } = &analysis.tally.round_metrics;
    let rounds = rounds.iter().zip(1..).map(|(sums, round)| (Some(round), sums));
    let rows = rounds.chain([(None, end)]).flat_map(|(round, sums)| {
        let observed = metrics.iter().zip(sums).filter(|(_, sums)| sums.ratio.n > 0);
        observed.map(move |(metric, sums)| (round, metric, sums))
    });
    rounds_columns().table(analysis.provenance(), rows)
}

fn health_columns() -> Columns<(HealthMetric, Estimate)> {
    let title = "One row for each metric of the games apart from who won.";
    let value =
        "Rate, mean, or statistic of the distribution over games; the latter has no interval.";
    Columns::<(HealthMetric, Estimate)>::new("health", title)
        .text("metric", "Name of the metric.", |(metric, _)| {
            Value::Item(metric.key(), metric.title())
        })
        .estimate("value", POINTS, value, |&(metric, estimate)| match estimate.value {
            value if metric.is_count() => (!value.is_nan()).then_some(value as i64).into(),
            _ if metric.is_rate() => Value::EstimateIn(estimate, Unit::Percent),
            _ => Value::from(estimate),
        })
        .decimals(6)
        .ci("ci")
        .integer("n", "Number of observations.", |(_, estimate)| estimate.n)
        .interval_of("value")
        .provenance()
}

/// Tabulates the metrics of whole games.
pub(super) fn health(game: &BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let metrics = analysis.health_metrics(game.end_reasons());
    health_columns().table(analysis.provenance(), metrics)
}

fn never_columns() -> Columns<(NeverEvent, u64)> {
    let title = "One row for each item or kind of action to which an event never happened.";
    let never = "The event: `offered`, `legal`, or the word for taking an item of the table.";
    Columns::<(NeverEvent, u64)>::new("never", title)
        .text("never", never, |(event, _)| event.event)
        .text("kind", "Kind of item, or `action`.", |(event, _)| event.kind)
        .text("name", "Name of the item or kind of action.", |(event, _)| {
            Value::Item(event.name.clone(), event.label.clone())
        })
        .integer("games", "Games played.", |(_, games)| *games)
        .provenance()
        .label()
}

/// Tabulates what never happened.
pub(super) fn never(game: &BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let games = analysis.tally.games;
    let rows = analysis.never_happened(game).into_iter().map(|event| (event, games));
    never_columns().table(analysis.provenance(), rows)
}

/// An opening: turn position, steps, results, and difference from the turn position.
struct OpeningRow<'a> {
    position: usize,
    steps: Vec<Value>,
    results: &'a OpeningTally,
    expected: Estimate,
    difference: Estimate,
}

fn openings_columns<'a>(steps: usize) -> Columns<OpeningRow<'a>> {
    let title = "One row for each opening at each turn position, the highest lower end of \
                 `above_turn_position` first; `other` holds the openings beyond the limit.";
    let position = "Position in the turn order, 0 for the first player.";
    let expected = "Win rate of all seats at the turn position.";
    let difference = "Win rate minus that of all seats at the turn position.";
    let columns = Columns::<OpeningRow<'_>>::new("openings", title)
        .integer("turn position", position, |row| row.position)
        .counted_from_1();
    (1..=steps)
        .fold(columns, |columns, step| {
            let value = move |row: &OpeningRow<'_>| row.steps[step - 1].clone();
            columns.text(format!("step {step}"), "Step of the opening.", value)
        })
        .win_rate(|row| row.results.wins.rate(UNITS_PER_WIN))
        .n("n")
        .percent(
            ("expected_from_turn_position", "win rate of the turn position"),
            expected,
            |row| row.expected,
        )
        .n(("expected_from_turn_position_n", "n of the turn position"))
        .percentage_points(("above_turn_position", "difference"), difference, |row| row.difference)
        .mean_score(|row| row.results.scores.mean())
        .provenance()
}

/// Tabulates the openings, the ranked ones first.
pub(super) fn openings(game: &BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let steps = opening_steps(analysis.setup.question.opening_depth);
    let tally = analysis.tally;
    let row = |position: usize, steps, results, difference| OpeningRow {
        position,
        steps,
        results,
        expected: tally.turn_positions[position].rate(UNITS_PER_WIN),
        difference,
    };
    let ranked = analysis.rank_openings().into_iter().map(|ranked| {
        let steps = ranked.opening.steps()[..steps].iter().map(|&step| {
            if step == 0 { Value::Missing } else { game.opening_step_text(step).into() }
        });
        row(ranked.opening.turn_position(), steps.collect(), ranked.results, ranked.difference)
    });
    let others = tally.openings.others.iter().enumerate();
    let others = others.filter(|(_, results)| results.wins.n > 0).map(|(position, results)| {
        let difference = tally.opening_difference(position, results);
        row(position, vec![Value::from("other"); steps], results, difference)
    });
    openings_columns(steps).table(analysis.provenance(), ranked.chain(others))
}
