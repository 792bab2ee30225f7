//! The plans of `simulate`: clusters of winners, and the games between their plans.

use crate::support::{Folder, Row, number};

/// A run with a bot without a search.
const RUN: &str = "simulate --bots expert --games 3000";

#[test]
fn plans_are_played_against_each_other() {
    let folder = Folder::new();
    let text = folder.succeeds(&format!("{RUN} --out out"));
    assert!(text.contains(" plans of the winners."), "{text}");
    let clusters = folder.rows("out/plan_clusters.csv");
    let shares: f64 = clusters.iter().map(|row| number(row, "share")).sum();
    assert!((shares - 1.0).abs() < 1e-5, "{clusters:?}");
    // The wins of all clusters are those of all sampled seats.
    let seats: f64 = clusters.iter().map(|row| number(row, "n")).sum();
    let wins: f64 = clusters.iter().map(|row| number(row, "n") * number(row, "win_rate")).sum();
    assert!((seats - 6000.0).abs() < 0.1 && (wins - 3000.0).abs() < 0.1, "{seats} {wins}");
    let plans = folder.rows("out/plans.csv");
    assert_eq!(plans[0]["plan"], "free play");
    let mixture: f64 = plans.iter().map(|row| number(row, "mixture")).sum();
    assert!((mixture - 1.0).abs() < 1e-3, "{plans:?}");
    let matrix = folder.rows("out/plan_matrix.csv");
    assert_eq!(matrix.len(), plans.len() * (plans.len() - 1));
    for row in &matrix {
        let is_reverse =
            |other: &&Row| other["plan"] == row["opponent"] && other["opponent"] == row["plan"];
        let reverse = matrix.iter().find(is_reverse).map(|other| number(other, "win_rate"));
        assert!(reverse.is_some_and(|rate| (rate + number(row, "win_rate") - 1.0).abs() < 1e-5));
        assert_eq!(row["n"], "300", "{row:?}");
    }
    // No plan wins more than its share against the mixture.
    assert!(plans[1..].iter().all(|row| number(row, "win_rate") < 0.502), "{plans:?}");
}

#[test]
fn plans_follow_the_data_file() {
    let folder = Folder::new();
    // Nearly all meadows are worth more points, or give more resources.
    folder.copy("configs/the_river.toml", "strong.toml");
    let strong = folder.read("strong.toml");
    let strong =
        strong.replace("points = 2 }", "points = 9 }").replace("amount = 4 }", "amount = 12 }");
    let strong = strong.replace("points = 1 }", "points = 6 }");
    folder.write("strong.toml", strong);
    folder.succeeds(&format!("{RUN} --config strong.toml --out out"));
    let [few, many] = ["1", "4"].map(|number_of_items| {
        let rows = folder.rows("out/family_numbers.csv");
        let row =
            rows.iter().find(|row| row["family"] == "meadow" && row["number"] == number_of_items);
        row.map_or(0.0, |row| number(row, "win_rate"))
    });
    assert!(many > few + 0.05, "seats with 4 meadows win {many}, with 1 {few}");
}

#[test]
fn plans_need_a_bot_that_weighs_its_actions_and_enough_games() {
    let folder = Folder::new();
    for (out, flags, has_clusters) in [
        ("out0", "--bots random --games 1000", true),
        ("out1", "--bots expert --games 900", true),
        ("out2", "--bots expert --games 100", false),
        ("out3", "--bots expert,random --games 1000", false),
    ] {
        folder.succeeds(&format!("simulate {flags} --out {out}"));
        let files = folder.files(out);
        assert_eq!(files.contains(&"plan_clusters.csv".to_owned()), has_clusters, "{flags}");
        assert!(!files.contains(&"plans.csv".to_owned()), "{flags}");
    }
}
