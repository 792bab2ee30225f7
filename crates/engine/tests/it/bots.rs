//! Tests of the bots.

mod calibration;
mod every_bot;
mod profiles;
