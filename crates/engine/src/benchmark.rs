//! Work of a fixed size, for measurements of speed and for signatures of behaviour.

use std::{hash::Hash, hint::black_box};

use rustc_stable_hash::StableSipHasher128;

use crate::{
    arena::run::Experiment,
    bots::{Bot, BotFactory, View},
    game::{Features, FullGame, Game, Turn},
    rng::{ChanceStreams, Purpose, Rng, stream},
    search::{
        mcts::{Search, SearchModel, Settings},
        network::{NetworkBot, NetworksByMode},
        playout::{Policy, Uniform, UniformKind, play_out},
    },
};

/// Playouts of each policy whose positions are hashed.
const SIGNATURE_PLAYOUTS: u64 = 200;
/// Seed of the games of bots.
const SEED: u64 = 1;
/// Placements of an opening that `simulate` counts by default.
const OPENING_STEPS: usize = 3;
/// Games whose positions a network evaluates.
const EVALUATED_GAMES: u64 = 4;

/// Work that a thread did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkDone {
    /// Playouts, iterations, games or evaluations.
    pub units: u64,
    /// Events of playouts and games; 0 for the others.
    pub events: u64,
}

/// The kinds of work with a game, each on this thread.
pub trait Benchmark: Sync {
    /// Hashes the text of every position of some random playouts.
    fn hash_playouts(&self, hasher: &mut StableSipHasher128);

    /// Plays out the initial position, uniformly over the legal actions.
    fn playouts(&self, playouts: u32) -> WorkDone;

    /// Plays out the initial position, uniformly over the kinds of action.
    fn kind_playouts(&self, playouts: u32) -> WorkDone;

    /// Searches the first decision by UCT with uniform playouts.
    fn search_first_decision(&self, iterations: u32) -> WorkDone;

    /// Plays games of a lineup and counts results, items and openings; and choices, leads and items
    /// by round, as `simulate` does, if `with_statistics` is true.
    fn play_games(&self, lineup: &[BotFactory], games: u32, with_statistics: bool) -> WorkDone;

    /// Evaluates positions by the network, if there is one.
    fn evaluate(&self, evaluations: u32) -> WorkDone;

    /// Plays at most `games` games of a lineup that searches, until it has searched `searches`
    /// times.
    fn search_in_games(&self, lineup: &[BotFactory], games: u32, searches: u32) -> WorkDone;
}

/// The networks of a bot, and positions that they evaluate.
struct Evaluations<G: Game> {
    networks: NetworksByMode,
    /// Positions in which a seat decides, of games in which the bot plays in all seats.
    positions: Vec<G::State>,
}

impl<G: Features> Evaluations<G> {
    fn new(game: &G, bot: NetworkBot) -> Self {
        let mut positions = Vec::new();
        for index in 0..EVALUATED_GAMES {
            let mut rng = stream(4, index, 0, Purpose::Playout);
            let mut state = game.initial();
            loop {
                let action = match game.turn(&state) {
                    Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                    Turn::Seat(seat) => {
                        positions.push(state);
                        bot.choose(game, &state, seat, &game.legal_actions(&state), &mut rng)
                    }
                    Turn::Over => break,
                };
                game.apply(&mut state, action);
            }
        }
        Self { networks: bot.networks, positions }
    }

    /// Computes the win shares of positions, one after the other and from the first again.
    fn evaluate(&self, game: &G, evaluations: u32) -> WorkDone {
        for position in self.positions.iter().cycle().take(evaluations as usize) {
            black_box(self.networks.at(game, position).win_shares(game, black_box(position)));
        }
        WorkDone { units: evaluations.into(), events: 0 }
    }
}

/// A game, with positions that a network evaluates.
pub struct GameBenchmark<'a, G: Game> {
    game: &'a G,
    evaluations: Option<Evaluations<G>>,
}

impl<'a, G: FullGame> GameBenchmark<'a, G> {
    /// Prepares the work, with a network whose evaluations are measured.
    pub fn new(game: &'a G, network: Option<NetworkBot>) -> Self {
        Self { game, evaluations: network.map(|bot| Evaluations::new(game, bot)) }
    }
}

