//! Bots by name, and bots that are written in Python.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use pyo3::prelude::*;
use watershed::{
    BotFactory, GameDefinition, GameEntry, GameList, Rng, View,
    game::ActionSet as _,
    games::{
        built_in_games, common_river::CommonRiver, glassworks::Glassworks, the_river::TheRiver,
    },
    rng::{Purpose, random_below, stream},
    states::{NumberedGame, StateBot, StateTable},
};

use crate::{
    errors::{catch_panic, refusal},
    rules::{Rules, legal_text},
    state::{ActionArgument, State},
};

/// A bot of the program.
#[pyclass(module = "watershed", frozen)]
pub(crate) struct Bot {
    name: String,
    bot: Mutex<Box<dyn StateBot>>,
}

impl Bot {
    pub(crate) fn new(name: &str, bot: Box<dyn StateBot>) -> Self {
        Self { name: name.to_owned(), bot: Mutex::new(bot) }
    }
}

#[pymethods]
impl Bot {
    /// Name with options.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of the action that the bot chooses in a position. It sees what the seat
    /// that decides sees. Equal positions and seeds give equal actions.
    #[pyo3(signature = (state, seed=0))]
    fn choose(&self, py: Python<'_>, state: PyRef<'_, State>, seed: u64) -> PyResult<u32> {
        let held = &*state.position;
        let choose = || {
            let mut rng = stream(seed, 0, 0, Purpose::Bot(0));
            let mut bot = self.bot.lock().unwrap_or_else(PoisonError::into_inner);
            bot.choose(held, &mut rng)
        };
        catch_panic(py, || py.detach(choose))?.ok_or_else(|| {
            refusal(py, "the bot cannot choose here; expected a decision in a game with its data")
        })
    }

    fn __call__(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u32> {
        let seed = state.seed.into();
        self.choose(py, state, seed)
    }

    fn __repr__(&self) -> String {
        format!("Bot({:?})", self.name)
    }
}

/// A function that chooses actions.
type Callable = Arc<Py<PyAny>>;

/// The Python bots of the command that runs, by name.
static CALLABLES: Mutex<BTreeMap<String, Callable>> = Mutex::new(BTreeMap::new());
/// The first exception of a Python bot in the command that runs.
static FAILURE: Mutex<Option<PyErr>> = Mutex::new(None);
/// True if a Python bot has failed, or if the user stops the command.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// Sets the Python bots of a command.
pub(crate) fn set_python_bots(bots: Vec<(String, Py<PyAny>)>) {
    let bots = bots.into_iter().map(|(name, bot)| (name, Arc::new(bot)));
    *CALLABLES.lock().unwrap_or_else(PoisonError::into_inner) = bots.collect();
    *FAILURE.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Removes the Python bots and returns the first exception of one.
pub(crate) fn take_failure() -> Option<PyErr> {
    CALLABLES.lock().unwrap_or_else(PoisonError::into_inner).clear();
    FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Returns the games of the program, with Python bots.
pub(crate) fn games() -> GameList {
    static GAMES: std::sync::LazyLock<GameList> = std::sync::LazyLock::new(|| {
        let with_bots = |entry: &GameEntry| match entry.id {
            "the_river" => entry.with_bots(python_bots::<TheRiver>),
            "glassworks" => entry.with_bots(python_bots::<Glassworks>),
            "common_river" => entry.with_bots(python_bots::<CommonRiver>),
            _ => *entry,
        };
        GameList::new(built_in_games().all().iter().map(with_bots).collect())
    });
    *GAMES
}

/// Returns the Python bots for a game.
fn python_bots<G: GameDefinition>() -> Vec<BotFactory> {
    let callables = CALLABLES.lock().unwrap_or_else(PoisonError::into_inner);
    let factory = |(name, callable): (&String, &Callable)| {
        let callable = Arc::clone(callable);
        let build = move || PythonBot::<G> { callable: Arc::clone(&callable), known: Vec::new() };
        BotFactory::new::<G, _>(name, build)
    };
    callables.iter().map(factory).collect()
}

/// A game by its address, with its numbered actions.
type KnownGame<G> = (usize, Arc<NumberedGame<G>>, Arc<Rules>);

/// A bot that is written in Python.
struct PythonBot<G: GameDefinition> {
    callable: Callable,
    /// The games that the bot has played. They live as long as the experiment.
    known: Vec<KnownGame<G>>,
}

impl<G: GameDefinition> Clone for PythonBot<G> {
    fn clone(&self) -> Self {
        let known = self.known.iter();
        let known = known.map(|(address, game, rules)| (*address, game.clone(), rules.clone()));
        Self { callable: Arc::clone(&self.callable), known: known.collect() }
    }
}

impl<G: GameDefinition> PythonBot<G> {
    /// Returns a game with its numbered actions.
    fn numbered(&mut self, game: &G) -> (Arc<NumberedGame<G>>, Arc<Rules>) {
        let address = std::ptr::from_ref(game).addr();
        let index = self.known.iter().position(|(known, ..)| *known == address);
        let index = index.unwrap_or_else(|| {
            let numbered = Arc::new(NumberedGame::new(game.clone()));
            let table: Arc<dyn StateTable> = Arc::new(Arc::clone(&numbered));
            self.known.push((address, numbered, Arc::new(Rules::new(table, None))));
            self.known.len() - 1
        });
        let (_, game, rules) = &self.known[index];
        (Arc::clone(game), Arc::clone(rules))
    }

    /// Calls the function with the view of the seat and returns its action.
    fn call(
        &mut self,
        py: Python<'_>,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> PyResult<G::Action> {
        let (numbered, rules) = self.numbered(view.game());
        let mut state = State::new(rules, numbered.hold(view.determinize(rng)), None);
        state.seed = random_below(rng, u32::MAX);
        let answer = self.callable.bind(py).call1((state,))?;
        let action = match answer.extract()? {
            ActionArgument::Number(number) => {
                u32::try_from(number).ok().and_then(|number| numbered.decision(number))
            }
            ActionArgument::Notation(text) => {
                let action = view.game().parse_action(&text);
                Some(action.map_err(|error| refusal(py, error.to_string()))?)
            }
        };
        action.filter(|&action| legal.contains(action)).ok_or_else(|| {
            let name = self.callable.bind(py).repr().map(|name| name.to_string());
            let legal = legal_text(&*numbered.hold(view.determinize(rng)));
            let name = name.unwrap_or_default();
            refusal(py, format!("{name} chose {answer}, which is not legal; {legal}"))
        })
    }
}

impl<G: GameDefinition> watershed::Bot<G> for PythonBot<G> {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        if STOP.load(Ordering::Relaxed) {
            return legal.nth(0);
        }
        Python::attach(|py| self.call(py, view, legal, rng)).unwrap_or_else(|error| {
            let mut failure = FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
            STOP.store(true, Ordering::Relaxed);
            legal.nth(0)
        })
    }
}
