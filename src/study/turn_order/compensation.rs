//! Compensation of the turn order by values of the data file: the win rate of the first player
//! under several values of one or several keys on the same deals, and the value with which it
//! equals the mean.

use super::{analysis::TurnOrder, points::sum_of_squares};
use crate::{
    config::Document,
    experiments::turn_order::{TurnOrderTallies, TurnOrderTally, first_player_unit},
    run::arguments::GameSelection,
    stats::{
        holm::holm_adjust,
        isotonic::{Crossing, crossing},
        paired::Effect,
        ratio::Estimate,
    },
    study::shared::key_values::KeyValues,
};

const FLAG: &str = "--compensate";

/// Maximum number of values of all keys.
const MAX_ALL_VALUES: usize = 100;

/// Maximum number of keys whose best value is confirmed on fresh deals.
const MAX_CONFIRMED_KEYS: usize = 3;

/// A value of one of the keys, by the index of the key.
pub(super) type CompensationChoice = (usize, i64);

/// All keys of `--compensate`. The first data file of the games is the file as it is; those of the
/// other values of each key follow.
#[derive(Clone, Debug)]
pub(super) struct CompensationPlan(Vec<KeyValues>);

impl CompensationPlan {
    /// Reads the values of the flag, each a list of `KEY=VALUES` with commas between them.
    pub(super) fn read(texts: &[String], selection: &GameSelection) -> anyhow::Result<Self> {
        Ok(Self(KeyValues::read_all(FLAG, texts, selection, MAX_ALL_VALUES)?))
    }

    /// Returns the data files of the games on the common deals.
    pub(super) fn documents(&self, file: &Document) -> anyhow::Result<Vec<Document>> {
        let others =
            self.0.iter().flat_map(|key| key.other_values().map(|value| key.document(file, value)));
        std::iter::once(Ok(file.clone())).chain(others).collect()
    }

    /// Returns the data files with these values.
    pub(super) fn documents_with(
        &self,
        file: &Document,
        choices: &[CompensationChoice],
    ) -> anyhow::Result<Vec<Document>> {
        choices.iter().map(|&(key, value)| self.0[key].document(file, value)).collect()
    }

    /// Returns the values of each key with the indices of their data files.
    fn files(&self) -> impl Iterator<Item = (&KeyValues, Vec<usize>)> {
        self.0.iter().scan(1, |next, key| {
            let file = |value: &i64| {
                if *value == key.file_value {
                    return 0;
                }
                *next += 1;
                *next - 1
            };
            let files = key.values.iter().map(file).collect();
            Some((key, files))
        })
    }
}

/// Results of one value.
#[derive(Clone, Debug)]
pub(crate) struct CompensationRow {
    pub(crate) value: i64,
    /// True if the deals are not those of the other values, but new ones for this value.
    pub(crate) is_fresh: bool,
    pub(crate) games: u64,
    /// Win rate of the first player minus the mean of all.
    pub(crate) difference: Effect,
    pub(crate) rounds: Estimate,
    pub(crate) order: TurnOrder,
}

impl CompensationRow {
    /// Returns the sum of the squared deviations of the win rates from their mean.
    fn spread(&self) -> f64 {
        let rates: Vec<_> = self.order.win_rates.iter().map(|rate| rate.value).collect();
        sum_of_squares(&rates)
    }
}

/// Compensation by one key with one lineup.
#[derive(Clone, Debug)]
pub(crate) struct KeyCompensation {
    pub(crate) key: String,
    /// Values on the same deals, then the confirmed values on fresh deals.
    pub(crate) rows: Vec<CompensationRow>,
    /// The value with which the first player wins as often as the mean.
    pub(crate) fair_value: Crossing,
}

impl KeyCompensation {
    /// Returns the results on the common deals, by value.
    pub(crate) fn common(&self) -> impl Iterator<Item = &CompensationRow> {
        self.rows.iter().filter(|row| !row.is_fresh)
    }

    /// Returns the value on the common deals with the smallest spread of win rates.
    fn best_row(&self) -> Option<&CompensationRow> {
        self.common().min_by(|one, other| one.spread().total_cmp(&other.spread()))
    }

