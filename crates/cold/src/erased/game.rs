//! The rules and the bots of a game as objects, and [`AnyGame`], which is a game by them.

use std::{any::Any, fmt, sync::Arc};

use super::value::{AnyAction, AnyActions, AnyState};
use crate::{
    arena::{
        block_experiment::BoxedExperiment,
        intervention::Restriction,
        item_effects::{ItemEffectsExperiment, ItemEffectsTally, fork::ForkArms},
        restrict::{RestrictExperiment, RestrictTally, RestrictionPair},
        run::{BlockPlayer, Experiment},
    },
    benchmark::{Benchmark, GameBenchmark},
    bots::{Bot, BotBuilder, BotFactory, View},
    game::{
        ChanceSource, FeatureVector, Features, FullGame, Gain, Game, GameMode, ItemCatalog,
        ItemEvent, ItemId, Notation, NotationError, Offer, Outcome, ResourceFlow, RoundMetric,
        Seat, Situation, Statistics, Turn,
        facts::{FactList, FactNumbers, FactTable, PositionFacts},
    },
    rng::{ChanceStreams, Rng},
    scene::Scene,
    search::{
        ensemble::{SearchResult, SearchWatch},
        mcts::Settings,
        network::{NetworkBot, NetworkEvaluator},
    },
    states::{NumberedGame, StateTable},
    training::{
        network_search::NetworkSearch,
        samples::SampleSet,
        self_play::{self, GameRecord, Sampling, Teacher},
    },
};

/// A game of a known type as [`Rules`].
struct Typed<G>(G);

/// Declares [`Rules`], its implementation for every game, and the traits of a game for [`AnyGame`],
/// from one list of methods. Before the methods of a trait stand items of its implementation.
macro_rules! rules {
    ($($trait:ident { $($item:item)* } {
        $(
            fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)*) $(-> $result:ty)?
            $body:block
        )*
    })*) => {
        /// The rules of a game of any type: the methods of the traits of a game, with values of
        /// any type.
        trait Rules: PlayGames {
            /// Returns the game with its type.
            fn as_any(&self) -> &dyn Any;

            /// Returns a bot for the game.
            fn build_bot(&self, factory: &BotFactory) -> Box<dyn AnyBot>;

            $($(fn $name(&self $(, $argument: $type)*) $(-> $result)?;)*)*
        }

        impl<G: FullGame + Clone + Send> Rules for Typed<G> {
            fn as_any(&self) -> &dyn Any {
                &self.0
            }

            fn build_bot(&self, factory: &BotFactory) -> Box<dyn AnyBot> {
                Box::new(TypedBot::<G>(factory.build()))
            }

            $($(fn $name(&$self $(, $argument: $type)*) $(-> $result)? $body)*)*
        }

        $(impl $trait for AnyGame {
            $($item)*

            $(fn $name(&self $(, $argument: $type)*) $(-> $result)? {
                self.0.$name($($argument),*)
            })*
        })*
    };
}

