//! Values that distinguish the facts of a group.

use std::borrow::Cow;

/// Values of which each fact of a group has one, such as kinds of action or numbers of pieces.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    min: i32,
    max: i32,
    step: i32,
    /// True if values beyond the limits count as the limits.
    is_limited: bool,
    /// True if 0 is not listed.
    skips_zero: bool,
    /// The largest value with a level of its own, as larger ones share levels about 1/7 apart; 0 if
    /// all values have one.
    linear: i32,
    names: ValueNames,
}

/// Names of the values of an axis.
#[derive(Clone, Copy, Debug)]
enum ValueNames {
    Numbers,
    Texts(&'static [&'static str]),
    Function(fn(usize) -> &'static str),
}

/// True or false.
pub const FLAG: Axis = choices(2);

/// Returns an axis of choices, which are numbers.
pub const fn choices(len: usize) -> Axis {
    let (max, names) = (len as i32 - 1, ValueNames::Numbers);
    Axis { min: 0, max, step: 1, is_limited: false, skips_zero: false, linear: 0, names }
}

/// Returns an axis of choices with names.
pub const fn names(names: &'static [&'static str]) -> Axis {
    Axis { names: ValueNames::Texts(names), ..choices(names.len()) }
}

/// Returns an axis of choices whose names a function returns.
pub const fn named(len: usize, name: fn(usize) -> &'static str) -> Axis {
    Axis { names: ValueNames::Function(name), ..choices(len) }
}

/// Returns an axis of numbers from 0. Larger numbers count as `max`.
pub const fn up_to(max: usize) -> Axis {
    Axis { is_limited: true, ..choices(max + 1) }
}

/// Returns an axis of numbers from 1. 0 has no fact, and larger numbers count as `max`.
pub const fn count(max: usize) -> Axis {
    Axis { min: 1, ..up_to(max).unless_zero() }
}

/// Returns an axis of numbers. Those beyond the limits count as the limits.
pub const fn range(min: i32, max: i32) -> Axis {
    steps(min, max, 1)
}

/// Returns an axis of every `step`th number from `min`. Numbers between two count as the lower one,
/// and those beyond the limits as the limits.
pub const fn steps(min: i32, max: i32, step: i32) -> Axis {
    Axis { min, max, step, ..up_to(0) }
}

/// Returns the same axis with values up to `linear`, and above it levels that are about 1/7 apart.
#[must_use]
pub const fn with_tail(linear: usize, axis: Axis) -> Axis {
    Axis { linear: linear as i32, ..axis }
}

/// Returns the level of a value: itself up to `linear`, above it one level for about 1/7 more.
#[inline]
pub const fn tail_level(linear: i64, value: i64) -> i64 {
    if value <= linear {
        return value;
    }
    let (mut level, mut next) = (linear, linear + 1);
    while value >= next && level < linear + 40 {
        level += 1;
        next += if next / 7 > 1 { next / 7 } else { 1 };
    }
    level
}

#[expect(clippy::len_without_is_empty, reason = "no axis is empty")]
impl Axis {
    /// Returns the same axis without listed facts for 0.
    #[must_use]
    pub const fn unless_zero(self) -> Self {
        Self { skips_zero: true, ..self }
    }

    /// Returns the number of values.
    pub const fn len(self) -> usize {
        ((self.max - self.min) / self.step + 1) as usize
    }

    /// Returns the value with an index.
    pub const fn value(self, index: usize) -> i32 {
        self.min + index as i32 * self.step
    }

    /// Returns the index of a value. That of a 0 without a fact is unspecified.
    #[inline]
    pub fn index(self, value: impl Number) -> usize {
        let mut value = value.to_i64();
        if self.linear > 0 {
            value = tail_level(self.linear.into(), value);
        }
        if self.is_limited {
            value = value.min(self.max.into());
        }
        if self.is_limited && !self.skips_zero {
            value = value.max(self.min.into());
        }
        ((value - i64::from(self.min)) / i64::from(self.step)) as usize
    }

    /// Returns the name of the value with an index in inputs.
    pub fn name(self, index: usize) -> Cow<'static, str> {
        match self.names {
            ValueNames::Numbers => self.value(index).to_string().into(),
            ValueNames::Texts(names) => names[index].into(),
            ValueNames::Function(name) => name(index).into(),
        }
    }

    /// Returns the index of the lowest value with a threshold. The lowest value needs none if all
    /// facts of the group reach it.
    pub(super) const fn first_threshold(self) -> usize {
        if self.skips_zero && self.min > 0 { 0 } else { 1 }
    }
}

/// A value on an axis.
pub trait Number: Copy {
    /// Returns the value.
    fn to_i64(self) -> i64;
}

macro_rules! impl_number {
    ($($type:ty)*) => {
        $(impl Number for $type {
            #[inline]
            fn to_i64(self) -> i64 {
                self.into()
            }
        })*
    };
}

impl_number!(bool u8 i16 u32 i32);

impl Number for usize {
    #[inline]
    fn to_i64(self) -> i64 {
        self as i64
    }
}

/// The place of a fact in its group.
#[derive(Clone, Copy, Debug)]
pub struct FactPlace {
    pub(super) index: usize,
    pub(super) is_listed: bool,
}

impl FactPlace {
    /// The place of the fact of a group without axes.
    pub const ONLY: Self = Self { index: 0, is_listed: true };

    /// Returns the place with a value on a further axis.
    #[inline]
    #[must_use]
    pub fn on(self, axis: Axis, value: impl Number) -> Self {
        let is_listed = self.is_listed && !(axis.skips_zero && value.to_i64() == 0);
        let index = axis.index(value);
        debug_assert!(!is_listed || index < axis.len(), "{index} of {}", axis.len());
        Self { index: self.index.wrapping_mul(axis.len()).wrapping_add(index), is_listed }
    }
}
