//! Games in progress, their views and hints.

use std::sync::Arc;

use super::{
    answer::{GameView, HintAction, HintView, Problem},
    view,
};
use crate::{
    analysis::{
        hint::{Advisor, HintRow},
        named::NamedAction,
        watch::AnalysisWatch,
    },
    bound::{BoundGame, GameSession},
    game::{Seat, Turn},
    session::Next,
};

/// A game in progress with the searches that analyse its positions.
#[derive(Clone)]
pub(super) struct GameInProgress {
    pub(super) game: Arc<BoundGame>,
    pub(super) session: GameSession,
    /// Title of the game.
    pub(super) title: &'static str,
    pub(super) provenance: String,
    /// The searches that give hints.
    pub(super) advisor: Advisor,
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
        let view = view::of_session(&self.session, past.as_ref(), log_from, own);
        let (title, provenance) = (self.title.to_owned(), self.provenance.clone());
        Ok(GameView { title, provenance, at, can_analyse, ..view })
    }

    /// Returns the notation of a position, now or before an event, if nothing of it is hidden.
    pub(super) fn position(&self, at: Option<usize>, own: Option<Seat>) -> Result<String, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_ref().unwrap_or(&self.session);
        let text = session.position_text(None);
        let viewer = view::viewer(&self.session, own);
        if viewer.is_some_and(|viewer| session.position_text(Some(viewer)) != text) {
            return Err(Problem::invalid("a part of this position is hidden from you"));
        }
        Ok(text)
    }

    /// Suggests actions, now or before an event.
    pub(super) fn hint(
        &self,
        at: Option<usize>,
        own: Option<Seat>,
        watch: &AnalysisWatch,
    ) -> Result<HintView, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_ref().unwrap_or(&self.session);
        let seat = self.analysed_seat(session, own)?;
        let hint = session.hint(&self.advisor, seat, watch);
        let hint = hint.ok_or_else(|| Problem::invalid("the hint was stopped"))?;
        let actions = session.actions();
        let row = |row: &HintRow<NamedAction>| {
            Some(HintAction {
                action: actions.iter().position(|action| *action == row.action)?,
                label: row.action.label.clone(),
                number: hint.number(row),
                value: row.number,
                visits: row.visits,
                reason: row.reason.clone(),
            })
        };
        Ok(HintView {
            verdict: hint.verdict().to_owned(),
            explanation: hint.explanation(self.advisor.name()),
            actions: hint.rows.iter().filter_map(row).collect(),
        })
    }

    /// Returns a copy of the game as it was before an event. The game must be over, because the
    /// copy may show what was hidden.
    pub(super) fn branch(&self, at: usize) -> Result<Self, Problem> {
        if !self.is_over() {
            return Err(Problem::invalid(
                "only a finished game is played on from an earlier event",
            ));
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
        past.map(Some).ok_or_else(|| Problem::invalid(format!("there is no event {at}")))
    }

    /// Returns the seat that decides, if the analysis of its decision shows nothing that is hidden
    /// now: an analysis uses what this seat sees.
    fn analysed_seat(&self, session: &GameSession, own: Option<Seat>) -> Result<Seat, Problem> {
        let Turn::Seat(seat) = session.turn() else {
            return Err(Problem::invalid("an analysis needs a decision"));
        };
        if !session.pending().is_empty() {
            return Err(Problem::invalid("choose the rest of the combination first"));
        }
        match view::viewer(&self.session, own) {
            Some(viewer) if viewer != seat => {
                Err(Problem::invalid("an analysis needs a decision of a person"))
            }
            _ => Ok(seat),
        }
    }
}