rules! {
    Game {
        type State = AnyState;
        type Action = AnyAction;
        type Actions = AnyActions;

        const BOT_BUILDER: Option<&'static (dyn Any + Send + Sync)> =
            Some(&BotBuilder::<Self>(|factory| Box::new(LateBot::new(factory))));

        fn typed_position<'a>(
            &'a self,
            state: &'a AnyState,
        ) -> Option<(&'a dyn Any, &'a dyn Any)> {
            Some((self.0.as_any(), state.as_any()))
        }
    } {
        fn seats(&self) -> usize { self.0.seats() }
        fn chance_sources(&self) -> &'static [&'static str] { self.0.chance_sources() }
        fn action_kinds(&self) -> &'static [&'static str] { self.0.action_kinds() }
        fn initial(&self) -> AnyState { AnyState::new(self.0.initial()) }
        fn turn(&self, state: &AnyState) -> Turn { self.0.turn(state.get()) }
        fn legal_actions(&self, state: &AnyState) -> AnyActions {
            AnyActions::new(self.0.legal_actions(state.get()))
        }
        fn chance_outcomes(&self, state: &AnyState) -> Vec<(AnyAction, u32)> {
            let outcomes = self.0.chance_outcomes(state.get()).into_iter();
            outcomes.map(|(action, weight)| (AnyAction::new(action), weight)).collect()
        }
        fn sample_chance(&self, state: &AnyState, rng: &mut Rng) -> AnyAction {
            AnyAction::new(self.0.sample_chance(state.get(), rng))
        }
        fn draw_chance(
            &self,
            state: &AnyState,
            source: ChanceSource,
            chance: &mut ChanceStreams
        ) -> AnyAction {
            AnyAction::new(self.0.draw_chance(state.get(), source, chance))
        }
        fn offers(&self, state: &AnyState) -> Vec<Offer<AnyAction>> {
            let offer = |offer: Offer<G::Action>| Offer {
                partner: offer.partner,
                actions: offer.actions.into_iter().map(AnyAction::new).collect(),
                accept: AnyAction::new(offer.accept),
                refuse: AnyAction::new(offer.refuse),
            };
            self.0.offers(state.get()).into_iter().map(offer).collect()
        }
        fn lookahead_actions(&self, state: &AnyState) -> AnyActions {
            AnyActions::new(self.0.lookahead_actions(state.get()))
        }
        fn apply(&self, state: &mut AnyState, action: AnyAction) {
            self.0.apply(state.get_mut(), *action.get());
        }
        fn round(&self, state: &AnyState) -> u32 { self.0.round(state.get()) }
        fn outcome(&self, state: &AnyState) -> Outcome { self.0.outcome(state.get()) }
        fn wins_are_independent(&self) -> bool { self.0.wins_are_independent() }
        fn is_cooperative(&self) -> bool { self.0.is_cooperative() }
        fn mode(&self, state: &AnyState) -> Option<GameMode> { self.0.mode(state.get()) }
        fn is_shared(&self, state: &AnyState) -> bool { self.0.is_shared(state.get()) }
        fn modes(&self) -> Vec<(GameMode, AnyAction)> {
            let modes = self.0.modes().into_iter();
            modes.map(|(mode, outcome)| (mode, AnyAction::new(outcome))).collect()
        }
        fn determinize(&self, state: &AnyState, seat: Seat, rng: &mut Rng) -> AnyState {
            AnyState::new(self.0.determinize(state.get(), seat, rng))
        }
        fn private_info_key(&self, state: &AnyState, seat: Seat) -> u32 {
            self.0.private_info_key(state.get(), seat)
        }
    }

    Notation {} {
        fn action_text(&self, action: AnyAction) -> String { self.0.action_text(*action.get()) }
        fn action_label(&self, action: AnyAction) -> String { self.0.action_label(*action.get()) }
        fn combined_words(&self) -> &'static [&'static str] { self.0.combined_words() }
        fn parse_action(&self, text: &str) -> Result<AnyAction, NotationError> {
            self.0.parse_action(text).map(AnyAction::new)
        }
        fn all_decisions(&self) -> Vec<AnyAction> {
            self.0.all_decisions().into_iter().map(AnyAction::new).collect()
        }
        fn position_text(&self, state: &AnyState) -> String { self.0.position_text(state.get()) }
        fn parse_position(&self, text: &str) -> Result<AnyState, NotationError> {
            self.0.parse_position(text).map(AnyState::new)
        }
        fn view_text(&self, state: &AnyState, seat: Seat) -> String {
            self.0.view_text(state.get(), seat)
        }
        fn parse_view(&self, text: &str) -> Result<AnyState, NotationError> {
            self.0.parse_view(text).map(AnyState::new)
        }
        fn scene(&self, state: &AnyState, viewer: Option<Seat>) -> Scene {
            self.0.scene(state.get(), viewer)
        }
        fn rules_in_short(&self) -> Vec<String> { self.0.rules_in_short() }
        fn rule_steps(
            &self,
            before: &AnyState,
            after: &AnyState,
            person: Option<Seat>
        ) -> Vec<String> {
            self.0.rule_steps(before.get(), after.get(), person)
        }
        fn action_cells(&self, state: &AnyState, action: AnyAction) -> Vec<String> {
            self.0.action_cells(state.get(), *action.get())
        }
        fn shortfall(&self, state: &AnyState) -> Option<String> { self.0.shortfall(state.get()) }
        fn gains(&self, state: &AnyState, action: AnyAction) -> Vec<Gain> {
            self.0.gains(state.get(), *action.get())
        }
        fn score_breakdown(&self, state: &AnyState, seat: Seat) -> Vec<(&'static str, i32)> {
            self.0.score_breakdown(state.get(), seat)
        }
    }

    Features {} {
        fn feature_names(&self) -> &'static [&'static str] { self.0.feature_names() }
        fn features(&self, state: &AnyState, seat: Seat) -> FeatureVector {
            self.0.features(state.get(), seat)
        }
        fn progress(&self, state: &AnyState) -> f64 { self.0.progress(state.get()) }
        fn fact_table(&self) -> Arc<FactTable> { self.0.fact_table() }
        fn position_facts(&self, state: &AnyState, facts: &mut PositionFacts) {
            self.0.position_facts(state.get(), facts);
        }
        fn action_facts(
            &self,
            state: &AnyState,
            seat: Seat,
            legal: &AnyActions,
            receive: &mut dyn FnMut(AnyAction, &FactList)
        ) {
            let receive = &mut |action, facts: &FactList| receive(AnyAction::new(action), facts);
            self.0.action_facts(state.get(), seat, legal.get(), receive);
        }
    }

    Statistics {
        fn items_taken(
            &self,
            legal: &AnyActions,
            action: AnyAction,
            mut report: impl FnMut(ItemId),
        ) {
            self.0.report_taken(legal, action, &mut report);
        }
        fn items_chosen(
            &self,
            legal: &AnyActions,
            action: AnyAction,
            mut report: impl FnMut(ItemId),
        ) {
            self.0.report_chosen(legal, action, &mut report);
        }
        fn items_available(&self, legal: &AnyActions, mut report: impl FnMut(ItemId)) {
            self.0.report_available(legal, &mut report);
        }
        fn items_of_bits(&self, bits: u128, mut report: impl FnMut(ItemId)) {
            self.0.report_bits(bits, &mut report);
        }
        fn item_events(
            &self,
            state: &AnyState,
            action: AnyAction,
            mut report: impl FnMut(ItemEvent),
        ) {
            self.0.report_events(state, action, &mut report);
        }
        fn final_events(&self, state: &AnyState, mut report: impl FnMut(ItemEvent)) {
            self.0.report_final_events(state, &mut report);
        }
        fn observe_round_metrics(&self, state: &AnyState, mut report: impl FnMut(usize, i64, i64)) {
            self.0.report_round_metrics(state, &mut report);
        }
    } {
        fn catalog(&self) -> &ItemCatalog { self.0.catalog() }
        fn available_bits(&self, legal: &AnyActions) -> Option<u128> {
            self.0.available_bits(legal.get())
        }
        fn first_player(&self, outcome: AnyAction) -> Option<Seat> {
            self.0.first_player(*outcome.get())
        }
        fn opening_step(&self, state: &AnyState, action: AnyAction) -> Option<u8> {
            self.0.opening_step(state.get(), *action.get())
        }
        fn opening_step_text(&self, step: u8) -> String { self.0.opening_step_text(step) }
        fn book_action(&self, state: &AnyState, action: AnyAction) -> Option<u8> {
            self.0.book_action(state.get(), *action.get())
        }
        fn book_action_text(&self, code: u8) -> String { self.0.book_action_text(code) }
        fn book_action_label(&self, code: u8) -> String { self.0.book_action_label(code) }
        fn book_step_name(&self, index: usize) -> String { self.0.book_step_name(index) }
        fn situation(&self, state: &AnyState, seat: Seat) -> Situation {
            self.0.situation(state.get(), seat)
        }
        fn end_reasons(&self) -> &'static [&'static str] { self.0.end_reasons() }
        fn ended_by(&self, state: &AnyState) -> u8 { self.0.ended_by(state.get()) }
        fn round_metrics(&self) -> &'static [RoundMetric] { self.0.round_metrics() }
        // Resources are counted by the hot code only.
        fn resource_flow(&self) -> ResourceFlow { self.0.resource_flow() }
    }
}

