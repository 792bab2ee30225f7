//! Positions that are refused.

use watershed_engine::game::Notation;

use super::{bind, position_text};

/// Words with which the position can occur in a game.
const POSSIBLE: [&str; 6] = [
    "",
    "tiles:forest,desert 0.spots:plain,desert 0.boat:3 0.claims:1",
    "phase:pay cursor:3 places:build buildings:w2,s1 0.held:w2 0.boat:3",
    "phase:income pawn:1 cursor:65 0.spots:income 0.held:w4",
    "phase:draft round:0 turn:1 tiles:take,swap,desert removed:- 0.spots:- 1.spots:-",
    "buildings:s6,w1c1 0.tokens:1 0.token_points:4 0.built:s1 1.tokens:1 1.token_points:3 \
        1.built:w2",
];

/// Words with which it cannot occur, each line followed by the expectation that does not hold.
const IMPOSSIBLE: &str = include_str!("../../data/impossible.txt");

#[test]
fn impossible_positions_are_refused() {
    let game = bind(2);
    for words in POSSIBLE {
        game.parse_position(&position_text(2, words)).unwrap();
    }
    for (words, expected) in IMPOSSIBLE.lines().zip(IMPOSSIBLE.lines().skip(1)).step_by(2) {
        let text = position_text(2, words);
        let error = game.parse_position(&text).unwrap_err();
        assert_eq!(error.expected, expected.trim_start(), "{text}");
    }
}
