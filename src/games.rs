//! The games of the program.

use std::{collections::BTreeMap, ops::RangeInclusive};

use clap::{ValueEnum, builder::PossibleValue};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    bots::profile::{BotLibrary, SearchDefaults},
    config::{ConfigError, Document},
    game::FullGame,
};

/// Embeds the profiles of a game: a list of names and texts.
macro_rules! profiles {
    ($game:literal: $($name:literal),+) => {
        &[$((
            $name,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/bots/", $game, "/", $name, ".toml"
            )),
        )),+]
    };
}

pub mod common_river;
pub mod glassworks;
mod player_range;
mod position_parser;
pub mod the_river;

use common_river::CommonRiver;
use glassworks::Glassworks;
use the_river::TheRiver;

/// The components and rules values of a data file.
pub trait GameData: DeserializeOwned {
    /// Returns the numbers of players that the file is for.
    fn player_range(&self) -> RangeInclusive<usize>;

    /// Checks the conditions that the types of the values do not express.
    ///
    /// # Errors
    /// Returns an error if a value is outside the limits of the rules or of the packed position.
    fn check(&self, document: &Document) -> Result<(), ConfigError>;
}

/// A game of the program: its rules, its data file and its bots.
pub trait GameDefinition: FullGame + Sized {
    /// Name in files and on the command line.
    const ID: &'static str;
    /// Title.
    const TITLE: &'static str;
    /// Numbers of players that data files may allow.
    const PLAYERS: RangeInclusive<usize>;
    /// Text of the embedded data file.
    const DATA: &'static str;
    /// Embedded profiles of bots: name and text.
    const PROFILES: &'static [(&'static str, &'static str)] = &[];
    /// Text of the embedded `defaults.toml` of the bots: a table with a bot and the defaults
    /// of searches for each number of players.
    const BOT_DEFAULTS: &'static str = "";

    /// The content of a data file.
    type Data: GameData;

    /// Binds the rules to data for this number of players.
    ///
    /// # Errors
    /// Returns an error if the data does not fit into the packed position.
    fn from_data(
        data: Self::Data,
        document: &Document,
        players: usize,
    ) -> Result<Self, ConfigError>;

    /// Binds the rules to a data file and a number of players.
    ///
    /// # Errors
    /// Returns an error if the file is invalid or is not for this number of players.
    fn bind(document: &Document, players: usize) -> Result<Self, ConfigError> {
        let data: Self::Data = document.parse()?;
        data.check(document)?;
        let range = data.player_range();
        if !range.contains(&players) {
            let (min, max) = range.into_inner();
            let message = format!("the file is for {min} to {max} players, not for {players}");
            return Err(document.error("players", message));
        }
        Self::from_data(data, document, players)
    }

    /// Returns the embedded data file.
    fn default_document() -> Document {
        Document::embedded(&format!("configs/{}.toml", Self::ID), Self::DATA)
    }

    /// Returns the bots of the game for its number of players.
    ///
    /// # Panics
    /// If the embedded defaults are invalid.
    fn bot_library(&self) -> BotLibrary<'static> {
        let defaults = toml::Deserializer::parse(Self::BOT_DEFAULTS);
        let defaults = defaults.and_then(BTreeMap::<String, BotDefaults>::deserialize);
        let mut defaults = defaults.expect("the embedded defaults are valid");
        let defaults = defaults.remove(&self.seats().to_string()).unwrap_or(BotDefaults {
            bot: "random",
            search: SearchDefaults {
                playout: "random",
                value: None,
                prior: None,
                own_moves: false,
            },
        });
        BotLibrary {
            game: Self::ID,
            feature_names: self.feature_names(),
            profiles: Self::PROFILES,
            default_bot: defaults.bot,
            search: defaults.search,
        }
    }
}

/// Default bots of a game for one number of players.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BotDefaults {
    /// Bot in all seats if a command names none: the strongest that does not search.
    bot: &'static str,
    /// Defaults of searches.
    search: SearchDefaults<'static>,
}

/// A computation over any game.
pub trait GameTask {
    /// Result type.
    type Output;

    /// Runs the computation for a game bound to a data file.
    fn run<G: GameDefinition>(self, game: &G, library: &BotLibrary<'_>) -> Self::Output;
}

/// Constants of a [`GameDefinition`], without its type.
struct GameInfo {
    id: &'static str,
    title: &'static str,
    min_players: usize,
    max_players: usize,
    profiles: &'static [(&'static str, &'static str)],
    default_document: fn() -> Document,
}

/// Lists the games of the program.
macro_rules! games {
    ($($Game:ident),+ $(,)?) => {
        /// A game by name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the names are those of the types")]
        pub enum GameName {
            $($Game),+
        }

        impl GameName {
            /// All games.
            pub const ALL: [Self; [$(stringify!($Game)),+].len()] = [$(Self::$Game),+];

            const fn info(self) -> GameInfo {
                match self {
                    $(Self::$Game => GameInfo {
                        id: $Game::ID,
                        title: $Game::TITLE,
                        min_players: *$Game::PLAYERS.start(),
                        max_players: *$Game::PLAYERS.end(),
                        profiles: $Game::PROFILES,
                        default_document: $Game::default_document,
                    }),+
                }
            }

            /// Binds the game to a data file and a number of players, and runs a task.
            ///
            /// # Errors
            /// Returns an error if the data file is invalid or not for this number of players.
            pub fn bind_and_run<T: GameTask>(
                self,
                document: &Document,
                players: usize,
                task: T,
            ) -> Result<T::Output, ConfigError> {
                match self {
                    $(Self::$Game => {
                        let game = $Game::bind(document, players)?;
                        Ok(task.run(&game, &game.bot_library()))
                    }),+
                }
            }

            /// Checks that a data file is valid for a number of players.
            ///
            /// # Errors
            /// Returns an error if it is not.
            pub fn validate(self, document: &Document, players: usize) -> Result<(), ConfigError> {
                match self {
                    $(Self::$Game => $Game::bind(document, players).map(drop)),+
                }
            }
        }
    };
}

games!(TheRiver, Glassworks, CommonRiver);

impl GameName {
    /// The name in files and on the command line.
    pub const fn as_str(self) -> &'static str {
        self.info().id
    }

    /// Returns the game with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|game| game.as_str() == name)
    }

    /// The minimum number of players.
    pub const fn min_players(self) -> usize {
        self.info().min_players
    }

    /// The maximum number of players.
    pub const fn max_players(self) -> usize {
        self.info().max_players
    }

    /// Returns the embedded data file.
    pub fn default_document(self) -> Document {
        (self.info().default_document)()
    }

    /// The embedded profiles: name and text.
    pub const fn profiles(self) -> &'static [(&'static str, &'static str)] {
        self.info().profiles
    }
}

impl ValueEnum for GameName {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let GameInfo { id, title, min_players, max_players, .. } = self.info();
        Some(
            PossibleValue::new(id).help(format!("{title}, {min_players} to {max_players} players")),
        )
    }
}