    /// Returns the whole values to confirm: those around the fair value, or the value with the
    /// smallest spread if the first player never equals the mean.
    fn values_to_confirm(&self) -> Vec<i64> {
        let fair = self.fair_value.value;
        if fair.is_finite() {
            let mut values = vec![fair.floor() as i64, fair.ceil() as i64];
            values.dedup();
            return values;
        }
        self.best_row().map(|row| row.value).into_iter().collect()
    }
}

/// Compensation with one lineup.
#[derive(Clone, Debug)]
pub(crate) struct LineupCompensation {
    pub(crate) lineup: String,
    pub(crate) keys: Vec<KeyCompensation>,
}

impl LineupCompensation {
    /// Analyses the results under all values on the same deals.
    pub(super) fn new(
        lineup: &str,
        plan: &CompensationPlan,
        tallies: &TurnOrderTallies,
        players: usize,
        margin: f64,
    ) -> Self {
        let joint = tallies.first_player.estimates(first_player_unit(players));
        let key = |(key, files): (&KeyValues, Vec<usize>)| {
            let positions: Vec<_> = key.values.iter().map(|&value| value as f64).collect();
            let rows = key.values.iter().zip(&files).filter_map(|(&value, &file)| {
                Some(row(value, false, tallies.files.get(file)?, players, margin))
            });
            KeyCompensation {
                key: key.key.clone(),
                rows: rows.filter(|row| row.games > 0).collect(),
                fair_value: crossing(&positions, &joint.subset(&files)),
            }
        };
        Self { lineup: lineup.to_owned(), keys: plan.files().map(key).collect() }
    }

    /// Returns the values to confirm: those of the only key, or the best values of the keys with
    /// the smallest spread of win rates.
    pub(super) fn choices_to_confirm(&self) -> Vec<CompensationChoice> {
        if let [key] = &self.keys[..] {
            return key.values_to_confirm().into_iter().map(|value| (0, value)).collect();
        }
        let best = self.keys.iter().enumerate().filter_map(|(index, key)| {
            let row = key.best_row()?;
            Some((row.spread(), (index, row.value)))
        });
        let mut best: Vec<_> = best.collect();
        best.sort_by(|one, other| one.0.total_cmp(&other.0));
        best.truncate(MAX_CONFIRMED_KEYS);
        best.into_iter().map(|(_, choice)| choice).collect()
    }

    /// Adds the results of confirmed values. Their tests are corrected for each other.
    pub(super) fn confirm(
        &mut self,
        choices: &[CompensationChoice],
        tallies: &TurnOrderTallies,
        players: usize,
        margin: f64,
    ) {
        let row = |(&(key, value), tally)| (key, row(value, true, tally, players, margin));
        let rows = choices.iter().zip(&tallies.files).map(row);
        // An interrupted run may not have played these deals.
        let mut rows: Vec<_> = rows.filter(|(_, row)| row.games > 0).collect();
        let p_values: Vec<_> = rows.iter().map(|(_, row)| row.order.equality.p).collect();
        for ((_, row), p_holm) in rows.iter_mut().zip(holm_adjust(&p_values)) {
            row.order.set_adjusted_p(p_holm);
        }
        for (key, row) in rows {
            self.keys[key].rows.push(row);
        }
    }

    /// Returns the results on fresh deals, with their keys.
    fn confirmed(&self) -> impl Iterator<Item = (&str, &CompensationRow)> {
        self.keys.iter().flat_map(|key| {
            let fresh = key.rows.iter().filter(|row| row.is_fresh);
            fresh.map(|row| (&*key.key, row))
        })
    }

    /// Returns the value with the smallest spread of win rates on fresh deals, with its key.
    pub(crate) fn best(&self) -> Option<(&str, &CompensationRow)> {
        self.confirmed().min_by(|(_, one), (_, other)| one.spread().total_cmp(&other.spread()))
    }

    /// Returns the results of this value on fresh deals.
    pub(crate) fn confirmed_value(&self, key: &str, value: i64) -> Option<&CompensationRow> {
        let mut confirmed = self.confirmed();
        confirmed.find(|(other, row)| *other == key && row.value == value).map(|(_, row)| row)
    }
}

fn row(
    value: i64,
    is_fresh: bool,
    tally: &TurnOrderTally,
    players: usize,
    margin: f64,
) -> CompensationRow {
    let order = TurnOrder::new(tally, players, margin);
    CompensationRow {
        value,
        is_fresh,
        games: tally.games,
        difference: order.differences_from_mean[0],
        rounds: tally.rounds.mean(),
        order,
    }
}
