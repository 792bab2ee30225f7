//! Altered data files of We All Take from the River that cause rare situations.

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

/// Low costs, so that seats build much.
const RICH: &str = "rules.start = { fish = 40, gold = 20, gravel = 30, tree = 30 }\n";

const NO_TRADE: &str = "negotiation.trade_windows = []\n";

/// A name of a file, and the keys that it replaces.
type Overlay = (&'static str, String);

/// No costs of structures.
const CHEAP: &str = "boat = {}\nexcavator = {}\nmill = {}\nnet = {}\nfarm = {}\ncanal = {}\n\
    levee = {}\nbridge = {}\n";

/// Returns all altered files.
pub(crate) fn all() -> Vec<DataVariant> {
    let overlays =
        [trade_and_stock(), cheap_structures(), weathers(), cities(), short_games(), maps()];
    let overlays = overlays.into_iter().flatten();
    overlays.map(|(name, overlay)| DataVariant::new(name, altered(&overlay))).collect()
}

/// Files without much trade, and with large stocks at the start.
fn trade_and_stock() -> Vec<Overlay> {
    vec![
        ("no trade", NO_TRADE.to_owned()),
        (
            "trade in rows",
            "rules.days = 2\nnegotiation = { trade_windows = [\"row\"], trade_rounds = 3, \
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
    ]
}

/// Files in which structures cost nothing.
fn cheap_structures() -> Vec<Overlay> {
    vec![
        ("cheap", format!("{NO_TRADE}rules.build_fish = 0\n[cost]\n{CHEAP}")),
        (
            "cheap and wet",
            format!(
                "{NO_TRADE}rules.build_fish = 0\n{}[cost]\n{CHEAP}",
                weather(&[("rain", 5, 10, false), ("storm", 2, 5, true)])
            ),
        ),
        (
            "cheap and few",
            format!(
                "{NO_TRADE}rules = {{ build_fish = 0, take_max = 3 }}\npieces = \
            {{ boat = 1, excavator = 2, mill = 1, net = 1, farm = 1, sticks = 3 \
            }}\n[cost]\n{CHEAP}"
            ),
        ),
    ]
}

/// Files with other weather.
fn weathers() -> Vec<Overlay> {
    vec![
        (
            "storms",
            format!("rules.days = 6\n{}", weather(&[("storm", 0, 6, true), ("sun", -3, 6, false)])),
        ),
        ("flood", format!("{RICH}{NO_TRADE}{}", weather(&[("flood", 12, 11, false)]))),
        (
            "large numbers",
            format!(
                "rules = {{ days = 11, almanac = 5, agriculture_fish = 40, city_cost = {{ fish = \
                25 }} }}\npieces.boat = 12\nobjectives.competitor = [\"charity\"]\n{}",
                weather(&[("flood", 30, 14, false), ("drought", -20, 2, true)])
            ),
        ),
        ("drought", weather(&[("drought", -9, 10, false), ("storm", -2, 2, true)])),
    ]
}

/// Files in which the City is cheap, and gold.
fn cities() -> Vec<Overlay> {
    vec![
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
    ]
}

/// Files with few days or easy objectives.
fn short_games() -> Vec<Overlay> {
    vec![
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
    ]
}

/// Files with other maps.
fn maps() -> Vec<Overlay> {
    vec![
        ("small map", format!("{RICH}players.max = 3\n{NO_TRADE}{}", small_map())),
        ("one row", format!("players.max = 2\n{NO_TRADE}{}", one_row())),
        ("boats and excavators", boats_and_excavators()),
        ("large map", format!("{RICH}{NO_TRADE}{}", large_map())),
    ]
}

/// Returns weather cards: name, modifier, count, and true for a Storm.
pub(crate) fn weather(cards: &[(&str, i32, u32, bool)]) -> String {
    let rows = cards.iter().map(|(id, modifier, count, storm)| {
        format!("{{ id = \"{id}\", modifier = {modifier}, count = {count}, storm = {storm} }}")
    });
    format!("weather = [{}]\n", rows.collect::<Vec<_>>().join(", "))
}

/// 2 rows with few slots, few camps, and half tiles whose names sort first and last.
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

pub(crate) fn one_row() -> String {
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

/// One row in which boats have fish to harvest and slots to plant it in, and ferry excavators.
fn boats_and_excavators() -> String {
    format!(
        "{RICH}rules.build_fish = 0\nplayers.max = 2\npieces = {{ excavator = 2, mill = 0, net = \
        0, farm = 0, sticks = 2 }}\nnegotiation = {{ trade_windows = [], proposals_per_day = 0 \
        }}\n{}[cost]\n{CHEAP}",
        one_row().replace("fish_slots = 1", "fish_slots = 5")
    )
}

/// The maximum number of slots that the packed position holds.
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
