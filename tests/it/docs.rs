//! Documents agree with the program.

mod rules;
