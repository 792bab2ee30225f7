//! Self-play: games in which every seat is played by one teacher, or one seat against a frozen bot,
//! and the samples of these games.

use rand::RngExt as _;

use super::{
    network_search::NetworkSearch,
    samples::{NewSample, SampleSet},
};
use crate::{
    arena::play::{Event, Observer, play_game},
    bots::{Bot, BotFactory, View},
    game::{
        ActionSet, Features, Game, Outcome, PerSeat, Seat, Turn, UNITS_PER_WIN, facts::FactNumbers,
    },
    rng::{ChanceStreams, Purpose, Rng, stream},
    search::{
        Evaluator,
        heuristic::Heuristic,
        mcts::{Budget, Settings},
        network::NetworkEvaluator,
    },
};

/// Number that represents a win share of 1.
const SHARE_ONE: f32 = 60_000.0;
/// Number that represents a probability of 1 in policies that are not counts of visits.
const PRIOR_ONE: f32 = 10_000.0;

/// Bit of the index of a random action in a [`GameRecord`].
const EXPLORED: u16 = 1 << 15;
/// Bit of the index of an action of which nothing is learned, so that nothing follows it.
const UNLEARNED: u16 = 1 << 14;
/// Minimum number of visits of an action whose value is learned although it was not chosen.
const MIN_SIBLING_VISITS: u32 = 10;
/// Probability that such a position becomes a sample, relative to that of other positions.
const SIBLING_WEIGHT: f64 = 0.5;

/// Frozen bot in all seats except that of the learner.
#[derive(Clone, Copy, Debug)]
pub struct FrozenOpponents<'a> {
    /// The bot.
    pub bot: &'a BotFactory,
    /// Seat of the learner.
    pub learner: Seat,
}

/// Player of all seats in self-play, or of one seat against others.
#[derive(Clone, Copy, Debug)]
pub enum Teacher<'a> {
    /// Plays the action with the highest prior, or a random one with this probability.
    Heuristic {
        /// Gives the priors.
        heuristic: &'a Heuristic,
        /// Probability of a random action.
        epsilon: f64,
    },
    /// Searches with a network.
    Search {
        /// The network.
        network: &'a NetworkEvaluator,
        /// Settings of the search.
        search: &'a SelfPlaySearch,
        /// Players of the other seats; `None` if the teacher plays all seats.
        opponents: Option<FrozenOpponents<'a>>,
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
    /// Probability that a decision is a random one of the actions that the search has not chosen.
    pub explored_share: f64,
    /// Maximum number of actions that were not chosen whose values are learned, for each full
    /// search.
    pub siblings: u32,
}

impl SelfPlaySearch {
    /// Draws the number of random decisions at the beginning of a game.
    fn draw_random_moves(&self, rng: &mut Rng) -> u32 {
        if self.random_moves == 0 { 0 } else { rng.random_range(0..=self.random_moves) }
    }
}

/// A game in compact form. For each decision between several actions the index of the chosen
/// action. With the bit `UNLEARNED`, it is a random action at the beginning or one of a frozen
/// bot, and nothing follows it. Otherwise it has the highest bit if the teacher did not choose it,
/// and is followed by the win share of each seat as the teacher sees it, the policy of the teacher
/// if it is learned, as pairs of an index and a weight, and the siblings of the action: each an
/// index and the win share of each seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Number of the block.
    pub block: u64,
    /// Decisions, win shares and policies.
    pub words: Vec<u16>,
}

