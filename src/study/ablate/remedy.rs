//! `--remedy`: values of a key are tried until the access to its item is near a target, and the
//! value found is confirmed on other deals.

pub(super) mod tables;

use clap::{ValueEnum, builder::ArgPredicate};

use super::analysis::{EffectRow, ItemEffectsAnalysis};
use crate::{
    config::edit::Scalar,
    run::validation::validate_changed_data,
    stats::mean_difference::mean_effect,
    study::shared::{key_values::mark_changed_lines, prelude::*},
};

/// Name of the data file that is written.
pub(crate) const FILE: &str = "remedy.toml";

/// Maximum number of values.
const MAX_VALUES: usize = 12;
/// Number of values on each side of that of the file without `--remedy-values`.
const DEFAULT_STEPS: i64 = 3;

/// The access that a remedy aims at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Target {
    /// No effect on the win share.
    Zero,
    /// The mean access of the other selected items of the table.
    Mean,
}

/// Flags of a remedy.
#[derive(Args, Debug)]
pub(super) struct RemedyArguments {
    /// Try values of this key until the access to its item is near the target, confirm the value on
    /// other deals, and write remedy.toml
    #[arg(long, value_name = "KEY", conflicts_with_all = ["adapt", "shard"])]
    pub(super) remedy: Option<String>,
    /// Set the values of --remedy, as a,b,c or as a range a..b [default: up to 3 on each side of
    /// that of the data file]
    #[arg(long, value_name = "VALUES", requires = "remedy", allow_hyphen_values = true)]
    remedy_values: Option<String>,
    /// Set the target of --remedy: an access of 0, or the mean of the other selected items
    /// [default: zero]
    #[arg(
        long,
        value_name = "TARGET",
        requires = "remedy",
        default_value_if("remedy", ArgPredicate::IsPresent, "zero")
    )]
    target: Option<Target>,
    /// Set the largest distance from the target, in percentage points [default: 2pp]
    #[arg(
        long,
        value_name = "POINTS",
        requires = "remedy",
        default_value_if("remedy", ArgPredicate::IsPresent, "2pp")
    )]
    within: Option<Margin>,
}

/// A remedy to look for.
#[derive(Clone, Debug)]
pub(super) struct RemedyPlan {
    pub(super) scalar: Scalar,
    pub(super) item: ItemId,
    /// The values, with that of the data file, in order.
    pub(super) values: Vec<String>,
    /// The data file with each of the values.
    pub(super) documents: Vec<Document>,
    pub(super) target: Target,
    /// The largest distance from the target, as a win share.
    pub(super) within: f64,
}

impl RemedyArguments {
    /// Returns the item of the key, if there is one.
    pub(super) fn remedied_item(&self, catalog: &ItemCatalog) -> Option<ItemId> {
        catalog.item_of_key(self.remedy.as_ref()?)
    }

    /// Reads the remedy to look for, `None` if there is none.
    pub(super) fn read(
        &self,
        selection: &GameSelection,
        catalog: &ItemCatalog,
        is_selected: &[bool],
    ) -> anyhow::Result<Option<RemedyPlan>> {
        let Some(key) = &self.remedy else { return Ok(None) };
        let document = &selection.document;
        let scalar = document.scalar(key).context("--remedy")?;
        let item = catalog.item_of_key(key).with_context(|| {
            format!("--remedy: expected the key of an item, as in tile.ID.copies, found `{key}`")
        })?;
        let table = catalog.table(item);
        let family = table.ids().iter().filter(|id| is_selected[id.index()]).count();
        if self.target == Some(Target::Mean) && family < 2 {
            bail!("--target mean: expected a family with --only, as in --only {}", table.name);
        }
        let text = match &self.remedy_values {
            Some(text) => text.clone(),
            None => default_values(&scalar).with_context(|| {
                format!("--remedy-values: expected values, because `{key}` is not an integer")
            })?,
        };
        let parsed = scalar.parse_values(&text, MAX_VALUES);
        let mut values = parsed.map_err(|message| anyhow!("--remedy-values: {message}"))?;
        let is_valid = |value: &String| {
            let document = document.with_value(&scalar, value);
            validate_changed_data(selection, &document)
                .map_err(|reason| anyhow!("--remedy-values: {value}: {reason}"))
        };
        if self.remedy_values.is_some() {
            values.iter().try_for_each(&is_valid)?;
        } else {
            values.retain(|value| is_valid(value).is_ok());
        }
        if !values.contains(&scalar.value) {
            values.push(scalar.value.clone());
        }
        if values.len() < 2 {
            bail!("--remedy: expected at least one other valid value of `{key}`");
        }
        let number = |value: &String| value.parse().unwrap_or(f64::INFINITY);
        values.sort_by(|one, other| number(one).total_cmp(&number(other)));
        values.dedup();
        let documents = values.iter().map(|value| document.with_value(&scalar, value)).collect();
        let within = self.within.unwrap_or_default().share();
        let target = self.target.unwrap_or(Target::Zero);
        Ok(Some(RemedyPlan { scalar, item, values, documents, target, within }))
    }
}

/// Returns the range of integers around a value.
fn default_values(scalar: &Scalar) -> Option<String> {
    let value: i64 = scalar.value.parse().ok()?;
    Some(format!("{}..{}", value.saturating_sub(DEFAULT_STEPS), value + DEFAULT_STEPS))
}

