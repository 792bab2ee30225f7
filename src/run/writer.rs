//! The output files of a run in progress, and its checkpoint.

use std::{
    fs::File,
    io::Read as _,
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use super::{
    append_file::AppendFile,
    checkpoint::{Checkpoint, GAMES, RecordsFile},
    files::{OutputError, RunFolder},
    manifest::RunSetup,
    sealed,
};
use crate::{
    arena::{
        record::RecordEncoder,
        run::{BlockBatch, GameRow},
        tally::Tally,
    },
    stats::Merge,
};

/// Minimum interval between checkpoints.
pub(super) const MIN_PAUSE: Duration = Duration::from_millis(100);
/// Factor between the duration of a checkpoint and the pause after it, so that checkpoints take at
/// most 2 % of the time.
pub(super) const PAUSE_FACTOR: u32 = 50;
/// Size of the buffer for the copy of a shard's `games.csv`.
const BUFFER_BYTES: usize = 1 << 20;

/// The output files of a run in progress.
pub(crate) struct RunWriter {
    folder: RunFolder,
    checkpoint: Checkpoint,
    games: Option<AppendFile>,
    records: Option<AppendFile>,
    /// The trace, which is not kept when a run is interrupted, with its encoder.
    trace: Option<(AppendFile, RecordEncoder)>,
    started: Instant,
    seconds_before: f64,
    next_save: Instant,
}

impl RunWriter {
    /// Creates the files of a new run. `games_header` is the first line of `games.csv`. Existing
    /// records and traces are kept unless `overwrite` is set.
    ///
    /// # Errors
    /// If a file can't be created.
    pub(crate) fn create(
        folder: RunFolder,
        checkpoint: Checkpoint,
        games_header: &[u8],
        trace_path: Option<&Path>,
        overwrite: bool,
    ) -> Result<Self, OutputError> {
        // Files that may be refused come first: until then nothing is removed.
        let records = checkpoint.records.as_ref().map(|records| Path::new(&records.file));
        let [records, trace] = [records, trace_path]
            .map(|path| path.map(|path| AppendFile::create(path, overwrite)).transpose());
        let (records, trace) = (records?, trace?);
        folder.remove(sealed::FILE)?;
        folder.remove_partial_files()?;
        let games = checkpoint.games_csv.is_some();
        let games = games.then(|| AppendFile::create(&folder.path().join(GAMES), true));
        let mut games = games.transpose()?;
        if let Some(games) = &mut games {
            games.append(games_header)?;
        }
        let trace =
            trace.map(|file| (file, RecordEncoder::new(trace_path.unwrap_or(Path::new("")))));
        let mut writer = Self { trace, ..Self::new(folder, checkpoint, games, records) };
        if writer.records.is_some() {
            // From now on existing records are known to belong to this run.
            writer.save()?;
        }
        Ok(writer)
    }

    /// Opens the files of an interrupted run.
    ///
    /// # Errors
    /// If a file was changed since the checkpoint or can't be written.
    pub(crate) fn resume(folder: RunFolder, checkpoint: Checkpoint) -> Result<Self, OutputError> {
        let records = checkpoint.records.as_ref();
        let records = records.map(|records| (Path::new(&records.file).to_owned(), &records.end));
        let games = checkpoint.games_csv.as_ref().map(|end| (folder.path().join(GAMES), end));
        let mut files = records.iter().chain(&games);
        files.try_for_each(|(path, end)| AppendFile::ensure_unchanged(path, end))?;
        let [records, games] = [records, games].map(|file| {
            file.map(|(path, end)| AppendFile::resume(path.as_path(), end)).transpose()
        });
        let (records, games) = (records?, games?);
        folder.remove_run()?;
        Ok(Self::new(folder, checkpoint, games, records))
    }

    fn new(
        folder: RunFolder,
        checkpoint: Checkpoint,
        games: Option<AppendFile>,
        records: Option<AppendFile>,
    ) -> Self {
        let (started, seconds_before) = (Instant::now(), checkpoint.seconds);
        Self {
            folder,
            checkpoint,
            games,
            records,
            trace: None,
            started,
            seconds_before,
            next_save: started,
        }
    }

    /// Returns the state of the run.
    pub(crate) fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns the wall time of the run in seconds, without the time between an interrupt and
    /// `--resume`.
    pub(crate) fn elapsed_seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }

    /// Appends the results of the next blocks, and saves a checkpoint if it is due. `games_lines`
    /// formats the lines of `games.csv`.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn add_batch(
        &mut self,
        batch: &BlockBatch,
        games_lines: impl FnOnce(&RunSetup, &[GameRow]) -> Vec<u8>,
    ) -> Result<(), OutputError> {
        if let (Some(file), Some(RecordsFile { encoder, .. })) =
            (&mut self.records, &mut self.checkpoint.records)
        {
            append_lines(file, encoder, batch.blocks.clone(), &batch.records)?;
        }
        if let Some(file) = &mut self.games {
            file.append(&games_lines(&self.checkpoint.setup, &batch.game_rows))?;
        }
        if let Some((file, encoder)) = &mut self.trace {
            append_lines(file, encoder, batch.blocks.clone(), &batch.traces)?;
        }
        self.checkpoint.tally.merge(&batch.tally);
        if Instant::now() >= self.next_save {
            self.save()?;
        }
        Ok(())
    }

    /// Adds the results of the next games of a bot of the panel after the first, and saves a
    /// checkpoint if it is due.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn add_panel_batch(
        &mut self,
        index: usize,
        batch: &BlockBatch,
    ) -> Result<(), OutputError> {
        self.checkpoint.panel[index].merge(&batch.tally);
        if Instant::now() >= self.next_save {
            self.save()?;
        }
        Ok(())
    }

    /// Appends the results of a shard. `games` is its `games.csv`, positioned after the header.
    ///
    /// # Errors
    /// If a file can't be read or written.
    pub(crate) fn add_shard(
        &mut self,
        tally: &Tally,
        panel: &[Tally],
        games: Option<File>,
    ) -> anyhow::Result<()> {
        if let (Some(file), Some(mut games)) = (&mut self.games, games) {
            let mut buffer = vec![0; BUFFER_BYTES];
            loop {
                match games.read(&mut buffer).context(GAMES)? {
                    0 => break,
                    length => file.append(&buffer[..length])?,
                }
            }
        }
        self.checkpoint.tally.merge(tally);
        self.checkpoint.panel.iter_mut().zip(panel).for_each(|(sum, tally)| sum.merge(tally));
        Ok(())
    }

    fn save(&mut self) -> Result<(), OutputError> {
        let started = Instant::now();
        if let (Some(file), Some(records)) = (&mut self.records, &mut self.checkpoint.records) {
            records.end = file.save()?;
        }
        if let (Some(file), Some(end)) = (&mut self.games, &mut self.checkpoint.games_csv) {
            *end = file.save()?;
        }
        self.checkpoint.seconds = self.elapsed_seconds();
        self.checkpoint.write(&self.folder)?;
        self.next_save = Instant::now() + MIN_PAUSE.max(started.elapsed() * PAUSE_FACTOR);
        Ok(())
    }

    /// Saves a last checkpoint, closes the files, and returns the folder for the results. Removes
    /// an earlier manifest first, so that a folder with a manifest holds files of one run only.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn finish(mut self) -> Result<(RunFolder, Checkpoint), OutputError> {
        self.folder.remove_run()?;
        self.save()?;
        let records = self.checkpoint.records.as_ref().map(|records| records.encoder.clone());
        for (mut file, mut encoder) in self.records.zip(records).into_iter().chain(self.trace) {
            let bytes = encoder.finish().map_err(|error| file.unwritable(error))?;
            file.append(&bytes)?;
            file.finish()?;
        }
        if let Some(file) = self.games {
            file.finish()?;
        }
        Ok((self.folder, self.checkpoint))
    }
}

/// Appends lines of consecutive blocks to a file that may be compressed.
fn append_lines(
    file: &mut AppendFile,
    encoder: &mut RecordEncoder,
    blocks: Range<u64>,
    lines: &[String],
) -> Result<(), OutputError> {
    for (block, lines) in blocks.zip(lines) {
        let bytes = encoder.add(block, lines).map_err(|error| file.unwritable(error))?;
        file.append(&bytes)?;
    }
    Ok(())
}
