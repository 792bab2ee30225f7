//! The data tables of a run.

use super::{
    analysis::{RunAnalysis, ShownItems, mean_rank, score_standard_deviation},
    card::{self, HealthCard},
    panel::{self, PanelAnalysis},
    play_tables::{self, PlayTables},
    setup::RunSetup,
};
use crate::{
    arena::{
        rounds::RoundsTally,
        run::GameRow,
        tally::{ItemTally, opening_steps},
    },
    bound::BoundGame,
    game::{ItemTable, ReportedSeats, RoundMetric, Seat, UNITS_PER_WIN},
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
    },
    stats::ratio::Estimate,
};

/// Format of scores and their means.
pub(crate) const POINTS: Unit = Unit::Decimals(2);

/// The tables of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunTables {
    /// None if different bots have the seats.
    pub(crate) panel: Option<DataTable>,
    pub(crate) card: DataTable,
    pub(crate) win_rates: DataTable,
    /// None for a single player.
    pub(crate) turn_order: Option<DataTable>,
    pub(crate) items: Vec<DataTable>,
    /// None for a game without round metrics.
    pub(crate) rounds: Option<DataTable>,
    pub(crate) health: DataTable,
    pub(crate) never: DataTable,
    pub(crate) openings: DataTable,
    pub(crate) play: PlayTables,
}

impl RunTables {
    /// Tabulates the results of a run. `items` are the items to show.
    pub(crate) fn new(
        game: &dyn BoundGame,
        analysis: &RunAnalysis<'_>,
        panel: Option<&PanelAnalysis<'_>>,
        card: &HealthCard,
        items: &[ShownItems],
    ) -> Self {
        let metrics = game.round_metrics();
        Self {
            panel: panel.map(PanelAnalysis::data_table),
            card: card.data_table(analysis),
            win_rates: win_rates(analysis),
            turn_order: (analysis.players() > 1).then(|| turn_order(analysis)),
            items: items.iter().map(|items| item_table(analysis, items)).collect(),
            rounds: (!metrics.is_empty()).then(|| rounds(analysis, metrics)),
            health: health(analysis),
            never: never(game, analysis),
            openings: openings(game, analysis),
            play: PlayTables::new(game, analysis),
        }
    }

    /// Returns all tables in their order.
    pub(crate) fn into_tables(self) -> Vec<DataTable> {
        let Self { panel, card, win_rates, turn_order, items, rounds, health, .. } = self;
        let tables = panel.into_iter().chain([card, win_rates]).chain(turn_order);
        let tables = tables.chain(items).chain(rounds).chain([health, self.never, self.openings]);
        tables.chain(self.play.into_tables()).collect()
    }
}

/// Describes all tables, with placeholders for what depends on the game.
pub(super) fn schemas() -> Vec<Schema> {
    let items = ItemTable::new(["<items>", "<item>", "<taken>"], &["<property>"], [])
        .offered()
        .reservable()
        .scoring();
    let [choices, items_by_round, leads] = play_tables::schemas();
    vec![
        panel::schema(),
        card::schema(),
        win_rates_schema(),
        turn_order_schema(),
        items_schema(&items),
        rounds_schema(),
        health_schema(),
        never_schema(),
        openings_schema(1),
        choices,
        items_by_round,
        leads,
        games_schema(1),
    ]
}

pub(super) fn new_table(schema: Schema, setup: &RunSetup) -> DataTable {
    DataTable::new(schema, &setup.question.data.provenance)
}

fn win_rate_column() -> Column {
    Column::estimate("win_rate", "win rate", Unit::Percent, "Mean win share.").ci("ci")
}

fn mean_score_column() -> Column {
    Column::estimate("mean_score", "mean score", POINTS, "Mean final score.").measured_in("points")
}

fn win_rates_schema() -> Schema {
    let rank = "Mean rank from 1; equal scores share the mean of their ranks. Empty for 1 player.";
    let margin = "Mean of the score minus the best score of the others. Empty for 1 player.";
    let difference = "Win rate minus the mean win rate of the other seats, overall only. Games \
                      without a winner cancel.";
    Schema::new("win_rates", "One row for each bot overall and for each bot in each seat.")
        .column(Column::text("bot", "bot", "Name of the bot."))
        .column(Column::text("seat", "seat", "Seat from 0, or `all`.").counted_from_1())
        .column(Column::integer("games", "games", "Games of the bot in the seat."))
        .column(Column::number("wins", "wins", 4, "Sum of win shares.").unit(Unit::Decimals(1)))
        .column(win_rate_column())
        .column(mean_score_column())
        .column(
            Column::number("sd_score", "SD of score", 4, "Standard deviation of the score.")
                .measured_in("points"),
        )
        .column(Column::estimate("mean_rank", "mean rank", POINTS, rank))
        .column(
            Column::estimate(
                "mean_margin",
                "mean margin to the best opponent",
                Unit::Signed(2),
                margin,
            )
            .measured_in("points"),
        )
        .column(Column::word("scope", "scope", &["overall", "seat"], "Seats of the row."))
        .interval_of("mean_score")
        .interval_of("mean_rank")
        .interval_of("mean_margin")
        .column(Column::estimate(
            "difference",
            "difference from the other seats",
            Unit::PercentagePoints,
            difference,
        ))
        .provenance()
}

