//! The result of a function for its last argument.

/// The result of a function for its last argument, so that it is computed again only for another
/// one.
#[derive(Clone, Copy, Debug)]
pub struct Memo<K, V>(Option<(K, V)>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V: Copy> Memo<K, V> {
    /// Returns the result of `compute`, which may depend on `key` only.
    #[inline]
    pub fn get(&mut self, key: K, compute: impl FnOnce() -> V) -> V {
        if let Some((last, value)) = &self.0
            && *last == key
        {
            return *value;
        }
        let value = compute();
        self.0 = Some((key, value));
        value
    }
}
