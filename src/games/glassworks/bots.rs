//! The bots of River Valley Glassworks that are part of the program.

use crate::{bots::profile::SearchDefaults, games::BotDefaults};

/// Profiles: name and text.
pub(super) const PROFILES: &[(&str, &str)] = profiles!(
    "glassworks",
    "balanced",
    "rows",
    "columns",
    "sprint",
    "learned2",
    "learned3",
    "learned4",
    "learned5",
);

/// The default bots. Random playouts are too weak here, and a search with a tree for each seat is
/// weaker than with one.
pub(super) const DEFAULTS: &[BotDefaults] = &[
    defaults(2, "learned2"),
    defaults(3, "learned3"),
    defaults(4, "learned4"),
    defaults(5, "learned5"),
];

const fn defaults(players: usize, bot: &'static str) -> BotDefaults {
    let search = SearchDefaults {
        playout: "balanced",
        value: Some(bot),
        prior: Some(bot),
        own_moves: false,
    };
    BotDefaults { players, bot, search }
}
