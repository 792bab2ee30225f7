//! `watershed match`: bots against each other, with ratings and a sequential test.

pub mod pairing;
pub mod tables;

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Instant,
};

use anyhow::{Context as _, bail};
use clap::{ArgAction, Args};
use indicatif::ProgressBar;

use crate::{
    arena::{
        run::{BlockBatch, Experiment},
        schedule::Rotations,
    },
    bots::profile::{BotLibrary, Profile},
    game::{FullGame, UNITS_PER_WIN},
    games::GameTask,
    identity::Build,
    report::{
        terminal::{print, print_info},
        text::format_with_interval,
    },
    run::{
        ExitStatus,
        arguments::{
            DEFAULT_OUT, DEFAULT_SEED, GameArguments, GameSelection, build_thread_pool,
            max_parallel_tasks,
        },
        count::count,
        manifest::{self, Timing},
        outputs::lock_folder,
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
        shell::shell_quote,
        study_manifest::{ManifestHeader, MatchManifest, SequentialTest},
    },
    stats::sprt::{Hypotheses, Sprt, Verdict},
    study::matches::{
        pairing::{MatchMode, MatchTally, Pairing},
        tables::{Standings, points_with_interval},
    },
};

const DEFAULT_GAMES: u64 = 1000;
/// A test ends by itself, and is seldom as long.
const DEFAULT_GAMES_OF_TEST: u64 = 100_000;

#[derive(Args, Debug)]
#[command(
    after_help = "A pairing is one of a bot against as many copies of another as there are other \
seats, in all rotations; a round robin of more than two players has it both ways. Elo is \
400·log10((n-1)·p/(1-p)), with p the bot's share of the games that somebody won, in one of n seats \
against copies of the other bot. The Plackett-Luce strength comes from one fit to the rankings of \
all games, second and third places included; 400 points are odds of ten to one. Both are relative \
to the first bot. They differ where the model does not fit, which the program reports.

With --sprt the exit code is 0 if H1 is accepted, that is if the first bot is rather elo1 than \
elo0 points stronger than the second, and 1 otherwise.

Examples:
  watershed match --bots balanced,builder,settler,meadow
  watershed match --players 3 --bots balanced,builder,random --games 3k
  watershed match --bots mcts:iterations=1000,network2,learned2 \\
      --mode gauntlet --games 200 --out results/gauntlet
  watershed match --bots mine.toml,balanced --sprt 0,10,0.05,0.05"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The bots, two or more: names of profiles, paths, or kind:key=value:key=value
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set, required = true)]
    bots: Vec<String>,
    /// How many games each pairing has, rounded up to whole blocks; the most with --sprt [default:
    /// 1000, with --sprt 100000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=u64::MAX))]
    games: Option<u64>,
    /// Who meets whom [default: round-robin]
    #[arg(long, value_enum, conflicts_with = "sprt")]
    mode: Option<MatchMode>,
    /// Test two bots block after block until it is clear whether the first is elo1 or elo0 points
    /// stronger
    #[arg(long, value_name = "elo0,elo1,alpha,beta", allow_hyphen_values = true)]
    sprt: Option<Hypotheses>,
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

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve()?;
    selection.run_on_this_thread(Match { arguments, selection: &selection })
}

struct Match<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
}

