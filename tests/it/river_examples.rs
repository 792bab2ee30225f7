//! The rulebooks' examples, and the paragraphs of the rules of The River that are easy to get wrong, one small position each.

use watershed::{
    game::{ActionSet, Game, Notation, Seat, Turn},
    games::the_river::{
        TheRiver,
        components::{Resource, TileKind},
        state::State,
    },
};

use crate::river_variants::{Variant, altered};

/// Components with few numbers to keep in mind: every board shows three warehouses until spot 5 is covered.
const COMPONENTS: &str = r#"
rules = { claim_tile_per_player = 2, reserve_hand_limit = 2, reserve_discount = 1, trade_in = 3, per_resources = 3, max_rounds = 9 }
spots = { build = 0, food = 0, swap = 0, first_player = 1 }
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
[[board]]
id = "a"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[board]]
id = "b"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[board]]
id = "c"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[board]]
id = "d"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[tile]]
id = "desert"
terrain = ["desert"]
copies = 12
storage = 2
[[tile]]
id = "clay2"
terrain = ["badlands"]
copies = 6
production = { clay = 2 }
[[tile]]
id = "clay_store"
terrain = ["badlands"]
copies = 4
production = { clay = 1 }
storage = 1
[[tile]]
id = "forest"
terrain = ["forest"]
copies = 6
[[tile]]
id = "mountain"
terrain = ["mountain"]
copies = 6
[[tile]]
id = "mixed"
terrain = ["forest", "mountain"]
copies = 2
[[tile]]
id = "per_clay"
terrain = ["meadow"]
copies = 1
production = { clay = 1 }
effect = { kind = "points_per_production", resource = "clay", points = 1, cap = 3 }
[[tile]]
id = "income"
terrain = ["meadow"]
copies = 2
effect = { kind = "income", resource = "wood", amount = 1, points = 2 }
[[tile]]
id = "take"
terrain = ["meadow"]
copies = 1
effect = { kind = "take", resource = "wood", amount = 4 }
[[tile]]
id = "swap"
terrain = ["meadow"]
copies = 2
effect = { kind = "swap", times = 2 }
[[building]]
id = "w2"
cost = { wood = 2 }
points = 9
[[building]]
id = "w1c1"
cost = { wood = 1, clay = 1 }
points = 8
[[building]]
id = "s1"
cost = { stone = 1 }
points = 6
[[building]]
id = "s6"
cost = { stone = 6 }
points = 1
"#;

fn table(players: usize) -> TheRiver {
    TheRiver::new(&Variant { name: "examples", file: altered(COMPONENTS) }.document(), players).unwrap()
}

/// A position of round 1 where seat 0 decides, with these words of its notation instead; `2.held:w1` is about seat 2.
fn position(game: &TheRiver, changes: &[&str]) -> State {
    let shared = "phase:place round:1 turn:0 pawn:0 end:0 cursor:0 returning:wood places:- tiles:- discarded:- removed:- buildings:-";
    let seat = "spots:- held:- tokens:0 token_points:0 boat:4 pioneers:4 claims:0 framed:0 built:- reserved:-";
    let mut parts = vec![format!("the_river/{} {shared}", game.seats())];
    parts.extend((0..game.seats()).map(|index| format!("seat:{index} board:{} {seat}", ["a", "b", "c", "d"][index])));
    for change in changes {
        let (part, change) = match change.split_once('.') {
            Some((seat, change)) => (1 + seat.parse::<usize>().unwrap(), change),
            None => (0, *change),
        };
        let (key, _) = change.split_once(':').unwrap();
        let words = parts[part].split(' ').map(|word| if word.split(':').next() == Some(key) { change } else { word });
        parts[part] = words.collect::<Vec<_>>().join(" ");
    }
    game.parse_position(&parts.join(" ")).unwrap()
}

/// Carries out events, each of which must be possible.
fn follow(game: &TheRiver, state: &mut State, events: &[&str]) {
    for event in events {
        let possible = match game.turn(state) {
            Turn::Chance(_) => outcomes(game, state),
            _ => legal(game, state),
        };
        assert!(possible.iter().any(|text| text == event), "{event} is not among {possible:?}");
        game.apply(state, game.parse_action(event).unwrap());
    }
}

