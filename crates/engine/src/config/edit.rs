//! Changes of TOML files: single values, and entries of lists.
//!
//! Replacing a value leaves all other bytes unchanged, so that lines keep their numbers in later
//! error messages.
//!
//! The key of a value has dots between its parts. Entries of a list are named by their `id` or
//! `name`, if they have one, and otherwise by their number from 0: `cost = { wood = 2 }` under
//! `[[building]]` with `id = "w2"` is `building.w2.cost.wood`.

use std::ops::{Range, RangeInclusive};

use toml::{Table, Value};

use super::{
    ConfigError, Document,
    tree::{DataNode, ScalarType, join_key},
};

/// Number of existing keys that the message about an unknown key lists.
const SUGGESTIONS: usize = 3;

/// Keys that keep their values when an entry is replaced by another one.
const OWN_KEYS: [&str; 3] = ["id", "name", "copies"];

/// Number, boolean or string in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Key.
    pub key: String,
    /// Value, as TOML.
    pub value: String,
    pub(super) kind: ScalarType,
    pub(super) span: Range<usize>,
    /// Text before and after the value if the file does not have the key.
    pub(super) around: [String; 2],
}

impl Scalar {
    /// Parses values of the type of this one: `a,b,c`, or `a..b` for all integers from `a` to `b`,
    /// both included.
    ///
    /// # Errors
    /// Returns a message if a value has another type, or if there are more than `limit` values.
    pub fn parse_values(&self, text: &str, limit: usize) -> Result<Vec<String>, String> {
        let values = match (self.kind, text.split_once("..")) {
            (ScalarType::Integer, Some((first, last))) => {
                let bound = |text: &str| text.trim().parse::<i64>().ok();
                let range = bound(first).zip(bound(last)).filter(|(first, last)| first <= last);
                let (first, last) =
                    range.ok_or_else(|| format!("expected a range as in 0..4, found {text:?}"))?;
                (first..=last).take(limit + 1).map(|value| value.to_string()).collect()
            }
            _ => text
                .split(',')
                .map(|value| self.parse_value(value.trim()))
                .collect::<Result<Vec<_>, _>>()?,
        };
        if values.len() > limit {
            return Err(format!("expected at most {limit} values, found more"));
        }
        Ok(values)
    }

    fn parse_value(&self, text: &str) -> Result<String, String> {
        let (value, expected) = match self.kind {
            ScalarType::Integer => (text.parse().ok().map(Value::Integer), "an integer"),
            ScalarType::Float => (text.parse().ok().map(Value::Float), "a number"),
            ScalarType::Boolean => (text.parse().ok().map(Value::Boolean), "true or false"),
            ScalarType::String => (Some(Value::String(text.to_owned())), "a string"),
        };
        value
            .map(|value| value.to_string())
            .ok_or_else(|| format!("expected {expected}, found {text:?}"))
    }
}

