//! `watershed data` and `watershed list`.

use std::collections::BTreeSet;

use serde_json::Value;
use watershed::{
    config::{Document, vary::EditRanges},
    games::built_in_games,
    scene::wrap::text_width,
};

use crate::support::Folder;

#[test]
fn built_in_files_are_printed_and_valid() {
    let folder = Folder::new();
    for game in built_in_games().all() {
        let text = folder.succeeds(&format!("data {}", game.id));
        assert_eq!(text, game.default_document().text);
        folder.write("game.toml", &text);
        let check = folder.succeeds("data check game.toml --json");
        let check: Value = serde_json::from_str(&check).unwrap();
        assert_eq!(check["game"], game.id);
        assert_eq!(check["players"].as_array().unwrap().len(), {
            game.max_players - game.min_players + 1
        });
        assert_eq!(check["differences"], Value::Array(Vec::new()));
        let run = "--config game.toml --bots random --games 4 --quiet --force --out run";
        folder.succeeds(&format!("simulate --game {} {run}", game.id));
    }
}

#[test]
fn varied_files_are_valid_and_differ() {
    let folder = Folder::new();
    for game in built_in_games().all() {
        let document = game.default_document();
        let edits = EditRanges::read(&game.default_edits().unwrap()).unwrap();
        assert_eq!(edits.unknown_keys(&document).unwrap(), [""; 0], "{}", game.id);
        let vary = |folder_name: &str, seed: u64| {
            let flags = format!("--count 8 --seed {seed} --out {folder_name}");
            folder.exits_with(0, &format!("data vary {} {flags}", game.id));
            let name = |number| format!("{folder_name}/{}-000{number}.toml", game.id);
            (1..=8).map(|number| folder.read(name(number))).collect::<Vec<_>>()
        };
        let files = vary(&format!("{}-1", game.id), 1);
        assert_eq!(vary(&format!("{}-again", game.id), 1), files);
        assert!(vary(&format!("{}-2", game.id), 2).iter().all(|file| !files.contains(file)));
        for file in &files {
            let edited = Document { name: "edited.toml".to_owned(), text: file.clone() };
            let players = game.validate_all(&edited).unwrap();
            assert_eq!(players.len(), game.max_players - game.min_players + 1);
            assert!(!edited.differences_from(&document).unwrap().is_empty());
            assert!(file.starts_with("# Random edits of "), "{file}");
        }
    }
    folder.refuses(
        "data vary the_river --count 1 --out the_river-1",
        &["the_river-0001.toml: exists"],
    );
}

#[test]
fn lists_name_what_commands_accept() {
    let folder = Folder::new();
    let names = |arguments: &str, key: &str| -> Vec<String> {
        let list = folder.succeeds(&format!("list {arguments} --json"));
        let list: Vec<Value> = serde_json::from_str(&list).unwrap();
        list.iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
    };
    for name in ["balanced", "mcts", "random-kind"] {
        assert!(names("bots", "bot").iter().any(|bot| bot == name), "{name}");
    }
    assert!(names("items", "item").iter().any(|item| item == "meadow_swap"));
    assert!(names("features --game common_river", "feature").iter().any(|name| name == "estuary"));
    assert!(names("keys", "key").iter().any(|key| key == "building.w2c1.cost.wood"));
    // Keys of the file and others that `balance search` accepts.
    let keys = names("keys", "key");
    folder.write("goals.toml", "rounds = [1, 20]\n");
    for key in ["setup.2.start.1.points", "setup.4.start.3.wood", "setup.3.food_spots"] {
        assert!(keys.iter().any(|other| other == key), "{key}");
    }
    for key in ["building.w2.cost.stone", "setup.2.start.0.food", "setup.3.start.2.points"] {
        assert!(keys.iter().any(|other| other == key), "{key}");
        let run =
            "balance search --goal goals.toml --bots random --games 4 --force --quiet --out run";
        let players = if key.starts_with("setup.3") { 3 } else { 2 };
        folder.succeeds(&format!("{run} --players {players} --keys {key}=0,1"));
    }
    let text = folder.succeeds("list keys --game glassworks");
    for expected in [
        "setup.5.start.4.points 0 not in the file an integer from 0 to 999 Points of the position.",
        "glassworks.end_trigger 17 an integer from 0 to 255 Inventory that triggers the end.",
    ] {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.lines().any(|line| words(line) == expected), "{expected}: {text}");
    }
}

#[test]
fn components_go_through_a_spreadsheet_and_back() {
    for (game, table, old, new, difference) in [
        ("the_river", "building.csv", "w2;;2;;;2;", "w2;;2;1;;3;", "building.w2.points: 2 → 3"),
        ("glassworks", "shape.csv", "circle;;1;", "circle;;2;", "shape.circle.stones: 1 → 2"),
        ("common_river", "weather.csv", "rain;1;3;", "rain;2;3;", "weather.rain.modifier: 1 → 2"),
    ] {
        let folder = Folder::new();
        let export = format!("data export {game} --csv tables --format excel-eu --force");
        folder.exits_with(0, &export);
        let built_in = folder.read("tables/data.toml");
        // All tables as they are, and one value changed.
        folder.exits_with(0, "data import tables --out same.toml --force");
        assert_eq!(folder.read("same.toml"), built_in, "{game}");
        let text = folder.read(format!("tables/{table}"));
        assert!(text.contains(old), "{old}: {text}");
        folder.write(format!("tables/{table}"), text.replace(old, new));
        folder.exits_with(0, "data import tables --out new.toml --force");
        let check = folder.succeeds("data check new.toml");
        assert!(check.contains(difference), "{check}");
        let is_changed = |(old, new): &(&str, &str)| old != new;
        let new = folder.read("new.toml");
        assert!(built_in.lines().zip(new.lines()).filter(is_changed).count() <= 2, "{new}");
    }
}

