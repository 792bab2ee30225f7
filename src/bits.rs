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

/// Returns the position of the set bit of `words` that has `rank` set bits below it. The words form
/// one long word, of which the first is the lowest part.
#[inline]
pub fn select_in<const WORDS: usize>(words: &[u64; WORDS], rank: u32) -> u32 {
    // A branch on the word would be mispredicted, as ranks are random. The loop therefore looks at
    // all words and keeps the right one.
    let mut found = (0, words[0], 0);
    let mut below = 0;
    for index in 1..WORDS {
        below += words[index - 1].count_ones();
        if below <= rank {
            found = (index as u32 * 64, words[index], below);
        }
    }
    let (position, word, below) = found;
    position + select(word, rank - below)
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
                assert_eq!(select_in(&[0, word], rank as u32), position + 64);
            }
        }
    }
}
