//! Flags of `watershed balance ablate`.

use super::{remedy::RemedyArguments, removed_items::RemovedItem};
use crate::{
    game::MAX_SEATS,
    run::{names::find_item, validation::validate_changed_data},
    study::shared::{adaptation::AdaptationArguments, prelude::*},
};

#[derive(Args, Debug)]
#[command(after_help = "\
Every deal is played once without intervention. The fork of a seat and an item \
is the first decision at which the seat can take the item and can also do something else. From \
there the same game, with the same bots and random streams, is continued in several arms: `free`; \
`never`, in which the seat never takes the item unless nothing else is legal; `gone`, in which no \
seat takes it; `must`, in which the seat takes it now; and `not now`, in which the seat does not \
take it now. A ban takes effect when the seat would take the item; until then the arm is the free \
game. The searches of the bots know a ban for the current decision only.

forks.csv has a row for each lineup, item and metric (win share, score, rounds), and for each \
round and turn position of the forks, with means over forks:
  access  free minus never: being allowed to take the item
  takers  the same over the seats that take the item in the free arm
  worth   free minus gone: the item itself
  denial  gone minus never: keeping it from the others; worth and denial add up to access
  now     must minus not now: taking it at the first chance; it says how well the bot times it

The screen compares the access to each item with the median of its table, of which all items \
count: those that are not asked have their access in the built-in game. An item is too strong or \
too weak if it is 10 wins of 100 above or below with its whole interval.

p_holm is adjusted by Holm's method over all items of the table. The flag `flips` marks an access \
that differs from 0 with opposite signs for two bots of the panel (p_holm < 0.05).

A group of items, such as effect:income, has a row if it has two items or more.

With --remedy KEY, as in tile.meadow_swap.effect.times, each of the values is played on the same \
deals by the first lineup. Of the values whose access lies within --within of the target, the one \
nearest to the data file is played on fresh deals. If its whole interval lies there too, \
remedy.toml is the data file with this value; otherwise the exit code is 1. remedy.csv has the \
values.

With --remove the same deals are also played without the item, or with the values of --baseline in \
its place. removed_items.csv has the paired differences of whole games (rounds, decisions, scores, \
margins, win shares of seats, ...).

Examples:
  watershed balance ablate
  watershed balance ablate --only meadow --players 3 --games 10k
  watershed balance ablate --item meadow_swap --item w2c1 --games 5k
  watershed balance ablate --remedy tile.meadow_swap.effect.times --within 1
  watershed balance ablate --remove w2c1 --remove meadow_swap --games 20k
  watershed balance ablate --remove meadow_take_wood --baseline meadow_swap
  watershed balance ablate --panel random,balanced,mcts:iterations=100 \\
      --games 200 --out results/forks")]
pub(crate) struct AblateArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup without intervention, rounded up to whole blocks
    /// [default: 1500 with 1 or 2 players, 500 with 3, 200 with 4, 100 with 5]
    #[arg(long, value_name = "N", value_parser = count(1..=MAX_GAMES))]
    games: Option<u64>,
    /// Play the forks of this item; may be repeated [default: all items]
    #[arg(long, value_name = "NAME")]
    pub(super) item: Vec<String>,
    /// Play the forks of a family of items: a table, as in `tiles`, or a property, as in `meadow`;
    /// may be repeated
    #[arg(long, value_name = "FAMILY")]
    only: Vec<String>,
    /// Also play the same deals without an item; may be repeated; `all` is every item that the data
    /// file lists
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Give the items of --remove the values of this item instead of removing them
    #[arg(long, value_name = "NAME", requires = "remove")]
    baseline: Option<String>,
    #[command(flatten)]
    pub(super) remedy: RemedyArguments,
    #[command(flatten)]
    pub(super) adaptation: AdaptationArguments,
}

/// Games of a lineup without --games, from 1 player to 5. With the default panel they take at most
/// half a minute on 2 cores.
const DEFAULT_GAMES: [u64; MAX_SEATS] = [1500, 1500, 500, 200, 100];

impl AblateArguments {
    /// Returns the number of games of each lineup without intervention.
    pub(super) fn games(&self, players: usize) -> u64 {
        self.games.unwrap_or(DEFAULT_GAMES[players - 1])
    }

    /// Returns the items of `--item`.
    pub(super) fn named_items(&self, catalog: &ItemCatalog) -> anyhow::Result<Vec<ItemId>> {
        let item = |name: &String| find_item(catalog, name).context("--item");
        self.item.iter().map(item).collect()
    }

    /// Returns for each item true if its forks are played.
    pub(super) fn read_selection(&self, catalog: &ItemCatalog) -> anyhow::Result<Vec<bool>> {
        let is_all = self.item.is_empty() && self.only.is_empty() && self.remedy.remedy.is_none();
        let mut is_selected = vec![is_all; catalog.len()];
        for item in self.named_items(catalog)? {
            is_selected[item.index()] = true;
        }
        for family in &self.only {
            for item in find_family(catalog, family).context("--only")? {
                is_selected[item.index()] = true;
            }
        }
        if let Some(item) = self.remedy.remedied_item(catalog) {
            is_selected[item.index()] = true;
        }
        Ok(is_selected)
    }

    /// Reads the items to remove. All changed data files are valid.
    pub(super) fn read_removed_items(
        &self,
        selection: &GameSelection,
        catalog: &ItemCatalog,
    ) -> anyhow::Result<Vec<RemovedItem>> {
        let document = &selection.document;
        let entry = |item: ItemId| (catalog.table(item).list_key(), &catalog.item(item).name);
        let baseline = self.baseline.as_ref().map(|name| find_item(catalog, name));
        let baseline = baseline.transpose().context("--baseline")?;
        let mut items = Vec::new();
        for name in &self.remove {
            if name == "all" {
                let is_listed = |&item: &ItemId| {
                    let (list, id) = entry(item);
                    Some(item) != baseline && document.has_entry(list, id)
                };
                items.extend(catalog.ids().filter(is_listed));
            } else {
                items.push(find_item(catalog, name).context("--remove")?);
            }
        }
        let read = |item: ItemId| {
            let (list, id) = entry(item);
            let (document, change) = if let Some(baseline) = baseline {
                let other = &catalog.item(baseline).name;
                let document = document.with_entry_replaced(list, id, other);
                (document.context("--remove, --baseline")?, format!("replaced by {other}"))
            } else {
                (document.without_entry(list, id).context("--remove")?, "removed".to_owned())
            };
            validate_changed_data(selection, &document).map_err(|reason| {
                anyhow!("--remove: the data is not valid with `{id}` {change}: {reason}")
            })?;
            let label = catalog.item(item).label.clone();
            Ok(RemovedItem { name: id.clone(), label, change, document })
        };
        items.into_iter().map(read).collect()
    }
}
