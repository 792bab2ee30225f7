//! What bots found by searching, as text: one JSON object a line.

use serde::Serialize;

use crate::{game::Notation, search::ensemble::SearchResult};

/// One search, of all trees together.
#[derive(Serialize)]
struct Search<'a> {
    /// The game's number in the run.
    game: u64,
    /// How many decisions were made before this one, forced ones included.
    decision: u64,
    seat: usize,
    bot: &'a str,
    iterations: u64,
    /// Nodes there is memory in use for.
    nodes: usize,
    /// The most decisions between the root and a node.
    depth: u32,
    /// The mean reward of each seat, from 0 to 1.
    values: Vec<f64>,
    actions: Vec<Tried>,
    /// What is visited most often, from here on: seats and actions.
    line: Vec<(usize, String)>,
}

#[derive(Serialize)]
struct Tried {
    action: String,
    visits: u64,
    values: Vec<f64>,
}

/// The line of a search. Values are rounded to four digits.
pub fn search_line<G: Notation>(
    game: &G,
    index: u64,
    decision: u64,
    bot: &str,
    findings: &SearchResult<G::Action>,
) -> String {
    let values = |values: &[f64]| {
        values[..game.seats()].iter().map(|value| (value * 1e4).round() / 1e4).collect()
    };
    let actions = findings.actions.iter().map(|finding| Tried {
        action: game.action_text(finding.action),
        visits: finding.visits,
        values: values(&finding.values),
    });
    let search = Search {
        game: index,
        decision,
        seat: findings.seat.index(),
        bot,
        iterations: findings.iterations,
        nodes: findings.nodes,
        depth: findings.depth,
        values: values(&findings.values),
        actions: actions.collect(),
        line: findings
            .principal_variation
            .iter()
            .map(|&(seat, action)| (seat.index(), game.action_text(action)))
            .collect(),
    };
    // Numbers and texts are nothing that JSON can't hold.
    serde_json::to_string(&search).unwrap_or_default() + "\n"
}
