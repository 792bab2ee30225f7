//! `watershed balance luck`: attributes the variance of outcomes to chance sources.

pub mod analysis;
pub mod arguments;
pub mod experiment;
pub mod page;
pub mod tables;

use std::time::Instant;

use serde::Serialize;

use crate::{
    bots::{BotFactory, profile::BotLibrary},
    game::FullGame,
    games::{GameList, GameTask},
    report::{data_table::Schema, origin::BotDescription, text::provenance_line},
    run::{
        ExitStatus,
        arguments::StudyTask,
        command::RepeatCommand,
        finish::FinishedStudy,
        lineups::{LineupResult, distinct_bots},
        manifest::{DataSource, GameCounts, RunIdentity},
        page::StudyPage,
    },
};
use analysis::LuckAnalysis;
use arguments::Arguments;
use experiment::LuckExperiment;

/// Describes all tables that the command can write.
pub fn schemas() -> Vec<Schema> {
    vec![tables::schema()]
}

/// Runs the command.
pub(crate) fn run<L: GameList>(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve::<L>()?;
    selection.run_on_this_thread::<L, _>(StudyTask { arguments, selection: &selection })
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct Question<'a> {
    #[serde(flatten)]
    data: DataSource,
    bots: &'a [BotDescription],
    games_per_block: u64,
    #[serde(flatten)]
    counts: GameCounts,
}

impl GameTask for StudyTask<'_, Arguments> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<G>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let run = &arguments.output.run;
        let seed = run.seed();
        let lineups = arguments.lineups.read_lineups(library, selection.players)?;
        let games_per_block = LuckExperiment::games_per_block(game);
        let lineup_games = arguments.lineups.games_by_lineup(library, arguments.games);
        let blocks: Vec<_> =
            lineup_games.iter().map(|games| games.div_ceil(games_per_block)).collect();
        let games_planned = blocks.iter().sum::<u64>() * games_per_block;
        let pool = run.thread_pool(blocks[0], lineups.iter().flatten())?;
        let inputs = [("--config", selection.config.as_deref())];
        let folder = arguments.output.lock_folder(game, &inputs)?;

        let started = Instant::now();
        let results =
            run.play_lineups(&pool, &lineups, games_planned, |lineup, stop, report| {
                let bots = || lineups[lineup].iter().map(BotFactory::build).collect();
                let experiment = LuckExperiment { game, seed, blocks: 0..blocks[lineup] };
                experiment.run(stop, bots, report)
            })?;

        let sources: Vec<_> = game.chance_sources().iter().copied().chain(["bots"]).collect();
        let analysis =
            LuckAnalysis { sources: &sources, players: selection.players, results: &results };
        let table = analysis.table(&selection.provenance);
        let played = results.iter().map(|LineupResult { tally, .. }| tally);
        let played = played.map(|tally| [tally.blocks, tally.games, tally.capped]);
        let counts = GameCounts::sum(games_planned, played);
        let bots = distinct_bots(lineups.iter().flatten());
        let data = DataSource::new(&selection.document, &selection.provenance);
        let study = FinishedStudy {
            command: RepeatCommand::new("balance luck")
                .game(selection)
                .flag_and_value(arguments.lineups.flag_and_value(&lineups))
                .option("--games", arguments.games)
                .option("--seed", seed),
            identity: RunIdentity::new(selection.game.id, selection.players, seed),
            question: Question { data, bots: &bots, games_per_block, counts },
            counts,
            complete: counts.games == games_planned,
            threads: pool.current_num_threads(),
            started,
            text: provenance_line(&selection.provenance) + &analysis.text(&table),
            page: Some(StudyPage {
                body: analysis.report_body(&table),
                bots: &bots,
                data: &[("", &selection.document)],
                provenance: &selection.provenance,
            }),
            tables: vec![table],
        };
        study.finish(&arguments.output, &folder)
    }
}
