//! Records and perft counts that were verified once. They change only if the rules or the random
//! generator change.
//!
//! A deliberate change regenerates the records with the command in [`check_records`] and the counts
//! with the command in the files of `tests/perft`, and is listed in the changelog.

use std::fs;

use watershed::games::GameName;

use crate::support::Folder;

/// Replays the recorded games, and plays them again with
/// `watershed simulate --game GAME --players N --bots random-kind* --games 2 --seed 1 --records
/// tests/golden/GAME-N.jsonl --legal --force`.
fn check_records(game: GameName) {
    let folder = Folder::new();
    for players in game.min_players()..=game.max_players() {
        let golden = format!("tests/golden/{}-{players}.jsonl", game.as_str());
        folder.copy(&golden, "golden.jsonl");
        assert_eq!(folder.succeeds("replay golden.jsonl"), "2 games agree with the rules\n");

        let sample = format!("--game {} --players {players} --seed 1", game.as_str());
        let run = format!("simulate {sample} --bots random-kind* --games 2 --quiet");
        folder.succeeds(&format!("{run} --out run --records games.jsonl --legal --force"));
        let are_equal = folder.read("games.jsonl") == folder.read("golden.jsonl");
        assert!(are_equal, "the program plays other games than those of {golden}");
    }
}

/// Compares perft to the counts in `tests/perft/GAME.perft`.
fn check_perft(game: GameName) {
    let path = format!("tests/perft/{}.perft", game.as_str());
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), game.max_players() - game.min_players() + 1, "{path}");
    for (line, players) in lines.into_iter().zip(game.min_players()..) {
        let numbers: Vec<u64> =
            line.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [line_players, seed, counts @ ..] = &numbers[..] else {
            panic!("{path}: {line:?} has no counts");
        };
        assert_eq!(*line_players, players as u64, "{path}");
        let game = game.as_str();
        let arguments = format!("--players {players} --seed {seed} --depth {}", counts.len());
        let printed = Folder::new().succeeds(&format!("perft --game {game} {arguments}"));
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
fn recorded_games_are_reproduced() {
    GameName::ALL.into_iter().for_each(check_records);
}

#[test]
fn perft_counts_are_reproduced() {
    GameName::ALL.into_iter().for_each(check_perft);
}
