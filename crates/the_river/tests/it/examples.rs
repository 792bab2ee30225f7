//! The examples of the rulebooks of The River, and the consequences of actions in words.

mod positions;

use watershed_engine::{
    config::Document,
    game::{Game, Notation, Seat},
    games::GameDefinition,
};
use watershed_the_river::{TheRiver, state::State};

use super::variants::altered;
use crate::rules::{gains, with_words};

/// Simple components: every board has 3 warehouses until spot 5 is covered.
const COMPONENTS: &str = include_str!("../data/examples.toml");

fn bind(players: usize) -> TheRiver {
    TheRiver::bind(&Document::embedded("examples", &altered(COMPONENTS)), players).unwrap()
}

/// Returns a position of round 6 in which seat 0 decides, with these words replaced; `1.held:w1` is
/// a word of seat 1.
fn position_text(players: usize, words: &str) -> String {
    let shared = "phase:place round:6 turn:0 pawn:0 end:0 cursor:0 returning:wood places:- \
        tiles:mountain,mountain,mountain discarded:- removed:mountain buildings:s6,s1";
    let seat = "spots:plain held:- tokens:0 token_points:0 boat:4 pioneers:4 claims:0 framed:0 \
        built:- reserved:-";
    let seats = (0..players).map(|index| {
        let board = ["a", "b", "c", "d"][index];
        format!(" seat:{index} board:{board} {seat}")
    });
    with_words(&format!("the_river/{players} {shared}{}", seats.collect::<String>()), words)
}

fn position(game: &TheRiver, words: &str) -> State {
    game.parse_position(&position_text(game.seats(), words)).unwrap()
}

// §9: the rulebooks' examples.

#[test]
fn the_scoring_example_totals_45_with_both_readings_of_its_picture() {
    let game = bind(2);
    let rest = "phase:over round:9 buildings:s6 0.tokens:3 0.token_points:7 0.built:w2,w1c1,s1";
    let third_column =
        "0.spots:desert,income,clay2,forest,mixed,clay_store,desert,desert,desert,per_clay";
    let six_resources = "0.held:w3f3 \
        0.spots:desert,income,clay2,forest,take,clay_store,desert,desert,desert,per_clay";
    for (words, resources, columns) in [(third_column, 0, 6 + 2 + 2), (six_resources, 2, 6 + 2)] {
        let state = position(&game, &format!("{rest} {words}"));
        let expected = [
            ("tokens", 7),
            ("buildings", 23),
            ("resources", resources),
            ("columns", columns),
            ("meadows", 2 + 3),
        ];
        assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
        assert_eq!(game.outcome(&state).scores[0], 45);
    }
}

// Gains in words.

#[test]
fn gains_name_buildings_tokens_and_places() {
    let game = bind(2);
    let state = position(&game, "buildings:w2,s1 0.held:w2 1.held:w2");
    assert_eq!(
        gains(&game, &state, "build:w2"),
        ["1: the 9-point building (2 wood)", "1: the bonus token of 4 points"]
    );
    assert_eq!(gains(&game, &state, "reserve:w2"), ["1: the 9-point building (2 wood)"]);
    assert!(gains(&game, &state, "food").is_empty());
    assert_eq!(gains(&game, &state, "first"), ["1: the first turn of the next round"]);
    let state = position(&game, "0.spots:clay2");
    assert_eq!(gains(&game, &state, "produce:clay"), ["1: a place to produce clay"]);
}
