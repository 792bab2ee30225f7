//! The tables of `calibrate` and its terminal text.

use std::fmt::Write as _;

use super::analysis::{BotCalibration, CHANCES, CalibrationRow, SEATS, Source, TENTHS};
use crate::report::{
    data_table::{Column, DataTable, Schema, Value},
    html::{Unit, format_percent, group_digits},
    provenance::Claim,
    text::truncate,
};

/// Name of all kinds of action together.
const ALL_KINDS: &str = "all";
/// Maximum width of the name of a bot in terminal text.
const BOT_WIDTH: usize = 60;

/// The experiment as named in every row.
#[derive(Clone, Copy, Debug)]
pub struct CalibrationSubject<'a> {
    /// Name of the game.
    pub game: &'a str,
    /// Number of players.
    pub players: usize,
    /// Names of the kinds of action.
    pub kinds: &'a [&'a str],
}

/// Results of a named bot.
#[derive(Clone, Debug)]
pub struct NamedCalibration {
    /// Name of the bot.
    pub bot: String,
    /// True if its search has a prior.
    pub has_prior: bool,
    /// Results.
    pub results: BotCalibration,
}

fn schema(name: &str, title: &str) -> Schema {
    Schema::new(name, title)
        .column(Column::text("game", "game", "Game."))
        .column(Column::integer("players", "players", "Number of players."))
        .column(Column::text("bot", "bot", "Bot."))
        .column(Column::integer("iterations", "iterations", "Mean iterations of a search."))
}

fn source_column() -> Column {
    Column::word(
        "source",
        "of",
        &Source::NAMES,
        "`position` for the mean rewards of all iterations of a search, `action` for those of the \
         iterations that start with the chosen action.",
    )
}

/// Describes `calibration.csv`.
fn calibration_schema() -> Schema {
    schema("calibration", "Win chances of searches in a tenth, against the share won.")
        .column(source_column())
        .column(Column::word(
            "seat",
            "seat",
            &SEATS,
            "`mover` for the seat to move, `others` for each other seat; without `others` if \
             there is one, whose chance is the complement.",
        ))
        .column(Column::word(
            "chance",
            "chance",
            &CHANCES,
            "`raw` for mean rewards, `calibrated` for chances by the map that is fitted to the \
             other half of the games.",
        ))
        .column(Column::text("tenth", "tenth", "Range of the chance."))
        .column(Column::integer("games", "games", "Games with such a chance."))
        .column(
            Column::number("mean_chance", "mean chance %", 6, "Mean chance.").unit(Unit::Percent),
        )
        .column(
            Column::estimate("won", "won", Unit::Percent, "Share of the chances that were won.")
                .n("n", "n"),
        )
        .column(Column::word(
            "is_calibrated",
            "calibrated",
            &["yes", "no"],
            "`yes` if the mean chance is within 3 points of the share won, or in its interval.",
        ))
        .provenance()
}

/// Describes `chance_maps.csv`.
fn map_schema() -> Schema {
    let parameter = |key: &str, description| {
        let title = key.replace("calibrated_log_loss", "with map").replace("log_loss", "loss");
        Column::number(key, title, 4, description).unit(Unit::Decimals(4))
    };
    schema("chance_maps", "Map from the mean rewards of searches to win chances.")
        .column(source_column())
        .column(Column::integer("games", "games", "Games with a search."))
        .column(Column::integer("decisions", "decisions", "Decisions with a search."))
        .column(Column::estimate(
            "slope",
            "slope",
            Unit::Decimals(2),
            "Exponent of the odds of two seats; below 1 for a search that is too confident. \
                 The interval is that of the delete-a-group jackknife with 10 groups of blocks.",
        ))
        .column(parameter("mover", "Logarithm of the factor of the odds of the seat to move."))
        .column(parameter(
            "nobody",
            "Logarithm of the factor of the odds that nobody wins; empty if somebody always wins.",
        ))
        .column(
            parameter("log_loss", "Mean cross entropy of the results under the mean rewards.")
                .measured_in("nats"),
        )
        .column(
            parameter(
                "calibrated_log_loss",
                "The same under the maps that are fitted to the other half of the games.",
            )
            .measured_in("nats"),
        )
        .provenance()
}

/// Describes `policy_rank.csv`.
fn rank_schema() -> Schema {
    let share = |key, title, description| Column::estimate(key, title, Unit::Percent, description);
    schema("policy_rank", "Rank of the chosen action in the prior of the search.")
        .column(Column::text("kind", "kind", "Kind of the chosen action; `all` for all kinds."))
        .column(
            share("first", "first", "Share of decisions whose action is the first of the prior.")
                .n("n", "n"),
        )
        .column(share("within_3", "first 3", "The same for the first three."))
        .column(share("within_5", "first 5", "The same for the first five."))
        .provenance()
}

/// Describes all tables.
pub fn schemas() -> [Schema; 3] {
    [calibration_schema(), rank_schema(), map_schema()]
}

/// Returns the name of a tenth.
pub(super) fn tenth_name(tenth: usize) -> String {
    let end = |tenth: usize| tenth as f64 / TENTHS as f64;
    format!("{:.1}-{:.1}", end(tenth), end(tenth + 1))
}

