//! `watershed balance ablate`: what every item of a game is worth.

use std::{path::PathBuf, time::Instant};

use anyhow::{Context as _, bail};
use clap::Args;

use super::super::{
    Ending, note, print,
    progress::{progress_bar, stop_on_interrupt},
    selection::{DEFAULT_OUT, DEFAULT_SEED, GameArguments, Selection, read_bots, thread_pool},
};
use crate::{
    arena::{
        appraisal::{Appraisal, Appraiser},
        run::Experiment,
    },
    bots::profile::{Library, Profile, Spec},
    game::FullGame,
    games::Task,
    report::{
        manifest::{self, Timing},
        output::RunFolder,
        values::{Rung, ValuesManifest, ValuesReport},
    },
    search::heuristic::Heuristic,
};

#[derive(Args, Debug)]
#[command(
    after_help = "Each deal is played twice. As the bots like it: `association` sets seats that took an item against those that could have and did \
not; `adjusted` sets seats that took it when it first came up against those that did not, after seat, place in the turn order, bot, round and the value \
of the position are taken into account by linear regression. And with a random assignment: when an item first comes up, a seat is enrolled with the \
chance --rate, and a fair coin grants it (it must be taken at once) or refuses it (it may not be taken in this game); `causal` sets the seats to which it was \
granted against those to which it was refused. Only the last says what the item brings; the bots' searches know nothing of the assignment beyond the decision at hand.

values.csv has a row per item and measure (win share, score, rounds) with all three, their intervals over blocks, their p-values, and those by \
Holm's method for all items of the table. Flags: `disagree`, association and causal effect have intervals apart; `strong` and `weak`, the \
causal effect is above or below the mean of the other items of the table (Holm, 5 %); `flips`, it has another sign with another bot of the ladder.

Examples:
  watershed balance ablate
  watershed balance ablate --players 3 --bots 'balanced*' --games 200000 --out results/values
  watershed balance ablate --ladder random,balanced,mcts:iterations=100 --games 2000"
)]
pub(in super::super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// One bot per seat: names of profiles, paths, or kind:key=value:key=value; `name*` fills all seats [default: balanced*]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    bots: Option<Vec<String>>,
    /// Bots from weak to strong; all is done once for each, in all seats
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', conflicts_with = "bots")]
    ladder: Option<Vec<String>>,
    /// How many games without assignment, rounded up to whole blocks, and as many with it
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    games: u64,
    /// The chance with which a seat is enrolled when an item comes up, above 0 and at most 1
    #[arg(long, value_name = "X", default_value_t = 0.1, value_parser = rate)]
    rate: f64,
    /// The heuristic that values positions [default: what was learned for so many players, or balanced]
    #[arg(long, value_name = "BOT")]
    value: Option<String>,
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

/// So many games that no sum of squares overflows.
const MOST_GAMES: u64 = 1_000_000_000;

const DEFAULT_BOT: &str = "balanced";

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|&rate: &f64| rate > 0.0 && rate <= 1.0);
    rate.ok_or_else(|| "expected a chance above 0 and at most 1, as in 0.1".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let selection = arguments.game.resolve()?;
    let pool = thread_pool(arguments.threads)?;
    pool.install(|| selection.game.with(&selection.document, selection.players, Ablate { arguments, selection: &selection }))?
}

struct Ablate<'a> {
    arguments: &'a Arguments,
    selection: &'a Selection,
}