/// The work that is compiled for each game because it is hot, as the methods of
/// [`BoundGame`](crate::bound::BoundGame) with these names describe it, and the methods of
/// [`Statistics`] with receivers whose type is not known.
pub(crate) trait PlayGames: Send + Sync {
    fn block_player<'a>(&'a self, experiment: Experiment<'a>) -> BlockPlayer<'a>;
    fn item_effects<'a>(
        &'a self,
        experiment: Experiment<'a>,
        is_selected: &'a [bool],
        arms: ForkArms,
    ) -> BoxedExperiment<'a, ItemEffectsTally>;
    fn restriction<'a>(
        &'a self,
        experiment: Experiment<'a>,
        restrictions: &'a [Vec<Restriction>],
        pairs: &'a [RestrictionPair],
    ) -> BoxedExperiment<'a, RestrictTally>;
    fn benchmark<'a>(&'a self, network: Option<NetworkBot>) -> Box<dyn Benchmark + 'a>;
    fn states(&self) -> Arc<dyn StateTable>;

    fn self_play(&self, teacher: &Teacher<'_>, seed: u64, block: u64) -> GameRecord;
    fn add_samples(
        &self,
        facts: &FactNumbers,
        record: &GameRecord,
        sampling: &Sampling,
        samples: &mut SampleSet,
    );
    fn network_search(
        &self,
        name: &str,
        network: NetworkEvaluator,
        settings: Settings,
        temperature: f64,
    ) -> BotFactory;

    fn report_taken(&self, legal: &AnyActions, action: AnyAction, report: &mut dyn FnMut(ItemId));
    fn report_chosen(&self, legal: &AnyActions, action: AnyAction, report: &mut dyn FnMut(ItemId));
    fn report_available(&self, legal: &AnyActions, report: &mut dyn FnMut(ItemId));
    fn report_bits(&self, bits: u128, report: &mut dyn FnMut(ItemId));
    fn report_events(&self, state: &AnyState, action: AnyAction, report: &mut dyn FnMut(ItemEvent));
    fn report_final_events(&self, state: &AnyState, report: &mut dyn FnMut(ItemEvent));
    fn report_round_metrics(&self, state: &AnyState, report: &mut dyn FnMut(usize, i64, i64));
}

