//! Tests of the arena that start the program.

mod records;
