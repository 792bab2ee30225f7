//! `watershed tune`: planted weaknesses, equal results for any number of threads, and resuming.

use std::fs;

use crate::support::{Folder, number};

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

#[track_caller]
fn check_equal_runs(folder: &Folder, one: &str, other: &str) {
    for name in ["evaluations.csv", "playoff.csv", "best.toml"] {
        let read = |out: &str| fs::read(folder.path(out).join(name)).ok();
        assert!(read(one) == read(other), "{name} differs between {one} and {other}");
    }
    assert_eq!(folder.manifest_without_timing(one), folder.manifest_without_timing(other));
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
    let budget = "--games 60 --evaluations 30 --restarts 2 --playoff-games 300";
    let printed = tune(&folder, "tuned", &format!("{DAMAGED} {budget}"), 0);
    assert!(printed.starts_with("watershed tune ") && printed.contains("best.toml"), "{printed}");

    let manifest = folder.manifest_without_timing("tuned");
    assert_eq!((&manifest["complete"], &manifest["improved"]), (&true.into(), &true.into()));
    assert_eq!(folder.rows("tuned/evaluations.csv").len(), 2 * 30);
    let play_off = folder.rows("tuned/playoff.csv");
    let columns = ["stage", "bot", "weights.building_points", "weights.production", "games"];
    let start = columns.map(|column| play_off[0][column].as_str());
    assert_eq!(start, ["play-off", "start", "0", "-0.42", "300"]);
    assert_eq!(play_off.len(), 3 + 2);
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
    let budget = "--games 60 --evaluations 30 --restarts 1 --playoff-games 300";
    let profile = "--game common_river --profile without_city.toml";
    let shown = tune(&folder, "tuned", &format!("{profile} --keys {keys} {budget}"), 0);
    assert!(
        shown.contains(" --point-value 0.001 ")
            && shown.contains("without_city.toml in the same seats wins 0.0 %"),
        "{shown}"
    );

    let play_off = folder.rows("tuned/playoff.csv");
    let (start, best) = (&play_off[2], &play_off[3]);
    for (row, bot) in [(start, "start"), (best, "restart 0")] {
        assert_eq!((row["stage"].as_str(), row["bot"].as_str()), ("confirmation", bot));
    }
    assert_eq!(start["wins"], "0.0000");
    assert!(number(best, "win_rate") > 0.1, "{best:?}");
}

#[test]
fn all_weights_can_be_tuned_with_a_wildcard() {
    let folder = Folder::new();
    let weights = "tokens = 2.0\nproduction = -0.5\n";
    folder.write("plain.toml", format!("kind = \"heuristic\"\n[weights]\n{weights}"));
    let keys_of = |out: &str, keys: &str| {
        let run = "--profile plain.toml --games 2 --evaluations 1 --playoff-games 2";
        tune_with_any_answer(&folder, out, &format!("{run} {keys}"));
        let manifest = folder.manifest_without_timing(out);
        let keys = manifest["keys"].as_array().unwrap().iter();
        keys.map(|key| (key["key"].as_str().unwrap().to_owned(), key["start"].as_f64()))
            .collect::<Vec<_>>()
    };
    let key = |name: &str, start: f64| (name.to_owned(), Some(start));
    assert_eq!(keys_of("given", ""), [key("weights.production", -0.5), key("weights.tokens", 2.0)]);
    let all = keys_of("all", "--keys temperature,weights_at_end.*=-3..3");
    assert!(all.len() > 10 && all[0].0 == "temperature");
    let at_end = |name: &str| {
        all.iter().find(|(key, _)| key.strip_prefix("weights_at_end.") == Some(name)).unwrap().1
    };
    assert_eq!(
        [at_end("tokens"), at_end("production"), at_end("token_points")],
        [Some(2.0), Some(-0.5), Some(0.0)],
        "the constant weights"
    );
}

