//! Roles are hidden: determinizations deal them uniformly among those that a seat cannot exclude,
//! and no choice of a bot depends on hidden roles.

use std::collections::BTreeMap;

use watershed_common_river::{CommonRiver, state::State};
use watershed_engine::{
    bots::{BotFactory, View, defaults::SearchDefaults, profile::ProfileLibrary},
    game::{Game, Notation, Seat, Turn},
    games::GameDefinition,
    rng::{Purpose, Rng, stream},
    search::playout::{Policy, Uniform},
};

use crate::bots::FILES;

fn playout_rng(seed: u64) -> Rng {
    stream(seed, 0, 0, Purpose::Playout)
}

/// Returns positions in which a seat decides, some steps apart.
fn decisions(game: &CommonRiver, rng: &mut Rng, step: usize) -> Vec<(State, Seat)> {
    let mut decisions = Vec::new();
    let mut state = game.initial();
    loop {
        let action = match game.turn(&state) {
            Turn::Chance(_) => game.sample_chance(&state, rng),
            Turn::Seat(seat) => {
                decisions.push((state, seat));
                Uniform.choose(game, &state, seat, &game.legal_actions(&state), rng)
            }
            Turn::Over => break,
        };
        game.apply(&mut state, action);
    }
    decisions.into_iter().step_by(step).collect()
}

fn roles(game: &CommonRiver, state: &State) -> Vec<Option<usize>> {
    (0..game.seats()).map(|seat| state.role(Seat::new(seat))).collect()
}

/// Returns the notation of a position without the roles.
fn without_roles(game: &CommonRiver, state: &State) -> String {
    let text = game.position_text(state);
    let words: Vec<_> = text.split(' ').filter(|word| !word.starts_with("role:")).collect();
    words.join(" ")
}

#[test]
fn determinizations_change_only_the_roles_of_others() {
    for players in 1..=5 {
        let game = CommonRiver::bind(&FILES.default_document(), players).unwrap();
        let mut rng = playout_rng(players as u64);
        for (state, _) in decisions(&game, &mut rng, 5) {
            for seat in (0..players).map(Seat::new) {
                let dealt = game.determinize(&state, seat, &mut rng);
                assert_eq!(without_roles(&game, &dealt), without_roles(&game, &state));
                assert_eq!(dealt.role(seat), state.role(seat));
                // The position can be parsed, so that no role is dealt twice.
                assert_eq!(game.parse_position(&game.position_text(&dealt)).as_ref(), Ok(&dealt));
            }
        }
    }
}

#[test]
fn determinizations_deal_all_roles_uniformly() {
    const DEALS: usize = 72 * 500;
    let game = CommonRiver::bind(&FILES.default_document(), 3).unwrap();
    let mut rng = playout_rng(7);
    let (state, _) = decisions(&game, &mut rng, 40)[1];
    let mut deals: BTreeMap<Vec<Option<usize>>, usize> = BTreeMap::new();
    for _ in 0..DEALS {
        *deals
            .entry(roles(&game, &game.determinize(&state, Seat::new(1), &mut rng)))
            .or_default() += 1;
    }
    assert_eq!(deals.len(), 9 * 8, "every deal of two of the nine other roles");
    // Each has an expected count of 500 with a standard deviation of 22.
    assert!(deals.values().all(|count| (390..610).contains(count)), "{deals:?}");
}

#[test]
fn no_choice_depends_on_hidden_roles() {
    let mut differing = 0;
    for players in 3..=5 {
        let game = CommonRiver::bind(&FILES.default_document(), players).unwrap();
        let library = ProfileLibrary {
            search: SearchDefaults {
                playout: "random-kind",
                value: None,
                prior: None,
                own_moves: false,
                halving: false,
            },
            ..FILES.profile_library(&game)
        };
        let searches = [
            "random",
            "random-kind",
            "flat:iterations=20",
            "mcts-0.1:iterations=5",
            "mcts:iterations=20",
            "mcts:iterations=10:playout=balanced",
            "mcts:iterations=20:branching=per-seat",
            "mcts:iterations=20:worlds=true:trees=3",
        ];
        // The search takes too long with its 1000 iterations; `expert2` is for two players.
        let profiles = FILES.profiles.iter().map(|(name, _)| *name);
        let profiles = profiles.filter(|&name| name != "mcts-0.1" && name != "expert2");
        let trader = format!("mcts:iterations=2:cut_off=0:value=learned{players}");
        let names: Vec<&str> = profiles.chain(searches).chain([&*trader]).collect();
        let mut rng = playout_rng(players as u64);
        let mut positions = decisions(&game, &mut rng, 41);
        let mut offering = decisions(&game, &mut rng, 1);
        offering.retain(|(state, _)| !game.offers(state).is_empty());
        positions.extend(offering.into_iter().step_by(7));
        for (index, (state, seat)) in positions.into_iter().enumerate() {
            let other = game.determinize(&state, seat, &mut rng);
            differing += usize::from(other != state);
            for name in &names {
                let mut bot = BotFactory::from(library.read(name).unwrap()).build();
                let mut choose = |state: &State| {
                    let mut rng = stream(1, index as u64, 0, Purpose::Bot(seat.index() as u8));
                    bot.choose(&View::new(&game, state, seat), &game.legal_actions(state), &mut rng)
                };
                assert_eq!(
                    choose(&state),
                    choose(&other),
                    "{name} in {}",
                    game.position_text(&state)
                );
            }
        }
    }
    assert!(differing > 10, "positions with other roles were compared");
}
