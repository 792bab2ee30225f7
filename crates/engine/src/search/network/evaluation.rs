//! Evaluation of positions and actions by a network.

use std::{cell::RefCell, fmt};

use rand::RngExt as _;

use super::{
    ACTIVATION_SCALE, HIDDEN, Network, NetworksByMode, POLICY, SCORE_UNIT, UNITS, WEIGHT_SCALE,
    WIN_UNIT, WeightPart,
    fixed_point::{LOGIT_ONE, exp},
};
use crate::{
    config::ConfigError,
    game::{
        ActionSet, Features, MAX_SEATS, PerSeat, Seat, Turn,
        facts::{FactBlock, FactList, FactTable, PositionFacts},
    },
    rng::Rng,
    search::{
        Evaluator, KeptPolicy,
        playout::{Policy, Uniform},
        reward::RewardFunction,
    },
};

/// Maximum absolute value of a policy unit and of an embedding, so that their scalar product fits
/// in 32 bits.
const MAX_POLICY: i32 = 8191;
const _: () = assert!(MAX_POLICY as i64 * MAX_POLICY as i64 * POLICY as i64 <= i32::MAX as i64);

/// Activation 1.
const ONE: i32 = ACTIVATION_SCALE as i32;

/// Maximum number of actions whose priors are computed at once; further ones have the prior of an
/// action with logit 0.
const MAX_ACTIONS: usize = 256;

/// Network for a game with its data file: a row of weights for each fact.
#[derive(Clone, PartialEq)]
pub struct BoundNetwork {
    /// Rows for the view of the seat itself, beside those for the views of other seats.
    seat: Rows<{ 2 * UNITS }>,
    view: Rows<UNITS>,
    shared: Rows<UNITS>,
    first_bias: [i32; UNITS],
    hidden: Box<LayerWeights>,
    hidden_bias: [i32; HIDDEN],
    win: [i16; HIDDEN],
    score: [i16; HIDDEN],
    output_bias: [i32; 2],
    policy: Box<LayerWeights>,
    policy_bias: [i32; POLICY],
    embedding: Rows<POLICY>,
    /// Score, in points, that is 1 in the output.
    score_scale: f32,
    /// The network before it was bound.
    source: Network,
}

impl fmt::Debug for BoundNetwork {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BoundNetwork").finish_non_exhaustive()
    }
}

/// Rows of weights by fact.
#[derive(Clone, PartialEq)]
struct Rows<const N: usize> {
    rows: Vec<[i16; N]>,
    /// Number of rows whose sums always fit in 16 bits.
    safe: usize,
}

impl<const N: usize> Rows<N> {
    /// Sums the rows of the inputs of each fact.
    fn new(block: &FactBlock, weights: &[i16]) -> Option<Self> {
        let (inputs, _) = weights.as_chunks::<N>();
        let (mut largest, mut sums) = (1, [0_i32; N]);
        let mut summed: &[u16] = &[];
        let mut rows = Vec::with_capacity(block.facts().len());
        for fact in block.facts() {
            // Most facts have the inputs of the one before and further ones, as numbers do.
            let added = fact.strip_prefix(summed).unwrap_or_else(|| {
                sums = [0; N];
                fact
            });
            for &input in added {
                let pairs = sums.iter_mut().zip(&inputs[usize::from(input)]);
                pairs.for_each(|(sum, &weight)| *sum += i32::from(weight));
            }
            summed = fact;
            largest = sums.iter().fold(largest, |largest, sum| largest.max(sum.unsigned_abs()));
            rows.push(sums.map(|sum| sum as i16));
        }
        let safe = i16::MAX as usize / largest as usize;
        (safe > 0).then_some(Self { rows, safe })
    }

    /// Adds the rows of facts.
    #[inline]
    fn add(&self, facts: &FactList, sums: &mut [i32; N]) {
        self.add_part(facts, 0, sums);
    }

