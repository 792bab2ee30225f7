//! Tests of the studies.

mod ablate;
mod analyze;
mod bench;
mod calibrate;
mod compare;
mod data;
mod labels;
mod loss;
mod luck;
mod matches;
mod openings;
mod panel;
mod perft;
mod play;
mod power;
mod puzzles;
mod replay;
mod restrict;
mod serve;
mod simulate;
mod skill;
mod snapshots;
mod train;
mod train_heuristic;
mod tune;
mod turn_order;
