//! `watershed balance restrict`: measures the cost of never or always taking an item or action.

pub mod analysis;
pub mod arguments;
pub mod page;
pub mod tables;

use anyhow::ensure;
use serde::Serialize;

use crate::{
    arena::{run::Experiment, schedule::Rotations},
    experiments::restrict,
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
    study::shared::agreement,
};
use analysis::RestrictAnalysis;
use arguments::RestrictArguments;

/// Describes all tables that the command can write.
pub fn schemas() -> Vec<Schema> {
    vec![tables::schema(), agreement::schema()]
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct RestrictQuestion<'a> {
    #[serde(flatten)]
    data: DataSource,
    bots: &'a [BotDescription],
    restrictions: &'a [String],
    #[serde(flatten)]
    counts: GameCounts,
}

/// Runs the command.
pub(crate) fn run(games: GameList, arguments: &RestrictArguments) -> anyhow::Result<ExitStatus> {
    ensure!(
        !arguments.never.is_empty() || !arguments.always.is_empty(),
        "expected --never X or --always X; see --help"
    );
    let selection = &arguments.game.resolve(games)?;
    let game = &*selection.open()?;
    let library = game.library();
    let RestrictArguments { games, output, .. } = arguments;
    let bots = arguments.bots.read_bots(library)?;
    let restrictions = arguments.read_restrictions(game)?;
    let (names, restrictions): (Vec<_>, Vec<_>) = restrictions.into_iter().unzip();
    let seats: Vec<_> = (0..selection.players).collect();
    let blocks = |&games| Rotations::new(&seats).blocks_for_games(games);
    let bot_games = arguments.bots.games_by_bot(library, *games);
    let blocks: Vec<u64> = bot_games.iter().map(blocks).collect();
    let pool = output.run.thread_pool(blocks[0], &bots)?;
    let folder =
        arguments.parts.lock_folder(output, game, &[("--config", selection.config.as_deref())])?;
    let lineups: Vec<_> = bots.iter().map(|bot| vec![bot.clone(); selection.players]).collect();
    let games_per_block = restrict::games_per_block(game.seats(), restrictions.len());
    let games_planned = blocks.iter().sum::<u64>() * games_per_block;

    let described = distinct_bots(&bots);
    let seed = output.run.seed();
    let study = NewStudy {
        command: RepeatCommand::new("balance restrict")
            .game(selection)
            .flag_and_value(arguments.bots.flag_and_value(&bots))
            .options("--never", &arguments.never)
            .options("--always", &arguments.always)
            .option("--games", games)
            .option("--seed", seed),
        identity: RunIdentity::new(selection.game.id, selection.players, seed),
        documents: &[&selection.document],
        bots: &described,
        max_blocks: blocks[0],
    };
    let study = study.open(output, &arguments.parts, &folder, &pool)?;
    let Some(mut study) = study else { return Ok(ExitStatus::Success) };
    let experiments = lineups.iter().zip(&blocks).map(|(lineup, &blocks)| {
        game.restriction(Experiment::new(lineup, seed, 0..blocks), &restrictions)
    });
    let results = study.play_lineups(&lineups, &experiments.collect::<Vec<_>>())?;

    let analysis = RestrictAnalysis::new(&names, &results);
    let table = analysis.table(&selection.provenance);
    let mut body = analysis.report_body(&table);
    let text = provenance_line(&selection.provenance) + &analysis.text(&table);
    let mut tables = vec![table];
    tables.extend(analysis.agreement().report(&mut body, &selection.provenance));
    let played = results.iter().map(|LineupResult { tally, .. }| tally);
    let played = played.map(|tally| [tally.blocks, tally.games, tally.capped]);
    let counts = GameCounts::sum(games_planned, played);
    let data = DataSource::new(&selection.document, &selection.provenance);
    study.finish(FinishedStudy {
        question: RestrictQuestion { data, bots: &described, restrictions: &names, counts },
        counts,
        text,
        page: Some(StudyPage {
            body,
            bots: &described,
            data: &[("", &selection.document)],
            provenance: &selection.provenance,
        }),
        tables,
    })
}
