//! Sets of edits of the data file, and their figures as the sum of those of their edits.

use std::collections::BTreeSet;

use super::goals::Goals;
use crate::study::shared::{
    key_values::{KeyValues, mark_changed_lines},
    prelude::*,
};

/// Number of sets with the smallest predicted distances that are kept.
const EXTENDED: usize = 200;

/// Keys with other values than those of the data file, by the index of the key. None twice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct EditSet(pub(super) Vec<(usize, i64)>);

impl EditSet {
    /// Returns all sets of one edit.
    pub(super) fn singles(keys: &[KeyValues]) -> Vec<Self> {
        let of_key = |(index, key): (usize, &KeyValues)| {
            let values: Vec<_> = key.other_values().collect();
            values.into_iter().map(move |value| Self(vec![(index, value)]))
        };
        keys.iter().enumerate().flat_map(of_key).collect()
    }

    /// Returns the set with another edit, unless it has the key.
    fn with(&self, (key, value): (usize, i64)) -> Option<Self> {
        if self.0.iter().any(|(other, _)| *other == key) {
            return None;
        }
        let mut edits = self.0.clone();
        edits.push((key, value));
        edits.sort_unstable();
        Some(Self(edits))
    }

    /// Returns the number of edits.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the sum of the sizes of the edits, in steps of the values of their keys.
    pub(super) fn steps(&self, keys: &[KeyValues]) -> usize {
        self.0.iter().map(|&(key, value)| keys[key].steps(value)).sum()
    }

    /// Returns the edited data file.
    pub(super) fn document(&self, keys: &[KeyValues], file: &Document) -> anyhow::Result<Document> {
        self.0.iter().try_fold(file.clone(), |file, &(key, value)| keys[key].document(&file, value))
    }

    /// Returns the text of the edited data file, with the edited values marked as reconstructed.
    pub(super) fn marked_text(
        &self,
        keys: &[KeyValues],
        file: &Document,
    ) -> anyhow::Result<String> {
        let mut file = file.clone();
        for &(index, value) in &self.0 {
            let key = &keys[index];
            let note = format!("{} → {value} by watershed balance search", key.file_value);
            let edited = key.document(&file, value)?;
            file.text = mark_changed_lines(&file.text, &edited.text, &note);
        }
        Ok(file.text)
    }

    /// States the edits, as in `building.w2.points 3 → 2, play.rounds 8 → 7`.
    pub(super) fn text(&self, keys: &[KeyValues]) -> String {
        if self.0.is_empty() {
            return "as it is".to_owned();
        }
        let edits = self.0.iter().map(|&(key, value)| {
            let KeyValues { key, file_value, .. } = &keys[key];
            format!("{key} {file_value} → {value}")
        });
        edits.collect::<Vec<_>>().join(", ")
    }
}

/// The figures of sets of edits, predicted from those of single edits: that of the data file plus
/// the differences of the edits. Effects that depend on each other are missed; games of the best
/// sets correct this.
pub(super) struct AdditiveModel<'a> {
    pub(super) goals: &'a Goals,
    /// The figures of the data file.
    pub(super) file: Vec<Effect>,
    /// The single edits, with the values of the figures on the same deals.
    pub(super) singles: Vec<(EditSet, Vec<f64>)>,
}

impl AdditiveModel<'_> {
    /// Predicts the distance of a set from the goals.
    fn distance(&self, set: &EditSet) -> f64 {
        let mut figures = self.file.clone();
        for edit in &set.0 {
            let single = self.singles.iter().find(|(single, _)| single.0[0] == *edit);
            let Some((_, of_single)) = single else { return f64::INFINITY };
            for ((figure, of_single), of_file) in figures.iter_mut().zip(of_single).zip(&self.file)
            {
                figure.value += of_single - of_file.value;
            }
        }
        self.goals.distance_beyond_error(&figures)
    }

    /// Returns the sets of this many edits with the smallest predicted distances, the best first.
    pub(super) fn best_sets(&self, keys: &[KeyValues], edits: usize) -> Vec<EditSet> {
        let mut sets: Vec<EditSet> = self.singles.iter().map(|(set, _)| set.clone()).collect();
        for size in 2..=edits {
            self.sort(keys, &mut sets);
            sets.truncate(if size == 2 { usize::MAX } else { EXTENDED });
            let extended = sets.iter().flat_map(|set| {
                self.singles.iter().filter_map(|(single, _)| set.with(single.0[0]))
            });
            sets = extended.collect::<BTreeSet<_>>().into_iter().collect();
        }
        self.sort(keys, &mut sets);
        sets.truncate(EXTENDED);
        sets
    }

    fn sort(&self, keys: &[KeyValues], sets: &mut [EditSet]) {
        sets.sort_by_cached_key(|set| {
            // Distances are not negative, so the order of their bits is that of their values.
            (self.distance(set).to_bits(), set.steps(keys), set.clone())
        });
    }
}
