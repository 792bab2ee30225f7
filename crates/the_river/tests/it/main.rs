//! Tests of the rules of The River.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail at once")]

mod data_file;
mod examples;
mod random_data;
mod random_games;
mod reference;
#[path = "../../../engine/tests/rules/mod.rs"]
mod rules;
mod variants;

use watershed_engine::games::GameFiles;

/// The files of the game without bots.
const FILES: GameFiles =
    GameFiles::new("the_river", include_str!("../../../../configs/the_river.toml"));
