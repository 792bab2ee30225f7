//! `watershed balance restrict`: restrictions with known effects.

use std::collections::BTreeMap;

use watershed::{
    arena::restrict::{RestrictTally, RestrictionTally},
    report::provenance::Claim,
    run::lineups::LineupResult,
    study::restrict::analysis::RestrictAnalysis,
};

use crate::support::{Folder, Row, find_row, number, read_rows};

#[test]
fn a_restriction_costs_its_known_loss() {
    let folder = Folder::new();
    let text = folder.balance(
        "plans",
        "restrict --bot expert --never build --always building:w3c2s2 --games 600",
    );
    let rows = folder.rows("plans/restricted.csv");
    let row = |restriction: &str, metric: &str| {
        find_row(&rows, &[("restriction", restriction), ("metric", metric)])
    };
    assert!(number(row("never build", "score"), "difference_ci_high") < -5.0, "{text}");
    assert!(number(row("never build", "win_share"), "difference_ci_high") < -0.25, "{text}");
    assert_eq!(row("never build", "score")["n"], "600");
    assert_eq!(
        row("all together", "score")["difference"],
        row("never build", "score")["difference"],
        "a forbidden building can't be preferred"
    );

    folder.balance("nothing", "restrict --bot random --never pay --games 50");
    let rows = folder.rows("nothing/restricted.csv");
    for row in &rows {
        assert!(
            number(row, "difference") == 0.0
                && row["binding_decisions"] == "0"
                && row["flag"] == "constant",
            "{row:?}"
        );
        assert!(row["p"].is_empty() && row["p_holm"].is_empty(), "{row:?}");
        // Win shares differ by at most 1, so that 25 equal blocks bound the difference. Scores are
        // unbounded.
        let ends = ["difference_ci_low", "difference_ci_high"].map(|end| row[end].clone());
        let limit = 1.0 - 0.05_f64.powf(1.0 / 25.0);
        let expected = if row["metric"] == "win_share" {
            [-limit, limit].map(|end| format!("{end:.6}"))
        } else {
            Default::default()
        };
        assert_eq!(ends, expected, "{row:?}");
    }
}

#[test]
fn a_pair_of_which_one_contains_the_other_is_worth_less_together() {
    let folder = Folder::new();
    let arguments = "restrict --bot expert --pairs --never build --never building:w2c1s1 \
                     --never swap --games 100";
    let text = folder.balance("pairs", arguments);
    let restrictions = folder.rows("pairs/restricted.csv");
    let pairs = folder.rows("pairs/pairs.csv");
    assert_eq!(pairs.len(), 3 * 3, "three pairs, three metrics");
    for metric in ["win_share", "score"] {
        let effect = |restriction| {
            let key = [("restriction", restriction), ("metric", metric)];
            number(find_row(&restrictions, &key), "difference")
        };
        let interaction = |first, second| {
            let key = [("first", first), ("second", second), ("metric", metric)];
            number(find_row(&pairs, &key), "interaction")
        };
        // Who never builds does not miss one building: together they are worth what the first one
        // is worth.
        assert!(
            (interaction("build", "building:w2c1s1") + effect("never building:w2c1s1")).abs()
                < 2e-6
        );
        let key = [("first", "build"), ("second", "swap"), ("metric", metric)];
        let both = number(find_row(&pairs, &key), "both");
        let apart = effect("never build") + effect("never swap");
        assert!((interaction("build", "swap") - (both - apart)).abs() < 3e-6, "{text}");
    }
}

#[test]
fn a_panel_equals_separate_runs_of_its_bots() {
    let folder = Folder::new();
    let rows = |out: &str, bots: &str| {
        folder.balance(out, &format!("restrict --never swap --always build --games 100 {bots}"));
        let rows = folder.rows(format!("{out}/restricted.csv")).into_iter();
        let key = |row: &Row| ["lineup", "metric", "restriction"].map(|column| row[column].clone());
        rows.map(|row| (key(&row), row)).collect()
    };
    let panel: BTreeMap<_, _> = rows("panel", "--panel random,balanced");
    let alone = [rows("random", "--bot random"), rows("balanced", "--bot balanced")];
    assert!(alone.iter().all(|rows| rows.len() == 9));
    let alone: BTreeMap<_, _> = alone.into_iter().flatten().collect();
    assert_eq!(panel.len(), alone.len());
    for (key, row) in &alone {
        assert!(
            row.iter().all(|(column, value)| column == "flag" || *value == panel[key][column]),
            "{row:?} {:?}",
            panel[key]
        );
    }
    let page = folder.read("panel/report.html");
    for bot in ["random", "balanced"] {
        assert!(page.contains(&format!("All restrictions: score, by {bot}")), "{bot}");
    }
}

#[test]
fn a_restriction_that_changes_sign_between_bots_is_flagged() {
    let result = |bot: &str, change: i64| {
        let mut restriction =
            RestrictionTally { binding_decisions: 1, ..RestrictionTally::default() };
        for sums in &mut restriction.sums {
            (0..30).for_each(|block| sums.add_block((2, 10), (2, 10 + change * (1 + block % 2))));
        }
        let restrictions = vec![restriction];
        let tally = RestrictTally { blocks: 30, restrictions, ..RestrictTally::default() };
        LineupResult { lineup: bot.to_owned(), bots: vec![bot.to_owned()], elo: None, tally }
    };
    let names = ["never swap".to_owned()];
    let flags = |results: &[LineupResult<RestrictTally>]| -> Vec<String> {
        let analysis = RestrictAnalysis::new(&names, results);
        let table = analysis.table(&Claim::new("invented"));
        let rows = read_rows(&String::from_utf8(table.csv()).unwrap());
        rows.into_iter()
            .filter(|row| row["metric"] == "score")
            .map(|row| row["flag"].clone())
            .collect()
    };
    assert_eq!(
        flags(&[result("one", 3), result("two", -3), result("three", 0)]),
        ["flips", "flips", "constant"]
    );
    assert_eq!(flags(&[result("one", 3), result("two", 2)]), ["", ""]);
}
