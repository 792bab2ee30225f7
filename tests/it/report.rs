//! Tests of reports and tables.

mod joint;
pub(crate) mod page;
pub(crate) mod tables;
