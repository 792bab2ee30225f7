//! Bots: the players of a game. A bot sees its [`View`], never the complete position.

pub mod calibration;
pub mod defaults;
pub mod definition;
mod inline;
pub mod kind;
pub mod network;
mod offers;
pub mod opponents;
mod options;
pub mod played_data;
pub mod profile;
pub mod program;
mod reference;
mod search_settings;
pub mod spec;

use std::{any::Any, fmt, sync::Arc};

use defaults::MeasuredElo;
use offers::choose_offer;
use profile::Profile;
#[doc(hidden)]
pub use reference::reference;
use serde_json::Value;
use spec::{BotSpec, EvaluatorSpec, SearchSpec};

use crate::{
    game::{ActionSet, Features, Game, Seat},
    rng::Rng,
    search::{
        calibration::Calibration,
        ensemble::{Ensemble, SearchResult, SearchWatch},
        heuristic::Heuristic,
        mcts::{ProgressReceiver, Search, SearchModel},
        network::NetworkBot,
        playout::{Policy, Uniform, UniformKind},
    },
};

/// Position as a seat sees it: the rules, the seat, and positions that it cannot distinguish from
/// the actual one.
#[derive(Debug)]
pub struct View<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    seat: Seat,
    watch: Option<&'a SearchWatch<'a, G::Action>>,
}

impl<'a, G: Game> View<'a, G> {
    /// Creates the view of a seat.
    pub fn new(game: &'a G, state: &'a G::State, seat: Seat) -> Self {
        Self { game, state, seat, watch: None }
    }

    /// Returns the view with a watch of the search that chooses from it.
    #[must_use]
    pub fn with_watch(self, watch: Option<&'a SearchWatch<'a, G::Action>>) -> Self {
        Self { watch, ..self }
    }

    /// Returns the rules.
    pub fn game(&self) -> &'a G {
        self.game
    }

    /// Returns the seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the view, without its watch, of the game of type `H` that this game stands for:
    /// see [`Game::typed_position`].
    ///
    /// # Panics
    /// If it stands for no game, or for one of another type.
    pub fn typed<H: Game>(&self) -> View<'a, H> {
        let typed = self.game.typed_position(self.state).and_then(|(game, state)| {
            Some(View::new(game.downcast_ref::<H>()?, state.downcast_ref()?, self.seat))
        });
        typed.expect("a bot is for one game")
    }

    /// Returns the watch of the search that chooses from the view.
    pub fn watch(&self) -> Option<&'a SearchWatch<'a, G::Action>> {
        self.watch
    }

    /// Draws a position uniformly from those that the seat cannot distinguish.
    #[inline]
    pub fn determinize(&self, rng: &mut Rng) -> G::State {
        self.game.determinize(self.state, self.seat, rng)
    }
}

/// Player of a seat.
///
/// A bot is reset before each game, chooses when its seat decides, and observes every decision of
/// all seats, its own included. Each thread has bots of its own, built by a [`BotFactory`].
///
/// A bot is [`Clone`], so that a game can be continued from any decision in several ways. A copy
/// makes the same choices as the original would.
pub trait Bot<G: Game>: CloneBot<G> + Send {
    /// Prepares for a new game.
    fn reset(&mut self) {}

    /// Returns one of the legal actions, of which there is at least one. The choice depends only on
    /// the arguments and on what was observed in this game, so that results are reproducible. All
    /// randomness comes from `rng`.
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action;

    /// Returns one of the legal actions, as [`Bot::choose`], by a search wherever the bot can
    /// search: for an analysis.
    fn choose_by_search(
        &mut self,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        self.choose(view, legal, rng)
    }

    /// Observes a decision of any seat; all decisions are public.
    fn observe(&mut self, _seat: Seat, _action: G::Action) {}

    /// Returns the search behind the last choice; `None` if there was no search.
    fn last_search(&self) -> Option<SearchResult<G::Action>> {
        None
    }

    /// Returns true if the bot has lost the current game by a failure of its own. It is called
    /// only for bots of a factory that [can forfeit](BotFactory::can_forfeit).
    fn has_forfeited(&self) -> bool {
        false
    }

