//! A study in progress: it plays its parts in order and saves a checkpoint.

use std::{
    error::Error,
    fmt,
    ops::{ControlFlow, Range},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use anyhow::ensure;
use indicatif::ProgressBar;
use rayon::ThreadPool;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::to_raw_value;

use super::{
    ExitStatus,
    arguments::OutputArguments,
    command::RepeatCommand,
    files::RunFolder,
    growing_files::GrowingFiles,
    lineups::{LineupResult, lineup_label},
    manifest::RunIdentity,
    paths::OutputError,
    programs::{ensure_started, invalid_sentence, take_forfeits},
    progress_bar::{progress_bar, show_message, stop_on_interrupt},
    sealed,
    study_checkpoint::{StudyCheckpoint, StudyPart},
};
use crate::{
    arena::{
        block_experiment::{BlockExperiment, BoxedExperiment, play_in_order},
        schedule::Shard,
    },
    bots::BotFactory,
    report::{note::Note, origin::BotDescription},
    stats::Merge,
};

/// Minimum interval between checkpoints.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// Factor between the duration of a checkpoint and the pause after it, so that checkpoints take at
/// most 2 % of the time.
const PAUSE_FACTOR: u32 = 50;

/// Blocks of a study that were just finished.
pub(crate) struct FinishedBlocks<'a, T> {
    pub(crate) next: &'a T,
    /// The sums over all blocks of their part.
    pub(crate) sum: &'a T,
    pub(crate) bar: &'a ProgressBar,
    /// Wall time of the study in seconds.
    pub(crate) seconds: f64,
}

/// A function that appends to the files of a study when blocks are finished.
pub(crate) type OnBlocks<'a, T> =
    dyn FnMut(&FinishedBlocks<'_, T>, &mut GrowingFiles) -> Result<(), OutputError> + Send + 'a;

/// A study in progress.
pub(crate) struct StudyRun<'a> {
    pub(super) output: &'a OutputArguments,
    pool: &'a ThreadPool,
    pub(super) folder: RunFolder,
    command: RepeatCommand,
    pub(super) identity: RunIdentity,
    pub(super) checkpoint: StudyCheckpoint,
    pub(super) files: GrowingFiles,
    /// The blocks that were played before, if they are not all blocks of the parts.
    earlier: Option<EarlierBlocks>,
    /// True if the sums of the finished study are kept.
    pub(super) grows: bool,
    /// Number of parts that were begun since the program started.
    begun_parts: usize,
    games_planned: u64,
    /// True if work besides the games of the parts is not complete.
    is_cut_short: bool,
    /// The exit status of the complete study.
    pub(super) status: ExitStatus,
    /// Files of the study besides tables and page.
    pub(super) further_files: Vec<String>,
    /// The bots that the study has made.
    made_bots: Vec<BotDescription>,
    started: Instant,
    seconds_before: f64,
    next_save: Instant,
}

/// Blocks that were played before and that may end before the parts do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EarlierBlocks {
    /// The blocks of shards. No further blocks are played.
    Shards,
    /// The blocks of the same study with fewer games.
    FewerGames,
}

/// The shards before a look do not end the study.
#[derive(Debug)]
pub(crate) struct Undecided {
    /// Number of games of these shards.
    pub(crate) games: u64,
}

impl fmt::Display for Undecided {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} games do not reach the stopping criterion", self.games)
    }
}

impl Error for Undecided {}

/// Sums over blocks that a checkpoint keeps.
pub(crate) trait StudyTally: Merge + Default + Serialize + DeserializeOwned + Send {}

impl<T: Merge + Default + Serialize + DeserializeOwned + Send> StudyTally for T {}

impl<'a> StudyRun<'a> {
    /// Begins or continues the study of a checkpoint. `command` repeats the study, or the shard.
    pub(super) fn new(
        output: &'a OutputArguments,
        pool: &'a ThreadPool,
        folder: RunFolder,
        command: RepeatCommand,
        mut checkpoint: StudyCheckpoint,
        files: GrowingFiles,
        earlier: Option<EarlierBlocks>,
    ) -> Self {
        checkpoint.complete = false;
        checkpoint.threads = checkpoint.threads.max(pool.current_num_threads());
        let started = Instant::now();
        Self {
            output,
            pool,
            folder,
            command,
            identity: checkpoint.setup.identity.clone(),
            files,
            earlier,
            grows: false,
            begun_parts: 0,
            games_planned: 0,
            is_cut_short: false,
            status: ExitStatus::Success,
            further_files: Vec::new(),
            made_bots: Vec::new(),
            started,
            seconds_before: checkpoint.seconds,
            next_save: started,
            checkpoint,
        }
    }

