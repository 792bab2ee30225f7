//! Flags of `watershed balance compare`, and those that it shares with `sweep`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueHint};

use super::{edits::Edit, verdict::Margins};
use crate::{
    arena::compared_metrics::ComparedMetrics,
    bots::BotFactory,
    game::{ItemCatalog, ItemId},
    run::{
        arguments::{GameArguments, OutputArguments},
        command::RepeatCommand,
        count::count,
        lineups::LineupArguments,
        margin::Margin,
        names::find_family,
        parts::PartArguments,
        players::PlayerNumbers,
    },
    study::{report::several::SeveralPlayers, shared::adaptation::AdaptationArguments},
};

#[derive(Args, Debug)]
#[command(
    after_help = "Both files are played on the same deals: in each block the same seed, the same \
chance and the same rotations of the bots. Differences are variant minus baseline, paired within \
blocks, with 95 % confidence intervals over blocks. Items are matched by name. The rows of a table \
with the same lineup are one family of tests; p_holm is adjusted by Holm's method.

Flags:
  significant  p_holm < 0.05
  flips        significant with opposite signs for two lineups
  constant     the difference does not vary between blocks, so it has no test
  blind        the bots hardly use the edit: in 99 % of the games or more they make the same choices
  complement   the opposite of another row, such as the win rates of 2 players; not tested again
  added        only the variant has the item
  removed      only the baseline has the item

Significance and relevance are separate. With --matters M, the column `verdict` is
  matters    significant, and the whole interval is beyond M
  differs    significant, and the size may be below M; also for metrics without M, such as scores
  too_small  significant, and the whole interval is within M
  equal      not significant, and the whole interval is within M
  open       not significant, and a change beyond M is possible

With --margin M, margins.csv has for the rates of the game and of edited items a verdict within M, \
beyond M or open, by tests that are corrected for each other, and the games that decide the open \
ones.

On up to 300 deals both files are also played in lockstep: at each decision the bots are asked in \
the same position with both files, until they choose differently. blind.csv has the counts. If no \
choice ever differs, the bots do not use the edit, and the report says so instead of \
`no difference`.

Tables: differences.csv (win shares of seats, turn positions and bots, rounds, scores, margins, \
lead changes, ...) and one for each item table (taken per game and per offer, win share of takers, \
points).

Examples:
  watershed data the_river > old.toml
  watershed data the_river | sed 's/trade_in = 3/trade_in = 2/' > cheaper.toml
  watershed balance compare old.toml cheaper.toml
  watershed balance compare old.toml cheaper.toml --players 3 --bots balanced
  watershed balance compare old.toml cheaper.toml --adapt --out results/adapted
  watershed balance compare old.toml cheaper.toml --games 2k \\
      --panel random,balanced,mcts:iterations=100 --out results/cheaper"
)]
pub(crate) struct CompareArguments {
    /// Read the baseline from a data file
    #[arg(value_name = "BASELINE.toml", value_hint = ValueHint::FilePath)]
    pub(super) baseline: PathBuf,
    /// Read the variant from a data file
    #[arg(value_name = "VARIANT.toml", value_hint = ValueHint::FilePath)]
    pub(super) variant: PathBuf,
    /// Select the game [default: the_river]
    #[arg(long)]
    game: Option<String>,
    /// Set the number of players [default: the minimum of the game]
    ///
    /// With several, as in 2..4 or 2,4, each is played in a folder of its own, OUT/players_N, and
    /// OUT/report.html has all side by side.
    #[arg(long, value_name = "N")]
    players: Option<PlayerNumbers>,
    #[command(flatten)]
    pub(crate) comparison: ComparisonArguments,
}

impl CompareArguments {
    /// Returns the flags of a study of several numbers of players.
    pub(crate) fn several_players(&mut self) -> SeveralPlayers<'_> {
        SeveralPlayers {
            game: self.game_arguments(&self.baseline),
            players: &mut self.players,
            output: &mut self.comparison.output,
            bots: self.comparison.lineups.named_bots(),
            resume: self.comparison.parts.resume,
            is_shard: self.comparison.parts.shard.is_some(),
            refused: None,
        }
    }
}

impl CompareArguments {
    /// Returns the flags that select the game on one of the data files.
    pub(super) fn game_arguments(&self, file: &Path) -> GameArguments {
        GameArguments {
            game: self.game.clone(),
            config: Some(file.to_owned()),
            players: self.players.clone(),
        }
    }
}

/// Flags of all comparisons of data files.
#[derive(Args, Debug)]
pub(crate) struct ComparisonArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup under each data file, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count(1..=u64::MAX))]
    pub(super) games: u64,
    /// Compare the items of a family only, and the edited items: a table, as in `tiles`, or a
    /// property, as in `meadow`; may be repeated
    #[arg(long, value_name = "FAMILY")]
    pub(super) only: Vec<String>,
    /// Set the smallest change of a rate that matters, in percentage points
    #[arg(long, value_name = "POINTS", default_value = "1pp")]
    matters: Margin,
    /// Set the smallest change of the number of rounds that matters
    #[arg(long, value_name = "ROUNDS", default_value = "0.25", value_parser = parse_change)]
    matters_rounds: f64,
    /// Judge if rates of the game and of edited items change by more or less than this many
    /// percentage points, in margins.csv; also sets --matters
    #[arg(long, value_name = "POINTS", conflicts_with = "matters")]
    pub(super) margin: Option<Margin>,
    #[command(flatten)]
    pub(super) adaptation: AdaptationArguments,
    #[command(flatten)]
    pub(crate) parts: PartArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

impl ComparisonArguments {
    /// Returns the smallest changes that matter.
    pub(super) fn margins(&self) -> Margins {
        Margins { rate: self.margin.unwrap_or(self.matters).share(), rounds: self.matters_rounds }
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

    /// Returns the command that repeats the study, which begins with `command`.
    pub(super) fn repeat_command(
        &self,
        command: RepeatCommand,
        lineups: &[Vec<BotFactory>],
    ) -> RepeatCommand {
        let command = command
            .flag_and_value(self.lineups.flag_and_value(lineups))
            .option("--games", self.games)
            .options("--only", &self.only);
        let command = self.adaptation.add_to(command);
        let command = match self.margin {
            Some(margin) => command.option("--margin", margin),
            None => command.option("--matters", self.matters),
        };
        command
            .option("--matters-rounds", self.matters_rounds)
            .option("--seed", self.output.run.seed())
    }
}

/// Parses a positive number.
fn parse_change(text: &str) -> Result<f64, String> {
    let change = text.parse().ok().filter(|&change: &f64| change.is_finite() && change > 0.0);
    change.ok_or_else(|| "expected a number above 0, as in 0.25".to_owned())
}
