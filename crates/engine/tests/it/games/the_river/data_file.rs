//! Every mistake in a data file of The River is refused in one line with the file, the line, the
//! key and the expected value.

use watershed::BuiltInGame as _;
use watershed::{
    config::Document,
    games::{GameDefinition, the_river::TheRiver},
};

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
food = 0
swap = 0
first_player = 1
[setup.2]
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

/// Returns the message about the valid file with `old` replaced by `new`.
fn refusal(old: &str, new: &str) -> String {
    assert_eq!(VALID.matches(old).count(), 1, "{old:?} must stand in the file once");
    refusal_of(&VALID.replace(old, new))
}

fn refusal_of(text: &str) -> String {
    let document = Document { name: "small.toml".to_owned(), text: text.to_owned() };
    TheRiver::bind(&document, 2).unwrap_err().to_string()
}

#[test]
fn a_valid_file_is_accepted() {
    let document = Document { name: "small.toml".to_owned(), text: VALID.to_owned() };
    assert_eq!(
        TheRiver::bind(&document, 2).map(|game| game.data().name.clone()),
        Ok("Small".to_owned())
    );
    assert!(TheRiver::bind(&TheRiver::default_document(), 4).is_ok());
}

#[test]
fn resources_of_the_start_fit_supply_and_storage() {
    let start = |value: &str| {
        let line = "first_pioneer_bonus = 0";
        refusal(line, &format!("{line}\nstart = {value}"))
    };
    assert_eq!(
        start("[{}, {}, {}]"),
        "small.toml:26: key `setup.2.start`: expected at most 2 entries, one for each turn \
            position, found 3"
    );
    for (value, expected) in [
        ("[{}, { food = 9 }]", "key `setup.2.start`: expected at most"),
        (
            "[{ wood = 1, clay = 1, stone = 1, food = 1 }]",
            "key `setup.2.start[0]`: expected at most",
        ),
        ("[{}, { gold = 1 }]", "key `setup.2.start[1].gold`: expected one of `wood`"),
        ("[{}, { food = -1 }]", "key `setup.2.start[1].food`: expected an integer from 0"),
        ("{ food = 1 }", "key `setup.2.start`: expected"),
    ] {
        assert!(start(value).contains(expected), "{value}: {}", start(value));
    }
}

#[test]
fn unknown_keys_are_refused() {
    assert_eq!(
        refusal("trade_in = 3", "trade_inn = 3"),
        "small.toml:8: key `rules.trade_inn`: expected one of `claim_tile_per_player`, \
            `reserve_hand_limit`, `reserve_discount`, `trade_in`, `per_resources`, \
            `column_top_two`, `column_all_three`, `start_pioneers`, `extra_pioneer_on_bonus_spot`, \
            `max_rounds`; found `trade_inn` (did you mean `trade_in`?)"
    );
    assert_eq!(
        refusal("name = \"Small\"", "nick = \"Small\""),
        "small.toml:1: key `nick`: expected one of `name`, `provenance`, `players`, `targets`, \
            `rules`, `spots`, `setup`, `river`, `board`, `tile`, `building`; found `nick`"
    );
    assert_eq!(
        refusal("{ wood = 2 }\npoints", "{ food = 2 }\npoints"),
        "small.toml:52: key `building[0].cost.food`: expected one of `wood`, `clay`, `stone`; \
            found `food`"
    );
    assert_eq!(
        refusal("amount = 4", "amount = 4, times = 2"),
        "small.toml:49: key `tile[1].effect`: expected `resource` or `amount`; found `times`"
    );
}

#[test]
fn missing_keys_are_refused() {
    assert_eq!(refusal("trade_in = 3\n", ""), "small.toml:4: key `rules`: missing key `trade_in`");
    assert_eq!(refusal(", food = 3", ""), "small.toml:24: key `setup.2.stock`: missing key `food`");
    assert_eq!(
        refusal("terrain = [\"desert\"]\n", ""),
        "small.toml:39: key `tile[0]`: missing key `terrain`"
    );
    assert_eq!(
        refusal(", amount = 4", ""),
        "small.toml:49: key `tile[1].effect`: missing key `amount`"
    );
    assert_eq!(
        refusal("[setup.2]", "[setup.3]"),
        "small.toml:20: key `setup`: expected a table [setup.2], as `players` says"
    );
}

#[test]
fn unknown_names_are_refused() {
    assert_eq!(
        refusal("3 = \"wood\"", "3 = \"gold\""),
        "small.toml:35: key `board[0].production.3`: expected one of `wood`, `clay`, `stone`; \
            found `gold`"
    );
    assert_eq!(
        refusal("resource = \"wood\"", "resource = \"food\""),
        "small.toml:49: key `tile[1].effect`: expected one of `wood`, `clay`, `stone`; found `food`"
    );
    assert_eq!(
        refusal("[\"desert\"]", "[\"swamp\"]"),
        "small.toml:41: key `tile[0].terrain[0]`: expected one of `desert`, `badlands`, `forest`, \
            `meadow`, `mountain`; found `swamp`"
    );
    assert_eq!(
        refusal("kind = \"take\"", "kind = \"give\""),
        "small.toml:49: key `tile[1].effect.kind`: expected one of `points_per_terrain`, \
            `points_per_production`, `income`, `take`, `swap`, `points_per_pioneer`, \
            `points_per_token`; found `give`"
    );
    assert_eq!(
        refusal("id = \"hut\"", "id = \"a hut\""),
        "small.toml:51: key `building[0].id`: expected a name of letters, digits and underscores, \
            found \"a hut\""
    );
}

