//! Altered data files of River Valley Glassworks that cause rare situations.

use std::fmt::Write;

use crate::{
    FILES,
    rules::data_variant::{DataVariant, with_overlay},
};

/// Returns the data file with some keys replaced.
pub(crate) fn altered(overlay: &str) -> String {
    with_overlay(FILES.data, overlay)
}

pub(crate) fn default_data() -> [DataVariant; 2] {
    [
        DataVariant::new("default", FILES.data.to_owned()),
        DataVariant::new("bga", altered("play.end_variant = \"bga\"")),
    ]
}

/// A name of a file, and the keys that it replaces.
type Overlay = (&'static str, String);

/// Returns all altered files.
pub(crate) fn all() -> Vec<DataVariant> {
    let overlays = [bags(), boards_and_ends(), lakes_and_satchels(), sizes(), start_points()];
    let overlays = overlays.into_iter().flatten();
    overlays.map(|(name, overlay)| DataVariant::new(name, altered(&overlay))).collect()
}

/// A file with points at the start for some turn positions.
fn start_points() -> Vec<Overlay> {
    let setup = (2..=5).map(|players| {
        format!("[setup.{players}]\nstart = [{{ points = 1 }}, {{ points = 4 }}]\n")
    });
    vec![("start", setup.collect())]
}

/// Files with other pieces and stones.
fn bags() -> Vec<Overlay> {
    vec![
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
    ]
}

/// Files with other boards, and other ends of the game.
fn boards_and_ends() -> Vec<Overlay> {
    vec![
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
    ]
}

/// Files with other lakes and satchels.
fn lakes_and_satchels() -> Vec<Overlay> {
    vec![
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
    ]
}

/// Files with very many or few pieces.
fn sizes() -> Vec<Overlay> {
    vec![
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
    ]
}

/// Returns shapes with these stones.
pub(crate) fn shapes(stones: &[usize]) -> String {
    let names = ["triangle", "heart", "circle", "square", "hexagon", "diamond", "star"];
    names
        .iter()
        .zip(stones)
        .map(|(name, stones)| format!("[[shape]]\nid = \"{name}\"\nstones = {stones}\n"))
        .collect()
}

/// Returns a table of this number of colours with these pieces by shape, for the end of a file.
pub(crate) fn colours(count: usize, pieces: &[usize]) -> String {
    let mut file = String::new();
    for index in 0..count {
        let _ = write!(file, "[[color]]\nid = \"c{index}\"\npieces = {pieces:?}\n");
    }
    file
}

/// The maximum of everything that the packed position holds.
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
