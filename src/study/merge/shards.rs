//! The shards of a run in their folders, and the checks that they are all of one run.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};

use crate::{
    arena::schedule::Shard,
    config::{ConfigError, Document},
    identity::SOURCE_SHA256,
    run::{
        checkpoint::{Checkpoint, GAMES},
        files::lock_to_read,
        manifest::{self, SavedManifest},
        sealed,
        study_checkpoint::{StudyCheckpoint, StudySetup},
    },
};

/// The checkpoint of a shard.
pub(super) trait ShardCheckpoint: Sized {
    /// Reads the checkpoint in a folder; `None` if there is none.
    fn read(folder: &Path) -> Result<Option<Self>, ConfigError>;

    /// Returns the shard; `None` if the run is not divided.
    fn shard(&self) -> Option<Shard>;

    /// Returns the name of the command.
    fn command(&self) -> &str;

    /// Returns the SHA-256 of the sources of the program that played it.
    fn source_sha256(&self) -> &str;

    /// Returns the numbers of saved blocks and of all blocks.
    fn blocks(&self) -> [u64; 2];

    /// Returns true if all blocks were played.
    fn is_complete(&self) -> bool;

    /// Returns true if the manifest is of the same run, and true if it is complete; `None` if there
    /// is no manifest of this version.
    fn read_manifest(&self, folder: &Path) -> Option<[bool; 2]>;

    /// Checks that the data and the files beside the checkpoint are unchanged.
    fn ensure_unchanged(&self, folder: &Path) -> anyhow::Result<()>;

    /// Describes the first difference between the settings of the runs of two shards.
    fn first_difference(&self, other: &Self) -> Option<String>;
}

impl Checkpoint {
    /// Returns the checkpoint of the run of which this is a shard.
    pub(super) fn whole_run(&self) -> Self {
        let mut whole = Self { records: None, ..self.clone() };
        whole.setup.question.shard = None;
        whole
    }
}

impl ShardCheckpoint for Checkpoint {
    fn read(folder: &Path) -> Result<Option<Self>, ConfigError> {
        Self::read(folder)
    }

    fn shard(&self) -> Option<Shard> {
        self.setup.question.shard
    }

    fn command(&self) -> &str {
        crate::study::simulate::KIND
    }

    fn source_sha256(&self) -> &str {
        &self.setup.identity.build.source_sha256
    }

    fn blocks(&self) -> [u64; 2] {
        let blocks = self.setup.blocks();
        [self.tally.blocks, blocks.end - blocks.start]
    }

    fn is_complete(&self) -> bool {
        self.is_complete()
    }

    fn read_manifest(&self, folder: &Path) -> Option<[bool; 2]> {
        let saved = SavedManifest::read(folder)?;
        Some([saved.setup == self.setup, saved.complete])
    }

    fn ensure_unchanged(&self, folder: &Path) -> anyhow::Result<()> {
        let name = folder.display();
        let document = Document { name: String::new(), text: self.data.clone() };
        ensure!(
            document.sha256() == self.setup.question.data.config_sha256,
            "{name}: {} was changed: its data does not have the SHA-256 that it states",
            sealed::FILE
        );
        if let Some(end) = &self.games_csv {
            let is_unchanged = File::open(folder.join(GAMES)).and_then(|mut file| {
                Ok(file.metadata()?.len() == end.length && end.matches(&mut file)?)
            });
            ensure!(
                matches!(is_unchanged, Ok(true)),
                "{name}: {GAMES} was changed; expected the file as the run wrote it"
            );
        }
        Ok(())
    }

    fn first_difference(&self, other: &Self) -> Option<String> {
        self.whole_run().first_difference(&other.whole_run())
    }
}

impl ShardCheckpoint for StudyCheckpoint {
    fn read(folder: &Path) -> Result<Option<Self>, ConfigError> {
        Self::read(folder)
    }

    fn shard(&self) -> Option<Shard> {
        self.setup.shard
    }

