//! Deals by identity: the order of blocks in a data file has no effect, and an edit leaves the
//! deals of all other components.

use std::fs;

use crate::support::{Folder, find_row, number};

/// Returns a data file in which two blocks of a list, counted from 1, have changed places.
fn with_exchanged(file: &str, list: &str, [one, other]: [usize; 2]) -> String {
    let heading = format!("[[{list}]]\n");
    let mut blocks: Vec<_> = file.split(&heading).collect();
    blocks.swap(one, other);
    blocks.join(&heading)
}

#[test]
fn the_order_of_blocks_has_no_effect() {
    let folder = Folder::new();
    for (game, list, bots) in [
        ("the_river", "board", "balanced,random"),
        ("the_river", "tile", "balanced,random,random"),
        ("the_river", "building", "random-kind,random"),
        ("glassworks", "color", "balanced,random"),
        ("common_river", "weather", "balanced,random"),
        ("common_river", "role", "balanced,random,random"),
    ] {
        let file = fs::read_to_string(format!("configs/{game}.toml")).unwrap();
        folder.write("plain.toml", &file);
        folder.write("moved.toml", with_exchanged(&file, list, [1, 2]));
        let players = bots.split(',').count();
        let game = format!("--game {game} --players {players}");
        let run = |config: &str, out: &str| {
            format!(
                "simulate {game} --bots {bots} --games 30 --games-csv --quiet --config {config} \
                 --out {out}"
            )
        };
        folder.succeeds(&format!("{} --force", run("plain.toml", "plain")));
        folder.succeeds(&format!("{} --force", run("moved.toml", "moved")));
        let hash = |out: &str| folder.manifest(out)["data_sha256"].clone();
        assert_eq!(hash("plain"), hash("moved"), "{list}");
        let manifest = folder.manifest("plain");
        for table in manifest["columns"].as_object().unwrap().keys() {
            let [plain, moved] = ["plain", "moved"].map(|out| format!("{out}/{table}"));
            assert_eq!(folder.read(plain), folder.read(moved), "{list}: {table}");
        }
        folder.succeeds(&format!("{} --resume", run("moved.toml", "plain")));
        let compared = format!("balance compare plain.toml moved.toml {game} --out none");
        let text = folder.succeeds(&compared);
        assert_eq!(text, "plain.toml and moved.toml are the same game: nothing to compare\n");
        assert!(!folder.path("none").exists());
    }
}

#[test]
fn an_edit_leaves_the_deals_of_all_other_components() {
    let folder = Folder::new();
    let file = fs::read_to_string("configs/the_river.toml").unwrap();
    let dearer = file.replacen("cost = { wood = 2 }\n", "cost = { wood = 3 }\n", 1);
    folder.write("old.toml", &file);
    folder.write("edited.toml", &dearer);
    folder.write("moved.toml", with_exchanged(&dearer, "building", [1, 20]));
    let added = "[[building]]\nid = \"new\"\ncost = { wood = 2, stone = 2 }\npoints = 5\n";
    folder.write("added.toml", file + added);
    let compare = |new: &str| {
        let out = new.trim_end_matches(".toml");
        let games = "--bots balanced* --games 1500 --force";
        folder.balance(out, &format!("compare old.toml {new} {games}"));
        folder.read(format!("{out}/differences.csv"))
    };
    assert_eq!(compare("edited.toml"), compare("moved.toml"));
    compare("added.toml");
    let rows = folder.rows("added/differences.csv");
    let first = find_row(&rows, &[("metric", "win_share"), ("of", "turn position 0")]);
    let half_width =
        (number(first, "difference_ci_high") - number(first, "difference_ci_low")) / 2.0;
    // 1.1 percentage points with 6,000 deals; 1.5 if the new card changed the order of the others.
    assert!(half_width < 0.022, "{half_width}");
}
