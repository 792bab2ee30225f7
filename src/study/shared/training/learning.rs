//! Learning from the games of a training, and the test of the network that has learned.

use rand::seq::SliceRandom as _;
use rayon::prelude::*;

use super::{
    NetworkTraining,
    chunks::GAMES_PER_CHUNK,
    edited::BLOCKS_PER_GENERATION,
    results::NetworkGeneration,
    test_match::{TestMatch, TestResult},
};
use crate::{
    game::facts::{FactTable, FactUnion},
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
/// Games whose samples one job lists.
const SAMPLED_GAMES: usize = 64;
/// One of this many games is held out of the training. A prime, so that all numbers of players are
/// among them.
const HELD_OUT: u64 = 19;

impl NetworkTraining<'_> {
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

    /// Returns the samples of the games of the window that are learned from, and of those of the
    /// newest generation that are held out, in the order of the games. Adds their facts to a union.
    fn samples(
        &self,
        sampling: &Sampling,
        window: &[Vec<GameRecord>],
        union: &mut FactUnion,
    ) -> anyhow::Result<[SampleSet; 2]> {
        let mut all = <[SampleSet; 2]>::default();
        let newest = window.last().and_then(|records| records.first()).map(|first| first.block);
        for records in window {
            let chunk_of = |record: &GameRecord| record.block / GAMES_PER_CHUNK;
            for chunk in records.chunk_by(|one, next| chunk_of(one) == chunk_of(next)) {
                let opened = self.open(chunk[0].block..chunk[chunk.len() - 1].block + 1)?;
                let facts = opened.add_facts(union)?;
                let is_newest = newest.is_some_and(|newest| chunk[0].block >= newest);
                let sets = chunk.par_chunks(SAMPLED_GAMES).map(|records| {
                    let mut sets = <[SampleSet; 2]>::default();
                    for record in records {
                        let is_held_out = record.block % HELD_OUT == HELD_OUT - 1;
                        if is_held_out && !is_newest {
                            continue;
                        }
                        // Heuristics know which of two actions is better, not how often they win.
                        let is_start = record.block < BLOCKS_PER_GENERATION;
                        let lambda = if is_start { 1.0 } else { sampling.lambda };
                        let sampling = Sampling { lambda, ..*sampling };
                        let game = opened.game(record.block);
                        let set = &mut sets[usize::from(is_held_out)];
                        game.add_samples(facts.get(record.block), record, &sampling, set);
                    }
                    sets
                });
                for sets in sets.collect::<Vec<_>>() {
                    all.iter_mut().zip(&sets).for_each(|(all, set)| all.append(set));
                }
            }
        }
        Ok(all)
    }

    /// Trains the model on the games of the window; `None` if interrupted.
    pub(crate) fn learn(
        &self,
        generation: u32,
        window: &[Vec<GameRecord>],
        model: &mut Model,
    ) -> anyhow::Result<Option<NetworkGeneration>> {
        let parameters = &self.plan.parameters;
        let sampling = Sampling {
            lambda: parameters.lambda as f32,
            value_share: parameters.sample,
            policy_share: 1.0,
            score_scale: model.header.score_scale,
            seed: self.plan.seed,
        };
        let mut union = FactUnion::new(&self.plan.learned_facts(&self.plan.games[0].fact_table()));
        let [samples, held_out] = self.samples(&sampling, window, &mut union)?;
        let is_learned = |record: &&GameRecord| record.block % HELD_OUT != HELD_OUT - 1;
        let games = window.iter().flatten().filter(is_learned).count();
        let mut trainer = Trainer::new(union.table(), model.layout());
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
                    return Ok(None);
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
        Ok(Some(NetworkGeneration {
            generation,
            games: games as u64,
            samples: samples.len(),
            losses_before: before,
            losses_after: after,
            test: None,
            is_promoted: true,
            best: generation,
        }))
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
        let mut test = TestMatch {
            games: &self.plan.games,
            bots: &<_>::default(),
            against: self.plan.opponent(),
            max_games: self.plan.parameters.test_games,
            seed,
        };
        let Some(best) = best.filter(|_| frozen.is_empty()) else {
            // All generations play the same deals, so that they can be compared.
            let learners = self.learners("candidate", candidate)?;
            let frozen = frozen.iter().map(|frozen| frozen.bot.clone()).collect();
            let result = TestMatch { bots: &[learners, frozen], ..test }.run(self.stop);
            return Ok((!self.is_stopped()).then_some(result));
        };
        test.seed = seed.wrapping_add(generation.into());
        let run = |games: &[&BoundGame], max_games| {
            let bots = [
                self.searches("candidate", candidate, games)?,
                self.searches("best", best, games)?,
            ];
            anyhow::Ok(TestMatch { games, bots: &bots, max_games, ..test }.run(self.stop))
        };
        let result = if self.plan.edited.is_some() {
            let half = test.max_games.div_ceil(2);
            let edited = self.open_edited_test()?;
            let edited = run(&edited.iter().collect::<Vec<_>>(), half)?;
            run(&self.plan.games, half)?.with_edited(edited)
        } else {
            run(&self.plan.games, test.max_games)?
        };
        Ok((!self.is_stopped()).then_some(result))
    }

    /// Returns the bot that plays with a network against the frozen one, for each number of
    /// players.
    pub(crate) fn learners(
        &self,
        name: &str,
        network: &Network,
    ) -> anyhow::Result<Vec<BotFactory>> {
        let networks = bind_all(network, &self.plan.games)?;
        let bots = self.plan.against.iter().zip(&networks);
        Ok(bots.map(|(frozen, network)| frozen.learner(name, network)).collect())
    }

    /// Returns the searches with a network in the tests of self-play, for each game.
    fn searches(
        &self,
        name: &str,
        network: &Network,
        games: &[&BoundGame],
    ) -> anyhow::Result<Vec<BotFactory>> {
        let budget = Budget::iterations(self.plan.parameters.fast_iterations);
        let settings = Settings { budget, ..self.search.settings };
        let search = |(game, network): (&&BoundGame, Arc<BoundNetwork>)| {
            // Without chance, all games would be the same.
            let temperature = if game.chance_sources().is_empty() { 0.3 } else { 0.0 };
            let network = NetworkEvaluator::new(network, 1.0);
            game.network_search(name, &network, settings, temperature)
        };
        Ok(games.iter().zip(bind_all(network, games)?).map(search).collect())
    }
}

/// Binds a network to games, of which those with the same facts share it.
fn bind_all(network: &Network, games: &[&BoundGame]) -> anyhow::Result<Vec<Arc<BoundNetwork>>> {
    let mut bound: Vec<(Arc<FactTable>, Arc<BoundNetwork>)> = Vec::new();
    let bind = |game: &&BoundGame| {
        let table = game.fact_table();
        if let Some((_, known)) = bound.iter().find(|(other, _)| *other == table) {
            return Ok(known.clone());
        }
        let new = Arc::new(BoundNetwork::new("network", network.clone(), game.id(), &table)?);
        bound.push((table, new.clone()));
        Ok(new)
    };
    games.iter().map(bind).collect()
}
