//! `watershed calibrate`: the output of the program. Bots of known calibration are in the tests of
//! the engine, which are compiled at full optimisation.

use crate::support::Folder;

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
    for chance in ["raw", "calibrated"] {
        assert!(one.1[0].contains(&format!(",position,mover,{chance},0.5-0.6,")), "{}", one.1[0]);
    }
}

/// The maps that other runs and people add during a run stay.
#[test]
fn maps_that_are_added_during_a_run_stay() {
    let folder = Folder::new();
    let run = "calibrate --game glassworks --games 60 --write maps.toml --quiet --bots";
    let runs = [4, 5, 6, 7].map(|iterations| {
        folder.start(&format!("{run} mcts:iterations={iterations} --out {iterations}"))
    });
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    let text = folder.read("maps.toml");
    assert_eq!(text.matches("[[search]]").count(), 4, "{text}");
    assert!(!folder.path("maps.toml.partial").exists());
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
