#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]
use super::{
    super::{CommonRiver, state::State},
    groups::OBJECTIVE,
};
use watershed_engine::{
    config::Document,
    game::{
        ActionSet, Features, Game, Seat, Turn,
        facts::{FactBlock, PositionFacts},
    },
    games::GameDefinition,
    rng::{Purpose, stream},
};

#[test]
fn views_show_the_objectives_of_the_own_role() {
    let data = include_str!("../../../../configs/common_river.toml");
    let game = CommonRiver::bind(&Document::embedded("common_river", data), 3).unwrap();
    let table = game.fact_table();
    let mut roles_seen = 0;
    for index in 0..40 {
        let mut rng = stream(5, 0, index, Purpose::Playout);
        let mut state = game.initial();
        while game.turn(&state) != Turn::Over {
            roles_seen |= assert_pairs_of_roles(&game, &state, &table.view);
            let action = match game.turn(&state) {
                Turn::Seat(_) => game.legal_actions(&state).sample(&mut rng),
                _ => game.sample_chance(&state, &mut rng),
            };
            game.apply(&mut state, action);
        }
    }
    assert_eq!(roles_seen, (1 << game.data().role.len()) - 1, "all roles occur");
}

/// Returns the roles of the seats, bit r for role r.
fn assert_pairs_of_roles(game: &CommonRiver, state: &State, block: &FactBlock) -> u32 {
    let mut facts = PositionFacts::default();
    game.position_facts(state, &mut facts);
    let mut roles = 0;
    for seat in (0..3).map(Seat::new) {
        let Some(role) = state.role(seat) else { continue };
        roles |= 1 << role;
        let objectives = &game.data().role[role].objectives;
        let mut names: Vec<_> = objectives.iter().map(|objective| *objective as usize).collect();
        names.sort_unstable();
        let [first, second] = [names[0], names[1]].map(|objective| OBJECTIVE.name(objective));
        let pair = format!("own.pair={first}+{second}");
        let inputs = facts.views[seat.index()].as_slice().iter();
        let inputs = inputs.flat_map(|&fact| &block.facts()[usize::from(fact)]);
        let pairs: Vec<_> = inputs
            .map(|&input| &*block.inputs()[usize::from(input)])
            .filter(|name| name.contains('+') && !name.contains('.') || *name == pair)
            .collect();
        assert_eq!(pairs, [pair]);
    }
    roles
}
