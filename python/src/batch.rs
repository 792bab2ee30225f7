//! Many positions at once.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::{ThreadPool, prelude::*};
use watershed::{Turn, rng::ChanceStreams, states::GameState};

use crate::{
    errors::{catch_panic, check_size, refusal},
    playouts::{thread_pool, write_outcome},
    rules::{Rules, legal_text, mark_legal},
    state::State,
};

/// Largest number of games in a batch, each of which holds its position and streams.
const MAX_BATCH: usize = 1_000_000;

/// Games of the same rules, one after the other.
struct Slot {
    state: Box<dyn GameState>,
    chance: ChanceStreams,
}

/// Many games at once, which are advanced together without the interpreter lock. Chance outcomes
/// are drawn.
#[pyclass(module = "watershed")]
pub(crate) struct Batch {
    rules: Arc<Rules>,
    slots: Vec<Slot>,
    seed: u64,
    /// The block of the next new game.
    next_block: u64,
    pool: ThreadPool,
}

impl Batch {
    pub(crate) fn new(
        py: Python<'_>,
        rules: Arc<Rules>,
        games: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        check_size(py, "games", games, MAX_BATCH)?;
        let mut batch =
            Self { rules, slots: Vec::new(), seed, next_block: 0, pool: thread_pool(threads)? };
        batch.slots = catch_panic(py, || (0..games).map(|_| batch.new_slot()).collect())?;
        Ok(batch)
    }

    /// Begins the game of the next block.
    fn new_slot(&mut self) -> Slot {
        let mut chance = self.rules.chance(self.seed, self.next_block);
        self.next_block += 1;
        let mut state = self.rules.table.initial();
        state.draw_chance(&mut chance);
        Slot { state, chance }
    }

    /// Fills an array with a row of `width` numbers for each game, without the interpreter lock.
    fn rows<'py, T: numpy::Element + Copy + Default + Send>(
        &self,
        py: Python<'py>,
        width: usize,
        fill: impl Fn(&dyn GameState, &mut [T]) + Sync,
    ) -> PyResult<Bound<'py, PyArray2<T>>> {
        let mut numbers = Vec::new();
        let count = self.slots.len() * width;
        let too_large = |_| refusal(py, format!("{count} numbers exceed the memory"));
        numbers.try_reserve_exact(count).map_err(too_large)?;
        numbers.resize(count, T::default());
        if width > 0 {
            let rows = || {
                let rows = numbers.par_chunks_mut(width).zip(&self.slots).with_min_len(16);
                rows.for_each(|(row, slot)| fill(&*slot.state, row));
            };
            catch_panic(py, || py.detach(|| self.pool.install(rows)))?;
        }
        PyArray1::from_vec(py, numbers).reshape([self.slots.len(), width])
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.slots.len()
    }

    /// Returns a copy of the position of a game.
    fn __getitem__(&self, index: usize) -> PyResult<State> {
        let slot = self.slots.get(index).ok_or_else(|| {
            let message = format!("there is no game {index} of {}", self.slots.len());
            pyo3::exceptions::PyIndexError::new_err(message)
        })?;
        let chance = Some(slot.chance.clone());
        Ok(State::new(Arc::clone(&self.rules), slot.state.copy(), chance))
    }

    /// Returns the seat that decides in each game, and -1 for finished games.
    fn current_players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let players = self.slots.iter().map(|slot| match slot.state.turn() {
            Turn::Seat(seat) => seat.index() as i8,
            _ => -1,
        });
        PyArray1::from_iter(py, players)
    }

    /// Returns a row for each game with True for each legal action.
    fn legal_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        self.rows(py, self.rules.decisions.len(), mark_legal)
    }

    /// Returns a row for each game with what the seat that decides sees.
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.rows(py, self.rules.observation_names.len(), |state, row| {
            if let Turn::Seat(seat) = state.turn() {
                state.observe(seat, row);
            }
        })
    }

    /// Returns a row for each game with the win share of each seat; zeros before the end.
    fn returns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.rows(py, self.rules.seats, |state, row| {
            if state.turn() == Turn::Over {
                let mut scores = vec![0; row.len()];
                write_outcome(&state.outcome(), row, &mut scores);
            }
        })
    }

    /// Returns a row for each game with the score of each seat, as if it ended now.
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        self.rows(py, self.rules.seats, |state, row| {
            row.copy_from_slice(&state.outcome().scores[..row.len()]);
        })
    }

    /// Applies an action in each game, by its number. Entries of finished games are ignored. If an
    /// action is not legal, no game changes.
    fn apply(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice()?;
        let games = self.slots.len();
        if actions.len() != games {
            let message = format!("expected {games} actions, found {}", actions.len());
            return Err(refusal(py, message));
        }
        let Self { slots, pool, .. } = self;
        let is_refused = |slot: &Slot, action: i64| {
            let mut numbers = Vec::new();
            slot.state.list_numbers(&mut numbers);
            !numbers.is_empty() && !numbers.iter().any(|&number| i64::from(number) == action)
        };
        let refused = py.detach(|| {
            pool.install(|| {
                let pairs = slots.par_iter().zip(actions).with_min_len(64);
                pairs.position_first(|(slot, &action)| is_refused(slot, action))
            })
        });
        if let Some(index) = refused {
            let legal = legal_text(&*slots[index].state);
            let message = format!("game {index}: action {} is not legal; {legal}", actions[index]);
            return Err(refusal(py, message));
        }
        let play = || {
            pool.install(|| {
                let pairs = slots.par_iter_mut().zip(actions).with_min_len(64);
                pairs.for_each(|(slot, &action)| {
                    if slot.state.turn() != Turn::Over {
                        slot.state.apply(action as u32);
                        slot.state.draw_chance(&mut slot.chance);
                    }
                });
            });
        };
        catch_panic(py, || py.detach(play))
    }

    /// Begins a new game, that of the next block, in place of each finished one. Returns their
    /// number.
    fn renew_finished(&mut self) -> usize {
        let finished = |slot: &Slot| slot.state.turn() == Turn::Over;
        let indices: Vec<_> =
            (0..self.slots.len()).filter(|&index| finished(&self.slots[index])).collect();
        for &index in &indices {
            self.slots[index] = self.new_slot();
        }
        indices.len()
    }
}
