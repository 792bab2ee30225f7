//! The maps from mean rewards to win chances that are part of the program.

use crate::task::{GameTask, bind_and_run};
use watershed::BuiltInGame;
use watershed::{BotLibrary, games::built_in_games, search::calibration::Calibration};

/// Checks the maps of a game for its number of players, and returns their number.
struct CheckMaps;

impl GameTask for CheckMaps {
    type Output = usize;

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> usize {
        let searches: Vec<_> =
            library.profiles.calibration.for_players(game.seats()).cloned().collect();
        for search in &searches {
            let name = format!("{}:iterations={}", search.bot, search.iterations);
            let read = |options: &str| library.read(&format!("{name}{options}")).unwrap();
            let maps = read("").calibration().at(search.iterations);
            assert_eq!(
                maps,
                Some(search.fitted_maps().maps),
                "bots/{}/calibration.toml: the map of {name} with {} players is of other networks; \
                 remove it, or repeat `{} --write bots/{0}/calibration.toml`",
                G::ID,
                search.players,
                search.command,
            );
            assert_eq!(read(":cpu_ms=5").calibration().at(search.iterations), maps);
            assert_eq!(*read(":exploration=0.7").calibration(), Calibration::default());
        }
        assert_eq!(*library.read("random").unwrap().calibration(), Calibration::default());
        searches.len()
    }
}

#[test]
fn maps_belong_to_the_searches_of_the_program() {
    for game in built_in_games().all() {
        let document = game.default_document();
        for players in game.min_players..=game.max_players {
            let maps = bind_and_run(game.id, &document, players, CheckMaps).unwrap();
            assert!(maps > 0 || game.id == "common_river", "{} with {players} players", game.id);
        }
    }
}
