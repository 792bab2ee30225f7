//! Tables of results that are computed often from the same arguments.

use std::{cell::RefCell, fmt};

use thread_local::ThreadLocal;

/// A table of results for each thread. It belongs to the value whose method computes the results,
/// so that values with other data never share one. A copy of that value has new tables.
pub struct ThreadTables<K: Send, V: Send> {
    size: usize,
    tables: ThreadLocal<ResultTable<K, V>>,
}

impl<K: Copy + PartialEq + Send, V: Copy + Send> ThreadTables<K, V> {
    /// Creates tables of `size` entries, a power of two.
    pub fn new(size: usize) -> Self {
        Self { size, tables: ThreadLocal::new() }
    }

    /// Returns the table of the current thread.
    #[inline]
    pub fn table(&self) -> &ResultTable<K, V> {
        self.tables.get_or(|| ResultTable { entries: RefCell::new(vec![None; self.size]) })
    }
}

impl<K: Copy + PartialEq + Send, V: Copy + Send> Clone for ThreadTables<K, V> {
    fn clone(&self) -> Self {
        Self::new(self.size)
    }
}

impl<K: Send, V: Send> fmt::Debug for ThreadTables<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ThreadTables").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A table that keeps one result for each entry, the last one.
#[derive(Debug)]
pub struct ResultTable<K, V> {
    entries: RefCell<Vec<Option<(K, V)>>>,
}

impl<K: Copy + PartialEq, V: Copy> ResultTable<K, V> {
    /// Returns the result of `compute`, which may depend on `key` only. `hash` tells keys apart in
    /// its high bits; see [`mix`].
    #[inline]
    pub fn get(&self, key: K, hash: u64, compute: impl FnOnce() -> V) -> V {
        let entries = self.entries.borrow();
        let index = (hash >> 32) as usize & (entries.len() - 1);
        if let Some((known, value)) = &entries[index]
            && *known == key
        {
            return *value;
        }
        drop(entries);
        let value = compute();
        self.entries.borrow_mut()[index] = Some((key, value));
        value
    }
}

/// Returns a hash of two words that is good in its high bits.
#[inline]
pub const fn mix(one: u64, other: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    (one.wrapping_mul(ODD).rotate_left(29) ^ other).wrapping_mul(ODD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_computed_again_for_other_keys_only() {
        let tables = ThreadTables::new(2);
        let mut computed = 0;
        for key in [1_u64, 1, 2, 1, 2, 2, 900, 900] {
            let result = tables.table().get(key, mix(key, 0), || {
                computed += 1;
                key + 7
            });
            assert_eq!(result, key + 7);
        }
        assert!((3..8).contains(&computed), "{computed}");
    }
}
