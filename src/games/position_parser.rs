//! Parts that the notations of positions have in common: one line of `key:value` words in a fixed
//! order. Commas separate the entries of a list, `x*3` stands for three of a kind, and `-` for an
//! empty list.

use std::str::SplitAsciiWhitespace;

use crate::game::{NotationError, Seat};

/// Returns the value of a word with a list.
pub(super) fn format_list(entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<_> = entries.collect();
    if entries.is_empty() { "-".to_owned() } else { entries.join(",") }
}

/// Returns the notation of a name with a count of at least 1.
pub(super) fn format_count(name: &str, count: u32) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}*{count}") }
}

/// Parses a name with a count, as written by [`format_count`].
pub(super) fn parse_count(entry: &str) -> Option<(&str, u32)> {
    let (name, count) = match entry.split_once('*') {
        None => (entry, 1),
        Some((name, count)) => (name, count.parse().ok()?),
    };
    (count > 0).then_some((name, count))
}

/// Returns the key of a word and the sorted entries of its list. An entry with contents, such as
/// `tile=a+b`, has its contents sorted.
fn sort_lists(word: &str) -> (&str, Vec<(&str, Vec<&str>)>) {
    let (key, value) = word.split_once(':').unwrap_or((word, ""));
    let sort_contents = |entry| {
        let (name, contents) = str::split_once(entry, '=').unwrap_or((entry, ""));
        let mut contents: Vec<_> = contents.split('+').collect();
        contents.sort_unstable();
        (name, contents)
    };
    let mut entries: Vec<_> = value.split(',').map(sort_contents).collect();
    entries.sort_unstable();
    (key, entries)
}

/// Parser of the words of a position, in their order.
pub(super) struct PositionParser<'a> {
    text: &'a str,
    /// The kind of notation, for errors.
    notation: &'static str,
    seats: usize,
    rest: SplitAsciiWhitespace<'a>,
}

impl<'a> PositionParser<'a> {
    /// Begins after the heading `game/seats`.
    ///
    /// # Errors
    /// Returns an error if the text has a different heading.
    pub(super) fn new(
        text: &'a str,
        notation: &'static str,
        game: &str,
        seats: usize,
    ) -> Result<Self, NotationError> {
        let mut words = Self { text, notation, seats, rest: text.split_ascii_whitespace() };
        let heading = format!("{game}/{seats}");
        if words.rest.next() == Some(&heading) {
            Ok(words)
        } else {
            Err(words.error(format!("a line that begins with `{heading}`")))
        }
    }

    /// Checks that no word is left.
    pub(super) fn expect_end(&mut self) -> Result<(), NotationError> {
        match self.rest.next() {
            None => Ok(()),
            Some(_) => Err(self.error("nothing after the last seat")),
        }
    }

    /// Checks that the text is the one that the game writes, except for the order within lists.
    pub(super) fn check_canonical(&self, written: &str) -> Result<(), NotationError> {
        let mut words = self.text.split_ascii_whitespace().zip(written.split_ascii_whitespace());
        match words.find(|(read, written)| sort_lists(read) != sort_lists(written)) {
            Some((_, written)) => {
                Err(self.error(format!("`{written}`, the only notation of this word")))
            }
            None => Ok(()),
        }
    }

    pub(super) fn error(&self, expected: impl Into<String>) -> NotationError {
        NotationError::new(self.text, self.notation, expected)
    }

    /// Returns the value of the next word, which must have this key.
    pub(super) fn next_value(&mut self, key: &str) -> Result<&'a str, NotationError> {
        match self.rest.next().and_then(|word| word.split_once(':')) {
            Some((name, value)) if name == key => Ok(value),
            _ => Err(self.error(format!("`{key}:` next"))),
        }
    }

    /// Parses the value of the next word with `parse`.
    pub(super) fn parse_value<T>(
        &mut self,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, NotationError> {
        let value = self.next_value(key)?;
        parse(value).ok_or_else(|| self.error(format!("another value than {value:?} for `{key}:`")))
    }

    pub(super) fn parse_number(&mut self, key: &str, max: u32) -> Result<u32, NotationError> {
        let number = self.next_value(key)?.parse().ok().filter(|&number| number <= max);
        number.ok_or_else(|| self.error(format!("`{key}:` with a number up to {max}")))
    }

    pub(super) fn parse_seat(&mut self, key: &str) -> Result<Seat, NotationError> {
        self.parse_number(key, self.seats as u32 - 1).map(|index| Seat::new(index as usize))
    }

    /// Parses a list of names with counts.
    pub(super) fn parse_counts(&mut self, key: &str) -> Result<Vec<(&'a str, u32)>, NotationError> {
        let value = self.next_value(key)?;
        let entries = value.split(',').filter(|_| value != "-").map(parse_count);
        entries
            .collect::<Option<_>>()
            .ok_or_else(|| self.error(format!("`{key}:` with a list such as `a,b*2`")))
    }

    /// Parses a list of names with counts and passes each entry to `add`, which returns `None` if
    /// the entry is invalid. `expected` describes the valid entries.
    pub(super) fn parse_entries(
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
