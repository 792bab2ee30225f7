//! The program as people and scripts use it: what it refuses, and how it says so.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{files, interrupt, refuses, start, watershed};

/// The default data with one text replaced by another.
fn data_with(folder: &TempDir, from: &str, to: &str) {
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    assert!(data.contains(from), "{from:?} is not in the data");
    fs::write(folder.path().join("mine.toml"), data.replacen(from, to, 1)).unwrap();
}

#[test]
fn unusable_files_are_refused() {
    let folder = TempDir::new().unwrap();
    refuses(&folder, &["simulate", "--config", "missing.toml"], &["missing.toml", "can't be read"]);

    fs::write(folder.path().join("broken.toml"), "name = \"The River\nplayers = 2\n").unwrap();
    refuses(&folder, &["simulate", "--config", "broken.toml"], &["broken.toml:1:"]);

    data_with(&folder, "trade_in = 3", "trade_inn = 3");
    refuses(
        &folder,
        &["simulate", "--config", "mine.toml"],
        &["mine.toml:14", "`rules.trade_inn`", "expected one of", "did you mean `trade_in`?"],
    );

    data_with(&folder, "cost = { wood = 2 }", "cost = { wood = -2 }");
    refuses(
        &folder,
        &["simulate", "--config", "mine.toml"],
        &["mine.toml:", "`building[0].cost.wood`", "from 0 to 6", "-2"],
    );

    data_with(&folder, "copies = 12", "copies = 127");
    refuses(
        &folder,
        &["simulate", "--config", "mine.toml"],
        &["mine.toml:", "`tile`", "at most 128 tiles", "180"],
    );

    data_with(&folder, "copies = 12", "copies = 200");
    refuses(
        &folder,
        &["simulate", "--config", "mine.toml"],
        &["mine.toml:", "`tile[0].copies`", "from 1 to 128", "200"],
    );

    fs::write(folder.path().join("experiment.toml"), "game = \"the_lake\"\n").unwrap();
    refuses(
        &folder,
        &["simulate", "experiment.toml"],
        &["experiment.toml:1", "`game`", "the_river"],
    );
}

#[test]
fn invalid_flags_are_refused() {
    let folder = TempDir::new().unwrap();
    refuses(
        &folder,
        &["simulate", "--players", "5"],
        &["--players", "2 to 4 players", "<configs/the_river.toml>:8", "found 5"],
    );
    refuses(
        &folder,
        &["simulate", "--players", "3", "--bots", "balanced,random"],
        &["--bots", "3 bots for 3 seats", "found 2"],
    );
    refuses(
        &folder,
        &["simulate", "--bots", "balanced,oracle"],
        &["--bots", "`oracle`", "balanced, builder, settler, meadow"],
    );
    refuses(
        &folder,
        &["simulate", "--bots", "mcts:iteration=9,random"],
        &["`iteration`", "`iterations`"],
    );
    refuses(
        &folder,
        &["simulate", "--bots", "mcts:iterations=0,random"],
        &["`iterations`", "from 1 to 4194303"],
    );
    refuses(
        &folder,
        &["simulate", "--bots", "heuristic:beauty=1,random"],
        &["`weights.beauty`", "token_points"],
    );
    refuses(
        &folder,
        &["simulate", "--bots", "mcts:playout=mcts,random"],
        &["`playout`", "does not search"],
    );
    fs::write(folder.path().join("self.toml"), "kind = \"mcts\"\nplayout = \"self.toml\"\n")
        .unwrap();
    refuses(
        &folder,
        &["simulate", "--bots", "self.toml,random"],
        &["self.toml:2", "`playout`", "does not search"],
    );
    refuses(&folder, &["simulate", "--games", "0"], &["--games", "at least 1"]);
    refuses(
        &folder,
        &["simulate", "--bots", "balanced,random", "--games", "18446744073709551615"],
        &["--games", "fewer than", "found 18446744073709551615"],
    );
    refuses(
        &folder,
        &["simulate", "--games", "many"],
        &["--games", "many", "expected a number such as 20000, 20k or 1e6"],
    );
    refuses(&folder, &["simulate", "--seed", "1e6"], &["--seed", "1e6"]);
    refuses(&folder, &["simulate", "--threads", "0"], &["--threads", "at least 1"]);
    refuses(&folder, &["simulate", "--opening-depth", "9"], &["--opening-depth", "0 to 4"]);
    refuses(&folder, &["simulate", "--legal"], &["--records"]);
    refuses(&folder, &["perft"], &["--depth"]);
    refuses(&folder, &["fly"], &["fly"]);
    refuses(&folder, &[], &["expected a command"]);
}

