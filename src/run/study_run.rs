//! A study in progress: it plays its parts in order, saves a checkpoint, and writes its results.

use std::{
    ops::{ControlFlow, Range},
    sync::atomic::AtomicBool,
    time::Instant,
};

use anyhow::{bail, ensure, format_err};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::to_raw_value;

use super::{
    ExitStatus,
    arguments::OutputArguments,
    command::RepeatCommand,
    files::{OutputError, RunFolder},
    finish::{FinishedStudy, StudyEnd},
    lineups::{LineupResult, lineup_label},
    manifest::RunIdentity,
    parts::PartArguments,
    progress_bar::{progress_bar, show_message, stop_on_interrupt},
    sealed,
    study_checkpoint::{StudyCheckpoint, StudyPart, StudySetup},
    writer::{MIN_PAUSE, PAUSE_FACTOR},
};
use crate::{
    arena::{
        block_experiment::{BoxedExperiment, PlayBlocks},
        schedule::Shard,
    },
    bots::BotFactory,
    config::Document,
    report::{origin::BotDescription, terminal::print_info},
    stats::Merge,
};

/// A study that is about to begin.
pub(crate) struct NewStudy<'a> {
    /// The command that repeats the whole study.
    pub(crate) command: RepeatCommand,
    pub(crate) identity: RunIdentity,
    pub(crate) documents: &'a [&'a Document],
    pub(crate) bots: &'a [BotDescription],
    /// Largest number of blocks of a lineup.
    pub(crate) max_blocks: u64,
}

/// A study in progress.
pub(crate) struct StudyRun<'a> {
    output: &'a OutputArguments,
    pool: &'a ThreadPool,
    folder: RunFolder,
    command: RepeatCommand,
    identity: RunIdentity,
    checkpoint: StudyCheckpoint,
    /// Number of parts that were begun since the program started.
    begun_parts: usize,
    games_planned: u64,
    /// True if work after the games was interrupted.
    is_cut_short: bool,
    /// Files of the study besides tables and page.
    further_files: Vec<&'static str>,
    started: Instant,
    seconds_before: f64,
    next_save: Instant,
}

/// Sums over blocks that a checkpoint keeps.
pub(crate) trait StudyTally: Merge + Serialize + DeserializeOwned + Send {}

impl<T: Merge + Serialize + DeserializeOwned + Send> StudyTally for T {}

impl NewStudy<'_> {
    /// Opens the folder of a study, or continues the one that the folder holds. Returns `None` if
    /// that one is finished, after a message.
    ///
    /// # Errors
    /// If the folder holds another run, or there are more shards than blocks.
    pub(crate) fn open<'a>(
        self,
        output: &'a OutputArguments,
        parts: &PartArguments,
        folder: &RunFolder,
        pool: &'a ThreadPool,
    ) -> anyhow::Result<Option<StudyRun<'a>>> {
        let Self { command, identity, documents, bots, max_blocks } = self;
        if let Some(shard) = parts.shard.filter(|shard| shard.count > max_blocks) {
            bail!(
                "--shard: expected at most {max_blocks} shards for {max_blocks} blocks, found \
                 {shard}"
            );
        }
        let setup = StudySetup::new(&command, &identity, documents, bots, parts.shard);
        let checkpoint = if let Some(merged) = &parts.merged {
            if let Some(difference) = setup.first_difference(&merged.setup) {
                bail!(
                    "the shards were played with other files than their command names here: their \
                     {difference}"
                );
            }
            Some(merged.clone())
        } else if parts.resume {
            match find_existing_study(folder, &setup)? {
                ExistingStudy::None => None,
                ExistingStudy::Interrupted(saved) => Some(*saved),
                ExistingStudy::Finished => {
                    if !output.run.quiet {
                        let out = output.folder().display();
                        print_info(&format!("{out}: holds this run, and it is finished"));
                    }
                    return Ok(None);
                }
            }
        } else {
            None
        };
        if parts.merged.is_some() || checkpoint.is_none() {
            folder.remove(sealed::FILE)?;
            folder.remove_partial_files()?;
        } else {
            folder.remove_run()?;
        }
        let mut checkpoint = checkpoint.unwrap_or_else(|| StudyCheckpoint::new(setup));
        checkpoint.complete = false;
        checkpoint.threads = checkpoint.threads.max(pool.current_num_threads());
        let (started, seconds_before) = (Instant::now(), checkpoint.seconds);
        Ok(Some(StudyRun {
            output,
            pool,
            folder: folder.clone(),
            command: command.option_if("--shard", parts.shard),
            identity,
            checkpoint,
            begun_parts: 0,
            games_planned: 0,
            is_cut_short: false,
            further_files: Vec::new(),
            started,
            seconds_before,
            next_save: started,
        }))
    }
}