/// Returns the tables of all bots.
pub(super) fn tables(
    question: &CalibrationSubject<'_>,
    bots: &[NamedCalibration],
    provenance: &Claim,
) -> [DataTable; 3] {
    let [mut calibration, mut ranks, mut maps] =
        schemas().map(|schema| DataTable::new(schema, provenance));
    for NamedCalibration { bot, has_prior, results } in bots {
        let head = || -> [Value; 4] {
            [question.game.into(), question.players.into(), bot.into(), results.iterations.into()]
        };
        for row in &results.rows {
            calibration.push(head().into_iter().chain([
                row.source.as_str().into(),
                SEATS[row.seat].into(),
                CHANCES[row.chance].into(),
                tenth_name(row.tenth).into(),
                row.games.into(),
                Value::Number(row.mean_chance),
                row.won.into(),
                if row.is_calibrated() { "yes" } else { "no" }.into(),
            ]));
        }
        for row in &results.maps {
            maps.push(head().into_iter().chain([
                row.source.as_str().into(),
                results.games.into(),
                results.decisions.into(),
                row.slope.into(),
                Value::Number(row.map.mover),
                row.map.nobody.map_or(Value::Missing, Value::Number),
                Value::Number(row.loss),
                Value::Number(row.calibrated_loss),
            ]));
        }
        for row in results.ranks.iter().filter(|_| *has_prior) {
            let kind = row.kind.map_or(ALL_KINDS, |kind| question.kinds[kind as usize]);
            let within = row.within.map(Value::from);
            ranks.push(head().into_iter().chain([kind.into()]).chain(within));
        }
    }
    [calibration, ranks, maps]
}

/// States for each bot how many tenths are calibrated and where the chosen actions are in the
/// prior.
pub(super) fn summary(bots: &[NamedCalibration]) -> String {
    let mut text = String::new();
    for NamedCalibration { bot, has_prior, results } in bots {
        let [raw, calibrated] = [0, 1].map(|chance| {
            let (calibrated, all) = results.calibrated_tenths(chance);
            format!("{calibrated} of {all}")
        });
        let _ = write!(
            text,
            "The win chances of {bot} are calibrated in {raw} tenths without a map and in \
             {calibrated} with it ({} decisions of {} games). ",
            group_digits(results.decisions),
            group_digits(results.games),
        );
        if let Some(all) = results.ranks.first().filter(|_| *has_prior) {
            let [first, within_3, _] = all.within.map(format_percent);
            let _ = write!(
                text,
                "The chosen action is within the first three of the prior in {within_3} of \
                 decisions, and the first in {first}. "
            );
        }
    }
    text.trim_end().to_owned()
}

/// Returns the terminal text: the answers, the chances of the seat to move, the ranks and the maps.
pub(super) fn text(bots: &[NamedCalibration], tables: &[DataTable; 3]) -> String {
    let [calibration, ranks, maps] = tables;
    let mut text = String::new();
    for NamedCalibration { bot, has_prior, results } in bots {
        if bots.len() > 1 {
            let _ = writeln!(text, "{}:", truncate(bot, BOT_WIDTH));
        }
        let [(raw, of_raw), (calibrated, of_calibrated)] =
            [0, 1].map(|chance| results.calibrated_tenths(chance));
        let _ = writeln!(
            text,
            "The win chances are calibrated in {raw} of {of_raw} tenths, with the map in \
             {calibrated} of {of_calibrated}."
        );
        if let Some(all) = results.ranks.first().filter(|_| *has_prior) {
            let within_3 = format_percent(all.within[1]);
            let _ = writeln!(
                text,
                "The chosen action is within the first 3 of the prior in {within_3}."
            );
        }
        let (decisions, games) = (group_digits(results.decisions), group_digits(results.games));
        let _ = writeln!(text, "{decisions} decisions of {games} games");
    }
    for (index, chance) in CHANCES.iter().enumerate() {
        let rows = || bots.iter().flat_map(|bot| &bot.results.rows);
        let is_shown = |row: &CalibrationRow| {
            row.source == Source::Position && row.seat == 0 && row.chance == index
        };
        let shown = (0..).zip(rows()).filter(|(_, row)| is_shown(row)).map(|(index, _)| index);
        let _ = writeln!(text, "\n{chance} chances of the seat to move [95 % CI]");
        let keys = bot_key(bots, &["tenth", "games", "n", "mean_chance", "won", "is_calibrated"]);
        text += &calibration.view().select(&keys).rows(shown).text();
    }
    if !ranks.rows().is_empty() {
        text += "\nrank of the chosen action in the prior [95 % CI]\n";
        let keys = bot_key(bots, &["kind", "n", "first", "within_3"]);
        text += &ranks.view().select(&keys).text();
    }
    text += "\nmaps from mean rewards to win chances [95 % CI]\n";
    let parameters = ["source", "slope", "mover", "nobody", "log_loss", "calibrated_log_loss"];
    text + &maps.view().select(&bot_key(bots, &parameters)).text()
}

/// Returns the keys of columns, after that of the bot if there are several.
pub(super) fn bot_key(bots: &[NamedCalibration], keys: &[&'static str]) -> Vec<&'static str> {
    let bot = (bots.len() > 1).then_some("bot");
    bot.into_iter().chain(keys.iter().copied()).collect()
}
