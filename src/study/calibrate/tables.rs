//! The tables of `calibrate` and its answer.

use std::fmt::Write as _;

use super::analysis::{
    BotCalibration, CHANCES, CalibrationRow, MapRow, RankRow, SEATS, Source, TENTHS,
};
use crate::study::shared::prelude::*;

/// Name of all kinds of action together.
const ALL_KINDS: &str = "all";

/// The experiment as named in every row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CalibrationSubject<'a> {
    pub(crate) game: &'a str,
    pub(crate) players: usize,
    /// Names of the kinds of action.
    pub(crate) kinds: &'a [&'a str],
}

/// Results of a named bot.
#[derive(Clone, Debug)]
pub(crate) struct NamedCalibration {
    pub(crate) bot: String,
    /// True if its search has a prior.
    pub(crate) has_prior: bool,
    pub(crate) results: BotCalibration,
}

/// A row of a bot.
type OfBot<'a, T> = (&'a CalibrationSubject<'a>, &'a NamedCalibration, &'a T);

fn columns<'a, T: 'static>(name: &str, title: &str) -> Columns<OfBot<'a, T>> {
    Columns::<OfBot<'_, T>>::new(name, title)
        .text("game", "Game.", |(subject, ..)| subject.game)
        .integer("players", "Number of players.", |(subject, ..)| subject.players)
        .text("bot", "Bot.", |(_, of, _)| &of.bot)
        .integer("iterations", "Mean iterations of a search.", |(_, of, _)| of.results.iterations)
}

fn with_source<T: 'static>(
    columns: Columns<OfBot<'_, T>>,
    source: fn(&T) -> Source,
) -> Columns<OfBot<'_, T>> {
    columns.word(
        ("source", "of"),
        &Source::NAMES,
        "`position` for the mean rewards of all iterations of a search, `action` for those of the \
         iterations that start with the chosen action.",
        move |(.., row)| source(row).name(),
    )
}

/// Returns the columns of `calibration.csv`.
fn calibration_columns<'a>() -> Columns<OfBot<'a, CalibrationRow>> {
    let seat = "`mover` for the seat to move, `others` for each other seat; without `others` if \
                there is one, whose chance is the complement.";
    let chance = "`raw` for mean rewards, `calibrated` for chances by the map that is fitted to \
                  the other half of the games.";
    let is_calibrated = "`yes` if the mean chance is within 3 points of the share won, or in its \
                         interval.";
    let columns =
        columns("calibration", "Win chances of searches in a tenth, against the share won.");
    with_source(columns, |row: &CalibrationRow| row.source)
        .word("seat", &SEATS, seat, |(.., row)| SEATS[row.seat])
        .word("chance", &CHANCES, chance, |(.., row)| CHANCES[row.chance])
        .text("tenth", "Range of the chance.", |(.., row)| tenth_name(row.tenth))
        .integer("games", "Games with such a chance.", |(.., row)| row.games)
        .number(("mean_chance", "mean chance %"), 6, "Mean chance.", |(.., row)| row.mean_chance)
        .unit(Unit::Percent)
        .percent("won", "Share of the chances that were won.", |(.., row)| row.won)
        .n("n")
        .word(("is_calibrated", "calibrated"), &["yes", "no"], is_calibrated, |(.., row)| {
            if row.is_calibrated() { "yes" } else { "no" }
        })
        .provenance()
}

/// Returns the columns of `chance_maps.csv`.
fn map_columns<'a>() -> Columns<OfBot<'a, MapRow>> {
    let slope = "Exponent of the odds of two seats; below 1 for a search that is too confident. \
                 The interval is that of the delete-a-group jackknife with 10 groups of blocks.";
    let mover = "Logarithm of the factor of the odds of the seat to move.";
    let no_win = "Logarithm of the factor of the odds that a seat does not win; empty if there is \
                  always one win.";
    let log_loss = "Mean cross entropy of the results under the mean rewards.";
    let calibrated_log_loss = "The same under the maps that are fitted to the other half of the \
                               games.";
    let columns = columns("chance_maps", "Map from the mean rewards of searches to win chances.");
    with_source(columns, |row: &MapRow| row.source)
        .integer("games", "Games with a search.", |(_, of, _)| of.results.games)
        .integer("decisions", "Decisions with a search.", |(_, of, _)| of.results.decisions)
        .estimate("slope", Unit::Decimals(2), slope, |(.., row)| row.slope)
        .number("mover", 4, mover, |(.., row)| row.map.mover)
        .unit(Unit::Decimals(4))
        .number("no win", 4, no_win, |(.., row)| row.map.no_win)
        .unit(Unit::Decimals(4))
        .number(("log_loss", "loss"), 4, log_loss, |(.., row)| row.loss)
        .unit(Unit::Decimals(4))
        .measured_in("nats")
        .number(("calibrated_log_loss", "with map"), 4, calibrated_log_loss, |(.., row)| {
            row.calibrated_loss
        })
        .unit(Unit::Decimals(4))
        .measured_in("nats")
        .provenance()
}

/// Returns the columns of `policy_rank.csv`.
fn rank_columns<'a>() -> Columns<OfBot<'a, RankRow>> {
    let kind = "Kind of the chosen action; `all` for all kinds.";
    let first = "Share of decisions whose action is the first of the prior.";
    columns::<RankRow>("policy_rank", "Rank of the chosen action in the prior of the search.")
        .text("kind", kind, |(subject, _, row)| {
            row.kind.map_or(ALL_KINDS, |kind| subject.kinds[kind as usize])
        })
        .percent("first", first, |(.., row)| row.within[0])
        .n("n")
        .percent(("within_3", "first 3"), "The same for the first three.", |(.., row)| {
            row.within[1]
        })
        .percent(("within_5", "first 5"), "The same for the first five.", |(.., row)| row.within[2])
        .provenance()
}

/// Describes all tables.
pub(crate) fn schemas() -> [Schema; 3] {
    [calibration_columns().schema(), rank_columns().schema(), map_columns().schema()]
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
    let ranked = bots.iter().filter(|bot| bot.has_prior);
    [
        calibration_columns().table(
            provenance,
            bots.iter()
                .flat_map(|bot| bot.results.rows.iter().map(move |row| (question, bot, row))),
        ),
        rank_columns().table(
            provenance,
            ranked.flat_map(|bot| bot.results.ranks.iter().map(move |row| (question, bot, row))),
        ),
        map_columns().table(
            provenance,
            bots.iter()
                .flat_map(|bot| bot.results.maps.iter().map(move |row| (question, bot, row))),
        ),
    ]
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

/// Returns the keys of columns, after that of the bot if there are several.
pub(super) fn bot_key(bots: &[NamedCalibration], keys: &[&'static str]) -> Vec<&'static str> {
    let bot = (bots.len() > 1).then_some("bot");
    bot.into_iter().chain(keys.iter().copied()).collect()
}
