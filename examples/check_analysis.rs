//! Checks of the analysis that take too long for tests.
//!
//! ```console
//! $ cargo run --release --example check_analysis -- ledger 1000
//! ```
//!
//! Each check prints its figures, and the program ends with exit code 1 if they miss their mark.
//! `results/analysis/README.md` has the results. The number of threads is that of
//! `RAYON_NUM_THREADS`, and the figures do not depend on it.

#![expect(clippy::print_stdout, reason = "command-line program")]

mod check_analysis {
    pub(crate) mod advice;
    pub(crate) mod calibration;
    pub(crate) mod ledger;
    pub(crate) mod openings;
    pub(crate) mod puzzles;
    pub(crate) mod reviews;
}

use std::{env, error::Error, path::Path, process::ExitCode};

use check_analysis::{advice, calibration, ledger, openings, puzzles, reviews};
use watershed::BuiltInGame;
use watershed::{
    Experiment, Seat,
    arena::record::Record,
    config::ConfigError,
    game::{Game, Turn},
    stats::{paired::Effect, ratio::Estimate},
};

const USAGE: &str = "\
Usage: check_analysis CHECK

Checks:
  headlines N SEED           best actions of `analyze` in N positions against the most visited ones
  stable N SEED              answers of `analyze --until-stable` with two seeds in N positions
  calibration TRACE RECORDS  win chances of a trace against the results of its games
  ledger N [SEED]            sums and luck in N games of each game
  reviews N SEED             reviews of N games of each of two bots against deep searches
  openings BOOK BOOK         the best rows of a book in another one with another seed
  puzzles FILE N             the first N puzzles of a file by searches of 10,000 iterations";

/// Result of a step that can fail.
pub(crate) type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Returns the records of games between copies of a bot.
pub(crate) fn records<G: BuiltInGame>(
    game: &G,
    bot: &str,
    seed: u64,
    games: u64,
) -> Fallible<Vec<Record>> {
    let lineup = vec![game.bot_library().read(bot)?; game.seats()];
    let experiment = Experiment { records: true, ..Experiment::new(&lineup, seed, 0..games) };
    let mut lines = String::new();
    experiment.run(game, &false.into(), &|_| (), |batch| {
        lines += &batch.records.concat();
        Ok::<_, ConfigError>(())
    })?;
    lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Decisions of a record between several actions: index of the event, position, seat and action.
pub(crate) type Decisions<G> = Vec<(usize, <G as Game>::State, Seat, <G as Game>::Action)>;

/// Returns the decisions of a record between several actions.
pub(crate) fn decisions<G: BuiltInGame>(game: &G, record: &Record) -> Fallible<Decisions<G>> {
    use watershed::game::ActionSet as _;
    let mut decisions = Vec::new();
    let step = |number, state: &G::State, action| {
        if let Turn::Seat(seat) = game.turn(state)
            && game.legal_actions(state).len() > 1
        {
            decisions.push((number, *state, seat, action));
        }
    };
    watershed::arena::record::replay_events(game, record, record.events.len(), step)?;
    Ok(decisions)
}

/// Returns the mean of independent values with its interval.
pub(crate) fn mean(values: &[f64]) -> Effect {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let freedom = (n - 1.0).max(1.0);
    Effect::new(values.len() as i64, mean, (squares / freedom / n).sqrt(), freedom)
}

/// Formats a share or a difference of shares in percent.
pub(crate) fn percent(estimate: Estimate) -> String {
    let Estimate { value, low, high, .. } = estimate;
    format!("{:.1} [{:.1}, {:.1}]", 100.0 * value, 100.0 * low, 100.0 * high)
}

fn check(arguments: &[&str]) -> Fallible<bool> {
    match *arguments {
        ["headlines", count, seed] => advice::check_headlines(count.parse()?, seed.parse()?),
        ["stable", count, seed] => advice::check_stable(count.parse()?, seed.parse()?),
        ["calibration", trace, records] => calibration::check(Path::new(trace), Path::new(records)),
        ["ledger", games] => ledger::check(games.parse()?, 2803),
        ["ledger", games, seed] => ledger::check(games.parse()?, seed.parse()?),
        ["reviews", games, seed] => reviews::check(games.parse()?, seed.parse()?),
        ["openings", one, other] => openings::check(Path::new(one), Path::new(other)),
        ["puzzles", file, count] => puzzles::check(Path::new(file), count.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match check(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!("The mark is missed.");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{error}");
            ExitCode::from(2)
        }
    }
}
