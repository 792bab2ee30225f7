//! The identity of a run: its build, the command that repeats it, and the hashes that resuming and
//! merging compare.

use std::fs;

use crate::support::Folder;

#[test]
fn the_version_names_the_build() {
    let folder = Folder::new();
    let short = folder.succeeds("-V");
    let long = folder.succeeds("--version");
    assert_eq!(short.lines().count(), 1, "{short}");
    assert!(long.starts_with(short.trim_end()) && long.contains("target features: "), "{long}");
    let signature = include_str!("../../signature.txt").trim();
    assert!(long.contains(&format!("behaviour signature: {signature}")), "{long}");
    let (_, sources) = short.trim_end().trim_end_matches(')').split_once("sources ").unwrap();

    folder.succeeds("simulate --bots random --games 2 --quiet --out run");
    let build = &folder.manifest("run")["build"];
    let sha256 = build["source_sha256"].as_str().unwrap();
    assert!(sha256.len() == 64 && sha256.starts_with(sources), "{build}");
    assert_eq!(build["behaviour_signature"], signature);
    if let Some(commit) = build["commit"].as_str() {
        assert!(
            short.contains(&commit[..12])
                && short.contains("modified") == build["modified"].as_bool().unwrap(),
            "{short}{build}"
        );
    }
}

/// The command that a manifest states and a run prints, run by a shell, gives the same table, also
/// if paths have characters that are special to a shell.
#[cfg(unix)]
#[test]
fn the_command_of_every_manifest_repeats_the_run() {
    let folder = Folder::new();
    let text = fs::read_to_string("configs/the_river.toml").unwrap();
    let (data, bot) = ("sp ace/it's.toml", "sp ace/$HOME.toml");
    fs::create_dir(folder.path("sp ace")).unwrap();
    folder.write(data, &text);
    folder.write(bot, "kind = \"random\"\n");
    folder.write("other.toml", text.replacen("copies = 12", "copies = 11", 1));
    let all = format!("{bot}*");
    let pair = format!("{bot},random");
    let tune = "--keys weights.tokens=0..1 --evaluations 1 --confirmation-games 2";
    let cases: [(&str, &[&str], &str, &str); 9] = [
        ("simulate", &["--config", data, "--bots", &all], "", "win_rates.csv"),
        ("match", &["--config", data, "--bots", &pair], "", "crosstable.csv"),
        (
            "tune",
            &["--config", data, "--profile", "balanced", "--against", &all],
            tune,
            "parameters.csv",
        ),
        ("balance compare", &[data, "other.toml", "--bots", &pair], "", "differences.csv"),
        (
            "balance sweep",
            &["--config", data, "--bots", &pair],
            "--key rules.trade_in --values 2,3",
            "sweep.csv",
        ),
        ("calibrate", &["--config", data, "--bots", "mcts:iterations=5"], "", "calibration.csv"),
        ("balance turn-order", &["--config", data, "--panel", &pair], "", "verdicts.csv"),
        ("balance ablate", &["--config", data, "--bots", &pair], "", "forks.csv"),
        ("balance restrict", &["--config", data, "--bot", bot], "--never swap", "restricted.csv"),
    ];
    for (kind, paths, more, table) in cases {
        let out = kind.replace(' ', "_");
        let mut command = folder.command(kind);
        command.args(paths).args(more.split_whitespace());
        command.args(["--games", "4", "--quiet", "--full", "--threads", "1", "--out", &out]);
        let output = command.output().unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{kind}: {output:?}");
        let manifest = folder.manifest(&out);
        assert_eq!(manifest["kind"], kind);
        let listed: Vec<_> = manifest["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        let words: Vec<_> = kind.split(' ').collect();
        assert!(listed.starts_with(&words) && listed.contains(&data), "{listed:?}");
        assert!(manifest["build"]["source_sha256"].is_string(), "{kind}");
        let command = manifest["command"].as_str().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().starts_with(command), "{kind}");
        folder.run_in_shell(&format!("{command} --quiet --out again --force"));
        let read = |out: &str| folder.read(format!("{out}/{table}"));
        assert!(read(&out) == read("again"), "{command}");
    }
}

/// A finished shard is compared as an interrupted one is.
#[test]
fn resuming_and_merging_require_equal_values_and_bots() {
    let folder = Folder::new();
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    let value = fs::read_to_string("bots/the_river/balanced.toml").unwrap();
    folder.write("mine.toml", &data);
    folder.write("value.toml", &value);
    let bots = "mcts:iterations=3:value=value.toml:cut_off=0,random";
    let run = format!("simulate --quiet --games 8 --config mine.toml --bots {bots} --resume");
    let part = |index: &str, out: &str| format!("{run} --shard {index} --out {out}");
    let merge = |out: &str, parts: &str| format!("merge --quiet {parts} --out {out}");
    folder.succeeds(&part("1/2", "one"));
    folder.succeeds(&part("2/2", "two"));

    // Comments, names and provenance do not affect the games.
    let named = data.replacen("name = \"The River\"", "name = \"Mine\"", 1);
    let named = named.replacen("provenance = \"", "provenance = \"my ", 1);
    assert!(named.contains("name = \"Mine\"") && named.contains("\"my "));
    folder.write("mine.toml", format!("# Edited.\n{named}"));
    folder.succeeds(&part("1/2", "one"));
    folder.succeeds(&part("2/2", "edited"));
    folder.succeeds(&merge("merged", "one edited"));
    folder.succeeds(&merge("whole", "one two"));
    for table in ["win_rates.csv", "tiles.csv", "report.html"] {
        let read = |out: &str| folder.read(format!("{out}/{table}"));
        assert!(read("merged") == read("whole"), "{table}");
    }

    folder.write("mine.toml", data.replacen("copies = 12", "copies = 11", 1));
    folder.refuses(
        &part("1/2", "one"),
        &["one: holds another run", "data differs in `tile.desert_store2.copies`"],
    );
    folder.succeeds(&part("2/2", "rich"));
    folder.refuses(
        &merge("refused", "one rich"),
        &["rich: is not a shard of the run of one", "data differs in `tile.desert_store2.copies`"],
    );

    // The text of the bot is the same, but not the file that it names.
    folder.write("mine.toml", &data);
    folder.write("value.toml", format!("# Edited.\n{value}"));
    folder.succeeds(&part("1/2", "one"));
    folder
        .write("value.toml", value.replacen("building_points = 0.82", "building_points = 0.83", 1));
    folder.refuses(
        &part("1/2", "one"),
        &[
            "one: holds another run",
            "`bots.mcts:iterations=3:value=value.toml:cut_off=0.sha256` is",
        ],
    );
    folder.succeeds(&part("2/2", "keen"));
    folder.refuses(
        &merge("refused", "one keen"),
        &["keen: is not a shard of the run of one", "value.toml:cut_off=0.sha256` is"],
    );
    assert!(!folder.path("refused").exists());
}