#[test]
fn a_profile_without_gain_is_not_written() {
    let folder = Folder::new();
    let arguments =
        "--profile balanced --keys epsilon=0..0.5 --games 20 --evaluations 8 --playoff-games 200";
    let printed = tune(&folder, "tuned", arguments, 1);
    assert!(printed.contains("no profile written"), "{printed}");
    assert!(!folder.path("tuned/best.toml").exists());
    let manifest = folder.manifest_without_timing("tuned");
    assert_eq!((&manifest["complete"], &manifest["improved"]), (&true.into(), &false.into()));
    // Resuming the finished run has the same answer.
    tune(&folder, "tuned", &format!("{arguments} --resume"), 1);
    folder.refuses(&format!("tune --out tuned {arguments}"), &["tuned: holds a finished run"]);
}

#[test]
fn the_number_of_threads_does_not_change_tuning() {
    let folder = Folder::new();
    write_damaged_profile(&folder);
    let cases = [
        "--games 20 --evaluations 12 --restarts 2",
        "--players 3 --against builder,damaged.toml --games 20 --evaluations 6 --restarts 1",
    ];
    for (case, budget) in cases.into_iter().enumerate() {
        for threads in ["1", "2"] {
            let arguments = format!("{DAMAGED} {budget} --playoff-games 60 --threads {threads}");
            tune_with_any_answer(&folder, &format!("{case}-{threads}"), &arguments);
        }
        check_equal_runs(&folder, &format!("{case}-1"), &format!("{case}-2"));
    }
}

#[test]
fn options_of_a_search_can_be_tuned() {
    let folder = Folder::new();
    let profile = "--profile mcts:iterations=5:margin_weight=0.5";
    let keys = "exploration,iterations=1..30,margin_weight=0.2..0.8";
    // The old name of --restarts still works.
    let budget = "--games 4 --evaluations 14 --runs 1 --playoff-games 10";
    tune_with_any_answer(&folder, "tuned", &format!("{profile} --keys {keys} {budget}"));
    let mut seen = [false; 2];
    for row in folder.rows("tuned/evaluations.csv") {
        let [exploration, iterations, margin_weight] =
            ["exploration", "iterations", "margin_weight"].map(|key| number(&row, key));
        assert!((0.15..=0.6).contains(&exploration), "{row:?}");
        assert!((1.0..=30.0).contains(&iterations) && iterations.fract() == 0.0, "{row:?}");
        assert!((0.2..=0.8).contains(&margin_weight), "{row:?}");
        seen[0] |= iterations > 5.0;
        seen[1] |= exploration.fract() != 0.0;
    }
    assert_eq!(seen, [true; 2]);
}

const SHORT: &str = "--games 20 --evaluations 12 --restarts 2 --playoff-games 100";

/// Writes the files of an interrupted run: an incomplete manifest and the first bytes of the log.
fn write_interrupted_run(folder: &Folder, whole: &str, out: &str, length: usize) {
    fs::create_dir(folder.path(out)).unwrap();
    let log = folder.read(format!("{whole}/evaluations.csv"));
    folder.write(format!("{out}/evaluations.csv"), &log[..length]);
    let mut manifest = folder.manifest_without_timing(whole);
    manifest["complete"] = false.into();
    folder.write(format!("{out}/run.json"), manifest.to_string());
}

#[test]
fn a_log_cut_at_any_point_can_be_resumed() {
    let folder = Folder::new();
    write_damaged_profile(&folder);
    let arguments = format!("{DAMAGED} {SHORT}");
    tune_with_any_answer(&folder, "whole", &arguments);
    let length = fs::metadata(folder.path("whole/evaluations.csv")).unwrap().len() as usize;
    let resumed = format!("{arguments} --resume");
    for (case, length) in
        [0, 10, length / 3, length / 2, length - 1, length].into_iter().enumerate()
    {
        write_interrupted_run(&folder, "whole", &case.to_string(), length);
        tune_with_any_answer(&folder, &case.to_string(), &resumed);
        check_equal_runs(&folder, "whole", &case.to_string());
    }
    // Without an interrupted run a new one begins.
    tune_with_any_answer(&folder, "new", &resumed);
    check_equal_runs(&folder, "whole", "new");
}

