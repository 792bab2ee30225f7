//! Sets of legal actions.

use std::fmt::Debug;

use crate::{
    bits::select,
    rng::{Rng, random_below},
};

/// The legal actions of one position, each listed once, in a fixed order.
///
/// [`BitActions`] and [`ActionList`] are ready-made sets for games with one kind of action.
pub trait ActionSet: Copy + Debug {
    /// The action type of the game.
    type Action;

    /// Returns the number of actions.
    fn len(&self) -> usize;

    /// Returns the action with this index in the set's order. The index must be less than
    /// [`ActionSet::len`]; otherwise the method may panic or return any action.
    fn nth(&self, index: usize) -> Self::Action;

    /// Draws an action, each with the same probability. The set must not be empty. Every
    /// implementation draws the action `nth(random_below(rng, len))`, so that random games do not
    /// depend on it.
    #[inline]
    fn sample(&self, rng: &mut Rng) -> Self::Action {
        self.nth(random_below(rng, self.len() as u32) as usize)
    }

    /// Returns true if the action is in the set.
    fn contains(&self, action: Self::Action) -> bool;

    /// Returns a number that lets [`ActionSet::contains_numbered`] find the action faster, the same
    /// in all positions. Searches keep it in their nodes. The default is 0 for all actions.
    #[inline]
    fn number(_action: Self::Action) -> u16 {
        0
    }

    /// Returns true if the set contains the action, which is legal in some position, and whose
    /// [`ActionSet::number`] is `number`.
    #[inline]
    fn contains_numbered(&self, action: Self::Action, _number: u16) -> bool {
        self.contains(action)
    }

    /// Removes the action from the set, if it is there.
    fn remove(&mut self, action: Self::Action);

    /// Removes the action, whose [`ActionSet::number`] is `number`, from the set, if it is there.
    #[inline]
    fn remove_numbered(&mut self, action: Self::Action, _number: u16) {
        self.remove(action);
    }

    /// Returns the kinds of action that occur, bit k for kind k of
    /// [`Game::action_kinds`](super::Game::action_kinds). The default is kind 0 for all actions.
    fn kinds(&self) -> u32 {
        1
    }

    /// Returns true if an action of this kind occurs.
    #[inline]
    fn has_kind(&self, kind: u32) -> bool {
        self.kinds() >> kind & 1 == 1
    }

    /// Returns the actions of one kind. The default is for games with one kind of action.
    #[must_use]
    fn subset_of_kind(&self, _kind: u32) -> Self {
        *self
    }

    /// Returns true if the set has no action.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all actions in the set's order.
    fn iter(&self) -> impl Iterator<Item = Self::Action> {
        (0..self.len()).map(|index| self.nth(index))
    }
}

/// Implements the methods of [`ActionSet`] that read the set, for a set whose field `words` has a
/// bit for each action. `$action` is the action of the bit `$bit`.
#[macro_export]
macro_rules! read_action_words {
    ($self:ident, $bit:ident => $action:expr) => {
        #[inline]
        fn len(&$self) -> usize {
            $self.words.iter().map(|word| word.count_ones() as usize).sum()
        }

        #[inline]
        fn nth(&$self, index: usize) -> Self::Action {
            let $bit = $crate::bits::RankedBits::new(&$self.words).select(index as u32);
            $action
        }

        #[inline]
        fn sample(&$self, rng: &mut $crate::rng::Rng) -> Self::Action {
            let bits = $crate::bits::RankedBits::new(&$self.words);
            let $bit = bits.select($crate::rng::random_below(rng, bits.len()));
            $action
        }

        fn iter(&$self) -> impl Iterator<Item = Self::Action> {
            let words = $self.words.iter().zip((0..).step_by(64));
            words.flat_map(move |(&word, first)| {
                $crate::bits::ones(word).map(move |bit| {
                    let $bit = first + bit;
                    $action
                })
            })
        }
    };
}

/// A set of up to 64 actions that are numbers from 0 to 63, with one bit for each.
///
/// ```
/// use watershed::game::{ActionSet, BitActions};
///
/// let mut legal: BitActions = [5, 0, 2].into_iter().collect();
/// assert_eq!(legal, BitActions::new(0b10_0101));
/// legal.remove(2);
/// assert!(legal.iter().eq([0, 5]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BitActions(u64);

impl BitActions {
    /// Creates the set of the actions whose bits are 1.
    #[inline]
    pub const fn new(bits: u64) -> Self {
        Self(bits)
    }
}

impl FromIterator<u8> for BitActions {
    fn from_iter<I: IntoIterator<Item = u8>>(actions: I) -> Self {
        Self(actions.into_iter().fold(0, |bits, action| bits | 1 << action))
    }
}

impl ActionSet for BitActions {
    type Action = u8;

    #[inline]
    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    #[inline]
    fn nth(&self, index: usize) -> u8 {
        select(self.0, index as u32) as u8
    }

    #[inline]
    fn contains(&self, action: u8) -> bool {
        self.0 >> action & 1 == 1
    }

    #[inline]
    fn remove(&mut self, action: u8) {
        self.0 &= !(1 << action);
    }
}

/// A list of up to `N` actions of any type, held without heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionList<A, const N: usize> {
    actions: [A; N],
    len: usize,
}

impl<A: Copy + Default, const N: usize> Default for ActionList<A, N> {
    fn default() -> Self {
        Self { actions: [A::default(); N], len: 0 }
    }
}

impl<A: Copy + Default, const N: usize> ActionList<A, N> {
    /// Appends an action that is not in the list.
    ///
    /// # Panics
    /// If the list has `N` actions already.
    #[inline]
    pub fn push(&mut self, action: A) {
        self.actions[self.len] = action;
        self.len += 1;
    }
}

impl<A: Copy + Default, const N: usize> FromIterator<A> for ActionList<A, N> {
    fn from_iter<I: IntoIterator<Item = A>>(actions: I) -> Self {
        let mut list = Self::default();
        actions.into_iter().for_each(|action| list.push(action));
        list
    }
}

impl<A: Copy + Eq + Debug, const N: usize> ActionSet for ActionList<A, N> {
    type Action = A;

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn nth(&self, index: usize) -> A {
        self.actions[index]
    }

    #[inline]
    fn contains(&self, action: A) -> bool {
        self.actions[..self.len].contains(&action)
    }

    #[inline]
    fn remove(&mut self, action: A) {
        if let Some(index) = self.actions[..self.len].iter().position(|&other| other == action) {
            self.actions.copy_within(index + 1..self.len, index);
            self.len -= 1;
        }
    }
}
