//! Sets of small numbers as machine words.

/// The position of the set bit of `word` that has `rank` set bits below it; `rank <
/// word.count_ones()`.
#[inline]
pub fn select(word: u64, rank: u32) -> u32 {
    select_bit(word, rank).trailing_zeros()
}

/// The set bit of `word`, alone in its place, that has `rank` set bits below it; `rank <
/// word.count_ones()`.
#[inline]
pub fn select_bit(word: u64, rank: u32) -> u64 {
    debug_assert!(rank < word.count_ones());
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        #[expect(
            unsafe_code,
            reason = "the intrinsic is unsafe to call although the build enables bmi2"
        )]
        // SAFETY: bmi2 is enabled for the whole build, or this block is not compiled.
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

/// The position of the set bit of `words`, taken as one long word with the first the lowest, that
/// has `rank` set bits below it.
#[inline]
pub fn select_in<const WORDS: usize>(words: &[u64; WORDS], rank: u32) -> u32 {
    // Which word it is can't be predicted: all are looked at, and the right one is kept.
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

/// The positions of the set bits, lowest first.
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
    fn select_agrees_with_the_positions_of_ones() {
        for word in [1, 0b1011, u64::MAX, 0x8000_0000_0000_0001, 0x0123_4567_89ab_cdef] {
            for (rank, position) in ones(word).enumerate() {
                assert_eq!(select(word, rank as u32), position);
                assert_eq!(select_portable(word, rank as u32), position);
                assert_eq!(select_in(&[0, word], rank as u32), position + 64);
            }
        }
    }
}
