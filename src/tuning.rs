//! Tuning the numbers of a bot's profile by self-play: which numbers, how candidates are found, and the log that lets it go on after an interrupt.

pub mod evolution;
pub mod log;
pub mod space;
