//! What the notations of whole positions have in common: one line of `key:value` words in a fixed
//! order, in which lists are separated by commas, `x*3` stands for three of a kind, and `-` for
//! nothing.

use std::str::SplitAsciiWhitespace;

use crate::game::{NotationError, Seat};

/// A list as its word has it.
pub(super) fn format_list(entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<_> = entries.collect();
    if entries.is_empty() { "-".to_owned() } else { entries.join(",") }
}

/// A name and how many there are of it, at least one.
pub(super) fn format_count(name: &str, count: u32) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}*{count}") }
}

/// Reads what [`format_count`] writes.
pub(super) fn parse_count(entry: &str) -> Option<(&str, u32)> {
    let (name, count) = match entry.split_once('*') {
        None => (entry, 1),
        Some((name, count)) => (name, count.parse().ok()?),
    };
    (count > 0).then_some((name, count))
}

/// A word with its lists in order: the entries, and of each entry what stands on a tile.
fn sorted(word: &str) -> (&str, Vec<(&str, Vec<&str>)>) {
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

/// The words of a position, read in their order.
pub(super) struct PositionParser<'a> {
    text: &'a str,
    /// What the text is read as, for errors.
    what: &'static str,
    seats: usize,
    rest: SplitAsciiWhitespace<'a>,
}

impl<'a> PositionParser<'a> {
    /// The words after the heading `game/seats`, which must be there.
    pub(super) fn new(
        text: &'a str,
        what: &'static str,
        game: &str,
        seats: usize,
    ) -> Result<Self, NotationError> {
        let mut words = Self { text, what, seats, rest: text.split_ascii_whitespace() };
        let heading = format!("{game}/{seats}");
        if words.rest.next() == Some(&heading) {
            Ok(words)
        } else {
            Err(words.error(format!("a line that begins with `{heading}`")))
        }
    }

    /// Makes sure that no word is left.
    pub(super) fn expect_end(&mut self) -> Result<(), NotationError> {
        if self.rest.next().is_none() {
            Ok(())
        } else {
            Err(self.error("nothing after the last seat"))
        }
    }

    /// Makes sure that the text read is the one that the game writes of the position, but for the
    /// order within lists.
    pub(super) fn check_canonical(&self, written: &str) -> Result<(), NotationError> {
        let mut words = self.text.split_ascii_whitespace().zip(written.split_ascii_whitespace());
        match words.find(|(read, written)| sorted(read) != sorted(written)) {
            Some((_, written)) => {
                Err(self.error(format!("`{written}`, the only notation of this word")))
            }
            None => Ok(()),
        }
    }

    pub(super) fn error(&self, expected: impl Into<String>) -> NotationError {
        NotationError::new(self.text, self.what, expected)
    }

    /// The value of the next word, whose key must be this one.
    pub(super) fn next_value(&mut self, key: &str) -> Result<&'a str, NotationError> {
        let value = self
            .rest
            .next()
            .and_then(|word| word.split_once(':'))
            .filter(|(name, _)| *name == key)
            .map(|(_, value)| value);
        value.ok_or_else(|| self.error(format!("`{key}:` next")))
    }

    pub(super) fn parse_value<T>(
        &mut self,
        key: &str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Result<T, NotationError> {
        let value = self.next_value(key)?;
        find(value).ok_or_else(|| self.error(format!("another value than {value:?} for `{key}:`")))
    }

    pub(super) fn parse_number(&mut self, key: &str, most: u32) -> Result<u32, NotationError> {
        let value = self.next_value(key)?;
        value
            .parse()
            .ok()
            .filter(|&number| number <= most)
            .ok_or_else(|| self.error(format!("`{key}:` with a number up to {most}")))
    }

    pub(super) fn parse_seat(&mut self, key: &str) -> Result<Seat, NotationError> {
        self.parse_number(key, self.seats as u32 - 1).map(|index| Seat::new(index as usize))
    }

    /// A list of names and how many there are of each.
    pub(super) fn parse_counts(&mut self, key: &str) -> Result<Vec<(String, u32)>, NotationError> {
        let value = self.next_value(key)?;
        let entries = value.split(',').filter(|_| value != "-").map(|entry| {
            let (name, count) = parse_count(entry)?;
            Some((name.to_owned(), count))
        });
        entries
            .collect::<Option<_>>()
            .ok_or_else(|| self.error(format!("`{key}:` with a list such as `a,b*2`")))
    }
}
