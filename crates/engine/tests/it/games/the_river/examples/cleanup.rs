//! Cleanup (rules §7).

use watershed::game::{Game, Seat, Turn};

use super::{apply_all, bind, bind_with, position, resources_of, turn_of};

// §7 Cleanup.

#[test]
fn discards_return_only_when_a_further_tile_must_be_drawn() {
    let game = bind(2);
    let boards = [
        "0.spots:desert,desert,desert,desert,desert,desert",
        "1.spots:desert,desert,desert,desert,desert,desert",
    ];
    let others =
        "clay2*6,clay_store*4,forest*5,mountain*5,mixed*2,per_clay,income*2,swap*2,take,plain*4";
    let last_draw = |row: &str, discarded: &str| {
        let words = ["phase:tiles", "buildings:w2,s1", row, discarded, boards[0], boards[1]];
        position(&game, &words)
    };
    let mut enough = last_draw(
        "tiles:clay2,clay2",
        &format!("discarded:{}", others.replace("clay2*6", "clay2*4")),
    );
    apply_all(&game, &mut enough, &["tile:forest"]);
    assert_eq!(game.turn(&enough), turn_of(0));
    let mut too_few =
        last_draw("tiles:clay2", &format!("discarded:{}", others.replace("clay2*6", "clay2*5")));
    apply_all(&game, &mut too_few, &["tile:forest", "reshuffle", "tile:take"]);
    assert_eq!(game.turn(&too_few), turn_of(0));
}

#[test]
fn framed_spots_remove_pioneers_at_cleanup() {
    let game = bind(2);
    let mut state = position(
        &game,
        &[
            "tiles:forest",
            "0.boat:1",
            "1.boat:0",
            "0.spots:desert,desert,desert",
            "buildings:w2,s1",
        ],
    );
    apply_all(&game, &mut state, &["claim:forest"]);
    assert_eq!(state.pioneers(Seat::new(0)), 4);
    apply_all(&game, &mut state, &["tile:forest", "tile:forest", "tile:forest"]);
    assert_eq!(
        (
            state.pioneers(Seat::new(0)),
            state.boat_pioneers(Seat::new(0)),
            state.boat_pioneers(Seat::new(1))
        ),
        (3, 3, 4)
    );
}

#[test]
fn each_income_meadow_overflows_by_itself() {
    let game = bind(2);
    // 3 warehouses, 2 wood and a stone: each wood is stored before the next arrives.
    let mut state = position(
        &game,
        &[
            "phase:tiles",
            "pawn:1",
            "0.spots:income,income",
            "0.held:w2s1",
            "tiles:forest,forest",
            "buildings:w2,s1",
        ],
    );
    apply_all(&game, &mut state, &["tile:forest", "discard:stone"]);
    assert_eq!((resources_of(&state, 0), game.turn(&state)), ([4, 0, 0, 0], turn_of(0)));
    apply_all(&game, &mut state, &["discard:wood"]);
    assert_eq!((resources_of(&state, 0), game.turn(&state)), ([3, 0, 0, 0], turn_of(1)));
}

#[test]
fn the_last_cleanup_settles_and_pays_income_without_new_tiles() {
    let game = bind(2);
    let eleven =
        "0.spots:desert,desert,desert,desert,desert,clay2,clay2,clay2,clay2,mountain,mountain";
    let mut state = position(
        &game,
        &[
            "round:9",
            "tiles:forest,forest",
            eleven,
            "0.claims:1",
            "0.boat:1",
            "1.boat:0",
            "1.spots:income",
        ],
    );
    apply_all(&game, &mut state, &["claim:forest"]);
    assert_eq!(game.turn(&state), Turn::Over);
    assert_eq!(
        (state.pioneers(Seat::new(0)), resources_of(&state, 1), state.face_up_tiles().len()),
        (2, [1, 0, 0, 0], 1)
    );
    // The round limit is reached too, but the rules end this game.
    assert!(!game.outcome(&state).hit_round_limit);
}

#[test]
fn a_game_without_pioneers_ends_after_a_whole_cleanup() {
    let game = bind_with(2, "max_rounds = 9", "max_rounds = 9\nrules.start_pioneers = 1");
    let last = [
        "tiles:forest",
        "buildings:w2,s1",
        "0.spots:desert,desert,desert",
        "1.spots:desert,desert,desert,desert",
    ];
    let mut state = position(&game, &last);
    apply_all(&game, &mut state, &["claim:forest", "tile:forest", "tile:forest", "tile:take"]);
    assert_eq!((game.turn(&state), game.outcome(&state).hit_round_limit), (Turn::Over, false));
}
