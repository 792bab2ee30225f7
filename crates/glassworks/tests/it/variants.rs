//! Altered data files of River Valley Glassworks that cause rare situations.

use crate::{
    FILES,
    rules::data_variant::{DataVariant, read_variants, with_overlay},
};

/// Returns the data file with some keys replaced.
pub(crate) fn altered(overlay: &str) -> String {
    with_overlay(FILES.data, overlay)
}

pub(crate) fn default_data() -> [DataVariant; 2] {
    [
        DataVariant::new("default", FILES.data.to_owned()),
        DataVariant::new("bga", altered("play.end_variant = \"bga\"")),
    ]
}

/// Returns all altered files.
pub(crate) fn all() -> Vec<DataVariant> {
    read_variants(FILES.data, include_str!("../data/variants.txt"))
}
