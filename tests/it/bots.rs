//! Tests of the bots.

mod calibration;
mod every_bot;
mod parameters;
mod profiles;
