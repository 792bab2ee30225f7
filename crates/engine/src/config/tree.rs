//! Values of a TOML text with their keys and positions.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Value of a TOML text.
pub(super) struct DataNode {
    /// Key in which list entries are counted from 0, as in `tile[0].copies`.
    pub(super) key: String,
    /// Key in which list entries are named by their `id` or `name`, if they have one.
    pub(super) named_key: String,
    /// Position of the key, or of the value if it is an entry of a list.
    pub(super) key_span: Range<usize>,
    /// Position of the value.
    pub(super) value_span: Range<usize>,
    /// Type, if it is a number, boolean or string.
    pub(super) scalar: Option<ScalarType>,
}

/// Type of a single value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScalarType {
    Integer,
    Float,
    Boolean,
    String,
}

/// Lists all values of a table, each before its parts.
pub(super) fn collect_nodes(table: &DeTable<'_>) -> Vec<DataNode> {
    let mut nodes = Vec::new();
    add_table(&mut nodes, table, "", "");
    nodes
}

/// Joins two parts of a key with a dot.
pub fn join_key(key: &str, part: &str) -> String {
    if key.is_empty() { part.to_owned() } else { format!("{key}.{part}") }
}

fn add_table(nodes: &mut Vec<DataNode>, table: &DeTable<'_>, key: &str, named_key: &str) {
    for (name, value) in table {
        let part = name.get_ref();
        add_value(nodes, value, [join_key(key, part), join_key(named_key, part)], name.span());
    }
}

fn add_value(
    nodes: &mut Vec<DataNode>,
    value: &Spanned<DeValue<'_>>,
    [key, named_key]: [String; 2],
    key_span: Range<usize>,
) {
    let scalar = match value.get_ref() {
        DeValue::Integer(_) => Some(ScalarType::Integer),
        DeValue::Float(_) => Some(ScalarType::Float),
        DeValue::Boolean(_) => Some(ScalarType::Boolean),
        DeValue::String(_) => Some(ScalarType::String),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    };
    let (parent, named_parent) = (key.clone(), named_key.clone());
    nodes.push(DataNode { key, named_key, key_span, value_span: value.span(), scalar });
    match value.get_ref() {
        DeValue::Table(table) => add_table(nodes, table, &parent, &named_parent),
        DeValue::Array(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                let name = entry_name(entry.get_ref()).unwrap_or_else(|| index.to_string());
                let keys = [format!("{parent}[{index}]"), join_key(&named_parent, &name)];
                add_value(nodes, entry, keys, entry.span());
            }
        }
        _ => {}
    }
}

fn entry_name(entry: &DeValue<'_>) -> Option<String> {
    let DeValue::Table(table) = entry else { return None };
    ["id", "name"].into_iter().find_map(|key| match table.get(key)?.get_ref() {
        DeValue::String(name) => Some(name.to_string()),
        _ => None,
    })
}
