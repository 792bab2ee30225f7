//! The provenance of the values of a data file, from the marks in its comments.
//!
//! A mark is one of the words `S`, `I`, `D` and `R` in a comment. A comment marks the value before
//! it, the list of entries below it, or the table or entry whose name it follows. A comment that
//! marks a part of an entry marks the whole entry.

use std::{collections::BTreeMap, fmt, ops::BitOr};

use serde::{Deserialize, Serialize};

watershed_engine::named! {
    /// The origin of a value, the most certain first; see [`Mark::definition`].
    #[expect(missing_docs, reason = "the definitions say what the marks mean")]
    pub enum Mark {
        Stated = "stated",
        Inferred = "inferred",
        Derived = "derived",
        Reconstructed = "reconstructed",
    }
}

impl Mark {
    /// Returns the letter in data files.
    pub const fn letter(self) -> char {
        ['S', 'I', 'D', 'R'][self as usize]
    }

    /// Returns the claim of a data file whose least certain value has this mark.
    const fn claim(self) -> &'static str {
        if matches!(self, Self::Reconstructed) { "reconstruction" } else { self.name() }
    }

    /// Returns the definition.
    pub const fn definition(self) -> &'static str {
        match self {
            Self::Stated => "stated by a rulebook or a published page",
            Self::Inferred => "the one likely reading of stated numbers",
            Self::Derived => "the only value that fits the rulebook's text and examples",
            Self::Reconstructed => "fits everything stated, but the printed game may differ",
        }
    }
}

/// The provenance of a data file as a whole: the text of its claim, or of the claim that its marks
/// support.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Claim(String);

impl Claim {
    /// Creates a claim.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the mark that the claim names; `None` for any other text.
    fn mark(&self) -> Option<Mark> {
        let name = self.0.trim().to_lowercase();
        let is_named = |mark: &Mark| name == mark.name() || name == mark.claim();
        Mark::ALL.into_iter().find(is_named)
    }

    /// Joins the claims of several data files, each once.
    pub fn join<'a>(claims: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut distinct: Vec<&str> = Vec::new();
        for Self(text) in claims {
            if !distinct.contains(&text.as_str()) {
                distinct.push(text);
            }
        }
        Self(distinct.join(" / "))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first line of the text.
    pub fn first_line(&self) -> &str {
        self.0.lines().next().unwrap_or_default()
    }

    /// Returns true if the data, or a part of it, is claimed to be a reconstruction.
    pub fn is_reconstruction(&self) -> bool {
        self.0.to_lowercase().contains("reconstruct")
    }
}

/// The provenance of a data file without a claim and without marks.
impl Default for Claim {
    fn default() -> Self {
        Self::new("unknown")
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Keys whose values are names and have no provenance.
const NAME_KEYS: [&str; 3] = ["id", "name", "provenance"];

/// A set of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks(u8);

impl Marks {
    /// Reads the marks of a comment.
    pub(crate) fn of_comment(comment: &str) -> Self {
        let is_end = |letter: char| !letter.is_alphanumeric() && !"'.-".contains(letter);
        let words = comment.split(is_end).map(|word| word.trim_end_matches('.'));
        let of_word = |word: &str| Mark::ALL.into_iter().find(|m| word.chars().eq([m.letter()]));
        let marks = words.filter_map(of_word);
        Self(marks.fold(0, |marks, mark| marks | 1 << mark as u8))
    }

    /// Returns the letters, separated by spaces.
    pub(crate) fn letters(self) -> String {
        self.iter().map(|mark| mark.letter().to_string()).collect::<Vec<_>>().join(" ")
    }

    /// Returns true if there is no mark.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the marks, the most certain first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Mark> {
        Mark::ALL.into_iter().filter(move |&mark| self.0 >> mark as u8 & 1 == 1)
    }

    /// Returns the least certain mark.
    pub fn least_certain(self) -> Option<Mark> {
        self.iter().next_back()
    }
}

impl BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The marks of the values of a data file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance {
    /// Number of values by their least certain mark.
    pub values_by_mark: [u64; 4],
    /// Number of values without a mark.
    pub unmarked_values: u64,
    named: BTreeMap<String, Marks>,
}

impl Provenance {
    /// Reads the marks of a data file.
    pub fn read(text: &str) -> Self {
        let mut provenance = Self::default();
        let (mut over, mut inherited) = (Marks::default(), Marks::default());
        let (mut entry, mut in_comment) = (None::<(String, Marks)>, false);
        for line in text.lines() {
            let (code, comment) = split_comment(line);
            let own = Marks::of_comment(comment);
            let only_comment = code.trim().is_empty() && !comment.is_empty();
            if only_comment {
                over = if in_comment { over | own } else { own };
            }
            in_comment = only_comment;
            if let Some(list) = header(code) {
                provenance.close(entry.take());
                inherited = if list && own.is_empty() { over } else { own };
                over = if list { over } else { Marks::default() };
                entry = list.then(|| (String::new(), inherited));
            } else if let Some((key, value)) = assignment(code) {
                if !NAME_KEYS.contains(&key) {
                    provenance.count(own | inherited);
                }
                match &mut entry {
                    Some((name, marks)) => {
                        *marks = *marks | own;
                        if key == "id" {
                            value.trim().trim_matches('"').clone_into(name);
                        }
                    }
                    None => provenance.name(key, own | inherited),
                }
            }
        }
        provenance.close(entry);
        provenance
    }

    /// Returns the marks of the entry or value of this name.
    pub fn marks_of(&self, name: &str) -> Marks {
        self.named.get(name).copied().unwrap_or_default()
    }