/// Each names the key that is wrong or that another one is missing for.
#[test]
fn contradictory_bots_are_refused() {
    let folder = TempDir::new().unwrap();
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
        ("playout=nobody", "`nobody`", "a profile of"),
        ("margin_scale=0", "`margin_scale`", "at least 0.001"),
        ("exploration=1e300", "`exploration`", "from 0 to 1000000000"),
        ("exploration=NaN", "`exploration`", "from 0 to 1000000000"),
        ("reuse=1.5", "`reuse`", "from 0 to 1"),
        ("branching=both", "`branching`", "own-moves"),
        ("iterations=many", "`iterations`", "an integer"),
        ("trees=0", "`trees`", "from 1 to 1024"),
    ];
    for (parameters, key, expected) in refused {
        refuses(
            &folder,
            &["simulate", "--bots", &format!("uct:{parameters},random")],
            &[key, expected],
        );
    }
}

/// Messages about a line name the key and what it takes, in no words of a library.
#[test]
fn invalid_bot_parameters_are_refused() {
    let folder = TempDir::new().unwrap();
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
        ("heuristic:tokens=many", "key `weights.tokens`: expected a number, found \"many\""),
        ("balancd", "; did you mean `balanced`?"),
        ("mtcs:iterations=100", "; did you mean `mcts`?"),
    ];
    for (bot, message) in refused {
        let output = watershed(folder.path(), &["simulate", "--bots", bot]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{bot}: {text}");
        assert!(
            text.starts_with("error: --bots: bot `") && text.trim_end().ends_with(message),
            "{bot}: {text}"
        );
    }
}

/// What an experiment file says is refused with its file, line and key, and a flag by its name.
#[test]
fn invalid_experiment_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let refused = [
        ("games = 0", "e.toml:1: key `games`: expected at least 1, found 0"),
        ("games = -1", "e.toml:1: key `games`: expected a whole number from 0, found -1"),
        ("seed = 1\nopening_depth = 5", "e.toml:2: key `opening_depth`: expected 0 to 4, found 5"),
        (
            "bots = [\"balanced\", \"random\", \"random\"]",
            "e.toml:1: key `bots`: expected one bot for all seats, or 2 bots for 2 seats, found 3 \
                bots",
        ),
        ("\nbots = [\"balancd\"]", "e.toml:2: key `bots`: bot `balancd`: expected a profile"),
        (
            "players = 9",
            "e.toml:1: key `players`: expected 2 to 4 players, as <configs/the_river.toml>:8 says, \
                found 9",
        ),
        (
            "players = \"two\"",
            "e.toml:1: key `players`: expected a whole number from 0, found \"two\"",
        ),
        ("gamez = 5", "e.toml:1: key `gamez`: expected one of `description`"),
        ("seed = 1\nseed = 2", "e.toml:2: key `seed`: expected each key once"),
    ];
    for (text, message) in refused {
        fs::write(folder.path().join("e.toml"), text).unwrap();
        let output = watershed(folder.path(), &["simulate", "e.toml"]);
        let found = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), found.lines().count()), (Some(2), 1), "{text}: {found}");
        assert!(found.contains(message), "{text}: {found}");
    }
    fs::write(folder.path().join("e.toml"), "players = 3\nbots = [\"oracle\"]\ngames = 0").unwrap();
    let flags = ["simulate", "e.toml", "--games", "3", "--players", "9"];
    refuses(&folder, &flags, &["error: --players: expected 2 to 4 players"]);
    refuses(
        &folder,
        &[&flags[..4], &["--bots", "balancd"]].concat(),
        &["error: --bots: bot `balancd`"],
    );

    data_with(&folder, "trade_in = 3", "trade_in = 2");
    refuses(
        &folder,
        &["simulate", "mine.toml"],
        &["mine.toml: this is a data file", "use --config mine.toml"],
    );
    fs::write(folder.path().join("latin1.toml"), b"name = \"caf\xe9\"").unwrap();
    refuses(
        &folder,
        &["simulate", "--config", "latin1.toml"],
        &["latin1.toml: expected a text file in UTF-8"],
    );
}

