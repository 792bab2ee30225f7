//! A network with floating-point weights, and its training by stochastic gradient descent.

use rand::RngExt as _;
use rayon::prelude::*;

use super::{
    perceptron::{Adam, DenseLayer, add, add_scaled, cross_entropy, dot},
    samples::{Sample, SampleSet},
};
use crate::{
    game::{
        MAX_SEATS,
        facts::{FactBlock, FactTable},
    },
    rng::Rng,
    search::network::{
        HIDDEN, Network, NetworkHeader, POLICY, SCORE_UNIT, UNITS, WIN_UNIT, WeightLayout,
        WeightPart,
    },
};

/// Samples of a batch.
pub const BATCH_SIZE: usize = 2048;
/// Parts of a batch that are computed in parallel. Their gradients are added in order, so that the
/// result does not depend on the number of threads.
const SHARDS: usize = 4;
/// Limit of the absolute value of weights, so that they fit in 16 bits.
const MAX_WEIGHT: f32 = 8.0;
/// Factor of the squared mean of logits in the loss. Shares do not depend on a number that is added
/// to all logits, so nothing else keeps them near 0.
const OFFSET_PENALTY: f32 = 0.02;
/// Share of the weights that a step of learning rate 1 removes.
const WEIGHT_DECAY: f32 = 0.01;
/// Weight of the loss of the expected scores.
#[doc(hidden)]
pub const SCORE_LOSS_WEIGHT: f32 = 0.2;

/// A network in training.
pub struct Model {
    /// Game, scales and checksums.
    pub header: NetworkHeader,
    #[doc(hidden)]
    pub layout: WeightLayout,
    #[doc(hidden)]
    pub weights: Vec<f32>,
    hidden: DenseLayer,
    policy: DenseLayer,
    adam: Adam,
}

/// Sums of the losses of samples, in nats, and their numbers.
#[derive(Clone, Copy, Default, Debug)]
pub struct Losses {
    /// Loss of the win shares.
    pub win: f64,
    /// Loss of the policy.
    pub policy: f64,
    /// Loss of the expected scores.
    pub score: f64,
    /// Penalty of the means of logits.
    #[doc(hidden)]
    pub penalty: f64,
    /// Number of samples.
    pub samples: u64,
    /// Number of samples with a policy.
    pub policies: u64,
}

impl Losses {
    /// Adds the losses of other samples.
    pub fn add(&mut self, other: &Self) {
        self.win += other.win;
        self.policy += other.policy;
        self.score += other.score;
        self.penalty += other.penalty;
        self.samples += other.samples;
        self.policies += other.policies;
    }

    /// Returns the mean losses of win shares, policy and scores.
    pub fn means(&self) -> [f64; 3] {
        let samples = self.samples.max(1) as f64;
        [self.win / samples, self.policy / self.policies.max(1) as f64, self.score / samples]
    }
}

/// Weights of facts: for each fact the sum of the weights of its inputs.
#[derive(Clone, Default)]
#[doc(hidden)]
pub struct FactRows {
    own: Vec<f32>,
    other: Vec<f32>,
    view: Vec<f32>,
    shared: Vec<f32>,
    embedding: Vec<f32>,
}

impl FactRows {
    fn new(table: &FactTable) -> Self {
        let rows = |block: &FactBlock, width| vec![0.0; block.facts().len() * width];
        Self {
            own: rows(&table.seat, UNITS),
            other: rows(&table.seat, UNITS),
            view: rows(&table.view, UNITS),
            shared: rows(&table.shared, UNITS),
            embedding: rows(&table.action, POLICY),
        }
    }

    /// Returns the blocks with their parts of the weights and the width of a row.
    fn blocks<'a>(
        &'a mut self,
        table: &'a FactTable,
        layout: &WeightLayout,
    ) -> [(&'a mut Vec<f32>, &'a FactBlock, WeightPart, usize); 5] {
        [
            (&mut self.own, &table.seat, layout.own, UNITS),
            (&mut self.other, &table.seat, layout.other, UNITS),
            (&mut self.view, &table.view, layout.view, UNITS),
            (&mut self.shared, &table.shared, layout.shared, UNITS),
            (&mut self.embedding, &table.action, layout.embedding, POLICY),
        ]
    }

    fn all(&mut self) -> [&mut Vec<f32>; 5] {
        let Self { own, other, view, shared, embedding } = self;
        [own, other, view, shared, embedding]
    }
}

