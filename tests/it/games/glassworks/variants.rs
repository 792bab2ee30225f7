//! Altered data files of River Valley Glassworks that bring rare situations about, and files that
//! are refused.

use std::fmt::Write;

use toml::{Table, Value};
use watershed::{config::Document, games::glassworks::Glassworks};

/// A data file by the name of what it is about.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) file: String,
}

impl Variant {
    pub(crate) fn document(&self) -> Document {
        Document::embedded(self.name, &self.file)
    }
}

/// The data file that is part of the program, with some keys replaced.
pub(crate) fn altered(overlay: &str) -> String {
    let mut file: Table = Glassworks::default_document().text.parse().unwrap();
    merge(&mut file, overlay.parse().unwrap());
    toml::to_string(&file).unwrap()
}

fn merge(table: &mut Table, overlay: Table) {
    for (key, value) in overlay {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(overlay)) => merge(inner, overlay),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

pub(crate) fn default_data() -> [Variant; 2] {
    [
        Variant { name: "default", file: Glassworks::default_document().text },
        Variant { name: "bga", file: altered("play.end_variant = \"bga\"") },
    ]
}

/// All altered files.
pub(crate) fn all() -> Vec<Variant> {
    let overlays = [
        ("small bag", format!("glassworks.end_trigger = 30\n{}", colours(8, &[1; 6]))),
        (
            "small bag, bga",
            format!(
                "play.end_variant = \"bga\"\nglassworks.end_trigger = 9\n{}",
                colours(8, &[1; 6])
            ),
        ),
        (
            "bag too small for the setup",
            format!("glassworks.end_trigger = 9\n{}", colours(4, &[1; 6])),
        ),
        ("empty bag", colours(1, &[0; 6])),
        (
            "one stone",
            format!("play.bga_topup = 5\nplay.end_variant = \"bga\"\n{}", shapes(&[1; 6])),
        ),
        ("no stones", shapes(&[0, 0, 1, 0, 3, 0])),
        ("three columns", "glassworks = { columns = 3, end_trigger = 12 }".to_owned()),
        (
            "one column",
            "glassworks = { columns = 1, end_trigger = 5, scored_columns = 1 \
            }\nplay.max_rounds = 20"
                .to_owned(),
        ),
        (
            "one row",
            "glassworks = { rows = 1, end_trigger = 7, scored_columns = 0 \
            }\nplay.max_rounds = 40"
                .to_owned(),
        ),
        ("low trigger", "glassworks.end_trigger = 1".to_owned()),
        ("trigger at once", "glassworks.end_trigger = 0\nplay.end_variant = \"bga\"".to_owned()),
        ("short", "glassworks.end_trigger = 6\nplay.max_rounds = 4".to_owned()),
        (
            "short, bga",
            "glassworks.end_trigger = 6\nplay = { max_rounds = 4, end_variant = \
            \"bga\", bga_topup = 9 }"
                .to_owned(),
        ),
        ("small lake", "play = { lake_size = 3, lake_take = 2, satchel_limit = 3 }".to_owned()),
        ("whole lake", "play = { lake_size = 4, lake_take = 4, satchel_start = 1 }".to_owned()),
        (
            "no lake",
            "play = { lake_size = 0, satchel_start = 6, end_variant = \"bga\" \
            }\nglassworks.end_trigger = 3"
                .to_owned(),
        ),
        (
            "no satchel",
            "play = { satchel_limit = 0, satchel_start = 3, max_rounds = 9 }".to_owned(),
        ),
        ("large satchel", "play = { satchel_limit = 8, satchel_start = 8 }".to_owned()),
        (
            "largest satchel",
            "play = { satchel_limit = 11, satchel_start = 11, lake_take = 1, \
            lake_size = 2 }"
                .to_owned(),
        ),
        ("largest", largest()),
        ("two tiles", format!("{}{}", shapes(&[2, 1]), colours(3, &[32, 30]))),
        (
            "many colours",
            format!(
                "glassworks.end_trigger = 30\n{}{}",
                shapes(&[4, 1, 2]),
                colours(15, &[3, 1, 2])
            ),
        ),
    ];
    overlays.map(|(name, overlay)| Variant { name, file: altered(&overlay) }).into()
}

/// Shapes with these stones.
fn shapes(stones: &[usize]) -> String {
    let names = ["triangle", "heart", "circle", "square", "hexagon", "diamond", "star"];
    names
        .iter()
        .zip(stones)
        .map(|(name, stones)| format!("[[shape]]\nid = \"{name}\"\nstones = {stones}\n"))
        .collect()
}

/// This many colours with these pieces by shape; in a table of its own at the end of a file.
fn colours(count: usize, pieces: &[usize]) -> String {
    let mut file = String::new();
    for index in 0..count {
        let _ = write!(file, "[[color]]\nid = \"c{index}\"\npieces = {pieces:?}\n");
    }
    file
}

/// As much of everything as the packed position holds.
fn largest() -> String {
    let points: Vec<Vec<usize>> =
        (0..8).map(|column| (0..8).map(|height| column * height).collect()).collect();
    let mut file = format!(
        "glassworks = {{ columns = 8, rows = 7, scored_columns = 8, end_trigger = 40, row_points = \
[0, 1, 2, 3, 4, 5, 6, 7, 8], column_points = {points:?} }}
        play = {{ lake_size = 10, lake_take = 9, satchel_limit = 3, satchel_start = 2 }}\n{}",
        shapes(&[15, 0, 1, 2, 3, 4, 5])
    );
    file.push_str(&colours(8, &[4; 7]));
    file.push_str("[[color]]\nid = \"last\"\npieces = [3, 5, 4, 5, 5, 5, 4]\n");
    file
}

/// The data file that is part of the program with one piece of its text replaced.
fn replaced(from: &str, to: &str) -> Document {
    let text = Glassworks::default_document().text;
    assert!(text.contains(from), "{from}");
    Document::embedded("glass", &text.replacen(from, to, 1))
}

fn refusal(document: &Document) -> String {
    Glassworks::new(document, 2).unwrap_err().to_string()
}

#[test]
fn impossible_values_are_refused_with_file_line_key_and_expectation() {
    let refused = [
        (
            "columns = 7",
            "columns = 9",
            "11: key `glassworks.columns`: expected an integer from 1 to 8, found 9",
        ),
        (
            "columns = 7",
            "columns = 8",
            "13: key `glassworks.row_points`: expected at least 9 entries, for 0 spaces up to all \
                columns, found 8",
        ),
        (
            "rows = 5",
            "rows = 8",
            "12: key `glassworks.rows`: expected an integer from 1 to 7, found 8",
        ),
        ("rows = 5", "", "10: key `glassworks`: missing key `rows`"),
        (
            "[0, 1, 2, 4, 7,",
            "[0, 1, 2, -4, 7,",
            "13: key `glassworks.row_points[3]`: expected an integer from 0 to 999, found -4",
        ),
        (
            "[0, 5, 10, 15, 20, 25]",
            "[0, 5, 10, 15]",
            "16: key `glassworks.column_points[4]`: expected at least 6 entries, for height 0 up \
                to all rows, found 4",
        ),
        (
            "[0, 6, 12, 18, 24, 30], [0, 7, 14, 21, 28, 35]",
            "",
            "14: key `glassworks.column_points`: expected at least 7 lists, one for each column, \
                found 5",
        ),
        (
            "end_trigger = 17",
            "end_trigger = 17\nlast_trigger = 3",
            "20: key `glassworks.last_trigger`: expected one of `columns`, `rows`, `row_points`, \
             `column_points`, `scored_columns`, `overflow_penalty`, `end_trigger`; found \
             `last_trigger`",
        ),
        (
            "lake_size = 5",
            "lake_size = 6",
            "24: key `play.lake_size`: expected at most 5, one more than `lake_take`, as the \
                notation names one piece, found 6",
        ),
        (
            "pair_size = 2",
            "pair_size = 3",
            "26: key `play.pair_size`: expected 2, as the notation names two pieces, found 3",
        ),
        (
            "satchel_limit = 5",
            "satchel_limit = 9",
            "22: key `play.satchel_limit`: expected at most 12 pieces together with those drawn \
                from the lake, found up to 13",
        ),
        (
            "satchel_start = 3",
            "satchel_start = 12",
            "23: key `play.satchel_start`: expected an integer from 0 to 11, found 12",
        ),
        (
            "\"rulebook\"",
            "\"solo\"",
            "27: key `play.end_variant`: expected `rulebook` or `bga`; found `solo`",
        ),
        ("max = 5", "max = 6", "8: key `players.max`: expected an integer from 2 to 5, found 6"),
        (
            "min = 2, max = 5",
            "min = 4, max = 3",
            "8: key `players.min`: expected no more than `players.max`",
        ),
        (
            "min = 2, max = 5",
            "min = 3, max = 5",
            "8: key `players`: the file is for 3 to 5 players, not for 2",
        ),
        (
            "id = \"heart\"",
            "id = \"triangle\"",
            "36: key `shape[1].id`: expected a unique name, found \"triangle\" twice",
        ),
        (
            "id = \"heart\"",
            "id = \"a heart\"",
            "36: key `shape[1].id`: expected a name of letters, digits and underscores, found \"a \
                heart\"",
        ),
        (
            "stones = 2",
            "stones = 16",
            "37: key `shape[1].stones`: expected an integer from 0 to 15, found 16",
        ),
        (
            "[4, 4, 4, 4, 3, 3]",
            "[4, 4, 4, 4, 3]",
            "54: key `color[0].pieces`: expected 6 entries, one for each shape, found 5",
        ),
        (
            "id = \"white\"",
            "id = \"purple\"",
            "56: key `color[1].id`: expected a unique name, found \"purple\" twice",
        ),
        (
            "min_players = 5",
            "max_players = 5",
            "79: key `color[8].max_players`: expected one of `id`, `pieces`, `min_players`; found \
                `max_players` (did you mean `min_players`?)",
        ),
        (
            "[4, 4, 4, 4, 3, 3]",
            "[134, 4, 4, 4, 3, 3]",
            "52: key `color`: expected at most 255 pieces in all, found 262",
        ),
        (
            "[4, 4, 4, 4, 3, 3]",
            "[65, 4, 4, 4, 3, 3]",
            "52: key `color`: expected pieces that fit into 4 groups of 64, all copies of a piece \
                in one group",
        ),
    ];
    for (from, to, expected) in refused {
        assert_eq!(refusal(&replaced(from, to)), format!("<glass>:{expected}"));
    }
}

#[test]
fn files_with_too_much_for_the_packed_position_are_refused() {
    let clash = "[[color]]\nid = \"a\"\npieces = [1, 1]\n[[color]]\nid = \"a_b\"\npieces = [1, 1]\n\
                 [[shape]]\nid = \"b_c\"\nstones = 1\n[[shape]]\nid = \"c\"\nstones = 1\n";
    let refused = [
        (shapes(&[1; 1]), "`shape`: expected 2 to 7 entries, found 1"),
        (colours(16, &[1; 6]), "`color`: expected 1 to 15 entries, found 16"),
        (
            shapes(&[1; 7]) + &colours(10, &[1; 7]),
            "`color`: expected at most 63 different pieces, found 70",
        ),
        (
            shapes(&[1; 4]) + &colours(15, &[5, 4, 4, 4]),
            "`color`: expected counts of the colours with at most 64 binary digits together, found \
                75",
        ),
        (
            clash.to_owned(),
            "`color[1].id`: expected names of pieces that differ, found \"a_b_c\" again",
        ),
    ];
    for (overlay, expected) in refused {
        let message = refusal(&Document::embedded("glass", &altered(&overlay)));
        assert!(
            message.starts_with("<glass>:") && message.ends_with(&format!(": key {expected}")),
            "{message}"
        );
    }
}
