//! `watershed openings show`, and the text of a book for the terminal.

use super::{
    arguments::ShowArguments,
    file::{self, OpeningBook},
    tables::book_table,
};
use crate::{
    analysis::book::{BookRow, SituationKey, policy_text, rows},
    report::{
        data_table::tables_json,
        text::{provenance_line, wrap},
    },
    study::shared::prelude::*,
};

/// Maximum number of actions of a situation in the summary of a run.
const MAX_ACTIONS: usize = 8;

pub(super) fn run(arguments: &ShowArguments) -> anyhow::Result<ExitStatus> {
    let book = file::read(&arguments.book)?;
    let level = arguments.level.unwrap_or(if arguments.starter.is_some() { 2 } else { 1 });
    if let Some(starter) = &arguments.starter {
        let starters = book.tally.situations.keys().filter_map(|key| key.starter.as_ref());
        let mut starters: Vec<_> = starters.map(String::as_str).collect();
        starters.sort_unstable();
        starters.dedup();
        ensure!(
            !starters.is_empty(),
            "--starter: expected a book with starters, but the situations of {} have none",
            arguments.book.display()
        );
        ensure!(
            starters.contains(&starter.as_str()),
            "--starter: expected one of {}, found {starter:?}",
            starters.join(", ")
        );
    }
    let highest = book.tally.situations.keys().map(SituationKey::level).max().unwrap_or(1);
    if let Some(level) = arguments.level {
        ensure!(
            level <= highest,
            "--level: expected 1 to {highest}, the levels of {}, found {level}",
            arguments.book.display()
        );
    }
    let is_shown = |row: &BookRow| {
        row.key.level() == level
            && row.effect.n >= i64::try_from(arguments.min_n).unwrap_or(i64::MAX)
            && arguments.place.is_none_or(|place| u64::from(row.key.turn_position) + 1 == place)
            && (arguments.starter.is_none() || row.key.starter == arguments.starter)
    };
    let mut shown = rows(&book.tally);
    let advice = advice(&book, &shown);
    shown.retain(is_shown);
    let table = book_table(&book, &shown);
    if arguments.csv {
        print(&String::from_utf8_lossy(&table.csv()));
    } else if arguments.json {
        print(&tables_json(&[table]));
    } else {
        let head = format!(
            "{}, {}, policy {}: {}",
            book.settings.title,
            format_count(book.settings.identity.players, "player"),
            book.settings.policy.name,
            counts_text(&book)
        );
        let text = situations_text(&book, &shown, &table, usize::MAX);
        let head = wrap(&head, TEXT_WIDTH).join("\n");
        let provenance = provenance_line(&book.settings.data.provenance);
        print(&format!("{head}\n{provenance}{advice}{text}"));
    }
    Ok(ExitStatus::Success)
}

/// Returns the actions of the coarsest situations, as the result of a run.
pub(super) fn summary(book: &OpeningBook) -> String {
    let mut shown = rows(&book.tally);
    let advice = advice(book, &shown);
    shown.retain(|row| row.key.level() == 1 && row.has_interval());
    let table = book_table(book, &shown);
    let text = situations_text(book, &shown, &table, MAX_ACTIONS);
    format!("{}\n{advice}{text}", counts_text(book))
}

/// Returns the advice of a book by its rows.
fn advice(book: &OpeningBook, rows: &[BookRow]) -> String {
    let policy = &book.settings.policy;
    paragraph(&book.advice(rows, &policy_text(&policy.name, &policy.parameters)))
}

/// Returns the numbers of games and forks.
fn counts_text(book: &OpeningBook) -> String {
    format!(
        "{}, {} forked, {} played on",
        format_count(book.tally.games, "game"),
        format_count(book.tally.forks, "decision"),
        format_count(book.tally.continuations, "game"),
    )
}

/// Returns the actions of each situation as text. The rows of a situation follow each other.
fn situations_text(book: &OpeningBook, rows: &[BookRow], table: &DataTable, max: usize) -> String {
    let mut text = String::new();
    let mut start = 0;
    for group in rows.chunk_by(|one, other| one.key == other.key) {
        text += "\n";
        let names = [book.decision_name(&group[0].key), book.detail_name(&group[0].key)];
        let names = names.into_iter().filter(|name| !name.is_empty());
        text += &paragraph(&names.collect::<Vec<_>>().join(", "));
        let keys = ["label", "n", "effect", "win_share", "verdict"];
        let shown = start..start + group.len().min(max);
        text += &table.view().select(&keys).rows(shown).text();
        start += group.len();
    }
    if rows.is_empty() {
        text += "\nno action has this many forks\n";
    }
    text
}
