//! The games of a program: their constants, their files, and the list of them.

use std::ops::RangeInclusive;

use crate::{
    bots::{
        BotFactory,
        profile::BotLibrary,
        program::{ProgramBots, ProgramReader},
    },
    bound::BoundGame,
    config::{ConfigError, Document, KeyInfo, KeyType as _, edit::Scalar, vary::EditRanges},
    games::{GameData as _, GameDefinition, GameFiles},
    rng::Rng,
};

/// A game of a program: its constants, its files, and the bots that the program adds to it.
///
/// ```
/// use watershed::{
///     bots::{Bot, BotFactory, View},
///     game::{ActionSet, Game},
///     games::{BuiltInGame, GameEntry, the_river::TheRiver},
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
/// let bots = || vec![BotFactory::new::<TheRiver, _>("first", || First)];
/// let entry = GameEntry::new::<TheRiver>(TheRiver::FILES).with_bots(bots);
/// let game = entry.open(&entry.default_document(), 2)?;
/// assert_eq!(game.library().read("first")?.name(), "first");
/// # Ok::<(), watershed::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GameEntry {
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
    files: GameFiles,
    validate: fn(&Document, usize) -> Result<(), ConfigError>,
    player_range: fn(&Document) -> Result<RangeInclusive<usize>, ConfigError>,
    keys: fn() -> Vec<KeyInfo>,
    open: Open,
    added_bots: fn() -> Vec<BotFactory>,
    programs: Option<ProgramReader>,
}

/// Maximum number of drafts of a data file with random edits.
const MAX_DRAFTS: usize = 200;

/// Binds the game of an entry to a data file and a number of players.
type Open = fn(&GameEntry, &Document, usize) -> Result<BoundGame, ConfigError>;

/// Binds a game to a data file and a number of players.
fn open<G: GameDefinition>(
    entry: &GameEntry,
    document: &Document,
    players: usize,
) -> Result<BoundGame, ConfigError> {
    let game = G::bind(document, players)?;
    let profiles = entry.files.profile_library(&game).with_data([document])?;
    let added_bots = (entry.added_bots)();
    let programs = entry.programs.map(|read| ProgramBots::new::<G>(G::ID, read));
    Ok(BoundGame::new(game, BotLibrary { profiles, added_bots, programs }))
}

impl GameEntry {
    /// Describes a game with its files.
    pub const fn new<G: GameDefinition>(files: GameFiles) -> Self {
        Self {
            id: G::ID,
            title: G::TITLE,
            description: G::DESCRIPTION,
            min_players: *G::PLAYERS.start(),
            max_players: *G::PLAYERS.end(),
            files,
            validate: |document, players| G::bind(document, players).map(drop),
            player_range: |document| Ok(G::Data::read_document(document)?.player_range()),
            keys: G::Data::keys,
            open: open::<G>,
            added_bots: Vec::new,
            programs: None,
        }
    }

    /// Adds bots that commands accept by name besides the profiles of the game.
    #[must_use]
    pub const fn with_bots(self, added_bots: fn() -> Vec<BotFactory>) -> Self {
        Self { added_bots, ..self }
    }

    /// Accepts programs as bots: `read` returns the program of a command.
    #[must_use]
    pub const fn with_programs(self, read: ProgramReader) -> Self {
        Self { programs: Some(read), ..self }
    }

    /// Binds the game to a data file and a number of players.
    ///
    /// # Errors
    /// Returns an error if the file is invalid or is not for this number of players.
    pub fn open(&self, document: &Document, players: usize) -> Result<BoundGame, ConfigError> {
        (self.open)(self, document, players)
    }

    /// Returns the keys of a data file.
    pub fn keys(&self) -> Vec<KeyInfo> {
        (self.keys)()
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
        self.files.default_document()
    }

    /// Returns the embedded edits that data files vary by; `None` if the game has none.
    pub fn default_edits(&self) -> Option<Document> {
        let name = format!("configs/edits/{}.toml", self.id);
        (!self.files.edits.is_empty()).then(|| Document::embedded(&name, self.files.edits))
    }

