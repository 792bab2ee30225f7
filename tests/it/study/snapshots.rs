//! A small run of every command that writes tables, compared with `tests/snapshots`. A change of
//! the code that is meant to change nothing changes no snapshot.
//!
//! Set the environment variable `UPDATE_SNAPSHOTS` to write the snapshots.

use std::{env, fmt::Write as _, fs, path::Path};

use watershed::config::sha256;

use crate::support::Folder;

/// The runs by name of snapshot. Each writes to the folder `run`.
const RUNS: [(&str, &str); 16] = [
    (
        "simulate_the_river",
        "simulate --players 3 --bots balanced,random,random --games 60 --games-csv",
    ),
    (
        "simulate_until_significant",
        "simulate --game the_river --bots balanced,random --until-significant",
    ),
    (
        "simulate_glassworks",
        "simulate --game glassworks --players 2 --bots balanced,rows --games 100 --games-csv",
    ),
    (
        "simulate_common_river",
        "simulate --game common_river --players 3 --bots balanced,warden,random --games 60",
    ),
    ("simulate_common_river_solo", "simulate --game common_river --players 1 --games 40"),
    ("merge", "merge shard1 shard2"),
    ("match_the_river", "match --game the_river --bots balanced,settler,random --games 60"),
    (
        "match_common_river",
        "match --game common_river --players 3 --bots balanced,warden \
         --sprt 0,50,0.05,0.05 --games 150",
    ),
    ("compare", "balance compare data.toml altered.toml --panel random,balanced --games 200"),
    (
        "sweep",
        "balance sweep --game glassworks --bots learned2 --key play.satchel_limit --values 3..5 --games 100",
    ),
    (
        "ablate_the_river",
        "balance ablate --panel random,balanced --games 60 --only tile --remove w2c1",
    ),
    (
        "ablate_common_river",
        "balance ablate --game common_river --players 3 --bots balanced* --games 40",
    ),
    (
        "restrict",
        "balance restrict --never swap --always build --panel random,balanced --games 100",
    ),
    ("luck", "balance luck --game glassworks --bots balanced* --games 300"),
    (
        "tune",
        "tune --profile balanced --keys epsilon=0..1 --games 20 --evaluations 8 --playoff-games 40",
    ),
    (
        "train_heuristic",
        "train-heuristic --game glassworks --players 2 --games 30 --generations 2 --check-games 40",
    ),
];

/// Rows of a table that a snapshot shows. The hash covers the others.
const ROWS: usize = 2;

#[test]
fn outputs_equal_their_snapshots() {
    let folder = Folder::new();
    let (data, cost) = ("configs/the_river.toml", "cost = { wood = 3, clay = 2, stone = 1 }");
    folder.copy(data, "data.toml");
    folder.copy_with(data, "altered.toml", cost, "cost = { wood = 2, clay = 1 }");
    for shard in [1, 2] {
        let run = "simulate --quiet --bots balanced,random --games 60 --games-csv";
        folder.succeeds(&format!("{run} --shard {shard}/2 --out shard{shard}"));
    }
    let mut outdated = Vec::new();
    for (name, command) in RUNS {
        let found = snapshot(&folder, command);
        let path = format!("tests/snapshots/{name}.txt");
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&path, found).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != found {
            let expected = fs::read_to_string(&path).unwrap_or_default();
            let mut lines = found.lines().zip(expected.lines());
            let first = lines.find(|(found, expected)| found != expected);
            outdated.push(format!("{path}: {first:#?}"));
        }
    }
    let advice = "if the change is intended, set UPDATE_SNAPSHOTS=1";
    assert!(outdated.is_empty(), "{advice}\n{}", outdated.join("\n"));
}

/// Runs a command and describes its output.
fn snapshot(folder: &Folder, command: &str) -> String {
    let (out, is_training) =
        if command.starts_with("train") { ("run.toml", true) } else { ("run", false) };
    let output = folder.run(&format!("{command} --quiet --force --out {out}"));
    assert!(output.status.code().is_some_and(|code| code < 2), "{command}: {output:?}");
    let mut text = String::from_utf8(output.stdout).unwrap();
    if is_training {
        write!(text, "\n== run.toml\n{}", folder.read(out)).unwrap();
        return text;
    }
    for file in folder.files(out) {
        let content = folder.read(format!("{out}/{file}"));
        if file == "run.json" {
            let mut manifest = folder.manifest_without_timing(out);
            for key in ["build", "version", "config_sha256", "arguments", "bots"] {
                manifest[key].take();
            }
            write!(text, "\n== {file}\n{manifest:#}\n").unwrap();
        } else if Path::new(&file).extension().is_some_and(|extension| extension == "csv") {
            let (rows, hash) = (content.lines().count() - 1, &sha256(content.as_bytes())[..16]);
            write!(text, "\n== {file}: {rows} rows, sha256 {hash}\n").unwrap();
            content.lines().take(1 + ROWS).for_each(|line| writeln!(text, "{line}").unwrap());
        }
    }
    text
}
