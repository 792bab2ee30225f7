//! Altered data files of The River that cause rare situations.

use std::fmt::Write;

use crate::{
    FILES,
    rules::data_variant::{DataVariant, with_overlay},
};

/// Returns the data file with some keys replaced.
pub(crate) fn altered(overlay: &str) -> String {
    with_overlay(FILES.data, overlay)
}

pub(crate) fn default_data() -> [DataVariant; 1] {
    [DataVariant::new("default", FILES.data.to_owned())]
}

/// Returns all altered files.
pub(crate) fn all() -> Vec<DataVariant> {
    let overlays = [
        ("narrow", NARROW.to_owned()),
        ("few tiles", FEW_TILES.to_owned()),
        ("free buildings", FREE_BUILDINGS.to_owned()),
        ("settlers", SETTLERS.to_owned()),
        ("short", "[rules]\nmax_rounds = 3".to_owned()),
        ("little storage", LITTLE_STORAGE.to_owned()),
        ("trade-in 1", "[rules]\ntrade_in = 1".to_owned()),
        ("trade-in 2", "[rules]\ntrade_in = 2".to_owned()),
        ("trade-in 4", "[rules]\ntrade_in = 4".to_owned()),
        ("costly", costly()),
        ("largest", largest()),
        ("large numbers", LARGE_NUMBERS.to_owned()),
        ("one kind of tile", ONE_KIND.to_owned()),
        ("start", "[setup.each]\nstart = [{}, { wood = 2, food = 1, points = 3 }]".to_owned()),
    ];
    overlays.map(|(name, overlay)| DataVariant::new(name, altered(&overlay))).into()
}

/// One pioneer per place, so that seats with many must pass.
const NARROW: &str = r"
rules = { claim_tile_per_player = 1, reserve_hand_limit = 1, start_pioneers = 6, max_rounds = 12 }
spots = { build = 1, first_player = 1 }
[setup.each]
face_up_tiles = 2
stock = { wood = 2, clay = 2, stone = 2, food = 1 }
production_spots = 1
food_spots = 1
swap_spots = 1
reserve_spots = 1
bonus_tokens = [5, 3]
";

/// Few tiles, which are soon all on boards.
const FEW_TILES: &str = r#"
rules = { max_rounds = 9 }
tile = [
    { id = "plain", terrain = ["desert"], copies = 7, storage = 2 },
    { id = "mixed", terrain = ["forest", "meadow"], copies = 5, production = { wood = 1 } },
    { id = "swap", terrain = ["meadow"], copies = 2, effect = { kind = "swap", times = 3 } },
]
"#;

/// Free buildings, reserved ones with a negative cost, and fewer cards than places.
const FREE_BUILDINGS: &str = r#"
rules = { reserve_discount = 18, reserve_hand_limit = 3 }
building = [
    { id = "free", cost = {}, points = 1 },
    { id = "cheap", cost = { stone = 1 }, points = 3 },
    { id = "dear", cost = { wood = 6, clay = 6, stone = 6 }, points = 12 },
]
"#;

/// Every tile settles a pioneer and none arrives, so that no seat can continue.
const SETTLERS: &str = r"
rules = { start_pioneers = 2, extra_pioneer_on_bonus_spot = 0 }
river = { framed = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] }
";

/// Few warehouses, and tiles that give more than fits: in the draft, by income, and before swaps.
const LITTLE_STORAGE: &str = r#"
rules = { max_rounds = 15 }
board = [
    { id = "a" },
    { id = "b", storage = { 1 = 3 } },
    { id = "c", storage = { 2 = 2 }, production = { 12 = "wood" } },
    { id = "d", storage = { 1 = 1, 2 = 1, 3 = 1 } },
]
tile = [
    { id = "take_wood", terrain = ["meadow"], copies = 4, storage = 1,
      effect = { kind = "take", resource = "wood", amount = 5 } },
    { id = "take_stone", terrain = ["forest"], copies = 2,
      effect = { kind = "take", resource = "stone", amount = 31 } },
    { id = "income_wood", terrain = ["desert"], copies = 8, storage = 1,
      effect = { kind = "income", resource = "wood", amount = 1, points = 2 } },
    { id = "income_wood3", terrain = ["desert", "mountain"], copies = 8,
      effect = { kind = "income", resource = "wood", amount = 3, points = 0 } },
    { id = "income_clay", terrain = ["badlands"], copies = 8, storage = 1,
      effect = { kind = "income", resource = "clay", amount = 2, points = 1 } },
    { id = "swap_over_storage", terrain = ["meadow"], copies = 6,
      effect = { kind = "swap", times = 4 } },
]
[setup.each]
stock = { wood = 15, clay = 5, stone = 15, food = 6 }
"#;