    /// Passes the prior of each legal action to `receive`, in any order: a positive number in
    /// proportion to its probability. Returns false if the bot has no priors, which is the default.
    fn priors(
        &self,
        _view: &View<'_, G>,
        _legal: &G::Actions,
        _rng: &mut Rng,
        _receive: &mut dyn FnMut(G::Action, f32),
    ) -> bool {
        false
    }
}

/// Copies of a bot whose type is not known. Every bot that is [`Clone`] has them.
pub trait CloneBot<G: Game> {
    /// Returns a copy of the bot in its present state.
    fn clone_bot(&self) -> Box<dyn Bot<G>>;
}

impl<G: Game, B: Bot<G> + Clone + 'static> CloneBot<G> for B {
    fn clone_bot(&self) -> Box<dyn Bot<G>> {
        Box::new(self.clone())
    }
}

impl<G: Game> Clone for Box<dyn Bot<G>> {
    fn clone(&self) -> Self {
        (**self).clone_bot()
    }
}

/// A named bot with its parameters, from which each thread creates bots of its own.
///
/// A [`Profile`] is one; a bot of one's own becomes one by [`BotFactory::new`]:
///
/// ```
/// use watershed::{
///     bots::{Bot, BotFactory, View},
///     game::{ActionSet, Game},
///     games::the_river::TheRiver,
///     rng::Rng,
/// };
///
/// /// Chooses the first legal action.
/// #[derive(Clone)]
/// struct First;
///
/// impl<G: Game> Bot<G> for First {
///     fn choose(&mut self, _: &View<'_, G>, legal: &G::Actions, _: &mut Rng) -> G::Action {
///         legal.nth(0)
///     }
/// }
///
/// let first = BotFactory::new::<TheRiver, _>("first", || First);
/// assert_eq!(first.name(), "first");
/// ```
#[derive(Clone)]
pub struct BotFactory {
    name: String,
    parameters: Value,
    /// Parameters of the bots that the parameters name.
    parts: Vec<Value>,
    notes: Vec<String>,
    max_threads: u32,
    can_forfeit: bool,
    calibration: Calibration,
    /// See [`BotFactory::title`].
    title: Option<&'static str>,
    /// See [`BotFactory::measured_elo`].
    measured_elo: Option<Box<MeasuredElo>>,
    source: BotSource,
}

/// The origin of the bots of a factory.
#[derive(Clone)]
enum BotSource {
    /// The bot of a profile, for every game.
    Spec(Arc<BotSpec>),
    /// A `Constructor<G>` for one game.
    Constructor(Arc<dyn Any + Send + Sync>),
}

/// A function that returns a new bot of a factory: see [`Game::BOT_BUILDER`].
#[derive(Debug)]
pub struct BotBuilder<G>(pub fn(&BotFactory) -> Box<dyn Bot<G>>);

/// A function that returns a new bot.
struct Constructor<G>(Box<dyn Fn() -> Box<dyn Bot<G>> + Send + Sync>);