impl<G: FullGame> Benchmark for GameBenchmark<'_, G>
where
    G::State: Sync,
{
    fn hash_playouts(&self, hasher: &mut StableSipHasher128) {
        hash_playouts(self.game, &Uniform, hasher);
        hash_playouts(self.game, &UniformKind, hasher);
    }

    fn playouts(&self, playouts: u32) -> WorkDone {
        self.play_out(&Uniform, playouts)
    }

    fn kind_playouts(&self, playouts: u32) -> WorkDone {
        self.play_out(&UniformKind, playouts)
    }

    fn evaluate(&self, evaluations: u32) -> WorkDone {
        let evaluate = |all: &Evaluations<G>| all.evaluate(self.game, evaluations);
        self.evaluations.as_ref().map(evaluate).unwrap_or_default()
    }

    fn search_first_decision(&self, iterations: u32) -> WorkDone {
        let game = self.game;
        let mut rng = stream(3, 0, 0, Purpose::Playout);
        let mut state = game.initial();
        while let Turn::Chance(_) = game.turn(&state) {
            let outcome = game.sample_chance(&state, &mut rng);
            game.apply(&mut state, outcome);
        }
        let mut search = Search::new(Settings::uct(iterations, 1.0));
        search.run(game, &SearchModel::playouts_only(&Uniform), &mut rng, |_| state);
        WorkDone { units: iterations.into(), events: 0 }
    }

    fn play_games(&self, lineup: &[BotFactory], games: u32, with_statistics: bool) -> WorkDone {
        let experiment = Experiment {
            opening_steps: OPENING_STEPS,
            play_statistics: with_statistics,
            ..Experiment::new(lineup, SEED, 0..games.into())
        };
        let mut bots = experiment.build_bots();
        let tally =
            experiment.play_blocks(self.game, &mut bots, experiment.blocks.clone(), &|_| {}).tally;
        WorkDone { units: tally.games, events: tally.events }
    }

    fn search_in_games(&self, lineup: &[BotFactory], games: u32, searches: u32) -> WorkDone {
        let mut bots = Experiment::new(lineup, SEED, 0..1).build_bots();
        let mut left = searches;
        let mut iterations = 0;
        for block in 0..u64::from(games) {
            iterations += self.play_game_with_searches(&mut bots, block, &mut left);
            if left == 0 {
                break;
            }
        }
        WorkDone { units: iterations, events: 0 }
    }
}

impl<G: FullGame> GameBenchmark<'_, G> {
    /// Plays out the initial position.
    fn play_out(&self, policy: &impl Policy<G>, playouts: u32) -> WorkDone {
        let mut rng = stream(2, 0, 0, Purpose::Playout);
        let play = |_| play_out(self.game, &mut self.game.initial(), policy, &mut rng);
        WorkDone { units: playouts.into(), events: (0..playouts).map(play).sum() }
    }

    /// Plays a game until it ends or no search is left. Returns the number of iterations.
    fn play_game_with_searches(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        block: u64,
        left: &mut u32,
    ) -> u64 {
        let game = self.game;
        let mut chance = ChanceStreams::new(SEED, block, game.chance_sources().len());
        let mut streams: Vec<Rng> =
            (0..bots.len()).map(|seat| stream(SEED, block, 0, Purpose::Bot(seat as u8))).collect();
        for bot in bots.iter_mut() {
            bot.reset();
        }
        let mut state = game.initial();
        let mut iterations = 0;
        while *left > 0 {
            let action = match game.turn(&state) {
                Turn::Chance(source) => game.draw_chance(&state, source, &mut chance),
                Turn::Seat(seat) => {
                    let legal = game.legal_actions(&state);
                    let view = View::new(game, &state, seat);
                    let bot = &mut bots[seat.index()];
                    let action = bot.choose(&view, &legal, &mut streams[seat.index()]);
                    if let Some(result) = bot.last_search() {
                        iterations += result.iterations;
                        *left -= 1;
                    }
                    for bot in bots.iter_mut() {
                        bot.observe(seat, action);
                    }
                    action
                }
                Turn::Over => break,
            };
            game.apply(&mut state, action);
        }
        iterations
    }
}

/// Hashes the text of every position of some playouts. Text does not depend on how a state is
/// packed.
fn hash_playouts<G: FullGame>(game: &G, policy: &impl Policy<G>, hasher: &mut StableSipHasher128) {
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    for _ in 0..SIGNATURE_PLAYOUTS {
        let mut state = game.initial();
        loop {
            game.position_text(&state).hash(hasher);
            let action = match game.turn(&state) {
                Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                Turn::Seat(seat) => {
                    policy.choose(game, &state, seat, &game.legal_actions(&state), &mut rng)
                }
                Turn::Over => break,
            };
            game.apply(&mut state, action);
        }
        game.outcome(&state).scores.hash(hasher);
    }
}
