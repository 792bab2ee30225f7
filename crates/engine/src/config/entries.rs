//! Changes of the entries of a list, which leave all other text as it is.

use std::ops::Range;

use toml::{Table, Value};

use super::{ConfigError, Document, tree::DataNode};

/// Entry of a list in a changed document.
#[derive(Clone, Debug)]
pub struct EditedEntry {
    /// Index of the entry in the document; `None` for a new entry.
    pub index: Option<usize>,
    /// All values of the entry.
    pub values: Table,
    /// Comment after the heading, in the place of all comments after values; `None` keeps them.
    pub comment: Option<String>,
}

/// Places of an entry in a text.
struct EntryPlace<'a> {
    /// The heading, such as `[[tile]]`.
    heading: Range<usize>,
    /// The values with their keys.
    values: Vec<(&'a str, &'a DataNode)>,
    /// The end of the line with the last value.
    end: usize,
}

impl Document {
    /// Returns the document with other entries of a list. The entries that it has keep their order,
    /// their comments and the text of unchanged values; new entries follow them. If the list is not
    /// written as one `[[list]]` for each entry, all comments are lost.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn with_entries(&self, list: &str, entries: &[EditedEntry]) -> Result<Self, ConfigError> {
        let mut ordered: Vec<_> = entries.iter().collect();
        ordered.sort_by_key(|entry| entry.index.unwrap_or(usize::MAX));
        let mut file = self.table()?;
        let old = file.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        let wanted = ordered.iter().map(|entry| entry.values.clone().into()).collect();
        file.insert(list.to_owned(), Value::Array(wanted));
        let edited = self
            .edited_text(list, &old, &ordered)?
            .map(|text| Self { name: self.name.clone(), text });
        let edited = edited.filter(|edited| edited.table().as_ref() == Ok(&file));
        Ok(edited.unwrap_or_else(|| Self { name: self.name.clone(), text: file.to_string() }))
    }

    /// Returns the text with these entries; `None` if a heading is not found.
    fn edited_text(
        &self,
        list: &str,
        old: &[Value],
        entries: &[&EditedEntry],
    ) -> Result<Option<String>, ConfigError> {
        let nodes = self.nodes()?;
        let places = (0..old.len()).map(|index| self.entry_place(&nodes, list, index));
        let Some(places) = places.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let end = places.last().map_or(self.text.len(), |place| place.end);
        let mut edits = Vec::new();
        for (index, place) in places.iter().enumerate() {
            match entries.iter().find(|entry| entry.index == Some(index)) {
                Some(entry) => self.edit_entry(place, &old[index], entry, &mut edits),
                None => edits.push((place.heading.start..place.end + 1, String::new())),
            }
        }
        let added = entries.iter().filter(|entry| entry.index.is_none());
        edits.push((end..end, added.map(|entry| new_entry(list, entry)).collect()));
        edits.sort_by_key(|(range, _)| range.start);
        let mut text = self.text.clone();
        for (Range { start, end }, replacement) in edits.into_iter().rev() {
            text.replace_range(start..end.min(text.len()), &replacement);
        }
        Ok(Some(text))
    }

    /// Finds an entry below its heading.
    fn entry_place<'a>(
        &self,
        nodes: &'a [DataNode],
        list: &str,
        index: usize,
    ) -> Option<EntryPlace<'a>> {
        let prefix = format!("{list}[{index}].");
        let own = |node: &'a DataNode| Some((node.key.strip_prefix(&prefix)?, node));
        let values = nodes.iter().filter_map(own).filter(|(key, _)| !key.contains(['.', '[']));
        let values: Vec<_> = values.collect();
        let first = values.iter().map(|(_, node)| node.key_span.start).min()?;
        let last = values.iter().map(|(_, node)| node.value_span.end).max()?;
        let heading = format!("[[{list}]]");
        let start = self.text[..first].rfind(&heading)?;
        let heading = start..start + heading.len();
        Some(EntryPlace { heading, values, end: self.line_end(last) })
    }

    /// Adds the changes of the text of an entry.
    fn edit_entry(
        &self,
        place: &EntryPlace<'_>,
        old: &Value,
        entry: &EditedEntry,
        edits: &mut Vec<(Range<usize>, String)>,
    ) {
        let after = |position: usize| position..self.line_end(position);
        if let Some(comment) = &entry.comment {
            edits.push((after(place.heading.end), format!("  # {comment}")));
        }
        for (key, node) in &place.values {
            let Range { start, end } = node.value_span.clone();
            match entry.values.get(*key) {
                None => {
                    let line = self.text[..node.key_span.start].rfind('\n').map_or(0, |at| at + 1);
                    edits.push((line..self.line_end(end) + 1, String::new()));
                    continue;
                }
                Some(value) if old.get(*key) != Some(value) => {
                    edits.push((start..end, value.to_string()));
                }
                Some(_) => {}
            }
            if entry.comment.is_some() {
                edits.push((after(end), String::new()));
            }
        }
        let added = entry.values.iter().filter(|(key, _)| old.get(key).is_none());
        let added: String = added.map(|(key, value)| format!("\n{key} = {value}")).collect();
        edits.push((place.end..place.end, added));
    }

    /// Returns the end of the line with a position.
    fn line_end(&self, position: usize) -> usize {
        self.text[position..].find('\n').map_or(self.text.len(), |line| position + line)
    }
}