/// A run is asked for as people write it, and a flag that is given twice has its last value.
#[test]
fn flags_have_short_forms_and_the_last_one_counts() {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let output = watershed(
            folder.path(),
            &[&["simulate", "--quiet", "--out", "run", "--force"], arguments].concat(),
        );
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let manifest: Value =
            serde_json::from_slice(&fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
        let bots: Vec<_> = manifest["bots"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bot| bot["name"].as_str().unwrap().to_owned())
            .collect();
        (manifest["games_planned"].as_u64().unwrap(), bots)
    };
    let all = |name: &str| vec![name.to_owned(); 3];
    assert_eq!(
        run(&["--players", "3", "--bots", "random", "--games", "0.06k"]),
        (60, all("random"))
    );
    assert_eq!(
        run(&["--players", "3", "--bots", "random*", "--games", "6e1"]),
        (60, all("random"))
    );
    let twice = [
        "--players",
        "2",
        "--players",
        "3",
        "--bots",
        "random,balanced",
        "--bots",
        "balanced",
        "--games",
        "9",
        "--games",
        "6_0",
        "--quiet",
    ];
    assert_eq!(run(&twice), (60, all("balanced")));
}

#[test]
fn invalid_hidden_layers_are_refused() {
    let folder = TempDir::new().unwrap();
    let unit = |text: &str| format!("[[hidden]]\n{text}\n");
    let refused = [
        (unit("weights = { tokens = 1 }"), "`hidden[0]", "output"),
        (
            unit("output = 1\nweights = { gold = 1 }"),
            "`hidden[0].weights.gold`",
            "a feature of the_river",
        ),
        (unit("output = nan\nweights = {}"), "`hidden[0].output`", "from -1000000000"),
        (unit("output = 1\nweights = {}").repeat(33), "`hidden`", "at most 32 units, found 33"),
    ];
    for (layer, key, expected) in refused {
        fs::write(
            folder.path().join("mine.toml"),
            format!("kind = \"heuristic\"\n[weights]\ntokens = 1\n{layer}"),
        )
        .unwrap();
        refuses(
            &folder,
            &["simulate", "--bots", "mine.toml,random"],
            &["mine.toml", key, expected],
        );
    }
}

#[test]
fn the_default_tree_of_a_search_depends_on_game_and_options() {
    let folder = TempDir::new().unwrap();
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
        let run = watershed(
            folder.path(),
            &[
                "simulate",
                "--game",
                game,
                "--players",
                "2",
                "--bots",
                &bots,
                "--games",
                "2",
                "--out",
                "run",
                "--force",
            ],
        );
        assert!(run.status.success(), "{run:?}");
        let manifest: Value =
            serde_json::from_slice(&fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
        assert_eq!(manifest["bots"][0]["parameters"]["branching"], branching, "{game} {bots}");
    }
}

