//! What is found by each of several bots, one after the other.

use crate::stats::holm::ERROR_RATE;

/// Which of some effects, values with their corrected p-values, have the other sign with other bots, beyond doubt with both. The effects of each
/// bot come after those of the one before, equally many of each.
pub(super) fn flips(effects: &[(f64, f64)], bots: usize) -> Vec<bool> {
    let signs: Vec<_> = effects.iter().map(|&(value, p)| if p < ERROR_RATE { value.signum() } else { 0.0 }).collect();
    let of_bot = signs.len() / bots.max(1);
    let with_others = |index: usize| signs.iter().skip(index % of_bot).step_by(of_bot);
    (0..signs.len()).map(|index| with_others(index).any(|other| other * signs[index] < 0.0)).collect()
}

/// What stands behind a title that is of one of several bots.
pub(super) fn by(name: &str, bots: usize) -> String {
    if bots > 1 { format!(", by {name}") } else { String::new() }
}
