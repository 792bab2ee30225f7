//! Tests of the search.

mod agreement;
mod expectimax;
mod hidden_information;
mod network;
mod nim;
mod tree;