fn legal(game: &TheRiver, state: &State) -> Vec<String> {
    let mut texts: Vec<_> = game.legal_actions(state).iter().map(|action| game.action_text(action)).collect();
    texts.sort();
    texts
}

/// The legal actions that begin like this.
fn legal_of(game: &TheRiver, state: &State, beginning: &str) -> Vec<String> {
    legal(game, state).into_iter().filter(|text| text.starts_with(beginning)).collect()
}

fn outcomes(game: &TheRiver, state: &State) -> Vec<String> {
    game.chance_outcomes(state).iter().map(|&(action, _)| game.action_text(action)).collect()
}

fn decides(seat: usize) -> Turn {
    Turn::Seat(Seat::new(seat))
}

/// Wood, clay, stone and food that a seat holds.
fn held(state: &State, seat: usize) -> [u32; 4] {
    Resource::ALL.map(|resource| state.bag(Seat::new(seat)).get(resource))
}

// §9: the rulebooks' examples.

#[test]
fn the_scoring_example_totals_45_whichever_way_its_lost_picture_is_read() {
    let game = table(2);
    let rest = ["phase:over", "0.tokens:3", "0.token_points:7", "0.built:w2,w1c1,s1"];
    let third_column = "0.spots:desert,income,clay2,forest,mixed,clay_store,desert,desert,desert,per_clay";
    let state = position(&game, &[&rest[..], &[third_column]].concat());
    let expected = [("tokens", 7), ("buildings", 23), ("resources", 0), ("columns", 6 + 2 + 2), ("meadows", 2 + 3)];
    assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
    assert_eq!(game.outcome(&state).scores[0], 45);

    let six_resources = ["0.spots:desert,income,clay2,forest,take,clay_store,desert,desert,desert,per_clay", "0.held:w3f3"];
    let state = position(&game, &[&rest[..], &six_resources].concat());
    let expected = [("tokens", 7), ("buildings", 23), ("resources", 2), ("columns", 6 + 2), ("meadows", 2 + 3)];
    assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
    assert_eq!(game.outcome(&state).scores[0], 45);
}

