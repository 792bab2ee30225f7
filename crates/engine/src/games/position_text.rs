//! The common notation of positions: one line of `key:value` words in a fixed order. List entries
//! are separated by commas, `x*3` stands for three of a kind, and `-` for nothing.
//!
//! A game lists the fields of its positions once, in [`PositionFields::fields`]. Each field passes
//! its value to [`Words`] and stores the value that it gets back. While a text is written, that is
//! the same value. While a text is read, it is the value of the next word. Lists give back the
//! entries to add: those that were read, none while writing.

#![expect(clippy::missing_errors_doc, reason = "the error of `Expect` is what was expected")]

use std::{
    fmt::{self, Display},
    ops::RangeInclusive,
    str::FromStr,
    vec::IntoIter,
};

use super::GameDefinition;
use crate::game::{NotationError, Seat};

/// A value, or what was expected.
pub type Expect<T = ()> = Result<T, String>;

/// The values of a list with their counts.
type Entries<T> = Vec<(T, u32)>;

/// A game whose positions have the common notation.
pub trait PositionFields: GameDefinition {
    /// The notation, for errors.
    const NOTATION: &'static str;

    /// Lists the fields of a position in the order of their words.
    fn fields(&self, words: &mut Words, state: &mut Self::State) -> Expect;

    /// Derives the values of a position that its text does not have, and checks that the position
    /// can occur in a game.
    fn complete(&self, state: &mut Self::State) -> Expect;
}

/// Returns the text of a position.
pub fn write_position<G: PositionFields>(game: &G, state: &G::State) -> String {
    let written = format!("{}/{}", G::ID, game.seats());
    let mut words = Words { seats: game.seats(), rest: None, written };
    let result = game.fields(&mut words, &mut state.clone());
    debug_assert_eq!(result, Ok(()), "only reading has errors");
    words.written
}

/// Parses the text of a position. The fields are stored in `state`, in which all lists are empty.
pub fn read_position<G: PositionFields>(
    game: &G,
    text: &str,
    state: G::State,
) -> Result<G::State, NotationError> {
    read(game, text, state).map_err(|expected| NotationError::new(text, G::NOTATION, expected))
}

fn read<G: PositionFields>(game: &G, text: &str, mut state: G::State) -> Expect<G::State> {
    let words: Vec<_> = text.split_ascii_whitespace().map(str::to_owned).collect();
    let mut rest = words.clone().into_iter();
    let heading = format!("{}/{}", G::ID, game.seats());
    expect(rest.next().as_ref() == Some(&heading), format!("a line that begins with `{heading}`"))?;
    let mut reader = Words { seats: game.seats(), rest: Some(rest), written: String::new() };
    game.fields(&mut reader, &mut state)?;
    expect(reader.rest.is_none_or(|rest| rest.len() == 0), "nothing after the last seat")?;
    game.complete(&mut state)?;
    // Only the order within lists is free. A game derives a hidden value, which is written as `?`.
    let written = write_position(game, &state);
    let mut pairs = words.iter().zip(written.split(' ')).filter(|(word, _)| !word.ends_with(":?"));
    let differ =
        |word: &str, written| word != written && sorted_parts(word) != sorted_parts(written);
    match pairs.find(|(word, written)| differ(word, written)) {
        Some((_, written)) => Err(format!("`{written}`, the only notation of this word")),
        None => Ok(state),
    }
}

/// Returns the key, the entries and their parts in a fixed order.
fn sorted_parts(word: &str) -> Vec<&str> {
    let mut parts: Vec<_> = word.split([':', ',', '=', '+']).collect();
    parts.sort_unstable();
    parts
}

/// Returns an error unless `holds`.
pub fn expect(holds: bool, expected: impl Into<String>) -> Expect {
    if holds { Ok(()) } else { Err(expected.into()) }
}

/// Returns the first expectation that does not hold as an error.
pub fn expect_all<const N: usize>(conditions: [(bool, &str); N]) -> Expect {
    conditions.into_iter().try_for_each(|(holds, expected)| expect(holds, expected))
}

/// Returns the name of a value in a table of names.
pub fn name_of<'a, T: PartialEq>(table: &'a [(impl AsRef<str>, T)], value: &T) -> &'a str {
    table.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name.as_ref())
}

