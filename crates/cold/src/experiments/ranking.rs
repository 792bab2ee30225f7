//! Bots that follow a ranking of items: of the items that they could choose as well, they choose
//! the one that ranks highest.

use super::plan::MIN_CHANCE;
use crate::{
    bots::{Bot, View},
    game::{ActionSet, FullGame, Seat},
    rng::Rng,
    search::ensemble::SearchResult,
};

/// The value of each item, by index, of which a greater one is better; `None` for items without a
/// rank.
pub type ItemRanking = Vec<Option<f64>>;

/// A bot that follows a ranking. Where its own choice takes a ranked item, it takes instead the one
/// with the highest rank among those to which it gives at least a quarter of the chance of its
/// favourite action. All other decisions are its own.
pub(crate) struct RankingBot<G: FullGame> {
    bot: Box<dyn Bot<G>>,
    ranking: ItemRanking,
    /// The priors of the current decision.
    priors: Vec<(G::Action, f32)>,
}

// Derived, it would demand `G: Clone`.
impl<G: FullGame> Clone for RankingBot<G> {
    fn clone(&self) -> Self {
        Self { bot: self.bot.clone(), ranking: self.ranking.clone(), priors: Vec::new() }
    }
}

impl<G: FullGame> RankingBot<G> {
    /// Lets a bot follow a ranking.
    pub(crate) fn new(bot: Box<dyn Bot<G>>, ranking: ItemRanking) -> Self {
        Self { bot, ranking, priors: Vec::new() }
    }

    /// Returns the highest rank of the items that an action chooses.
    fn rank(&self, game: &G, legal: &G::Actions, action: G::Action) -> Option<f64> {
        let mut highest = None;
        game.items_chosen(legal, action, |item| {
            let rank = self.ranking.get(item.index()).copied().flatten();
            highest = match (highest, rank) {
                (Some(one), Some(other)) => Some(f64::max(one, other)),
                (one, other) => one.or(other),
            };
        });
        highest
    }
}

impl<G: FullGame> Bot<G> for RankingBot<G> {
    fn reset(&mut self) {
        self.bot.reset();
    }

    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        let own = self.bot.choose(view, legal, rng);
        let game = view.game();
        let Some(mut highest) = self.rank(game, legal, own) else { return own };
        if legal.len() == 1 {
            return own;
        }
        let Self { bot, priors, .. } = &mut *self;
        priors.clear();
        bot.priors(view, legal, rng, &mut |action, prior| priors.push((action, prior)));
        let most = self.priors.iter().map(|(_, prior)| *prior).fold(0.0, f32::max);
        let mut chosen = own;
        for &(action, _) in self.priors.iter().filter(|(_, prior)| *prior >= MIN_CHANCE * most) {
            let rank = self.rank(game, legal, action).filter(|&rank| rank > highest);
            if let Some(rank) = rank {
                (chosen, highest) = (action, rank);
            }
        }
        chosen
    }

    fn observe(&mut self, seat: Seat, action: G::Action) {
        self.bot.observe(seat, action);
    }

    fn has_forfeited(&self) -> bool {
        self.bot.has_forfeited()
    }

    fn last_search(&self) -> Option<SearchResult<G::Action>> {
        self.bot.last_search()
    }
}
