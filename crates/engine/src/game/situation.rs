//! Situations of opening decisions, from coarse to fine.

/// A property of a situation: an identifier in tables, and its name for people.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SituationPart {
    /// Identifier, the same for all situations with the property.
    pub id: String,
    /// Name for people.
    pub label: String,
}

impl SituationPart {
    /// Creates a property.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self { id: id.into(), label: label.into() }
    }

    /// Creates a property whose name is its identifier.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { id: name.clone(), label: name }
    }
}

/// The situation of an opening decision, as a book of openings groups decisions.
///
/// The seat that decides sees all of it. Decisions of one turn position at one opening step form
/// the coarsest group; each property divides the group before it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Situation {
    /// The component with which the seat began; `None` while it is chosen, or if there is none.
    pub starter: Option<SituationPart>,
    /// The components that lie open, in classes, from coarse to fine.
    pub open: Vec<SituationPart>,
}

impl Situation {
    /// Returns the number of groups that contain the situation.
    pub fn levels(&self) -> usize {
        1 + usize::from(self.starter.is_some()) + self.open.len()
    }
}
