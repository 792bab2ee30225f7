//! Requests: their fields, and reading them.

use std::ops::RangeInclusive;

use serde::{Deserializer, de::Error as _};
use serde_json::{Map, Value, json};

use crate::{config::plain_message, protocol::problem::Problem, study::shared::prelude::*};

/// Maximum length of the identifier of a request, in bytes.
const MAX_ID: usize = 256;
/// Maximum length of a message about a field, in characters.
const MAX_MESSAGE: usize = 500;
/// Maximum number of rollouts of each candidate.
const MAX_ROLLOUTS: u64 = 10_000;
/// Maximum number of candidates, and of further actions.
const MAX_CANDIDATES: usize = 20;
/// Seconds between two reports.
const REPORT_SECONDS: RangeInclusive<f64> = 0.01..=3600.0;
/// Identifier of a request, which its answers repeat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a string or an integer")]
pub(super) enum RequestId {
    /// A text of at most 256 bytes.
    Text(String),
    /// A number.
    Number(i64),
}

impl RequestId {
    fn is_too_long(&self) -> bool {
        matches!(self, Self::Text(text) if text.len() > MAX_ID)
    }
}

/// The purpose of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum EngineAction {
    /// Analyses a position, or several ones of a game.
    #[default]
    Analyze,
    /// Ends the requests with the identifier `terminate_id`.
    Terminate,
    /// Ends all requests.
    TerminateAll,
    /// Returns the versions of the program and of the formats.
    QueryVersion,
    /// Lists the games.
    ListGames,
}

/// One number of events or several ones.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a number from 0, or a list of them")]
pub(super) enum EventNumbers {
    /// One number.
    One(usize),
    /// Several numbers.
    Several(Vec<usize>),
}

/// A request, one JSON object on one line.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct EngineRequest {
    /// The identifier of the request.
    pub(super) id: RequestId,
    /// The purpose of the request.
    #[serde(default)]
    pub(super) action: EngineAction,
    /// The position to analyse, as `analyze --position` takes it. A request has this or `record`.
    pub(super) position: Option<String>,
    /// The game with the positions to analyse: a record, as `--records` writes it.
    #[serde(default, deserialize_with = "read_record")]
    #[cfg_attr(test, schemars(with = "Option<std::collections::BTreeMap<String, Value>>"))]
    pub(super) record: Option<Arc<Record>>,
    /// The number of events of `record` before the position, or a list of such numbers. Each
    /// position is answered by itself.
    #[serde(rename = "move")]
    move_index: Option<EventNumbers>,
    /// Another name of `move`.
    moves: Option<EventNumbers>,
    /// Actions to compare besides those that the search proposes, at most 20.
    #[serde(default)]
    pub(super) also: Vec<String>,
    /// The bot that searches: the name of a profile or a kind, optionally with options, as in
    /// `mcts:exploration=0.5`.
    pub(super) bot: Option<String>,
    /// The iterations of the search; 2000 by default.
    pub(super) iterations: Option<u64>,
    /// The bot that plays the rollouts, which does not search.
    pub(super) policy: Option<String>,
    /// The number of rollouts of each candidate, at most 10,000; 100 by default.
    pub(super) rollouts: Option<u64>,
    /// The number of candidates that the search proposes, at most 20; 5 by default.
    pub(super) candidates: Option<usize>,
    /// The random seed; 1 by default.
    pub(super) seed: Option<u64>,
    /// Requests with a higher priority are analysed first.
    #[serde(default)]
    pub(super) priority: i64,
    /// Seconds between answers with the analysis so far, from 0.01 to 3600; none by default.
    report_during_search_every: Option<f64>,
    /// The identifier of the requests that `terminate` ends.
    pub(super) terminate_id: Option<RequestId>,
}

/// Reads a record.
fn read_record<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Arc<Record>>, D::Error> {
    let record = Value::deserialize(value)?.to_string();
    let record = Record::parse(record.as_bytes()).map_err(D::Error::custom)?;
    Ok(Some(record.into()))
}

