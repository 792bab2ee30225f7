//! Parameters of bots that are refused, and defaults that depend on the game.

use crate::task::{GameTask, bind_and_run};
use serde_json::{Value, json};
use watershed::BuiltInGame;
use watershed::{bots::profile::BotLibrary, games::built_in_games};

use crate::support::Folder;

/// The message names the key that is wrong, or that requires another one.
#[test]
fn contradictory_bots_are_refused() {
    let folder = Folder::new();
    let refused = [
        ("selection=puct", "`selection`", "`prior`"),
        ("bias=1", "`bias`", "`prior`"),
        ("widening=2", "`widening`", "`prior`"),
        ("prior_temperature=2", "`prior_temperature`", "`prior`"),
        ("value_temperature=2", "`value_temperature`", "`value`"),
        ("cut_off=2", "`cut_off`", "`value`"),
        ("chance_nodes=2:branching=per-seat", "`chance_nodes`", "`branching`"),
        ("reuse=0.5:branching=per-seat", "`reuse`", "`branching`"),
        ("deviation_share=0.5", "`deviation_share`", "`selection`"),
        ("reuse=0.5:final_choice=halving", "`reuse`", "`final_choice`"),
        ("prior=random", "`prior`", "a heuristic"),
        ("value=mcts", "`value`", "does not search"),
        ("playout=nobody", "`nobody`", "a bot of"),
        ("margin_scale=0", "`margin_scale`", "at least 0.001"),
        ("exploration=1e300", "`exploration`", "from 0 to 1000000000"),
        ("exploration=NaN", "`exploration`", "from 0 to 1000000000"),
        ("reuse=1.5", "`reuse`", "from 0 to 1"),
        ("branching=both", "`branching`", "own-moves"),
        ("iterations=many", "`iterations`", "an integer"),
        ("trees=0", "`trees`", "from 1 to 1024"),
    ];
    for (parameters, key, expected) in refused {
        folder.refuses(&format!("simulate --bots uct:{parameters},random"), &[key, expected]);
    }
}

/// The message names the key and the accepted values, without Rust types.
#[test]
fn invalid_bot_parameters_are_refused() {
    let folder = Folder::new();
    let refused = [
        (
            "mcts:selection=5",
            "key `selection`: expected one of `ucb1`, `ucb1-tuned`, `puct`; found 5",
        ),
        (
            "mcts:branching=true",
            "key `branching`: expected one of `shared`, `per-seat`, `own-moves`; found true",
        ),
        (
            "mcts:iterations=0.5",
            "key `iterations`: expected an integer from 1 to 4194303, found 0.5",
        ),
        ("mcts:worlds=7", "key `worlds`: expected true or false, found 7"),
        ("mcts:value=7", "key `value`: expected a string, found 7"),
        (
            "mcts:iterations=5:iterations=6",
            "key `iterations`: expected each key once, found it again",
        ),
        ("mcts:=5", "expected `key=value`, as in `iterations=2000`, found \"=5\""),
        ("mcts:worlds", "expected `key=value`, as in `iterations=2000`, found \"worlds\""),
        ("mcts:a\n=1", "expected `key=value`, as in `iterations=2000`, found \"a\\n=1\""),
        ("mcts:iteration=100", "; found `iteration` (did you mean `iterations`?)"),
        ("heuristic:tokens=many", "found \"many\""),
        ("balancd", "; did you mean `balanced`?"),
        ("mtcs:iterations=100", "; did you mean `mcts`?"),
    ];
    for (bot, message) in refused {
        let output = folder.command("simulate --bots").arg(bot).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{bot}: {text}");
        assert!(
            text.starts_with("error: --bots: bot `") && text.trim_end().ends_with(message),
            "{bot}: {text}"
        );
    }
}

#[test]
fn invalid_hidden_layers_are_refused() {
    let folder = Folder::new();
    let unit = |text: &str| format!("[[hidden]]\n{text}\n");
    let refused = [
        (unit("weights = { tokens = 1 }"), "`hidden.0", "output"),
        (
            unit("output = 1\nweights = { gold = 1 }"),
            "`hidden.0.weights.gold`",
            "a feature of the_river",
        ),
        (unit("output = nan\nweights = {}"), "`hidden.0.output`", "from -1000000000"),
        (
            unit("output = 1\nweights = {}").repeat(33),
            "`hidden`",
            "at most 32 tables, found a list of 33",
        ),
    ];
    for (layer, key, expected) in refused {
        folder.write("mine.toml", format!("kind = \"heuristic\"\n[weights]\ntokens = 1\n{layer}"));
        folder.refuses("simulate --bots mine.toml,random", &["mine.toml", key, expected]);
    }
}

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

    for (bot, message) in [
        ("mcts-0.1:iteration=5", "error: --bots: bot `mcts-0.1:iteration=5`: key `iteration`: "),
        ("mine.toml:bias=-1", "error: --bots: bot `mine.toml:bias=-1`: key `bias`: expected a "),
        ("balanced:gold=1", "error: --bots: bot `balanced:gold=1`: key `weights.gold`: expected "),
        ("balanced:kind=mcts", "error: --bots: bot `balanced:kind=mcts`: key `kind`: expected an"),
        ("balanced:5", "error: --bots: bot `balanced:5`: expected `key=value`"),
    ] {
        folder.refuses(&format!("simulate --bots {bot},random"), &[message]);
    }
    folder.refuses(
        "simulate --bots network:weights=none.network,random",
        &["key `weights`: none.network: can't be read: "],
    );
}
