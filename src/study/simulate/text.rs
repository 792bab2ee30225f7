//! The results of a run as terminal text, at most 80 columns wide.

use std::fmt::Write as _;

use super::{
    analysis::RunAnalysis,
    items::ShownItems,
    page::{RunPage, share_text},
    panel::PanelAnalysis,
    play_tables::never_short,
    tables::RunTables,
};
use crate::{
    arena::tally::ItemTally,
    bound::BoundGame,
    game::{ReportedSeats, UNITS_PER_WIN},
    report::{
        data_table::{DataTable, Value, terminal_estimate},
        html::Unit,
        text::{paragraph, provenance_line, truncate},
    },
    run::programs::forfeits_sentence,
    stats::ratio::Estimate,
};

const BOT_WIDTH: usize = 20;
/// Items taken by fewer seats are not ranked.
const MIN_TAKERS: i64 = 30;
/// Number of items shown from each end of the ranking.
const MAX_SHOWN: usize = 3;

/// Returns the main results of a run as text.
pub(crate) fn terminal_text(game: &BoundGame, page: &RunPage<'_>, tables: &RunTables) -> String {
    let analysis = page.analysis;
    let RunAnalysis { setup, tally, .. } = analysis;
    let shared = match analysis.players() {
        1 => String::new(),
        _ => format!("; {} shared wins", tally.health.shared_wins.x),
    };
    let kind = match analysis.confidence_sequence {
        Some(_) => ", valid at every look",
        None => "",
    };
    let mut text = answer(game, page, tables);
    text.extend(forfeits_sentence(analysis.forfeits()).map(|sentence| paragraph(&sentence)));
    let _ = write!(
        text,
        "\n{} games in {} blocks; {} ended by the round limit{shared}\n\
         {} rounds a game\n{}\n{}",
        tally.games,
        tally.blocks,
        tally.health.capped.x,
        terminal_estimate(tally.health.rounds.mean(), Unit::Decimals(2)),
        provenance_line(&setup.question.data.provenance),
        win_rates(analysis, &tables.win_rates)
    );
    let _ = writeln!(text, "[low, high]: 95 % confidence intervals{kind}");
    if analysis.players() > 1 && tally.games > 0 {
        text += &expected_share(analysis);
    }
    if let (Some(table), [_]) = (&tables.turn_order, tally.turn_order.as_slice()) {
        let columns = ["turn_position", "n", "win_rate", "mean_score"];
        let _ = write!(text, "\n{}", table.view().select(&columns).text());
    }
    for (shown, table) in page.items.iter().zip(&tables.items) {
        text += &ranked_items(shown, table);
    }
    text.extend(never_short(game, analysis).map(|sentence| format!("\n{}", paragraph(&sentence))));
    if let Some(table) = &tables.rounds {
        let at_end = table.view().filter(|row| row.contains(&Value::from("end")));
        let _ = write!(text, "\nat the end\n{}", at_end.select(&["metric", "n", "mean"]).text());
    }
    text
}

/// Returns the answer: the sentences of the page, the bots of the panel and the health card.
fn answer(game: &BoundGame, page: &RunPage<'_>, tables: &RunTables) -> String {
    let mut sentences = page.conclusion(game);
    if let Some(verdict) = page.verdict() {
        sentences += &format!(" {}", verdict.plain());
    }
    if let Some(outliers) = page.unconfirmed_outliers() {
        sentences += &format!(" {}", outliers.plain());
    }
    let mut text = String::from("\n");
    text += &page.edits.map(paragraph).unwrap_or_default();
    text += &paragraph(&sentences);
    if let (Some(panel), Some(table)) = (page.panel, &tables.panel) {
        let _ = write!(text, "\n{}", panel.text(table));
        for sentence in panel.trends() {
            let _ = write!(text, "\n{}", sentence.text());
        }
    }
    if let (Some(playtests), Some(table)) = (page.playtests, &tables.playtests) {
        text += &playtests.text(table);
    }
    text += &page.card.text(&page.bots());
    if let Some(note) = page.panel.and_then(PanelAnalysis::strength_note_of_text) {
        let _ = write!(text, "\n{}", paragraph(&note));
    }
    text
}

fn win_rates(analysis: &RunAnalysis<'_>, table: &DataTable) -> String {
    let view = table.view();
    if analysis.players() > 1 {
        view.select(&["bot", "seat", "games", "win_rate", "mean_score"]).text()
    } else {
        let overall = view.filter(|row| row.contains(&Value::from("overall")));
        overall.select(&["bot", "games", "win_rate", "mean_score", "sd_score"]).text()
    }
}

/// Returns the win rate of equal bots and, if nobody won some games, the differences of bots from
/// the other seats.
fn expected_share(analysis: &RunAnalysis<'_>) -> String {
    let mut text = format!("\n{}\n", share_text(analysis).replace("; ", ";\n"));
    let differences = if analysis.expected_share.always_won {
        Vec::new()
    } else {
        analysis.differences_from_others()
    };
    if !differences.is_empty() {
        let _ = writeln!(text, "{:<BOT_WIDTH$}   win % minus the mean of the other seats", "");
    }
    for (bot, difference) in differences {
        let difference = terminal_estimate(difference, Unit::PercentagePoints);
        let _ = writeln!(text, "{:<BOT_WIDTH$}   {difference}", truncate(bot, BOT_WIDTH));
    }
    text
}

/// Returns the items whose takers win most and least, or that score most and least if nearly every
/// seat takes every item.
fn ranked_items(ShownItems { items, tallies, .. }: &ShownItems, table: &DataTable) -> String {
    let is_compared = items.reported_seats != ReportedSeats::None;
    let estimate = |tally: &ItemTally| {
        if is_compared { tally.wins_with.rate(UNITS_PER_WIN) } else { tally.points.mean() }
    };
    let estimates = tallies.iter().map(estimate).enumerate();
    let mut ranked: Vec<(usize, Estimate)> =
        estimates.filter(|(_, estimate)| estimate.n >= MIN_TAKERS).collect();
    ranked.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
    if ranked.is_empty() {
        return String::new();
    }
    let lowest = ranked.len().saturating_sub(MAX_SHOWN).max(MAX_SHOWN);
    let shown = ranked.iter().enumerate().filter(|(rank, _)| *rank < MAX_SHOWN || *rank >= lowest);
    let shown: Vec<_> = shown.map(|(_, &(item, _))| item).collect();
    let (key, n) = if is_compared {
        ("with_win_rate", "with_n")
    } else {
        ("mean_own_points", "mean_own_points_n")
    };
    let mut columns = vec![items.singular];
    if items.offered {
        columns.push("offered");
    }
    columns.extend([items.taken_label, n, key]);
    let title = if ranked.len() > shown.len() {
        format!("{MAX_SHOWN} highest and {MAX_SHOWN} lowest of {}", ranked.len())
    } else {
        format!("all {}", ranked.len())
    };
    let name = items.name.replace('_', " ");
    format!("\n{name}, {title}\n{}", table.view().select(&columns).rows(shown).text())
}
