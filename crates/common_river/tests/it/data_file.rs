//! Data files of We All Take from the River that are refused.

use watershed_common_river::CommonRiver;
use watershed_engine::{config::Document, games::GameDefinition};

use crate::{
    FILES,
    rules::data_variant::check_refusals,
    variants::{altered, one_row, weather},
};

fn refusal(document: &Document) -> String {
    CommonRiver::bind(document, 2).unwrap_err().to_string()
}

/// Mistakes in the built-in file, as `check_refusals` reads them.
const REFUSED: &str = r#"days = 10  => days = 12
    64: key `weather`: expected at least 13 cards, one for each day and Storm and enough for the
    almanac, found 12
die = 6  => die = 0
    13: key `rules.die`: expected an integer from 1 to 20, found 0
almanac = 3  => almanac = 9
    14: key `rules.almanac`: expected an integer from 1 to 8, found 9
{ fish = 5, tree = 5, gravel = 5 } => {}
    21: key `rules.city_cost`: expected at least one token
{ fish = 5, tree = 5, gravel = 5 } => { wood = 5 }
    21: key `rules.city_cost.wood`: expected one of `fish`, `gold`, `gravel`, `pollution`, `tree`;
    found `wood`
erosion = "single" => erosion = "twice"
    25: key `rules.erosion`: expected `single` or `loop`; found `twice`
farm = 5  => farm = 16
    32: key `pieces.farm`: expected an integer from 0 to 15, found 16
["dawn", "dusk"] => ["noon"]
    46: key `negotiation.trade_windows.0`: expected one of `dawn`, `row`, `dusk`; found `noon`
offer_max_tokens = 3 => offer_max_tokens = 0
    49: key `negotiation.offer_max_tokens`: expected an integer from 1 to 99, found 0
["competitive", "coop"] => []
    9: key `modes_for_two`: expected 1 to 2 entries, found 0
["competitive", "coop"] => ["coop", "coop"]
    9: key `modes_for_two`: expected each mode once
competitor = ["capital"] => competitor = []
    54: key `objectives.competitor`: expected at least one objective, each once
["agriculture", "capital"] => ["capital", "capital"]
    136: key `role.grocer.objectives`: expected at least one objective, each once
id = "mogul" => id = "grocer"
    138: key `role.grocer.id`: expected a unique name, found "grocer" twice
id = "overcast" => id = "sun"
    69: key `weather.sun.id`: expected a unique name, found "sun" twice
modifier = -6  => modifier = -41
    82: key `weather.drought.modifier`: expected an integer from -40 to 40, found -41
fish_slots = 3 => fish_slots = 0
    126: key `row.4.fish_slots`: expected at least 1 in the estuary
fish_slots = 3 => fish_slots = 6
    126: key `row.4.fish_slots`: expected an integer from 0 to 5, found 6
slots = ["tree", "tree"] => slots = ["tree", "tree", "tree", "tree"]
    99: key `row.0.left.slots`: expected at most 3 entries, found 4
slots = ["tree", "tree"] => slots = ["tree", "fish"]
    99: key `row.0.left.slots.1`: expected `tree` or `gravel`; found `fish`
id = "H2" => id = "H1"
    108: key `row.1.half.id`: expected a name that no other tile has, found "H1"
id = "H2" => id = "W5"
    108: key `row.1.half.id`: expected a name that no other tile has, found "W5"
adjacent = ["R1", "R2"] => adjacent = ["R1", "R6"]
    101: key `row.0.half.adjacent.1`: expected a land tile such as L1 or R1, found "R6"
net_first = "R" => net_first = "W"
    102: key `row.0.net_first`: expected `L` or `R`; found `W`
min = 1, max = 5 => min = 1, max = 6
    8: key `players.max`: expected an integer from 1 to 5, found 6"#;

#[test]
fn mistakes_are_refused() {
    let document = Document::embedded("common", FILES.data);
    check_refusals(REFUSED, &document, refusal);
    let too_few = altered("players.min = 3");
    assert!(
        refusal(&Document::embedded("common", &too_few))
            .ends_with(": key `players`: the file is for 3 to 5 players, not for 2")
    );
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
