//! The worth of items in two versions of a game: the wins that a seat loses if it may not take the
//! item, by forks, as `simulate` and `balance ablate` measure it.
//!
//! As for comparisons, no result is kept between requests. A page keeps the sums of a baseline for
//! its next versions.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

use serde::{Deserialize, Serialize};

use super::{
    versions::{GameVersion, OpenedVersion, VersionsKey},
    workbench::{ChangedFigure, read_blocks},
};
use crate::{
    Experiment,
    arena::{
        block_experiment::play_in_order,
        item_effects::{Estimand, ItemEffectsTally, Stratum, fork::ForkArms},
        metric::SeatMetric,
    },
    game::{ItemCatalog, ItemId},
    protocol::{
        problem::Problem,
        smallest_effects::{SmallestEffects, Z_FIGURE, Z_TABLE},
    },
    stats::{Merge as _, mean_difference::MeanDifference, paired::Effect, tally},
};

/// Forks of two versions of a game to play.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorthRequest {
    /// Name of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The baseline and the version that is compared with it.
    pub versions: [GameVersion; 2],
    /// The seed of the deals, as that of `balance ablate`.
    pub seed: u64,
    /// The items, each with its table and its name; all components if there are none.
    #[serde(default)]
    pub items: Vec<[String; 2]>,
    /// For each version, the first block, and the one after the last.
    pub blocks: [[u64; 2]; 2],
    /// For each version, the sums of earlier answers about other blocks.
    #[serde(default)]
    pub sums: [Vec<String>; 2],
}

/// The worth of items in two versions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorthView {
    /// For each version, the sums of all blocks so far, for the next request.
    pub sums: [String; 2],
    /// For each version, the number of games that were continued from forks.
    pub games: [u64; 2],
    /// The items with forks in one of the versions.
    pub items: Vec<ItemWorth>,
}

/// The worth of an item in two versions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ItemWorth {
    /// Name of the item table.
    pub table: String,
    /// Name of the item.
    pub item: String,
    /// The worth, a share of the games.
    pub worth: ChangedFigure,
}

tally! {
    /// Sums over blocks for the worth of items.
    struct WorthTally {
        /// Games without intervention.
        games: u64,
        /// The wins that a seat loses without an item, by the full name of the item.
        items: BTreeMap<String, MeanDifference>,
    }
}

impl WorthRequest {
    /// Returns the key of the versions and the default bot.
    pub(super) fn key(&self) -> VersionsKey {
        (self.game.clone(), self.players, self.versions.clone(), None)
    }

    /// Returns true if the forks of an item are played. Groups of components are left out, which
    /// would count twice.
    fn is_selected(&self, catalog: &ItemCatalog, item: ItemId) -> bool {
        let (table, name) = (catalog.table(item), &catalog.item(item).name);
        let is_named = |[of, item]: &[String; 2]| of == table.name && item == name;
        table.data_key.is_some() && (self.items.is_empty() || self.items.iter().any(is_named))
    }

    /// Plays the blocks of a version, and returns its sums over these and the earlier ones.
    fn play(
        &self,
        version: usize,
        OpenedVersion { game, lineup, .. }: &OpenedVersion,
        stop: &AtomicBool,
    ) -> Result<WorthTally, Problem> {
        let (catalog, blocks) = (game.catalog(), read_blocks(self.blocks[version])?);
        let mut tally = WorthTally::default();
        for earlier in &self.sums[version] {
            tally.merge(&serde_json::from_str(earlier)?);
        }
        let is_selected: Vec<_> =
            catalog.ids().map(|item| self.is_selected(catalog, item)).collect();
        let experiment = Experiment::new(lineup, self.seed, blocks.clone());
        let forks = game.item_effects(experiment, &is_selected, ForkArms::Never);
        let mut played = ItemEffectsTally::default();
        play_in_order(&*forks, blocks, stop, &|_| (), &mut |_, next| {
            played.merge(&next);
            ControlFlow::Continue(())
        });
        if stop.load(Ordering::Relaxed) {
            return Err("the games were stopped".into());
        }
        tally.games += played.games;
        for (&(item, stratum), sums) in &played.forks {
            if stratum == Stratum::All {
                let effects = &sums.metrics[SeatMetric::WinShare as usize].effects;
                let own = tally.items.entry(catalog.full_name(item)).or_default();
                own.merge(&effects[Estimand::Access as usize]);
            }
        }
        Ok(tally)
    }
}

/// Plays forks of both versions, and returns the worth over these and the earlier blocks.
pub(super) fn worth(
    versions: &[OpenedVersion; 2],
    request: &WorthRequest,
    stop: &AtomicBool,
) -> Result<WorthView, Problem> {
    let before = request.play(0, &versions[0], stop)?;
    let is_same = versions[0].document.text == versions[1].document.text
        && request.blocks[0] == request.blocks[1]
        && request.sums[0] == request.sums[1];
    let after = if is_same { before.clone() } else { request.play(1, &versions[1], stop)? };
    let smallest = SmallestEffects::new(request.players, 10.0).worth / 100.0;
    let z = if request.items.is_empty() { Z_TABLE } else { Z_FIGURE };
    let effect = |tally: &WorthTally, name: &str| {
        let sums = tally.items.get(name);
        sums.map_or(Effect::unknown(0), |sums| sums.effect_of_rates(SeatMetric::WinShare.unit()))
    };
    let mut items = BTreeMap::new();
    for catalog in versions.each_ref().map(|version| version.game.catalog()) {
        for item in catalog.ids().filter(|item| request.is_selected(catalog, *item)) {
            let name = catalog.full_name(item);
            let [old, new] = [&before, &after].map(|tally| effect(tally, &name));
            let estimates = [old.estimate(), new.estimate(), new.minus(&old).estimate()];
            let worth = ChangedFigure::new("worth", estimates, smallest, z);
            let (table, item) = (catalog.table(item).name, &catalog.item(item).name);
            items.insert(name, ItemWorth { table: table.to_owned(), item: item.clone(), worth });
        }
    }
    Ok(WorthView {
        sums: [serde_json::to_string(&before)?, serde_json::to_string(&after)?],
        games: [before.games, after.games],
        items: items.into_values().collect(),
    })
}
