//! The annotated game as terminal text.

use std::fmt::Write as _;

use super::{
    super::super::shared::fitted_games::fitted_games, AnnotationArguments, AnnotationReport,
};
use crate::{
    analysis::ledger::{AnnotatedEvent, Cost, LARGE_REVISION, LedgerSource, Mistake},
    analysis::named::{NamedAction, NamedPosition},
    analysis::review_searches::{DOUBLINGS, LUCK_ITERATIONS},
    game::{PerSeat, Seat, Turn},
    report::{
        html::{format_count, join_with_and},
        text::{TEXT_WIDTH, action_words, escape_name, paragraph, provenance_line, wrap},
    },
    search::calibration::FittedMaps,
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
        let mut text = paragraph(&format!("{} {}", self.heading(), self.answer()));
        text += &provenance_line(self.provenance);
        text.push('\n');
        text += &self.mistakes_text();
        if !self.options.mistakes_only {
            text.push('\n');
            text += &self.ledger_text();
            text.push('\n');
            text += &self.luck_text();
            text.push('\n');
            text += &paragraph(&self.method());
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
        format!("{}, game {}: {} points.", self.title, record.index, join_with_and(&players))
    }

    fn winners(&self) -> &[usize] {
        self.record.winners.as_deref().unwrap_or_default()
    }

    /// Returns who won, the accuracy of each player, the luck of the winner, the costliest decision
    /// and the number of mistakes.
    pub(super) fn answer(&self) -> String {
        let winners: Vec<_> = self.winners().iter().map(|&seat| player(Seat::new(seat))).collect();
        let mut sentence = match &winners[..] {
            [] => "Nobody won.".to_owned(),
            winners => capitalize(&format!("{} won.", join_with_and(winners))),
        };
        let accuracy = |seat: usize| {
            let (accuracy, decisions) = self.annotation.accuracy(Seat::new(seat))?;
            let (accuracy, player) = (100.0 * accuracy, player(Seat::new(seat)));
            Some(format!(
                "{player} {accuracy:.0} % ({})",
                format_count(decisions as u64, "decision")
            ))
        };
        let accuracies: Vec<_> = (0..self.annotation.seats).filter_map(accuracy).collect();
        if !accuracies.is_empty() {
            let _ = write!(sentence, " Accuracy: {}.", join_with_and(&accuracies));
        }
        if let &[winner] = self.winners() {
            let rows = self.annotation.ledger();
            let luck = rows.iter().filter(|row| matches!(row.source, LedgerSource::Luck(_)));
            let luck: f64 = luck.map(|row| row.changes[winner]).sum();
            let _ = write!(
                sentence,
                " Luck changed the chance of the winner by {:+.0} points.",
                100.0 * luck
            );
        }
        sentence + &self.mistakes_sentence()
    }

    /// Returns the number of mistakes and the costliest one, after a space.
    fn mistakes_sentence(&self) -> String {
        let mistakes: Vec<_> = self.annotation.mistakes().collect();
        let counts = Mistake::ALL.iter().rev().filter_map(|&size| {
            let count =
                mistakes.iter().filter(|(.., cost)| cost.mistake == Some(size)).count() as u64;
            let noun = size.as_str();
            (count > 0).then(|| match (count, size) {
                (1, _) => format!("1 {noun}"),
                (_, Mistake::Inaccuracy) => format!("{count} inaccuracies"),
                _ => format!("{count} {noun}s"),
            })
        });
        let counts: Vec<_> = counts.collect();
        let costliest = mistakes.iter().max_by(|one, other| one.2.loss.total_cmp(&other.2.loss));
        let Some((index, event, cost)) = costliest else {
            return " No decision is shown to be a mistake.".to_owned();
        };
        format!(
            " {}; the costliest, event {index} by {}, {}.",
            capitalize(&join_with_and(&counts)),
            decider(event.turn),
            cost_text(cost)
        )
    }

    /// Returns the name of a row of the ledger.
    pub(super) fn source_name(&self, source: LedgerSource) -> String {
        match source {
            LedgerSource::Luck(index) => {
                format!("luck: {}", self.chance_sources[usize::from(index)])
            }
            LedgerSource::Decisions(seat) => format!("decisions of {}", player(seat)),
            LedgerSource::Revisions => "revisions".to_owned(),
        }
    }

    /// Returns true if the ledger has a column for the chance that nobody wins, which is known if
    /// there is one seat.
    fn has_nobody(&self) -> bool {
        if self.annotation.seats > 1 {
            return false;
        }
        let ends = [&self.annotation.start, &self.annotation.end];
        ends.iter().any(|chances| 1.0 - chances.iter().sum::<f64>() > MIN_NOBODY)
    }

    /// Returns the names of the columns of the ledger: the seats, and nobody if nobody may win.
    pub(super) fn ledger_columns(&self) -> Vec<String> {
        let seats = (0..self.annotation.seats).map(|seat| player(Seat::new(seat)));
        seats.chain(self.has_nobody().then(|| "nobody".to_owned())).collect()
    }

    /// Returns the win chances of the columns of the ledger.
    pub(super) fn ledger_chances(&self, chances: &PerSeat<f64>) -> Vec<f64> {
        let nobody = self.has_nobody().then(|| 1.0 - chances.iter().sum::<f64>());
        chances[..self.annotation.seats].iter().copied().chain(nobody).collect()
    }

    /// Returns the changes of the win chances of the columns of the ledger.
    pub(super) fn ledger_changes(&self, changes: &PerSeat<f64>) -> Vec<f64> {
        let nobody = self.has_nobody().then(|| -changes.iter().sum::<f64>());
        changes[..self.annotation.seats].iter().copied().chain(nobody).collect()
    }

    fn ledger_text(&self) -> String {
        let mut text = format!("{:<SOURCE_WIDTH$}", "win chance, %");
        for column in self.ledger_columns() {
            let _ = write!(text, "{column:>SEAT_WIDTH$}");
        }
        text.push('\n');
        let line = |name: &str, chances: &[f64], signed: bool| {
            let mut line = format!("{name:<SOURCE_WIDTH$}");
            for chance in chances {
                let chance = 100.0 * chance;
                let _ = if signed {
                    write!(line, "{chance:>+SEAT_WIDTH$.1}")
                } else {
                    write!(line, "{chance:>SEAT_WIDTH$.1}")
                };
            }
            line
        };
        text += &(line("start", &self.ledger_chances(&self.annotation.start), false) + "\n");
        for row in self.annotation.ledger() {
            text += &line(&self.source_name(row.source), &self.ledger_changes(&row.changes), true);
            text.push('\n');
        }
        text += &(line("end", &self.ledger_chances(&self.annotation.end), false) + "\n");
        if let Some(warning) = self.revision_warning() {
            text += &paragraph(&warning);
        }
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

    /// Returns an action in words, with its notation.
    fn words(action: &NamedAction) -> String {
        action_words(&action.label, &action.notation)
    }

    fn mistakes_text(&self) -> String {
        let mistakes: Vec<_> = self.annotation.mistakes().collect();
        if mistakes.is_empty() {
            return "No mistake is shown.\n".to_owned();
        }
        let mut text = format!("{:>5} {:>5}  {:<9} mistakes\n", "event", "round", "by");
        for (index, event, cost) in mistakes {
            text += &Self::mistake_line(index, event, cost);
        }
        text
    }

    fn mistake_line(
        index: usize,
        event: &AnnotatedEvent<NamedPosition, NamedAction>,
        cost: &Cost<NamedAction>,
    ) -> String {
        let by = decider(event.turn);
        let (played, best) = (Self::words(&event.action), Self::words(&cost.best));
        let size = cost.mistake.map_or("", Mistake::as_str);
        let reason = event.reason.iter().map(|reason| format!(", {reason}"));
        let reason: String = reason.collect();
        let mistake = format!("{size}: {played}; better: {best}{reason}");
        let mut lines = wrap(&escape_name(&mistake), TEXT_WIDTH - MISTAKE_INDENT);
        lines.push(cost_text(cost));
        let lines = lines.join(&format!("\n{:MISTAKE_INDENT$}", ""));
        format!("{index:>5} {:>5}  {by:<9} {lines}\n", event.round)
    }

    fn luck_text(&self) -> String {
        let mut lucky: Vec<_> = self
            .annotation
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| matches!(event.turn, Turn::Chance(_)) && event.choices > 1)
            .map(|(index, event)| {
                let seats = (0..self.annotation.seats).map(Seat::new);
                let largest = seats.map(|seat| (seat, event.change(seat)));
                let largest = largest.max_by(|one, other| one.1.total_cmp(&other.1));
                (index, event, largest.unwrap_or_default())
            })
            .collect();
        lucky.sort_by(|one, other| other.2.1.total_cmp(&one.2.1));
        let mut text = format!("{:>5} {:>5}  luckiest events\n", "event", "round");
        for (index, event, (seat, change)) in lucky.into_iter().take(KEY_EVENTS) {
            let outcome = wrap(&escape_name(&event.action.label), TEXT_WIDTH - LUCK_INDENT);
            let mut outcome = outcome.join(&format!("\n{:LUCK_INDENT$}", ""));
            if outcome.chars().count() > OUTCOME_WIDTH {
                outcome += &format!("\n{:LUCK_INDENT$}{:OUTCOME_WIDTH$}", "", "");
            }
            let _ = writeln!(
                text,
                "{index:>5} {:>5}  {outcome:<OUTCOME_WIDTH$} {:+.1} points for {}",
                event.round,
                100.0 * change,
                player(seat)
            );
        }
        text
    }

    /// Returns the sentence that says how the numbers were made.
    pub(super) fn method(&self) -> String {
        method(self.options, self.calibration.as_deref())
    }
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

/// Returns the cost of a decision.
pub(super) fn cost_text<A>(cost: &Cost<A>) -> String {
    format!("costs {:.1} points", 100.0 * cost.loss)
}

/// Returns who decides an event.
pub(super) fn decider(turn: Turn) -> String {
    match turn {
        Turn::Seat(seat) => player(seat),
        _ => "chance".to_owned(),
    }
}

/// Returns a seat as people count them.
pub(super) fn player(seat: Seat) -> String {
    format!("player {}", seat.index() + 1)
}

fn capitalize(text: &str) -> String {
    crate::report::html::capitalize(text)
}