/// Gradient of the loss of part of a batch.
#[doc(hidden)]
pub struct Gradient {
    /// Gradients of the rows of facts.
    rows: FactRows,
    /// Gradients of all other weights, in their places.
    #[doc(hidden)]
    pub dense: Vec<f32>,
    losses: Losses,
}

/// Memory for training, reused between batches.
pub struct Trainer<'a> {
    table: &'a FactTable,
    #[doc(hidden)]
    pub rows: FactRows,
    #[doc(hidden)]
    pub gradients: Vec<Gradient>,
}

impl<'a> Trainer<'a> {
    /// Allocates memory for samples with these facts.
    pub fn new(table: &'a FactTable, layout: &WeightLayout) -> Self {
        let rows = FactRows::new(table);
        let gradient = || Gradient {
            rows: rows.clone(),
            dense: vec![0.0; layout.weight_count()],
            losses: Losses::default(),
        };
        Self { gradients: (0..SHARDS).map(|_| gradient()).collect(), table, rows }
    }
}

impl Model {
    /// Creates a network without knowledge: all actions and all seats are equal, and scores are in
    /// points.
    pub fn new(game: &str, table: &FactTable, rng: &mut Rng) -> Self {
        let header = NetworkHeader::new(game, table, 1.0);
        let layout = header.layout();
        let mut weights = vec![0.0; layout.weight_count()];
        // Rows of inputs begin at 0, so that an input that never occurs in training says nothing.
        // Random biases and weights after the first layer make the units different.
        let mut fill = |part: WeightPart, center: f32, deviation: f32| {
            for weight in &mut weights[part.range()] {
                *weight = center + deviation * (2.0 * rng.random::<f32>() - 1.0);
            }
        };
        fill(layout.first_bias, 0.5, 0.4);
        fill(layout.hidden, 0.0, 1.5 / (UNITS as f32).sqrt());
        fill(layout.hidden_bias, 0.5, 0.2);
        fill(layout.win, 0.0, 0.2);
        fill(layout.score, 0.0, 0.2);
        fill(layout.policy, 0.0, 1.0 / (UNITS as f32).sqrt());
        Self::with_weights(header, weights)
    }

    /// Continues from a network.
    pub fn from_network(network: &Network) -> Self {
        let header = network.header.clone();
        let layout = header.layout();
        let mut weights: Vec<f32> = network.weights.iter().map(|&weight| weight.into()).collect();
        for part in layout.parts() {
            weights[part.range()].iter_mut().for_each(|weight| *weight /= part.scale);
        }
        Self::with_weights(header, weights)
    }

    fn with_weights(header: NetworkHeader, weights: Vec<f32>) -> Self {
        let layout = header.layout();
        let layer = |rows: WeightPart, biases: WeightPart| DenseLayer {
            rows: rows.range(),
            biases: biases.range(),
        };
        Self {
            hidden: layer(layout.hidden, layout.hidden_bias),
            policy: layer(layout.policy, layout.policy_bias),
            adam: Adam::new(weights.len()),
            header,
            layout,
            weights,
        }
    }

    /// Returns the number of inputs of each block.
    pub fn layout(&self) -> &WeightLayout {
        &self.layout
    }

    /// Returns the network with integer weights.
    pub fn quantized(&self) -> Network {
        let mut weights = vec![0; self.weights.len()];
        for part in self.layout.parts() {
            for index in part.range() {
                weights[index] = (self.weights[index] * part.scale).round() as i16;
            }
        }
        Network { header: self.header.clone(), weights }
    }

    /// Computes the rows of all facts.
    #[doc(hidden)]
    pub fn fold(&self, trainer: &mut Trainer<'_>) {
        for (rows, block, part, width) in trainer.rows.blocks(trainer.table, &self.layout) {
            let weights = &self.weights[part.range()];
            for (row, inputs) in rows.chunks_exact_mut(width).zip(block.facts()) {
                row.fill(0.0);
                for &input in inputs {
                    add(row, &weights[usize::from(input) * width..][..width]);
                }
            }
        }
    }

    /// Makes a step of the optimiser for a batch, and returns its losses before the step.
    pub fn train_batch(
        &mut self,
        trainer: &mut Trainer<'_>,
        samples: &SampleSet,
        batch: &[u32],
        learning_rate: f32,
    ) -> Losses {
        let losses = self.compute_gradient(trainer, samples, batch);
        let Self { adam, weights, .. } = self;
        let gradient = &trainer.gradients[0].dense;
        adam.step(weights, gradient, batch.len(), learning_rate, WEIGHT_DECAY);
        for weight in weights {
            *weight = weight.clamp(-MAX_WEIGHT, MAX_WEIGHT);
        }
        losses
    }

