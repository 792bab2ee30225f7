//! Notations of River Valley Glassworks that are refused, and the consequences of actions in words.

use watershed_engine::{game::Notation as _, games::GameDefinition as _};
use watershed_glassworks::Glassworks;

use crate::{
    FILES,
    rules::{apply_all, data_variant::refusals, gains, with_words},
};

fn bind() -> Glassworks {
    Glassworks::bind(&FILES.default_document(), 2).unwrap()
}

/// Positions of round 2 in which seat 0 decides. The bag has the pieces that are not placed.
const POSITIONS: &str = include_str!("../data/positions.txt");

// Notation.

#[test]
fn actions_of_other_games_are_refused() {
    let game = bind();
    for text in [
        "",
        "place",
        "place:heart",
        "place:black_heart",
        "draw:",
        "pass:",
        "first:2",
        "collect:white",
        "pair:white_heart@heart",
    ] {
        assert!(game.parse_action(text).is_err(), "{text}");
    }
    let error = game.parse_action("pair:white_heart+purple_heart@heart").unwrap_err().to_string();
    let expected = "\"pair:white_heart+purple_heart@heart\" is not a valid action; expected \
                    the notation of River Valley Glassworks, such as `place:<piece>` or \
                    `collect:<shape>`";
    assert_eq!(error, expected);
}

/// Changes of the position, as `refusals` reads them, and the beginnings of the messages.
const REFUSED: &str = include_str!("../data/impossible.txt");

#[test]
fn inconsistent_positions_are_refused() {
    let game = bind();
    let text = POSITIONS.lines().next().unwrap();
    assert!(game.parse_position(text).is_ok());
    for (from, to, expected) in refusals(REFUSED) {
        assert!(text.contains(&from), "{from} in {text}");
        let error = game.parse_position(&text.replacen(&from, &to, 1)).unwrap_err();
        assert!(error.expected.starts_with(&expected), "{from} -> {to}: {error}");
    }
    let fitting = with_words(text, "phase:overflow moved:1");
    let expected = "more pieces than the limit of the satchel in this phase";
    assert_eq!(game.parse_position(&fitting).unwrap_err().expected, expected);
    assert!(game.parse_position(&format!("{text} more")).is_err());
}

// Gains in words.

#[test]
fn gains_name_the_tiles_whose_pieces_are_collected() {
    let game = bind();
    let mut state = game.parse_position(POSITIONS.lines().nth(1).unwrap()).unwrap();
    apply_all(&game, &mut state, &["place:white_heart"]);
    assert_eq!(gains(&game, &state, "collect:triangle"), ["1: the pieces on the triangle"]);
}
