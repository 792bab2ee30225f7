//! Tests of the search.

mod expectimax;
mod hidden_information;
mod nim;
mod tree;
