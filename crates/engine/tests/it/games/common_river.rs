//! Tests of We All Take from the River.

mod data_file;
mod examples;
mod expected_words;
mod hidden_roles;
mod offers;
mod random_games;
mod reference;
mod statistics;
pub(crate) mod variants;
