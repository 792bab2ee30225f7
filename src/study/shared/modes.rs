//! Modes of a game on the command line.

use crate::study::shared::prelude::*;

/// Checks the value of `--mode`.
///
/// # Errors
/// Returns an error if the game does not have this mode for its number of players.
pub(crate) fn check_mode(game: &BoundGame, mode: &str) -> anyhow::Result<()> {
    let modes = game.modes();
    if modes.is_empty() {
        bail!("--mode: {} with {} players has no modes", game.title(), game.seats());
    }
    ensure!(modes.contains(&mode), "--mode: expected {}, found {mode:?}", modes.join(" or "));
    Ok(())
}
