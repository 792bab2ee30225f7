//! The annotated game as one JSON object.

use serde::Serialize;

use super::AnnotationReport;
use crate::{
    analysis::ledger::Mistake,
    game::{Seat, Turn},
};

/// The name and version of the format.
const FORMAT: &str = "watershed.annotation/2";

#[derive(Serialize)]
struct AnnotatedGame<'a> {
    format: &'a str,
    game: &'a str,
    config_sha256: &'a str,
    provenance: &'a str,
    players: usize,
    bots: &'a [String],
    index: u64,
    seed: u64,
    /// True if the win chances are calibrated.
    calibrated: bool,
    /// Iterations of the searches of each decision; more where two of them differed.
    iterations: u32,
    /// Mean accuracy of the decisions of each seat, from 0 to 1; null without decisions.
    accuracy: Vec<Option<f64>>,
    /// Win chance of each seat before the first event.
    start: Vec<f64>,
    /// Win share of each seat.
    end: Vec<f64>,
    events: Vec<AnnotatedGameEvent>,
    ledger: Vec<Row>,
}

#[derive(Serialize)]
struct AnnotatedGameEvent {
    n: usize,
    /// The seat that decided; null for chance.
    by: Option<usize>,
    round: u32,
    action: String,
    /// `luck` or `decision`.
    kind: &'static str,
    before: Vec<f64>,
    after: Vec<f64>,
    change: Vec<f64>,
    revision: Vec<f64>,
    best: Option<String>,
    /// Win chance that the decision costs the seat that decided.
    loss: Option<f64>,
    label: Option<&'static str>,
    /// Why another action is better than a mistake.
    reason: Option<String>,
}

#[derive(Serialize)]
struct Row {
    source: String,
    events: u64,
    changes: Vec<f64>,
}

impl AnnotationReport<'_> {
    /// Returns the object and a newline. Chances are written exactly, so that they add up.
    pub(super) fn json(&self) -> anyhow::Result<String> {
        let (record, annotation) = (self.record, &self.annotation);
        let seats = annotation.seats;
        let all = |values: &[f64]| values[..seats].to_vec();
        let events = annotation.events.iter().enumerate().map(|(n, event)| {
            let each = |change: &dyn Fn(Seat) -> f64| -> Vec<f64> {
                (0..seats).map(|seat| change(Seat::new(seat))).collect()
            };
            AnnotatedGameEvent {
                n,
                by: match event.turn {
                    Turn::Seat(seat) => Some(seat.index()),
                    _ => None,
                },
                round: event.round,
                action: event.action.notation.clone(),
                kind: if matches!(event.turn, Turn::Seat(_)) { "decision" } else { "luck" },
                before: all(&event.before),
                after: all(&event.after),
                change: each(&|seat| event.change(seat)),
                revision: each(&|seat| event.revision(seat)),
                best: event.cost.as_ref().map(|cost| cost.best.notation.clone()),
                loss: event.cost.as_ref().map(|cost| cost.loss),
                reason: event.reason.clone(),
                label: event.cost.as_ref().and_then(|cost| cost.mistake.map(Mistake::as_str)),
            }
        });
        let ledger = annotation.ledger().into_iter().map(|row| Row {
            source: self.source_name(row.source),
            events: row.events,
            changes: all(&row.changes),
        });
        let json = AnnotatedGame {
            format: FORMAT,
            game: &record.game,
            config_sha256: &record.config_sha256,
            provenance: self.provenance.as_str(),
            players: seats,
            bots: &record.bots,
            index: record.index,
            seed: self.options.seed,
            calibrated: self.calibration.is_some(),
            iterations: self.options.iterations,
            accuracy: (0..seats)
                .map(|seat| annotation.accuracy(Seat::new(seat)).map(|(mean, _)| mean))
                .collect(),
            start: all(&annotation.start),
            end: all(&annotation.end),
            events: events.collect(),
            ledger: ledger.collect(),
        };
        Ok(serde_json::to_string(&json)? + "\n")
    }
}
