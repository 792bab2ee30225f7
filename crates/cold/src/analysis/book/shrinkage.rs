//! Shrinkage of effects towards those of coarser groups of situations.
//!
//! An effect with n forks and the mean x becomes (n·x + m·θ) / (n + m), where θ is the shrunk
//! effect of the action in the next coarser group, and 0 for the coarsest: the mean over what the
//! policy would choose. The weight m maximises the likelihood of the effects of the level, if x is
//! normal around the true effect with the variance σ²/n and the true effect normal around θ with
//! the variance σ²/m; σ² is the mean variance of a fork (an empirical Bayes estimate; Efron and
//! Morris, *Journal of the American Statistical Association* 70, 1975). With the share
//! b = m / (n + m) of θ, the variance of the shrunk effect is (1 − b) Var(x) + b² Var(θ).
//!
//! It is used if it predicts fresh games better: effects are shrunk within the even games, and
//! compared with the means of the odd games, and the other way round.

use std::collections::BTreeMap;

use super::tally::{ActionSums, BookTally, EFFECT_UNIT, SituationKey};
use crate::stats::{
    paired::{MIN_BLOCKS, mean_of_differences},
    ratio::Ratio,
};

/// A shrunk effect.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct ShrunkEffect {
    pub(super) value: f64,
    /// Variance of the true effect around the value.
    pub(super) variance: f64,
}

/// Effects by group and action.
pub(super) type Effects = BTreeMap<(SituationKey, u8), ShrunkEffect>;

/// A selection of the forks of an action.
type Select = fn(&ActionSums) -> Ratio;

/// All forks, and the halves.
const ALL: Select = ActionSums::all_effects;
const HALVES: [Select; 2] = [|sums| sums.effect[0], |sums| sums.effect[1]];

/// Returns the shrunk effects.
pub(super) fn estimate(tally: &BookTally) -> Effects {
    let levels = tally.situations.keys().map(SituationKey::level).max().unwrap_or(0);
    let mut effects = Effects::new();
    let mut halves = [Effects::new(), Effects::new()];
    for level in 1..=levels {
        let all = Level::new(tally, level, ALL, &effects);
        let of_halves = [0, 1].map(|half| Level::new(tally, level, HALVES[half], &halves[half]));
        let weights = of_halves.each_ref().map(Level::best_weight);
        let (mut error_of_means, mut error_of_shrunk) = (0.0, 0.0);
        for (here, there) in [(0, 1), (1, 0)] {
            for (key, item) in &of_halves[here].items {
                let Some(fresh) = of_halves[there].items.get(key) else { continue };
                error_of_means += fresh.forks * (item.mean - fresh.mean).powi(2);
                let shrunk = item.shrunk(weights[here], 0.0).value;
                error_of_shrunk += fresh.forks * (shrunk - fresh.mean).powi(2);
            }
        }
        let is_used = error_of_shrunk < error_of_means;
        let used = |weight| if is_used { weight } else { 0.0 };
        effects.extend(all.shrunk(used(all.best_weight())));
        for half in 0..2 {
            halves[half].extend(of_halves[half].shrunk(used(weights[half])));
        }
    }
    effects
}

/// An effect and that of the coarser group.
struct NestedEffect {
    forks: f64,
    mean: f64,
    /// Variance of the mean; `None` if the forks are too few or do not vary.
    variance: Option<f64>,
    parent: ShrunkEffect,
}

impl NestedEffect {
    /// Returns the shrunk effect, with the variance of a fork for means without one of their own.
    fn shrunk(&self, weight: f64, of_fork: f64) -> ShrunkEffect {
        let share = weight / (self.forks + weight);
        let variance = self.variance.unwrap_or(of_fork / self.forks);
        ShrunkEffect {
            value: (1.0 - share) * self.mean + share * self.parent.value,
            variance: (1.0 - share) * variance + share * share * self.parent.variance,
        }
    }
}

/// The effects of a level.
struct Level {
    items: BTreeMap<(SituationKey, u8), NestedEffect>,
    /// Mean variance of a fork.
    variance: f64,
}

impl Level {
    fn new(tally: &BookTally, level: usize, select: Select, parents: &Effects) -> Self {
        let (mut items, mut variances, mut forks) = (BTreeMap::new(), 0.0, 0.0);
        for (key, sums) in tally.situations.iter().filter(|(key, _)| key.level() == level) {
            let coarser = key.parent();
            for (&code, action) in &sums.actions {
                let selected = select(action);
                let parent = match &coarser {
                    Some(coarser) => parents.get(&(coarser.clone(), code)).copied(),
                    None => Some(ShrunkEffect::default()),
                };
                let Some(parent) = parent.filter(|_| selected.n > 0) else { continue };
                let blocks = selected.blocks as f64;
                let effect = mean_of_differences(&selected, EFFECT_UNIT);
                let variance = effect.standard_error * effect.standard_error;
                if selected.blocks >= MIN_BLOCKS {
                    variances += blocks * blocks * variance;
                    forks += blocks;
                }
                let variance = effect.is_testable().then_some(variance);
                let mean = selected.value(EFFECT_UNIT);
                let item = NestedEffect { forks: blocks, mean, variance, parent };
                items.insert((key.clone(), code), item);
            }
        }
        Self { items, variance: if forks > 0.0 { variances / forks } else { 0.0 } }
    }

