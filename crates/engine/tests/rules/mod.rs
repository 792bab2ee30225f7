//! Helpers for tests of rules. The tests of each game include this file.
#![allow(dead_code, reason = "the tests of a game do not need all of it")]

use watershed_engine::game::{ActionSet as _, Gain, Notation, Seat, Turn};

pub(crate) mod conformance;
pub(crate) mod data_variant;

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

/// Returns the names of the gains by an action, with the seat, and the amount of those that have
/// one, as in `1: the pieces on the triangle`.
pub(crate) fn gains<G: Notation>(game: &G, state: &G::State, action: &str) -> Vec<String> {
    let action = game.parse_action(action).unwrap();
    let name = |gain: Gain| {
        let amount = gain.amount.map_or(String::new(), |amount| format!("{amount} "));
        format!("{}: {amount}{}", gain.seat.index() + 1, gain.name)
    };
    game.gains(state, action).into_iter().map(name).collect()
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

/// Returns a position with words replaced; `0.stock:fish*3` is a word of seat 0.
#[track_caller]
pub(crate) fn with_words(position: &str, words: &str) -> String {
    let mut left: Vec<_> =
        words.split_whitespace().filter_map(|word| word.split_once(':')).collect();
    let mut seat = String::new();
    let replaced = position.split(' ').map(|word| {
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        if key == "seat" {
            seat = format!("{value}.");
        }
        let place = left.iter().position(|(other, _)| *other == format!("{seat}{key}"));
        place.map_or(word.to_owned(), |place| format!("{key}:{}", left.swap_remove(place).1))
    });
    let replaced = replaced.collect::<Vec<_>>().join(" ");
    assert!(left.is_empty(), "{left:?} in {position}");
    replaced
}
