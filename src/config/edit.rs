//! Changing a TOML file: single values, and entries of lists.
//!
//! Where a value is replaced everything else stays as it is, to the byte, so that lines keep their
//! numbers. A value is named by its key: parts with dots between them, the entries of an array by
//! their `id` or `name` if they have one and by their number from 0 if not. So `cost = { wood = 2
//! }` under `[[building]]` with `id = "w2"` is `building.w2.cost.wood`.

use std::ops::Range;

use toml::{
    Spanned, Table, Value,
    de::{DeTable, DeValue},
};

use super::{ConfigError, Document};

/// How many keys are named to one who misspelt one.
const SUGGESTIONS: usize = 3;

/// Keys of an entry that stay its own when it gets what another says.
const OWN_KEYS: [&str; 2] = ["id", "copies"];

/// A number, boolean or text in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Its key.
    pub key: String,
    /// The value, as TOML.
    pub value: String,
    kind: Kind,
    at: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Integer,
    Float,
    Boolean,
    Text,
}

impl Scalar {
    /// Reads values that this one could have: `a,b,c`, or `a..b` for all integers from a to b, both
    /// included.
    ///
    /// # Errors
    /// If one is of another kind. The message says what was expected and what was found.
    pub fn parse_values(&self, text: &str, most: usize) -> Result<Vec<String>, String> {
        let values = match (self.kind, text.split_once("..")) {
            (Kind::Integer, Some((first, last))) => {
                let end = |text: &str| text.trim().parse::<i64>().ok();
                let range = end(first).zip(end(last)).filter(|(first, last)| first <= last);
                let (first, last) =
                    range.ok_or_else(|| format!("expected a range as in 0..4, found {text:?}"))?;
                (first..=last).take(most + 1).map(|value| value.to_string()).collect()
            }
            _ => text
                .split(',')
                .map(|value| self.parse_value(value.trim()))
                .collect::<Result<Vec<_>, _>>()?,
        };
        if values.len() > most {
            return Err(format!("expected at most {most} values, found more"));
        }
        Ok(values)
    }

    fn parse_value(&self, text: &str) -> Result<String, String> {
        let (value, expected) = match self.kind {
            Kind::Integer => (text.parse().ok().map(Value::Integer), "an integer"),
            Kind::Float => (text.parse().ok().map(Value::Float), "a number"),
            Kind::Boolean => (text.parse().ok().map(Value::Boolean), "true or false"),
            Kind::Text => (Some(Value::String(text.to_owned())), "a text"),
        };
        value
            .map(|value| value.to_string())
            .ok_or_else(|| format!("expected {expected}, found {text:?}"))
    }
}

impl Document {
    /// The value with this key.
    ///
    /// # Errors
    /// If the file is not TOML, or has no number, boolean or text with this key; then the message
    /// names the nearest keys.
    pub fn scalar(&self, key: &str) -> Result<Scalar, ConfigError> {
        let document = DeTable::parse(&self.text).map_err(|error| self.syntax_error(&error))?;
        let mut scalars = Vec::new();
        collect_table(&self.text, document.get_ref(), "", &mut scalars);
        if let Some(scalar) = scalars.iter().find(|scalar| scalar.key == key) {
            return Ok(scalar.clone());
        }
        let beneath = |scalar: &&Scalar| {
            scalar.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
        };
        let mut near: Vec<_> = scalars.iter().filter(beneath).collect();
        if near.is_empty() {
            near = scalars.iter().collect();
            near.sort_by_cached_key(|scalar| distance(&scalar.key, key));
        }
        let near: Vec<_> =
            near.iter().take(SUGGESTIONS).map(|scalar| format!("`{}`", scalar.key)).collect();
        let message = format!(
            "expected the key of a number, boolean or text of the file; the nearest are {}",
            near.join(", ")
        );
        Err(ConfigError { file: self.name.clone(), line: None, key: key.to_owned(), message })
    }

    /// The file with another value, written as TOML, in the place of one.
    #[must_use]
    pub fn with_value(&self, scalar: &Scalar, value: &str) -> Self {
        let Range { start, end } = scalar.at;
        Self {
            name: format!("{} with {} = {value}", self.name, scalar.key),
            text: format!("{}{value}{}", &self.text[..start], &self.text[end..]),
        }
    }
}

impl Document {
    /// The key of [`ConfigError::key`], in which entries of lists have numbers, as
    /// [`Document::scalar`] reads it: with their `id` or `name`.
    pub fn key_with_names(&self, key: &str) -> String {
        let Ok(document) = DeTable::parse(&self.text) else { return key.to_owned() };
        let root = DeValue::Table(document.into_inner());
        let mut value = Some(&root);
        let mut named = String::new();
        for part in key.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
            let (name, next) = match value {
                Some(DeValue::Array(entries)) => {
                    let entry = part
                        .parse::<usize>()
                        .ok()
                        .and_then(|index| entries.get(index))
                        .map(Spanned::get_ref);
                    (entry.and_then(entry_name), entry)
                }
                Some(DeValue::Table(table)) => (
                    None,
                    table
                        .iter()
                        .find(|(name, _)| name.get_ref() == part)
                        .map(|(_, value)| value.get_ref()),
                ),
                _ => (None, None),
            };
            named = joined(&named, name.as_deref().unwrap_or(part));
            value = next;
        }
        named
    }
}