#[test]
fn invalid_keys_to_tune_are_refused() {
    let folder = TempDir::new().unwrap();
    let refused = |profile: &str, keys: &str, parts: &[&str]| {
        refuses(&folder, &["tune", "--profile", profile, "--keys", keys, "--out", "run"], parts);
    };
    refused("oracle", "epsilon=0..1", &["--profile", "`oracle`", "balanced"]);
    refused("missing.toml", "epsilon=0..1", &["--profile", "missing.toml", "can't be read"]);
    refused("balanced", "weights.beauty", &["--keys", "`weights.beauty`", "token_points"]);
    refused(
        "balanced",
        "weights_at_end.beauty",
        &["--keys", "`weights_at_end.beauty`", "token_points"],
    );
    refused("mcts", "weights.*", &["--keys", "expected one of", "`weights`"]);
    refused("balanced", "kind=0..1", &["--keys", "`kind`"]);
    refused("balanced", "rivals=0..1", &["--keys", "`rivals`", "expected true or false"]);
    refused(
        "balanced",
        "epsilon",
        &["--keys", "`epsilon`", "expected a range, as in `epsilon=0..1`"],
    );
    refused("balanced", "epsilon=0..2", &["--keys", "`epsilon`", "from 0 to 1", "2"]);
    refused("balanced", "temperature=9..10", &["--keys", "`temperature`", "own value 8"]);
    refused(
        "balanced",
        "temperature=10..9",
        &["--keys", "`temperature`", "the lower first", "10..9"],
    );
    refused("balanced", "temperature=many", &["--keys", "`temperature`", "two numbers", "many"]);
    refused("balanced", "epsilon=0..1,epsilon=0..0.5", &["--keys", "`epsilon`", "once"]);
    refused("mcts", "explorations", &["--keys", "`explorations`", "did you mean `exploration`?"]);
    refused("uct", "bias=0..1", &["--keys", "`bias`", "expected a `prior` with it"]);
    refused("mcts:iterations=9", "iterations=0..20", &["--keys", "`iterations`", "from 1 to"]);
    refused(
        "mcts:iterations=9",
        "iterations=1.5..20",
        &["--keys", "`iterations`", "a range of integers"],
    );
    refuses(&folder, &["tune", "--profile", "mcts", "--out", "run"], &["--keys", "no weights"]);
    refuses(&folder, &["tune", "--profile", "balanced"], &["--out"]);
    refuses(&folder, &["tune", "--out", "run"], &["--profile"]);
    refuses(
        &folder,
        &["tune", "--profile", "balanced", "--games", "0", "--out", "run"],
        &["--games", "0"],
    );
    refuses(
        &folder,
        &["tune", "--profile", "balanced", "--step", "0", "--out", "run"],
        &["--step", "from 0.0001 to 1"],
    );
    refuses(
        &folder,
        &["tune", "--profile", "balanced", "--point-value", "2", "--out", "run"],
        &["--point-value", "from 0 to 1"],
    );
    let against = [
        "tune",
        "--profile",
        "balanced",
        "--players",
        "3",
        "--out",
        "run",
        "--against",
        "builder,random,balanced",
    ];
    refuses(&folder, &against, &["--against", "2 bots for 2 seats", "found 3"]);
}

#[test]
fn unwritable_outputs_are_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    refuses(
        &folder,
        &["simulate", "--games", "2", "--out", "file/run"],
        &["file/run", "can't be written"],
    );
    refuses(
        &folder,
        &["simulate", "--games", "2", "--out", "run", "--records", "file/games.jsonl"],
        &["file/games.jsonl", "can't be written"],
    );
    fs::create_dir(folder.path().join("folder")).unwrap();
    refuses(
        &folder,
        &["simulate", "--games", "2", "--out", "run", "--records", "folder"],
        &["folder: can't be written", "is a directory"],
    );
}

