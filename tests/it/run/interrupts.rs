//! Runs that are ended by a signal.

use std::fs;

use crate::support::{Folder, interrupt};

/// Runs the program until it saves its first blocks in `out`, sends it a signal, and expects the
/// exit code of a negative answer.
#[cfg(unix)]
#[track_caller]
fn interrupt_after_first_blocks(folder: &Folder, signal: &str, arguments: &str, out: &str) {
    let checkpoint = folder.path(out).join("tally.json");
    let run = folder.start_until(arguments, || checkpoint.exists());
    assert_eq!(interrupt(run, signal), Some(1), "{arguments:?}");
}

/// The first interrupt ends a run after the games in flight. Its results are marked as incomplete.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_finished_games() {
    let folder = Folder::new();
    let arguments = "simulate --games 100000000 --out run --games-csv --quiet";
    interrupt_after_first_blocks(&folder, "INT", arguments, "run");

    let manifest = folder.manifest("run");
    let games = manifest["games"].as_u64().unwrap();
    assert_eq!(manifest["complete"], false);
    assert!(games > 0 && games < 100_000_000);
    assert_eq!(folder.rows("run/games.csv").len() as u64, games);
    let all: u64 = folder.rows("run/win_rates.csv")[0]["games"].parse().unwrap();
    assert_eq!(all, 2 * games, "one bot in both seats");
    assert_eq!(
        folder.files("run"),
        [
            "buildings.csv",
            "card.csv",
            "effects.csv",
            "games.csv",
            "health.csv",
            "items_by_round.csv",
            "leads.csv",
            "never.csv",
            "openings.csv",
            "panel.csv",
            "report.html",
            "run.json",
            "tally.json",
            "tiles.csv",
            "turn_order.csv",
            "win_rates.csv"
        ]
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_balance_study_keeps_finished_games() {
    let folder = Folder::new();
    folder.copy_with("configs/the_river.toml", "mine.toml", "trade_in = 3", "trade_in = 2");
    let config = fs::canonicalize("configs/the_river.toml").unwrap();
    for (signal, arguments, games, table) in [
        (
            "INT",
            &format!("compare {} mine.toml --panel balanced,random", config.display())[..],
            "100000000",
            "differences.csv",
        ),
        ("TERM", "sweep --key rules.trade_in --values 2,4", "100000000", "sweep.csv"),
        ("INT", "turn-order", "100000000", "verdicts.csv"),
        ("TERM", "ablate --panel balanced,random --remove w2", "100000000", "forks.csv"),
        ("INT", "restrict --never swap", "100000000", "restricted.csv"),
    ] {
        let out = arguments.split(' ').next().unwrap();
        let run = format!("balance {arguments} --games {games} --out {out} --quiet");
        interrupt_after_first_blocks(&folder, signal, &run, out);
        let manifest = folder.manifest(out);
        let games = manifest["games"].as_u64().unwrap();
        assert_eq!(manifest["complete"], false, "{out}");
        assert!(games > 0 && games < manifest["games_planned"].as_u64().unwrap(), "{out}");
        assert!(!folder.rows(format!("{out}/{table}")).is_empty(), "{out}");
        let mut expected: Vec<_> = manifest["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect();
        expected.extend(["run.json", "tally.json"].map(str::to_owned));
        expected.sort();
        assert_eq!(folder.files(out), expected);
    }
}
