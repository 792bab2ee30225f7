//! `watershed tune`: planted weaknesses, and resuming.

use std::fs;

use serde_json::Value;

use crate::{
    run::resume::same_files,
    support::{Folder, Row, find_row, number},
};

/// Tunes into `out`, expects this exit code, and returns stdout.
#[track_caller]
fn tune(folder: &Folder, out: &str, arguments: &str, code: i32) -> String {
    let run = format!("tune --quiet --out {out} {arguments}");
    let (printed, messages) = folder.exits_with(code, &run);
    assert!(messages.is_empty(), "{messages}");
    printed
}

/// Tunes into `out` and expects an answer.
#[track_caller]
fn tune_with_any_answer(folder: &Folder, out: &str, arguments: &str) {
    let output = folder.run(&format!("tune --quiet --out {out} {arguments}"));
    assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
}

/// Writes a profile without weight for buildings and with a negative weight for production.
fn write_damaged_profile(folder: &Folder) {
    let balanced = fs::read_to_string("bots/the_river/balanced.toml").unwrap();
    let mut damaged = balanced;
    for (from, to) in [
        ("building_points = 0.82", "building_points = 0"),
        ("\nproduction = 0.42", "\nproduction = -0.42"),
    ] {
        assert_eq!(damaged.matches(from).count(), 1, "{from}");
        damaged = damaged.replace(from, to);
    }
    folder.write("damaged.toml", damaged);
}

const DAMAGED: &str =
    "--profile damaged.toml --keys weights.building_points,weights.production=-1..1";

#[test]
fn tuning_repairs_a_damaged_profile() {
    let folder = Folder::new();
    write_damaged_profile(&folder);
    let budget = "--games 60 --evaluations 60 --confirmation-games 300";
    let printed = tune(&folder, "tuned", &format!("{DAMAGED} {budget}"), 0);
    assert!(printed.starts_with("watershed tune ") && printed.contains("best.toml"), "{printed}");

    let manifest = folder.manifest_without_timing("tuned");
    assert_eq!((&manifest["complete"], &manifest["improved"]), (&true.into(), &true.into()));
    let parameters = folder.rows("tuned/parameters.csv");
    let columns = ["parameter", "start", "low", "high"];
    let production = find_row(&parameters, &[("parameter", "weights.production")]);
    assert_eq!(columns.map(|key| &*production[key]), ["weights.production", "-0.42", "-1", "1"]);
    let confirmation = &folder.rows("tuned/confirmation.csv")[0];
    assert_eq!(confirmation["n"], "300");
    assert!(number(confirmation, "difference_ci_low") > 0.0, "{confirmation:?}");
    let best = folder.read("tuned/best.toml");
    let origin = "# Made by `watershed tune --game the_river --players 2 --profile damaged.toml ";
    assert!(best.starts_with(origin), "{best}");

    // In games of another seed.
    let bots = "tuned/best.toml,damaged.toml";
    folder.succeeds(&format!("simulate --bots {bots} --games 1000 --seed 99 --quiet --out check"));
    let won = number(&folder.rows("check/win_rates.csv")[0], "win_rate");
    assert!(won > 0.75, "{won}");
}

/// In a game of one player the score guides the search to profiles that win.
#[test]
fn tuning_finds_wins_from_a_profile_without_wins() {
    let folder = Folder::new();
    let steward = fs::read_to_string("bots/common_river/steward.toml").unwrap();
    let without_city: Vec<_> =
        steward.lines().filter(|line| !line.starts_with("role_city_means")).collect();
    assert_eq!(without_city.len() + 2, steward.lines().count());
    folder.write("without_city.toml", without_city.join("\n"));
    let keys = "weights.role_city_means=0..30,weights_at_end.role_city_means=0..60";
    let budget = "--games 60 --evaluations 60 --confirmation-games 300";
    let profile = "--game common_river --profile without_city.toml";
    tune(&folder, "tuned", &format!("{profile} --keys {keys} {budget}"), 0);
    let confirmation = &folder.rows("tuned/confirmation.csv")[0];
    assert_eq!(confirmation["start"], "0.000000");
    assert!(number(confirmation, "tuned") > 0.1, "{confirmation:?}");
}

