//! Tests of the command line.

pub(crate) mod command_line;