#[test]
fn a_finished_run_is_overwritten_only_with_force() {
    let folder = TempDir::new().unwrap();
    let run = |more: &[&str]| {
        let mut arguments = vec!["simulate", "--games", "20", "--quiet", "--out", "run"];
        arguments.extend(more);
        watershed(folder.path(), &arguments)
    };
    assert_eq!(run(&[]).status.code(), Some(0));
    let again = run(&["--seed", "2"]);
    assert_eq!(again.status.code(), Some(2));
    let message = String::from_utf8(again.stderr).unwrap();
    assert!(
        message.contains("run: holds a finished run") && message.contains("--force"),
        "{message}"
    );
    assert!(
        fs::read_to_string(folder.path().join("run/run.json")).unwrap().contains("\"seed\": 1")
    );
    assert_eq!(run(&["--seed", "2", "--force"]).status.code(), Some(0));
    assert!(
        fs::read_to_string(folder.path().join("run/run.json")).unwrap().contains("\"seed\": 2")
    );
}

#[test]
fn a_new_run_removes_the_tables_of_the_old_run() {
    let folder = TempDir::new().unwrap();
    let run = |more: &[&str]| {
        let arguments = ["simulate", "--games", "20", "--quiet", "--out", "run", "--force"];
        assert_eq!(
            watershed(folder.path(), &[&arguments[..], more].concat()).status.code(),
            Some(0)
        );
        files(&folder.path().join("run")).contains(&"games.csv".to_owned())
    };
    assert!(run(&["--games-csv"]));
    assert!(!run(&["--seed", "2"]));
}

#[test]
fn records_can_be_written_to_the_new_folder_of_the_run() {
    let folder = TempDir::new().unwrap();
    let made = watershed(
        folder.path(),
        &["simulate", "--games", "2", "--quiet", "--out", "run", "--records", "run/games.jsonl"],
    );
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(files(&folder.path().join("run")).contains(&"games.jsonl".to_owned()));
}

/// A folder that is used again holds nothing of the run before, whatever its game, and everything
/// else that lay there.
#[test]
fn a_run_of_another_game_removes_the_tables_of_the_old_run() {
    let folder = TempDir::new().unwrap();
    let run = |more: &[&str]| {
        let arguments =
            [&["simulate", "--games", "4", "--quiet", "--out", "run", "--force"], more].concat();
        assert_eq!(watershed(folder.path(), &arguments).status.code(), Some(0));
        files(&folder.path().join("run"))
    };
    assert!(run(&["--games-csv"]).contains(&"games.csv".to_owned()));
    fs::write(folder.path().join("run/notes.csv"), "mine").unwrap();
    let written = run(&["--game", "glassworks"]);
    assert!(
        written.contains(&"colours.csv".to_owned()) && written.contains(&"notes.csv".to_owned()),
        "{written:?}"
    );
    for stale in ["buildings.csv", "tiles.csv", "games.csv"] {
        assert!(!written.contains(&stale.to_owned()), "{written:?}");
    }
}

