//! Bots that follow a plan: they prefer items of some families until they have enough of them.

use crate::{
    arena::intervention::{or_all, without_actions},
    bots::{Bot, View},
    game::{ActionSet, FullGame, ItemCatalog, ItemId, MAX_FAMILIES, Seat},
    rng::Rng,
    search::ensemble::SearchResult,
};

/// For each [family](ItemCatalog::families), the number of items that a seat takes at least. While
/// it has fewer, it chooses among the actions that take one of them and to which its bot gives at
/// least a quarter of the chance of its favourite action, if there are any.
pub type Plan = [u8; MAX_FAMILIES];

/// Smallest chance of an action of a plan, as a part of that of the favourite of the bot. A plan
/// that is followed at any cost measures the cost.
pub(super) const MIN_CHANCE: f32 = 0.25;

/// A bot under a plan. It counts its own decisions of the current game.
pub(crate) struct PlanBot<G: FullGame> {
    bot: Box<dyn Bot<G>>,
    plan: Plan,
    /// For each item, its families; bit f stands for family f.
    families: Vec<u16>,
    /// The number of items of each family that are still to be taken.
    missing: Plan,
    /// The priors of the current decision.
    priors: Vec<(G::Action, f32)>,
}

// Derived, it would demand `G: Clone`.
impl<G: FullGame> Clone for PlanBot<G> {
    fn clone(&self) -> Self {
        Self { bot: self.bot.clone(), families: self.families.clone(), priors: Vec::new(), ..*self }
    }
}

impl<G: FullGame> PlanBot<G> {
    /// Puts a bot under a plan.
    pub(crate) fn new(bot: Box<dyn Bot<G>>, plan: Plan, catalog: &ItemCatalog) -> Self {
        Self { bot, plan, families: catalog.family_bits(), missing: plan, priors: Vec::new() }
    }

    /// Returns the families of the items that an action chooses.
    fn families_chosen(&self, game: &G, legal: &G::Actions, action: G::Action) -> u16 {
        let mut families = 0;
        let families_of = |item: ItemId| self.families[item.index()];
        game.items_chosen(legal, action, |item| families |= families_of(item));
        families
    }
}

impl<G: FullGame> Bot<G> for PlanBot<G> {
    fn reset(&mut self) {
        self.missing = self.plan;
        self.bot.reset();
    }

    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        let wanted = self.missing.iter().enumerate();
        let wanted = wanted.fold(0, |bits, (f, &missing)| bits | u16::from(missing > 0) << f);
        let game = view.game();
        let offered = if wanted == 0 || legal.len() == 1 {
            *legal
        } else {
            let Self { bot, priors, .. } = &mut *self;
            priors.clear();
            bot.priors(view, legal, rng, &mut |action, prior| priors.push((action, prior)));
            let priors = &self.priors;
            let most = priors.iter().map(|(_, prior)| *prior).fold(0.0, f32::max);
            let is_weak = |action| {
                priors.iter().any(|&(other, prior)| other == action && prior < MIN_CHANCE * most)
            };
            let others =
                |action| self.families_chosen(game, legal, action) & wanted == 0 || is_weak(action);
            or_all(without_actions(legal, others), *legal)
        };
        let action = self.bot.choose(view, &offered, rng);
        let families = self.families_chosen(game, legal, action);
        for (family, missing) in self.missing.iter_mut().enumerate() {
            *missing = missing.saturating_sub((families >> family & 1) as u8);
        }
        action
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
