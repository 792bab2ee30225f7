//! Options of bots. Each option is declared once: key, type, default and description.

use std::{collections::BTreeMap, f64::consts::SQRT_2};

use serde::Serialize;

use super::{defaults::SearchDefaults, definition::BotDefinition, kind::BotKind};
use crate::{
    config::{BoundedInteger, ConfigError, KeyInfo, KeyType, Value},
    search::{
        mcts::{Branching, FinalChoice, Opponents},
        network::{MAX_CANDIDATES, NetworkBot},
        select::SelectionRule,
        tree::MAX_VISITS,
    },
};

/// Upper limit of weights: sums of products of larger weights could overflow.
const MAX_WEIGHT: f64 = 1e9;

/// Lower limit of temperatures and scales: with a smaller one, every difference of values would
/// decide with certainty.
const MIN_SCALE: f64 = 1e-3;

/// Defines a number that must lie in a range.
macro_rules! bounded_number {
    ($(#[$doc:meta])* $name:ident in $range:expr, $accepted:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug, Serialize)]
        pub(super) struct $name(f64);

        impl $name {
            pub(super) fn get(self) -> f64 {
                self.0
            }
        }

        impl KeyType for $name {
            fn accepted() -> String {
                $accepted
            }

            fn from_value(value: &Value) -> Option<Self> {
                f64::from_value(value).filter(|value| ($range).contains(value)).map(Self)
            }
        }
    };
}

bounded_number!(
    /// Factor by which a number grows.
    Factor in 1.0..=f64::MAX, "a number of at least 1".to_owned()
);
bounded_number!(
    /// Temperature or scale.
    Scale in MIN_SCALE..=f64::MAX, format!("a number of at least {MIN_SCALE}")
);
bounded_number!(
    /// Share or probability.
    Share in 0.0..=1.0, "a number from 0 to 1".to_owned()
);
bounded_number!(
    /// Non-negative number, small enough that products with it do not overflow.
    NonNegative in 0.0..=MAX_WEIGHT, format!("a number from 0 to {MAX_WEIGHT}")
);
bounded_number!(
    /// Weight of a feature.
    Weight in -MAX_WEIGHT..=MAX_WEIGHT, format!("a number from -{MAX_WEIGHT} to {MAX_WEIGHT}")
);

/// Weights by feature.
pub(super) type Weights = BTreeMap<String, Weight>;

/// Defines the options of some kinds of bots as a struct, with defaults applied, as in manifests.
///
/// A default can depend on the kind, the game, the locals, and the options declared before it. In
/// the locals, an option is `None` if the definition omits it.
macro_rules! options {
    (
        $(#[$meta:meta])*
        $name:ident($kind:ident, $game:ident) {
            $(let $local:ident = $value:expr;)*
            $(
                $(#[doc = $help:literal])+
                $(#[serde($($serde:tt)+)])?
                $key:ident: $type:ty = $default:expr;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Serialize)]
        pub(super) struct $name {
            pub(super) kind: BotKind,
            description: String,
            $($(#[doc = $help])+ $(#[serde($($serde)+)])? pub(super) $key: $type,)*
        }

        impl $name {
            /// Reads the options of a bot, with the defaults of its kind and of a game.
            pub(super) fn read(
                definition: &BotDefinition,
                $game: &SearchDefaults,
            ) -> Result<Self, ConfigError> {
                // Not all defaults depend on the game.
                let _ = $game;
                let $kind = definition.kind();
                let given = definition.root();
                given.check_keys(&["kind", "description", $(stringify!($key)),*])?;
                let description = given.option("description")?.unwrap_or_default();
                $(let $key = given.option::<$type>(stringify!($key))?;)*
                $(let $local = $value;)*
                $(let $key = $key.unwrap_or_else(|| $default);)*
                Ok(Self { kind: $kind, description, $($key,)* })
            }

            /// Returns the declarations of all options.
            #[allow(dead_code, reason = "not all kinds of bots have options")]
            pub(super) fn declarations() -> Vec<KeyInfo> {
                vec![$(KeyInfo {
                    key: stringify!($key).to_owned(),
                    help: concat!($($help),+).trim_ascii(),
                    accepted: <$type as KeyType>::accepted(),
                    ..KeyInfo::default()
                },)*]
            }
        }
    };
}

options! {
    /// Options of a bot that chooses at random: none.
    RandomOptions(kind, game) {}
}

options! {
    /// Options of a heuristic.
    HeuristicOptions(kind, game) {
        /// Probability of a uniformly random choice.
        epsilon: Share = Share(0.0);
        /// Choose by the odds against the opponents instead of by the own value.
        rivals: bool = false;
        /// Difference of value that multiplies the odds of winning by e.
        // About the margin, in points, at which values with a point as their unit, as in profiles
        // written by hand, begin to predict the winner.
        temperature: Scale = Scale(8.0);
        /// Weights of features, at the beginning of the game; required. Missing features have
        /// weight 0.
        weights: Option<Weights> = None;
        /// Weights at the end of the game; in between, weights are interpolated. If missing,
        /// weights are constant.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        weights_at_end: Weights = Weights::new();
        /// Hash of the data file that the bot was learned on, of the values that affect play. On
        /// other data, commands print a note.
        // Not a parameter of play.
        #[serde(skip)]
        data: Option<String> = None;
    }
}

options! {
    /// Options of a network.
    NetworkOptions(kind, game) {
        /// File with the weights, beside the profile; required. `{mode}` in its name stands for the
        /// mode of the game: a network for each.
        weights: Option<String> = None;
        /// Hash of the data file that the bot was learned on, of the values that affect play. On
        /// other data, commands print a note.
        // Not a parameter of play.
        #[serde(skip)]
        data: Option<String> = None;
        /// True if the bot has also learned from data files with the random edits of the game, so
        /// that the note is for other edits only.
        // Not a parameter of play.
        #[serde(skip)]
        edits: bool = false;
        /// Number of actions that are valued, those with the highest priors.
        candidates: BoundedInteger<1, { MAX_CANDIDATES as i64 }> =
            BoundedInteger::new(NetworkBot::CANDIDATES as i64);
        /// Weight of the win share after an action against the natural logarithm of its prior.
        value_weight: NonNegative = NonNegative(NetworkBot::VALUE_WEIGHT);
        /// Error of judgement, as of a person: scale of the Gumbel noise that is added to the sum
        /// of each candidate, so that the less an action loses, the likelier it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        noise: Option<NonNegative> = None;
        /// Probability of a uniformly random choice.
        epsilon: Share = Share(0.0);
    }
}

options! {
    /// Options of a bot that searches.
    SearchOptions(kind, game) {
        // `mcts` uses trained evaluators, unless playouts are configured.
        let trained = game.value.zip(game.prior)
            .filter(|_| kind == BotKind::Mcts && playout.is_none());
        let positive = |option: Option<Share>| option.is_some_and(|share| share.0 > 0.0);
        let needs_shared_tree = positive(reuse) || chance_nodes.is_some();
        let divides = trees.is_some_and(|trees| trees.get() > 1) && worlds != Some(true);

        /// Maximum number of iterations per decision; 1000 if no limit is
        iterations: Option<BoundedInteger<1, { MAX_VISITS as i64 }>> = None;
        /// Maximum number of events per decision: decisions and chance, in the tree and in
        /// playouts.
        steps: Option<BoundedInteger<1, { u32::MAX as i64 }>> = None;
        /// Maximum wall-clock time per decision in milliseconds. Runs with it are not reproducible.
        time_ms: Option<BoundedInteger<1, 3_600_000>> = None;
        /// Maximum CPU time per decision and tree in milliseconds, which other programs on the
        /// machine do not shorten. Runs with it are not reproducible.
        #[serde(skip_serializing_if = "Option::is_none")]
        cpu_ms: Option<BoundedInteger<1, 3_600_000>> = None;
        /// Number of trees, searched in parallel; they share the budget. Several trees of `mcts`
        /// choose by `halving`, which divides 8 `candidates` among them; with `worlds` or another
        /// `final_choice` they are independent.
        trees: BoundedInteger<1, 1024> = BoundedInteger::new(1);
        /// Draw one determinization per tree instead of one per iteration.
        worlds: bool = false;
        /// Maximum number of nodes per tree.
        nodes: BoundedInteger<64, 100_000_000> = BoundedInteger::new(i64::from(MAX_VISITS));
        /// Rule for choosing a child.
        selection: SelectionRule =
            if trained.is_some() { SelectionRule::Puct } else { SelectionRule::Ucb1 };
        /// Exploration constant of `selection`.
        exploration: NonNegative =
            NonNegative(if kind == BotKind::Uct { SQRT_2 } else { 0.3 });
        /// Heuristic or network that gives the prior probabilities of actions.
        prior: Option<String> = trained
            .filter(|_| selection == SelectionRule::Puct)
            .map(|(_, prior)| prior.to_owned());
        /// Factor by which the visits of a node grow before the policy of `prior`, if that is a
        /// network, is computed again for its new actions; 1 computes it for each of them.
        policy_refresh: Factor = Factor(4.0);
        /// Weight of progressive bias towards actions with a high prior.
        bias: NonNegative = NonNegative(0.0);
        /// Share by which the value of an unvisited child is below that of its parent.
        first_play_reduction: Share = Share(if trained.is_some() { 0.2 } else { 0.0 });
        /// Progressive widening: a node with n visits has at most `widening` ·
        /// n^`widening_exponent` children, those with the highest prior.
        widening: Option<NonNegative> = None;
        /// Exponent of `widening`.
        widening_exponent: Share = Share(0.5);
        /// Chance nodes: at most `chance_nodes` · n^`chance_exponent` outcomes; without it, chance
        /// is redrawn in every iteration and has no nodes.
        chance_nodes: Option<NonNegative> = None;
        /// Exponent of `chance_nodes`.
        chance_exponent: Share = Share(0.5);
        /// Decisions in a tree: `shared` (one tree, all seats), `per-seat` (a tree per seat, all
        /// decisions) or `own-moves` (a tree per seat, its own decisions).
        branching: Branching = if game.own_moves && trained.is_some() && !needs_shared_tree {
            Branching::OwnMoves
        } else {
            Branching::Shared
        };
        /// Model of the opponents: `max-n` (each maximises its own reward) or `paranoid` (all
        /// minimise the reward of the searching seat).
        opponents: Opponents = Opponents::MaxN;
        /// Policy of playouts: a bot that does not search, or `mast`.
        playout: String =
            if kind == BotKind::Uct { BotKind::Random.name() } else { game.playout }.to_owned();
        /// Probability of a uniformly random action in playouts of a heuristic, of a network or of
        /// `mast`.
        playout_epsilon: Share = Share(0.0);
        /// Number of rounds after which a playout stops and `value` evaluates the position.
        cut_off: Option<BoundedInteger<0, 1000>> = trained.map(|_| BoundedInteger::new(0));
        /// Heuristic or network that evaluates positions, for `cut_off`.
        value: Option<String> = trained.map(|(value, _)| value.to_owned());
        /// Temperature of `value`, in place of the one in its profile; 1 for a network.
        value_temperature: Option<Scale> = None;
        /// Share of the score margin in the reward; the rest is the win.
        margin_weight: Share =
            Share(if kind == BotKind::Uct || cut_off.is_some() { 0.0 } else { 0.5 });
        /// Score margin, in points, at which the margin's part of the reward is 0 or 1.
        margin_scale: Scale = Scale(30.0);
        /// Share of the rank in the reward.
        rank_weight: Share = Share(0.0);
        /// Rule for the final choice: `visits`, `value`, `bound` (the value less its standard
        /// error), or `halving` (sequential halving).
        final_choice: FinalChoice = {
            let is_small = iterations.is_some_and(|iterations| iterations.get() <= 64);
            if trained.is_none() {
                FinalChoice::Visits
            } else if (is_small || game.halving || divides) && prior.is_some() && !positive(reuse) {
                FinalChoice::Halving
            } else {
                FinalChoice::Bound
            }
        };
        /// Number of actions among which `halving` divides the iterations, those with the highest
        /// priors; without `prior` all of them.
        candidates: BoundedInteger<1, 65535> = BoundedInteger::new(if divides { 8 } else { 4 });
        /// Temperature of `prior`, in place of the one in its profile or of 1 for a network. The
        /// default is that of the game for its own `prior`, and none with `halving`.
        prior_temperature: Option<Scale> = game
            .prior_temperature
            .filter(|_| trained.is_some() && prior.as_deref() == game.prior)
            .filter(|_| final_choice != FinalChoice::Halving)
            .map(Scale);
        /// Share of `exploration` that is in proportion to the standard deviation of the rewards of
        /// a position, which is 0.1 for the whole of it; only with `puct`.
        deviation_share: Share = {
            let searches_by_deviation = trained.is_some()
                && selection == SelectionRule::Puct
                && (final_choice != FinalChoice::Halving || divides);
            // With all of it, equal rewards would end exploration.
            Share(if searches_by_deviation { 0.8 } else { 0.0 })
        };
        /// Share of the visits that the tree keeps from one decision to the next.
        reuse: Share = Share(0.0);
    }
}
