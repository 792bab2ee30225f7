//! The worked examples in the rules of We All Take from the River, notations that are refused, and
//! the consequences of actions in words.

use watershed_common_river::{CommonRiver, state::State};
use watershed_engine::{
    config::Document,
    game::{Game, Notation},
    games::GameDefinition,
};

use super::variants::altered;
use crate::rules::{apply_all, gains, turn_of, with_words};

/// Two players compete, and nobody trades.
fn bind(players: usize) -> CommonRiver {
    let file = altered("negotiation.trade_windows = []\nmodes_for_two = [\"competitive\"]");
    CommonRiver::bind(&Document::embedded("examples", &file), players).unwrap()
}

/// Returns the position after setup with seat 0 first, these camps, and the weather of the first
/// day.
fn first_day(game: &CommonRiver, weather: &str, camps: &[&str]) -> State {
    let mut state = game.initial();
    let mut events = vec!["mode:competitive".to_owned(); usize::from(camps.len() == 2)];
    events.extend([
        "first:0".to_owned(),
        format!("weather:{weather}"),
        "weather:sun".to_owned(),
        "weather:rain".to_owned(),
    ]);
    if camps.len() > 2 {
        events.extend(["role:host", "role:mayor", "role:philanthropist"].map(str::to_owned));
    }
    events.extend(camps.iter().map(|tile| format!("camp:{tile}")));
    apply_all(game, &mut state, &events.iter().map(String::as_str).collect::<Vec<_>>());
    state
}

/// Returns the position with words replaced; `0.stock:fish*3` is a word of seat 0.
fn with(game: &CommonRiver, state: &State, words: &[&str]) -> State {
    game.parse_position(&text_with(game, state, words)).unwrap()
}

fn text_with(game: &CommonRiver, state: &State, words: &[&str]) -> String {
    with_words(&game.position_text(state), &words.join(" "))
}

/// Returns the slots of the full map, with those of some tiles replaced.
fn slots(game: &CommonRiver, state: &State, replaced: &[&str]) -> String {
    let value = word(game, state, "slots");
    let tiles = value.split(',').map(|tile| {
        let name = tile.split('=').next().unwrap();
        replaced
            .iter()
            .find(|other| other.split('=').next() == Some(name))
            .map_or(tile.to_owned(), |other| (*other).to_owned())
    });
    let kept = tiles.filter(|tile| !tile.ends_with('='));
    format!("slots:{}", kept.collect::<Vec<_>>().join(","))
}

/// Returns the value of a word of the position, or of a seat if the key has its number.
fn word(game: &CommonRiver, state: &State, key: &str) -> String {
    let text = game.position_text(state);
    let (from, key) = match key.split_once('.') {
        Some((seat, key)) => (text.find(&format!(" seat:{seat}")).unwrap(), key),
        None => (0, key),
    };
    let mut words = text[from..].split(' ').filter_map(|word| word.split_once(':'));
    words.find(|(other, _)| *other == key).unwrap().1.to_owned()
}

/// Returns the loose tokens of a river tile.
fn loose(game: &CommonRiver, state: &State, tile: &str) -> String {
    let tiles = word(game, state, "loose");
    let tiles = tiles.split(',').filter_map(|entry| entry.split_once('='));
    tiles.filter(|(name, _)| *name == tile).map(|(_, tokens)| tokens.to_owned()).collect()
}

// §10.

#[test]
fn the_example_of_the_rulebook_is_reproduced() {
    let game = bind(2);
    let state = first_day(&game, "overcast", &["L4", "R4"]);
    let slots = slots(&game, &state, &["L3=-+-", "R3="]);
    let mut state = with(&game, &state, &[&slots, "city:R3/site", "0.levees:R3"]);
    apply_all(&game, &mut state, &["d6:4"]);
    // The camp on the higher tile acts first, after row 4 has lowered the water from 6 to 3.
    assert_eq!((game.turn(&state), state.row(), state.water()), (turn_of(1), 3, 3));
    assert_eq!(word(&game, &state, "flooded"), "L3");
    assert!(
        loose(&game, &state, "W4").ends_with("+gravel+tree"),
        "the gravel of L3 and the tree of R4"
    );
    assert!(
        word(&game, &state, "slots").contains("L4=tree+gravel,"),
        "the tile that only drains keeps its tree"
    );
    assert!(word(&game, &state, "slots").contains("R4=-+gravel,"), "the other one loses it");
    assert!(
        word(&game, &state, "slots").contains("L3=-+-,"),
        "the refilled gravel went into the river"
    );
}

// §2.

#[test]
fn positions_have_one_notation_and_respect_piece_limits() {
    let game = bind(2);
    let state = first_day(&game, "overcast", &["R1", "L1"]);
    for (word, expected) in [
        ("day:01", "`day:1`, the only notation of this word"),
        ("water:+0", "`water:0`, the only notation of this word"),
        ("protected:L1,L1", "`protected:L1`, the only notation of this word"),
        ("0.stock:fish*1", "`stock:fish`, the only notation of this word"),
        (
            "0.farms:L1*15,L2",
            "`farms:` with up to 15 of `L1`, `L2`, `L3`, `L4`, `L5`, `R1`, `R2`, `R3`, `R4`, `R5`, \
                not \"L2\"",
        ),
        ("0.farms:L1*6", "at most 5 of `farm` for each seat"),
        ("second_sale:1", "`second_sale:0` in this phase"),
    ] {
        assert_eq!(
            game.parse_position(&text_with(&game, &state, &[word])).unwrap_err().expected,
            expected,
            "{word}"
        );
    }
    let text =
        text_with(&game, &state, &["protected:W2,L1", "0.stock:tree,fish*2", "loose:W1=tree+fish"]);
    assert!(game.parse_position(&text).is_ok(), "lists may be in any order");
}

// Gains in words.

#[test]
fn gains_name_tokens_structures_and_pollution() {
    let game = bind(1);
    let mut state = first_day(&game, "drought", &["R5"]);
    apply_all(&game, &mut state, &["d6:1"]);
    for (action, expected) in [
        ("harvest:fish", &["1: 1 fish"][..]),
        ("harvest:tree", &["1: 1 trees"]),
        ("build:canal", &["1: -1 fish", "1: -1 gravel", "1: a canal"]),
    ] {
        assert_eq!(gains(&game, &state, action), expected);
    }
}
