//! The commands: one module for each, from its arguments to its page.

use crate::report::{data_table::Schema, screen};

pub mod ablate;
pub(crate) mod analyze;
pub(crate) mod bench;
pub mod calibrate;
pub(crate) mod compare;
pub(crate) mod data;
pub(crate) mod engine;
pub(crate) mod exploit;
pub(crate) mod list;
pub(crate) mod loss;
pub(crate) mod matches;
pub(crate) mod merge;
pub(crate) mod openings;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod power;
pub(crate) mod puzzles;
pub(crate) mod replay;
pub(crate) mod report;
pub mod restrict;
pub(crate) mod search;
pub(crate) mod serve;
pub mod shared;
pub(crate) mod simulate;
pub(crate) mod sweep;
pub(crate) mod train;
pub(crate) mod tune;
pub mod turn_order;
pub(crate) mod verify;

/// Returns the tables of each command that writes tables. All studies that plan their games end
/// with a screen.
fn tables_by_command() -> Vec<(&'static str, Vec<Schema>)> {
    let mut tables = vec![
        ("simulate` and `merge", simulate::schemas()),
        ("match", matches::schemas()),
        ("calibrate", calibrate::schemas()),
        ("loss", loss::schemas()),
        ("exploit", exploit::schemas()),
        ("balance compare", compare::schemas()),
        ("balance sweep", sweep::schemas()),
        ("balance restrict", restrict::schemas()),
        ("balance turn-order", turn_order::schemas()),
        ("balance power", power::schemas()),
        ("balance ablate", ablate::schemas()),
        ("balance search", search::schemas()),
        ("tune", tune::schemas()),
        ("train", train::schemas()),
        ("openings grow", openings::schemas()),
    ];
    let judging = ["simulate", "balance compare", "balance sweep", "balance ablate"];
    for (command, schemas) in &mut tables {
        if judging.iter().any(|name| command.starts_with(name)) {
            schemas.insert(0, screen::schema());
        }
    }
    tables
}

/// Returns the names of the files that commands write to their folders, besides those of every run
/// and the tables of items.
pub(crate) fn file_names() -> Vec<String> {
    let tables = tables_by_command().into_iter().flat_map(|(_, schemas)| schemas);
    let others = [
        ablate::remedy::FILE,
        exploit::PROFILE,
        exploit::WEIGHTS,
        openings::file::FILE,
        openings::file::EXAMPLES,
        search::PROPOSAL,
        search::NEAREST,
        tune::BEST,
    ]
    .map(str::to_owned);
    tables.map(|schema| schema.file_name()).chain(others).collect()
}

/// Returns the reference of all columns of all tables, as Markdown.
pub fn table_reference() -> String {
    let commands = tables_by_command().into_iter().map(|(command, schemas)| {
        let tables: Vec<_> = schemas.iter().map(Schema::markdown).collect();
        format!("## `{command}`\n\n{}", tables.join("\n"))
    });
    commands.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
mod tests {
    use std::{env, fs, path::Path};

    use super::*;

    const MARKERS: [&str; 2] = ["<!-- begin tables -->\n", "<!-- end tables -->"];

    /// Set the environment variable `UPDATE_DOCS` to write the reference.
    #[test]
    fn reference_of_columns_is_up_to_date() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/output.md");
        let text = fs::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once(MARKERS[0]).unwrap();
        let (found, tail) = rest.split_once(MARKERS[1]).unwrap();
        let expected = format!("\n{}\n", table_reference());
        if env::var_os("UPDATE_DOCS").is_some() {
            let [begin, end] = MARKERS;
            fs::write(&path, format!("{head}{begin}{expected}{end}{tail}")).unwrap();
        } else {
            assert!(found == expected, "docs/output.md is outdated: run with UPDATE_DOCS=1");
        }
    }
}
