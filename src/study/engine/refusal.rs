//! Errors in requests.

use serde::{Deserialize, Serialize};

/// Maximum number of characters of the name of a field.
const MAX_SHOWN: usize = 100;

/// Identifier of a request, which its answers repeat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum RequestId {
    /// A text of at most 256 bytes.
    Text(String),
    /// A number.
    Number(i64),
}

/// An error in a line of the input.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Refusal {
    /// The identifier of the request; null if it is not known.
    id: Option<RequestId>,
    /// The problem and what is expected.
    error: String,
    /// The field with the problem; null if it is the whole line.
    field: Option<String>,
}

impl Refusal {
    /// Creates an error without the identifier of a request.
    pub(super) fn new(error: impl Into<String>) -> Self {
        Self { id: None, error: error.into(), field: None }
    }

    /// Sets the field.
    pub(super) fn of_field(self, field: &str) -> Self {
        Self { field: Some(field.chars().take(MAX_SHOWN).collect()), ..self }
    }

    /// Sets the identifier of the request.
    pub(super) fn of_request(self, id: RequestId) -> Self {
        Self { id: Some(id), ..self }
    }
}
