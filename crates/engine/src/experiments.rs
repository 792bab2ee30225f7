//! Experiments over blocks of single studies, each with its tally.

pub mod calibration;
pub mod decision_loss;
pub mod item_effects;
pub mod restrict;
pub mod turn_order;
