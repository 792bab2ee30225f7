//! `watershed balance compare` and `sweep`: planted effects.

use crate::support::{Folder, Row, find_row, number};

const DATA: &str = "configs/the_river.toml";

/// Runs a `balance` command into `out` and returns its stdout.
#[track_caller]
fn balance(folder: &Folder, out: &str, arguments: &str) -> String {
    let printed = folder.balance(out, arguments);
    assert_eq!(printed.lines().skip(3).find(|line| line.chars().count() > 80), None, "{printed}");
    printed
}

/// Writes the default data of The River, and the same with a text replaced by another.
fn two_files(folder: &Folder, from: &str, to: &str) {
    folder.copy(DATA, "a.toml");
    folder.copy_with(DATA, "b.toml", from, to);
}

/// No game is so long.
#[test]
fn an_edit_without_effect_changes_nothing() {
    let folder = Folder::new();
    two_files(&folder, "max_rounds = 60", "max_rounds = 59");
    let printed =
        balance(&folder, "run", "compare a.toml b.toml --bots balanced,random --games 60");
    assert!(
        printed.contains("buildings: nothing to test") && !printed.contains(" *\n"),
        "{printed}"
    );
    let differences = folder.rows("run/differences.csv");
    for table in ["differences.csv", "buildings.csv", "tiles.csv", "effects.csv"] {
        for row in folder.rows(format!("run/{table}")) {
            assert_eq!(
                (&row["baseline"], &row["baseline_n"]),
                (&row["variant"], &row["variant_n"])
            );
            assert!(
                row["p"].is_empty() && row["p_holm"].is_empty(),
                "a constant is not tested: {row:?}"
            );
            assert!(row["difference"].is_empty() || number(&row, "difference") == 0.0, "{row:?}");
            assert!(
                row["difference_ci_low"].is_empty()
                    || number(&row, "difference_ci_low") < -0.01
                        && number(&row, "difference_ci_high") > 0.01,
                "{row:?}"
            );
        }
    }
    assert!(
        differences.iter().all(|row| ["constant", "complement"].contains(&row["flag"].as_str())),
        "{differences:?}"
    );
    assert!(!printed.contains("+0.00, +0.00") && !printed.contains("0.00, 0.00"), "{printed}");
    // 30 blocks of two games, none of which differs: 1 − 0.05^(1/30).
    let win_rate = find_row(&differences, &[("metric", "win_share"), ("of", "balanced")]);
    assert_eq!(
        (win_rate["difference_ci_low"].as_str(), win_rate["difference_ci_high"].as_str()),
        ("-0.095034", "0.095034")
    );
    assert!(
        number(win_rate, "baseline") > 0.9 && number(win_rate, "baseline_ci_low") > 0.8,
        "{win_rate:?}"
    );
}

/// A tile more changes the indices of all facts, so a network bound to the other file would fail.
#[test]
fn networks_are_bound_to_the_file_on_which_they_play() {
    let folder = Folder::new();
    let tile = "[[tile]]\nid = \"desert_store2\"";
    let new = "[[tile]]\nid = \"a\"\nterrain = [\"desert\"]\ncopies = 1\nstorage = 4\n";
    two_files(&folder, tile, &format!("{new}{tile}"));
    let arguments = "--bots expert* --games 20 --quiet";
    let means = |files: &str, out: &str, column: &str| -> Vec<String> {
        folder.succeeds(&format!("balance compare {files} {arguments} --out {out}"));
        let rows = folder.rows(format!("{out}/differences.csv"));
        rows.iter().map(|row| row[column].clone()).collect()
    };
    let variant = means("a.toml b.toml", "one", "variant");
    assert_eq!(variant, means("b.toml a.toml", "two", "baseline"));
    assert_ne!(variant, means("a.toml b.toml", "three", "baseline"));

    folder.succeeds(&format!(
        "balance ablate --config b.toml --remove desert_store2 {arguments} --out four"
    ));
}

