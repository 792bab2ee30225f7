//! The contract of every game of the list.

use crate::task::{GameTask, bind_and_run};

use watershed::{BuiltInGame, bots::profile::BotLibrary, game::conformance, games::built_in_games};

/// Plays a few games of a game of the program by the public check.
struct CheckContract;

impl GameTask for CheckContract {
    type Output = Result<(), String>;

    fn run<G: BuiltInGame>(self, game: &G, _: &BotLibrary) -> Self::Output {
        conformance::check(game, 5, 1)
    }
}

#[test]
fn every_game_of_the_list_keeps_its_contract() {
    for game in built_in_games().all() {
        for players in game.min_players..=game.max_players {
            let document = game.default_document();
            let checked = bind_and_run(game.id, &document, players, CheckContract).unwrap();
            checked.unwrap_or_else(|violation| panic!("{}: {violation}", game.id));
        }
    }
}
