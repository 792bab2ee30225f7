//! `watershed balance restrict`: restrictions with known effects.

use crate::support::{Folder, find_row, number};

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