    fn command(&self) -> &str {
        &self.setup.kind
    }

    fn source_sha256(&self) -> &str {
        &self.setup.identity.build.source_sha256
    }

    fn blocks(&self) -> [u64; 2] {
        let blocks = self.parts.iter().map(|part| [part.completed, part.end - part.start]);
        blocks.fold([0; 2], |sums, next| [sums[0] + next[0], sums[1] + next[1]])
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn read_manifest(&self, folder: &Path) -> Option<[bool; 2]> {
        let (setup, complete) = StudySetup::read_manifest(folder, &self.setup)?;
        Some([setup == self.setup, complete])
    }

    fn ensure_unchanged(&self, _folder: &Path) -> anyhow::Result<()> {
        Ok(())
    }

    fn first_difference(&self, other: &Self) -> Option<String> {
        let whole = |checkpoint: &Self| StudySetup { shard: None, ..checkpoint.setup.clone() };
        whole(self).first_difference(&whole(other))
    }
}

/// A shard of a run in its folder.
pub(super) struct SavedShard<C> {
    pub(super) folder: PathBuf,
    /// Keeps runs from writing to the folder.
    _lock: Option<File>,
    shard: Shard,
    pub(super) checkpoint: C,
}

impl<C: ShardCheckpoint> SavedShard<C> {
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
        let with_shard = |run: C| run.shard().map(|shard| (run, shard));
        let (checkpoint, shard) = C::read(folder)?.and_then(with_shard).with_context(|| {
            format!(
                "{name}: holds no shard of a run; expected the folder of a command with --shard, \
                 with its {}",
                sealed::FILE
            )
        })?;
        ensure!(
            checkpoint.source_sha256() == SOURCE_SHA256,
            "{name}: was played by another build, of the sources {}; expected the sources \
             {SOURCE_SHA256} of this build",
            checkpoint.source_sha256()
        );
        let command = checkpoint.command();
        let [completed, blocks] = checkpoint.blocks();
        ensure!(
            checkpoint.is_complete(),
            "{name}: is not complete: {completed} of {blocks} blocks are saved; continue with \
             `{command} --resume`"
        );
        let Some([is_same, is_complete]) = checkpoint.read_manifest(folder) else {
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
            is_same,
            "{name}: {} and {} are of different runs; expected those of one shard",
            manifest::FILE,
            sealed::FILE
        );
        checkpoint.ensure_unchanged(folder)?;
        Ok(Self { folder: folder.to_owned(), _lock: lock, shard, checkpoint })
    }
}

/// Checks that all shards are of the same run.
fn ensure_same_run<C: ShardCheckpoint>(shards: &[SavedShard<C>]) -> anyhow::Result<()> {
    let first = &shards[0];
    for other in &shards[1..] {
        let [name, first_name] = [other, first].map(|saved| saved.folder.display());
        if let Some(difference) = first.checkpoint.first_difference(&other.checkpoint) {
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

/// Checks that no shard is missing or given twice. The shards are in order.
fn ensure_all_shards<C>(shards: &[SavedShard<C>]) -> anyhow::Result<()> {
    for pair in shards.windows(2) {
        let [one, other] = [&pair[0], &pair[1]].map(|saved| saved.folder.display());
        let shard = pair[0].shard;
        ensure!(shard != pair[1].shard, "{one} and {other}: are the same shard, {shard}");
    }
    let count = shards[0].shard.count;
    let last = &shards[shards.len() - 1];
    let is_misplaced = |(saved, index): &(&SavedShard<C>, u64)| saved.shard.index != *index;
    let misplaced = shards.iter().zip(1..).find(is_misplaced);
    let missing =
        misplaced.or_else(|| (last.shard.index < count).then(|| (last, last.shard.index + 1)));
    if let Some((saved, index)) = missing {
        let name = saved.folder.display();
        bail!("{name}: is shard {}, and shard {index}/{count} is missing", saved.shard);
    }
    Ok(())
}
