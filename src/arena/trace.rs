//! The trace of a run: the result of each search as one line of JSON.

use serde::Serialize;

use crate::{game::Notation, search::ensemble::SearchResult};

/// The result of one search over all its trees.
#[derive(Serialize)]
struct TracedSearch<'a> {
    /// Index of the game in the run.
    game: u64,
    /// Number of earlier decisions of the game, forced ones included.
    decision: u64,
    seat: usize,
    bot: &'a str,
    iterations: u64,
    /// Nodes in memory.
    nodes: usize,
    /// Largest number of decisions between the root and a node.
    depth: u32,
    /// Mean reward of each seat, from 0 to 1.
    values: Vec<f64>,
    actions: Vec<TracedAction>,
    /// The principal variation: seats and actions.
    line: Vec<(usize, String)>,
}

/// Statistics of a root action.
#[derive(Serialize)]
struct TracedAction {
    action: String,
    visits: u64,
    values: Vec<f64>,
}

/// Formats a search result as one line. Values are rounded to 4 decimals.
pub(super) fn search_line<G: Notation>(
    game: &G,
    index: u64,
    decision: u64,
    bot: &str,
    result: &SearchResult<G::Action>,
) -> String {
    let values = |values: &[f64]| {
        values[..game.seats()].iter().map(|value| (value * 1e4).round() / 1e4).collect()
    };
    let actions = result.actions.iter().map(|root_action| TracedAction {
        action: game.action_text(root_action.action),
        visits: root_action.visits,
        values: values(&root_action.values),
    });
    let line = result.principal_variation.iter();
    let search = TracedSearch {
        game: index,
        decision,
        seat: result.seat.index(),
        bot,
        iterations: result.iterations,
        nodes: result.nodes,
        depth: result.depth,
        values: values(&result.values),
        actions: actions.collect(),
        line: line.map(|&(seat, action)| (seat.index(), game.action_text(action))).collect(),
    };
    // Serialising numbers and text cannot fail.
    serde_json::to_string(&search).unwrap_or_default() + "\n"
}
