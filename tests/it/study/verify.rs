//! `watershed report --certificate` and `watershed verify`: a finding is repeated from one file.

#[cfg(unix)]
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Folder;

/// Writes the certificate of some runs and returns it.
#[track_caller]
fn certify(folder: &Folder, runs: &str) -> Value {
    folder.succeeds_quietly(&format!("report {runs} --certificate found.json --force"));
    folder.json("found.json")
}

/// Returns a folder with the certificate of a short simulation.
fn simulated() -> (Folder, Value) {
    let folder = Folder::new();
    folder.succeeds_quietly("simulate --bots random --games 40 --seed 3 --out run");
    let certificate = certify(&folder, "run");
    (folder, certificate)
}

/// Writes a changed certificate and expects that it is refused.
#[track_caller]
fn refuses(folder: &Folder, certificate: &Value, parts: &[&str]) {
    folder.write("changed.json", certificate.to_string());
    let parts: Vec<_> = ["changed.json: runs[0]"].iter().chain(parts).copied().collect();
    folder.refuses("verify changed.json --quiet", &parts);
}

#[test]
fn a_run_is_repeated_from_its_certificate_alone() {
    let (folder, certificate) = simulated();
    let run = &certificate["runs"][0];
    assert!(run["finding"].as_str().unwrap().contains("win"), "{}", run["finding"]);
    assert_eq!(run["manifest"]["seed"], 3);
    assert_eq!(run["manifest"]["timing"], Value::Null);
    let data = &run["inputs"][0];
    assert_eq!(data["name"], "<configs/the_river.toml>");
    assert!(data["content"].as_str().unwrap().contains("[[building]]"));
    assert!(run["outputs"]["win_rates.csv"].is_string() && run["outputs"]["report.html"].is_null());

    let elsewhere = Folder::new();
    elsewhere.write("found.json", certificate.to_string());
    let text = elsewhere.succeeds_quietly("verify found.json --threads 2");
    let count = run["outputs"].as_object().unwrap().len() + 1;
    let command = run["manifest"]["command"].as_str().unwrap();
    assert_eq!(text, format!("{command}: all {count} files equal\n"));
    assert_eq!(elsewhere.files("."), ["found.json"]);
    // The folder of the repeated run is removed.
    let (_, messages) = elsewhere.exits_with(0, "verify found.json");
    assert!(messages.contains("run 1 of 1") && !messages.contains("written to"), "{messages}");
    elsewhere.succeeds_quietly("verify found.json --out kept");
    assert_eq!(elsewhere.read("kept/1/run/tiles.csv"), folder.read("run/tiles.csv"));
    elsewhere.refuses("verify found.json --out kept", &["kept", "expected a new folder"]);
}

#[test]
fn differences_are_named() {
    let (folder, certificate) = simulated();
    let hash = certificate["runs"][0]["outputs"]["tiles.csv"].clone();
    for (part, value, expected) in [
        ("/runs/0/outputs/win_rates.csv", hash.clone(), "differs in win_rates.csv\n"),
        ("/runs/0/outputs", json!({ "other.csv": hash }), "other.csv (missing)"),
        ("/runs/0/finding", json!("All is fair."), "differs in the first finding\n"),
        ("/runs/0/manifest/games", json!(400), "differs in run.json\n"),
        ("/runs/0/manifest/build/source_sha256", json!("0"), "another build"),
        ("/runs/0/inputs/0/edits", json!(["a: 1 → 2"]), "differs in the files that the command"),
    ] {
        let mut changed = certificate.clone();
        *changed.pointer_mut(part).unwrap() = value;
        folder.write("changed.json", changed.to_string());
        let code = i32::from(!part.contains("build"));
        let (text, _) = folder.exits_with(code, "verify changed.json --quiet");
        assert!(text.contains(expected), "{part}: {text}");
    }
}