#[test]
fn first_on_the_clay_island_with_three_symbols_produces_four() {
    let game = table(4);
    let three_symbols = ["0.spots:clay2,clay_store"];
    let mut state = position(&game, &three_symbols);
    follow(&game, &mut state, &["produce:clay"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([0, 4, 0, 0], decides(1)));

    let one_stone = [three_symbols[0], "0.held:s1"];
    for (returned, kept) in [("discard:clay", [0, 3, 1, 0]), ("discard:stone", [0, 4, 0, 0])] {
        let mut state = position(&game, &one_stone);
        follow(&game, &mut state, &["produce:clay", returned]);
        assert_eq!((held(&state, 0), game.turn(&state)), (kept, decides(1)));
    }
}

// §2 Setup.

#[test]
fn the_draft_goes_counterclockwise_and_ends_with_the_first_player() {
    let game = table(3);
    let mut state = game.initial();
    follow(&game, &mut state, &["first:1", "board:d", "board:b", "board:a"]);
    follow(&game, &mut state, &["tile:desert", "tile:desert", "tile:take", "tile:swap", "building:w2", "building:s1"]);
    assert_eq!(
        (game.turn(&state), legal(&game, &state)),
        (decides(0), vec!["claim:desert".into(), "claim:swap".into(), "claim:take".into()])
    );
    // A swap effect with one tile on the board asks nothing.
    follow(&game, &mut state, &["claim:swap"]);
    assert_eq!(game.turn(&state), decides(2));
    // The effect comes before anything is returned: four wood, three warehouses.
    follow(&game, &mut state, &["claim:take"]);
    assert_eq!((game.turn(&state), legal(&game, &state)), (decides(2), vec!["discard:wood".to_owned()]));
    follow(&game, &mut state, &["discard:wood"]);
    assert_eq!(game.turn(&state), decides(1));
    follow(&game, &mut state, &["claim:desert"]);
    assert_eq!((state.removed_tile(), state.face_up_tiles().len()), (TileKind(1), 0));
    follow(&game, &mut state, &["tile:clay2", "tile:clay2", "tile:forest"]);
    assert_eq!((state.round(), game.turn(&state), state.claims(Seat::new(1))), (1, decides(1), 0));
}

#[test]
fn the_tile_left_over_from_the_draft_never_returns() {
    let game = table(2);
    let all_but_take = "discarded:desert*12,clay2*6,clay_store*4,forest*6,mountain*6,mixed*2,per_clay,income*2,swap*2";
    let mut state = position(&game, &["phase:tiles", "round:2", "removed:take", all_but_take]);
    follow(&game, &mut state, &["reshuffle"]);
    let kinds = ["desert", "clay2", "clay_store", "forest", "mountain", "mixed", "per_clay", "income", "swap"];
    assert_eq!(outcomes(&game, &state), kinds.map(|kind| format!("tile:{kind}")));
}

// §3 A turn.

#[test]
fn a_trade_keeps_the_turn_and_never_takes_food() {
    let game = table(2);
    let mut state = position(&game, &["0.spots:desert,desert,desert", "0.held:w2c1s1f2"]);
    assert_eq!(legal_of(&game, &state, "trade"), ["trade:w1c1s1", "trade:w2c1", "trade:w2s1"]);
    follow(&game, &mut state, &["trade:w2c1"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([0, 0, 1, 3], decides(0)));
    let out_of_food = position(&game, &["0.spots:desert,desert,desert", "0.held:w3", "1.spots:desert", "1.held:f5"]);
    assert!(legal_of(&game, &out_of_food, "trade").is_empty());
}

#[test]
fn seats_with_empty_boats_are_skipped() {
    let game = table(4);
    let mut state = position(&game, &["1.boat:0", "2.boat:0"]);
    follow(&game, &mut state, &["food"]);
    assert_eq!(game.turn(&state), decides(3));
}

// §4 Placements.

#[test]
fn two_face_up_tiles_of_one_kind_are_one_claim() {
    let game = table(2);
    let mut state = position(&game, &["tiles:forest,desert,forest"]);
    assert_eq!(legal_of(&game, &state, "claim"), ["claim:desert", "claim:forest"]);
    follow(&game, &mut state, &["claim:forest"]);
    assert_eq!(state.face_up_tiles().len(), 2);
    let spent = position(&game, &["tiles:forest", "0.claims:2"]);
    assert!(legal_of(&game, &spent, "claim").is_empty());
}

#[test]
fn only_the_first_pioneer_on_an_island_gets_the_bonus() {
    let game = table(2);
    let mut state = position(&game, &["1.spots:clay_store"]);
    assert_eq!(legal_of(&game, &state, "produce"), ["produce:clay", "produce:stone", "produce:wood"]);
    follow(&game, &mut state, &["produce:clay"]);
    assert_eq!(held(&state, 0), [0, 1, 0, 0]);
    follow(&game, &mut state, &["produce:clay"]);
    assert_eq!(held(&state, 1), [0, 1, 0, 0]);
    // Both places are taken now, and without a symbol the second place of an island gives nothing.
    assert_eq!(legal_of(&game, &state, "produce"), ["produce:stone", "produce:wood"]);
    let second = position(&game, &["places:wood", "1.spots:clay2"]);
    assert_eq!(legal_of(&game, &second, "produce"), ["produce:clay", "produce:stone"]);
}

#[test]
fn other_resources_come_from_the_food_island_only_when_food_is_out() {
    let game = table(3);
    let all_storage = ["1.spots:desert,desert,desert,desert", "2.spots:desert,desert,desert,desert"];
    let one_left = position(&game, &[all_storage[0], all_storage[1], "1.held:f4"]);
    assert_eq!(legal_of(&game, &one_left, "food"), ["food"]);
    let mut none_left = position(&game, &[all_storage[0], all_storage[1], "1.held:c4f5", "2.held:c9"]);
    assert_eq!(legal_of(&game, &none_left, "food"), ["food:stone", "food:wood"]);
    follow(&game, &mut none_left, &["food:stone"]);
    assert_eq!(held(&none_left, 0), [0, 0, 1, 0]);
}

#[test]
fn a_gap_among_the_buildings_stays_until_cleanup() {
    let game = table(2);
    let mut state = position(&game, &["buildings:w2,s1", "0.boat:1", "1.boat:1", "1.held:s1"]);
    follow(&game, &mut state, &["reserve:w2"]);
    assert_eq!(legal_of(&game, &state, "build"), ["build:s1"]);
    follow(&game, &mut state, &["build:s1", "pay:s1", "tile:desert", "tile:desert", "tile:desert"]);
    assert_eq!(outcomes(&game, &state), ["building:w1c1", "building:s6"]);
    follow(&game, &mut state, &["building:s6", "building:w1c1"]);
    assert_eq!((state.round(), game.turn(&state)), (2, decides(0)));
}

#[test]
fn food_stands_in_for_anything_and_the_discount_is_for_reserved_buildings() {
    let game = table(2);
    let storage = "0.spots:desert,desert";
    let choose = |changes: &[&str], building: &str| {
        let mut state = position(&game, &[&[storage], changes].concat());
        follow(&game, &mut state, &[building]);
        legal(&game, &state)
    };
    assert_eq!(choose(&["buildings:w1c1", "0.held:w1c1f2"], "build:w1c1"), ["pay:c1f1", "pay:f2", "pay:w1c1", "pay:w1f1"]);
    assert_eq!(choose(&["buildings:w2", "0.held:w2"], "build:w2"), ["pay:w2"]);
    assert_eq!(choose(&["0.reserved:w1c1", "0.held:w1c1"], "build:w1c1"), ["pay:c1", "pay:w1"]);
    assert_eq!(choose(&["0.reserved:s1"], "build:s1"), ["pay:-"]);
}

#[test]
fn the_second_token_brings_a_pioneer_that_plays_this_round_from_an_empty_boat() {
    let game = table(2);
    let ready = ["buildings:w2", "0.held:w2", "0.boat:1", "0.tokens:1", "0.token_points:4"];
    let mut alone = position(&game, &[&ready[..], &["1.boat:0"]].concat());
    follow(&game, &mut alone, &["build:w2", "pay:w2"]);
    let seat = Seat::new(0);
    assert_eq!((game.turn(&alone), alone.boat(seat), alone.pioneers(seat), alone.token_points(seat)), (decides(0), 1, 5, 7));
    let mut in_turn = position(&game, &[&ready[..], &["1.boat:1"]].concat());
    follow(&game, &mut in_turn, &["build:w2", "pay:w2"]);
    assert_eq!(game.turn(&in_turn), decides(1));
    follow(&game, &mut in_turn, &["food"]);
    assert_eq!(game.turn(&in_turn), decides(0));
}

#[test]
fn a_building_without_a_token_left_still_counts() {
    let game = table(2);
    let mut state = position(&game, &["buildings:w2", "0.held:w2", "1.tokens:4", "1.token_points:7"]);
    follow(&game, &mut state, &["build:w2", "pay:w2"]);
    assert_eq!((state.tokens(Seat::new(0)), game.outcome(&state).scores[0]), (0, 9));
}

#[test]
fn the_own_pawn_may_be_taken_and_the_order_of_the_round_stays() {
    let game = table(3);
    let mut state = position(&game, &["0.boat:1", "1.boat:1", "2.boat:1"]);
    assert_eq!(legal_of(&game, &state, "first"), ["first"]);
    follow(&game, &mut state, &["food", "first"]);
    assert_eq!(game.turn(&state), decides(2));
    assert!(legal_of(&game, &state, "first").is_empty());
    follow(&game, &mut state, &["food", "tile:desert", "tile:desert", "tile:desert", "building:w2", "building:s6"]);
    assert_eq!((state.round(), game.turn(&state)), (2, decides(1)));
}

#[test]
fn of_all_swaps_that_change_nothing_one_is_listed() {
    let game = table(2);
    let state = position(&game, &["0.spots:forest,desert,forest,desert"]);
    assert_eq!(legal_of(&game, &state, "swap"), ["swap:1-2", "swap:1-3", "swap:1-4", "swap:2-3", "swap:3-4"]);
    // The smallest first spot counts before the smallest second.
    let state = position(&game, &["0.spots:desert,forest,forest,desert"]);
    assert_eq!(legal_of(&game, &state, "swap"), ["swap:1-2", "swap:1-3", "swap:1-4", "swap:2-4", "swap:3-4"]);
    let state = position(&game, &["0.spots:desert,desert,desert"]);
    assert_eq!(legal_of(&game, &state, "swap"), ["swap:1-2"]);
}

// §5 Claiming a tile.

#[test]
fn a_swap_effect_may_be_forgone_at_any_time() {
    let game = table(2);
    let claim = |events: &[&str]| {
        let mut state = position(&game, &["tiles:swap", "0.spots:desert,forest"]);
        follow(&game, &mut state, &["claim:swap"]);
        follow(&game, &mut state, events);
        state
    };
    assert_eq!(legal(&game, &claim(&[])), ["skip", "swap:1-2", "swap:1-3", "swap:2-3"]);
    assert_eq!(game.turn(&claim(&["skip"])), decides(1));
    assert_eq!(game.turn(&claim(&["swap:1-2"])), decides(0));
    assert_eq!(game.turn(&claim(&["swap:1-2", "skip"])), decides(1));
    assert_eq!(game.turn(&claim(&["swap:1-2", "swap:1-2"])), decides(1));
    let alike = position(&game, &["phase:swaps", "cursor:1", "0.spots:swap,swap"]);
    assert_eq!(legal(&game, &alike), ["skip", "swap:1-2"]);
}

#[test]
fn a_tile_covers_what_is_printed_and_what_it_takes_may_be_too_much() {
    let game = table(2);
    let mut state = position(&game, &["tiles:take", "0.spots:forest,forest,forest,forest", "0.held:s3"]);
    follow(&game, &mut state, &["claim:take"]);
    // Seven resources, two warehouses.
    assert_eq!(legal(&game, &state), ["discard:wood"]);
    follow(&game, &mut state, &["discard:wood", "discard:wood", "discard:stone", "discard:stone", "discard:stone"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([2, 0, 0, 0], decides(1)));
}

// §6 Too much to store.

#[test]
fn resources_are_returned_in_order_and_only_where_the_rest_suffices() {
    let game = table(2);
    let mut state = position(&game, &["phase:overflow", "0.held:w2c1s1f1"]);
    assert_eq!(legal(&game, &state), ["discard:clay", "discard:stone", "discard:wood"]);
    follow(&game, &mut state, &["discard:clay"]);
    assert_eq!(legal(&game, &state), ["discard:food", "discard:stone"]);
    follow(&game, &mut state, &["discard:food"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([2, 0, 1, 0], decides(1)));
    let scarce = position(&game, &["phase:overflow", "0.held:w4f1"]);
    assert_eq!(legal(&game, &scarce), ["discard:wood"]);
}

// §7 Cleanup.

#[test]
fn discards_return_only_when_a_further_tile_must_be_drawn() {
    let game = table(2);
    let boards = ["0.spots:desert,desert,desert,desert,desert,desert", "1.spots:desert,desert,desert,desert,desert,desert"];
    let others = "clay2*6,clay_store*4,forest*5,mountain*6,mixed*2,per_clay,income*2,swap*2,take";
    let last_draw = |row: &str, discarded: &str| {
        let words = ["phase:tiles", "round:2", "buildings:w2,s1", row, discarded, boards[0], boards[1]];
        position(&game, &words)
    };
    let mut enough = last_draw("tiles:clay2,clay2", &format!("discarded:{}", others.replace("clay2*6", "clay2*4")));
    follow(&game, &mut enough, &["tile:forest"]);
    assert_eq!(game.turn(&enough), decides(0));
    let mut too_few = last_draw("tiles:clay2", &format!("discarded:{}", others.replace("clay2*6", "clay2*5")));
    follow(&game, &mut too_few, &["tile:forest", "reshuffle", "tile:take"]);
    assert_eq!(game.turn(&too_few), decides(0));
}

#[test]
fn framed_spots_cost_pioneers_at_cleanup() {
    let game = table(2);
    let mut state = position(&game, &["tiles:forest", "0.boat:1", "1.boat:0", "0.spots:desert,desert,desert", "buildings:w2,s1"]);
    follow(&game, &mut state, &["claim:forest"]);
    assert_eq!(state.pioneers(Seat::new(0)), 4);
    follow(&game, &mut state, &["tile:forest", "tile:forest", "tile:forest"]);
    assert_eq!((state.pioneers(Seat::new(0)), state.boat(Seat::new(0)), state.boat(Seat::new(1))), (3, 3, 4));
}

#[test]
fn each_income_meadow_overflows_by_itself() {
    let game = table(2);
    // Three warehouses, two wood and a stone: each of two wood must be stored before the next comes.
    let mut state =
        position(&game, &["phase:tiles", "pawn:1", "0.spots:income,income", "0.held:w2s1", "tiles:forest,forest", "buildings:w2,s1"]);
    follow(&game, &mut state, &["tile:forest", "discard:stone"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([4, 0, 0, 0], decides(0)));
    follow(&game, &mut state, &["discard:wood"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([3, 0, 0, 0], decides(1)));
}

#[test]
fn the_last_cleanup_lays_nothing_out_but_settles_and_brings_income() {
    let game = table(2);
    let eleven = "0.spots:desert,desert,desert,desert,desert,clay2,clay2,clay2,clay2,mountain,mountain";
    let mut state = position(&game, &["round:9", "tiles:forest,forest", eleven, "0.boat:1", "1.boat:0", "1.spots:income"]);
    follow(&game, &mut state, &["claim:forest"]);
    assert_eq!(game.turn(&state), Turn::Over);
    assert_eq!((state.pioneers(Seat::new(0)), held(&state, 1), state.face_up_tiles().len()), (3, [1, 0, 0, 0], 1));
    // The round limit was reached as well, but the rules ended this game.
    assert!(!game.outcome(&state).capped);
}

#[test]
fn a_game_without_pioneers_ends_after_a_whole_cleanup() {
    let game = table(2);
    let last = ["tiles:forest", "buildings:w2,s1", "0.spots:desert,desert,desert", "0.boat:1", "0.pioneers:1", "1.boat:0", "1.pioneers:0"];
    let mut state = position(&game, &last);
    follow(&game, &mut state, &["claim:forest", "tile:forest", "tile:forest", "tile:take"]);
    assert_eq!((game.turn(&state), game.outcome(&state).capped), (Turn::Over, false));
}

// §8 Scoring.

#[test]
fn a_mixed_tile_has_both_its_terrains_in_a_column() {
    let game = table(2);
    // Spots 4, 5 and 12 are the fourth column; the other columns score nothing.
    let column = |top: &str, middle: &str, bottom: &str| {
        let others = ["desert,clay2,desert", "clay2,desert,clay2,clay_store,clay_store,clay_store"];
        let spots = format!("0.spots:{},{top},{middle},{},{bottom}", others[0], others[1]);
        let state = position(&game, &["phase:over", &spots]);
        game.score_breakdown(&state, Seat::new(0))[3]
    };
    assert_eq!(column("mixed", "mixed", "mountain"), ("columns", 6));
    assert_eq!(column("forest", "mixed", "forest"), ("columns", 6));
    assert_eq!(column("forest", "mixed", "mountain"), ("columns", 2));
    assert_eq!(column("mixed", "mountain", "forest"), ("columns", 2));
    assert_eq!(column("forest", "mountain", "mixed"), ("columns", 0));
    assert_eq!(column("forest", "mountain", "mountain"), ("columns", 0));
}