#[test]
fn damaged_records_are_refused() {
    let folder = TempDir::new().unwrap();
    let made = watershed(
        folder.path(),
        &[
            "simulate",
            "--games",
            "4",
            "--quiet",
            "--out",
            "run",
            "--records",
            "games.jsonl",
            "--legal",
        ],
    );
    assert_eq!(made.status.code(), Some(0));
    let whole = watershed(folder.path(), &["replay", "games.jsonl"]);
    assert_eq!(
        (whole.status.code(), whole.stdout.as_slice()),
        (Some(0), b"4 games agree with the rules\n".as_slice())
    );

    let text = fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    fs::write(folder.path().join("half.jsonl"), &text[..text.len() / 2]).unwrap();
    refuses(&folder, &["replay", "half.jsonl"], &["half.jsonl:", "expected a whole record"]);
    refuses(&folder, &["replay", "missing.jsonl"], &["missing.jsonl", "can't be read"]);
    refuses(
        &folder,
        &["replay", "games.jsonl", "--game-index", "77"],
        &["--game-index", "no game 77"],
    );

    // Lists of legal actions are all there or none is.
    let first = text.lines().next().unwrap();
    let (before, legal) = first
        .split_once(r#""legal":[null,null,null,null,null,null,null,null,null,null,["#)
        .unwrap();
    let (_, after) = legal.split_once(']').unwrap();
    let unlisted = format!(
        r#"{before}"legal":[null,null,null,null,null,null,null,null,null,null,null{after}"#
    );
    fs::write(folder.path().join("unlisted.jsonl"), unlisted).unwrap();
    let answer = watershed(folder.path(), &["replay", "unlisted.jsonl"]);
    assert_eq!(answer.status.code(), Some(1));
    assert!(String::from_utf8(answer.stderr).unwrap().contains("game 0: event 10 (claim:"));

    // A record that is whole but false is no bad input: the answer is no.
    fs::write(folder.path().join("false.jsonl"), text.replacen("\"rounds\":", "\"rounds\":1", 1))
        .unwrap();
    let answer = watershed(folder.path(), &["replay", "false.jsonl"]);
    assert_eq!(answer.status.code(), Some(1));
    assert!(
        String::from_utf8(answer.stderr)
            .unwrap()
            .contains("game 0: scores, winners, rounds, capped: expected")
    );
}

#[test]
fn compressed_records_contain_the_same_games() {
    let folder = TempDir::new().unwrap();
    for name in ["games.jsonl", "games.jsonl.gz"] {
        let made = watershed(
            folder.path(),
            &["simulate", "--games", "6", "--quiet", "--out", "run", "--force", "--records", name],
        );
        assert_eq!(made.status.code(), Some(0));
    }
    let plain = fs::read(folder.path().join("games.jsonl")).unwrap();
    let packed = fs::read(folder.path().join("games.jsonl.gz")).unwrap();
    assert!(packed.len() < plain.len() / 2);
    let replayed = watershed(folder.path(), &["replay", "games.jsonl.gz"]);
    assert_eq!(replayed.stdout, b"6 games agree with the rules\n");
}

#[test]
fn another_data_file_changes_the_games() {
    let folder = TempDir::new().unwrap();
    data_with(&folder, "cost = { wood = 3, clay = 2, stone = 2 }", "cost = { wood = 1 }");
    let built = |config: &[&str]| {
        let mut arguments =
            vec!["simulate", "--games", "400", "--quiet", "--out", "run", "--force"];
        arguments.extend(config);
        assert_eq!(watershed(folder.path(), &arguments).status.code(), Some(0));
        let table = fs::read_to_string(folder.path().join("run/buildings.csv")).unwrap();
        let row = table.lines().find(|row| row.starts_with("w3c2s2,")).unwrap().to_owned();
        row.split(',').nth(5).unwrap().parse::<u32>().unwrap()
    };
    let (printed, cheap) = (built(&[]), built(&["--config", "mine.toml"]));
    assert!(cheap > 3 * printed.max(1), "{cheap} against {printed}");
}

#[test]
fn a_run_without_flags_uses_the_strongest_bot_and_writes_all_tables() {
    let folder = TempDir::new().unwrap();
    let output = watershed(folder.path(), &["simulate"]);
    assert_eq!(output.status.code(), Some(0));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.starts_with(
            "watershed simulate --game the_river --players 2 --bots network2,network2 "
        ),
        "the strongest bot in all seats"
    );
    assert!(table.contains("data: reconstruction"));
    let wide = table.lines().skip(1).find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "every line but the command fits 80 columns");
    let mut written = files(&folder.path().join("results/latest"));
    written.sort();
    let expected = [
        "buildings.csv",
        "effects.csv",
        "health.csv",
        "never.csv",
        "openings.csv",
        "report.html",
        "run.json",
        "tiles.csv",
        "turn_order.csv",
        "win_rates.csv",
    ];
    assert_eq!(written, expected);
}

