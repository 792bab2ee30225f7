//! The command line: flags, data files and experiment files.

use crate::support::Folder;

const DATA: &str = "configs/the_river.toml";

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
    let twice = "--players 2 --players 3 --bots random,balanced --bots balanced --games 9";
    assert_eq!(run(&format!("{twice} --games 6_0 --quiet")), (60, all("balanced")));
}

#[test]
fn a_run_without_bots_uses_the_default_panel() {
    let folder = Folder::new();
    let table = folder.succeeds("simulate --games 10");
    let command = "watershed simulate --game the_river --players 2 --panel default --games 10 ";
    assert!(table.starts_with(command), "{table}");
    let wide = table.lines().skip(1).find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "every line but the command fits 80 columns");
    assert!(folder.path("results/latest/report.html").exists());
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
    for table in ["differences.csv", "tiles.csv"] {
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
    assert!(
        folder.succeeds("run e.toml --games 20 --help").contains("watershed simulate [OPTIONS]")
    );
}
