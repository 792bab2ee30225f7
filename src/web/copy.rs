//! Copies of games that a page stores.
//!
//! A copy is a record, compressed and in hexadecimal digits. Hidden information, such as the roles
//! of other players, is thus not read by accident, for example by a look at the storage of the
//! browser. This does not protect it from somebody who decodes the copy.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{Read as _, Write as _},
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};

use super::MAX_REQUEST;

/// Start of all copies.
const PREFIX: &str = "watershed.copy/1:";

/// Returns the copy of a record.
pub(super) fn of_record(record: &str) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(record.as_bytes()).and_then(|()| encoder.finish());
    written.unwrap_or_default().iter().fold(PREFIX.to_owned(), |mut copy, byte| {
        let _ = write!(copy, "{byte:02x}");
        copy
    })
}

/// Returns the record of a copy. A text that is no copy is returned as it is.
pub(super) fn to_record(text: &str) -> Result<Cow<'_, str>, &'static str> {
    let Some(digits) = text.strip_prefix(PREFIX) else { return Ok(text.into()) };
    Ok(decode(digits).ok_or("the stored game is damaged")?.into())
}

fn decode(digits: &str) -> Option<String> {
    let digit = |&byte: &u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
        _ => None,
    };
    let bytes: Vec<u8> = digits.as_bytes().chunks(2).map(byte).collect::<Option<_>>()?;
    let mut record = String::new();
    // A short copy must not fill the memory.
    let mut decoder = DeflateDecoder::new(&bytes[..]).take(MAX_REQUEST as u64);
    decoder.read_to_string(&mut record).ok()?;
    Some(record)
}
