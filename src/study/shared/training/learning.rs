//! Learning from the games of a training, and the test of the network that has learned.

use rand::seq::SliceRandom as _;
use rayon::prelude::*;

use super::{
    NetworkTraining,
    chunks::BLOCKS_PER_GENERATION,
    results::NetworkGeneration,
    test_match::{TestMatch, TestResult},
};
use crate::{
    rng::{Purpose, stream},
    search::{
        mcts::{Budget, Settings},
        network::{BoundNetwork, NetworkEvaluator},
    },
    study::shared::prelude::*,
    training::{
        model::{BATCH_SIZE, Losses, Model, Trainer},
        samples::SampleSet,
        self_play::{GameRecord, Sampling},
    },
};

/// Games from which the scale of the scores of a new network is computed.
const SCORED_GAMES: usize = 1000;
/// One of this many games is held out of the training. A prime, so that all numbers of players are
/// among them.
const HELD_OUT: u64 = 19;

impl NetworkTraining<'_> {
    /// Binds a network to each number of players.
    pub(crate) fn bind_all(&self, network: &Network) -> anyhow::Result<Vec<Arc<BoundNetwork>>> {
        let mut bound = Vec::new();
        for table in &self.tables {
            let network =
                BoundNetwork::new("network", network.clone(), self.plan.games[0].id(), table)?;
            bound.push(Arc::new(network));
        }
        Ok(self.table_of.iter().map(|&table| bound[table].clone()).collect())
    }

    /// Returns the scale of the scores for a new network: their standard deviation in some games,
    /// in whole points, so that the errors of the scores are neither lost beside those of the win
    /// shares nor outweigh them.
    pub(crate) fn score_scale(&self, records: &[GameRecord]) -> f32 {
        let scores: Vec<f64> = records
            .iter()
            .take(SCORED_GAMES)
            .flat_map(|record| {
                let game = &self.plan.games[self.players_of(record.block)];
                let scores = game.final_scores(record, self.plan.seed);
                scores.into_iter().flatten().take(game.seats()).map(f64::from)
            })
            .collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        (squares / scores.len() as f64).sqrt().round().max(1.0) as f32
    }

    /// Returns the samples of games, in the order of the games.
    fn samples(&self, sampling: &Sampling, records: &[&GameRecord]) -> SampleSet {
        let sets: Vec<SampleSet> = records
            .par_chunks(64)
            .map(|records| {
                let mut set = SampleSet::default();
                for record in records {
                    // Heuristics know which of two actions is better, not how often they win.
                    let is_start = record.block < BLOCKS_PER_GENERATION;
                    let lambda = if is_start { 1.0 } else { sampling.lambda };
                    let sampling = Sampling { lambda, ..*sampling };
                    let players = self.players_of(record.block);
                    let table = self.table_of[players];
                    let game = &self.plan.games[players];
                    game.add_samples(table, record, &sampling, &mut set);
                }
                set
            })
            .collect();
        let mut all = SampleSet::default();
        for set in &sets {
            all.append(set);
        }
        all
    }

    /// Trains the model on the games of the window; `None` if interrupted.
    pub(crate) fn learn(
        &self,
        generation: u32,
        window: &[Vec<GameRecord>],
        model: &mut Model,
    ) -> Option<NetworkGeneration> {
        let parameters = &self.plan.parameters;
        let newest = window.last()?;
        let sampling = Sampling {
            lambda: parameters.lambda as f32,
            value_share: parameters.sample,
            policy_share: 1.0,
            score_scale: model.header.score_scale,
            seed: self.plan.seed,
        };
        let is_held_out = |record: &&GameRecord| record.block % HELD_OUT == HELD_OUT - 1;
        let held_out =
            self.samples(&sampling, &newest.iter().filter(is_held_out).collect::<Vec<_>>());
        let training: Vec<&GameRecord> =
            window.iter().flatten().filter(|record| !is_held_out(record)).collect();
        let samples = self.samples(&sampling, &training);
        let mut trainer = Trainer::new(&self.tables, model.layout());
        let held_out_indices: Vec<u32> = (0..held_out.len() as u32).collect();
        let before = model.losses(&mut trainer, &held_out, &held_out_indices).means();
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        let mut rng = stream(self.plan.seed, generation.into(), 1, Purpose::Training);
        let batches = samples.len().div_ceil(BATCH_SIZE);
        let steps = batches * parameters.epochs as usize;
        let bar = progress_bar(steps as u64, "batches", self.plan.is_quiet);
        bar.set_message(format!("generation {generation}: learning"));
        let mut step = 0;
        for epoch in 0..parameters.epochs {
            order.shuffle(&mut rng);
            let mut losses = Losses::default();
            for batch in order.chunks(BATCH_SIZE) {
                if self.is_stopped() {
                    return None;
                }
                // Half a cosine from the learning rate to a tenth of it.
                let progress = f64::from(step) / steps as f64;
                let factor = 0.55 + 0.45 * (std::f64::consts::PI * progress).cos();
                let rate = (parameters.learning_rate * factor) as f32;
                losses.add(&model.train_batch(&mut trainer, &samples, batch, rate));
                step += 1;
                bar.inc(1);
            }
            let [win, policy, _] = losses.means();
            bar.set_message(format!(
                "generation {generation}: epoch {}, loss {win:.4}, policy {policy:.4}",
                epoch + 1
            ));
        }
        bar.finish_and_clear();
        let after = model.losses(&mut trainer, &held_out, &held_out_indices).means();
        Some(NetworkGeneration {
            generation,
            games: training.len() as u64,
            samples: samples.len(),
            losses_before: before,
            losses_after: after,
            test: None,
            is_promoted: true,
            best: generation,
        })
    }

    /// Tests a network against the best one, or against the frozen bots; `None` if interrupted.
    pub(crate) fn test(
        &self,
        generation: u32,
        candidate: &Network,
        best: Option<&Network>,
    ) -> anyhow::Result<Option<TestResult>> {
        let frozen = &self.plan.against;
        let seed = self.plan.seed.wrapping_add(1);
        let (bots, seed) = match best {
            Some(best) if frozen.is_empty() => {
                let bots = [self.searches("candidate", candidate)?, self.searches("best", best)?];
                (bots, seed.wrapping_add(generation.into()))
            }
            // All generations play the same deals, so that they can be compared.
            _ => ([self.learners("candidate", candidate)?, self.frozen_bots()], seed),
        };
        let test = TestMatch {
            games: &self.plan.games,
            bots: &bots,
            against: self.plan.opponent(),
            max_games: self.plan.parameters.test_games,
            seed,
        };
        let result = test.run(self.stop);
        Ok((!self.is_stopped()).then_some(result))
    }

    /// Returns the frozen bot for each number of players.
    fn frozen_bots(&self) -> Vec<BotFactory> {
        self.plan.against.iter().map(|frozen| frozen.bot.clone()).collect()
    }

    /// Returns the bot that plays with a network against the frozen one, for each number of
    /// players.
    pub(crate) fn learners(
        &self,
        name: &str,
        network: &Network,
    ) -> anyhow::Result<Vec<BotFactory>> {
        let networks = self.bind_all(network)?;
        let bots = self.plan.against.iter().zip(&networks);
        Ok(bots.map(|(frozen, network)| frozen.learner(name, network)).collect())
    }

    /// Returns the searches with a network in the tests of self-play, for each number of players.
    fn searches(&self, name: &str, network: &Network) -> anyhow::Result<Vec<BotFactory>> {
        let budget = Budget::iterations(self.plan.parameters.fast_iterations);
        let settings = Settings { budget, ..self.search.settings };
        let search = |(game, network): (&&BoundGame, Arc<BoundNetwork>)| {
            // Without chance, all games would be the same.
            let temperature = if game.chance_sources().is_empty() { 0.3 } else { 0.0 };
            let network = NetworkEvaluator::new(network, 1.0);
            game.network_search(name, &network, settings, temperature)
        };
        Ok(self.plan.games.iter().zip(self.bind_all(network)?).map(search).collect())
    }
}
