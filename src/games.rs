//! The games of the program.

use std::{collections::BTreeMap, ops::RangeInclusive, sync::Arc};

use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    bots::{
        BotFactory,
        calibration::CalibrationFile,
        network::NetworkLibrary,
        profile::{BotLibrary, PanelBot, ProfileLibrary, SearchDefaults},
    },
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

/// Embeds the networks of a game: a list of names and contents.
macro_rules! networks {
    ($game:literal: $($name:literal),+) => {
        &[$((
            concat!($name, ".network"),
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/bots/", $game, "/", $name, ".network"
            )),
        )),+]
    };
}

pub mod common_river;
pub mod glassworks;
pub(crate) mod labels;
mod memo;
mod player_range;
pub use player_range::PlayerRange;
mod position_parser;
pub mod targets;
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

/// A game with a data file and bots: all that the commands need.
///
/// Rules are bound to a data file, of which single values can be replaced:
///
/// ```
/// use watershed::{Experiment, GameDefinition as _, games::the_river::TheRiver};
///
/// let document = TheRiver::default_document();
/// let pioneers = document.scalar("rules.start_pioneers")?;
/// assert_eq!(pioneers.value, "4");
///
/// let mean_rounds = |value: &str| {
///     let game = TheRiver::bind(&document.with_value(&pioneers, value), 2)?;
///     let lineup = vec![game.bot_library().read("balanced")?; 2];
///     Ok(Experiment::new(&game, &lineup, 1, 0..50).play().health.rounds.value())
/// };
/// assert!(mean_rounds("5")? < mean_rounds("3")?);
///
/// let error = TheRiver::bind(&document.with_value(&pioneers, "-1"), 2).unwrap_err();
/// assert_eq!(error.key, "rules.start_pioneers");
/// # Ok::<(), watershed::ConfigError>(())
/// ```
pub trait GameDefinition: FullGame + Clone + Send + 'static {
    /// Name in files and on the command line.
    const ID: &'static str;
    /// Title.
    const TITLE: &'static str;
    /// Sentences about the game for people who do not know it.
    const DESCRIPTION: &'static str = "";
    /// Numbers of players that data files may allow.
    const PLAYERS: RangeInclusive<usize>;
    /// Text of the embedded data file.
    const DATA: &'static str;
    /// Embedded profiles of bots: name and text.
    const PROFILES: &'static [(&'static str, &'static str)] = &[];
    /// Embedded networks: the name of a file beside the profiles, and its content.
    const NETWORKS: &'static [(&'static str, &'static [u8])] = &[];
    /// Text of the embedded `defaults.toml` of the bots: a table with a bot and the defaults
    /// of searches for each number of players.
    const BOT_DEFAULTS: &'static str = "";

    /// Text of the embedded `calibration.toml` of the bots: maps from the mean rewards of
    /// searches to win chances, as `calibrate` writes them.
    const CALIBRATION: &'static str = "";

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

    /// Returns the profiles of the game for its number of players.
    ///
    /// # Panics
    /// If the embedded defaults or the embedded calibration are invalid.
    fn profile_library(&self) -> ProfileLibrary<'_> {
        let defaults = toml::Deserializer::parse(Self::BOT_DEFAULTS);
        let defaults = defaults.and_then(BTreeMap::<String, BotDefaults>::deserialize);
        let mut defaults = defaults.expect("the embedded defaults are valid");
        let defaults = defaults.remove(&self.seats().to_string()).unwrap_or(BotDefaults {
            bot: "random",
            panel: Vec::new(),
            heuristic: None,
            search: SearchDefaults {
                playout: "random",
                value: None,
                prior: None,
                own_moves: false,
            },
        });
        ProfileLibrary {
            game: Self::ID,
            players: self.seats(),
            feature_names: self.feature_names(),
            profiles: Self::PROFILES,
            networks: Arc::new(NetworkLibrary::new(Self::ID, Self::NETWORKS, || self.fact_table())),
            default_bot: defaults.bot,
            panel: defaults.panel,
            default_heuristic: defaults.heuristic,
            search: defaults.search,
            calibration: CalibrationFile::parse(Self::CALIBRATION)
                .expect("the embedded calibration is valid"),
            data: Vec::new(),
            adapted_networks: Arc::default(),
        }
    }

    /// Returns the bots of the game for its number of players: its profiles, and no others.
    ///
    /// # Panics
    /// If the embedded defaults or the embedded calibration are invalid.
    fn bot_library(&self) -> BotLibrary<'_, Self> {
        BotLibrary { profiles: self.profile_library(), added_bots: Vec::new() }
    }
}

