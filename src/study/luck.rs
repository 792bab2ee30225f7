//! `watershed balance luck`: attributes the variance of outcomes to chance sources.

pub mod analysis;
pub(crate) mod arguments;
pub(crate) mod page;
pub(crate) mod tables;

use crate::{
    games::GameList,
    report::{data_table::Schema, text::provenance_line},
    run::{ExitStatus, command::RepeatCommand, lineups::LineupResult, manifest::GameCounts},
    study::shared::planned_study::{GamesPerBlock, StudyAnswer, StudyArguments},
};
use analysis::LuckAnalysis;
use arguments::LuckArguments;

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::columns().schema(), tables::shares_columns().schema()]
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &StudyArguments<LuckArguments>,
) -> anyhow::Result<ExitStatus> {
    let selection = &arguments.game.resolve(games)?;
    let game = &selection.open()?;
    let LuckArguments { lineups: named, games, shares } = &arguments.own;
    let lineups = &named.read_lineups(game.library(), selection.players)?;
    let games_per_block = game.luck_games_per_block();
    let lineup_games = named.games_by_lineup(game.library(), *games);
    let blocks: Vec<_> = lineup_games.iter().map(|games| games.div_ceil(games_per_block)).collect();
    let games_planned = blocks.iter().sum::<u64>() * games_per_block;
    let command = RepeatCommand::new("balance luck")
        .game(selection)
        .flag_and_value(named.flag_and_value(lineups))
        .option("--games", games)
        .flag_if("--shares", *shares);
    let bots = lineups.iter().flatten();
    arguments.plan(selection, game, command, bots, blocks[0]).run(|study| {
        let seed = arguments.seed();
        let experiments = lineups.iter().zip(&blocks);
        let experiments =
            experiments.map(|(lineup, &blocks)| game.luck(lineup, *shares, seed, 0..blocks));
        let results = &study.run.play_lineups(lineups, &experiments.collect::<Vec<_>>())?;
        let sources: Vec<_> = game.chance_sources().iter().copied().chain(["bots"]).collect();
        let (sources, players) = (&sources[..], selection.players);
        let analysis = LuckAnalysis { sources, players, has_shares: *shares, results };
        let tables = analysis.tables(&selection.provenance);
        let played = results.iter().map(|LineupResult { tally, .. }| tally);
        let played = played.map(|tally| [tally.blocks, tally.games, tally.capped]);
        let counts = GameCounts::sum(games_planned, played);
        Ok(StudyAnswer {
            question: study.question(GamesPerBlock { games_per_block }, counts),
            counts,
            text: provenance_line(&selection.provenance) + &analysis.text(&tables),
            body: Some(analysis.report_body(&tables)),
            tables,
            is_negative: false,
        })
    })
}
