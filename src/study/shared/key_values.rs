//! Keys of the data file with the values that a study tries, as in `building.w2.points=2..4`.

use crate::{
    config::edit::Scalar,
    games::DataKey,
    run::validation::{validate_changed_data, validate_data},
    study::shared::prelude::*,
};

/// Maximum number of values of a key.
const MAX_VALUES: usize = 20;

/// A part of a key that stands for any name.
const ANY: &str = "*";

/// The prefix of values that are added to those of the file.
const ADDED: &str = "+=";

/// A key of the data file, or several keys that have the same value, with values that are tried.
#[derive(Clone, Debug)]
pub(crate) struct KeyValues {
    /// The keys, joined by `+`.
    pub(crate) key: String,
    scalars: Vec<Scalar>,
    /// The values in ascending order; one of them is that of the data file.
    pub(crate) values: Vec<i64>,
    /// The value of the data file.
    pub(crate) file_value: i64,
}

impl KeyValues {
    /// Reads the values of a flag, each a list of `KEY=VALUES` or `KEY+=VALUES` with commas between
    /// them. A key with `*` stands for all keys of the data file with any name there. Of such keys
    /// and of added values, those that the game rejects are left out.
    ///
    /// # Errors
    /// If there is no such key, if the game rejects a value, or if there are more than `limit`
    /// values.
    pub(crate) fn read_all(
        flag: &str,
        texts: &[String],
        selection: &GameSelection,
        limit: usize,
    ) -> anyhow::Result<Vec<Self>> {
        // An error in the file itself must not be reported as one of a value.
        validate_data(selection, &selection.document)?;
        let mut keys: Vec<Self> = Vec::new();
        for text in split_keys(texts) {
            let found = KeyPattern::parse(flag, &text)?.read(selection, limit)?;
            for key in found {
                let is_new = keys.iter().all(|other| other.key != key.key);
                ensure!(is_new, "{flag}: expected each key once, found `{}` twice", key.key);
                keys.push(key);
            }
        }
        let values: usize = keys.iter().map(|key| key.values.len()).sum();
        ensure!(
            values <= limit,
            "{flag}: expected at most {limit} values of all keys, found {values}"
        );
        Ok(keys)
    }

    /// Returns the values other than that of the data file.
    pub(crate) fn other_values(&self) -> impl Iterator<Item = i64> {
        self.values.iter().copied().filter(|value| *value != self.file_value)
    }

    /// Returns how many values lie between a value and that of the data file, itself included.
    pub(crate) fn steps(&self, value: i64) -> usize {
        let position = |value| self.values.iter().position(|other| *other == value).unwrap_or(0);
        position(value).abs_diff(position(self.file_value))
    }

    /// Returns the data file with this value of all keys.
    ///
    /// # Errors
    /// If the file has no such key.
    pub(crate) fn document(&self, file: &Document, value: i64) -> anyhow::Result<Document> {
        if value == self.file_value {
            return Ok(file.clone());
        }
        let text = value.to_string();
        let mut document = file.clone();
        for Scalar { key, .. } in &self.scalars {
            // The positions in the text change with each key.
            let scalar = document.scalar(key).ok().or_else(|| document.absent_integer(key));
            let scalar = scalar.ok_or_else(|| anyhow!("`{key}` can't be set"))?;
            document = document.with_value(&scalar, &text);
        }
        Ok(Document { name: format!("{} with {} = {value}", file.name, self.key), ..document })
    }
}

/// `KEY=VALUES` or `KEY+=VALUES`.
struct KeyPattern<'a> {
    flag: &'a str,
    key: &'a str,
    values: &'a str,
    /// True if the values are added to that of the data file.
    is_relative: bool,
}

impl<'a> KeyPattern<'a> {
    fn parse(flag: &'a str, text: &'a str) -> anyhow::Result<Self> {
        let (key, values) = text.split_once('=').ok_or_else(|| {
            anyhow!("{flag}: expected KEY=VALUES as in setup.2.start.1.food=0..3, found {text:?}")
        })?;
        let relative = key.strip_suffix('+');
        Ok(Self { flag, key: relative.unwrap_or(key), values, is_relative: relative.is_some() })
    }

