//! The examples of the rulebooks of The River, and the consequences of actions in words.

mod positions;

use watershed_engine::{
    config::Document,
    game::{Game, Notation, Seat},
    games::GameDefinition,
};
use watershed_the_river::{TheRiver, components::Resource, state::State};

use super::variants::altered;
use crate::rules::{apply_all, summary, turn_of};

/// Simple components: every board has 3 warehouses until spot 5 is covered.
const COMPONENTS: &str = r#"
rules.claim_tile_per_player = 2
rules.reserve_hand_limit = 2
rules.reserve_discount = 1
rules.trade_in = 3
rules.per_resources = 3
rules.max_rounds = 9
spots = { build = 0, food = 0, swap = 0, first_player = 1 }
board = [
    { id = "a", storage = { 5 = 1, 8 = 1, 11 = 1 } },
    { id = "b", storage = { 5 = 1, 8 = 1, 11 = 1 } },
    { id = "c", storage = { 5 = 1, 8 = 1, 11 = 1 } },
    { id = "d", storage = { 5 = 1, 8 = 1, 11 = 1 } },
]
tile = [
    { id = "desert", terrain = ["desert"], copies = 12, storage = 2 },
    { id = "clay2", terrain = ["badlands"], copies = 6, production = { clay = 2 } },
    { id = "clay_store", terrain = ["badlands"], copies = 4, production = { clay = 1 },
      storage = 1 },
    { id = "forest", terrain = ["forest"], copies = 6 },
    { id = "mountain", terrain = ["mountain"], copies = 6 },
    { id = "mixed", terrain = ["forest", "mountain"], copies = 2 },
    { id = "per_clay", terrain = ["meadow"], copies = 1, production = { clay = 1 },
      effect = { kind = "points_per_production", resource = "clay", points = 1, cap = 3 } },
    { id = "income", terrain = ["meadow"], copies = 2,
      effect = { kind = "income", resource = "wood", amount = 1, points = 2 } },
    { id = "take", terrain = ["meadow"], copies = 1,
      effect = { kind = "take", resource = "wood", amount = 4 } },
    { id = "swap", terrain = ["meadow"], copies = 2, effect = { kind = "swap", times = 2 } },
    { id = "plain", terrain = ["meadow"], copies = 4 },
]
building = [
    { id = "w2", cost = { wood = 2 }, points = 9 },
    { id = "w1c1", cost = { wood = 1, clay = 1 }, points = 8 },
    { id = "s1", cost = { stone = 1 }, points = 6 },
    { id = "s6", cost = { stone = 6 }, points = 1 },
]
[setup.each]
face_up_tiles = 3
face_up_buildings = 2
stock = { wood = 13, clay = 13, stone = 13, food = 5 }
first_pioneer_bonus = 1
production_spots = 2
reserve_spots = 2
bonus_spots = 5
bonus_tokens = [4, 3, 0, 0]
[river]
path = [[1,1],[1,2],[1,3],[1,4],[2,4],[2,3],[2,2],[2,1],[3,1],[3,2],[3,3],[3,4]]
framed = [4, 12]
"#;

fn bind(players: usize) -> TheRiver {
    TheRiver::bind(&Document::embedded("examples", &altered(COMPONENTS)), players).unwrap()
}

/// The words of a position: the shared ones, then those of each seat.
struct Parts(Vec<Vec<(String, String)>>);

impl Parts {
    fn value(&self, part: usize, key: &str) -> &str {
        &self.0[part].iter().find(|(other, _)| other == key).unwrap().1
    }

    /// Sets a word; `?` is a value to be completed.
    fn set(&mut self, part: usize, key: &str, value: String) {
        self.0[part].iter_mut().find(|(other, _)| other == key).unwrap().1 = value;
    }

    fn complete(&mut self, part: usize, key: &str, value: String) {
        if self.value(part, key) == "?" {
            self.set(part, key, value);
        }
    }

