//! What a run writes: CSV tables, a report for people, a manifest, a short table for the terminal,
//! and how far it has come.

pub mod chart;
pub mod data_table;
pub mod html;
pub mod origin;
pub mod provenance;
pub mod study_page;
pub mod terminal;
pub mod text;
