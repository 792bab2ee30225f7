//! Results that are computed often from the same arguments, kept by each thread.

use std::{cell::RefCell, fmt};

use thread_local::ThreadLocal;

/// A value for each thread, by which a computation is faster and its result is not changed. It is
/// part of the object whose methods use it, so that objects with other data never share one. A copy
/// of that object has new values.
pub struct PerThread<T: Send>(ThreadLocal<T>);

impl<T: Default + Send> PerThread<T> {
    /// Returns the value of the current thread.
    #[inline]
    pub fn get(&self) -> &T {
        self.0.get_or_default()
    }
}

impl<T: Send> Default for PerThread<T> {
    fn default() -> Self {
        Self(ThreadLocal::new())
    }
}

impl<T: Send> Clone for PerThread<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Send> fmt::Debug for PerThread<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PerThread").finish_non_exhaustive()
    }
}

/// A table with `SIZE` entries, a power of two, of which each keeps one result, the last one.
#[derive(Debug)]
pub struct ResultTable<K, V, const SIZE: usize> {
    entries: RefCell<Vec<Option<(K, V)>>>,
}

impl<K: Copy, V: Copy, const SIZE: usize> Default for ResultTable<K, V, SIZE> {
    fn default() -> Self {
        Self { entries: RefCell::new(vec![None; SIZE]) }
    }
}

impl<K: Copy + PartialEq, V: Copy, const SIZE: usize> ResultTable<K, V, SIZE> {
    /// Returns the result of `compute`, which may depend on `key` only. `hash` tells keys apart in
    /// its high bits; see [`mix`].
    #[inline]
    pub fn get(&self, key: K, hash: u64, compute: impl FnOnce() -> V) -> V {
        let index = (hash >> 32) as usize & (SIZE - 1);
        if let Some((known, value)) = &self.entries.borrow()[index]
            && *known == key
        {
            return *value;
        }
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
        let table = PerThread::<ResultTable<u64, u64, 2>>::default();
        let mut computed = 0;
        for key in [1, 1, 2, 1, 2, 2, 900, 900] {
            let result = table.get().get(key, mix(key, 0), || {
                computed += 1;
                key + 7
            });
            assert_eq!(result, key + 7);
        }
        assert!((3..8).contains(&computed), "{computed}");
    }
}