/// Default bots of a game for one number of players.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BotDefaults {
    /// Bot in all seats if a command names none: the strongest that does not search.
    bot: &'static str,
    /// Bots of the default panel, the bot first.
    #[serde(default)]
    panel: Vec<PanelBot<'static>>,
    /// Heuristic from which training starts if a command names none: the strongest of the game.
    heuristic: Option<&'static str>,
    /// Defaults of searches.
    search: SearchDefaults<'static>,
}

/// A computation over any game, which [`GameList::bind_and_run`] runs with the type of the game
/// known.
///
/// ```
/// use watershed::{
///     BotLibrary, BuiltInGames, Experiment, GameDefinition, GameList as _, games::GameTask,
/// };
///
/// /// Plays 10 blocks between copies of the default bot and returns the number of games.
/// struct PlayBlocks;
///
/// impl GameTask for PlayBlocks {
///     type Output = Result<u64, watershed::ConfigError>;
///
///     fn run<G: GameDefinition>(self, game: &G, library: &BotLibrary<G>) -> Self::Output {
///         let lineup = vec![library.read(library.default_bot())?; game.seats()];
///         Ok(Experiment::new(game, &lineup, 1, 0..10).play().games)
///     }
/// }
///
/// for game in BuiltInGames::GAMES {
///     let document = game.default_document();
///     let games = BuiltInGames::bind_and_run(game.id, &document, game.min_players, PlayBlocks)??;
///     assert_eq!(games, 10, "{}", game.title);
/// }
/// # Ok::<(), watershed::ConfigError>(())
/// ```
pub trait GameTask {
    /// Result type.
    type Output;

    /// Runs the computation for a game bound to a data file.
    fn run<G: GameDefinition>(self, game: &G, library: &BotLibrary<G>) -> Self::Output;
}

/// An entry of a [`GameList`]: a game, and the bots that a program adds to it.
///
/// Every [`GameDefinition`] is an entry without added bots. A type of one's own adds bots to a
/// game:
///
/// ```
/// use watershed::{
///     bots::{Bot, BotFactory, View},
///     game::{ActionSet, Game},
///     games::{GameEntry, the_river::TheRiver},
///     rng::Rng,
/// };
///
/// /// Chooses the first legal action.
/// #[derive(Clone)]
/// struct First;
///
/// impl<G: Game> Bot<G> for First {
///     fn choose(&mut self, _: &View<'_, G>, legal: &G::Actions, _: &mut Rng) -> G::Action {
///         legal.nth(0)
///     }
/// }
///
/// /// The River with the bot `first`.
/// struct RiverWithFirst;
///
/// impl GameEntry for RiverWithFirst {
///     type Game = TheRiver;
///
///     fn added_bots() -> Vec<BotFactory<TheRiver>> {
///         vec![BotFactory::new("first", || First)]
///     }
/// }
/// ```
pub trait GameEntry {
    /// The game.
    type Game: GameDefinition;

    /// Returns the bots that commands accept by name besides the profiles of the game.
    fn added_bots() -> Vec<BotFactory<Self::Game>> {
        Vec::new()
    }
}

impl<G: GameDefinition> GameEntry for G {
    type Game = G;
}

/// Constants of a [`GameDefinition`], without its type.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// Name in files and on the command line.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// Sentences about the game for people who do not know it.
    pub description: &'static str,
    /// Minimum number of players.
    pub min_players: usize,
    /// Maximum number of players.
    pub max_players: usize,
    default_document: fn() -> Document,
    validate: fn(&Document, usize) -> Result<(), ConfigError>,
    player_range: fn(&Document) -> Result<RangeInclusive<usize>, ConfigError>,
}

