//! Self-play, and the samples of its games.

use std::sync::Arc;

use super::Bound;
use crate::{
    bots::BotFactory,
    game::{PerSeat, facts::FactTable},
    games::GameDefinition,
    search::{Evaluator, heuristic::Heuristic, mcts::Settings, network::NetworkEvaluator},
    training::{
        network_search::NetworkSearch,
        samples::SampleSet,
        self_play::{self, FrozenOpponents, GameRecord, Sampling, SelfPlaySearch, Teacher},
    },
};

/// Player of all seats in self-play, or of one seat against others.
#[derive(Clone, Copy, Debug)]
pub enum SelfPlayer<'a> {
    /// Plays the action with the highest prior, or a random one with the probability `epsilon`.
    Heuristic {
        /// The heuristic.
        heuristic: &'a Heuristic,
        /// Probability of a random action.
        epsilon: f64,
    },
    /// Searches with a network.
    Search {
        /// The network.
        network: &'a NetworkEvaluator,
        /// Settings of the searches.
        search: &'a SelfPlaySearch,
        /// Players of the other seats; `None` if the search plays all seats.
        opponents: Option<FrozenOpponents<'a>>,
    },
}

/// Training with a game.
pub trait Train {
    /// Returns all facts of the game and the inputs that describe them; empty if it has none.
    fn fact_table(&self) -> Arc<FactTable>;

    /// Plays a game of a block.
    fn self_play(&self, player: SelfPlayer<'_>, seed: u64, block: u64) -> GameRecord;

    /// Replays a game and returns the final scores.
    fn final_scores(&self, record: &GameRecord, seed: u64) -> Option<PerSeat<i32>>;

    /// Replays a game and adds its samples to a set. `table` is the index of the table of facts.
    fn add_samples(
        &self,
        table: usize,
        record: &GameRecord,
        sampling: &Sampling,
        samples: &mut SampleSet,
    );

    /// Returns the bot that searches with a network, as in self-play.
    fn network_search(
        &self,
        name: &str,
        network: &NetworkEvaluator,
        settings: Settings,
        temperature: f64,
    ) -> BotFactory;
}

impl<G: GameDefinition> Train for Bound<G> {
    fn fact_table(&self) -> Arc<FactTable> {
        self.game.fact_table()
    }

    fn self_play(&self, player: SelfPlayer<'_>, seed: u64, block: u64) -> GameRecord {
        let teacher = match player {
            SelfPlayer::Heuristic { heuristic, epsilon } => {
                Teacher::Priors { evaluator: heuristic as &dyn Evaluator<G>, epsilon }
            }
            SelfPlayer::Search { network, search, opponents } => {
                Teacher::Search { network, search, opponents }
            }
        };
        self_play::play(&self.game, &teacher, seed, block)
    }

    fn final_scores(&self, record: &GameRecord, seed: u64) -> Option<PerSeat<i32>> {
        self_play::final_scores(&self.game, record, seed)
    }

    fn add_samples(
        &self,
        table: usize,
        record: &GameRecord,
        sampling: &Sampling,
        samples: &mut SampleSet,
    ) {
        self_play::add_samples(&self.game, table, record, sampling, samples);
    }

    fn network_search(
        &self,
        name: &str,
        network: &NetworkEvaluator,
        settings: Settings,
        temperature: f64,
    ) -> BotFactory {
        let network = network.clone();
        BotFactory::new::<G, _>(name, move || {
            NetworkSearch::new(network.clone(), settings, temperature)
        })
    }
}
