//! The names and sizes that all positions of a game share.

use std::sync::Arc;

use pyo3::prelude::*;
use watershed::{
    Document, Turn,
    analysis::named::NamedAction,
    rng::ChanceStreams,
    states::{GameState, StateTable},
};

use crate::errors::refusal;

/// The positions of a game, with the names of its decisions and observations.
pub(crate) struct Rules {
    pub(crate) table: Arc<dyn StateTable>,
    pub(crate) seats: usize,
    pub(crate) decisions: Vec<NamedAction>,
    pub(crate) observation_names: Vec<String>,
    /// The name and the data file of the game; `None` if a command has bound it.
    pub(crate) source: Option<(&'static str, Document)>,
}

impl Rules {
    pub(crate) fn new(
        table: Arc<dyn StateTable>,
        source: Option<(&'static str, Document)>,
    ) -> Self {
        Self {
            source,
            seats: table.seats(),
            decisions: table.decisions(),
            observation_names: table.observation_names(),
            table,
        }
    }

    /// Returns the random streams of chance of a block, as all commands draw them.
    pub(crate) fn chance(&self, seed: u64, block: u64) -> ChanceStreams {
        ChanceStreams::new(seed, block, self.table.chance_sources())
    }

    /// Returns an error if there is no such seat.
    pub(crate) fn check_seat(&self, py: Python<'_>, seat: usize) -> PyResult<()> {
        if seat < self.seats {
            return Ok(());
        }
        Err(refusal(py, format!("there is no seat {seat}; expected 0 to {}", self.seats - 1)))
    }
}

/// Returns the legal actions or outcomes in a message, the first ones of many.
pub(crate) fn legal_text(state: &dyn GameState) -> String {
    const MAX_SHOWN: usize = 6;
    let mut numbers = Vec::new();
    state.list_numbers(&mut numbers);
    if numbers.is_empty() {
        return "the game is over".to_owned();
    }
    let shown = numbers.iter().take(MAX_SHOWN).filter_map(|&number| {
        state.name(number).map(|name| format!("{number} ({})", name.notation))
    });
    let shown: Vec<_> = shown.collect();
    let more = numbers.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("expected {}{more}", shown.join(", "))
}

/// Sets the entries of the legal actions; none if no seat decides.
pub(crate) fn mark_legal(state: &dyn GameState, mask: &mut [bool]) {
    if let Turn::Seat(_) = state.turn() {
        let mut numbers = Vec::new();
        state.list_numbers(&mut numbers);
        for number in numbers {
            mask[number as usize] = true;
        }
    }
}
