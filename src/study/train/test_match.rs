//! The sequential test by which a generation replaces the last one.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use serde::{Deserialize, Serialize};

use super::self_play::sample_visits;

use crate::{
    arena::run::Experiment,
    bots::{Bot, BotFactory, View},
    game::{ActionSet as _, FullGame, Seat, UNITS_PER_WIN},
    rng::Rng,
    search::{
        Evaluator,
        mcts::{Search, SearchModel, Settings},
        network::NetworkEvaluator,
        playout::Uniform,
    },
    stats::{
        elo::expected_score,
        sprt::{Hypotheses, Sprt},
    },
};

/// Hypotheses of the test: the new generation is as strong as the best one, or 30 Elo points
/// stronger.
const HYPOTHESES: Hypotheses = Hypotheses { elo0: 0.0, elo1: 30.0, alpha: 0.1, beta: 0.1 };
/// Blocks of each number of players between two looks at the result.
const BLOCKS_PER_LOOK: u64 = 8;

/// A match between two networks with the same search, for all numbers of players.
pub(super) struct TestMatch<'a, G> {
    pub(super) games: &'a [G],
    /// The candidate and the best network, for each number of players.
    pub(super) networks: &'a [Vec<NetworkEvaluator>; 2],
    pub(super) settings: Settings,
    pub(super) max_games: u64,
    pub(super) seed: u64,
}

/// Result of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TestResult {
    games: u64,
    /// Wins of the candidate for each number of players, and games.
    wins: Vec<(usize, f64, u64)>,
    /// Log-likelihood ratio of both hypotheses, and its bounds.
    llr: f64,
    bounds: [f64; 2],
}

impl TestResult {
    /// Returns true if the candidate replaces the best network: the test accepts that it is
    /// stronger, or, at the maximum number of games, that is the more probable hypothesis.
    pub(super) fn is_promoted(&self) -> bool {
        self.llr > 0.0
    }

    pub(super) fn message(&self) -> String {
        let rates = self.wins.iter().map(|(players, wins, games)| {
            format!("{:.1} % of {games} with {players}", 100.0 * wins / *games as f64)
        });
        let rates = rates.collect::<Vec<_>>().join(", ");
        let verdict = if self.is_promoted() { "promoted" } else { "not promoted" };
        format!("; wins {rates}, LLR {:.2}, {verdict}", self.llr)
    }
}

