//! Altered data files of We All Take from the River that bring rare situations about, and files
//! that are refused.

use toml::{Table, Value};
use watershed::{config::Document, games::common_river::CommonRiver};

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
    let mut file: Table = CommonRiver::default_document().text.parse().unwrap();
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

pub(crate) fn default_data() -> Variant {
    Variant { name: "default", file: CommonRiver::default_document().text }
}

/// Everything is affordable, so that much gets built.
const RICH: &str = "rules.start = { fish = 40, gold = 20, gravel = 30, tree = 30 }\n";

const NO_TRADE: &str = "negotiation.trade_windows = []\n";

/// All altered files.
pub(crate) fn all() -> Vec<Variant> {
    let cheap = "boat = {}\nexcavator = {}\nmill = {}\nnet = {}\nfarm = {}\ncanal = {}\nlevee = \
        {}\nbridge = {}\n";
    let overlays = [
        ("no trade", NO_TRADE.to_owned()),
        (
            "trade in rows",
            "negotiation = { trade_windows = [\"row\"], trade_rounds = 3, \
            offers_per_round = 2, offer_max_tokens = 1 }"
                .to_owned(),
        ),
        ("rich", format!("{RICH}{NO_TRADE}")),
        (
            "rich, many policies",
            format!(
                "{RICH}{NO_TRADE}negotiation.proposals_per_day = \
            9\nrules.proposal_gold = 0\n"
            ),
        ),
        (
            "rich, loop",
            format!(
                "{RICH}{NO_TRADE}rules.erosion = \"loop\"\n{}",
                weather(&[("torrent", 8, 10, false), ("storm", 3, 4, true)])
            ),
        ),
        ("cheap", format!("{NO_TRADE}rules.build_fish = 0\n[cost]\n{cheap}")),
        (
            "cheap and wet",
            format!(
                "{NO_TRADE}rules.build_fish = 0\n{}[cost]\n{cheap}",
                weather(&[("rain", 5, 10, false), ("storm", 2, 5, true)])
            ),
        ),
        (
            "cheap and few",
            format!(
                "{NO_TRADE}rules = {{ build_fish = 0, take_max = 3 }}\npieces = \
            {{ boat = 1, excavator = 2, mill = 1, net = 1, farm = 1, sticks = 3 \
            }}\n[cost]\n{cheap}"
            ),
        ),
        (
            "storms",
            format!("rules.days = 6\n{}", weather(&[("storm", 0, 6, true), ("sun", -3, 6, false)])),
        ),
        ("flood", format!("{RICH}{NO_TRADE}{}", weather(&[("flood", 12, 11, false)]))),
        ("drought", weather(&[("drought", -9, 10, false), ("storm", -2, 2, true)])),
        (
            "cheap City",
            "rules = { city_cost = { gravel = 1, gold = 1 }, city_pollution = 3, \
            tokens_per_gold = 1, days = 8 }"
                .to_owned(),
        ),
        (
            "cheap City, wet",
            format!(
                "rules = {{ city_cost = {{ tree = 1 }}, tokens_per_gold = 1 \
            }}\n{}",
                weather(&[("rain", 4, 12, false)])
            ),
        ),
        (
            "cheap City, dry",
            format!(
                "{RICH}{NO_TRADE}rules.city_cost = {{ fish = 0, gravel = 0, \
            tree = 1 }}\nrules.city_pollutes_dry = true\n{}",
                weather(&[("drought", -9, 12, false)])
            ),
        ),
        (
            "cheap City, filthy",
            "rules = { city_cost = { tree = 1 }, tokens_per_gold = 1, \
            city_pollution = 9, city_flood_pollution = 9 }"
                .to_owned(),
        ),
        (
            "gold by three",
            "rules = { tokens_per_gold = 3, start = { fish = 5, tree = 4, gravel = \
            3, pollution = 6 } }"
                .to_owned(),
        ),
        (
            "easy coop",
            "rules.days = 2\nmodes_for_two = [\"coop\"]\nobjectives.settler = \
            [\"conservation\"]"
                .to_owned(),
        ),
        (
            "easy",
            "rules = { days = 1, agriculture_fish = 1 }\nmodes_for_two = \
            [\"coop\"]\nobjectives = { settler = [\"conservation\", \"agriculture\", \"charity\", \
            \"capital\"], competitor = [\"agriculture\"] }"
                .to_owned(),
        ),
        (
            "two days",
            "rules = { days = 2, almanac = 8 }\nmodes_for_two = [\"competitive\"]".to_owned(),
        ),
        ("small map", format!("{RICH}players.max = 3\n{NO_TRADE}{}", small_map())),
        ("one row", format!("players.max = 2\n{NO_TRADE}{}", one_row())),
        ("large map", format!("{RICH}{NO_TRADE}{}", large_map())),
    ];
    overlays.map(|(name, overlay)| Variant { name, file: altered(&overlay) }).into()
}

