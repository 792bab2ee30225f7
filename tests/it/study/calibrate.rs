//! `watershed calibrate`: bots of known calibration, and the output of the program.

use watershed::BuiltInGame as _;
use watershed::{
    Experiment, GameDefinition as _,
    arena::block_experiment::BlockExperiment as _,
    bots::{Bot, BotFactory, View},
    experiments::calibration::CalibrationExperiment,
    game::{Game, MAX_SEATS, Seat},
    games::glassworks::Glassworks,
    rng::Rng,
    search::ensemble::{ActionResult, SearchResult},
    study::calibrate::analysis::{BotCalibration, CHANCES, Source},
};

use crate::support::Folder;

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
    let games = CalibrationExperiment { game: &game, experiment }.run(&false.into(), &|_| ());
    BotCalibration::new(&games, &[0, 1], 2).unwrap()
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
    assert!(map.map.nobody.is_none());
}

const RUN: &str = "calibrate --game glassworks --bots mcts:iterations=10 --games 12 --quiet";

#[test]
fn output_is_the_same_for_any_number_of_threads() {
    let folder = Folder::new();
    let [one, two] = ["1", "2"].map(|threads| {
        let output = format!("--threads {threads} --out {threads} --write {threads}.toml");
        let printed = folder.succeeds(&format!("{RUN} {output}"));
        let tables = ["calibration", "policy_rank", "chance_maps"]
            .map(|table| folder.read(format!("{threads}/{table}.csv")));
        (
            printed,
            tables,
            folder.read(format!("{threads}.toml")),
            folder.read(format!("{threads}/report.html")),
        )
    });
    assert!(one == two);
    assert!(one.0.lines().skip(1).all(|line| line.chars().count() <= 80), "{}", one.0);
    for chance in CHANCES {
        assert!(one.1[0].contains(&format!(",position,mover,{chance},0.5-0.6,")), "{}", one.1[0]);
    }
}

/// A second run with the same number of iterations replaces its map; another number adds one.
#[test]
fn maps_are_added_to_a_file() {
    let folder = Folder::new();
    let run = |iterations: u32, games: u32| {
        let bots = format!("--game glassworks --bots mcts:iterations={iterations}");
        let output = "--quiet --out run --force --write maps.toml";
        folder.succeeds(&format!("calibrate {bots} --games {games} {output}"));
        folder.read("maps.toml")
    };
    run(10, 4);
    let text = run(5, 3);
    assert_eq!(text.matches("[[search]]").count(), 2, "{text}");
    assert!(text.find("iterations = 5\n") < text.find("iterations = 10\n"), "{text}");
    let text = run(10, 6);
    assert_eq!(text.matches("[[search]]").count(), 2, "{text}");
    assert!(text.contains("games = 6\n") && !text.contains("games = 4\n"), "{text}");
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = Folder::new();
    folder.write("maps.toml", "[[search]]\nbot = 3\n");
    for (arguments, parts) in [
        ("--bots random", ["--bots: ", "expected a bot that searches"]),
        ("--bots mcts,random --write new.toml", ["--write: ", "one bot in all seats"]),
        ("--bots mcts:trees=2 --write new.toml", ["--write: ", "`iterations`"]),
        ("--bots mcts:iterations=5 --write maps.toml", ["maps.toml:", "bot"]),
        ("--shard 1/2 --write new.toml", ["--shard", "--write"]),
    ] {
        folder.refuses(&format!("calibrate {arguments} --games 2 --out run"), &parts);
    }
}
