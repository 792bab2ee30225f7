//! The annotated game as terminal text.

use std::fmt::Write as _;

use super::{AnnotationArguments, AnnotationReport};
use crate::{
    analysis::{
        ledger::LARGE_REVISION,
        review_searches::{DOUBLINGS, LUCK_ITERATIONS},
    },
    protocol::review::{GameReview, ReviewedEvent, player},
    report::{
        html::{format_count, join_with_and},
        text::{TEXT_WIDTH, action_words, escape_name, paragraph, provenance_line, wrap},
    },
    search::calibration::FittedMaps,
    study::shared::fitted_games::fitted_games,
};

/// Width of the column of sources.
const SOURCE_WIDTH: usize = 22;
/// Width of the column of a seat.
const SEAT_WIDTH: usize = 9;
/// Smallest win chance of nobody for which it has a column.
const MIN_NOBODY: f64 = 1e-6;
/// Width of what precedes a mistake.
const MISTAKE_INDENT: usize = 23;
/// Width of what precedes a lucky event.
const LUCK_INDENT: usize = 13;
/// Width of the column of the outcomes of lucky events. A longer outcome has a line of its own.
const OUTCOME_WIDTH: usize = 40;
/// Number of lucky events that are shown.
const KEY_EVENTS: usize = 5;

impl AnnotationReport<'_> {
    /// Returns the text: the answer, the mistakes, the ledger, and the luckiest events.
    pub(super) fn text(&self) -> String {
        let mut text = paragraph(&format!("{} {}", self.heading(), self.review.answer));
        text += &provenance_line(self.provenance);
        text.push('\n');
        text += &self.mistakes_text();
        if !self.options.mistakes_only {
            text.push('\n');
            text += &self.ledger_text();
            text.push('\n');
            text += &self.luck_text();
            text.push('\n');
            text += &paragraph(&self.method);
        }
        text
    }

    /// Returns the game, the players and the result.
    pub(super) fn heading(&self) -> String {
        let record = self.record;
        let players: Vec<_> = record
            .bots
            .iter()
            .zip(record.scores.iter().flatten())
            .enumerate()
            .map(|(seat, (bot, score))| format!("player {} ({bot}) {score}", seat + 1))
            .collect();
        format!("{}, game {}: {} points.", self.game.title(), record.index, join_with_and(&players))
    }

    /// Returns true if the ledger has a column for the chance that nobody wins, which is known if
    /// there is one seat.
    fn has_nobody(&self) -> bool {
        let GameReview { players, start, end, .. } = &self.review;
        *players == 1 && [start, end].iter().any(|chances| 1.0 - chances[0] > MIN_NOBODY)
    }

    /// Returns the names of the columns of the ledger: the seats, and nobody if nobody may win.
    pub(super) fn ledger_columns(&self) -> Vec<String> {
        let seats = (0..self.review.players).map(player);
        seats.chain(self.has_nobody().then(|| "nobody".to_owned())).collect()
    }

    /// Returns the rows of the ledger, from start to end: their names, and the numbers of the
    /// columns in percent or in percentage points.
    pub(super) fn ledger_rows(&self) -> Vec<(String, Vec<String>)> {
        let GameReview { start, end, ledger, .. } = &self.review;
        let has_nobody = self.has_nobody();
        let chances = |name: &str, chances: &[f64]| {
            let nobody = has_nobody.then(|| 1.0 - chances.iter().sum::<f64>());
            let columns = chances.iter().copied().chain(nobody);
            (name.to_owned(), columns.map(|chance| format!("{:.1}", 100.0 * chance)).collect())
        };
        let changes = ledger.iter().map(|row| {
            let nobody = has_nobody.then(|| -row.changes.iter().sum::<f64>());
            let columns = row.changes.iter().copied().chain(nobody);
            let columns = columns.map(|change| format!("{:+.1}", 100.0 * change));
            (row.source.clone(), columns.collect())
        });
        [chances("start", start)].into_iter().chain(changes).chain([chances("end", end)]).collect()
    }

    fn ledger_text(&self) -> String {
        let mut text = String::new();
        let heading = ("win chance, %".to_owned(), self.ledger_columns());
        for (name, columns) in [heading].into_iter().chain(self.ledger_rows()) {
            let _ = write!(text, "{name:<SOURCE_WIDTH$}");
            for column in columns {
                let _ = write!(text, "{column:>SEAT_WIDTH$}");
            }
            text.push('\n');
        }
        text.extend(self.revision_warning().map(|warning| paragraph(&warning)));
        text
    }

    /// Returns the warning that the searches changed their mind, although they were deepened.
    pub(super) fn revision_warning(&self) -> Option<String> {
        let largest = self.annotation.largest_revision();
        (largest > LARGE_REVISION).then(|| {
            format!(
                "Revisions of up to {:.0} points: the searches changed their mind, so the other \
                 rows are uncertain by as much.",
                100.0 * largest
            )
        })
    }

    fn mistakes_text(&self) -> String {
        let mistakes: String = self.review.mistakes().map(mistake_line).collect();
        match &mistakes[..] {
            "" => "No mistake is shown.\n".to_owned(),
            lines => format!("{:>5} {:>5}  {:<9} mistakes\n{lines}", "event", "round", "by"),
        }
    }

    fn luck_text(&self) -> String {
        let events = self.review.events.iter();
        let lucky = events.filter(|event| event.seat.is_none() && event.choices > 1);
        let mut lucky: Vec<_> = lucky
            .map(|event| {
                let changes = event.change.iter().copied().enumerate();
                let largest = changes.max_by(|one, other| one.1.total_cmp(&other.1));
                (event, largest.unwrap_or_default())
            })
            .collect();
        lucky.sort_by(|one, other| other.1.1.total_cmp(&one.1.1));
        let mut text = format!("{:>5} {:>5}  luckiest events\n", "event", "round");
        for (event, (seat, change)) in lucky.into_iter().take(KEY_EVENTS) {
            let outcome = wrap(&escape_name(&event.label), TEXT_WIDTH - LUCK_INDENT);
            let mut outcome = outcome.join(&format!("\n{:LUCK_INDENT$}", ""));
            if outcome.chars().count() > OUTCOME_WIDTH {
                outcome += &format!("\n{:LUCK_INDENT$}{:OUTCOME_WIDTH$}", "", "");
            }
            let _ = writeln!(
                text,
                "{:>5} {:>5}  {outcome:<OUTCOME_WIDTH$} {:+.1} points for {}",
                event.n,
                event.round,
                100.0 * change,
                player(seat)
            );
        }
        text
    }
}