    /// Adds a part of the rows of facts. The parts of a row have the same length.
    #[inline]
    fn add_part<const M: usize>(&self, facts: &FactList, part: usize, sums: &mut [i32; M]) {
        for facts in facts.as_slice().chunks(self.safe) {
            let partial = self.sum_part(facts, part);
            for (sum, partial) in sums.iter_mut().zip::<[i16; M]>(partial) {
                *sum += i32::from(partial);
            }
        }
    }

    /// Returns the sum of the rows of facts, each number limited to −`limit` to `limit`.
    #[inline]
    fn sum_within(&self, facts: &FactList, limit: i16) -> [i16; N] {
        if facts.as_slice().len() <= self.safe {
            return self.sum(facts.as_slice()).map(|sum| sum.clamp(-limit, limit));
        }
        let mut sums = [0; N];
        self.add(facts, &mut sums);
        sums.map(|sum| sum.clamp((-limit).into(), limit.into()) as i16)
    }

    /// Returns the sum of the rows of at most [`Rows::safe`] facts.
    #[inline]
    fn sum(&self, facts: &[u16]) -> [i16; N] {
        self.sum_part(facts, 0)
    }

    /// Returns the sum of a part of the rows of at most [`Rows::safe`] facts.
    #[inline]
    fn sum_part<const M: usize>(&self, facts: &[u16], part: usize) -> [i16; M] {
        let mut sums = [0_i16; M];
        for &fact in facts {
            let row = &self.rows[usize::from(fact)].as_chunks::<M>().0[part];
            for (sum, &weight) in sums.iter_mut().zip(row) {
                // Never wraps, because there are few enough rows.
                *sum = sum.wrapping_add(weight);
            }
        }
        sums
    }
}

thread_local! {
    /// Lists that are used again, because new ones would be filled with zeros.
    static FACTS: RefCell<PositionFacts> = const { RefCell::new(PositionFacts::new()) };
}

/// Computes a result from the facts of a position.
#[inline]
fn with_facts<G: Features, R>(
    game: &G,
    state: &G::State,
    compute: impl FnOnce(&PositionFacts) -> R,
) -> R {
    FACTS.with_borrow_mut(|facts| {
        facts.clear();
        game.position_facts(state, facts);
        compute(facts)
    })
}

/// Sums of the first layer for the view of a seat.
type ViewSums = [i32; UNITS];

/// Returns the activations of the clipped units.
#[inline]
fn clip(sums: &ViewSums) -> [i16; UNITS] {
    let mut activations = sums.map(|sum| sum.clamp(0, ONE) as i16);
    (activations[WIN_UNIT], activations[SCORE_UNIT]) = (0, 0);
    activations
}

/// Weights of a layer of 32 units, in the order in which [`multiply`] reads them: for each pair of
/// inputs the weights of 8 units at a time, those of a unit side by side.
type LayerWeights = [[Lanes; 4]; UNITS / 2];

/// The operands of an instruction that adds 8 products of pairs.
type Lanes = [i16; 16];

const _: () = assert!(HIDDEN == 32 && POLICY == 32);

/// Returns the matrix of the weights of 32 units.
fn interleave(units: &[[i16; UNITS]]) -> LayerWeights {
    let lanes = |pair: usize, block: usize| {
        std::array::from_fn(|lane| units[8 * block + lane / 2][2 * pair + lane % 2])
    };
    std::array::from_fn(|pair| std::array::from_fn(|block| lanes(pair, block)))
}

/// Returns the products of a matrix and the activations.
// As a function of its own, the loops become one `vpmaddwd` and one `vpaddd` for 8 units and 2
// inputs; inlined, the repeated inputs are recognised and multiplied in 32 bits.
#[inline(never)]
fn multiply(matrix: &LayerWeights, activations: &[i16; UNITS]) -> [i32; 32] {
    let mut inputs = [[0; 16]; UNITS / 2];
    for (lanes, pair) in inputs.iter_mut().zip(activations.as_chunks::<2>().0) {
        lanes.as_chunks_mut::<2>().0.fill(*pair);
    }
    let mut sums = [[0_i32; 8]; 4];
    for (inputs, rows) in inputs.iter().zip(matrix) {
        for (sums, weights) in sums.iter_mut().zip(rows) {
            let products = add_products(inputs, weights);
            sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        }
    }
    std::array::from_fn(|unit| sums[unit / 8][unit % 8])
}

