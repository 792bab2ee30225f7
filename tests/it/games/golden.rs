//! Records that were verified once, those of River Valley Glassworks and We All Take from the River
//! by version 0.1, whose deals were others. They change only if the rules change, and then
//! `watershed simulate --game GAME --players N --bots random-kind* --games 2 --seed 1 --legal
//! --records tests/golden/GAME-N.jsonl --force` plays others. The games of The River with 4 players
//! have the seed 402, with which a seat has to pass.
//!
//! The games of this command are compared by the hashes of their records, which also change with
//! the random generator and the deals. Set the environment variable `UPDATE_SNAPSHOTS` to write
//! them. A deliberate change is listed in the changelog.

use std::{env, fmt::Write as _, fs};

use watershed::{
    config::sha256,
    games::{GameEntry, built_in_games},
};

use crate::support::Folder;

/// The hash of the records of each game and number of players.
const HASHES: &str = "tests/golden/hashes.txt";

/// Returns the built-in games with each of their numbers of players.
fn games() -> impl Iterator<Item = (&'static GameEntry, usize)> {
    let numbers = |game: &GameEntry| game.min_players..=game.max_players;
    built_in_games().all().iter().flat_map(move |game| numbers(game).map(move |n| (game, n)))
}

#[test]
fn recorded_games_are_replayed() {
    let folder = Folder::new();
    for (game, players) in games() {
        folder.copy(&format!("tests/golden/{}-{players}.jsonl", game.id), "golden.jsonl");
        assert_eq!(folder.succeeds("replay golden.jsonl"), "2 games agree with the rules\n");
    }
}

#[test]
fn games_are_reproduced() {
    let folder = Folder::new();
    let mut found = String::new();
    for (game, players) in games() {
        let id = game.id;
        let run = format!("simulate --game {id} --players {players} --bots random-kind* --games 2");
        let files = "--legal --records games.jsonl --out run --quiet --force";
        folder.succeeds(&format!("{run} --seed 1 {files}"));
        let hash = sha256(folder.read("games.jsonl").as_bytes());
        writeln!(found, "{id} {players} {hash}").unwrap();
    }
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(HASHES, found).unwrap();
    } else {
        assert_eq!(found, fs::read_to_string(HASHES).unwrap(), "other games are played");
    }
}