fn value_named<T: Copy>(table: &[(impl AsRef<str>, T)], name: &str) -> Option<T> {
    table.iter().find(|(other, _)| other.as_ref() == name).map(|&(_, value)| value)
}

/// Shows the first names of a table.
fn names<T>(table: &[(impl AsRef<str>, T)]) -> impl Display {
    fmt::from_fn(|f| {
        const MAX_NAMES: usize = 24;
        for (index, (name, _)) in table.iter().take(MAX_NAMES).enumerate() {
            write!(f, "{}`{}`", if index > 0 { ", " } else { "" }, name.as_ref())?;
        }
        f.write_str(if table.len() > MAX_NAMES { ", …" } else { "" })
    })
}

fn join(entries: impl Iterator<Item = String>, separator: &str) -> String {
    let entries: Vec<_> = entries.collect();
    if entries.is_empty() { "-".to_owned() } else { entries.join(separator) }
}

/// Returns the text of a list of values with their counts, of which 0 is left out.
fn format_list<T: PartialEq>(
    values: impl IntoIterator<Item = (T, u32)>,
    table: &[(impl AsRef<str>, T)],
    separator: &str,
) -> String {
    let entries = values.into_iter().filter(|&(_, count)| count > 0).map(|(value, count)| {
        let suffix = if count == 1 { String::new() } else { format!("*{count}") };
        name_of(table, &value).to_owned() + &suffix
    });
    join(entries, separator)
}

/// Parses the text of [`format_list`] with at most `max` in all. The error is the wrong entry.
fn parse_list<'t, T: Copy>(
    text: &'t str,
    table: &[(impl AsRef<str>, T)],
    separator: &str,
    max: u32,
) -> Result<Entries<T>, &'t str> {
    let mut left = max;
    let mut parse = |entry: &str| {
        let (name, count) = entry.split_once('*').unwrap_or((entry, "1"));
        let count = count.parse().ok().filter(|&count| count > 0)?;
        left = left.checked_sub(count)?;
        Some((value_named(table, name)?, count))
    };
    let entries = text.split(separator).filter(|_| text != "-");
    entries.map(|entry| parse(entry).ok_or(entry)).collect()
}

/// The words of a position, which are written or read in their order.
#[derive(Debug)]
pub struct Words {
    seats: usize,
    /// The words still to be read; `None` while writing.
    rest: Option<IntoIter<String>>,
    written: String,
}

impl Words {
    /// A value with its own notation. The error of `read` is the wrong part.
    pub fn value<T>(
        &mut self,
        key: &str,
        value: T,
        write: impl FnOnce(&T) -> String,
        read: impl FnOnce(&str) -> Result<T, &str>,
        expected: impl Display,
    ) -> Expect<T> {
        let Some(rest) = &mut self.rest else {
            self.written += &format!(" {key}:{}", write(&value));
            return Ok(value);
        };
        let word = rest.next().unwrap_or_default();
        let text = word.strip_prefix(key).and_then(|rest| rest.strip_prefix(':'));
        let text = text.ok_or_else(|| format!("`{key}:` next"))?;
        read(text).map_err(|found| format!("`{key}:` with {expected}, not {found:?}"))
    }

    /// Returns true if the next word is read and has an entry.
    fn reads_entries(&self) -> bool {
        let next = self.rest.as_ref().and_then(|rest| rest.as_slice().first());
        next.is_some_and(|word| !word.ends_with(":-"))
    }

    /// A number.
    pub fn number<T: PartialOrd + Display + FromStr>(
        &mut self,
        key: &str,
        number: T,
        range: RangeInclusive<T>,
    ) -> Expect<T> {
        let expected = format_args!("a number from {} to {}", range.start(), range.end());
        let read = |text: &str| text.parse().ok().filter(|number| range.contains(number));
        self.value(key, number, T::to_string, |text| read(text).ok_or(text), expected)
    }

    /// A flag: 1 is true and 0 is false.
    pub fn flag(&mut self, key: &str, flag: bool) -> Expect<bool> {
        Ok(self.number(key, u8::from(flag), 0..=1)? == 1)
    }

    /// A seat.
    pub fn seat(&mut self, key: &str, seat: Seat) -> Expect<Seat> {
        self.number(key, seat.index(), 0..=self.seats - 1).map(Seat::new)
    }

    /// The word that begins the part of a seat.
    pub fn begin_seat(&mut self, seat: Seat) -> Expect {
        expect(self.seat("seat", seat)? == seat, format!("`seat:{seat}` next"))
    }

