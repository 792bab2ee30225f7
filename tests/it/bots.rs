//! Tests of the bots.

mod every_bot;
mod parameters;
mod profiles;