fn win_rates(analysis: &RunAnalysis<'_>) -> DataTable {
    let mut table = new_table(win_rates_schema(), analysis.setup);
    let alone = analysis.players() == 1;
    for (bot, seat, cell) in analysis.bots_by_seat() {
        let compared = |value: Estimate| if alone { Value::Missing } else { value.into() };
        let difference = if seat.is_none() { analysis.difference_from_others(cell) } else { None };
        table.push([
            bot.into(),
            seat.map_or("all".to_owned(), |seat| seat.to_string()).into(),
            cell.wins.n.into(),
            Value::Number(cell.wins.x as f64 / UNITS_PER_WIN as f64),
            analysis.win_rate(&cell.wins).into(),
            cell.scores.mean().into(),
            Value::Number(score_standard_deviation(cell)),
            compared(mean_rank(cell)),
            compared(cell.margins.mean()),
            if seat.is_none() { "overall" } else { "seat" }.into(),
            difference.into(),
        ]);
    }
    table
}

fn turn_order_schema() -> Schema {
    Schema::new("turn_order", "One row for each bot at each turn position.")
        .column(Column::text("bot", "bot", "Name of the bot."))
        .column(
            Column::integer(
                "turn_position",
                "turn position",
                "Position in the turn order, 0 for the first player.",
            )
            .counted_from_1(),
        )
        .column(Column::integer("n", "games", "Games of the bot at the turn position."))
        .column(win_rate_column())
        .column(mean_score_column())
        .provenance()
}

fn turn_order(analysis: &RunAnalysis<'_>) -> DataTable {
    let mut table = new_table(turn_order_schema(), analysis.setup);
    for (bot, position, results) in analysis.turn_positions() {
        table.push([
            bot.into(),
            position.into(),
            results.wins.n.into(),
            results.wins.rate(UNITS_PER_WIN).into(),
            results.scores.mean().into(),
        ]);
    }
    table
}

/// A column of an item table, present if the first value is true, with its value for an item.
type OptionalColumn = (bool, Column, fn(&ItemTally) -> Value);

/// A column of an item table with its value for an item.
type ItemColumn = (Column, fn(&ItemTally) -> Value);

/// Returns the column of the win rate of a group of seats.
fn group_win_rate(group: &str, description: &'static str) -> Column {
    let (key, title) = (format!("{group}_win_rate"), format!("win rate {group}"));
    let column = Column::estimate(key, title, Unit::Percent, description);
    column.n(format!("{group}_n"), format!("n {group}")).ci(format!("{group}_ci"))
}

/// Returns the columns after the name and the properties of an item.
fn item_columns(items: &ItemTable) -> Vec<ItemColumn> {
    let ItemTable { taken_label: taken, offered, reservable, reported_seats, scoring, .. } = *items;
    let count = |key: &str, description| Column::integer(key, key, description);
    let mean =
        |key: &str, title: &str, description| Column::estimate(key, title, POINTS, description);
    let mean_taken = |key: &str, description| {
        mean(&format!("mean_{key}_{taken}"), &format!("mean {key} {taken}"), description)
    };
    let per_offer = Column::estimate(
        format!("{taken}_per_offer"),
        format!("{taken} per offer"),
        Unit::Percent,
        "Share of the offers at which it was taken.",
    );
    let has_takers = reported_seats != ReportedSeats::None;
    let has_others = reported_seats == ReportedSeats::TakersAndNonTakers;
    let columns: [OptionalColumn; 10] = [
        (offered, count("offered", "Times it was offered."), |tally| tally.taken.n.into()),
        (reservable, count("reserved", "Times it was reserved."), |tally| tally.reserved.into()),
        (true, count(taken, "Times it was taken."), |tally| tally.times_taken.into()),
        (offered, per_offer, |tally| tally.taken.rate(1).into()),
        (
            true,
            mean_taken("round", "Mean round in which it was taken.").measured_in("rounds"),
            |tally| tally.rounds.mean().into(),
        ),
        (
            true,
            mean_taken(
                "position",
                "Mean number of items of the table taken in the same round up to it.",
            ),
            |tally| tally.positions.mean().into(),
        ),
        (has_takers, group_win_rate("with", "Win rate of the seats that took it."), |tally| {
            tally.wins_with.rate(UNITS_PER_WIN).into()
        }),
        (
            has_others,
            group_win_rate(
                "without",
                "Win rate of the seats to which it was available and that did not take it.",
            ),
            |tally| tally.wins_without.rate(UNITS_PER_WIN).into(),
        ),
        (
            has_takers,
            mean(
                "with_mean_score",
                "mean score with",
                "Mean final score of the seats that took it.",
            )
            .measured_in("points"),
            |tally| tally.scores_with.mean().into(),
        ),
        (
            scoring,
            mean(
                "mean_own_points",
                "mean own points",
                "Mean of the points that it scored itself, over the seats that scored with it.",
            )
            .measured_in("points")
            .n("mean_own_points_n", "n own points"),
            |tally| tally.points.mean().into(),
        ),
    ];
    let columns = columns.into_iter().filter(|(is_reported, ..)| *is_reported);
    columns.map(|(_, column, value)| (column, value)).collect()
}

