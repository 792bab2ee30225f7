//! `watershed balance luck`: how much each source of chance decides.

use std::{path::PathBuf, time::Instant};

use anyhow::Context as _;
use clap::Args;

use crate::{
    arena::luck::Luck,
    bots::{self, profile::Library},
    cli::{
        Ending, note, print,
        progress::{progress_bar, stop_on_interrupt},
        selection::{DEFAULT_OUT, DEFAULT_SEED, GameArguments, Selection, read_bots, thread_pool},
    },
    game::FullGame,
    games::Task,
    report::{
        luck::LuckReport,
        manifest::{self, LuckManifest, Timing},
        output::RunFolder,
    },
};

const DEFAULT_GAMES: u64 = 20_000;
/// Sums of fourth powers of differences of scores stay within their integers.
const MOST_GAMES: u64 = 10_000_000;

#[derive(Args, Debug)]
#[command(
    after_help = "Every source of chance of a game has a random stream of its own (in The River: seats, boards, tiles, buildings), and the bots' own dice are \
one more. Games that share only one stream, and games that share all but one, tell how much of the variance of the outcome that source explains: by \
itself (the first-order Sobol index), and with its interactions with the others (the total index), by Jansen's estimators, with 95 % intervals over \
blocks. An estimate of nearly nothing may be a little below 0, and one of nearly all above 100 %.

luck.csv has these for the win share and the score of each seat and of all together.

Examples:
  watershed balance luck
  watershed balance luck --game glassworks --players 3 --games 100000
  watershed balance luck --bots mcts:iterations=100* --games 2000 --out results/luck"
)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// One bot per seat: names of profiles, paths, or kind:key=value:key=value; `name*` fills all seats [default: the game's first, in all seats]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    bots: Option<Vec<String>>,
    /// How many games, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GAMES, value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    games: u64,
    /// The master seed; with the same seed everything is the same
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// The folder to write to [default: results/latest, which is overwritten]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let selection = arguments.game.resolve()?;
    let pool = thread_pool(arguments.threads)?;
    pool.install(|| selection.game.with(&selection.document, selection.players, Study { arguments, selection: &selection }))?
}

struct Study<'a> {
    arguments: &'a Arguments,
    selection: &'a Selection,
}

impl Task for Study<'_> {
    type Output = anyhow::Result<Ending>;

    fn run<G: FullGame>(self, game: &G, library: &Library<'_>) -> anyhow::Result<Ending> {
        let Self { arguments, selection } = self;
        let first = library.profiles.first().context("--bots: expected a bot, found no profile")?.0;
        let names = arguments.bots.clone().unwrap_or_else(|| vec![format!("{first}*")]);
        let profiles = read_bots(library, selection.players, &names)?;
        let games_per_block = Luck::games_per_block(game);
        let blocks = arguments.games.div_ceil(games_per_block);
        let games_planned = blocks * games_per_block;
        let folder =
            RunFolder::create(&arguments.out.clone().unwrap_or_else(|| DEFAULT_OUT.into()), arguments.force || arguments.out.is_none())?;

        let started = Instant::now();
        let bar = progress_bar(games_planned, arguments.quiet);
        let stop = stop_on_interrupt()?;
        let table = || profiles.iter().map(|bot| bots::build(&bot.spec)).collect();
        let tally = Luck { game, seed: arguments.seed, blocks: 0..blocks }.run(stop, table, &|games| bar.inc(games));
        bar.finish_and_clear();
        let complete = tally.games == games_planned;

        let sources: Vec<_> = game.sources().iter().copied().chain(["bots"]).collect();
        let report = LuckReport { sources: &sources, players: selection.players, tally: &tally, provenance: &selection.provenance };
        let wall_seconds = started.elapsed().as_secs_f64();
        let bot_names: Vec<_> = profiles.iter().map(|bot| bot.name.as_str()).collect();
        let manifest = LuckManifest {
            format: manifest::FORMAT,
            command: format!(
                "watershed balance luck {} --bots {} --games {} --seed {}",
                selection.flags(),
                bot_names.join(","),
                arguments.games,
                arguments.seed
            ),
            version: env!("CARGO_PKG_VERSION"),
            game: selection.game.as_str(),
            config: &selection.document.name,
            config_sha256: selection.document.sha256(),
            provenance: &selection.provenance,
            players: selection.players,
            bots: profiles.iter().map(Into::into).collect(),
            seed: arguments.seed,
            games_planned,
            games_per_block,
            complete,
            blocks: tally.blocks,
            games: tally.games,
            files: vec![FILE.to_owned()],
            timing: Timing {
                threads: rayon::current_num_threads(),
                wall_seconds,
                games_per_second: tally.games as f64 / wall_seconds.max(1e-9),
            },
        };
        // The manifest goes first and comes last: beside it, every file is of its run.
        folder.remove_run()?;
        folder.write(FILE, &report.csv())?;
        folder.write(manifest::FILE, &manifest.to_json())?;

        print(&format!("{}\n{}", manifest.command, report.text()));
        if !arguments.quiet {
            let games_per_second = manifest.timing.games_per_second;
            let folder = folder.path().display();
            note(&format!("{} games in {wall_seconds:.1} s ({games_per_second:.0} a second), written to {folder}", tally.games));
        }
        if !complete {
            note(&format!("interrupted: {} of {games_planned} games are done and written, marked as incomplete", tally.games));
        }
        Ok(if complete { Ending::Done } else { Ending::No })
    }
}

const FILE: &str = "luck.csv";
