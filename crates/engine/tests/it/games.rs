//! Tests of the games.

use watershed::{
    game::{Game, Seat, Turn},
    rng::Rng,
};

pub(crate) mod common_river;
mod conformance;
pub(crate) mod data_variant;
pub(crate) mod glassworks;
mod positions;
mod scenes;
pub(crate) mod the_river;

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
