//! Tests of reports and tables.

mod joint;
mod page;
mod tables;
