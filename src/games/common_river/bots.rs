//! The bots of We All Take from the River that are part of the program.

use crate::{bots::profile::SearchDefaults, games::BotDefaults};

/// Profiles: name and text.
pub(super) const PROFILES: &[(&str, &str)] = profiles!(
    "common_river",
    "balanced",
    "warden",
    "farmer",
    "mason",
    "hoarder",
    "helper",
    "steward",
    "learned1",
    "learned2",
    "learned3",
    "learned4",
    "learned5",
);

/// The default bots. A search with a tree for each seat is weaker than with one.
pub(super) const DEFAULTS: &[BotDefaults] = &[
    defaults(1, "learned1"),
    defaults(2, "learned2"),
    defaults(3, "learned3"),
    defaults(4, "learned4"),
    defaults(5, "learned5"),
];

const fn defaults(players: usize, bot: &'static str) -> BotDefaults {
    let search = SearchDefaults {
        playout: "random-kind",
        value: Some(bot),
        prior: Some(bot),
        own_moves: false,
    };
    BotDefaults { players, bot, search }
}
