//! The report of an annotated game, and its sentences.

use std::{fmt::Write as _, iter};

use super::{
    super::super::shared::fitted_games::fitted_games, AnnotationArguments, AnnotationReport,
};
use crate::{
    analysis::ledger::{Cost, LARGE_REVISION, LedgerSource, Mistake},
    analysis::named::NamedAction,
    analysis::review_searches::{DOUBLINGS, LUCK_ITERATIONS},
    game::{PerSeat, Seat, Turn},
    report::{
        data_table::{Columns, Value},
        html::{Unit, capitalize, format_count, join_with_and},
        study_report::{LabelledSentence, LinkedSentence, ReportPlace, StudyReport},
        text::{action_words, provenance_line},
    },
    search::calibration::FittedMaps,
    stats::ratio::Estimate,
};

/// Smallest win chance of nobody for which it has a column.
const MIN_NOBODY: f64 = 1e-6;
/// Number of lucky events that are shown.
const KEY_EVENTS: usize = 5;

impl AnnotationReport<'_> {
    /// Returns the report: the answer, the win chances, the mistakes, the ledger, and the luckiest
    /// events.
    pub(super) fn report(&self) -> StudyReport {
        let title = format!("{}, game {}: annotated", self.title, self.record.index);
        let mut report = StudyReport::new(title);
        report.answer(&format!("{} {}", self.heading(), self.answer()));
        report.terminal(&provenance_line(self.provenance));
        report.labels(ReportPlace::Everywhere, self.revision_warning());
        if self.options.html.is_some() {
            report.section("Win chances");
            report.page(self.chart());
        }
        self.add_mistakes(&mut report);
        self.add_ledger(&mut report);
        self.add_luck(&mut report);
        if self.options.html.is_some() {
            report.section("Events");
            report.page(self.events_markup());
        }
        report
    }

    /// Returns the place of all that is no mistake.
    const fn place(&self) -> ReportPlace {
        if self.options.mistakes_only { ReportPlace::Page } else { ReportPlace::Everywhere }
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

    /// Adds the changes of the win chances by their sources.
    fn add_ledger(&self, report: &mut StudyReport) {
        let line = |name: &str, chances: Vec<f64>, unit: Unit| (name.to_owned(), chances, unit);
        let chances = |name, chances| line(name, self.ledger_chances(chances), Unit::Decimals(1));
        let changes = self.annotation.ledger().into_iter().map(|row| {
            line(&self.source_name(row.source), self.ledger_changes(&row.changes), Unit::Signed(1))
        });
        let start = chances("start", &self.annotation.start);
        let lines = iter::once(start).chain(changes).chain([chances("end", &self.annotation.end)]);
        let columns = Columns::<(String, Vec<f64>, Unit)>::new("", "").text(
            "",
            "win chance, %",
            "",
            |(name, ..)| name.clone(),
        );
        let titles = self.ledger_columns().into_iter().enumerate();
        let columns = titles.fold(columns, |columns, (index, title)| {
            columns.estimate("", title, Unit::Decimals(1), "", move |(_, chances, unit)| {
                Value::EstimateIn(Estimate::unbounded(1, 100.0 * chances[index]), *unit)
            })
        });
        report.section("Ledger");
        report.explanation(
            "Start, luck, decisions and revisions add up to the end. Luck is the change of the win \
             chance by a chance event, less its mean over all outcomes. A decision changes it by \
             what it costs against the best action that was found. Revisions are changes of the \
             evaluation without an event.",
        );
        let table = columns.table("", lines);
        report.page_table(&table.view(), "Changes of the win chances");
        if self.place() == ReportPlace::Everywhere {
            report.terminal_table(&table.view());
        }
    }

    /// Returns the warning that the searches changed their mind, although they were deepened.
    fn revision_warning(&self) -> Option<LabelledSentence> {
        let largest = self.annotation.largest_revision();
        let label = "The evaluation is not stable";
        let rest = format!(
            ": revisions of up to {:.0} points. The searches changed their mind, so the other rows \
             of the ledger are uncertain by as much.",
            100.0 * largest
        );
        (largest > LARGE_REVISION).then_some(LabelledSentence { label, rest })
    }

    /// Returns an action in words, with its notation.
    fn words(action: &NamedAction) -> String {
        action_words(&action.label, &action.notation)
    }

    fn add_mistakes(&self, report: &mut StudyReport) {
        let mistakes = self.annotation.mistakes().map(|(index, event, cost)| {
            let reason: String = event.reason.iter().map(|reason| format!(", {reason}")).collect();
            let rest = format!(
                ", round {}, {}: {}, {}; better: {}{reason}; {}.",
                event.round,
                decider(event.turn),
                cost.mistake.map_or("", Mistake::as_str),
                Self::words(&event.action),
                Self::words(&cost.best),
                cost_text(cost)
            );
            event_sentence(index, rest)
        });
        let mistakes: Vec<_> = mistakes.collect();
        if mistakes.is_empty() {
            report.section("Mistakes");
            report.paragraph("No decision is shown to be a mistake.");
        } else {
            report.linked_sentences(ReportPlace::Everywhere, "Mistakes", &mistakes);
        }
    }

    /// Adds the events of chance that helped a seat most.
    fn add_luck(&self, report: &mut StudyReport) {
        let events = self.annotation.events.iter().enumerate();
        let events = events
            .filter(|(_, event)| matches!(event.turn, Turn::Chance(_)) && event.choices > 1)
            .map(|(index, event)| {
                let seats = (0..self.annotation.seats).map(Seat::new);
                let largest = seats.map(|seat| (seat, event.change(seat)));
                let largest = largest.max_by(|one, other| one.1.total_cmp(&other.1));
                (index, event, largest.unwrap_or_default())
            });
        let mut lucky: Vec<_> = events.collect();
        lucky.sort_by(|one, other| other.2.1.total_cmp(&one.2.1));
        lucky.truncate(KEY_EVENTS);
        let lucky = lucky.into_iter().map(|(index, event, (seat, change))| {
            let (round, outcome, points) = (event.round, &event.action.label, 100.0 * change);
            let seat = player(seat);
            event_sentence(
                index,
                format!(", round {round}: {outcome}, {points:+.1} points for {seat}."),
            )
        });
        let lucky = lucky.collect::<Vec<_>>();
        report.linked_sentences(self.place(), "Luckiest events", &lucky);
    }
}

/// Returns a sentence that begins with a link to an event.
fn event_sentence(index: usize, rest: String) -> LinkedSentence {
    LinkedSentence { name: format!("Event {index}"), target: format!("event{index}"), rest }
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
