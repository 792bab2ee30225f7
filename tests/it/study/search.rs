//! `watershed balance search`: broken data files are repaired, and others are left alone.

use crate::support::{Folder, find_row, number};

/// A data file in which the owners of `w2c1` win far more often than those of other buildings.
fn folder_with_strong_building() -> Folder {
    let folder = Folder::new();
    let building = "id = \"w2c1\"\ncost = { wood = 2, clay = 1 }\npoints = ";
    let [old, new] = ["4", "9"].map(|points| format!("{building}{points}"));
    folder.copy_with("configs/the_river.toml", "strong.toml", &old, &new);
    let goals = ["w2c1", "w2s1", "c3"].map(|id| format!("[item.{id}]\nwin_rate = [0.45, 0.62]\n"));
    folder.write("goals.toml", goals.concat());
    folder
}

/// Keys and goals of that data file.
const SEARCH: &str = "search --games 1600 --goal goals.toml --keys \
                      building.w2c1.points+=-5,-3,-1,building.w2s1.points+=-1..1 --keys \
                      building.c3.points+=-1..1";

#[test]
fn a_planted_value_is_found_and_its_repair_is_written() {
    let folder = folder_with_strong_building();
    for seed in 3..=4 {
        let out = format!("out{seed}");
        let text = folder
            .balance(&out, &format!("{SEARCH} --bots balanced --config strong.toml --seed {seed}"));
        let rows = folder.rows(format!("{out}/edits.csv"));
        let best = find_row(&rows, &[("deals", "sealed"), ("edit_count", "1")]);
        assert!(best["edits"].starts_with("building.w2c1.points 9 → "), "{best:?}\n{text}");
        assert!(number(best, "distance") < 0.5, "{best:?}");
        let file = find_row(&rows, &[("deals", "sealed"), ("edit_count", "0")]);
        assert!(number(file, "distance") > 0.8, "{file:?}");
        if seed == 3 {
            assert!(
                text.contains("1 edit (building.w2c1.points 9 → 4) meets all 3 goals"),
                "{text}"
            );
            let proposal = folder.read("out3/proposal.toml");
            let mark = "points = 4  # R  9 → 4 by watershed balance search";
            assert!(proposal == folder.read("strong.toml").replacen("points = 9", mark, 1));
            folder.succeeds("data check out3/proposal.toml");
            let goals = folder.rows("out3/goals.csv");
            let [before, after] = ["as it is", "building.w2c1.points 9 → 4"]
                .map(|edits| find_row(&goals, &[("edits", edits), ("goal", "item.w2c1.win_rate")]));
            assert_eq!(before["verdict"], "missed");
            assert_ne!(after["verdict"], "missed");
            assert!(number(before, "figure") > 0.75 && number(after, "figure") < 0.64);
            assert!(folder.read("out3/report.html").contains("meets all 3 goals"));
        }
    }
}

#[test]
fn nothing_is_proposed_for_a_file_that_meets_the_goals() {
    let folder = folder_with_strong_building();
    for seed in 1..=2 {
        let text =
            folder.balance("out", &format!("{SEARCH} --bots balanced --seed {seed} --force"));
        assert!(text.contains("Nothing to change"), "{seed}: {text}");
        assert!(!folder.path("out/proposal.toml").exists());
    }
}

#[test]
fn goals_out_of_reach_are_an_answer() {
    let folder = Folder::new();
    // The header of a data file may stand above the figures of the game.
    let goals = "[targets]\nrounds = { range = [9, 10], weight = 2 }\nshared_wins = [0, 1]\n";
    folder.write("goals.toml", goals);
    let command = "balance search --goal goals.toml --keys building.*.points+=1 --bots balanced \
                   --max-edits 2 --games 320 --quiet --out out";
    let (text, _) = folder.exits_with(1, command);
    assert!(text.contains(" of at most 2 edits that the search tried meets both goals"), "{text}");
    assert!(text.contains("sets of edits on sealed deals"), "{text}");
    assert!(!folder.path("out/proposal.toml").exists());
    let rows = folder.rows("out/edits.csv");
    let raced = rows.iter().filter(|row| row["deals"] == "race");
    assert!(raced.clone().any(|row| row["edit_count"] == "2"));
    assert!(raced.filter(|row| row["edit_count"] == "1").count() == 33);
}

#[test]
fn access_within_a_family_is_a_goal() {
    let folder = Folder::new();
    folder.write("goals.toml", "[family.effects]\naccess_difference = [-0.001, 0.001]\n");
    let keys =
        ["wood", "clay", "stone"].map(|kind| format!("tile.meadow_income_{kind}.effect.points"));
    let search = format!("balance search --keys {}=0 --bots balanced", keys.join("+"));
    let command = format!("{search} --goal goals.toml --games 320 --quiet --out out");
    let (text, _) = folder.exits_with(1, &command);
    assert!(text.contains("meets all 4 goals"), "{text}");
    let goals = folder.rows("out/goals.csv");
    let goal = |edits: &str| {
        let goal = "item.effect:income.access_difference";
        let row = find_row(&goals, &[("edit_count", edits), ("goal", goal)]);
        number(row, "figure")
    };
    // Their points are what these tiles are worth.
    assert!(goal("0") > goal("1"), "{goals:?}");
}

#[test]
fn targets_of_the_data_file_are_the_default_goals() {
    let folder = Folder::new();
    let text = std::fs::read_to_string("configs/the_river.toml").unwrap();
    folder.write("aimed.toml", text + "\n[targets]\nrounds = [4, 6]\n");
    let search = "balance search --keys building.w2.points=1..3 --bots balanced --games 80";
    let text = folder.succeeds(&format!("{search} --config aimed.toml --quiet --out out"));
    assert!(text.contains("Nothing to change") && text.contains("goal 4 to 6"), "{text}");
}
