//! `watershed balance compare`: plays two data files on the same deals and tests their differences.

pub(crate) mod arguments;

use arguments::CompareArguments;

use crate::study::shared::{
    comparison::{
        self, analysis::ComparisonLayout, experiment::ComparisonSpec, file_name, run_comparison,
    },
    prelude::*,
};

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    let by_file = ComparisonLayout::ByValue { key: None, values: Vec::new() };
    let of_files = [None, Some(("<items>", "<item>"))]
        .map(|items| comparison::tables::columns(&by_file, items).schema());
    comparison::schemas(&ComparisonLayout::SideBySide).into_iter().chain(of_files).collect()
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &CompareArguments,
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    let files = arguments.files().into_iter();
    let selections = files.map(|file| arguments.game_arguments(file).resolve(games));
    let selections = selections.collect::<anyhow::Result<Vec<_>>>()?;
    let GameSelection { game, players, .. } = selections[0];
    let layout = match selections.len() {
        2 => ComparisonLayout::SideBySide,
        _ => ComparisonLayout::ByValue { key: None, values: file_names(&selections)? },
    };
    let data = selections.into_iter().map(Into::into).collect();
    let spec = ComparisonSpec { game, players, command, layout, data };
    run_comparison(&spec, &arguments.comparison, &arguments.parts, &arguments.output)
}

/// Returns the names of data files without their folders.
fn file_names(selections: &[GameSelection]) -> anyhow::Result<Vec<String>> {
    let names = selections.iter().map(|selection| file_name(&selection.document).to_owned());
    let names: Vec<_> = names.collect();
    for (index, name) in names.iter().enumerate() {
        let is_new = !names[..index].contains(name);
        ensure!(is_new, "VARIANT.toml: expected files with different names, found {name} twice");
    }
    Ok(names)
}
