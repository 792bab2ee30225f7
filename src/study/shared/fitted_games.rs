//! The games from which the maps of mean rewards to win chances are.

use crate::{search::calibration::FittedMaps, study::shared::prelude::*};

/// Returns the games to which maps were fitted, as in `200 games of searches of 1,000 iterations`.
pub(crate) fn fitted_games(fitted: &[FittedMaps]) -> String {
    if fitted.is_empty() {
        return "games of this mode".to_owned();
    }
    join_with_and(fitted.iter().map(|fitted| {
        let games = format_count(fitted.games, "game");
        format!("{games} of searches of {}", format_count(fitted.iterations, "iteration"))
    }))
}
