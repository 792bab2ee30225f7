//! `watershed match`: what it refuses, that threads make no difference, and that its tables agree
//! with each other.

use std::{collections::BTreeMap, fs, path::Path};

use tempfile::TempDir;

use crate::support::{
    files, interrupt, manifest_without_timing, number, refuses, rows, start, watershed,
};

/// Plays a match into `out` and returns what it printed.
#[track_caller]
fn play(folder: &Path, out: &str, arguments: &[&str], code: i32) -> String {
    let output = watershed(folder, &[&["match", "--quiet", "--out", out], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = TempDir::new().unwrap();
    refuses(&folder, &["match"], &["--bots"]);
    refuses(&folder, &["match", "--bots", "balanced"], &["--bots", "at least two", "found 1"]);
    refuses(
        &folder,
        &["match", "--bots", "balanced,random,balanced"],
        &["--bots", "different bots", "`balanced` twice"],
    );
    refuses(&folder, &["match", "--bots", "balanced,oracle"], &["--bots", "`oracle`"]);
    refuses(&folder, &["match", "--bots", "balanced,random", "--games", "0"], &["--games", "0"]);
    refuses(
        &folder,
        &["match", "--bots", "balanced,random", "--games", "18446744073709551615"],
        &["--games", "fewer than"],
    );
    refuses(
        &folder,
        &["match", "--bots", "balanced,random", "--players", "5"],
        &["2 to 4 players", "5"],
    );
    refuses(
        &folder,
        &["match", "--bots", "balanced,random", "--mode", "knockout"],
        &["--mode", "round-robin", "gauntlet"],
    );
    refuses(
        &folder,
        &["match", "--bots", "balanced,random,builder", "--sprt", "0,10,0.05,0.05"],
        &["--sprt", "two bots", "found 3"],
    );
    refuses(
        &folder,
        &["match", "--bots", "balanced,random", "--sprt", "0,10,0.05"],
        &["--sprt", "elo0,elo1,alpha,beta", "0,10,0.05"],
    );
    refuses(
        &folder,
        &["match", "--bots", "balanced,random", "--sprt", "-5,-10,0.05,0.05"],
        &["--sprt", "elo0 less than elo1"],
    );
    refuses(
        &folder,
        &["match", "--bots", "balanced,random", "--sprt", "0,10,0.5,0.5"],
        &["--sprt", "sum below 1"],
    );
    refuses(
        &folder,
        &["match", "--bots", "balanced,random", "--sprt", "0,9,0.1,0.1", "--mode", "gauntlet"],
        &["--sprt", "--mode"],
    );
}

#[test]
fn a_finished_match_is_overwritten_only_with_force() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--bots", "balanced,random", "--games", "4"];
    play(folder.path(), "run", &arguments, 0);
    assert_eq!(files(&folder.path().join("run")), ["crosstable.csv", "ratings.csv", "run.json"]);
    let again = watershed(folder.path(), &[&["match", "--out", "run"], &arguments[..]].concat());
    assert_eq!(again.status.code(), Some(2));
    play(folder.path(), "run", &[&arguments[..], &["--force"]].concat(), 0);
}

#[test]
fn the_number_of_threads_does_not_change_a_match() {
    let folder = TempDir::new().unwrap();
    for (name, players, bots, rest) in [
        ("two", "2", "balanced,random,random-kind,mcts:iterations=8", &["--games", "50"][..]),
        ("three", "3", "balanced,random,builder", &["--games", "100"]),
        ("gauntlet", "4", "balanced,settler,random", &["--games", "60", "--mode", "gauntlet"]),
        ("test", "2", "balanced,settler", &["--sprt", "0,40,0.1,0.1"]),
    ] {
        let runs = ["1", "2", "3"].map(|threads| {
            let out = format!("{name}-{threads}");
            let arguments = [
                &["--players", players, "--bots", bots, "--seed", "3", "--threads", threads],
                rest,
            ]
            .concat();
            let printed = play(folder.path(), &out, &arguments, 0);
            let tables = ["crosstable.csv", "ratings.csv"]
                .map(|table| fs::read_to_string(folder.path().join(&out).join(table)).unwrap());
            (printed, tables, manifest_without_timing(folder.path(), &out))
        });
        assert_eq!(runs[0], runs[1], "{name}");
        assert_eq!(runs[0], runs[2], "{name}");
    }
}

#[test]
fn a_crosstable_of_two_players_is_antisymmetric_and_matches_the_ratings() {
    let folder = TempDir::new().unwrap();
    play(folder.path(), "run", &["--bots", "balanced,settler,random-kind", "--games", "60"], 0);
    let cells: BTreeMap<_, _> = rows(folder.path(), "run", "crosstable.csv")
        .into_iter()
        .map(|row| ((row["bot"].clone(), row["opponent"].clone()), row))
        .collect();
    assert_eq!(cells.len(), 6);
    for ((bot, against), cell) in &cells {
        let turned = &cells[&(against.clone(), bot.clone())];
        assert_eq!((number(cell, "games"), cell["provenance"].as_str()), (60.0, "reconstruction"));
        assert!((number(cell, "wins") + number(turned, "wins") - 60.0).abs() < 1e-9);
        assert!((number(cell, "win_rate") + number(turned, "win_rate") - 1.0).abs() < 2e-6);
        assert!((number(cell, "ci_low") + number(turned, "ci_high") - 1.0).abs() < 2e-6);
    }

    let printed = play(folder.path(), "pair", &["--bots", "balanced,settler", "--games", "400"], 0);
    assert!(
        printed.contains("data: reconstruction") && printed.contains("400 games each"),
        "{printed}"
    );
    assert_eq!(printed.lines().skip(1).find(|line| line.chars().count() > 80), None);
    let wins = number(&rows(folder.path(), "pair", "crosstable.csv")[1], "win_rate");
    let ratings = rows(folder.path(), "pair", "ratings.csv");
    let settler = ratings.iter().find(|row| row["bot"] == "settler").unwrap();
    let expected = 400.0 * (wins / (1.0 - wins)).log10();
    for scale in ["elo_wins", "pl_strength"] {
        assert!((number(settler, scale) - expected).abs() < 0.01, "{settler:?}");
        let [low, high] =
            ["ci_low", "ci_high"].map(|end| number(settler, &format!("{scale}_{end}")));
        assert!(low < expected && expected < high, "{settler:?}");
    }
    assert!(
        !printed.contains("largest deviation") && !printed.contains("does not fit"),
        "the fit has the observed rate by construction"
    );
}

#[test]
fn at_larger_tables_one_bot_meets_copies_of_another() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--players", "3", "--bots", "balanced,random,builder", "--games", "100"];
    play(folder.path(), "all", &arguments, 0);
    play(folder.path(), "first", &[&arguments[..], &["--mode", "gauntlet"]].concat(), 0);
    let pairs = |out: &str| {
        let rows = rows(folder.path(), out, "crosstable.csv");
        rows.iter().map(|row| format!("{}-{}", row["bot"], row["opponent"])).collect::<Vec<_>>()
    };
    assert_eq!(
        pairs("all"),
        [
            "balanced-random",
            "balanced-builder",
            "random-balanced",
            "random-builder",
            "builder-balanced",
            "builder-random"
        ]
    );
    assert_eq!(pairs("first"), ["balanced-random", "balanced-builder"]);
    let manifest = manifest_without_timing(folder.path(), "all");
    assert_eq!(
        (manifest["games"].as_u64(), manifest["games_per_block"].as_u64()),
        (Some(6 * 102), Some(3))
    );
}