/// Returns the sums of the products of each pair.
#[inline]
fn add_products(inputs: &Lanes, weights: &Lanes) -> [i32; 8] {
    let product = |lane: usize| i32::from(inputs[lane]) * i32::from(weights[lane]);
    std::array::from_fn(|unit| product(2 * unit) + product(2 * unit + 1))
}

#[inline]
fn dot<const N: usize>(one: &[i16; N], other: &[i16; N]) -> i32 {
    one.iter().zip(other).map(|(&one, &other)| i32::from(one) * i32::from(other)).sum()
}

/// Returns a sum of products of activations and weights as an activation.
#[inline]
fn rescale(sum: i32) -> i32 {
    const SHIFT: u32 = (WEIGHT_SCALE as u32).ilog2();
    (sum + (1 << (SHIFT - 1))) >> SHIFT
}

impl BoundNetwork {
    /// Computes the rows of the facts of a game.
    ///
    /// # Errors
    /// Returns an error if the network has other inputs, or if a sum could overflow.
    pub fn new(
        file: &str,
        network: Network,
        game: &str,
        table: &FactTable,
    ) -> Result<Self, ConfigError> {
        network.header.check(file, game, table)?;
        let network = network.with_inputs(table);
        let layout = network.header.layout();
        let weights = |part: WeightPart| &network.weights[part.range()];
        let overflow = || ConfigError::new(file, "", "the weights of a fact exceed 16 bits");
        let rows = |block: &FactBlock, part: WeightPart| {
            Rows::<UNITS>::new(block, weights(part)).ok_or_else(overflow)
        };
        let matrix = |part: WeightPart| {
            let (rows, _) = weights(part).as_chunks::<UNITS>();
            Box::new(interleave(rows))
        };
        let (own, _) = weights(layout.own).as_chunks::<UNITS>();
        let (other, _) = weights(layout.other).as_chunks::<UNITS>();
        let seat: Vec<_> =
            own.iter().zip(other).flat_map(|(own, other)| [&own[..], other]).collect();
        let seat = seat.concat();
        Ok(Self {
            seat: Rows::new(&table.seat, &seat).ok_or_else(overflow)?,
            view: rows(&table.view, layout.view)?,
            shared: rows(&table.shared, layout.shared)?,
            first_bias: array(weights(layout.first_bias)).map(i32::from),
            hidden: matrix(layout.hidden),
            hidden_bias: array(weights(layout.hidden_bias)).map(i32::from),
            win: array(weights(layout.win)),
            score: array(weights(layout.score)),
            output_bias: array(weights(layout.output_bias)).map(i32::from),
            policy: matrix(layout.policy),
            policy_bias: array(weights(layout.policy_bias)).map(i32::from),
            embedding: Rows::new(&table.action, weights(layout.embedding)).ok_or_else(overflow)?,
            score_scale: network.header.score_scale,
            source: network,
        })
    }

    /// Returns the network without its game.
    pub fn source(&self) -> &Network {
        &self.source
    }

    /// Returns the activations of the hidden layer for a view.
    #[inline]
    fn hidden(&self, view: &ViewSums) -> [i16; HIDDEN] {
        let sums = multiply(&self.hidden, &clip(view));
        std::array::from_fn(|unit| {
            (rescale(sums[unit]) + self.hidden_bias[unit]).clamp(0, ONE) as i16
        })
    }

    /// Returns the win logit of a view, in units of 1 / [`LOGIT_ONE`].
    #[inline]
    fn win_logit(&self, view: &ViewSums) -> i32 {
        const ACTIVATION_TO_LOGIT: i32 = LOGIT_ONE / ONE;
        const PRODUCT_TO_LOGIT: i32 = ONE * WEIGHT_SCALE as i32 / LOGIT_ONE;
        let linear = view[WIN_UNIT] + self.output_bias[0];
        dot(&self.hidden(view), &self.win) / PRODUCT_TO_LOGIT
            + linear.clamp(-MAX_POLICY, MAX_POLICY) * ACTIVATION_TO_LOGIT
    }

