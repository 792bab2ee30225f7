//! What is found by each of several bots, one after the other.

/// The sign of an effect that is significant with the opposite sign for another bot, in tables for
/// the terminal.
pub(crate) const SIGN_FLIP_MARK: char = '~';

/// What stands behind a title that is of one of several bots.
pub(crate) fn lineup_suffix(name: &str, bots: usize) -> String {
    if bots > 1 { format!(", by {name}") } else { String::new() }
}
