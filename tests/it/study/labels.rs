//! Names of items for people: those of the data file and those made of properties.

use crate::support::{Folder, find_row};

/// Writes the default data of The River with a name for the meadow that swaps.
fn named_meadow(folder: &Folder, name: &str) {
    let id = "id = \"meadow_swap\"";
    folder.copy_with("configs/the_river.toml", "mine.toml", id, &format!("{id}\nname = {name}"));
}

#[test]
fn a_name_is_shown_to_people_and_does_not_affect_play() {
    let folder = Folder::new();
    named_meadow(&folder, "\"Blooming <meadow> & more\"");
    folder.copy("configs/the_river.toml", "plain.toml");
    let arguments = "--bots balanced --games 200 --force --quiet --out";
    folder.succeeds(&format!("simulate --config plain.toml {arguments} plain"));
    folder.succeeds(&format!("simulate --config mine.toml {arguments} named"));
    let [plain, named] = ["plain", "named"].map(|out| folder.rows(format!("{out}/tiles.csv")));
    let of = |rows: &[_], column: &str| find_row(rows, &[("tile", "meadow_swap")])[column].clone();
    assert_eq!(of(&plain, "label"), "Meadow: 2 swaps");
    assert_eq!(of(&named, "label"), "Blooming <meadow> & more");
    for (plain, named) in plain.iter().zip(&named) {
        assert!(plain.iter().all(|(column, value)| column == "label" || named[column] == *value));
    }
    let page = folder.read("named/report.html");
    assert!(page.contains("Blooming &lt;meadow&gt; &amp; more"), "escaped");
    assert!(!page.contains("Blooming <meadow>"));
    // A network knows its data by the values that affect play.
    let hash = |out: &str| folder.manifest(out)["data_sha256"].as_str().unwrap().to_owned();
    assert_eq!(hash("plain"), hash("named"));
}
