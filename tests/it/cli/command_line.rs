//! The command line: flags, files that are refused, and the messages about them.

use crate::support::Folder;

const DATA: &str = "configs/the_river.toml";

#[test]
fn unusable_files_are_refused() {
    let folder = Folder::new();
    folder.refuses("simulate --config missing.toml", &["missing.toml", "can't be read"]);

    folder.write("broken.toml", "name = \"The River\nplayers = 2\n");
    folder.refuses("simulate --config broken.toml", &["broken.toml:1:"]);

    folder.copy_with(DATA, "mine.toml", "trade_in = 3", "trade_inn = 3");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:14", "`rules.trade_inn`", "expected one of", "did you mean `trade_in`?"],
    );

    folder.copy_with(DATA, "mine.toml", "cost = { wood = 2 }", "cost = { wood = -2 }");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:", "`building.w2.cost.wood`", "from 0 to 6", "-2"],
    );

    folder.copy_with(DATA, "mine.toml", "copies = 12", "copies = 127");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:", "`tile`", "at most 128 tiles", "180"],
    );

    folder.copy_with(DATA, "mine.toml", "copies = 12", "copies = 200");
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:", "`tile.desert_store2.copies`", "from 1 to 128", "200"],
    );

    let misplaced = std::fs::read_to_string(DATA).unwrap();
    let targets = "[targets]\nrounds = [4, 6]\n";
    folder.write(
        "mine.toml",
        misplaced.replacen("players = {", &format!("{targets}players = {{"), 1),
    );
    folder.refuses(
        "simulate --config mine.toml",
        &["mine.toml:", "`targets.players`", "`[targets]` must stand below `players`"],
    );

    folder.write("experiment.toml", "game = \"the_lake\"\n");
    folder.refuses("run experiment.toml", &["experiment.toml:1", "`game`", "the_river"]);
}

