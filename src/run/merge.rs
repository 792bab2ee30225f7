//! `watershed merge`: makes one run of the parts that `simulate --shard` played.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use clap::Args;

use crate::{
    arena::{schedule::Shard, tally::Tally},
    bots::profile::BotLibrary,
    config::Document,
    game::FullGame,
    games::{GameName, GameTask},
    identity::SOURCE_SHA256,
    report::terminal::{print, print_info},
    run::{
        ExitStatus,
        checkpoint::{self, Checkpoint},
        files::lock_to_read,
        manifest::{self, RunIdentity, RunSetup, SavedManifest},
        outputs::{RunWriter, lock_folder},
    },
    study::simulate::results::{GAMES, Results},
};

#[derive(Args, Debug)]
#[command(
    after_help = "The files are byte for byte those of one run, but for `timing` in run.json. \
Records are not merged: files of records that are put one after another, as by cat, are a file of \
records.

Example:
  watershed merge shards/1 shards/2 shards/3 --out results/whole"
)]
pub(crate) struct Arguments {
    /// The folders of all parts, in any order
    #[arg(value_name = "DIR", required = true)]
    parts: Vec<PathBuf>,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// No messages
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let mut parts = arguments
        .parts
        .iter()
        .map(|folder| Part::read(folder))
        .collect::<anyhow::Result<Vec<_>>>()?;
    same_run(&parts)?;
    parts.sort_by_key(|part| part.shard.index);
    all_there(&parts)?;
    let out = fs::canonicalize(&arguments.out).ok();
    if let Some(part) =
        parts.iter().find(|part| out.is_some() && fs::canonicalize(&part.folder).ok() == out)
    {
        bail!(
            "--out: expected another folder than those of the parts, found {}",
            part.folder.display()
        );
    }
    let Checkpoint { setup, data, .. } = parts[0].progress.clone();
    let game = GameName::from_name(&setup.identity.game).with_context(|| {
        format!("{}: there is no game {:?}", parts[0].folder.display(), setup.identity.game)
    })?;
    let document = Document { name: setup.question.data.config, text: data };
    game.bind_and_run(&document, setup.identity.players, Merge { arguments, parts: &parts })?
}

/// A part of a run, in its folder.
struct Part {
    folder: PathBuf,
    /// Keeps runs from writing to the folder.
    _lock: Option<File>,
    shard: Shard,
    progress: Checkpoint,
}

impl Part {
    /// Reads a part and makes sure that all of it is there.
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let name = folder.display();
        let lock = lock_to_read(folder)?;
        let progress = Checkpoint::read(folder)?;
        let Some((progress, shard)) = progress
            .and_then(|progress| progress.setup.question.shard.map(|shard| (progress, shard)))
        else {
            bail!(
                "{name}: holds no part of a run; expected the folder of a `simulate --shard`, with \
                    its {}",
                checkpoint::FILE
            );
        };
        let RunSetup { identity: RunIdentity { build, .. }, question } = &progress.setup;
        ensure!(
            build.source_sha256 == SOURCE_SHA256,
            "{name}: was played by another build, of the sources {}; expected the sources \
                {SOURCE_SHA256} of this build",
            build.source_sha256
        );
        let document = Document { name: String::new(), text: progress.data.clone() };
        ensure!(
            document.sha256() == question.data.config_sha256,
            "{name}: {} was changed: its data is not what its hash says",
            checkpoint::FILE
        );
        let blocks = progress.setup.blocks();
        ensure!(
            progress.is_complete(),
            "{name}: is not complete: {} of {} blocks are saved; `simulate --resume` goes on",
            progress.tally.blocks,
            blocks.end - blocks.start
        );
        let Some(written) = SavedManifest::read(folder) else {
            bail!(
                "{name}: has no {} of this version; `simulate --resume` writes it",
                manifest::FILE
            );
        };
        ensure!(
            written.complete,
            "{name}: is not complete, says its {}; `simulate --resume` goes on",
            manifest::FILE
        );
        ensure!(
            written.setup == progress.setup,
            "{name}: {} and {} are of different runs; expected those of one part",
            manifest::FILE,
            checkpoint::FILE
        );
        if let Some(end) = &progress.games_csv {
            let file = File::open(folder.join(GAMES)).and_then(|mut file| {
                Ok(file.metadata()?.len() == end.length && end.matches(&mut file)?)
            });
            ensure!(
                file.is_ok_and(|same| same),
                "{name}: {GAMES} was changed; expected the file as the run left it"
            );
        }
        Ok(Self { folder: folder.to_owned(), _lock: lock, shard, progress })
    }

    /// The run this is a part of.
    fn whole(&self) -> Checkpoint {
        Checkpoint {
            setup: self.progress.setup.without_shard(),
            records: None,
            ..self.progress.clone()
        }
    }
}

