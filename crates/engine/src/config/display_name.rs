//! Names of components for people, which do not affect play.

use super::{ConfigError, KeyPlace, KeyType, Value};

/// Maximum number of characters of a [`DisplayName`].
const MAX_LENGTH: usize = 60;

/// Name of a component for people: any printable characters, also spaces.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DisplayName(String);

impl DisplayName {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl KeyType for DisplayName {
    fn accepted() -> String {
        format!("a name of 1 to {MAX_LENGTH} characters")
    }

    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        let name = String::read(place, value)?;
        let length = name.chars().count();
        if !(1..=MAX_LENGTH).contains(&length) {
            let accepted = Self::accepted();
            return Err(place.error(format!("expected {accepted}, found {length} characters")));
        }
        if name.trim() != name || name.contains(is_unprintable) {
            return Err(place.error(format!(
                "expected a name of printable characters without spaces at its ends, found {name:?}"
            )));
        }
        Ok(Self(name))
    }
}

/// Returns true if a character moves the cursor, changes the terminal or turns the direction of
/// writing.
pub fn is_unprintable(letter: char) -> bool {
    matches!(
        letter,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    ) || letter.is_control()
}

#[cfg(test)]
mod tests {
    use super::{super::Document, *};

    #[test]
    fn names_are_short_and_printable() {
        let document = Document::embedded("", "");
        let parse = |name: &str| {
            let value = Value::String(name.to_owned());
            DisplayName::read(KeyPlace::root(&document), &value).map_err(|error| error.message)
        };
        for name in ["Blooming meadow", "größer & <b>", "x", &"é".repeat(60)] {
            assert_eq!(parse(name).map(|parsed| parsed.0), Ok(name.to_owned()));
        }
        for (name, expected) in [
            ("", "expected a name of 1 to 60 characters, found 0 characters"),
            (&"é".repeat(61), "expected a name of 1 to 60 characters, found 61 characters"),
            (
                "a\nb",
                "expected a name of printable characters without spaces at its ends, \
                 found \"a\\nb\"",
            ),
            (
                " a",
                "expected a name of printable characters without spaces at its ends, found \" a\"",
            ),
        ] {
            assert_eq!(parse(name), Err(expected.to_owned()));
        }
    }
}
