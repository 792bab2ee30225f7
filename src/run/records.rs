//! Files of records, with warnings.

use std::{collections::BTreeSet, path::Path};

use anyhow::anyhow;

use crate::{
    arena::record::{self, Record},
    config::ConfigError,
    report::terminal::print_info,
};

/// Reads the records of a file one by one, as [`record::read_records`]. A warning names fields that
/// are ignored.
///
/// # Errors
/// As [`record::read_records`].
pub(crate) fn read_records(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Record, ConfigError>>, ConfigError> {
    let name = path.display().to_string();
    let mut known = BTreeSet::new();
    Ok(record::read_records(path)?.inspect(move |record| {
        let fields = record.iter().flat_map(|record| &record.unknown_fields);
        let new: Vec<_> = fields.filter(|field| known.insert((*field).clone())).collect();
        if !new.is_empty() {
            let fields = new.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>();
            print_info(&format!(
                "warning: {name}: unknown fields are ignored: {}",
                fields.join(", ")
            ));
        }
    }))
}

/// Reads the game with this index in its run from a file of records, or the first game of the file.
/// `flag` is the one that names the file.
///
/// # Errors
/// If the file can't be read or has no such game.
pub(crate) fn read_recorded_game(
    path: &Path,
    index: Option<u64>,
    flag: Option<&str>,
) -> anyhow::Result<Record> {
    let wanted = |record: &Record| index.is_none_or(|index| record.index == index);
    let mut records = read_records(path)?;
    let found = records.find(|record| record.as_ref().map_or(true, wanted)).transpose()?;
    found.ok_or_else(|| no_game(path, index, flag))
}

/// Returns the error that a file has no game, or none with this index.
pub(crate) fn no_game(path: &Path, index: Option<u64>, flag: Option<&str>) -> anyhow::Error {
    let file = path.display();
    match (index, flag) {
        (Some(index), _) => anyhow!("--game-index: {file} has no game {index}"),
        (None, Some(flag)) => anyhow!("{flag}: {file} has no game"),
        (None, None) => anyhow!("{file}: has no game"),
    }
}
