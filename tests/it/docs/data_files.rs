//! The page on data files shows the messages and the numbers of marks of the program.

use std::fs;

use watershed::{games::built_in_games, report::provenance::Provenance};

use crate::support::Folder;

/// Returns the rows of the table whose heading begins with this text, without the backticks around
/// cells.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string("docs/data_files.md").unwrap();
    let (_, table) = page.split_once(&format!("\n{heading}")).unwrap();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches(['|', ' ']).split(" | ").map(plain).collect();
    lines.map(cells).collect()
}

fn plain(cell: &str) -> String {
    let quoted = |mark| cell.trim().strip_prefix(mark)?.strip_suffix(mark);
    let text = quoted("``").or_else(|| quoted("`")).unwrap_or(cell);
    text.trim().to_owned()
}

#[test]
fn the_page_shows_the_messages_about_changed_files() {
    let rows = rows("| file | text |");
    assert!(rows.len() > 10);
    for row in rows {
        let [game, text, changed, message] = &row[..] else { panic!("{row:?}") };
        let folder = Folder::new();
        folder.copy_with(&format!("configs/{game}.toml"), "mine.toml", text, changed);
        let run = format!("simulate --game {game} --config mine.toml --bots random --games 2");
        let output = folder.run(&run);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(printed.lines().any(|line| line == message), "{changed}: {printed}");
        assert_eq!(output.status.code() == Some(2), message.starts_with("error: "), "{changed}");
    }
}

#[test]
fn the_page_shows_the_messages_about_keys_and_values() {
    let rows = rows("| flags of `balance sweep` |");
    assert!(rows.len() > 5);
    for row in rows {
        let [flags, message] = &row[..] else { panic!("{row:?}") };
        let output = Folder::new().run(&format!("balance sweep {flags}"));
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), printed.trim_end()), (Some(2), &message[..]), "{flags}");
    }
}

#[test]
fn the_page_counts_the_values_by_mark() {
    let rows = rows("| game | values |");
    assert_eq!(rows.len(), built_in_games().all().len());
    for (row, game) in rows.iter().zip(built_in_games().all()) {
        let provenance = Provenance::read(&game.default_document().text);
        let total = provenance.marked_values() + provenance.unmarked_values;
        let counts: Vec<u64> = [total]
            .into_iter()
            .chain(provenance.values_by_mark)
            .chain([provenance.unmarked_values])
            .collect();
        let shown: Vec<u64> = row[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(shown, counts, "{game:?}");
    }
}
