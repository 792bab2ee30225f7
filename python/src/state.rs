//! Positions.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};
use watershed::{
    Seat, Turn,
    game::UNITS_PER_WIN,
    rng::{ChanceStreams, Purpose, stream},
    states::GameState,
};

use crate::{
    errors::{check_size, refusal},
    playouts::{Playouts, outcome_dict},
    rules::{Rules, legal_text, mark_legal},
};

/// Largest width of a picture in pixels, and of a text in characters.
const MAX_WIDTH: usize = 10_000;

/// An action by its number or its notation.
#[derive(FromPyObject)]
pub(crate) enum ActionArgument {
    /// A number.
    Number(i64),
    /// A notation.
    Notation(String),
}

/// A position of a game. It changes when an action is applied.
#[pyclass(module = "watershed")]
pub(crate) struct State {
    pub(crate) rules: Arc<Rules>,
    pub(crate) position: Box<dyn GameState>,
    /// The streams of a position whose chance outcomes are drawn; `None` if they are applied.
    pub(crate) chance: Option<ChanceStreams>,
    /// A random number for a bot written in Python.
    pub(crate) seed: u32,
}

impl State {
    /// Holds a position, and draws the chance outcomes that are due if there are streams.
    pub(crate) fn new(
        rules: Arc<Rules>,
        position: Box<dyn GameState>,
        chance: Option<ChanceStreams>,
    ) -> Self {
        let mut state = Self { rules, position, chance, seed: 0 };
        state.draw_if_due();
        state
    }

    fn draw_if_due(&mut self) {
        if let Some(chance) = &mut self.chance {
            self.position.draw_chance(chance);
        }
    }

    /// Returns the number of a legal action or outcome.
    pub(crate) fn number(&self, py: Python<'_>, action: ActionArgument) -> PyResult<u32> {
        match action {
            ActionArgument::Number(number) => u32::try_from(number)
                .map_err(|_| refusal(py, format!("no action has the number {number}"))),
            ActionArgument::Notation(text) => {
                let found = self.position.find(&text);
                let found = found.map_err(|error| refusal(py, error.to_string()))?;
                found.ok_or_else(|| {
                    let legal = legal_text(&*self.position);
                    refusal(py, format!("{text} cannot be played here; {legal}"))
                })
            }
        }
    }

    fn numbers(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.position.list_numbers(&mut numbers);
        numbers
    }

    /// Returns a seat of an argument: the one that decides if none is given.
    fn seat(&self, py: Python<'_>, seat: Option<usize>) -> PyResult<Seat> {
        match (seat, self.position.turn()) {
            (Some(seat), _) => self.rules.check_seat(py, seat).map(|()| Seat::new(seat)),
            (None, Turn::Seat(seat)) => Ok(seat),
            (None, _) => Err(refusal(py, "no seat decides here; expected the argument `seat`")),
        }
    }
}

#[pymethods]
impl State {
    /// The seat that decides; `None` if chance decides or the game is over.
    #[getter]
    fn current_player(&self) -> Option<usize> {
        match self.position.turn() {
            Turn::Seat(seat) => Some(seat.index()),
            _ => None,
        }
    }

    /// True if a chance outcome is due.
    #[getter]
    fn is_chance(&self) -> bool {
        matches!(self.position.turn(), Turn::Chance(_))
    }

    /// True if the game is over.
    #[getter]
    fn is_terminal(&self) -> bool {
        self.position.turn() == Turn::Over
    }

    /// The round, 0 during setup.
    #[getter]
    fn round(&self) -> u32 {
        self.position.round()
    }

    /// A random number from 0 for a bot, the same whenever the same game is played again; 0 in
    /// other positions.
    #[getter]
    fn seed(&self) -> u32 {
        self.seed
    }

    /// Returns the numbers of the legal actions, or of the chance outcomes that are due.
    fn legal_actions(&self) -> Vec<u32> {
        self.numbers()
    }

    /// Returns the notations of the legal actions, or of the chance outcomes, in the same order.
    fn legal_names(&self) -> Vec<String> {
        let names = self.numbers().into_iter().filter_map(|number| self.position.name(number));
        names.map(|name| name.notation).collect()
    }

