//! `watershed perft`.

use std::{collections::BTreeSet, fs};

use serde_json::Value;
use watershed::games::built_in_games;

use crate::support::Folder;

/// A case of a suite that agrees.
const CASE: &str =
    "game = \"the_river\"\n[[case]]\nplayers = 2\nseed = 1\nsequences = [3, 6, 84]\n";

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
    let files = fs::canonicalize("tests/perft").unwrap();
    let known = perft(&folder, &format!("--suite {}", files.display()));
    assert_eq!(known["agrees"], true, "{known:#}");
    let cases = known["cases"].as_array().unwrap();
    let covered: BTreeSet<_> = cases
        .iter()
        .map(|case| (case["game"].as_str().unwrap(), case["players"].as_u64().unwrap() as usize))
        .collect();
    let expected = built_in_games().all().iter().flat_map(|game| {
        (game.min_players..=game.max_players).map(move |players| (game.id, players))
    });
    assert_eq!(covered, expected.collect());
    let enumerated = |case: &&Value| case["all_chance"] == true;
    let enumerated: BTreeSet<_> =
        cases.iter().filter(enumerated).map(|case| case["game"].as_str().unwrap()).collect();
    assert_eq!(
        enumerated.len(),
        built_in_games().all().len(),
        "chance is enumerated in every game"
    );

    let built_in = perft(&folder, "--suite");
    let counts = |suite: &Value| -> Vec<_> {
        let cases = suite["cases"].as_array().unwrap().iter();
        let mut counts: Vec<_> =
            cases.map(|case| (case["game"].to_string(), case["sequences"].to_string())).collect();
        counts.sort();
        counts
    };
    assert_eq!(counts(&built_in), counts(&known));
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
fn other_counts_than_known_ones_are_a_mismatch() {
    let folder = Folder::new();
    folder.write("good.toml", CASE);
    folder.write("bad.toml", CASE.replace("84", "85"));
    let printed = folder.succeeds("perft --suite good.toml --quiet");
    assert!(printed.starts_with("1 of 1 cases agree"), "{printed}");
    let (printed, _) = folder.exits_with(1, "perft --suite good.toml bad.toml");
    assert!(printed.starts_with("1 of 2 cases agree"), "{printed}");
    for part in ["bad.toml: the_river, 2 players", "[3, 6, 85]", "[3, 6, 84]", "differs"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    let (printed, _) = folder.exits_with(1, "perft --suite . --json");
    let report: Value = serde_json::from_str(&printed).unwrap();
    let agree: Vec<_> =
        report["cases"].as_array().unwrap().iter().map(|case| &case["agrees"]).collect();
    assert_eq!((&report["agrees"], agree), (&false.into(), vec![&false.into(), &true.into()]));
}

#[test]
fn bad_suites_are_refused() {
    let folder = Folder::new();
    let refuses = |text: &str, parts: &[&str]| {
        folder.write("suite.toml", text);
        folder.refuses("perft --suite suite.toml", &[&["suite.toml"], parts].concat());
    };
    refuses("not TOML", &[":1"]);
    refuses("", &["missing key", "game"]);
    refuses("game = \"the_river\"\ncase = []", &[":2", "case", "at least one"]);
    refuses(&CASE.replace("the_river", "chess"), &[":1", "game", "the_river, ", "\"chess\""]);
    refuses(&CASE.replace("players = 2", "players = 5"), &[":3", "players", "2 to 4"]);
    refuses(&CASE.replace("[3, 6, 84]", "[]"), &[":5", "sequences", "1 to 64", "found 0"]);
    refuses(&CASE.replace("84", "-1"), &[":5", "sequences"]);
    refuses(&CASE.replace("seed", "seeds"), &[":4", "seeds"]);
    refuses(&format!("{CASE}sample_setup = true"), &[":6", "sample_setup", "all_chance"]);
    fs::create_dir(folder.path("empty")).unwrap();
    folder.refuses("perft --suite empty", &["--suite", ".toml", "empty"]);
    folder.refuses("perft --suite missing.toml", &["missing.toml", "can't be read"]);
    folder.refuses("perft --suite --depth 2", &["--depth", "--suite"]);
    folder.refuses("perft --suite --game glassworks", &["--game", "--suite"]);
    folder.refuses("perft --depth 2 --sample-setup", &["--all-chance"]);
    folder.refuses("perft --depth 0", &["--depth", "at least 1", "found 0"]);
}
