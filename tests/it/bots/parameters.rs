//! Parameters of bots: defaults that depend on the game, and options after a profile.

use crate::task::{GameTask, bind_and_run};
use serde_json::{Value, json};
use watershed::BuiltInGame;
use watershed::{bots::profile::BotLibrary, games::built_in_games};

use crate::support::Folder;

#[test]
fn the_default_tree_of_a_search_depends_on_game_and_options() {
    let folder = Folder::new();
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
        let bots = format!("{bot}:iterations=2,random");
        folder.succeeds(&format!(
            "simulate --game {game} --players 2 --bots {bots} --games 2 --out run --force"
        ));
        let manifest = folder.manifest("run");
        assert_eq!(manifest["bots"][0]["parameters"]["branching"], branching, "{game} {bots}");
    }
}

#[test]
fn the_default_choice_of_a_search_depends_on_its_iterations() {
    let expected = [
        ("mcts:iterations=64", "halving", 0.0),
        ("mcts:iterations=65", "bound", 0.8),
        ("mcts", "bound", 0.8),
        ("mcts:iterations=32:reuse=0.5", "bound", 0.8),
        ("mcts:iterations=32:selection=ucb1", "bound", 0.0),
        ("mcts:iterations=32:playout=random", "visits", 0.0),
        ("uct:iterations=32", "visits", 0.0),
    ];
    for (bot, choice, share) in expected {
        let [found] = parameters("the_river", 2, [bot]);
        assert_eq!(found["final_choice"], choice, "{bot}");
        assert_eq!(found["deviation_share"], share, "{bot}");
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

/// The search that others are measured against stays the same when defaults change.
#[test]
fn the_search_of_version_0_1_has_fixed_parameters() {
    for game in built_in_games().all() {
        for players in game.min_players..=game.max_players {
            let [found] = parameters(game.id, players, ["mcts-0.1"]);
            let (value, playout, branching) = match game.id {
                "the_river" => ("network", "random-kind", "own-moves"),
                "glassworks" => ("learned", "balanced", "shared"),
                _ => ("learned", "random-kind", "shared"),
            };
            let expected = json!({
                "kind": "mcts",
                "description": "Tree search of version 0.1",
                "value": format!("{value}{players}"),
                "prior": format!("learned{players}"),
                "selection": "puct",
                "exploration": 0.3,
                "bias": 0.0,
                "first_play_reduction": 0.2,
                "widening_exponent": 0.5,
                "chance_exponent": 0.5,
                "branching": branching,
                "opponents": "max-n",
                "playout": playout,
                "playout_epsilon": 0.0,
                "cut_off": 0,
                "policy_refresh": 1.0,
                "margin_weight": 0.0,
                "margin_scale": 30.0,
                "rank_weight": 0.0,
                "final_choice": "visits",
                "candidates": 4,
                "deviation_share": 0.0,
                "reuse": 0.0,
                "trees": 1,
                "worlds": false,
                "nodes": 4_194_303,
            });
            let mut given = found.as_object().unwrap().clone();
            given.retain(|_, value| !value.is_null());
            assert_eq!(Value::Object(given), expected, "{} with {players}", game.id);
        }
    }
}

#[test]
fn options_after_a_profile_replace_its_own() {
    let folder = Folder::new();
    folder.write("mine.toml", "kind = \"mcts\"\nexploration = 0.7\nvalue = \"learned{players}\"\n");
    let path = folder.path("mine.toml").display().to_string();
    let bots = [
        "balanced",
        "balanced:epsilon=0.25:tokens=3",
        "mcts-0.1:iterations=50:value=learned2",
        &path,
        &format!("{path}:iterations=70:prior=network{{players}}"),
    ];
    let [balanced, changed, search, mine, mine_changed] = parameters("the_river", 3, bots);
    let mut expected = balanced;
    expected["epsilon"] = 0.25.into();
    expected["weights"]["tokens"] = 3.0.into();
    assert_eq!(changed, expected);

    let [mut expected] = parameters("the_river", 3, ["mcts-0.1"]);
    expected["iterations"] = 50.into();
    expected["value"] = "learned2".into();
    assert_eq!(search, expected);

    let mut expected = mine;
    assert_eq!(expected["value"], "learned3");
    expected["iterations"] = 70.into();
    expected["prior"] = "network3".into();
    assert_eq!(mine_changed, expected);
}
