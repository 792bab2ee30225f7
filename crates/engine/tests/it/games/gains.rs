//! Gains of actions in words, in random games.

use watershed::{
    BuiltInGame,
    bots::profile::BotLibrary,
    game::{ActionSet as _, Gain},
    games::built_in_games,
    rng::{Purpose, random_below, stream},
};

use super::play_game;
use crate::task::{GameTask, bind_and_run};

/// A task that checks the gains of all legal actions of random games.
struct CheckGains;

impl GameTask for CheckGains {
    type Output = ();

    fn run<G: BuiltInGame>(self, game: &G, _library: &BotLibrary) {
        let mut rng = stream(game.seats() as u64, 0, 0, Purpose::Playout);
        let mut gains = 0;
        play_game(game, &mut rng, |state, _, rng| {
            let legal = game.legal_actions(state);
            for action in legal.iter() {
                let found = game.gains(state, action);
                for gain in &found {
                    check_name(&gain.name);
                    assert!(gain.seat.index() < game.seats() && gain.worth >= 0, "{gain:?}");
                    assert!(gain.amount != Some(0), "{gain:?}");
                }
                gains += found.len();
            }
            legal.nth(random_below(rng, legal.len() as u32) as usize)
        });
        assert!(gains > 0);
    }
}

/// Checks that a name can stand within a sentence and has no notation.
fn check_name(name: &str) {
    let label = name.split('“').next().unwrap();
    assert!(!name.is_empty() && name.chars().count() <= Gain::MAX_NAME, "{name}");
    assert!(!label.contains(['_', ':', '*', '@', '→', '.']), "{name}");
}

#[test]
fn gains_of_random_games_are_plain() {
    for game in built_in_games().all() {
        for players in 1..=5 {
            // Other numbers of players than those of the game are refused.
            let _ = bind_and_run(game.id, &game.default_document(), players, CheckGains);
        }
    }
}
