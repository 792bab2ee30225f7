//! What a run says about itself: the build, the command that repeats it, and the hashes by which
//! runs are resumed and merged.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::support::{manifest, refuses, watershed};

#[track_caller]
fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = watershed(folder, arguments);
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_version_names_the_build() {
    let folder = TempDir::new().unwrap();
    let short = succeeds(folder.path(), &["-V"]);
    let long = succeeds(folder.path(), &["--version"]);
    assert_eq!(short.lines().count(), 1, "{short}");
    assert!(long.starts_with(short.trim_end()) && long.contains("target features: "), "{long}");
    assert!(
        long.contains(&format!(
            "behaviour signature: {}",
            include_str!("../../signature.txt").trim()
        )),
        "{long}"
    );
    let (_, sources) = short.trim_end().trim_end_matches(')').split_once("sources ").unwrap();

    succeeds(folder.path(), &["simulate", "--games", "2", "--quiet", "--out", "run"]);
    let build = &manifest(folder.path(), "run")["build"];
    let sha256 = build["source_sha256"].as_str().unwrap();
    assert!(sha256.len() == 64 && sha256.starts_with(sources), "{build}");
    assert_eq!(build["behaviour_signature"], include_str!("../../signature.txt").trim());
    if let Some(commit) = build["commit"].as_str() {
        assert!(
            short.contains(&commit[..12])
                && short.contains("modified") == build["modified"].as_bool().unwrap(),
            "{short}{build}"
        );
    }
}