    fn number(&self, part: usize, key: &str) -> u32 {
        self.value(part, key).parse().unwrap()
    }

    fn entries(&self, part: usize, key: &str) -> Vec<String> {
        let value = self.value(part, key);
        if ["-", "?"].contains(&value) {
            Vec::new()
        } else {
            value.split(',').map(str::to_owned).collect()
        }
    }

    /// Completes a position: the pioneers that the tiles of a seat leave, minus those of the
    /// decision under way, and full rows.
    fn complete_all(&mut self, game: &TheRiver) {
        let phase = self.value(0, "phase").to_owned();
        let is_over = phase == "over";
        let is_cleanup = ["tiles", "buildings"].contains(&phase.as_str());
        let framed_spots = |tiles: u32| {
            game.data().river.framed.iter().filter(|spot| spot.index() < tiles as usize).count()
                as u32
        };
        let start = game.data().rules.start_pioneers.get();
        let mut claims = 0;
        for part in 1..self.0.len() {
            let tiles = self.entries(part, "spots").len() as u32;
            let own_claims = self.number(part, "claims");
            claims += own_claims as usize;
            let framed = framed_spots(tiles) - framed_spots(tiles.saturating_sub(own_claims));
            let extra = u32::from(self.number(part, "tokens") >= 2);
            let pioneers = (start + extra + framed).saturating_sub(framed_spots(tiles));
            let acting = part == 1 && !["place", "over"].contains(&phase.as_str());
            let spent = if is_over {
                0
            } else if is_cleanup {
                pioneers
            } else {
                own_claims.max(acting.into())
            };
            self.complete(part, "framed", framed.to_string());
            self.complete(part, "pioneers", pioneers.to_string());
            self.complete(part, "boat", pioneers.saturating_sub(spent).to_string());
        }
        if phase == "tiles" {
            self.complete(0, "tiles", "-".to_owned());
        } else {
            let mut tiles = self.entries(0, "tiles");
            tiles.resize(tiles.len().max(3_usize.saturating_sub(claims)), "mountain".to_owned());
            self.set(0, "tiles", list(&tiles));
        }
        let mut buildings = self.entries(0, "buildings");
        let taken: Vec<_> = (1..self.0.len())
            .flat_map(|part| ["built", "reserved"].map(|key| self.entries(part, key)))
            .flatten()
            .collect();
        for other in ["s6", "s1", "w1c1", "w2"].map(str::to_owned) {
            if buildings.len() < 2 && !buildings.contains(&other) && !taken.contains(&other) {
                buildings.push(other);
            }
        }
        self.set(0, "buildings", list(&buildings));
    }
}

fn list(entries: &[String]) -> String {
    if entries.is_empty() { "-".to_owned() } else { entries.join(",") }
}