    /// Returns the keys of the data file with their values.
    fn read(&self, selection: &GameSelection, limit: usize) -> anyhow::Result<Vec<KeyValues>> {
        let Self { flag, key, .. } = self;
        if !key.split('.').any(|part| part == ANY) {
            return Ok(vec![self.read_key(key, selection, false)?]);
        }
        let matching =
            selection.data_keys()?.into_iter().filter(|DataKey { key: name, value, .. }| {
                value.parse::<i64>().is_ok() && matches(key, name)
            });
        let matching: Vec<_> = matching.map(|found| found.key).collect();
        // Each value is checked, which takes time.
        ensure!(
            matching.len() <= limit,
            "{flag}: `{key}`: expected at most {limit} keys, found {}",
            matching.len()
        );
        let keys = matching.iter().map(|name| self.read_key(name, selection, true));
        let mut keys = keys.collect::<anyhow::Result<Vec<_>>>()?;
        keys.retain(|key| key.values.len() > 1);
        ensure!(
            !keys.is_empty(),
            "{flag}: `{key}`: expected keys with an integer and another valid value; `list keys` \
             has all keys"
        );
        Ok(keys)
    }

    /// Reads the values of a key.
    fn read_key(
        &self,
        key: &str,
        selection: &GameSelection,
        is_one_of_several: bool,
    ) -> anyhow::Result<KeyValues> {
        let flag = self.flag;
        let scalars = key.split('+').map(|key| selection.find_scalar(key));
        let scalars = scalars.collect::<Result<Vec<_>, _>>()?;
        let file_values: Vec<_> =
            scalars.iter().map(|scalar| scalar.value.parse::<i64>()).collect();
        let file_value = match &file_values[..] {
            [Ok(first), rest @ ..] if rest.iter().all(|other| other.as_ref() == Ok(first)) => {
                *first
            }
            [_] => bail!("{flag}: expected a key with an integer, found `{key}`"),
            _ => bail!("{flag}: expected keys with the same integer in the file, found `{key}`"),
        };
        let parsed = scalars[0].parse_values(self.values, MAX_VALUES);
        let parsed = parsed.map_err(|message| anyhow!("{flag}: `{key}`: {message}"))?;
        let parsed = parsed.iter().filter_map(|value| value.parse::<i64>().ok());
        let added = if self.is_relative { file_value } else { 0 };
        let mut values: Vec<i64> = parsed.map(|value| value.saturating_add(added)).collect();
        values.push(file_value);
        values.sort_unstable();
        values.dedup();
        let mut read = KeyValues { key: key.to_owned(), scalars, values, file_value };
        let is_valid = |value| {
            let document = read.document(&selection.document, value)?;
            validate_changed_data(selection, &document)
                .map_err(|reason| anyhow!("{flag}: {value}: {reason}"))
        };
        if is_one_of_several || self.is_relative {
            let valid = read.values.iter().copied().filter(|&value| is_valid(value).is_ok());
            read.values = valid.collect();
        } else {
            read.values.iter().try_for_each(|&value| is_valid(value))?;
        }
        ensure!(
            is_one_of_several || read.values.len() > 1,
            "{flag}: `{key}`: expected a value other than that of the file, {file_value}"
        );
        Ok(read)
    }
}

/// Returns true if the values of a key are those of a family: of all keys that match a pattern with
/// `*`, or of keys that are joined by `+`, or added to those of the file.
pub(crate) fn is_family(key: &str, values: &str) -> bool {
    key.contains('+') || key.split('.').any(|part| part == ANY) || values.starts_with(ADDED)
}

/// Returns the data file with each value of a family of keys, with the values as text. Values after
/// `+=` are added to those of the file.
///
/// # Errors
/// If no key with an integer matches, or if the game rejects a value.
pub(crate) fn documents_of_family(
    key: &str,
    values: &str,
    selection: &GameSelection,
    limit: usize,
) -> anyhow::Result<Vec<(String, Document)>> {
    let added = values.strip_prefix(ADDED);
    let is_pattern = key.split('.').any(|part| part == ANY);
    let names: Vec<_> = if is_pattern {
        let found = selection.data_keys()?.into_iter();
        let found = found.filter(|one| one.value.parse::<i64>().is_ok() && matches(key, &one.key));
        found.map(|one| one.key).collect()
    } else {
        key.split('+').map(str::to_owned).collect()
    };
    let Some(first) = names.first() else {
        bail!("--key: `{key}`: expected keys with an integer; `list keys` has all keys");
    };
    let values = selection.find_scalar(first)?.parse_values(added.unwrap_or(values), limit);
    let values = values.map_err(|message| anyhow!("--values: {message}"))?;
    let documents = values.iter().map(|text| {
        let number = text.parse::<i64>();
        let number = number.map_err(|_| anyhow!("--values: expected integers, found {text}"))?;
        let mut document = selection.document.clone();
        for name in &names {
            // The positions in the text change with each key.
            let scalar = document.scalar(name).ok().or_else(|| document.absent_integer(name));
            let scalar = scalar.with_context(|| format!("--key: `{name}` can't be set"))?;
            let old = scalar.value.parse::<i64>();
            let old = old.map_err(|_| anyhow!("--key: `{name}`: expected an integer"))?;
            let new = if added.is_some() { old.saturating_add(number) } else { number };
            document = document.with_value(&scalar, &new.to_string());
        }
        validate_changed_data(selection, &document)
            .map_err(|reason| anyhow!("--values: {text}: {reason}"))?;
        Ok((if added.is_some() { format!("{number:+}") } else { text.clone() }, document))
    });
    documents.collect()
}

