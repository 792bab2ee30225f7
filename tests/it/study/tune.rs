//! Tuning finds what is wrong with a profile, says no where nothing is, and goes on after an
//! interrupt as if there had been none.

use std::{fs, path::Path, thread, time::Duration};

use tempfile::TempDir;

use crate::support::{manifest, manifest_without_timing, start, succeeds, watershed};

fn tune(folder: &Path, out: &str, arguments: &[&str]) -> std::process::Output {
    watershed(folder, &[&["tune", "--quiet", "--out", out], arguments].concat())
}

#[track_caller]
fn tunes(folder: &Path, out: &str, arguments: &[&str]) {
    let output = tune(folder, out, arguments);
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn table(folder: &Path, out: &str, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join(out).join(name)).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[track_caller]
fn same(folder: &Path, one: &str, other: &str) {
    for name in ["evaluations.csv", "playoff.csv", "best.toml"] {
        let read = |out: &str| fs::read(folder.join(out).join(name)).ok();
        assert!(read(one) == read(other), "{name} differs between {one} and {other}");
    }
    assert_eq!(manifest_without_timing(folder, one), manifest_without_timing(folder, other));
}

/// A profile that thinks nothing of buildings and shuns production.
fn hurt(folder: &Path) {
    let balanced = fs::read_to_string("bots/the_river/balanced.toml").unwrap();
    let hurt = balanced
        .replace("building_points = 0.82", "building_points = 0")
        .replace("\nproduction = 0.42", "\nproduction = -0.42");
    assert_eq!(
        hurt.matches("building_points = 0\n").count()
            + hurt.matches("\nproduction = -0.42").count(),
        2
    );
    fs::write(folder.join("hurt.toml"), hurt).unwrap();
}

const HURT: [&str; 4] =
    ["--profile", "hurt.toml", "--keys", "weights.building_points,weights.production=-1..1"];

#[test]
fn tuning_repairs_a_damaged_profile() {
    let folder = TempDir::new().unwrap();
    hurt(folder.path());
    let budget = ["--games", "60", "--evaluations", "30", "--runs", "2", "--playoff-games", "300"];
    let output = tune(folder.path(), "tuned", &[&HURT[..], &budget].concat());
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.starts_with("watershed tune ") && shown.contains("best.toml"), "{shown}");
    assert!(output.stderr.is_empty());

    let manifest = manifest_without_timing(folder.path(), "tuned");
    assert_eq!((&manifest["complete"], &manifest["improved"]), (&true.into(), &true.into()));
    let evaluations = table(folder.path(), "tuned", "evaluations.csv");
    assert_eq!(evaluations.len(), 1 + 2 * 30);
    let play_off = table(folder.path(), "tuned", "playoff.csv");
    assert_eq!(
        play_off[0][..5],
        ["stage", "bot", "weights.building_points", "weights.production", "games"]
    );
    assert_eq!(play_off[1][..5], ["play-off", "start", "0", "-0.42", "300"]);
    assert_eq!(play_off.len(), 1 + 3 + 2);
    let best = fs::read_to_string(folder.path().join("tuned/best.toml")).unwrap();
    assert!(
        best.starts_with(
            "# Made by `watershed tune --game the_river --players 2 --profile hurt.toml "
        ),
        "{best}"
    );

    // By games that the tuning has not seen.
    let simulation = [
        "simulate",
        "--bots",
        "tuned/best.toml,hurt.toml",
        "--games",
        "1000",
        "--seed",
        "99",
        "--quiet",
        "--out",
        "check",
    ];
    succeeds(folder.path(), &simulation);
    let won: f64 = table(folder.path(), "check", "win_rates.csv")[1][4].parse().unwrap();
    assert!(won > 0.75, "{won}");
}

/// Alone, wins are compared with those of the profile in its place, and the score says where the
/// first of them lie.
#[test]
fn tuning_finds_wins_from_a_profile_without_wins() {
    let folder = TempDir::new().unwrap();
    let steward = fs::read_to_string("bots/common_river/steward.toml").unwrap();
    let homeless: Vec<_> =
        steward.lines().filter(|line| !line.starts_with("role_city_means")).collect();
    assert_eq!(homeless.len() + 2, steward.lines().count());
    fs::write(folder.path().join("homeless.toml"), homeless.join("\n")).unwrap();
    let keys = "weights.role_city_means=0..30,weights_at_end.role_city_means=0..60";
    let budget = ["--games", "60", "--evaluations", "30", "--runs", "1", "--playoff-games", "300"];
    let arguments =
        [&["--game", "common_river", "--profile", "homeless.toml", "--keys", keys][..], &budget]
            .concat();
    let output = tune(folder.path(), "tuned", &arguments);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(
        shown.contains(" --point-value 0.001 ")
            && shown.contains("homeless.toml in the same seats wins 0.0 %"),
        "{shown}"
    );

    let play_off = table(folder.path(), "tuned", "playoff.csv");
    let (start, best) = (&play_off[3], &play_off[4]);
    assert_eq!(
        (&start[..2], &best[..2]),
        (
            &["confirmation".into(), "start".into()][..],
            &["confirmation".into(), "restart 0".into()][..]
        )
    );
    assert_eq!(start[5], "0.0000");
    assert!(best[6].parse::<f64>().unwrap() > 0.1, "{best:?}");
}

