//! Small values whose type is not known at compile time: the bytes of a [`Copy`] value, with a
//! table of its operations. All `unsafe` code of the crate is here.
//!
//! A value is read as the type that it was made from and no other: [`Bytes::get`] compares the
//! [`TypeId`]s and panics if they differ.
#![expect(unsafe_code, reason = "the bytes of a value are read as its type, which is checked")]

use std::{
    any::{Any, TypeId},
    fmt::{self, Debug},
    hash::{Hash, Hasher},
    mem::MaybeUninit,
};

use crate::game::ActionSet;

/// A place for a value of up to `W` words.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Bytes<const W: usize> {
    words: [MaybeUninit<u64>; W],
    type_id: TypeId,
}

impl<const W: usize> Bytes<W> {
    /// The value is [`Send`] and [`Sync`] because its bytes are.
    fn new<T: Copy + Send + Sync + 'static>(value: T) -> Self {
        const {
            assert!(
                size_of::<T>() <= 8 * W && align_of::<T>() <= 16,
                "a position and a set of actions have at most 512 bytes, an action has at most 4"
            );
        };
        let mut bytes = Self { words: [MaybeUninit::uninit(); W], type_id: TypeId::of::<T>() };
        // SAFETY: the words have at least the size and the alignment of `T`.
        unsafe { bytes.words.as_mut_ptr().cast::<T>().write(value) };
        bytes
    }

    #[inline]
    fn get<T: Copy + 'static>(&self) -> &T {
        assert!(self.type_id == TypeId::of::<T>(), "a value belongs to one game");
        // SAFETY: `new` wrote a `T`, and nothing but `get_mut` of a `T` has changed it.
        unsafe { &*self.words.as_ptr().cast::<T>() }
    }

    #[inline]
    fn get_mut<T: Copy + 'static>(&mut self) -> &mut T {
        assert!(self.type_id == TypeId::of::<T>(), "a value belongs to one game");
        // SAFETY: as in `get`, and the words are borrowed mutably.
        unsafe { &mut *self.words.as_mut_ptr().cast::<T>() }
    }
}

/// The operations of a type of values.
struct Operations<const W: usize> {
    any: fn(&Bytes<W>) -> &dyn Any,
    eq: fn(&Bytes<W>, &Bytes<W>) -> bool,
    hash: fn(&Bytes<W>, &mut dyn Hasher),
    debug: fn(&Bytes<W>, &mut fmt::Formatter<'_>) -> fmt::Result,
}

/// The types of values.
pub(super) trait SmallValue: Copy + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Copy + Eq + Hash + Debug + Send + Sync + 'static> SmallValue for T {}

/// A value of up to `W` words.
#[derive(Clone, Copy)]
pub struct ErasedValue<const W: usize> {
    bytes: Bytes<W>,
    operations: &'static Operations<W>,
}

impl<const W: usize> ErasedValue<W> {
    pub(super) fn new<T: SmallValue>(value: T) -> Self {
        let operations = const {
            &Operations {
                any: |value| value.get::<T>(),
                eq: |one, other| *one.get::<T>() == *other.get::<T>(),
                hash: |value, mut hasher| value.get::<T>().hash(&mut hasher),
                debug: |value, formatter| value.get::<T>().fmt(formatter),
            }
        };
        Self { bytes: Bytes::new(value), operations }
    }

    pub(super) fn get<T: SmallValue>(&self) -> &T {
        self.bytes.get()
    }

    pub(super) fn as_any(&self) -> &dyn Any {
        (self.operations.any)(&self.bytes)
    }

    pub(super) fn get_mut<T: SmallValue>(&mut self) -> &mut T {
        self.bytes.get_mut()
    }
}

impl<const W: usize> PartialEq for ErasedValue<W> {
    fn eq(&self, other: &Self) -> bool {
        (self.operations.eq)(&self.bytes, &other.bytes)
    }
}

impl<const W: usize> Eq for ErasedValue<W> {}

impl<const W: usize> Hash for ErasedValue<W> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.operations.hash)(&self.bytes, hasher);
    }
}

impl<const W: usize> Debug for ErasedValue<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.operations.debug)(&self.bytes, formatter)
    }
}

/// A position.
pub type AnyState = ErasedValue<64>;

/// An action or a chance outcome.
pub type AnyAction = ErasedValue<1>;

/// The operations of a type of sets of actions.
struct SetOperations {
    len: fn(&Bytes<64>) -> usize,
    nth: fn(&Bytes<64>, usize) -> AnyAction,
    contains: fn(&Bytes<64>, &AnyAction) -> bool,
    remove: fn(&mut Bytes<64>, &AnyAction),
    kinds: fn(&Bytes<64>) -> u32,
    subset_of_kind: fn(&Bytes<64>, u32) -> AnyActions,
    debug: fn(&Bytes<64>, &mut fmt::Formatter<'_>) -> fmt::Result,
}

/// The legal actions of a position.
#[derive(Clone, Copy)]
pub struct AnyActions {
    bytes: Bytes<64>,
    operations: &'static SetOperations,
}

impl AnyActions {
    pub(super) fn new<S>(set: S) -> Self
    where
        S: ActionSet<Action: SmallValue> + Send + Sync + 'static,
    {
        let operations = const {
            &SetOperations {
                len: |set| set.get::<S>().len(),
                nth: |set, index| AnyAction::new(set.get::<S>().nth(index)),
                contains: |set, action| set.get::<S>().contains(*action.get()),
                remove: |set, action| set.get_mut::<S>().remove(*action.get()),
                kinds: |set| set.get::<S>().kinds(),
                subset_of_kind: |set, kind| Self::new(set.get::<S>().subset_of_kind(kind)),
                debug: |set, formatter| set.get::<S>().fmt(formatter),
            }
        };
        Self { bytes: Bytes::new(set), operations }
    }

    pub(super) fn get<S: Copy + 'static>(&self) -> &S {
        self.bytes.get()
    }
}

impl Debug for AnyActions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.operations.debug)(&self.bytes, formatter)
    }
}

impl ActionSet for AnyActions {
    type Action = AnyAction;

    fn len(&self) -> usize {
        (self.operations.len)(&self.bytes)
    }

    fn nth(&self, index: usize) -> AnyAction {
        (self.operations.nth)(&self.bytes, index)
    }

    fn contains(&self, action: AnyAction) -> bool {
        (self.operations.contains)(&self.bytes, &action)
    }

    fn remove(&mut self, action: AnyAction) {
        (self.operations.remove)(&mut self.bytes, &action);
    }

    fn kinds(&self) -> u32 {
        (self.operations.kinds)(&self.bytes)
    }

    fn subset_of_kind(&self, kind: u32) -> Self {
        (self.operations.subset_of_kind)(&self.bytes, kind)
    }
}
