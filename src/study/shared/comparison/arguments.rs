//! Flags of all comparisons of data files.

use clap::builder::ArgPredicate;

use super::edits::Edit;
use crate::{
    run::panel::GAMES_WITH_BUDGETS,
    study::shared::{adaptation::AdaptationArguments, panel_verdict::Margins, prelude::*},
};

/// Flags of all comparisons of data files.
#[derive(Args, Debug)]
pub(crate) struct ComparisonArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup under each data file, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000,
          default_value_if("budgets", ArgPredicate::IsPresent, GAMES_WITH_BUDGETS),
          value_parser = count(1..=u64::MAX))]
    pub(super) games: u64,
    /// Compare the items of a family only, and the edited items: a table, as in `tiles`, or a
    /// property, as in `meadow`; may be repeated
    #[arg(long, value_name = "FAMILY")]
    pub(super) only: Vec<String>,
    /// Start all games from this position of every data file, in the notation of docs/rules;
    /// chance after it differs
    #[arg(long, value_name = "TEXT")]
    pub(super) position: Option<String>,
    /// Set the smallest change of a rate that matters, in percentage points
    #[arg(long, value_name = "POINTS", default_value = "1pp")]
    matters: Margin,
    /// Set the smallest change of the number of rounds that matters
    #[arg(long, value_name = "ROUNDS", default_value = "0.25", value_parser = parse_change)]
    matters_rounds: f64,
    #[command(flatten)]
    pub(super) adaptation: AdaptationArguments,
}

impl ComparisonArguments {
    /// Returns the smallest changes that matter.
    pub(super) fn margins(&self) -> Margins {
        Margins { rate: self.matters.share(), rounds: self.matters_rounds }
    }

    /// Leaves out the metrics of items that are in no family of `--only` and that no edit names.
    pub(super) fn select_items(
        &self,
        metrics: ComparedMetrics,
        edits: &[Vec<Edit>],
    ) -> anyhow::Result<ComparedMetrics> {
        if self.only.is_empty() {
            return Ok(metrics);
        }
        let mut items: Vec<_> = edits.iter().flatten().filter_map(|edit| edit.item).collect();
        items.extend(self.selected_items(&metrics.catalog)?);
        Ok(metrics.with_only(&items))
    }

    /// Returns the items of the families of `--only`.
    pub(super) fn selected_items(&self, catalog: &ItemCatalog) -> anyhow::Result<Vec<ItemId>> {
        let mut items = Vec::new();
        for family in &self.only {
            items.extend(find_family(catalog, family).context("--only")?);
        }
        Ok(items)
    }
}

/// Parses a positive number.
fn parse_change(text: &str) -> Result<f64, String> {
    let change = text.parse().ok().filter(|&change: &f64| change.is_finite() && change > 0.0);
    change.ok_or_else(|| "expected a number above 0, as in 0.25".to_owned())
}
