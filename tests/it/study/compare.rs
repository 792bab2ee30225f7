//! `watershed balance compare` and `sweep`: planted truths, what they refuse, and that threads make
//! no difference.

use std::{fs, path::Path};

use tempfile::TempDir;
use watershed::{
    arena::{compared_metrics::ComparedMetrics, comparison::ComparisonTally, metric::Metric},
    games::{GameDefinition, the_river::TheRiver},
    report::provenance::Claim,
    run::lineups::LineupResult,
    study::compare::analysis::{Comparison, Layout},
};

use crate::support::{Row, files, number, refuses, rows, watershed};

/// Runs a `balance` command into `out` and returns what it printed.
#[track_caller]
fn balance(folder: &Path, out: &str, arguments: &[&str]) -> String {
    let output = watershed(folder, &[&["balance"], arguments, &["--quiet", "--out", out]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.lines().skip(3).find(|line| line.chars().count() > 80), None, "{printed}");
    printed
}

/// The row in which these columns have these values.
#[track_caller]
fn row(rows: &[Row], columns: &[(&str, &str)]) -> Row {
    let found: Vec<_> = rows
        .iter()
        .filter(|row| columns.iter().all(|(column, value)| row[*column] == *value))
        .collect();
    assert_eq!(found.len(), 1, "{columns:?}");
    found[0].clone()
}

/// The default data of The River, and the same with a text replaced by another.
fn two_files(folder: &TempDir, from: &str, to: &str) {
    let data = fs::read_to_string("configs/the_river.toml").unwrap();
    assert!(data.contains(from), "{from:?} is not in the data");
    fs::write(folder.path().join("a.toml"), &data).unwrap();
    fs::write(folder.path().join("b.toml"), data.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_file_does_not_differ_from_itself() {
    let folder = TempDir::new().unwrap();
    two_files(&folder, "trade_in = 3", "trade_in = 3");
    let printed = balance(
        folder.path(),
        "run",
        &["compare", "a.toml", "b.toml", "--bots", "balanced,random", "--games", "60"],
    );
    assert!(
        printed.contains("buildings: nothing to test") && !printed.contains(" *\n"),
        "{printed}"
    );
    assert_eq!(
        files(&folder.path().join("run")),
        ["buildings.csv", "differences.csv", "effects.csv", "report.html", "run.json", "tiles.csv"]
    );
    let differences = rows(folder.path(), "run", "differences.csv");
    assert_eq!(differences.len(), 17);
    for table in ["differences.csv", "buildings.csv", "tiles.csv", "effects.csv"] {
        for row in rows(folder.path(), "run", table) {
            assert_eq!(
                (&row["baseline"], &row["baseline_n"]),
                (&row["variant"], &row["variant_n"])
            );
            assert!(
                row["p"].is_empty() && row["p_holm"].is_empty(),
                "what does not vary is not tested: {row:?}"
            );
            assert!(row["difference"].is_empty() || number(&row, "difference") == 0.0, "{row:?}");
            assert!(
                row["difference_ci_low"].is_empty()
                    || number(&row, "difference_ci_low") < -0.01
                        && number(&row, "difference_ci_high") > 0.01,
                "{row:?}"
            );
            assert_eq!(row["provenance"], "reconstruction");
        }
    }
    assert!(differences.iter().all(|row| row["flag"] == "constant"), "{differences:?}");
    assert!(!printed.contains("+0.00, +0.00") && !printed.contains("0.00, 0.00"), "{printed}");
    // 30 blocks of two games, none of which differs: 1 − 0.05^(1/30).
    let win_rate = row(&differences, &[("metric", "win_share"), ("of", "balanced")]);
    assert_eq!(
        (win_rate["difference_ci_low"].as_str(), win_rate["difference_ci_high"].as_str()),
        ("-0.095034", "0.095034")
    );
    assert!(
        number(&win_rate, "baseline") > 0.9 && number(&win_rate, "baseline_ci_low") > 0.8,
        "{win_rate:?}"
    );
}

/// The building `w3c2s1` at half its cost is taken more often, and who takes it wins more often;
/// nothing else of the kind is believed of a building that was not touched.
#[test]
fn a_cheaper_building_is_taken_more_often() {
    let folder = TempDir::new().unwrap();
    two_files(&folder, "cost = { wood = 3, clay = 2, stone = 1 }", "cost = { wood = 2, clay = 1 }");
    let arguments = ["compare", "a.toml", "b.toml", "--bots", "balanced*", "--games", "2000"];
    let printed = balance(folder.path(), "run", &arguments);
    let buildings = rows(folder.path(), "run", "buildings.csv");
    let of = |building: &str, figure: &str| {
        row(&buildings, &[("building", building), ("metric", figure)])
    };
    let taken = of("w3c2s1", "taken_per_offer");
    assert_eq!(taken["flag"], "significant");
    assert!(
        number(&taken, "difference_ci_low") > 0.05 && number(&taken, "p_holm") < 0.001,
        "{taken:?}"
    );
    assert!(
        (number(&taken, "variant") - number(&taken, "baseline") - number(&taken, "difference"))
            .abs()
            < 2e-6
    );
    assert!(number(&of("w3c2s1", "takers_win_share"), "difference") > 0.0);
    for figure in ["taken_per_game", "taken_per_offer", "takers_win_share"] {
        assert_eq!(of("w2", figure)["flag"], "", "{figure}");
    }
    assert!(printed.contains("\nw3c2s1: "), "{printed}");
}

/// Five points more for the meadow that swaps: who has it scores nearly five points more itself,
/// and wins more often.
#[test]
fn a_richer_meadow_raises_the_win_rate_of_its_owners() {
    let folder = TempDir::new().unwrap();
    let meadow = "effect = { kind = \"income\", resource = \"wood\", amount = 1, points = 2 }";
    two_files(&folder, meadow, &meadow.replace("points = 2", "points = 7"));
    balance(folder.path(), "run", &["compare", "a.toml", "b.toml", "--games", "2000"]);
    let tiles = rows(folder.path(), "run", "tiles.csv");
    let of = |tile: &str, figure: &str| row(&tiles, &[("tile", tile), ("metric", figure)]);
    let points = of("meadow_income_wood", "points");
    assert!((4.5..=5.5).contains(&number(&points, "difference")), "{points:?}");
    // Every deal in which it is taken shows five points more, so there is nothing to test.
    assert_eq!(
        (points["flag"].as_str(), points["p"].as_str(), points["difference_ci_low"].as_str()),
        ("constant", "", "")
    );
    let wins = of("meadow_income_wood", "takers_win_share");
    assert!(number(&wins, "difference_ci_low") > 0.05 && wins["flag"] == "significant", "{wins:?}");
    assert_eq!(of("desert_store2", "takers_win_share")["flag"], "");
}

#[test]
fn items_of_one_file_only_are_flagged() {
    let folder = TempDir::new().unwrap();
    two_files(&folder, "id = \"w2c2s3\"", "id = \"tower\"");
    let printed = balance(folder.path(), "run", &["compare", "a.toml", "b.toml", "--games", "40"]);
    assert!(
        printed.contains("only in the baseline: w2c2s3")
            && printed.contains("only in the variant: tower"),
        "{printed}"
    );
    let buildings = rows(folder.path(), "run", "buildings.csv");
    for (building, flag, side) in [("w2c2s3", "removed", "variant"), ("tower", "added", "baseline")]
    {
        let taken = row(&buildings, &[("building", building), ("metric", "taken_per_game")]);
        assert_eq!(
            (taken["flag"].as_str(), taken[side].as_str(), taken["difference"].as_str()),
            (flag, "", "")
        );
    }
}

#[test]
fn a_sweep_compares_every_value_with_that_of_the_file() {
    let folder = TempDir::new().unwrap();
    let key = "tile.meadow_income_wood.effect.points";
    balance(
        folder.path(),
        "run",
        &["sweep", "--key", key, "--values", "1..4", "--games", "600", "--players", "3"],
    );
    let tiles = rows(folder.path(), "run", "tiles.csv");
    let points = |value: &str| {
        row(&tiles, &[("tile", "meadow_income_wood"), ("value", value), ("metric", "points")])
    };
    for (value, expected) in [("1", -1.0), ("3", 1.0), ("4", 2.0)] {
        let difference = number(&points(value), "difference");
        assert!((difference - expected).abs() < 1e-6, "{value}: {difference}");
    }
    let own = points("2");
    assert_eq!(
        (own["estimate"].as_str(), own["difference"].as_str(), own["p"].as_str()),
        ("2.000000", "", "")
    );
    let sweep = rows(folder.path(), "run", "sweep.csv");
    let values: Vec<_> = sweep
        .iter()
        .filter(|row| row["metric"] == "rounds")
        .map(|row| row["value"].as_str())
        .collect();
    assert_eq!(values, ["1", "2", "3", "4"], "in order, that of the file among them");
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
    assert_eq!(
        (manifest["variants"][3]["label"].as_str(), manifest["complete"].as_bool()),
        (Some("4"), Some(true))
    );
    assert_ne!(manifest["variants"][0]["config_sha256"], manifest["variants"][3]["config_sha256"]);
}

/// Games that get longer with one bot and shorter with another flip; those that get longer with a
/// third do too, and nothing else does.
#[test]
fn a_difference_that_changes_sign_between_lineups_is_flagged() {
    let document = TheRiver::default_document();
    let games = [(); 2].map(|()| TheRiver::bind(&document, 2).unwrap());
    let metrics = ComparedMetrics::new(&games, 1);
    let result = |name: &str, rounds: i64| {
        let mut tally = ComparisonTally::new(2, metrics.metrics.len());
        for (metric, sums) in metrics.metrics.iter().zip(&mut tally.differences[0]) {
            let change = match metric.metric {
                Metric::Rounds => rounds,
                Metric::Decisions => 1,
                _ => 0,
            };
            (0..30)
                .for_each(|block| sums.add_block((1, 60), (1, 60 + change + change * (block % 2))));
        }
        LineupResult { lineup: name.to_owned(), bots: vec![name.to_owned()], tally }
    };
    let results = [result("one", 3), result("two", -3), result("three", 3), result("four", 0)];
    let comparison = Comparison::new(&metrics, &Layout::SideBySide, &results);
    let table = comparison.tables(&Claim::new("test"))[0].csv();
    let rows: Vec<Row> =
        csv::Reader::from_reader(table.as_slice()).deserialize().map(Result::unwrap).collect();
    let flags = |metric: &str| {
        results.each_ref().map(|result| {
            row(&rows, &[("metric", metric), ("lineup", &result.lineup)])["flag"].clone()
        })
    };
    assert_eq!(flags("rounds"), ["flips", "flips", "flips", "constant"]);
    assert_eq!(flags("decisions"), ["significant"; 4]);
    assert_eq!(flags("score"), ["constant"; 4]);
    assert!(comparison.text().contains("  ~\n"), "{}", comparison.text());
}

#[test]
fn a_ladder_has_every_metric_for_each_lineup() {
    let folder = TempDir::new().unwrap();
    two_files(&folder, "trade_in = 3", "trade_in = 2");
    let ladder = ["--ladder", "random,balanced,mcts:iterations=4"];
    balance(
        folder.path(),
        "run",
        &[&["compare", "a.toml", "b.toml", "--games", "40"], &ladder[..]].concat(),
    );
    let differences = rows(folder.path(), "run", "differences.csv");
    let rungs: Vec<_> = differences
        .iter()
        .filter(|row| row["metric"] == "score")
        .map(|row| row["lineup"].as_str())
        .collect();
    assert_eq!(rungs, ["random", "balanced", "mcts:iterations=4"]);
    let score = |bots: &str| {
        number(&row(&differences, &[("metric", "score"), ("lineup", bots)]), "baseline")
    };
    assert!(score("balanced") > score("random"));
}

#[test]
fn the_number_of_threads_does_not_change_a_comparison() {
    let folder = TempDir::new().unwrap();
    two_files(&folder, "reserve_discount = 1", "reserve_discount = 2");
    for command in [
        &["compare", "a.toml", "b.toml", "--bots", "balanced,random,builder", "--players", "3"][..],
        &["sweep", "--key", "rules.trade_in", "--values", "2,4", "--ladder", "random,balanced"],
        &["sweep", "--game", "glassworks", "--key", "play.satchel_limit", "--values", "4"],
    ] {
        let runs = ["1", "2"].map(|threads| {
            let printed = balance(
                folder.path(),
                threads,
                &[command, &["--games", "200", "--seed", "7", "--threads", threads, "--force"]]
                    .concat(),
            );
            let tables: Vec<_> = files(&folder.path().join(threads))
                .into_iter()
                .filter(|name| name != "run.json")
                .collect();
            let contents: Vec<_> = tables
                .iter()
                .map(|table| fs::read(folder.path().join(threads).join(table)).unwrap())
                .collect();
            (printed, tables, contents)
        });
        assert!(runs[0] == runs[1], "{command:?}");
    }
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = TempDir::new().unwrap();
    two_files(&folder, "trade_in = 3", "trade_in = 300");
    refuses(&folder, &["balance"], &["balance", "compare", "sweep"]);
    refuses(&folder, &["balance", "compare", "a.toml"], &["VARIANT.toml"]);
    refuses(&folder, &["balance", "compare", "a.toml", "c.toml"], &["c.toml", "can't be read"]);
    refuses(
        &folder,
        &["balance", "compare", "a.toml", "b.toml"],
        &["b.toml:", "`rules.trade_in`", "300"],
    );
    refuses(
        &folder,
        &["balance", "compare", "a.toml", "a.toml", "--game", "glassworks"],
        &["a.toml", "glassworks"],
    );
    refuses(
        &folder,
        &["balance", "compare", "a.toml", "a.toml", "--players", "5"],
        &["2 to 4 players", "5"],
    );
    refuses(
        &folder,
        &["balance", "compare", "a.toml", "a.toml", "--games", "0"],
        &["--games", "0"],
    );
    refuses(
        &folder,
        &["balance", "compare", "a.toml", "a.toml", "--ladder", "random,oracle"],
        &["--ladder", "`oracle`"],
    );
    refuses(
        &folder,
        &["balance", "compare", "a.toml", "a.toml", "--ladder", "random,random"],
        &["--ladder", "`random` twice"],
    );
    refuses(
        &folder,
        &["balance", "compare", "a.toml", "a.toml", "--ladder", "random", "--bots", "random*"],
        &["--ladder", "--bots"],
    );
    let sweep = |key: &'static str, values: &'static str| {
        ["balance", "sweep", "--config", "a.toml", "--key", key, "--values", values]
    };
    refuses(
        &folder,
        &sweep("rules.trade_inn", "2..4"),
        &["a.toml", "`rules.trade_inn`", "nearest are `rules.trade_in`"],
    );
    fs::write(
        folder.path().join("bad.toml"),
        fs::read_to_string(folder.path().join("a.toml")).unwrap().replace("wood = 2", "wood = 9"),
    )
    .unwrap();
    let bad =
        ["balance", "sweep", "--config", "bad.toml", "--key", "rules.trade_in", "--values", "2..4"];
    refuses(&folder, &bad, &["error: bad.toml:", "from 0 to 6, found 9"]);
    refuses(
        &folder,
        &sweep("w2c1.cost.wood", "1..3"),
        &["nearest are `building.w2c1.cost.wood`, "],
    );
    refuses(
        &folder,
        &sweep("building.w2c1", "2"),
        &["`building.w2c1.cost.", "number, boolean or string"],
    );
    refuses(
        &folder,
        &sweep("building.w2c1.cost.wood", "0..7"),
        &["--values: 7: key `building.w2c1.cost.wood`: expected an integer from 0 to 6, found 7"],
    );
    refuses(&folder, &sweep("rules.trade_in", "4..2"), &["--values", "0..4", "4..2"]);
    refuses(&folder, &sweep("rules.trade_in", "two"), &["--values", "an integer", "two"]);
    refuses(
        &folder,
        &sweep("rules.trade_in", "3"),
        &["--values", "other than that of the file", "3"],
    );
    refuses(&folder, &sweep("rules.trade_in", "2,4,2"), &["--values", "2 twice"]);
    refuses(&folder, &sweep("rules.trade_in", "1..1000"), &["--values", "at most 100"]);
}

/// What `simulate` says of how games go, beside its other tables.
#[test]
fn health_metrics_match_the_games() {
    let folder = TempDir::new().unwrap();
    let output = watershed(
        folder.path(),
        &[
            "simulate",
            "--bots",
            "random*",
            "--players",
            "3",
            "--games",
            "300",
            "--games-csv",
            "--out",
            "run",
        ],
    );
    assert_eq!(output.status.code(), Some(0));
    let health = rows(folder.path(), "run", "health.csv");
    let value = |name: &str| number(&row(&health, &[("metric", name)]), "value");
    let games = rows(folder.path(), "run", "games.csv");
    let mut rounds: Vec<_> = games.iter().map(|game| number(game, "rounds")).collect();
    rounds.sort_by(f64::total_cmp);
    let mean = rounds.iter().sum::<f64>() / 300.0;
    let deviation =
        (rounds.iter().map(|rounds| (rounds - mean).powi(2)).sum::<f64>() / 299.0).sqrt();
    for (name, expected) in [
        ("rounds", mean),
        ("rounds_sd", deviation),
        ("rounds_min", rounds[0]),
        ("rounds_p50", rounds[149]),
        ("rounds_max", rounds[299]),
        ("capped", games.iter().map(|game| number(game, "capped")).sum::<f64>() / 300.0),
    ] {
        assert!((value(name) - expected).abs() < 1e-4, "{name}: {} {expected}", value(name));
    }
    let shared = games
        .iter()
        .filter(|game| {
            (0..3).any(|seat| (0.1..0.9).contains(&number(game, &format!("win_share_{seat}"))))
        })
        .count();
    assert!((value("shared_wins") - shared as f64 / 300.0).abs() < 1e-4);
    // The variance of the seats' rates less that of their errors; every game is a block.
    let games: Vec<[f64; 3]> = games
        .iter()
        .map(|game| std::array::from_fn(|seat| number(game, &format!("win_share_{seat}"))))
        .collect();
    let rates: [f64; 3] =
        std::array::from_fn(|seat| games.iter().map(|shares| shares[seat]).sum::<f64>() / 300.0);
    let mean = rates.iter().sum::<f64>() / 3.0;
    let error = |seat: usize| {
        let deviation = |shares: &[f64; 3]| {
            shares[seat] - shares.iter().sum::<f64>() / 3.0 - (rates[seat] - mean)
        };
        games.iter().map(|shares| deviation(shares).powi(2)).sum::<f64>() / 299.0 / 300.0
    };
    let variance = (0..3).map(|seat| (rates[seat] - mean).powi(2) - error(seat)).sum::<f64>() / 3.0;
    assert!(
        (value("sd_of_seats") - variance.signum() * variance.abs().sqrt()).abs() < 1e-3,
        "{} {variance}",
        value("sd_of_seats")
    );
    let ends =
        ["ci_low", "ci_high"].map(|end| number(&row(&health, &[("metric", "sd_of_seats")]), end));
    assert!(
        ends[0] <= value("sd_of_seats") && value("sd_of_seats") < ends[1] && ends[1] < 0.2,
        "{ends:?}"
    );
    assert!(
        value("lead_changes") > 0.1
            && value("leader_at_half_wins") > 0.4
            && value("branching") > 2.0
    );
}

/// A tile that nobody can ever see, because there are too few rounds, stands in the list of what
/// never happened.
#[test]
fn actions_and_items_that_never_occur_are_listed() {
    let folder = TempDir::new().unwrap();
    two_files(&folder, "trade_in = 3", "trade_in = 3");
    let output = watershed(
        folder.path(),
        &["simulate", "--bots", "balanced*", "--games", "4", "--out", "run"],
    );
    assert_eq!(output.status.code(), Some(0));
    let never = rows(folder.path(), "run", "never.csv");
    let buildings = rows(folder.path(), "run", "buildings.csv");
    for building in &buildings {
        let expected = match (building["offered"].as_str(), building["built"].as_str()) {
            ("0", _) => Some("offered"),
            (_, "0") => Some("built"),
            _ => None,
        };
        let found = never
            .iter()
            .find(|row| row["kind"] == "building" && row["name"] == building["building"]);
        assert_eq!(found.map(|row| row["never"].as_str()), expected, "{building:?}");
    }
    assert!(never.iter().any(|row| row["kind"] == "building"));
}
