//! Placements, tiles and storage (rules §4 to §6).

use watershed::game::{Game, Notation, Seat};

use super::{
    apply_all, bind, bind_with, legal, legal_with_prefix, outcomes, position, position_text,
    resources_of, turn_of,
};

// §4 Placements.

#[test]
fn two_face_up_tiles_of_one_kind_are_one_claim() {
    let game = bind(2);
    let mut state = position(&game, &["tiles:forest,desert,forest"]);
    assert_eq!(legal_with_prefix(&game, &state, "claim"), ["claim:desert", "claim:forest"]);
    apply_all(&game, &mut state, &["claim:forest"]);
    assert_eq!(state.face_up_tiles().len(), 2);
    let spent = position(&game, &["tiles:forest", "0.spots:plain,desert,desert", "0.claims:2"]);
    assert!(legal_with_prefix(&game, &spent, "claim").is_empty());
}

#[test]
fn only_the_first_pioneer_on_an_island_gets_the_bonus() {
    let game = bind(2);
    let mut state = position(&game, &["1.spots:clay_store"]);
    assert_eq!(
        legal_with_prefix(&game, &state, "produce"),
        ["produce:clay", "produce:stone", "produce:wood"]
    );
    apply_all(&game, &mut state, &["produce:clay"]);
    assert_eq!(resources_of(&state, 0), [0, 1, 0, 0]);
    apply_all(&game, &mut state, &["produce:clay"]);
    assert_eq!(resources_of(&state, 1), [0, 1, 0, 0]);
    // Both places are occupied. The second place of an island without a symbol produces nothing.
    assert_eq!(legal_with_prefix(&game, &state, "produce"), ["produce:stone", "produce:wood"]);
    let second = position(&game, &["places:wood", "1.spots:clay2", "1.boat:3"]);
    assert_eq!(legal_with_prefix(&game, &second, "produce"), ["produce:clay", "produce:stone"]);
}

#[test]
fn other_resources_come_from_the_food_island_only_when_food_is_out() {
    let game = bind(3);
    let all_storage =
        ["1.spots:desert,desert,desert,desert", "2.spots:desert,desert,desert,desert"];
    let one_left = position(&game, &[all_storage[0], all_storage[1], "1.held:f4"]);
    assert_eq!(legal_with_prefix(&game, &one_left, "food"), ["food"]);
    let mut none_left =
        position(&game, &[all_storage[0], all_storage[1], "1.held:c4f5", "2.held:c9"]);
    assert_eq!(legal_with_prefix(&game, &none_left, "food"), ["food:stone", "food:wood"]);
    apply_all(&game, &mut none_left, &["food:stone"]);
    assert_eq!(resources_of(&none_left, 0), [0, 0, 1, 0]);
}

#[test]
fn a_gap_in_the_building_row_stays_until_cleanup() {
    let game = bind(2);
    let mut state = position(&game, &["buildings:w2,s1", "0.boat:1", "1.boat:1", "1.held:s1"]);
    apply_all(&game, &mut state, &["reserve:w2"]);
    assert_eq!(legal_with_prefix(&game, &state, "build"), ["build:s1"]);
    apply_all(
        &game,
        &mut state,
        &["build:s1", "pay:s1", "tile:desert", "tile:desert", "tile:desert"],
    );
    assert_eq!(outcomes(&game, &state), ["building:w1c1", "building:s6"]);
    apply_all(&game, &mut state, &["building:s6", "building:w1c1"]);
    assert_eq!((state.round(), game.turn(&state)), (7, turn_of(0)));
}

