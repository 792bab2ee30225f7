//! The items that something was counted for, so that the others cost nothing.

use crate::game::{MAX_SEATS, PerSeat};

/// A set of items, by index, that is emptied in time proportional to its size.
#[derive(Clone, Debug)]
pub(super) struct TouchedItems {
    contains: Vec<bool>,
    items: Vec<u16>,
}

impl TouchedItems {
    /// Creates an empty set of items below `items`.
    pub(super) fn new(items: usize) -> Self {
        Self { contains: vec![false; items], items: Vec::with_capacity(items) }
    }

    /// Adds an item.
    #[inline]
    pub(super) fn insert(&mut self, item: usize) {
        if !std::mem::replace(&mut self.contains[item], true) {
            self.items.push(item as u16);
        }
    }

    /// Returns the items in the order in which they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.items.iter().map(|&item| item.into())
    }

    /// Removes all items, and passes each to `f`.
    pub(super) fn drain(&mut self, mut f: impl FnMut(usize)) {
        for item in self.items.drain(..) {
            self.contains[usize::from(item)] = false;
            f(item.into());
        }
    }
}

/// Sums over the seats of a game by the set of seats, bit s for seat s.
pub(super) type SumsBySeats = [i64; 1 << MAX_SEATS];

/// Returns the sum of the values of each set of seats.
pub(super) fn sums_by_seats(values: &PerSeat<i64>) -> SumsBySeats {
    let mut sums = [0; 1 << MAX_SEATS];
    for seats in 1..sums.len() {
        sums[seats] = sums[seats & (seats - 1)] + values[seats.trailing_zeros() as usize];
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_seats_in_the_set() {
        let sums = sums_by_seats(&[1, 10, 100, 1000, 10_000]);
        assert_eq!((sums[0], sums[0b1], sums[0b10110]), (0, 1, 10_110));
    }

    #[test]
    fn items_are_listed_once() {
        let mut touched = TouchedItems::new(3);
        for item in [2, 0, 2] {
            touched.insert(item);
        }
        assert!(touched.iter().eq([2, 0]));
        touched.drain(|_| ());
        touched.insert(2);
        assert!(touched.iter().eq([2]));
    }
}