impl BotFactory {
    /// Creates a factory for a game from a function that returns a new bot. The name stands for the
    /// bot on the command line and in tables.
    pub fn new<G: Game, B: Bot<G> + 'static>(
        name: &str,
        constructor: impl Fn() -> B + Send + Sync + 'static,
    ) -> Self {
        let constructor = Constructor::<G>(Box::new(move || Box::new(constructor())));
        Self {
            name: name.to_owned(),
            parameters: Value::Null,
            parts: Vec::new(),
            notes: Vec::new(),
            max_threads: 1,
            can_forfeit: false,
            calibration: Calibration::default(),
            title: None,
            measured_elo: None,
            source: BotSource::Constructor(Arc::new(constructor)),
        }
    }

    /// Sets the parameters that manifests record. Bots with the same name and different parameters
    /// are different bots.
    #[must_use]
    pub fn with_parameters(self, parameters: Value) -> Self {
        Self { parameters, ..self }
    }

    /// Sets the name.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// States if the bots can [forfeit](Bot::has_forfeited) a game.
    #[must_use]
    pub fn that_can_forfeit(self, can_forfeit: bool) -> Self {
        Self { can_forfeit, ..self }
    }

    /// Returns true if the bots can [forfeit](Bot::has_forfeited) a game.
    pub fn can_forfeit(&self) -> bool {
        self.can_forfeit
    }

    /// Returns a new bot.
    ///
    /// # Panics
    /// If the factory was made for another game.
    pub fn build<G: Features>(&self) -> Box<dyn Bot<G>> {
        let builder = G::BOT_BUILDER.and_then(|builder| builder.downcast_ref::<BotBuilder<G>>());
        if let Some(builder) = builder {
            return builder.0(self);
        }
        match &self.source {
            BotSource::Spec(spec) => build(spec),
            BotSource::Constructor(constructor) => {
                let constructor = constructor.downcast_ref::<Constructor<G>>();
                constructor.expect("the bot is for this game").0()
            }
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns all parameters, including defaults; null for a bot without parameters.
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }

    /// Returns the parameters of the bots that the parameters name.
    pub fn parts(&self) -> &[Value] {
        &self.parts
    }

    /// Returns notes for the user: parts of the bot that were learned on other data.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the maps from the mean rewards of the searches to win chances; without maps if none
    /// are known.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Sets the name of the opponent.
    pub(crate) fn with_title(self, title: Option<&'static str>) -> Self {
        Self { title, ..self }
    }

    /// Returns the name for people of the opponent that the bot is, if it is one.
    pub fn title(&self) -> Option<&'static str> {
        self.title
    }

    /// Sets the strength relative to the search of the default panel.
    pub(crate) fn with_measured_elo(self, measured_elo: Option<MeasuredElo>) -> Self {
        Self { measured_elo: measured_elo.map(Box::new), ..self }
    }

    /// Returns the strength relative to the search of the default panel; `None` if it was not
    /// measured.
    pub fn measured_elo(&self) -> Option<MeasuredElo> {
        self.measured_elo.as_deref().copied()
    }

    /// Returns true if the bots choose at once: they neither search nor are programs.
    pub fn is_quick(&self) -> bool {
        match &self.source {
            BotSource::Spec(spec) => !matches!(**spec, BotSpec::Search(_)),
            BotSource::Constructor(_) => false,
        }
    }

    /// Returns the maximum number of threads that one bot uses at the same time.
    pub fn max_threads(&self) -> u32 {
        self.max_threads
    }
}

impl From<Profile> for BotFactory {
    fn from(profile: Profile) -> Self {
        let Profile { name, spec, parameters, parts, notes, calibration } = profile;
        let max_threads = if let BotSpec::Search(search) = &spec { search.trees } else { 1 };
        let source = BotSource::Spec(Arc::new(spec));
        Self {
            name,
            parameters,
            parts,
            notes,
            max_threads,
            can_forfeit: false,
            calibration,
            title: None,
            measured_elo: None,
            source,
        }
    }
}

/// Bots are equal if their names and all parameters are.
impl PartialEq for BotFactory {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.parameters, &self.parts)
            == (&other.name, &other.parameters, &other.parts)
    }
}

impl fmt::Debug for BotFactory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, parameters, .. } = self;
        formatter
            .debug_struct("BotFactory")
            .field("name", name)
            .field("parameters", parameters)
            .finish_non_exhaustive()
    }
}

/// Bot that follows a policy in one determinization.
#[derive(Clone)]
struct PolicyBot<P>(P);

impl<G: Game, P: Policy<G> + Clone + Send + 'static> Bot<G> for PolicyBot<P> {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        let state = view.determinize(rng);
        self.0.choose(view.game(), &state, view.seat(), legal, rng)
    }

    fn priors(
        &self,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
        receive: &mut dyn FnMut(G::Action, f32),
    ) -> bool {
        let state = view.determinize(rng);
        self.0.priors(view.game(), &state, view.seat(), legal, receive)
    }
}

/// Bot that searches before every choice between several actions.
#[derive(Clone)]
struct SearchBot<A, P> {
    ensemble: Ensemble<A>,
    playout: P,
    spec: SearchSpec,
    /// The next actions of the offer that the bot makes, in reverse order.
    offer: Vec<A>,
    /// Decisions since the last search; `None` before the first search of a game.
    since: Option<Vec<(Seat, A)>>,
    /// True if the last choice was made by a search.
    has_searched_last: bool,
}