    /// Computes the sum of the gradients of samples in the first gradient of the trainer, and
    /// returns the losses.
    #[doc(hidden)]
    pub fn compute_gradient(
        &self,
        trainer: &mut Trainer<'_>,
        samples: &SampleSet,
        batch: &[u32],
    ) -> Losses {
        self.fold(trainer);
        let shard_size = batch.len().div_ceil(SHARDS).max(1);
        let rows = &trainer.rows;
        trainer.gradients.par_iter_mut().enumerate().for_each(|(shard, gradient)| {
            gradient.clear();
            let from = (shard * shard_size).min(batch.len());
            let to = (from + shard_size).min(batch.len());
            for &index in &batch[from..to] {
                self.add_gradient(rows, &samples.get(index), gradient);
            }
        });
        self.sum_gradients(trainer)
    }

    /// Returns the losses of samples.
    pub fn losses(
        &self,
        trainer: &mut Trainer<'_>,
        samples: &SampleSet,
        indices: &[u32],
    ) -> Losses {
        self.fold(trainer);
        let rows = &trainer.rows;
        let mut losses = Losses::default();
        let shard_size = indices.len().div_ceil(SHARDS).max(1);
        trainer.gradients.par_iter_mut().zip(indices.par_chunks(shard_size)).for_each(
            |(gradient, indices)| {
                gradient.losses = Losses::default();
                for &index in indices {
                    let sample = samples.get(index);
                    let pass = self.forward(rows, &sample);
                    gradient.losses.add(&pass.losses);
                }
            },
        );
        let shards = indices.len().div_ceil(shard_size);
        trainer.gradients[..shards].iter().for_each(|shard| losses.add(&shard.losses));
        losses
    }

    /// Adds the gradients of all shards into the dense gradient of the first one.
    fn sum_gradients(&self, trainer: &mut Trainer<'_>) -> Losses {
        let (first, others) = trainer.gradients.split_at_mut(1);
        let first = &mut first[0];
        for other in others {
            add(&mut first.dense, &other.dense);
            for (rows, other) in first.rows.all().into_iter().zip(other.rows.all()) {
                add(rows, other);
            }
            first.losses.add(&other.losses);
        }
        for (rows, block, part, width) in first.rows.blocks(trainer.table, &self.layout) {
            let dense = &mut first.dense[part.range()];
            for (row, inputs) in rows.chunks_exact(width).zip(block.facts()) {
                for &input in inputs {
                    add(&mut dense[usize::from(input) * width..][..width], row);
                }
            }
        }
        first.losses
    }

    /// Computes the outputs and the losses of a sample.
    #[expect(clippy::needless_range_loop, reason = "the seat is the index of several lists")]
    #[doc(hidden)]
    pub fn forward(&self, rows: &FactRows, sample: &Sample<'_>) -> Pass {
        let WeightLayout { first_bias, win, score, output_bias, .. } = self.layout;
        let seats = sample.seats();
        let part = |part: WeightPart| &self.weights[part.range()];
        let mut pass = Pass::new();
        let mut common = [0.0; UNITS];
        common.copy_from_slice(part(first_bias));
        add_rows(&rows.shared, sample.shared, &mut common);
        let mut others = [[0.0; UNITS]; MAX_SEATS];
        if seats > 1 {
            for (seat, sums) in others.iter_mut().enumerate().take(seats) {
                add_rows(&rows.other, sample.seat_facts[seat], sums);
                add(&mut common, sums);
            }
        }
        for seat in 0..seats {
            let sums = &mut pass.first[seat];
            *sums = common;
            sums.iter_mut().zip(&others[seat]).for_each(|(sum, own)| *sum -= own);
            add_rows(&rows.own, sample.seat_facts[seat], sums);
            add_rows(&rows.view, sample.view_facts[seat], sums);
            pass.active[seat] = clip(sums);
            self.hidden.forward(&self.weights, &pass.active[seat], &mut pass.hidden[seat]);
            let activations = pass.hidden[seat].map(|sum| sum.clamp(0.0, 1.0));
            let sums = &pass.first[seat];
            pass.win[seat] = dot(&activations, part(win)) + sums[WIN_UNIT] + part(output_bias)[0];
            pass.score[seat] =
                dot(&activations, part(score)) + sums[SCORE_UNIT] + part(output_bias)[1];
        }
        let wins_are_independent = sample.wins_are_independent;
        let sum = pass.win[..seats].iter().sum::<f32>();
        let (logits, targets) = (&mut pass.win[..seats], &sample.wins[..seats]);
        pass.losses.win = cross_entropy(logits, targets, wins_are_independent);
        if !wins_are_independent {
            let offset = OFFSET_PENALTY * sum / seats as f32;
            for slope in logits {
                *slope += offset;
            }
            pass.losses.penalty += f64::from(0.5 * offset * sum);
        }
        for seat in 0..seats {
            let Some(scores) = &sample.scores else {
                pass.score[seat] = 0.0;
                continue;
            };
            let error = pass.score[seat] - scores[seat];
            // The loss of Huber, whose gradient is limited.
            let limited = error.clamp(-1.0, 1.0);
            pass.losses.score += f64::from(limited * (error - 0.5 * limited));
            pass.score[seat] = SCORE_LOSS_WEIGHT * limited;
        }
        pass.losses.samples = 1;
        self.forward_policy(rows, sample, &mut pass);
        pass
    }