/// The part of a study that its folder holds.
enum ExistingStudy {
    None,
    Interrupted(Box<StudyCheckpoint>),
    Finished,
}

/// Returns the part of a study that its folder holds.
///
/// # Errors
/// If the folder holds another run.
fn find_existing_study(
    folder: &RunFolder,
    requested: &StudySetup,
) -> anyhow::Result<ExistingStudy> {
    let name = folder.path().display();
    let ensure_same = |found: &StudySetup| match requested.first_difference(found) {
        None => Ok(()),
        Some(difference) => bail!(
            "{name}: holds another run: its {difference}; expected another folder, or --force \
             instead of --resume"
        ),
    };
    let checkpoint = StudyCheckpoint::read(folder.path())
        .map_err(|error| format_err!("{error}; --force instead of --resume starts again"))?;
    if let Some(checkpoint) = &checkpoint {
        ensure_same(&checkpoint.setup)?;
    }
    let saved = StudySetup::read_manifest(folder.path(), requested);
    let finished = saved.and_then(|(setup, complete)| complete.then_some(setup));
    match (checkpoint, finished) {
        (Some(checkpoint), finished) if finished.is_none() || !checkpoint.complete => {
            Ok(ExistingStudy::Interrupted(Box::new(checkpoint)))
        }
        (_, None) => Ok(ExistingStudy::None),
        (_, Some(finished)) => ensure_same(&finished).map(|()| ExistingStudy::Finished),
    }
}