impl<G: FullGame + Clone + Send> PlayGames for Typed<G> {
    fn block_player<'a>(&'a self, experiment: Experiment<'a>) -> BlockPlayer<'a> {
        let mut bots = experiment.build_bots();
        Box::new(move |blocks, on_games_finished| {
            experiment.play_blocks(&self.0, &mut bots, blocks, on_games_finished)
        })
    }

    fn item_effects<'a>(
        &'a self,
        experiment: Experiment<'a>,
        is_selected: &'a [bool],
        arms: ForkArms,
    ) -> BoxedExperiment<'a, ItemEffectsTally> {
        Box::new(ItemEffectsExperiment { game: &self.0, experiment, is_selected, arms })
    }

    fn restriction<'a>(
        &'a self,
        experiment: Experiment<'a>,
        restrictions: &'a [Vec<Restriction>],
        pairs: &'a [RestrictionPair],
    ) -> BoxedExperiment<'a, RestrictTally> {
        Box::new(RestrictExperiment { game: &self.0, experiment, restrictions, pairs })
    }

    fn benchmark<'a>(&'a self, network: Option<NetworkBot>) -> Box<dyn Benchmark + 'a> {
        Box::new(GameBenchmark::new(&self.0, network))
    }

    fn states(&self) -> Arc<dyn StateTable> {
        Arc::new(Arc::new(NumberedGame::new(self.0.clone())))
    }

    fn self_play(&self, teacher: &Teacher<'_>, seed: u64, block: u64) -> GameRecord {
        self_play::play(&self.0, teacher, seed, block)
    }

    fn add_samples(
        &self,
        facts: &FactNumbers,
        record: &GameRecord,
        sampling: &Sampling,
        samples: &mut SampleSet,
    ) {
        self_play::add_samples(&self.0, facts, record, sampling, samples);
    }

    fn network_search(
        &self,
        name: &str,
        network: NetworkEvaluator,
        settings: Settings,
        temperature: f64,
    ) -> BotFactory {
        BotFactory::new::<G, _>(name, move || {
            NetworkSearch::new(network.clone(), settings, temperature)
        })
    }

    fn report_taken(&self, legal: &AnyActions, action: AnyAction, report: &mut dyn FnMut(ItemId)) {
        self.0.items_taken(legal.get(), *action.get(), report);
    }

    fn report_chosen(&self, legal: &AnyActions, action: AnyAction, report: &mut dyn FnMut(ItemId)) {
        self.0.items_chosen(legal.get(), *action.get(), report);
    }

    fn report_available(&self, legal: &AnyActions, report: &mut dyn FnMut(ItemId)) {
        self.0.items_available(legal.get(), report);
    }

    fn report_bits(&self, bits: u128, report: &mut dyn FnMut(ItemId)) {
        self.0.items_of_bits(bits, report);
    }

    fn report_events(
        &self,
        state: &AnyState,
        action: AnyAction,
        report: &mut dyn FnMut(ItemEvent),
    ) {
        self.0.item_events(state.get(), *action.get(), report);
    }

    fn report_final_events(&self, state: &AnyState, report: &mut dyn FnMut(ItemEvent)) {
        self.0.final_events(state.get(), report);
    }

    fn report_round_metrics(&self, state: &AnyState, report: &mut dyn FnMut(usize, i64, i64)) {
        self.0.observe_round_metrics(state.get(), report);
    }
}

