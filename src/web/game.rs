//! Games in progress, their views, hints and reviews.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use super::{answer::GameView, names::PlayerNames, view};
use crate::{
    analysis::{hint::Advisor, review_searches::ReviewSearches, watch::AnalysisWatch},
    bound::GameSession,
    game::{Seat, Turn},
    games::open_games::OpenedGame,
    protocol::{
        analysis::Suggestions,
        problem::Problem,
        review::{GameReview, Reviewer},
    },
    session::Next,
};

/// Maximum number of iterations of the searches of each decision of a review.
const MAX_REVIEW_ITERATIONS: u32 = 4000;
/// Seed of the searches of a review, so that a game has one.
const REVIEW_SEED: u64 = 1;

/// A game in progress with the searches that analyse its positions.
#[derive(Clone)]
pub(super) struct GameInProgress {
    pub(super) opened: Arc<OpenedGame>,
    pub(super) session: GameSession,
    /// The searches that give hints.
    pub(super) advisor: Advisor,
    /// False if the seats of a shared game get no hints until its end.
    pub(super) allows_hints: bool,
}

impl GameInProgress {
    /// Returns true if the game is over.
    pub(super) fn is_over(&self) -> bool {
        self.session.next() == Next::Over
    }

    /// Returns the game as it is shown, now or before an event, with the log from an event on.
    /// `own` is the seat of the person in a shared game.
    pub(super) fn view(
        &self,
        at: Option<usize>,
        log_from: usize,
        own: Option<Seat>,
    ) -> Result<GameView, Problem> {
        let past = self.session_at(at)?;
        let shown = past.as_ref().unwrap_or(&self.session);
        let can_analyse = self.analysed_seat(shown, own).is_ok();
        let allows_hints = self.allows_hints;
        let view = view::of_session(&self.session, past.as_ref(), log_from, own);
        let (title, provenance) = (self.opened.entry.title, self.opened.provenance.clone());
        let is_edited = self.opened.is_edited;
        Ok(GameView { title, provenance, is_edited, allows_hints, at, can_analyse, ..view })
    }

    /// Returns the notation of a position, now or before an event, if nothing of it is hidden.
    pub(super) fn position(&self, at: Option<usize>, own: Option<Seat>) -> Result<String, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_ref().unwrap_or(&self.session);
        let text = session.position_text(None);
        let viewer = view::viewer(&self.session, own);
        if viewer.is_some_and(|viewer| session.position_text(Some(viewer)) != text) {
            return Err("a part of this position is hidden from you".into());
        }
        Ok(text)
    }

    /// Suggests actions, now or before an event, and judges one.
    pub(super) fn hint(
        &self,
        at: Option<usize>,
        asked: Option<&str>,
        own: Option<Seat>,
        watch: &AnalysisWatch,
    ) -> Result<Suggestions, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_ref().unwrap_or(&self.session);
        let seat = self.analysed_seat(session, own)?;
        let asked = asked.map(|notation| session.legal_action(notation)).transpose()?;
        let hint = session.hint(&self.advisor, seat, asked, watch).ok_or("the hint was stopped")?;
        let mut hint = Suggestions::new(self.opened.game.rules(), hint, &self.advisor);
        let actions = hint.actions.iter_mut();
        let texts = actions.flat_map(|row| [Some(&mut row.label), row.reason.as_mut()]);
        let judged = hint.judgement.iter_mut();
        let judged = judged.flat_map(|one| [Some(&mut one.text), one.better.as_mut()]);
        let texts = texts.chain(judged).flatten().chain(&mut hint.chances);
        self.names(own).insert_into_all(texts);
        Ok(hint)
    }

    /// Reviews the game, which must be over: a review tells everything that was hidden. It fails
    /// soon after `stop` becomes true. The first value has the iterations, and the events of
    /// decisions for which a hint was given; `done` counts searches, two for each event.
    pub(super) fn review(
        &self,
        (iterations, hinted): (u32, &[usize]),
        own: Option<Seat>,
        done: &AtomicUsize,
        stop: &AtomicBool,
    ) -> Result<GameReview, Problem> {
        if !self.is_over() {
            return Err("only a finished game is reviewed".into());
        }
        if self.session.is_set_up() {
            return Err("only a game from its beginning on is reviewed".into());
        }
        if !(1..=MAX_REVIEW_ITERATIONS).contains(&iterations) {
            let error = format!("expected 1 to {MAX_REVIEW_ITERATIONS}, found {iterations}");
            return Err(Problem::from(error).of_field("iterations"));
        }
        let OpenedGame { game, provenance, .. } = &*self.opened;
        let searches = &ReviewSearches::new(game.library(), iterations)?;
        let reviewer = Reviewer { game, provenance, searches, seed: REVIEW_SEED, hinted };
        let on_event = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let (mut review, _) = reviewer.review(&self.session.record(), stop, &on_event)?;
        let texts = review.events.iter_mut().flat_map(|event| {
            [Some(&mut event.label), event.best_label.as_mut(), event.reason.as_mut()]
        });
        self.names(own).insert_into_all(texts.flatten().chain([&mut review.answer]));
        Ok(review)
    }

    /// Returns the names of the players in texts. `own` is the seat of the person in a shared game.
    fn names(&self, own: Option<Seat>) -> PlayerNames {
        let person = own.or_else(|| view::only_person(&self.session));
        PlayerNames::new(self.session.setup(), person)
    }

    /// Returns a copy of the game as it was before an event. The game must be over, because the
    /// copy may show what was hidden.
    pub(super) fn branch(&self, at: usize) -> Result<Self, Problem> {
        if !self.is_over() {
            return Err("only a finished game is played on from an earlier event".into());
        }
        let session = self.session_at(Some(at))?;
        Ok(Self { session: session.unwrap_or_else(|| self.session.clone()), ..self.clone() })
    }

    /// Returns the record of the game so far as a line of JSON.
    pub(super) fn record(&self) -> String {
        serde_json::to_string(&self.session.record()).unwrap_or_default()
    }

    /// Returns the game as it was before an event; `None` for now.
    fn session_at(&self, at: Option<usize>) -> Result<Option<GameSession>, Problem> {
        let Some(at) = at else { return Ok(None) };
        let past = self.session.before(at);
        Ok(Some(past.ok_or_else(|| format!("there is no event {at}"))?))
    }

    /// Refuses advice in a game without hints until it is over.
    pub(super) fn may_advise(&self) -> Result<(), Problem> {
        if self.allows_hints || self.is_over() {
            return Ok(());
        }
        Err("the host has turned hints off in this game".into())
    }

    /// Returns the seat that decides, if the analysis of its decision shows nothing that is hidden
    /// now: an analysis uses what this seat sees.
    fn analysed_seat(&self, session: &GameSession, own: Option<Seat>) -> Result<Seat, Problem> {
        self.may_advise()?;
        let Turn::Seat(seat) = session.turn() else {
            return Err("an analysis needs a decision".into());
        };
        if !session.pending().is_empty() {
            return Err("choose the rest of the combination first".into());
        }
        match view::viewer(&self.session, own) {
            Some(viewer) if viewer != seat => {
                Err("an analysis needs a decision of a person".into())
            }
            _ => Ok(seat),
        }
    }
}
