//! Facts about positions and actions: what a network sees.
//!
//! A *fact* is something that can be true of a position or of an action under one data file, such
//! as "seat 1 holds 3 wood" or "tile 7 lies face up". Each fact is described by named *inputs* that
//! do not depend on the data file or on the number of players: thresholds of numbers (`wood>=2`)
//! and attributes of components (`face_up_tile.terrain=forest`). A network has a row of weights for
//! each input. The row of a fact is the sum of the rows of its inputs, so that a component that is
//! added to a data file has sensible weights at once, and so that a fact costs one row however many
//! inputs describe it.

pub mod axis;
mod groups;
mod union;

use rustc_hash::FxHashMap;

use axis::FactPlace;

pub use crate::fact_groups;
pub use groups::Inputs;
pub(crate) use union::BlockIndex;
pub use union::{FactNumbers, FactUnion};

/// Maximum number of facts of a list; further ones are left out.
pub const MAX_FACTS: usize = 192;

/// A list of facts, held without heap. A fact can occur several times.
#[derive(Clone, Copy, Debug)]
pub struct FactList {
    facts: [u16; MAX_FACTS],
    len: usize,
}

impl Default for FactList {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for FactList {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for FactList {}

impl FactList {
    /// Creates an empty list.
    pub const fn new() -> Self {
        Self { facts: [0; MAX_FACTS], len: 0 }
    }

    /// Appends a fact, unless the list has [`MAX_FACTS`] already.
    #[inline]
    pub fn push(&mut self, fact: u16) {
        if let Some(slot) = self.facts.get_mut(self.len) {
            *slot = fact;
            self.len += 1;
        }
    }

    /// Appends the fact that a number has this value; 0 needs no fact. Values above the maximum of
    /// the group count as its maximum.
    #[inline]
    pub fn push_number(&mut self, group: FactGroup, value: u32) {
        // Written in any case, because the branch would be mispredicted.
        if let Some(slot) = self.facts.get_mut(self.len) {
            *slot = (u32::from(group.first) + value.min(group.count.into())).wrapping_sub(1) as u16;
            self.len += usize::from(value > 0);
        }
    }

    /// Appends the fact of a group with this index.
    #[inline]
    pub fn push_choice(&mut self, group: FactGroup, index: usize) {
        debug_assert!(index < usize::from(group.count), "{index} of {}", group.count);
        self.push(group.first + index as u16);
    }

    /// Appends the fact of a group with this place, unless the place is not listed.
    #[inline]
    pub fn push_at(&mut self, group: FactGroup, place: FactPlace) {
        let FactPlace { index, is_listed } = place;
        debug_assert!(!is_listed || index < usize::from(group.count), "{index} of {}", group.count);
        // Written in any case, because the branch would be mispredicted.
        if let Some(slot) = self.facts.get_mut(self.len) {
            *slot = group.first.wrapping_add(index as u16);
            self.len += usize::from(is_listed);
        }
    }

    /// Removes all facts.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Returns the facts in order.
    #[inline]
    pub fn as_slice(&self) -> &[u16] {
        &self.facts[..self.len]
    }
}

/// The facts of a position.
///
/// The view of a seat consists of the facts of that seat, those of each other seat, the facts of
/// its view, and the shared ones. Only [`PositionFacts::views`] may depend on what other seats do
/// not know, and the view of a seat only on what that seat knows.
#[derive(Clone, Debug, Default)]
pub struct PositionFacts {
    /// Public facts about each seat, such as what it owns.
    pub seats: [FactList; super::MAX_SEATS],
    /// Facts about the position from the point of view of each seat: whose turn it is, who leads,
    /// and what only this seat knows.
    pub views: [FactList; super::MAX_SEATS],
    /// Facts that are the same for all seats.
    pub shared: FactList,
}

impl PositionFacts {
    /// Creates empty lists.
    pub const fn new() -> Self {
        let empty = [const { FactList::new() }; super::MAX_SEATS];
        Self { seats: empty, views: empty, shared: FactList::new() }
    }

    /// Removes all facts.
    #[inline]
    pub fn clear(&mut self) {
        self.seats.iter_mut().for_each(FactList::clear);
        self.views.iter_mut().for_each(FactList::clear);
        self.shared.clear();
    }
}

/// Facts of which one holds at a time: values of a number, or one of several choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FactGroup {
    first: u16,
    count: u16,
}

/// The facts of one kind of list, and the inputs that describe them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FactBlock {
    inputs: Vec<String>,
    index: FxHashMap<String, u16>,
    /// The inputs of numbers, by name.
    numbers: FxHashMap<String, Vec<u16>>,
    facts: Vec<Vec<u16>>,
}

impl FactBlock {
    /// Returns the names of the inputs, in order.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// Returns the inputs of each fact, as indices into [`FactBlock::inputs`]. An input can occur
    /// several times.
    pub fn facts(&self) -> &[Vec<u16>] {
        &self.facts
    }

    /// Adds an input, or returns the one with this name.
    pub fn input(&mut self, name: &str) -> u16 {
        if let Some(&input) = self.index.get(name) {
            return input;
        }
        let input = self.inputs.len() as u16;
        self.inputs.push(name.to_owned());
        self.index.insert(name.to_owned(), input);
        input
    }

