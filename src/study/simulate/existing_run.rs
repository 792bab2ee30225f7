//! The run that an output folder holds, for `--resume`.

use std::path::Path;

use anyhow::{bail, format_err};

use crate::run::{
    append_file::FileEnd,
    checkpoint::{Checkpoint, GAMES},
    manifest::SavedManifest,
};

/// The part of the requested run that a folder holds.
pub(crate) enum ExistingRun {
    None,
    Interrupted(Box<Checkpoint>),
    Finished,
}

/// Returns the part of the requested run that a folder holds.
///
/// # Errors
/// If the folder holds another run.
pub(crate) fn find_existing_run(out: &Path, requested: &Checkpoint) -> anyhow::Result<ExistingRun> {
    let folder = out.display();
    let ensure_same = |found: &Checkpoint| match requested.first_difference(found) {
        None => Ok(()),
        Some(difference) => bail!(
            "{folder}: holds another run: its {difference}; expected another folder, or --force \
             instead of --resume"
        ),
    };
    let checkpoint = Checkpoint::read(out)
        .map_err(|error| format_err!("{error}; --force instead of --resume starts again"))?;
    if let Some(checkpoint) = &checkpoint {
        ensure_same(checkpoint)?;
        if !checkpoint.has_same_shape(requested) {
            bail!("{folder}: tally.json is of another game");
        }
    }
    let finished = SavedManifest::read(out).filter(|saved| saved.complete);
    match (checkpoint, finished) {
        (Some(checkpoint), finished) if finished.is_none() || !checkpoint.is_complete() => {
            Ok(ExistingRun::Interrupted(Box::new(checkpoint)))
        }
        (_, None) => Ok(ExistingRun::None),
        (_, Some(saved)) => {
            let games_csv = saved.files.iter().any(|file| file == GAMES).then(FileEnd::default);
            ensure_same(&Checkpoint { setup: saved.setup, games_csv, ..requested.clone() })?;
            match &requested.records {
                Some(records) if !Path::new(&records.file).exists() => bail!(
                    "{}: does not exist, although the run is finished; --force instead of --resume \
                     plays it again",
                    records.file
                ),
                _ => Ok(ExistingRun::Finished),
            }
        }
    }
}