#[test]
fn logged_candidates_are_not_played_again() {
    let folder = Folder::new();
    write_damaged_profile(&folder);
    let arguments = format!("{DAMAGED} {SHORT}");
    tune_with_any_answer(&folder, "whole", &arguments);
    let log = folder.read("whole/evaluations.csv");
    write_interrupted_run(&folder, "whole", "changed", log.len());
    // A result in the log is not checked: a changed one stays in the table and changes the search.
    let lines: Vec<_> = log.lines().collect();
    let mut fields: Vec<_> = lines[1].split(',').collect();
    fields[6] = "20.0000";
    let first_generation =
        format!("{}\n{}\n{}\n", lines[0], fields.join(","), lines[2..7].join("\n"));
    folder.write("changed/evaluations.csv", &first_generation);
    tune_with_any_answer(&folder, "changed", &format!("{arguments} --resume"));
    let changed = folder.read("changed/evaluations.csv");
    assert!(changed.starts_with(&first_generation));
    assert!(changed != log && changed.lines().count() == log.lines().count());
}

#[test]
fn another_run_is_not_resumed() {
    let folder = Folder::new();
    write_damaged_profile(&folder);
    let arguments = format!("{DAMAGED} {SHORT} --resume");
    tune_with_any_answer(&folder, "whole", &arguments);
    let other_seed = format!("tune --out whole {arguments} --seed 5");
    folder.refuses(&other_seed, &["run.json", "`seed` is 1, not 5"]);

    let log = folder.read("whole/evaluations.csv");
    write_interrupted_run(&folder, "whole", "strange", log.len());
    let mut lines: Vec<_> = log.lines().collect();
    lines.swap(3, 4);
    folder.write("strange/evaluations.csv", lines.join("\n") + "\n");
    let (_, message) = folder.exits_with(2, &format!("tune --out strange {arguments}"));
    let expected = "evaluations.csv:4: expected an evaluation of 0,0,2,";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_killed_run_can_be_resumed() {
    let folder = Folder::new();
    write_damaged_profile(&folder);
    let arguments =
        format!("{DAMAGED} --games 100 --evaluations 18 --restarts 2 --playoff-games 1000");
    tune_with_any_answer(&folder, "whole", &arguments);

    let log = folder.path("killed/evaluations.csv");
    let lines = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    let killed = format!("tune --quiet --out killed {arguments}");
    let mut child = folder.start_until(&killed, || lines() >= 9);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.manifest("killed")["complete"], false, "the run was killed before its end");

    tune_with_any_answer(&folder, "killed", &format!("{arguments} --resume"));
    check_equal_runs(&folder, "whole", "killed");
}

#[test]
fn invalid_keys_to_tune_are_refused() {
    let folder = Folder::new();
    let refused = |profile: &str, keys: &str, parts: &[&str]| {
        folder.refuses(&format!("tune --profile {profile} --keys {keys} --out run"), parts);
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
    folder.refuses("tune --profile mcts --out run", &["--keys", "no weights"]);
    folder.refuses("tune --profile balanced", &["--out"]);
    folder.refuses("tune --out run", &["--profile"]);
    folder.refuses("tune --profile balanced --games 0 --out run", &["--games", "0"]);
    folder.refuses(
        "tune --profile balanced --keys weights.toknes --out run",
        &["--keys", "did you mean `tokens`?"],
    );
    for flag in ["--step-size", "--step"] {
        let run = format!("tune --profile balanced {flag} 0 --out run");
        folder.refuses(&run, &["--step-size", "from 0.0001 to 1"]);
    }
    folder.refuses(
        "tune --profile balanced --point-value 2 --out run",
        &["--point-value", "from 0 to 1"],
    );
    let against = "tune --profile balanced --players 3 --out run --against builder,random,balanced";
    folder.refuses(against, &["--against", "2 bots for 2 seats", "found 3"]);
}
