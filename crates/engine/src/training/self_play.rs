//! Self-play: games in which every seat is played by one teacher, and the samples of these games.

use rand::RngExt as _;

use super::{
    network_search::NetworkSearch,
    samples::{NewSample, SampleSet},
};
use crate::{
    arena::play::{Event, Observer, play_game},
    bots::View,
    game::{ActionSet, Features, Game, Outcome, PerSeat, Seat, Turn, UNITS_PER_WIN},
    rng::{ChanceStreams, Purpose, Rng, stream},
    search::{
        Evaluator,
        mcts::{Budget, Settings},
        network::NetworkEvaluator,
    },
};

/// Number that represents a win share of 1.
const SHARE_ONE: f32 = 60_000.0;
/// Number that represents a probability of 1 in policies that are not counts of visits.
const PRIOR_ONE: f32 = 10_000.0;

/// Player of all seats in self-play.
#[derive(Clone, Copy)]
pub enum Teacher<'a, G: Game> {
    /// Plays the action with the highest prior, or a random one with this probability.
    Priors {
        /// Gives the priors.
        evaluator: &'a dyn Evaluator<G>,
        /// Probability of a random action.
        epsilon: f64,
    },
    /// Searches with a network.
    Search {
        /// The network.
        network: &'a NetworkEvaluator,
        /// Settings of the search.
        search: &'a SelfPlaySearch,
    },
}

/// Settings of the searches of self-play: playout-cap randomisation (Wu 2019).
#[derive(Clone, Copy, Debug)]
pub struct SelfPlaySearch {
    /// Settings without the budget.
    pub settings: Settings,
    /// Iterations of a full search, whose policy is learned.
    pub iterations: u32,
    /// Iterations of a fast search.
    pub fast_iterations: u32,
    /// Share of the decisions with a full search.
    pub full_share: f64,
    /// Share of noise in the priors at the root of a full search.
    pub root_noise: f32,
    /// Temperature of the choice among the visited actions; 0 chooses the most visited one.
    pub temperature: f64,
    /// Maximum number of random decisions at the beginning of a game.
    pub random_moves: u32,
}

impl SelfPlaySearch {
    /// Draws the number of random decisions at the beginning of a game.
    fn draw_random_moves(&self, rng: &mut Rng) -> u32 {
        if self.random_moves == 0 { 0 } else { rng.random_range(0..=self.random_moves) }
    }
}

/// A game in compact form. First the number of random decisions between several actions and the
/// index of each chosen action; then for each further decision the index of the chosen action, the
/// win share of each seat as the teacher sees it, and the policy of the teacher if it is learned,
/// as pairs of an index and a weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Number of the block.
    pub block: u64,
    /// Decisions, win shares and policies.
    pub words: Vec<u16>,
}

/// Plays a game.
pub fn play<G: Features>(game: &G, teacher: &Teacher<'_, G>, seed: u64, block: u64) -> GameRecord {
    let mut chance = ChanceStreams::new(seed, block, game.chance_sources().len());
    let mut rng = stream(seed, block, 0, Purpose::Bot(0));
    let mut words = Vec::new();
    match *teacher {
        Teacher::Priors { evaluator, epsilon } => {
            words.push(0);
            let choose = |view: &View<'_, G>, legal: &G::Actions| {
                choose_by_priors(evaluator, epsilon, view, legal, &mut rng, &mut words)
            };
            play_game(game, &mut chance, choose, ());
        }
        Teacher::Search { network, search } => {
            let mut searcher = Searcher::new(network, search);
            let mut random_moves = search.draw_random_moves(&mut rng);
            words.push(0);
            let choose = |view: &View<'_, G>, legal: &G::Actions| {
                if legal.len() > 1 && random_moves > 0 {
                    random_moves -= 1;
                    words[0] += 1;
                    let choice = rng.random_range(0..legal.len());
                    words.push(choice as u16);
                    return legal.nth(choice);
                }
                searcher.choose(view, legal, &mut rng, &mut words)
            };
            play_game(game, &mut chance, choose, ());
        }
    }
    GameRecord { block, words }
}

