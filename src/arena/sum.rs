//! A block's observations of a rate or mean while it is being played.

use crate::stats::ratio::Ratio;

/// One block's observations of a rate or mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    n: i64,
    x: i64,
}

impl Sum {
    #[inline]
    pub(super) fn add(&mut self, n: i64, x: i64) {
        self.n += n;
        self.x += x;
    }

    /// How many observations, and what they add up to.
    pub(super) fn pair(self) -> (i64, i64) {
        (self.n, self.x)
    }

    pub(super) fn close(&mut self, ratio: &mut Ratio) {
        ratio.add_block(self.n, self.x);
        *self = Self::default();
    }
}
