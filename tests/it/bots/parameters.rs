//! Parameters of bots that are refused, and defaults that depend on the game.

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
        ("implicit_minimax=0.2", "`implicit_minimax`", "`value`"),
        (
            "implicit_minimax=0.2:value=balanced:branching=own-moves",
            "`implicit_minimax`",
            "`branching`",
        ),
        ("chance_nodes=2:branching=per-seat", "`chance_nodes`", "`branching`"),
        ("reuse=0.5:branching=per-seat", "`reuse`", "`branching`"),
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
        (unit("weights = { tokens = 1 }"), "`hidden[0]", "output"),
        (
            unit("output = 1\nweights = { gold = 1 }"),
            "`hidden[0].weights.gold`",
            "a feature of the_river",
        ),
        (unit("output = nan\nweights = {}"), "`hidden[0].output`", "from -1000000000"),
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
        ("the_river", "mcts:implicit_minimax=0.2", "shared"),
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