/// Numbers beyond those that facts for networks distinguish.
const LARGE_NUMBERS: &str = r#"
rules = { column_all_three = 100, reserve_discount = 9 }
river = { framed = [] }
setup.each = { stock = { wood = 30, clay = 1, stone = 0, food = 9 }, first_pioneer_bonus = 9 }
tile = [
    { id = "plain", terrain = ["forest"], copies = 60, storage = 1 },
    { id = "large", terrain = ["meadow", "desert"], copies = 1, storage = 9,
      production = { wood = 4, stone = 8 },
      effect = { kind = "income", resource = "stone", amount = 9, points = 30 } },
]
building = [
    { id = "palace", cost = { wood = 6, clay = 6, stone = 6 }, points = 99 },
    { id = "gift", cost = { wood = 0 }, points = 0 },
]
"#;

/// The maximum number of tiles of a single kind.
const ONE_KIND: &str = r#"
tile = [
    { id = "only", terrain = ["meadow"], copies = 128, storage = 1,
      effect = { kind = "points_per_production", resource = "wood", points = 2, cap = 5 } },
]
"#;

/// Buildings up to the highest cost, and the means to pay for them.
fn costly() -> String {
    let mut overlay = r"
        rules = { trade_in = 7 }
        setup.each.stock = { wood = 31, clay = 31, stone = 31, food = 31 }
        setup.each.first_pioneer_bonus = 3
    "
    .to_owned();
    for (id, cost) in [[6, 0, 0], [0, 6, 0], [0, 0, 6], [6, 6, 6], [6, 1, 0], [2, 2, 2], [3, 5, 4]]
        .iter()
        .enumerate()
    {
        let [wood, clay, stone] = cost;
        let card = format!(
            "[[building]]\nid = \"b{id}\"\ncost = {{ wood = {wood}, clay = {clay}, stone = {stone} \
                }}\npoints = {id}\n"
        );
        overlay.push_str(&card);
    }
    for (id, production) in ["wood", "clay", "stone"].iter().enumerate() {
        let _ = write!(
            overlay,
            "[[tile]]\nid = \"t{id}\"\nterrain = [\"desert\"]\ncopies = 15\nstorage = \
                5\nproduction.{production} = 2\n"
        );
    }
    overlay
}

/// The maximum of everything that the packed position holds.
fn largest() -> String {
    let mut overlay = r"
        rules = { claim_tile_per_player = 6, reserve_hand_limit = 64, start_pioneers = 6 }
        spots = { build = 15, first_player = 0 }
        [setup.each]
        face_up_tiles = 12
        face_up_buildings = 64
        production_spots = 0
        food_spots = 0
        swap_spots = 15
        reserve_spots = 0
        bonus_spots = 7
    "
    .to_owned();
    for board in 0..8 {
        let _ = write!(
            overlay,
            "[[board]]\nid = \"board{board}\"\nstorage = {{ {} = 9 }}\n",
            board % 12 + 1
        );
    }
    for kind in 0..31 {
        let copies = if kind < 30 { 4 } else { 8 };
        let _ = write!(
            overlay,
            "[[tile]]\nid = \"kind{kind}\"\nterrain = [\"forest\"]\ncopies = {copies}\nstorage = \
                1\nproduction.wood = 2\n"
        );
    }
    for card in 0..64 {
        let _ = write!(
            overlay,
            "[[building]]\nid = \"card{card}\"\ncost.wood = {}\ncost.clay = {}\npoints = 1\n",
            card % 5,
            card % 3
        );
    }
    overlay
}