impl GameTask for Match<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let bots = read_different_bots(library, &arguments.bots)?;
        if arguments.sprt.is_some() && bots.len() != 2 {
            bail!("--sprt: expected two bots, found {}", bots.len());
        }
        if selection.players < 2 {
            bail!("--players: expected 2 or more for a match, found {}", selection.players);
        }
        if game.is_cooperative() {
            bail!(
                "{}: all seats win or lose together, so that no bot can win more than another at \
                 its table; expected a game in which seats win apart, or `watershed simulate` with \
                 the same bot in all seats, once for each bot",
                selection.document.name
            );
        }
        let schedule = Schedule::new(arguments, bots.len(), selection.players)?;
        let pool = build_thread_pool(
            arguments.threads,
            max_parallel_tasks(schedule.blocks_per_pairing, &bots),
            arguments.quiet,
        )?;
        let out = arguments.out.as_deref().unwrap_or(Path::new(DEFAULT_OUT));
        let folder = lock_folder(out, game, &[("--config", selection.config.as_deref())])?;
        folder.ensure_writable(arguments.force || arguments.out.is_none())?;
        let sha256 = selection.document.sha256();
        let started = Instant::now();
        let mut play = Play {
            bots: &bots,
            tally: MatchTally::new(bots.len(), selection.players),
            sprt: arguments.sprt.map(|hypotheses| {
                Sprt::new(&hypotheses, selection.players, UNITS_PER_WIN * selection.players as i64)
            }),
            verdict: None,
            bar: progress_bar(schedule.games(), arguments.quiet),
        };
        let stop = stop_on_interrupt()?;
        pool.install(|| {
            for (pairing, blocks) in schedule.pairings() {
                let bots = pairing.lineup(&bots, selection.players);
                let experiment = Experiment {
                    game_rows: true,
                    ..Experiment::new(game, &bots, arguments.seed, blocks)
                };
                play.pairing(pairing, &experiment, stop);
            }
        });
        play.bar.finish_and_clear();

        let Play { tally, sprt, verdict, .. } = play;
        let wall_seconds = started.elapsed().as_secs_f64();
        let complete = verdict.is_some() || tally.games == schedule.games();
        let ratings = tally.rankings.ratings();
        let standings = Standings {
            bots: &bots,
            tally: &tally,
            ratings: &ratings,
            provenance: selection.provenance.as_str(),
        };
        let tables = [
            ("crosstable.csv", standings.crosstable_csv()),
            ("ratings.csv", standings.ratings_csv()),
        ];
        let command = command(arguments, selection, &schedule, &bots);
        let games_per_second = tally.games as f64 / wall_seconds.max(1e-9);
        let manifest = MatchManifest {
            heading: ManifestHeader::new("match", &command),
            version: env!("CARGO_PKG_VERSION"),
            build: Build::current(),
            game: selection.game.as_str(),
            config: &selection.document.name,
            config_sha256: &sha256,
            provenance: selection.provenance.as_str(),
            players: selection.players,
            mode: schedule.mode.as_str(),
            bots: bots.iter().map(Into::into).collect(),
            seed: arguments.seed,
            games_planned: schedule.games(),
            games_per_block: schedule.games_per_block,
            complete,
            blocks: tally.blocks,
            games: tally.games,
            capped_games: tally.capped,
            shared_wins: tally.shared_wins,
            nobody_won: tally.nobody_won,
            rounds_per_game: (&tally.rounds).into(),
            events: tally.events,
            sprt: arguments
                .sprt
                .as_ref()
                .zip(sprt.as_ref())
                .map(|(hypotheses, sprt)| sequential_test(hypotheses, sprt, verdict)),
            files: tables.iter().map(|(name, _)| (*name).to_owned()).collect(),
            timing: Timing {
                threads: pool.current_num_threads(),
                wall_seconds,
                games_per_second: Some(games_per_second),
            },
        };
        // The manifest goes first and comes last: beside it, every file is of its run.
        folder.remove_run()?;
        for (name, contents) in &tables {
            folder.write(name, contents)?;
        }
        folder.write(manifest::FILE, &manifest.to_json()?)?;

        print(&format!("{command}\n"));
        match &manifest.sprt {
            Some(test) => {
                print(&format!("{}\n{}", standings.summary(), test_text(&standings, test)))
            }
            None => print(&standings.text()),
        }
        if !arguments.quiet {
            let folder = folder.path().display();
            print_info(&format!(
                "{} games in {wall_seconds:.1} s ({games_per_second:.0} a second), written to \
                    {folder}",
                tally.games
            ));
        }
        if !complete {
            print_info(&format!(
                "interrupted: {} of {} games are done and written, marked as incomplete",
                tally.games,
                schedule.games()
            ));
        }
        let answer_is_no = arguments.sprt.is_some() && verdict != Some(Verdict::H1);
        Ok(if complete && !answer_is_no { ExitStatus::Success } else { ExitStatus::Negative })
    }
}

