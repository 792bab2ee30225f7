//! A game in progress, whichever game it is.

use super::{
    answer::{Chances, Hint, HintAction, Problem, SeatChances, View},
    view,
};
use crate::{
    analysis::judge::{Analyst, PositionAnalysis},
    bots::BotFactory,
    game::{Seat, Turn},
    games::GameDefinition,
    session::{Next, Session},
};

/// Number of actions that a hint names.
const HINTS: usize = 3;
/// Number of rollouts of win chances.
const ROLLOUTS: u64 = 200;

/// A game in progress.
pub(super) trait Table: Send + Sync {
    /// Returns a copy, which shares the rules.
    fn copy(&self) -> Box<dyn Table>;

    /// Returns the number of events so far.
    fn events(&self) -> usize;

    /// Returns true if the game is over.
    fn is_over(&self) -> bool;

    /// Returns the game as it is shown, now or before an event, with the log from an event on.
    fn view(&self, at: Option<usize>, log_from: usize) -> Result<View, Problem>;

    /// Makes the next event, which a person decides: the action with this index.
    fn act(&mut self, action: usize) -> Result<(), Problem>;

    /// Makes the next event if a bot or chance decides it; returns false otherwise.
    fn step(&mut self) -> bool;

    /// Takes the last decision of a person back; returns false if there is none.
    fn undo(&mut self) -> bool;

    /// Makes a decision again that was taken back; returns false if there is none.
    fn redo(&mut self) -> bool;

    /// Suggests actions, now or before an event.
    fn hint(&self, at: Option<usize>) -> Result<Hint, Problem>;

    /// Estimates win chances and final scores, now or before an event.
    fn chances(&self, at: Option<usize>) -> Result<Chances, Problem>;

    /// Returns the record of the game so far as a line of JSON.
    fn record(&self) -> String;
}

/// A session with the bots that analyse its positions.
#[derive(Clone)]
pub(super) struct SessionTable<G: GameDefinition> {
    pub(super) session: Session<G>,
    pub(super) provenance: String,
    /// The bot that searches for good actions.
    pub(super) search: BotFactory<G>,
    /// The bot that plays rollouts.
    pub(super) policy: BotFactory<G>,
}

impl<G: GameDefinition> Table for SessionTable<G> {
    fn copy(&self) -> Box<dyn Table> {
        Box::new(self.clone())
    }

    fn events(&self) -> usize {
        self.session.events().len()
    }

    fn is_over(&self) -> bool {
        self.session.next() == Next::Over
    }

    fn view(&self, at: Option<usize>, log_from: usize) -> Result<View, Problem> {
        let past = self.session_at(at)?;
        let can_analyse = self.analysed_seat(past.as_ref().unwrap_or(&self.session)).is_ok();
        let view = view::of_session(&self.session, past.as_ref(), log_from);
        let (title, provenance) = (G::TITLE.to_owned(), self.provenance.clone());
        Ok(View { title, provenance, at, can_analyse, ..view })
    }

    fn act(&mut self, action: usize) -> Result<(), Problem> {
        let actions = self.session.actions();
        let chosen = actions.get(action).ok_or_else(|| {
            Problem::invalid(format!("no action {action}; there are {}", actions.len()))
        })?;
        self.session.act(*chosen).map_err(Problem::invalid)
    }

    fn step(&mut self) -> bool {
        self.session.step().is_some()
    }

    fn undo(&mut self) -> bool {
        self.session.undo()
    }

    fn redo(&mut self) -> bool {
        self.session.redo()
    }

    fn hint(&self, at: Option<usize>) -> Result<Hint, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_ref().unwrap_or(&self.session);
        let seat = self.analysed_seat(session)?;
        let analysis = self.analyse(session, seat, 0, HINTS);
        let actions = session.actions();
        let hinted = analysis.actions.iter().take(HINTS).filter_map(|judged| {
            Some(HintAction {
                action: actions.iter().position(|&action| action == judged.action)?,
                label: session.game().action_label(judged.action),
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

    fn chances(&self, at: Option<usize>) -> Result<Chances, Problem> {
        let past = self.session_at(at)?;
        let session = past.as_ref().unwrap_or(&self.session);
        let seat = self.analysed_seat(session)?;
        let analysis = self.analyse(session, seat, ROLLOUTS, 1);
        let best = &analysis.actions[0];
        let rollouts = best.rollouts.as_ref();
        let rollouts = rollouts.ok_or_else(|| Problem::invalid("there are no rollouts"))?;
        let seats = (0..session.game().seats()).map(Seat::new).map(|seat| SeatChances {
            win: rollouts.win_share(seat).into(),
            score: rollouts.score(seat).into(),
        });
        Ok(Chances {
            search: self.search.name().to_owned(),
            policy: self.policy.name().to_owned(),
            rollouts: rollouts.blocks(),
            action: session.game().action_label(best.action),
            seats: seats.collect(),
        })
    }

    fn record(&self) -> String {
        serde_json::to_string(&self.session.record()).unwrap_or_default()
    }
}

impl<G: GameDefinition> SessionTable<G> {
    /// Returns the game as it was before an event; `None` for now.
    fn session_at(&self, at: Option<usize>) -> Result<Option<Session<G>>, Problem> {
        let Some(at) = at else { return Ok(None) };
        let past = self.session.before(at);
        past.map(Some).ok_or_else(|| Problem::invalid(format!("there is no event {at}")))
    }

    /// Returns the seat that decides, if the analysis of its decision shows nothing that is hidden
    /// now: an analysis uses what this seat sees.
    fn analysed_seat(&self, session: &Session<G>) -> Result<Seat, Problem> {
        let Turn::Seat(seat) = session.game().turn(session.state()) else {
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
        session: &Session<G>,
        seat: Seat,
        rollouts: u64,
        candidates: usize,
    ) -> PositionAnalysis<G::Action> {
        let analyst = Analyst {
            search: &self.search,
            policy: &self.policy,
            rollouts,
            candidates,
            seed: session.setup().seed,
        };
        analyst.analyse(&**session.game(), session.state(), seat, &[])
    }
}