#[test]
fn networks_adapt_to_each_file() {
    let folder = Folder::new();
    two_files(&folder, "trade_in = 3", "trade_in = 2");
    let adapt = "--adapt --adapt-generations 1 --adapt-games 6";
    let arguments = format!("--bots mcts:iterations=4,expert --games 4 {adapt} --force --quiet");
    let command = format!("balance compare a.toml b.toml {arguments} --out run");
    let printed = folder.succeeds(&format!("{command} --threads 1"));
    let line = "networks adapted to each data file: 1 generation of 6 games";
    assert!(printed.contains(line) && printed.contains(adapt), "{printed}");
    let manifest = folder.json("run/run.json");
    let networks = manifest["adaptation"]["networks"].as_array().unwrap();
    // Both continue from the network of `expert`, which is also the value and prior of `mcts`.
    assert_eq!(networks.len(), 2);
    for (network, file) in networks.iter().zip(["a.toml", "b.toml"]) {
        assert_eq!(network["config"], file);
        assert_eq!(network["from_sha256"], networks[0]["from_sha256"]);
    }
    let page = folder.read("run/report.html");
    assert!(page.contains("Adapted networks") && !page.contains("may play worse"));
    let trainings = folder.files("run/adapted");
    assert_eq!(trainings.len(), 2);
    let network = |training: &str| {
        let file = format!("run/adapted/{training}/generation-0001.network");
        std::fs::read(folder.path(file)).unwrap()
    };
    assert!(network(&trainings[0]) != network(&trainings[1]));

    // One training is complete, the other one is repeated.
    let differences = folder.read("run/differences.csv");
    for name in ["generation-0001.json", "generation-0001.network", "games-0001-0000.gz"] {
        let file = format!("run/adapted/{}/{name}", trainings[1]);
        std::fs::remove_file(folder.path(file)).unwrap();
    }
    folder.succeeds(&format!("{command} --threads 2"));
    assert_eq!(folder.read("run/differences.csv"), differences);
}

/// The building is `w3c2s1` at half its cost. Other buildings are not flagged.
#[test]
fn a_cheaper_building_is_taken_more_often() {
    let folder = Folder::new();
    two_files(&folder, "cost = { wood = 3, clay = 2, stone = 1 }", "cost = { wood = 2, clay = 1 }");
    let arguments = "compare a.toml b.toml --bots balanced* --games 2000";
    balance(&folder, "run", arguments);
    let buildings = folder.rows("run/buildings.csv");
    let of = |building: &str, metric: &str| {
        find_row(&buildings, &[("building", building), ("metric", metric)])
    };
    let taken = of("w3c2s1", "taken_per_offer");
    assert_eq!(taken["flag"], "significant");
    assert!(
        number(taken, "difference_ci_low") > 0.05 && number(taken, "p_holm") < 0.001,
        "{taken:?}"
    );
    assert!(
        (number(taken, "variant") - number(taken, "baseline") - number(taken, "difference")).abs()
            < 2e-6
    );
    assert!(number(of("w3c2s1", "takers_win_share"), "difference") > 0.0);
    for metric in ["taken_per_game", "taken_per_offer", "takers_win_share"] {
        assert_eq!(of("w2", metric)["flag"], "", "{metric}");
    }
    let differences = folder.rows("run/differences.csv");
    // Only games with one leader at half time count for its win rate.
    let mut of_deals = differences.iter().filter(|row| row["metric"] != "leader_at_half_wins");
    assert!(of_deals.all(|row| row["difference_n"] == "2000"), "{differences:?}");
}

#[test]
fn several_variants_are_compared_as_each_is_alone() {
    let folder = Folder::new();
    let cost = "cost = { wood = 2, clay = 1 }";
    two_files(&folder, cost, "cost = { wood = 1, clay = 1 }");
    folder.copy_with("configs/the_river.toml", "c.toml", cost, "cost = { wood = 3, clay = 1 }");
    let bots = "--bots balanced --games 200";
    balance(&folder, "all", &format!("compare a.toml b.toml c.toml {bots}"));
    let all = folder.rows("all/files.csv");
    let mut widths = 0;
    for file in ["b.toml", "c.toml"] {
        let out = &format!("with_{file}");
        balance(&folder, out, &format!("compare a.toml {file} {bots}"));
        for pair in folder.rows(format!("{out}/differences.csv")) {
            let row =
                find_row(&all, &[("file", file), ("metric", &pair["metric"]), ("of", &pair["of"])]);
            for column in ["difference", "p"] {
                assert_eq!(row[column], pair[column], "{file}: {pair:?}");
            }
            // Both intervals hold at once: Student's t of 98.75 % in place of 97.5 %.
            if pair["metric"] == "rounds" {
                let width = |row: &Row| {
                    number(row, "difference_ci_high") - number(row, "difference_ci_low")
                };
                let ratio = width(row) / width(&pair);
                assert!((1.14..1.15).contains(&ratio), "{file}: {ratio} {pair:?}");
                widths += 1;
            }
        }
    }
    assert_eq!(widths, 2);
}

