//! Bots: what sits in a seat and chooses. A bot sees its [`View`], never the position itself.

pub mod profile;

use profile::{BotSpec, PlayoutPolicy, SearchSpec};

use crate::{
    game::{ActionSet, Features, Game, Seat},
    rng::Rng,
    search::{
        Evaluator,
        ensemble::{Ensemble, SearchResult},
        heuristic::Heuristic,
        mcts::SearchModel,
        playout::{Policy, Uniform, UniformKind},
    },
};

/// What a seat may know of a position.
#[derive(Debug)]
pub struct View<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    seat: Seat,
}

impl<'a, G: Game> View<'a, G> {
    /// The view of a seat.
    pub fn new(game: &'a G, state: &'a G::State, seat: Seat) -> Self {
        Self { game, state, seat }
    }

    /// The rules.
    pub fn game(&self) -> &'a G {
        self.game
    }

    /// The seat that looks.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// A position as it may be, drawn uniformly from all that the seat can't tell apart.
    #[inline]
    pub fn determinize(&self, rng: &mut Rng) -> G::State {
        self.game.determinize(self.state, self.seat, rng)
    }
}

/// What chooses for a seat.
pub trait Bot<G: Game>: Send {
    /// A game begins: forgets everything.
    fn reset(&mut self) {}

    /// Chooses one of the legal actions. The choice depends on nothing but the arguments and what
    /// was observed of this game.
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action;

    /// Some seat has chosen; all decisions are public.
    fn observe(&mut self, _seat: Seat, _action: G::Action) {}

    /// What the last choice was based on, if it was a search.
    fn last_search(&self) -> Option<SearchResult<G::Action>> {
        None
    }
}

/// A bot that follows a policy in one determinization.
struct PolicyBot<P>(P);

impl<G: Game, P: Policy<G> + Send> Bot<G> for PolicyBot<P> {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        let state = view.determinize(rng);
        self.0.choose(view.game(), &state, view.seat(), legal, rng)
    }
}

/// A bot that searches before every choice that is one.
struct SearchBot<A, P> {
    ensemble: Ensemble<A>,
    playout: P,
    prior: Option<Heuristic>,
    value: Option<Heuristic>,
    /// The share of their weight that visits of the search before keep; none if each search begins
    /// anew.
    reuse: Option<f32>,
    /// The decisions since the last search.
    since: Vec<(Seat, A)>,
    /// Whether there was a search in this game.
    searched: bool,
    /// Whether the last choice was one.
    found: bool,
}

impl<G: Features, P: Policy<G> + Send> Bot<G> for SearchBot<G::Action, P> {
    fn reset(&mut self) {
        self.since.clear();
        self.searched = false;
    }

    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        self.found = legal.len() > 1;
        if !self.found {
            return legal.nth(0);
        }
        let guide = SearchModel {
            playout_policy: &self.playout,
            prior: self.prior.as_ref().map(|prior| prior as &dyn Evaluator<G>),
            evaluator: self.value.as_ref().map(|value| value as &dyn Evaluator<G>),
            legal_at_root: Some(legal),
        };
        let since = self.reuse.filter(|_| self.searched).map(|share| (&self.since[..], share));
        self.ensemble.run(view.game(), &guide, rng, |rng| view.determinize(rng), since);
        self.since.clear();
        self.searched = true;
        self.ensemble.best_action().unwrap_or_else(|| legal.nth(0))
    }

    fn observe(&mut self, seat: Seat, action: G::Action) {
        if self.reuse.is_some() {
            self.since.push((seat, action));
        }
    }

    fn last_search(&self) -> Option<SearchResult<G::Action>> {
        self.found.then(|| self.ensemble.result())
    }
}

/// Makes the bot that a profile describes. The profile must be for this game.
pub fn build<G: Features>(spec: &BotSpec) -> Box<dyn Bot<G>> {
    match spec {
        BotSpec::Random => Box::new(PolicyBot(Uniform)),
        BotSpec::RandomKind => Box::new(PolicyBot(UniformKind)),
        BotSpec::Heuristic(heuristic) => Box::new(PolicyBot((**heuristic).clone())),
        BotSpec::Search(search) => match &search.playout {
            PlayoutPolicy::Random => searching::<G, _>(search, Uniform),
            PlayoutPolicy::RandomKind => searching::<G, _>(search, UniformKind),
            PlayoutPolicy::Heuristic(heuristic) => searching::<G, _>(search, (**heuristic).clone()),
        },
    }
}

fn searching<G: Features, P: Policy<G> + Send + 'static>(
    spec: &SearchSpec,
    playout: P,
) -> Box<dyn Bot<G>> {
    Box::new(SearchBot {
        ensemble: Ensemble::new(spec.settings, spec.trees, spec.determinize_once),
        playout,
        prior: spec.prior.clone(),
        value: spec.value.clone(),
        reuse: spec.reuse,
        since: Vec::new(),
        searched: false,
        found: false,
    })
}
