//! `watershed openings show`, and the text of a book for the terminal.

use super::{arguments::ShowArguments, file::OpeningBook};
use crate::{
    analysis::book::{BookRow, ChanceRow, SituationKey, chance_rows, rows},
    report::{
        data_table::tables_json,
        text::{provenance_line, wrap},
    },
    stats::holm::SIGNIFICANCE_LEVEL,
    study::shared::prelude::*,
};

/// Maximum number of actions of a situation in the summary of a run.
const MAX_ACTIONS: usize = 8;

pub(super) fn run(arguments: &ShowArguments) -> anyhow::Result<ExitStatus> {
    let book = OpeningBook::read(&arguments.book)?;
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
    let advice = book.advice(&shown);
    shown.retain(is_shown);
    let table = book.book_table(&shown);
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
            book.counts_text()
        );
        let text = situations_text(&book, &shown, &table, usize::MAX);
        let head = wrap(&head, TEXT_WIDTH).join("\n");
        let advice = paragraph(&advice);
        print(&format!("{head}\n{}{advice}{text}", provenance_line(book.provenance())));
    }
    Ok(ExitStatus::Success)
}

/// Returns the actions of the coarsest situations, as the result of a run.
pub(super) fn summary(book: &OpeningBook) -> String {
    let mut shown = rows(&book.tally);
    let advice = paragraph(&book.advice(&shown));
    shown.retain(|row| row.key.level() == 1 && row.has_interval());
    let table = book.book_table(&shown);
    let text = situations_text(book, &shown, &table, MAX_ACTIONS);
    let chances = match book.chances_text() {
        text if text.is_empty() => text,
        text => format!("\n{}", paragraph(&text)),
    };
    format!("{}\n{advice}{text}{chances}", book.counts_text())
}

impl OpeningBook {
    /// Returns the numbers of games and forks.
    pub(super) fn counts_text(&self) -> String {
        format!(
            "{}, {} forked, {} played on",
            format_count(self.tally.games, "game"),
            format_count(self.tally.forks, "decision"),
            format_count(self.tally.continuations, "game"),
        )
    }

    /// Returns a sentence that compares the effects by chance with those by results; empty if there
    /// are none.
    fn chances_text(&self) -> String {
        let rows = chance_rows(&self.tally);
        let judge = self.settings.after_round.zip(self.settings.judge.as_ref());
        let Some((round, judge)) = judge.filter(|_| !rows.is_empty()) else {
            return String::new();
        };
        let differ = rows.iter().filter(|row| row.p_holm < SIGNIFICANCE_LEVEL).count();
        let errors = |effect: fn(&ChanceRow) -> f64| rows.iter().map(effect).sum::<f64>();
        let ratio =
            errors(|row| row.by_chance.standard_error) / errors(|row| row.by_result.standard_error);
        format!(
            "By the win chances after round {round}, as {} sees them, {differ} of {} effects \
             differ from those by results (p < 0.05 after Holm's correction); the intervals are \
             {ratio:.2} times as wide. See chances.csv.",
            judge.name,
            rows.len()
        )
    }

    /// Returns the name of a group of situations for people.
    pub(super) fn situation_name(&self, key: &SituationKey) -> String {
        let names = [self.decision_name(key), self.detail_name(key)];
        names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the actions of each situation as text. The rows of a situation follow each other.
fn situations_text(book: &OpeningBook, rows: &[BookRow], table: &DataTable, max: usize) -> String {
    let mut text = String::new();
    let mut start = 0;
    for group in rows.chunk_by(|one, other| one.key == other.key) {
        text += "\n";
        text += &paragraph(&book.situation_name(&group[0].key));
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