#[test]
fn food_stands_in_for_anything_and_the_discount_is_for_reserved_buildings() {
    let game = bind(2);
    let storage = "0.spots:desert,desert";
    let choose = |changes: &[&str], building: &str| {
        let mut state = position(&game, &[&[storage], changes].concat());
        apply_all(&game, &mut state, &[building]);
        legal(&game, &state)
    };
    assert_eq!(
        choose(&["buildings:w1c1", "0.held:w1c1f2"], "build:w1c1"),
        ["pay:c1f1", "pay:f2", "pay:w1c1", "pay:w1f1"]
    );
    assert_eq!(choose(&["buildings:w2", "0.held:w2"], "build:w2"), ["pay:w2"]);
    assert_eq!(choose(&["0.reserved:w1c1", "0.held:w1c1"], "build:w1c1"), ["pay:c1", "pay:w1"]);
    assert_eq!(choose(&["0.reserved:s1"], "build:s1"), ["pay:-"]);
}

#[test]
fn the_second_token_brings_a_pioneer_that_plays_this_round_from_an_empty_boat() {
    let game = bind(2);
    let ready =
        ["buildings:w2", "0.held:w2", "0.boat:1", "0.built:s1", "0.tokens:1", "0.token_points:4"];
    let mut alone = position(&game, &[&ready[..], &["1.boat:0"]].concat());
    apply_all(&game, &mut alone, &["build:w2", "pay:w2"]);
    let seat = Seat::new(0);
    assert_eq!(
        (
            game.turn(&alone),
            alone.boat_pioneers(seat),
            alone.pioneers(seat),
            alone.token_points(seat)
        ),
        (turn_of(0), 1, 5, 7)
    );
    let mut in_turn = position(&game, &[&ready[..], &["1.boat:1"]].concat());
    apply_all(&game, &mut in_turn, &["build:w2", "pay:w2"]);
    assert_eq!(game.turn(&in_turn), turn_of(1));
    apply_all(&game, &mut in_turn, &["food"]);
    assert_eq!(game.turn(&in_turn), turn_of(0));
}

#[test]
fn a_building_without_a_token_left_still_counts() {
    let game = bind_with(2, "bonus_tokens = [4, 3, 0, 0]", "bonus_tokens = [4]");
    let mut state = position(
        &game,
        &["buildings:w2", "0.held:w2", "1.built:s1", "1.tokens:1", "1.token_points:4"],
    );
    apply_all(&game, &mut state, &["build:w2", "pay:w2"]);
    assert_eq!((state.tokens(Seat::new(0)), game.outcome(&state).scores[0]), (0, 9));
}

#[test]
fn a_seat_may_take_its_own_pawn_without_changing_the_order_of_the_round() {
    let game = bind(3);
    let mut state = position(&game, &["0.boat:1", "1.boat:1", "2.boat:1"]);
    assert_eq!(legal_with_prefix(&game, &state, "first"), ["first"]);
    apply_all(&game, &mut state, &["food", "first"]);
    assert_eq!(game.turn(&state), turn_of(2));
    assert!(legal_with_prefix(&game, &state, "first").is_empty());
    apply_all(&game, &mut state, &["food", "tile:desert", "tile:desert", "tile:desert"]);
    assert_eq!((state.round(), game.turn(&state)), (7, turn_of(1)));
}

#[test]
fn only_one_of_the_swaps_without_effect_is_listed() {
    let game = bind(2);
    let state = position(&game, &["0.spots:forest,desert,forest,desert"]);
    assert_eq!(
        legal_with_prefix(&game, &state, "swap"),
        ["swap:1-2", "swap:1-3", "swap:1-4", "swap:2-3", "swap:3-4"]
    );
    // The lower first spot is compared before the lower second spot.
    let state = position(&game, &["0.spots:desert,forest,forest,desert"]);
    assert_eq!(
        legal_with_prefix(&game, &state, "swap"),
        ["swap:1-2", "swap:1-3", "swap:1-4", "swap:2-4", "swap:3-4"]
    );
    let state = position(&game, &["0.spots:desert,desert,desert"]);
    assert_eq!(legal_with_prefix(&game, &state, "swap"), ["swap:1-2"]);
}

// §5 Claiming a tile.

