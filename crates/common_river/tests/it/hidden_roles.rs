//! Roles are hidden: determinizations deal them uniformly among those that a seat cannot exclude.

use std::collections::BTreeMap;

use watershed_common_river::{CommonRiver, state::State};
use watershed_engine::{
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
