//! The search for edits with which figures of a game lie in given ranges, for a page. The commands
//! have it as `balance search`; an application without them refuses it.

use std::sync::atomic::{AtomicBool, AtomicUsize};

use serde::{Deserialize, Serialize};

use super::workbench::GameVersion;
use crate::{config::Document, games::GameEntry, protocol::problem::Problem};

/// A search for edits, as `balance search` by the default bot of the game.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixRequest {
    /// A name that the page chooses, by which it asks for the progress.
    pub id: String,
    /// Name of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The version to edit.
    pub version: GameVersion,
    /// The keys that may be edited, with their values, as `--keys`.
    pub keys: Vec<String>,
    /// The goals, as the file of `--goal`.
    pub goals: String,
    /// Maximum number of edits, from 1 to 5.
    pub max_edits: usize,
    /// Number of games on fresh and on sealed deals, as `--games`.
    pub games: u64,
    /// The seed of the deals.
    pub seed: u64,
}

/// The number of games of a search.
#[derive(Debug, Default)]
pub struct FixProgress {
    /// Games that have been played.
    pub done: AtomicUsize,
    /// Games that have been planned so far.
    pub total: AtomicUsize,
}

/// A search in progress.
#[derive(Clone, Copy, Debug)]
pub struct FixTask<'a> {
    /// The request.
    pub request: &'a FixRequest,
    /// The game.
    pub game: &'static GameEntry,
    /// The data file to edit.
    pub document: &'a Document,
    /// The games so far.
    pub progress: &'a FixProgress,
    /// Ends the search, which then fails.
    pub stop: &'a AtomicBool,
}

/// A function that searches.
pub type FixSearcher = fn(&FixTask<'_>) -> Result<FixView, Problem>;

/// The answer of a search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FixView {
    /// The answer in sentences.
    pub sentences: Vec<String>,
    /// The sets of edits that were played on sealed deals: those that meet all goals, then the
    /// nearest.
    pub proposals: Vec<FixProposal>,
    /// Number of games of all sets together.
    pub games: u64,
}

/// A set of edits.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FixProposal {
    /// The keys with their values.
    pub edits: Vec<(String, String)>,
    /// The edits in words.
    pub text: String,
    /// True if all estimates lie in their ranges, on fresh and on sealed deals.
    pub is_met: bool,
    /// Number of sealed games.
    pub games: u64,
    /// The figures, in the order of the goals.
    pub figures: Vec<GoalView>,
}

/// A figure of a set of edits, in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GoalView {
    /// Name of the figure.
    pub title: String,
    /// The range.
    pub range: String,
    /// The value of the version to edit.
    pub before: String,
    /// The value with the edits, with half of the interval.
    pub after: String,
    /// `met`, `near`, `open` or `missed`.
    pub verdict: &'static str,
}
