//! Tests of all games together. Those of the rules of a game are in its crate.

use watershed::{
    BuiltInGame,
    config::Document,
    game::{Game, Seat, Turn},
    rng::Rng,
};

mod conformance;
#[path = "../rules/data_variant.rs"]
#[allow(dead_code, reason = "the tests of the games need the rest of it")]
mod data_variant;
mod gains;
mod scenes;

/// Returns the data file of a game with the keys of `overlay` replaced.
pub(crate) fn altered<G: BuiltInGame>(name: &str, overlay: &str) -> Document {
    let file = data_variant::with_overlay(&G::default_document().text, overlay);
    Document::embedded(name, &file)
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
