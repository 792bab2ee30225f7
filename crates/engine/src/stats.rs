//! Estimators, intervals and tests: plain numbers in, plain numbers out.

use std::collections::BTreeMap;

pub mod conditional_logit;
pub mod confidence_sequence;
pub mod convergence;
pub mod elo;
pub mod equal_rates;
pub mod equivalence;
pub mod flags;
pub mod heterogeneity;
pub mod holm;
pub mod independent;
pub mod joint;
mod linear;
pub mod mean;
pub mod mean_difference;
pub mod paired;
pub mod pairs;
pub mod rating;
pub mod ratio;
pub mod spread;
pub mod sprt;
pub mod stratified;
pub mod student;
pub mod subset;

/// Sums over blocks, and statistics that consist of such sums.
pub trait Merge {
    /// Adds the sums over other blocks.
    fn merge(&mut self, other: &Self);
}

macro_rules! merge_numbers {
    ($($number:ty),*) => {$(
        impl Merge for $number {
            #[inline]
            fn merge(&mut self, other: &Self) {
                *self += other;
            }
        }
    )*};
}
merge_numbers!(u64, i64, i128, f64);

impl<T: Merge, U: Merge> Merge for (T, U) {
    fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
        self.1.merge(&other.1);
    }
}

impl<T: Merge> Merge for [T] {
    #[inline]
    fn merge(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(mine, theirs)| mine.merge(theirs));
    }
}

impl<T: Merge, const N: usize> Merge for [T; N] {
    #[inline]
    fn merge(&mut self, other: &Self) {
        self.as_mut_slice().merge(other);
    }
}

/// The shorter list is extended with empty sums.
impl<T: Merge + Clone> Merge for Vec<T> {
    fn merge(&mut self, other: &Self) {
        self.as_mut_slice().merge(other);
        self.extend_from_slice(other.get(self.len()..).unwrap_or_default());
    }
}

impl<K: Ord + Clone, T: Merge + Default> Merge for BTreeMap<K, T> {
    fn merge(&mut self, other: &Self) {
        for (key, theirs) in other {
            self.entry(key.clone()).or_default().merge(theirs);
        }
    }
}

/// A number that is the same in all blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Fixed(pub usize);

impl Merge for Fixed {
    fn merge(&mut self, _other: &Self) {}
}

/// Texts that belong to sums are the same in all blocks.
impl Merge for String {
    fn merge(&mut self, other: &Self) {
        self.clone_from(other);
    }
}

/// Defines tallies: structs of sums over blocks, which are added field by field, and which
/// checkpoints keep.
#[macro_export]
macro_rules! tally {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty,)*
        }
    )+) => {$(
        #[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $type,)*
        }

        // Not inlined: packages that are not optimised would compile the sums of all fields again.
        impl $crate::stats::Merge for $name {
            fn merge(&mut self, other: &Self) {
                $($crate::stats::Merge::merge(&mut self.$field, &other.$field);)*
            }
        }
    )+};
}
pub use crate::tally;

/// Asserts that a number differs from the expected one by less than `tolerance`.
#[cfg(test)]
#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() < tolerance, "{found}, expected {expected}");
}