    /// Returns a data file with random edits that the game accepts.
    ///
    /// # Errors
    /// Returns the last error of the game if it refuses very many drafts.
    pub fn draw_edits(
        &self,
        ranges: &EditRanges,
        file: &Document,
        rng: &mut Rng,
    ) -> Result<Document, ConfigError> {
        let mut draft = || {
            let draft = ranges.draw(file, rng)?;
            self.validate_all(&draft).map(|_| draft)
        };
        (1..MAX_DRAFTS).find_map(|_| draft().ok()).map_or_else(draft, Ok)
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

    /// Returns the value with a key in a data file that is valid for a number of players. An
    /// integer that the file does not have and the game accepts is 0.
    ///
    /// # Errors
    /// Returns an error if there is no such key.
    pub fn find_scalar(
        &self,
        document: &Document,
        players: usize,
        key: &str,
    ) -> Result<Scalar, ConfigError> {
        let absent = |error| self.absent_scalar(document, players, key).ok_or(error);
        document.scalar(key).or_else(absent)
    }

    /// Returns an integer that a data file does not have as 0, if the game accepts it.
    fn absent_scalar(&self, document: &Document, players: usize, key: &str) -> Option<Scalar> {
        let with = |scalar: &Scalar| document.with_value(scalar, &scalar.value);
        let absent = document.absent_integer(key);
        absent.filter(|scalar| self.validate(&with(scalar), players).is_ok())
    }

    /// Returns the keys of all numbers, booleans and strings of a data file that is valid for a
    /// number of players, then the integers that it does not have and the game accepts.
    ///
    /// # Errors
    /// Returns an error if the file is not TOML.
    pub fn data_keys(
        &self,
        document: &Document,
        players: usize,
    ) -> Result<Vec<DataKey>, ConfigError> {
        let scalars = document.scalars()?;
        let range = self.player_range(document)?;
        let mut absent = Vec::new();
        for info in self.keys() {
            if info.is_optional && info.accepts_zero() {
                absent.extend(document.matching_keys(&info.key, range.clone())?);
            }
        }
        absent.retain(|key| {
            scalars.iter().all(|[other, _]| other != key)
                && self.absent_scalar(document, players, key).is_some()
        });
        let scalars =
            scalars.into_iter().map(|[key, value]| DataKey { key, value, is_absent: false });
        let zero = |key| DataKey { key, value: "0".to_owned(), is_absent: true };
        Ok(scalars.chain(absent.into_iter().map(zero)).collect())
    }
}

/// A key of a data file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataKey {
    /// The key, in the format of [`Document::scalar`].
    pub key: String,
    /// Its value, as TOML.
    pub value: String,
    /// True if the data file does not have the key, whose value is 0 then.
    pub is_absent: bool,
}

/// The games of a program, of which the first is the default.
#[derive(Clone, Copy, Debug)]
pub struct GameList(&'static [GameEntry]);

impl GameList {
    /// Creates a list for the whole run of the program.
    ///
    /// # Panics
    /// If there is no game.
    pub fn new(games: Vec<GameEntry>) -> Self {
        assert!(!games.is_empty(), "a program has at least one game");
        Self(games.leak())
    }

    /// Returns the list with games that accept programs as bots, as
    /// [`GameEntry::with_programs`].
    #[must_use]
    pub fn with_programs(self, read: ProgramReader) -> Self {
        Self::new(self.0.iter().map(|game| game.with_programs(read)).collect())
    }

    /// Returns all games.
    pub fn all(self) -> &'static [GameEntry] {
        self.0
    }

    /// Returns the first game.
    pub fn default_game(self) -> &'static GameEntry {
        &self.0[0]
    }

    /// Returns the game of this name.
    pub fn find(self, id: &str) -> Option<&'static GameEntry> {
        self.0.iter().find(|game| game.id == id)
    }

    /// Returns the game of this name.
    ///
    /// # Errors
    /// Returns a message that names all games if there is none.
    pub fn require(self, id: &str) -> Result<&'static GameEntry, String> {
        self.find(id).ok_or_else(|| {
            let names: Vec<_> = self.0.iter().map(|game| game.id).collect();
            format!("expected one of {}, found {id:?}", names.join(", "))
        })
    }
}