    /// Returns the expected score of a view, in points.
    fn score(&self, view: &ViewSums) -> f32 {
        let hidden =
            dot(&self.hidden(view), &self.score) as f32 / (ACTIVATION_SCALE * WEIGHT_SCALE);
        let linear = (view[SCORE_UNIT] + self.output_bias[1]) as f32 / ACTIVATION_SCALE;
        (hidden + linear) * self.score_scale
    }

    /// Returns the sums of the first layer for the views of all seats.
    #[inline]
    fn views(&self, facts: &PositionFacts, seats: usize) -> PerSeat<ViewSums> {
        let mut common = self.first_bias;
        self.shared.add(&facts.shared, &mut common);
        let mut views = [[0; UNITS]; MAX_SEATS];
        for (seat, view) in views.iter_mut().enumerate().take(seats) {
            for facts in facts.seats[seat].as_slice().chunks(self.seat.safe) {
                let sums = self.seat.sum(facts);
                let (own, others) = sums.split_at(UNITS);
                for (unit, (&own, &others)) in own.iter().zip(others).enumerate() {
                    // The view of the seat is without its contribution to those of others.
                    view[unit] += i32::from(own) - i32::from(others);
                    common[unit] += i32::from(others);
                }
            }
            self.view.add(&facts.views[seat], view);
        }
        for view in views.iter_mut().take(seats) {
            view.iter_mut().zip(&common).for_each(|(sum, common)| *sum += common);
        }
        views
    }

    /// Returns the sums of the first layer for the view of one seat.
    #[inline]
    fn view_of(&self, facts: &PositionFacts, seat: Seat, seats: usize) -> ViewSums {
        let mut view = self.first_bias;
        self.shared.add(&facts.shared, &mut view);
        for (other, list) in facts.seats.iter().enumerate().take(seats) {
            self.seat.add_part(list, usize::from(other != seat.index()), &mut view);
        }
        self.view.add(&facts.views[seat.index()], &mut view);
        view
    }

    /// Returns the win share of each seat in a position in which the game is not over.
    #[inline]
    pub fn win_shares<G: Features>(&self, game: &G, state: &G::State) -> PerSeat<f32> {
        self.win_shares_at(game, state, Temperature::ONE)
    }

    #[inline]
    fn win_shares_at<G: Features>(
        &self,
        game: &G,
        state: &G::State,
        temperature: Temperature,
    ) -> PerSeat<f32> {
        let views = with_facts(game, state, |facts| self.views(facts, game.seats()));
        self.shares_of(game, &views, temperature)
    }

    /// Returns the win share of each seat from the views.
    #[inline]
    fn shares_of<G: Features>(
        &self,
        game: &G,
        views: &PerSeat<ViewSums>,
        temperature: Temperature,
    ) -> PerSeat<f32> {
        let seats = game.seats();
        let mut logits = [i32::MIN; MAX_SEATS];
        for (logit, view) in logits.iter_mut().zip(views).take(seats) {
            *logit = self.win_logit(view);
        }
        if game.wins_are_independent() {
            let mut chances = [0.0; MAX_SEATS];
            for (chance, &logit) in chances.iter_mut().zip(&logits).take(seats) {
                let max = logit.max(0);
                let weight = temperature.exp_difference(logit, max);
                let loss = temperature.exp_difference(0, max);
                *chance = weight as f32 / (weight + loss) as f32;
            }
            return chances;
        }
        let max = logits.into_iter().max().unwrap_or(0);
        let mut total = 0_u64;
        let weights = logits.map(|logit| {
            let weight = temperature.exp_difference(logit, max);
            total += u64::from(weight);
            weight
        });
        std::array::from_fn(|seat| weights[seat] as f32 / total as f32)
    }

    /// Returns the expected final score of each seat, in points.
    pub fn expected_scores<G: Features>(&self, game: &G, state: &G::State) -> PerSeat<f32> {
        let views = with_facts(game, state, |facts| self.views(facts, game.seats()));
        let mut scores = [0.0; MAX_SEATS];
        for (score, view) in scores.iter_mut().zip(&views).take(game.seats()) {
            *score = self.score(view);
        }
        scores
    }

