//! The default panel of a game: the bots that are asked the same question, with their games.

use crate::bots::defaults::PanelBot;

/// Number of games of a simulation for which the numbers of games of the default panel are made.
const SIMULATED_GAMES: u64 = 20_000;

/// Number of games of the first bot in a comparison of data files.
pub(crate) const COMPARED_GAMES: u64 = 10_000;

/// Returns the number of games of a bot in a study of this number of games. A bot plays the same
/// share of the games as in a simulation.
pub(crate) fn scaled_games(bot: &PanelBot, games: u64) -> u64 {
    let share = u128::from(bot.games.min(SIMULATED_GAMES)) * u128::from(games);
    share.div_ceil(SIMULATED_GAMES.into()) as u64
}
