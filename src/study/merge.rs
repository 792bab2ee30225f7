//! `watershed merge`: joins the shards that `simulate --shard` played.

use std::{
    fs::{self, File},
    io::{Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use clap::Args;

use super::simulate::{results::write_results, tables::games_header};
use crate::{
    arena::{schedule::Shard, tally::Tally},
    bots::profile::BotLibrary,
    config::Document,
    game::FullGame,
    games::{GameList, GameTask},
    identity::SOURCE_SHA256,
    report::terminal::print_info,
    run::{
        ExitStatus,
        arguments::find_game,
        checkpoint::{self, Checkpoint, GAMES},
        files::{lock_folder, lock_to_read},
        manifest::{self, RunIdentity, RunSetup, SavedManifest},
        writer::RunWriter,
    },
};

#[derive(Args, Debug)]
#[command(after_help = "\
The output files have the same bytes as those of an undivided run, except `timing` in run.json.
Records are not merged; concatenated files of records, as by cat, are a file of records.

Example:
  watershed merge shards/1 shards/2 shards/3 --out results/whole")]
pub(crate) struct Arguments {
    /// Read the shards from these folders, in any order
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,
    /// Set the output folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// Print no messages
    #[arg(long)]
    quiet: bool,
    /// Print the tables as one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Merges shards.
pub(crate) fn run<L: GameList>(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let read = |folder: &PathBuf| SavedShard::read(folder);
    let mut shards = arguments.shards.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    ensure_same_run(&shards)?;
    shards.sort_by_key(|saved| saved.shard.index);
    ensure_all_shards(&shards)?;
    let out = fs::canonicalize(&arguments.out).ok();
    let is_output =
        |saved: &&SavedShard| out.is_some() && fs::canonicalize(&saved.folder).ok() == out;
    if let Some(saved) = shards.iter().find(is_output) {
        bail!("--out: expected a folder other than the shards, found {}", saved.folder.display());
    }
    let Checkpoint { setup, data, .. } = shards[0].checkpoint.clone();
    let RunIdentity { game: name, players, .. } = setup.identity;
    let folder = shards[0].folder.display();
    find_game::<L>(&name).with_context(|| format!("{folder}: game"))?;
    let document = Document { name: setup.question.data.config, text: data };
    L::bind_and_run(&name, &document, players, MergeTask { arguments, shards: &shards })?
}

/// A shard of a run in its folder.
struct SavedShard {
    folder: PathBuf,
    /// Keeps runs from writing to the folder.
    _lock: Option<File>,
    shard: Shard,
    checkpoint: Checkpoint,
}

impl SavedShard {
    /// Reads a shard.
    ///
    /// # Errors
    /// If it is not complete, was changed, or was played by another build.
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let name = folder.display();
        let lock = lock_to_read(folder)?;
        let checkpoint = Checkpoint::read(folder)?;
        let with_shard = |run: Checkpoint| run.setup.question.shard.map(|shard| (run, shard));
        let (checkpoint, shard) = checkpoint.and_then(with_shard).with_context(|| {
            format!(
                "{name}: holds no shard of a run; expected the folder of a `simulate --shard`, \
                 with its {}",
                checkpoint::FILE
            )
        })?;
        let RunSetup { identity: RunIdentity { build, .. }, question } = &checkpoint.setup;
        ensure!(
            build.source_sha256 == SOURCE_SHA256,
            "{name}: was played by another build, of the sources {}; expected the sources \
             {SOURCE_SHA256} of this build",
            build.source_sha256
        );
        let document = Document { name: String::new(), text: checkpoint.data.clone() };
        ensure!(
            document.sha256() == question.data.config_sha256,
            "{name}: {} was changed: its data does not have the SHA-256 that it states",
            checkpoint::FILE
        );
        let blocks = checkpoint.setup.blocks();
        ensure!(
            checkpoint.is_complete(),
            "{name}: is not complete: {} of {} blocks are saved; continue with `simulate --resume`",
            checkpoint.tally.blocks,
            blocks.end - blocks.start
        );
        let Some(saved) = SavedManifest::read(folder) else {
            bail!(
                "{name}: has no {} of this version; `simulate --resume` writes it",
                manifest::FILE
            );
        };
        ensure!(
            saved.complete,
            "{name}: is not complete according to its {}; continue with `simulate --resume`",
            manifest::FILE
        );
        ensure!(
            saved.setup == checkpoint.setup,
            "{name}: {} and {} are of different runs; expected those of one shard",
            manifest::FILE,
            checkpoint::FILE
        );
        if let Some(end) = &checkpoint.games_csv {
            let is_unchanged = File::open(folder.join(GAMES)).and_then(|mut file| {
                Ok(file.metadata()?.len() == end.length && end.matches(&mut file)?)
            });
            ensure!(
                matches!(is_unchanged, Ok(true)),
                "{name}: {GAMES} was changed; expected the file as the run wrote it"
            );
        }
        Ok(Self { folder: folder.to_owned(), _lock: lock, shard, checkpoint })
    }

    /// Returns the checkpoint of the run of which this is a shard.
    fn whole_run(&self) -> Checkpoint {
        let mut whole = Checkpoint { records: None, ..self.checkpoint.clone() };
        whole.setup.question.shard = None;
        whole
    }
}

/// Checks that all shards are of the same run.
fn ensure_same_run(shards: &[SavedShard]) -> anyhow::Result<()> {
    let first = &shards[0];
    for other in &shards[1..] {
        let [name, first_name] = [other, first].map(|saved| saved.folder.display());
        if let Some(difference) = first.whole_run().first_difference(&other.whole_run()) {
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
fn ensure_all_shards(shards: &[SavedShard]) -> anyhow::Result<()> {
    for pair in shards.windows(2) {
        let [one, other] = [&pair[0], &pair[1]].map(|saved| saved.folder.display());
        let shard = pair[0].shard;
        ensure!(shard != pair[1].shard, "{one} and {other}: are the same shard, {shard}");
    }
    let count = shards[0].shard.count;
    let last = &shards[shards.len() - 1];
    let is_misplaced = |(saved, index): &(&SavedShard, u64)| saved.shard.index != *index;
    let misplaced = shards.iter().zip(1..).find(is_misplaced);
    let missing =
        misplaced.or_else(|| (last.shard.index < count).then(|| (last, last.shard.index + 1)));
    if let Some((saved, index)) = missing {
        let name = saved.folder.display();
        bail!("{name}: is shard {}, and shard {index}/{count} is missing", saved.shard);
    }
    Ok(())
}

struct MergeTask<'a> {
    arguments: &'a Arguments,
    shards: &'a [SavedShard],
}

impl GameTask for MergeTask<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, _library: &BotLibrary<G>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, shards } = self;
        let mut whole = shards[0].whole_run();
        whole.tally = Tally::for_game(game, whole.setup.distinct_bots().len());
        whole.panel.fill(Tally::for_game(game, 1));
        whole.threads = shards.iter().map(|saved| saved.checkpoint.threads).max().unwrap_or(0);
        whole.seconds = shards.iter().map(|saved| saved.checkpoint.seconds).sum();
        for SavedShard { folder, checkpoint, .. } in shards {
            ensure!(
                checkpoint.has_same_shape(&whole),
                "{}: {} was changed: it is of another game",
                folder.display(),
                checkpoint::FILE
            );
        }
        let folder = lock_folder(&arguments.out, game, &[])?;
        folder.ensure_writable(arguments.force)?;
        let header = games_header(whole.setup.identity.players);
        let mut writer = RunWriter::create(folder, whole, &header, None, arguments.force)?;
        for SavedShard { folder, checkpoint, .. } in shards {
            let path = folder.join(GAMES);
            let open = |_| {
                let mut file = File::open(&path)?;
                file.seek(SeekFrom::Start(header.len() as u64)).map(|_| file)
            };
            let games = checkpoint.games_csv.as_ref().map(open).transpose();
            let games = games.with_context(|| path.display().to_string())?;
            writer.add_shard(&checkpoint.tally, &checkpoint.panel, games)?;
        }
        let (folder, whole) = writer.finish()?;
        write_results(game, &folder, &whole, arguments.json)?;
        if !arguments.quiet {
            print_info(&format!(
                "{} games of {} shards, written to {}; see report.html",
                whole.tally.games,
                shards.len(),
                arguments.out.display()
            ));
        }
        Ok(ExitStatus::Success)
    }
}
