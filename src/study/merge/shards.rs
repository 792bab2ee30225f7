//! The shards of a run in their folders, and the checks that they are all of one run.

use std::fs::File;

use crate::{
    identity::SOURCE_SHA256,
    run::{
        files::lock_to_read,
        manifest, sealed,
        study_checkpoint::{StudyCheckpoint, StudySetup},
    },
    study::shared::prelude::*,
};

/// A shard of a run in its folder.
pub(super) struct SavedShard {
    pub(super) folder: PathBuf,
    /// Keeps runs from writing to the folder.
    _lock: Option<File>,
    pub(super) shard: Shard,
    pub(super) checkpoint: StudyCheckpoint,
}

impl SavedShard {
    /// Reads all shards of a run, in their order.
    ///
    /// # Errors
    /// If one is not complete, was changed, is missing or given twice, or is of another run.
    pub(super) fn read_all(folders: &[PathBuf]) -> anyhow::Result<Vec<Self>> {
        let read = |folder: &PathBuf| Self::read(folder);
        let mut shards = folders.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        ensure_same_run(&shards)?;
        shards.sort_by_key(|saved| saved.shard.index);
        ensure_all_shards(&shards)?;
        Ok(shards)
    }

    /// Reads a shard.
    ///
    /// # Errors
    /// If it is not complete, was changed, or was played by another build.
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let name = folder.display();
        let lock = lock_to_read(folder)?;
        let with_shard = |run: StudyCheckpoint| run.setup.shard.map(|shard| (run, shard));
        let saved = StudyCheckpoint::read(folder)?.and_then(with_shard);
        let (checkpoint, shard) = saved.with_context(|| {
            format!(
                "{name}: holds no shard of a run; expected the folder of a command with --shard, \
                 with its {}",
                sealed::FILE
            )
        })?;
        let setup = &checkpoint.setup;
        let (command, played_by) = (&setup.kind, &setup.identity.build.source_sha256);
        ensure!(
            played_by == SOURCE_SHA256,
            "{name}: was played by another build, of the sources {played_by}; expected the sources \
             {SOURCE_SHA256} of this build"
        );
        let [completed, blocks] = checkpoint.blocks();
        ensure!(
            checkpoint.complete,
            "{name}: is not complete: {completed} of {blocks} blocks are saved; continue with \
             `{command} --resume`"
        );
        let Some((of_manifest, is_complete)) = StudySetup::read_manifest(folder, setup) else {
            bail!(
                "{name}: has no {} of this version; `{command} --resume` writes it",
                manifest::FILE
            );
        };
        ensure!(
            is_complete,
            "{name}: is not complete according to its {}; continue with `{command} --resume`",
            manifest::FILE
        );
        ensure!(
            of_manifest == *setup,
            "{name}: {} and {} are of different runs; expected those of one shard",
            manifest::FILE,
            sealed::FILE
        );
        let mut tables = checkpoint.files.iter().filter(|file| file.is_table());
        if let Some(table) = tables.find(|table| !table.is_unchanged(folder)) {
            bail!("{name}: {} was changed; expected the file as the run wrote it", table.key);
        }
        Ok(Self { folder: folder.to_owned(), _lock: lock, shard, checkpoint })
    }
}

/// Checks that all shards are of the same run.
fn ensure_same_run(shards: &[SavedShard]) -> anyhow::Result<()> {
    let first = &shards[0];
    for other in &shards[1..] {
        let [name, first_name] = [other, first].map(|saved| saved.folder.display());
        let [setup, of_first] = [other, first].map(|saved| saved.checkpoint.setup.whole_study());
        if let Some(difference) = of_first.first_difference(&setup) {
            bail!("{name}: is not a shard of the run of {first_name}: its {difference}");
        }
        ensure!(
            other.shard.count == first.shard.count,
            "{name}: is shard {}, and {first_name} is shard {}",
            other.shard,
            first.shard
        );
    }
    Ok(())
}

/// Checks that no shard is missing or given twice. The shards are in order. Those after a look may
/// be missing.
fn ensure_all_shards(shards: &[SavedShard]) -> anyhow::Result<()> {
    for pair in shards.windows(2) {
        let [one, other] = [&pair[0], &pair[1]].map(|saved| saved.folder.display());
        let shard = pair[0].shard;
        ensure!(shard != pair[1].shard, "{one} and {other}: are the same shard, {shard}");
    }
    let count = shards[0].shard.count;
    let looks = shards[0].checkpoint.setup.looks();
    let is_look = looks.is_some_and(|looks| shards.len().is_multiple_of((count / looks) as usize));
    let last = &shards[shards.len() - 1];
    let is_misplaced = |(saved, index): &(&SavedShard, u64)| saved.shard.index != *index;
    let misplaced = shards.iter().zip(1..).find(is_misplaced);
    let missing = misplaced
        .or_else(|| (last.shard.index < count && !is_look).then(|| (last, last.shard.index + 1)));
    if let Some((saved, index)) = missing {
        let name = saved.folder.display();
        bail!("{name}: is shard {}, and shard {index}/{count} is missing", saved.shard);
    }
    Ok(())
}
