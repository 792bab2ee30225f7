//! Sums over the current block.

/// The number of observations of a rate or mean in one block, and their sum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockSum {
    n: i64,
    x: i64,
}

impl BlockSum {
    /// Adds `n` observations with the sum `x`.
    #[inline]
    pub(super) fn add(&mut self, n: i64, x: i64) {
        self.n += n;
        self.x += x;
    }

    /// Returns true if nothing was added to this block.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.n == 0 && self.x == 0
    }

    /// Returns the number of observations and their sum, and starts the next block.
    pub(super) fn take(&mut self) -> (i64, i64) {
        let Self { n, x } = std::mem::take(self);
        (n, x)
    }
}

/// Defines the sums over one block for fields of a tally, and `flush_into`, which adds them to the
/// fields of the same names and starts the next block.
macro_rules! block_sums {
    ($($name:ident => $tally:ident { $($field:ident),* $(,)? })*) => {$(
        #[doc = concat!("Sums of [`", stringify!($tally), "`] over one block.")]
        #[derive(Clone, Copy, Default)]
        pub(super) struct $name {
            $(pub(super) $field: $crate::arena::block_sum::BlockSum),*
        }

        impl $name {
            pub(super) fn flush_into(&mut self, tally: &mut $tally) {
                $(
                    if !self.$field.is_empty() {
                        let (n, x) = self.$field.take();
                        tally.$field.add_block(n, x);
                    }
                )*
            }
        }
    )*};
}
pub(super) use block_sums;