    /// Passes each legal action of the seat to move with its probability by the policy.
    #[inline]
    pub fn policy<G: Features>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        receive: impl FnMut(G::Action, f32),
    ) {
        self.priors_at(game, state, seat, legal, legal, Temperature::ONE, &mut None, receive);
    }

    /// Passes the prior of each of these actions, by the policy that was kept or else by that of
    /// the position, which is then kept.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "what an evaluator gets, and the temperature")]
    fn priors_at<G: Features>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        actions: &G::Actions,
        legal: &G::Actions,
        temperature: Temperature,
        kept: &mut Option<KeptPolicy>,
        mut receive: impl FnMut(G::Action, f32),
    ) {
        if legal.len() == 1 {
            return receive(legal.nth(0), 1.0);
        }
        let mut logits = [0; MAX_ACTIONS];
        let (units, scale) = kept.map_or_else(
            || (self.policy_units(game, state, seat), None),
            |KeptPolicy { units, scale }| (units, scale),
        );
        if let Some((max_logit, total)) = scale {
            let logits = self.logits(game, state, seat, actions, &units, &mut logits);
            for (index, action) in actions.iter().enumerate() {
                let logit = logits.get(index).copied().unwrap_or(0).min(max_logit);
                let weight = temperature.exp_difference(logit, max_logit).max(1);
                receive(action, weight as f32 / total as f32);
            }
            return;
        }
        let logits = self.logits(game, state, seat, legal, &units, &mut logits);
        let max_logit = logits.iter().copied().max().unwrap_or(0);
        let mut total = 0_u64;
        let mut weights = [1; MAX_ACTIONS];
        for (weight, logit) in weights.iter_mut().zip(logits) {
            *weight = temperature.exp_difference(*logit, max_logit).max(1);
            total += u64::from(*weight);
        }
        let all = actions.len() == legal.len();
        for (index, action) in legal.iter().enumerate() {
            if all || actions.contains(action) {
                let weight = weights.get(index).copied().unwrap_or(1);
                receive(action, weight as f32 / total as f32);
            }
        }
        *kept = Some(KeptPolicy { units, scale: Some((max_logit, total)) });
    }

    /// Returns the logits of the first [`MAX_ACTIONS`] legal actions in the policy, written to
    /// `logits`.
    #[inline]
    fn policy_logits<'a, G: Features>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        logits: &'a mut [i32; MAX_ACTIONS],
    ) -> &'a [i32] {
        let units = self.policy_units(game, state, seat);
        self.logits(game, state, seat, legal, &units, logits)
    }

    /// Returns the vector whose products with the embeddings of actions are their logits.
    #[inline]
    fn policy_units<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> [i16; POLICY] {
        self.policy_of(&with_facts(game, state, |facts| self.view_of(facts, seat, game.seats())))
    }

    /// Returns the vector of [`Self::policy_units`] for a view.
    #[inline]
    fn policy_of(&self, view: &ViewSums) -> [i16; POLICY] {
        let sums = multiply(&self.policy, &clip(view));
        let mut units: [i16; POLICY] = std::array::from_fn(|unit| {
            let sum = rescale(sums[unit]) + self.policy_bias[unit];
            sum.clamp(-MAX_POLICY, MAX_POLICY) as i16
        });
        units[POLICY - 1] = ONE as i16;
        units
    }

    /// Returns the logits of the first [`MAX_ACTIONS`] of some legal actions, written to `logits`.
    #[inline]
    fn logits<'a, G: Features>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        actions: &G::Actions,
        units: &[i16; POLICY],
        logits: &'a mut [i32; MAX_ACTIONS],
    ) -> &'a [i32] {
        let mut count = 0;
        game.action_facts(state, seat, actions, &mut |_, list| {
            if let Some(logit) = logits.get_mut(count) {
                *logit = dot(units, &self.embedding.sum_within(list, MAX_POLICY as i16));
                count += 1;
            }
        });
        &logits[..count]
    }
}

