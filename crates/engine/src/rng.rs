//! Random streams and deals. No other module depends on a particular generator.
//!
//! A stream is seeded with a hash of (master seed, block, game, purpose). Streams are therefore
//! independent, and the results of a run depend on its seed only, not on threads or on the order of
//! games.
//!
//! Components are dealt by identity: each copy has a priority, a hash of (master seed, block,
//! source, id, number of the copy), and the smallest priority that is left is drawn. An added or
//! removed component therefore leaves the order of all others.

use rand::Rng as _;
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
    /// The random edits of data files.
    Edits,
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

/// The components of a chance source, by kind. Kinds are at most 255.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// For each copy a hash of source, id and number, its kind, and its number.
    copies: Vec<(u64, u8, u32)>,
}

impl Components {
    /// Lists the components of a source: the id and the number of copies of each kind. The order of
    /// the kinds has no effect on deals.
    pub fn new<'a>(source: &str, kinds: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let hash = |id, copy: u32| Seeder::from((source, id, copy)).into_rng::<Rng>().next_u64();
        let copies = |(kind, (id, count))| {
            (0..count).map(move |copy| (hash(id, copy), kind, copy)).collect::<Vec<_>>()
        };
        Self { copies: (0..).zip(kinds).flat_map(copies).collect() }
    }
}

/// The chance of a block, the same in all its games, for each source: a stream, or the order in
/// which its components are drawn. The k-th draw of a source depends only on what that source has
/// left, so the games of a block share chance outcomes and their differences have a smaller
/// variance.
#[derive(Clone, Debug)]
pub struct ChanceStreams {
    seed: u64,
    block: u64,
    sources: Vec<SourceChance>,
}

#[derive(Clone, Debug, Default)]
struct SourceChance {
    /// Created when it is first needed.
    stream: Option<Rng>,
    /// The priorities of the components left, the smallest last; the lowest bits are the kind.
    pile: Vec<u64>,
    /// The number of times that the pile was made.
    piles: u64,
}

/// The bits of a priority that hold the kind of the component.
const KIND: u64 = 0xff;

impl ChanceStreams {
    /// Creates the chance of a block for a game with `sources` chance sources.
    pub fn new(seed: u64, block: u64, sources: usize) -> Self {
        Self { seed, block, sources: vec![SourceChance::default(); sources] }
    }

    /// Returns the stream of the source with this index.
    ///
    /// # Panics
    /// If the game has fewer chance sources.
    pub fn source_stream(&mut self, index: u8) -> &mut Rng {
        let (seed, block) = (self.seed, self.block);
        let new_stream = || stream(seed, block, 0, Purpose::Chance(index));
        self.sources[usize::from(index)].stream.get_or_insert_with(new_stream)
    }

    /// Draws a component of the source with this index and returns its kind. `total` components
    /// are left, and `left` returns the number of a kind. The pile is made anew if it is not what
    /// is left: at the first draw, after a reshuffle, and in another game.
    ///
    /// # Panics
    /// If the game has fewer chance sources, or if no component is left.
    #[inline]
    pub fn draw(
        &mut self,
        index: u8,
        components: &Components,
        total: u32,
        left: impl Fn(usize) -> u32,
    ) -> usize {
        let source = &mut self.sources[usize::from(index)];
        let kind_of = |priority: u64| (priority & KIND) as usize;
        let is_left = source.pile.last().is_some_and(|&next| left(kind_of(next)) > 0);
        if !is_left || source.pile.len() != total as usize {
            let mut rng = stream(self.seed, self.block, source.piles, Purpose::Chance(index));
            source.make_pile(rng.next_u64(), components, total as usize, left);
        }
        kind_of(source.pile.pop().expect("a component is left"))
    }

    /// Draws one of a set of single components, of which bit k stands for kind k, as
    /// [`Self::draw`].
    #[inline]
    pub fn draw_from_set(&mut self, index: u8, components: &Components, set: u64) -> u8 {
        let left = |kind: usize| (set >> kind & 1) as u32;
        self.draw(index, components, set.count_ones(), left) as u8
    }
}

