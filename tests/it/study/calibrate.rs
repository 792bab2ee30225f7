//! `watershed calibrate`: the output of the program. Bots of known calibration are in the tests of
//! the engine, which are compiled at full optimisation.

use crate::support::Folder;

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
