//! Error messages about TOML values: the expectation first, and no Rust type names.

use toml::Value;

/// Minimum Jaro-Winkler similarity of a name that is suggested for an unknown one.
const MIN_SIMILARITY: f64 = 0.85;

/// Maximum number of characters of a quoted value.
const MAX_QUOTED_CHARS: usize = 40;

/// Returns the known name that is most similar to an unknown one, if it is similar enough.
pub fn nearest_name<'a>(
    unknown: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let scored = known.into_iter().map(|name| (strsim::jaro_winkler(name, unknown), name));
    let (similarity, nearest) = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (similarity >= MIN_SIMILARITY).then_some(nearest)
}

/// Lists the names that are accepted.
pub fn any_of(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

/// Returns the message about an unknown key.
pub fn unknown_key(key: &str, known: &[&str]) -> String {
    unknown_name(key, &any_of(known))
}

/// Returns the message about a value that is not accepted. `accepted` may list names in backticks.
pub fn unexpected_value(accepted: &str, found: &Value) -> String {
    match found {
        Value::String(name) if accepted.contains('`') => unknown_name(name, accepted),
        _ if accepted.contains('`') => {
            format!("expected {accepted}; found {}", shorten(&found.to_string()))
        }
        Value::Table(_) => format!("expected {accepted}, found a table"),
        // `10.000` may stand for ten thousand.
        Value::Float(number) if accepted.contains("integer") || accepted.contains("whole") => {
            format!("expected {accepted} without a separator of thousands, found {number:?}")
        }
        _ => format!("expected {accepted}, found {}", shorten(&found.to_string())),
    }
}

/// Rewrites a message of serde or of the TOML library.
pub fn plain_message(message: &str) -> String {
    let rest = |prefixes: &[&str]| prefixes.iter().find_map(|&prefix| message.strip_prefix(prefix));
    if let Some((name, expected)) =
        rest(&["unknown field `", "unknown variant `"]).and_then(|rest| rest.split_once("`, "))
    {
        return match expected.strip_prefix("expected ") {
            Some(names) => unknown_name(name, names),
            None => format!("expected no key here, found `{name}`"),
        };
    }
    if let Some(field) = rest(&["missing field "]) {
        return format!("missing key {field}");
    }
    let wrong = rest(&["invalid length ", "invalid type: ", "invalid value: "]);
    match wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((found, expected)) => {
            format!("expected {}, found {}", describe_expected(expected), describe_found(found))
        }
        None => message.to_owned(),
    }
}

/// Puts a text on one line and cuts it off if it is long.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn unknown_name(name: &str, names: &str) -> String {
    let known: Vec<_> = names.split('`').skip(1).step_by(2).collect();
    let nearest = nearest_name(name, known.iter().copied()).filter(|_| known.len() > 1);
    let hint = nearest.map(|nearest| format!(" (did you mean `{nearest}`?)")).unwrap_or_default();
    format!("expected {names}; found `{name}`{hint}")
}

/// Describes the value that serde expected.
fn describe_expected(expected: &str) -> String {
    let lengths = ["a tuple of size ", "an array of length "];
    if let Some(count) = lengths.iter().find_map(|&prefix| expected.strip_prefix(prefix)) {
        return format!("a list of {count} entries");
    }
    let plain = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a borrowed string" => "a string",
        "path string" => "a path",
        "a sequence" => "a list",
        "a map" => "a table",
        _ if expected.starts_with("struct ") => "a table",
        _ if expected.starts_with("internally tagged enum ") => "a table",
        _ => expected,
    };
    plain.to_owned()
}

/// Describes the value that serde found.
fn describe_found(found: &str) -> &str {
    let quoted = ["boolean `", "integer `", "floating point `"]
        .iter()
        .find_map(|&kind| found.strip_prefix(kind)?.strip_suffix('`'));
    match found {
        "sequence" => "a list",
        "map" => "a table",
        _ => quoted.or_else(|| found.strip_prefix("string ")).unwrap_or(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of the libraries, each followed by the rewritten one.
    const MESSAGES: &str = "\
invalid value: integer `-1`, expected u64
expected a whole number from 0, found -1
invalid type: string \"a, expected b\", expected f64
expected a number, found \"a, expected b\"
invalid type: floating point `0.5`, expected a tuple of size 2
expected a list of 2 entries, found 0.5
invalid length 3, expected an array of length 2
expected a list of 2 entries, found 3
invalid type: map, expected struct Cost
expected a table, found a table
invalid type: integer `4`, expected internally tagged enum Effect
expected a table, found 4
invalid type: sequence, expected a boolean
expected true or false, found a list
missing field `points`
missing key `points`
unknown field `iteration`, expected one of `kind`, `iterations`
expected one of `kind`, `iterations`; found `iteration` (did you mean `iterations`?)
unknown variant `gold`, expected `wood` or `clay`
expected `wood` or `clay`; found `gold`
unknown field `x`, expected `y`
expected `y`; found `x`
unknown field `x`, there are no fields
expected no key here, found `x`";

    #[test]
    fn messages_are_rewritten_without_rust_type_names_and_with_suggestions() {
        let lines: Vec<_> = MESSAGES.lines().collect();
        for pair in lines.chunks(2) {
            assert_eq!(plain_message(pair[0]), pair[1]);
        }
    }
}