impl<G: Features, P: Policy<G> + Clone + Send + 'static> Bot<G> for SearchBot<G::Action, P> {
    fn reset(&mut self) {
        self.since = None;
        self.offer.clear();
    }

    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        if legal.len() > 1
            && let Some(action) = self.continue_offer(view, legal, rng)
        {
            self.has_searched_last = false;
            return action;
        }
        self.choose_by_search(view, legal, rng)
    }

    fn choose_by_search(
        &mut self,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        self.has_searched_last = legal.len() > 1;
        if !self.has_searched_last {
            return legal.nth(0);
        }
        let watch = view.watch.map(|watch| |search: &Search<G::Action>| watch.receive(search));
        let model = SearchModel {
            playout_policy: &self.playout,
            prior: self.spec.prior.as_ref().map(EvaluatorSpec::evaluator),
            evaluator: self.spec.value.as_ref().map(EvaluatorSpec::evaluator),
            shares_policy: self.spec.shares_policy(),
            legal_at_root: Some(legal),
            on_progress: watch.as_ref().map(|watch| watch as &ProgressReceiver<'_, _>),
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

impl<A: Copy + Eq, P> SearchBot<A, P> {
    /// Returns the next action of an offer, or the action that makes none, where the seat can make
    /// one; `None` in all other positions.
    fn continue_offer<G: Features<Action = A>>(
        &mut self,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> Option<A> {
        if let Some(action) = self.offer.pop()
            && legal.contains(action)
        {
            return Some(action);
        }
        let value = self.spec.value.as_ref()?;
        let none = view.game().lookahead_actions(view.state);
        if none.len() > 1 || !legal.contains(none.nth(0)) {
            return None;
        }
        let mut offers = view.game().offers(view.state);
        offers.retain(|offer| legal.contains(offer.actions[0]));
        let chosen = choose_offer(value.evaluator(), view, offers, rng);
        self.offer = chosen.unwrap_or_default();
        self.offer.reverse();
        self.offer.pop().or_else(|| Some(none.nth(0)))
    }
}

/// Creates the bot of a profile, which must be for this game.
fn build<G: Features>(spec: &BotSpec) -> Box<dyn Bot<G>> {
    match spec {
        BotSpec::Random => Box::new(PolicyBot(Uniform)),
        BotSpec::RandomKind => Box::new(PolicyBot(UniformKind)),
        BotSpec::Heuristic(heuristic) => Box::new(PolicyBot((**heuristic).clone())),
        BotSpec::Network(network) => Box::new(PolicyBot(network.clone())),
        BotSpec::Search(search) => match &search.playout {
            BotSpec::Random => build_search_bot(search, Uniform),
            BotSpec::Heuristic(heuristic) => {
                build_search_bot(search, GuidedPolicy::Heuristic((**heuristic).clone()))
            }
            BotSpec::Network(network) => {
                build_search_bot(search, GuidedPolicy::Network(network.clone()))
            }
            // No playout is a search.
            BotSpec::RandomKind | BotSpec::Search(_) => {
                build_search_bot(search, GuidedPolicy::UniformKind)
            }
        },
    }
}

/// A policy of playouts other than the uniform one: one type, so that the search is compiled twice
/// for each game and not four times.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a bot has one")]
enum GuidedPolicy {
    Heuristic(Heuristic),
    Network(NetworkBot),
    UniformKind,
}

impl<G: Features> Policy<G> for GuidedPolicy {
    fn choose(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        match self {
            Self::Heuristic(policy) => policy.choose(game, state, seat, legal, rng),
            Self::Network(policy) => policy.choose(game, state, seat, legal, rng),
            Self::UniformKind => UniformKind.choose(game, state, seat, legal, rng),
        }
    }

    fn priors(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        receive: &mut dyn FnMut(G::Action, f32),
    ) -> bool {
        match self {
            Self::Heuristic(policy) => policy.priors(game, state, seat, legal, receive),
            Self::Network(policy) => policy.priors(game, state, seat, legal, receive),
            Self::UniformKind => false,
        }
    }
}

fn build_search_bot<G: Features, P: Policy<G> + Clone + Send + 'static>(
    spec: &SearchSpec,
    playout: P,
) -> Box<dyn Bot<G>> {
    Box::new(SearchBot {
        ensemble: Ensemble::new(spec.settings, spec.trees, spec.determinize_once),
        playout,
        spec: spec.clone(),
        offer: Vec::new(),
        since: None,
        has_searched_last: false,
    })
}
