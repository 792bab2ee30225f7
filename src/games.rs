//! The games, each under a name of its own with the same rooms, and choosing one by its name.

pub mod common_river;
pub mod glassworks;
mod position_parser;
pub mod the_river;

use crate::{
    bots::profile::{BotLibrary, SearchDefaults},
    config::{ConfigError, Document},
    game::{Features, FullGame},
};
use common_river::CommonRiver;
use glassworks::Glassworks;
use the_river::TheRiver;

/// A game by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum GameName {
    /// The River, 2 to 4 players
    TheRiver,
    /// River Valley Glassworks, 2 to 5 players
    Glassworks,
    /// We All Take from the River, 1 to 5 players
    CommonRiver,
}

/// What is to be done with a game, whichever it is.
pub trait GameTask {
    /// What it brings.
    type Output;

    /// Does it.
    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> Self::Output;
}

/// What is to be done with a game under several data files, whichever it is.
pub trait VariantsTask {
    /// What it brings.
    type Output;

    /// Does it.
    fn run<G: FullGame>(self, games: &[G], library: &BotLibrary<'_>) -> Self::Output;
}

impl GameName {
    /// All games.
    pub const ALL: [Self; 3] = [Self::TheRiver, Self::Glassworks, Self::CommonRiver];

    /// The name in files and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TheRiver => TheRiver::NAME,
            Self::Glassworks => Glassworks::NAME,
            Self::CommonRiver => CommonRiver::NAME,
        }
    }

    /// The game with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|game| game.as_str() == name)
    }

    /// The smallest number of players.
    pub const fn min_players(self) -> usize {
        match self {
            Self::TheRiver | Self::Glassworks => 2,
            Self::CommonRiver => 1,
        }
    }

    /// The greatest number of players.
    pub const fn max_players(self) -> usize {
        match self {
            Self::TheRiver => 4,
            Self::Glassworks | Self::CommonRiver => 5,
        }
    }

    /// The data file that is part of the program.
    pub fn default_document(self) -> Document {
        match self {
            Self::TheRiver => TheRiver::default_document(),
            Self::Glassworks => Glassworks::default_document(),
            Self::CommonRiver => CommonRiver::default_document(),
        }
    }

    /// The profiles that are part of the program, name and text.
    pub const fn profiles(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::TheRiver => &TheRiver::PROFILES,
            Self::Glassworks => &Glassworks::PROFILES,
            Self::CommonRiver => &CommonRiver::PROFILES,
        }
    }

    /// The bot that playouts of a search follow by default: in The River kinds of action at random
    /// are good enough to beat every profile, in River Valley Glassworks they are not.
    pub const fn default_playout(self) -> &'static str {
        match self {
            Self::TheRiver | Self::CommonRiver => "random-kind",
            Self::Glassworks => "balanced",
        }
    }

    /// The bot in all seats where a command names none: the strongest profile that does not search.
    /// `networkN` if there is one for N players, else `learnedN`, else the first profile.
    pub fn default_bot(self, players: usize) -> &'static str {
        let learned = self.learned("network", players).or(self.learned("learned", players));
        learned.or(self.profiles().first().map(|(name, _)| *name)).unwrap_or("random")
    }

    /// Whether a search by a learned value has a tree for each seat of its own moves: a seat of The
    /// River makes many decisions in a row, of which the others' change little; in the other games
    /// a search is weaker with such trees.
    const fn own_trees(self) -> bool {
        matches!(self, Self::TheRiver)
    }

    /// The profile of this name that was learned for this number of players, if there is one.
    fn learned(self, name: &str, players: usize) -> Option<&'static str> {
        let names = self.profiles().iter().map(|(name, _)| *name);
        names
            .into_iter()
            .find(|profile| profile.strip_prefix(name) == Some(players.to_string().as_str()))
    }

    /// Binds the game to a data file and a number of players and does something with it.
    ///
    /// # Errors
    /// If the data file is refused.
    pub fn bind_and_run<T: GameTask>(
        self,
        document: &Document,
        players: usize,
        task: T,
    ) -> Result<T::Output, ConfigError> {
        match self {
            Self::TheRiver => Ok(self.run(&TheRiver::new(document, players)?, task)),
            Self::Glassworks => Ok(self.run(&Glassworks::new(document, players)?, task)),
            Self::CommonRiver => Ok(self.run(&CommonRiver::new(document, players)?, task)),
        }
    }

    /// Binds the game to each of several data files, one at least, and does something with all of
    /// them.
    ///
    /// # Errors
    /// If a data file is refused.
    pub fn with_each<T: VariantsTask>(
        self,
        documents: &[Document],
        players: usize,
        task: T,
    ) -> Result<T::Output, ConfigError> {
        match self {
            Self::TheRiver => {
                self.run_each(documents, |document| TheRiver::new(document, players), task)
            }
            Self::Glassworks => {
                self.run_each(documents, |document| Glassworks::new(document, players), task)
            }
            Self::CommonRiver => {
                self.run_each(documents, |document| CommonRiver::new(document, players), task)
            }
        }
    }

    fn run_each<G: FullGame, T: VariantsTask>(
        self,
        documents: &[Document],
        bind: impl Fn(&Document) -> Result<G, ConfigError>,
        task: T,
    ) -> Result<T::Output, ConfigError> {
        let games = documents.iter().map(bind).collect::<Result<Vec<_>, _>>()?;
        Ok(task.run(&games, &self.library(&games[0])))
    }

    fn run<G: FullGame, T: GameTask>(self, game: &G, task: T) -> T::Output {
        task.run(game, &self.library(game))
    }

    /// The bots that can be named in this game.
    fn library<G: FullGame>(self, game: &G) -> BotLibrary<'static> {
        // Of the two a network knows positions better; a weighted sum is fast enough to look at
        // every action.
        let weighted = self.learned("learned", game.seats());
        BotLibrary {
            game: self.as_str(),
            feature_names: Features::feature_names(game),
            profiles: self.profiles(),
            default_bot: self.default_bot(game.seats()),
            search: SearchDefaults {
                playout: self.default_playout(),
                value: self.learned("network", game.seats()).or(weighted),
                prior: weighted,
                own_moves: self.own_trees(),
            },
        }
    }
}