#[test]
fn invalid_flags_are_refused() {
    let folder = Folder::new();
    folder.refuses(
        "simulate --players 5",
        &["--players", "2 to 4 players", "built-in the_river.toml:8", "found 5"],
    );
    let two = "simulate --config one.toml --config two.toml";
    folder.refuses(two, &["--config: expected one data file", "balance compare"]);
    folder.refuses(
        "match --mode ladder --game common_river --players 1",
        &["--players: expected 2 or more", "simulate --game common_river --players 1 --panel"],
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
    let number = "expected a number such as 20000, 20k or 1e6";
    folder.refuses("simulate --seed one", &["--seed", "one", number]);
    folder.refuses("simulate --threads all", &["--threads", number]);
    folder.refuses("perft --depth 65", &["--depth", "expected at most 64, found 65"]);
    folder.refuses("replay games.jsonl --game-index x", &["--game-index", number]);
    folder.refuses("simulate --threads 0", &["--threads", "at least 1"]);
    folder.refuses("simulate --opening-depth 9", &["--opening-depth", "0 to 4"]);
    folder.refuses("simulate --legal", &["--records"]);
    folder.refuses("perft", &["--depth"]);
    folder.refuses("fly", &["fly"]);
    folder.refuses("", &["expected a command"]);
}

/// The message names file, line and key of a value in an experiment file, and otherwise the flag.
#[test]
fn invalid_experiment_files_are_refused() {
    let folder = Folder::new();
    let refused = [
        ("games = 0", "e.toml:1: key `games`: expected at least 1, found 0"),
        (
            "games = -1",
            "e.toml:1: key `games`: expected a number such as 20000, 20k or 1e6, found \"-1\"",
        ),
        ("seed = 1\nopening_depth = 5", "e.toml:2: key `opening_depth`: expected 0 to 4, found 5"),
        (
            "bots = [\"balanced\", \"random\", \"random\"]",
            "e.toml:1: key `bots`: expected one bot for all seats, or 2 bots for 2 seats, found 3 \
                bots",
        ),
        ("\nbots = [\"balancd\"]", "e.toml:2: key `bots`: bot `balancd`: expected a bot of"),
        (
            "players = 9",
            "e.toml:1: key `players`: expected 2 to 4 players (built-in the_river.toml:8), \
                found 9",
        ),
        ("players = \"two\"", "e.toml:1: key `players`: expected"),
        ("gamez = 5", "e.toml:1: key `gamez`: expected one of `game`, `config`, `players`"),
        ("seed = 1\nseed = 2", "e.toml:2: key `seed`: expected each key once"),
    ];
    for (text, message) in refused {
        folder.write("e.toml", text);
        folder.refuses("run e.toml", &[message]);
    }
    folder.write("e.toml", "players = 3\nbots = [\"oracle\"]\ngames = 0");
    let run = "run e.toml --games 3";
    let expected = "error: --players: expected 2 to 4 players";
    folder.refuses(&format!("{run} --players 9"), &[expected]);
    folder.refuses(&format!("{run} --bots balancd"), &["error: --bots: bot `balancd`"]);

    // Flags also replace keys that conflict with them.
    folder.write("e.toml", "bots = [\"oracle\"]\ncommand = \"simulate\"\n");
    folder.succeeds("run e.toml --panel random --games 2 --quiet");
    folder.write("e.toml", "experiment = \"e.toml\"\n");
    folder.refuses("run e.toml", &["e.toml:1", "`experiment`"]);
    folder.write("e.toml", "games = 2\nbots = [\"random\"]\nquiet = true\n");
    folder.succeeds("run e.toml --out e.toml.run --players 2..3");
    assert!(folder.path("e.toml.run/players_3/win_rates.csv").exists());

    folder.copy_with(DATA, "mine.toml", "trade_in = 3", "trade_in = 2");
    folder.refuses("run mine.toml", &["mine.toml: this is a data file", "use --config mine.toml"]);
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
    assert_eq!(run("-p 3 --bots random -n 0.06k -s 1 -j 1 -q"), (60, all("random")));
    assert_eq!(
        run("--bots mcts:iterations=0.01k -n 2 -s 1e3").1,
        vec!["mcts:iterations=10".to_owned(); 2]
    );
    folder.refuses("simulat", &["unrecognized subcommand 'simulat'; did you mean `simulate`?"]);
    folder.refuses("simluate", &["'simluate'; did you mean `simulate`, "]);
    folder.refuses("simulate --gmes 5", &["'--gmes' found; did you mean `--games`?"]);
    let twice = "--players 2 --players 3 --bots random,balanced --bots balanced --games 9";
    assert_eq!(run(&format!("{twice} --games 6_0 --quiet")), (60, all("balanced")));
}

#[test]
fn another_data_file_changes_the_games() {
    let folder = Folder::new();
    folder.copy_with(
        DATA,
        "mine.toml",
        "cost = { wood = 3, clay = 2, stone = 2 }",
        "cost = { wood = 1 }",
    );
    let built = |config: &str| {
        folder.succeeds(&format!(
            "simulate --games 400 --bots expert --quiet --out run --force {config}"
        ));
        let rows = folder.rows("run/buildings.csv");
        let row = rows.iter().find(|row| row["building"] == "w3c2s2").unwrap();
        row["built"].parse::<u32>().unwrap()
    };
    let (printed, cheap) = (built(""), built("--config mine.toml"));
    assert!(cheap > 3 * printed.max(1), "{cheap} against {printed}");
}

#[test]
fn a_run_without_bots_uses_the_default_panel_and_writes_all_tables() {
    let folder = Folder::new();
    let table = folder.succeeds("simulate --games 100");
    let command = "watershed simulate --game the_river --players 2 \
                   --panel expert,network2@100,mcts:iterations=50@100 ";
    assert!(table.starts_with(command), "{table}");
    assert!(table.contains("data: reconstruction"));
    let wide = table.lines().skip(1).find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "every line but the command fits 80 columns");
    let expected = [
        "buildings.csv",
        "card.csv",
        "effects.csv",
        "health.csv",
        "items_by_round.csv",
        "leads.csv",
        "never.csv",
        "openings.csv",
        "panel.csv",
        "report.html",
        "run.json",
        "tiles.csv",
        "turn_order.csv",
        "win_rates.csv",
    ];
    assert_eq!(folder.files("results/latest"), expected);
}