/// Returns the text of a new entry, which begins a line. Its names come first.
fn new_entry(list: &str, EditedEntry { values, comment, .. }: &EditedEntry) -> String {
    let comment = comment.as_ref().map(|comment| format!("  # {comment}")).unwrap_or_default();
    let mut values: Vec<_> = values.iter().collect();
    values.sort_by_key(|(key, _)| (*key != "id", *key != "name"));
    let values = values.into_iter().map(|(key, value)| format!("\n{key} = {value}"));
    format!("\n[[{list}]]{comment}{}", values.collect::<String>())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test stops here")]
mod tests {
    use super::*;

    const TEXT: &str = "a = 1\n# cards: R\n[[card]]\nid = \"x\" # S\npoints = 2 # I\n\
                        cost = { wood = 1 }\n# more\n[[card]]\nid = \"y\"\n[b]\n";

    fn edited(text: &str, entries: &[(Option<usize>, &str, Option<&str>)]) -> String {
        let document = Document { name: "a.toml".to_owned(), text: text.to_owned() };
        let entry = |&(index, values, comment): &(Option<usize>, &str, Option<&str>)| EditedEntry {
            index,
            values: values.parse().unwrap(),
            comment: comment.map(str::to_owned),
        };
        let entries: Vec<_> = entries.iter().map(entry).collect();
        document.with_entries("card", &entries).unwrap().text
    }

    #[test]
    fn only_changed_values_change_their_text() {
        let x = "id = 'x'\npoints = 2\ncost = { wood = 1 }";
        assert_eq!(edited(TEXT, &[(Some(1), "id = 'y'", None), (Some(0), x, None)]), TEXT);
        let changed = "id = 'x'\npoints = 3\nextra = 1";
        let new = "n = 1\nid = 'new'";
        let expected = "a = 1\n# cards: R\n[[card]]\nid = \"x\" # S\npoints = 3 # I\nextra = 1\n\
                        # more\n[[card]]  # S\nid = \"new\"\nn = 1\n[b]\n";
        let found = edited(TEXT, &[(Some(0), changed, None), (None, new, Some("S"))]);
        assert_eq!(found, expected);
        let marked = edited(TEXT, &[(Some(0), x, Some("D"))]);
        assert!(marked.contains("[[card]]  # D\nid = \"x\"\npoints = 2\ncost"), "{marked}");
    }

    #[test]
    fn other_layouts_are_rewritten() {
        let found = edited("card = [{ id = 'x' }] # S\n", &[(Some(0), "id = 'x'\nn = 2", None)]);
        assert_eq!(found.parse::<Table>().unwrap()["card"][0]["n"].as_integer(), Some(2));
        assert!(edited("", &[(None, "id = 'z'", None)]).contains("[[card]]\nid = \"z\""));
    }
}