/// Every command names itself and its arguments, and the command it prints finds the same again,
/// whatever a shell would make of its words.
#[test]
fn the_command_of_every_manifest_repeats_the_run() {
    let folder = TempDir::new().unwrap();
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    fs::create_dir(folder.path().join("sp ace")).unwrap();
    fs::write(folder.path().join("sp ace/it's.toml"), &data).unwrap();
    fs::write(folder.path().join("sp ace/$HOME.toml"), "kind = \"random\"\n").unwrap();
    fs::write(folder.path().join("other.toml"), data.replacen("copies = 12", "copies = 11", 1))
        .unwrap();
    let (data, bot) = ("sp ace/it's.toml", "sp ace/$HOME.toml");
    let all = format!("{bot}*");
    let pair = format!("{bot},random");
    let cases: [(&str, &[&str], &str); 8] = [
        ("simulate", &["--config", data, "--bots", &all, "--games", "4"], "win_rates.csv"),
        ("match", &["--config", data, "--bots", &pair, "--games", "4"], "crosstable.csv"),
        (
            "tune",
            &[
                "--config",
                data,
                "--profile",
                "balanced",
                "--keys",
                "weights.tokens=0..1",
                "--against",
                &all,
                "--games",
                "2",
                "--evaluations",
                "1",
                "--playoff-games",
                "2",
                "--runs",
                "1",
            ],
            "evaluations.csv",
        ),
        (
            "balance compare",
            &[data, "other.toml", "--bots", &pair, "--games", "4"],
            "differences.csv",
        ),
        (
            "balance sweep",
            &[
                "--config",
                data,
                "--key",
                "rules.trade_in",
                "--values",
                "2,3",
                "--bots",
                &pair,
                "--games",
                "4",
            ],
            "sweep.csv",
        ),
        ("balance luck", &["--config", data, "--ladder", &pair, "--games", "4"], "luck.csv"),
        (
            "balance ablate",
            &["--config", data, "--bots", &pair, "--games", "4", "--value", "balanced"],
            "values.csv",
        ),
        (
            "balance restrict",
            &["--config", data, "--bot", bot, "--never", "swap", "--games", "4"],
            "restricted.csv",
        ),
    ];
    for (kind, arguments, table) in cases {
        let words: Vec<_> = kind
            .split(' ')
            .chain(arguments.iter().copied())
            .chain(["--quiet", "--threads", "1", "--out", kind])
            .collect();
        let printed = succeeds(folder.path(), &words);
        let first = manifest(folder.path(), kind);
        assert_eq!(first["kind"], kind);
        let listed: Vec<_> = first["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        assert_eq!(&listed[..kind.split(' ').count()], kind.split(' ').collect::<Vec<_>>());
        assert!(listed.contains(&data), "{listed:?}");
        assert!(first["build"]["source_sha256"].is_string(), "{kind}");
        let command = first["command"].as_str().unwrap();
        assert!(printed.starts_with(command), "{printed}");
        if cfg!(unix) {
            let program = env!("CARGO_BIN_EXE_watershed");
            let again = format!(
                "watershed() {{ '{program}' \"$@\"; }}; {command} --quiet --out again --force"
            );
            let status = std::process::Command::new("sh")
                .current_dir(folder.path())
                .args(["-c", &again])
                .output()
                .unwrap()
                .status;
            assert!(status.code().is_some_and(|code| code < 2), "{again}");
            let read = |out: &str| fs::read(folder.path().join(out).join(table)).unwrap();
            assert!(read(kind) == read("again"), "{command}");
        }
    }
}

/// A part of a run that is finished is as good as an interrupted one: `--resume` compares before it
/// looks what is left to do.
#[test]
fn resuming_and_merging_require_equal_values_and_bots() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    let value = fs::read_to_string("bots/the_river/balanced.toml").unwrap();
    write("mine.toml", &data);
    write("value.toml", &value);
    let bots = "mcts:iterations=3:value=value.toml:cut_off=0,random";
    let part = |index: &'static str, out: &'static str| {
        [
            "simulate",
            "--quiet",
            "--games",
            "8",
            "--config",
            "mine.toml",
            "--bots",
            bots,
            "--resume",
            "--shard",
            index,
            "--out",
            out,
        ]
    };
    let refused = |arguments: &[&str], parts: &[&str]| refuses(folder.path(), arguments, parts);
    let merge = |out: &'static str, parts: [&'static str; 2]| {
        ["merge", "--quiet", parts[0], parts[1], "--out", out]
    };
    succeeds(folder.path(), &part("1/2", "one"));
    succeeds(folder.path(), &part("2/2", "two"));

    // A comment, a name and a provenance change nothing of the games.
    let named = data.replacen("name = \"The River\"", "name = \"Mine\"", 1).replacen(
        "provenance = \"",
        "provenance = \"my ",
        1,
    );
    assert!(named.contains("name = \"Mine\"") && named.contains("\"my "));
    write("mine.toml", &format!("# Edited.\n{named}"));
    succeeds(folder.path(), &part("1/2", "one"));
    succeeds(folder.path(), &part("2/2", "edited"));
    succeeds(folder.path(), &merge("merged", ["one", "edited"]));
    succeeds(folder.path(), &merge("whole", ["one", "two"]));
    for table in ["win_rates.csv", "tiles.csv", "report.html"] {
        let read = |out: &str| fs::read(folder.path().join(out).join(table)).unwrap();
        assert!(read("merged") == read("whole"), "{table}");
    }

    write("mine.toml", &data.replacen("copies = 12", "copies = 11", 1));
    refused(&part("1/2", "one"), &["one: holds another run", "`data_sha256` is"]);
    succeeds(folder.path(), &part("2/2", "rich"));
    refused(
        &merge("refused", ["one", "rich"]),
        &["rich: is not a shard of the run of one", "`data_sha256` is"],
    );

    // The bot's own line is the same, what it refers to is not.
    write("mine.toml", &data);
    write("value.toml", &format!("# Edited.\n{value}"));
    succeeds(folder.path(), &part("1/2", "one"));
    write("value.toml", &value.replacen("building_points = 0.82", "building_points = 0.83", 1));
    refused(
        &part("1/2", "one"),
        &[
            "one: holds another run",
            "`bots.mcts:iterations=3:value=value.toml:cut_off=0.sha256` is",
        ],
    );
    succeeds(folder.path(), &part("2/2", "keen"));
    refused(
        &merge("refused", ["one", "keen"]),
        &["keen: is not a shard of the run of one", "value.toml:cut_off=0.sha256` is"],
    );
    assert!(!folder.path().join("refused").exists());
}
