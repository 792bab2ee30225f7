//! The report of an annotated game, and its sentences.

use super::{AnnotationArguments, AnnotationReport, page::event_id};
use crate::{
    analysis::{
        ledger::LARGE_REVISION,
        review_searches::{DOUBLINGS, LUCK_ITERATIONS},
    },
    protocol::review::{GameReview, player},
    report::{
        data_table::Value,
        study_report::LinkedSentence,
        text::{action_words, provenance_line},
    },
    search::calibration::FittedMaps,
    study::shared::{fitted_games::fitted_games, prelude::*},
};

/// Smallest win chance of nobody for which it has a column.
const MIN_NOBODY: f64 = 1e-6;
/// Number of lucky events that are shown.
const KEY_EVENTS: usize = 5;

impl AnnotationReport<'_> {
    /// Returns the report: the answer, the win chances, the mistakes, the ledger, and the luckiest
    /// events.
    pub(super) fn report(&self) -> StudyReport {
        let title = format!("{}, game {}: annotated", self.game.title(), self.record.index);
        let mut report = StudyReport::new(title);
        report.answer(&format!("{} {}", self.heading(), self.review.answer));
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
            report.page(self.steps());
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
        let players = (1..).zip(record.bots.iter().zip(record.scores.iter().flatten()));
        let players =
            players.map(|(number, (bot, score))| format!("player {number} ({bot}) {score}"));
        format!("{}, game {}: {} points.", self.game.title(), record.index, join_with_and(players))
    }

    /// Returns true if the ledger has a column for the chance that nobody wins, which is known if
    /// there is one seat.
    fn has_nobody(&self) -> bool {
        let GameReview { players, start, end, .. } = &self.review;
        *players == 1 && [start, end].iter().any(|chances| 1.0 - chances[0] > MIN_NOBODY)
    }

    /// Returns the names of the columns of the ledger: the seats, and nobody if nobody may win.
    fn ledger_columns(&self) -> Vec<String> {
        let seats = (0..self.review.players).map(player);
        seats.chain(self.has_nobody().then(|| "nobody".to_owned())).collect()
    }

    /// Adds the changes of the win chances by their sources.
    fn add_ledger(&self, report: &mut StudyReport) {
        let GameReview { start, end, ledger, .. } = &self.review;
        let nobody = |total: f64, chances: &[f64]| {
            self.has_nobody().then(|| total - chances.iter().sum::<f64>())
        };
        let line = |name: &str, chances: &[f64], total: f64, unit: Unit| {
            let columns = chances.iter().copied().chain(nobody(total, chances));
            (name.to_owned(), columns.collect::<Vec<_>>(), unit)
        };
        let chances = |name, chances: &[f64]| line(name, chances, 1.0, Unit::Decimals(1));
        let changes =
            ledger.iter().map(|row| line(&row.source, &row.changes, 0.0, Unit::Signed(1)));
        let lines = [chances("start", start)].into_iter().chain(changes);
        let lines = lines.chain([chances("end", end)]);
        let columns = Columns::<(String, Vec<f64>, Unit)>::new("", "").text(
            "win chance, %",
            "",
            |(name, ..)| name.clone(),
        );
        let titles = self.ledger_columns().into_iter().enumerate();
        let columns = titles.fold(columns, |columns, (index, title)| {
            columns.estimate(("", title), Unit::Decimals(1), "", move |(_, chances, unit)| {
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

    fn add_mistakes(&self, report: &mut StudyReport) {
        let mistakes = self.review.mistakes().map(|event| {
            let reason: String = event.reason.iter().map(|reason| format!(", {reason}")).collect();
            let rest = format!(
                ", round {}, {}: {}, {}; better: {}{reason}; {}.",
                event.round,
                event.decider(),
                event.mistake.unwrap_or_default(),
                action_words(&event.label, &event.action),
                action_words(
                    event.best_label.as_deref().unwrap_or_default(),
                    event.best.as_deref().unwrap_or_default()
                ),
                event.cost_text()
            );
            event_sentence(event.n, rest)
        });
        let mistakes: Vec<_> = mistakes.collect();
        let merits = self.review.events.iter().filter_map(|event| {
            let words = action_words(&event.label, &event.action);
            let (round, decider) = (event.round, event.decider());
            let rest = format!(", round {round}, {decider}: {words}, the {}.", event.merit?);
            Some(event_sentence(event.n, rest))
        });
        let merits: Vec<_> = merits.collect();
        if !merits.is_empty() {
            report.linked_sentences(self.place(), "Best and only moves", &merits);
        }
        if mistakes.is_empty() {
            report.section("Mistakes");
            report.paragraph("No decision is shown to be a mistake.");
        } else {
            report.linked_sentences(ReportPlace::Everywhere, "Mistakes", &mistakes);
        }
    }

    /// Adds the events of chance that helped a seat most.
    fn add_luck(&self, report: &mut StudyReport) {
        let events = self.review.events.iter();
        let events =
            events.filter(|event| event.seat.is_none() && event.choices > 1).map(|event| {
                let changes = event.change.iter().copied().enumerate();
                let largest = changes.max_by(|one, other| one.1.total_cmp(&other.1));
                (event, largest.unwrap_or_default())
            });
        let mut lucky: Vec<_> = events.collect();
        lucky.sort_by(|one, other| other.1.1.total_cmp(&one.1.1));
        lucky.truncate(KEY_EVENTS);
        let lucky = lucky.into_iter().map(|(event, (seat, change))| {
            let (round, outcome, points) = (event.round, &event.label, 100.0 * change);
            let seat = player(seat);
            event_sentence(
                event.n,
                format!(", round {round}: {outcome}, {points:+.1} points for {seat}."),
            )
        });
        let lucky = lucky.collect::<Vec<_>>();
        report.linked_sentences(self.place(), "Luckiest events", &lucky);
    }
}

/// Returns a sentence that begins with a link to an event.
fn event_sentence(index: usize, rest: String) -> LinkedSentence {
    let address = format!("#{}", event_id(index));
    LinkedSentence { name: format!("Event {index}"), address, rest }
}

/// Returns how chances, costs, skill and luck are found.
pub(super) fn method(options: &AnnotationArguments, calibration: Option<&[FittedMaps]>) -> String {
    format!(
        "Win chances by two searches of {} each, and of up to {} times as many where they \
         differ, {}. The cost of a decision is the chance before it less the chance after it \
         if searches after it and the best action confirm at least half, else what these find; \
         a mistake costs more than 3, 5 or 10 points. Skill is 100 if \
         decisions cost nothing, halved with each 5 points that one costs on average, of those in \
         which random actions lose a point or more. Luck by searches of {}. Seed {}.",
        format_count(options.iterations, "iteration"),
        1 << DOUBLINGS,
        match calibration {
            None => "not calibrated".to_owned(),
            Some(fitted) => format!("calibrated on {}", fitted_games(fitted)),
        },
        format_count(LUCK_ITERATIONS.min(options.iterations), "iteration"),
        options.seed
    )
}