    /// Returns an array with True for each legal action; all False if no seat decides.
    fn legal_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut mask = vec![false; self.rules.decisions.len()];
        mark_legal(&*self.position, &mut mask);
        PyArray1::from_vec(py, mask)
    }

    /// Returns the chance outcomes that are due: pairs of number and probability.
    fn chance_outcomes(&self) -> Vec<(u32, f64)> {
        let weights = self.position.outcome_weights();
        let sum: f64 = weights.iter().copied().map(f64::from).sum();
        (0..).zip(weights.into_iter().map(|weight| f64::from(weight) / sum)).collect()
    }

    /// Returns the notation of an action or a chance outcome.
    fn action_name(&self, py: Python<'_>, action: u32) -> PyResult<String> {
        let name = self.position.name(action).map(|name| name.notation);
        name.ok_or_else(|| refusal(py, format!("no action has the number {action}")))
    }

    /// Returns an action or a chance outcome in words.
    fn action_label(&self, py: Python<'_>, action: ActionArgument) -> PyResult<String> {
        let number = self.number(py, action)?;
        let name = self.position.name(number).map(|name| name.label);
        name.ok_or_else(|| refusal(py, format!("no action has the number {number}")))
    }

    /// Applies a legal action or a chance outcome, by its number or notation.
    fn apply(&mut self, py: Python<'_>, action: ActionArgument) -> PyResult<()> {
        let number = self.number(py, action)?;
        if !self.position.apply(number) {
            let name = self.position.name(number);
            let name = name.map(|name| format!(" ({})", name.notation)).unwrap_or_default();
            let legal = legal_text(&*self.position);
            return Err(refusal(py, format!("action {number}{name} is not legal here; {legal}")));
        }
        self.draw_if_due();
        Ok(())
    }

    /// Draws the chance outcomes that are due, until a seat decides or the game is over.
    fn draw_chance(&mut self, seed: u64) {
        let mut chance = self.rules.chance(seed, 0);
        self.position.draw_chance(&mut chance);
    }

    /// Returns a copy, which draws the same chance outcomes if this position draws them.
    #[pyo3(name = "clone")]
    fn copy(&self) -> Self {
        let (rules, position) = (Arc::clone(&self.rules), self.position.copy());
        Self { rules, position, chance: self.chance.clone(), seed: self.seed }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// Returns the arguments of `Game._from_text`, for the module `pickle`.
    fn _source(&self, py: Python<'_>) -> PyResult<(&'static str, usize, &str, &str)> {
        match &self.rules.source {
            Some((name, file)) if self.chance.is_none() => {
                Ok((name, self.rules.seats, &file.name, &file.text))
            }
            Some(_) => Err(refusal(py, "a position that draws its chance cannot be pickled")),
            None => Err(refusal(py, "a position of a command cannot be pickled")),
        }
    }

    /// Returns a position drawn uniformly from those that a seat cannot distinguish from this one.
    /// Its chance outcomes are to be applied. By default the seat is the one that decides.
    #[pyo3(signature = (seat=None, seed=0))]
    fn determinize(&self, py: Python<'_>, seat: Option<usize>, seed: u64) -> PyResult<Self> {
        let seat = self.seat(py, seat)?;
        let mut rng = stream(seed, 0, 0, Purpose::Determinization);
        let state = self.position.determinize(seat, &mut rng);
        Ok(Self::new(Arc::clone(&self.rules), state, None))
    }

    /// Returns the win share of each seat at the end of the game, and zeros before it.
    fn returns(&self) -> Vec<f64> {
        let outcome = self.position.outcome();
        let shares = outcome.win_shares(self.rules.seats);
        let is_over = self.is_terminal();
        let share = |share: &i64| if is_over { *share as f64 / UNITS_PER_WIN as f64 } else { 0.0 };
        shares[..self.rules.seats].iter().map(share).collect()
    }

    /// Returns the score of each seat, as if the game ended here.
    fn scores(&self) -> Vec<i32> {
        self.position.outcome().scores[..self.rules.seats].to_vec()
    }

    /// Returns the parts of the score of each seat by name, as if the game ended here.
    fn score_parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let parts = (0..self.rules.seats).map(|seat| {
            let parts = PyDict::new(py);
            for (name, points) in self.position.score_parts(Seat::new(seat)) {
                parts.set_item(name, points)?;
            }
            Ok(parts)
        });
        PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns what a seat sees, as numbers that `Game.observation_names` names; zeros at the end
    /// of the game. By default the seat is the one that decides.
    #[pyo3(signature = (seat=None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let seat = self.seat(py, seat)?;
        let mut observation = vec![0.0; self.rules.observation_names.len()];
        self.position.observe(seat, &mut observation);
        Ok(PyArray1::from_vec(py, observation))
    }

    /// Returns the position as a seat sees it, in the notation of the game: equal for positions
    /// that the seat cannot distinguish. By default the seat is the one that decides.
    #[pyo3(signature = (seat=None))]
    fn information_state_string(&self, py: Python<'_>, seat: Option<usize>) -> PyResult<String> {
        Ok(self.position.view_text(self.seat(py, seat)?))
    }

    /// Plays uniformly random games from this position to the end, without the interpreter lock.
    /// Returns arrays with a row for each game: `returns`, `scores` and `events`. Equal arguments
    /// give equal arrays for any number of threads.
    #[pyo3(signature = (playouts, seed=1, threads=None))]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        playouts: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (start, seats) = (&*self.position, self.rules.seats);
        let played = Playouts { start, seats, seed }.play(py, playouts, threads)?;
        outcome_dict(py, seats, played)
    }

    /// Returns a picture of the board from the view of a seat, or of everything.
    #[pyo3(signature = (viewer=None, width=728))]
    fn svg(&self, py: Python<'_>, viewer: Option<usize>, width: usize) -> PyResult<String> {
        check_size(py, "width", width, MAX_WIDTH)?;
        let viewer = viewer.map(|seat| self.seat(py, Some(seat))).transpose()?;
        Ok(self.position.scene(viewer).svg(width))
    }

    /// Returns the board as text from the view of a seat, or of everything.
    #[pyo3(signature = (viewer=None, width=80))]
    fn board(&self, py: Python<'_>, viewer: Option<usize>, width: usize) -> PyResult<String> {
        check_size(py, "width", width, MAX_WIDTH)?;
        let viewer = viewer.map(|seat| self.seat(py, Some(seat))).transpose()?;
        Ok(self.position.scene(viewer).text(width))
    }

    fn _repr_svg_(&self) -> String {
        self.position.scene(None).svg(728)
    }

    fn __str__(&self) -> String {
        self.position.text()
    }

    fn __repr__(&self) -> String {
        format!("State({:?})", self.position.text())
    }
}
