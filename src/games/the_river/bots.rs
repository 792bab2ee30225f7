//! The bots of The River that are part of the program.

use crate::{bots::profile::SearchDefaults, games::BotDefaults};

/// Profiles: name and text.
pub(super) const PROFILES: &[(&str, &str)] = profiles!(
    "the_river",
    "balanced",
    "builder",
    "settler",
    "meadow",
    "learned2",
    "learned3",
    "learned4",
    "network2",
    "network3",
    "network4",
);

/// The default bots. A network evaluates positions better than a weighted sum, which is fast enough
/// to be the prior of every action. Playouts by kinds of action at random are good enough to beat
/// every profile. A seat makes many decisions in a row, which those of the others change little:
/// the search builds a tree for each seat.
pub(super) const DEFAULTS: &[BotDefaults] = &[
    defaults(2, "network2", "learned2"),
    defaults(3, "network3", "learned3"),
    defaults(4, "network4", "learned4"),
];

const fn defaults(
    players: usize,
    network: &'static str,
    weighted_sum: &'static str,
) -> BotDefaults {
    let search = SearchDefaults {
        playout: "random-kind",
        value: Some(network),
        prior: Some(weighted_sum),
        own_moves: true,
    };
    BotDefaults { players, bot: network, search }
}
