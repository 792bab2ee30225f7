#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]
use super::{
    super::{
        CommonRiver,
        action::{Actions, all_decisions},
    },
    actions::kind_index,
};
use watershed_engine::{
    config::Document,
    game::{
        ActionSet, Features, Game, Seat, Turn,
        facts::{FactBlock, FactList, MAX_FACTS, PositionFacts},
    },
    games::GameDefinition,
    rng::{Purpose, Rng, random_below, stream},
};

/// The data file of the program.
const DATA: &str = include_str!("../../../../configs/common_river.toml");

/// Calls `visit` for every position of some random games.
fn visit_random_games(
    game: &CommonRiver,
    games: u64,
    mut visit: impl FnMut(&<CommonRiver as Game>::State, &mut Rng),
) {
    for index in 0..games {
        let mut rng = stream(5, 0, index, Purpose::Playout);
        let mut state = game.initial();
        loop {
            let action = match game.turn(&state) {
                Turn::Over => break,
                Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                Turn::Seat(_) => {
                    let legal = game.legal_actions(&state);
                    legal.nth(random_below(&mut rng, legal.len() as u32) as usize)
                }
            };
            visit(&state, &mut rng);
            game.apply(&mut state, action);
        }
    }
}

fn bind(edits: &[(&str, &str)], players: usize) -> CommonRiver {
    let mut text = DATA.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    CommonRiver::bind(&Document::embedded("edited.toml", &text), players).unwrap()
}

fn input_names(game: &CommonRiver) -> [Vec<String>; 4] {
    game.fact_table().blocks().map(|(_, block)| block.inputs().to_vec())
}

/// Values that are larger or smaller than all that the facts tell apart.
const EDITS: [(&str, &str); 14] = [
    ("days = 10 ", "days = 4 "),
    ("days = 4 ", "days = 11 "),
    ("almanac = 3 ", "almanac = 5 "),
    ("tokens_per_gold = 2 ", "tokens_per_gold = 3 "),
    ("agriculture_fish = 15 ", "agriculture_fish = 40 "),
    ("city_cost = { fish = 5,", "city_cost = { fish = 25,"),
    ("boat = 5 ", "boat = 12 "),
    ("start = { fish = 1, tree = 1, gravel = 1 }", "start = { fish = 9, tree = 30, gravel = 30 }"),
    ("modifier = -6 ", "modifier = -20 "),
    ("modifier = 6 ", "modifier = 30 "),
    ("elevation = 7,", "elevation = 60,"),
    ("elevation = 2,", "elevation = -3,"),
    ("fish_slots = 3 ", "fish_slots = 5 "),
    ("objectives = [\"agriculture\", \"capital\"]", "objectives = [\"charity\"]"),
];

#[test]
fn inputs_are_the_same_for_all_data_files_and_numbers_of_players() {
    let names = input_names(&bind(&[], 2));
    assert!(names.iter().all(|block| block.len() > 50), "{:?}", names.map(|block| block.len()));
    for players in 1..=5 {
        assert_eq!(input_names(&bind(&[], players)), names);
        assert_eq!(input_names(&bind(&EDITS, players)), names);
    }
}

fn assert_in_range(list: &FactList, block: &FactBlock) {
    assert!(list.as_slice().len() < MAX_FACTS);
    assert!(list.as_slice().iter().all(|&fact| usize::from(fact) < block.facts().len()));
}

#[test]
fn all_facts_of_random_games_are_in_the_table() {
    for players in 1..=5 {
        for game in [bind(&[], players), bind(&EDITS, players)] {
            let table = game.fact_table();
            visit_random_games(&game, 12, |state, _| {
                let mut facts = PositionFacts::default();
                game.position_facts(state, &mut facts);
                for seat in 0..players {
                    assert_in_range(&facts.seats[seat], &table.seat);
                    assert_in_range(&facts.views[seat], &table.view);
                }
                assert_in_range(&facts.shared, &table.shared);
                if let Turn::Seat(seat) = game.turn(state) {
                    let legal = game.legal_actions(state);
                    game.action_facts(state, seat, &legal, &mut |_, list| {
                        assert_in_range(list, &table.action);
                        assert!(!list.as_slice().is_empty());
                    });
                }
            });
        }
    }
}

#[test]
fn facts_do_not_depend_on_the_roles_of_others() {
    for players in 3..=5 {
        let game = bind(&[], players);
        visit_random_games(&game, 20, |state, rng| {
            let mut facts = PositionFacts::default();
            game.position_facts(state, &mut facts);
            for seat in (0..players).map(Seat::new) {
                let dealt = game.determinize(state, seat, rng);
                let mut other_facts = PositionFacts::default();
                game.position_facts(&dealt, &mut other_facts);
                assert_eq!(facts.seats, other_facts.seats);
                assert_eq!(facts.shared, other_facts.shared);
                assert_eq!(facts.views[seat.index()], other_facts.views[seat.index()]);
                if game.turn(state) == Turn::Seat(seat) {
                    let legal = game.legal_actions(state);
                    let action_facts = |state| {
                        let mut lists = Vec::new();
                        game.action_facts(state, seat, &legal, &mut |action, list| {
                            lists.push((action, *list));
                        });
                        lists
                    };
                    assert_eq!(action_facts(state), action_facts(&dealt));
                }
            }
        });
    }
}

#[test]
fn views_show_the_objectives_of_the_own_role() {
    let game = bind(&[], 3);
    let table = game.fact_table();
    let mut roles_seen = 0;
    visit_random_games(&game, 40, |state, _| {
        let mut facts = PositionFacts::default();
        game.position_facts(state, &mut facts);
        for seat in (0..3).map(Seat::new) {
            let Some(role) = state.role(seat) else { continue };
            roles_seen |= 1 << role;
            let objectives = &game.data().role[role].objectives;
            let mut names: Vec<_> =
                objectives.iter().map(|objective| *objective as usize).collect();
            names.sort_unstable();
            let pair = format!(
                "own.pair={}+{}",
                super::groups::OBJECTIVE.name(names[0]),
                super::groups::OBJECTIVE.name(names[1])
            );
            let inputs = facts.views[seat.index()].as_slice().iter();
            let inputs = inputs.flat_map(|&fact| &table.view.facts()[usize::from(fact)]);
            let pairs: Vec<_> = inputs
                .map(|&input| &*table.view.inputs()[usize::from(input)])
                .filter(|name| name.contains('+') && !name.contains('.') || *name == pair)
                .collect();
            assert_eq!(pairs, [pair]);
        }
    });
    assert_eq!(roles_seen, (1 << game.data().role.len()) - 1, "all roles occur");
}

#[test]
fn actions_have_the_index_of_their_kind() {
    for action in all_decisions() {
        let mut actions = Actions::default();
        actions.insert(action);
        assert_eq!(actions.kinds(), 1 << kind_index(action), "{action:?}");
    }
}