#[test]
fn items_of_one_file_only_are_flagged() {
    let folder = Folder::new();
    two_files(&folder, "id = \"w2c2s3\"", "id = \"tower\"");
    let printed = balance(&folder, "run", "compare a.toml b.toml --bots expert --games 40");
    assert!(
        printed.contains("building.w2c2s3: removed") && printed.contains("building.tower: added"),
        "{printed}"
    );
    let buildings = folder.rows("run/buildings.csv");
    for (building, flag, side) in [("w2c2s3", "removed", "variant"), ("tower", "added", "baseline")]
    {
        let taken = find_row(&buildings, &[("building", building), ("metric", "taken_per_game")]);
        assert_eq!(
            (taken["flag"].as_str(), taken[side].as_str(), taken["difference"].as_str()),
            (flag, "", "")
        );
    }
}

/// The meadows with stone bring 1 point more or less; other tiles are as they were.
#[test]
fn a_sweep_edits_all_keys_of_a_family() {
    let folder = Folder::new();
    let family = "tile.meadow_income_wood.effect.points+tile.meadow_income_clay.effect.points";
    let games = "--bots balanced --games 100";
    balance(&folder, "run", &format!("sweep --key {family} --values +=-1..1 {games}"));
    let tiles = folder.rows("run/tiles.csv");
    for tile in ["meadow_income_wood", "meadow_income_clay"] {
        for (value, expected) in [("-1", -1.0), ("+1", 1.0)] {
            let row = find_row(&tiles, &[("tile", tile), ("value", value), ("metric", "points")]);
            assert!((number(row, "difference") - expected).abs() < 1e-6, "{row:?}");
        }
    }
}

#[test]
fn a_sweep_compares_every_value_with_that_of_the_file() {
    let folder = Folder::new();
    let key = "tile.meadow_income_wood.effect.points";
    balance(
        &folder,
        "run",
        &format!("sweep --key {key} --values 1..4 --bots balanced --games 200 --players 3"),
    );
    let tiles = folder.rows("run/tiles.csv");
    let points = |value: &str| {
        find_row(&tiles, &[("tile", "meadow_income_wood"), ("value", value), ("metric", "points")])
    };
    for (value, expected) in [("1", -1.0), ("3", 1.0), ("4", 2.0)] {
        let difference = number(points(value), "difference");
        assert!((difference - expected).abs() < 1e-6, "{value}: {difference}");
    }
    let own = points("2");
    assert_eq!(
        (own["estimate"].as_str(), own["difference"].as_str(), own["p"].as_str()),
        ("2.000000", "", "")
    );
    let sweep = folder.rows("run/sweep.csv");
    let values: Vec<_> = sweep
        .iter()
        .filter(|row| row["metric"] == "rounds")
        .map(|row| row["value"].as_str())
        .collect();
    assert_eq!(values, ["1", "2", "3", "4"], "in order, with the value of the file");
}

#[test]
fn a_single_file_is_compared_with_the_built_in_game() {
    let folder = Folder::new();
    two_files(&folder, "trade_in = 3", "trade_in = 2");
    let bots = "--bots balanced --games 100";
    let printed = balance(&folder, "one", &format!("compare b.toml {bots}"));
    assert!(printed.contains("b.toml against the_river.toml"), "{printed}");
    balance(&folder, "two", &format!("compare a.toml b.toml {bots}"));
    let [one, two] = ["one", "two"].map(|out| folder.rows(format!("{out}/differences.csv")));
    assert_eq!(one, two);
}
