//! What a folder holds of a run, to go on with.

use std::path::Path;

use anyhow::{bail, format_err};

use crate::{
    run::{checkpoint::Checkpoint, files::FileEnd, manifest::SavedManifest},
    study::simulate::results::GAMES,
};

/// What a folder holds of the run that is asked for.
pub(crate) enum ExistingRun {
    /// Nothing, or nothing that is to be gone on with.
    None,
    /// Some of it.
    Interrupted(Box<Checkpoint>),
    /// All of it.
    Finished,
}

/// Looks for a run to go on with.
///
/// # Errors
/// If there is one, and it is another than the one that is asked for.
pub(crate) fn find_existing_run(out: &Path, asked: &Checkpoint) -> anyhow::Result<ExistingRun> {
    let same = |earlier: &Checkpoint| match asked.first_difference(earlier) {
        None => Ok(()),
        Some(difference) => {
            bail!(
                "{}: holds another run: its {difference}; expected another folder, or --force in \
                    place of --resume",
                out.display()
            )
        }
    };
    let progress = Checkpoint::read(out)
        .map_err(|error| format_err!("{error}; --force in place of --resume begins again"))?;
    if let Some(progress) = progress.as_ref() {
        same(progress)?;
        if !progress.tally.has_same_shape(&asked.tally) {
            bail!("{}: its tally is not of this game", out.display());
        }
    }
    let written = SavedManifest::read(out).filter(|written| written.complete);
    match (progress, written) {
        (Some(progress), written) if written.is_none() || !progress.is_complete() => {
            Ok(ExistingRun::Interrupted(Box::new(progress)))
        }
        (_, None) => Ok(ExistingRun::None),
        (_, Some(written)) => {
            let games_csv = written.files.iter().any(|file| file == GAMES).then(FileEnd::default);
            same(&Checkpoint { setup: written.setup, games_csv, ..asked.clone() })?;
            match &asked.records {
                Some(records) if !Path::new(&records.file).exists() => {
                    bail!(
                        "{}: does not exist, and the run is finished; --force in place of --resume \
                            plays it again",
                        records.file
                    )
                }
                _ => Ok(ExistingRun::Finished),
            }
        }
    }
}
