//! Games with a data file and bots, and parts that games share.

use std::{ops::RangeInclusive, sync::Arc};

use crate::{
    bots::{
        calibration::CalibrationFile,
        defaults::BotDefaults,
        network::NetworkLibrary,
        opponents::Opponent,
        profile::{BotLibrary, ProfileLibrary},
    },
    config::{ConfigError, Document, KeyType},
    game::FullGame,
};

pub mod action_texts;
pub mod labels;
pub mod memo;
pub mod player_range;
pub mod position_text;
pub mod table;
pub mod targets;

/// The components and rules values of a data file.
pub trait GameData: KeyType {
    /// Returns the numbers of players that the file is for.
    fn player_range(&self) -> RangeInclusive<usize>;

    /// Returns the key that takes the place of one that files of earlier versions have. By default
    /// there is none.
    fn replacement(_key: &str) -> Option<&'static str> {
        None
    }

    /// Reads a data file.
    ///
    /// # Errors
    /// Returns an error if the file is not TOML, or does not have the keys of the data.
    fn read_document(document: &Document) -> Result<Self, ConfigError> {
        document.parse().map_err(|error: ConfigError| match Self::replacement(&error.key) {
            Some(key) => ConfigError { message: format!("expected `{key}` instead"), ..error },
            None => error,
        })
    }

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
/// use watershed::{Experiment, BuiltInGame as _, GameDefinition as _, games::the_river::TheRiver};
///
/// let document = TheRiver::default_document();
/// let pioneers = document.scalar("rules.start_pioneers")?;
/// assert_eq!(pioneers.value, "4");
///
/// let mean_rounds = |value: &str| {
///     let game = TheRiver::bind(&document.with_value(&pioneers, value), 2)?;
///     let lineup = vec![game.bot_library().read("balanced")?; 2];
///     Ok(Experiment::new(&lineup, 1, 0..50).play(&game).health.rounds.value())
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
        let data = Self::Data::read_document(document)?;
        data.check(document)?;
        let range = data.player_range();
        if !range.contains(&players) {
            let (min, max) = range.into_inner();
            let message = format!("the file is for {min} to {max} players, not for {players}");
            return Err(document.error("players", message));
        }
        Self::from_data(data, document, players)
    }
}

/// The files of a game that a program embeds.
///
/// ```
/// use watershed::games::GameFiles;
///
/// const FILES: GameFiles = GameFiles::new("own_game", "players = { min = 2, max = 2 }\n");
/// assert_eq!(FILES.default_document().name, "<configs/own_game.toml>");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GameFiles {
    /// Name of the game.
    pub game: &'static str,
    /// Text of the data file.
    pub data: &'static str,
    /// Text of the edits that data files vary by; empty if there are none.
    pub edits: &'static str,
    /// Profiles of bots: name and text.
    pub profiles: &'static [(&'static str, &'static str)],
    /// Networks: the name of a file beside the profiles, and its content.
    pub networks: &'static [(&'static str, &'static [u8])],
    /// Text of `defaults.toml` of the bots: a table with a bot and the defaults of searches for
    /// each number of players.
    pub bot_defaults: &'static str,
    /// Text of `calibration.toml` of the bots: maps from the mean rewards of searches to win
    /// chances, as `calibrate` writes them.
    pub calibration: &'static str,
    /// Text of `opponents.toml` of the bots: bots with names and measured ratings; empty if there
    /// are none.
    pub opponents: &'static str,
}

impl GameFiles {
    /// Describes a game with a data file and without profiles of bots.
    pub const fn new(game: &'static str, data: &'static str) -> Self {
        let (edits, bot_defaults, calibration, opponents) = ("", "", "", "");
        let (profiles, networks) = (&[], &[]);
        Self { game, data, edits, profiles, networks, bot_defaults, calibration, opponents }
    }

    /// Returns the data file.
    pub fn default_document(&self) -> Document {
        Document::embedded(&format!("configs/{}.toml", self.game), self.data)
    }

    /// Returns the profiles for a game and its number of players.
    ///
    /// # Panics
    /// If the defaults, the calibration or the opponents are invalid.
    pub fn profile_library<G: GameDefinition>(&self, game: &G) -> ProfileLibrary {
        let defaults = BotDefaults::parse(self.bot_defaults, game.seats())
            .expect("the embedded defaults are valid");
        let facts = {
            let game = game.clone();
            move || game.fact_table()
        };
        ProfileLibrary {
            game: G::ID,
            players: game.seats(),
            modes: mode_names(game),
            feature_names: game.feature_names(),
            built_in: self.data,
            edits: self.edits,
            profiles: self.profiles,
            networks: Arc::new(NetworkLibrary::new(G::ID, self.networks, facts)),
            default_bot: defaults.bot,
            panel: defaults.panel,
            opponents: Opponent::parse_all(self.opponents, game.seats())
                .expect("the embedded opponents are valid"),
            default_heuristic: defaults.heuristic,
            search: defaults.search,
            calibration: CalibrationFile::parse(self.calibration)
                .expect("the embedded calibration is valid"),
            data: Vec::new(),
            adapted_networks: Arc::default(),
        }
    }

    /// Returns the bots for a game and its number of players: its profiles, and no others.
    ///
    /// # Panics
    /// If the defaults, the calibration or the opponents are invalid.
    pub fn bot_library<G: GameDefinition>(&self, game: &G) -> BotLibrary {
        BotLibrary { profiles: self.profile_library(game), added_bots: Vec::new(), programs: None }
    }
}

/// Returns the names of the modes that a game can have.
fn mode_names<G: GameDefinition>(game: &G) -> Vec<&'static str> {
    let chosen = game.modes().into_iter().map(|(mode, _)| mode.name);
    chosen.chain(game.mode(&game.initial()).map(|mode| mode.name)).collect()
}
