//! Answers, one JSON object on one line each.

use serde::Serialize;

use super::{
    refusal::RequestId,
    request::{EngineAction, EngineRequest},
};
use crate::{
    arena::record,
    games::GameEntry,
    identity,
    report::terminal::print,
    study::shared::analysis_report::json::{self, AnalyzedPosition},
};

/// Name and version of the format of requests and answers.
const FORMAT: &str = "watershed.engine/1";

/// The analysis of a position.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AnalysisAnswer<'a> {
    /// The identifier of the request.
    pub(super) id: &'a RequestId,
    /// True for a report: the analysis is not finished.
    pub(super) is_during_search: bool,
    #[serde(flatten)]
    pub(super) analysis: AnalyzedPosition<'a>,
}

/// The end of a request without an analysis, or the answer to the request that ended others.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TerminationAnswer<'a> {
    /// The identifier of the request.
    id: &'a RequestId,
    /// The action of the request.
    action: EngineAction,
    /// True if the request was ended by another one.
    terminated: bool,
    /// The number of requests that this one ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<usize>,
}

impl<'a> TerminationAnswer<'a> {
    /// Creates the answer to a request that was ended.
    pub(super) const fn of_request(id: &'a RequestId) -> Self {
        Self { id, action: EngineAction::Analyze, terminated: true, requests: None }
    }

    /// Creates the answer to a request that ended this number of others.
    pub(super) const fn to(request: &'a EngineRequest, requests: usize) -> Self {
        let EngineRequest { id, action, .. } = request;
        Self { id, action: *action, terminated: false, requests: Some(requests) }
    }
}

/// The versions of the program and of its formats.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct VersionAnswer<'a> {
    /// The identifier of the request.
    id: &'a RequestId,
    /// `query_version`.
    action: EngineAction,
    /// Version, commit and hash of the sources.
    version: &'static str,
    /// The format of requests and answers.
    engine: &'static str,
    /// The format of analyses.
    analysis: &'static str,
    /// The format of records.
    record: &'static str,
}

impl<'a> VersionAnswer<'a> {
    pub(super) const fn new(id: &'a RequestId) -> Self {
        Self {
            id,
            action: EngineAction::QueryVersion,
            version: identity::VERSION,
            engine: FORMAT,
            analysis: json::FORMAT,
            record: record::FORMAT,
        }
    }
}

/// The games of the program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct GamesAnswer<'a> {
    /// The identifier of the request.
    pub(super) id: &'a RequestId,
    /// `list_games`.
    pub(super) action: EngineAction,
    /// The games.
    pub(super) games: Vec<ListedGame>,
}

/// A game of the program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListedGame {
    /// The first word of its positions.
    game: &'static str,
    /// The title.
    title: &'static str,
    /// The minimum number of players.
    min_players: usize,
    /// The maximum number of players.
    max_players: usize,
}

impl ListedGame {
    pub(super) const fn new(entry: &GameEntry) -> Self {
        let &GameEntry { id, title, min_players, max_players, .. } = entry;
        Self { game: id, title, min_players, max_players }
    }
}

/// Writes an answer. Characters outside of ASCII are escaped, so that a line is the same in every
/// terminal and encoding.
pub(super) fn send(answer: &impl Serialize) {
    // All keys are text, which is all that JSON demands.
    let json = serde_json::to_string(answer).unwrap_or_default();
    let mut line = String::with_capacity(json.len() + 1);
    for letter in json.chars() {
        if matches!(letter, ' '..='~') {
            line.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                line += &format!("\\u{unit:04x}");
            }
        }
    }
    line.push('\n');
    print(&line);
}
