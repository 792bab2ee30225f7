//! What a run writes: CSV tables, a report for people, a manifest, a short table for the terminal, and how far it has come.

pub mod chart;
pub mod comparison;
pub mod csv;
mod even;
mod health;
pub mod html;
mod ladder;
pub mod luck;
pub mod manifest;
pub mod neutralised;
pub mod output;
pub mod page;
pub mod plans;
pub mod progress;
pub mod provenance;
pub mod results;
pub mod standings;
pub mod study;
pub mod table;
pub mod text;
pub mod values;
