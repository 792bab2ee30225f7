//! Rendering: data tables, charts, HTML pages, terminal text, and the provenance of data.

pub mod chart;
pub mod data_table;
pub mod html;
pub mod origin;
pub mod provenance;
pub mod study_page;
pub mod terminal;
pub mod text;
