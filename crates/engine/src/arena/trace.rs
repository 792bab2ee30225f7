//! The trace of a run: the result of each search as one line of JSON.

use serde::Serialize;

use super::play::DecisionSearch;
use crate::{bots::BotFactory, game::Notation, search::calibration::ChanceMap};

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
    /// Calibrated win chance of each seat; `None` if the bot has no maps.
    #[serde(skip_serializing_if = "Option::is_none")]
    win_chances: Option<Vec<f64>>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    win_chances: Option<Vec<f64>>,
}

/// Formats a search of a bot in a game as one line. Values are rounded to 4 decimals.
pub(super) fn search_line<G: Notation>(
    game: &G,
    index: u64,
    bot: &BotFactory,
    search: &DecisionSearch<'_, G>,
) -> String {
    let DecisionSearch { decision, result, .. } = search;
    let seats = game.seats();
    let rounded = |values: &[f64]| -> Vec<f64> {
        values[..seats].iter().map(|value| (value * 1e4).round() / 1e4).collect()
    };
    let maps = bot.calibration().at(result.iterations);
    let chances = |map: Option<ChanceMap>, values: &[f64]| {
        map.map(|map| rounded(&map.chances(&values[..seats], result.seat.index())))
    };
    let actions = result.actions.iter().map(|root_action| TracedAction {
        action: game.action_text(root_action.action),
        visits: root_action.visits,
        values: rounded(&root_action.values),
        win_chances: chances(maps.map(|maps| maps.action), &root_action.values),
    });
    let line = result.principal_variation.iter();
    let search = TracedSearch {
        game: index,
        decision: *decision,
        seat: result.seat.index(),
        bot: bot.name(),
        iterations: result.iterations,
        nodes: result.nodes,
        depth: result.depth,
        values: rounded(&result.values),
        win_chances: chances(maps.map(|maps| maps.position), &result.values),
        actions: actions.collect(),
        line: line.map(|&(seat, action)| (seat.index(), game.action_text(action))).collect(),
    };
    // Serialising numbers and text cannot fail.
    serde_json::to_string(&search).unwrap_or_default() + "\n"
}
