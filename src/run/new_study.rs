//! The beginning of a study: in a new folder, or after the blocks that a folder holds.

use anyhow::{bail, ensure, format_err};
use rayon::ThreadPool;
use serde_json::{Map, Value};

use super::{
    arguments::OutputArguments,
    command::RepeatCommand,
    files::RunFolder,
    growing_files::{GrowingFileKind, GrowingFiles, NewFile},
    manifest::RunIdentity,
    parts::PartArguments,
    sealed,
    study_checkpoint::{StudyCheckpoint, StudySetup},
    study_run::{EarlierBlocks, StudyRun},
};
use crate::{
    arena::schedule::Shard,
    config::{ConfigError, Document},
    report::{origin::BotDescription, terminal::print_info},
};

/// A study that is about to begin.
pub(crate) struct NewStudy<'a> {
    /// The command that repeats the whole study, as it was given.
    pub(crate) command: &'a RepeatCommand,
    pub(crate) identity: RunIdentity,
    pub(crate) documents: &'a [&'a Document],
    pub(crate) bots: &'a [BotDescription],
    /// Largest number of blocks of a lineup.
    pub(crate) max_blocks: u64,
    /// True if the blocks of fewer games are the first ones of more games. Then the folder keeps
    /// the sums of a finished study, so that it can grow.
    pub(crate) grows: bool,
    pub(crate) extras: StudyExtras<'a>,
}

/// The parts of a new study that few studies have.
#[derive(Default)]
pub(crate) struct StudyExtras<'a> {
    /// The files to which the study appends.
    pub(crate) files: Vec<NewFile>,
    /// Settings that the command does not have, by their flags.
    pub(crate) outputs: Map<String, Value>,
    /// True if a finished study is opened again, because it may do more work of its own.
    pub(crate) reopens: bool,
    /// The data file of a study that may be resumed after a change of its names and comments.
    pub(crate) data: Option<&'a Document>,
}

