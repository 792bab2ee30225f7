//! Data files of River Valley Glassworks that are refused.

use watershed_engine::{config::Document, games::GameDefinition};
use watershed_glassworks::Glassworks;

use crate::{
    FILES,
    rules::data_variant::{check_refusals, check_refused_overlays},
};

fn refusal(document: &Document) -> String {
    Glassworks::bind(document, 2).unwrap_err().to_string()
}

/// Mistakes in the built-in file, as `check_refusals` reads them.
const REFUSED: &str = include_str!("../data/refused.txt");

#[test]
fn mistakes_are_refused() {
    let document = Document::embedded("glass", FILES.data);
    check_refusals(REFUSED, &document, refusal);
}

#[test]
fn files_with_too_much_for_the_packed_position_are_refused() {
    let document = Document::embedded("glass", FILES.data);
    check_refused_overlays(include_str!("../data/refused_overlays.txt"), &document, refusal);
}
