//! `watershed balance restrict`: measures the cost of never or always taking an item or action.

pub mod analysis;
pub(crate) mod arguments;
pub(crate) mod page;
mod pairs;
pub(crate) mod tables;

use analysis::RestrictAnalysis;
use arguments::{RestrictArguments, RestrictionSets};
use pairs::PairAnalysis;

use crate::{
    arena::restrict::{self, RestrictTally},
    study::shared::{
        convergence,
        planned_study::{OpenedStudy, StudyAnswer},
        prelude::*,
    },
};

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::columns().schema(), pairs::columns().schema(), convergence::schema()]
}

/// Runs the command.
pub(crate) fn run(opened: &OpenedStudy<'_, RestrictArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, .. } = opened;
    let RestrictArguments { bots: named, never, always, games: count, .. } = &arguments.own;
    ensure!(
        !never.is_empty() || !always.is_empty(),
        "expected --never X or --always X; see --help"
    );
    let library = game.library();
    let bots = named.read_bots(library)?;
    let RestrictionSets { names, sets, pairs } = arguments.own.read_restrictions(game)?;
    let seats: Vec<_> = (0..selection.players).collect();
    let blocks = |&games| Rotations::new(&seats).blocks_for_games(games);
    let blocks: Vec<u64> = named.games_by_bot(library, *count).iter().map(blocks).collect();
    let games_per_block = restrict::games_per_block(game.seats(), sets.len());
    let games_planned = blocks.iter().sum::<u64>() * games_per_block;
    opened.plan(&bots, blocks[0]).growing().run(|study| {
        let lineups: Vec<_> = bots.iter().map(|bot| vec![bot.clone(); selection.players]).collect();
        let experiments = lineups.iter().zip(&blocks).map(|(lineup, &blocks)| {
            let experiment = Experiment::new(lineup, arguments.seed(), 0..blocks);
            game.restriction(experiment, &sets, &pairs)
        });
        let results = study.play_lineups(experiments)?;
        let analysis = RestrictAnalysis::new(&names, &results);
        let pairs = PairAnalysis::new(&names, &pairs, &results);
        let provenance = &selection.provenance;
        let report = analysis.report(&pairs, provenance);
        let played = |tally: &RestrictTally| [tally.blocks, tally.games, tally.capped];
        let counts = count_games_of(games_planned, &results, played);
        Ok(StudyAnswer { own: (), counts, report, is_negative: false })
    })
}