#[test]
fn elo_is_computed_from_one_bot_against_copies_of_another() {
    let folder = TempDir::new().unwrap();
    let printed = play(
        folder.path(),
        "run",
        &["--players", "3", "--bots", "learned3,balanced", "--games", "600"],
        0,
    );
    let cells = rows(folder.path(), "run", "crosstable.csv");
    for cell in &cells {
        let p = number(cell, "win_rate");
        assert!(
            (number(cell, "elo_wins") - 400.0 * (2.0 * p / (1.0 - p)).log10()).abs() < 0.01,
            "{cell:?}"
        );
        assert!((number(cell, "table_mean") - 1.0 / 3.0).abs() < 1e-6);
        assert!((number(cell, "difference") - (p - (1.0 - p) / 2.0)).abs() < 2e-6, "{cell:?}");
    }
    let ratings = rows(folder.path(), "run", "ratings.csv");
    let balanced = ratings.iter().find(|row| row["bot"] == "balanced").unwrap();
    assert_eq!(balanced["elo_wins"], cells[1]["elo_wins"], "alone against copies of the first bot");
    assert!(
        printed.contains("Elo by win shares") && printed.contains("equal bots: 33.3"),
        "{printed}"
    );
    // `learned3` comes first more often than its second and third places suggest.
    assert_eq!(cells[0]["bot"], "learned3");
    assert!(number(&cells[0], "win_rate") > number(&cells[0], "predicted_win_rate"), "{cells:?}");
    let poorest = cells.iter().map(|cell| number(cell, "z").abs()).fold(0.0, f64::max);
    assert!(
        poorest > 3.0
            && printed.contains("warning: Plackett-Luce does not fit: learned3 against balanced"),
        "{printed}"
    );
}