#[test]
fn all_weights_can_be_tuned_with_a_wildcard() {
    let folder = Folder::new();
    let weights = "tokens = 2.0\nproduction = -0.5\n";
    folder.write("plain.toml", format!("kind = \"heuristic\"\n[weights]\n{weights}"));
    let keys_of = |out: &str, keys: &str| {
        let run = "--profile plain.toml --games 2 --evaluations 1 --confirmation-games 2";
        tune_with_any_answer(&folder, out, &format!("{run} {keys}"));
        folder.rows(format!("{out}/parameters.csv"))
    };
    let default = keys_of("default", "");
    let starts = ["tokens", "production", "token_points"];
    let starts_of = |rows: &[Row], table: &str| {
        let row = |key: &str| find_row(rows, &[("parameter", &*format!("{table}.{key}"))]);
        starts.map(|key| row(key)["start"].clone())
    };
    assert_eq!(starts_of(&default, "weights"), ["2", "-0.5", "0"]);
    let keys = "--keys temperature,weights_at_end.*=-3..3,weights_at_end.tokens=0..9";
    let at_end = keys_of("at_end", keys);
    assert_eq!(at_end.len(), default.len() + 1);
    assert_eq!(starts_of(&at_end, "weights_at_end"), ["2", "-0.5", "0"], "the constant weights");
    let tokens = find_row(&at_end, &[("parameter", "weights_at_end.tokens")]);
    assert_eq!(tokens["high"], "9", "the last range of a key holds");
}

#[test]
fn a_profile_without_gain_is_not_written() {
    let folder = Folder::new();
    let budget = "--games 20 --evaluations 8 --confirmation-games 200";
    let arguments = &format!("--profile balanced --keys epsilon=0..0.5 {budget}");
    let printed = tune(&folder, "tuned", arguments, 1);
    assert!(printed.contains("No better profile than balanced was found"), "{printed}");
    assert!(!folder.path("tuned/best.toml").exists());
    let manifest = folder.manifest_without_timing("tuned");
    assert_eq!((&manifest["complete"], &manifest["improved"]), (&true.into(), &false.into()));
    // Resuming the finished run has the same answer.
    tune(&folder, "tuned", &format!("{arguments} --resume"), 1);
    folder.refuses(&format!("tune --out tuned {arguments}"), &["tuned: holds a finished run"]);
}

#[test]
fn options_of_a_search_can_be_tuned() {
    let folder = Folder::new();
    let profile = "--profile mcts:iterations=5:margin_weight=0.5";
    let keys = "exploration,iterations=1..30,margin_weight=0.2..0.8";
    let budget = "--games 4 --evaluations 36 --confirmation-games 10";
    tune_with_any_answer(&folder, "tuned", &format!("{profile} --keys {keys} {budget}"));
    let rows = folder.rows("tuned/parameters.csv");
    let tuned = |key: &str| number(find_row(&rows, &[("parameter", key)]), "tuned");
    assert!((0.1..=0.9).contains(&tuned("exploration")), "{rows:?}");
    assert!((1.0..=30.0).contains(&tuned("iterations")) && tuned("iterations").fract() == 0.0);
    assert!((0.2..=0.8).contains(&tuned("margin_weight")), "{rows:?}");
}

/// A generation depends on those before it, so a run that continues after the wrong games would
/// end with other values.
#[test]
fn a_killed_run_can_be_resumed() {
    let folder = Folder::new();
    write_damaged_profile(&folder);
    let arguments = format!("{DAMAGED} --games 200 --evaluations 54 --confirmation-games 1000");
    tune_with_any_answer(&folder, "whole", &arguments);
    let saved_parts = || {
        let checkpoint = fs::read(folder.path("killed/tally.json")).unwrap_or_default();
        let checkpoint: Value = serde_json::from_slice(&checkpoint).unwrap_or_default();
        checkpoint["parts"].as_array().map_or(0, Vec::len)
    };
    let killed = format!("tune --quiet --out killed {arguments}");
    let mut child = folder.start_until(&killed, || saved_parts() >= 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path("killed/run.json").exists(), "the run was killed before its end");

    folder.refuses(&format!("{killed} --resume --seed 5"), &["killed", "another run"]);
    tune_with_any_answer(&folder, "killed", &format!("{arguments} --resume"));
    same_files(&folder, "whole", "killed");
}
