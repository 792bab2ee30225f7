//! Random games in batches, without the interpreter lock.

use numpy::{PyArray1, PyArrayMethods as _};
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyDict};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use watershed::{
    Outcome,
    game::UNITS_PER_WIN,
    rng::{Purpose, stream},
    states::GameState,
};

use crate::errors::{catch_panic, check_size};

/// Largest number of playouts in a call, whose outcomes are all kept.
const MAX_PLAYOUTS: usize = 10_000_000;

/// Playouts between two looks at the signals of the process.
const PLAYOUTS_PER_LOOK: usize = 8192;

/// Creates the threads of a call; by default one for each core.
pub(crate) fn thread_pool(threads: Option<usize>) -> PyResult<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|error| PyRuntimeError::new_err(format!("threads cannot be started: {error}")))
}

/// Outcomes of games, one row of scores and of returns for each.
#[derive(Default)]
pub(crate) struct Outcomes {
    pub(crate) returns: Vec<f32>,
    pub(crate) scores: Vec<i32>,
    pub(crate) events: Vec<u32>,
}

/// Writes the scores and returns of a game.
pub(crate) fn write_outcome(outcome: &Outcome, returns: &mut [f32], scores: &mut [i32]) {
    let seats = scores.len();
    scores.copy_from_slice(&outcome.scores[..seats]);
    for (value, share) in returns.iter_mut().zip(outcome.win_shares(seats)) {
        *value = share as f32 / UNITS_PER_WIN as f32;
    }
}

/// Random games from one position.
pub(crate) struct Playouts<'a> {
    pub(crate) start: &'a dyn GameState,
    pub(crate) seats: usize,
    pub(crate) seed: u64,
}

impl Playouts<'_> {
    /// Plays games. Each has a random stream of its own.
    pub(crate) fn play(
        &self,
        py: Python<'_>,
        playouts: usize,
        threads: Option<usize>,
    ) -> PyResult<Outcomes> {
        check_size(py, "playouts", playouts, MAX_PLAYOUTS)?;
        let seats = self.seats;
        let mut all = Outcomes {
            returns: vec![0.0; playouts * seats],
            scores: vec![0; playouts * seats],
            events: vec![0; playouts],
        };
        let pool = thread_pool(threads)?;
        let rows = PLAYOUTS_PER_LOOK * seats;
        let parts = all.returns.chunks_mut(rows).zip(all.scores.chunks_mut(rows));
        for (look, ((returns, scores), events)) in
            parts.zip(all.events.chunks_mut(PLAYOUTS_PER_LOOK)).enumerate()
        {
            let first = look * PLAYOUTS_PER_LOOK;
            let play = || pool.install(|| self.play_part(first, returns, scores, events));
            catch_panic(py, || py.detach(play))?;
            py.check_signals()?;
        }
        Ok(all)
    }

    fn play_part(&self, first: usize, returns: &mut [f32], scores: &mut [i32], events: &mut [u32]) {
        let rows = returns.par_chunks_mut(self.seats).zip(scores.par_chunks_mut(self.seats));
        rows.zip(events).enumerate().with_min_len(64).for_each(
            |(index, ((returns, scores), events))| {
                let mut rng = stream(self.seed, (first + index) as u64, 0, Purpose::Playout);
                let mut state = self.start.copy();
                *events = state.play_out(&mut rng) as u32;
                write_outcome(&state.outcome(), returns, scores);
            },
        );
    }
}

/// Returns outcomes as arrays.
pub(crate) fn outcome_dict(
    py: Python<'_>,
    seats: usize,
    outcomes: Outcomes,
) -> PyResult<Bound<'_, PyDict>> {
    let arrays = PyDict::new(py);
    let games = outcomes.events.len();
    arrays
        .set_item("returns", PyArray1::from_vec(py, outcomes.returns).reshape([games, seats])?)?;
    arrays.set_item("scores", PyArray1::from_vec(py, outcomes.scores).reshape([games, seats])?)?;
    arrays.set_item("events", PyArray1::from_vec(py, outcomes.events))?;
    Ok(arrays)
}
