//! The smallest effects that matter to a designer.

/// Quantile of the figures of the game, and of the items of a file with few edits.
pub(crate) const Z_FIGURE: f64 = 1.645;
/// Quantile of the items of a table, which are many.
pub(crate) const Z_TABLE: f64 = 2.33;
/// Quantile of the intervals that are shown.
pub(crate) const Z_SHOWN: f64 = 1.96;

/// The smallest effects that matter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SmallestEffects {
    /// Change of a share of the games. Shares shrink with the fair share of a player.
    pub(crate) share: f64,
    /// Distance of a turn position from the mean of all.
    pub(crate) seat: f64,
    /// Worth and owners' win rate of an item. Not scaled with the players: with 5 points in 4
    /// players, seeds name different items of the unedited game.
    pub(crate) worth: f64,
    /// Times that an item is taken, per cent of its offers.
    pub(crate) taken: f64,
    /// The same of a family of edited items, whose mean is known better.
    pub(crate) taken_of_family: f64,
    /// Rounds, decisions and winning score, as shares of the figure before.
    pub(crate) rounds: f64,
    pub(crate) decisions: f64,
    pub(crate) score: f64,
    /// Points that an item scores, as a share of those before.
    pub(crate) points: f64,
}

impl SmallestEffects {
    /// Returns those for a number of players. `worth` is that of an item, 10 by default; all others
    /// are in proportion to it.
    pub(crate) fn new(players: usize, worth: f64) -> Self {
        let (fair, scale) = (2.0 / players.max(2) as f64, worth / 10.0);
        Self {
            share: 3.0 * fair * scale,
            seat: 5.0 * fair * scale,
            worth,
            taken: 25.0 * scale,
            taken_of_family: 5.0 * scale,
            rounds: 0.1 * scale,
            decisions: 0.125 * scale,
            score: 0.2 * scale,
            points: 0.5 * scale,
        }
    }
}
