//! `watershed loss`: what the decisions of bots lose, as a deep search judges them.

mod analysis;
pub(crate) mod arguments;
mod tables;

use analysis::{LossAnalysis, StakeAnalysis};
use arguments::LossArguments;

use crate::{
    experiments::decision_loss::{JudgedDecision, LossSettings},
    study::shared::{
        planned_study::{OpenedStudy, StudyAnswer},
        prelude::*,
    },
};

/// Describes all tables that the command writes.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::columns().schema(), tables::stake_columns().schema()]
}

/// Runs the command.
pub(crate) fn run(opened: &OpenedStudy<'_, LossArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, .. } = opened;
    let LossArguments { games, decisions, samples, .. } = arguments.own;
    let library = game.library();
    let bots = &arguments.own.read_bots(library)?;
    let judge = arguments.own.read_judge(library)?;
    let player = library.read(&arguments.own.played_by).context("--played-by")?;
    let lineup = &vec![player; selection.players];
    let experiment = arguments.output.run.new_experiment(lineup, games);
    let games_per_block = experiment.rotations().games_per_block();
    let max_blocks = experiment.blocks.end;
    let names: Vec<_> = bots.iter().map(|bot| bot.name().to_owned()).collect();
    let all = bots.iter().chain([&judge, &lineup[0]]);
    opened.plan(all, max_blocks).growing().run(|study| {
        let settings = LossSettings { bots, judge: &judge, decisions: decisions as usize, samples };
        let mut results = study.play_lineups([game.decision_loss(experiment, settings)])?;
        let judged = results.pop().map(|result| result.tally).unwrap_or_default();
        // A checkpoint may be of a file that somebody has edited.
        let is_complete = |decision: &JudgedDecision| {
            [decision.losses.len(), decision.is_same.len()] == [names.len() + 1; 2]
        };
        ensure!(
            judged.0.iter().flat_map(|game| &game.decisions).all(is_complete),
            "{}: expected a loss of each bot and of the judge for each decision",
            study.checkpoint_name()
        );
        let analysis = LossAnalysis::new(&judged, &names, judge.name(), lineup[0].name());
        let stakes =
            StakeAnalysis::new(&judged, game.action_kinds(), selection.players > 2 && samples > 1);
        let report = analysis.report(&stakes, &selection.provenance);
        let played = judged.0.len() as u64;
        let capped = judged.0.iter().filter(|game| game.is_capped).count() as u64;
        let played = [played / games_per_block, played, capped];
        let counts = GameCounts::sum(max_blocks * games_per_block, [played]);
        Ok(StudyAnswer { own: (), counts, report, is_negative: false })
    })
}
