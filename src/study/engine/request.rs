//! Requests: their fields, and reading them.

use std::{collections::BTreeMap, ops::RangeInclusive, time::Duration};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::refusal::{Refusal, RequestId};
use crate::{arena::record::Record, config::nearest_name};

/// Maximum length of the identifier of a request, in bytes.
const MAX_ID: usize = 256;
/// Maximum number of rollouts of each candidate.
const MAX_ROLLOUTS: u64 = 10_000;
/// Maximum number of candidates, and of further actions.
const MAX_CANDIDATES: usize = 20;
/// Seconds between two reports.
const REPORT_SECONDS: RangeInclusive<f64> = 0.01..=3600.0;

/// The purpose of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum EngineAction {
    /// Analyses a position.
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

/// A request, one JSON object on one line.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(deny_unknown_fields))]
pub(super) struct EngineRequest {
    /// The identifier of the request.
    pub(super) id: RequestId,
    /// The purpose of the request.
    #[cfg_attr(test, schemars(default))]
    pub(super) action: EngineAction,
    /// The position to analyse, as `analyze --position` takes it. A request has this or `record`.
    pub(super) position: Option<String>,
    /// The game with the position to analyse: a record, as `--records` writes it.
    #[cfg_attr(test, schemars(with = "Option<std::collections::BTreeMap<String, Value>>"))]
    pub(super) record: Option<Record>,
    /// The number of events of `record` before the position.
    #[cfg_attr(test, schemars(rename = "move"))]
    pub(super) move_index: Option<usize>,
    /// Actions to compare besides those that the search proposes, at most 20.
    #[cfg_attr(test, schemars(default))]
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
    #[cfg_attr(test, schemars(default))]
    pub(super) priority: i64,
    /// Seconds between answers with the analysis so far, from 0.01 to 3600; none by default.
    pub(super) report_during_search_every: Option<f64>,
    /// The identifier of the requests that `terminate` ends.
    pub(super) terminate_id: Option<RequestId>,
}

/// Names of the fields of a request.
const FIELDS: [&str; 15] = [
    "id",
    "action",
    "position",
    "record",
    "move",
    "also",
    "bot",
    "iterations",
    "policy",
    "rollouts",
    "candidates",
    "seed",
    "priority",
    "report_during_search_every",
    "terminate_id",
];

impl EngineRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// Returns the answer to a line that is no valid request.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Refusal> {
        let object: BTreeMap<String, Value> = serde_json::from_slice(line)
            .map_err(|error| Refusal::new(format!("expected one JSON object: {error}")))?;
        let mut fields = RequestFields(object);
        let id: Option<RequestId> = fields.take("id", "a string or an integer")?;
        let id = id.ok_or_else(|| Refusal::new("expected an id").of_field("id"))?;
        if matches!(&id, RequestId::Text(text) if text.len() > MAX_ID) {
            let message = format!("expected at most {MAX_ID} bytes");
            return Err(Refusal::new(message).of_field("id"));
        }
        let request = Self::read(id.clone(), fields).and_then(Self::check);
        request.map_err(|refusal| refusal.of_request(id))
    }

    fn read(id: RequestId, mut fields: RequestFields) -> Result<Self, Refusal> {
        const TEXT: &str = "a string";
        const NUMBER: &str = "a number from 0";
        let actions = "`analyze`, `terminate`, `terminate_all`, `query_version` or `list_games`";
        let record: Option<Value> = fields.take("record", "a record")?;
        let parse = |record: &Value| Record::parse(record.to_string().as_bytes());
        let record = record.as_ref().map(parse).transpose();
        let request = Self {
            id,
            action: fields.take("action", actions)?.unwrap_or_default(),
            position: fields.take("position", TEXT)?,
            record: record.map_err(|message| Refusal::new(message).of_field("record"))?,
            move_index: fields.take("move", NUMBER)?,
            also: fields.take("also", "a list of actions")?.unwrap_or_default(),
            bot: fields.take("bot", TEXT)?,
            iterations: fields.take("iterations", NUMBER)?,
            policy: fields.take("policy", TEXT)?,
            rollouts: fields.take("rollouts", NUMBER)?,
            candidates: fields.take("candidates", NUMBER)?,
            seed: fields.take("seed", NUMBER)?,
            priority: fields.take("priority", "an integer")?.unwrap_or_default(),
            report_during_search_every: fields
                .take("report_during_search_every", "a number of seconds")?,
            terminate_id: fields.take("terminate_id", "a string or an integer")?,
        };
        fields.ensure_empty()?;
        Ok(request)
    }

    /// Checks the ranges of numbers, and that the fields belong together.
    fn check(self) -> Result<Self, Refusal> {
        let refuse = |field, message: String| Err(Refusal::new(message).of_field(field));
        let is_analysis = self.action == EngineAction::Analyze;
        match (is_analysis, &self.position, &self.record) {
            (true, None, None) => return refuse("position", "expected a position".to_owned()),
            (true, Some(_), Some(_)) => {
                return refuse("record", "expected a position or a record".to_owned());
            }
            _ => {}
        }
        if self.record.is_some() != self.move_index.is_some() {
            return refuse("move", "expected a record with the number of its move".to_owned());
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

    /// Returns the time between reports.
    pub(super) fn report_interval(&self) -> Option<Duration> {
        self.report_during_search_every.map(Duration::from_secs_f64)
    }
}

/// Fields of a request that were not read yet.
struct RequestFields(BTreeMap<String, Value>);

impl RequestFields {
    /// Reads a field; null stands for a missing one.
    fn take<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.0.remove(name).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let read = serde_json::from_value(value);
        read.map(Some).map_err(|_| Refusal::new(format!("expected {expected}")).of_field(name))
    }

    /// Returns an error if there is a field that no request has.
    fn ensure_empty(&self) -> Result<(), Refusal> {
        let Some(field) = self.0.keys().next() else { return Ok(()) };
        let hint = nearest_name(field, FIELDS).map(|name| format!("; did you mean `{name}`?"));
        let message = format!("unknown field{}", hint.unwrap_or_default());
        Err(Refusal::new(message).of_field(field))
    }
}
