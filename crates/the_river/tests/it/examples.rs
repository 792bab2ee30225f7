//! The examples of the rulebooks of The River, and the consequences of actions in words.

mod positions;

use watershed_engine::{
    config::Document,
    game::{Game, Notation, Seat},
    games::GameDefinition,
};
use watershed_the_river::{TheRiver, components::Resource, state::State};

use super::variants::altered;
use crate::rules::{apply_all, summary, turn_of, with_words};

/// Simple components: every board has 3 warehouses until spot 5 is covered.
const COMPONENTS: &str = r#"
rules.claim_tile_per_player = 2
rules.reserve_hand_limit = 2
rules.reserve_discount = 1
rules.trade_in = 3
rules.per_resources = 3
rules.max_rounds = 9
spots = { build = 0, first_player = 1 }
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
food_spots = 0
swap_spots = 0
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

/// Returns a position of round 6 in which seat 0 decides, with these words replaced; `1.held:w1` is
/// a word of seat 1.
fn position_text(players: usize, words: &str) -> String {
    let shared = "phase:place round:6 turn:0 pawn:0 end:0 cursor:0 returning:wood places:- \
        tiles:mountain,mountain,mountain discarded:- removed:mountain buildings:s6,s1";
    let seat = "spots:plain held:- tokens:0 token_points:0 boat:4 pioneers:4 claims:0 framed:0 \
        built:- reserved:-";
    let seats = (0..players).map(|index| {
        let board = ["a", "b", "c", "d"][index];
        format!(" seat:{index} board:{board} {seat}")
    });
    with_words(&format!("the_river/{players} {shared}{}", seats.collect::<String>()), words)
}

fn position(game: &TheRiver, words: &str) -> State {
    game.parse_position(&position_text(game.seats(), words)).unwrap()
}

// §9: the rulebooks' examples.

#[test]
fn the_scoring_example_totals_45_with_both_readings_of_its_picture() {
    let game = bind(2);
    let rest = "phase:over round:9 buildings:s6 0.tokens:3 0.token_points:7 0.built:w2,w1c1,s1";
    let third_column =
        "0.spots:desert,income,clay2,forest,mixed,clay_store,desert,desert,desert,per_clay";
    let six_resources = "0.held:w3f3 \
        0.spots:desert,income,clay2,forest,take,clay_store,desert,desert,desert,per_clay";
    for (words, resources, columns) in [(third_column, 0, 6 + 2 + 2), (six_resources, 2, 6 + 2)] {
        let state = position(&game, &format!("{rest} {words}"));
        let expected = [
            ("tokens", 7),
            ("buildings", 23),
            ("resources", resources),
            ("columns", columns),
            ("meadows", 2 + 3),
        ];
        assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
        assert_eq!(game.outcome(&state).scores[0], 45);
    }
}

#[test]
fn the_first_pioneer_on_an_island_with_three_symbols_produces_four() {
    let game = bind(4);
    let three_symbols = "0.spots:clay2,clay_store";
    let one_stone = "0.spots:clay2,clay_store 0.held:s1";
    for (words, events, kept) in [
        (three_symbols, &["produce:clay"][..], [0, 4, 0, 0]),
        (one_stone, &["produce:clay", "discard:clay"], [0, 3, 1, 0]),
        (one_stone, &["produce:clay", "discard:stone"], [0, 4, 0, 0]),
    ] {
        let mut state = position(&game, words);
        apply_all(&game, &mut state, events);
        let held = Resource::ALL.map(|resource| state.bag(Seat::new(0)).get(resource));
        assert_eq!((held, game.turn(&state)), (kept, turn_of(1)));
    }
}

// Consequences in words.

#[test]
fn consequences_name_points_and_what_others_lose() {
    let game = bind(2);
    let state = position(&game, "buildings:w2,s1 0.held:w2 1.held:w2");
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
    let state = position(&game, "buildings:w2,s1 0.spots:clay2 0.held:f1");
    assert_eq!(
        summary(&game, &state, "produce:clay"),
        "it brings 3 clay at once, but overfills the warehouses by 1 resource"
    );
    assert_eq!(summary(&game, &state, "first"), "it keeps the first turn of the next round");
    let state = position(&game, "0.spots:plain,plain,plain,mountain 0.boat:3 0.pioneers:3");
    assert_eq!(
        summary(&game, &state, "claim:mountain"),
        "it scores 2 points for columns, but costs 1 warehouse"
    );
}
