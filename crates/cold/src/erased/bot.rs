//! Bots that play a game of a type that is not known.

use super::{
    rules::AnyGame,
    value::{AnyAction, AnyActions},
};
use crate::{
    bots::{Bot, BotFactory, View},
    game::{FullGame, Game, Seat},
    rng::Rng,
    search::ensemble::{SearchResult, SearchWatch},
};

/// A bot of a game of any type, with the methods of [`Bot`].
pub(super) trait AnyBot: Send {
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
pub(super) struct TypedBot<G: Game>(pub(super) Box<dyn Bot<G>>);

/// Returns a view as a view of the game of its type.
fn typed_view<'a, G: FullGame>(view: &View<'a, AnyGame>) -> View<'a, G> {
    View::new(view.game().typed(), view.state().get(), view.seat())
}

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
        let typed = typed_view::<G>(view);
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
        self.0.priors(&typed_view::<G>(view), legal.get(), rng, receive)
    }
}

/// A bot of a factory, which is built when the first view shows its game.
pub(super) struct LateBot {
    pub(super) factory: BotFactory,
    pub(super) bot: Option<Box<dyn AnyBot>>,
    /// The decisions before it was built.
    pub(super) observed: Vec<(Seat, AnyAction)>,
}

impl LateBot {
    fn bot(&mut self, game: &AnyGame) -> &mut dyn AnyBot {
        let Self { factory, bot, observed } = self;
        let bot = bot.get_or_insert_with(|| {
            let mut bot = game.typed_bot(factory);
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
            None => view.game().typed_bot(&self.factory).priors(view, legal, rng, receive),
        }
    }
}
