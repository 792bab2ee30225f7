//! Consequences of actions in words, in random games.

use watershed::{
    BuiltInGame,
    bots::profile::BotLibrary,
    game::{ActionEffects, ActionSet as _},
    games::built_in_games,
    rng::{Purpose, random_below, stream},
};

use super::play_game;
use crate::task::{GameTask, bind_and_run};

/// A task that checks the consequences of all legal actions of random games.
struct CheckEffects;

impl GameTask for CheckEffects {
    type Output = ();

    fn run<G: BuiltInGame>(self, game: &G, _library: &BotLibrary) {
        let mut rng = stream(game.seats() as u64, 0, 0, Purpose::Playout);
        let mut phrases = 0;
        play_game(game, &mut rng, |state, seat, rng| {
            let legal = game.legal_actions(state);
            let view = game.determinize(state, seat, rng);
            for action in legal.iter() {
                let effects = game.action_effects(state, action);
                assert_eq!(effects, game.action_effects(&view, action), "hidden information");
                let ActionEffects { gains, costs } = &effects;
                gains.iter().chain(costs).for_each(|phrase| check_phrase(phrase));
                phrases += gains.len() + costs.len();
            }
            legal.nth(random_below(rng, legal.len() as u32) as usize)
        });
        assert!(phrases > 0);
    }
}

/// Checks that a phrase can follow "it" and has no notation.
fn check_phrase(phrase: &str) {
    let (verb, object) = phrase.split_once(' ').unwrap();
    let is_third_person = verb.ends_with('s') || verb == "can";
    assert!(is_third_person && verb.bytes().all(|letter| letter.is_ascii_lowercase()), "{phrase}");
    assert!(!object.is_empty() && phrase.chars().count() <= ActionEffects::MAX_PHRASE, "{phrase}");
    assert!(!phrase.contains(['_', ':', '*', '@', '→', '.']), "{phrase}");
}

#[test]
fn phrases_of_random_games_are_plain_and_know_nothing_hidden() {
    for game in built_in_games().all() {
        for players in 1..=5 {
            // Other numbers of players than those of the game are refused.
            let _ = bind_and_run(game.id, &game.default_document(), players, CheckEffects);
        }
    }
}
