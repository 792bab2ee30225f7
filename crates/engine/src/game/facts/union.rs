//! The facts of several data files of a game in one table.

use rustc_hash::FxHashMap;

use super::{FactBlock, FactTable};

/// The facts of several data files of a game. Facts with the same inputs are one.
#[derive(Debug)]
pub struct FactUnion {
    table: FactTable,
    /// The number of the fact with these inputs, for each block.
    known: [FxHashMap<Vec<u16>, u16>; 4],
}

/// For each block, the numbers of the facts of a data file in a [`FactUnion`].
#[derive(Clone, Debug)]
pub struct FactNumbers([Vec<u16>; 4]);

/// A block of facts, as an index of [`FactNumbers`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockIndex {
    Seat,
    View,
    Shared,
    Action,
}

impl FactUnion {
    /// Creates a union without facts, for a game with the inputs of this table.
    pub fn new(table: &FactTable) -> Self {
        let without_facts = |block: &FactBlock| FactBlock { facts: Vec::new(), ..block.clone() };
        let FactTable { seat, view, shared, action } = table;
        let [seat, view, shared, action] = [seat, view, shared, action].map(without_facts);
        Self { table: FactTable { seat, view, shared, action }, known: Default::default() }
    }

    /// Adds the facts of a data file and returns their numbers; `None` if there are more than
    /// 65,536 different facts.
    pub fn add(&mut self, table: &FactTable) -> Option<FactNumbers> {
        let FactTable { seat, view, shared, action } = &mut self.table;
        let blocks = [seat, view, shared, action].into_iter().zip(&mut self.known);
        let mut numbers = <[Vec<u16>; 4]>::default();
        for ((numbers, (all, known)), (_, block)) in
            numbers.iter_mut().zip(blocks).zip(table.blocks())
        {
            numbers.reserve(block.facts.len());
            for inputs in &block.facts {
                let number = if let Some(&number) = known.get(inputs) {
                    number
                } else {
                    let number = u16::try_from(all.facts.len()).ok()?;
                    known.insert(inputs.clone(), number);
                    all.fact(inputs.clone())
                };
                numbers.push(number);
            }
        }
        Some(FactNumbers(numbers))
    }

    /// Returns all facts.
    pub fn table(&self) -> &FactTable {
        &self.table
    }
}

impl FactNumbers {
    /// Returns the number of a fact.
    pub(crate) fn number(&self, block: BlockIndex, fact: u16) -> u16 {
        self.0[block as usize][usize::from(fact)]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    #[test]
    fn facts_of_two_files_with_the_same_inputs_are_one() {
        let table = |points: &[u32]| {
            let mut table = FactTable::default();
            let facts = table.seat.describe_each(points.to_vec(), |points, inputs| {
                inputs.number("points", 9, points);
            });
            table.seat.group(facts);
            table
        };
        let (one, other) = (table(&[1, 5]), table(&[5, 9, 1]));
        let mut union = FactUnion::new(&one);
        let numbers = [&one, &other].map(|table| union.add(table).unwrap());
        let numbers = numbers.map(|numbers| numbers.0[BlockIndex::Seat as usize].clone());
        assert_eq!(numbers, [vec![0, 1], vec![1, 2, 0]]);
        assert_eq!(
            union.table().seat.facts(),
            [one.seat.facts(), &other.seat.facts()[1..2]].concat()
        );
        assert_eq!(union.table().seat.inputs(), one.seat.inputs());
    }
}