fn items_schema(items: &ItemTable) -> Schema {
    let ItemTable { name, singular, properties, .. } = items;
    let property = |&name: &&'static str| Column::label(name, name, "Property of the item.");
    Schema::new(*name, format!("One row for each {singular}."))
        .column(Column::text(*singular, *singular, "Name of the item."))
        .columns(properties.iter().map(property))
        .columns(item_columns(items).into_iter().map(|(column, _)| column))
        .provenance()
        .label()
}

fn item_table(analysis: &RunAnalysis<'_>, ShownItems { items, tallies }: &ShownItems) -> DataTable {
    let mut table = new_table(items_schema(items), analysis.setup);
    let columns = item_columns(items);
    for (item, tally) in items.items.iter().zip(tallies) {
        let properties = item.properties.iter().map(Value::from);
        let values = columns.iter().map(|(_, value)| value(tally));
        table.push(std::iter::once(item.into()).chain(properties).chain(values));
    }
    table
}

fn rounds_schema() -> Schema {
    let title = "One row for each round metric of the game, in each round and at the end.";
    let when = "Before the last decision of the round, or at the end of the game.";
    Schema::new("rounds", title)
        .column(Column::label("round", "round", "Round from 1; empty at the end."))
        .column(Column::word("when", "when", &["round", "end"], when))
        .column(Column::text("metric", "metric", "Name of the metric."))
        .column(
            Column::estimate("mean", "mean or share", POINTS, "Mean; 6 decimals for a share.")
                .n("n", "n")
                .ci("ci"),
        )
        .provenance()
}

fn rounds(analysis: &RunAnalysis<'_>, metrics: &[RoundMetric]) -> DataTable {
    let mut table = new_table(rounds_schema(), analysis.setup);
    let RoundsTally { rounds, end } = &analysis.tally.round_metrics;
    let rounds = rounds.iter().zip(1..).map(|(sums, round): (_, u64)| (Some(round), sums));
    for (round, sums) in rounds.chain([(None, end)]) {
        for (metric, sums) in metrics.iter().zip(sums).filter(|(_, sums)| sums.ratio.n > 0) {
            let mean = if metric.is_share {
                Value::EstimateIn(sums.ratio.rate(1), Unit::Percent)
            } else {
                sums.mean().into()
            };
            table.push([
                round.map(|round| round.to_string()).into(),
                if round.is_some() { "round" } else { "end" }.into(),
                metric.name.into(),
                mean,
            ]);
        }
    }
    table
}

fn health_schema() -> Schema {
    let value =
        "Rate, mean, or statistic of the distribution over games; the latter has no interval.";
    Schema::new("health", "One row for each metric of the games apart from who won.")
        .column(Column::text("metric", "metric", "Name of the metric."))
        .column(Column::estimate("value", "value", POINTS, value).decimals(6).ci("ci"))
        .column(Column::integer("n", "n", "Number of observations."))
        .interval_of("value")
        .provenance()
}

fn health(analysis: &RunAnalysis<'_>) -> DataTable {
    let mut table = new_table(health_schema(), analysis.setup);
    for (metric, estimate) in analysis.health_metrics() {
        let value = match estimate.value {
            value if metric.is_count() && value.is_nan() => Value::Missing,
            value if metric.is_count() => Value::Integer(value as i64),
            _ if metric.is_rate() => Value::EstimateIn(estimate, Unit::Percent),
            _ => estimate.into(),
        };
        table.push([metric.key().into(), value, estimate.n.into()]);
    }
    table
}

fn never_schema() -> Schema {
    let never = "The event: `offered`, `legal`, or the word for taking an item of the table.";
    Schema::new(
        "never",
        "One row for each item or kind of action to which an event never happened.",
    )
    .column(Column::text("never", "never", never))
    .column(Column::text("kind", "kind", "Kind of item, or `action`."))
    .column(Column::text("name", "name", "Name of the item or kind of action."))
    .column(Column::integer("games", "games", "Games played."))
    .provenance()
    .label()
}

