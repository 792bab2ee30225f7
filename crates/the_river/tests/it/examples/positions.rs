//! Positions and payments that are refused.

use watershed_engine::{config::Document, game::Notation, games::GameDefinition};
use watershed_the_river::TheRiver;

use super::{COMPONENTS, bind, position_text};
use crate::variants::altered;

/// Words with which the position can occur in a game.
const POSSIBLE: [&str; 6] = [
    "",
    "tiles:forest,desert 0.spots:plain,desert 0.boat:3 0.claims:1",
    "phase:pay places:build buildings:w2,s1 0.held:w2 0.boat:3",
    "phase:income pawn:1 cursor:65 0.spots:income 0.held:w4",
    "phase:draft round:0 turn:1 tiles:take,swap,desert removed:- 0.spots:- 1.spots:-",
    "buildings:s6,w1c1 0.tokens:1 0.token_points:4 0.built:s1 1.tokens:1 1.token_points:3 \
        1.built:w2",
];

/// Words with which it cannot occur, each line followed by the expectation that does not hold.
const IMPOSSIBLE: &str = r#"buildings:s6,w1c1 0.tokens:1 0.token_points:127 0.built:s1
    `token_points:` with the values of the tokens taken so far
buildings:s6,w1c1 0.tokens:1 0.token_points:2 0.built:s1 1.tokens:1 1.token_points:5 1.built:w2
    `token_points:` with a possible value of the seat's tokens
buildings:s6,w1c1 0.built:s1
    `tokens:` with one for each building, while tokens are left
0.tokens:1 0.token_points:4
    `tokens:` with one for each building, while tokens are left
0.framed:7
    `framed:` with the framed spots covered in this round
tiles:- 0.boat:0 0.claims:7
    `claims:` within the limit of a round, and 0 outside one
0.pioneers:7
    `pioneers:` with those of the start and the bonus spot, without those that settled
0.boat:5
    `boat:` with as many pioneers as this phase allows
0.boat:0
    a pioneer on the deciding seat's boat
1.board:a
    `board:` with a different board for each seat
end:1
    `end:1` if and only if a seat has a full board or all bonus tokens
places:wood*4,clay*4,stone*4,food*4
    no more pioneers on a place than its limit
places:wood*2,clay*2,stone*2,food*4 0.boat:1 1.boat:0
    no more pioneers on places than seats have spent
round:1 0.spots:plain,desert,desert,desert,desert,desert,desert 0.boat:3 0.pioneers:3 0.framed:1
    as many tiles on boards as the draft and the rounds allow
0.spots:-
    as many tiles on boards as the draft and the rounds allow
tiles:desert,desert,desert,desert
    `tiles:` with the number of tiles of this phase
phase:tiles tiles:desert,desert,desert 0.boat:0 1.boat:0
    `tiles:` with the number of tiles of this phase
buildings:w2,s1,s6
    `buildings:` with the number of buildings of this phase
buildings:w1c1 0.reserved:w2,s1,s6
    no more reserved buildings than the hand limit
removed:-
    `removed:` with the tile left over from the draft, after the draft
round:1 discarded:desert
    no discarded tiles before the first cleanup
cursor:200
    `cursor:0` in this phase
returning:clay
    `returning:wood` in this phase
round:0 0.spots:- 1.spots:-
    `round:0` in setup only
phase:over
    a game that has ended
phase:first 0.boat:3
    nothing laid out yet except the boards of the seats before `turn:`
phase:boards 0.boat:3
    nothing laid out yet except the boards of the seats before `turn:`
phase:pay 0.held:w2 0.boat:3
    `cursor:` with the index of a building that the seat can pay in this phase
phase:swaps cursor:3 tiles:mountain,mountain 0.spots:swap,swap 0.boat:3 0.claims:1
    `cursor:` with the swaps left, and two tiles to swap in this phase
phase:income pawn:1 cursor:66 0.spots:income 0.held:w4
    `cursor:` after the income that the seat took last
0.held:w4
    no more resources than the seat can store
0.held:w14
    `held:` with resources of the game such as `w2f1`, not "w14"
0.held:w02
    `held:w2`, the only notation of this word
round:06
    `round:6`, the only notation of this word
turn:+0
    `turn:0`, the only notation of this word
buildings:w2*2,s1
    `buildings:w2,s1`, the only notation of this word
discarded:desert,desert
    `discarded:desert*2`, the only notation of this word
discarded:desert*4294967295
    at most 12 of tile desert
tiles:-
    `tiles:` with the number of tiles of this phase
buildings:-
    `buildings:` with the number of buildings of this phase
phase:buildings round:0 tiles:desert removed:- buildings:- 0.spots:- 1.spots:-
    `tiles:` with the number of tiles of this phase"#;

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

#[test]
fn a_payment_has_one_notation() {
    let game = bind(2);
    for text in ["pay:w2", "pay:-", "pay:f10", "trade:w2c1"] {
        assert!(game.parse_action(text).is_ok(), "{text}");
    }
    for text in
        ["pay:w02", "pay:w0", "pay:c01", "pay:f010", "trade:c03", "trade:w2c01", "pay:", "pay:w+2"]
    {
        assert!(game.parse_action(text).is_err(), "{text}");
    }
}
