//! The plans of `simulate`: clusters of winners, and the games between their plans; and the games
//! of a bot that follows a ranking.

use crate::support::{Folder, Row, number};

/// A run with a bot without a search.
const RUN: &str = "simulate --bots expert --games 1500";

#[test]
fn plans_are_played_against_each_other() {
    let folder = Folder::new();
    let text = folder.succeeds(&format!("{RUN} --out out"));
    assert!(text.contains("Plans of the winners, played by expert: "), "{text}");
    let clusters = folder.rows("out/plan_clusters.csv");
    let shares: f64 = clusters.iter().map(|row| number(row, "share")).sum();
    assert!((shares - 1.0).abs() < 1e-5, "{clusters:?}");
    // The wins of all clusters are those of all sampled seats.
    let seats: f64 = clusters.iter().map(|row| number(row, "n")).sum();
    let wins: f64 = clusters.iter().map(|row| number(row, "n") * number(row, "win_rate")).sum();
    assert!((seats - 3000.0).abs() < 0.1 && (wins - 1500.0).abs() < 0.1, "{seats} {wins}");
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
        assert_eq!(row["n"], "150", "{row:?}");
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
#[ignore = "some seconds: games by search; .ci/full runs it"]
fn a_ranking_is_better_than_its_reverse_where_items_differ() {
    let folder = Folder::new();
    folder.copy("configs/the_river.toml", "strong.toml");
    let income = "{ kind = \"income\", resource = \"wood\", amount = 1, points = ";
    let strong = folder.read("strong.toml");
    let strong = strong.replacen(&format!("{income}2 }}"), &format!("{income}14 }}"), 1);
    folder.write("strong.toml", strong);
    let worth_of_tiles = |flags: &str| {
        let run = "simulate --games 4000 --force --out out";
        let text = folder.succeeds(&format!("{run} {flags}"));
        assert!(text.contains("Rankings by the win rates of owners"), "{text}");
        let rows = folder.rows("out/rankings.csv");
        let row = rows.iter().find(|row| row["items"] == "tiles").unwrap();
        assert_eq!((&*row["n"], &*row["reverse_n"]), ("400", "400"));
        (number(row, "win_rate") - number(row, "reverse_win_rate"), row["worth"].clone())
    };
    let (gain, worth) = worth_of_tiles("--bots balanced --config strong.toml");
    assert!(gain > 0.12 && worth != "nothing", "{gain}, {worth}");
    // A bot that judges the position gains nothing from a fixed order of the tiles.
    let (gain, worth) = worth_of_tiles("--bots expert");
    assert!(gain.abs() < 0.14 && worth != "wins", "{gain}, {worth}");
}

#[test]
fn a_ranking_by_access_is_put_to_the_test() {
    let folder = Folder::new();
    let text = folder
        .succeeds("balance ablate --bots balanced --only terrain=meadow --games 1000 --out out");
    assert!(text.contains("Rankings by access, followed by the quick player balanced"), "{text}");
    let rows = folder.rows("out/rankings.csv");
    let [tiles] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((&*tiles["items"], &*tiles["n"]), ("tiles", "100"));
    // Meadows with an income are worth far more than those with a swap.
    assert!(number(tiles, "win_rate") > number(tiles, "reverse_win_rate") + 0.1, "{tiles:?}");
    assert_eq!(tiles["worth"], "informs");
    assert!(folder.read("out/report.html").contains("Rankings put to the test"));
    let alone = "balance ablate --bots balanced --item w2c1 --games 1000 --out alone";
    assert!(!folder.succeeds(alone).contains("Rankings"));
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
        for name in ["plans.csv", "rankings.csv"] {
            assert!(!files.contains(&name.to_owned()), "{flags}");
        }
    }
}
