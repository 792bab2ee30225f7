//! Games with a data file and a number of players.

use std::{path::PathBuf, sync::Arc};

use pyo3::prelude::*;
use watershed::{
    Document,
    bound::BoundGame,
    config::nearest_name,
    games::{GameEntry, built_in_games},
};

use crate::{
    batch::Batch,
    bots::Bot,
    errors::{config_exception, refusal},
    rules::Rules,
    state::State,
};

/// A game with its data file, for a number of players.
#[pyclass(module = "watershed", frozen)]
pub(crate) struct Game {
    entry: &'static GameEntry,
    document: Document,
    bound: BoundGame,
    rules: Arc<Rules>,
}

impl Game {
    fn open(
        py: Python<'_>,
        entry: &'static GameEntry,
        document: Document,
        players: usize,
    ) -> PyResult<Self> {
        let bound = entry.open(&document, players);
        let bound = bound.map_err(|error| config_exception(py, &error))?;
        let rules = Arc::new(Rules::new(bound.states(), Some((entry.id, document.clone()))));
        Ok(Self { entry, document, bound, rules })
    }
}

/// Returns the game of this name.
fn find_game(py: Python<'_>, name: &str) -> PyResult<&'static GameEntry> {
    let games = built_in_games();
    games.find(name).ok_or_else(|| {
        let names: Vec<_> = games.all().iter().map(|game| game.id).collect();
        let nearest = nearest_name(name, names.iter().copied());
        let hint = nearest.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
        refusal(py, format!("no game {name:?}; expected one of {}{hint}", names.join(", ")))
    })
}

#[pymethods]
impl Game {
    /// Binds a game to a data file, by default the built-in one, and a number of players, by
    /// default the lowest.
    #[new]
    #[pyo3(signature = (name="the_river", players=None, data=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        players: Option<usize>,
        data: Option<PathBuf>,
    ) -> PyResult<Self> {
        let entry = find_game(py, name)?;
        let document = match data {
            Some(path) => Document::read(&path).map_err(|error| config_exception(py, &error))?,
            None => entry.default_document(),
        };
        let range = entry.player_range(&document);
        let range = range.map_err(|error| config_exception(py, &error))?;
        Self::open(py, entry, document, players.unwrap_or(*range.start()))
    }

    /// Name in files and on the command line.
    #[getter]
    fn name(&self) -> &'static str {
        self.entry.id
    }

    /// Title.
    #[getter]
    fn title(&self) -> &'static str {
        self.entry.title
    }

    /// Number of players.
    #[getter]
    fn players(&self) -> usize {
        self.rules.seats
    }

    /// The lowest and the highest number of players that the data file allows.
    #[getter]
    fn player_range(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        let range = self.entry.player_range(&self.document);
        Ok(range.map_err(|error| config_exception(py, &error))?.into_inner())
    }

    /// Text of the data file.
    #[getter]
    fn data(&self) -> &str {
        &self.document.text
    }

    /// True if the data file is the built-in one without a change.
    #[getter]
    fn is_built_in(&self) -> bool {
        self.document == self.entry.default_document()
    }

    /// Number of all decisions that can occur; actions are numbered below it.
    #[getter]
    fn num_actions(&self) -> usize {
        self.rules.decisions.len()
    }

    /// Notations of all decisions, by their numbers.
    #[getter]
    fn action_names(&self) -> Vec<&str> {
        self.rules.decisions.iter().map(|name| name.notation.as_str()).collect()
    }

    /// Names of the numbers in an observation.
    #[getter]
    fn observation_names(&self) -> Vec<&str> {
        self.rules.observation_names.iter().map(String::as_str).collect()
    }

    /// Length of an observation.
    #[getter]
    fn observation_size(&self) -> usize {
        self.rules.observation_names.len()
    }

    /// Names of the bots of the game; `bot` also accepts kinds with options and paths of profiles.
    #[getter]
    fn bots(&self) -> Vec<&str> {
        self.bound.library().profiles.profile_names().collect()
    }

    /// Returns the value of a key of the data file, as TOML text.
    fn value(&self, py: Python<'_>, key: &str) -> PyResult<String> {
        let scalar = self.document.scalar(key);
        Ok(scalar.map_err(|error| config_exception(py, &error))?.value)
    }

    /// Returns all keys of the data file with their values, as TOML text.
    fn values(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let scalars = self.document.scalars();
        let scalars = scalars.map_err(|error| config_exception(py, &error))?;
        Ok(scalars.into_iter().map(|[key, value]| (key, value)).collect())
    }

    /// Returns the game with another value of a key of the data file.
    fn with_value(&self, py: Python<'_>, key: &str, value: Bound<'_, PyAny>) -> PyResult<Self> {
        let scalar = self.document.scalar(key);
        let scalar = scalar.map_err(|error| config_exception(py, &error))?;
        let document = self.document.with_value(&scalar, value.str()?.to_str()?);
        Self::open(py, self.entry, document, self.rules.seats)
    }

    /// Binds a game to the text of a data file: for the module `pickle`.
    #[staticmethod]
    fn _from_text(
        py: Python<'_>,
        name: &str,
        players: usize,
        file: String,
        text: String,
    ) -> PyResult<Self> {
        Self::open(py, find_game(py, name)?, Document { name: file, text }, players)
    }

    /// Returns the arguments of `_from_text`.
    fn _source(&self) -> (&'static str, usize, &str, &str) {
        (self.entry.id, self.rules.seats, &self.document.name, &self.document.text)
    }

    /// Returns a new game. With a seed, chance outcomes are drawn as in the block `block` of a
    /// command with this seed; without one, they are due in the position and are applied.
    #[pyo3(signature = (seed=None, block=0))]
    fn new_state(&self, seed: Option<u64>, block: u64) -> State {
        let chance = seed.map(|seed| self.rules.chance(seed, block));
        State::new(Arc::clone(&self.rules), self.rules.table.initial(), chance)
    }

    /// Reads a position, whole or as a seat sees it. Chance outcomes are applied, or drawn if there
    /// is a seed.
    #[pyo3(signature = (text, seed=None))]
    fn state(&self, py: Python<'_>, text: &str, seed: Option<u64>) -> PyResult<State> {
        let state = self.rules.table.parse(text);
        let state = state.map_err(|error| refusal(py, error.to_string()))?;
        let chance = seed.map(|seed| self.rules.chance(seed, 0));
        Ok(State::new(Arc::clone(&self.rules), state, chance))
    }

    /// Returns a bot: a profile, a kind or a path, as in `expert` or `mcts:iterations=500`.
    fn bot(&self, py: Python<'_>, name: &str) -> PyResult<Bot> {
        let factory = self.bound.library().read(name);
        let factory = factory.map_err(|error| config_exception(py, &error))?;
        Ok(Bot::new(factory.name(), self.rules.table.build_bot(&factory)))
    }

    /// Begins many games, those of the blocks from 0 of a command with this seed.
    #[pyo3(signature = (games, seed=1, threads=None))]
    fn batch(
        &self,
        py: Python<'_>,
        games: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Batch> {
        Batch::new(py, Arc::clone(&self.rules), games, seed, threads)
    }

    fn __repr__(&self) -> String {
        format!("Game({:?}, players={})", self.entry.id, self.rules.seats)
    }
}
