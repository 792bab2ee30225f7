//! `watershed merge`: joins the shards that commands played with `--shard`.

mod deviations;
mod shards;

use std::ffi::OsString;

use deviations::ensure_agreement;
use shards::SavedShard;

use crate::{
    run::{
        paths::ensure_other_folder,
        study_checkpoint::{JoinedShards, StudyCheckpoint},
        study_run::Undecided,
    },
    study::shared::prelude::*,
};

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags")]
#[command(after_help = "\
The shards are those of `simulate`, `match`, `calibrate`, `loss`, `openings grow` or a `balance` \
command with --shard. The output files have the same bytes as those of an undivided run, except \
`timing` in run.json. \
Records are not merged; concatenated files of records, as by cat, are a file of records.

The rates and means of each shard are compared with those of all, for `simulate`, `match` and the \
`balance` commands. If they differ by more than chance \
explains, the error names the shard: a machine computes wrongly, or a program plays otherwise \
there.

A run with --looks may end before its last shard: give the shards up to a look. The exit code is 0 \
if the run ends there, and 1 if the stopping criterion is not reached and more shards are needed.

The shards are merged in the folder where they were played: their data files and bots are read \
again.

Examples:
  watershed merge shards/1 shards/2 shards/3 --out results/whole
  watershed merge shards/1 shards/2 --out results/whole --json")]
pub(crate) struct MergeArguments {
    /// Read the shards from these folders, in any order
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,
    /// Set the output folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// Merge shards whose results differ by more than chance explains
    #[arg(long)]
    allow_deviations: bool,
    /// Print no messages
    #[arg(long)]
    quiet: bool,
    /// Print all tables before the screen with the verdict
    #[arg(long, conflicts_with = "json")]
    full: bool,
    /// Print the tables as one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command of a study. Its arguments are without the name of the program.
pub(crate) type RunStudy<'a> = &'a dyn Fn(&[OsString], PartArguments) -> anyhow::Result<ExitStatus>;

/// Merges shards. `run_study` runs the command of a study with its joined shards.
pub(crate) fn run(
    arguments: &MergeArguments,
    run_study: RunStudy<'_>,
) -> anyhow::Result<ExitStatus> {
    let shards = SavedShard::read_all(&arguments.shards)?;
    ensure_other_folder(&arguments.out, &arguments.shards, "shards")?;
    let checkpoints: Vec<_> = shards.iter().map(|saved| &saved.checkpoint).collect();
    let folder = shards[0].folder.display();
    let checkpoint = StudyCheckpoint::joined(&checkpoints)
        .with_context(|| format!("{folder}: its blocks do not follow those of another shard"))?;
    if !arguments.allow_deviations {
        ensure_agreement(&shards, &checkpoint)?;
    }
    let repeat = &checkpoint.setup.arguments;
    let mut command: Vec<OsString> = repeat.iter().map(OsString::from).collect();
    let mut out = OsString::from("--out=");
    out.push(&arguments.out);
    command.push(out);
    let MergeArguments { force, quiet, full, json, .. } = *arguments;
    let flags = [("--force", force), ("--quiet", quiet), ("--full", full), ("--json", json)];
    let set = flags.into_iter().filter(|(_, is_set)| *is_set);
    command.extend(set.map(|(flag, _)| flag.into()));
    let folders = shards.iter().map(|saved| saved.folder.clone()).collect();
    let merged = Some(JoinedShards { checkpoint, folders });
    let result = run_study(&command, PartArguments { merged, ..PartArguments::default() });
    match result.as_ref().err().and_then(|error| error.downcast_ref::<Undecided>()) {
        Some(undecided) => {
            if !quiet {
                print_info(&format!("{undecided}: {}", next_shards(&shards)));
            }
            Ok(ExitStatus::Negative)
        }
        None => result,
    }
}

/// Names the shards up to the next look.
fn next_shards(shards: &[SavedShard]) -> String {
    let played = shards.len() as u64;
    let Shard { count, .. } = shards[0].shard;
    let looks = shards[0].checkpoint.setup.looks().unwrap_or(1);
    format!("play the shards {} to {} of {count}", played + 1, played + count / looks)
}
