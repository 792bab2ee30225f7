//! Values of a TOML text with their keys and positions.

use std::{borrow::Cow, ops::Range};

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

/// Lists all values of a table, each before its parts, and replaces their spans in the table: that
/// of the value with index `i` becomes the empty span at `first_span + i`. The value with index
/// `blank` becomes an empty string.
pub(super) fn collect_nodes(
    table: &mut DeTable<'_>,
    first_span: usize,
    blank: Option<usize>,
) -> Vec<DataNode> {
    let mut collector = Collector { first_span, blank, nodes: Vec::new() };
    collector.add_table(table, "", "");
    collector.nodes
}

/// Joins two parts of a key with a dot.
pub fn join_key(key: &str, part: &str) -> String {
    if key.is_empty() { part.to_owned() } else { format!("{key}.{part}") }
}

struct Collector {
    first_span: usize,
    blank: Option<usize>,
    nodes: Vec<DataNode>,
}

impl Collector {
    fn add_table(&mut self, table: &mut DeTable<'_>, key: &str, named_key: &str) {
        for (name, value) in table.iter_mut() {
            let part = name.get_ref();
            self.add(value, join_key(key, part), join_key(named_key, part), name.span());
        }
    }

    fn add(
        &mut self,
        value: &mut Spanned<DeValue<'_>>,
        key: String,
        named_key: String,
        key_span: Range<usize>,
    ) {
        let index = self.nodes.len();
        let start = self.first_span + index;
        let blank = DeValue::String(Cow::Borrowed(""));
        let original = std::mem::replace(value, Spanned::new(start..start, blank));
        let value_span = original.span();
        if self.blank != Some(index) {
            *value.get_mut() = original.into_inner();
        }
        let scalar = match value.get_ref() {
            DeValue::Integer(_) => Some(ScalarType::Integer),
            DeValue::Float(_) => Some(ScalarType::Float),
            DeValue::Boolean(_) => Some(ScalarType::Boolean),
            DeValue::String(_) => Some(ScalarType::String),
            DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
        };
        let (parent, named_parent) = (key.clone(), named_key.clone());
        self.nodes.push(DataNode { key, named_key, key_span, value_span, scalar });
        match value.get_mut() {
            DeValue::Table(table) => self.add_table(table, &parent, &named_parent),
            DeValue::Array(entries) => {
                for (index, entry) in entries.iter_mut().enumerate() {
                    let name = entry_name(entry.get_ref()).unwrap_or_else(|| index.to_string());
                    let span = entry.span();
                    let named_key = join_key(&named_parent, &name);
                    self.add(entry, format!("{parent}[{index}]"), named_key, span);
                }
            }
            _ => {}
        }
    }
}

fn entry_name(entry: &DeValue<'_>) -> Option<String> {
    let DeValue::Table(table) = entry else { return None };
    ["id", "name"].into_iter().find_map(|key| match table.get(key)?.get_ref() {
        DeValue::String(name) => Some(name.to_string()),
        _ => None,
    })
}