/// Reads the bots of a match, of which no two may have the same name.
fn read_different_bots(library: &BotLibrary<'_>, names: &[String]) -> anyhow::Result<Vec<Profile>> {
    if names.len() < 2 {
        bail!("--bots: expected at least two bots, found {}", names.len());
    }
    if let Some((_, name)) =
        names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
    {
        bail!("--bots: expected different bots, found `{name}` twice");
    }
    names.iter().map(|name| library.read(name).context("--bots")).collect()
}

/// Which pairings play which blocks.
struct Schedule {
    mode: MatchMode,
    players: usize,
    bots: usize,
    games_per_pairing: u64,
    games_per_block: u64,
    blocks_per_pairing: u64,
    games: u64,
}

impl Schedule {
    fn new(arguments: &Arguments, bots: usize, players: usize) -> anyhow::Result<Self> {
        // Of two bots a test asks about the first only.
        let mode = if arguments.sprt.is_some() {
            MatchMode::Gauntlet
        } else {
            arguments.mode.unwrap_or_default()
        };
        let asked = arguments.games.unwrap_or(if arguments.sprt.is_some() {
            DEFAULT_GAMES_OF_TEST
        } else {
            DEFAULT_GAMES
        });
        let seats: Vec<bool> = (0..players).map(|seat| seat == 0).collect();
        let rotations = Rotations::new(&seats);
        let blocks = rotations.blocks_for_games(asked);
        let pairings = mode.pairings(bots, players).len() as u64;
        let Some(games) = blocks
            .checked_mul(rotations.games_per_block())
            .and_then(|games| games.checked_mul(pairings))
        else {
            bail!(
                "--games: expected fewer than {}, found {asked}",
                u64::MAX / pairings - rotations.games_per_block()
            );
        };
        Ok(Self {
            mode,
            players,
            bots,
            games_per_pairing: asked,
            games_per_block: rotations.games_per_block(),
            blocks_per_pairing: blocks,
            games,
        })
    }

    /// Games of all pairings together.
    fn games(&self) -> u64 {
        self.games
    }

    /// The pairings with the blocks of each: all have deals of their own, so that they are
    /// independent.
    fn pairings(&self) -> impl Iterator<Item = (Pairing, Range<u64>)> {
        let blocks = self.blocks_per_pairing;
        let pairings = self.mode.pairings(self.bots, self.players);
        (0..)
            .zip(pairings)
            .map(move |(index, pairing)| (pairing, index * blocks..(index + 1) * blocks))
    }
}

/// A match that is being played.
struct Play<'a> {
    bots: &'a [Profile],
    tally: MatchTally,
    sprt: Option<Sprt>,
    verdict: Option<Verdict>,
    bar: ProgressBar,
}

/// A sequential test has its verdict, and what was played later does not count.
struct Decided;

