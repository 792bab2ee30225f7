//! Training of networks: self-play, samples of positions, and gradient descent.
//!
//! A program plays the games of a generation ([`self_play`]), learns from them ([`model`]), and
//! tests the network that has learned; the order of generations and the files are its own.

pub mod model;
pub mod network_search;
mod perceptron;
pub mod samples;
pub mod self_play;
