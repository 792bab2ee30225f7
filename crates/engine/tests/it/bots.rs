//! Tests of the bots.

mod calibration;
pub(crate) mod every_bot;
mod profiles;