#[test]
fn an_experiment_file_runs_any_command() {
    let folder = Folder::new();
    folder.copy_with(DATA, "mine.toml", "trade_in = 3", "trade_in = 2");
    folder.copy(DATA, "river.toml");
    folder.write(
        "compare.toml",
        "description = \"cheaper food\"\ncommand = \"balance compare\"\nvariant = \"mine.toml\"\n\
         baseline = \"river.toml\"\ngames = \"2e1\"\npanel = [\"random\", \"balanced@10\"]\n\
         quiet = true\nadapt = false\nonly = [\"meadow\", \"buildings\"]\nout = \"file\"\n",
    );
    folder.succeeds_quietly("run compare.toml");
    folder.succeeds_quietly(
        "balance compare river.toml mine.toml --games 20 --panel random,balanced@10 --only meadow \
         --only buildings --out flags",
    );
    for table in ["differences.csv", "tiles.csv", "agreement.csv"] {
        assert_eq!(folder.read(format!("file/{table}")), folder.read(format!("flags/{table}")));
    }
    // Flags override the keys of the file.
    folder.succeeds_quietly("run compare.toml --games 10 --out fewer");
    let command = folder.manifest("fewer")["command"].as_str().unwrap().to_owned();
    assert!(command.contains("--games 10"), "{command}");
    // A file without a command is a simulation.
    folder.write("e.toml", "bots = [\"random\"]\ngames = 20\nquiet = true\nout = \"run\"\n");
    folder.succeeds("run e.toml");
    assert_eq!(folder.rows("run/turn_order.csv").len(), 2);

    // A command may print its result, and have values without a flag.
    folder.write("data.toml", "command = \"data\"\ngame = \"glassworks\"\n");
    assert_eq!(folder.succeeds("run data.toml"), folder.succeeds("data glassworks"));
    // Some flags have a list as one value.
    folder.write(
        "sweep.toml",
        "command = \"balance sweep\"\nkey = \"rules.trade_in\"\nvalues = [2, 4]\ngames = 20\n\
         bots = [\"random\"]\nquiet = true\nout = \"sweep\"\n",
    );
    folder.succeeds_quietly("run sweep.toml");
    let command = folder.manifest("sweep")["command"].as_str().unwrap().to_owned();
    assert!(command.contains("--values 2,4"), "{command}");
    // A key is the name of the flag.
    folder.succeeds("simulate --bots random --games 2 --quiet --out r --records games.jsonl");
    let analyze =
        "command = \"analyze\"\nrecord = \"games.jsonl\"\niterations = 10\nrollouts = 0\n";
    folder.write("move.toml", format!("{analyze}move = 999\n"));
    folder.refuses("run move.toml", &["move.toml:5: key `move`: expected 0 to"]);

    let refuses = |text: &str, parts: &[&str]| {
        folder.write("wrong.toml", text);
        folder.refuses("run wrong.toml", parts);
    };
    refuses("command = \"balanse\"\n", &["wrong.toml:1", "`command`", "`balanse`"]);
    refuses("command = \"simluate\"\n", &["`simluate`; did you mean `simulate`?"]);
    refuses("command = \"balance\"\n", &["`command`", "`balance ablate`"]);
    refuses("command = \"run\"\n", &["`command`", "`run`"]);
    refuses("command = 3\n", &["`command`", "a string"]);
    refuses("games = 10\nplayer = 3\n", &["wrong.toml:2", "`player`", "did you mean `players`?"]);
    refuses("games = [1, 2]\n", &["`games`", "one value"]);
    refuses("quiet = 1\n", &["`quiet`", "true or false"]);
    refuses("games = \"many\"\n", &["wrong.toml:1", "`games`", "20k or 1e6", "many"]);
    folder.refuses("run missing.toml", &["missing.toml", "can't be read"]);
    assert!(
        folder.succeeds("run e.toml --games 20 --help").contains("watershed simulate [OPTIONS]")
    );
}

#[test]
fn an_experiment_file_is_harmless_unless_allowed() {
    let folder = Folder::new();
    let refused = [
        ("bots = [\"exec:sh -c exit\", \"random\"]\n", "e.toml:1: key `bots`"),
        ("command = \"serve\"\n", "e.toml:1: key `command`"),
        ("bots = [\"random\"]\nout = \"../out\"\n", "e.toml:2: key `out`"),
    ];
    for (text, location) in refused {
        folder.write("e.toml", text);
        folder.refuses("run e.toml", &[location, "--allow-programs"]);
    }
    folder.write("e.toml", "bots = [\"random\"]\ngames = 2\nout = \"inner/../out\"\n");
    folder.refuses("run e.toml", &["`out`"]);
    folder.succeeds_quietly("run e.toml --allow-programs");
}