/// A copy of a bot's profile under another name.
fn twin(folder: &Path, bot: &str) -> String {
    let name = format!("twin-of-{bot}.toml");
    fs::copy(Path::new("bots/common_river").join(format!("{bot}.toml")), folder.join(&name))
        .unwrap();
    name
}

/// The first games of this match end the test if equal bots are expected to win 1 in 3, as nobody
/// wins most of them.
#[test]
fn a_bot_equals_its_twin_in_games_without_winner() {
    let folder = TempDir::new().unwrap();
    let bots = format!("balanced,{}", twin(folder.path(), "balanced"));
    let arguments = ["--game", "common_river", "--players", "3", "--bots", &bots];
    let test = play(
        folder.path(),
        "test",
        &[&arguments[..], &["--sprt", "0,100,0.05,0.05", "--games", "150"]].concat(),
        1,
    );
    assert!(test.contains("won by nobody") && test.contains("table mean "), "{test}");
    let cell = &rows(folder.path(), "test", "crosstable.csv")[0];
    assert!(number(cell, "table_mean") < 0.3, "{cell:?}");
    for column in ["elo_wins", "difference"] {
        let [low, high] = ["ci_low", "ci_high"].map(|end| number(cell, &format!("{column}_{end}")));
        assert!(low < 0.0 && 0.0 < high, "{column}: {cell:?}");
    }
    let all = play(folder.path(), "all", &[&arguments[..], &["--games", "30"]].concat(), 0);
    assert!(!all.contains("equal bots:") && all.contains("mean "), "{all}");
}

#[test]
fn cooperative_games_are_refused() {
    let folder = TempDir::new().unwrap();
    let data = fs::read_to_string("configs/common_river.toml").unwrap();
    let modes = data.lines().find(|line| line.starts_with("modes_for_two")).unwrap();
    fs::write(
        folder.path().join("together.toml"),
        data.replace(modes, "modes_for_two = [\"coop\"]"),
    )
    .unwrap();
    let game = ["--game", "common_river", "--bots", "steward,balanced"];
    let together = [&game[..], &["--config", "together.toml", "--players", "2"]].concat();
    let why = ["together.toml", "all seats win or lose together"];
    refuses(&folder, &[&["match"], &together[..]].concat(), &why);
    refuses(&folder, &[&["match", "--sprt", "0,10,0.05,0.05"], &together[..]].concat(), &why);
    refuses(
        &folder,
        &[&["simulate", "--until-significant"], &together[..]].concat(),
        &[&why[..], &["--until-significant"]].concat(),
    );
    refuses(
        &folder,
        &[&["match", "--players", "1"], &game[..]].concat(),
        &["--players", "2 or more", "found 1"],
    );
    // With three players the same data is about roles, and by default two play either together or
    // against each other.
    play(
        folder.path(),
        "three",
        &[&game[..], &["--config", "together.toml", "--players", "3", "--games", "3"]].concat(),
        0,
    );
    play(folder.path(), "two", &[&game[..], &["--players", "2", "--games", "2"]].concat(), 0);
}

