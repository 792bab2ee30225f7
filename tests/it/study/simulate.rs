//! Tables of `watershed simulate`, compared with the games that it played.

use std::collections::BTreeSet;

use crate::support::{Folder, find_row, number};

#[test]
fn health_metrics_match_the_games() {
    let folder = Folder::new();
    folder.succeeds("simulate --bots random* --players 3 --games 300 --games-csv --out run");
    let health = folder.rows("run/health.csv");
    let value = |name: &str| number(find_row(&health, &[("metric", name)]), "value");
    let games = folder.rows("run/games.csv");
    let mut rounds: Vec<_> = games.iter().map(|game| number(game, "rounds")).collect();
    rounds.sort_by(f64::total_cmp);
    let mean = rounds.iter().sum::<f64>() / 300.0;
    let deviation =
        (rounds.iter().map(|rounds| (rounds - mean).powi(2)).sum::<f64>() / 299.0).sqrt();
    for (name, expected) in [
        ("rounds", mean),
        ("rounds_sd", deviation),
        ("rounds_min", rounds[0]),
        ("rounds_p50", rounds[149]),
        ("rounds_max", rounds[299]),
        ("capped", games.iter().map(|game| number(game, "capped")).sum::<f64>() / 300.0),
    ] {
        assert!((value(name) - expected).abs() < 1e-4, "{name}: {} {expected}", value(name));
    }
    let shared = games
        .iter()
        .filter(|game| {
            (0..3).any(|seat| (0.1..0.9).contains(&number(game, &format!("win_share_{seat}"))))
        })
        .count();
    assert!((value("shared_wins") - shared as f64 / 300.0).abs() < 1e-4);
}

#[test]
fn all_games_start_from_a_position() {
    let folder = Folder::new();
    let run = "simulate --bots random --games 2 --seed 3 --quiet --force --out run";
    folder.succeeds(&format!("{run} --records g.jsonl"));
    let events = folder.succeeds("replay g.jsonl --game-index 0");
    let lines: Vec<_> = events.lines().collect();
    let at = (120..).step_by(2).find(|&line| lines[line + 1].contains(" seat ")).unwrap();
    let (position, decider) = (lines[at], lines[at + 1]);
    let run = "simulate --bots balanced,random --games 40 --games-csv --quiet --out set_up";
    let mut command = folder.command(run);
    let output = command.args(["--position", position]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let games = folder.rows("set_up/games.csv");
    assert_eq!(games.len(), 40);
    let seat = decider.split_once("seat ").unwrap().1.split_once(':').unwrap().0;
    assert!(games.iter().all(|game| game[&format!("turn_position_{seat}")] == "0"), "{decider}");
    let scores: BTreeSet<_> = games.iter().map(|game| &game["score_0"]).collect();
    assert!(scores.len() > 5, "chance and bots differ");
    folder.copy_with("configs/the_river.toml", "mine.toml", "trade_in = 3", "trade_in = 2");
    folder.copy("configs/the_river.toml", "old.toml");
    let compare = "balance compare old.toml mine.toml --bots random --games 20 --quiet --out both";
    let output = folder.command(compare).args(["--position", position]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    folder.refuses("simulate --position x --games 2", &["--position"]);
}
