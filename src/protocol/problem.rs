//! Problems with requests.

use std::fmt;

use serde::Serialize;

/// Maximum number of characters of the name of a field.
const MAX_SHOWN: usize = 100;

/// The reason for which a request is refused. Everything that can be displayed is the message of a
/// request that is not valid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Problem {
    /// The problem and what is expected, for people.
    pub error: String,
    /// The kind of problem, for programs.
    pub kind: ProblemKind,
    /// The field of the request with the problem; null if it is the whole request.
    pub field: Option<String>,
}

/// A kind of problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The request is not valid or not possible now.
    Invalid,
    /// The game is not kept.
    UnknownGame,
    /// The game has changed since the page saw it.
    Stale,
}

impl Problem {
    /// Describes a problem of a kind.
    pub fn new(kind: ProblemKind, error: impl Into<String>) -> Self {
        Self { error: error.into(), kind, field: None }
    }

    /// Names the field with the problem.
    #[must_use]
    pub fn of_field(self, field: &str) -> Self {
        Self { field: Some(field.chars().take(MAX_SHOWN).collect()), ..self }
    }
}

impl<E: fmt::Display> From<E> for Problem {
    fn from(error: E) -> Self {
        // The alternative form of an error names its causes, too.
        Self::new(ProblemKind::Invalid, format!("{error:#}"))
    }
}
