//! A game's data without one of its items, or with another in its place.

use anyhow::{Context as _, bail};
use toml::{Table, Value};

use crate::{
    config::Document,
    game::{Item, ItemTable},
};

/// Keys of an entry that stay as they are when it gets what another does.
const OWN_KEYS: [&str; 2] = ["id", "copies"];

/// A change of the data.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// The item, by its name.
    pub(super) item: String,
    /// What becomes of it, in words.
    pub(super) change: String,
    /// The data with it.
    pub(super) document: Document,
}

/// The data without this item, or with what the baseline does in its place.
pub(super) fn edit(document: &Document, tables: &[ItemTable], item: Item, baseline: Option<Item>) -> anyhow::Result<Edit> {
    let (singular, name) = name_of(tables, item);
    let mut data: Table = document.parse()?;
    let Some(entries) = entries_with(&mut data, singular, name) else {
        bail!("{}: expected an item that the data lists by its `id`, found `{name}`", document.name);
    };
    let place = entries.iter().position(|entry| id(entry) == Some(name)).unwrap_or(0);
    let change = if let Some(baseline) = baseline {
        let (_, baseline) = name_of(tables, baseline);
        let Some(found) = entries.iter().find(|entry| id(entry) == Some(baseline)).cloned() else {
            bail!("--baseline: expected an item of the same list as `{name}`, found `{baseline}`");
        };
        replace(&mut entries[place], found);
        format!("as {baseline}")
    } else {
        entries.remove(place);
        "removed".to_owned()
    };
    let text = toml::to_string(&data).with_context(|| document.name.clone())?;
    let document = Document { name: format!("{} with {name} {change}", document.name), text };
    Ok(Edit { item: name.to_owned(), change, document })
}

/// Whether the data lists this item by its `id`.
pub(super) fn is_listed(document: &Document, tables: &[ItemTable], item: Item) -> bool {
    let (singular, name) = name_of(tables, item);
    document.parse().is_ok_and(|mut data| entries_with(&mut data, singular, name).is_some())
}

/// The singular of an item's table, and its name.
fn name_of(tables: &[ItemTable], item: Item) -> (&str, &str) {
    let all = tables.iter().flat_map(|table| table.items.iter().map(|(name, _)| (table.singular, name.as_str())));
    all.into_iter().nth(item.0.into()).unwrap_or_default()
}

/// The list that has an entry of this `id`: the one named like the table, or the first.
fn entries_with<'a>(data: &'a mut Table, singular: &str, name: &str) -> Option<&'a mut Vec<Value>> {
    let has = |value: &Value| value.as_array().is_some_and(|entries| entries.iter().any(|entry| id(entry) == Some(name)));
    let key = if data.get(singular).is_some_and(has) { Some(singular) } else { None };
    let key = key.map(str::to_owned).or_else(|| data.iter().find(|(_, value)| has(value)).map(|(key, _)| key.clone()))?;
    data.get_mut(&key).and_then(Value::as_array_mut)
}

fn id(entry: &Value) -> Option<&str> {
    entry.get("id").and_then(Value::as_str)
}

/// Gives an entry all that another says but what is its own.
fn replace(entry: &mut Value, mut with: Value) {
    if let (Value::Table(own), Value::Table(with)) = (&*entry, &mut with) {
        for key in OWN_KEYS {
            with.remove(key);
            if let Some(value) = own.get(key) {
                with.insert(key.to_owned(), value.clone());
            }
        }
    }
    *entry = with;
}