    /// A value in a table of names.
    pub fn named<T: Copy + PartialEq>(
        &mut self,
        key: &str,
        value: T,
        table: &[(impl AsRef<str>, T)],
    ) -> Expect<T> {
        self.value(
            key,
            value,
            |value| name_of(table, value).to_owned(),
            |text| value_named(table, text).ok_or(text),
            format_args!("one of {}", names(table)),
        )
    }

    /// Nothing, or one of `values`.
    pub fn optional<T: Copy>(
        &mut self,
        key: &str,
        value: Option<T>,
        values: impl Iterator<Item = T>,
        name: impl Fn(&T) -> String,
    ) -> Expect<Option<T>> {
        let names_matter = self.reads_entries();
        let table: Vec<_> =
            values.filter(|_| names_matter).map(|value| (name(&value), Some(value))).collect();
        self.value(
            key,
            value,
            |value| value.as_ref().map_or_else(|| "-".to_owned(), &name),
            |text| value_named(&table, text).or((text == "-").then_some(None)).ok_or(text),
            format_args!("`-` or one of {}", names(&table)),
        )
    }

    /// A list of values in a table of names with their counts, at most `max` in all.
    pub fn list<T: Copy + PartialEq>(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = (T, u32)>,
        table: &[(impl AsRef<str>, T)],
        max: u32,
    ) -> Expect<Entries<T>> {
        self.value(
            key,
            Vec::new(),
            |_| format_list(values, table, ","),
            |text| parse_list(text, table, ",", max),
            format_args!("up to {max} of {}", names(table)),
        )
    }

    /// A list of all values that occur, of which `items` has the name, the value and the count.
    /// Only the names that matter are made, because most of hundreds of counts are 0.
    pub fn counts<T: Copy + PartialEq>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = (impl Display, T, u32)>,
        max: u32,
    ) -> Expect<Entries<T>> {
        let (is_writing, all_matter) = (self.rest.is_none(), self.reads_entries());
        let items = items.into_iter();
        let items = items.filter(|&(.., count)| all_matter || is_writing && count > 0);
        let items = items.map(|(name, value, count)| ((name.to_string(), value), (value, count)));
        let (table, counts): (Vec<_>, Vec<_>) = items.unzip();
        self.list(key, counts, &table, max)
    }

    /// A set of small numbers with these names, as bits.
    pub fn set<B: Copy + Into<u64> + TryFrom<u64>>(
        &mut self,
        key: &str,
        set: B,
        names: impl Iterator<Item = (impl Display, usize)>,
    ) -> Expect<B> {
        let bits: u64 = set.into();
        let items = names.map(|(name, bit)| (name, bit, (bits >> bit & 1) as u32));
        let read = self.counts(key, items, u64::BITS)?;
        let bits = read.into_iter().fold(bits, |bits, (bit, _)| bits | 1 << bit);
        Ok(B::try_from(bits).unwrap_or(set))
    }

    /// A list of values in the table `outer`, each with a list of values in the table `inner`, as
    /// in `heart=white*2+purple`.
    pub fn contents<K: Copy + PartialEq, T: Copy + PartialEq>(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = (K, Entries<T>)>,
        outer: &[(impl AsRef<str>, K)],
        inner: &[(impl AsRef<str>, T)],
        max: u32,
    ) -> Expect<Vec<(K, Entries<T>)>> {
        let write = |(place, contents)| {
            format!("{}={}", name_of(outer, &place), format_list(contents, inner, "+"))
        };
        let mut left = outer.iter().map(|&(_, place)| place).collect::<Vec<_>>();
        let mut read = |entry: &str| {
            let (name, contents) = entry.split_once('=')?;
            let place = value_named(outer, name)?;
            left.swap_remove(left.iter().position(|&other| other == place)?);
            Some((place, parse_list(contents, inner, "+", max).ok()?))
        };
        self.value(
            key,
            Vec::new(),
            |_| join(values.into_iter().map(write), ","),
            |text| {
                let entries = text.split(',').filter(|_| text != "-");
                entries.map(|entry| read(entry).ok_or(entry)).collect()
            },
            format_args!(
                "{}, each once, then `=` and up to {max} of {}",
                names(outer),
                names(inner)
            ),
        )
    }
}