impl Task for Ablate<'_> {
    type Output = anyhow::Result<Ending>;

    fn run<G: FullGame>(self, game: &G, library: &Library<'_>) -> anyhow::Result<Ending> {
        let Self { arguments, selection } = self;
        let rungs = read_rungs(arguments, library, selection.players)?;
        let (value_name, value) = read_value(arguments, library)?;
        let folder =
            RunFolder::create(&arguments.out.clone().unwrap_or_else(|| DEFAULT_OUT.into()), arguments.force || arguments.out.is_none())?;
        let sha256 = selection.document.sha256();
        let experiments: Vec<_> = rungs.iter().map(|bots| experiment(game, selection, &sha256, bots, arguments)).collect();
        let planned = experiments.iter().map(|experiment| 2 * experiment.blocks.end * experiment.rotations().len()).sum();
        let started = Instant::now();
        let stop = stop_on_interrupt()?;
        let bar = progress_bar(planned, arguments.quiet);
        let mut appraisals: Vec<Appraisal> = Vec::new();
        for experiment in &experiments {
            bar.set_message(bots_text(experiment.bots));
            appraisals.push(Appraiser { experiment, value: &value, rate: arguments.rate }.run(stop, &|games| bar.inc(games)));
        }
        bar.finish_and_clear();

        let games = appraisals.iter().map(|appraisal| appraisal.games).sum();
        let wall_seconds = started.elapsed().as_secs_f64();
        let rungs = rungs.iter().zip(&appraisals).map(|(bots, appraisal)| Rung { bots: bots_text(bots), profiles: bots, appraisal });
        let report = ValuesReport::new(game.tables(), rungs.collect(), &selection.provenance);
        let tables = [("values.csv", report.csv())];
        let manifest = ValuesManifest {
            format: manifest::FORMAT,
            command: command(arguments, selection, &value_name),
            version: env!("CARGO_PKG_VERSION"),
            game: selection.game.as_str(),
            config: &selection.document.name,
            config_sha256: &sha256,
            provenance: &selection.provenance,
            players: selection.players,
            bots: report.bots(),
            seed: arguments.seed,
            rate: arguments.rate,
            value: &value_name,
            games_planned: planned,
            complete: games == planned,
            blocks: appraisals.iter().map(|appraisal| appraisal.blocks).sum(),
            games,
            capped_games: appraisals.iter().map(|appraisal| appraisal.capped).sum(),
            files: tables.iter().map(|(name, _)| (*name).to_owned()).collect(),
            timing: Timing {
                threads: rayon::current_num_threads(),
                wall_seconds,
                games_per_second: games as f64 / wall_seconds.max(1e-9),
            },
        };
        // The manifest goes first and comes last: beside it, every file is of its run.
        folder.remove_run()?;
        for (name, contents) in &tables {
            folder.write(name, contents)?;
        }
        folder.write(manifest::FILE, &manifest.to_json()?)?;

        print(&format!("{}\n{}", manifest.command, report.text()));
        if !arguments.quiet {
            let games_per_second = manifest.timing.games_per_second;
            note(&format!("{games} games in {wall_seconds:.1} s ({games_per_second:.0} a second), written to {}", folder.path().display()));
        }
        if manifest.complete {
            return Ok(Ending::Done);
        }
        note(&format!("interrupted: {games} of {planned} games are done and written, marked as incomplete"));
        Ok(Ending::No)
    }
}

/// The bots in the seats, once or for each rung of the ladder.
fn read_rungs(arguments: &Arguments, library: &Library<'_>, players: usize) -> anyhow::Result<Vec<Vec<Profile>>> {
    let Some(ladder) = &arguments.ladder else {
        let names = arguments.bots.clone().unwrap_or_else(|| vec![format!("{DEFAULT_BOT}*")]);
        return Ok(vec![read_bots(library, players, &names)?]);
    };
    if let Some((_, name)) = ladder.iter().enumerate().find(|(index, name)| ladder[..*index].contains(name)) {
        bail!("--ladder: expected different bots, found `{name}` twice");
    }
    let rung = |name: &String| library.read(name).context("--ladder").map(|bot| vec![bot; players]);
    ladder.iter().map(rung).collect()
}

/// The name of the heuristic that values positions, and the heuristic.
fn read_value(arguments: &Arguments, library: &Library<'_>) -> anyhow::Result<(String, Heuristic)> {
    let name = arguments.value.as_deref().or(library.default_value).unwrap_or(DEFAULT_BOT);
    match library.read(name).context("--value")?.spec {
        Spec::Heuristic(heuristic) => Ok((name.to_owned(), *heuristic)),
        _ => bail!("--value: expected a bot of the kind `heuristic`, found `{name}`"),
    }
}

fn experiment<'a, G: FullGame>(
    game: &'a G,
    selection: &Selection,
    sha256: &'a str,
    bots: &'a [Profile],
    arguments: &Arguments,
) -> Experiment<'a, G> {
    let experiment = Experiment {
        game,
        game_name: selection.game.as_str(),
        config_sha256: sha256,
        bots,
        seed: arguments.seed,
        blocks: 0..0,
        opening_steps: 0,
        records: false,
        legal: false,
        games: false,
        trace: false,
    };
    let blocks = 0..experiment.rotations().blocks_for(arguments.games);
    Experiment { blocks, ..experiment }
}

/// The bots of a table in short.
fn bots_text(bots: &[Profile]) -> String {
    match bots {
        [first, rest @ ..] if rest.iter().all(|bot| bot.name == first.name) => format!("{}*", first.name),
        bots => bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>().join(","),
    }
}

/// The command that makes the run again, whatever its threads and folders were.
fn command(arguments: &Arguments, selection: &Selection, value: &str) -> String {
    let bots = match (&arguments.ladder, &arguments.bots) {
        (Some(ladder), _) => format!("--ladder {}", ladder.join(",")),
        (None, Some(bots)) => format!("--bots '{}'", bots.join(",")),
        (None, None) => format!("--bots '{DEFAULT_BOT}*'"),
    };
    let Arguments { games, rate, seed, .. } = arguments;
    format!("watershed balance ablate {} {bots} --games {games} --rate {rate} --value {value} --seed {seed}", selection.flags())
}
