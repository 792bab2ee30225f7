//! The contract of every game of the list, also of its type erased.

use crate::task::{GameTask, bind_and_run};

use watershed::{
    BuiltInGame, Experiment, bots::profile::BotLibrary, erased::AnyGame, game::conformance,
    games::built_in_games,
};

/// Plays a few games of a game of the program by the public check, and others with and without its
/// type.
struct CheckContract;

impl GameTask for CheckContract {
    type Output = Result<(), String>;

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> Self::Output {
        let any = AnyGame::new(game.clone());
        let bots = ["random-kind", "balanced", "mcts:iterations=10"].into_iter().cycle();
        let bots = bots.take(game.seats()).map(|name| library.read(name).unwrap());
        let lineup: Vec<_> = bots.collect();
        let experiment = Experiment {
            records: true,
            opening_steps: 3,
            play_statistics: true,
            ..Experiment::new(&lineup, 1, 0..2)
        };
        let (mut erased, typed) = (experiment.play(&any), experiment.play(game));
        // Only games with their types count resources.
        erased.resources = typed.resources.clone();
        assert_eq!(erased, typed);
        // Actions of an erased game are larger than the contract allows.
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