/// Plays a game.
pub fn play<G: Features>(game: &G, teacher: &Teacher<'_>, seed: u64, block: u64) -> GameRecord {
    let mut chance = ChanceStreams::new(seed, block, game.chance_sources().len());
    let mut rng = stream(seed, block, 0, Purpose::Bot(0));
    let mut words = Vec::new();
    match *teacher {
        Teacher::Heuristic { heuristic, epsilon } => {
            let choose = |view: &View<'_, G>, legal: &G::Actions| {
                choose_by_priors(heuristic, epsilon, view, legal, &mut rng, &mut words)
            };
            play_game(game, &mut chance, choose, ());
        }
        Teacher::Search { network, search, opponents } => {
            let mut searcher = Searcher::new(network, search);
            let mut random_moves = search.draw_random_moves(&mut rng);
            let mut frozen =
                opponents.map(|opponents| FrozenBots::new(opponents, game.seats(), seed, block));
            let choose = |view: &View<'_, G>, legal: &G::Actions| {
                let action = if legal.len() > 1 && random_moves > 0 {
                    random_moves -= 1;
                    let choice = rng.random_range(0..legal.len());
                    words.push(choice as u16 | UNLEARNED);
                    legal.nth(choice)
                } else if let Some(frozen) = frozen.as_mut().filter(|all| all.plays(view.seat())) {
                    frozen.choose(view, legal, &mut words)
                } else {
                    searcher.choose(view, legal, &mut rng, &mut words)
                };
                if let Some(frozen) = &mut frozen {
                    frozen.bots.iter_mut().for_each(|bot| bot.observe(view.seat(), action));
                }
                action
            };
            play_game(game, &mut chance, choose, ());
        }
    }
    GameRecord { block, words }
}

/// Frozen bots of one game, one in each seat; that in the seat of the learner does not play.
struct FrozenBots<G: Game> {
    bots: Vec<Box<dyn Bot<G>>>,
    streams: Vec<Rng>,
    learner: Seat,
}

impl<G: Features> FrozenBots<G> {
    fn new(opponents: FrozenOpponents<'_>, seats: usize, seed: u64, block: u64) -> Self {
        let seats = 0..seats;
        Self {
            bots: seats.clone().map(|_| opponents.bot.build()).collect(),
            // The teacher draws from the stream of seat 0 in game 0 of the block.
            streams: seats.map(|seat| stream(seed, block, 1, Purpose::Bot(seat as u8))).collect(),
            learner: opponents.learner,
        }
    }

    fn plays(&self, seat: Seat) -> bool {
        seat != self.learner
    }

    /// Chooses an action, and appends its index if there are several.
    fn choose(
        &mut self,
        view: &View<'_, G>,
        legal: &G::Actions,
        words: &mut Vec<u16>,
    ) -> G::Action {
        let seat = view.seat().index();
        let action = self.bots[seat].choose(view, legal, &mut self.streams[seat]);
        if legal.len() > 1 {
            let choice = legal.iter().position(|other| other == action);
            words.push(choice.expect("a bot chooses a legal action") as u16 | UNLEARNED);
        }
        action
    }
}

/// A decision that is appended to a record.
struct NewDecision<'a> {
    /// Index of the chosen action, with [`EXPLORED`] if it is a random one.
    choice: u16,
    values: &'a PerSeat<f32>,
    policy: &'a [(u16, u16)],
    siblings: &'a [(u16, PerSeat<f32>)],
}

impl NewDecision<'_> {
    fn append_to(&self, words: &mut Vec<u16>, seats: usize) {
        let shares = |values: &PerSeat<f32>| -> PerSeat<u16> {
            values.map(|share| (share * SHARE_ONE).round() as u16)
        };
        words.push(self.choice);
        words.extend(&shares(self.values)[..seats]);
        words.push(self.policy.len() as u16);
        words.extend(self.policy.iter().flat_map(|&(index, weight)| [index, weight]));
        words.push(self.siblings.len() as u16);
        for (index, values) in self.siblings {
            words.push(*index);
            words.extend(&shares(values)[..seats]);
        }
    }
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
    let choice_word = choice as u16;
    let decision =
        NewDecision { choice: choice_word, values: &values, policy: &policy, siblings: &[] };
    decision.append_to(words, view.game().seats());
    legal.nth(choice)
}

