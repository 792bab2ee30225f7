//! Names of bots that search with a budget.

use crate::study::shared::prelude::*;

/// Iterations of a search without a budget.
pub(crate) const DEFAULT_ITERATIONS: u64 = 2000;

/// Returns the name of a bot that searches, with the given iterations, with those of its own
/// budget, or with the default.
pub(crate) fn with_iterations(bot: &str, iterations: Option<u64>) -> String {
    match iterations {
        Some(iterations) => format!("{bot}:iterations={iterations}"),
        None if has_own_budget(bot) => bot.to_owned(),
        None => format!("{bot}:iterations={DEFAULT_ITERATIONS}"),
    }
}

/// Returns true if the name of a bot has a budget.
pub(crate) fn has_own_budget(bot: &str) -> bool {
    let budgets = ["iterations=", "steps=", "time_ms=", "cpu_ms="];
    budgets.iter().any(|budget| bot.contains(budget))
}

/// Returns an error if a profile of this name exists and does not search.
///
/// # Errors
/// As described.
pub(crate) fn ensure_searches(library: &BotLibrary, bot: &str) -> anyhow::Result<()> {
    if let Ok(profile) = library.profiles.find(bot)
        && !profile.kind().searches()
    {
        bail!("expected a bot that searches, as in `mcts:iterations=2000`, found {bot}");
    }
    Ok(())
}
