//! The command line: flags, files that are refused, and the messages about them.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, interrupt};

/// Writes the default data with one text replaced by another.
fn data_with(folder: &Folder, from: &str, to: &str) {
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    assert!(data.contains(from), "{from:?} is not in the data");
    folder.write("mine.toml", data.replacen(from, to, 1));
}

#[test]
fn unusable_files_are_refused() {
    let folder = Folder::new();
    folder.refuses("simulate --config missing.toml", &["missing.toml", "can't be read"]);

    folder.write("broken.toml", "name = \"The River\nplayers = 2\n");
    folder.refuses("simulate --config broken.toml", &["broken.toml:1:"]);

    data_with(&folder, "trade_in = 3", "trade_inn = 3");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:14", "`rules.trade_inn`", "expected one of", "did you mean `trade_in`?"],
    );

    data_with(&folder, "cost = { wood = 2 }", "cost = { wood = -2 }");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:", "`building[0].cost.wood`", "from 0 to 6", "-2"],
    );

    data_with(&folder, "copies = 12", "copies = 127");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:", "`tile`", "at most 128 tiles", "180"],
    );

    data_with(&folder, "copies = 12", "copies = 200");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:", "`tile[0].copies`", "from 1 to 128", "200"],
    );

    folder.write("experiment.toml", "game = \"the_lake\"\n");
    folder.refuses("simulate experiment.toml", &["experiment.toml:1", "`game`", "the_river"]);
}

#[test]
fn invalid_flags_are_refused() {
    let folder = Folder::new();
    folder.refuses(
        "simulate --players 5",
        &["--players", "2 to 4 players", "<configs/the_river.toml>:8", "found 5"],
    );
    folder.refuses(
        "simulate --players 3 --bots balanced,random",
        &["--bots", "3 bots for 3 seats", "found 2"],
    );
    folder.refuses(
        "simulate --bots balanced,oracle",
        &["--bots", "`oracle`", "balanced, builder, settler, meadow"],
    );
    folder.refuses("simulate --bots mcts:iteration=9,random", &["`iteration`", "`iterations`"]);
    folder.refuses(
        "simulate --bots mcts:iterations=0,random",
        &["`iterations`", "from 1 to 4194303"],
    );
    folder.refuses(
        "simulate --bots heuristic:beauty=1,random",
        &["`weights.beauty`", "token_points"],
    );
    folder.refuses("simulate --bots mcts:playout=mcts,random", &["`playout`", "does not search"]);
    folder.write("self.toml", "kind = \"mcts\"\nplayout = \"self.toml\"\n");
    folder.refuses(
        "simulate --bots self.toml,random",
        &["self.toml:2", "`playout`", "does not search"],
    );
    folder.refuses("simulate --games 0", &["--games", "at least 1"]);
    folder.refuses(
        "simulate --bots balanced,random --games 18446744073709551615",
        &["--games", "fewer than", "found 18446744073709551615"],
    );
    folder.refuses(
        "simulate --games many",
        &["--games", "many", "expected a number such as 20000, 20k or 1e6"],
    );
    folder.refuses("simulate --seed 1e6", &["--seed", "1e6"]);
    folder.refuses("simulate --threads 0", &["--threads", "at least 1"]);
    folder.refuses("simulate --opening-depth 9", &["--opening-depth", "0 to 4"]);
    folder.refuses("simulate --legal", &["--records"]);
    folder.refuses("perft", &["--depth"]);
    folder.refuses("fly", &["fly"]);
    folder.refuses("", &["expected a command"]);
}

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
        ("heuristic:tokens=many", "key `weights.tokens`: expected a number, found \"many\""),
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

/// The message names file, line and key of a value in an experiment file, and otherwise the flag.
#[test]
fn invalid_experiment_files_are_refused() {
    let folder = Folder::new();
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
        folder.write("e.toml", text);
        folder.refuses("simulate e.toml", &[message]);
    }
    folder.write("e.toml", "players = 3\nbots = [\"oracle\"]\ngames = 0");
    let run = "simulate e.toml --games 3";
    let expected = "error: --players: expected 2 to 4 players";
    folder.refuses(&format!("{run} --players 9"), &[expected]);
    folder.refuses(&format!("{run} --bots balancd"), &["error: --bots: bot `balancd`"]);

    data_with(&folder, "trade_in = 3", "trade_in = 2");
    folder.refuses(
        "simulate mine.toml",
        &["mine.toml: this is a data file", "use --config mine.toml"],
    );
    folder.write("latin1.toml", b"name = \"caf\xe9\"");
    folder
        .refuses("simulate --config latin1.toml", &["latin1.toml: expected a text file in UTF-8"]);
}

