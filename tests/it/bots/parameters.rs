//! Parameters of bots: defaults that depend on the game, and options after a profile.

use crate::task::{GameTask, bind_and_run};
use serde_json::Value;
use watershed::BuiltInGame;
use watershed::{bots::profile::BotLibrary, games::built_in_games};

use crate::support::Folder;

#[test]
fn the_default_tree_of_a_search_depends_on_game_and_options() {
    let expected = [
        ("the_river", "mcts", "own-moves"),
        ("the_river", "mcts:reuse=0.5", "shared"),
        ("the_river", "mcts:chance_nodes=2", "shared"),
        ("the_river", "mcts:playout=random", "shared"),
        ("the_river", "mcts:branching=per-seat", "per-seat"),
        ("the_river", "uct", "shared"),
        ("glassworks", "mcts", "shared"),
        ("common_river", "mcts", "shared"),
    ];
    for (game, bot, branching) in expected {
        let [found] = parameters(game, 2, [bot]);
        assert_eq!(found["branching"], branching, "{game} {bot}");
    }
}

#[test]
fn the_default_choice_of_a_search_depends_on_its_iterations() {
    let expected = [
        ("mcts:iterations=64", "halving", 0.0, None),
        ("mcts:iterations=65", "bound", 0.8, Some(1.5)),
        ("mcts", "bound", 0.8, Some(1.5)),
        ("mcts:prior=balanced", "bound", 0.8, None),
        ("mcts:iterations=32:reuse=0.5", "bound", 0.8, Some(1.5)),
        ("mcts:iterations=32:selection=ucb1", "bound", 0.0, None),
        ("mcts:iterations=32:playout=random", "visits", 0.0, None),
        ("uct:iterations=32", "visits", 0.0, None),
    ];
    for (bot, choice, share, temperature) in expected {
        let [found] = parameters("the_river", 2, [bot]);
        assert_eq!(found["final_choice"], choice, "{bot}");
        assert_eq!(found["deviation_share"], share, "{bot}");
        assert_eq!(found["prior_temperature"].as_f64(), temperature, "{bot}");
    }
}

/// A task that reads bots and returns their parameters.
struct Parameters<'a>(&'a [&'a str]);

impl GameTask for Parameters<'_> {
    type Output = Vec<Value>;

    fn run<G: BuiltInGame>(self, _: &G, library: &BotLibrary) -> Vec<Value> {
        self.0.iter().map(|bot| library.read(bot).unwrap().parameters().clone()).collect()
    }
}

fn parameters<const N: usize>(game: &str, players: usize, bots: [&str; N]) -> [Value; N] {
    let document = built_in_games().find(game).unwrap().default_document();
    let found = bind_and_run(game, &document, players, Parameters(&bots)).unwrap();
    found.try_into().unwrap()
}

#[test]
fn options_after_a_profile_replace_its_own() {
    let folder = Folder::new();
    folder.write("mine.toml", "kind = \"mcts\"\nexploration = 0.7\nvalue = \"expert{players}\"\n");
    let path = folder.path("mine.toml").display().to_string();
    let bots = [
        "balanced",
        "balanced:epsilon=0.25:fish=3",
        "mcts:iterations=200:value=balanced",
        &path,
        &format!("{path}:iterations=70:prior=expert{{players}}"),
    ];
    let [balanced, changed, search, mine, mine_changed] = parameters("common_river", 3, bots);
    let mut expected = balanced;
    expected["epsilon"] = 0.25.into();
    expected["weights"]["fish"] = 3.0.into();
    assert_eq!(changed, expected);

    let [mut expected] = parameters("common_river", 3, ["mcts"]);
    expected["iterations"] = 200.into();
    expected["value"] = "balanced".into();
    assert_eq!(search, expected);

    let mut expected = mine;
    assert_eq!(expected["value"], "expert3");
    expected["iterations"] = 70.into();
    expected["prior"] = "expert3".into();
    assert_eq!(mine_changed, expected);
}