    /// Adds the inputs `name>=1` to `name>=max`, which describe a number.
    pub fn number_inputs(&mut self, name: &str, max: u32) -> &[u16] {
        let known = self.numbers.get(name).map_or(0, Vec::len);
        if known < max as usize {
            let new = (1..=max).map(|value| self.input(&format!("{name}>={value}"))).collect();
            self.numbers.insert(name.to_owned(), new);
        }
        self.numbers.get(name).map_or(&[], |inputs| &inputs[..max as usize])
    }

    /// Adds a fact that these inputs describe.
    pub fn fact(&mut self, inputs: Vec<u16>) -> u16 {
        self.facts.push(inputs);
        (self.facts.len() - 1) as u16
    }

    /// Adds a number from 0 to `max`: a fact for each value from 1, described by the inputs
    /// `name>=1` up to the value.
    pub fn number(&mut self, name: &str, max: u32) -> FactGroup {
        let inputs = self.number_inputs(name, max).to_vec();
        self.group((1..=inputs.len()).map(|count| inputs[..count].to_vec()).collect())
    }

    /// Adds a choice: a fact for each option, described by the input `name=option`.
    pub fn choice<O: std::fmt::Display>(
        &mut self,
        name: &str,
        options: impl IntoIterator<Item = O>,
    ) -> FactGroup {
        let inputs = options.into_iter().map(|option| self.input(&format!("{name}={option}")));
        let inputs = inputs.map(|input| vec![input]).collect();
        self.group(inputs)
    }

    /// Adds a fact that is true or not, described by the input `name`.
    pub fn flag(&mut self, name: &str) -> u16 {
        let input = self.input(name);
        self.fact(vec![input])
    }

    /// Returns the block without the inputs that cross two attributes.
    fn without_crossings(&self) -> Self {
        let mut block = Self::default();
        let is_crossing = |name: &str| name.contains(['[', '&', ',']);
        let mut keep = |name: &String| (!is_crossing(name)).then(|| block.input(name));
        let kept: Vec<Option<u16>> = self.inputs.iter().map(&mut keep).collect();
        let facts = self.facts.iter();
        block.facts = facts
            .map(|inputs| inputs.iter().filter_map(|&input| kept[input as usize]).collect())
            .collect();
        block
    }

    /// Adds a fact for each of these lists of inputs.
    pub fn group(&mut self, facts: Vec<Vec<u16>>) -> FactGroup {
        let group = FactGroup { first: self.facts.len() as u16, count: facts.len() as u16 };
        self.facts.extend(facts);
        group
    }
}

/// All facts of a game under one data file, and their inputs.
///
/// The inputs are the same for all data files and numbers of players of a game, because networks
/// are loaded by their names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FactTable {
    /// Facts of [`PositionFacts::seats`].
    pub seat: FactBlock,
    /// Facts of [`PositionFacts::views`].
    pub view: FactBlock,
    /// Facts of [`PositionFacts::shared`].
    pub shared: FactBlock,
    /// Facts of actions.
    pub action: FactBlock,
}

impl FactTable {
    /// Returns true if the game has no facts, so that it has no networks.
    pub fn is_empty(&self) -> bool {
        self.blocks().iter().all(|(_, block)| block.facts.is_empty())
    }

    /// Returns the table without the inputs that cross two attributes: `points[stage=2]>=5`.
    #[must_use]
    pub fn without_crossings(&self) -> Self {
        let Self { seat, view, shared, action } = self;
        let [seat, view, shared, action] =
            [seat, view, shared, action].map(FactBlock::without_crossings);
        Self { seat, view, shared, action }
    }

    /// Returns the blocks with their names.
    pub fn blocks(&self) -> [(&'static str, &FactBlock); 4] {
        [
            ("seat", &self.seat),
            ("view", &self.view),
            ("shared", &self.shared),
            ("action", &self.action),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_described_by_the_thresholds_that_it_reaches() {
        let mut block = FactBlock::default();
        block.flag("leads");
        let wood = block.number("wood", 3);
        assert_eq!(block.inputs(), ["leads", "wood>=1", "wood>=2", "wood>=3"]);
        let inputs = |value| {
            let mut list = FactList::default();
            list.push_number(wood, value);
            list.as_slice()
                .iter()
                .flat_map(|&fact| block.facts()[usize::from(fact)].clone())
                .count()
        };
        assert_eq!([0, 1, 2, 3, 9].map(inputs), [0, 1, 2, 3, 3]);
    }

    #[test]
    fn a_table_without_crossings_has_the_other_inputs_of_its_facts() {
        let mut block = FactBlock::default();
        let names =
            ["points>=1", "points[stage=2]>=1", "gain&days=1", "own=grows,next=closed", "gain"];
        let [points, crossed, days, next, gain] = names.map(|name| block.input(name));
        block.group(vec![vec![points, crossed], vec![days, gain], vec![next]]);
        let block = FactTable { view: block, ..FactTable::default() }.without_crossings().view;
        assert_eq!(block.inputs(), ["points>=1", "gain"]);
        assert_eq!(block.facts(), [vec![0], vec![1], vec![]]);
    }

    #[test]
    fn facts_with_a_common_attribute_have_its_input() {
        let mut block = FactBlock::default();
        let tiles = ["forest", "meadow", "forest"].map(|terrain| {
            vec![block.input("tile"), block.input(&format!("tile.terrain={terrain}"))]
        });
        let tiles = block.group(tiles.to_vec());
        let mut list = FactList::default();
        list.push_choice(tiles, 2);
        assert_eq!(block.inputs(), ["tile", "tile.terrain=forest", "tile.terrain=meadow"]);
        assert_eq!(block.facts()[usize::from(list.as_slice()[0])], [0, 1]);
    }
}