#[test]
fn flags_have_short_forms_and_the_last_one_counts() {
    let folder = Folder::new();
    let run = |arguments: &str| {
        folder.succeeds(&format!("simulate --quiet --out run --force {arguments}"));
        let manifest = folder.manifest("run");
        let bots: Vec<_> = manifest["bots"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bot| bot["name"].as_str().unwrap().to_owned())
            .collect();
        (manifest["games_planned"].as_u64().unwrap(), bots)
    };
    let all = |name: &str| vec![name.to_owned(); 3];
    assert_eq!(run("--players 3 --bots random --games 0.06k"), (60, all("random")));
    assert_eq!(run("--players 3 --bots random* --games 6e1"), (60, all("random")));
    let twice = "--players 2 --players 3 --bots random,balanced --bots balanced --games 9";
    assert_eq!(run(&format!("{twice} --games 6_0 --quiet")), (60, all("balanced")));
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
        (unit("output = 1\nweights = {}").repeat(33), "`hidden`", "at most 32 units, found 33"),
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

#[test]
fn unwritable_outputs_are_refused() {
    let folder = Folder::new();
    folder.write("file", "");
    folder.refuses("simulate --games 2 --out file/run", &["file/run", "can't be written"]);
    folder.refuses(
        "simulate --games 2 --out run --records file/games.jsonl",
        &["file/games.jsonl", "can't be written"],
    );
    fs::create_dir(folder.path("folder")).unwrap();
    folder.refuses(
        "simulate --games 2 --out run --records folder",
        &["folder: can't be written", "is a directory"],
    );
}

#[test]
fn a_finished_run_is_overwritten_only_with_force() {
    let folder = Folder::new();
    let run = "simulate --games 20 --quiet --out run";
    folder.succeeds(run);
    folder.refuses(&format!("{run} --seed 2"), &["run: holds a finished run", "--force"]);
    assert_eq!(folder.manifest("run")["seed"], 1);
    folder.succeeds(&format!("{run} --seed 2 --force"));
    assert_eq!(folder.manifest("run")["seed"], 2);
}

#[test]
fn a_new_run_removes_the_tables_of_the_old_run() {
    let folder = Folder::new();
    let run = |more: &str| {
        folder.succeeds(&format!("simulate --games 20 --quiet --out run --force {more}"));
        folder.files("run").contains(&"games.csv".to_owned())
    };
    assert!(run("--games-csv"));
    assert!(!run("--seed 2"));
}

#[test]
fn records_can_be_written_to_the_new_folder_of_the_run() {
    let folder = Folder::new();
    folder.succeeds("simulate --games 2 --quiet --out run --records run/games.jsonl");
    assert!(folder.files("run").contains(&"games.jsonl".to_owned()));
}

/// Files that no run wrote stay.
#[test]
fn a_run_of_another_game_removes_the_tables_of_the_old_run() {
    let folder = Folder::new();
    let run = |more: &str| {
        folder.succeeds(&format!("simulate --games 4 --quiet --out run --force {more}"));
        folder.files("run")
    };
    assert!(run("--games-csv").contains(&"games.csv".to_owned()));
    folder.write("run/notes.csv", "mine");
    let written = run("--game glassworks");
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
    let folder = Folder::new();
    folder.succeeds("simulate --games 4 --quiet --out run --records games.jsonl --legal");
    assert_eq!(folder.succeeds("replay games.jsonl"), "4 games agree with the rules\n");

    let text = folder.read("games.jsonl");
    folder.write("half.jsonl", &text[..text.len() / 2]);
    folder.refuses("replay half.jsonl", &["half.jsonl:", "expected a whole record"]);
    folder.refuses("replay missing.jsonl", &["missing.jsonl", "can't be read"]);
    folder.refuses("replay games.jsonl --game-index 77", &["--game-index", "no game 77"]);

    // The lists of legal actions must be complete.
    let first = text.lines().next().unwrap();
    let nulls = r#""legal":[null,null,null,null,null,null,null,null,null,null,"#;
    let (before, legal) = first.split_once(&format!("{nulls}[")).unwrap();
    let (_, after) = legal.split_once(']').unwrap();
    folder.write("unlisted.jsonl", format!("{before}{nulls}null{after}"));
    let (_, message) = folder.exits_with(1, "replay unlisted.jsonl");
    assert!(message.contains("game 0: event 10 (claim:"), "{message}");

    // A well-formed record that is false is a negative answer and no usage error.
    folder.write("false.jsonl", text.replacen("\"rounds\":", "\"rounds\":1", 1));
    let (_, message) = folder.exits_with(1, "replay false.jsonl");
    let expected = "game 0: scores, winners, rounds, capped: expected";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn compressed_records_contain_the_same_games() {
    let folder = Folder::new();
    for name in ["games.jsonl", "games.jsonl.gz"] {
        folder.succeeds(&format!("simulate --games 6 --quiet --out run --force --records {name}"));
    }
    let plain = fs::read(folder.path("games.jsonl")).unwrap();
    let packed = fs::read(folder.path("games.jsonl.gz")).unwrap();
    assert!(packed.len() < plain.len() / 2);
    assert_eq!(folder.succeeds("replay games.jsonl.gz"), "6 games agree with the rules\n");
}

#[test]
fn another_data_file_changes_the_games() {
    let folder = Folder::new();
    data_with(&folder, "cost = { wood = 3, clay = 2, stone = 2 }", "cost = { wood = 1 }");
    let built = |config: &str| {
        folder.succeeds(&format!("simulate --games 400 --quiet --out run --force {config}"));
        let rows = folder.rows("run/buildings.csv");
        let row = rows.iter().find(|row| row["building"] == "w3c2s2").unwrap();
        row["built"].parse::<u32>().unwrap()
    };
    let (printed, cheap) = (built(""), built("--config mine.toml"));
    assert!(cheap > 3 * printed.max(1), "{cheap} against {printed}");
}

#[test]
fn a_run_without_flags_uses_the_strongest_bot_and_writes_all_tables() {
    let folder = Folder::new();
    let table = folder.succeeds("simulate");
    let command = "watershed simulate --game the_river --players 2 --bots network2,network2 ";
    assert!(table.starts_with(command), "{table}");
    assert!(table.contains("data: reconstruction"));
    let wide = table.lines().skip(1).find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "every line but the command fits 80 columns");
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
    assert_eq!(folder.files("results/latest"), expected);
}

/// Runs the program for 2 s, sends it a signal, and expects the exit code of a negative answer.
#[cfg(unix)]
#[track_caller]
fn interrupts(folder: &Folder, signal: &str, arguments: &str) {
    let run = folder.start(arguments);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(interrupt(run, signal), Some(1), "{arguments:?}");
}

/// The first interrupt ends a run after the games in flight. Its results are marked as incomplete.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_finished_games() {
    let folder = Folder::new();
    interrupts(&folder, "INT", "simulate --games 100000000 --out run --games-csv --quiet");

    let manifest = folder.manifest("run");
    let games = manifest["games"].as_u64().unwrap();
    assert_eq!(manifest["complete"], false);
    assert!(games > 0 && games < 100_000_000);
    assert_eq!(folder.rows("run/games.csv").len() as u64, games);
    let all: u64 = folder.rows("run/win_rates.csv")[0]["games"].parse().unwrap();
    assert_eq!(all, 2 * games, "one bot in both seats");
    assert_eq!(
        folder.files("run"),
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

#[cfg(unix)]
#[test]
fn an_interrupted_balance_study_keeps_finished_games() {
    let folder = Folder::new();
    data_with(&folder, "trade_in = 3", "trade_in = 2");
    let config = fs::canonicalize("configs/the_river.toml").unwrap();
    for (signal, arguments, games, table) in [
        (
            "INT",
            &format!("compare {} mine.toml --ladder balanced,random", config.display())[..],
            "100000000",
            "differences.csv",
        ),
        ("TERM", "sweep --key rules.trade_in --values 2,4", "100000000", "sweep.csv"),
        ("INT", "luck", "10000000", "luck.csv"),
        ("TERM", "ablate --ladder balanced,random --item w2", "100000000", "values.csv"),
        ("INT", "restrict --never swap", "100000000", "restricted.csv"),
    ] {
        let out = arguments.split(' ').next().unwrap();
        let run = format!("balance {arguments} --games {games} --out {out} --quiet");
        interrupts(&folder, signal, &run);
        let manifest = folder.manifest(out);
        let games = manifest["games"]
            .as_u64()
            .or_else(|| manifest["lineups"][0]["games"].as_u64())
            .unwrap();
        assert_eq!(manifest["complete"], false, "{out}");
        assert!(games > 0 && games < manifest["games_planned"].as_u64().unwrap(), "{out}");
        assert!(!folder.rows(format!("{out}/{table}")).is_empty(), "{out}");
        let mut expected: Vec<_> = manifest["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect();
        expected.push("run.json".to_owned());
        expected.sort();
        assert_eq!(folder.files(out), expected);
    }
}

/// A forced decision has no line. The visits of the actions add up to the number of iterations.
#[test]
fn a_trace_has_a_line_for_every_search() {
    let folder = Folder::new();
    let trace = |threads: &str, name: &str| {
        let run = "simulate --bots mcts:iterations=20,random --games 4 --quiet";
        let output = format!("--out {threads} --trace {name}");
        folder.succeeds(&format!("{run} --threads {threads} {output}"));
        folder.read(name)
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
