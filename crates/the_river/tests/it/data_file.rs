//! Every mistake in a data file of The River is refused in one line with the file, the line, the
//! key and the expected value.

use watershed_engine::{config::Document, games::GameDefinition};
use watershed_the_river::TheRiver;

use crate::{FILES, rules::data_variant::check_refusals};

/// A small valid file for 2 players.
const VALID: &str = include_str!("../data/small.toml");

/// Mistakes in the valid file, as `check_refusals` reads them.
const REFUSED: &str = include_str!("../data/refused.txt");

fn valid() -> Document {
    Document { name: "small.toml".to_owned(), text: VALID.to_owned() }
}

fn refusal(document: &Document) -> String {
    TheRiver::bind(document, 2).unwrap_err().to_string()
}

#[test]
fn mistakes_are_refused() {
    check_refusals(REFUSED, &valid(), refusal);
}

#[test]
fn a_valid_file_is_accepted() {
    let game = TheRiver::bind(&valid(), 2).unwrap();
    assert_eq!(game.data().name.as_str(), "Small");
    assert!(TheRiver::bind(&FILES.default_document(), 4).is_ok());
    assert_eq!(
        TheRiver::bind(&valid(), 3).unwrap_err().to_string(),
        "small.toml:3: key `players`: the file is for 2 to 2 players, not for 3"
    );
}

#[test]
fn too_many_entries_are_refused() {
    let refused_with = |more: &str| {
        let document = Document { text: format!("{VALID}{more}"), ..valid() };
        refusal(&document)
    };
    let tile =
        |id: usize| format!("[[tile]]\nid = \"kind{id}\"\nterrain = [\"desert\"]\ncopies = 1\n");
    let card = |id: usize| format!("[[building]]\nid = \"hut{id}\"\ncost = {{}}\npoints = 0\n");
    assert_eq!(
        refused_with(&(2..32).map(tile).collect::<String>()),
        "small.toml:39: key `tile`: expected 1 to 31 entries, found 32"
    );
    assert_eq!(
        refused_with(&(1..65).map(card).collect::<String>()),
        "small.toml:50: key `building`: expected 0 to 64 entries, found 65"
    );
    let setup = &VALID[VALID.find("draft_tiles").unwrap()..VALID.find("[river]").unwrap()];
    assert_eq!(
        refused_with(&format!("[setup.5]\n{setup}")),
        "small.toml:54: key `setup.5`: expected a number of players from 2 to 4, found 5"
    );
}
