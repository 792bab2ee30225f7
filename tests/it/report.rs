//! Tests of reports and tables.

mod page;
mod tables;
