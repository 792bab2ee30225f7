//! What a folder holds of a run, to go on with.

use std::path::Path;

use anyhow::{bail, format_err};

use crate::{
    run::{checkpoint::Progress, files::SavedEnd, manifest::Written},
    study::simulate::results::GAMES,
};

/// What a folder holds of the run that is asked for.
pub(crate) enum Earlier {
    /// Nothing, or nothing that is to be gone on with.
    None,
    /// Some of it.
    Interrupted(Box<Progress>),
    /// All of it.
    Finished,
}

/// Looks for a run to go on with.
///
/// # Errors
/// If there is one, and it is another than the one that is asked for.
pub(crate) fn earlier(out: &Path, asked: &Progress) -> anyhow::Result<Earlier> {
    let same = |earlier: &Progress| match asked.difference(earlier) {
        None => Ok(()),
        Some(difference) => {
            bail!("{}: holds another run: its {difference}; expected another folder, or --force in place of --resume", out.display())
        }
    };
    let progress = Progress::read(out).map_err(|error| format_err!("{error}; --force in place of --resume begins again"))?;
    if let Some(progress) = progress.as_ref() {
        same(progress)?;
        if !progress.tally.fits(&asked.tally) {
            bail!("{}: its tally is not of this game", out.display());
        }
    }
    let written = Written::read(out).filter(|written| written.complete);
    match (progress, written) {
        (Some(progress), written) if written.is_none() || !progress.is_complete() => Ok(Earlier::Interrupted(Box::new(progress))),
        (_, None) => Ok(Earlier::None),
        (_, Some(written)) => {
            let games_csv = written.files.iter().any(|file| file == GAMES).then(SavedEnd::default);
            same(&Progress { setup: written.setup, games_csv, ..asked.clone() })?;
            match &asked.records {
                Some(records) if !Path::new(&records.file).exists() => {
                    bail!("{}: does not exist, and the run is finished; --force in place of --resume plays it again", records.file)
                }
                _ => Ok(Earlier::Finished),
            }
        }
    }
}