impl EngineRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// Returns the problem of a line that is no valid request, with the identifier if it has one.
    pub(super) fn parse(line: &[u8]) -> Result<Self, (Option<RequestId>, Problem)> {
        let object: Result<Map<String, Value>, _> = serde_json::from_slice(line);
        let object =
            object.map_err(|error| (None, format!("expected one JSON object: {error}").into()))?;
        let id = object.get("id").and_then(|id| RequestId::deserialize(id).ok());
        let id = id.filter(|id| !id.is_too_long());
        Self::read(object).and_then(Self::check).map_err(|problem| (id, problem))
    }

    fn read(mut object: Map<String, Value>) -> Result<Self, Problem> {
        // Null stands for a missing field.
        object.retain(|_, value| !value.is_null());
        if !object.contains_key("id") {
            return Err(Problem::from("expected an id").of_field("id"));
        }
        let object = Value::Object(object);
        Self::deserialize(&object).map_err(|error| {
            // The library does not name the field of a wrong value: it is the one that is wrong
            // by itself.
            let alone = |(name, value): (&String, &Value)| {
                let mut request = json!({ "id": 0 });
                request[name] = value.clone();
                Some((name.clone(), Self::deserialize(&request).err()?))
            };
            let wrong = object.as_object().and_then(|fields| fields.iter().find_map(alone));
            let (field, error) = wrong.map_or((None, error), |(name, error)| (Some(name), error));
            let message = plain_message(&error.to_string());
            let problem = Problem::from(message.chars().take(MAX_MESSAGE).collect::<String>());
            field.iter().fold(problem, |problem, field| problem.of_field(field))
        })
    }

    /// Checks the ranges of numbers, and that the fields belong together.
    fn check(self) -> Result<Self, Problem> {
        let refuse = |field, message: String| Err(Problem::from(message).of_field(field));
        if self.id.is_too_long() {
            return refuse("id", format!("expected at most {MAX_ID} bytes"));
        }
        let is_analysis = self.action == EngineAction::Analyze;
        match (is_analysis, &self.position, &self.record) {
            (true, None, None) => return refuse("position", "expected a position".to_owned()),
            (true, Some(_), Some(_)) => {
                return refuse("record", "expected a position or a record".to_owned());
            }
            _ => {}
        }
        if self.move_index.is_some() && self.moves.is_some() {
            return refuse("moves", "expected none beside `move`".to_owned());
        }
        let moves = self.moves();
        let positions = self.record.as_ref().map(|record| record.events.len() + 1);
        if positions.is_some() == moves.contains(&None) {
            return refuse("move", "expected a record with the number of its move".to_owned());
        }
        if let Some(positions) = positions.filter(|max| !(1..=*max).contains(&moves.len())) {
            return refuse("move", format!("expected 1 to {positions} numbers"));
        }
        if (self.action == EngineAction::Terminate) != self.terminate_id.is_some() {
            let message = "expected the id of a request for `terminate`, and only for it";
            return refuse("terminate_id", message.to_owned());
        }
        if self.rollouts.is_some_and(|rollouts| rollouts > MAX_ROLLOUTS) {
            return refuse("rollouts", format!("expected 0 to {MAX_ROLLOUTS}"));
        }
        if self.candidates.is_some_and(|number| !(1..=MAX_CANDIDATES).contains(&number)) {
            return refuse("candidates", format!("expected 1 to {MAX_CANDIDATES}"));
        }
        if self.also.len() > MAX_CANDIDATES {
            return refuse("also", format!("expected at most {MAX_CANDIDATES} actions"));
        }
        let seconds = self.report_during_search_every;
        if seconds.is_some_and(|seconds| !REPORT_SECONDS.contains(&seconds)) {
            let [low, high] = [REPORT_SECONDS.start(), REPORT_SECONDS.end()];
            return refuse("report_during_search_every", format!("expected {low} to {high}"));
        }
        Ok(self)
    }

    /// Returns the numbers of events before the positions to analyse; `None` for one as text.
    pub(super) fn moves(&self) -> Vec<Option<usize>> {
        match self.move_index.as_ref().or(self.moves.as_ref()) {
            None => vec![None],
            Some(EventNumbers::One(number)) => vec![Some(*number)],
            Some(EventNumbers::Several(numbers)) => numbers.iter().copied().map(Some).collect(),
        }
    }

    /// Returns the time between reports.
    pub(super) fn report_interval(&self) -> Option<Duration> {
        self.report_during_search_every.map(Duration::from_secs_f64)
    }
}
