//! `watershed balance sweep`: plays several values of a key of the data file on the same deals and
//! tests their differences.

pub(crate) mod arguments;

use std::collections::BTreeSet;

use arguments::SweepArguments;

use crate::{
    run::validation::{validate_changed_data, validate_data},
    study::shared::{
        comparison::{
            self,
            analysis::ComparisonLayout,
            experiment::{ComparedData, ComparisonSpec},
            run_comparison,
        },
        key_values::{documents_of_family, is_family},
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
    // An error in the file itself must not be reported as one of a value.
    validate_data(&selection, &selection.document)?;
    let (of_file, mut edited) = if is_family(key, text) {
        let of_file = if text.starts_with('+') { "+0" } else { "file" };
        (of_file.to_owned(), documents_of_family(key, text, &selection, MAX_VALUES)?)
    } else {
        edited_documents(key, text, &selection)?
    };
    edited.retain(|(_, document)| document.text != selection.document.text);
    if edited.is_empty() {
        bail!("--values: expected a value other than that of the file, found {text:?}");
    }
    let mut seen = BTreeSet::new();
    if let Some((twice, _)) = edited.iter().find(|(value, _)| !seen.insert(value)) {
        bail!("--values: expected each value once, found {twice} twice");
    }
    edited.insert(0, (of_file, selection.document.clone()));
    let (values, documents): (_, Vec<_>) = edited.into_iter().unzip();
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

/// Returns the value of a key in the data file, and the file with each other value.
fn edited_documents(
    key: &str,
    values: &str,
    selection: &GameSelection,
) -> anyhow::Result<(String, Vec<(String, Document)>)> {
    let scalar = selection.find_scalar(key)?;
    let values = scalar.parse_values(values, MAX_VALUES);
    let mut values = values.map_err(|message| anyhow!("--values: {message}"))?;
    values.retain(|value| *value != scalar.value);
    let documents = values.into_iter().map(|value| {
        let document = selection.document.with_value(&scalar, &value);
        validate_changed_data(selection, &document)
            .map_err(|reason| anyhow!("--values: {value}: {reason}"))?;
        Ok((value, document))
    });
    let documents = documents.collect::<anyhow::Result<_>>()?;
    Ok((scalar.value, documents))
}
