//! The files of a run while it goes on: those that grow game by game, and how far it has come.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};

use crate::{
    arena::{record::RecordEncoder, run::BlockBatch, tally::Tally},
    game::FullGame,
    run::{
        checkpoint::{self, Checkpoint, RecordsFile},
        files::{AppendFile, OutputError, RunFolder, resolve_path, run_file_names},
    },
    study::simulate::{
        csv::{self, TableContext},
        results::{GAMES, Results},
    },
};

/// The least time between two savings.
const SAVING_PAUSE: Duration = Duration::from_millis(100);
/// How many times as long as a saving took the next one waits, so that savings cost at most two
/// hundredths of the time.
const PAUSES_PER_SAVING: u32 = 50;

/// Locks the folder of a run, which may not overwrite a file that the run reads. `inputs` are the
/// files with the flags that name them.
pub(crate) fn lock_folder<G: FullGame>(
    out: &Path,
    game: &G,
    inputs: &[(&str, Option<&Path>)],
) -> anyhow::Result<RunFolder> {
    let folder = RunFolder::lock(out, run_file_names(game.catalog()))?;
    for (flag, path) in inputs.iter().filter_map(|&(flag, path)| Some((flag, path?))) {
        ensure!(
            !folder.may_write(path),
            "{flag}: {} has the name of a file that the run writes; expected another folder for \
                the run",
            path.display()
        );
    }
    Ok(folder)
}

/// Makes sure that no file a user names for output is one that the run reads, one of its folder, or
/// another output.
pub(crate) fn ensure_distinct_outputs(
    folder: &RunFolder,
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, Option<&Path>)],
) -> anyhow::Result<()> {
    let mut others: Vec<_> =
        inputs.iter().filter_map(|&(flag, path)| Some((flag, resolve_path(path?)))).collect();
    for (flag, path) in outputs.iter().filter_map(|&(flag, path)| Some((flag, path?))) {
        let (name, resolved) = (path.display(), resolve_path(path));
        // A file of this name may become another run's file at any time.
        let is_unfinished = resolved.extension().is_some_and(|ending| ending == "partial");
        ensure!(
            !is_unfinished,
            "{flag}: {name} has the name of an unfinished file; expected another ending than \
                .partial"
        );
        ensure!(
            !folder.may_write(path),
            "{flag}: {name} has the name of a file that the run writes to its folder; expected \
                another name"
        );
        if let Some((other, _)) = others.iter().find(|(_, other)| *other == resolved) {
            anyhow::bail!("{flag}: {name} is also the file of {other}; expected another file");
        }
        others.push((flag, resolved));
    }
    Ok(())
}

/// The files of a run that goes on.
pub(crate) struct RunWriter {
    folder: RunFolder,
    progress: Checkpoint,
    games: Option<AppendFile>,
    records: Option<AppendFile>,
    trace: Option<AppendFile>,
    started: Instant,
    seconds_before: f64,
    next_saving: Instant,
}

impl RunWriter {
    /// The files of a new run, `records` and their legal actions among them if they are wanted.
    /// Records and traces that exist are kept unless `overwrite` is set.
    pub(crate) fn create(
        folder: RunFolder,
        progress: Checkpoint,
        trace: Option<&Path>,
        overwrite: bool,
    ) -> Result<Self, OutputError> {
        // Files that may be refused come first: until then nothing is removed.
        let records = progress
            .records
            .as_ref()
            .map(|records| AppendFile::create(Path::new(&records.file), overwrite))
            .transpose()?;
        let trace = trace.map(|path| AppendFile::create(path, overwrite)).transpose()?;
        folder.remove(checkpoint::FILE)?;
        folder.remove_partial_files()?;
        let games = progress
            .games_csv
            .is_some()
            .then(|| AppendFile::create(&folder.path().join(GAMES), true));
        let mut games = games.transpose()?;
        if let Some(games) = &mut games {
            games.append(&csv::games_heading(progress.setup.identity.players))?;
        }
        let mut outputs = Self { trace, ..Self::new(folder, progress, games, records) };
        if outputs.records.is_some() {
            // From now on records that are there are known to be of this run.
            outputs.save()?;
        }
        Ok(outputs)
    }

    /// The files of a run that was interrupted.
    pub(crate) fn resume(folder: RunFolder, progress: Checkpoint) -> Result<Self, OutputError> {
        let records = progress
            .records
            .as_ref()
            .map(|records| (Path::new(&records.file).to_owned(), &records.end));
        let games = progress.games_csv.as_ref().map(|end| (folder.path().join(GAMES), end));
        records
            .iter()
            .chain(&games)
            .try_for_each(|(path, end)| AppendFile::ensure_unchanged(path, end))?;
        let [records, games] = [records, games]
            .map(|file| file.map(|(path, end)| AppendFile::resume(&path, end)).transpose());
        let (records, games) = (records?, games?);
        folder.remove_run()?;
        Ok(Self::new(folder, progress, games, records))
    }

    fn new(
        folder: RunFolder,
        progress: Checkpoint,
        games: Option<AppendFile>,
        records: Option<AppendFile>,
    ) -> Self {
        let (started, seconds_before) = (Instant::now(), progress.seconds);
        Self {
            folder,
            progress,
            games,
            records,
            trace: None,
            started,
            seconds_before,
            next_saving: started,
        }
    }

    /// How far the run has come.
    pub(crate) fn checkpoint(&self) -> &Checkpoint {
        &self.progress
    }

    /// Wall time of the run so far in seconds, without the time between an interrupt and going on.
    pub(crate) fn elapsed_seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }

    /// Takes what the next blocks brought, and saves it if it is time.
    pub(crate) fn add_batch(&mut self, batch: &BlockBatch) -> Result<(), OutputError> {
        if let (Some(file), Some(RecordsFile { encoder, .. })) =
            (&mut self.records, &mut self.progress.records)
        {
            for (block, lines) in batch.blocks.clone().zip(&batch.records) {
                let bytes = encoder.add(block, lines).map_err(|error| file.unwritable(error))?;
                file.append(&bytes)?;
            }
        }
        if let Some(file) = &mut self.games {
            let context = TableContext {
                bots: &self.progress.setup.question.bots,
                distinct_bots: &[],
                provenance: &self.progress.setup.question.data.provenance,
                intervals: None,
            };
            file.append(&csv::games(&context, &batch.game_rows))?;
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

    /// Takes a part of the run that was played elsewhere, with its table of games if that is
    /// wanted.
    pub(crate) fn add_shard(&mut self, tally: &Tally, games: Option<File>) -> anyhow::Result<()> {
        if let (Some(file), Some(mut games)) = (&mut self.games, games) {
            let heading = csv::games_heading(self.progress.setup.identity.players).len();
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
            records.end = file.save()?;
        }
        if let (Some(file), Some(end)) = (&mut self.games, &mut self.progress.games_csv) {
            *end = file.save()?;
        }
        self.progress.seconds = self.elapsed_seconds();
        self.progress.write(&self.folder)?;
        self.next_saving = Instant::now() + SAVING_PAUSE.max(begun.elapsed() * PAUSES_PER_SAVING);
        Ok(())
    }

    /// Ends the run, whole or interrupted: gives the files their names and writes the tables. What
    /// it can go on from, or be merged by, stays.
    pub(crate) fn finish<G: FullGame>(mut self, game: &G) -> Result<Checkpoint, OutputError> {
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
        if self.progress.is_complete() && self.progress.setup.question.shard.is_none() {
            self.folder.remove(checkpoint::FILE)?;
        }
        Ok(self.progress)
    }
}
