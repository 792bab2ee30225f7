//! `watershed report` and several numbers of players: pages of several runs.

use super::page::check_markup;
use crate::{
    run::resume::same_files,
    support::{Folder, find_row, number},
};

/// Returns a rate as pages show it.
fn percent(rate: f64) -> String {
    format!("{:.1} %", 100.0 * rate)
}

#[test]
fn a_page_of_several_runs_has_the_rates_of_each() {
    let folder = Folder::new();
    for (out, bot) in [("one", "balanced"), ("two", "random")] {
        folder.succeeds(&format!("simulate --bots {bot} --games 200 --quiet --out {out}"));
    }
    folder.succeeds("report one two --out both.html --quiet");
    let page = folder.read("both.html");
    check_markup(&page);
    for (out, bot) in [("one", "balanced"), ("two", "random")] {
        let order = folder.rows(format!("{out}/turn_order.csv"));
        let rate = number(find_row(&order, &[("turn_position", "0")]), "win_rate");
        assert!(page.contains(&percent(rate)), "{out}: {rate}");
        let figures = folder.rows(format!("{out}/figures.csv"));
        let figure = find_row(&figures, &[("item", "meadow_swap"), ("figure", "owners_win")]);
        assert!(page.contains(&format!("{:.1}", number(figure, "value"))), "{out}: {bot}");
        assert!(page.contains(&format!("href=\"{out}/report.html\"")), "{out}");
    }
    assert!(page.contains("A reconstruction, not the printed game."));
    folder.succeeds("report one --brief --out brief.html --quiet");
    check_markup(&folder.read("brief.html"));
}

#[test]
fn several_numbers_of_players_are_the_runs_of_each_side_by_side() {
    let folder = Folder::new();
    let arguments = "simulate --bots balanced --games 60 --seed 3 --quiet";
    let printed = folder.succeeds(&format!("{arguments} --players 2..3 --out all"));
    let resumed = folder.succeeds(&format!("{arguments} --players 2..3 --out all --resume"));
    assert_eq!(resumed, printed);
    assert_eq!(folder.files("all"), ["players_2", "players_3", "report.html"]);
    for players in [2, 3] {
        let single = format!("single_{players}");
        folder.succeeds(&format!("{arguments} --players {players} --out {single}"));
        let of_all = format!("all/players_{players}");
        same_files(&folder, &of_all, &single);
    }
    let page = folder.read("all/report.html");
    check_markup(&page);
    for players in [2, 3] {
        let order = folder.rows(format!("all/players_{players}/turn_order.csv"));
        let rate = number(find_row(&order, &[("turn_position", "0")]), "win_rate");
        assert!(page.contains(&percent(rate)), "{players}: {rate}");
        assert!(page.contains(&format!("{players} players")), "{players}");
    }
    assert!(page.contains("The first player wins "), "{page}");
    folder.refuses(&format!("{arguments} --players 2..3 --out all"), &["holds a finished run"]);
    folder.succeeds(&format!("{arguments} --players 2..3 --out all --force"));
    assert!(folder.read("all/report.html") == page);
}

#[test]
fn balance_studies_accept_several_numbers_of_players() {
    let folder = Folder::new();
    let out = "--bots balanced --quiet --out";
    let text = folder.succeeds(&format!("balance turn-order --players 2,4 --games 40 {out} order"));
    // The answers of all numbers of players fit on a screen, without their tables.
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for answer in ["the first of 2 players wins", "the first of 4 players wins"] {
        assert!(words.contains(answer), "{text}");
    }
    assert!(words.contains(" with 2 and ") && text.lines().count() <= 24, "{text}");
    let page = folder.read("order/report.html");
    check_markup(&page);
    for players in [2, 4] {
        let rows = folder.rows(format!("order/players_{players}/turn_positions.csv"));
        let rate = number(find_row(&rows, &[("turn_position", "0")]), "win_rate");
        assert!(page.contains(&percent(rate)), "{players}: {rate}");
    }
    folder.succeeds(&format!("balance ablate --only meadow --players 2..3 --games 10 {out} forks"));
    let page = folder.read("forks/report.html");
    check_markup(&page);
    let label = "One bot only</strong>; not checked with a stronger one.";
    assert_eq!(page.matches(label).count(), 1);
    assert!(page.contains("Meadow") && page.contains("3 players"));
}

#[test]
fn ladders_of_several_numbers_of_players_are_side_by_side() {
    let folder = Folder::new();
    let ladder = "match --mode ladder --bots random,balanced --games 60 --players 2..3";
    let text = folder.succeeds(&format!("{ladder} --quiet --out ladder"));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches("Against balanced, ").count(), 2, "{text}");
    let page = folder.read("ladder/report.html");
    check_markup(&page);
    for players in [2, 3] {
        let row = &folder.rows(format!("ladder/players_{players}/ladder.csv"))[0];
        assert!(page.contains(&percent(number(row, "upset_share"))), "{players}: {row:?}");
    }
}

#[test]
fn comparisons_of_a_family_leave_out_other_items() {
    let folder = Folder::new();
    let arguments = "sweep --key building.w2c1.cost.wood --values 1 --bots balanced --games 100";
    folder.balance("family", &format!("{arguments} --only meadow"));
    assert!(!folder.files("family").contains(&"effects.csv".to_owned()));
    let tiles = folder.rows("family/tiles.csv");
    assert!(tiles.iter().all(|row| row["tile"].starts_with("meadow")) && tiles.len() > 17);
    let buildings = folder.rows("family/buildings.csv");
    assert!(buildings.iter().all(|row| row["building"] == "w2c1"), "the edited item");
    folder.balance("all", arguments);
    let all = folder.rows("all/tiles.csv");
    let means = |rows: &[crate::support::Row]| -> Vec<String> {
        let meadows = rows.iter().filter(|row| row["tile"].starts_with("meadow"));
        meadows.map(|row| format!("{} {}", row["tile"], row["estimate"])).collect()
    };
    assert_eq!(means(&tiles), means(&all));
}