    /// Returns the marks of an item: its own, or else those of its properties.
    pub fn marks_of_item(&self, name: &str, properties: &[String]) -> Marks {
        let own = self.marks_of(name);
        let marks_of_properties = || properties.iter().map(|property| self.marks_of(property));
        if own.is_empty() { marks_of_properties().fold(own, BitOr::bitor) } else { own }
    }

    /// Returns the claim that the marks of the values support, if a value has a mark and the claim
    /// of the file is stronger. Text that names no mark counts as stronger.
    pub fn supported_claim(&self, claim: Option<&Claim>) -> Option<Claim> {
        let least_certain = self.least_certain()?;
        let claimed = claim.and_then(Claim::mark);
        let is_supported = claimed.is_some_and(|claimed| claimed >= least_certain);
        (!is_supported).then(|| Claim::new(least_certain.claim()))
    }

    /// Returns the least certain mark of all values, if one has a mark.
    pub fn least_certain(&self) -> Option<Mark> {
        Mark::ALL.into_iter().rfind(|&mark| self.values_by_mark[mark as usize] > 0)
    }

    /// Returns true if a value is reconstructed.
    pub fn is_reconstruction(&self) -> bool {
        self.least_certain() == Some(Mark::Reconstructed)
    }

    /// Returns the number of marked values.
    pub fn marked_values(&self) -> u64 {
        self.values_by_mark.iter().sum()
    }

    fn close(&mut self, entry: Option<(String, Marks)>) {
        if let Some((name, marks)) = entry {
            self.name(&name, marks);
        }
    }

    fn name(&mut self, name: &str, marks: Marks) {
        let known = self.named.entry(name.to_owned()).or_default();
        *known = *known | marks;
    }

    fn count(&mut self, marks: Marks) {
        match marks.least_certain() {
            Some(mark) => self.values_by_mark[mark as usize] += 1,
            None => self.unmarked_values += 1,
        }
    }
}

/// Splits a line into code and comment.
fn split_comment(line: &str) -> (&str, &str) {
    let is_quoted = |(start, _): &(usize, &str)| line[..*start].matches('"').count() % 2 == 1;
    let start = line.match_indices('#').find(|mark| !is_quoted(mark));
    start.map_or((line, ""), |(start, _)| (&line[..start], &line[start + 1..]))
}

/// Returns true for the header of an entry of a list, false for that of a table, `None` for other
/// lines.
fn header(code: &str) -> Option<bool> {
    let name = code.trim().strip_prefix('[')?.strip_suffix(']')?;
    let list = name.starts_with('[') && name.ends_with(']');
    let name = name.trim_matches(['[', ']']);
    let is_in_name = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_name =
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_in_name);
    is_name.then_some(list)
}

/// Returns the key and value of an unindented assignment.
fn assignment(code: &str) -> Option<(&str, &str)> {
    let (key, value) = code.split_once('=')?;
    (!code.starts_with(char::is_whitespace)).then(|| (key.trim(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
# Marks: S = stated, R = reconstructed.
name = "A # game"                # not a mark
[rules]
limit = 2                        # S
sides = 6                        # I think; D by the example
points = [                       # D  [column][height]
  [0, 1], [0, 2] ]
# ---- cards: 33 of them (S)
# the list: R
[[card]]
id = "w2"
points = 2
[[card]]
id = "w3"
points = 3                       # I
[[card]]                         # S
id = "w4"
points = 4
# others
[[card]]
id = "plain"
[progress]                       # R  not a rule
full = 100
"#;

    fn letters(name: &str) -> String {
        Provenance::read(FILE).marks_of(name).iter().map(Mark::letter).collect()
    }

    #[test]
    fn entries_have_the_marks_of_their_values_and_headings() {
        for (name, expected) in [
            ("name", ""),
            ("limit", "S"),
            ("sides", "ID"),
            ("points", "D"),
            ("w2", "SR"),
            ("w3", "SIR"),
            ("w4", "S"),
            ("plain", ""),
            ("full", "R"),
            ("nothing", ""),
        ] {
            assert_eq!(letters(name), expected, "{name}");
        }
    }

    #[test]
    fn claims_are_no_stronger_than_the_least_certain_mark() {
        let claim = |values: &str, claim: &str| {
            let claim = (!claim.is_empty()).then(|| Claim::new(claim));
            let supported = Provenance::read(values).supported_claim(claim.as_ref());
            supported.map(|Claim(text)| text)
        };
        let (stated, derived, reconstructed) =
            ("a = 1 # S", "a = 1 # S\nb = 2 # D", "a = 1 # S\nb = 2 # R\nc = 3 # D");
        assert_eq!(claim(stated, "stated"), None);
        assert_eq!(claim(stated, "reconstruction"), None, "a weaker claim stands");
        assert_eq!(claim(derived, "stated"), Some("derived".to_owned()));
        assert_eq!(claim(derived, "derived"), None);
        for text in ["stated", "inferred", "derived", "the box", ""] {
            assert_eq!(claim(reconstructed, text), Some("reconstruction".to_owned()), "{text}");
        }
        assert_eq!(claim(reconstructed, "Reconstruction"), None);
        assert_eq!(claim("a = 1\nb = 2 # no mark", "the box"), None, "no mark contradicts it");
    }

    #[test]
    fn values_are_counted_by_their_least_certain_mark() {
        let provenance = Provenance::read(FILE);
        assert_eq!(provenance.values_by_mark, [2, 0, 2, 3]);
        assert_eq!(provenance.unmarked_values, 0);
    }
}
