//! Experiments over blocks of single studies, each with its tally.

pub mod calibration;
pub mod comparison;
pub mod decision_loss;
pub mod turn_order;
