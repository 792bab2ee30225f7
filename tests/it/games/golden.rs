//! Records and perft counts that were verified once. They change only if the rules or the random
//! generator change.
//!
//! A deliberate change regenerates the records with the command in [`check_records`] and the counts
//! with the command in the files of `tests/perft`, and is listed in the changelog.

use std::fs;

use tempfile::TempDir;
use watershed::games::GameName;

use crate::support::succeeds;

/// The folder of the crate, in which the program finds the golden files.
const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// `watershed simulate --game GAME --players N --bots random-kind* --games 2 --seed 1 --records
/// tests/golden/GAME-N.jsonl --legal --force`
#[track_caller]
fn check_records(game: GameName) {
    for players in game.min_players()..=game.max_players() {
        let golden = format!("tests/golden/{}-{players}.jsonl", game.as_str());
        assert_eq!(succeeds(CRATE, &["replay", &golden]), "2 games agree with the rules\n");

        let folder = TempDir::new().unwrap();
        let players = players.to_string();
        let run = ["simulate", "--game", game.as_str(), "--players", &players, "--quiet"];
        let sample = ["--bots", "random-kind*", "--games", "2", "--seed", "1"];
        let output = ["--out", "run", "--records", "games.jsonl", "--legal"];
        succeeds(&folder, &[&run[..], &sample, &output].concat());
        let records = fs::read(folder.path().join("games.jsonl")).unwrap();
        let differ = "the program now plays other games than those of";
        assert!(records == fs::read(&golden).unwrap(), "{differ} {golden}");
    }
}

/// Compares perft to the counts in `tests/perft/GAME.perft`.
#[track_caller]
fn check_perft(game: GameName) {
    let path = format!("tests/perft/{}.perft", game.as_str());
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), game.max_players() - game.min_players() + 1, "{path}");
    for (line, number_of_players) in lines.into_iter().zip(game.min_players()..) {
        let [players, seed, counts @ ..] = &line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{path}: {line:?} has no counts");
        };
        assert_eq!(*players, number_of_players.to_string(), "{path}");
        let counts: Vec<u64> = counts.iter().map(|count| count.parse().unwrap()).collect();
        let depth = counts.len().to_string();
        let arguments = ["--players", players, "--seed", seed, "--depth", &depth];
        let printed =
            succeeds(CRATE, &[&["perft", "--game", game.as_str()], &arguments[..]].concat());
        let (totals, split) = printed.split_once("\n\n").unwrap();
        let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
        assert_eq!(totals.lines().map(number).collect::<Vec<_>>(), counts, "{path}: {line}");
        let split: Vec<_> = split.lines().skip(1).map(number).collect();
        let deepest = counts.last().copied();
        assert_eq!(Some(split.iter().sum()), deepest, "the split adds up to the total");
        assert_eq!(split.len() as u64, counts[0], "the split has every first action");
    }
}

#[test]
fn recorded_games_of_the_river_are_reproduced() {
    check_records(GameName::TheRiver);
}

#[test]
fn recorded_games_of_glassworks_are_reproduced() {
    check_records(GameName::Glassworks);
}

#[test]
fn recorded_games_of_the_common_river_are_reproduced() {
    check_records(GameName::CommonRiver);
}

#[test]
fn perft_counts_of_the_river_are_reproduced() {
    check_perft(GameName::TheRiver);
}

#[test]
fn perft_counts_of_glassworks_are_reproduced() {
    check_perft(GameName::Glassworks);
}

#[test]
fn perft_counts_of_the_common_river_are_reproduced() {
    check_perft(GameName::CommonRiver);
}
