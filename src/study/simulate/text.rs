//! A run in a short table for the terminal, at most 80 columns wide.

use std::fmt::Write;

use crate::{
    arena::tally::{ALL_SEATS, BotTally, ItemTally, ResultTally, Tally},
    game::{ItemTable, ReportedSeats, RoundMetric, Statistics, UNITS_PER_WIN},
    report::text::{format_with_interval, truncate},
    stats::ratio::{Estimate, MeanSums},
    study::simulate::{
        csv::{TableContext, score_standard_deviation},
        even::{self, ExpectedShare},
    },
};

const BOT_WIDTH: usize = 20;
const ITEM_WIDTH: usize = 28;
/// Fewer takers than this say little about an item.
const FEWEST_TAKERS: i64 = 30;
/// How many items are shown from each end.
const SHOWN: usize = 3;

/// The table of a run.
pub fn text(context: &TableContext<'_>, game: &impl Statistics, tally: &Tally) -> String {
    let mut text = String::new();
    // A single player has no margin, no turn position and one seat.
    let alone = context.bots.len() == 1;
    let _ = writeln!(
        text,
        "{} games in {} blocks; {} capped by the round limit{}\n{} rounds a game",
        tally.games,
        tally.blocks,
        tally.health.capped.x,
        if alone { String::new() } else { format!("; {} shared wins", tally.health.shared_wins.x) },
        interval(tally.health.rounds.mean())
    );
    let provenance = context.provenance.first_line();
    let _ = writeln!(
        text,
        "data: {} (the data file marks its values)\n",
        truncate(provenance, ITEM_WIDTH)
    );
    let win_rate =
        if context.intervals.is_some() { "win % [95 % any look]" } else { "win % [95 % interval]" };
    let _ = writeln!(
        text,
        "{:<BOT_WIDTH$} seat   games   {win_rate:<21}   score    sd{}",
        "bot",
        if alone { "" } else { "  margin" }
    );
    for (&bot, cells) in context.distinct_bots.iter().zip(&tally.bots) {
        let name = truncate(&context.bots[bot].name, BOT_WIDTH);
        bot_line(&mut text, context, &name, "all", &cells[ALL_SEATS]);
        let seats = if alone { 0 } else { context.bots.len() };
        for (seat, cell) in cells.iter().enumerate().take(seats) {
            bot_line(&mut text, context, "", &seat.to_string(), cell);
        }
    }
    if context.bots.len() > 1 && tally.games > 0 {
        even_lines(&mut text, context, tally);
    }
    if let ([places], false) = (tally.turn_order.as_slice(), alone) {
        turn_order_lines(&mut text, places);
    }
    for table in game.catalog().tables() {
        item_lines(&mut text, table, &tally.items[table.ids().range()]);
    }
    gauge_lines(&mut text, game.round_metrics(), &tally.round_metrics.end);
    text
}

fn interval(mean: Estimate) -> String {
    format_with_interval(mean, 2, |value, decimals| format!("{value:.decimals$}"))
}

fn percent(estimate: Estimate) -> String {
    format_with_interval(estimate, 2, |rate, decimals| format!("{:5.decimals$}", 100.0 * rate))
}

fn bot_line(
    text: &mut String,
    context: &TableContext<'_>,
    name: &str,
    seat: &str,
    cell: &BotTally,
) {
    if cell.wins.n > 0 {
        let score = cell.scores.value();
        let margin = if context.bots.len() > 1 {
            format!(" {:>+7.2}", cell.margins.value())
        } else {
            String::new()
        };
        let wins = percent(context.win_rate(&cell.wins));
        let deviation = score_standard_deviation(cell);
        let deviation =
            if deviation.is_finite() { format!("{deviation:.2}") } else { "-".to_owned() };
        let _ = writeln!(
            text,
            "{name:<BOT_WIDTH$} {seat:>4} {:>7}   {wins:<21} {score:>7.2} {deviation:>5}{margin}",
            cell.wins.n
        );
    }
}

