//! What a run writes: CSV tables, a manifest, a short table for the terminal, and how far it has come.

pub mod csv;
pub mod manifest;
pub mod output;
pub mod progress;
pub mod results;
pub mod standings;
pub mod table;
