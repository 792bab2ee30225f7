//! Messages of the TOML and serde libraries, rewritten: expectation first, no Rust type names.

/// The Jaro-Winkler similarity from which on a name is suggested for a misspelt one.
const MIN_SIMILARITY: f64 = 0.85;

/// The number of characters of a value after which a message cuts it off.
const MAX_QUOTED_CHARS: usize = 40;

/// Rewrites a message of serde or of the TOML library.
pub(crate) fn plain_message(message: &str) -> String {
    let unknown = message
        .strip_prefix("unknown field `")
        .or_else(|| message.strip_prefix("unknown variant `"));
    if let Some((name, expected)) = unknown.and_then(|rest| rest.split_once("`, ")) {
        return unknown_name(name, expected);
    }
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("missing key {field}");
    }
    if let Some((length, expected)) =
        message.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("expected {}, found {length}", describe_expected(expected));
    }
    let wrong =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!(
            "expected {}, found {}",
            describe_expected(expected),
            describe_found(found)
        );
    }
    message.to_owned()
}

/// Returns true if the value must be one of several names and the message does not list them.
pub(super) fn omits_names(message: &str) -> bool {
    ["wanted string or table", "variant identifier", "exactly 1 entry", "internally tagged enum"]
        .iter()
        .any(|part| message.contains(part))
}

/// Returns the list of names in the message about an unknown name.
pub(super) fn listed_names(message: &str) -> Option<&str> {
    message.strip_prefix("unknown variant `")?.split_once("`, expected ").map(|(_, names)| names)
}

/// Returns the message about a value that is not one of `names`.
pub(super) fn unlisted_name(names: &str, found: &str) -> String {
    let line = found.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = match line.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    };
    format!("expected {names}; found {short}")
}

fn unknown_name(name: &str, expected: &str) -> String {
    let Some(names) = expected.strip_prefix("expected ") else {
        return format!("expected no key here, found `{name}`");
    };
    let similarity = |other: &&str| strsim::jaro_winkler(other, name);
    let nearest = names
        .split('`')
        .skip(1)
        .step_by(2)
        .max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    let hint = match nearest.filter(|nearest| similarity(nearest) >= MIN_SIMILARITY) {
        Some(nearest) if names.matches('`').count() > 2 => format!(" (did you mean `{nearest}`?)"),
        _ => String::new(),
    };
    format!("expected {names}; found `{name}`{hint}")
}

/// Describes the value that serde expected.
fn describe_expected(expected: &str) -> String {
    let entries = |prefix: &str| {
        expected.strip_prefix(prefix).map(|count| format!("a list of {count} entries"))
    };
    if let Some(list) = entries("a tuple of size ").or_else(|| entries("an array of length ")) {
        return list;
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
        _ if ["struct ", "internally tagged enum "]
            .iter()
            .any(|kind| expected.starts_with(kind)) =>
        {
            "a table"
        }
        _ => expected,
    };
    plain.to_owned()
}

/// Describes the value that serde found.
fn describe_found(found: &str) -> String {
    let quoted =
        |kind: &str| found.strip_prefix(kind).map(|value| value.trim_matches('`').to_owned());
    let value =
        quoted("boolean ").or_else(|| quoted("integer ")).or_else(|| quoted("floating point "));
    value.or_else(|| found.strip_prefix("string ").map(str::to_owned)).unwrap_or_else(
        || match found {
            "sequence" => "a list".to_owned(),
            "map" => "a table".to_owned(),
            _ => found.to_owned(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewrites_messages_without_rust_type_names() {
        for (message, expected) in [
            (
                "invalid value: integer `-1`, expected u64",
                "expected a whole number from 0, found -1",
            ),
            (
                "invalid type: string \"a, expected b\", expected f64",
                "expected a number, found \"a, expected b\"",
            ),
            (
                "invalid type: floating point `0.5`, expected a tuple of size 2",
                "expected a list of 2 entries, found 0.5",
            ),
            (
                "invalid length 3, expected an array of length 2",
                "expected a list of 2 entries, found 3",
            ),
            ("invalid type: map, expected struct Cost", "expected a table, found a table"),
            (
                "invalid type: integer `4`, expected internally tagged enum Effect",
                "expected a table, found 4",
            ),
            ("invalid type: sequence, expected a boolean", "expected true or false, found a list"),
            ("missing field `points`", "missing key `points`"),
        ] {
            assert_eq!(plain_message(message), expected);
        }
    }

    #[test]
    fn suggests_the_nearest_name_for_an_unknown_one() {
        assert_eq!(
            plain_message("unknown field `iteration`, expected one of `kind`, `iterations`"),
            "expected one of `kind`, `iterations`; found `iteration` (did you mean `iterations`?)"
        );
        assert_eq!(
            plain_message("unknown variant `gold`, expected `wood` or `clay`"),
            "expected `wood` or `clay`; found `gold`"
        );
        assert_eq!(plain_message("unknown field `x`, expected `y`"), "expected `y`; found `x`");
        assert_eq!(
            plain_message("unknown field `x`, there are no fields"),
            "expected no key here, found `x`"
        );
    }
}
