//! `watershed balance compare`: plays two data files on the same deals and tests their differences.

pub(crate) mod arguments;

use crate::{
    games::GameList,
    report::data_table::Schema,
    run::{ExitStatus, arguments::GameSelection, command::RepeatCommand},
    study::shared::comparison::{
        self, analysis::ComparisonLayout, experiment::ComparisonSpec, run_comparison,
    },
};
use arguments::CompareArguments;

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    comparison::schemas(&ComparisonLayout::SideBySide)
}

/// Runs the command.
pub(crate) fn run(games: GameList, arguments: &CompareArguments) -> anyhow::Result<ExitStatus> {
    let files = [&arguments.baseline, &arguments.variant];
    let [baseline, variant] = files.map(|file| arguments.game_arguments(file).resolve(games));
    let [baseline, variant] = [baseline?, variant?];
    let GameSelection { game, players, .. } = baseline;
    let command = RepeatCommand::new("balance compare")
        .argument(arguments.baseline.display())
        .argument(arguments.variant.display())
        .option("--game", game.id)
        .option("--players", players);
    let data = vec![baseline.into(), variant.into()];
    let spec =
        ComparisonSpec { game, players, command, layout: ComparisonLayout::SideBySide, data };
    run_comparison(&spec, &arguments.comparison, &arguments.parts, &arguments.output)
}
