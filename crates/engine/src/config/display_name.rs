//! Names of components for people, which do not affect play.

use super::{ConfigError, KeyType, Place, Value};

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

impl TryFrom<String> for DisplayName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let length = name.chars().count();
        if !(1..=MAX_LENGTH).contains(&length) {
            return Err(format!(
                "expected a name of 1 to {MAX_LENGTH} characters, found {length} characters"
            ));
        }
        if name.trim() != name || name.contains(is_unprintable) {
            return Err(format!(
                "expected a name of printable characters without spaces at its ends, found {name:?}"
            ));
        }
        Ok(Self(name))
    }
}

impl KeyType for DisplayName {
    fn accepted() -> String {
        format!("a name of 1 to {MAX_LENGTH} characters")
    }

    fn read(place: Place<'_>, value: &Value) -> Result<Self, ConfigError> {
        Self::try_from(String::read(place, value)?).map_err(|message| place.error(message))
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
    use super::*;

    #[test]
    fn names_are_short_and_printable() {
        let parse = |name: &str| DisplayName::try_from(name.to_owned());
        for name in ["Blooming meadow", "größer & <b>", "x", &"é".repeat(60)] {
            assert_eq!(parse(name).as_ref().map(DisplayName::as_str), Ok(name));
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