    /// Computes the policy and its loss.
    fn forward_policy(&self, rows: &FactRows, sample: &Sample<'_>, pass: &mut Pass) {
        if sample.actions.is_empty() {
            return;
        }
        self.policy.forward(&self.weights, &pass.active[sample.mover], &mut pass.policy);
        pass.policy[POLICY - 1] = 1.0;
        pass.embeddings = vec![[0.0; POLICY]; sample.actions.len()];
        pass.logits = vec![0.0; sample.actions.len()];
        let actions = pass.embeddings.iter_mut().zip(&mut pass.logits).zip(&sample.actions);
        for ((embedding, logit), (_, facts)) in actions {
            add_rows(&rows.embedding, facts, embedding);
            *logit = dot(&pass.policy, embedding);
        }
        let max = pass.logits.iter().fold(f32::MIN, |max, &logit| max.max(logit));
        let total: f32 = pass.logits.iter().map(|logit| (logit - max).exp()).sum();
        let sum = pass.logits.iter().sum::<f32>();
        let offset = OFFSET_PENALTY * sum / pass.logits.len() as f32;
        pass.losses.penalty += f64::from(0.5 * offset * sum / pass.logits.len() as f32);
        for (logit, &(target, _)) in pass.logits.iter_mut().zip(&sample.actions) {
            let share = (*logit - max).exp() / total;
            *logit = share - target + offset / sample.actions.len() as f32;
            if target > 0.0 {
                pass.losses.policy -= f64::from(target * (share.max(1e-9) / target).ln());
            }
        }
        pass.losses.policies = 1;
    }

    /// Adds the gradient of the loss of a sample.
    #[expect(clippy::needless_range_loop, reason = "the seat is the index of several lists")]
    fn add_gradient(&self, rows: &FactRows, sample: &Sample<'_>, gradient: &mut Gradient) {
        let pass = self.forward(rows, sample);
        gradient.losses.add(&pass.losses);
        let layout = &self.layout;
        let seats = sample.seats();
        let Gradient { rows, dense, .. } = gradient;
        let mut first = [[0.0; UNITS]; MAX_SEATS];
        let mut sum_of_first = [0.0; UNITS];
        let policy = self.policy_gradient(rows, dense, sample, &pass);
        for seat in 0..seats {
            let (win, score) = (pass.win[seat], pass.score[seat]);
            dense[layout.output_bias.start] += win;
            dense[layout.output_bias.start + 1] += score;
            let active = &pass.active[seat];
            let mut back = if seat == sample.mover { policy } else { [0.0; UNITS] };
            let activations = pass.hidden[seat].map(|sum| sum.clamp(0.0, 1.0));
            add_scaled(&mut dense[layout.win.range()], &activations, win);
            add_scaled(&mut dense[layout.score.range()], &activations, score);
            let mut slopes = [0.0; HIDDEN];
            add_scaled(&mut slopes, &self.weights[layout.win.range()], win);
            add_scaled(&mut slopes, &self.weights[layout.score.range()], score);
            zero_outside(&mut slopes, &pass.hidden[seat]);
            self.hidden.add_gradient(dense, active, &slopes);
            self.hidden.add_input_slopes(&self.weights, &slopes, &mut back);
            zero_outside(&mut back, &pass.first[seat]);
            (back[WIN_UNIT], back[SCORE_UNIT]) = (win, score);
            first[seat] = back;
            add(&mut sum_of_first, &first[seat]);
        }
        add(&mut dense[layout.first_bias.range()], &sum_of_first);
        add_to_rows(&mut rows.shared, sample.shared, &sum_of_first);
        for (seat, first) in first.iter().enumerate().take(seats) {
            add_to_rows(&mut rows.own, sample.seat_facts[seat], first);
            add_to_rows(&mut rows.view, sample.view_facts[seat], first);
            if seats > 1 {
                let mut others = sum_of_first;
                others.iter_mut().zip(first).for_each(|(sum, own)| *sum -= own);
                add_to_rows(&mut rows.other, sample.seat_facts[seat], &others);
            }
        }
    }

