//! Win chances of searches, by the maps of the program, against the results of fresh games.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
};

use serde::Deserialize;
use watershed::{
    arena::record::{Decider, read_records},
    game::UNITS_PER_WIN,
    stats::ratio::Ratio,
};

use crate::{Fallible, percent};

/// Number of ranges of the chance.
const TENTHS: usize = 10;
/// Largest difference between the mean chance and the share won.
const TOLERANCE: f64 = 0.03;

/// A search, as `simulate --trace` writes it.
#[derive(Deserialize)]
struct Search {
    game: u64,
    decision: usize,
    seat: usize,
    win_chances: Option<Vec<f64>>,
    actions: Vec<Action>,
}

#[derive(Deserialize)]
struct Action {
    action: String,
    win_chances: Option<Vec<f64>>,
}

/// The game of a record as far as the check needs it.
struct Game {
    /// The actions of all seats in order.
    decisions: Vec<String>,
    /// The winning seats.
    winners: Vec<usize>,
}

/// The chances of one game in a tenth.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: i64,
    chances: f64,
    wins: i64,
}

/// Prints the mean chance of the seat to move and the share won by tenths of the chance, before the
/// decision and after the chosen action. Returns true if all tenths are within the tolerance.
pub(crate) fn check(trace: &Path, records: &Path) -> Fallible<bool> {
    let mut games = HashMap::new();
    for record in read_records(records)? {
        let record = record?;
        let decisions = record.events.into_iter();
        let decisions =
            decisions.filter(|(by, _)| matches!(by, Decider::Seat(_))).map(|(_, action)| action);
        let winners = record.winners.ok_or("an unfinished game")?;
        games.insert(record.index, Game { decisions: decisions.collect(), winners });
    }
    // By kind of chance, tenth and game.
    let mut sums: BTreeMap<(usize, usize, u64), Sums> = BTreeMap::new();
    for line in BufReader::new(File::open(trace)?).lines() {
        let search: Search = serde_json::from_str(&line?)?;
        let game = games.get(&search.game).ok_or("a game without a record")?;
        let chosen = game.decisions.get(search.decision).ok_or("an unknown decision")?;
        let action = search.actions.iter().find(|action| action.action == *chosen);
        let after = action.and_then(|action| action.win_chances.as_ref());
        let is_winner = game.winners.contains(&search.seat);
        let wins = if is_winner { UNITS_PER_WIN / game.winners.len() as i64 } else { 0 };
        for (kind, chances) in [search.win_chances.as_ref(), after].into_iter().enumerate() {
            let chance = *chances
                .and_then(|chances| chances.get(search.seat))
                .ok_or("expected a trace of a search whose win chances are calibrated")?;
            let tenth = ((chance * TENTHS as f64) as usize).min(TENTHS - 1);
            let sums = sums.entry((kind, tenth, search.game)).or_default();
            *sums = Sums { n: sums.n + 1, chances: sums.chances + chance, wins: sums.wins + wins };
        }
    }
    println!("{} games; chance of the seat to move in %", games.len());
    let mut is_good = true;
    for (kind, name) in ["before the decision", "after the chosen action"].iter().enumerate() {
        println!("\n{name}\ntenth      n        games  mean chance  won [95 % CI]");
        for tenth in 0..TENTHS {
            let (mut won, mut chances) = (Ratio::default(), 0.0);
            for (_, sums) in sums.range((kind, tenth, 0)..(kind, tenth + 1, 0)) {
                won.add_block(sums.n, sums.wins);
                chances += sums.chances;
            }
            let rate = won.rate(UNITS_PER_WIN);
            let mean = chances / rate.n as f64;
            let is_within = (mean - rate.value).abs() <= TOLERANCE;
            is_good &= is_within;
            println!(
                "{:.1}-{:.1} {:>7} {:>8} {:>10.1}    {}{}",
                tenth as f64 / TENTHS as f64,
                (tenth + 1) as f64 / TENTHS as f64,
                rate.n,
                won.blocks,
                100.0 * mean,
                percent(rate),
                match is_within {
                    true => "",
                    false if (rate.low..=rate.high).contains(&mean) => "  off, not significantly",
                    false => "  off",
                }
            );
        }
    }
    Ok(is_good)
}
