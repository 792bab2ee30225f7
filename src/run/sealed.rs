//! Checkpoint files: one JSON object whose last value is the hash of all text before it.

use std::{io, path::Path};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub(crate) use super::file_names::CHECKPOINT as FILE;
use super::{files::RunFolder, paths::OutputError};
use crate::config::{ConfigError, read_at_most, sha256};

/// The beginning of the file, before the name and version of its format.
const BEGIN: &str = "{\"format\":\"";

/// Maximum size of a file that is read, in bytes. With 500,000 openings it has about 60 MB.
const MAX_BYTES: u64 = 1 << 30;

/// The key of the file's last value, the SHA-256 of all text before it.
const SEAL: &str = ",\"sha256\":\"";

/// Returns the name and version of the format of a file.
fn format_of(bytes: &[u8]) -> Option<&str> {
    let rest = bytes.strip_prefix(BEGIN.as_bytes())?;
    let end = rest.iter().position(|&byte| byte == b'"')?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// Returns the error that a folder's checkpoint is not of a format.
pub(crate) fn wrong_checkpoint(folder: &Path, message: String) -> ConfigError {
    let file = folder.join(FILE).display().to_string();
    ConfigError { file, line: None, key: String::new(), message }
}

/// Reads the checkpoint in a folder; `None` if there is none. The first value of the file is the
/// name and version of its format.
///
/// # Errors
/// If the file can't be read, is not of the format, or was changed.
pub(crate) fn read_checkpoint<T: DeserializeOwned>(
    folder: &Path,
    format: &str,
) -> Result<Option<T>, ConfigError> {
    let wrong = |message| wrong_checkpoint(folder, message);
    let bytes = match read_at_most(&folder.join(FILE), MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(|error| wrong(format!("can't be read: {error}")))?,
    };
    if let Some(found) = format_of(&bytes).filter(|found| *found != format) {
        return Err(wrong(format!("expected the format {format}, found {found:?}")));
    }
    let Some(json) = unseal(&bytes) else {
        let message = "was changed since the run saved it; expected the file as the run wrote it";
        return Err(wrong(message.to_owned()));
    };
    let expected = |error| wrong(format!("{}: {error}", expected_format(format)));
    serde_json::from_slice(&json).map(Some).map_err(expected)
}

/// Returns the message that the values of a file are not those of its format.
pub(crate) fn expected_format(format: &str) -> String {
    format!("expected the format {format} as this version writes it")
}

/// Writes a checkpoint to the folder of the run.
///
/// # Errors
/// If it can't be written. An earlier checkpoint is then unchanged.
pub(crate) fn write_checkpoint(
    checkpoint: &impl Serialize,
    folder: &RunFolder,
) -> Result<(), OutputError> {
    // All keys are text, which is all that JSON demands.
    folder.write(FILE, &seal(serde_json::to_vec(checkpoint).unwrap_or_default()))
}

/// Adds the hash of a JSON object as its last value.
fn seal(mut json: Vec<u8>) -> Vec<u8> {
    json.pop();
    let hash = sha256(&json);
    json.extend(format!("{SEAL}{hash}\"}}").into_bytes());
    json
}

/// Returns the JSON object without its hash; `None` if it was changed after it was hashed.
fn unseal(bytes: &[u8]) -> Option<Vec<u8>> {
    let hash_length = 64;
    let (json, end) =
        bytes.split_at_checked(bytes.len().checked_sub(SEAL.len() + hash_length + 2)?)?;
    (end == format!("{SEAL}{}\"}}", sha256(json)).as_bytes()).then(|| [json, b"}"].concat())
}

/// Describes the first difference between the settings of two runs, by name. Another game comes
/// first, because it explains all others.
pub(crate) fn first_difference(ours: &Value, theirs: &Value) -> Option<String> {
    let objects = ours.as_object().into_iter().chain(theirs.as_object());
    let keys = objects.flat_map(|object| object.keys()).map(String::as_str);
    let key = ["game", "--game"].into_iter().chain(keys).find(|key| ours[key] != theirs[key])?;
    let shown = |value: &Value| match value {
        Value::Null => "unset".to_owned(),
        Value::Array(all) if all.iter().any(Value::is_object) => "[…]".to_owned(),
        value => value.to_string(),
    };
    Some(format!("`{key}` is {}, not {}", shown(&theirs[key]), shown(&ours[key])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_bits_and_missing_ends_are_detected() -> serde_json::Result<()> {
        let json = br#"{"blocks":17,"seconds":0.5}"#.to_vec();
        let sealed = seal(json.clone());
        let value: Value = serde_json::from_slice(&sealed)?;
        assert_eq!(value["blocks"], 17);
        assert_eq!(unseal(&sealed), Some(json));
        for position in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[position] ^= 1 << bit;
                assert_eq!(unseal(&changed), None, "bit {bit} of byte {position}");
            }
            assert_eq!(unseal(&sealed[..position]), None);
        }
        assert_eq!(unseal(&[&sealed[..], b"\n"].concat()), None);
        Ok(())
    }
}