/// Searches of one game.
struct Searcher<A> {
    full: NetworkSearch<A>,
    fast: NetworkSearch<A>,
    options: SelfPlaySearch,
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
            options: *options,
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
        let SelfPlaySearch { full_share, explored_share, siblings, .. } = self.options;
        let is_full = rng.random::<f64>() < full_share;
        let search = if is_full { &mut self.full } else { &mut self.fast };
        let mut choice = search.choose(view, legal, rng);
        let (mut policy, mut others) = (Vec::new(), Vec::new());
        if is_full {
            policy = search.pruned_policy(legal, view.seat());
            others = search.most_visited(legal, MIN_SIBLING_VISITS);
            others.retain(|&(index, _)| usize::from(index) != choice);
            others.truncate(siblings as usize);
        }
        let mut explored = 0;
        if rng.random::<f64>() < explored_share {
            let other = rng.random_range(0..legal.len() - 1);
            choice = if other < choice { other } else { other + 1 };
            explored = EXPLORED;
            others.retain(|&(index, _)| usize::from(index) != choice);
        }
        let decision = NewDecision {
            choice: choice as u16 | explored,
            values: &search.values(),
            policy: &policy,
            siblings: &others,
        };
        decision.append_to(words, view.game().seats());
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

/// A decision of the teacher as it is stored in a record.
#[derive(Clone, Copy)]
struct StoredDecision<'r> {
    is_explored: bool,
    values: &'r [u16],
    /// Pairs of an index and a weight.
    policy: &'r [u16],
    /// Each an index and the win share of each seat.
    siblings: &'r [u16],
}

/// Removes a decision between `actions` actions from the words of a record. Returns the index of
/// the chosen action and, if something is learned of it, the decision; `None` if the words are not
/// those of such a decision.
fn take_decision<'r>(
    words: &mut &'r [u16],
    seats: usize,
    actions: usize,
) -> Option<(usize, Option<StoredDecision<'r>>)> {
    let mut take = |count: usize| {
        let (taken, rest) = words.split_at_checked(count)?;
        *words = rest;
        Some(taken)
    };
    let choice = take(1)?[0];
    let is_action = |index: u16| usize::from(index) < actions;
    if choice & UNLEARNED != 0 {
        let index = choice & !UNLEARNED;
        return is_action(index).then_some((index.into(), None));
    }
    let values = take(seats)?;
    let pairs = usize::from(take(1)?[0]);
    let policy = take(2 * pairs)?;
    let others = usize::from(take(1)?[0]);
    let siblings = take((1 + seats) * others)?;
    let index = choice & !EXPLORED;
    let is_valid = is_action(index)
        && policy.chunks_exact(2).all(|pair| is_action(pair[0]))
        && siblings.chunks_exact(1 + seats).all(|sibling| is_action(sibling[0]));
    let decision = StoredDecision { is_explored: choice & EXPLORED != 0, values, policy, siblings };
    is_valid.then_some((index.into(), Some(decision)))
}

/// Decision of a replayed game.
struct ReplayedDecision<'r, G: Game> {
    before: G::State,
    after: G::State,
    seat: Seat,
    legal: G::Actions,
    stored: StoredDecision<'r>,
}

/// Replays a game and returns its outcome; `None` if the record is not one of this game and seed.
/// Calls a function before each choice of the teacher between several actions.
fn replay<'r, G: Game>(
    game: &G,
    record: &'r GameRecord,
    seed: u64,
    mut on_choice: impl FnMut(StoredDecision<'r>),
    observer: impl Observer<G>,
) -> Option<Outcome> {
    let mut chance = ChanceStreams::new(seed, record.block, game.chance_sources().len());
    let mut words = record.words.as_slice();
    let mut is_valid = true;
    let choose = |_: &View<'_, G>, legal: &G::Actions| {
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let decision = take_decision(&mut words, game.seats(), legal.len());
        is_valid &= decision.is_some();
        // An invalid game ends by the first actions.
        let (index, learned) = decision.unwrap_or_default();
        if let Some(decision) = learned {
            on_choice(decision);
        }
        legal.nth(index)
    };
    let outcome = game.outcome(&play_game(game, &mut chance, choose, observer));
    (is_valid && words.is_empty()).then_some(outcome)
}

