//! What studies play: experiments over blocks beyond plain games, each with its sums.

pub mod calibration;
pub mod item_effects;
pub mod luck;
pub mod restrict;
pub mod turn_order;