/// Copies weights.
fn array<const N: usize>(weights: &[i16]) -> [i16; N] {
    std::array::from_fn(|index| weights[index])
}

/// Reciprocal of the number by which logits are divided, in units of 1 / [`LOGIT_ONE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Temperature(i64);

impl Temperature {
    const ONE: Self = Self(LOGIT_ONE as i64);

    /// Returns e^((logit − max) / temperature), in the units of [`exp`].
    #[inline]
    fn exp_difference(self, logit: i32, max: i32) -> u32 {
        let difference = i64::from(logit) - i64::from(max);
        let scaled = difference * self.0 / i64::from(LOGIT_ONE);
        exp(scaled.max(i32::MIN.into()) as i32)
    }
}

/// Networks whose logits are divided by a temperature.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkEvaluator {
    networks: NetworksByMode,
    temperature: Temperature,
}

impl NetworkEvaluator {
    /// Creates an evaluator. The temperature is at least 0.001.
    pub fn new(networks: impl Into<NetworksByMode>, temperature: f64) -> Self {
        let reciprocal = (f64::from(LOGIT_ONE) / temperature).round();
        Self { networks: networks.into(), temperature: Temperature(reciprocal as i64) }
    }

    /// Returns true if both have the same policy, up to the temperature.
    pub fn shares_policy(&self, other: &Self) -> bool {
        self.networks.are_those_of(&other.networks)
    }

    /// Returns the log-odds of `seat` winning, infinite if the win share is rounded to 0 or 1.
    pub fn log_odds<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> f32 {
        let shares = self.win_probabilities(game, state);
        let share = f64::from(shares[seat.index()]);
        (share / (1.0 - share)).ln() as f32
    }
}

impl<G: Features> Evaluator<G> for NetworkEvaluator {
    fn win_probabilities(&self, game: &G, state: &G::State) -> PerSeat<f32> {
        self.networks.at(game, state).win_shares_at(game, state, self.temperature)
    }

    fn win_probabilities_and_policy(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
    ) -> (PerSeat<f32>, Option<KeptPolicy>) {
        let network = self.networks.at(game, state);
        let views = with_facts(game, state, |facts| network.views(facts, game.seats()));
        let units = network.policy_of(&views[seat.index()]);
        let shares = network.shares_of(game, &views, self.temperature);
        (shares, Some(KeptPolicy { units, scale: None }))
    }

    fn expected_scores(&self, game: &G, state: &G::State) -> Option<PerSeat<f32>> {
        Some(self.networks.at(game, state).expected_scores(game, state))
    }

    fn action_priors(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        actions: &G::Actions,
        legal: &G::Actions,
        kept: &mut Option<KeptPolicy>,
        receive: &mut dyn FnMut(G::Action, f32),
    ) {
        let (network, temperature) = (self.networks.at(game, state), self.temperature);
        network.priors_at(game, state, seat, actions, legal, temperature, kept, receive);
    }
}

/// Player that chooses by the prior and the value of a network, without a search: the action with
/// the highest ln(prior) + `value_weight` · win share among the `candidates` with the highest
/// priors, without those whose prior is less than e⁻⁴ of the highest one.
///
/// The value is learned in positions after actions that were chosen, so it is least certain after
/// actions that the policy never chooses. The value alone chooses the most overvalued of them. The
/// rule is that of Gumbel MuZero for actions that were visited once (Danihelka et al. 2022).
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkBot {
    /// Networks.
    pub networks: NetworksByMode,
    /// Maximum number of actions that are valued, from 1 to [`MAX_CANDIDATES`].
    pub candidates: usize,
    /// Weight of the win share against the logarithm of the prior, at least 0.
    pub value_weight: f64,
    /// Scale of the Gumbel noise that is added to the sum of each candidate, at least 0. Actions
    /// are then chosen in proportion to exp(sum / `noise`).
    pub noise: f64,
    /// Probability of a uniformly random choice, from 0 to 1.
    pub epsilon: f64,
}

impl NetworkBot {
    /// Default of [`NetworkBot::candidates`].
    pub const CANDIDATES: usize = 6;
    /// Default of [`NetworkBot::value_weight`].
    pub const VALUE_WEIGHT: f64 = 30.0;