    /// Returns the weight of the coarser level with the highest likelihood, from 1 to 2²⁰ forks.
    fn best_weight(&self) -> f64 {
        const STEPS_PER_DOUBLING: u32 = 4;
        let weights = (0..=20 * STEPS_PER_DOUBLING)
            .map(|step| 2_f64.powf(f64::from(step) / f64::from(STEPS_PER_DOUBLING)));
        let scored = weights.map(|weight| (self.log_likelihood(weight), weight));
        scored.max_by(|one, other| one.0.total_cmp(&other.0)).map_or(0.0, |(_, weight)| weight)
    }

    fn log_likelihood(&self, weight: f64) -> f64 {
        if self.variance <= 0.0 {
            return 0.0;
        }
        let of_item = |item: &NestedEffect| {
            let variance = self.variance * (1.0 / item.forks + 1.0 / weight);
            -(variance.ln() + (item.mean - item.parent.value).powi(2) / variance) / 2.0
        };
        self.items.values().map(of_item).sum()
    }

    fn shrunk(&self, weight: f64) -> impl Iterator<Item = ((SituationKey, u8), ShrunkEffect)> {
        let of_fork = self.variance;
        self.items.iter().map(move |(key, item)| (key.clone(), item.shrunk(weight, of_fork)))
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use crate::rng::{Purpose, stream};

    /// Returns the weight of the second level.
    fn weight(tally: &BookTally) -> f64 {
        Level::new(tally, 2, ALL, &estimate(tally)).best_weight()
    }

    /// Returns a book with 200 groups of one action whose true effects have this standard deviation
    /// around 0, with 40 forks each.
    fn book(spread: f64) -> BookTally {
        let mut rng = stream(3, 0, 0, Purpose::Playout);
        let mut normal = move || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let mut tally = BookTally::default();
        for group in 0..200 {
            let effect = spread * normal();
            let key = SituationKey {
                turn_position: 0,
                step: 0,
                starter: None,
                open: vec![format!("group {group}")],
            };
            for fork in 0..40 {
                let x = (EFFECT_UNIT as f64 * (effect + 0.5 * normal())).round() as i64;
                for key in key.clone().ancestors() {
                    let sums = tally.situations.entry(key).or_default();
                    sums.actions.entry(1).or_default().effect[fork % 2].add_block(1, x);
                }
            }
        }
        tally
    }

    #[test]
    fn the_weight_is_the_ratio_of_the_variances() {
        // σ² = 0.25; with a spread of 0.05, m = 0.25 / 0.0025 = 100 forks.
        let tally = book(0.05);
        let effects = estimate(&tally);
        assert!((60.0..170.0).contains(&weight(&tally)), "{}", weight(&tally));
        let root = SituationKey { turn_position: 0, step: 0, starter: None, open: vec![] };
        let parent = effects[&(root, 1)];
        for (key, sums) in tally.situations.iter().filter(|(key, _)| key.level() == 2) {
            let mean = sums.actions[&1].all_effects().value(EFFECT_UNIT);
            let shrunk = effects[&(key.clone(), 1)];
            assert!((shrunk.value - parent.value).abs() < (mean - parent.value).abs());
            // σ² / (n + m) = 0.25 / 140, and a little for the coarser level.
            let error = shrunk.variance.sqrt();
            assert!((0.025..0.06).contains(&error), "{error}");
        }
    }

    /// The 95 % intervals of shrunk effects contain 95 % of the true ones.
    #[test]
    fn intervals_of_shrunk_effects_hold() {
        let effects = estimate(&book(0.05));
        let mut rng = stream(3, 0, 0, Purpose::Playout);
        let mut normal = move || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let inside = (0..200).filter(|group| {
            let truth = 0.05 * normal();
            (0..40).for_each(|_| _ = normal());
            let open = vec![format!("group {group}")];
            let key = SituationKey { turn_position: 0, step: 0, starter: None, open };
            let effect = effects[&(key, 1)];
            (effect.value - truth).abs() < 1.96 * effect.variance.sqrt()
        });
        let inside = inside.count();
        assert!((180..=198).contains(&inside), "{inside} of 200");
    }

    #[test]
    fn clear_differences_are_kept() {
        assert!(weight(&book(2.0)) < 2.0);
    }
}
