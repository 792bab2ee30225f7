//! Data files of We All Take from the River that are refused.

use watershed_common_river::CommonRiver;
use watershed_engine::{config::Document, games::GameDefinition};

use crate::{
    FILES,
    rules::data_variant::{check_refusals, check_refused_overlays},
};

fn refusal(document: &Document) -> String {
    CommonRiver::bind(document, 2).unwrap_err().to_string()
}

/// Mistakes in the built-in file, as `check_refusals` reads them.
const REFUSED: &str = include_str!("../data/refused.txt");

#[test]
fn mistakes_are_refused() {
    let document = Document::embedded("common", FILES.data);
    check_refusals(REFUSED, &document, refusal);
    check_refused_overlays(include_str!("../data/refused_overlays.txt"), &document, refusal);
}