/// The win rate of equal bots, and where some games are lost by all seats, how much each bot wins
/// more than the others at its table.
fn even_lines(text: &mut String, context: &TableContext<'_>, tally: &Tally) {
    let even = ExpectedShare::new(tally, context.bots.len());
    // Both parts of the sentence do not fit on one line.
    let _ = writeln!(text, "\n{}", even.describe(tally).replace("; ", ";\n"));
    let differences =
        if even.always_won { Vec::new() } else { even::differences_from_others(context, tally) };
    if !differences.is_empty() {
        let _ = writeln!(text, "{:<BOT_WIDTH$}   win % minus the mean of the other seats", "");
    }
    for (bot, difference) in differences {
        let name = truncate(&context.bots[bot].name, BOT_WIDTH);
        let _ = writeln!(
            text,
            "{name:<BOT_WIDTH$}   {}",
            format_with_interval(difference, 2, |rate, decimals| format!(
                "{:+.decimals$}",
                100.0 * rate
            ))
        );
    }
}

/// A table of equal bots shows what the place in the turn order is worth.
fn turn_order_lines(text: &mut String, places: &[ResultTally]) {
    let _ = writeln!(
        text,
        "\n{:<BOT_WIDTH$} {:>12}   win % [95 % interval]   score",
        "place in turn order", "games"
    );
    for (place, results) in places.iter().enumerate().filter(|(_, results)| results.wins.n > 0) {
        let wins = percent(results.wins.rate(UNITS_PER_WIN));
        let _ = writeln!(
            text,
            "{place:<BOT_WIDTH$} {:>12}   {wins:<21} {:>7.2}",
            results.wins.n,
            results.scores.value()
        );
    }
}

/// How games stood when they ended.
fn gauge_lines(text: &mut String, gauges: &[RoundMetric], end: &[MeanSums]) {
    let read: Vec<_> = gauges.iter().zip(end).filter(|(_, sums)| sums.ratio.n > 0).collect();
    if read.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{:<ITEM_WIDTH$}       n            mean, or %  [95 % interval]",
        "at the end"
    );
    for (gauge, sums) in read {
        let value = if gauge.is_share {
            format!("{} %", percent(sums.ratio.rate(1)))
        } else {
            interval(sums.mean())
        };
        let _ =
            writeln!(text, "{:<ITEM_WIDTH$} {:>7}            {value}", gauge.name, sums.ratio.n);
    }
}

/// The items after whose taking seats won most and least often, or that scored most and least where
/// nearly every seat takes every item.
fn item_lines(text: &mut String, table: &ItemTable, tallies: &[ItemTally]) {
    let compared = table.reported_seats != ReportedSeats::None;
    let shown = |tally: &ItemTally| {
        if compared { tally.wins_with.rate(UNITS_PER_WIN) } else { tally.points.mean() }
    };
    let named = table.items.iter().zip(tallies).map(|(item, tally)| (item, tally, shown(tally)));
    let mut items: Vec<_> = named.filter(|(_, _, estimate)| estimate.n >= FEWEST_TAKERS).collect();
    items.sort_by(|one, other| other.2.value.total_cmp(&one.2.value));
    if items.is_empty() {
        return;
    }
    let offered = |count: &str| if table.offered { format!("{count:>7}") } else { String::new() };
    let width = ITEM_WIDTH + if table.offered { 0 } else { 7 };
    let what = if compared { "win % of those who did (n)" } else { "points for a seat (n)" };
    let _ = writeln!(
        text,
        "\n{:<width$} {} {:>8}   {what}",
        table.singular,
        offered("offered"),
        table.taken_label
    );
    let from_end = items.len().saturating_sub(SHOWN).max(SHOWN);
    for (index, (item, tally, estimate)) in items.iter().enumerate() {
        if index < SHOWN || index >= from_end {
            let _ = writeln!(
                text,
                "{:<width$} {} {:>8}   {:<21} ({})",
                truncate(table.short_name(item), width),
                offered(&tally.taken.n.to_string()),
                tally.times_taken,
                if compared { percent(*estimate) } else { interval(*estimate) },
                estimate.n
            );
        } else if index == SHOWN {
            let _ = writeln!(text, "…");
        }
    }
}