#[test]
fn wrong_types_are_refused() {
    assert_eq!(
        refusal("trade_in = 3", "trade_in = \"3\""),
        "small.toml:8: key `rules.trade_in`: expected an integer from 1 to 7, found \"3\""
    );
    assert_eq!(
        refusal("max_rounds = 60", "max_rounds = 60.5"),
        "small.toml:14: key `rules.max_rounds`: expected an integer from 1 to 255, found 60.5"
    );
    assert_eq!(
        refusal("terrain = [\"desert\"]", "terrain = \"desert\""),
        "small.toml:41: key `tile[0].terrain`: expected a list, found \"desert\""
    );
    assert_eq!(
        refusal("cost = { wood = 2 }", "cost = 2"),
        "small.toml:52: key `building[0].cost`: expected a table, found 2"
    );
    assert_eq!(
        refusal("[4, 12]", "[\"x\"]"),
        "small.toml:32: key `river.framed`: expected a spot from 1 to 12, found x"
    );
    assert_eq!(
        refusal("trade_in = 3", "trade_in ="),
        "small.toml:8: string values must be quoted, expected literal string"
    );
}

/// The message lists the accepted names for any other value.
#[test]
fn values_other_than_names_are_refused() {
    let terrains = "expected one of `desert`, `badlands`, `forest`, `meadow`, `mountain`";
    assert_eq!(
        refusal("[\"desert\"]", "[true]"),
        format!("small.toml:41: key `tile[0].terrain[0]`: {terrains}; found true")
    );
    assert_eq!(
        refusal("[\"desert\"]", "[{ a = 1 }]"),
        format!("small.toml:41: key `tile[0].terrain[0].a`: {terrains}; found `a`")
    );
    for (effect, found) in [
        ("{ amount = 4 }", "missing key `kind`"),
        ("[{ kind = \"swap\" }]", "one of"),
        ("{ kind = {} }", "one of"),
        ("4", "a table"),
    ] {
        let message = refusal("{ kind = \"take\", resource = \"wood\", amount = 4 }", effect);
        assert!(
            message.starts_with("small.toml:49: key `tile[1].effect") && message.contains(found),
            "{message}"
        );
        for word in ["variant", "enum", "identifier", "struct", "map"] {
            assert!(!message.contains(word), "{message}");
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    assert_eq!(
        refusal("cost = { wood = 2 }", "cost = { wood = -1 }"),
        "small.toml:52: key `building[0].cost.wood`: expected an integer from 0 to 6, found -1"
    );
    assert_eq!(
        refusal("cost = { wood = 2 }", "cost = { wood = 7 }"),
        "small.toml:52: key `building[0].cost.wood`: expected an integer from 0 to 6, found 7"
    );
    assert_eq!(
        refusal("copies = 20", "copies = 0"),
        "small.toml:42: key `tile[0].copies`: expected an integer from 1 to 128, found 0"
    );
    assert_eq!(
        refusal("trade_in = 3", "trade_in = 8"),
        "small.toml:8: key `rules.trade_in`: expected an integer from 1 to 7, found 8"
    );
    assert_eq!(
        refusal("clay = 7", "clay = 32"),
        "small.toml:24: key `setup.2.stock.clay`: expected an integer from 0 to 31, found 32"
    );
    assert_eq!(
        refusal("5 = 1", "13 = 1"),
        "small.toml:36: key `board[0].storage.13`: expected a spot from 1 to 12, found 13"
    );
    assert_eq!(
        refusal("amount = 4", "amount = 32"),
        "small.toml:49: key `tile[1].effect`: expected an integer from 0 to 31, found 32"
    );
    assert_eq!(
        refusal("[4, 12]", "[4, 0]"),
        "small.toml:32: key `river.framed`: expected a spot from 1 to 12, found 0"
    );
    assert_eq!(
        refusal("[3,4]]", "[4,3]]"),
        "small.toml:31: key `river.path[11][0]`: expected an integer from 1 to 3, found 4"
    );
    assert_eq!(
        refusal("min = 2, max = 2", "min = 1, max = 2"),
        "small.toml:3: key `players.min`: expected an integer from 2 to 4, found 1"
    );
}

#[test]
fn too_many_components_are_refused() {
    assert_eq!(
        refusal("copies = 20", "copies = 200"),
        "small.toml:42: key `tile[0].copies`: expected an integer from 1 to 128, found 200"
    );
    assert_eq!(
        refusal("copies = 20", "copies = 127"),
        "small.toml:39: key `tile`: expected at most 128 tiles, all copies together, found 129"
    );
    let kinds = |number: usize| -> String {
        (2..number)
            .map(|kind| {
                format!("[[tile]]\nid = \"kind{kind}\"\nterrain = [\"desert\"]\ncopies = 1\n")
            })
            .collect::<Vec<_>>()
            .concat()
    };
    assert_eq!(
        refusal_of(&format!("{VALID}{}", kinds(32))),
        "small.toml:39: key `tile`: expected 1 to 31 entries, found 32"
    );
    let cards =
        (1..65).map(|card| format!("[[building]]\nid = \"hut{card}\"\ncost = {{}}\npoints = 0\n"));
    assert_eq!(
        refusal_of(&format!("{VALID}{}", cards.collect::<Vec<_>>().concat())),
        "small.toml:50: key `building`: expected 0 to 64 entries, found 65"
    );
    assert_eq!(
        refusal("[[board]]\nid = \"right\"\n", ""),
        "small.toml:33: key `board`: expected 2 to 8 entries, found 1"
    );
}

#[test]
fn too_many_symbols_for_one_board_are_refused() {
    assert_eq!(
        refusal("production = { wood = 2 }", "production = { wood = 16 }"),
        "small.toml:39: key `tile`: expected at most 31 wood production symbols that one board \
            could show, found up to 33"
    );
    assert_eq!(
        refusal("storage = 2", "storage = 6"),
        "small.toml:39: key `tile`: expected at most 63 storage symbols that one board could show, \
            found up to 73"
    );
    assert_eq!(
        refusal("copies = 20\nstorage = 2", "copies = 20\nproduction = { stone = 3 }"),
        "small.toml:39: key `tile`: expected at most 31 stone production symbols that one board \
            could show, found up to 36"
    );
}

#[test]
fn repeated_names_are_refused() {
    assert_eq!(
        refusal("id = \"right\"", "id = \"left\""),
        "small.toml:38: key `board[1].id`: expected a unique name, found \"left\" twice"
    );
    assert_eq!(
        refusal("id = \"rich\"", "id = \"plain\""),
        "small.toml:45: key `tile[1].id`: expected a unique name, found \"plain\" twice"
    );
    assert_eq!(
        refusal_of(&format!("{VALID}[[building]]\nid = \"hut\"\ncost = {{}}\npoints = 0\n")),
        "small.toml:55: key `building[1].id`: expected a unique name, found \"hut\" twice"
    );
    assert_eq!(
        refusal("trade_in = 3", "trade_in = 3\ntrade_in = 3"),
        "small.toml:9: key `trade_in`: expected each key once, found it again"
    );
}

#[test]
fn values_that_contradict_the_rules_are_refused() {
    assert_eq!(
        refusal("[3,3],[3,4]", "[3,3],[3,3]"),
        "small.toml:31: key `river.path`: expected each of the 12 places of 3 rows and 4 columns \
            once"
    );
    assert_eq!(
        refusal(",[3,4]]", "]"),
        "small.toml:31: key `river.path`: expected each of the 12 places of 3 rows and 4 columns \
            once"
    );
    assert_eq!(
        refusal("[4, 12]", "[4, 4]"),
        "small.toml:32: key `river.framed`: expected each spot at most once"
    );
    assert_eq!(
        refusal("[6, 5, 5, 0]", "[6, 5, 5, 7]"),
        "small.toml:29: key `setup.2.bonus_tokens`: expected descending values"
    );
    assert_eq!(
        refusal("[6, 5, 5, 0]", "[99, 99, 99, 0]"),
        "small.toml:29: key `setup.2.bonus_tokens`: expected at most 127 points that one seat \
            could take, found 297"
    );
    assert_eq!(
        refusal("draft_tiles = 3", "draft_tiles = 4"),
        "small.toml:21: key `setup.2.draft_tiles`: expected 2 or 3, found 4"
    );
    assert_eq!(
        refusal("[\"meadow\", \"forest\"]", "[\"meadow\", \"meadow\"]"),
        "small.toml:46: key `tile[1].terrain`: expected one terrain, or two that differ"
    );
    assert_eq!(
        refusal("terrain = [\"desert\"]", "terrain = []"),
        "small.toml:41: key `tile[0].terrain`: expected one terrain, or two that differ"
    );
    assert_eq!(
        refusal("min = 2, max = 2", "min = 3, max = 2"),
        "small.toml:3: key `players.min`: expected no more than `players.max`"
    );
    assert_eq!(
        refusal("[rules]", "[setup.5]\n[rules]"),
        "small.toml:4: key `setup.5`: missing key `draft_tiles`"
    );
    let setup = &VALID[VALID.find("draft_tiles").unwrap()..VALID.find("[river]").unwrap()];
    assert_eq!(
        refusal_of(&format!("{VALID}[setup.5]\n{setup}")),
        "small.toml:54: key `setup.5`: expected a number of players from 2 to 4"
    );
}

#[test]
fn an_unsupported_number_of_players_is_refused() {
    let document = Document { name: "small.toml".to_owned(), text: VALID.to_owned() };
    assert_eq!(
        TheRiver::bind(&document, 3).unwrap_err().to_string(),
        "small.toml:3: key `players`: the file is for 2 to 2 players, not for 3"
    );
}
