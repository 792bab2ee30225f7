#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]
use std::fmt::Write;

use super::{
    super::{
        TheRiver,
        state::{Phase, State},
    },
    Summary,
};
use watershed_engine::{
    bits::ones,
    config::Document,
    game::{
        ActionSet, Features, Game, Notation, Turn,
        facts::{FactBlock, FactList, MAX_FACTS, PositionFacts},
    },
    games::GameDefinition,
    rng::{Purpose, random_below, stream},
};

/// The data file of the program.
const DATA: &str = include_str!("../../../../configs/the_river.toml");

fn bind(text: &str, players: usize) -> TheRiver {
    TheRiver::bind(&Document::embedded("edited.toml", text), players).unwrap()
}

/// Returns data files in which numbers, tiles, buildings and boards differ from the default ones.
fn data_files() -> Vec<String> {
    let text = DATA;
    let edited = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    let mut added = text.to_owned();
    added.push_str(
        "[[tile]]\nid = \"large\"\nterrain = [\"meadow\", \"desert\"]\ncopies = 1\nstorage = 9\n\
         production = { wood = 4, stone = 8 }\n\
         effect = { kind = \"income\", resource = \"stone\", amount = 9, points = 30 }\n\
         [[building]]\nid = \"palace\"\ncost = { wood = 6, clay = 6, stone = 6 }\npoints = 99\n\
         [[building]]\nid = \"gift\"\ncost = { wood = 0 }\npoints = 0\n",
    );
    let mut boards = text.to_owned();
    write!(boards, "[[board]]\nid = \"fifth\"\nproduction = {{ 1 = \"wood\" }}\n").unwrap();
    vec![
        text.to_owned(),
        added,
        boards,
        edited("points = 9", "points = 40"),
        edited("bonus_spots = 4", "bonus_spots = 7"),
        edited("start_pioneers = 4", "start_pioneers = 6"),
        edited("claim_tile_per_player = 2", "claim_tile_per_player = 6"),
        edited("food = 0  ", "food = 2  "),
        edited("build = 0  ", "build = 1  "),
        edited("first_pioneer_bonus = 1", "first_pioneer_bonus = 9"),
        edited(
            "wood = 7, clay = 7, stone = 7, food = 3",
            "wood = 30, clay = 1, stone = 0, food = 9",
        ),
        edited("column_all_three = 6", "column_all_three = 100"),
        edited("reserve_discount = 1", "reserve_discount = 9"),
        edited("framed = [4, 7, 10, 12]", "framed = []"),
    ]
}

/// Plays a game at random and calls `visit` with each position before the end.
fn visit_positions(game: &TheRiver, index: u64, mut visit: impl FnMut(&State)) -> State {
    let mut rng = stream(26, 0, index, Purpose::Chance(0));
    let mut state = game.initial();
    loop {
        let action = match game.turn(&state) {
            Turn::Over => return state,
            Turn::Chance(_) => {
                visit(&state);
                game.sample_chance(&state, &mut rng)
            }
            Turn::Seat(_) => {
                visit(&state);
                let legal = game.legal_actions(&state);
                // Games of uniformly random actions hardly ever have a full board.
                let kinds: Vec<_> = ones(legal.kinds().into()).collect();
                let kind = kinds[random_below(&mut rng, kinds.len() as u32) as usize];
                let legal = legal.subset_of_kind(kind);
                legal.nth(random_below(&mut rng, legal.len() as u32) as usize)
            }
        };
        game.apply(&mut state, action);
    }
}

fn assert_valid(list: &FactList, block: &FactBlock) {
    let facts = list.as_slice();
    assert!(facts.len() < MAX_FACTS);
    assert!(facts.iter().all(|&fact| usize::from(fact) < block.facts().len()), "{facts:?}");
}

/// Returns the names of the inputs of the facts of a list.
fn names(list: &FactList, block: &FactBlock) -> Vec<String> {
    let facts = list.as_slice().iter().map(|&fact| &block.facts()[usize::from(fact)]);
    facts.flatten().map(|&input| block.inputs()[usize::from(input)].clone()).collect()
}

#[test]
fn inputs_do_not_depend_on_the_data_file_or_the_number_of_players() {
    let expected = bind(DATA, 2).fact_table();
    for text in data_files() {
        for players in 2..=4 {
            let table = bind(&text, players).fact_table();
            for ((name, block), (_, expected)) in table.blocks().iter().zip(expected.blocks()) {
                assert!(!block.inputs().is_empty());
                assert_eq!(block.inputs(), expected.inputs(), "{name}, {players} players");
            }
        }
    }
}

#[test]
fn facts_of_random_games_are_in_the_table() {
    for (index, text) in data_files().iter().enumerate() {
        for players in 2..=4 {
            let game = bind(text, players);
            let table = game.fact_table();
            let mut facts = PositionFacts::default();
            for round in 0..4 {
                visit_positions(&game, 100 * index as u64 + round, |state| {
                    facts.clear();
                    game.position_facts(state, &mut facts);
                    for seat in 0..players {
                        assert_valid(&facts.seats[seat], &table.seat);
                        assert_valid(&facts.views[seat], &table.view);
                        assert!(!facts.seats[seat].as_slice().is_empty());
                    }
                    assert!(facts.seats[players..].iter().all(|list| list.as_slice().is_empty()));
                    assert_valid(&facts.shared, &table.shared);
                    let Turn::Seat(seat) = game.turn(state) else { return };
                    game.action_facts(state, seat, &game.legal_actions(state), &mut |_, list| {
                        assert_valid(list, &table.action);
                        assert!(!list.as_slice().is_empty());
                    });
                });
            }
        }
    }
}

