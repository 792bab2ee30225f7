//! Flags of `watershed balance compare`.

use crate::{
    run::{arguments::OutputArguments, players::PlayerNumbers},
    study::shared::{
        comparison::arguments::ComparisonArguments, prelude::*, several_players::SeveralPlayers,
    },
};

#[derive(Args, Debug)]
#[command(after_help = "\
Both files are played on the same deals: in each block the same seed, the same \
chance and the same rotations of the bots. Differences are variant minus baseline, paired within \
blocks, with 95 % confidence intervals over blocks; with several variants, the intervals of a \
figure hold for all of them at once (Bonferroni). Items are matched by name. p_holm is \
adjusted by Holm's method for all rows with the same lineup: one family of the differences that \
the answer states, one of all others.

Flags:
  significant  p_holm < 0.05
  flips        significant with opposite signs for two lineups
  constant     the difference does not vary between blocks, so it has no test
  complement   the opposite of another row, such as the win rates of 2 players; not tested again
  added        only the variant has the item
  removed      only the baseline has the item

Several variants play the same deals, and each is compared with the baseline; p_holm is adjusted \
over all of them, and files.csv has them in place of differences.csv.

Tables: differences.csv (win shares of seats, turn positions and bots, rounds, scores, margins, \
lead changes, ...) and one for each item table (taken per game and per offer, win share of takers, \
points).

Examples:
  watershed data the_river > old.toml
  watershed data the_river | sed 's/trade_in = 3/trade_in = 2/' > cheaper.toml
  watershed balance compare old.toml cheaper.toml
  watershed balance compare cheaper.toml
  watershed balance compare old.toml cheaper.toml --players 3 --bots balanced
  watershed balance compare old.toml cheaper.toml dearer.toml
  watershed balance compare old.toml cheaper.toml --adapt --out results/adapted
  watershed balance compare old.toml cheaper.toml --games 2k \\
      --panel random,balanced,mcts:iterations=100 --out results/cheaper")]
pub(crate) struct CompareArguments {
    /// Read the baseline from a data file; a single file is a variant of the built-in one
    #[arg(value_name = "BASELINE.toml", value_hint = ValueHint::FilePath)]
    pub(super) baseline: PathBuf,
    /// Read one or several variants, each from a data file
    #[arg(value_name = "VARIANT.toml", value_hint = ValueHint::FilePath)]
    pub(super) variant: Vec<PathBuf>,
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
    #[command(flatten)]
    pub(crate) parts: PartArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

impl CompareArguments {
    /// Returns the flags of a study of several numbers of players.
    pub(crate) fn several_players(&mut self) -> SeveralPlayers<'_> {
        SeveralPlayers {
            game: self.game_arguments(Some(&self.baseline)),
            players: &mut self.players,
            output: &mut self.output,
            bots: self.comparison.lineups.named_bots(),
            parts: &mut self.parts,
            refused: None,
        }
    }
}

impl CompareArguments {
    /// Returns the data files, the baseline first; `None` is the built-in one.
    pub(super) fn files(&self) -> Vec<Option<&Path>> {
        let built_in = self.variant.is_empty().then_some(None);
        let named = [&self.baseline].into_iter().chain(&self.variant);
        built_in.into_iter().chain(named.map(|path| Some(path.as_path()))).collect()
    }

    /// Returns the flags that select the game on one of the data files.
    pub(super) fn game_arguments(&self, file: Option<&Path>) -> GameArguments {
        GameArguments {
            game: self.game.clone(),
            config: file.map(Path::to_path_buf),
            players: self.players.clone(),
        }
    }
}