/// Weather cards: name, modifier, count, and whether it is a Storm.
fn weather(cards: &[(&str, i32, u32, bool)]) -> String {
    let rows = cards.iter().map(|(id, modifier, count, storm)| {
        format!("{{ id = \"{id}\", modifier = {modifier}, count = {count}, storm = {storm} }}")
    });
    format!("weather = [{}]\n", rows.collect::<Vec<_>>().join(", "))
}

/// Two rows with few slots, few camps, and half tiles whose names sort first and last.
fn small_map() -> String {
    "[[row]]
    dot_above = true
    fish_slots = 0
    left = { elevation = 2, slots = [], camp = true }
    right = { elevation = 2, slots = [\"gravel\"], camp = false }
    half = { id = \"A\", slot = \"gravel\", adjacent = [\"L1\", \"R2\"] }
    net_first = \"R\"
    [[row]]
    dot_above = true
    fish_slots = 2
    left = { elevation = -1, slots = [\"tree\", \"gravel\", \"tree\"], camp = true }
    right = { elevation = 1, slots = [\"gravel\", \"tree\"], camp = true }
    half = { id = \"zone\", slot = \"tree\", adjacent = [] }
    net_first = \"L\"
    "
    .to_owned()
}

fn one_row() -> String {
    "[[row]]
    dot_above = true
    fish_slots = 1
    left = { elevation = 2, slots = [\"tree\"], camp = true }
    right = { elevation = 3, slots = [\"gravel\"], camp = true }
    half = { id = \"H\", slot = \"tree\", adjacent = [\"L1\"] }
    net_first = \"R\"
    "
    .to_owned()
}

/// As many slots as the packed position holds.
fn large_map() -> String {
    let row = |number: i32| {
        format!(
            "[[row]]
            dot_above = true
            fish_slots = 5
            left = {{ elevation = {}, slots = [\"tree\", \"gravel\", \"tree\"], camp = true }}
            right = {{ elevation = {}, slots = [\"gravel\", \"gravel\", \"tree\"], camp = true }}
            half = {{ id = \"M{number}\", slot = \"gravel\", adjacent = [\"L1\", \"R{number}\", \
\"L5\"] }}
            net_first = \"L\"
            ",
            5 - number,
            number
        )
    };
    (1..=5).map(row).collect()
}

/// The data file that is part of the program with one piece of its text replaced.
fn replaced(from: &str, to: &str) -> Document {
    let text = CommonRiver::default_document().text;
    assert!(text.contains(from), "{from}");
    Document::embedded("common", &text.replacen(from, to, 1))
}

fn refusal(document: &Document) -> String {
    CommonRiver::new(document, 2).unwrap_err().to_string()
}

#[test]
fn files_with_mistakes_are_refused_in_one_line() {
    let refused = [
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
        (
            "farm = 5 ",
            "farm = 16 ",
            "key `pieces.farm`: expected an integer from 0 to 15, found 16",
        ),
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
        (
            "[\"competitive\", \"coop\"]",
            "[]",
            "key `modes_for_two`: expected 1 to 2 entries, found 0",
        ),
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
    for (from, to, expected) in refused {
        let message = refusal(&replaced(from, to));
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
