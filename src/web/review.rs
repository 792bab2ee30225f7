//! Reviews of finished games: the chances of all seats, and the decisions that cost some of them.

use super::{
    answer::{Problem, ReviewAccuracy, ReviewMistake, ReviewPoint, ReviewView},
    game::GameInProgress,
};
use crate::{
    analysis::{
        ledger::{Annotation, Annotator, LedgerSource, Mistake},
        named::{NamedAction, NamedPosition},
        pair_search::PairedSearches,
    },
    arena::record::Record,
    bots::BotFactory,
    bound::BoundGame,
    game::{Seat, Turn},
};

/// Maximum number of iterations of the searches of each decision.
pub const MAX_REVIEW_ITERATIONS: u32 = 4000;
/// Iterations of the searches that estimate luck.
const LUCK_ITERATIONS: u32 = 200;
/// Number of times that the budget of the searches of a decision can double.
const DOUBLINGS: u32 = 4;
/// Seed of the searches, so that a game has one review.
const SEED: u64 = 1;

impl GameInProgress {
    /// Reviews the game, which must be over: a review tells everything that was hidden.
    pub(super) fn review(&self, iterations: u32) -> Result<ReviewView, Problem> {
        if !self.is_over() {
            return Err(Problem::invalid("only a finished game is reviewed"));
        }
        if !(1..=MAX_REVIEW_ITERATIONS).contains(&iterations) {
            return Err(Problem::invalid(format!(
                "iterations: expected 1 to {MAX_REVIEW_ITERATIONS}, found {iterations}"
            )));
        }
        annotate(&*self.game, &self.session.record(), iterations)
            .map(|annotation| view(&annotation, iterations))
            .map_err(Problem::invalid)
    }
}

/// Annotates a finished game.
fn annotate(
    game: &dyn BoundGame,
    record: &Record,
    iterations: u32,
) -> Result<Annotation<NamedPosition, NamedAction>, String> {
    let library = game.library();
    let search = |iterations: u32| -> Result<BotFactory, String> {
        let name = format!("mcts:iterations={iterations}");
        library.read(&name).map_err(|error| error.to_string())
    };
    let searches = (0..=DOUBLINGS).map(|doublings| search(iterations << doublings));
    let searches = searches.collect::<Result<Vec<_>, _>>()?;
    let annotator = Annotator {
        searches: PairedSearches { bots: &searches },
        luck_search: &search(LUCK_ITERATIONS.min(iterations))?,
        seed: SEED,
    };
    game.annotate(&annotator, record, &|| {})
}

fn view(annotation: &Annotation<NamedPosition, NamedAction>, iterations: u32) -> ReviewView {
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