#[test]
fn all_weights_can_be_tuned_with_a_wildcard() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("plain.toml"),
        "kind = \"heuristic\"\n[weights]\ntokens = 2.0\nproduction = -0.5\n",
    )
    .unwrap();
    let keys_of = |out: &str, keys: &[&str]| {
        tunes(
            folder.path(),
            out,
            &[
                &[
                    "--profile",
                    "plain.toml",
                    "--games",
                    "2",
                    "--evaluations",
                    "1",
                    "--playoff-games",
                    "2",
                ],
                keys,
            ]
            .concat(),
        );
        let manifest = manifest_without_timing(folder.path(), out);
        let keys = manifest["keys"].as_array().unwrap().iter();
        keys.map(|key| (key["key"].as_str().unwrap().to_owned(), key["start"].as_f64()))
            .collect::<Vec<_>>()
    };
    let key = |name: &str, start: f64| (name.to_owned(), Some(start));
    assert_eq!(
        keys_of("given", &[]),
        [key("weights.production", -0.5), key("weights.tokens", 2.0)]
    );
    let all = keys_of("all", &["--keys", "temperature,weights_at_end.*=-3..3"]);
    assert!(all.len() > 10 && all[0].0 == "temperature");
    let at_end = |name: &str| {
        all.iter().find(|(key, _)| key.strip_prefix("weights_at_end.") == Some(name)).unwrap().1
    };
    assert_eq!(
        [at_end("tokens"), at_end("production"), at_end("token_points")],
        [Some(2.0), Some(-0.5), Some(0.0)],
        "weights that stay"
    );
}

#[test]
fn a_profile_without_gain_is_not_written() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "--profile",
        "balanced",
        "--keys",
        "epsilon=0..0.5",
        "--games",
        "20",
        "--evaluations",
        "8",
        "--playoff-games",
        "200",
    ];
    let output = tune(folder.path(), "tuned", &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("no profile written"));
    assert!(!folder.path().join("tuned/best.toml").exists());
    let manifest = manifest_without_timing(folder.path(), "tuned");
    assert_eq!((&manifest["complete"], &manifest["improved"]), (&true.into(), &false.into()));
    // Whoever goes on with it hears the same.
    assert_eq!(
        tune(folder.path(), "tuned", &[&arguments[..], &["--resume"]].concat()).status.code(),
        Some(1)
    );
    assert_eq!(
        tune(folder.path(), "tuned", &arguments).status.code(),
        Some(2),
        "a finished run is overwritten only by force"
    );
}

#[test]
fn the_number_of_threads_does_not_change_tuning() {
    let folder = TempDir::new().unwrap();
    hurt(folder.path());
    let cases: [&[&str]; 2] = [
        &["--games", "20", "--evaluations", "12", "--runs", "2", "--playoff-games", "100"],
        &[
            "--players",
            "3",
            "--against",
            "builder,hurt.toml",
            "--games",
            "20",
            "--evaluations",
            "6",
            "--runs",
            "1",
            "--playoff-games",
            "60",
        ],
    ];
    for (case, budget) in cases.into_iter().enumerate() {
        for threads in ["1", "2"] {
            tunes(
                folder.path(),
                &format!("{case}-{threads}"),
                &[&HURT[..], budget, &["--threads", threads]].concat(),
            );
        }
        same(folder.path(), &format!("{case}-1"), &format!("{case}-2"));
    }
}

#[test]
fn options_of_a_search_can_be_tuned() {
    let folder = TempDir::new().unwrap();
    let keys = "exploration,iterations=1..30,margin_weight=0.2..0.8";
    let budget = ["--games", "4", "--evaluations", "14", "--runs", "1", "--playoff-games", "10"];
    tunes(
        folder.path(),
        "tuned",
        &[&["--profile", "mcts:iterations=5:margin_weight=0.5", "--keys", keys], &budget[..]]
            .concat(),
    );
    let mut seen = [false; 2];
    for row in &table(folder.path(), "tuned", "evaluations.csv")[1..] {
        let value = |index: usize| row[index].parse::<f64>().unwrap();
        assert!(
            (0.15..=0.6).contains(&value(3))
                && (1.0..=30.0).contains(&value(4))
                && (0.2..=0.8).contains(&value(5)),
            "{row:?}"
        );
        assert!(value(4).fract() == 0.0, "{row:?}");
        seen[0] |= value(4) > 5.0;
        seen[1] |= value(3).fract() != 0.0;
    }
    assert_eq!(seen, [true; 2]);
}

