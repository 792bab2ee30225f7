//! `watershed data`: prints the built-in data files, and checks others.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::{
    config::{ConfigError, Document, difference::Difference},
    games::{GameEntry, GameList},
    report::terminal::print,
    run::{ExitStatus, arguments::find_game},
};

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "A data file holds the components and the values of the rules of a game. Save \
one, edit it, check it, and give it to a command by --config.

The file may state ranges that figures should have. `simulate` judges them, and `balance search` \
looks for edits that reach them. Others are games_won, leader_at_half_wins, lead_changes, \
dead_items, must_take_items, shared_wins and nobody_won:
  [targets]
  first_player = [0.47, 0.53]
  rounds = [4.5, 5.5]

Examples:
  watershed data the_river > my_river.toml
  watershed data check my_river.toml
  watershed simulate --config my_river.toml"
)]
pub(crate) struct DataArguments {
    #[command(subcommand)]
    command: Option<DataCommand>,
    /// Print the built-in data file of this game
    game: Option<String>,
}

#[derive(Subcommand, Debug)]
enum DataCommand {
    /// Check a data file, and list its differences from the built-in one
    #[command(
        after_help = "Lists the values that differ from the built-in data file of the game. \
Exit code 2 if the file is invalid.

Example:
  watershed data check my_river.toml"
    )]
    Check(CheckArguments),
}

#[derive(Args, Debug)]
struct CheckArguments {
    /// Check this data file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Select the game [default: the game whose built-in file has most keys of the file]
    #[arg(long)]
    game: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(games: GameList, arguments: &DataArguments) -> anyhow::Result<ExitStatus> {
    match (&arguments.command, &arguments.game) {
        (Some(DataCommand::Check(arguments)), _) => check(games, arguments),
        (None, Some(game)) => {
            print(&find_game(games, game)?.default_document().text);
            Ok(ExitStatus::Success)
        }
        (None, None) => anyhow::bail!("expected the name of a game or `check FILE`; see --help"),
    }
}

/// Result of checking a data file.
#[derive(Serialize)]
struct CheckResult {
    file: String,
    game: &'static str,
    /// Numbers of players that the file is for.
    players: Vec<usize>,
    /// Differences from the built-in file of the game.
    differences: Vec<Difference>,
}

fn check(games: GameList, arguments: &CheckArguments) -> anyhow::Result<ExitStatus> {
    let document = Document::read(&arguments.file)?;
    let game = match &arguments.game {
        Some(name) => find_game(games, name)?,
        None => most_similar_game(games, &document)?,
    };
    let players = game.validate_all(&document)?;
    let differences = document.differences_from(&game.default_document())?;
    let result = CheckResult { file: document.name, game: game.id, players, differences };
    if arguments.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&result)?));
    } else {
        print(&result.text(game));
    }
    Ok(ExitStatus::Success)
}

impl CheckResult {
    fn text(&self, game: &GameEntry) -> String {
        let players = match self.players[..] {
            [1] => "1 player".to_owned(),
            [players] => format!("{players} players"),
            [first, .., last] => format!("{first} to {last} players"),
            [] => unreachable!("a valid file is for at least one number of players"),
        };
        let differences = match self.differences.len() {
            0 => "the same values as the built-in file".to_owned(),
            1 => "1 difference from the built-in file:".to_owned(),
            count => format!("{count} differences from the built-in file:"),
        };
        let mut text =
            format!("{} is valid for {} with {players}; {differences}\n", self.file, game.title);
        for difference in &self.differences {
            text += &format!("  {difference}\n");
        }
        text
    }
}

/// Returns the game whose built-in data file has most top-level keys of a file.
fn most_similar_game(
    games: GameList,
    document: &Document,
) -> Result<&'static GameEntry, ConfigError> {
    let found = document.table()?;
    let mut best = (0, games.default_game());
    for game in games.all() {
        let known = game.default_document().table()?;
        let shared = known.keys().filter(|key| found.contains_key(*key)).count();
        if shared > best.0 {
            best = (shared, game);
        }
    }
    Ok(best.1)
}
