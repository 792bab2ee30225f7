//! `watershed perft`.

use std::{collections::BTreeSet, fs};

use serde::Deserialize;
use serde_json::Value;
use watershed::games::built_in_games;

use crate::support::Folder;

/// Known counts of a game.
#[derive(Deserialize)]
struct KnownCounts {
    game: String,
    case: Vec<KnownCase>,
}

#[derive(Deserialize)]
struct KnownCase {
    players: usize,
    #[serde(default)]
    seed: Option<u64>,
    /// Numbers of sequences of 1, 2, 3, … decisions.
    sequences: Vec<u64>,
}

fn perft(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.succeeds(&format!("perft {arguments} --json"))).unwrap()
}

fn integers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect()
}

#[test]
fn known_counts_of_all_games_are_reproduced() {
    let folder = Folder::new();
    let mut covered = BTreeSet::new();
    for file in fs::read_dir("tests/perft").unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let KnownCounts { game, case: cases } = toml::from_str(&text).unwrap();
        for KnownCase { players, seed, sequences } in cases {
            let mut line = format!("--game {game} --players {players} --depth {}", sequences.len());
            line += &seed.map(|seed| format!(" --seed {seed}")).unwrap_or_default();
            assert_eq!(integers(&perft(&folder, &line)["sequences"]), sequences, "{line}");
            covered.insert((game.clone(), players));
        }
    }
    let games = built_in_games().all().iter();
    let expected = games.flat_map(|game| {
        (game.min_players..=game.max_players).map(|players| (game.id.to_owned(), players))
    });
    assert_eq!(covered, expected.collect());
}

#[test]
fn counts_of_first_actions_add_up() {
    let folder = Folder::new();
    for game in built_in_games().all() {
        let name = game.id;
        let counts = perft(&folder, &format!("--game {name} --depth 3"));
        let sequences = integers(&counts["sequences"]);
        let first = counts["first_actions"].as_array().unwrap();
        let sum: u64 = first.iter().map(|action| action["sequences"].as_u64().unwrap()).sum();
        assert_eq!((first.len() as u64, sum), (sequences[0], sequences[2]), "{name}");
        assert_eq!(counts["nodes"], sequences[2], "{name}");
        let rate = counts["nodes_per_s"].as_f64().unwrap() * counts["seconds"].as_f64().unwrap();
        assert!((rate / sequences[2] as f64 - 1.0).abs() < 1e-9, "{name}");

        let (printed, messages) = folder.exits_with(0, &format!("perft --game {name} --depth 3"));
        assert!(printed.starts_with(&format!("depth 1: {}\n", sequences[0])), "{printed}");
        assert!(messages.ends_with("million/s\n"), "{messages}");
    }
}