impl Play<'_> {
    /// Plays a pairing until it is done, interrupted or decided.
    fn pairing<G: FullGame>(
        &mut self,
        pairing: Pairing,
        experiment: &Experiment<'_, G>,
        stop: &AtomicBool,
    ) {
        let bar = self.bar.clone();
        let merge = |batch: BlockBatch| {
            for games in batch.game_rows.chunk_by(|one, other| one.block == other.block) {
                let (score, won) = self.tally.add_block(pairing, games);
                if let Some(sprt) = &mut self.sprt {
                    sprt.add_block(score, won);
                    self.verdict = sprt.verdict();
                }
                if self.verdict.is_some() {
                    return Err(Decided);
                }
            }
            show_message(&self.bar, || self.message(pairing));
            Ok(())
        };
        // That it is decided is known from the verdict.
        let _ = experiment.run(stop, &|games| bar.inc(games), merge);
    }

    fn message(&self, pairing: Pairing) -> String {
        let [one, other] = [pairing.bot, pairing.opponent].map(|bot| &self.bots[bot].name);
        let wins = self
            .tally
            .results
            .get(&(pairing.bot, pairing.opponent))
            .copied()
            .unwrap_or_default()
            .win_shares()
            .rate(UNITS_PER_WIN);
        let llr =
            self.sprt.as_ref().map(|sprt| format!(", LLR {:+.2}", sprt.llr())).unwrap_or_default();
        format!(
            "{one} against {other} {:.1} ± {:.1} %{llr}",
            100.0 * wins.value,
            50.0 * (wins.high - wins.low)
        )
    }
}

fn sequential_test(
    hypotheses: &Hypotheses,
    sprt: &Sprt,
    verdict: Option<Verdict>,
) -> SequentialTest {
    let &Hypotheses { elo0, elo1, alpha, beta } = hypotheses;
    let [lower_bound, upper_bound] = sprt.bounds();
    let verdict = match verdict {
        Some(Verdict::H1) => "H1 accepted",
        Some(Verdict::H0) => "H0 accepted",
        None => "undecided",
    };
    SequentialTest { elo0, elo1, alpha, beta, llr: sprt.llr(), lower_bound, upper_bound, verdict }
}

fn test_text(standings: &Standings<'_>, test: &SequentialTest) -> String {
    let tally = standings.tally;
    let result = tally.results.get(&(0, 1)).copied().unwrap_or_default();
    let wins = result.win_shares().rate(UNITS_PER_WIN);
    let [first, second] = [0, 1].map(|bot| &standings.bots[bot].name);
    let SequentialTest { elo0, elo1, alpha, beta, llr, lower_bound, upper_bound, verdict } = test;
    let even = if tally.nobody_won > 0 {
        format!("; mean of all seats {:.2}", 100.0 * result.table_mean())
    } else {
        String::new()
    };
    format!(
        "{first} against {second}\n\
         win %  {}, n = {}{even}\n\
         diff   {} percentage points from the mean of the other seats\n\
         Elo    {} (95 % intervals, which take no account of when the test stopped)\n\
         H0     Elo {elo0}, taken for H1 with a chance of {alpha}\n\
         H1     Elo {elo1}, taken for H0 with a chance of {beta}\n\
         LLR    {llr:+.2}, bounds {lower_bound:+.2} and {upper_bound:+.2}: {verdict}\n",
        format_with_interval(wins, 2, |rate, decimals| format!("{:.decimals$}", 100.0 * rate)),
        wins.n,
        format_with_interval(result.difference().estimate(), 2, |difference, decimals| format!(
            "{:+.decimals$}",
            100.0 * difference
        )),
        points_with_interval(result.elo_wins(tally.players)),
    )
}

/// The command that makes the match again, whatever its threads and folders were.
fn command(
    arguments: &Arguments,
    selection: &GameSelection,
    schedule: &Schedule,
    bots: &[Profile],
) -> String {
    let names: Vec<_> = bots.iter().map(|bot| bot.name.as_str()).collect();
    let mode = match &arguments.sprt {
        Some(Hypotheses { elo0, elo1, alpha, beta }) => {
            format!("--sprt {elo0},{elo1},{alpha},{beta}")
        }
        None => format!("--mode {}", schedule.mode.as_str()),
    };
    let (flags, games, seed) = (selection.flags(), schedule.games_per_pairing, arguments.seed);
    format!(
        "watershed match {flags} --bots {} --games {games} {mode} --seed {seed}",
        shell_quote(&names.join(","))
    )
}