/// Appends a decision to a record.
fn push_decision(
    words: &mut Vec<u16>,
    choice: usize,
    values: &PerSeat<f32>,
    seats: usize,
    policy: &[(u16, u16)],
) {
    words.push(choice as u16);
    words.extend(values[..seats].iter().map(|share| (share * SHARE_ONE).round() as u16));
    words.push(policy.len() as u16);
    words.extend(policy.iter().flat_map(|&(index, weight)| [index, weight]));
}

fn choose_by_priors<G: Features>(
    evaluator: &dyn Evaluator<G>,
    epsilon: f64,
    view: &View<'_, G>,
    legal: &G::Actions,
    rng: &mut Rng,
    words: &mut Vec<u16>,
) -> G::Action {
    if legal.len() == 1 {
        return legal.nth(0);
    }
    let state = view.determinize(rng);
    let mut priors = Vec::with_capacity(legal.len());
    let mut receive = |_, prior| priors.push(prior);
    evaluator.action_priors(
        view.game(),
        &state,
        view.seat(),
        legal,
        legal,
        &mut None,
        &mut receive,
    );
    let total: f32 = priors.iter().sum();
    let policy: Vec<_> = (0..)
        .zip(&priors)
        .map(|(index, prior)| (index, (prior / total * PRIOR_ONE) as u16))
        .filter(|&(_, weight)| weight > 0)
        .collect();
    let best = (0..priors.len()).max_by(|&one, &other| priors[one].total_cmp(&priors[other]));
    let choice = if rng.random::<f64>() < epsilon {
        rng.random_range(0..priors.len())
    } else {
        best.unwrap_or(0)
    };
    let values = evaluator.win_probabilities(view.game(), &state);
    push_decision(words, choice, &values, view.game().seats(), &policy);
    legal.nth(choice)
}

/// Searches of one game.
struct Searcher<A> {
    full: NetworkSearch<A>,
    fast: NetworkSearch<A>,
    full_share: f64,
}

impl<A: Copy + Eq + std::hash::Hash> Searcher<A> {
    fn new(network: &NetworkEvaluator, options: &SelfPlaySearch) -> Self {
        let search = |iterations, root_noise| {
            let budget = Budget::iterations(iterations);
            let settings = Settings { budget, root_noise, ..options.settings };
            NetworkSearch::new(network.clone(), settings, options.temperature)
        };
        Self {
            full: search(options.iterations, options.root_noise),
            fast: search(options.fast_iterations, 0.0),
            full_share: options.full_share,
        }
    }

    fn choose<G: Features<Action = A>>(
        &mut self,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
        words: &mut Vec<u16>,
    ) -> A {
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let is_full = rng.random::<f64>() < self.full_share;
        let search = if is_full { &mut self.full } else { &mut self.fast };
        let choice = search.choose(view, legal, rng);
        let policy = if is_full { search.pruned_policy(legal, view.seat()) } else { Vec::new() };
        push_decision(words, choice, &search.values(), view.game().seats(), &policy);
        legal.nth(choice)
    }
}

/// Choice of samples from games.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// λ of the λ-returns.
    pub lambda: f32,
    /// Probability that the position after a decision becomes a sample.
    pub value_share: f64,
    /// Probability that a decision with a policy becomes a sample.
    pub policy_share: f64,
    /// Scale of the scores.
    pub score_scale: f32,
    /// Seed of the samples.
    pub seed: u64,
}

/// Decision of a replayed game.
struct ReplayedDecision<'r, G: Game> {
    before: G::State,
    after: G::State,
    seat: Seat,
    legal: G::Actions,
    values: &'r [u16],
    policy: Vec<(u16, u16)>,
}

