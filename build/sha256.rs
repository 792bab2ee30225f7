//! SHA-256 (FIPS 180-4) for the build script, which then compiles no crate that the program
//! compiles again.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];
/// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Returns the hash of bytes in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize((message.len() + 8).next_multiple_of(64) - 8, 0);
    message.extend((8 * bytes.len() as u64).to_be_bytes());
    let mut state = START;
    message.chunks_exact(64).for_each(|block| add_block(&mut state, block));
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// Adds 64 bytes to the hash.
#[expect(clippy::many_single_char_names, reason = "the names of the standard")]
fn add_block(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word: u32, &byte| word << 8 | u32::from(byte));
    }
    // Each function is the exclusive or of three rotations, or of two and a shift.
    let rotated = |word: u32, by: [u32; 2]| word.rotate_right(by[0]) ^ word.rotate_right(by[1]);
    for index in 16..64 {
        let [early, late] = [words[index - 15], words[index - 2]];
        let early = rotated(early, [7, 18]) ^ early >> 3;
        let late = rotated(late, [17, 19]) ^ late >> 10;
        let sum = words[index - 16].wrapping_add(early).wrapping_add(words[index - 7]);
        words[index] = sum.wrapping_add(late);
    }
    let mut next = *state;
    for (word, round) in words.into_iter().zip(ROUNDS) {
        let [a, b, c, _, e, f, g, h] = next;
        let from_e = (rotated(e, [6, 11]) ^ e.rotate_right(25)).wrapping_add(e & f ^ !e & g);
        let sum = h.wrapping_add(from_e).wrapping_add(round).wrapping_add(word);
        let from_a = (rotated(a, [2, 13]) ^ a.rotate_right(22)).wrapping_add(a & b ^ a & c ^ b & c);
        next.rotate_right(1);
        next[4] = next[4].wrapping_add(sum);
        next[0] = sum.wrapping_add(from_a);
    }
    for (word, next) in state.iter_mut().zip(next) {
        *word = word.wrapping_add(next);
    }
}
