//! Rendering: data tables, charts, HTML pages, terminal text, and the provenance of data.

pub(crate) mod chart;
pub(crate) mod csv_format;
pub(crate) mod data_table;
pub(crate) mod html;
pub(crate) mod note;
pub(crate) mod origin;
pub mod provenance;
pub(crate) mod screen;
pub(crate) mod steps;
pub(crate) mod study_page;
pub(crate) mod study_report;
pub(crate) mod terminal;
pub(crate) mod text;