    /// Returns the threads of the study.
    pub(crate) const fn pool(&self) -> &'a ThreadPool {
        self.pool
    }
}

impl StudyRun<'_> {
    /// Returns the command that repeats the study, or the shard.
    pub(crate) const fn command(&self) -> &RepeatCommand {
        &self.command
    }

    /// Returns the notes of the user for the page.
    pub(crate) fn note(&self) -> Option<&Note> {
        self.output.note.as_ref()
    }

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
        if self.checkpoint.parts.is_empty() {
            self.claim_folder()?;
        }
        self.folder.write(name, content)?;
        self.further_files.push(name.to_owned());
        Ok(())
    }

    /// Saves a checkpoint before the first game. From now on files in the folder are known to
    /// belong to this study.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn claim_folder(&mut self) -> Result<(), OutputError> {
        self.save()
    }

    /// Sets a flag of the command that repeats the study, of a value that may change when the study
    /// is resumed.
    pub(crate) fn set_flag(&mut self, flag: &str, value: impl ToString) {
        self.command = self.command.with(flag, Some(value));
    }

    /// Adds games that the study plays by itself, not as parts.
    pub(crate) const fn plan_games(&mut self, games: u64) {
        self.games_planned += games;
    }

    /// Adds a bot that the study has made.
    pub(crate) fn add_bot(&mut self, bot: &BotFactory) {
        self.made_bots.push(bot.into());
    }

    /// Returns the bots that the study has made.
    pub(crate) fn made_bots(&self) -> &[BotDescription] {
        &self.made_bots
    }

    /// Returns the locked folder.
    pub(crate) const fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the number of games of all parts that were begun.
    pub(crate) const fn games_planned(&self) -> u64 {
        self.games_planned
    }

    /// Sets whether the study is interrupted in work of its own, as after its games.
    pub(crate) const fn set_incomplete(&mut self, is_incomplete: bool) {
        self.is_cut_short = is_incomplete;
    }

    /// Returns the path of the checkpoint for messages.
    pub(crate) fn checkpoint_name(&self) -> String {
        self.folder.path().join(sealed::FILE).display().to_string()
    }

    /// Sets the exit code of the complete study to 1.
    pub(crate) const fn mark_negative(&mut self) {
        self.status = ExitStatus::Negative;
    }

    /// Sets the number of games that programs lost by failures, in a study that counts them.
    pub(crate) fn set_forfeits(&mut self, games: u64) {
        take_forfeits();
        self.checkpoint.forfeits = games;
    }

    /// Returns the sentence that replaces the answer if programs failed in too many games, which is
    /// also the exit status.
    pub(crate) fn invalid_sentence(&mut self, games: u64) -> Option<String> {
        self.checkpoint.forfeits += take_forfeits();
        let (sentence, status) = invalid_sentence(self.checkpoint.forfeits, games)?;
        self.status = status;
        Some(sentence)
    }

    /// Returns true if the study is complete and programs failed in few enough of its games, so
    /// that a file may be made of its answer.
    pub(crate) fn is_conclusive(&mut self, games: u64) -> bool {
        self.is_complete() && self.invalid_sentence(games).is_none()
    }

    /// Returns true if all parts that were begun are complete.
    pub(crate) fn is_complete(&self) -> bool {
        !self.is_cut_short
            && self.checkpoint.parts[..self.begun_parts].iter().all(StudyPart::is_complete)
    }

    /// Plays experiments, each of a lineup, with a progress bar.
    ///
    /// # Errors
    /// If a checkpoint can't be written, or the saved one is not of this study.
    pub(crate) fn play_lineups<'e, T: StudyTally>(
        &mut self,
        experiments: impl IntoIterator<Item = BoxedExperiment<'e, T>>,
    ) -> anyhow::Result<Vec<LineupResult<T>>> {
        let experiments: Vec<_> = experiments.into_iter().collect();
        let lineups = || experiments.iter().map(|one| one.experiment().lineup);
        let labels: Vec<_> = lineups().map(lineup_label).collect();
        let tallies = self.play(&experiments, |index, _| labels[index].clone())?;
        Ok(lineups().zip(tallies).map(|(bots, tally)| LineupResult::new(bots, tally)).collect())
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
        self.play_with_files(experiments, message, &mut |_, _| Ok(()))
    }

    /// Plays experiments, as [`StudyRun::play`]. `on_blocks` appends to the files of the study.
    ///
    /// # Errors
    /// As [`StudyRun::play`], or if a file can't be written.
    pub(crate) fn play_with_files<T: StudyTally>(
        &mut self,
        experiments: &[BoxedExperiment<'_, T>],
        message: impl Fn(usize, &T) -> String + Sync,
        on_blocks: &mut OnBlocks<'_, T>,
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
                let display = PartDisplay { bar: &bar, message: &|tally| message(index, tally) };
                let index = first + index;
                self.play_part(index, &**experiment, tally, stop, &display, on_blocks)
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
        experiment: &dyn BlockExperiment<Tally = T>,
    ) -> anyhow::Result<T> {
        let Range { start, end } = self.blocks_of(experiment.blocks());
        let mut tally = experiment.empty_tally();
        if let Some(part) = self.checkpoint.parts.get_mut(index) {
            let unexpected = || StudyCheckpoint::unexpected(self.folder.path());
            let is_merged = self.earlier == Some(EarlierBlocks::Shards);
            let is_part = part.start == start && part.end <= end;
            ensure!(is_part && (self.earlier.is_some() || part.end == end), unexpected());
            for (index, saved) in part.tallies.iter().enumerate() {
                let saved: T = serde_json::from_str(saved.get()).map_err(|_| unexpected())?;
                tally.merge(&saved);
                let shards = index + 1;
                let is_decided = is_merged && experiment.is_decided(&tally);
                ensure!(
                    !is_decided || shards == part.tallies.len(),
                    "the run ends with shard {shards}: expected the first {shards} shards"
                );
                part.is_decided |= is_decided;
            }
            let is_undecided = is_merged && part.end < end && !part.is_decided;
            part.end = end;
            if is_undecided {
                return Err(
                    Undecided { games: part.completed * experiment.games_per_block() }.into()
                );
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
        experiment: &dyn BlockExperiment<Tally = T>,
        tally: &mut T,
        stop: &AtomicBool,
        PartDisplay { bar, message }: &PartDisplay<'_, T>,
        on_blocks: &mut OnBlocks<'_, T>,
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
            let blocks =
                FinishedBlocks { next: &next, sum: tally, bar, seconds: self.elapsed_seconds() };
            failure = on_blocks(&blocks, &mut self.files).err().map(Into::into);
            let part = &mut self.checkpoint.parts[index];
            part.completed = end - start;
            part.seconds = seconds + started.elapsed().as_secs_f64();
            part.is_decided = experiment.is_decided(tally);
            if part.is_decided || failure.is_some() {
                return ControlFlow::Break(());
            }
            if Instant::now() >= self.next_save {
                failure = self.save_part(index, tally).err();
            }
            if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let blocks = start + completed..end;
        let on_games = |games| bar.inc(games);
        play_in_order(experiment, blocks, stop, &on_games, &mut on_result);
        match failure {
            Some(error) => Err(error),
            None => self.save_part(index, tally),
        }
    }

    /// Saves a checkpoint with the results so far of a part.
    fn save_part(&mut self, index: usize, tally: &impl Serialize) -> anyhow::Result<()> {
        ensure_started()?;
        let started = Instant::now();
        self.checkpoint.parts[index].tallies = vec![to_raw_value(tally)?];
        self.save()?;
        self.next_save = Instant::now() + MIN_PAUSE.max(started.elapsed() * PAUSE_FACTOR);
        Ok(())
    }

    /// Saves a checkpoint. The files are synced first, so that none is shorter than it says.
    pub(super) fn save(&mut self) -> Result<(), OutputError> {
        self.checkpoint.files = self.files.save()?;
        self.checkpoint.seconds = self.elapsed_seconds();
        self.checkpoint.forfeits += take_forfeits();
        sealed::write_checkpoint(&self.checkpoint, &self.folder)
    }
}

/// The progress of a part on the terminal.
struct PartDisplay<'a, T> {
    bar: &'a ProgressBar,
    message: &'a (dyn Fn(&T) -> String + Sync),
}
