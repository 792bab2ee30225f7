//! Bots: what sits in a seat and chooses. A bot sees its [`View`], never the position itself.

pub mod profile;

use profile::{PlayoutKind, Spec};

use crate::{
    game::{Features, Game, Seat},
    rng::Rng,
    search::{
        heuristic::Heuristic,
        mcts::Search,
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
    /// Chooses one of the legal actions. The choice depends on nothing but the arguments.
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action;
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
    search: Search<A>,
    playout: P,
}

impl<G: Game, P: Policy<G> + Send> Bot<G> for SearchBot<G::Action, P> {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        use crate::game::ActionSet;
        if legal.len() == 1 {
            return legal.nth(0);
        }
        self.search.run(view.game(), &self.playout, rng, |rng| view.determinize(rng));
        self.search.best_action().unwrap_or_else(|| legal.nth(0))
    }
}

/// Makes the bot that a profile describes. The profile must be for this game.
pub fn build<G: Features>(spec: &Spec) -> Box<dyn Bot<G>> {
    match spec {
        Spec::Random => Box::new(PolicyBot(Uniform)),
        Spec::RandomKind => Box::new(PolicyBot(UniformKind)),
        Spec::Heuristic(heuristic) => Box::new(PolicyBot((**heuristic).clone())),
        Spec::Search { settings, playout, .. } => {
            let search = Search::new(*settings);
            match playout {
                PlayoutKind::Random => Box::new(SearchBot { search, playout: Uniform }),
                PlayoutKind::RandomKind => Box::new(SearchBot { search, playout: UniformKind }),
                PlayoutKind::Heuristic(heuristic) => Box::new(SearchBot::<G::Action, Heuristic> { search, playout: (**heuristic).clone() }),
            }
        }
    }
}
