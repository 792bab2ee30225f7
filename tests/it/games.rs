//! Tests of the games that start the program.

mod golden;
