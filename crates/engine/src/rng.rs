//! Random streams. No other module depends on a particular generator.
//!
//! A stream is seeded with a hash of (master seed, block, game, purpose). Streams are therefore
//! independent, and the results of a run depend on its seed only, not on threads or on the order of
//! games.

use rand_seeder::Seeder;

/// The generator of every stream: small, fast, and stable across versions and platforms.
pub type Rng = rand_pcg::Pcg64Mcg;

/// The use of a stream. Part of the seed: the order of the variants must not change.
#[derive(Clone, Copy, Hash, Debug)]
pub enum Purpose {
    /// A chance source of the game. Its stream is the same in all games of a block.
    Chance(u8),
    /// The decisions of the bot in a seat.
    Bot(u8),
    /// Playouts outside of games (benchmarks, perft).
    Playout,
    /// One of several trees that search the same position.
    Tree,
    /// The candidates of `tune`.
    Candidates,
    /// None. It keeps the numbers of the following variants.
    Unused,
    /// None. It keeps the numbers of the following variants.
    Unused1,
    /// None. It keeps the numbers of the following variants.
    Unused2,
    /// The initial weights of a network, and the choice and order of its training samples.
    Training,
    /// The hidden information of the rollouts of a position.
    Determinization,
    /// The choice of the decisions that a book of openings continues in several ways.
    Fork,
}

/// Returns the stream for a purpose in a game of a block. Equal arguments give equal streams, on
/// every machine.
///
/// ```
/// use watershed::rng::{Purpose, random_below, stream};
///
/// let roll = |seed, block| random_below(&mut stream(seed, block, 0, Purpose::Playout), 1_000_000);
/// assert_eq!(roll(1, 0), roll(1, 0));
/// assert_ne!(roll(1, 0), roll(1, 1));
/// assert_ne!(roll(1, 0), roll(2, 0));
/// ```
pub fn stream(seed: u64, block: u64, game: u64, purpose: Purpose) -> Rng {
    Seeder::from((seed, block, game, purpose)).into_rng()
}

/// One stream for each chance source, the same in all games of a block. The k-th draw of a source
/// depends only on what that source has left, so the games of a block share chance outcomes and
/// their differences have a smaller variance.
#[derive(Clone, Debug)]
pub struct ChanceStreams(Vec<Rng>);

impl ChanceStreams {
    /// Creates the streams of a block for a game with `sources` chance sources.
    pub fn new(seed: u64, block: u64, sources: usize) -> Self {
        let source_stream = |source| stream(seed, block, 0, Purpose::Chance(source));
        Self((0..).take(sources).map(source_stream).collect())
    }

    /// Returns the stream of the source with this index.
    ///
    /// # Panics
    /// If the game has fewer chance sources.
    pub fn source_stream(&mut self, index: u8) -> &mut Rng {
        &mut self.0[usize::from(index)]
    }
}

/// Returns a uniformly distributed number below `bound`, which must be positive.
#[inline]
pub fn random_below(rng: &mut Rng, bound: u32) -> u32 {
    use rand::RngExt;
    rng.random_range(0..bound)
}
