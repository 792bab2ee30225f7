//! Compensation of the turn order by values of the data file: the win rate of the first player
//! under several values of one or several keys on the same deals, and the value with which it
//! equals the mean.

use anyhow::{anyhow, bail, ensure};

use super::{analysis::TurnOrder, points::sum_of_squares};
use crate::{
    config::{Document, edit::Scalar},
    experiments::turn_order::{TurnOrderTallies, TurnOrderTally, first_player_unit},
    run::{
        arguments::GameSelection,
        validation::{find_scalar, validate_changed_data, validate_data},
    },
    stats::{
        holm::holm_adjust,
        isotonic::{Crossing, crossing},
        paired::Effect,
        ratio::Estimate,
    },
};

const FLAG: &str = "--compensate";

/// Maximum number of values of a key.
const MAX_VALUES: usize = 20;

/// Maximum number of values of all keys.
const MAX_ALL_VALUES: usize = 100;

/// Maximum number of keys whose best value is confirmed on fresh deals.
const MAX_CONFIRMED_KEYS: usize = 3;

/// Keys of the data file whose value is searched, as in `setup.2.start.1.food=0..3`. Several keys,
/// joined by `+`, have the same value.
#[derive(Clone, Debug)]
pub(super) struct Compensation {
    /// The keys, joined by `+`.
    pub(super) key: String,
    scalars: Vec<Scalar>,
    /// The values in ascending order; one of them is that of the data file.
    values: Vec<i64>,
    /// The value of the data file.
    file_value: i64,
}

impl Compensation {
    /// Reads `KEY=VALUES` and checks that the data file can have the values.
    fn read(text: &str, selection: &GameSelection) -> anyhow::Result<Self> {
        let (key, values) = text.split_once('=').ok_or_else(|| {
            anyhow!("{FLAG}: expected KEY=VALUES as in setup.2.start.1.food=0..3, found {text:?}")
        })?;
        let scalars = key.split('+').map(|key| find_scalar(selection, key));
        let scalars = scalars.collect::<Result<Vec<_>, _>>()?;
        let file_values: Vec<_> =
            scalars.iter().map(|scalar| scalar.value.parse::<i64>()).collect();
        let file_value = match &file_values[..] {
            [Ok(first), rest @ ..] if rest.iter().all(|other| other.as_ref() == Ok(first)) => {
                *first
            }
            [_] => bail!("{FLAG}: expected a key with an integer, found `{key}`"),
            _ => bail!("{FLAG}: expected keys with the same integer in the file, found `{key}`"),
        };
        let parsed = scalars[0].parse_values(values, MAX_VALUES);
        let parsed = parsed.map_err(|message| anyhow!("{FLAG}: `{key}`: {message}"))?;
        let mut values: Vec<i64> = parsed.iter().filter_map(|value| value.parse().ok()).collect();
        values.push(file_value);
        values.sort_unstable();
        values.dedup();
        ensure!(
            values.len() > 1,
            "{FLAG}: `{key}`: expected a value other than that of the file, {file_value}"
        );
        let compensation = Self { key: key.to_owned(), scalars, values, file_value };
        for &value in &compensation.values {
            let document = compensation.document(&selection.document, value)?;
            validate_changed_data(selection, &document)
                .map_err(|reason| anyhow!("{FLAG}: {value}: {reason}"))?;
        }
        Ok(compensation)
    }

    /// Returns the values other than that of the data file.
    fn other_values(&self) -> impl Iterator<Item = i64> {
        self.values.iter().copied().filter(|value| *value != self.file_value)
    }

    /// Returns the data file with this value of all keys.
    fn document(&self, file: &Document, value: i64) -> anyhow::Result<Document> {
        if value == self.file_value {
            return Ok(file.clone());
        }
        let text = value.to_string();
        let mut document = file.clone();
        for Scalar { key, .. } in &self.scalars {
            // The positions in the text change with each key.
            let scalar = document.scalar(key).ok().or_else(|| document.absent_integer(key));
            let scalar = scalar.ok_or_else(|| anyhow!("{FLAG}: `{key}` can't be set"))?;
            document = document.with_value(&scalar, &text);
        }
        Ok(Document { name: format!("{} with {} = {value}", file.name, self.key), ..document })
    }
}

/// A value of one of the keys, by the index of the key.
pub(super) type CompensationChoice = (usize, i64);

/// All keys of `--compensate`. The first data file of the games is the file as it is; those of the
/// other values of each key follow.
#[derive(Clone, Debug)]
pub(super) struct CompensationPlan(Vec<Compensation>);

impl CompensationPlan {
    /// Reads the values of the flag, each a list of `KEY=VALUES` with commas between them.
    pub(super) fn read(texts: &[String], selection: &GameSelection) -> anyhow::Result<Self> {
        validate_data(selection, &selection.document)?;
        let texts = split_keys(texts);
        let read = |text: &String| Compensation::read(text, selection);
        let keys = texts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        for (index, Compensation { key, .. }) in keys.iter().enumerate() {
            let is_new = keys[..index].iter().all(|other| other.key != *key);
            ensure!(is_new, "{FLAG}: expected each key once, found `{key}` twice");
        }
        let values: usize = keys.iter().map(|key| key.values.len()).sum();
        ensure!(
            values <= MAX_ALL_VALUES,
            "{FLAG}: expected at most {MAX_ALL_VALUES} values of all keys, found {values}"
        );
        Ok(Self(keys))
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
    fn files(&self) -> impl Iterator<Item = (&Compensation, Vec<usize>)> {
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

/// Divides lists of `KEY=VALUES`, whose values may have commas too.
fn split_keys(texts: &[String]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for text in texts {
        let mut is_first = true;
        for part in text.split(',') {
            match keys.last_mut() {
                Some(last) if !is_first && !part.contains('=') => {
                    last.push(',');
                    last.push_str(part);
                }
                _ => keys.push(part.trim().to_owned()),
            }
            is_first = false;
        }
    }
    keys
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
        let key = |(key, files): (&Compensation, Vec<usize>)| {
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

#[cfg(test)]
mod tests {
    use super::split_keys;

    #[test]
    fn commas_divide_keys_and_values() {
        let split = |texts: &[&str]| {
            split_keys(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(split(&["a=0..2,b=1,2"]), ["a=0..2", "b=1,2"]);
        assert_eq!(split(&["a=0,1", "b=3"]), ["a=0,1", "b=3"]);
        assert_eq!(split(&["a=0", "b"]), ["a=0", "b"]);
    }
}
