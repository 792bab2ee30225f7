//! Tests of the games.

use watershed::{
    game::{ActionSet as _, Game, Notation, Seat, Turn},
    rng::Rng,
};

pub(crate) mod common_river;
mod conformance;
pub(crate) mod data_variant;
mod effects;
pub(crate) mod glassworks;
mod positions;
mod scenes;
pub(crate) mod the_river;

/// Returns the notation of the legal actions, sorted.
pub(crate) fn legal<G: Notation>(game: &G, state: &G::State) -> Vec<String> {
    let legal = game.legal_actions(state);
    let mut texts: Vec<_> = legal.iter().map(|action| game.action_text(action)).collect();
    texts.sort();
    texts
}

/// Returns the notation of the outcomes of a chance event.
pub(crate) fn outcomes<G: Notation>(game: &G, state: &G::State) -> Vec<String> {
    game.chance_outcomes(state).iter().map(|&(action, _)| game.action_text(action)).collect()
}

/// Returns the consequences of an action in words.
pub(crate) fn summary<G: Notation>(game: &G, state: &G::State, action: &str) -> String {
    let action = game.parse_action(action).unwrap();
    game.action_effects(state, action).summary(usize::MAX).unwrap_or_default()
}

/// Applies events and checks that each is possible.
#[track_caller]
pub(crate) fn apply_all<G: Notation>(game: &G, state: &mut G::State, events: &[&str]) {
    for event in events {
        let possible = match game.turn(state) {
            Turn::Chance(_) => outcomes(game, state),
            Turn::Seat(_) => legal(game, state),
            Turn::Over => Vec::new(),
        };
        assert!(possible.iter().any(|text| text == event), "{event} is not among {possible:?}");
        game.apply(state, game.parse_action(event).unwrap());
    }
}

pub(crate) fn turn_of(seat: usize) -> Turn {
    Turn::Seat(Seat::new(seat))
}

/// Plays a game in which `choose` decides for all seats.
pub(crate) fn play_game<G: Game>(
    game: &G,
    rng: &mut Rng,
    mut choose: impl FnMut(&G::State, Seat, &mut Rng) -> G::Action,
) {
    let mut state = game.initial();
    loop {
        let action = match game.turn(&state) {
            Turn::Chance(_) => game.sample_chance(&state, rng),
            Turn::Seat(seat) => choose(&state, seat, rng),
            Turn::Over => return,
        };
        game.apply(&mut state, action);
    }
}