/// Replays a game and returns its outcome. Calls a function before each choice of the teacher
/// between several actions, with the stored values and the pairs of the stored policy.
fn replay<'r, G: Game>(
    game: &G,
    record: &'r GameRecord,
    seed: u64,
    mut on_choice: impl FnMut(&'r [u16], &'r [u16]),
    observer: impl Observer<G>,
) -> Outcome {
    let mut chance = ChanceStreams::new(seed, record.block, game.chance_sources().len());
    let (&random_moves, mut words) = record.words.split_first().unwrap_or((&0, &[]));
    let mut random_moves = random_moves;
    let choose = |_: &View<'_, G>, legal: &G::Actions| {
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let mut take = |count: usize| {
            let (taken, rest) = words.split_at(count);
            words = rest;
            taken
        };
        let choice = take(1)[0];
        if random_moves > 0 {
            random_moves -= 1;
            return legal.nth(choice.into());
        }
        let values = take(game.seats());
        let pairs = take(1)[0];
        on_choice(values, take(2 * usize::from(pairs)));
        legal.nth(choice.into())
    };
    game.outcome(&play_game(game, &mut chance, choose, observer))
}

/// Replays a game and returns the final scores.
pub fn final_scores<G: Game>(game: &G, record: &GameRecord, seed: u64) -> PerSeat<i32> {
    replay(game, record, seed, |_, _| {}, ()).scores
}

/// Replays a game and adds its samples to a set.
///
/// The target of a position is its λ-return: a weighted mean of the values of the searches that
/// follow and the outcome (Sutton 1988).
pub fn add_samples<G: Features>(
    game: &G,
    table: usize,
    record: &GameRecord,
    sampling: &Sampling,
    samples: &mut SampleSet,
) {
    let pending = std::cell::RefCell::new(None);
    let mut decisions: Vec<ReplayedDecision<'_, G>> = Vec::new();
    let observer = DecisionObserver(|state: &G::State, seat, legal: &G::Actions, action| {
        if let Some((values, pairs)) = pending.borrow_mut().take() {
            let pairs: &[u16] = pairs;
            let policy = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let mut after = *state;
            game.apply(&mut after, action);
            decisions.push(ReplayedDecision {
                before: *state,
                after,
                seat,
                legal: *legal,
                values,
                policy,
            });
        }
    });
    let on_choice = |values, pairs| *pending.borrow_mut() = Some((values, pairs));
    let outcome = replay(game, record, sampling.seed, on_choice, observer);
    let mut rng = stream(sampling.seed, record.block, 0, Purpose::Training);
    let mut wins: PerSeat<f32> = std::array::from_fn(|seat| {
        outcome.win_share(Seat::new(seat)) as f32 / UNITS_PER_WIN as f32
    });
    let scores = outcome.scores.map(|score| score as f32 / sampling.score_scale);
    for decision in decisions.iter().rev() {
        let ReplayedDecision { before, after, seat, legal, values, policy } = decision;
        let sample = NewSample { game, table, state: after, wins, scores, policy: None };
        if rng.random::<f64>() < sampling.value_share && game.turn(after) != Turn::Over {
            samples.push(&sample);
        }
        for (win, &value) in wins.iter_mut().zip(*values) {
            *win += (1.0 - sampling.lambda) * (f32::from(value) / SHARE_ONE - *win);
        }
        if !policy.is_empty() && rng.random::<f64>() < sampling.policy_share {
            let policy = Some((*seat, legal, &policy[..]));
            samples.push(&NewSample { state: before, wins, policy, ..sample });
        }
    }
}

/// Observer of decisions.
struct DecisionObserver<F>(F);

impl<G: Game, F: FnMut(&G::State, Seat, &G::Actions, G::Action)> Observer<G>
    for DecisionObserver<F>
{
    fn on_event(&mut self, _: &G, state: &G::State, event: &Event<'_, G>) {
        if let &Event::Decision { seat, legal, action } = event {
            (self.0)(state, seat, legal, action);
        }
    }
}