#[test]
fn tables_of_spreadsheets_become_components() {
    let folder = Folder::new();
    folder.write(
        "cards.csv",
        "\u{feff}id\twood\tclay\tstone\tpoints\tnote\tmarks\r\n\
        w2\t2\t0\t0\t2\tas before\t\r\nc2\t0\t2\t0\t3\t\tS\r\nnew\t1\t1\t0\t4\t\tI\r\n",
    );
    let (toml, messages) = folder.exits_with(0, "data import cards.csv --game the_river");
    assert!(messages.contains("cards.csv: not read: `note`"), "{messages}");
    for expected in [
        "[[building]]\nid = \"w2\"\ncost = { wood = 2 }\npoints = 2\n",
        "[[building]]  # S\nid = \"c2\"\ncost = { clay = 2 }\npoints = 3\n",
        "[[building]]  # I\nid = \"new\"\ncost = { clay = 1, stone = 0, wood = 1 }\npoints = 4\n",
    ] {
        assert!(toml.contains(expected), "{expected}: {toml}");
    }
    assert!(!toml.contains("\"s2\""));
    folder.write("mine.toml", &toml);
    folder.succeeds("data check mine.toml");
    for cards in [
        &b"sep=;\r\nID;Points;WOOD\r\nw2;3;2\r\n"[..],
        b"Our cards,,\nwood,points,id,\n2.0,3.0,w2,\n",
        b"wood|points|id\r2,0|3|w2\r",
        b"\xff\xfei\0d\0\t\0p\0o\0i\0n\0t\0s\0\n\0w\x002\0\t\x003\0\n\0",
    ] {
        folder.write("cards.csv", cards);
        let (toml, _) = folder.exits_with(0, "data import cards.csv --game the_river");
        let expected = "id = \"w2\"\ncost = { wood = 2 }\npoints = 3\n";
        assert!(toml.contains(expected), "{toml}");
    }
    for (cards, message) in [
        ("id,points,points\nw2,2,3\n", "expected each column once, found `points` again"),
        ("\nid,points\nw2,2,3\n", "cards.csv:3: expected 2 cells, as in the header; found 3"),
        ("id,points\nw2,2.000\n", "found \"2.000\""),
    ] {
        folder.write("cards.csv", cards);
        folder.refuses("data import cards.csv", &[message]);
    }
    folder.write("cards.csv", "id;wood;points\nw2;two;2\n");
    folder.refuses("data import cards.csv", &["key `building.w2.cost.wood`", "found \"two\""]);
    folder.write("other.csv", "a,b\n1,2\n");
    folder.refuses("data import other.csv", &["other.csv:1: ", "building.csv"]);
    for (file, text, format) in [
        ("cards.csv", "id;points\nw2;2\n", "found a table in CSV"),
        ("cards", "id;points\nw2;2\n", "found a table in CSV"),
        ("cards.json", "[{\"id\":\"w2\"}]", "found JSON"),
        ("cards.xml", "<cards/>", "found XML"),
        ("cards", "{\"building\": []}", "found JSON"),
        ("cards.yaml", "building:\n  - id: w2\n", "found YAML"),
    ] {
        folder.write(file, text);
        folder.refuses(&format!("data check {file}"), &[format, "`watershed data import`"]);
    }
    folder.refuses("data import cards.json", &["expected a table in CSV, found JSON"]);
}

/// Files of other systems: a byte-order mark, line ends of Windows, and UTF-16.
#[test]
fn data_files_are_read_in_the_encodings_of_editors() {
    let folder = Folder::new();
    let text = built_in_games().all()[0].default_document().text;
    let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let utf16 = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [marked.into_bytes(), utf16] {
        folder.write("mine.toml", bytes);
        let check = folder.succeeds("data check mine.toml");
        assert!(check.contains("the same values as the built-in file"), "{check}");
    }
    folder.write("mine.toml", b"name = \"Caf\xe9\"\n");
    folder.refuses("data check mine.toml", &["expected a text file in UTF-8"]);
}

/// Letters that are wide, combine or are read from the right shift no row of a table.
#[test]
fn names_in_any_script_are_aligned() {
    let folder = Folder::new();
    let names = ["锯木厂的小屋", "Café 👨‍👩‍👧", "مطحنة", "Jose\u{301}", "ไม้ป่า", "ＦＵＬＬ"];
    let mut names = names.iter();
    let text = built_in_games().all()[0].default_document().text;
    let named = |block: &str| match (block.starts_with("id"), names.next()) {
        (true, Some(name)) => format!("name = \"{name}\"\n{block}"),
        _ => block.to_owned(),
    };
    let blocks: Vec<_> = text.split("[[building]]\n").map(named).collect();
    folder.write("wide.toml", blocks.join("[[building]]\n"));
    let list = folder.succeeds("list items --config wide.toml");
    assert!(list.contains("مطحنة"), "{list}");
    let columns: BTreeSet<_> = list
        .lines()
        .filter_map(|line| line.split_once("cost "))
        .map(|(before, _)| text_width(before))
        .collect();
    assert_eq!(columns.len(), 1, "{list}");
}