const SHORT: [&str; 8] =
    ["--games", "20", "--evaluations", "12", "--runs", "2", "--playoff-games", "100"];

/// What an interrupt leaves: the manifest of an unfinished run, and a log that ends anywhere.
fn interrupt(folder: &Path, whole: &str, out: &str, length: usize) {
    fs::create_dir(folder.join(out)).unwrap();
    let log = fs::read(folder.join(whole).join("evaluations.csv")).unwrap();
    fs::write(folder.join(out).join("evaluations.csv"), &log[..length]).unwrap();
    let mut manifest = manifest_without_timing(folder, whole);
    manifest["complete"] = false.into();
    fs::write(folder.join(out).join("run.json"), manifest.to_string()).unwrap();
}

#[test]
fn a_log_cut_at_any_point_can_be_resumed() {
    let folder = TempDir::new().unwrap();
    hurt(folder.path());
    let arguments = [&HURT[..], &SHORT].concat();
    tunes(folder.path(), "whole", &arguments);
    let length = fs::metadata(folder.path().join("whole/evaluations.csv")).unwrap().len() as usize;
    let resumed = [&arguments[..], &["--resume"]].concat();
    for (case, length) in
        [0, 10, length / 3, length / 2, length - 1, length].into_iter().enumerate()
    {
        interrupt(folder.path(), "whole", &case.to_string(), length);
        tunes(folder.path(), &case.to_string(), &resumed);
        same(folder.path(), "whole", &case.to_string());
    }
    // Where nothing is to go on with, it begins.
    tunes(folder.path(), "new", &resumed);
    same(folder.path(), "whole", "new");
}

#[test]
fn logged_candidates_are_not_played_again() {
    let folder = TempDir::new().unwrap();
    hurt(folder.path());
    let arguments = [&HURT[..], &SHORT].concat();
    tunes(folder.path(), "whole", &arguments);
    let log = fs::read_to_string(folder.path().join("whole/evaluations.csv")).unwrap();
    interrupt(folder.path(), "whole", "changed", log.len());
    // A result that was never played is believed: it stays in the table and leads elsewhere.
    let lines: Vec<_> = log.lines().collect();
    let mut fields: Vec<_> = lines[1].split(',').collect();
    fields[6] = "20.0000";
    let first_generation =
        format!("{}\n{}\n{}\n", lines[0], fields.join(","), lines[2..7].join("\n"));
    fs::write(folder.path().join("changed/evaluations.csv"), &first_generation).unwrap();
    tunes(folder.path(), "changed", &[&arguments[..], &["--resume"]].concat());
    let changed = fs::read_to_string(folder.path().join("changed/evaluations.csv")).unwrap();
    assert!(changed.starts_with(&first_generation));
    assert!(changed != log && changed.lines().count() == log.lines().count());
}

#[test]
fn another_run_is_not_resumed() {
    let folder = TempDir::new().unwrap();
    hurt(folder.path());
    let arguments = [&HURT[..], &SHORT, &["--resume"]].concat();
    tunes(folder.path(), "whole", &arguments);
    let refused = |out: &str, arguments: &[&str], parts: &[&str]| {
        let output = tune(folder.path(), out, arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        for part in parts {
            assert!(message.contains(part), "{part:?} is not in {message}");
        }
    };
    refused(
        "whole",
        &[&arguments[..], &["--seed", "5"]].concat(),
        &["run.json", "`seed` is 1, not 5"],
    );

    let log = fs::read_to_string(folder.path().join("whole/evaluations.csv")).unwrap();
    interrupt(folder.path(), "whole", "strange", log.len());
    let mut lines: Vec<_> = log.lines().collect();
    lines.swap(3, 4);
    fs::write(folder.path().join("strange/evaluations.csv"), lines.join("\n") + "\n").unwrap();
    refused("strange", &arguments, &["evaluations.csv:4", "expected an evaluation of 0,0,2,"]);
}

#[test]
fn a_killed_run_can_be_resumed() {
    let folder = TempDir::new().unwrap();
    hurt(folder.path());
    let arguments = [
        &HURT[..],
        &["--games", "100", "--evaluations", "18", "--runs", "2", "--playoff-games", "1000"],
    ]
    .concat();
    tunes(folder.path(), "whole", &arguments);

    let run = [&["tune", "--quiet", "--out", "killed"], &arguments[..]].concat();
    let mut child = start(folder.path(), &run);
    let log = folder.path().join("killed/evaluations.csv");
    let lines = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    while lines() < 9 && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(
        manifest(folder.path(), "killed")["complete"],
        false,
        "killed in the middle"
    );

    tunes(folder.path(), "killed", &[&arguments[..], &["--resume"]].concat());
    same(folder.path(), "whole", "killed");
}
