//! Tests of The River.

mod data_file;
mod examples;
mod random_data;
mod random_games;
mod reference;
pub(crate) mod variants;