#[test]
fn points_are_those_of_the_score() {
    for players in 2..=4 {
        let game = bind(DATA, players);
        for index in 0..20 {
            visit_positions(&game, index, |state| {
                let mut seats = [Summary::default(); 4];
                game.facts().summarize_position(&game, state, &mut seats);
                for seat in game.all_seats() {
                    let fits = state.bag(seat).total() <= state.symbols(seat).storage();
                    if state.phase() != Phase::Pay && game.framed_covered(state, seat) == 0 && fits
                    {
                        let points = seats[seat.index()].points() as i32;
                        assert_eq!(points, game.score(state, seat).total());
                    }
                }
            });
        }
    }
}

/// A seat that pays has the facts of the position after the payment, if there is only one payment.
#[test]
fn a_building_to_pay_for_counts_as_built() {
    let game = bind(DATA, 2);
    let table = game.fact_table();
    let mut compared = 0;
    for index in 0..40 {
        visit_positions(&game, index, |state| {
            let legal = game.legal_actions(state);
            if state.phase() != Phase::Pay || legal.len() > 1 {
                return;
            }
            let mut paid = *state;
            game.apply(&mut paid, legal.nth(0));
            if paid.phase() != Phase::Place {
                return;
            }
            compared += 1;
            let mover = state.decider().index();
            let seat_names = |state: &State| {
                let mut facts = PositionFacts::default();
                game.position_facts(state, &mut facts);
                let mut names = names(&facts.seats[mover], &table.seat);
                // The seat that decides differs, and in the shared facts the phase.
                names.retain(|name| !name.starts_with("turn"));
                names
            };
            assert_eq!(seat_names(state), seat_names(&paid), "{}", game.position_text(state));
        });
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn facts_state_what_decides_a_position() {
    let game = bind(DATA, 2);
    let table = game.fact_table();
    let text = "the_river/2 phase:place round:3 turn:0 pawn:0 end:0 cursor:0 returning:wood \
                places:reserve,swap tiles:meadow_take_stone,desert_store2,meadow_prod_wood,\
                meadow_per_meadow,desert_store2 \
                discarded:desert_store2,forest_wood2,forest_wood_store,meadow_per_mountain \
                removed:forest_wood2 buildings:s2,w3c2s1,w3c2s2 \
                seat:0 board:yellow spots:mountain_stone2,meadow_take_clay,meadow_per_desert,\
                meadow_income_clay held:c3 tokens:0 token_points:0 boat:2 pioneers:3 claims:0 \
                framed:0 built:- reserved:w2s2 \
                seat:1 board:black spots:desert_store2,badlands_clay2,forest_wood_store,\
                badlands_clay_store held:c1s2f1 tokens:0 token_points:0 boat:2 pioneers:3 \
                claims:0 framed:0 built:- reserved:w1c2s2";
    let state = game.parse_position(text).unwrap();
    let mut facts = PositionFacts::default();
    game.position_facts(&state, &mut facts);
    let has = |list: &FactList, block: &FactBlock, name: &str| {
        assert!(block.inputs().iter().any(|input| input == name), "no input {name}");
        names(list, block).iter().any(|input| input == name)
    };
    let seat = |seat: usize, name: &str| has(&facts.seats[seat], &table.seat, name);
    assert!(seat(0, "held.clay>=3") && !seat(0, "held.clay>=4"));
    // Seat 1 has 2 stone for `s2`, and with the discount lacks wood and clay for `w1c2s2`, of
    // which the food covers one.
    assert!(seat(1, "visible.payable.now") && !seat(0, "visible.payable"));
    assert!(seat(1, "reserved.payable") && seat(1, "reserved.payable.food>=1"));
    // Spot 5 lies below spot 4, a meadow; 3 of the tiles are meadows.
    assert!(seat(0, "next=middle") && seat(0, "next=middle,matching=3"));
    assert!(seat(1, "next=middle,matching=0"));
    let shared = |name: &str| has(&facts.shared, &table.shared, name);
    assert!(shared("closed=reserve") && !shared("closed=swap") && shared("next_token>=6"));
    let legal = game.legal_actions(&state);
    let action = |name: &str, input: &str| {
        let action = game.parse_action(name).unwrap();
        let mut found = false;
        game.action_facts(&state, state.decider(), &legal, &mut |listed, list| {
            found |= listed == action && has(list, &table.action, input);
        });
        found
    };
    assert!(action("claim:meadow_prod_wood", "claim.match=middle"));
    assert!(action("claim:desert_store2", "claim.match=middle_differs"));
    assert!(action("claim:meadow_per_meadow", "claim.points_per_terrain.value>=4"));
}
