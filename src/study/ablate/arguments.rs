//! Flags of `watershed balance ablate`.

use anyhow::{Context as _, anyhow};
use clap::Args;

use crate::{
    bots::{
        BotFactory,
        profile::{EvaluatorSpec, ProfileLibrary},
    },
    config::Document,
    game::{ItemCatalog, ItemId},
    run::{
        arguments::{GameArguments, GameSelection, OutputArguments},
        command::RepeatCommand,
        count::{MAX_GAMES, count},
        lineups::LineupArguments,
        names::find_item,
        validation::validate_changed_data,
    },
    study::train::adaptation::AdaptationArguments,
};

#[derive(Args, Debug)]
#[command(
    after_help = "Each deal is played twice. The first game has no intervention. `association` \
compares seats that took an item with those that could have and did not. `adjusted` is the \
coefficient of taking it at the first offer in a linear regression on seat, turn position, bot, \
round and the value of the position. The second game has a random assignment: when an item is \
first offered to a seat, the seat is enrolled with the probability --rate. A fair coin then forces \
it to take the item at once, or forbids it the item for the rest of the game. `forced_now` \
compares these two groups. It is the effect of a forced pick, not the value of the item to a \
player who may choose whether and when to take it. The searches of the bots know the assignment \
for the current decision only.

values.csv has a row for each lineup, item and metric (win share, score, rounds). p_holm is \
adjusted by Holm's method over all items of the table. Flags (Holm-adjusted p < 0.05):
  disagree  association and forced_now differ
  opposite  association and forced_now are both significant, with opposite signs
  strong    forced_now is above the mean of the other items of the table
  weak      forced_now is below the mean of the other items of the table
  flips     forced_now is significant with opposite signs for two bots of the ladder
  constant  an estimate does not vary between blocks, so it has no test
A group of items, such as effect:income, has a row if it has two items or more.

With --item the same deals are also played without the item, or with the values of --baseline in \
its place. removed_items.csv has the paired differences of whole games (rounds, decisions, scores, \
margins, win shares of seats, ...).

Examples:
  watershed balance ablate
  watershed balance ablate --players 3 --bots balanced --games 200k
  watershed balance ablate --item w2c1 --item meadow_swap --games 20k
  watershed balance ablate --item meadow_take_wood --baseline meadow_swap
  watershed balance ablate --ladder random,balanced,mcts:iterations=100 \\
      --games 2k --out results/values"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    #[command(flatten)]
    pub(super) lineups: LineupArguments,
    /// Set the number of games of each lineup without assignment, and as many with it, rounded up
    /// to whole blocks
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
    /// Set the probability that a seat is enrolled at the first offer of an item, above 0 and at
    /// most 1
    #[arg(long, value_name = "X", default_value_t = 0.1, value_parser = parse_rate)]
    pub(super) rate: f64,
    /// Also play the same deals without an item; may be repeated; `all` is every item that the data
    /// file lists
    #[arg(long, value_name = "NAME")]
    pub(super) item: Vec<String>,
    /// Give the items of --item the values of this item instead of removing them
    #[arg(long, value_name = "NAME", requires = "item")]
    pub(super) baseline: Option<String>,
    /// Set the heuristic or network that evaluates positions for the regression [default: the prior
    /// of the default search, or balanced]
    #[arg(long, value_name = "BOT")]
    value: Option<String>,
    #[command(flatten)]
    pub(super) adaptation: AdaptationArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|&rate: &f64| rate > 0.0 && rate <= 1.0);
    rate.ok_or_else(|| "expected a probability above 0 and at most 1, as in 0.1".to_owned())
}

/// An item that is removed from the data file, or has the values of another item.
#[derive(Clone, Debug)]
pub struct RemovedItem {
    /// Name of the item.
    pub name: String,
    /// Change of the data file: `removed` or `replaced by X`.
    pub change: String,
    /// The changed data file.
    pub document: Document,
}

impl Arguments {
    /// Returns the command that repeats the study with these lineups and this evaluator.
    pub(super) fn repeat_command<G>(
        &self,
        selection: &GameSelection,
        lineups: &[Vec<BotFactory<G>>],
        evaluator: &str,
    ) -> RepeatCommand {
        let command = RepeatCommand::new("balance ablate")
            .game(selection)
            .flag_and_value(self.lineups.flag_and_value(lineups))
            .options("--item", &self.item)
            .option_if("--baseline", self.baseline.as_ref())
            .option("--games", self.games)
            .option("--rate", self.rate)
            .option("--value", evaluator);
        self.adaptation.add_to(command).option("--seed", self.output.run.seed())
    }

    /// Reads the evaluator of positions, and its name.
    pub(super) fn read_evaluator(
        &self,
        library: &ProfileLibrary<'_>,
    ) -> anyhow::Result<(String, EvaluatorSpec)> {
        let name = self.value.as_deref().or(library.search.prior).unwrap_or("balanced");
        let evaluator = library.read(name).context("--value")?.spec.into_evaluator(None);
        let evaluator = evaluator.with_context(|| {
            format!("--value: expected a heuristic or a network, found `{name}`")
        })?;
        Ok((name.to_owned(), evaluator))
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
        for name in &self.item {
            if name == "all" {
                let is_listed = |&item: &ItemId| {
                    let (list, id) = entry(item);
                    Some(item) != baseline && document.has_entry(list, id)
                };
                items.extend(catalog.ids().filter(is_listed));
            } else {
                items.push(find_item(catalog, name).context("--item")?);
            }
        }
        let read = |item: ItemId| {
            let (list, id) = entry(item);
            let (document, change) = if let Some(baseline) = baseline {
                let other = &catalog.item(baseline).name;
                let document = document.with_entry_replaced(list, id, other);
                (document.context("--item, --baseline")?, format!("replaced by {other}"))
            } else {
                (document.without_entry(list, id).context("--item")?, "removed".to_owned())
            };
            validate_changed_data(selection, &document).map_err(|reason| {
                anyhow!("--item: the data is not valid with `{id}` {change}: {reason}")
            })?;
            Ok(RemovedItem { name: id.clone(), change, document })
        };
        items.into_iter().map(read).collect()
    }
}