/// Runs the program for a moment, sends it a signal, and expects it to say that the answer is no.
#[cfg(unix)]
#[track_caller]
fn interrupts(folder: &Path, signal: &str, arguments: &[&str]) {
    let run = start(folder, arguments);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(interrupt(run, signal), Some(1), "{arguments:?}");
}

/// The first interrupt ends a run after the games in flight: what was played is written, and marked
/// as incomplete.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_finished_games() {
    let folder = TempDir::new().unwrap();
    interrupts(
        folder.path(),
        "INT",
        &["simulate", "--games", "100000000", "--out", "run", "--games-csv", "--quiet"],
    );

    let read = |name: &str| fs::read_to_string(folder.path().join("run").join(name)).unwrap();
    let manifest: Value = serde_json::from_str(&read("run.json")).unwrap();
    let games = manifest["games"].as_u64().unwrap();
    assert_eq!(manifest["complete"], false);
    assert!(games > 0 && games < 100_000_000);
    assert_eq!(read("games.csv").lines().count() as u64, games + 1);
    let all = read("win_rates.csv")
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .nth(2)
        .unwrap()
        .parse::<u64>()
        .unwrap();
    assert_eq!(all, 2 * games, "one bot in both seats");
    assert_eq!(
        files(&folder.path().join("run")),
        [
            "buildings.csv",
            "effects.csv",
            "games.csv",
            "health.csv",
            "never.csv",
            "openings.csv",
            "report.html",
            "run.json",
            "tally.json",
            "tiles.csv",
            "turn_order.csv",
            "win_rates.csv"
        ]
    );
}

