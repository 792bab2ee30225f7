//! Flags of `watershed calibrate`.

use clap::ArgAction;

use crate::{bots::kind::BotKind, run::arguments::read_bots, study::shared::prelude::*};

/// All decisions are kept in memory; this number of games needs less than 2 GB.
const MAX_GAMES: u64 = 100_000;

#[derive(Args, Debug)]
#[command(after_help = "\
The mean rewards of a search stand for win chances. calibration.csv compares \
them with the results of the games, by tenths of the chance, for the seat to move and for the \
others, for the position and for the chosen action. A tenth is calibrated if the mean chance is \
within 3 points of the share won, or within its 95 % confidence interval over blocks.

The command also fits a map from mean rewards to win chances, logistic scaling of the odds, and \
compares its chances too: those of each half of the games are from a map that is fitted to the \
other half. --write stores the map of all games, which `simulate --trace` then uses if the file is \
part of the program.

policy_rank.csv has, for each kind of action, the share of decisions in which the chosen action is \
first, or within the first three or five, of the prior of the search.

Examples:
  watershed calibrate --bots mcts:iterations=200 --games 500
  watershed calibrate --games 2000 --out calibration --resume
  watershed calibrate --players 3 --games 200 \\
      --write bots/the_river/calibration.toml
  watershed calibrate --game common_river --players 2 --mode coop --games 400")]
pub(crate) struct CalibrateArguments {
    /// Set the bot of each seat, or one bot for all seats; at least one must search
    ///
    /// A bot is a profile, a path or a kind, optionally with :key=value:key=value.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set,
          default_value = "mcts:iterations=1000")]
    bots: Vec<String>,
    /// Set the number of games, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
    /// Use only the games of a mode, of those that chance draws
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// Add the map to a file of maps, or replace the one of the same bot, players, mode and
    /// iterations
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    pub(super) write: Option<PathBuf>,
}

impl CalibrateArguments {
    /// Reads the bots of the seats.
    pub(super) fn read_lineup(
        &self,
        library: &BotLibrary,
        players: usize,
    ) -> anyhow::Result<Vec<BotFactory>> {
        let lineup = read_bots(library, players, &self.bots, "--bots")?;
        let may_search = |bot: &BotFactory| {
            let kind = bot.parameters()["kind"].as_str().and_then(BotKind::from_name);
            kind.is_none_or(BotKind::searches)
        };
        if !lineup.iter().any(may_search) {
            bail!("--bots: expected a bot that searches, as in `mcts:iterations=200`");
        }
        if self.write.is_some() {
            let bot = &lineup[0];
            let name = bot.name();
            if lineup.iter().any(|other| other.name() != name) {
                bail!("--write: expected one bot in all seats");
            }
            let options = name.split_once(':').map_or("", |(_, options)| options);
            if !options.is_empty() && (!options.starts_with("iterations=") || options.contains(':'))
            {
                bail!("--write: expected a bot without options but `iterations`, found {name:?}");
            }
        }
        Ok(lineup)
    }
}