/// A game of a type that is not known. It shares its rules with its copies.
#[derive(Clone)]
pub struct AnyGame(Arc<dyn Rules>);

impl AnyGame {
    /// Hides the type of a game.
    pub fn new<G: FullGame + Clone + Send>(game: G) -> Self {
        Self(Arc::new(Typed(game)))
    }

    /// Returns the work that is compiled for the type of the game.
    pub(crate) fn hot(&self) -> &dyn PlayGames {
        &*self.0
    }
}

impl fmt::Debug for AnyGame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyGame")
    }
}

/// A bot of a game of any type, with the methods of [`Bot`].
trait AnyBot: Send {
    fn copy(&self) -> Box<dyn AnyBot>;

    fn reset(&mut self);

    fn choose(
        &mut self,
        view: &View<'_, AnyGame>,
        legal: &AnyActions,
        rng: &mut Rng,
        by_search: bool,
    ) -> AnyAction;

    fn observe(&mut self, seat: Seat, action: AnyAction);

    fn last_search(&self) -> Option<SearchResult<AnyAction>>;

    fn has_forfeited(&self) -> bool;

    fn priors(
        &self,
        view: &View<'_, AnyGame>,
        legal: &AnyActions,
        rng: &mut Rng,
        receive: &mut dyn FnMut(AnyAction, f32),
    ) -> bool;
}

/// A bot of a game of a known type.
struct TypedBot<G: Game>(Box<dyn Bot<G>>);

