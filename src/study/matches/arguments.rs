//! The flags of `watershed match`.

use clap::ArgAction;

use crate::{
    run::panel::PanelEntry,
    study::shared::{
        pairing::{MatchMode, schedule::PairingEnd},
        prelude::*,
    },
};

/// Default of `--games`, and the maximum of a match that ends when it is decided.
const DEFAULT_GAMES: u64 = 1000;
/// Default of `--games` with `--sprt`. A test usually stops long before it.
const DEFAULT_GAMES_OF_TEST: u64 = 100_000;

/// Iterations of a search of the default ladder in all of its games, so that no search takes long.
const LADDER_ITERATIONS: u64 = 40_000;
/// The search of the default ladder of a game without opponents.
const DEFAULT_SEARCH: &str = "mcts:iterations=50";

#[derive(Args, Debug)]
#[command(after_help = "\
A pairing is one bot against copies of another bot in all other seats, in all \
rotations. With more than 2 players a round robin plays each pairing both ways.

elo_wins is 400·log10((n-1)·p/(1-p)), with n seats and p the bot's share of the games that \
somebody won. pl_strength comes from one Plackett-Luce fit to the rankings of all games, lower \
ranks included; 400 points are odds of 10 to 1. Both are relative to the first bot. They differ \
where the model does not fit, and the program reports the largest deviation.

Without --games, --margin and --shard, two bots play until it is decided which is stronger, at \
most 1000 games. The looks are after 100 blocks and then after 1/8 more, and the intervals are \
valid at every look.

--mode ladder plays each bot against the one before it, from weak to strong, and shows how much \
of the game is skill. ladder.csv has a row for each step. Columns:
  upset_share       share of the games with a winner that the weaker bot wins (with more than 2 \
players one of the weaker bots)
  games_to_know_95  games after which the better bot is ahead with a probability of 95 %: \
(1.645·s/d)² blocks, with the mean d and the standard deviation s of a block's result

With --margin M, margins.csv has a verdict on the difference of each pairing: within M, beyond M, \
or open with the games that decide it.

With --sprt the exit code is 0 if H1 is accepted (the first bot is elo1 points stronger than the \
second), and 1 otherwise.

Examples:
  watershed match --bots balanced,builder,settler,meadow
  watershed match --players 3 --bots balanced,builder,random --games 3k
  watershed match --bots mcts:iterations=1000,expert,second \\
      --mode gauntlet --games 200 --out results/gauntlet
  watershed match --bots mine.toml,balanced --sprt 0,10,0.05,0.05
  watershed match --mode ladder
  watershed match --mode ladder --bots random,expert,mcts:iterations=200@400")]
pub(crate) struct MatchArguments {
    /// Set the bots, two or more: profiles, paths or kinds, optionally with :key=value:key=value,
    /// or opponents by name, as Otter
    /// [default for a ladder: `random` and the opponents]
    ///
    /// NAME@GAMES plays at most GAMES games of each pairing.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    pub(super) bots: Option<Vec<PanelEntry>>,
    /// Set the number of games per pairing, rounded up to whole blocks; the maximum with --sprt
    /// [default: 1000, or fewer if they decide between two bots; with --sprt 100000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=u64::MAX))]
    games: Option<u64>,
    /// Select the pairings
    #[arg(long, value_enum, default_value = "round-robin", conflicts_with = "sprt")]
    mode: MatchMode,
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
    /// Returns the bots of the command line, which must have different names, or the default
    /// ladder of the game.
    pub(super) fn entries(&self, library: &BotLibrary) -> anyhow::Result<Vec<PanelEntry>> {
        let default = || match self.mode() {
            MatchMode::Ladder => default_ladder(library),
            MatchMode::RoundRobin | MatchMode::Gauntlet => Vec::new(),
        };
        let entries = self.bots.clone().unwrap_or_else(default);
        if entries.len() < 2 {
            bail!("--bots: expected at least two bots, found {}", entries.len());
        }
        if self.sprt.is_some() && entries.len() != 2 {
            bail!("--sprt: expected two bots, found {}", entries.len());
        }
        let is_repeated = |&(index, entry): &(usize, &PanelEntry)| {
            entries[..index].iter().any(|other| other.bot == entry.bot)
        };
        if let Some((_, entry)) = entries.iter().enumerate().find(is_repeated) {
            bail!("--bots: expected different bots, found `{}` twice", entry.bot);
        }
        Ok(entries)
    }

    /// Returns the pairings to play. A sequential test is about the first bot alone.
    pub(super) fn mode(&self) -> MatchMode {
        if self.sprt.is_some() { MatchMode::Gauntlet } else { self.mode }
    }

    /// Returns the number of games of each pairing, not yet rounded up to whole blocks.
    pub(super) fn games_per_pairing(&self) -> u64 {
        let default = if self.sprt.is_some() { DEFAULT_GAMES_OF_TEST } else { DEFAULT_GAMES };
        self.games.unwrap_or(default)
    }

    /// Returns the end of each pairing. Two bots stop when it is decided which is stronger, if the
    /// user has asked neither for a number of games nor for another question. A shard can't know
    /// the results of the others.
    pub(super) fn end(
        &self,
        entries: &[PanelEntry],
        is_shard: bool,
        max_blocks: u64,
    ) -> PairingEnd {
        let has_limit = entries.iter().any(|entry| entry.games.is_some());
        let is_fixed = self.games.is_some() || self.margin.is_some() || is_shard || has_limit;
        let is_ladder = self.mode() == MatchMode::Ladder;
        match self.sprt {
            Some(hypotheses) => PairingEnd::Test(hypotheses),
            None if is_fixed || is_ladder || entries.len() > 2 => PairingEnd::AllGames,
            None => PairingEnd::Decided(ConfidenceSequence::up_to(max_blocks)),
        }
    }
}

/// Reads the bots of a match.
pub(super) fn read_bots(
    library: &BotLibrary,
    entries: &[PanelEntry],
) -> anyhow::Result<Vec<BotFactory>> {
    entries.iter().map(|entry| library.read(&entry.bot).context("--bots")).collect()
}

/// Returns bots as a value of `--bots`.
pub(super) fn bots_text(entries: &[PanelEntry]) -> String {
    let text = |entry: &PanelEntry| match entry.games {
        Some(games) => format!("{}@{games}", entry.bot),
        None => entry.bot.clone(),
    };
    entries.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Returns the default ladder: random choices, then the opponents with names from weak to strong,
/// or the default bot and a search if the game has none.
fn default_ladder(library: &BotLibrary) -> Vec<PanelEntry> {
    let profiles = &library.profiles;
    let mut bots = vec!["random".to_owned()];
    bots.extend(profiles.opponents.iter().map(|opponent| opponent.bot.clone()));
    if profiles.opponents.is_empty() {
        bots.extend([profiles.default_bot, DEFAULT_SEARCH].map(str::to_owned));
    }
    bots.dedup();
    let iterations = |bot: &str| {
        let mut options = bot.split(':').filter_map(|option| option.strip_prefix("iterations="));
        options.next()?.parse::<u64>().ok()
    };
    let limited = |bot: String| {
        let games = iterations(&bot).map(|iterations| (LADDER_ITERATIONS / iterations).max(1));
        PanelEntry { bot, games }
    };
    bots.into_iter().map(limited).collect()
}
