//! Tables of `watershed simulate`, compared with the games that it played.

use std::collections::BTreeSet;

use crate::support::{Folder, Row, find_row, number};

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
    // The variance of the rates of the seats minus that of their errors. Every game is a block.
    let games: Vec<[f64; 3]> = games
        .iter()
        .map(|game| std::array::from_fn(|seat| number(game, &format!("win_share_{seat}"))))
        .collect();
    let rates: [f64; 3] =
        std::array::from_fn(|seat| games.iter().map(|shares| shares[seat]).sum::<f64>() / 300.0);
    let mean = rates.iter().sum::<f64>() / 3.0;
    let error = |seat: usize| {
        let deviation = |shares: &[f64; 3]| {
            shares[seat] - shares.iter().sum::<f64>() / 3.0 - (rates[seat] - mean)
        };
        games.iter().map(|shares| deviation(shares).powi(2)).sum::<f64>() / 299.0 / 300.0
    };
    let variance = (0..3).map(|seat| (rates[seat] - mean).powi(2) - error(seat)).sum::<f64>() / 3.0;
    assert!(
        (value("sd_of_seats") - variance.signum() * variance.abs().sqrt()).abs() < 1e-3,
        "{} {variance}",
        value("sd_of_seats")
    );
    let ends = ["ci_low", "ci_high"]
        .map(|end| number(find_row(&health, &[("metric", "sd_of_seats")]), end));
    assert!(
        ends[0] <= value("sd_of_seats") && value("sd_of_seats") < ends[1] && ends[1] < 0.2,
        "{ends:?}"
    );
    assert!(
        value("lead_changes") > 0.1
            && value("leader_at_half_wins") > 0.4
            && value("branching") > 2.0
    );
}

#[test]
fn actions_and_items_that_never_occur_are_listed() {
    let folder = Folder::new();
    folder.succeeds("simulate --bots balanced* --games 4 --out run");
    let never = folder.rows("run/never.csv");
    let buildings = folder.rows("run/buildings.csv");
    for building in &buildings {
        let expected = match (building["offered"].as_str(), building["built"].as_str()) {
            ("0", _) => Some("offered"),
            (_, "0") => Some("built"),
            _ => None,
        };
        let found = never
            .iter()
            .find(|row| row["kind"] == "building" && row["name"] == building["building"]);
        assert_eq!(found.map(|row| row["never"].as_str()), expected, "{building:?}");
    }
    assert!(never.iter().any(|row| row["kind"] == "building"));
}

/// A bot that collects tiles ends its games by them more often than one that builds, and each game
/// ends for some reason.
#[test]
fn the_health_of_games_says_why_they_end() {
    let folder = Folder::new();
    let shares = ["settler", "builder"].map(|bot| {
        folder.succeeds(&format!("simulate --bots {bot} --games 300 --out {bot}"));
        let health = folder.rows(format!("{bot}/health.csv"));
        ["ends_by_tiles", "ends_by_bonus_tokens", "ends_by_pioneers"]
            .map(|key| number(health.iter().find(|row| row["metric"] == key).unwrap(), "value"))
    });
    let [settler, builder] = shares;
    assert!(settler[0] > builder[0] + 0.1 && builder[1] > settler[1] + 0.05, "{shares:?}");
    for shares in shares {
        assert!(shares.iter().sum::<f64>() >= 1.0, "{shares:?}");
    }
}

/// The win rate of one bot in all seats is 1/players in every sample, so it has no interval.
#[test]
fn a_constant_win_rate_has_no_interval() {
    let folder = Folder::new();
    for (bots, is_empty) in [("balanced", true), ("balanced,random", false)] {
        folder.succeeds(&format!("simulate --bots {bots} --games 80 --quiet --force --out run"));
        let rows = folder.rows("run/win_rates.csv");
        let all = rows.iter().find(|row| row["seat"] == "all").unwrap();
        for end in ["ci_low", "ci_high"] {
            assert_eq!(all[end].is_empty(), is_empty, "{bots}: {all:?}");
        }
        let seat = rows.iter().find(|row| row["seat"] == "0").unwrap();
        assert!(!seat["ci_low"].is_empty() && all["scope"] == "overall", "{bots}: {seat:?}");
    }
}

#[test]
fn resources_are_gained_and_spent_by_all_seats() {
    let folder = Folder::new();
    for (game, expected) in [
        ("the_river", ["wood production gained", "food food_island gained", "stone overflow lost"]),
        ("glassworks", ["white river gained", "white placement spent", "white overflow lost"]),
        ("common_river", ["fish harvest gained", "gold sale gained", "tree building spent"]),
    ] {
        folder.succeeds(&format!(
            "simulate --game {game} --players 2 --bots balanced --games 40 --quiet --force \
             --out run"
        ));
        let rows = folder.rows("run/resources.csv");
        let amount = |key: &str, scope: [&str; 2]| {
            let row = rows.iter().find(|row| {
                let own = [&row["resource"], &row["source"], &row["flow"]].map(String::as_str);
                own.join(" ") == key && [&row["seat"], &row["round"]] == scope
            });
            row.map_or(0.0, |row| number(row, "amount"))
        };
        for key in expected {
            let all = amount(key, ["", ""]);
            let seats = ["0", "1"].map(|seat| amount(key, [seat, ""]));
            assert!(all > 0.0, "{game}: {key}");
            assert!(
                (all - f64::midpoint(seats[0], seats[1])).abs() < 1e-3,
                "{game}: {key} {seats:?}"
            );
            let rounds = (0..40).map(|round| amount(key, ["", &round.to_string()]));
            assert!(rounds.sum::<f64>() >= all - 1e-3, "{game}: {key}");
        }
        // What a seat holds at the end is not negative.
        let resources: BTreeSet<_> = rows.iter().map(|row| &row["resource"]).collect();
        for resource in resources {
            let of_all = |row: &&Row| row["seat"].is_empty() && row["round"].is_empty();
            let own = rows.iter().filter(of_all).filter(|row| row["resource"] == *resource);
            let sign = |row: &Row| if row["flow"] == "gained" { 1.0 } else { -1.0 };
            let held: f64 = own.map(|row| sign(row) * number(row, "amount")).sum();
            assert!(held > -1e-3, "{game}: {resource} {held}");
        }
    }
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
