//! Records that were verified once. They change only if the rules or the random generator change.
//!
//! A deliberate change regenerates the records with the command in [`check_records`], and is listed
//! in the changelog.

use watershed::games::{GameEntry, built_in_games};

use crate::support::Folder;

/// Replays the recorded games, and plays them again with
/// `watershed simulate --game GAME --players N --bots random-kind* --games 2 --seed 1 --records
/// tests/golden/GAME-N.jsonl --legal --force`.
fn check_records(game: &GameEntry) {
    let folder = Folder::new();
    for players in game.min_players..=game.max_players {
        let golden = format!("tests/golden/{}-{players}.jsonl", game.id);
        folder.copy(&golden, "golden.jsonl");
        assert_eq!(folder.succeeds("replay golden.jsonl"), "2 games agree with the rules\n");

        let sample = format!("--game {} --players {players} --seed 1", game.id);
        let run = format!("simulate {sample} --bots random-kind* --games 2 --quiet");
        folder.succeeds(&format!("{run} --out run --records games.jsonl --legal --force"));
        let are_equal = folder.read("games.jsonl") == folder.read("golden.jsonl");
        assert!(are_equal, "the program plays other games than those of {golden}");
    }
}

#[test]
fn recorded_games_are_reproduced() {
    built_in_games().all().iter().for_each(check_records);
}
