//! Changes of the components of a version of a game: copies of components, and removed ones.

use toml::{Table, Value};

use crate::config::{ConfigError, Document, entries::EditedEntry};

/// The value of an edit that removes a component.
const REMOVE: &str = "remove";
/// The beginning of the value of an edit that adds a copy of a component.
const COPY: &str = "copy of ";

/// Returns true if an edit adds or removes a component: `remove`, or as in `copy of w2c1`.
pub(super) fn is_component_edit(value: &str) -> bool {
    value == REMOVE || value.starts_with(COPY)
}

/// Returns the key of the component with a value, as in `building.w2c1`; `None` if the value is not
/// that of an entry of a list with an `id`.
pub(super) fn component_of<'a>(file: &Table, key: &'a str) -> Option<&'a str> {
    let (list, rest) = key.split_once('.')?;
    let (id, _) = rest.split_once('.')?;
    position(entries(file, list), id).map(|_| &key[..list.len() + 1 + id.len()])
}

/// Returns the data file with a component added or removed. `key` has the list and the `id`, and
/// `value` is that of [`is_component_edit`].
///
/// # Errors
/// Returns an error if the file has no such component.
pub(super) fn edit_component(
    document: &Document,
    key: &str,
    value: &str,
) -> Result<Document, ConfigError> {
    let file = document.table()?;
    let (list, id) = key.split_once('.').unwrap_or((key, ""));
    let old = entries(&file, list);
    let find = |id: &str| {
        let message = || format!("expected the `id` of an entry of `{list}`, found {id:?}");
        position(old, id).ok_or_else(|| ConfigError::new(&document.name, key, message()))
    };
    let entry = |(index, entry): (usize, &Value)| {
        let values = entry.as_table().cloned().unwrap_or_default();
        EditedEntry { index: Some(index), values, comment: None }
    };
    let mut edited: Vec<_> = old.iter().enumerate().map(entry).collect();
    match value.strip_prefix(COPY) {
        None => drop(edited.remove(find(id)?)),
        Some(source) => {
            let mut values = edited[find(source)?].values.clone();
            values.insert("id".to_owned(), id.into());
            if let Some(Value::String(name)) = values.get_mut("name") {
                name.push_str(" (copy)");
            }
            edited.push(EditedEntry { index: None, values, comment: None });
        }
    }
    document.with_entries(list, &edited)
}

fn entries<'a>(file: &'a Table, list: &str) -> &'a [Value] {
    file.get(list).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn position(entries: &[Value], id: &str) -> Option<usize> {
    entries.iter().position(|entry| entry.get("id").and_then(Value::as_str) == Some(id))
}
