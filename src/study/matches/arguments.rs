//! The flags of `watershed match`.

use anyhow::{Context as _, bail};
use clap::{ArgAction, Args};

use crate::{
    bots::{BotFactory, profile::BotLibrary},
    run::{
        arguments::GameSelection, command::RepeatCommand, count::count, lineups::bot_names,
        margin::Margin,
    },
    stats::{confidence_sequence::ConfidenceSequence, sprt::Hypotheses},
    study::shared::pairing::{MatchMode, schedule::PairingEnd},
};

/// Default of `--games`, and the maximum of a match that ends when it is decided.
const DEFAULT_GAMES: u64 = 1000;
/// Default of `--games` with `--sprt`. A test usually stops long before it.
const DEFAULT_GAMES_OF_TEST: u64 = 100_000;

#[derive(Args, Debug)]
#[command(
    after_help = "A pairing is one bot against copies of another bot in all other seats, in all \
rotations. With more than 2 players a round robin plays each pairing both ways.

elo_wins is 400·log10((n-1)·p/(1-p)), with n seats and p the bot's share of the games that \
somebody won. pl_strength comes from one Plackett-Luce fit to the rankings of all games, lower \
ranks included; 400 points are odds of 10 to 1. Both are relative to the first bot. They differ \
where the model does not fit, and the program reports the largest deviation.

Without --games, --margin and --shard, two bots play until it is decided which is stronger, at \
most 1000 games. The looks are after 100 blocks and then after 1/8 more, and the intervals are \
valid at every look.

With --margin M, margins.csv has a verdict on the difference of each pairing: within M, beyond M, \
or open with the games that decide it.

With --sprt the exit code is 0 if H1 is accepted (the first bot is elo1 points stronger than the \
second), and 1 otherwise.

Examples:
  watershed match --bots balanced,builder,settler,meadow
  watershed match --players 3 --bots balanced,builder,random --games 3k
  watershed match --bots mcts:iterations=1000,expert,network2 \\
      --mode gauntlet --games 200 --out results/gauntlet
  watershed match --bots mine.toml,balanced --sprt 0,10,0.05,0.05"
)]
pub(crate) struct MatchArguments {
    /// Set the bots, two or more: profiles, paths or kinds, optionally with :key=value:key=value
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        action = ArgAction::Set,
        required = true
    )]
    bots: Vec<String>,
    /// Set the number of games per pairing, rounded up to whole blocks; the maximum with --sprt
    /// [default: 1000, or fewer if they decide between two bots; with --sprt 100000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=u64::MAX))]
    games: Option<u64>,
    /// Select the pairings [default: round-robin]
    #[arg(long, value_enum, conflicts_with = "sprt")]
    mode: Option<MatchMode>,
    /// Run a sequential probability ratio test of elo1 against elo0 with two bots
    #[arg(
        long,
        value_name = "elo0,elo1,alpha,beta",
        allow_hyphen_values = true,
        conflicts_with = "shard"
    )]
    pub(super) sprt: Option<Hypotheses>,
    /// Judge if win rates differ by more or less than this many percentage points, in margins.csv
    #[arg(long, value_name = "POINTS", conflicts_with = "sprt")]
    pub(super) margin: Option<Margin>,
}

impl MatchArguments {
    /// Reads the bots of the match, which must have different names.
    pub(super) fn read_bots(&self, library: &BotLibrary) -> anyhow::Result<Vec<BotFactory>> {
        let names = &self.bots;
        if names.len() < 2 {
            bail!("--bots: expected at least two bots, found {}", names.len());
        }
        if self.sprt.is_some() && names.len() != 2 {
            bail!("--sprt: expected two bots, found {}", names.len());
        }
        if let Some((_, name)) =
            names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
        {
            bail!("--bots: expected different bots, found `{name}` twice");
        }
        names.iter().map(|name| library.read(name).context("--bots")).collect()
    }

    /// Returns the pairings to play. A sequential test is about the first bot alone.
    pub(super) fn mode(&self) -> MatchMode {
        let default = if self.sprt.is_some() { MatchMode::Gauntlet } else { MatchMode::default() };
        self.mode.unwrap_or(default)
    }

    /// Returns the number of games of each pairing, not yet rounded up to whole blocks.
    pub(super) fn games_per_pairing(&self) -> u64 {
        let default = if self.sprt.is_some() { DEFAULT_GAMES_OF_TEST } else { DEFAULT_GAMES };
        self.games.unwrap_or(default)
    }

    /// Returns the end of each pairing. Two bots stop when it is decided which is stronger, if the
    /// user has asked neither for a number of games nor for another question. A shard can't know
    /// the results of the others.
    pub(super) fn end(&self, is_shard: bool, max_blocks: u64) -> PairingEnd {
        let is_fixed = self.games.is_some() || self.margin.is_some() || is_shard;
        match self.sprt {
            Some(hypotheses) => PairingEnd::Test(hypotheses),
            None if is_fixed || self.bots.len() > 2 => PairingEnd::AllGames,
            None => PairingEnd::Decided(ConfidenceSequence::up_to(max_blocks)),
        }
    }

    /// Returns the command that repeats the match between these bots.
    pub(super) fn repeat_command(
        &self,
        selection: &GameSelection,
        bots: &[BotFactory],
        end: PairingEnd,
    ) -> RepeatCommand {
        let games = end.sequence().is_none().then(|| self.games_per_pairing());
        let command = RepeatCommand::new("match")
            .game(selection)
            .option("--bots", bot_names(bots))
            .option_if("--games", games);
        let command = match self.sprt {
            Some(Hypotheses { elo0, elo1, alpha, beta }) => {
                command.option("--sprt", format!("{elo0},{elo1},{alpha},{beta}"))
            }
            None => command.option("--mode", self.mode().as_str()),
        };
        command.option_if("--margin", self.margin)
    }
}
