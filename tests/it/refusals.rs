//! The messages of commands that are refused: the table in `tests/refusals.txt`.
//!
//! Below a heading, a line `$ COMMAND` has its message in the next line, in which `…` stands for
//! any text. A list in JSON writes a file, as in `["e.toml", "games = 0"]`, or copies one with a
//! text replaced, as in `["a.toml", "configs/the_river.toml", "copies = 12", "copies = 11"]`; the
//! file that is copied may be of a command before. A line `! COMMAND` succeeds.
//!
//! Set the environment variable `UPDATE_SNAPSHOTS` to write the messages that differ.

use std::{env, fmt::Write as _, fs};

use crate::support::Folder;

const TABLE: &str = "tests/refusals.txt";

#[test]
fn commands_are_refused_with_the_messages_of_the_table() {
    let table = fs::read_to_string(TABLE).unwrap();
    let sections = table.split_inclusive("\n\n").map(with_messages);
    let found: String = sections.collect();
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(TABLE, found).unwrap();
        return;
    }
    for (found, expected) in found.lines().zip(table.lines()) {
        assert_eq!(found, expected, "if the change is intended, set UPDATE_SNAPSHOTS=1");
    }
    assert_eq!(found.lines().count(), table.lines().count());
}

/// Runs the commands of a section and returns it with their messages.
fn with_messages(section: &str) -> String {
    let folder = Folder::new();
    let mut found = String::new();
    let mut lines = section.lines().peekable();
    while let Some(line) = lines.next() {
        writeln!(found, "{line}").unwrap();
        if let Some(command) = line.strip_prefix('$') {
            let message = folder.refuses(command, &[]);
            let expected = lines.next_if(|line| line.starts_with("error: "));
            let expected = expected.filter(|expected| is_like(message.trim_end(), expected));
            writeln!(found, "{}", expected.unwrap_or(message.trim_end())).unwrap();
        } else if let Some(command) = line.strip_prefix('!') {
            folder.succeeds_quietly(command);
        } else if line.starts_with('[') {
            let words: Vec<String> = serde_json::from_str(line).unwrap();
            fs::create_dir_all(folder.path(&words[0]).parent().unwrap()).unwrap();
            match &words[..] {
                [name, content] => folder.write(name, content),
                [name, from, old, new] => {
                    let own = folder.path(from);
                    let from = if own.exists() { own.to_str().unwrap() } else { from };
                    folder.copy_with(from, name, old, new);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    found
}

/// Returns true if a text is the same as another in which `…` stands for any text.
fn is_like(text: &str, expected: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.is_empty() || expected.ends_with('…')
}
