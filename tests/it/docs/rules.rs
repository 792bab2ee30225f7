//! The rules of each game in `docs/rules`: the sections that comments cite, the keys of the data
//! file, and the examples of the notation.

use crate::task::{GameTask, bind_and_run};
use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value as Json;
use watershed::BuiltInGame;
use watershed::{
    bots::profile::BotLibrary,
    games::{GameEntry, built_in_games},
};

fn document(game: &GameEntry) -> String {
    fs::read_to_string(format!("docs/rules/{}.md", game.id)).unwrap()
}

/// Returns the texts of a file, or of all files in a folder.
fn texts(path: &Path) -> Vec<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        entries.flat_map(|entry| texts(&entry.unwrap().path())).collect()
    } else {
        vec![fs::read_to_string(path).unwrap()]
    }
}

/// Returns the section number at the beginning of a text, such as `7.3`.
fn leading_number(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let number = text[..end.unwrap_or(text.len())].trim_end_matches('.');
    (!number.is_empty()).then_some(number)
}

/// Returns the section numbers that the sources, tests and data file of a game cite.
fn cited_sections(game: &GameEntry) -> BTreeSet<String> {
    let id = game.id;
    let paths =
        [format!("crates/{id}/src"), format!("crates/{id}/tests"), format!("configs/{id}.toml")];
    let texts = paths.iter().flat_map(|path| texts(Path::new(path)));
    let cited = texts.flat_map(|text| {
        let numbers = text.split('§').skip(1).map(|rest| {
            let number = leading_number(rest);
            number.unwrap_or_else(|| panic!("{id}: a § without a number")).to_owned()
        });
        numbers.collect::<Vec<_>>()
    });
    cited.collect()
}

#[test]
fn every_cited_section_exists() {
    for game in built_in_games().all() {
        let id = game.id;
        let document = document(game);
        let headings = document.lines().filter(|line| line.starts_with("##"));
        let sections: BTreeSet<_> = headings
            .filter_map(|line| leading_number(line.trim_start_matches(['#', ' '])))
            .collect();
        for number in &sections {
            let anchor = format!("<a id=\"s{}\"></a>", number.replace('.', "-"));
            assert!(document.contains(&anchor), "{id}: section {number} has no {anchor}");
        }
        let cited = cited_sections(game);
        assert!(!cited.is_empty(), "{id}");
        for number in &cited {
            assert!(sections.contains(&number[..]), "{id}: §{number} is cited, but missing");
        }
    }
}

/// Returns the texts in backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// Returns the rows of the tables whose first heading is this one.
fn rows<'a>(document: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let heading = format!("\n| {heading} |");
    let tables = document.split(&heading).skip(1);
    let rows =
        tables.flat_map(|table| table.lines().skip(2).take_while(|row| row.starts_with('|')));
    rows.map(cells).collect()
}

/// Returns true if the documented key is this key, where `<n>` stands for any part.
fn is_key(documented: &str, key: &str) -> bool {
    let parts: Vec<_> = documented.split('.').collect();
    let found: Vec<_> = key.split('.').collect();
    let is_equal = |(part, found): (&&str, &&str)| part == found || part.starts_with('<');
    parts.len() == found.len() && parts.iter().zip(&found).all(is_equal)
}

/// The tables of keys have all keys that are needed, and the ranges of the integers.
#[test]
fn tables_of_keys_agree_with_the_program() {
    for game in built_in_games().all() {
        let (id, declared, document) = (game.id, game.keys(), document(game));
        let rows = rows(&document, "key");
        for needed in declared.iter().filter(|info| !info.is_optional) {
            let is_documented =
                |row: &Vec<_>| code_spans(row[0]).any(|key| is_key(key, &needed.key));
            assert!(rows.iter().any(is_documented), "{id}: no table of keys has {}", needed.key);
        }
        for (key, range) in rows.iter().flat_map(|row| code_spans(row[0]).map(|key| (key, row[2])))
        {
            let info = declared.iter().find(|info| is_key(key, &info.key));
            let info = info.unwrap_or_else(|| panic!("{id}: the data file has no {key}"));
            // Words and names describe limits that depend on other values.
            let is_range =
                range.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit());
            if let Some((_, accepted)) = info.accepted.split_once("integer from ")
                && is_range
            {
                let [found, accepted] = [range, accepted].map(|text| text.replace(" to ", "-"));
                assert!(found.starts_with(&accepted), "{id}: {key}: {found} is not {accepted}");
            }
        }
    }
}

/// Returns the events of a golden record.
fn golden_events(path: &str, game_index: usize) -> Vec<String> {
    let records = fs::read_to_string(path).unwrap();
    let record: Json = serde_json::from_str(records.lines().nth(game_index).unwrap()).unwrap();
    let events = record["events"].as_array().unwrap().iter();
    events.map(|event| event[1].as_str().unwrap().to_owned()).collect()
}

/// Returns the event that a cell such as `2/0/17` names: the number of players, the game and the
/// event.
fn named_event(game: &GameEntry, cell: &str) -> Option<String> {
    let numbers: Option<Vec<usize>> =
        cell.trim_matches('`').split('/').map(|part| part.parse().ok()).collect();
    let &[players, index, event] = &numbers?[..] else { return None };
    let path = format!("tests/golden/{}-{players}.jsonl", game.id);
    Some(golden_events(&path, index).swap_remove(event))
}

#[test]
fn examples_of_actions_stand_in_the_records_that_the_document_names() {
    for game in built_in_games().all() {
        let id = game.id;
        let document = document(game);
        let mut examples = 0;
        for row in document.lines().filter(|line| line.starts_with('|')) {
            let cells = cells(row);
            let Some(event) = cells.last().and_then(|cell| named_event(game, cell)) else {
                continue;
            };
            assert_eq!(cells[cells.len() - 2], format!("`{event}`"), "{id}: {row}");
            examples += 1;
        }
        assert!(examples >= 10, "{id}: {examples} examples");
    }
}

/// Returns the text of the position after these events.
struct PositionAfter<'a>(&'a [String]);

impl GameTask for PositionAfter<'_> {
    type Output = String;

    fn run<G: BuiltInGame>(self, game: &G, _: &BotLibrary) -> String {
        let mut state = game.initial();
        for event in self.0 {
            game.apply(&mut state, game.parse_action(event).unwrap());
        }
        game.position_text(&state)
    }
}

/// Each document shows a position: "the position before event 52 of game 0 of `FILE`".
#[test]
fn the_position_of_each_document_stands_in_the_record_that_it_names() {
    for game in built_in_games().all() {
        let document = document(game);
        let (_, rest) = document.split_once(" position before event ").unwrap();
        let (source, rest) = rest.split_once("```text\n").unwrap();
        let (lines, _) = rest.split_once("\n```").unwrap();
        // A long list continues on the next line.
        let position = lines.replace(",\n", ",").replace('\n', " ");

        let (event, source) = source.split_once(" of game ").unwrap();
        let index = leading_number(source).unwrap().parse().unwrap();
        let events = golden_events(code_spans(source).next().unwrap(), index);
        let heading = position.split_once(' ').unwrap().0;
        let players = heading.rsplit('/').next().unwrap().parse().unwrap();
        let played = PositionAfter(&events[..event.parse().unwrap()]);
        let text = bind_and_run(game.id, &game.default_document(), players, played).unwrap();
        assert_eq!(text, position);
    }
}
