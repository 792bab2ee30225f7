//! The JSON schemas of records and of the requests to programs, in `docs/schema`.
#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::{env, fs, path::Path};

use schemars::{JsonSchema, schema_for};

use super::record::{FIELDS, Record};
use crate::bots::program::{DecisionAnswer, DecisionRequest};

/// Compares the schema of a type with its file. Set the environment variable `UPDATE_DOCS` to write
/// it.
#[track_caller]
fn check<T: JsonSchema>(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(file);
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
    check::<Record>("record.json");
    let schema = schema_for!(Record);
    let fields: Vec<_> = schema.get("properties").unwrap().as_object().unwrap().keys().collect();
    assert_eq!(fields, FIELDS.split(' ').collect::<Vec<_>>());
    check::<DecisionRequest>("bot_request.json");
    check::<DecisionAnswer>("bot_answer.json");
}
