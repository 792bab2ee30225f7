//! Tests of the games.

pub(crate) mod common_river;
mod conformance;
pub(crate) mod data_variant;
pub(crate) mod glassworks;
mod golden;
mod items;
mod positions;
pub(crate) mod the_river;