impl Document {
    /// Returns the keys of all numbers, booleans and strings, with their values as TOML, in the
    /// order of the text.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn scalars(&self) -> Result<Vec<[String; 2]>, ConfigError> {
        let mut nodes = self.nodes()?;
        nodes.retain(|node| node.scalar.is_some());
        nodes.sort_by_key(|node| node.value_span.start);
        let scalar = |node: DataNode| [node.named_key, self.text[node.value_span].to_owned()];
        Ok(nodes.into_iter().map(scalar).collect())
    }

    /// Returns the keys that a pattern of a [`KeyInfo`](super::KeyInfo) stands for, for these
    /// numbers of players and the entries of the file.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn matching_keys(
        &self,
        pattern: &str,
        players: RangeInclusive<usize>,
    ) -> Result<Vec<String>, ConfigError> {
        if let Some((table, name)) = pattern.split_once("<players>") {
            let positions = players.flat_map(|players| {
                (0..players).map(move |position| (players, position.to_string()))
            });
            let mut keys: Vec<_> = positions
                .map(|(players, position)| {
                    format!("{table}{players}{}", name.replace("<entry>", &position))
                })
                .collect();
            keys.dedup();
            return Ok(keys);
        }
        let Some((list, name)) = pattern.split_once(".<entry>") else {
            return Ok(vec![pattern.to_owned()]);
        };
        let is_entry = |node: &DataNode| {
            let index = node.key.strip_prefix(list).and_then(|rest| rest.strip_prefix('['));
            index.is_some_and(|index| index.find(']') == Some(index.len() - 1))
        };
        let entries = self.nodes()?.into_iter().filter(is_entry);
        Ok(entries.map(|entry| format!("{}{name}", entry.named_key)).collect())
    }

    /// Returns the value with this key.
    ///
    /// # Errors
    /// Returns an error with the nearest keys if the text is not TOML, or has no number, boolean or
    /// string with this key.
    pub fn scalar(&self, key: &str) -> Result<Scalar, ConfigError> {
        let nodes = self.nodes()?;
        let scalars = || nodes.iter().filter_map(|node| Some((node, node.scalar?)));
        if let Some((node, kind)) = scalars().find(|(node, _)| node.named_key == key) {
            return Ok(Scalar {
                key: key.to_owned(),
                value: self.text[node.value_span.clone()].to_owned(),
                kind,
                span: node.value_span.clone(),
                around: Default::default(),
            });
        }
        let keys = || scalars().map(|(node, _)| node.named_key.as_str());
        let is_part =
            |other: &&str| other.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        let mut nearest: Vec<_> = keys().filter(is_part).collect();
        if nearest.is_empty() {
            nearest = keys().collect();
            nearest.sort_by_cached_key(|other| distance(other, key));
        }
        nearest.truncate(SUGGESTIONS);
        let message = format!(
            "expected the key of a number, boolean or string of the file; the nearest are `{}`",
            nearest.join("`, `")
        );
        Err(ConfigError::new(&self.name, key, message))
    }

    /// Returns the document with `scalar` replaced by `value`, which is TOML.
    #[must_use]
    pub fn with_value(&self, scalar: &Scalar, value: &str) -> Self {
        let (Range { start, end }, [before, after]) = (scalar.span.clone(), &scalar.around);
        Self {
            name: format!("{} with {} = {value}", self.name, scalar.key),
            text: format!("{}{before}{value}{after}{}", &self.text[..start], &self.text[end..]),
        }
    }

    /// Converts a key in which list entries have numbers to the form that [`Document::scalar`]
    /// reads, in which they are named by their `id` or `name`.
    pub fn key_with_names(&self, key: &str) -> String {
        let (named_key, rest) = match self.nearest_node(key) {
            Some(node) => (node.named_key, &key[node.key.len()..]),
            None => (String::new(), key),
        };
        let parts = rest.split(['.', '[', ']']).filter(|part| !part.is_empty());
        parts.fold(named_key, |key, part| join_key(&key, part))
    }

    /// Returns true if a list has an entry with this `id`.
    pub fn has_entry(&self, list: &str, id: &str) -> bool {
        self.table().is_ok_and(|mut file| find_entry(&mut file, list, id).is_some())
    }

    /// Returns the document without an entry. Comments are lost.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML or has no such entry.
    pub fn without_entry(&self, list: &str, id: &str) -> Result<Self, ConfigError> {
        let mut file = self.table()?;
        let (entries, index) = find_entry(&mut file, list, id)
            .ok_or_else(|| self.missing_entry(id, "an entry of a list"))?;
        entries.remove(index);
        Ok(self.rewritten(&file, &format!("{id} removed")))
    }

    /// Returns the document with an entry replaced by a copy of another entry of the same list. It
    /// keeps its `id` and number of copies. Comments are lost.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML or has no such entries.
    pub fn with_entry_replaced(
        &self,
        list: &str,
        id: &str,
        other: &str,
    ) -> Result<Self, ConfigError> {
        let mut file = self.table()?;
        let (entries, index) = find_entry(&mut file, list, id)
            .ok_or_else(|| self.missing_entry(id, "an entry of a list"))?;
        let found = entries.iter().find(|entry| has_id(entry, other)).cloned();
        let mut entry = found.ok_or_else(|| {
            self.missing_entry(other, &format!("an entry of the same list as `{id}`"))
        })?;
        if let (Value::Table(own), Value::Table(entry)) = (&entries[index], &mut entry) {
            for key in OWN_KEYS {
                entry.remove(key);
                entry.extend(own.get(key).map(|value| (key.to_owned(), value.clone())));
            }
        }
        entries[index] = entry;
        Ok(self.rewritten(&file, &format!("{id} as {other}")))
    }

    fn missing_entry(&self, id: &str, expected: &str) -> ConfigError {
        ConfigError::new(&self.name, id, format!("expected {expected}, by its `id`"))
    }

    fn rewritten(&self, file: &Table, change: &str) -> Self {
        Self { name: format!("{} with {change}", self.name), text: file.to_string() }
    }
}