#[test]
fn a_bot_that_never_wins_has_an_open_interval() {
    let folder = TempDir::new().unwrap();
    let printed = play(folder.path(), "run", &["--bots", "balanced,random", "--games", "40"], 0);
    assert!(printed.contains("-∞") && printed.contains("adds a draw with bot 1"), "{printed}");
    let ratings = rows(folder.path(), "run", "ratings.csv");
    assert_eq!(
        (ratings[1]["bot"].as_str(), ratings[1]["pl_strength_ci_low"].as_str()),
        ("random", "")
    );
    // 40 losses and the added draw: half a point of 41.
    assert!(
        (number(&ratings[1], "pl_strength") + 400.0 * (40.5_f64 / 0.5).log10()).abs() < 0.01,
        "{ratings:?}"
    );
    assert!(number(&ratings[1], "pl_strength_ci_high") < -200.0);
    // By wins alone there is no lower end and no estimate.
    assert_eq!((ratings[1]["elo_wins"].as_str(), ratings[1]["elo_wins_ci_low"].as_str()), ("", ""));
    assert!(number(&ratings[1], "elo_wins_ci_high") < -200.0);
}

#[test]
fn a_sequential_test_stops_at_a_decision() {
    let folder = TempDir::new().unwrap();
    let stronger = play(
        folder.path(),
        "stronger",
        &["--bots", "balanced,random", "--sprt", "0,50,0.05,0.05"],
        0,
    );
    assert!(stronger.contains("H1 accepted"), "{stronger}");
    let stronger = manifest_without_timing(folder.path(), "stronger");
    let blocks = stronger["blocks"].as_u64().unwrap();
    assert!((10..60).contains(&blocks), "{blocks}");
    assert_eq!(
        (stronger["complete"].as_bool(), stronger["sprt"]["verdict"].as_str()),
        (Some(true), Some("H1 accepted"))
    );
    assert!(
        stronger["sprt"]["llr"].as_f64().unwrap()
            >= stronger["sprt"]["upper_bound"].as_f64().unwrap()
    );

    let weaker = play(
        folder.path(),
        "weaker",
        &["--players", "3", "--bots", "random,balanced", "--sprt=-50,0,0.05,0.05"],
        1,
    );
    assert!(weaker.contains("H0 accepted"), "{weaker}");

    let undecided = play(
        folder.path(),
        "undecided",
        &["--bots", "balanced,builder", "--sprt", "0,1,0.05,0.05", "--games", "20"],
        1,
    );
    assert!(undecided.contains("undecided") && undecided.contains("n = 20"), "{undecided}");
}

/// The first interrupt ends a match: what was played is written and marked as incomplete.
#[cfg(unix)]
#[test]
fn an_interrupted_match_keeps_finished_games() {
    let folder = TempDir::new().unwrap();
    let bots = "random,random-kind,balanced";
    let arguments = ["match", "--bots", bots, "--games", "100000000", "--out", "run", "--quiet"];
    let run = start(folder.path(), &arguments);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(interrupt(run, "INT"), Some(1));
    let manifest = manifest_without_timing(folder.path(), "run");
    let games = manifest["games"].as_u64().unwrap();
    assert_eq!(manifest["complete"], false);
    assert!(games > 0 && games < 100_000_000);
    let ratings = rows(folder.path(), "run", "ratings.csv");
    let unplayed = ratings.iter().find(|row| row["bot"] == "balanced").unwrap();
    assert_eq!(
        (
            unplayed["games"].as_str(),
            unplayed["pl_strength_ci_low"].as_str(),
            unplayed["pl_strength_ci_high"].as_str()
        ),
        ("0", "", "")
    );
    assert_eq!((unplayed["elo_wins"].as_str(), unplayed["elo_wins_ci_low"].as_str()), ("", ""));
}

#[test]
fn training_reports_the_share_of_equal_bots_in_games_without_winner() {
    let folder = TempDir::new().unwrap();
    let plan = [
        "train",
        "--game",
        "common_river",
        "--players",
        "3",
        "--games",
        "20",
        "--generations",
        "1",
        "--check-games",
        "30",
        "--quiet",
    ];
    let output = watershed(folder.path(), &[&plan[..], &["--out", "new.toml"]].concat());
    let printed = String::from_utf8(output.stdout).unwrap();
    let even: f64 = printed
        .split_once("table mean ")
        .unwrap()
        .1
        .split_once(" %")
        .unwrap()
        .0
        .parse()
        .unwrap();
    assert!(even < 33.0, "{printed}");
}