/// Marks the lines that differ from the old text as reconstructed, with a note: all lines of keys
/// that are joined by `+`, and a line that was added.
pub(crate) fn mark_changed_lines(old: &str, new: &str, note: &str) -> String {
    let [old, new]: [Vec<_>; 2] = [old, new].map(|text| text.split_inclusive('\n').collect());
    let mut place = 0;
    let mark = |(index, line): (usize, &&str)| {
        if old.get(place) == Some(line) {
            place += 1;
            return (*line).to_owned();
        }
        // The old line follows an added one, and not a changed one.
        let added = (new.len() - index).saturating_sub(old.len() - place);
        let mut later = new[index + 1..].iter().take(added);
        if place < old.len() && !later.any(|later| *later == old[place]) {
            place += 1;
        }
        let code = line.trim_end_matches(['\r', '\n']);
        format!("{code}  # R  {note}{}", &line[code.len()..])
    };
    new.iter().enumerate().map(mark).collect()
}

/// Returns true if a key has the names of a pattern, in which `*` stands for any name.
fn matches(pattern: &str, key: &str) -> bool {
    let (mut pattern, mut key) = (pattern.split('.'), key.split('.'));
    loop {
        match (pattern.next(), key.next()) {
            (None, None) => return true,
            (Some(expected), Some(name)) if expected == ANY || expected == name => {}
            _ => return false,
        }
    }
}

/// Divides lists of `KEY=VALUES`, whose values may have commas too.
fn split_keys(texts: &[String]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for text in texts {
        let mut is_first = true;
        for part in text.split(',') {
            match keys.last_mut() {
                Some(last) if !is_first && !part.contains('=') => {
                    last.push(',');
                    last.push_str(part);
                }
                _ => keys.push(part.trim().to_owned()),
            }
            is_first = false;
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::{mark_changed_lines, matches, split_keys};

    #[test]
    fn commas_divide_keys_and_values() {
        let split = |texts: &[&str]| {
            split_keys(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(split(&["a=0..2,b=1,2"]), ["a=0..2", "b=1,2"]);
        assert_eq!(split(&["a=0,1", "b=3"]), ["a=0,1", "b=3"]);
        assert_eq!(split(&["a=0", "b"]), ["a=0", "b"]);
    }

    #[test]
    fn all_changed_lines_are_marked() {
        let marked = |new| mark_changed_lines("a = 1\nb = 2  # S\nc = 3\n", new, "x");
        let expected = "a = 1\nb = 4  # S  # R  x\nc = 5  # R  x\n";
        assert_eq!(marked("a = 1\nb = 4  # S\nc = 5\n"), expected);
        assert_eq!(
            marked("a = 1\nb = 2  # S\nd = 5\nc = 3\n"),
            "a = 1\nb = 2  # S\nd = 5  # R  x\nc = 3\n"
        );
        // Of two joined keys, one was absent.
        assert_eq!(
            marked("a = 5\nb = 2  # S\nd = 5\nc = 3\n"),
            "a = 5  # R  x\nb = 2  # S\nd = 5  # R  x\nc = 3\n"
        );
    }

    #[test]
    fn star_stands_for_one_name() {
        assert!(matches("building.*.points", "building.w2.points"));
        assert!(!matches("building.*.points", "building.w2.cost.wood"));
        assert!(!matches("building.*", "building.w2.points"));
        assert!(matches("building.*.cost.*", "building.w2.cost.wood"));
    }
}
