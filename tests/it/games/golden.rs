//! Records and counts that were looked over once and must not change unless the rules or the
//! generator do.
//!
//! A change that means to alter them makes them anew with the command in each test and says so in
//! the changelog.

use std::fs;

use assert_cmd::Command;
use tempfile::TempDir;

fn watershed(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("watershed").unwrap().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// `watershed simulate --players N --bots random-kind* --games 2 --seed 1 --records
/// tests/golden/GAME-N.jsonl --legal --force`
#[track_caller]
fn check_records(game: &str, players: usize) {
    let golden = format!("tests/golden/{game}-{players}.jsonl");
    assert_eq!(watershed(&["replay", &golden]), "2 games agree with the rules\n");

    let folder = TempDir::new().unwrap();
    let (out, records) = (folder.path().join("run"), folder.path().join("games.jsonl"));
    let players = players.to_string();
    let (out, records) = (out.to_str().unwrap(), records.to_str().unwrap());
    let run = [
        "simulate",
        "--game",
        game,
        "--players",
        &players,
        "--bots",
        "random-kind*",
        "--games",
        "2",
        "--seed",
        "1",
        "--quiet",
    ];
    watershed(&[&run[..], &["--out", out, "--records", records, "--legal"]].concat());
    assert!(
        fs::read(records).unwrap() == fs::read(&golden).unwrap(),
        "{golden} is not what the program plays now"
    );
}

#[test]
fn games_of_the_river_are_as_recorded() {
    for players in 2..=4 {
        check_records("the_river", players);
    }
}

/// `watershed perft --players N --seed 1 --depth 4`
#[track_caller]
fn check_perft(game: &str, players: usize, counts: [u64; 4]) {
    let printed = watershed(&[
        "perft",
        "--game",
        game,
        "--players",
        &players.to_string(),
        "--seed",
        "1",
        "--depth",
        "4",
    ]);
    let (totals, split) = printed.split_once("\n\n").unwrap();
    let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(totals.lines().map(number).collect::<Vec<_>>(), counts);
    assert_eq!(
        split.lines().skip(1).map(number).sum::<u64>(),
        counts[3],
        "the split adds up to the total"
    );
    assert_eq!(split.lines().count() as u64 - 1, counts[0], "the split has every first action");
}

#[test]
fn lines_of_play_of_the_river_are_counted() {
    check_perft("the_river", 2, [3, 6, 84, 978]);
    check_perft("the_river", 3, [4, 12, 24, 384]);
    check_perft("the_river", 4, [5, 17, 44, 84]);
}

#[test]
fn games_of_glassworks_are_as_recorded() {
    for players in 2..=5 {
        check_records("glassworks", players);
    }
}

#[test]
fn lines_of_play_of_glassworks_are_counted() {
    check_perft("glassworks", 2, [13, 35, 124, 818]);
    check_perft("glassworks", 3, [13, 35, 124, 807]);
    check_perft("glassworks", 4, [13, 35, 124, 818]);
    check_perft("glassworks", 5, [13, 39, 138, 945]);
}

#[test]
fn games_of_the_common_river_are_as_recorded() {
    for players in 1..=5 {
        check_records("common_river", players);
    }
}

#[test]
fn lines_of_play_of_the_common_river_are_counted() {
    check_perft("common_river", 1, [10, 79, 346, 1137]);
    check_perft("common_river", 2, [10, 90, 180, 540]);
    check_perft("common_river", 3, [10, 90, 720, 2160]);
    check_perft("common_river", 4, [10, 90, 720, 5040]);
    check_perft("common_river", 5, [10, 90, 720, 5040]);
}
