//! The settings of a search that follow from its options, and the options that contradict each
//! other.

use std::time::Duration;

use super::{
    kind::BotKind,
    options::{NonNegative, SearchOptions, Share},
};
use crate::{
    config::BoundedInteger,
    search::{
        clock::thread_cpu_time,
        mcts::{self, Branching, Budget, FinalChoice, Widening},
        reward::RewardFunction,
        select::{ChildSelection, SelectionRule},
        tree::MAX_VISITS,
    },
};

/// Iterations of a search without a limit.
const DEFAULT_ITERATIONS: u32 = 1000;

/// Name of playouts that follow the move-average sampling technique instead of a bot.
pub(super) const MAST: &str = "mast";

impl SearchOptions {
    /// Returns the settings of each search, with the total budget of all.
    pub(super) fn settings(&self) -> mcts::Settings {
        let widening = |factor: Option<NonNegative>, exponent: Share| {
            let exponent = exponent.get() as f32;
            factor.map(|factor| Widening { factor: factor.get() as f32, exponent })
        };
        let uses_mast = self.playout == MAST;
        mcts::Settings {
            budget: self.budget(),
            max_nodes: self.nodes.get(),
            max_depth: if self.kind == BotKind::Flat { 1 } else { u32::MAX },
            reward: RewardFunction {
                margin_weight: self.margin_weight.get() as f32,
                margin_scale: self.margin_scale.get() as f32,
                rank_weight: self.rank_weight.get() as f32,
            },
            selection: ChildSelection {
                rule: self.selection,
                exploration: self.exploration.get() as f32,
                bias: self.bias.get() as f32,
            },
            first_play_reduction: self.first_play_reduction.get() as f32,
            widening: widening(self.widening, self.widening_exponent),
            chance_nodes: widening(self.chance_nodes, self.chance_exponent),
            branching: self.branching,
            opponents: self.opponents,
            cut_off: self.cut_off.map(BoundedInteger::get),
            policy_refresh: self.policy_refresh.get() as f32,
            mast_epsilon: uses_mast.then_some(self.playout_epsilon.get() as f32),
            root_noise: 0.0,
            final_choice: self.final_choice,
            candidates: self.candidates.get(),
            deviation_share: self.deviation_share.get() as f32,
        }
    }

    /// Returns the given limits, or the default one.
    fn budget(&self) -> Budget {
        let is_limited = self.steps.is_some() || self.time_ms.is_some() || self.cpu_ms.is_some();
        let iterations = if is_limited { MAX_VISITS } else { DEFAULT_ITERATIONS };
        Budget {
            iterations: self.iterations.map_or(iterations, BoundedInteger::get),
            steps: self.steps.map_or(u64::MAX, |steps| steps.get().into()),
            time: self.time_ms.map(|time| Duration::from_millis(time.get().into())),
            cpu_time: self.cpu_ms.map(|time| Duration::from_millis(time.get().into())),
        }
    }

    /// Returns the first option that requires another option or excludes it, with a message.
    pub(super) fn contradiction(&self) -> Option<(&'static str, &'static str)> {
        const PRIOR: &str = "expected a `prior` with it";
        const VALUE: &str = "expected a `value` with it";
        const SHARED: &str = "expected `branching` to be `shared` with it";
        const PUCT: &str = "expected `selection` to be `puct` with it";
        const NO_HALVING: &str = "expected `final_choice` not to be `halving` with it";
        let is_puct = self.selection == SelectionRule::Puct;
        let is_shared = self.branching == Branching::Shared;
        let reuses = self.reuse.get() > 0.0;
        // Sequential halving assumes that all visits are equal at the start.
        let halves = self.final_choice == FinalChoice::Halving;
        let (no_prior, no_value) = (self.prior.is_none(), self.value.is_none());
        let no_cpu_clock = self.cpu_ms.is_some() && thread_cpu_time().is_none();
        let contradictions = [
            (no_cpu_clock, "cpu_ms", "not available in this build; use `time_ms`"),
            (is_puct && no_prior, "selection", "expected a `prior` with `puct`"),
            (self.bias.get() > 0.0 && no_prior, "bias", PRIOR),
            (self.widening.is_some() && no_prior, "widening", PRIOR),
            (self.cut_off.is_some() && no_value, "cut_off", VALUE),
            (self.chance_nodes.is_some() && !is_shared, "chance_nodes", SHARED),
            (reuses && !is_shared, "reuse", SHARED),
            (reuses && halves, "reuse", NO_HALVING),
            (self.deviation_share.get() > 0.0 && !is_puct, "deviation_share", PUCT),
            (self.prior_temperature.is_some() && no_prior, "prior_temperature", PRIOR),
            (self.value_temperature.is_some() && no_value, "value_temperature", VALUE),
        ];
        let found = contradictions.into_iter().find(|&(contradicts, ..)| contradicts);
        found.map(|(_, key, message)| (key, message))
    }
}
