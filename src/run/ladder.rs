//! What is found by each of several bots, one after the other.

/// The sign of an effect that is significant with the opposite sign for another bot, in tables for the terminal.
pub(crate) const FLIPS: char = '~';

/// What stands behind a title that is of one of several bots.
pub(crate) fn by(name: &str, bots: usize) -> String {
    if bots > 1 { format!(", by {name}") } else { String::new() }
}