/// The number of letters by which a key differs from one that is asked for, or from its end where
/// the beginning was left out; keys whose whole end is what was asked for come first.
fn distance(key: &str, asked: &str) -> (usize, usize) {
    let whole = strsim::damerau_levenshtein(key, asked);
    let parts = asked.matches('.').count();
    let end = key
        .rmatch_indices('.')
        .nth(parts)
        .map(|(dot, _)| strsim::damerau_levenshtein(&key[dot + 1..], asked));
    (end.map_or(whole, |end| end.min(whole)), whole)
}

/// Entries of lists, known by their `id`. Several lists may have an entry of the same `id`; the one
/// of the name that is given goes first.
impl Document {
    /// Whether a list has such an entry.
    pub fn has_entry(&self, list: &str, id: &str) -> bool {
        self.parse().is_ok_and(|mut file| entries_with(&mut file, list, id).is_some())
    }

    /// The file without an entry. Its comments are lost.
    ///
    /// # Errors
    /// If the file is not TOML or has no such entry.
    pub fn without_entry(&self, list: &str, id: &str) -> Result<Self, ConfigError> {
        let mut file = self.parse()?;
        let (entries, place) = entries_with(&mut file, list, id)
            .ok_or_else(|| self.unlisted(id, "an entry of a list"))?;
        entries.remove(place);
        Ok(self.rewritten(&file, &format!("{id} removed")))
    }

    /// The file with all that another entry of the same list says in the place of what an entry
    /// says, but for its `id` and number of copies. Its comments are lost.
    ///
    /// # Errors
    /// If the file is not TOML or has no such entries.
    pub fn with_entry_replaced(
        &self,
        list: &str,
        id: &str,
        other: &str,
    ) -> Result<Self, ConfigError> {
        let mut file = self.parse()?;
        let (entries, place) = entries_with(&mut file, list, id)
            .ok_or_else(|| self.unlisted(id, "an entry of a list"))?;
        let found = entries.iter().find(|entry| has_id(entry, other)).cloned();
        let mut entry = found
            .ok_or_else(|| self.unlisted(other, &format!("an entry of the same list as `{id}`")))?;
        if let (Value::Table(own), Value::Table(entry)) = (&entries[place], &mut entry) {
            for key in OWN_KEYS {
                entry.remove(key);
                entry.extend(own.get(key).map(|value| (key.to_owned(), value.clone())));
            }
        }
        entries[place] = entry;
        Ok(self.rewritten(&file, &format!("{id} as {other}")))
    }

    fn unlisted(&self, id: &str, expected: &str) -> ConfigError {
        let message = format!("expected {expected}, by its `id`");
        ConfigError { file: self.name.clone(), line: None, key: id.to_owned(), message }
    }

    fn rewritten(&self, file: &Table, change: &str) -> Self {
        Self { name: format!("{} with {change}", self.name), text: file.to_string() }
    }
}

/// The list that has an entry of this `id`, the one of this name or else the first, and the entry's
/// place in it.
fn entries_with<'a>(
    file: &'a mut Table,
    list: &str,
    id: &str,
) -> Option<(&'a mut Vec<Value>, usize)> {
    let place = |value: &Value| {
        value.as_array().and_then(|entries| entries.iter().position(|entry| has_id(entry, id)))
    };
    let named = file.get(list).and_then(place).map(|place| (list.to_owned(), place));
    let (key, place) = named
        .or_else(|| file.iter().find_map(|(key, value)| Some((key.clone(), place(value)?))))?;
    Some((file.get_mut(&key)?.as_array_mut()?, place))
}

fn has_id(entry: &Value, id: &str) -> bool {
    entry.get("id").and_then(Value::as_str) == Some(id)
}

fn collect_table(text: &str, table: &DeTable<'_>, key: &str, found: &mut Vec<Scalar>) {
    for (name, value) in table {
        collect(text, value, &joined(key, name.get_ref()), found);
    }
}

fn collect(text: &str, value: &Spanned<DeValue<'_>>, key: &str, found: &mut Vec<Scalar>) {
    let kind = match value.get_ref() {
        DeValue::Table(table) => return collect_table(text, table, key, found),
        DeValue::Array(array) => {
            for (index, entry) in array.iter().enumerate() {
                let name = entry_name(entry.get_ref()).unwrap_or_else(|| index.to_string());
                collect(text, entry, &joined(key, &name), found);
            }
            return;
        }
        DeValue::Datetime(_) => return,
        DeValue::Integer(_) => Kind::Integer,
        DeValue::Float(_) => Kind::Float,
        DeValue::Boolean(_) => Kind::Boolean,
        DeValue::String(_) => Kind::Text,
    };
    found.push(Scalar {
        key: key.to_owned(),
        value: text[value.span()].to_owned(),
        kind,
        at: value.span(),
    });
}

