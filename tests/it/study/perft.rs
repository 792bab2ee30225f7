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
    #[serde(default)]
    all_chance: bool,
    #[serde(default)]
    sample_setup: bool,
    /// Numbers of sequences of 1, 2, 3, … decisions.
    sequences: Vec<u64>,
}

fn perft(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.succeeds(&format!("perft {arguments} --json"))).unwrap()
}

fn integers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect()
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn known_counts_of_all_games_are_reproduced() {
    let folder = Folder::new();
    let (mut covered, mut enumerated) = (BTreeSet::new(), BTreeSet::new());
    for file in fs::read_dir("tests/perft").unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let KnownCounts { game, case: cases } = toml::from_str(&text).unwrap();
        for KnownCase { players, seed, all_chance, sample_setup, sequences } in cases {
            let mut line = format!("--game {game} --players {players} --depth {}", sequences.len());
            line += &seed.map(|seed| format!(" --seed {seed}")).unwrap_or_default();
            line += if all_chance { " --all-chance" } else { "" };
            line += if sample_setup { " --sample-setup" } else { "" };
            assert_eq!(integers(&perft(&folder, &line)["sequences"]), sequences, "{line}");
            covered.insert((game.clone(), players));
            if all_chance {
                enumerated.insert(game.clone());
            }
        }
    }
    let games = built_in_games().all().iter();
    let expected = games.flat_map(|game| {
        (game.min_players..=game.max_players).map(|players| (game.id.to_owned(), players))
    });
    assert_eq!(covered, expected.collect());
    assert_eq!(enumerated.len(), built_in_games().all().len(), "chance is enumerated in each game");
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
        assert!(counts.get("probability").is_none(), "{name}");

        let (printed, messages) = folder.exits_with(0, &format!("perft --game {name} --depth 3"));
        assert!(printed.starts_with(&format!("depth 1: {}\n", sequences[0])), "{printed}");
        assert!(messages.ends_with("million/s\n"), "{messages}");
    }
}

/// The average of sampled counts over many seeds estimates the mean over all chance outcomes.
#[test]
fn enumerated_chance_agrees_with_sampled_chance() {
    const SEEDS: u64 = 200;
    let folder = Folder::new();
    let game = "--game common_river --players 1 --depth 3";
    let all = perft(&folder, &format!("{game} --all-chance"));
    for probability in numbers(&all["probability"]) {
        assert!((probability - 1.0).abs() < 1e-9, "{probability}");
    }
    let expected = numbers(&all["expected_sequences"]);
    let sequences = integers(&all["sequences"]);
    assert!(expected.iter().zip(&sequences).all(|(mean, &all)| *mean < all as f64), "{all:#}");

    let mut sums = [(0.0, 0.0); 3];
    for seed in 1..=SEEDS {
        let sampled = perft(&folder, &format!("{game} --seed {seed}"));
        for (sums, count) in sums.iter_mut().zip(numbers(&sampled["sequences"])) {
            *sums = (sums.0 + count, sums.1 + count * count);
        }
    }
    let n = SEEDS as f64;
    for ((sum, squares), expected) in sums.into_iter().zip(expected) {
        let mean = sum / n;
        let error = ((squares / n - mean * mean).max(0.0) / (n - 1.0)).sqrt();
        assert!((mean - expected).abs() <= 4.0 * error + 1e-9, "{mean} ± {error}, {expected}");
    }
    let constant = sums.iter().filter(|(sum, squares)| n * squares - sum * sum < 1e-6).count();
    assert!(constant < 3, "chance changes some of the counts");

    let after_setup = perft(&folder, &format!("{game} --all-chance --sample-setup"));
    assert_eq!(after_setup["first_actions"].as_array().unwrap().len(), 10);
    assert!(integers(&after_setup["sequences"])[2] < sequences[2]);
    folder.refuses(
        &format!("perft {game} --all-chance --max-positions 1k"),
        &["--max-positions", "1000", "--depth", "--sample-setup"],
    );
}

#[test]
fn bad_depths_and_flags_are_refused() {
    let folder = Folder::new();
    folder.refuses("perft", &["--depth"]);
    folder.refuses("perft --depth 2 --sample-setup", &["--all-chance"]);
    folder.refuses("perft --depth 0", &["--depth", "at least 1", "found 0"]);
}