fn never(game: &dyn BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let mut table = new_table(never_schema(), analysis.setup);
    for event in analysis.never_happened(game) {
        let games = analysis.tally.games.into();
        let item = Value::Item(event.name, event.label);
        table.push([event.event.into(), event.kind.into(), item, games]);
    }
    table
}

fn openings_schema(steps: usize) -> Schema {
    let title = "One row for each opening at each turn position, the highest lower end of \
                 `above_turn_position` first; `other` holds the openings beyond the limit.";
    let position = "Position in the turn order, 0 for the first player.";
    let expected = "Win rate of all seats at the turn position.";
    let difference = "Win rate minus that of all seats at the turn position.";
    Schema::new("openings", title)
        .column(Column::integer("turn_position", "turn position", position).counted_from_1())
        .columns((1..=steps).map(|step| {
            Column::text(format!("step_{step}"), format!("step {step}"), "Step of the opening.")
        }))
        .column(win_rate_column().n("n", "n"))
        .column(
            Column::estimate(
                "expected_from_turn_position",
                "win rate of the turn position",
                Unit::Percent,
                expected,
            )
            .n("expected_from_turn_position_n", "n of the turn position"),
        )
        .column(Column::estimate(
            "above_turn_position",
            "difference",
            Unit::PercentagePoints,
            difference,
        ))
        .column(mean_score_column())
        .provenance()
}

fn openings(game: &dyn BoundGame, analysis: &RunAnalysis<'_>) -> DataTable {
    let steps = opening_steps(analysis.setup.question.opening_depth);
    let mut table = new_table(openings_schema(steps), analysis.setup);
    let tally = analysis.tally;
    let ranked = analysis.rank_openings().into_iter().map(|ranked| {
        let steps = ranked.opening.steps()[..steps].iter().map(|&step| {
            if step == 0 { Value::Missing } else { game.opening_step_text(step).into() }
        });
        let position = ranked.opening.turn_position();
        (position, steps.collect::<Vec<_>>(), ranked.results, ranked.difference)
    });
    let others = tally.other_openings.iter().enumerate();
    let others = others.filter(|(_, results)| results.wins.n > 0).map(|(position, results)| {
        let difference = tally.opening_difference(position, results);
        (position, vec![Value::from("other"); steps], results, difference)
    });
    for (position, steps, results, difference) in ranked.chain(others) {
        let mut row = vec![position.into()];
        row.extend(steps);
        row.extend([
            results.wins.rate(UNITS_PER_WIN).into(),
            tally.turn_positions[position].rate(UNITS_PER_WIN).into(),
            difference.into(),
            results.scores.mean().into(),
        ]);
        table.push(row);
    }
    table
}

fn games_schema(players: usize) -> Schema {
    let seat_columns = |seat: usize| {
        [
            Column::text(format!("bot_{seat}"), format!("bot {seat}"), "Bot in the seat."),
            Column::integer(format!("score_{seat}"), format!("score {seat}"), "Final score.")
                .measured_in("points"),
            Column::number(
                format!("win_share_{seat}"),
                format!("win share {seat}"),
                4,
                "Share of the win.",
            ),
        ]
    };
    Schema::new("games", "One row for each game; the last columns are repeated for each seat.")
        .column(Column::integer("index", "index", "Index of the game in the run."))
        .column(Column::integer("block", "block", "Block of the game."))
        .column(Column::integer("rotation", "rotation", "Rotation of the bots in the block."))
        .column(Column::integer("rounds", "rounds", "Rounds played."))
        .column(Column::integer("events", "events", "Events, chance and decisions."))
        .column(Column::integer("capped", "capped", "1 if the round limit ended the game."))
        .columns((0..players).flat_map(seat_columns))
        .provenance()
}

/// Returns the header line of `games.csv`.
pub(crate) fn games_header(players: usize) -> Vec<u8> {
    games_schema(players).csv_header()
}

/// Returns the lines of `games.csv` for these games.
pub(crate) fn games_lines(setup: &RunSetup, rows: &[GameRow]) -> Vec<u8> {
    let players = setup.identity.players;
    let mut table = new_table(games_schema(players), setup);
    for row in rows {
        let GameRow { index, block, rotation, events, .. } = *row;
        let mut values: Vec<Value> =
            [index, block, rotation, row.outcome.rounds.into(), events].map(Value::from).into();
        values.push(Value::Integer(row.outcome.hit_round_limit.into()));
        for seat in 0..players {
            let share = row.outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64;
            values.push(setup.question.bots[row.bot_in[seat]].name.as_str().into());
            values.push(Value::Integer(row.outcome.scores[seat].into()));
            values.push(Value::Number(share));
        }
        table.push(values);
    }
    table.csv_rows()
}
