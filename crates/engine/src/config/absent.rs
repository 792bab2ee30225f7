//! Integers that a TOML file does not have yet, such as those of an optional key.

use super::{
    Document,
    edit::Scalar,
    tree::{DataNode, ScalarType},
};

/// Maximum number of entries of a list with a new entry.
const MAX_ENTRIES: usize = 16;

impl Document {
    /// Returns an integer with this key that the file does not have and whose value is 0. With a
    /// value, its text adds all missing tables and lists to the part of the file that exists, as in
    /// `start = [{}, { food = 1 }]` for `setup.2.start.1.food`. A table for a number of players is
    /// added as `[setup.2]` at the end of the file. Returns `None` if the key has no place. Only
    /// the game knows if it accepts the key.
    pub fn absent_integer(&self, key: &str) -> Option<Scalar> {
        let nodes = self.nodes().ok()?;
        let parts: Vec<_> = key.split('.').collect();
        if !parts.iter().all(|part| is_bare(part)) {
            return None;
        }
        let existing = (1..parts.len()).rev().find_map(|length| {
            let parent = parts[..length].join(".");
            let node = nodes.iter().find(|node| node.named_key == parent)?;
            Some((node, &parts[length..]))
        });
        let Some((parent, missing)) = existing else { return self.in_new_table(key, &parts) };
        if parent.scalar.is_some() {
            return None;
        }
        let children = |separator: char| {
            nodes.iter().filter(move |node| {
                let rest = node.key.strip_prefix(&parent.key);
                rest.is_some_and(|rest| rest.starts_with(separator))
            })
        };
        let text = &self.text[parent.value_span.clone()];
        let entries = children('[').filter(|node| node.key.rfind('[') == Some(parent.key.len()));
        let entries = entries.filter(|node| node.key.ends_with(']')).count();
        let is_list = entries > 0 || text.starts_with('[') && is_empty(text);
        let (at, before, [opening, closing]) = if is_list {
            let padding = "{}, ".repeat(new_index(missing[0])?.checked_sub(entries)?);
            let separator = if is_empty(text) { "" } else { ", " };
            let before = format!("{separator}{padding}");
            (self.end_of_content(parent, ']')?, before, braces(&missing[1..])?)
        } else if text.starts_with('{') {
            let separator = if is_empty(text) { " " } else { ", " };
            let before = format!("{separator}{} = ", missing[0]);
            let [opening, closing] = braces(&missing[1..])?;
            let space = if is_empty(text) { " " } else { "" };
            (self.end_of_content(parent, '}')?, before, [opening, closing + space])
        } else if missing.len() == parts.len() - 1 && starts_with_digit(missing[0]) {
            return self.in_new_table(key, &parts);
        } else {
            let end = children('.').map(|node| node.value_span.end).max()?;
            let at = self.text[end..].find('\n').map_or(self.text.len(), |line| end + line);
            (at, format!("\n{} = ", missing[0]), braces(&missing[1..])?)
        };
        Some(Scalar {
            key: key.to_owned(),
            value: "0".to_owned(),
            kind: ScalarType::Integer,
            span: at..at,
            around: [before + &opening, closing],
        })
    }

    /// Returns an integer in a table that the file does not have, whose name is the first 2 parts
    /// of the key.
    fn in_new_table(&self, key: &str, parts: &[&str]) -> Option<Scalar> {
        let [table, entry, name, rest @ ..] = parts else { return None };
        let [opening, closing] = braces(rest)?;
        let end = self.text.trim_end().len();
        Some(Scalar {
            key: key.to_owned(),
            value: "0".to_owned(),
            kind: ScalarType::Integer,
            span: end..end,
            around: [format!("\n\n[{table}.{entry}]\n{name} = {opening}"), closing],
        })
    }

    /// Returns the position after the content of an inline table or a list.
    fn end_of_content(&self, node: &DataNode, closing: char) -> Option<usize> {
        let text = self.text[node.value_span.clone()].strip_suffix(closing)?;
        Some(node.value_span.start + text.trim_end().trim_end_matches(',').len())
    }
}

fn is_bare(part: &str) -> bool {
    let is_valid = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    !part.is_empty() && part.chars().all(is_valid)
}

fn starts_with_digit(part: &str) -> bool {
    part.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Returns true if a list or an inline table has no content.
fn is_empty(text: &str) -> bool {
    text.trim_matches(['[', ']', '{', '}']).trim().is_empty()
}

/// Returns the index of a new entry of a list.
fn new_index(part: &str) -> Option<usize> {
    part.parse().ok().filter(|&index| index < MAX_ENTRIES)
}

/// Returns the text before and after the value of a key in new tables and lists.
fn braces(parts: &[&str]) -> Option<[String; 2]> {
    let Some((part, rest)) = parts.split_first() else { return Some(Default::default()) };
    let [before, after] = braces(rest)?;
    if starts_with_digit(part) {
        let padding = "{}, ".repeat(new_index(part)?);
        Some([format!("[{padding}{before}"), format!("{after}]")])
    } else {
        Some([format!("{{ {part} = {before}"), format!("{after} }}")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn changed(text: &str, key: &str) -> Option<String> {
        let document = Document { name: "x.toml".to_owned(), text: text.to_owned() };
        let scalar = document.absent_integer(key)?;
        assert_eq!(scalar.value, "0");
        let changed = document.with_value(&scalar, "3");
        assert!(changed.scalar(key).is_ok_and(|found| found.value == "3"), "{}", changed.text);
        Some(changed.text)
    }

    #[test]
    fn missing_tables_and_lists_are_added() {
        const TABLE: &str = "[setup.2]\nfood = 3 # S\nspots = [1,\n  2] # R\n\n[x]\n";
        for (text, key, expected) in [
            (
                TABLE,
                "setup.2.start.1.food",
                "[setup.2]\nfood = 3 # S\nspots = [1,\n  2] # R\nstart = [{}, { food = 3 \
                 }]\n\n[x]\n",
            ),
            ("a = 1\n[b]\nc = 2", "b.d", "a = 1\n[b]\nc = 2\nd = 3"),
            ("b = { c = 2 }", "b.d", "b = { c = 2, d = 3 }"),
            ("[b]\ns = [{}, {}]", "b.s.1.food", "[b]\ns = [{}, { food = 3 }]"),
            ("[b]\ns = [{ x = 1 }]", "b.s.0.y", "[b]\ns = [{ x = 1, y = 3 }]"),
            ("[b]\ns = [{ x = 1 }, ]", "b.s.2.y", "[b]\ns = [{ x = 1 }, {}, { y = 3 }, ]"),
            ("[b]\ns = [ ]", "b.s.0.y", "[b]\ns = [{ y = 3 } ]"),
            (
                "a = 1\n",
                "setup.2.start.1.points",
                "a = 1\n\n[setup.2]\nstart = [{}, { points = 3 }]\n",
            ),
            (
                "[setup.2]\nx = 1\n",
                "setup.3.start.0.points",
                "[setup.2]\nx = 1\n\n[setup.3]\nstart = [{ points = 3 }]\n",
            ),
        ] {
            assert_eq!(changed(text, key).as_deref(), Some(expected), "{key}");
        }
    }

    #[test]
    fn keys_without_an_existing_part_are_not_added() {
        for key in ["c.d", "a.b", "b", "b.s.99.x", "b..x", "b.\"x\""] {
            assert_eq!(changed("a = 1\n[b]\ns = [{ x = 1 }]", key), None, "{key}");
        }
    }
}
