//! The annotated game as one JSON object.

use serde::Serialize;

use super::AnnotationReport;
use crate::{
    analysis::ledger::Mistake,
    game::{Seat, Turn},
    stats::ratio::Estimate,
};

/// The name and version of the format.
const FORMAT: &str = "watershed.annotation/1";

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
    /// The bot that plays the rollouts.
    policy: &'a str,
    /// True if the win chances are calibrated.
    calibrated: bool,
    iterations: u32,
    rollouts: u64,
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
    backed_up: Vec<f64>,
    after: Vec<f64>,
    change: Vec<f64>,
    revision: Vec<f64>,
    best: Option<String>,
    loss: Option<Loss>,
    /// The loss by searches after both actions.
    search_loss: Option<f64>,
    label: Option<&'static str>,
}

#[derive(Serialize)]
struct Loss {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    n: i64,
}

#[derive(Serialize)]
struct Row {
    source: String,
    events: u64,
    changes: Vec<f64>,
    /// Standard error of the change of the seat that decides.
    se: f64,
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
                backed_up: all(&event.backed_up),
                after: all(&event.after),
                change: each(&|seat| event.change(seat)),
                revision: each(&|seat| event.revision(seat)),
                best: event.cost.as_ref().map(|cost| cost.best.notation.clone()),
                loss: event.cost.as_ref().map(|cost| {
                    let Estimate { n, value, low, high } = cost.loss.estimate();
                    let finite = |number: f64| number.is_finite().then_some(number);
                    Loss { value, low: finite(low), high: finite(high), n }
                }),
                search_loss: event.cost.as_ref().map(|cost| cost.search_loss),
                label: event.cost.as_ref().and_then(|cost| cost.mistake.map(Mistake::as_str)),
            }
        });
        let ledger = annotation.ledger().into_iter().map(|row| Row {
            source: self.source_name(row.source),
            events: row.events,
            changes: all(&row.changes),
            se: row.standard_error,
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
            policy: self.policy,
            calibrated: !self.calibration.is_empty(),
            iterations: self.options.iterations,
            rollouts: self.options.rollouts,
            start: all(&annotation.start),
            end: all(&annotation.end),
            events: events.collect(),
            ledger: ledger.collect(),
        };
        Ok(serde_json::to_string(&json)? + "\n")
    }
}
