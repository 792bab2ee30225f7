//! The games of the program, and the files that it embeds for them.

pub mod open_games;

use std::sync::LazyLock;

pub use watershed_cold::game_list::*;
#[cfg(feature = "common_river")]
#[doc(inline)]
pub use watershed_common_river as common_river;
pub use watershed_engine::games::*;
#[cfg(feature = "glassworks")]
#[doc(inline)]
pub use watershed_glassworks as glassworks;
#[cfg(feature = "the_river")]
#[doc(inline)]
pub use watershed_the_river as the_river;

use watershed_engine::{
    bots::profile::{BotLibrary, ProfileLibrary},
    config::Document,
};

/// Embeds the files of a game: its data file, and its profiles and networks of bots.
#[cfg(any(feature = "the_river", feature = "glassworks", feature = "common_river"))]
macro_rules! files {
    ($game:literal, profiles: [$($profile:literal),+ $(,)?], networks: [$($network:literal),+]) => {
        GameFiles {
            game: $game,
            data: include_str!(concat!("../configs/", $game, ".toml")),
            edits: include_str!(concat!("../configs/edits/", $game, ".toml")),
            profiles: &[$((
                $profile,
                include_str!(concat!("../bots/", $game, "/", $profile, ".toml")),
            )),+],
            networks: &[$((
                concat!($network, ".network"),
                include_bytes!(concat!("../bots/", $game, "/", $network, ".network")),
            )),+],
            bot_defaults: include_str!(concat!("../bots/", $game, "/defaults.toml")),
            calibration: include_str!(concat!("../bots/", $game, "/calibration.toml")),
            opponents: include_str!(concat!("../bots/", $game, "/opponents.toml")),
        }
    };
}

/// A game of the program, whose files are embedded.
pub trait BuiltInGame: GameDefinition {
    /// The files.
    const FILES: GameFiles;

    /// Returns the embedded data file.
    fn default_document() -> Document {
        Self::FILES.default_document()
    }

    /// Returns the profiles of the game for its number of players.
    fn profile_library(&self) -> ProfileLibrary {
        Self::FILES.profile_library(self)
    }

    /// Returns the bots of the game for its number of players.
    fn bot_library(&self) -> BotLibrary {
        Self::FILES.bot_library(self)
    }
}

#[cfg(feature = "the_river")]
impl BuiltInGame for the_river::TheRiver {
    const FILES: GameFiles = files!(
        "the_river",
        profiles: [
            "balanced", "builder", "settler", "meadow", "expert", "second",
        ],
        networks: ["expert", "second"]
    );
}

#[cfg(feature = "glassworks")]
impl BuiltInGame for glassworks::Glassworks {
    const FILES: GameFiles = files!(
        "glassworks",
        profiles: [
            "balanced", "rows", "columns", "sprint", "learned2", "learned3", "learned4",
            "learned5", "expert",
        ],
        networks: ["expert"]
    );
}

#[cfg(feature = "common_river")]
impl BuiltInGame for common_river::CommonRiver {
    const FILES: GameFiles = files!(
        "common_river",
        profiles: [
            "balanced", "warden", "farmer", "mason", "hoarder", "helper", "steward", "learned1",
            "learned2", "learned3", "learned4", "learned5", "expert1", "expert2", "expert3",
        ],
        networks: ["expert1", "expert2-coop", "expert2-competitive", "expert3"]
    );
}

/// Returns the games of the program `watershed`.
pub fn built_in_games() -> GameList {
    static GAMES: LazyLock<GameList> = LazyLock::new(|| {
        GameList::new(vec![
            #[cfg(feature = "the_river")]
            the_river::entry(the_river::TheRiver::FILES),
            #[cfg(feature = "glassworks")]
            glassworks::entry(glassworks::Glassworks::FILES),
            #[cfg(feature = "common_river")]
            common_river::entry(common_river::CommonRiver::FILES),
        ])
    });
    *GAMES
}