impl StudyRun<'_> {
    /// Returns the shard that is played, if the study is divided.
    pub(crate) const fn shard(&self) -> Option<Shard> {
        self.checkpoint.setup.shard
    }

    /// Returns the wall time of each part in seconds.
    pub(crate) fn seconds_of_parts(&self) -> impl Iterator<Item = f64> {
        self.checkpoint.parts.iter().map(|part| part.seconds)
    }

    /// Returns the wall time in seconds, without the time between an interrupt and `--resume`.
    fn elapsed_seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }

    /// Writes a file besides tables and page.
    ///
    /// # Errors
    /// If the file can't be written.
    pub(crate) fn write_file(
        &mut self,
        name: &'static str,
        content: &[u8],
    ) -> Result<(), OutputError> {
        self.folder.write(name, content)?;
        self.further_files.push(name);
        Ok(())
    }

    /// Marks the study as interrupted in the work after its games.
    pub(crate) const fn mark_incomplete(&mut self) {
        self.is_cut_short = true;
    }

    /// Returns true if all parts that were begun are complete.
    pub(crate) fn is_complete(&self) -> bool {
        !self.is_cut_short
            && self.checkpoint.parts[..self.begun_parts].iter().all(StudyPart::is_complete)
    }

    /// Plays the experiment of each lineup, with a progress bar.
    ///
    /// # Errors
    /// If a checkpoint can't be written, or the saved one is not of this study.
    pub(crate) fn play_lineups<T: StudyTally>(
        &mut self,
        lineups: &[Vec<BotFactory>],
        experiments: &[BoxedExperiment<'_, T>],
    ) -> anyhow::Result<Vec<LineupResult<T>>> {
        let labels: Vec<_> = lineups.iter().map(|lineup| lineup_label(lineup)).collect();
        let tallies = self.play(experiments, |index, _| labels[index].clone())?;
        let results = lineups.iter().zip(tallies);
        Ok(results.map(|(lineup, tally)| LineupResult::new(lineup, tally)).collect())
    }

    /// Plays experiments one after the other, with a progress bar. `message` returns the text
    /// beside it for the index of an experiment and its results so far.
    ///
    /// # Errors
    /// If a checkpoint can't be written, or the saved one is not of this study.
    pub(crate) fn play<T: StudyTally>(
        &mut self,
        experiments: &[BoxedExperiment<'_, T>],
        message: impl Fn(usize, &T) -> String + Sync,
    ) -> anyhow::Result<Vec<T>> {
        let stop = stop_on_interrupt()?;
        let first = self.begun_parts;
        let begin = |(index, experiment): (_, &BoxedExperiment<'_, T>)| {
            self.begin_part(first + index, &**experiment)
        };
        let begun = experiments.iter().enumerate().map(begin);
        let mut tallies = begun.collect::<anyhow::Result<Vec<_>>>()?;
        self.begun_parts += experiments.len();
        let (mut planned, mut finished) = (0, 0);
        for (part, experiment) in self.checkpoint.parts[first..].iter().zip(experiments) {
            planned += (part.end - part.start) * experiment.games_per_block();
            finished += part.completed * experiment.games_per_block();
        }
        self.games_planned += planned;
        let bar = progress_bar(planned, "games", self.output.run.quiet);
        bar.set_position(finished);
        bar.reset_eta();
        let pool = self.pool;
        let played = pool.install(|| {
            let mut parts = experiments.iter().zip(&mut tallies).enumerate();
            parts.try_for_each(|(index, (experiment, tally))| {
                let message = |tally: &T| message(index, tally);
                self.play_part(first + index, &**experiment, tally, stop, &bar, &message)
            })
        });
        bar.finish_and_clear();
        played.map(|()| tallies)
    }

    /// Returns the blocks of an experiment that are played here.
    fn blocks_of(&self, Range { start, end }: Range<u64>) -> Range<u64> {
        let Some(shard) = self.shard() else { return start..end };
        let blocks = shard.blocks(end - start);
        start + blocks.start..start + blocks.end
    }

    /// Returns the sums over the blocks of a part that were played before.
    fn begin_part<T: StudyTally>(
        &mut self,
        index: usize,
        experiment: &dyn PlayBlocks<T>,
    ) -> anyhow::Result<T> {
        let Range { start, end } = self.blocks_of(experiment.blocks());
        let mut tally = experiment.empty_tally();
        if let Some(part) = self.checkpoint.parts.get(index) {
            let unexpected = || StudyCheckpoint::unexpected(self.folder.path());
            ensure!((part.start, part.end) == (start, end), unexpected());
            for saved in &part.tallies {
                let saved: T = serde_json::from_str(saved.get()).map_err(|_| unexpected())?;
                tally.merge(&saved);
            }
        } else {
            let part = StudyPart {
                start,
                end,
                completed: 0,
                is_decided: false,
                seconds: 0.0,
                tallies: Vec::new(),
            };
            self.checkpoint.parts.push(part);
        }
        Ok(tally)
    }

    /// Plays the blocks of a part that were not played before.
    fn play_part<T: StudyTally>(
        &mut self,
        index: usize,
        experiment: &dyn PlayBlocks<T>,
        tally: &mut T,
        stop: &AtomicBool,
        bar: &ProgressBar,
        message: &(dyn Fn(&T) -> String + Sync),
    ) -> anyhow::Result<()> {
        let &StudyPart { start, end, completed, seconds, .. } = &self.checkpoint.parts[index];
        if self.checkpoint.parts[index].is_complete() {
            return Ok(());
        }
        show_message(bar, || message(tally));
        let started = Instant::now();
        let mut failure = None;
        let mut on_result = |end: u64, next: T| {
            tally.merge(&next);
            show_message(bar, || message(tally));
            let part = &mut self.checkpoint.parts[index];
            part.completed = end - start;
            part.seconds = seconds + started.elapsed().as_secs_f64();
            part.is_decided = experiment.is_decided(tally);
            if part.is_decided {
                return ControlFlow::Break(());
            }
            if Instant::now() >= self.next_save {
                failure = self.save_part(index, tally).err();
            }
            if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let blocks = start + completed..end;
        experiment.play_in_order(blocks, stop, &|games| bar.inc(games), &mut on_result);
        match failure {
            Some(error) => Err(error),
            None => self.save_part(index, tally),
        }
    }

    /// Saves a checkpoint with the results so far of a part.
    fn save_part(&mut self, index: usize, tally: &impl Serialize) -> anyhow::Result<()> {
        let started = Instant::now();
        self.checkpoint.parts[index].tallies = vec![to_raw_value(tally)?];
        self.save()?;
        self.next_save = Instant::now() + MIN_PAUSE.max(started.elapsed() * PAUSE_FACTOR);
        Ok(())
    }

    fn save(&mut self) -> anyhow::Result<()> {
        self.checkpoint.seconds = self.elapsed_seconds();
        Ok(self.checkpoint.write(&self.folder)?)
    }

    /// Writes and prints the results of the games so far. Removes the checkpoint unless it is
    /// needed to resume the study or to merge a shard.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn finish<Q: Serialize>(
        mut self,
        study: FinishedStudy<'_, Q>,
    ) -> anyhow::Result<ExitStatus> {
        let complete = self.is_complete();
        self.checkpoint.complete = complete;
        self.folder.remove_run()?;
        self.save()?;
        let end = StudyEnd {
            command: self.command,
            identity: self.identity,
            shard: self.checkpoint.setup.shard,
            complete,
            games_planned: self.games_planned,
            threads: self.checkpoint.threads,
            seconds: self.checkpoint.seconds,
            further_files: self.further_files,
        };
        let shard = end.shard;
        let status = study.finish(end, self.output, &self.folder)?;
        if complete && shard.is_none() {
            self.folder.remove(sealed::FILE)?;
        }
        Ok(status)
    }
}
