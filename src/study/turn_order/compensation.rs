//! Compensation of the turn order by values of the data file: the win rate of the first player
//! under several values on the same deals, and the value with which it equals the mean.

use anyhow::{anyhow, bail, ensure};

use super::analysis::TurnOrder;
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

/// Maximum number of values.
const MAX_VALUES: usize = 20;

/// Keys of the data file whose value is searched, as in `setup.2.start.1.food=0..3`. Several keys,
/// joined by `+`, have the same value.
#[derive(Clone, Debug)]
pub(super) struct Compensation {
    /// The keys, joined by `+`.
    pub(super) key: String,
    scalars: Vec<Scalar>,
    /// The values in ascending order; one of them is that of the data file.
    pub(super) values: Vec<i64>,
    /// The value of the data file.
    pub(super) file_value: i64,
}

impl Compensation {
    /// Reads `KEY=VALUES` and checks that the data file can have the values.
    pub(super) fn read(text: &str, selection: &GameSelection) -> anyhow::Result<Self> {
        const FLAG: &str = "--compensate";
        let (key, values) = text.split_once('=').ok_or_else(|| {
            anyhow!("{FLAG}: expected KEY=VALUES as in setup.2.start.1.food=0..3, found {text:?}")
        })?;
        validate_data(selection, &selection.document)?;
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
        let parsed = parsed.map_err(|message| anyhow!("{FLAG}: {message}"))?;
        let mut values: Vec<i64> = parsed.iter().filter_map(|value| value.parse().ok()).collect();
        values.push(file_value);
        values.sort_unstable();
        values.dedup();
        ensure!(values.len() > 1, "{FLAG}: expected a value other than that of the file");
        let compensation = Self { key: key.to_owned(), scalars, values, file_value };
        for &value in &compensation.values {
            let document = compensation.document(&selection.document, value)?;
            validate_changed_data(selection, &document)
                .map_err(|reason| anyhow!("{FLAG}: {value}: {reason}"))?;
        }
        Ok(compensation)
    }

    /// Returns the data file with each of these values.
    pub(super) fn documents(
        &self,
        file: &Document,
        values: &[i64],
    ) -> anyhow::Result<Vec<Document>> {
        values.iter().map(|&value| self.document(file, value)).collect()
    }

    /// Returns the index of the value of the data file.
    pub(super) fn file_index(&self) -> Option<usize> {
        self.values.iter().position(|value| *value == self.file_value)
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
            let scalar = scalar.ok_or_else(|| anyhow!("--compensate: `{key}` can't be set"))?;
            document = document.with_value(&scalar, &text);
        }
        Ok(Document { name: format!("{} with {} = {value}", file.name, self.key), ..document })
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

/// Compensation with one lineup.
#[derive(Clone, Debug)]
pub(crate) struct LineupCompensation {
    pub(crate) lineup: String,
    /// Values on the same deals, then the confirmed values on fresh deals.
    pub(crate) rows: Vec<CompensationRow>,
    /// The value with which the first player wins as often as the mean.
    pub(crate) fair_value: Crossing,
}

impl LineupCompensation {
    /// Analyses the results under all values on the same deals.
    pub(super) fn new(
        lineup: &str,
        values: &[i64],
        tallies: &TurnOrderTallies,
        players: usize,
        margin: f64,
    ) -> Self {
        let joint = tallies.first_player.estimates(first_player_unit(players));
        let positions: Vec<_> = values.iter().map(|&value| value as f64).collect();
        let row = |(&value, tally)| row(value, false, tally, players, margin);
        let rows = values.iter().zip(&tallies.files).map(row).collect();
        Self { lineup: lineup.to_owned(), rows, fair_value: crossing(&positions, &joint) }
    }

    /// Returns the whole values to confirm: those around the fair value, or the value with the
    /// smallest difference if the first player never equals the mean.
    pub(super) fn values_to_confirm(&self) -> Vec<i64> {
        let fair = self.fair_value.value;
        if fair.is_finite() {
            let mut values = vec![fair.floor() as i64, fair.ceil() as i64];
            values.dedup();
            return values;
        }
        let size = |row: &&CompensationRow| row.difference.value.abs();
        let nearest = self.rows.iter().min_by(|one, other| size(one).total_cmp(&size(other)));
        nearest.map(|row| row.value).into_iter().collect()
    }

    /// Adds the results of confirmed values. Their tests are corrected for each other.
    pub(super) fn confirm(
        &mut self,
        values: &[i64],
        tallies: &TurnOrderTallies,
        players: usize,
        margin: f64,
    ) {
        let row = |(&value, tally)| row(value, true, tally, players, margin);
        let mut rows: Vec<_> = values.iter().zip(&tallies.files).map(row).collect();
        let p_values: Vec<_> = rows.iter().map(|row| row.order.equality.p).collect();
        for (row, p_holm) in rows.iter_mut().zip(holm_adjust(&p_values)) {
            row.order.set_adjusted_p(p_holm);
        }
        self.rows.extend(rows);
    }

    /// Returns the results on fresh deals.
    pub(crate) fn confirmed(&self) -> impl Iterator<Item = &CompensationRow> {
        self.rows.iter().filter(|row| row.is_fresh)
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
