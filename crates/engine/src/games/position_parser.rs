//! The common notation of positions: one line of `key:value` words in a fixed order. List entries
//! are separated by commas, `x*3` stands for three of a kind, and `-` for nothing.

use std::str::SplitAsciiWhitespace;

use crate::game::{NotationError, Seat};

/// Returns the notation of a list.
pub fn format_list(entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<_> = entries.collect();
    if entries.is_empty() { "-".to_owned() } else { entries.join(",") }
}

/// Returns the notation of `count` components with this name, at least one.
pub fn format_count(name: &str, count: u32) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}*{count}") }
}

/// Parses the text of [`format_count`].
pub fn parse_count(entry: &str) -> Option<(&str, u32)> {
    let (name, count) = match entry.split_once('*') {
        None => (entry, 1),
        Some((name, count)) => (name, count.parse().ok()?),
    };
    (count > 0).then_some((name, count))
}

/// Returns the name of a value in a table of names.
pub fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name)
}

/// Returns the value with this name in a table of names.
pub fn value_named<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(other, _)| *other == name).map(|&(_, value)| value)
}

/// Returns the key of a word and its list sorted: each entry with its sorted contents.
fn sort_lists(word: &str) -> (&str, Vec<(&str, Vec<&str>)>) {
    let (key, value) = word.split_once(':').unwrap_or((word, ""));
    let entries = value.split(',').map(|entry| {
        let (tile, contents) = entry.split_once('=').unwrap_or((entry, ""));
        let mut contents: Vec<_> = contents.split('+').collect();
        contents.sort_unstable();
        (tile, contents)
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable();
    (key, entries)
}

/// A parser of the words of a position, in their order.
pub struct PositionParser<'a> {
    text: &'a str,
    /// The notation, for errors.
    notation: &'static str,
    seats: usize,
    rest: SplitAsciiWhitespace<'a>,
}

#[expect(clippy::missing_errors_doc, reason = "each fails if the next word is another one")]
impl<'a> PositionParser<'a> {
    /// Creates a parser of the words after the heading `game/seats`, which must be present.
    pub fn new(
        text: &'a str,
        notation: &'static str,
        game: &str,
        seats: usize,
    ) -> Result<Self, NotationError> {
        let mut words = Self { text, notation, seats, rest: text.split_ascii_whitespace() };
        let heading = format!("{game}/{seats}");
        let begins = words.rest.next() == Some(&heading);
        words.check(begins, format!("a line that begins with `{heading}`"))?;
        Ok(words)
    }

    /// Checks that no word is left.
    pub fn expect_end(&mut self) -> Result<(), NotationError> {
        let ended = self.rest.next().is_none();
        self.check(ended, "nothing after the last seat")
    }

    /// Checks that the text equals the notation of the parsed position, except for the order within
    /// lists.
    pub fn check_canonical(&self, written: &str) -> Result<(), NotationError> {
        let mut words = self.text.split_ascii_whitespace().zip(written.split_ascii_whitespace());
        match words.find(|(read, written)| sort_lists(read) != sort_lists(written)) {
            Some((_, written)) => {
                Err(self.error(format!("`{written}`, the only notation of this word")))
            }
            None => Ok(()),
        }
    }

    /// Returns an error with the text and what was expected.
    pub fn error(&self, expected: impl Into<String>) -> NotationError {
        NotationError::new(self.text, self.notation, expected)
    }

    /// Returns an error unless `holds`.
    pub fn check(&self, holds: bool, expected: impl Into<String>) -> Result<(), NotationError> {
        if holds { Ok(()) } else { Err(self.error(expected)) }
    }

    /// Returns the value of the next word, which must have this key.
    pub fn next_value(&mut self, key: &str) -> Result<&'a str, NotationError> {
        let word = self.rest.next().and_then(|word| word.split_once(':'));
        let value = word.filter(|(name, _)| *name == key).map(|(_, value)| value);
        value.ok_or_else(|| self.error(format!("`{key}:` next")))
    }

    /// Returns the entries of the list in the next word.
    pub fn next_list(
        &mut self,
        key: &str,
    ) -> Result<impl Iterator<Item = &'a str> + use<'a>, NotationError> {
        let value = self.next_value(key)?;
        Ok(value.split(',').filter(move |_| value != "-"))
    }

    /// Parses the value of the next word, which must have this key, with `find`.
    pub fn parse_value<T>(
        &mut self,
        key: &str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Result<T, NotationError> {
        let value = self.next_value(key)?;
        find(value).ok_or_else(|| self.error(format!("another value than {value:?} for `{key}:`")))
    }

    /// Parses a name in a table of names.
    pub fn parse_named<T: Copy>(
        &mut self,
        key: &str,
        table: &[(&str, T)],
    ) -> Result<T, NotationError> {
        self.parse_value(key, |name| value_named(table, name))
    }

    /// Parses a number of at most `max`.
    pub fn parse_number(&mut self, key: &str, max: u32) -> Result<u32, NotationError> {
        let value = self.next_value(key)?;
        let number = value.parse().ok().filter(|&number| number <= max);
        number.ok_or_else(|| self.error(format!("`{key}:` with a number up to {max}")))
    }

    /// Parses 1 as true and 0 as false.
    pub fn parse_flag(&mut self, key: &str) -> Result<bool, NotationError> {
        Ok(self.parse_number(key, 1)? == 1)
    }

    /// Parses the number of a seat.
    pub fn parse_seat(&mut self, key: &str) -> Result<Seat, NotationError> {
        self.parse_number(key, self.seats as u32 - 1).map(|index| Seat::new(index as usize))
    }

    /// Parses the word that begins the part of a seat.
    pub fn expect_seat(&mut self, seat: Seat) -> Result<(), NotationError> {
        let found = self.parse_seat("seat")?;
        self.check(found == seat, format!("`seat:{seat}` next"))
    }

    /// Parses a list of names with their counts.
    pub fn parse_counts(&mut self, key: &str) -> Result<Vec<(&'a str, u32)>, NotationError> {
        let entries = self.next_list(key)?.map(parse_count);
        let counts = entries.collect::<Option<_>>();
        counts.ok_or_else(|| self.error(format!("`{key}:` with a list such as `a,b*2`")))
    }

    /// Parses a list of names with counts and passes each entry to `add`, which returns `None` if
    /// the entry is invalid. `expected` describes the valid entries.
    pub fn parse_entries(
        &mut self,
        key: &str,
        expected: &str,
        mut add: impl FnMut(&str, u32) -> Option<()>,
    ) -> Result<(), NotationError> {
        let entries = self.parse_counts(key)?;
        let added: Option<()> = entries.into_iter().try_for_each(|(name, count)| add(name, count));
        added.ok_or_else(|| self.error(format!("`{key}:` with {expected}")))
    }
}