fn mistake_line(event: &ReviewedEvent) -> String {
    let ReviewedEvent { n, round, action, label, best, best_label, reason, .. } = event;
    let mut mistake = format!(
        "{}: {}; better: {}",
        event.mistake.unwrap_or_default(),
        action_words(label, action),
        action_words(
            best_label.as_deref().unwrap_or_default(),
            best.as_deref().unwrap_or_default()
        )
    );
    mistake.extend(reason.iter().map(|reason| format!(", {reason}")));
    let mut lines = wrap(&escape_name(&mistake), TEXT_WIDTH - MISTAKE_INDENT);
    lines.push(event.cost_text());
    let lines = lines.join(&format!("\n{:MISTAKE_INDENT$}", ""));
    format!("{n:>5} {round:>5}  {:<9} {lines}\n", event.decider())
}

/// Returns how chances, costs, accuracy and luck are found.
pub(super) fn method(options: &AnnotationArguments, calibration: Option<&[FittedMaps]>) -> String {
    format!(
        "Win chances by two searches of {} each, and of up to {} times as many where they \
         differ, {}. The cost of a decision is the chance before it less the chance after it \
         if searches after it and the best action confirm at least half, else what these find; \
         a mistake costs more than 3, 5 or 10 points. Accuracy is 100 % for a decision that \
         costs nothing, and 67 % for one that costs 10 points. Luck by searches of {}. \
         Seed {}.",
        format_count(options.iterations.into(), "iteration"),
        1 << DOUBLINGS,
        match calibration {
            None => "not calibrated".to_owned(),
            Some(fitted) => format!("calibrated on {}", fitted_games(fitted)),
        },
        format_count(LUCK_ITERATIONS.min(options.iterations).into(), "iteration"),
        options.seed
    )
}
