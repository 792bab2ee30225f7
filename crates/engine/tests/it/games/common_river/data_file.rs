//! Data files of We All Take from the River that are refused.

use watershed::BuiltInGame as _;
use watershed::{
    config::Document,
    games::{GameDefinition, common_river::CommonRiver},
};

use super::variants::{altered, one_row, weather};
use crate::games::data_variant::with_replacement;

fn refusal(document: &Document) -> String {
    CommonRiver::bind(document, 2).unwrap_err().to_string()
}

/// Texts of the data file, what replaces them, and the end of the message.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "days = 10 ",
        "days = 12 ",
        "key `weather`: expected at least 13 cards, one for each day and Storm and enough for \
            the almanac, found 12",
    ),
    ("die = 6 ", "die = 0 ", "key `rules.die`: expected an integer from 1 to 20, found 0"),
    (
        "almanac = 3 ",
        "almanac = 9 ",
        "key `rules.almanac`: expected an integer from 1 to 8, found 9",
    ),
    (
        "{ fish = 5, tree = 5, gravel = 5 }",
        "{}",
        "key `rules.city_cost`: expected at least one token",
    ),
    (
        "{ fish = 5, tree = 5, gravel = 5 }",
        "{ wood = 5 }",
        "key `rules.city_cost.wood`: expected one of `fish`, `gold`, `gravel`, `pollution`, \
            `tree`; found `wood`",
    ),
    (
        "erosion = \"single\"",
        "erosion = \"twice\"",
        "key `rules.erosion`: expected `single` or `loop`; found `twice`",
    ),
    ("farm = 5 ", "farm = 16 ", "key `pieces.farm`: expected an integer from 0 to 15, found 16"),
    (
        "[\"dawn\", \"dusk\"]",
        "[\"noon\"]",
        "key `negotiation.trade_windows[0]`: expected one of `dawn`, `row`, `dusk`; found \
            `noon`",
    ),
    (
        "offer_max_tokens = 3",
        "offer_max_tokens = 0",
        "key `negotiation.offer_max_tokens`: expected an integer from 1 to 99, found 0",
    ),
    ("[\"competitive\", \"coop\"]", "[]", "key `modes_for_two`: expected 1 to 2 entries, found 0"),
    (
        "[\"competitive\", \"coop\"]",
        "[\"coop\", \"coop\"]",
        "key `modes_for_two`: expected each mode once",
    ),
    (
        "competitor = [\"capital\"]",
        "competitor = []",
        "key `objectives.competitor`: expected at least one objective, each once",
    ),
    (
        "[\"agriculture\", \"capital\"]",
        "[\"capital\", \"capital\"]",
        "key `role[0].objectives`: expected at least one objective, each once",
    ),
    (
        "id = \"mogul\"",
        "id = \"grocer\"",
        "key `role[1].id`: expected a unique name, found \"grocer\" twice",
    ),
    (
        "id = \"overcast\"",
        "id = \"sun\"",
        "key `weather[1].id`: expected a unique name, found \"sun\" twice",
    ),
    (
        "modifier = -6 ",
        "modifier = -41 ",
        "key `weather[4].modifier`: expected an integer from -40 to 40, found -41",
    ),
    (
        "fish_slots = 3",
        "fish_slots = 0",
        "key `row[4].fish_slots`: expected at least 1 in the estuary",
    ),
    (
        "fish_slots = 3",
        "fish_slots = 6",
        "key `row[4].fish_slots`: expected an integer from 0 to 5, found 6",
    ),
    (
        "slots = [\"tree\", \"tree\"]",
        "slots = [\"tree\", \"tree\", \"tree\", \"tree\"]",
        "key `row[0].left.slots`: expected at most 3 entries, found 4",
    ),
    (
        "slots = [\"tree\", \"tree\"]",
        "slots = [\"tree\", \"fish\"]",
        "key `row[0].left.slots[1]`: expected `tree` or `gravel`; found `fish`",
    ),
    (
        "id = \"H2\"",
        "id = \"H1\"",
        "key `row[1].half.id`: expected a name that no other tile has, found \"H1\"",
    ),
    (
        "id = \"H2\"",
        "id = \"W5\"",
        "key `row[1].half.id`: expected a name that no other tile has, found \"W5\"",
    ),
    (
        "adjacent = [\"R1\", \"R2\"]",
        "adjacent = [\"R1\", \"R6\"]",
        "key `row[0].half.adjacent[1]`: expected a land tile such as L1 or R1, found \"R6\"",
    ),
    (
        "net_first = \"R\"",
        "net_first = \"W\"",
        "key `row[0].net_first`: expected `L` or `R`; found `W`",
    ),
    (
        "min = 1, max = 5",
        "min = 3, max = 5",
        "key `players`: the file is for 3 to 5 players, not for 2",
    ),
    (
        "min = 1, max = 5",
        "min = 1, max = 6",
        "key `players.max`: expected an integer from 1 to 5, found 6",
    ),
];

#[test]
fn invalid_values_are_refused_on_one_line() {
    for &(from, to, expected) in REFUSED {
        let message =
            refusal(&with_replacement(&CommonRiver::default_document(), "common", from, to));
        assert!(
            message.starts_with("<common>:") && message.ends_with(&format!(": {expected}")),
            "{message}\n{expected}"
        );
    }
}

#[test]
fn files_with_too_much_for_the_packed_position_are_refused() {
    let cards: Vec<(String, u32)> = (0..15).map(|index| (format!("w{index}"), 15)).collect();
    let cards: Vec<(&str, i32, u32, bool)> =
        cards.iter().map(|(id, count)| (id.as_str(), 40, *count, false)).collect();
    let refused = [
        (
            format!("rules = {{ days = 225, die = 20 }}\npieces.farm = 15\n{}", weather(&cards)),
            "rules",
        ),
        ("players.max = 5\nrole = []".to_owned(), "role"),
        (one_row(), "row"),
    ];
    for (overlay, key) in refused {
        let message = refusal(&Document::embedded("common", &altered(&overlay)));
        assert!(
            message.starts_with("<common>:")
                && message.contains(&format!(": key `{key}`: expected ")),
            "{message}"
        );
    }
}
