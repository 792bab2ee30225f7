//! Self-play, and the samples of its games.

use std::sync::Arc;

use super::BoundGame;
use crate::{
    bots::BotFactory,
    game::{
        Features as _, PerSeat,
        facts::{FactNumbers, FactTable},
    },
    search::{mcts::Settings, network::NetworkEvaluator},
    training::{
        samples::SampleSet,
        self_play::{self, GameRecord, Sampling, Teacher},
    },
};

impl BoundGame {
    /// Returns all facts of the game and the inputs that describe them; empty if it has none.
    pub fn fact_table(&self) -> Arc<FactTable> {
        self.rules.fact_table()
    }

    /// Plays a game of a block.
    pub fn self_play(&self, teacher: &Teacher<'_>, seed: u64, block: u64) -> GameRecord {
        self.rules.hot().self_play(teacher, seed, block)
    }

    /// Replays a game and returns the final scores.
    pub fn final_scores(&self, record: &GameRecord, seed: u64) -> Option<PerSeat<i32>> {
        self_play::final_scores(&self.rules, record, seed)
    }

    /// Replays a game and adds its samples to a set, where its facts have these numbers.
    pub fn add_samples(
        &self,
        facts: &FactNumbers,
        record: &GameRecord,
        sampling: &Sampling,
        samples: &mut SampleSet,
    ) {
        self.rules.hot().add_samples(facts, record, sampling, samples);
    }

    /// Returns the bot that searches with a network, as in self-play.
    pub fn network_search(
        &self,
        name: &str,
        network: &NetworkEvaluator,
        settings: Settings,
        temperature: f64,
    ) -> BotFactory {
        self.rules.hot().network_search(name, network.clone(), settings, temperature)
    }
}
