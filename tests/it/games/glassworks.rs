//! Tests of River Valley Glassworks.

mod examples;
mod random_games;
mod reference;
pub(crate) mod variants;