    /// Creates a player with the default parameters.
    pub const fn new(networks: NetworksByMode) -> Self {
        let (candidates, value_weight) = (Self::CANDIDATES, Self::VALUE_WEIGHT);
        Self { networks, candidates, value_weight, noise: 0.0, epsilon: 0.0 }
    }
}

impl<G: Features> Policy<G> for NetworkBot {
    fn choose(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        if let Some(action) = Uniform::choose_with_probability(self.epsilon, legal, rng) {
            return action;
        }
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let mut candidates = [None; MAX_CANDIDATES];
        let candidates = &mut candidates[..self.candidates.clamp(1, MAX_CANDIDATES)];
        let mut logits = [0; MAX_ACTIONS];
        let network = self.networks.at(game, state);
        let logits = network.policy_logits(game, state, seat, legal, &mut logits);
        for (action, &logit) in legal.iter().zip(logits) {
            insert_candidate(candidates, action, logit);
        }
        let lowest = candidates[0].map_or(0, |(_, highest)| highest - MAX_LOGIT_GAP);
        let is_probable = |&&(_, logit): &&(_, i32)| logit >= lowest;
        let probable = candidates.iter().flatten().take_while(is_probable).count();
        if let [Some((action, _))] = candidates[..probable] {
            return action;
        }
        let weight = self.value_weight * f64::from(LOGIT_ONE);
        let mut best = (legal.nth(0), i64::MIN);
        for &(action, logit) in candidates[..probable].iter().flatten() {
            let share = value_after(network, game, *state, seat, action);
            let mut score = i64::from(logit) + (weight * f64::from(share)) as i64;
            if self.noise > 0.0 {
                let gumbel = -(-rng.random::<f64>().ln()).ln();
                score += (self.noise * gumbel * f64::from(LOGIT_ONE)) as i64;
            }
            if score > best.1 {
                best = (action, score);
            }
        }
        best.0
    }

    fn priors(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        receive: &mut dyn FnMut(G::Action, f32),
    ) -> bool {
        self.networks.at(game, state).policy(game, state, seat, legal, receive);
        true
    }
}

/// Maximum difference between the highest logit and that of an action that is valued. Less probable
/// actions cost time and make the bot no stronger, because the value is least certain after them.
const MAX_LOGIT_GAP: i32 = 4 * LOGIT_ONE;

/// Maximum number of candidates of a [`NetworkBot`].
pub const MAX_CANDIDATES: usize = 32;

/// Inserts an action into a list in descending order of the logits, which keeps its length.
fn insert_candidate<A: Copy>(candidates: &mut [Option<(A, i32)>], action: A, logit: i32) {
    let is_lower = |candidate: &Option<(A, i32)>| candidate.is_none_or(|(_, other)| other < logit);
    if let Some(position) = candidates.iter().position(is_lower) {
        candidates[position..].rotate_right(1);
        candidates[position] = Some((action, logit));
    }
}

/// Returns the win share of a seat after an action.
fn value_after<G: Features>(
    network: &BoundNetwork,
    game: &G,
    mut state: G::State,
    seat: Seat,
    action: G::Action,
) -> f32 {
    game.apply(&mut state, action);
    if game.turn(&state) == Turn::Over {
        RewardFunction::WIN.evaluate(&game.outcome(&state), game.seats())[seat.index()]
    } else {
        network.win_shares(game, &state)[seat.index()]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;
    use crate::rng::{Purpose, random_below, stream};

    #[test]
    fn matrices_are_multiplied_exactly() {
        let mut rng = stream(7, 0, 0, Purpose::Playout);
        let mut below = |limit| random_below(&mut rng, limit) as i16;
        let weights: [[i16; UNITS]; 32] =
            std::array::from_fn(|_| std::array::from_fn(|_| below(1 << 16)));
        let activations = std::array::from_fn(|_| below(ONE as u32 + 1));
        let products = weights.map(|weights| dot(&weights, &activations));
        assert_eq!(multiply(&interleave(&weights), &activations), products);
    }
}
