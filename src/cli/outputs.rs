//! The files of a run while it goes on: those that grow game by game, and how far it has come.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context as _;

use crate::{
    arena::{record::RecordEncoder, run::Batch, tally::Tally},
    game::FullGame,
    report::{
        csv::{self, Context},
        output::{GrowingFile, OutputError, RunFolder},
        progress::{self, Progress, Records},
        results::{GAMES, Results},
    },
};

/// The least time between two savings.
const SAVING_PAUSE: Duration = Duration::from_millis(100);
/// How many times as long as a saving took the next one waits, so that savings cost at most two hundredths of the time.
const PAUSES_PER_SAVING: u32 = 50;

/// The files of a run that goes on.
pub(super) struct Outputs {
    folder: RunFolder,
    progress: Progress,
    games: Option<GrowingFile>,
    records: Option<GrowingFile>,
    trace: Option<GrowingFile>,
    started: Instant,
    seconds_before: f64,
    next_saving: Instant,
}

impl Outputs {
    /// The files of a new run, `records` and their legal actions among them if they are wanted.
    pub(super) fn begin(folder: RunFolder, progress: Progress, trace: Option<&Path>) -> Result<Self, OutputError> {
        let begun = progress.records.as_ref().map(|records| GrowingFile::begin(Path::new(&records.file))).transpose();
        let records = begun.inspect_err(|_| folder.remove_if_empty())?;
        folder.remove(progress::FILE)?;
        folder.remove_begun(GAMES)?;
        let mut games = progress.games_csv.map(|_| GrowingFile::begin(&folder.path().join(GAMES))).transpose()?;
        if let Some(games) = &mut games {
            games.append(&csv::games_heading(progress.setup.players))?;
        }
        let trace = trace.map(GrowingFile::begin).transpose()?;
        Ok(Self { trace, ..Self::new(folder, progress, games, records) })
    }

    /// The files of a run that was interrupted.
    pub(super) fn go_on(folder: RunFolder, progress: Progress) -> Result<Self, OutputError> {
        let records = progress.records.as_ref().map(|records| (PathBuf::from(&records.file), records.length));
        let games = progress.games_csv.map(|length| (folder.path().join(GAMES), length));
        records.iter().chain(&games).try_for_each(|(path, length)| GrowingFile::check(path, *length))?;
        let [records, games] = [records, games].map(|file| file.map(|(path, length)| GrowingFile::go_on(&path, length)).transpose());
        let (records, games) = (records?, games?);
        folder.remove_run()?;
        Ok(Self::new(folder, progress, games, records))
    }

    fn new(folder: RunFolder, progress: Progress, games: Option<GrowingFile>, records: Option<GrowingFile>) -> Self {
        let (started, seconds_before) = (Instant::now(), progress.seconds);
        Self { folder, progress, games, records, trace: None, started, seconds_before, next_saving: started }
    }

    /// How far the run has come.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Wall time of the run so far in seconds, without the time between an interrupt and going on.
    pub(super) fn seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }

    /// Takes what the next blocks brought, and saves it if it is time.
    pub(super) fn add(&mut self, batch: &Batch) -> Result<(), OutputError> {
        if let (Some(file), Some(Records { encoder, .. })) = (&mut self.records, &mut self.progress.records) {
            for (block, lines) in batch.blocks.clone().zip(&batch.records) {
                let bytes = encoder.add(block, lines).map_err(|error| file.unwritable(error))?;
                file.append(&bytes)?;
            }
        }
        if let Some(file) = &mut self.games {
            let context =
                Context { bots: &self.progress.setup.bots, different: &[], provenance: &self.progress.setup.provenance, intervals: None };
            file.append(&csv::games(&context, &batch.games))?;
        }
        if let Some(file) = &mut self.trace {
            file.append(batch.traces.as_bytes())?;
        }
        self.progress.tally.add(&batch.tally);
        if Instant::now() >= self.next_saving {
            self.save()?;
        }
        Ok(())
    }

    /// Takes a part of the run that was played elsewhere, with its table of games if that is wanted.
    pub(super) fn add_part(&mut self, tally: &Tally, games: Option<File>) -> anyhow::Result<()> {
        if let (Some(file), Some(mut games)) = (&mut self.games, games) {
            let heading = csv::games_heading(self.progress.setup.players).len();
            games.seek(SeekFrom::Start(heading as u64)).context(GAMES)?;
            let mut buffer = vec![0; 1 << 20];
            loop {
                match games.read(&mut buffer).context(GAMES)? {
                    0 => break,
                    length => file.append(&buffer[..length])?,
                }
            }
        }
        self.progress.tally.add(tally);
        Ok(())
    }

    fn save(&mut self) -> Result<(), OutputError> {
        let begun = Instant::now();
        if let (Some(file), Some(records)) = (&mut self.records, &mut self.progress.records) {
            records.length = file.save()?;
        }
        if let (Some(file), Some(length)) = (&mut self.games, &mut self.progress.games_csv) {
            *length = file.save()?;
        }
        self.progress.seconds = self.seconds();
        self.progress.write(&self.folder)?;
        self.next_saving = Instant::now() + SAVING_PAUSE.max(begun.elapsed() * PAUSES_PER_SAVING);
        Ok(())
    }

    /// Ends the run, whole or interrupted: gives the files their names and writes the tables. What it can go on from, or be merged by, stays.
    pub(super) fn finish<G: FullGame>(mut self, game: &G) -> Result<Progress, OutputError> {
        // The manifest goes first and comes last: beside it, every file is of its run.
        self.folder.remove_run()?;
        self.save()?;
        if let (Some(mut file), Some(records)) = (self.records, &self.progress.records) {
            let mut encoder: RecordEncoder = records.encoder.clone();
            let bytes = encoder.finish().map_err(|error| file.unwritable(error))?;
            file.append(&bytes)?;
            file.finish()?;
        }
        for file in self.games.into_iter().chain(self.trace) {
            file.finish()?;
        }
        Results { game, progress: &self.progress }.write(&self.folder)?;
        if self.progress.is_complete() && self.progress.setup.shard.is_none() {
            self.folder.remove(progress::FILE)?;
        }
        Ok(self.progress)
    }
}
