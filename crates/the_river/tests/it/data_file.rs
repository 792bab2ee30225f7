//! Every mistake in a data file of The River is refused in one line with the file, the line, the
//! key and the expected value.

use watershed_engine::{config::Document, games::GameDefinition};
use watershed_the_river::TheRiver;

use crate::{FILES, rules::data_variant::check_refusals};

/// A small valid file for 2 players.
const VALID: &str = r#"name = "Small"
provenance = "test"
players = { min = 2, max = 2 }
[rules]
claim_tile_per_player = 2
reserve_hand_limit = 2
reserve_discount = 1
trade_in = 3
per_resources = 3
column_top_two = 2
column_all_three = 6
start_pioneers = 4
extra_pioneer_on_bonus_spot = 2
max_rounds = 60
[spots]
build = 0
first_player = 1
[setup.2]
food_spots = 0
swap_spots = 0
draft_tiles = 3
face_up_tiles = 5
face_up_buildings = 1
stock = { wood = 7, clay = 7, stone = 7, food = 3 }
first_pioneer_bonus = 0
production_spots = 1
reserve_spots = 1
bonus_spots = 4
bonus_tokens = [6, 5, 5, 0]
[river]
path = [[1,1],[1,2],[1,3],[1,4],[2,4],[2,3],[2,2],[2,1],[3,1],[3,2],[3,3],[3,4]]
framed = [4, 12]
[[board]]
id = "left"
production = { 3 = "wood" }
storage = { 5 = 1 }
[[board]]
id = "right"
[[tile]]
id = "plain"
terrain = ["desert"]
copies = 20
storage = 2
[[tile]]
id = "rich"
terrain = ["meadow", "forest"]
copies = 2
production = { wood = 2 }
effect = { kind = "take", resource = "wood", amount = 4 }
[[building]]
id = "hut"
cost = { wood = 2 }
points = 2
"#;

/// Mistakes in the valid file, as `check_refusals` reads them.
const REFUSED: &str = r#"trade_in = 3 => trade_inn = 3
    8: key `rules.trade_inn`: expected one of `claim_tile_per_player`, `reserve_hand_limit`,
    `reserve_discount`, `trade_in`, `per_resources`, `column_top_two`, `column_all_three`,
    `start_pioneers`, `extra_pioneer_on_bonus_spot`, `max_rounds`; found `trade_inn` (did you mean
    `trade_in`?)
name = "Small" => nick = "Small"
    1: key `nick`: expected one of `name`, `provenance`, `players`, `targets`, `rules`, `spots`,
    `setup`, `river`, `board`, `tile`, `building`; found `nick`
name = "Small" => name = "\u001b[31m"
    1: key `name`: expected a name of printable characters without spaces at its ends, found
    "\u{1b}[31m"
{ wood = 2 }\npoints => { food = 2 }\npoints
    52: key `building.hut.cost.food`: expected one of `wood`, `clay`, `stone`; found `food`
amount = 4 => amount = 4, times = 2
    49: key `tile.rich.effect.times`: expected one of `kind`, `resource`, `amount`; found `times`
trade_in = 3\n =>
    4: key `rules`: missing key `trade_in`
, amount = 4 =>
    49: key `tile.rich.effect`: missing key `amount`
[setup.2] => [setup.3]
    18: key `setup`: expected a table [setup.2], as `players` says
first_player = 1 => first_player = 1\nfood = 2
    18: key `spots.food`: expected `setup.<n>.food_spots` instead
first_player = 1 => first_player = 1\nswap_per_player = 2
    18: key `spots.swap_per_player`: expected `setup.<n>.swap_spots` instead
3 = "wood" => 3 = "gold"
    35: key `board.left.production.3`: expected one of `wood`, `clay`, `stone`; found `gold`
resource = "wood" => resource = "food"
    49: key `tile.rich.effect.resource`: expected one of `wood`, `clay`, `stone`; found `food`
["desert"] => ["swamp"]
    41: key `tile.plain.terrain.0`: expected one of `desert`, `badlands`, `forest`, `meadow`,
    `mountain`; found `swamp`
kind = "take" => kind = "give"
    49: key `tile.rich.effect.kind`: expected one of `points_per_terrain`, `points_per_production`,
    `income`, `take`, `swap`, `points_per_pioneer`, `points_per_token`; found `give`
id = "hut" => id = "a hut"
    51: key `building.a hut.id`: expected a name of letters, digits and underscores, found "a hut"
trade_in = 3 => trade_in = "3"
    8: key `rules.trade_in`: expected an integer from 1 to 7, found "3"
terrain = ["desert"] => terrain = "desert"
    41: key `tile.plain.terrain`: expected a list, found "desert"
[4, 12] => ["x"]
    32: key `river.framed.0`: expected a spot from 1 to 12, found "x"
