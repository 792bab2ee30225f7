//! Tests of the search.

mod agreement;
pub(crate) mod expectimax;
mod heap;
mod hidden_information;
mod network;
mod nim;
mod tree;
