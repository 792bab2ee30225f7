//! Tests of the rules of We All Take from the River.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail at once")]

mod bots;
mod data_file;
mod examples;
mod expected_words;
mod hidden_roles;
mod offers;
mod random_games;
mod reference;
#[path = "../../../engine/tests/rules/mod.rs"]
mod rules;
mod statistics;
mod variants;

use watershed_engine::games::GameFiles;

/// The files of the game without bots.
const FILES: GameFiles =
    GameFiles::new("common_river", include_str!("../../../../configs/common_river.toml"));
