//! Answers, one JSON object on one line each.

use super::request::{EngineAction, RequestId};
use crate::{
    arena::record,
    identity,
    protocol::{
        analysis::{self, Analysis},
        problem::Problem,
    },
    study::shared::prelude::*,
};

/// Name and version of the format of requests and answers.
const FORMAT: &str = "watershed.engine/1";

/// The position that an answer is about: its request, and the number of events before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AnsweredPosition {
    /// The identifier of the request; null if it is not known.
    pub(super) id: Option<RequestId>,
    /// The number of events before the position, of a position of a record.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) move_index: Option<usize>,
}

/// An answer of `engine`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct EngineAnswer<'a> {
    #[serde(flatten)]
    pub(super) of: &'a AnsweredPosition,
    #[serde(flatten)]
    pub(super) content: AnswerContent,
}

/// The content of an answer.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum AnswerContent {
    /// The analysis of a position.
    Analysis {
        /// True for a report: the analysis is not finished.
        is_during_search: bool,
        #[serde(flatten)]
        analysis: Box<Analysis>,
    },
    /// The end of a request without an analysis, or the answer to the request that ended others.
    Termination {
        /// The action of the request.
        action: EngineAction,
        /// True if the request was ended by another one.
        terminated: bool,
        /// The number of positions whose analyses this request ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        requests: Option<usize>,
    },
    /// The versions of the program and of its formats.
    Version {
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
    },
    /// The games of the program.
    Games {
        /// `list_games`.
        action: EngineAction,
        /// The games.
        games: Vec<ListedGame>,
    },
    /// An error in a line of the input.
    Problem(Problem),
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

impl From<Option<RequestId>> for AnsweredPosition {
    fn from(id: Option<RequestId>) -> Self {
        Self { id, move_index: None }
    }
}

impl ListedGame {
    pub(super) const fn new(entry: &GameEntry) -> Self {
        let &GameEntry { id, title, min_players, max_players, .. } = entry;
        Self { game: id, title, min_players, max_players }
    }
}

impl AnswerContent {
    /// The answer to a request that was ended.
    pub(super) const TERMINATED: Self =
        Self::Termination { action: EngineAction::Analyze, terminated: true, requests: None };

    pub(super) const fn version() -> Self {
        Self::Version {
            action: EngineAction::QueryVersion,
            version: identity::VERSION,
            engine: FORMAT,
            analysis: analysis::FORMAT,
            record: record::FORMAT,
        }
    }

    /// Writes the answer. Characters outside of ASCII are escaped, so that a line is the same in
    /// every terminal and encoding.
    pub(super) fn send(self, of: &AnsweredPosition) {
        // All keys are text, which is all that JSON demands.
        let json = serde_json::to_string(&EngineAnswer { of, content: self }).unwrap_or_default();
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
}
