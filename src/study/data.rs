//! `watershed data`: prints the built-in data files, checks others, and brings components out to
//! spreadsheets and back.

mod components;
mod vary;

use clap::Subcommand;
pub(crate) use components::read_table;
use components::{ExportArguments, ImportArguments};
use vary::VaryArguments;

use crate::{config::difference::Difference, run::arguments::find_game, study::shared::prelude::*};

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
  watershed data export my_river.toml --csv tables
  watershed data import tables --out new_river.toml
  watershed data vary the_river --count 24 --out varied
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
    /// Write the components of a data file as tables, one for each list
    #[command(after_help = "\
Each list of components is a table: tile.csv has a row for each `[[tile]]`, \
a column for each value, and the marks of the origin of its values. Entries of a list in a cell \
are separated by |. data.toml has all other values.

Example:
  watershed data export the_river --csv tables --format excel-eu")]
    Export(ExportArguments),
    /// Write a data file with the components of tables
    #[command(after_help = "\
Reads tables of `data export` that a spreadsheet changed: cells separated by \
commas, semicolons or tabs, with decimal points or commas. A row is an entry of the list; entries \
without a row are left out, and an empty cell removes a value. Unchanged values keep their text \
and their comments. Other columns are named and not read. A column may have the last part of a \
key, as in `wood` for `cost.wood`. Lists the differences from the data file. Exit code 2 if the \
result is invalid.

Examples:
  watershed data import tables --out my_river.toml
  watershed data import building.csv --config my_river.toml --out new_river.toml")]
    Import(ImportArguments),
    /// Write data files with random edits
    #[command(
        after_help = "The files have 1 to 6 random edits in The River and 1 to 4 in the other \
games, within the ranges of the game, as those that `train --edits` plays on. --ranges names other \
keys that vary; configs/edits in the sources has the files of the games. The game accepts all \
files. Comments are lost.

Example:
  watershed data vary the_river --count 24 --seed 99 --out varied"
    )]
    Vary(VaryArguments),
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
        (Some(DataCommand::Export(arguments)), _) => components::export(games, arguments),
        (Some(DataCommand::Import(arguments)), _) => components::import(games, arguments),
        (Some(DataCommand::Vary(arguments)), _) => vary::run(games, arguments),
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
    /// Differences from another file.
    differences: Vec<Difference>,
}

fn check(games: GameList, arguments: &CheckArguments) -> anyhow::Result<ExitStatus> {
    let document = Document::read(&arguments.file)?;
    let game = match &arguments.game {
        Some(name) => find_game(games, name)?,
        None => most_similar_game(games, &document)?,
    };
    let result = CheckResult::new(game, &document, &game.default_document())?;
    if arguments.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&result)?));
    } else {
        print(&result.text(game, "the built-in file"));
    }
    Ok(ExitStatus::Success)
}

impl CheckResult {
    /// Checks a data file, and compares it with another one.
    fn new(game: &GameEntry, document: &Document, base: &Document) -> Result<Self, ConfigError> {
        let players = game.validate_all(document)?;
        let differences = document.differences_from(base)?;
        Ok(Self { file: document.shown_name().into_owned(), game: game.id, players, differences })
    }

    /// Returns the result as text, in which the other file is `base`.
    fn text(&self, game: &GameEntry, base: &str) -> String {
        let players = match self.players[..] {
            [1] => "1 player".to_owned(),
            [players] => format!("{players} players"),
            [first, .., last] => format!("{first} to {last} players"),
            [] => unreachable!("a valid file is for at least one number of players"),
        };
        let differences = match self.differences.len() {
            0 => format!("the same values as {base}"),
            1 => format!("1 difference from {base}:"),
            count => format!("{count} differences from {base}:"),
        };
        let mut text =
            format!("{} is valid for {} with {players}; {differences}\n", self.file, game.title);
        for difference in &self.differences {
            text += &format!("  {difference}\n");
        }
        text
    }
}

/// Reads a data file, or the built-in one of the game of this name.
fn read_source(
    games: GameList,
    source: &str,
) -> Result<(&'static GameEntry, Document), ConfigError> {
    if let Some(game) = games.find(source) {
        return Ok((game, game.default_document()));
    }
    let document = Document::read(Path::new(source))?;
    Ok((most_similar_game(games, &document)?, document))
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