impl<G: FullGame> AnyBot for TypedBot<G> {
    fn copy(&self) -> Box<dyn AnyBot> {
        Box::new(Self(self.0.clone()))
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn choose(
        &mut self,
        view: &View<'_, AnyGame>,
        legal: &AnyActions,
        rng: &mut Rng,
        by_search: bool,
    ) -> AnyAction {
        let legal = legal.get();
        let mut choose = |view: &View<'_, G>| {
            if by_search {
                self.0.choose_by_search(view, legal, rng)
            } else {
                self.0.choose(view, legal, rng)
            }
        };
        let typed = view.typed::<G>();
        AnyAction::new(match view.watch() {
            None => choose(&typed),
            Some(&SearchWatch { stop, is_due, on_report }) => {
                let on_report = |result: SearchResult<G::Action>| {
                    on_report(result.map_actions(AnyAction::new));
                };
                let watch = SearchWatch { stop, is_due, on_report: &on_report };
                choose(&typed.with_watch(Some(&watch)))
            }
        })
    }

    fn observe(&mut self, seat: Seat, action: AnyAction) {
        self.0.observe(seat, *action.get());
    }

    fn last_search(&self) -> Option<SearchResult<AnyAction>> {
        Some(self.0.last_search()?.map_actions(AnyAction::new))
    }

    fn has_forfeited(&self) -> bool {
        self.0.has_forfeited()
    }

    fn priors(
        &self,
        view: &View<'_, AnyGame>,
        legal: &AnyActions,
        rng: &mut Rng,
        receive: &mut dyn FnMut(AnyAction, f32),
    ) -> bool {
        let receive = &mut |action, prior| receive(AnyAction::new(action), prior);
        self.0.priors(&view.typed(), legal.get(), rng, receive)
    }
}

/// A bot of a factory, which is built when the first view shows its game.
struct LateBot {
    factory: BotFactory,
    bot: Option<Box<dyn AnyBot>>,
    /// The decisions before it was built.
    observed: Vec<(Seat, AnyAction)>,
}

impl LateBot {
    fn new(factory: &BotFactory) -> Self {
        Self { factory: factory.clone(), bot: None, observed: Vec::new() }
    }

    fn bot(&mut self, game: &AnyGame) -> &mut dyn AnyBot {
        let Self { factory, bot, observed } = self;
        let bot = bot.get_or_insert_with(|| {
            let mut bot = game.0.build_bot(factory);
            bot.reset();
            observed.drain(..).for_each(|(seat, action)| bot.observe(seat, action));
            bot
        });
        &mut **bot
    }
}

impl Clone for LateBot {
    fn clone(&self) -> Self {
        Self {
            factory: self.factory.clone(),
            bot: self.bot.as_ref().map(|bot| bot.copy()),
            observed: self.observed.clone(),
        }
    }
}

impl Bot<AnyGame> for LateBot {
    fn reset(&mut self) {
        self.observed.clear();
        self.bot.iter_mut().for_each(|bot| bot.reset());
    }

    fn choose(&mut self, view: &View<'_, AnyGame>, legal: &AnyActions, rng: &mut Rng) -> AnyAction {
        self.bot(view.game()).choose(view, legal, rng, false)
    }

    fn choose_by_search(
        &mut self,
        view: &View<'_, AnyGame>,
        legal: &AnyActions,
        rng: &mut Rng,
    ) -> AnyAction {
        self.bot(view.game()).choose(view, legal, rng, true)
    }

    fn observe(&mut self, seat: Seat, action: AnyAction) {
        match &mut self.bot {
            Some(bot) => bot.observe(seat, action),
            None => self.observed.push((seat, action)),
        }
    }

    fn last_search(&self) -> Option<SearchResult<AnyAction>> {
        self.bot.as_ref()?.last_search()
    }

    fn has_forfeited(&self) -> bool {
        self.bot.as_ref().is_some_and(|bot| bot.has_forfeited())
    }

    fn priors(
        &self,
        view: &View<'_, AnyGame>,
        legal: &AnyActions,
        rng: &mut Rng,
        receive: &mut dyn FnMut(AnyAction, f32),
    ) -> bool {
        match &self.bot {
            Some(bot) => bot.priors(view, legal, rng, receive),
            None => view.game().0.build_bot(&self.factory).priors(view, legal, rng, receive),
        }
    }
}
