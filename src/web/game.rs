//! Games in progress, their views, hints and win chances.

use super::{
    answer::{Chances, GameView, Hint, HintAction, Problem, SeatChances},
    view,
};
use crate::{
    analysis::{
        judge::{Analyst, PositionAnalysis},
        named::NamedAction,
    },
    bots::BotFactory,
    bound::GameSession,
    game::{Seat, Turn},
    session::Next,
};

/// Number of actions that a hint names.
const HINTS: usize = 3;
/// Number of rollouts of win chances.
const ROLLOUTS: u64 = 200;

/// A game in progress with the bots that analyse its positions.
#[derive(Clone)]
pub(super) struct GameInProgress {
    pub(super) session: Box<dyn GameSession>,
    /// Title of the game.
    pub(super) title: &'static str,
    pub(super) provenance: String,
    /// The bot that searches for good actions.
    pub(super) search: BotFactory,
    /// The bot that plays rollouts.
    pub(super) policy: BotFactory,
}

impl GameInProgress {
    /// Returns true if the game is over.
    pub(super) fn is_over(&self) -> bool {
        self.session.next() == Next::Over
    }

    /// Returns the game as it is shown, now or before an event, with the log from an event on.
    pub(super) fn view(&self, at: Option<usize>, log_from: usize) -> Result<GameView, Problem> {
        let past = self.session_at(at)?;
        let can_analyse = self.analysed_seat(past.as_deref().unwrap_or(&*self.session)).is_ok();
        let view = view::of_session(&*self.session, past.as_deref(), log_from);
        let (title, provenance) = (self.title.to_owned(), self.provenance.clone());
        Ok(GameView { title, provenance, at, can_analyse, ..view })
    }

    /// Suggests actions, now or before an event.
    pub(super) fn hint(&self, at: Option<usize>) -> Result<Hint, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_deref().unwrap_or(&*self.session);
        let seat = self.analysed_seat(session)?;
        let analysis = self.analyse(session, seat, 0, HINTS);
        let actions = session.actions();
        let hinted = analysis.actions.iter().take(HINTS).filter_map(|judged| {
            Some(HintAction {
                action: actions.iter().position(|action| *action == judged.action)?,
                label: judged.action.label.clone(),
                visits: judged.visits,
                chance: judged.chances.map(|chances| chances[seat.index()]),
            })
        });
        Ok(Hint {
            bot: self.search.name().to_owned(),
            iterations: analysis.search.as_ref().map_or(0, |search| search.iterations),
            calibrated: analysis.is_calibrated,
            actions: hinted.collect(),
        })
    }

    /// Estimates win chances and final scores, now or before an event.
    pub(super) fn chances(&self, at: Option<usize>) -> Result<Chances, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_deref().unwrap_or(&*self.session);
        let seat = self.analysed_seat(session)?;
        let analysis = self.analyse(session, seat, ROLLOUTS, 1);
        let best = &analysis.actions[0];
        let rollouts = best.rollouts.as_ref();
        let rollouts = rollouts.ok_or_else(|| Problem::invalid("there are no rollouts"))?;
        let seats = (0..session.setup().players.len()).map(Seat::new).map(|seat| SeatChances {
            win: rollouts.win_share(seat).into(),
            score: rollouts.score(seat).into(),
        });
        Ok(Chances {
            search: self.search.name().to_owned(),
            policy: self.policy.name().to_owned(),
            rollouts: rollouts.blocks(),
            action: best.action.label.clone(),
            seats: seats.collect(),
        })
    }

    /// Returns the record of the game so far as a line of JSON.
    pub(super) fn record(&self) -> String {
        serde_json::to_string(&self.session.record()).unwrap_or_default()
    }

    /// Returns the game as it was before an event; `None` for now.
    fn session_at(&self, at: Option<usize>) -> Result<Option<Box<dyn GameSession>>, Problem> {
        let Some(at) = at else { return Ok(None) };
        let past = self.session.before(at);
        past.map(Some).ok_or_else(|| Problem::invalid(format!("there is no event {at}")))
    }

    /// Returns the seat that decides, if the analysis of its decision shows nothing that is hidden
    /// now: an analysis uses what this seat sees.
    fn analysed_seat(&self, session: &dyn GameSession) -> Result<Seat, Problem> {
        let Turn::Seat(seat) = session.turn() else {
            return Err(Problem::invalid("an analysis needs a decision"));
        };
        match self.session.viewer() {
            Some(viewer) if viewer != seat => {
                Err(Problem::invalid("an analysis needs a decision of a person"))
            }
            _ => Ok(seat),
        }
    }

    fn analyse(
        &self,
        session: &dyn GameSession,
        seat: Seat,
        rollouts: u64,
        candidates: usize,
    ) -> PositionAnalysis<NamedAction> {
        let analyst = Analyst {
            search: &self.search,
            compares: true,
            policy: &self.policy,
            rollouts,
            candidates,
            seed: session.setup().seed,
        };
        session.analyse(&analyst, seat)
    }
}