#[test]
fn changed_and_hostile_certificates_are_refused() {
    let folder = Folder::new();
    folder.copy_with("configs/the_river.toml", "edited.toml", "trade_in = 3", "trade_in = 2");
    let run = "simulate --bots random --games 40 --config edited.toml --quiet";
    folder.succeeds(&format!("{run} --out run"));
    let certificate = certify(&folder, "run");
    let edits = &certificate["runs"][0]["inputs"][0]["edits"];
    assert_eq!(*edits, json!(["rules.trade_in: 3 → 2"]));
    folder.succeeds_quietly("verify found.json");

    let change = |part: &str, value: Value| {
        let mut changed = certificate.clone();
        *changed.pointer_mut(part).unwrap() = value;
        changed
    };
    let content = "/runs/0/inputs/0/content";
    let text = certificate.pointer(content).unwrap().as_str().unwrap();
    let changed = change(content, text.replace("trade_in = 2", "trade_in = 1").into());
    refuses(&folder, &changed, &["inputs: edited.toml", "SHA-256"]);
    for name in ["../edited.toml", "/edited.toml", "a/../../edited.toml", ""] {
        let changed = change("/runs/0/inputs/0/name", name.into());
        refuses(&folder, &changed, &["inputs", &format!("{name:?}"), "relative path"]);
    }
    let changed = change("/runs/0/inputs/0/name", "a/".repeat(2000).into());
    refuses(&folder, &changed, &["inputs", "at most 255 bytes, found one of 4000"]);
    for (command, expected) in [
        ("simulate --games 40 --out out", "expected no --out"),
        ("simulate --games 40 -qo out", "expected no --out"),
        ("simulate --games 40 --records=out", "expected no --records"),
        ("simulate --games 40 --config ../edited.toml", "without `..`"),
        ("simulate --games 40 --bots mcts:value=/a.toml", "without `..`"),
        ("simulate --games 40 --bots exec:ls", "expected no bot that is a program"),
        ("simulate --games 40 --bots random,exec:ls", "expected no bot that is a program"),
        ("simulate --games 40 -- edited.toml", "\"--\""),
        ("calibrate --bots mcts --write out", "expected no --write"),
        ("verify found.json", "expected a command that writes a finished run"),
        ("list bots", "expected a command that writes a finished run"),
        ("play --seed", "--seed"),
    ] {
        let words: Vec<_> = command.split(' ').collect();
        let changed = change("/runs/0/manifest/arguments", json!(words));
        refuses(&folder, &changed, &[expected]);
    }
    folder.write("no.json", "{}");
    folder.refuses("verify no.json", &["no.json", "expected a file of `report --certificate`"]);
    folder.write("large.json", " ".repeat((32 << 20) + 1));
    folder.refuses("verify large.json", &["large.json: can't be read: expected at most 32 MiB"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_certificate_and_has_no_weights() {
    let folder = Folder::new();
    for name in ["found.json", "mine.network"] {
        assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
    }
    folder.refuses("verify found.json", &["found.json: can't be read: expected a regular file"]);
    folder.write("mine.toml", "kind = 'network'\nweights = 'mine.network'\n");
    folder.refuses(
        "simulate --bots mine.toml,random --games 2",
        &["mine.toml:2: key `weights`: mine.network: can't be read: expected a regular file"],
    );
}

#[test]
fn runs_that_cannot_be_repeated_have_no_certificate() {
    let folder = Folder::new();
    folder.copy("configs/the_river.toml", "own.toml");
    let run = "simulate --bots random --games 40 --quiet";
    folder.succeeds(&format!("{run} --shard 1/2 --out shard"));
    folder.succeeds(&format!("{run} --config own.toml --out own"));
    let path = folder.path("own.toml").display().to_string();
    folder.succeeds(&format!("{run} --config {path} --out absolute"));
    folder.write("own.toml", format!("{}# changed\n", folder.read("own.toml")));
    for (out, expected) in [
        ("shard", "holds a shard"),
        ("own", "own.toml: was changed since the run"),
        ("absolute", "only if its paths are relative"),
    ] {
        let report = format!("report {out} --certificate found.json");
        folder.refuses(&report, &[out, expected]);
    }
    let manifest = folder.read("own/run.json");
    folder.write("own/run.json", manifest.replace("\"complete\": true", "\"complete\": false"));
    folder.refuses("report own --certificate found.json", &["own", "not complete"]);
}

#[test]
fn a_certificate_of_several_runs_holds_their_files_and_bots() {
    let folder = Folder::new();
    folder.copy("configs/the_river.toml", "old.toml");
    folder.copy_with("configs/the_river.toml", "new.toml", "trade_in = 3", "trade_in = 2");
    folder.copy("bots/the_river/expert.toml", "mine.toml");
    folder.copy("bots/the_river/expert.network", "expert.network");
    folder.write("goals.toml", "first_player = [0.3, 0.7]\n");
    folder.balance("compare", "compare old.toml new.toml --bots random --games 40 --csv excel");
    folder.balance(
        "search",
        "search --keys rules.trade_in=2,3 --goal goals.toml --bots random --games 40",
    );
    folder.succeeds_quietly("match --bots mine.toml:epsilon=0.5,random --games 4 --out match");
    let certificate = certify(&folder, "compare search match");
    let names = |run: usize| {
        let inputs = certificate["runs"][run]["inputs"].as_array().unwrap();
        inputs.iter().map(|input| input["name"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(names(0), ["old.toml", "new.toml"]);
    assert_eq!(names(1), ["<configs/the_river.toml>", "goals.toml"]);
    assert_eq!(names(2), ["<configs/the_river.toml>", "expert.network", "mine.toml"]);
    let elsewhere = Folder::new();
    elsewhere.write("found.json", certificate.to_string());
    let text = elsewhere.succeeds_quietly("verify found.json");
    assert_eq!(text.matches("files equal").count(), 3, "{text}");
}