/// The access to the item at a value.
#[derive(Clone, Debug)]
pub(super) struct RemedyTrial {
    /// The bots in the seats.
    pub(super) lineup: String,
    pub(super) value: usize,
    /// True if other deals were played than those by which the value was found.
    pub(super) is_confirmation: bool,
    pub(super) blocks: u64,
    pub(super) taken: Estimate,
    pub(super) access: Effect,
    /// The access minus the target.
    pub(super) distance: Effect,
}

impl RemedyTrial {
    /// Measures the access in games at a value.
    pub(super) fn new(
        plan: &RemedyPlan,
        catalog: &ItemCatalog,
        is_selected: &[bool],
        result: &LineupResult<ItemEffectsTally>,
        value: usize,
        is_confirmation: bool,
    ) -> Self {
        let results = std::slice::from_ref(result);
        let analysis = ItemEffectsAnalysis::new(catalog, is_selected, results);
        let table = catalog.table(plan.item);
        let rows = analysis.rows_of(0, table, SeatMetric::WinShare);
        let rows: Vec<_> = rows.into_iter().map(|(_, row)| row.clone()).collect();
        let index = rows.iter().position(|row| row.item == plan.item).unwrap_or(0);
        let row = &rows[index];
        let access = row.effect(Estimand::Access).effect;
        let distance = match plan.target {
            Target::Zero => access,
            Target::Mean => difference_from_mean(&rows, index),
        };
        Self {
            lineup: result.lineup.clone(),
            value,
            is_confirmation,
            blocks: result.tally.blocks,
            taken: row.sums.taken.rate(1),
            access,
            distance,
        }
    }

    /// Returns the deals of the games.
    fn deals(&self) -> &'static str {
        if self.is_confirmation { "fresh" } else { "search" }
    }

    /// Returns true if the estimate lies within the margin.
    pub(super) fn is_near(&self, within: f64) -> bool {
        self.distance.is_testable() && self.distance.value.abs() <= within
    }

    /// Returns true if the whole interval lies within the margin.
    pub(super) fn is_within(&self, within: f64) -> bool {
        let Estimate { low, high, .. } = self.distance.estimate();
        self.distance.is_testable() && -within <= low && high <= within
    }
}

impl RemedyPlan {
    /// Returns the value to confirm: the nearest to that of the file whose access lies within the
    /// margin with its interval or, if there is none, whose estimate lies within it.
    pub(super) fn choose_value(&self, trials: &[RemedyTrial]) -> Option<usize> {
        let file = self.values.iter().position(|value| *value == self.scalar.value)?;
        let steps = |trial: &RemedyTrial| trial.value.abs_diff(file);
        let distance = |trial: &RemedyTrial| trial.distance.value.abs();
        let near = trials.iter().filter(|trial| trial.is_near(self.within));
        near.min_by(|one, other| {
            let is_within = |trial: &RemedyTrial| trial.is_within(self.within);
            is_within(other)
                .cmp(&is_within(one))
                .then(steps(one).cmp(&steps(other)))
                .then(distance(one).total_cmp(&distance(other)))
        })
        .map(|trial| trial.value)
    }
}

/// A remedy that was looked for.
#[derive(Clone, Debug)]
pub(super) struct Remedy {
    pub(super) plan: RemedyPlan,
    /// The bots by which the value is found: the first of a panel.
    pub(super) lineup: String,
    pub(super) label: String,
    pub(super) name: String,
    /// The values tried, then the confirmations: with the same bots, then with the others of the
    /// panel.
    pub(super) trials: Vec<RemedyTrial>,
}

impl Remedy {
    /// Returns the confirmation with the bots that found the value, if there is one.
    pub(super) fn confirmation(&self) -> Option<&RemedyTrial> {
        self.confirmations().next()
    }

    fn confirmations(&self) -> impl Iterator<Item = &RemedyTrial> {
        self.trials.iter().filter(|trial| trial.is_confirmation)
    }

    /// Returns true if the value found was confirmed and differs from that of the data file.
    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmation().is_some_and(|trial| {
            trial.is_within(self.plan.within)
                && self.plan.values[trial.value] != self.plan.scalar.value
        })
    }

    /// Returns the data file with the confirmed value, which is marked as reconstructed.
    pub(super) fn data_file(&self, old: &Document) -> Option<String> {
        let trial = self.confirmation().filter(|_| self.is_confirmed())?;
        let (value, text) =
            (&self.plan.values[trial.value], &self.plan.documents[trial.value].text);
        let file = &self.plan.scalar.value;
        let note = format!("{file} → {value} by watershed balance ablate --remedy");
        Some(mark_changed_lines(&old.text, text, &note))
    }
}

/// Returns the access of an item minus the mean of those of the other items. The estimates of
/// different items are taken as independent.
fn difference_from_mean(rows: &[EffectRow], item: usize) -> Effect {
    let access = |row: &EffectRow| row.effect(Estimand::Access).effect;
    let own = access(&rows[item]);
    let others = rows.iter().enumerate().filter(|(other, _)| *other != item);
    let mean = mean_effect(&others.map(|(_, other)| access(other)).collect::<Vec<_>>());
    let is_testable = own.is_testable() && mean.is_testable();
    if is_testable { own.minus(&mean) } else { Effect::unknown(own.n) }
}
