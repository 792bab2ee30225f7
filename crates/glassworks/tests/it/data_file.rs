//! Data files of River Valley Glassworks that are refused.

use watershed_engine::{config::Document, games::GameDefinition};
use watershed_glassworks::Glassworks;

use crate::{
    FILES,
    rules::data_variant::check_refusals,
    variants::{altered, colours, shapes},
};

fn refusal(document: &Document) -> String {
    Glassworks::bind(document, 2).unwrap_err().to_string()
}

/// Mistakes in the built-in file, as `check_refusals` reads them.
const REFUSED: &str = r#"columns = 7 => columns = 9
    11: key `glassworks.columns`: expected an integer from 1 to 8, found 9
columns = 7 => columns = 8
    13: key `glassworks.row_points`: expected at least 9 entries, for 0 spaces up to all columns,
    found 8
rows = 5 => rows = 8
    12: key `glassworks.rows`: expected an integer from 1 to 7, found 8
rows = 5 =>
    10: key `glassworks`: missing key `rows`
[0, 1, 2, 4, 7, => [0, 1, 2, -4, 7,
    13: key `glassworks.row_points.3`: expected an integer from 0 to 999, found -4
[0, 5, 10, 15, 20, 25] => [0, 5, 10, 15]
    16: key `glassworks.column_points.4`: expected at least 6 entries, for height 0 up to all rows,
    found 4
[0, 6, 12, 18, 24, 30], [0, 7, 14, 21, 28, 35] =>
    14: key `glassworks.column_points`: expected at least 7 lists, one for each column, found 5
end_trigger = 17 => end_trigger = 17\nlast_trigger = 3
    20: key `glassworks.last_trigger`: expected one of `columns`, `rows`, `row_points`,
    `column_points`, `scored_columns`, `overflow_penalty`, `end_trigger`; found `last_trigger`
lake_size = 5 => lake_size = 6
    24: key `play.lake_size`: expected at most 5, one more than `lake_take`, because the notation
    names one piece, found 6
pair_size = 2 => pair_size = 3
    26: key `play.pair_size`: expected 2, because the notation names two pieces, found 3
satchel_limit = 5 => satchel_limit = 9
    22: key `play.satchel_limit`: expected at most 12 pieces together with those drawn from the
    lake, found up to 13
satchel_start = 3 => satchel_start = 12
    23: key `play.satchel_start`: expected an integer from 0 to 11, found 12
"rulebook" => "solo"
    27: key `play.end_variant`: expected `rulebook` or `bga`; found `solo`
max = 5 => max = 6
    8: key `players.max`: expected an integer from 2 to 5, found 6
min = 2, max = 5 => min = 4, max = 3
    8: key `players.min`: expected no more than `players.max`
min = 2, max = 5 => min = 3, max = 5
    8: key `players`: the file is for 3 to 5 players, not for 2
id = "heart" => id = "triangle"
    36: key `shape.triangle.id`: expected a unique name, found "triangle" twice
id = "heart" => id = "a heart"
    36: key `shape.a heart.id`: expected a name of letters, digits and underscores, found "a heart"
stones = 2 => stones = 16
    37: key `shape.heart.stones`: expected an integer from 0 to 15, found 16
[4, 4, 4, 4, 3, 3] => [4, 4, 4, 4, 3]
    54: key `color.white.pieces`: expected 6 entries, one for each shape, found 5
id = "white" => id = "purple"
    56: key `color.purple.id`: expected a unique name, found "purple" twice
min_players = 5 => max_players = 5
    79: key `color.black.max_players`: expected one of `id`, `name`, `pieces`, `min_players`; found
    `max_players` (did you mean `min_players`?)
[4, 4, 4, 4, 3, 3] => [134, 4, 4, 4, 3, 3]
    52: key `color`: expected at most 255 pieces, found 262
[4, 4, 4, 4, 3, 3] => [65, 4, 4, 4, 3, 3]
    52: key `color`: expected pieces that fit into 4 groups of 64, all copies of a piece in one
    group"#;

#[test]
fn mistakes_are_refused() {
    let document = Document::embedded("glass", FILES.data);
    check_refusals(REFUSED, &document, refusal);
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
            "`color`: expected at most 64 binary digits in the counts of all colours, found \
                75",
        ),
        (
            clash.to_owned(),
            "`color.a_b.id`: expected unique names of pieces, found \"a_b_c\" twice",
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
