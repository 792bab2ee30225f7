//! `watershed balance luck`: attributes the variance of outcomes to chance sources.

pub mod analysis;
pub mod arguments;
pub mod page;
pub mod tables;

use serde::Serialize;

use crate::{
    games::GameList,
    report::{data_table::Schema, origin::BotDescription, text::provenance_line},
    run::{
        ExitStatus,
        command::RepeatCommand,
        finish::FinishedStudy,
        lineups::{LineupResult, distinct_bots},
        manifest::{DataSource, GameCounts, RunIdentity},
        page::StudyPage,
        study_run::NewStudy,
    },
};
use analysis::LuckAnalysis;
use arguments::LuckArguments;

/// Describes all tables that the command can write.
pub fn schemas() -> Vec<Schema> {
    vec![tables::schema(), tables::shares_schema()]
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct LuckQuestion<'a> {
    #[serde(flatten)]
    data: DataSource,
    bots: &'a [BotDescription],
    games_per_block: u64,
    #[serde(flatten)]
    counts: GameCounts,
}

/// Runs the command.
pub(crate) fn run(games: GameList, arguments: &LuckArguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve(games)?;
    let game = &*selection.open()?;
    let run = &arguments.output.run;
    let seed = run.seed();
    let lineups = arguments.lineups.read_lineups(game.library(), selection.players)?;
    let games_per_block = game.luck_games_per_block();
    let lineup_games = arguments.lineups.games_by_lineup(game.library(), arguments.games);
    let blocks: Vec<_> = lineup_games.iter().map(|games| games.div_ceil(games_per_block)).collect();
    let games_planned = blocks.iter().sum::<u64>() * games_per_block;
    let has_shares = arguments.shares;
    let pool = run.thread_pool(blocks[0], lineups.iter().flatten())?;
    let inputs = [("--config", selection.config.as_deref())];
    let folder = arguments.parts.lock_folder(&arguments.output, game, &inputs)?;

    let bots = distinct_bots(lineups.iter().flatten());
    let study = NewStudy {
        command: RepeatCommand::new("balance luck")
            .game(&selection)
            .flag_and_value(arguments.lineups.flag_and_value(&lineups))
            .option("--games", arguments.games)
            .flag_if("--shares", has_shares)
            .option("--seed", seed),
        identity: RunIdentity::new(selection.game.id, selection.players, seed),
        documents: &[&selection.document],
        bots: &bots,
        max_blocks: blocks[0],
    };
    let study = study.open(&arguments.output, &arguments.parts, &folder, &pool)?;
    let Some(mut study) = study else { return Ok(ExitStatus::Success) };
    let experiments = lineups.iter().zip(&blocks);
    let experiments =
        experiments.map(|(lineup, &blocks)| game.luck(lineup, has_shares, seed, 0..blocks));
    let results = study.play_lineups(&lineups, &experiments.collect::<Vec<_>>())?;

    let sources: Vec<_> = game.chance_sources().iter().copied().chain(["bots"]).collect();
    let analysis = LuckAnalysis {
        sources: &sources,
        players: selection.players,
        has_shares,
        results: &results,
    };
    let tables = analysis.tables(&selection.provenance);
    let played = results.iter().map(|LineupResult { tally, .. }| tally);
    let played = played.map(|tally| [tally.blocks, tally.games, tally.capped]);
    let counts = GameCounts::sum(games_planned, played);
    let data = DataSource::new(&selection.document, &selection.provenance);
    study.finish(FinishedStudy {
        question: LuckQuestion { data, bots: &bots, games_per_block, counts },
        counts,
        text: provenance_line(&selection.provenance) + &analysis.text(&tables),
        page: Some(StudyPage {
            body: analysis.report_body(&tables),
            bots: &bots,
            data: &[("", &selection.document)],
            provenance: &selection.provenance,
        }),
        tables,
    })
}
