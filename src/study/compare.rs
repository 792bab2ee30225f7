//! `watershed balance compare`: what another data file changes.

pub mod page;
pub mod play;
pub mod tables;

use std::path::PathBuf;

use clap::Args;

use crate::{
    games::GameName,
    run::{
        ExitStatus,
        arguments::{GameArguments, GameSelection},
        shell::shell_quote,
    },
    study::compare::play::{ComparisonArguments, ComparisonSpec, Labels, run_comparison},
};

#[derive(Args, Debug)]
#[command(
    after_help = "Both files are played on the same deals: block by block the same seed, the same \
chance and the same rotations of the bots. What is shown are differences, B - A, within blocks, \
with 95 % intervals over blocks. Items are matched by name. Every table is one family of tests; \
p_holm is the p-value after Holm's correction for all of its rows that are of the same bots. \
Flags: `significant`, p_holm < 0.05; `flips`, so with opposite signs for two bots; `constant`, the \
difference does not vary between blocks, so it has no test; `added` and `removed`, the item is in \
one file only.

Tables: differences.csv (win rates of seats, of places in the turn order and of bots, length, \
scores, margins, lead changes, ...) and one for each kind of item (taken per game and per offer, \
win rate of takers, points).

Examples:
  watershed balance compare configs/the_river.toml cheaper.toml
  watershed balance compare old.toml new.toml --players 3 --bots balanced
  watershed balance compare old.toml new.toml --games 2k \\
      --ladder random,balanced,mcts:iterations=100 --out results/cheaper"
)]
pub(crate) struct Arguments {
    /// The data file as it was
    #[arg(value_name = "A.toml")]
    a: PathBuf,
    /// The data file as it would be
    #[arg(value_name = "B.toml")]
    b: PathBuf,
    /// The game [default: the_river]
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// Number of players [default: the fewest the game takes]
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    #[command(flatten)]
    play: ComparisonArguments,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let Arguments { a, b, game, players, play: wishes } = arguments;
    let resolve = |file: &PathBuf| {
        GameArguments { game: *game, config: Some(file.clone()), players: *players }.resolve()
    };
    let [first, second] = [resolve(a)?, resolve(b)?];
    let GameSelection { game, players, .. } = first;
    let command = format!(
        "compare {} {} --game {} --players {players}",
        shell_quote(&a.display().to_string()),
        shell_quote(&b.display().to_string()),
        game.as_str()
    );
    let plan = ComparisonSpec {
        game,
        players,
        command,
        labels: Labels::SideBySide,
        variants: vec![first.into(), second.into()],
    };
    run_comparison(&plan, wishes)
}