/// Returns a position of round 6 in which seat 0 decides, with these words replaced; `2.held:w1` is
/// a word of seat 2.
fn position_text(game: &TheRiver, changes: &[&str]) -> String {
    let shared = "phase:place round:6 turn:0 pawn:0 end:0 cursor:0 returning:wood places:- tiles:? \
        discarded:- removed:mountain buildings:?";
    let seat = "spots:plain held:- tokens:0 token_points:0 boat:? pioneers:? claims:0 framed:? \
        built:- reserved:-";
    let words = |text: &str| {
        text.split(' ')
            .map(|word| word.split_once(':').unwrap())
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    let mut parts = Parts(vec![words(shared)]);
    parts.0.extend(
        (0..game.seats()).map(|index| {
            words(&format!("seat:{index} board:{} {seat}", ["a", "b", "c", "d"][index]))
        }),
    );
    for change in changes {
        let (part, change) = match change.split_once('.') {
            Some((seat, change)) => (1 + seat.parse::<usize>().unwrap(), change),
            None => (0, *change),
        };
        let (key, value) = change.split_once(':').unwrap();
        parts.set(part, key, value.to_owned());
    }
    parts.complete_all(game);
    let words = parts.0.iter().flatten().map(|(key, value)| format!(" {key}:{value}"));
    format!("the_river/{}{}", game.seats(), words.collect::<String>())
}

fn position(game: &TheRiver, changes: &[&str]) -> State {
    game.parse_position(&position_text(game, changes)).unwrap()
}

/// Returns the wood, clay, stone and food of a seat.
fn resources_of(state: &State, seat: usize) -> [u32; 4] {
    Resource::ALL.map(|resource| state.bag(Seat::new(seat)).get(resource))
}

// §9: the rulebooks' examples.

#[test]
fn the_scoring_example_totals_45_with_both_readings_of_its_picture() {
    let game = bind(2);
    let rest = ["phase:over", "round:9", "0.tokens:3", "0.token_points:7", "0.built:w2,w1c1,s1"];
    let third_column =
        "0.spots:desert,income,clay2,forest,mixed,clay_store,desert,desert,desert,per_clay";
    let state = position(&game, &[&rest[..], &[third_column]].concat());
    let expected = [
        ("tokens", 7),
        ("buildings", 23),
        ("resources", 0),
        ("columns", 6 + 2 + 2),
        ("meadows", 2 + 3),
    ];
    assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
    assert_eq!(game.outcome(&state).scores[0], 45);

    let six_resources = [
        "0.spots:desert,income,clay2,forest,take,clay_store,desert,desert,desert,per_clay",
        "0.held:w3f3",
    ];
    let state = position(&game, &[&rest[..], &six_resources].concat());
    let expected = [
        ("tokens", 7),
        ("buildings", 23),
        ("resources", 2),
        ("columns", 6 + 2),
        ("meadows", 2 + 3),
    ];
    assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
    assert_eq!(game.outcome(&state).scores[0], 45);
}

#[test]
fn the_first_pioneer_on_an_island_with_three_symbols_produces_four() {
    let game = bind(4);
    let three_symbols = ["0.spots:clay2,clay_store"];
    let mut state = position(&game, &three_symbols);
    apply_all(&game, &mut state, &["produce:clay"]);
    assert_eq!((resources_of(&state, 0), game.turn(&state)), ([0, 4, 0, 0], turn_of(1)));

    let one_stone = [three_symbols[0], "0.held:s1"];
    for (returned, kept) in [("discard:clay", [0, 3, 1, 0]), ("discard:stone", [0, 4, 0, 0])] {
        let mut state = position(&game, &one_stone);
        apply_all(&game, &mut state, &["produce:clay", returned]);
        assert_eq!((resources_of(&state, 0), game.turn(&state)), (kept, turn_of(1)));
    }
}

// Consequences in words.

#[test]
fn consequences_name_points_and_what_others_lose() {
    let game = bind(2);
    let state = position(&game, &["buildings:w2,s1", "0.held:w2", "1.held:w2"]);
    assert_eq!(
        summary(&game, &state, "build:w2"),
        "it scores 9 points for the building and 4 for its token and takes a building that \
            player 2 can pay for"
    );
    assert_eq!(
        summary(&game, &state, "reserve:w2"),
        "it takes a building that player 2 can pay for and secures a building of 9 points, for \
            which all resources are there"
    );
    assert_eq!(
        summary(&game, &state, "food"),
        "it completes the resources for the 6-point building (1 stone) and brings a food, which \
            replaces any resource"
    );
    let state = position(&game, &["buildings:w2,s1", "0.spots:clay2", "0.held:f1"]);
    assert_eq!(
        summary(&game, &state, "produce:clay"),
        "it brings 3 clay at once, but overfills the warehouses by 1 resource"
    );
    assert_eq!(summary(&game, &state, "first"), "it keeps the first turn of the next round");
    let state = position(&game, &["0.spots:plain,plain,plain,mountain"]);
    assert_eq!(
        summary(&game, &state, "claim:mountain"),
        "it scores 2 points for columns, but costs 1 warehouse"
    );
}
