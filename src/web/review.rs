//! Reviews of finished games: the chances of all seats, and the decisions that cost some of them.

use std::sync::atomic::AtomicBool;

use super::{
    answer::{Problem, ReviewAccuracy, ReviewMistake, ReviewPoint, ReviewView},
    game::GameInProgress,
};
use crate::{
    analysis::{
        ledger::{Annotation, LedgerSource, Mistake},
        named::{NamedAction, NamedPosition},
        review_searches::ReviewSearches,
    },
    game::{Seat, Turn},
};

/// Maximum number of iterations of the searches of each decision.
pub const MAX_REVIEW_ITERATIONS: u32 = 4000;
/// Seed of the searches, so that a game has one review.
const SEED: u64 = 1;

impl GameInProgress {
    /// Reviews the game, which must be over: a review tells everything that was hidden. It fails
    /// soon after `stop` becomes true.
    pub(super) fn review(&self, iterations: u32, stop: &AtomicBool) -> Result<ReviewView, Problem> {
        if !self.is_over() {
            return Err(Problem::invalid("only a finished game is reviewed"));
        }
        if self.session.is_set_up() {
            return Err(Problem::invalid("only a game from its beginning on is reviewed"));
        }
        if !(1..=MAX_REVIEW_ITERATIONS).contains(&iterations) {
            return Err(Problem::invalid(format!(
                "iterations: expected 1 to {MAX_REVIEW_ITERATIONS}, found {iterations}"
            )));
        }
        let searches = ReviewSearches::new(self.game.library(), iterations);
        let searches = searches.map_err(|error| Problem::invalid(error.to_string()))?;
        let annotator = searches.annotator(SEED, stop);
        let annotation = self.game.annotate(&annotator, &self.session.record(), &|| {});
        let combined = self.session.combined_words();
        annotation
            .map(|annotation| view(&annotation, iterations, combined))
            .map_err(Problem::invalid)
    }
}

/// Describes a review. `combined` are the first words of choices that belong to combinations.
fn view(
    annotation: &Annotation<NamedPosition, NamedAction>,
    iterations: u32,
    combined: &[&str],
) -> ReviewView {
    let is_combined = |action: &NamedAction| {
        combined.contains(&action.notation.split(':').next().unwrap_or_default())
    };
    let seats = annotation.seats;
    let decisions = annotation.events.iter().enumerate();
    let decisions = decisions
        .filter(|(_, event)| matches!(event.turn, Turn::Seat(_)) && event.choices > 1)
        .map(|(event, of)| ReviewPoint { event, chances: of.before[..seats].to_vec() });
    let end =
        ReviewPoint { event: annotation.events.len(), chances: annotation.end[..seats].to_vec() };
    let accuracy = |seat| {
        let (mean, decisions) = annotation.accuracy(Seat::new(seat))?;
        Some(ReviewAccuracy { mean, decisions })
    };
    let ledger = annotation.ledger();
    let luck = |seat: usize| {
        let rows = ledger.iter().filter(|row| matches!(row.source, LedgerSource::Luck(_)));
        rows.map(|row| row.changes[seat]).sum()
    };
    let mistakes = annotation.mistakes().filter_map(|(index, event, cost)| {
        let Turn::Seat(seat) = event.turn else { return None };
        Some(ReviewMistake {
            event: index,
            seat: seat.index(),
            round: event.round,
            size: cost.mistake.map_or("", Mistake::as_str),
            loss: cost.loss,
            played: event.action.label.clone(),
            best: cost.best.label.clone(),
            reason: event.reason.clone(),
            is_combined: is_combined(&event.action) || is_combined(&cost.best),
        })
    });
    ReviewView {
        iterations,
        points: decisions.chain([end]).collect(),
        accuracy: (0..seats).map(accuracy).collect(),
        luck: (0..seats).map(luck).collect(),
        mistakes: mistakes.collect(),
    }
}
