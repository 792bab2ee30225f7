#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]
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
        facts::{FactBlock, FactList, PositionFacts},
    },
    games::GameDefinition,
    rng::{Purpose, random_below, stream},
};

/// Binds the data file of the program.
fn bind(players: usize) -> TheRiver {
    let data = include_str!("../../../../configs/the_river.toml");
    TheRiver::bind(&Document::embedded("the_river", data), players).unwrap()
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

/// Returns the names of the inputs of the facts of a list.
fn names(list: &FactList, block: &FactBlock) -> Vec<String> {
    let facts = list.as_slice().iter().map(|&fact| &block.facts()[usize::from(fact)]);
    facts.flatten().map(|&input| block.inputs()[usize::from(input)].clone()).collect()
}

#[test]
fn points_are_those_of_the_score() {
    for players in 2..=4 {
        let game = bind(players);
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
    let game = bind(2);
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
    let game = bind(2);
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
    assert!(shared("closed=reserve") && shared("closed=swap") && !shared("closed=food"));
    assert!(shared("free.food>=1") && !shared("free.food>=2") && shared("next_token>=6"));
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
