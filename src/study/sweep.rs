//! `watershed balance sweep`: plays several values of a key of the data file on the same deals and
//! tests their differences.

pub(crate) mod arguments;

use arguments::SweepArguments;

use crate::{
    run::validation::{find_scalar, validate_changed_data, validate_data},
    study::shared::{
        comparison::{
            self,
            analysis::ComparisonLayout,
            experiment::{ComparedData, ComparisonSpec},
            run_comparison,
        },
        planned_study::StudyArguments,
        prelude::*,
    },
};

/// Maximum number of values.
const MAX_VALUES: usize = 100;

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    comparison::schemas(&ComparisonLayout::ByValue { key: Some(String::new()), values: Vec::new() })
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &StudyArguments<SweepArguments>,
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    let StudyArguments { game, own, parts, output } = arguments;
    let SweepArguments { key, values: text, comparison } = own;
    let selection = game.resolve(games)?;
    let scalar = find_scalar(&selection, key)?;
    let mut values =
        scalar.parse_values(text, MAX_VALUES).map_err(|message| anyhow!("--values: {message}"))?;
    values.retain(|value| *value != scalar.value);
    if values.is_empty() {
        bail!("--values: expected a value other than that of the file, found {text:?}");
    }
    if let Some((_, twice)) =
        values.iter().enumerate().find(|(index, value)| values[..*index].contains(value))
    {
        bail!("--values: expected each value once, found {twice} twice");
    }
    // An error in the file itself must not be reported as one of a value.
    validate_data(&selection, &selection.document)?;
    let mut documents = vec![selection.document.clone()];
    for value in &values {
        let document = selection.document.with_value(&scalar, value);
        validate_changed_data(&selection, &document)
            .map_err(|reason| anyhow!("--values: {value}: {reason}"))?;
        documents.push(document);
    }
    values.insert(0, scalar.value.clone());
    let data = documents.into_iter().map(|document| ComparedData {
        document,
        config: selection.config.clone(),
        provenance: selection.provenance.clone(),
    });
    let spec = ComparisonSpec {
        game: selection.game,
        players: selection.players,
        command,
        layout: ComparisonLayout::ByValue { key: Some(key.clone()), values },
        data: data.collect(),
    };
    run_comparison(&spec, comparison, parts, output)
}
