//! What a run writes: CSV tables, a manifest, and a short table for the terminal.

pub mod csv;
pub mod manifest;
pub mod output;
pub mod standings;
pub mod table;
