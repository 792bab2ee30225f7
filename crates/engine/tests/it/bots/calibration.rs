//! The maps from mean rewards to win chances: those that are part of the program, and those of bots
//! of known calibration.

use crate::task::{GameTask, bind_and_run};
use watershed::BuiltInGame;
use watershed::{
    BotLibrary, Experiment,
    arena::block_experiment::BlockExperiment as _,
    bots::{Bot, BotFactory, View},
    experiments::calibration::CalibrationExperiment,
    game::{Game, MAX_SEATS, Seat},
    games::{GameDefinition as _, built_in_games, glassworks::Glassworks},
    rng::Rng,
    search::{
        calibration::Calibration,
        ensemble::{ActionResult, SearchResult},
    },
    study::calibrate::analysis::{BotCalibration, Source},
};

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
            let mut modes = game.modes().into_iter().map(|(mode, _)| mode);
            let mode = modes.find(|mode| search.mode.as_deref() == Some(mode.name));
            let maps_of = |bot: &BotFactory| bot.calibration().of_mode(mode).at(search.iterations);
            let maps = maps_of(&read(""));
            assert_eq!(
                maps,
                Some(search.fitted_maps().maps),
                "bots/{}/calibration.toml: the map of {name} with {} players is of other networks; \
                 remove it, or repeat `{} --write bots/{0}/calibration.toml`",
                G::ID,
                search.players,
                search.command,
            );
            assert_eq!(maps_of(&read(":cpu_ms=5")), maps);
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

/// Chances of a search with their odds to a power.
fn sharpen(values: [f64; MAX_SEATS], power: f64) -> [f64; MAX_SEATS] {
    let odds = values.map(|value| value.max(1.0 / 2048.0).powf(power));
    let total = odds[0] + odds[1];
    std::array::from_fn(|seat| if seat < 2 { odds[seat] / total } else { 0.0 })
}

/// A bot that plays as its search does and prints the chances with their odds to a power.
#[derive(Clone)]
struct Sharpened {
    search: Box<dyn Bot<Glassworks>>,
    power: f64,
}

type Action = <Glassworks as Game>::Action;

impl Bot<Glassworks> for Sharpened {
    fn reset(&mut self) {
        self.search.reset();
    }

    fn choose(
        &mut self,
        view: &View<'_, Glassworks>,
        legal: &<Glassworks as Game>::Actions,
        rng: &mut Rng,
    ) -> Action {
        self.search.choose(view, legal, rng)
    }

    fn observe(&mut self, seat: Seat, action: Action) {
        self.search.observe(seat, action);
    }

    fn last_search(&self) -> Option<SearchResult<Action>> {
        let result = self.search.last_search()?;
        let sharpen_action = |action: &ActionResult<Action>| ActionResult {
            values: sharpen(action.values, self.power),
            ..*action
        };
        Some(SearchResult {
            values: sharpen(result.values, self.power),
            actions: result.actions.iter().map(sharpen_action).collect(),
            ..result
        })
    }
}

/// Plays games in which all seats print sharpened chances.
fn calibration(power: f64) -> BotCalibration {
    let game = Glassworks::bind(&Glassworks::default_document(), 2).unwrap();
    let search = game.bot_library().read("mcts:iterations=20").unwrap();
    let bot = BotFactory::new("sharpened", move || Sharpened { search: search.build(), power });
    let lineup = [bot.clone(), bot];
    let experiment = Experiment::new(&lineup, 5, 0..240);
    let experiment = CalibrationExperiment { game: &game, experiment, mode: None };
    let games = experiment.player()(experiment.blocks(), &|_| ());
    BotCalibration::new(&games, &[0, 1], 2, false).unwrap()
}

/// The odds to the power of 3 are too confident. The map restores them, so its slope is about a
/// third of that of the original search (the maps cut off the smallest chances), and its chances
/// are calibrated again.
#[test]
fn an_overconfident_bot_is_found_and_corrected() {
    let [original, overconfident] = [1.0, 3.0].map(calibration);
    let (raw, all) = overconfident.calibrated_tenths(0);
    assert!(2 * raw < all, "{raw} of {all}: {:#?}", overconfident.rows);
    let (calibrated, all) = overconfident.calibrated_tenths(1);
    assert!(
        10 * calibrated >= 9 * all,
        "{calibrated} of {all}: {:#?} {:?}",
        overconfident.rows,
        overconfident.maps
    );
    for (one, other) in original.maps.iter().zip(&overconfident.maps) {
        assert!((one.slope.value / 3.0 - other.slope.value).abs() < 0.05, "{one:?} {other:?}");
        assert!(other.slope.high < 0.9, "{other:?}");
        assert!(other.calibrated_loss + 0.03 < other.loss, "{other:?}");
        assert!((one.calibrated_loss - other.calibrated_loss).abs() < 0.02, "{one:?} {other:?}");
    }
}

/// Chances that are calibrated already, by the map of the same games, get a map near the identity.
#[test]
fn the_map_of_a_calibrated_bot_is_near_the_identity() {
    let slope = calibration(1.0).maps[Source::Position as usize].slope.value;
    let again = calibration(slope);
    let map = &again.maps[Source::Position as usize];
    assert!((map.slope.value - 1.0).abs() < 0.02, "{map:?}");
    assert!(map.slope.low < 1.0 && 1.0 < map.slope.high, "{map:?}");
    assert!((map.loss - map.calibrated_loss).abs() < 0.01, "{map:?}");
    assert!(map.map.no_win.is_none());
}