/// Replays a game and returns the final scores; `None` if the record is not one of this game and
/// seed.
pub fn final_scores<G: Game>(game: &G, record: &GameRecord, seed: u64) -> Option<PerSeat<i32>> {
    replay(game, record, seed, |_| {}, ()).map(|outcome| outcome.scores)
}

/// Replays a game and adds its samples to a set, none if [`final_scores`] refuses the record.
/// `facts` are the numbers of the facts of the game in the set.
///
/// The target of a position is its λ-return: a weighted mean of the values of the searches that
/// follow and the outcome (Sutton 1988). Before a random action it begins again with the value of
/// the search there, which does not know that action. The positions after siblings, which were not
/// played, have the mean rewards of their iterations as targets (Veness et al. 2009).
pub fn add_samples<G: Features>(
    game: &G,
    facts: &FactNumbers,
    record: &GameRecord,
    sampling: &Sampling,
    samples: &mut SampleSet,
) {
    let pending = std::cell::RefCell::new(None);
    let mut decisions: Vec<ReplayedDecision<'_, G>> = Vec::new();
    let observer = DecisionObserver(|before: &G::State, seat, legal: &G::Actions, action| {
        if let Some(stored) = pending.borrow_mut().take() {
            let after = state_after(game, before, action);
            let before = *before;
            decisions.push(ReplayedDecision { before, after, seat, legal: *legal, stored });
        }
    });
    let on_choice = |stored| *pending.borrow_mut() = Some(stored);
    let Some(outcome) = replay(game, record, sampling.seed, on_choice, observer) else { return };
    let mut rng = stream(sampling.seed, record.block, 0, Purpose::Training);
    let shares = |words: &[u16]| -> PerSeat<f32> {
        let share = |seat| words.get(seat).map_or(0.0, |&word| f32::from(word) / SHARE_ONE);
        std::array::from_fn(share)
    };
    let mut wins: PerSeat<f32> = std::array::from_fn(|seat| {
        outcome.win_share(Seat::new(seat)) as f32 / UNITS_PER_WIN as f32
    });
    let scores = Some(outcome.scores.map(|score| score as f32 / sampling.score_scale));
    for ReplayedDecision { before, after, seat, legal, stored } in decisions.iter().rev() {
        let mut add = |share: f64, state: &G::State, wins, scores| {
            let sample = NewSample { game, facts, state, wins, scores, policy: None };
            if rng.random::<f64>() < share && game.turn(state) != Turn::Over {
                samples.push(&sample);
            }
        };
        add(sampling.value_share, after, wins, scores);
        for sibling in stored.siblings.chunks_exact(1 + game.seats()) {
            let state = state_after(game, before, legal.nth(sibling[0].into()));
            let share = SIBLING_WEIGHT * sampling.value_share;
            add(share, &state, shares(&sibling[1..]), None);
        }
        let values = shares(stored.values);
        let rate = if stored.is_explored { 1.0 } else { 1.0 - sampling.lambda };
        for (win, value) in wins.iter_mut().zip(values) {
            *win += rate * (value - *win);
        }
        if !stored.policy.is_empty() && rng.random::<f64>() < sampling.policy_share {
            let policy: Vec<_> =
                stored.policy.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let policy = Some((*seat, legal, &policy[..]));
            samples.push(&NewSample { game, facts, state: before, wins, scores, policy });
        }
    }
}

/// Returns the position after an action.
fn state_after<G: Game>(game: &G, before: &G::State, action: G::Action) -> G::State {
    let mut after = *before;
    game.apply(&mut after, action);
    after
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
