//! `watershed verify`: a finished run is repeated by the command of its manifest.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Folder;

/// Returns a folder with a short simulation.
fn simulated() -> Folder {
    let folder = Folder::new();
    folder.succeeds_quietly("simulate --bots random --games 40 --seed 3 --out run");
    folder
}

#[test]
fn runs_are_repeated_from_their_folders() {
    let folder = simulated();
    folder.copy("configs/the_river.toml", "old.toml");
    folder.copy_with("configs/the_river.toml", "new.toml", "trade_in = 3", "trade_in = 2");
    folder.write("note.md", "Mine.\n");
    let compare = "compare old.toml new.toml --bots random --games 40 --csv excel --note note.md";
    folder.balance("compare", compare);
    let text = folder.succeeds_quietly("verify run compare --threads 2");
    let lines: Vec<_> = text.lines().collect();
    let count = folder.manifest("run")["files"].as_array().unwrap().len() + 1;
    assert_eq!(lines[0], format!("run: all {count} files equal"));
    assert!(lines[1].starts_with("compare: all "), "{text}");
    let (_, messages) = folder.exits_with(0, "verify run");
    assert!(messages.contains("run 1 of 1") && !messages.contains("written to"), "{messages}");
    folder.succeeds_quietly("verify run --out kept");
    assert_eq!(folder.read("kept/1/tiles.csv"), folder.read("run/tiles.csv"));
    folder.refuses("verify run --out kept", &["kept", "expected a new folder"]);
    // Another data file has other results.
    folder.copy_with("configs/the_river.toml", "new.toml", "trade_in = 3", "trade_in = 4");
    let (text, _) = folder.exits_with(1, "verify compare --quiet");
    assert!(text.starts_with("compare: differs in ") && text.contains("differences.csv"), "{text}");
}

#[test]
fn differences_are_named() {
    let folder = simulated();
    let tiles = folder.read("run/tiles.csv");
    let manifest = folder.manifest("run");
    let verify = |code: i32, expected: &str| {
        let (text, _) = folder.exits_with(code, "verify run --quiet");
        assert!(text.contains(expected), "{text}");
    };
    folder.write("run/tiles.csv", tiles.replacen('0', "1", 1));
    verify(1, "run: differs in tiles.csv\n");
    fs::remove_file(folder.path("run/tiles.csv")).unwrap();
    folder.refuses("verify run", &["run/tiles.csv: is missing"]);
    folder.write("run/tiles.csv", tiles);
    for (key, value, code, expected) in [
        ("games", json!(400), 1, "differs in run.json (`games`)\n"),
        ("timing", json!(null), 0, "files equal\n"),
        ("build", json!("other"), 0, "A run is of another build"),
        ("files", json!(["run.json", "../note.md"]), 1, "(missing)"),
    ] {
        let mut changed = manifest.clone();
        changed[key] = value;
        folder.write("run/run.json", changed.to_string());
        verify(code, expected);
    }
}

#[test]
fn hostile_manifests_are_refused() {
    let folder = simulated();
    let manifest = folder.manifest("run");
    let refuses = |key: &str, value: Value, part: &str| {
        let mut changed = manifest.clone();
        changed[key] = value;
        folder.write("run/run.json", changed.to_string());
        folder.refuses("verify run --quiet", &["run", part]);
    };
    for (command, expected) in [
        ("simulate --games 40 --out out", "expected no --out"),
        ("simulate --games 40 -qo out", "expected no --out"),
        ("simulate --games 40 --records=out", "expected no --records"),
        ("simulate --games 40 --bots exec:ls", "expected no bot that is a program"),
        ("simulate --games 40 --bots random,exec:ls", "expected no bot that is a program"),
        ("balance compare -- a.toml b.toml", "\"--\""),
        ("calibrate --bots mcts --write out", "expected no --write"),
        ("verify run", "expected a command that writes a finished run"),
        ("serve", "expected a command that writes a finished run"),
        ("list bots", "expected a command that writes a finished run"),
        ("play --seed", "--seed"),
    ] {
        refuses("arguments", json!(command.split(' ').collect::<Vec<_>>()), expected);
    }
    refuses("arguments", json!("simulate"), "arguments: expected a list of words");
    refuses("complete", json!(false), "not complete");
    refuses("shard", json!("1/2"), "holds a shard");
    folder.refuses("verify missing", &["missing: holds no finished run"]);
    folder.write("old.json", "{}");
    folder.refuses("verify old.json", &["old.json", "folders of runs have replaced certificates"]);
}

#[cfg(unix)]
#[test]
fn pipes_are_not_read() {
    let folder = simulated();
    fs::remove_file(folder.path("run/run.json")).unwrap();
    for name in ["run/run.json", "mine.network"] {
        assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
    }
    folder.refuses("verify run", &["run: holds no finished run"]);
    folder.write("mine.toml", "kind = 'network'\nweights = 'mine.network'\n");
    folder.refuses(
        "simulate --bots mine.toml,random --games 2",
        &["mine.toml:2: key `weights`: mine.network: can't be read: expected a regular file"],
    );
}
