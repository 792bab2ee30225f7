//! Random streams: the one place that names a generator.
//!
//! Every stream is derived from (master seed, block, game, purpose) by hashing, so that streams are
//! independent and a run depends on nothing but its seed.

use rand_seeder::Seeder;

/// The generator of every stream: small, fast, and stable across versions and platforms.
pub type Rng = rand_pcg::Pcg64Mcg;

/// What a stream is used for.
#[derive(Clone, Copy, Hash, Debug)]
pub enum Purpose {
    /// A source of chance of the game; the same in all games of a block.
    Chance(u8),
    /// The decisions of the bot in a seat.
    Bot(u8),
    /// Playouts that no game belongs to (benchmarks, perft).
    Playout,
    /// One of several trees that search a position together.
    Tree,
    /// The candidates of a tuning run.
    Candidates,
    /// The master seed of the games of a part of a tuning.
    GameSeed,
    /// Which items are granted and refused to seats in an experiment.
    Assignment,
    /// What the units of a hidden layer look at before they learn, and the order of what they learn
    /// from.
    HiddenLayer,
}

/// The stream for one purpose in one game of one block.
pub fn stream(seed: u64, block: u64, game: u64, purpose: Purpose) -> Rng {
    Seeder::from((seed, block, game, purpose)).into_rng()
}

/// One stream per source of chance, the same in all games of a block: the k-th draw of a source
/// depends on nothing but what that source has left.
#[derive(Clone, Debug)]
pub struct ChanceStreams(Vec<Rng>);

impl ChanceStreams {
    /// The streams of a block for a game with this many sources.
    pub fn new(seed: u64, block: u64, sources: usize) -> Self {
        Self::for_blocks(seed, std::iter::repeat_n(block, sources))
    }

    /// The streams of a game in which each source draws as in a block of its own.
    pub fn for_blocks(seed: u64, blocks: impl IntoIterator<Item = u64>) -> Self {
        Self(
            (0..)
                .zip(blocks)
                .map(|(source, block)| stream(seed, block, 0, Purpose::Chance(source)))
                .collect(),
        )
    }

    /// The stream of a source, by its index.
    pub fn source_stream(&mut self, index: u8) -> &mut Rng {
        &mut self.0[usize::from(index)]
    }
}

/// A uniform number below `bound`, which must be positive.
#[inline]
pub fn random_below(rng: &mut Rng, bound: u32) -> u32 {
    use rand::RngExt;
    rng.random_range(0..bound)
}