/// Returns the edit distance between the requested key and a key or, if that is smaller, its end
/// with the same number of parts; then the distance of the whole key.
fn distance(key: &str, requested: &str) -> (usize, usize) {
    let whole = strsim::damerau_levenshtein(key, requested);
    let end = key.rmatch_indices('.').nth(requested.matches('.').count());
    let end = end.map(|(dot, _)| strsim::damerau_levenshtein(&key[dot + 1..], requested));
    (end.map_or(whole, |end| end.min(whole)), whole)
}

/// Returns the list that has an entry with this `id`, and the index of the entry. If several lists
/// have one, the list named `list` is preferred.
fn find_entry<'a>(
    file: &'a mut Table,
    list: &str,
    id: &str,
) -> Option<(&'a mut Vec<Value>, usize)> {
    let index_in = |value: &Value| {
        value.as_array().and_then(|entries| entries.iter().position(|entry| has_id(entry, id)))
    };
    let mut lists = file.get_key_value(list).into_iter().chain(file.iter());
    let (key, index) = lists.find_map(|(key, value)| Some((key, index_in(value)?)))?;
    let key = key.clone();
    Some((file.get_mut(&key)?.as_array_mut()?, index))
}

fn has_id(entry: &Value, id: &str) -> bool {
    entry.get("id").and_then(Value::as_str) == Some(id)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test stops here")]
mod tests {
    use super::*;

    fn document() -> Document {
        let text = r#"speed = 1.5 # a comment
name = 'A'
[[building]]
id = "w2"
cost = { wood = 2 }
[[building]]
id = "c2"
cost = { clay = 2 }
[rules]
steps = [1, 2]
open = true
"#;
        Document { name: "a.toml".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn replacing_a_value_changes_nothing_else() {
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
    fn error_about_an_unknown_key_lists_the_nearest_ones() {
        for (key, nearest) in [
            ("building.w2.cost.wod", "nearest are `building.w2.cost.wood`"),
            ("c2.cost.clay", "nearest are `building.c2.cost.clay`, "),
            ("building.w2", "nearest are `building.w2.cost.wood`, `building.w2.id`"),
        ] {
            let error = document().scalar(key).unwrap_err().to_string();
            assert!(error.contains(nearest), "{error}");
        }
    }

    #[test]
    fn keys_with_numbers_are_converted_to_names() {
        assert_eq!(document().key_with_names("building[1].cost.clay"), "building.c2.cost.clay");
        assert_eq!(document().key_with_names("rules.steps[1]"), "rules.steps.1");
        assert_eq!(document().key_with_names("building[7].cost"), "building.7.cost");
    }

    #[test]
    fn entries_are_removed_and_replaced() {
        let buildings = |document: &Document| -> Vec<String> {
            let file = document.table().unwrap();
            file["building"].as_array().unwrap().iter().map(Value::to_string).collect()
        };
        let document = document();
        assert!(document.has_entry("building", "w2") && document.has_entry("tile", "w2"));
        assert!(!document.has_entry("building", "A"));
        let without = document.without_entry("building", "w2").unwrap();
        assert_eq!(without.name, "a.toml with w2 removed");
        let other = r#"{ cost = { clay = 2 }, id = "c2" }"#;
        assert_eq!(buildings(&without), [other]);
        let replaced = document.with_entry_replaced("building", "w2", "c2").unwrap();
        assert_eq!(buildings(&replaced), [r#"{ cost = { clay = 2 }, id = "w2" }"#, other]);
        assert_eq!(
            document.without_entry("building", "w3").unwrap_err().to_string(),
            "a.toml: key `w3`: expected an entry of a list, by its `id`"
        );
        let unknown = document.with_entry_replaced("building", "w2", "w3").unwrap_err();
        assert!(unknown.to_string().contains("the same list as `w2`"));
    }

    #[test]
    fn values_of_another_type_are_refused() {
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
