//! The JSON schemas of requests and answers, in `docs/schema`.
#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::env;

use schemars::{JsonSchema, schema_for};

use super::{answer::EngineAnswer, request::EngineRequest};
use crate::{
    protocol::{analysis::Analysis, review::GameReview},
    study::shared::prelude::*,
};

/// Compares the schema of a type with its file. Set the environment variable `UPDATE_DOCS` to write
/// it.
#[track_caller]
fn check<T: JsonSchema>(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(file);
    let schema = serde_json::to_string_pretty(&schema_for!(T)).unwrap() + "\n";
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &schema).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == schema, "docs/schema/{file} is outdated: set UPDATE_DOCS=1");
}

#[test]
fn schema_reference_is_up_to_date() {
    check::<EngineRequest>("engine_request.json");
    check::<EngineAnswer<'_>>("engine_answer.json");
    check::<Analysis>("analysis.json");
    check::<GameReview>("review.json");
}
