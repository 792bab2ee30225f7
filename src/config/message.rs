//! The messages of the TOML and serde libraries in plain words: without type names of Rust, with
//! what was expected first.

/// Below this likeness a name is not suggested for another one.
const LEAST_LIKENESS: f64 = 0.85;

/// The longest text of a file that a message repeats.
const LONGEST: usize = 40;

/// Rewrites a message of serde or of the TOML library.
pub(crate) fn plain(message: &str) -> String {
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
        return format!("expected {}, found {length}", expectation(expected));
    }
    let wrong =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("expected {}, found {}", expectation(expected), finding(found));
    }
    message.to_owned()
}

/// True if the value should have been one of several names, which the message does not list.
pub(super) fn omits_names(message: &str) -> bool {
    ["wanted string or table", "variant identifier", "exactly 1 entry", "internally tagged enum"]
        .iter()
        .any(|part| message.contains(part))
}

/// The names that are listed in the message about an unknown name.
pub(super) fn listed_names(message: &str) -> Option<&str> {
    message.strip_prefix("unknown variant `")?.split_once("`, expected ").map(|(_, names)| names)
}

/// The message about a value that should have been one of these names.
pub(super) fn unlisted_name(names: &str, found: &str) -> String {
    let line = found.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    };
    format!("expected {names}; found {short}")
}

fn unknown_name(name: &str, expected: &str) -> String {
    let Some(names) = expected.strip_prefix("expected ") else {
        return format!("expected no key here, found `{name}`");
    };
    let likeness = |other: &&str| strsim::jaro_winkler(other, name);
    let nearest = names
        .split('`')
        .skip(1)
        .step_by(2)
        .max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    let hint = match nearest.filter(|nearest| likeness(nearest) >= LEAST_LIKENESS) {
        Some(nearest) if names.matches('`').count() > 2 => format!(" (did you mean `{nearest}`?)"),
        _ => String::new(),
    };
    format!("expected {names}; found `{name}`{hint}")
}

/// The description of what serde expected.
fn expectation(expected: &str) -> String {
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
        "a string" | "a borrowed string" => "a text",
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

/// The description of what serde found.
fn finding(found: &str) -> String {
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
    fn messages_name_no_type_of_rust() {
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
            assert_eq!(plain(message), expected);
        }
    }

    #[test]
    fn an_unknown_name_brings_the_nearest() {
        assert_eq!(
            plain("unknown field `iteration`, expected one of `kind`, `iterations`"),
            "expected one of `kind`, `iterations`; found `iteration` (did you mean `iterations`?)"
        );
        assert_eq!(
            plain("unknown variant `gold`, expected `wood` or `clay`"),
            "expected `wood` or `clay`; found `gold`"
        );
        assert_eq!(plain("unknown field `x`, expected `y`"), "expected `y`; found `x`");
        assert_eq!(
            plain("unknown field `x`, there are no fields"),
            "expected no key here, found `x`"
        );
    }
}