#[test]
fn a_swap_effect_may_be_skipped_at_any_time() {
    let game = bind(2);
    let claim = |events: &[&str]| {
        let mut state = position(&game, &["tiles:swap", "0.spots:desert,forest"]);
        apply_all(&game, &mut state, &["claim:swap"]);
        apply_all(&game, &mut state, events);
        state
    };
    assert_eq!(legal(&game, &claim(&[])), ["skip", "swap:1-2", "swap:1-3", "swap:2-3"]);
    assert_eq!(game.turn(&claim(&["skip"])), turn_of(1));
    assert_eq!(game.turn(&claim(&["swap:1-2"])), turn_of(0));
    assert_eq!(game.turn(&claim(&["swap:1-2", "skip"])), turn_of(1));
    assert_eq!(game.turn(&claim(&["swap:1-2", "swap:1-2"])), turn_of(1));
    let alike = position(&game, &["phase:swaps", "cursor:1", "0.spots:swap,swap", "0.claims:1"]);
    assert_eq!(legal(&game, &alike), ["skip", "swap:1-2"]);
}

#[test]
fn a_tile_covers_its_spot_and_may_take_more_than_can_be_stored() {
    let game = bind(2);
    let mut state =
        position(&game, &["tiles:take", "0.spots:forest,forest,forest,forest", "0.held:s3"]);
    apply_all(&game, &mut state, &["claim:take"]);
    // 7 resources, 2 warehouses.
    assert_eq!(legal(&game, &state), ["discard:wood"]);
    apply_all(
        &game,
        &mut state,
        &["discard:wood", "discard:wood", "discard:stone", "discard:stone", "discard:stone"],
    );
    assert_eq!((resources_of(&state, 0), game.turn(&state)), ([2, 0, 0, 0], turn_of(1)));
}

// §6 Too much to store.

#[test]
fn resources_are_returned_in_order_if_the_rest_suffices() {
    let game = bind(2);
    let mut state = position(&game, &["phase:overflow", "0.held:w2c1s1f1"]);
    assert_eq!(legal(&game, &state), ["discard:clay", "discard:stone", "discard:wood"]);
    apply_all(&game, &mut state, &["discard:clay"]);
    assert_eq!(legal(&game, &state), ["discard:food", "discard:stone"]);
    apply_all(&game, &mut state, &["discard:food"]);
    assert_eq!((resources_of(&state, 0), game.turn(&state)), ([2, 0, 1, 0], turn_of(1)));
    let scarce = position(&game, &["phase:overflow", "0.held:w4f1"]);
    assert_eq!(legal(&game, &scarce), ["discard:wood"]);
}

#[test]
fn a_limit_for_each_player_holds_for_the_food_island_and_the_swap_place_until_the_round_ends() {
    let limits = "first_player = 1, food_per_player = 2, swap_per_player = 1 }";
    let game = bind_with(2, "first_player = 1 }", limits);
    let text = position_text(&bind(2), &["0.spots:desert,desert", "1.spots:desert,desert"]);
    let none_placed = "reserved:- food_pioneers:0 swap_pioneers:0";
    let mut state = game.parse_position(&text.replace("reserved:-", none_placed)).unwrap();
    let places = |state: &_| {
        [legal_with_prefix(&game, state, "food"), legal_with_prefix(&game, state, "swap")]
            .map(|actions| !actions.is_empty())
    };
    apply_all(&game, &mut state, &["food", "food", "swap:1-2"]);
    assert_eq!(places(&state), [true, true], "the limits of the two seats are separate");
    apply_all(&game, &mut state, &["swap:1-2"]);
    assert_eq!(places(&state), [true, false]);
    apply_all(&game, &mut state, &["food", "first"]);
    assert_eq!(places(&state), [false, false]);
    let text = game.position_text(&state);
    assert_eq!(game.parse_position(&text).unwrap(), state);
    let fewer = text.replacen("food_pioneers:2", "food_pioneers:1", 1);
    assert!(game.parse_position(&fewer).is_err(), "a pioneer on the island belongs to nobody");
}
