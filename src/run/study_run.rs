//! A study in progress: it plays its parts in order, saves a checkpoint, and writes its results.

use std::{
    error::Error,
    fmt,
    ops::{ControlFlow, Range},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use anyhow::{bail, ensure, format_err};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::to_raw_value};

use super::{
    ExitStatus,
    arguments::OutputArguments,
    command::RepeatCommand,
    files::RunFolder,
    finish::{FinishedStudy, StudyResults},
    growing_files::{GrowingFileKind, GrowingFiles, NewFile},
    lineups::{LineupResult, lineup_label},
    manifest::RunIdentity,
    page::StudyEnd,
    parts::PartArguments,
    paths::OutputError,
    programs::{ensure_started, invalid_sentence, take_forfeits},
    progress_bar::{progress_bar, show_message, stop_on_interrupt},
    sealed,
    study_checkpoint::{StudyCheckpoint, StudyPart, StudySetup},
};
use crate::{
    arena::{
        block_experiment::{BoxedExperiment, PlayBlocks},
        schedule::Shard,
    },
    bots::BotFactory,
    config::{ConfigError, Document},
    report::{note::Note, origin::BotDescription, terminal::print_info},
    stats::Merge,
};

/// Minimum interval between checkpoints.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// Factor between the duration of a checkpoint and the pause after it, so that checkpoints take at
/// most 2 % of the time.
const PAUSE_FACTOR: u32 = 50;

/// A study that is about to begin.
pub(crate) struct NewStudy<'a> {
    /// The command that repeats the whole study, as it was given.
    pub(crate) command: &'a RepeatCommand,
    pub(crate) identity: RunIdentity,
    pub(crate) documents: &'a [&'a Document],
    pub(crate) bots: &'a [BotDescription],
    /// Largest number of blocks of a lineup.
    pub(crate) max_blocks: u64,
}

/// The parts of a new study that few studies have.
#[derive(Default)]
pub(crate) struct StudyExtras<'a> {
    /// The files to which the study appends.
    pub(crate) files: Vec<NewFile>,
    /// Settings that the command does not have, by their flags.
    pub(crate) outputs: Map<String, Value>,
    /// The data file of a study that may be resumed after a change of its names and comments.
    pub(crate) data: Option<&'a Document>,
}

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
    output: &'a OutputArguments,
    pool: &'a ThreadPool,
    folder: RunFolder,
    command: RepeatCommand,
    identity: RunIdentity,
    checkpoint: StudyCheckpoint,
    files: GrowingFiles,
    /// True if the study joins shards.
    is_merged: bool,
    /// Number of parts that were begun since the program started.
    begun_parts: usize,
    games_planned: u64,
    /// True if work after the games was interrupted.
    is_cut_short: bool,
    /// The exit status of the complete study.
    status: ExitStatus,
    /// Files of the study besides tables and page.
    further_files: Vec<String>,
    started: Instant,
    seconds_before: f64,
    next_save: Instant,
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
        self.open_with(&StudyExtras::default(), output, parts, folder, pool)
    }

    /// Opens the folder of a study with further parts, as [`NewStudy::open`].
    ///
    /// # Errors
    /// As [`NewStudy::open`], or if a file of the study can't be created.
    pub(crate) fn open_with<'a>(
        self,
        extras: &StudyExtras<'_>,
        output: &'a OutputArguments,
        parts: &PartArguments,
        folder: &RunFolder,
        pool: &'a ThreadPool,
    ) -> anyhow::Result<Option<StudyRun<'a>>> {
        let max_blocks = self.max_blocks;
        let command = self.command.with_identity(&self.identity);
        if let Some(shard) = parts.shard.filter(|shard| shard.count > max_blocks) {
            bail!(
                "--shard: expected at most {max_blocks} shards for {max_blocks} blocks, found \
                 {shard}"
            );
        }
        let setup = self.setup(&command, extras, parts.shard)?;
        let (checkpoint, files) = match find_study(parts, folder, &setup, extras)? {
            ExistingStudy::Finished => {
                if !output.run.quiet {
                    let out = output.folder().display();
                    print_info(&format!("{out}: holds this run, and it is finished"));
                }
                return Ok(None);
            }
            ExistingStudy::Interrupted(saved) if parts.merged.is_none() => {
                let files = GrowingFiles::resume(folder, &saved.files)?;
                folder.remove_run()?;
                (Some(*saved), files)
            }
            existing => {
                if parts.resume {
                    let is_interrupted = folder.holds_interrupted_run();
                    folder.ensure_writable(output.out.is_none() || is_interrupted)?;
                }
                let mut files = GrowingFiles::create(folder, &extras.files, output.force)?;
                if let Some(shards) = &parts.merged {
                    files.append_shards(&extras.files, &shards.folders)?;
                }
                (existing.into_checkpoint(), files)
            }
        };
        let is_new = checkpoint.is_none();
        let data = extras.data.map(|document| document.text.clone());
        let mut checkpoint = checkpoint.unwrap_or_else(|| StudyCheckpoint::new(setup, data));
        checkpoint.complete = false;
        checkpoint.threads = checkpoint.threads.max(pool.current_num_threads());
        let (started, seconds_before) = (Instant::now(), checkpoint.seconds);
        let mut study = StudyRun {
            output,
            pool,
            folder: folder.clone(),
            command: command.with("--shard", parts.shard),
            identity: self.identity,
            checkpoint,
            files,
            is_merged: parts.merged.is_some(),
            begun_parts: 0,
            games_planned: 0,
            is_cut_short: false,
            status: ExitStatus::Success,
            further_files: Vec::new(),
            started,
            seconds_before,
            next_save: started,
        };
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
        extras: &StudyExtras<'_>,
        shard: Option<Shard>,
    ) -> Result<StudySetup, ConfigError> {
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
}

