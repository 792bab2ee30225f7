//! Runs that are ended by a signal.
#![cfg(unix)]

use crate::support::{Folder, interrupt};

/// The first interrupt ends a run after the games in flight. Its results are those of the finished
/// games, and are marked as incomplete.
#[test]
fn an_interrupted_run_keeps_finished_games() {
    let folder = Folder::new();
    folder.copy("configs/the_river.toml", "old.toml");
    folder.copy_with("configs/the_river.toml", "mine.toml", "trade_in = 3", "trade_in = 2");
    for (signal, run, table) in [
        ("INT", "simulate --games-csv", "win_rates.csv"),
        ("TERM", "match --bots random,random-kind,balanced", "ratings.csv"),
        ("INT", "balance compare old.toml mine.toml --panel balanced,random", "differences.csv"),
        ("TERM", "balance sweep --key rules.trade_in --values 2,4", "sweep.csv"),
        ("INT", "balance turn-order --panel balanced,random", "verdicts.csv"),
        ("TERM", "balance ablate --panel balanced,random --remove w2", "forks.csv"),
        ("INT", "balance restrict --never swap", "restricted.csv"),
    ] {
        let out = table.split_once('.').unwrap().0;
        let run = format!("{run} --games 100000000 --out {out} --quiet");
        let running = folder.start_until(&run, || folder.path(out).join("tally.json").exists());
        assert_eq!(interrupt(running, signal), Some(1), "{run}");
        let manifest = folder.manifest(out);
        let games = manifest["games"].as_u64().unwrap();
        assert_eq!(manifest["complete"], false, "{run}");
        assert!(games > 0 && games < manifest["games_planned"].as_u64().unwrap(), "{run}");
        let rows = folder.rows(format!("{out}/{table}"));
        assert!(!rows.is_empty(), "{run}");
        match table {
            // One bot in both seats.
            "win_rates.csv" => {
                assert_eq!(rows[0]["games"], (2 * games).to_string());
                assert_eq!(folder.rows(format!("{out}/games.csv")).len() as u64, games);
            }
            "ratings.csv" => {
                let unplayed = rows.iter().find(|row| row["bot"] == "balanced").unwrap();
                let columns = ["games", "elo_wins", "pl_strength_ci_low", "pl_strength_ci_high"];
                assert_eq!(columns.map(|column| &unplayed[column][..]), ["0", "", "", ""]);
            }
            _ => {}
        }
        let files = manifest["files"].as_array().unwrap().iter();
        let mut files: Vec<_> = files.map(|name| name.as_str().unwrap().to_owned()).collect();
        for file in &files {
            assert!(!folder.read(format!("{out}/{file}")).contains("NaN"), "{run}: {file}");
        }
        files.extend(["run.json", "tally.json"].map(str::to_owned));
        files.sort();
        assert_eq!(folder.files(out), files);
    }
}