impl SourceChance {
    /// Sorts the components that are left by their priorities.
    #[inline(never)]
    fn make_pile(
        &mut self,
        key: u64,
        components: &Components,
        total: usize,
        left: impl Fn(usize) -> u32,
    ) {
        let priority =
            |&(hash, kind, _): &(u64, u8, u32)| mixed(hash ^ key) & !KIND | u64::from(kind);
        let copies = components.copies.iter();
        self.piles += 1;
        self.pile.clear();
        // At the beginning of a game nothing has been drawn.
        if total == components.copies.len() {
            self.pile.extend(copies.map(priority));
        } else {
            let is_left = |&&(_, kind, copy): &&(u64, u8, u32)| copy < left(usize::from(kind));
            self.pile.extend(copies.filter(is_left).map(priority));
        }
        self.pile.sort_unstable_by(|one, other| other.cmp(one));
    }
}

/// Returns a number in which every bit depends on all bits of another: the finalizer of
/// `SplitMix64` (Steele, Lea and Flood 2014).
const fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// Returns a uniformly distributed number below `bound`, which must be positive.
#[inline]
pub fn random_below(rng: &mut Rng, bound: u32) -> u32 {
    use rand::RngExt;
    rng.random_range(0..bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws all components of a block in their order, by id.
    fn deal<'a>(block: u64, kinds: &[(&'a str, u32)]) -> Vec<&'a str> {
        let components = Components::new("tiles", kinds.iter().copied());
        let mut left: Vec<u32> = kinds.iter().map(|&(_, copies)| copies).collect();
        let mut chance = ChanceStreams::new(1, block, 1);
        let draw = |total| {
            let kind = chance.draw(0, &components, total, |kind| left[kind]);
            left[kind] -= 1;
            kinds[kind].0
        };
        let total = kinds.iter().map(|&(_, copies)| copies).sum();
        (1..=total).rev().map(draw).collect()
    }

    #[test]
    fn the_order_of_components_depends_on_their_identities() {
        for block in 0..50 {
            let dealt = deal(block, &[("a", 3), ("b", 1), ("c", 2)]);
            assert_eq!(deal(block, &[("c", 2), ("a", 3), ("b", 1)]), dealt, "moved");
            let mut others = deal(block, &[("a", 3), ("new", 2), ("b", 1), ("c", 2)]);
            others.retain(|&id| id != "new");
            assert_eq!(others, dealt, "added");
            let mut fewer = dealt;
            fewer.retain(|&id| id != "b");
            assert_eq!(deal(block, &[("a", 3), ("c", 2)]), fewer, "removed");
        }
    }

    #[test]
    fn all_components_are_equally_likely() {
        let kinds = [("a", 3), ("b", 1), ("c", 2)];
        let mut counts = [[0; 3]; 6];
        for block in 0..6000 {
            for (place, id) in deal(block, &kinds).into_iter().enumerate() {
                counts[place][kinds.iter().position(|kind| kind.0 == id).unwrap_or(0)] += 1;
            }
        }
        for place in counts {
            for (count, (_, copies)) in place.into_iter().zip(kinds) {
                assert!((copies as i32 * 1000 - count).abs() < 150, "{counts:?}");
            }
        }
    }

    #[test]
    fn a_renewed_pile_has_another_order() {
        let components = Components::new("tiles", [("a", 8), ("b", 8)]);
        let mut chance = ChanceStreams::new(1, 0, 1);
        let mut pile = || {
            let mut left = [8; 2];
            let draw = |total| {
                let kind = chance.draw(0, &components, total, |kind| left[kind]);
                left[kind] -= 1;
                kind
            };
            (1..=16).rev().map(draw).collect::<Vec<_>>()
        };
        assert_ne!(pile(), pile());
    }
}