/// The part of a study that its folder holds.
enum ExistingStudy {
    None,
    Interrupted(Box<StudyCheckpoint>),
    Finished,
}

impl ExistingStudy {
    fn into_checkpoint(self) -> Option<StudyCheckpoint> {
        if let Self::Interrupted(checkpoint) = self { Some(*checkpoint) } else { None }
    }
}

/// Returns the part of a study that was played before: its shards, or what its folder holds if it
/// is resumed.
///
/// # Errors
/// If it is another study.
fn find_study(
    parts: &PartArguments,
    folder: &RunFolder,
    requested: &StudySetup,
    extras: &StudyExtras<'_>,
) -> anyhow::Result<ExistingStudy> {
    if let Some(shards) = &parts.merged {
        let checkpoint = shards.checkpoint.clone();
        if let Some(difference) = requested.first_difference(&checkpoint.setup) {
            bail!(
                "the shards were played with other files than their command names here: their \
                 {difference}"
            );
        }
        return Ok(ExistingStudy::Interrupted(Box::new(checkpoint)));
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
        (saved, Some(finished)) => {
            ensure_same(&finished)?;
            extras.files.iter().try_for_each(ensure_exists)?;
            if saved.is_some() && parts.shard.is_none() {
                // The run was killed before it removed its checkpoint.
                folder.remove(sealed::FILE)?;
            }
            Ok(ExistingStudy::Finished)
        }
    }
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
            // From now on the file is known to belong to this study.
            self.save()?;
        }
        self.folder.write(name, content)?;
        self.further_files.push(name.to_owned());
        Ok(())
    }

    /// Returns the number of games of all parts that were begun.
    pub(crate) const fn games_planned(&self) -> u64 {
        self.games_planned
    }

    /// Marks the study as interrupted in the work after its games.
    pub(crate) const fn mark_incomplete(&mut self) {
        self.is_cut_short = true;
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
        experiment: &dyn PlayBlocks<T>,
    ) -> anyhow::Result<T> {
        let Range { start, end } = self.blocks_of(experiment.blocks());
        let mut tally = experiment.empty_tally();
        if let Some(part) = self.checkpoint.parts.get_mut(index) {
            let unexpected = || StudyCheckpoint::unexpected(self.folder.path());
            let is_part = part.start == start && part.end <= end;
            ensure!(is_part && (self.is_merged || part.end == end), unexpected());
            for (index, saved) in part.tallies.iter().enumerate() {
                let saved: T = serde_json::from_str(saved.get()).map_err(|_| unexpected())?;
                tally.merge(&saved);
                let shards = index + 1;
                let is_decided = self.is_merged && experiment.is_decided(&tally);
                ensure!(
                    !is_decided || shards == part.tallies.len(),
                    "the run ends with shard {shards}: expected the first {shards} shards"
                );
                part.is_decided |= is_decided;
            }
            let is_undecided = part.end < end && !part.is_decided;
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
        experiment: &dyn PlayBlocks<T>,
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
        experiment.play_in_order(blocks, stop, &|games| bar.inc(games), &mut on_result);
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
    fn save(&mut self) -> Result<(), OutputError> {
        self.checkpoint.files = self.files.save()?;
        self.checkpoint.seconds = self.elapsed_seconds();
        self.checkpoint.forfeits += take_forfeits();
        sealed::write_checkpoint(&self.checkpoint, &self.folder)
    }

    /// Writes and prints the results of the games so far. Removes the checkpoint unless it is
    /// needed to resume the study or to merge a shard.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn finish<Q: Serialize>(
        mut self,
        mut study: FinishedStudy<'_, Q>,
    ) -> anyhow::Result<ExitStatus> {
        if let Some(sentence) = self.invalid_sentence(study.counts.games) {
            study.replace_answer(&sentence);
        }
        let results = study.render(&self.end());
        self.finish_with(results)
    }

    /// Writes and prints results whose page is rendered, as [`StudyRun::finish`].
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn finish_with<Q: Serialize>(
        mut self,
        results: StudyResults<Q>,
    ) -> anyhow::Result<ExitStatus> {
        let complete = self.is_complete();
        self.checkpoint.complete = complete;
        self.folder.remove_run()?;
        self.save()?;
        let tables = std::mem::take(&mut self.files).finish()?;
        self.further_files.extend(tables);
        let end = self.end();
        let is_shard = end.shard.is_some();
        let status = results.write(end, self.output, &self.folder)?;
        if complete && !is_shard {
            self.folder.remove(sealed::FILE)?;
        }
        Ok(status)
    }

    /// Describes the end of the study.
    fn end(&self) -> StudyEnd {
        StudyEnd {
            command: self.command.clone(),
            identity: self.identity.clone(),
            shard: self.shard(),
            complete: self.is_complete(),
            status: self.status,
            games_planned: self.games_planned,
            threads: self.checkpoint.threads,
            seconds: self.checkpoint.seconds,
            further_files: self.further_files.clone(),
            note: self.output.note.clone(),
        }
    }
}

/// The progress of a part on the terminal.
struct PartDisplay<'a, T> {
    bar: &'a ProgressBar,
    message: &'a (dyn Fn(&T) -> String + Sync),
}