    /// Adds the gradient of the policy, and returns that of the activations of the first layer.
    fn policy_gradient(
        &self,
        rows: &mut FactRows,
        dense: &mut [f32],
        sample: &Sample<'_>,
        pass: &Pass,
    ) -> [f32; UNITS] {
        let mut back = [0.0; UNITS];
        let mut policy = [0.0; POLICY];
        let actions = sample.actions.iter().zip(&pass.embeddings).zip(&pass.logits);
        for (((_, facts), embedding), &slope) in actions {
            add_scaled(&mut policy, embedding, slope);
            let scaled = pass.policy.map(|unit| unit * slope);
            add_to_rows(&mut rows.embedding, facts, &scaled);
        }
        if sample.actions.is_empty() {
            return back;
        }
        // The last unit is constant.
        policy[POLICY - 1] = 0.0;
        self.policy.add_gradient(dense, &pass.active[sample.mover], &policy);
        self.policy.add_input_slopes(&self.weights, &policy, &mut back);
        back
    }
}

/// Values of a forward pass. After it, `win`, `score` and `logits` hold the gradients of the loss.
#[doc(hidden)]
pub struct Pass {
    first: [[f32; UNITS]; MAX_SEATS],
    active: [[f32; UNITS]; MAX_SEATS],
    hidden: [[f32; HIDDEN]; MAX_SEATS],
    win: [f32; MAX_SEATS],
    score: [f32; MAX_SEATS],
    policy: [f32; POLICY],
    embeddings: Vec<[f32; POLICY]>,
    logits: Vec<f32>,
    #[doc(hidden)]
    pub losses: Losses,
}

impl Pass {
    fn new() -> Self {
        Self {
            first: [[0.0; UNITS]; MAX_SEATS],
            active: [[0.0; UNITS]; MAX_SEATS],
            hidden: [[0.0; HIDDEN]; MAX_SEATS],
            win: [0.0; MAX_SEATS],
            score: [0.0; MAX_SEATS],
            policy: [0.0; POLICY],
            embeddings: Vec::new(),
            logits: Vec::new(),
            losses: Losses::default(),
        }
    }
}

impl Gradient {
    fn clear(&mut self) {
        self.dense.fill(0.0);
        self.rows.all().into_iter().for_each(|rows| rows.fill(0.0));
        self.losses = Losses::default();
    }
}

/// Returns the activations of the clipped units.
fn clip(sums: &[f32; UNITS]) -> [f32; UNITS] {
    let mut activations = sums.map(|sum| sum.clamp(0.0, 1.0));
    (activations[WIN_UNIT], activations[SCORE_UNIT]) = (0.0, 0.0);
    activations
}

/// Sets the slopes of clipped units to 0.
fn zero_outside<const N: usize>(slopes: &mut [f32; N], sums: &[f32; N]) {
    for (slope, sum) in slopes.iter_mut().zip(sums) {
        if !(0.0..=1.0).contains(sum) {
            *slope = 0.0;
        }
    }
}

/// Adds the rows of facts.
#[inline]
fn add_rows<const N: usize>(rows: &[f32], facts: &[u16], sums: &mut [f32; N]) {
    for &fact in facts {
        add(sums, &rows[usize::from(fact) * N..][..N]);
    }
}

/// Adds a gradient to the rows of facts.
#[inline]
fn add_to_rows<const N: usize>(rows: &mut [f32], facts: &[u16], gradient: &[f32; N]) {
    for &fact in facts {
        add(&mut rows[usize::from(fact) * N..][..N], gradient);
    }
}
