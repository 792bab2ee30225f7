//! Searches with a network: the bot of self-play and of the tests.

use std::hash::Hash;

use rand::RngExt as _;

use crate::{
    bots::{Bot, View},
    game::{ActionSet, Features, PerSeat, Seat},
    rng::Rng,
    search::{
        Evaluator,
        mcts::{Search, SearchModel, Settings},
        network::NetworkEvaluator,
        playout::Uniform,
        tree::Node,
    },
};

/// Bot that searches with a network.
#[derive(Clone)]
pub struct NetworkSearch<A> {
    network: NetworkEvaluator,
    search: Search<A>,
    /// Temperature of the choice among the visited actions; 0 chooses the most visited one.
    temperature: f64,
}

impl<A: Copy + Eq + Hash> NetworkSearch<A> {
    /// Creates a bot that searches with these settings.
    pub fn new(network: NetworkEvaluator, settings: Settings, temperature: f64) -> Self {
        Self { network, search: Search::new(settings), temperature }
    }

    /// Searches, and returns the index of the chosen action among the legal ones.
    pub fn choose<G: Features<Action = A>>(
        &mut self,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> usize {
        let network = &self.network as &dyn Evaluator<G>;
        let model = SearchModel {
            playout_policy: &Uniform,
            prior: Some(network),
            evaluator: Some(network),
            shares_policy: true,
            legal_at_root: Some(legal),
            on_progress: None,
        };
        self.search.run(view.game(), &model, rng, |rng| view.determinize(rng));
        let children = self.search.root_children();
        if self.temperature <= 0.0 {
            // Of equal actions the first one, which has the higher prior.
            let best = children.iter().rev().max_by_key(|node| node.visits);
            let is_best = |action| best.is_some_and(|best| best.action == action);
            return legal.iter().position(is_best).unwrap_or(0);
        }
        let visits = legal.iter().enumerate().filter_map(|(index, action)| {
            let child = children.iter().find(|node| node.action == action)?;
            (child.visits > 0).then_some((index, child.visits))
        });
        sample_visits(&visits.collect::<Vec<_>>(), self.temperature, rng)
    }

    /// Returns the mean rewards of the seats in the last search.
    pub fn values(&self) -> PerSeat<f32> {
        let root = self.search.root();
        std::array::from_fn(|seat| root.map_or(0.0, |root| root.value(Seat::new(seat)).min(1.0)))
    }

    /// Returns the indices of the actions with at least `min_visits` visits in the last search, the
    /// most visited first, with the mean rewards of the seats after each.
    pub fn most_visited(
        &self,
        legal: &impl ActionSet<Action = A>,
        min_visits: u32,
    ) -> Vec<(u16, PerSeat<f32>)> {
        let children = self.search.root_children();
        let mut visited: Vec<_> = legal
            .iter()
            .enumerate()
            .filter_map(|(index, action)| {
                let child = children.iter().find(|node| node.action == action)?;
                (child.visits >= min_visits).then_some((index as u16, child))
            })
            .collect();
        visited.sort_by_key(|(_, child)| std::cmp::Reverse(child.visits));
        let values =
            |child: &Node<A>| std::array::from_fn(|seat| child.value(Seat::new(seat)).min(1.0));
        visited.into_iter().map(|(index, child)| (index, values(child))).collect()
    }

    /// Returns the visits of the root actions of the last search without those that only the noise
    /// explains: the visits above which the bound of an action is below that of the most visited
    /// one (Wu 2019, policy target pruning).
    pub fn pruned_policy(&self, legal: &impl ActionSet<Action = A>, seat: Seat) -> Vec<(u16, u16)> {
        let children = self.search.root_children();
        let Some(best) = children.iter().max_by_key(|node| node.visits) else { return Vec::new() };
        let prior_sum: f32 = children.iter().map(|node| node.prior).sum();
        let exploration = self.search.settings().selection.exploration;
        let bonus = |prior: f32, available: u32, visits: f32| {
            exploration * prior / prior_sum * (available as f32).sqrt() / (1.0 + visits)
        };
        let best_bound = best.value(seat) + bonus(best.prior, best.available, best.visits as f32);
        let mut policy = Vec::new();
        for (index, action) in legal.iter().enumerate() {
            let Some(node) = children.iter().find(|node| node.action == action) else { continue };
            let mut visits = node.visits as f32;
            if node.action != best.action {
                // Visits n at which value + bonus(n) equals the bound of the best action.
                let gap = (best_bound - node.value(seat)).max(1e-6);
                visits = visits.min(bonus(node.prior, node.available, 0.0) / gap - 1.0).ceil();
                // A single visit says nothing of the value.
                if visits <= 1.0 {
                    continue;
                }
            }
            policy.push((index as u16, visits.min(f32::from(u16::MAX)) as u16));
        }
        policy
    }
}

impl<G: Features> Bot<G> for NetworkSearch<G::Action> {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        legal.nth(if legal.len() == 1 { 0 } else { self.choose(view, legal, rng) })
    }
}

/// Draws an action with a probability proportional to its visits to the power of 1 / temperature.
fn sample_visits(visits: &[(usize, u32)], temperature: f64, rng: &mut Rng) -> usize {
    let max = visits.iter().map(|&(_, visits)| visits).max().unwrap_or(1);
    let weight =
        |visits: u32| (f64::from(visits) / f64::from(max)).powf(1.0 / temperature.max(1e-3));
    let total: f64 = visits.iter().map(|&(_, visits)| weight(visits)).sum();
    let mut rest = rng.random::<f64>() * total;
    for &(index, visits) in visits {
        rest -= weight(visits);
        if rest < 0.0 {
            return index;
        }
    }
    visits.last().map_or(0, |&(index, _)| index)
}