impl<G: FullGame> TestMatch<'_, G> {
    /// Plays until the test stops or the maximum number of games is reached.
    pub(super) fn run(&self, stop: &AtomicBool) -> TestResult {
        let new_test = |game: &G| {
            let players = game.seats();
            Sprt::new(&HYPOTHESES, players, UNITS_PER_WIN * players as i64)
        };
        let mut tests: Vec<Sprt> = self.games.iter().map(new_test).collect();
        let mut llr_alone = 0.0;
        let mut wins: Vec<_> = self.games.iter().map(|game| (game.seats(), 0.0, 0)).collect();
        let lineups: Vec<_> = (0..self.games.len()).map(|index| self.lineup(index)).collect();
        let bounds = tests[0].bounds;
        for look in 0.. {
            for (index, game) in self.games.iter().enumerate() {
                if game.seats() == 1 {
                    let (llr, score, games) = self.play_alone(index, look, stop);
                    llr_alone += llr;
                    wins[index].1 += score;
                    wins[index].2 += games;
                    continue;
                }
                let blocks = look * BLOCKS_PER_LOOK..(look + 1) * BLOCKS_PER_LOOK;
                let experiment = Experiment {
                    game_rows: true,
                    ..Experiment::new(game, &lineups[index], self.seed, blocks)
                };
                let mut scores: BTreeMap<u64, (i64, i64)> = BTreeMap::new();
                let result = experiment.run(stop, &|_| {}, |batch| {
                    for row in &batch.game_rows {
                        let (score, won) = scores.entry(row.block).or_default();
                        for seat in 0..game.seats() {
                            let share = row.outcome.win_share(Seat::new(seat));
                            *won += share;
                            *score += if row.bot_in[seat] == 0 { share } else { 0 };
                        }
                        wins[index].2 += 1;
                    }
                    Ok::<_, std::convert::Infallible>(())
                });
                let Ok(()) = result;
                for (score, won) in scores.into_values() {
                    tests[index].add_block(score, won);
                    wins[index].1 += score as f64 / UNITS_PER_WIN as f64;
                }
            }
            let with_others = self.games.iter().zip(&tests).filter(|(game, _)| game.seats() > 1);
            let llr = llr_alone + with_others.map(|(_, test)| test.llr()).sum::<f64>();
            let games = wins.iter().map(|(_, _, games)| games).sum();
            let is_decided = llr <= bounds[0] || llr >= bounds[1];
            if is_decided || games >= self.max_games || stop.load(Ordering::Relaxed) {
                return TestResult { games, wins, llr, bounds };
            }
        }
        unreachable!("the maximum number of games is reached")
    }

    /// Plays games of one player with both networks. The test counts the games that only one of them
    /// wins, of which a stronger candidate has the greater share. Returns the log-likelihood ratio,
    /// the wins of the candidate and its games.
    fn play_alone(&self, index: usize, look: u64, stop: &AtomicBool) -> (f64, f64, u64) {
        let [candidate, best] = &self.networks;
        let wins = [candidate, best].map(|networks| {
            let lineup = [self.bot("bot", networks, index)];
            let blocks = look * BLOCKS_PER_LOOK..(look + 1) * BLOCKS_PER_LOOK;
            let experiment = Experiment {
                game_rows: true,
                ..Experiment::new(&self.games[index], &lineup, self.seed, blocks)
            };
            let mut wins = Vec::new();
            let result = experiment.run(stop, &|_| {}, |batch| {
                let rows = batch.game_rows.iter();
                wins.extend(rows.map(|row| row.outcome.win_share(Seat::new(0)) > 0));
                Ok::<_, std::convert::Infallible>(())
            });
            let Ok(()) = result;
            wins
        });
        let [won, won_by_best] = &wins;
        let share = expected_score(HYPOTHESES.elo1, 2);
        let ratio = |(&one, &other): (&bool, &bool)| match (one, other) {
            (true, false) => (2.0 * share).ln(),
            (false, true) => (2.0 * (1.0 - share)).ln(),
            _ => 0.0,
        };
        let llr = won.iter().zip(won_by_best).map(ratio).sum();
        (llr, won.iter().filter(|&&won| won).count() as f64, won.len() as u64)
    }

    /// Returns the candidate with the best network in all other seats.
    fn lineup(&self, index: usize) -> Vec<BotFactory<G>> {
        let [candidate, best] = self.networks;
        let mut lineup = vec![self.bot("best", best, index); self.games[index].seats()];
        lineup[0] = self.bot("candidate", candidate, index);
        lineup
    }

    /// Returns the bot that searches with a network.
    fn bot(&self, name: &str, networks: &[NetworkEvaluator], index: usize) -> BotFactory<G> {
        let has_chance = !self.games[index].chance_sources().is_empty();
        let (network, settings) = (networks[index].clone(), self.settings);
        BotFactory::new(name, move || SearchBot {
            network: network.clone(),
            search: Search::new(settings),
            // Without chance, all games would be the same.
            temperature: if has_chance { 0.0 } else { 0.3 },
        })
    }
}

/// Bot that searches with a network.
struct SearchBot<A> {
    network: NetworkEvaluator,
    search: Search<A>,
    /// Temperature of the choice among the visited actions.
    temperature: f64,
}

impl<G: FullGame> Bot<G> for SearchBot<G::Action> {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let network = &self.network as &dyn Evaluator<G>;
        let model = SearchModel {
            playout_policy: &Uniform,
            prior: Some(network),
            evaluator: Some(network),
            legal_at_root: Some(legal),
        };
        self.search.run(view.game(), &model, rng, |rng| view.determinize(rng));
        let children = self.search.root_children().iter();
        if self.temperature > 0.0 {
            let visits: Vec<_> = children.map(|node| node.visits).enumerate().collect();
            let choice = sample_visits(&visits, self.temperature, rng);
            return self.search.root_children()[choice].action;
        }
        children.max_by_key(|node| node.visits).map_or_else(|| legal.nth(0), |node| node.action)
    }
}
