//! Notations of River Valley Glassworks that are refused, and the consequences of actions in words.

use std::collections::BTreeMap;

use watershed_engine::{
    game::{Game, Notation},
    games::GameDefinition,
};
use watershed_glassworks::{Glassworks, components::Piece, state::State};

use crate::{
    FILES,
    rules::{apply_all, data_variant::refusals, gains, with_words},
};

fn bind() -> Glassworks {
    Glassworks::bind(&FILES.default_document(), 2).unwrap()
}

/// A position of round 2 in which seat 0 decides. The bag has the pieces that are not placed.
struct Setting<'a> {
    shared: &'a str,
    /// Each tile with the colours on it.
    river: &'a str,
    lake: &'a str,
    satchels: [&'a str; 2],
    /// Colours and heights.
    columns: [&'a str; 2],
    overflow: usize,
}

const EMPTY: Setting<'_> = Setting {
    shared: "phase:turn round:2 turn:0 first:0 end:open moved:0 cursor:0 spilled:-",
    river: "triangle=-,heart=-,circle=-,square=-,hexagon=-,diamond=-",
    lake: "-",
    satchels: ["-", "-"],
    columns: ["-", "-"],
    overflow: 0,
};

fn entries(list: &str) -> impl Iterator<Item = (&str, u32)> {
    let entries = list.split([',', '+']).filter(|entry| !["", "-"].contains(entry));
    entries.map(|entry| {
        entry.split_once('*').map_or((entry, 1), |(name, count)| (name, count.parse().unwrap()))
    })
}

impl Setting<'_> {
    fn text(&self, game: &Glassworks) -> String {
        let all =
            game.all_pieces().map(|piece| (name(game, piece), game.in_bag(&game.initial(), piece)));
        let mut bag: BTreeMap<String, u32> = all.collect();
        for list in [self.lake, self.satchels[0], self.satchels[1]] {
            for (piece, count) in entries(list) {
                *bag.get_mut(piece).unwrap() -= count;
            }
        }
        // Any shape of a colour fits where only colours count, and any piece fits in the overflow.
        let mut take = |colour: &str, count: u32| {
            for _ in 0..count {
                let of_colour = bag.iter_mut().rev().find(|(piece, count)| {
                    piece.rsplit_once('_').unwrap().0.ends_with(colour) && **count > 0
                });
                *of_colour.unwrap().1 -= 1;
            }
        };
        let on_tiles =
            self.river.split(',').flat_map(|tile| entries(tile.split_once('=').unwrap().1));
        on_tiles
            .chain(self.columns.into_iter().flat_map(entries))
            .for_each(|(colour, count)| take(colour, count));
        take("", self.overflow as u32);
        let bag: Vec<_> = bag
            .into_iter()
            .filter(|&(_, count)| count > 0)
            .map(|(piece, count)| counted(&piece, count))
            .collect();
        let mut text = format!(
            "glassworks/2 {} river:{} lake:{} bag:{}",
            self.shared,
            self.river,
            self.lake,
            bag.join(",")
        );
        for seat in 0..2 {
            let overflow = if seat == 0 { self.overflow } else { 0 };
            let (satchel, columns) = (self.satchels[seat], self.columns[seat]);
            text.push_str(&format!(
                " seat:{seat} satchel:{satchel} columns:{columns} overflow:{overflow}"
            ));
        }
        text
    }

    fn state(&self, game: &Glassworks) -> State {
        game.parse_position(&self.text(game)).unwrap()
    }
}

fn counted(name: &str, count: u32) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}*{count}") }
}

fn name(game: &Glassworks, piece: Piece) -> String {
    game.action_text(watershed_glassworks::action::Action::Glass(piece)).replace("glass:", "")
}

// §6.

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
    let river = "triangle=white+purple,heart=-,circle=-,square=-,hexagon=-,diamond=-";
    let columns = ["white*3,purple", "-"];
    let text =
        Setting { river, columns, satchels: ["white_heart", "-"], lake: "white_circle", ..EMPTY }
            .text(&game);
    assert!(game.parse_position(&text).is_ok());
    for (from, to, expected) in refusals(REFUSED) {
        assert!(text.contains(&from), "{from} in {text}");
        let error = game.parse_position(&text.replacen(&from, &to, 1)).unwrap_err();
        assert!(error.expected.starts_with(&expected), "{from} -> {to}: {error}");
    }
    let fitting = with_words(&text, "phase:overflow moved:1");
    let expected = "more pieces than the limit of the satchel in this phase";
    assert_eq!(game.parse_position(&fitting).unwrap_err().expected, expected);
    assert!(game.parse_position(&format!("{text} more")).is_err());
}

// Gains in words.

#[test]
fn gains_name_the_tiles_whose_pieces_are_collected() {
    let game = bind();
    let mut state = Setting {
        river: "triangle=white*2,heart=purple,circle=-,square=-,hexagon=-,diamond=-",
        satchels: ["orange_circle,white_heart", "purple_square"],
        columns: ["purple", "-"],
        ..EMPTY
    }
    .state(&game);
    apply_all(&game, &mut state, &["place:white_heart"]);
    assert_eq!(gains(&game, &state, "collect:triangle"), ["1: the pieces on the triangle"]);
}
