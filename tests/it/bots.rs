//! Tests of the bots.

mod every_bot;
mod profiles;