trade_in = 3 => trade_in =
    8: string values must be quoted, expected literal string
cost = { wood = 2 } => cost = { wood = -1 }
    52: key `building.hut.cost.wood`: expected an integer from 0 to 6, found -1
copies = 20 => copies = 0
    42: key `tile.plain.copies`: expected an integer from 1 to 128, found 0
clay = 7 => clay = 32
    24: key `setup.2.stock.clay`: expected an integer from 0 to 31, found 32
5 = 1 => 13 = 1
    36: key `board.left.storage.13`: expected a spot from 1 to 12, found 13
amount = 4 => amount = 32
    49: key `tile.rich.effect.amount`: expected an integer from 0 to 31, found 32
[3,4]] => [4,3]]
    31: key `river.path.11.0`: expected an integer from 1 to 3, found 4
min = 2, max = 2 => min = 1, max = 2
    3: key `players.min`: expected an integer from 2 to 4, found 1
copies = 20 => copies = 127
    39: key `tile`: expected at most 128 tiles, all copies together, found 129
[[board]]\nid = "right"\n =>
    33: key `board`: expected 2 to 8 entries, found 1
production = { wood = 2 } => production = { wood = 16 }
    39: key `tile`: expected at most 31 wood production symbols that one board could show, found up
    to 33
storage = 2 => storage = 6
    39: key `tile`: expected at most 63 storage symbols that one board could show, found up to 73
id = "right" => id = "left"
    38: key `board.left.id`: expected a unique name, found "left" twice
id = "rich" => id = "plain"
    45: key `tile.plain.id`: expected a unique name, found "plain" twice
trade_in = 3 => trade_in = 3\ntrade_in = 3
    9: key `trade_in`: expected each key once, found it again
[3,3],[3,4] => [3,3],[3,3]
    31: key `river.path`: expected each of the 12 places of 3 rows and 4 columns once
,[3,4]] => ]
    31: key `river.path`: expected each of the 12 places of 3 rows and 4 columns once
[4, 12] => [4, 4]
    32: key `river.framed`: expected each spot at most once
[6, 5, 5, 0] => [6, 5, 5, 7]
    29: key `setup.2.bonus_tokens`: expected descending values
[6, 5, 5, 0] => [99, 99, 99, 0]
    29: key `setup.2.bonus_tokens`: expected at most 127 points that one seat could take, found 297
draft_tiles = 3 => draft_tiles = 4
    21: key `setup.2.draft_tiles`: expected 2 or 3, found 4
["meadow", "forest"] => ["meadow", "meadow"]
    46: key `tile.rich.terrain`: expected one terrain, or two that differ
terrain = ["desert"] => terrain = []
    41: key `tile.plain.terrain`: expected one terrain, or two that differ
min = 2, max = 2 => min = 3, max = 2
    3: key `players.min`: expected no more than `players.max`
[rules] => [setup.5]\n[rules]
    4: key `setup.5`: expected a number of players from 2 to 4, found 5
bonus = 0 => bonus = 0\nstart = [{}, {}, {}]
    26: key `setup.2.start`: expected at most 2 entries, one for each turn position, found 3
bonus = 0 => bonus = 0\nstart = [{}, { food = 9 }]
    26: key `setup.2.start`: expected at most 3 food in all, as `stock` says, found 9
bonus = 0 => bonus = 0\nstart = [{ wood = 1, clay = 1, stone = 1, food = 1 }]
    26: key `setup.2.start.0`: expected at most 0 resources, which every board can store, found 4
bonus = 0 => bonus = 0\nstart = [{}, { gold = 1 }]
    26: key `setup.2.start.1.gold`: expected one of `wood`, `clay`, `stone`, `food`, `points`; found
    `gold`
[6, 5, 5, 0] => [50, 5, 5, 0]\nstart = [{}, { points = 99 }]
    30: key `setup.2.start`: expected at most 67 points, because one seat has at most 127 together
    with its bonus tokens, found 99
{ kind = "take", resource = "wood", amount = 4 } => { amount = 4 }
    49: key `tile.rich.effect`: missing key `kind`
{ kind = "take", resource = "wood", amount = 4 } => [{ kind = "swap" }]
    49: key `tile.rich.effect`: expected a table, found [{ kind = "swap" }]
{ kind = "take", resource = "wood", amount = 4 } => { kind = {} }
    49: key `tile.rich.effect.kind`: expected one of `points_per_terrain`, `points_per_production`,
    `income`, `take`, `swap`, `points_per_pioneer`, `points_per_token`; found {}
points = 2 => points = 2\n[[building]]\nid = "hut"\ncost = {}\npoints = 0
    55: key `building.hut.id`: expected a unique name, found "hut" twice"#;

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