impl GameInfo {
    /// Describes a game.
    pub const fn of<G: GameDefinition>() -> Self {
        Self {
            id: G::ID,
            title: G::TITLE,
            description: G::DESCRIPTION,
            min_players: *G::PLAYERS.start(),
            max_players: *G::PLAYERS.end(),
            default_document: G::default_document,
            validate: |document, players| G::bind(document, players).map(drop),
            player_range: |document| Ok(document.parse::<G::Data>()?.player_range()),
        }
    }

    /// Returns the numbers of players that a data file allows.
    ///
    /// # Errors
    /// Returns an error if the file is not a data file of the game.
    pub fn player_range(&self, document: &Document) -> Result<RangeInclusive<usize>, ConfigError> {
        (self.player_range)(document)
    }

    /// Returns the embedded data file.
    pub fn default_document(&self) -> Document {
        (self.default_document)()
    }

    /// Checks that a data file is valid for a number of players.
    ///
    /// # Errors
    /// Returns an error if it is not.
    pub fn validate(&self, document: &Document, players: usize) -> Result<(), ConfigError> {
        (self.validate)(document, players)
    }

    /// Checks that a data file is valid for all numbers of players that it is for, and returns
    /// them.
    ///
    /// # Errors
    /// Returns an error if it is not.
    pub fn validate_all(&self, document: &Document) -> Result<Vec<usize>, ConfigError> {
        let range = (self.player_range)(document)?;
        // The first number is refused if the range is empty.
        let first = *range.start();
        self.validate(document, first)?;
        for players in range.clone().skip(1) {
            self.validate(document, players)?;
        }
        Ok(range.collect())
    }
}

/// The games of a program: a tuple of up to 8 entries, of which the first is the default.
pub trait GameList {
    /// All games.
    const GAMES: &'static [GameInfo];

    /// Binds a game to a data file and a number of players, and runs a task.
    ///
    /// # Errors
    /// Returns an error if the data file is invalid or not for this number of players.
    ///
    /// # Panics
    /// If the list has no game of this name.
    fn bind_and_run<T: GameTask>(
        id: &str,
        document: &Document,
        players: usize,
        task: T,
    ) -> Result<T::Output, ConfigError>;

    /// Returns the game of this name.
    fn find(id: &str) -> Option<&'static GameInfo> {
        Self::GAMES.iter().find(|game| game.id == id)
    }
}

/// Binds the game of an entry and runs a task.
fn bind_and_run<E: GameEntry, T: GameTask>(
    document: &Document,
    players: usize,
    task: T,
) -> Result<T::Output, ConfigError> {
    let game = E::Game::bind(document, players)?;
    let profiles = game.profile_library().with_data([document])?;
    let library = BotLibrary { profiles, added_bots: E::added_bots() };
    Ok(task.run(&game, &library))
}

/// Implements [`GameList`] for a tuple of entries.
macro_rules! impl_game_list {
    ($($Entry:ident)+) => {
        impl<$($Entry: GameEntry),+> GameList for ($($Entry,)+) {
            const GAMES: &'static [GameInfo] = &[$(GameInfo::of::<$Entry::Game>()),+];

            fn bind_and_run<T: GameTask>(
                id: &str,
                document: &Document,
                players: usize,
                task: T,
            ) -> Result<T::Output, ConfigError> {
                $(if id == $Entry::Game::ID {
                    return bind_and_run::<$Entry, T>(document, players, task);
                })+
                panic!("there is no game {id:?}")
            }
        }
    };
}

impl_game_list!(A);
impl_game_list!(A B);
impl_game_list!(A B C);
impl_game_list!(A B C D);
impl_game_list!(A B C D E);
impl_game_list!(A B C D E F);
impl_game_list!(A B C D E F G);
impl_game_list!(A B C D E F G H);

/// The games of the program `watershed`.
pub type BuiltInGames = (TheRiver, Glassworks, CommonRiver);
