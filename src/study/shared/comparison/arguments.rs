//! Flags of all comparisons of data files.

use clap::builder::ArgPredicate;

use super::edits::Edit;
use crate::{
    protocol::panel::COMPARED_GAMES,
    run::panel::GAMES_WITH_BUDGETS,
    study::shared::{adaptation::AdaptationArguments, prelude::*},
};

/// Flags of all comparisons of data files.
#[derive(Args, Debug)]
pub(crate) struct ComparisonArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup under each data file, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = COMPARED_GAMES,
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
    #[command(flatten)]
    pub(super) adaptation: AdaptationArguments,
}

impl ComparisonArguments {
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
