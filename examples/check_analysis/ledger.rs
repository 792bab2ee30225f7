//! Sums of the ledger, and the mean of the luck of each source.

use std::{collections::BTreeMap, sync::atomic::AtomicBool};

use rayon::prelude::*;
use watershed::BuiltInGame;
use watershed::{
    analysis::{
        ledger::{Annotator, LedgerSource},
        pair_search::PairedSearches,
        reason::Reasoner,
    },
    games::{
        GameDefinition, common_river::CommonRiver, glassworks::Glassworks, the_river::TheRiver,
    },
    stats::holm::holm_adjust,
};

use crate::{Fallible, mean, records};

/// Largest difference of the sums.
const TOLERANCE: f64 = 1e-9;
/// Largest mean luck, in standard errors.
const MAX_ERRORS: f64 = 2.6;

/// Annotates games of all games with a cheap evaluator, and prints the largest error of the sums
/// and the mean luck of each source. Returns true if all reach the mark.
pub(crate) fn check(games: u64, seed: u64) -> Fallible<bool> {
    println!("mean luck of player 1 in percentage points, over {games} games each (seed {seed})");
    let results = [
        check_game(&TheRiver::bind(&TheRiver::default_document(), 2)?, games, seed)?,
        check_game(&Glassworks::bind(&Glassworks::default_document(), 2)?, games, seed)?,
        check_game(&CommonRiver::bind(&CommonRiver::default_document(), 2)?, games, seed)?,
    ];
    let p_values: Vec<_> = results.iter().flat_map(|(_, p_values)| p_values.clone()).collect();
    let smallest = holm_adjust(&p_values).into_iter().fold(1.0, f64::min);
    println!("\n{} sources; smallest p-value, adjusted by Holm: {smallest:.2}", p_values.len());
    Ok(results.iter().all(|&(is_good, _)| is_good))
}

/// Returns true if the game reaches the marks, and the p-values of its sources.
fn check_game<G: BuiltInGame>(game: &G, games: u64, seed: u64) -> Fallible<(bool, Vec<f64>)> {
    let library = game.bot_library();
    // The identity holds for any search and any budget.
    let searches = [library.read("mcts:iterations=1")?];
    let annotator = Annotator {
        searches: PairedSearches { bots: &searches },
        luck_search: &searches[0],
        seed: 1,
        hinted: &[],
        reasoner: &Reasoner::read(&library)?,
        stop: &AtomicBool::new(false),
    };
    let records = records(game, "balanced", seed, games)?;
    let annotated = records.par_iter().map(|record| {
        let annotation = annotator.annotate(game, record, || ())?;
        let ledger = annotation.ledger();
        let error = |seat: usize| {
            let changes: f64 = ledger.iter().map(|row| row.changes[seat]).sum();
            (annotation.start[seat] + changes - annotation.end[seat]).abs()
        };
        let error = (0..game.seats()).map(error).fold(0.0, f64::max);
        let luck = ledger.iter().filter_map(|row| match row.source {
            LedgerSource::Luck(source) => Some((source, row.changes[0])),
            _ => None,
        });
        Ok((error, luck.collect::<BTreeMap<_, _>>()))
    });
    let annotated: Vec<_> = annotated.collect::<Fallible<_>>()?;
    let error = annotated.iter().map(|(error, _)| *error).fold(0.0, f64::max);
    println!("\n{}: largest error of a sum {error:.1e}", G::TITLE);
    let mut is_good = error < TOLERANCE;
    let mut p_values = Vec::new();
    for (source, name) in game.chance_sources().iter().enumerate() {
        let luck = annotated.iter().map(|(_, luck)| luck.get(&(source as u8)));
        let luck: Vec<f64> = luck.map(|luck| luck.copied().unwrap_or_default()).collect();
        let effect = mean(&luck);
        // A source with one outcome has no luck.
        if effect.standard_error < TOLERANCE {
            continue;
        }
        let errors = effect.value / effect.standard_error;
        println!(
            "{name:<22} {:>+6.2} ± {:.2} (standard error), {errors:>+5.2} standard errors",
            100.0 * effect.value,
            100.0 * effect.standard_error,
        );
        is_good &= errors.abs() <= MAX_ERRORS;
        p_values.push(effect.p_value());
    }
    Ok((is_good, p_values))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    #[test]
    fn games_add_up_and_luck_has_mean_0() {
        let game = CommonRiver::bind(&CommonRiver::default_document(), 1).unwrap();
        let (is_good, p_values) = check_game(&game, 6, 1).unwrap();
        assert!(is_good && !p_values.is_empty(), "{p_values:?}");
    }
}
