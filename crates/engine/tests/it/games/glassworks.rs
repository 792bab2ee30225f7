//! Tests of River Valley Glassworks.

mod data_file;
mod examples;
mod random_games;
mod reference;
pub(crate) mod variants;