impl NewStudy<'_> {
    /// Opens the folder of a study, or continues the one that the folder holds. Returns `None` if
    /// that one is finished, after a message.
    ///
    /// # Errors
    /// If the folder holds another run, a file of the study can't be created, or there are more
    /// shards than blocks.
    pub(crate) fn open<'a>(
        self,
        output: &'a OutputArguments,
        parts: &PartArguments,
        folder: &RunFolder,
        pool: &'a ThreadPool,
    ) -> anyhow::Result<Option<StudyRun<'a>>> {
        let Self { max_blocks, ref extras, .. } = self;
        if let Some(shard) = parts.shard.filter(|shard| shard.count > max_blocks) {
            bail!(
                "--shard: expected at most {max_blocks} shards for {max_blocks} blocks, found \
                 {shard}"
            );
        }
        let command = self.command.with_identity(&self.identity);
        let setup = self.setup(&command, parts.shard)?;
        let (saved, earlier) = match self.find_study(parts, folder, &setup)? {
            ExistingStudy::None => (None, None),
            ExistingStudy::Blocks(saved, earlier) => (Some(saved), earlier),
            ExistingStudy::Finished => {
                if !output.run.quiet {
                    let out = output.folder().display();
                    print_info(&format!("{out}: holds this run, and it is finished"));
                }
                return Ok(None);
            }
        };
        let files = match &saved {
            Some(saved) if parts.merged.is_none() => {
                let files = GrowingFiles::resume(folder, &saved.files)?;
                folder.remove_run()?;
                files
            }
            _ => {
                if parts.resume {
                    let is_interrupted = folder.holds_interrupted_run();
                    folder.ensure_writable(output.out.is_none() || is_interrupted)?;
                }
                let mut files = GrowingFiles::create(folder, &extras.files, output.force)?;
                if let Some(shards) = &parts.merged {
                    files.append_shards(&extras.files, &shards.folders)?;
                }
                files
            }
        };
        let is_new = saved.is_none();
        let data = extras.data.map(|document| document.text.clone());
        let checkpoint = saved.map_or_else(|| StudyCheckpoint::new(setup, data), |saved| *saved);
        let command = command.with("--shard", parts.shard);
        let folder = folder.clone();
        let mut study = StudyRun::new(output, pool, folder, command, checkpoint, files, earlier);
        study.grows = self.grows || self.extras.reopens;
        if is_new && study.files.has_named_file() {
            // From now on existing files are known to belong to this study.
            study.save()?;
        }
        Ok(Some(study))
    }

    /// Returns everything that decides the results.
    fn setup(
        &self,
        command: &RepeatCommand,
        shard: Option<Shard>,
    ) -> Result<StudySetup, ConfigError> {
        let extras = &self.extras;
        let documents = self.documents.iter().map(|document| Ok(document.sha256()));
        let values = extras.data.iter().map(|document| document.values_sha256());
        let bots = self.bots.iter().map(|bot| (bot.name.clone(), bot.sha256.clone()));
        Ok(StudySetup {
            kind: command.kind().to_owned(),
            arguments: command.arguments(),
            identity: self.identity.clone(),
            outputs: extras.outputs.clone(),
            data_sha256: documents.chain(values).collect::<Result<_, _>>()?,
            bots: bots.collect(),
            shard,
        })
    }

    /// Returns the part of a study that was played before: its shards, or what its folder holds if
    /// it is resumed.
    ///
    /// # Errors
    /// If it is another study.
    fn find_study(
        &self,
        parts: &PartArguments,
        folder: &RunFolder,
        requested: &StudySetup,
    ) -> anyhow::Result<ExistingStudy> {
        if let Some(shards) = &parts.merged {
            let checkpoint = shards.checkpoint.clone();
            if let Some(difference) = requested.first_difference(&checkpoint.setup) {
                bail!(
                    "the shards were played with other files than their command names here: their \
                     {difference}"
                );
            }
            return Ok(ExistingStudy::Blocks(Box::new(checkpoint), Some(EarlierBlocks::Shards)));
        }
        if !parts.resume {
            return Ok(ExistingStudy::None);
        }
        let name = folder.path().display();
        let ensure_same = |found: &StudySetup| match requested.first_difference(found) {
            None => Ok(()),
            Some(difference) => bail!(
                "{name}: holds another run: its {difference}; expected another folder, or --force \
                 instead of --resume"
            ),
        };
        let saved = StudyCheckpoint::read(folder.path())
            .map_err(|error| format_err!("{error}; --force instead of --resume starts again"))?;
        let has_fewer_games =
            |saved: &StudyCheckpoint| self.grows && saved.has_fewer_games(requested);
        if let Some(mut saved) = saved.clone().filter(has_fewer_games) {
            saved.setup = requested.clone();
            let earlier = Some(EarlierBlocks::FewerGames);
            return Ok(ExistingStudy::Blocks(Box::new(saved), earlier));
        }
        if let Some(saved) = &saved {
            ensure_same(&saved.setup)?;
        }
        let manifest = StudySetup::read_manifest(folder.path(), requested);
        let finished = manifest.and_then(|(setup, complete)| complete.then_some(setup));
        match (saved, finished) {
            (Some(saved), finished)
                if finished.is_none() || !saved.complete || self.extras.reopens =>
            {
                Ok(ExistingStudy::Blocks(Box::new(saved), None))
            }
            (_, None) => Ok(ExistingStudy::None),
            (saved, Some(finished)) => {
                ensure_same(&finished)?;
                self.extras.files.iter().try_for_each(ensure_exists)?;
                if saved.is_some() && parts.shard.is_none() && !self.grows {
                    // The run was killed before it removed its checkpoint.
                    folder.remove(sealed::FILE)?;
                }
                Ok(ExistingStudy::Finished)
            }
        }
    }
}

/// The part of a study that was played before.
enum ExistingStudy {
    None,
    /// Some blocks, which may be all.
    Blocks(Box<StudyCheckpoint>, Option<EarlierBlocks>),
    Finished,
}

/// Ensures that a file that a user names exists.
fn ensure_exists(file: &NewFile) -> anyhow::Result<()> {
    if let GrowingFileKind::Named(path) = &file.kind {
        ensure!(
            path.exists(),
            "{}: does not exist, although the run is finished; --force instead of --resume plays \
             it again",
            path.display()
        );
    }
    Ok(())
}
