//! `watershed balance luck`: how much each source of chance decides.

pub mod experiment;
pub mod page;
pub mod tables;

use std::time::Instant;

use clap::Args;
use serde::Serialize;

use crate::{
    bots::{self, profile::BotLibrary},
    game::FullGame,
    games::GameTask,
    run::{
        ExitStatus,
        arguments::{GameArguments, GameSelection},
        count::count,
        lineups::{LineupArguments, bot_names, distinct_bots, lineup_label},
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
        study::{RunArguments, StudyOutput, StudySummary},
    },
    study::luck::{
        experiment::LuckExperiment,
        tables::{LineupLuck, LuckReport},
    },
};

const DEFAULT_GAMES: u64 = 20_000;
/// Sums of fourth powers of differences of scores stay within their integers.
const MOST_GAMES: u64 = 10_000_000;

#[derive(Args, Debug)]
#[command(
    after_help = "Every source of chance of a game has a random stream of its own (in The River: \
seats, boards, tiles, buildings), and the bots' own dice are one more. Games that share the whole \
deal but not the bots' dice tell how much of the variance of the outcome the deal as a whole \
fixes; games that share only one stream tell how much that source explains by itself (the \
first-order Sobol index), by Jansen's estimators, with 95 % intervals over blocks. An estimate of \
nearly nothing may be a little below 0, and one of nearly all above 100 %.

luck.csv has these for the win share and the score of each seat and of all together, the deal as a \
whole as the source `deal`. Its column sensitivity is the total Sobol index: how much games differ \
that share all but one source. It measures how sensitive games are to any change of the source, is \
no share, and adds up to more than 100 % over all sources.

Examples:
  watershed balance luck
  watershed balance luck --game glassworks --players 3 --games 100k
  watershed balance luck --bots mcts:iterations=100 --games 2k
  watershed balance luck --ladder random,balanced,mcts:iterations=100 \\
      --games 2k --out results/luck"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    bots: LineupArguments,
    /// How many games, by each bot of a ladder, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GAMES, value_parser = count::<u64>(1..=MOST_GAMES))]
    games: u64,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve()?;
    selection.run_on_this_thread(LuckTask { arguments, selection: &selection })
}

struct LuckTask<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
}

impl GameTask for LuckTask<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let tables = arguments.bots.read_lineups(library, selection.players)?;
        let games_per_block = LuckExperiment::games_per_block(game);
        let blocks = arguments.games.div_ceil(games_per_block);
        let games_planned = tables.len() as u64 * blocks * games_per_block;
        let pool = arguments.run.thread_pool(blocks, tables.iter().flatten())?;
        let folder =
            arguments.run.lock_folder(game, &[("--config", selection.config.as_deref())])?;

        let started = Instant::now();
        let bar = progress_bar(games_planned, arguments.run.quiet);
        let stop = stop_on_interrupt()?;
        let luck = LuckExperiment { game, seed: arguments.run.seed, blocks: 0..blocks };
        let rungs = tables.iter().map(|profiles| {
            show_message(&bar, || bot_names(profiles));
            let bots = || profiles.iter().map(|bot| bots::build(&bot.spec)).collect();
            LineupLuck {
                lineup: lineup_label(profiles),
                tally: luck.run(stop, bots, &|games| bar.inc(games)),
            }
        });
        let rungs: Vec<_> = pool.install(|| rungs.collect());
        bar.finish_and_clear();

        let sources: Vec<_> = game.chance_sources().iter().copied().chain(["bots"]).collect();
        let report = LuckReport {
            sources: &sources,
            players: selection.players,
            results: &rungs,
            provenance: selection.provenance.as_str(),
        };
        let Arguments { games, run: RunArguments { seed, .. }, .. } = arguments;
        let (flags, bots) = (selection.flags(), arguments.bots.to_flag(&tables));
        let sum = |count: fn(&LineupLuck) -> u64| rungs.iter().map(count).sum();
        let findings = StudyOutput {
            kind: "balance luck",
            command: format!("watershed balance luck {flags} {bots} --games {games} --seed {seed}"),
            games_planned,
            games: sum(|rung| rung.tally.games),
            threads: pool.current_num_threads(),
            tables: vec![("luck.csv".to_owned(), report.csv())],
            text: report.text(),
            started,
        };
        let study = StudySummary {
            selection,
            bots: distinct_bots(tables.iter().flatten()),
            question: LuckQuestion { games_per_block },
            blocks: sum(|rung| rung.tally.blocks),
            capped: sum(|rung| rung.tally.capped),
            page: report.report_body(),
        };
        arguments.run.finish_study(&folder, findings, study)
    }
}

#[derive(Serialize)]
struct LuckQuestion {
    games_per_block: u64,
}
