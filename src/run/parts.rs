//! Flags that play a run in parts: interrupted and resumed, or in shards.

use std::path::Path;

use clap::Args;

use super::{
    arguments::OutputArguments,
    files::{RunFolder, lock_folder},
    study_checkpoint::{JoinedShards, StudyCheckpoint},
};
use crate::{arena::schedule::Shard, bound::BoundGame};

/// Flags that play a run in parts.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PartArguments {
    /// Continue the run in the output folder if it was interrupted; the results are the same
    #[arg(long, conflicts_with = "force")]
    pub(crate) resume: bool,
    /// Play shard I of N, from 1 to N; `watershed merge` joins all shards
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// The joined shards of the study, if they are merged.
    #[arg(skip)]
    pub(crate) merged: Option<JoinedShards>,
}

impl PartArguments {
    /// Returns the text of the data file at the start of the study that is continued or merged, if
    /// it is kept.
    pub(crate) fn saved_data(&self, output: &OutputArguments) -> Option<String> {
        if let Some(JoinedShards { checkpoint, .. }) = &self.merged {
            return checkpoint.data.clone();
        }
        // An error is reported when the study is opened.
        let saved = self.resume.then(|| StudyCheckpoint::read(output.folder()));
        saved?.ok()??.data
    }

    /// Locks the output folder of a study that is new or resumed. `inputs` are the files that it
    /// reads, with the flags that name them.
    ///
    /// # Errors
    /// If the folder of a new study holds a finished run that may not be overwritten, or if it
    /// holds an input file.
    pub(crate) fn lock_folder(
        &self,
        output: &OutputArguments,
        game: &BoundGame,
        inputs: &[(&str, Option<&Path>)],
    ) -> anyhow::Result<RunFolder> {
        if self.resume {
            return lock_folder(output.folder(), game.catalog(), inputs);
        }
        output.lock_folder(game, inputs)
    }
}
