//! Studies from code: the games are played here, and a command of the program writes its files.
//!
//! ```console
//! $ cargo run --release --example study_from_code
//! ```
//!
//! The question is whether a building of The River that costs one wood less favours the first
//! player.

#![expect(clippy::print_stdout, reason = "command-line program")]

use std::{error::Error, fs, path::Path};

use watershed::{
    arena::run::Experiment,
    cli::run_command,
    config::Document,
    game::UNITS_PER_WIN,
    games::{BuiltInGame as _, GameDefinition, built_in_games, the_river::TheRiver},
    stats::ratio::Estimate,
};

/// Returns The River's data with a building that costs one wood instead of two.
fn cheaper() -> Result<Document, Box<dyn Error>> {
    let document = TheRiver::default_document();
    let cost = document.scalar("building.w2c1.cost.wood")?;
    let value = cost.parse_values("1", 1)?.remove(0);
    Ok(document.with_value(&cost, &value))
}

/// Returns the win rate of the seat that moves first in games of the bot `balanced`.
fn first_player_win_rate(document: &Document, games: u64) -> Result<Estimate, Box<dyn Error>> {
    let game = TheRiver::bind(document, 2)?;
    let bots = vec![game.bot_library().read("balanced")?; 2];
    let tally = Experiment::new(&bots, 1, 0..games).play(&game);
    // Results of the only distinct bot at turn position 0.
    Ok(tally.turn_order[0][0].wins.rate(UNITS_PER_WIN))
}

/// Compares both data files in `folder` with the command `balance compare`.
fn compare(folder: &Path, games: u64) -> Result<(), Box<dyn Error>> {
    let file = |name: &str| folder.join(name).display().to_string();
    fs::create_dir_all(folder)?;
    fs::write(file("base.toml"), TheRiver::default_document().text)?;
    fs::write(file("cheaper.toml"), cheaper()?.text)?;
    let (games, out) = (games.to_string(), file("comparison"));
    let (base, cheaper) = (file("base.toml"), file("cheaper.toml"));
    let command = ["balance", "compare", &base, &cheaper, "--games", &games, "--bots", "balanced"];
    run_command(
        built_in_games(),
        command.into_iter().chain(["--quiet", "--force", "--out", &out]),
    )?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    for (name, document) in [("base", TheRiver::default_document()), ("cheaper", cheaper()?)] {
        let Estimate { n, value, low, high, .. } = first_player_win_rate(&document, 4000)?;
        println!(
            "{name}: the first player wins {:.1} % [{:.1}, {:.1}] of {n} games",
            100.0 * value,
            100.0 * low,
            100.0 * high
        );
    }
    compare(Path::new("results/study_from_code"), 4000)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    #[test]
    fn the_first_player_has_an_advantage() {
        let rate = first_player_win_rate(&TheRiver::default_document(), 1000).unwrap();
        assert!(rate.low > 0.5 && rate.high < 0.8 && rate.n == 1000, "{rate:?}");
    }

    #[test]
    fn the_comparison_finds_the_cheaper_building() {
        let folder = tempfile::tempdir().unwrap();
        compare(folder.path(), 4000).unwrap();
        let table = fs::read_to_string(folder.path().join("comparison/buildings.csv")).unwrap();
        let row = table.lines().find(|line| line.starts_with("w2c1,balanced,takers_win_share,"));
        assert!(row.is_some_and(|row| row.contains("significant")), "{table}");
    }
}
