//! Bots: the players of a game. A bot sees its [`View`], never the complete position.

pub mod definition;
pub mod kind;
mod options;
pub mod profile;
mod reference;

use profile::{BotSpec, SearchSpec};
pub use reference::reference;

use crate::{
    game::{ActionSet, Features, Game, Seat},
    rng::Rng,
    search::{
        Evaluator,
        ensemble::{Ensemble, SearchResult},
        mcts::SearchModel,
        playout::{Policy, Uniform, UniformKind},
    },
};

/// Position as a seat sees it.
#[derive(Debug)]
pub struct View<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    seat: Seat,
}

impl<'a, G: Game> View<'a, G> {
    /// Creates the view of a seat.
    pub fn new(game: &'a G, state: &'a G::State, seat: Seat) -> Self {
        Self { game, state, seat }
    }

    /// Returns the rules.
    pub fn game(&self) -> &'a G {
        self.game
    }

    /// Returns the seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Draws a position uniformly from those that the seat cannot distinguish.
    #[inline]
    pub fn determinize(&self, rng: &mut Rng) -> G::State {
        self.game.determinize(self.state, self.seat, rng)
    }
}

/// Player of a seat.
pub trait Bot<G: Game>: Send {
    /// Prepares for a new game.
    fn reset(&mut self) {}

    /// Returns one of the legal actions. The choice depends only on the arguments and on what was
    /// observed in this game.
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action;

    /// Observes a decision of any seat; all decisions are public.
    fn observe(&mut self, _seat: Seat, _action: G::Action) {}

    /// Returns the search behind the last choice; `None` if there was no search.
    fn last_search(&self) -> Option<SearchResult<G::Action>> {
        None
    }
}

/// Bot that follows a policy in one determinization.
struct PolicyBot<P>(P);

impl<G: Game, P: Policy<G> + Send> Bot<G> for PolicyBot<P> {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        let state = view.determinize(rng);
        self.0.choose(view.game(), &state, view.seat(), legal, rng)
    }
}

/// Bot that searches before every choice between several actions.
struct SearchBot<A, P> {
    ensemble: Ensemble<A>,
    playout: P,
    spec: SearchSpec,
    /// Decisions since the last search; `None` before the first search of a game.
    since: Option<Vec<(Seat, A)>>,
    /// True if the last choice was made by a search.
    has_searched_last: bool,
}

impl<G: Features, P: Policy<G> + Send> Bot<G> for SearchBot<G::Action, P> {
    fn reset(&mut self) {
        self.since = None;
    }

    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        self.has_searched_last = legal.len() > 1;
        if !self.has_searched_last {
            return legal.nth(0);
        }
        let model = SearchModel {
            playout_policy: &self.playout,
            prior: self.spec.prior.as_ref().map(|prior| prior as &dyn Evaluator<G>),
            evaluator: self.spec.value.as_ref().map(|value| value as &dyn Evaluator<G>),
            legal_at_root: Some(legal),
        };
        let since = self.since.as_deref().zip(self.spec.reuse);
        self.ensemble.run(view.game(), &model, rng, |rng| view.determinize(rng), since);
        self.since.get_or_insert_default().clear();
        self.ensemble.best_action().unwrap_or_else(|| legal.nth(0))
    }

    fn observe(&mut self, seat: Seat, action: G::Action) {
        if self.spec.reuse.is_some() {
            self.since.iter_mut().for_each(|since| since.push((seat, action)));
        }
    }

    fn last_search(&self) -> Option<SearchResult<G::Action>> {
        self.has_searched_last.then(|| self.ensemble.result())
    }
}

/// Creates the bot of a profile, which must be for this game.
pub fn build<G: Features>(spec: &BotSpec) -> Box<dyn Bot<G>> {
    match spec {
        BotSpec::Random => Box::new(PolicyBot(Uniform)),
        BotSpec::RandomKind => Box::new(PolicyBot(UniformKind)),
        BotSpec::Heuristic(heuristic) => Box::new(PolicyBot((**heuristic).clone())),
        BotSpec::Search(search) => match &search.playout {
            BotSpec::Random => build_search_bot(search, Uniform),
            BotSpec::Heuristic(heuristic) => build_search_bot(search, (**heuristic).clone()),
            // No playout is a search.
            BotSpec::RandomKind | BotSpec::Search(_) => build_search_bot(search, UniformKind),
        },
    }
}

fn build_search_bot<G: Features, P: Policy<G> + Send + 'static>(
    spec: &SearchSpec,
    playout: P,
) -> Box<dyn Bot<G>> {
    Box::new(SearchBot {
        ensemble: Ensemble::new(spec.settings, spec.trees, spec.determinize_once),
        playout,
        spec: spec.clone(),
        since: None,
        has_searched_last: false,
    })
}
