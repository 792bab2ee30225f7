//! The statistics of the games of a data file.

use crate::{
    arena::tally::Tally, experiments::item_effects::ItemEffectsTally, stats::merge_fields,
};

/// The statistics of games from which figures are.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) tally: Tally,
    pub(super) forks: ItemEffectsTally,
}

merge_fields!(Measured { tally, forks });