/// Makes sure that all parts are of the run of the first.
fn same_run(parts: &[Part]) -> anyhow::Result<()> {
    let first = &parts[0];
    for part in &parts[1..] {
        let [name, of_first] = [&part.folder, &first.folder].map(|folder| folder.display());
        if let Some(difference) = first.whole().first_difference(&part.whole()) {
            bail!("{name}: is no part of the run of {of_first}: its {difference}");
        }
        ensure!(
            part.shard.count == first.shard.count,
            "{name}: is part {}, and {of_first} is part {}",
            part.shard,
            first.shard
        );
    }
    Ok(())
}

/// Makes sure that of these parts in their order none is missing and none is there twice.
fn all_there(parts: &[Part]) -> anyhow::Result<()> {
    for pair in parts.windows(2) {
        let [one, other] = [&pair[0], &pair[1]].map(|part| part.folder.display());
        ensure!(
            pair[0].shard != pair[1].shard,
            "{one} and {other}: are the same part, {}",
            pair[0].shard
        );
    }
    let of = parts[0].shard.count;
    let next = parts.iter().zip(1..).find(|(part, index)| part.shard.index != *index);
    if let Some((part, index)) = next {
        bail!(
            "{}: is part {}, and there is no part {index}/{of} before it",
            part.folder.display(),
            part.shard
        );
    }
    let last = &parts[parts.len() - 1];
    ensure!(
        last.shard.index == of,
        "{}: is part {}, and there is no part {}/{of} after it",
        last.folder.display(),
        last.shard,
        last.shard.index + 1
    );
    Ok(())
}

struct Merge<'a> {
    arguments: &'a Arguments,
    parts: &'a [Part],
}

impl GameTask for Merge<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, _library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, parts } = self;
        let mut whole = parts[0].whole();
        whole.tally = Tally::for_game(game, whole.setup.distinct_bots().len());
        whole.threads = parts.iter().map(|part| part.progress.threads).max().unwrap_or(0);
        whole.seconds = parts.iter().map(|part| part.progress.seconds).sum();
        for part in parts {
            ensure!(
                part.progress.tally.has_same_shape(&whole.tally),
                "{}: {} was changed: it is not of this game",
                part.folder.display(),
                checkpoint::FILE
            );
        }
        let out = lock_folder(&arguments.out, game, &[])?;
        out.ensure_writable(arguments.force)?;
        let mut outputs = RunWriter::create(out, whole, None, arguments.force)?;
        for Part { folder, progress, .. } in parts {
            let games = match progress.games_csv {
                Some(_) => Some(
                    File::open(folder.join(GAMES))
                        .with_context(|| folder.join(GAMES).display().to_string())?,
                ),
                None => None,
            };
            outputs.add_shard(&progress.tally, games)?;
        }
        let whole = outputs.finish(game)?;
        print(&Results { game, progress: &whole }.text());
        if !arguments.quiet {
            print_info(&format!(
                "{} games of {} parts, written to {}; report.html shows it",
                whole.tally.games,
                parts.len(),
                arguments.out.display()
            ));
        }
        Ok(ExitStatus::Success)
    }
}
