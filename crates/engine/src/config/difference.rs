//! Differences between two TOML files.

use toml::{Table, Value};

use super::{ConfigError, Document, tree::join_key};

/// Difference between two files in one value, or in an entry that only one of them has.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Difference {
    /// Key, with list entries named as in [`super::edit`].
    pub key: String,
    /// Value in the old file, as TOML; `None` if the old file does not have it.
    pub old: Option<String>,
    /// Value in the new file, as TOML; `None` if the new file does not have it.
    pub new: Option<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => write!(f, "{}: {old} → {new}", self.key),
            (None, Some(new)) => write!(f, "{}: added, {new}", self.key),
            (Some(old), None) => write!(f, "{}: removed, {old}", self.key),
            (None, None) => write!(f, "{}", self.key),
        }
    }
}

impl Document {
    /// Returns the differences between an old document and this one, by key. Layout and comments
    /// are ignored. List entries with an `id` or a `name` are compared by name, so that their order
    /// is ignored, and others by position.
    ///
    /// # Errors
    /// Returns an error if a text is not TOML.
    pub fn differences_from(&self, old: &Self) -> Result<Vec<Difference>, ConfigError> {
        let (old, new) = (old.table()?, self.table()?);
        let mut differences = Vec::new();
        compare_tables(&old, &new, "", &mut differences);
        Ok(differences)
    }
}

fn compare_tables(old: &Table, new: &Table, key: &str, differences: &mut Vec<Difference>) {
    let old_entries = old.iter().map(|(name, value)| (name.clone(), value));
    let new_entries = new.iter().map(|(name, value)| (name.clone(), value));
    compare_entries(
        &old_entries.collect::<Vec<_>>(),
        &new_entries.collect::<Vec<_>>(),
        key,
        differences,
    );
}

fn compare_entries(
    old: &[(String, &Value)],
    new: &[(String, &Value)],
    key: &str,
    differences: &mut Vec<Difference>,
) {
    for (name, value) in old {
        compare(Some(value), find(new, name), &join_key(key, name), differences);
    }
    for (name, value) in new {
        if find(old, name).is_none() {
            compare(None, Some(value), &join_key(key, name), differences);
        }
    }
}

fn find<'a>(entries: &[(String, &'a Value)], name: &str) -> Option<&'a Value> {
    entries.iter().find_map(|&(ref other, value)| (other == name).then_some(value))
}

fn compare(old: Option<&Value>, new: Option<&Value>, key: &str, differences: &mut Vec<Difference>) {
    match (old, new) {
        (Some(Value::Table(old)), Some(Value::Table(new))) => {
            compare_tables(old, new, key, differences);
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            compare_entries(&named_entries(old), &named_entries(new), key, differences);
        }
        _ if old != new => differences.push(Difference {
            key: key.to_owned(),
            old: old.map(Value::to_string),
            new: new.map(Value::to_string),
        }),
        _ => {}
    }
}

/// Names the entries of a list by their `id` or `name`, or by their position.
fn named_entries(entries: &[Value]) -> Vec<(String, &Value)> {
    let name = |entry: &Value| {
        let name = entry.get("id").or_else(|| entry.get("name"))?;
        name.as_str().map(ToOwned::to_owned)
    };
    let entries = entries.iter().enumerate();
    entries
        .map(|(index, entry)| (name(entry).unwrap_or_else(|| index.to_string()), entry))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test stops here")]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_key() {
        let document = |text: &str| Document { name: "a.toml".to_owned(), text: text.to_owned() };
        let old = document(
            "[rules]\nsteps = [1, 2]\nlimit = 3 # a comment\n[[tile]]\nid = \"a\"\n\
             cost = { wood = 1 }\n[[tile]]\nid = \"b\"\n",
        );
        let new = document(
            "[[tile]]\nid = \"c\"\n[[tile]]\nid = \"a\"\ncost = { wood = 2, clay = 1 }\n\
             [rules]\nsteps = [1, 4]\nlimit = 3\n",
        );
        let texts: Vec<_> =
            new.differences_from(&old).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "rules.steps.1: 2 → 4",
                "tile.a.cost.wood: 1 → 2",
                "tile.a.cost.clay: added, 1",
                "tile.b: removed, { id = \"b\" }",
                "tile.c: added, { id = \"c\" }",
            ]
        );
        assert_eq!(old.differences_from(&old).unwrap(), []);
    }
}