/// So it is with questions of balance, and what begins after the interrupt is begun by none.
#[cfg(unix)]
#[test]
fn an_interrupted_balance_study_keeps_finished_games() {
    let folder = TempDir::new().unwrap();
    data_with(&folder, "trade_in = 3", "trade_in = 2");
    let config = fs::canonicalize("configs/the_river.toml").unwrap();
    for (signal, arguments, games, table) in [
        (
            "INT",
            &["compare", config.to_str().unwrap(), "mine.toml", "--ladder", "balanced,random"][..],
            "100000000",
            "differences.csv",
        ),
        (
            "TERM",
            &["sweep", "--key", "rules.trade_in", "--values", "2,4"],
            "100000000",
            "sweep.csv",
        ),
        ("INT", &["luck"], "10000000", "luck.csv"),
        (
            "TERM",
            &["ablate", "--ladder", "balanced,random", "--item", "w2"],
            "100000000",
            "values.csv",
        ),
        ("INT", &["restrict", "--never", "swap"], "100000000", "restricted.csv"),
    ] {
        let out = arguments[0];
        interrupts(
            folder.path(),
            signal,
            &[&["balance"], arguments, &["--games", games, "--out", out, "--quiet"]].concat(),
        );
        let read = |name: &str| fs::read_to_string(folder.path().join(out).join(name)).unwrap();
        let manifest: Value = serde_json::from_str(&read("run.json")).unwrap();
        let games = manifest["games"]
            .as_u64()
            .or_else(|| manifest["lineups"][0]["games"].as_u64())
            .unwrap();
        assert_eq!(manifest["complete"], false, "{out}");
        assert!(games > 0 && games < manifest["games_planned"].as_u64().unwrap(), "{out}");
        assert!(read(table).lines().count() > 1, "{out}");
        let mut expected: Vec<_> = manifest["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect();
        expected.push("run.json".to_owned());
        expected.sort();
        assert_eq!(files(&folder.path().join(out)), expected);
    }
}

/// A line for each search and none for a choice that was forced; its actions account for all
/// iterations.
#[test]
fn a_trace_has_a_line_for_every_search() {
    let folder = TempDir::new().unwrap();
    let trace = |threads: &str, name: &str| {
        let bots = [
            "simulate",
            "--bots",
            "mcts:iterations=20,random",
            "--games",
            "4",
            "--quiet",
            "--threads",
            threads,
        ];
        let output =
            watershed(folder.path(), &[&bots[..], &["--out", threads, "--trace", name]].concat());
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(folder.path().join(name)).unwrap()
    };
    let one = trace("1", "one.jsonl");
    assert_eq!(one, trace("2", "two.jsonl"));
    let lines: Vec<Value> = one.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 40, "{}", lines.len());
    for line in &lines {
        let actions = line["actions"].as_array().unwrap();
        let visits: u64 = actions.iter().map(|action| action["visits"].as_u64().unwrap()).sum();
        assert_eq!((line["iterations"].as_u64(), visits), (Some(20), 20), "{line}");
        assert_eq!(
            line["line"][0][0], line["seat"],
            "the line begins with the seat that decides: {line}"
        );
        assert_eq!(line["values"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_trained_profile_beats_random_and_does_not_depend_on_threads() {
    let folder = TempDir::new().unwrap();
    let train = |threads: &str, out: &str| {
        let plan = [
            "train",
            "--games",
            "300",
            "--generations",
            "3",
            "--start",
            "heuristic:tokens=0",
            "--check-games",
            "0",
            "--quiet",
        ];
        let output =
            watershed(folder.path(), &[&plan[..], &["--threads", threads, "--out", out]].concat());
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(folder.path().join(out)).unwrap()
    };
    assert_eq!(train("1", "one.toml"), train("2", "two.toml"));
    let output = watershed(
        folder.path(),
        &[
            "match",
            "--bots",
            "one.toml,random",
            "--sprt",
            "0,100,0.05,0.05",
            "--games",
            "400",
            "--quiet",
        ],
    );
    assert!(output.status.success(), "{output:?}");

    let layers = |threads: &str, out: &str| {
        let plan = [
            "train",
            "--start",
            "one.toml",
            "--generations",
            "0",
            "--hidden",
            "8",
            "--hidden-generations",
            "2",
            "--games",
            "100",
        ];
        let output = watershed(
            folder.path(),
            &[&plan[..], &["--check-games", "0", "--threads", threads, "--out", out]].concat(),
        );
        assert!(output.status.success(), "{output:?}");
        let loss: Vec<_> =
            String::from_utf8(output.stderr).unwrap().lines().map(str::to_owned).collect();
        assert!(loss.iter().any(|line| line.contains("hidden layer 2 of 2")), "{loss:?}");
        fs::read_to_string(folder.path().join(out)).unwrap()
    };
    let layered = layers("1", "three.toml");
    assert_eq!(layered, layers("2", "four.toml"));
    assert_eq!(layered.matches("[[hidden]]").count(), 8);
    // What is there already stays as it was.
    let linear = |text: &str| {
        text.split("[weights]")
            .nth(1)
            .unwrap()
            .split("[[hidden]]")
            .next()
            .unwrap()
            .trim()
            .to_owned()
    };
    assert_eq!(
        linear(&layered),
        linear(&fs::read_to_string(folder.path().join("one.toml")).unwrap())
    );
    let output = watershed(
        folder.path(),
        &[
            "simulate",
            "--bots",
            "mcts:iterations=5:value=three.toml,three.toml",
            "--games",
            "4",
            "--quiet",
        ],
    );
    assert!(output.status.success(), "{output:?}");

    refuses(&folder, &["train", "--out", "one.toml"], &["one.toml", "exists", "--force"]);
    refuses(
        &folder,
        &["train", "--out", "new.toml", "--generations", "0"],
        &["--generations", "at least 1"],
    );
    refuses(&folder, &["train", "--out", "new.toml", "--hidden", "33"], &["--hidden", "32"]);
    refuses(&folder, &["train", "--out", "learned"], &["--out", ".toml"]);
    refuses(
        &folder,
        &["train", "--out", "new.toml", "--start", "random"],
        &["--start", "a heuristic"],
    );
    refuses(
        &folder,
        &["train", "--out", "new.toml", "--lambda", "2"],
        &["--lambda", "from 0 to 1"],
    );
}
