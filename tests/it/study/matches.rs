//! `watershed match`: the agreement of its tables, and sequential tests.

use serde_json::Value;

use crate::support::{Folder, number};

/// Plays a match into `out` and returns what it printed.
#[track_caller]
fn play(folder: &Folder, out: &str, arguments: &str, code: i32) -> String {
    let run = format!("match --quiet --out {out} {arguments}");
    let (printed, messages) = folder.exits_with(code, &run);
    assert!(messages.is_empty(), "{messages}");
    printed
}

#[test]
fn a_crosstable_of_two_players_matches_the_ratings() {
    let folder = Folder::new();
    let printed = play(&folder, "pair", "--bots balanced,settler --games 400", 0);
    assert!(
        printed.contains("data: reconstruction") && printed.contains("400 games each"),
        "{printed}"
    );
    assert_eq!(printed.lines().skip(1).find(|line| line.chars().count() > 80), None);
    let wins = number(&folder.rows("pair/crosstable.csv")[1], "win_rate");
    let ratings = folder.rows("pair/ratings.csv");
    let settler = ratings.iter().find(|row| row["bot"] == "settler").unwrap();
    let expected = 400.0 * (wins / (1.0 - wins)).log10();
    for scale in ["elo_wins", "pl_strength"] {
        assert!((number(settler, scale) - expected).abs() < 0.01, "{settler:?}");
        let [low, high] =
            ["ci_low", "ci_high"].map(|end| number(settler, &format!("{scale}_{end}")));
        assert!(low < expected && expected < high, "{settler:?}");
    }
    assert!(
        !printed.contains("Largest deviation") && !printed.contains("does not fit"),
        "the fit has the observed rate by construction"
    );
}

#[test]
fn a_poor_fit_of_the_ratings_is_reported() {
    let folder = Folder::new();
    let printed = play(&folder, "run", "--players 3 --bots expert:noise=2,balanced --games 600", 0);
    let cells = folder.rows("run/crosstable.csv");
    assert!(
        printed.contains("Elo by win shares") && printed.contains("equal bots: 33.3"),
        "{printed}"
    );
    // `expert:noise=2` comes first more often than its second and third places suggest.
    assert_eq!(cells[0]["bot"], "expert:noise=2");
    assert!(number(&cells[0], "win_rate") > number(&cells[0], "predicted_win_rate"), "{cells:?}");
    let poorest = cells.iter().map(|cell| number(cell, "z").abs()).fold(0.0, f64::max);
    assert!(
        poorest > 3.0
            && printed.contains("warning: Plackett-Luce does not fit")
            && printed.contains("expert:noise=2 against balanced"),
        "{printed}"
    );
}

/// Copies the profile of a bot of a game and returns the name of the copy.
fn copy_profile(folder: &Folder, game: &str, bot: &str) -> String {
    let name = format!("copy-of-{bot}.toml");
    folder.copy(&format!("bots/{game}/{bot}.toml"), &name);
    name
}

/// If equal bots were expected to win 1 in 3, the first games would end the test, because most have
/// no winner.
#[test]
fn a_bot_equals_its_copy_in_games_without_winner() {
    let folder = Folder::new();
    let bots = format!("balanced,{}", copy_profile(&folder, "common_river", "balanced"));
    let arguments = format!("--game common_river --players 3 --bots {bots}");
    let test = play(
        &folder,
        "test",
        &format!("{arguments} --seed 3 --sprt 0,100,0.05,0.05 --games 150"),
        1,
    );
    assert!(test.contains("without a winner") && test.contains("mean of all seats "), "{test}");
    let cell = &folder.rows("test/crosstable.csv")[0];
    assert!(number(cell, "mean_win_rate") < 0.3, "{cell:?}");
    for column in ["elo_wins", "difference"] {
        let [low, high] = ["ci_low", "ci_high"].map(|end| number(cell, &format!("{column}_{end}")));
        assert!(low < 0.0 && 0.0 < high, "{column}: {cell:?}");
    }
    let all = play(&folder, "all", &format!("{arguments} --games 30"), 0);
    assert!(!all.contains("win % of equal bots:") && all.contains("mean "), "{all}");
}

#[test]
fn a_bot_that_never_wins_has_an_open_interval() {
    let folder = Folder::new();
    let printed = play(&folder, "run", "--bots balanced,random --games 40", 0);
    assert!(printed.contains("-∞") && printed.contains("adds a draw with bot 1"), "{printed}");
    let ratings = folder.rows("run/ratings.csv");
    assert_eq!(
        (ratings[1]["bot"].as_str(), ratings[1]["pl_strength_ci_low"].as_str()),
        ("random", "")
    );
}

#[test]
fn a_sequential_test_stops_at_a_decision() {
    let folder = Folder::new();
    let stronger = play(&folder, "stronger", "--bots balanced,random --sprt 0,50,0.05,0.05", 0);
    assert!(stronger.contains("H1 accepted"), "{stronger}");
    let blocks = folder.manifest("stronger")["blocks"].as_u64().unwrap();
    assert!((10..60).contains(&blocks), "{blocks}");

    let weaker =
        play(&folder, "weaker", "--players 3 --bots random,balanced --sprt=-50,0,0.05,0.05", 1);
    assert!(weaker.contains("H0 accepted"), "{weaker}");

    let undecided =
        play(&folder, "undecided", "--bots balanced,builder --sprt 0,1,0.05,0.05 --games 20", 1);
    assert!(undecided.contains("undecided") && undecided.contains("n = 20"), "{undecided}");
}

#[test]
fn a_match_that_stops_early_has_wider_intervals() {
    let folder = Folder::new();
    play(&folder, "one", "--bots expert,balanced", 0);
    let printed = play(&folder, "all", "--bots expert,balanced --games 1000", 0);
    assert!(printed.contains("--games 1000 ") && !printed.contains("confidence sequence"));
    let manifest = folder.manifest("all");
    assert_eq!((&manifest["games"], &manifest["goal"]), (&1000.into(), &Value::Null));
    let width = |out: &str, estimate: &str| {
        let row = &folder.rows(format!("{out}/crosstable.csv"))[0];
        let [low, high] = ["low", "high"].map(|end| number(row, &format!("{estimate}_{end}")));
        high - low
    };
    // 1/5 of the games makes intervals 2.2 times as wide.
    for estimate in ["ci", "difference_ci", "elo_wins_ci"] {
        let ratio = width("one", estimate) / width("all", estimate);
        assert!(ratio > 3.0, "{estimate}: {ratio}");
    }
}

/// The other questions have as many games as before, or those of the user.
#[test]
fn matches_with_another_question_play_all_games() {
    let folder = Folder::new();
    for arguments in [
        "--bots balanced,random --margin 5pp",
        "--bots balanced,random --shard 1/1",
        "--bots balanced,random,random-kind --mode gauntlet",
    ] {
        let printed = play(&folder, "run", &format!("{arguments} --force"), 0);
        assert!(printed.lines().next().unwrap().contains(" --games 1000 "), "{printed}");
        let manifest = folder.manifest("run");
        assert_eq!(manifest["games"], manifest["games_planned"], "{arguments}");
        assert_eq!(manifest["goal"], Value::Null, "{arguments}");
    }
}