fn joined(key: &str, part: &str) -> String {
    if key.is_empty() { part.to_owned() } else { format!("{key}.{part}") }
}

fn entry_name(entry: &DeValue<'_>) -> Option<String> {
    let DeValue::Table(table) = entry else { return None };
    ["id", "name"].into_iter().find_map(|key| {
        match table.iter().find(|(name, _)| name.get_ref() == key)?.1.get_ref() {
            DeValue::String(name) => Some(name.to_string()),
            _ => None,
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
mod tests {
    use super::*;

    fn document() -> Document {
        let text = "speed = 1.5 # a comment\nname = 'A'\n[[building]]\nid = \"w2\"\ncost = { wood \
                    = 2 }\n[[building]]\nid = \"c2\"\ncost = { clay = 2 }\n[rules]\nsteps = [1, \
                    2]\nopen = true\n";
        Document { name: "a.toml".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn one_value_is_replaced_and_nothing_else() {
        let document = document();
        let changed = |key: &str, value: &str| {
            document.with_value(&document.scalar(key).unwrap(), value).text
        };
        assert_eq!(
            changed("building.c2.cost.clay", "13"),
            document.text.replace("clay = 2", "clay = 13")
        );
        assert_eq!(changed("speed", "2.0"), document.text.replace("1.5", "2.0"));
        assert_eq!(changed("rules.steps.1", "7"), document.text.replace("[1, 2]", "[1, 7]"));
        assert_eq!(changed("name", "\"B\""), document.text.replace("'A'", "\"B\""));
        assert_eq!(document.scalar("building.w2.cost.wood").unwrap().value, "2");
    }

    #[test]
    fn a_key_that_is_not_there_brings_the_nearest() {
        let error = |key: &str| document().scalar(key).unwrap_err().to_string();
        assert!(
            error("building.w2.cost.wod").contains("the nearest are `building.w2.cost.wood`"),
            "{}",
            error("building.w2.cost.wod")
        );
        assert!(
            error("c2.cost.clay").contains("the nearest are `building.c2.cost.clay`, "),
            "{}",
            error("c2.cost.clay")
        );
        assert!(
            error("building.w2").contains("nearest are `building.w2.cost.wood`, `building.w2.id`"),
            "{}",
            error("building.w2")
        );
    }

    #[test]
    fn a_key_with_numbers_is_written_with_names() {
        assert_eq!(document().key_with_names("building[1].cost.clay"), "building.c2.cost.clay");
        assert_eq!(document().key_with_names("rules.steps[1]"), "rules.steps.1");
        assert_eq!(document().key_with_names("building[7].cost"), "building.7.cost");
    }

    #[test]
    fn entries_are_removed_and_replaced() {
        let building = |document: Document, place: usize| {
            document.parse::<Table>().unwrap()["building"].as_array().unwrap().get(place).cloned()
        };
        assert!(
            document().has_entry("building", "w2")
                && document().has_entry("tile", "w2")
                && !document().has_entry("building", "A")
        );
        let without = document().without_entry("building", "w2").unwrap();
        assert_eq!(without.name, "a.toml with w2 removed");
        assert_eq!(
            (building(without.clone(), 0), building(without, 1)),
            (building(document(), 1), None)
        );
        let replaced = document().with_entry_replaced("building", "w2", "c2").unwrap();
        assert_eq!(
            building(replaced.clone(), 0).unwrap().to_string(),
            "{ cost = { clay = 2 }, id = \"w2\" }"
        );
        assert_eq!(building(replaced, 1), building(document(), 1));
        assert_eq!(
            document().without_entry("building", "w3").unwrap_err().to_string(),
            "a.toml: key `w3`: expected an entry of a list, by its `id`"
        );
        assert!(
            document()
                .with_entry_replaced("building", "w2", "w3")
                .unwrap_err()
                .to_string()
                .contains("the same list as `w2`")
        );
    }

    #[test]
    fn values_are_of_the_kind_that_is_there() {
        let values = |key: &str, text: &str| document().scalar(key).unwrap().parse_values(text, 5);
        let texts = |values: &[&str]| Ok(values.iter().map(|&value| value.to_owned()).collect());
        assert_eq!(values("rules.steps.0", "-1..1"), texts(&["-1", "0", "1"]));
        assert_eq!(values("rules.steps.0", "4, 2"), texts(&["4", "2"]));
        assert_eq!(values("speed", "1,0.25"), texts(&["1.0", "0.25"]));
        assert_eq!(values("rules.open", "false"), texts(&["false"]));
        assert_eq!(values("name", "a..b,c"), texts(&["\"a..b\"", "\"c\""]));
        for (key, text, message) in [
            ("rules.steps.0", "0..5", "at most 5"),
            ("rules.steps.0", "0..9223372036854775807", "at most 5"),
            ("rules.steps.0", "2..1", "a range as in 0..4"),
            ("rules.steps.0", "two", "an integer, found \"two\""),
            ("speed", "fast", "a number"),
            ("rules.open", "1", "true or false"),
        ] {
            assert!(values(key, text).is_err_and(|error| error.contains(message)), "{key} {text}");
        }
    }
}
