//! Sets of small numbers as machine words.

/// Returns the position of the set bit of `word` that has `rank` set bits below it. `rank` must be
/// less than `word.count_ones()`.
#[inline]
pub fn select(word: u64, rank: u32) -> u32 {
    select_bit(word, rank).trailing_zeros()
}

/// Returns the set bit of `word` that has `rank` set bits below it, as a mask. `rank` must be less
/// than `word.count_ones()`.
#[inline]
pub fn select_bit(word: u64, rank: u32) -> u64 {
    debug_assert!(rank < word.count_ones());
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        #[expect(
            unsafe_code,
            reason = "the intrinsic is unsafe to call although the build enables bmi2"
        )]
        // SAFETY: this block is compiled only if bmi2 is enabled for the whole build.
        unsafe {
            core::arch::x86_64::_pdep_u64(1 << rank, word)
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        1 << select_portable(word, rank)
    }
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn select_portable(mut word: u64, mut rank: u32) -> u32 {
    let mut position = 0;
    for width in [32, 16, 8, 4, 2, 1] {
        let below = (word & ((1 << width) - 1)).count_ones();
        if rank >= below {
            rank -= below;
            position += width;
            word >>= width;
        }
    }
    position
}

/// The set bits of some words, counted to select them by rank. The words form one long word, of
/// which the first is the lowest part.
#[derive(Clone, Copy, Debug)]
pub struct RankedBits<'a, const WORDS: usize> {
    words: &'a [u64; WORDS],
    /// For each word, the number of set bits below it.
    below: [u32; WORDS],
    len: u32,
}

impl<'a, const WORDS: usize> RankedBits<'a, WORDS> {
    /// Counts the set bits of these words.
    #[inline]
    pub fn new(words: &'a [u64; WORDS]) -> Self {
        let (mut below, mut len) = ([0; WORDS], 0);
        for (below, word) in below.iter_mut().zip(words) {
            *below = len;
            len += word.count_ones();
        }
        Self { words, below, len }
    }

    /// Returns the number of set bits.
    #[inline]
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Returns true if no bit is set.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the position of the set bit that has `rank` set bits below it. `rank` must be less
    /// than [`RankedBits::len`].
    #[inline]
    pub fn select(&self, rank: u32) -> u32 {
        // A branch on the word would be mispredicted, as ranks are random.
        let index = self.below[1..].iter().map(|&below| usize::from(below <= rank)).sum::<usize>();
        index as u32 * u64::BITS + select(self.words[index], rank - self.below[index])
    }
}

/// Returns the positions of the set bits, lowest first.
#[inline]
pub fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let position = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        position
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn select_agrees_with_listed_positions() {
        for word in [1, 0b1011, u64::MAX, 0x8000_0000_0000_0001, 0x0123_4567_89ab_cdef] {
            for (rank, position) in ones(word).enumerate() {
                assert_eq!(select(word, rank as u32), position);
                assert_eq!(select_portable(word, rank as u32), position);
                assert_eq!(RankedBits::new(&[0, word, 1]).select(rank as u32), position + 64);
            }
        }
    }
}
