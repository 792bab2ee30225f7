//! The game loop.

use crate::{
    bots::View,
    game::{ChanceSource, Game, Outcome, Seat, Turn},
    rng::ChanceStreams,
};

/// A receiver of the events of a game. The methods do nothing by default.
pub trait Observer<G: Game> {
    /// Receives a chance outcome and the position before it.
    fn on_chance(
        &mut self,
        _game: &G,
        _state: &G::State,
        _source: ChanceSource,
        _outcome: G::Action,
    ) {
    }

    /// Receives the action that a seat has chosen among `legal`, and the position before it.
    fn on_decision(
        &mut self,
        _game: &G,
        _state: &G::State,
        _seat: Seat,
        _legal: &G::Actions,
        _action: G::Action,
    ) {
    }

    /// Receives the final position.
    fn on_end(&mut self, _game: &G, _state: &G::State) {}
}

/// Two observers that receive every event in turn.
impl<G: Game, A: Observer<G>, B: Observer<G>> Observer<G> for (A, B) {
    fn on_chance(&mut self, game: &G, state: &G::State, source: ChanceSource, outcome: G::Action) {
        self.0.on_chance(game, state, source, outcome);
        self.1.on_chance(game, state, source, outcome);
    }

    fn on_decision(
        &mut self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        self.0.on_decision(game, state, seat, legal, action);
        self.1.on_decision(game, state, seat, legal, action);
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        self.0.on_end(game, state);
        self.1.on_end(game, state);
    }
}

/// A borrowed observer.
impl<G: Game, O: Observer<G>> Observer<G> for &mut O {
    fn on_chance(&mut self, game: &G, state: &G::State, source: ChanceSource, outcome: G::Action) {
        (**self).on_chance(game, state, source, outcome);
    }

    fn on_decision(
        &mut self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        (**self).on_decision(game, state, seat, legal, action);
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        (**self).on_end(game, state);
    }
}

/// An optional observer.
impl<G: Game, O: Observer<G>> Observer<G> for Option<O> {
    fn on_chance(&mut self, game: &G, state: &G::State, source: ChanceSource, outcome: G::Action) {
        if let Some(observer) = self {
            observer.on_chance(game, state, source, outcome);
        }
    }

    fn on_decision(
        &mut self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        if let Some(observer) = self {
            observer.on_decision(game, state, seat, legal, action);
        }
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        if let Some(observer) = self {
            observer.on_end(game, state);
        }
    }
}

/// An observer that keeps the outcome of the game.
pub(crate) struct OutcomeObserver(pub(crate) Option<Outcome>);

impl<G: Game> Observer<G> for OutcomeObserver {
    fn on_end(&mut self, game: &G, state: &G::State) {
        self.0 = Some(game.outcome(state));
    }
}

/// Plays one game. `choose` returns the action of the seat to move, and chance draws from the
/// streams of the block.
pub fn play_game<G: Game>(
    game: &G,
    chance: &mut ChanceStreams,
    mut choose: impl FnMut(&View<'_, G>, &G::Actions) -> G::Action,
    mut observer: impl Observer<G>,
) {
    let mut state = game.initial();
    loop {
        match game.turn(&state) {
            Turn::Chance(source) => {
                let outcome = game.sample_chance(&state, chance.source_stream(source.0));
                observer.on_chance(game, &state, source, outcome);
                game.apply(&mut state, outcome);
            }
            Turn::Seat(seat) => {
                let legal = game.legal_actions(&state);
                let action = choose(&View::new(game, &state, seat), &legal);
                observer.on_decision(game, &state, seat, &legal, action);
                game.apply(&mut state, action);
            }
            Turn::Over => {
                observer.on_end(game, &state);
                return;
            }
        }
    }
}
