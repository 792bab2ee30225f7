//! The game loop.

use crate::{
    bots::View,
    game::{FullGame, Game, Seat, Turn},
    rng::ChanceStreams,
    search::ensemble::SearchResult,
};

/// An action that is applied to a position.
#[derive(Debug)]
pub enum Event<'a, G: Game> {
    /// A chance outcome.
    Chance(G::Action),
    /// A decision of a seat.
    Decision {
        /// The seat.
        seat: Seat,
        /// The legal actions.
        legal: &'a G::Actions,
        /// The chosen action.
        action: G::Action,
    },
}

/// A receiver of the events of a game. The methods do nothing by default.
pub trait Observer<G: Game> {
    /// Receives an event and the position before it.
    fn on_event(&mut self, _game: &G, _state: &G::State, _event: &Event<'_, G>) {}

    /// Receives a seat that forfeits the game, before the final position.
    fn on_forfeit(&mut self, _seat: Seat) {}

    /// Receives the final position.
    fn on_end(&mut self, _game: &G, _state: &G::State) {}
}

/// An observer that finds the first player: the given one, unless chance draws another.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstPlayer(pub Seat);

impl<G: FullGame> Observer<G> for FirstPlayer {
    fn on_event(&mut self, game: &G, _state: &G::State, event: &Event<'_, G>) {
        if let Event::Chance(outcome) = *event
            && let Some(seat) = game.first_player(outcome)
        {
            self.0 = seat;
        }
    }
}

/// Two observers that receive every event in turn.
impl<G: Game, A: Observer<G>, B: Observer<G>> Observer<G> for (A, B) {
    #[inline]
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        self.0.on_event(game, state, event);
        self.1.on_event(game, state, event);
    }

    fn on_forfeit(&mut self, seat: Seat) {
        self.0.on_forfeit(seat);
        self.1.on_forfeit(seat);
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        self.0.on_end(game, state);
        self.1.on_end(game, state);
    }
}

/// An optional observer.
impl<G: Game, O: Observer<G>> Observer<G> for Option<&mut O> {
    #[inline]
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        if let Some(observer) = self {
            observer.on_event(game, state, event);
        }
    }

    fn on_forfeit(&mut self, seat: Seat) {
        if let Some(observer) = self {
            observer.on_forfeit(seat);
        }
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        if let Some(observer) = self {
            observer.on_end(game, state);
        }
    }
}

/// No observer.
impl<G: Game> Observer<G> for () {}

/// Plays one game and returns its final position. `choose` returns the action of the seat to move,
/// and chance draws from the streams of the block.
///
/// ```
/// use watershed::{
///     Game, BuiltInGame as _, GameDefinition as _, Turn,
///     arena::play::{Event, Observer, play_game},
///     game::ActionSet as _,
///     games::the_river::TheRiver,
///     rng::ChanceStreams,
/// };
///
/// /// The number of decisions of each seat.
/// #[derive(Default)]
/// struct Decisions([u32; 2]);
///
/// impl<G: Game> Observer<G> for &mut Decisions {
///     fn on_event(&mut self, _: &G, _: &G::State, event: &Event<'_, G>) {
///         if let Event::Decision { seat, .. } = event {
///             self.0[seat.index()] += 1;
///         }
///     }
/// }
///
/// let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
/// let mut chance = ChanceStreams::new(1, 0, game.chance_sources().len());
/// let mut decisions = Decisions::default();
/// let end = play_game(&game, &mut chance, |_, legal| legal.nth(0), &mut decisions);
/// assert_eq!(game.turn(&end), Turn::Over);
/// assert!(decisions.0.iter().all(|&count| count > 10));
/// # Ok::<(), watershed::ConfigError>(())
/// ```
pub fn play_game<G: Game>(
    game: &G,
    chance: &mut ChanceStreams,
    mut choose: impl FnMut(&View<'_, G>, &G::Actions) -> G::Action,
    observer: impl Observer<G>,
) -> G::State {
    let choose = |decision: &Decision<'_, G>| choose(&decision.view(game), decision.legal);
    play_from(game, game.initial(), chance, choose, observer)
}

/// A decision in a game, with everything outside of the bots that the rest of the game depends on.
#[derive(Debug)]
pub struct Decision<'a, G: Game> {
    /// The position.
    pub state: &'a G::State,
    /// The seat that decides.
    pub seat: Seat,
    /// The legal actions.
    pub legal: &'a G::Actions,
    /// The random streams of chance at this moment.
    pub chance: &'a ChanceStreams,
}

impl<'a, G: Game> Decision<'a, G> {
    /// Returns the view of the seat that decides.
    pub fn view(&self, game: &'a G) -> View<'a, G> {
        View::new(game, self.state, self.seat)
    }
}

/// Search behind a decision of a game.
#[derive(Debug)]
pub struct DecisionSearch<'a, G: Game> {
    /// Number of earlier decisions of the game, forced ones included.
    pub decision: u64,
    /// The bot, as an index into the lineup.
    pub bot: usize,
    /// The actions that were offered.
    pub legal: &'a G::Actions,
    /// The chosen action.
    pub action: G::Action,
    /// Result of the search.
    pub result: SearchResult<G::Action>,
}

/// Receiver of the searches of a game.
pub type SearchObserver<'a, G> = dyn FnMut(DecisionSearch<'_, G>) + 'a;

/// Plays a game from a position to its end and returns the final position, as [`play_game`].
///
/// A game that continues from a copy of a [`Decision`] with copies of its bots and their random
/// streams is the same as the original game, so a study can compare continuations of one past:
///
/// ```
/// use watershed::{
///     BuiltInGame as _, GameDefinition as _,
///     arena::play::{Decision, play_from},
///     game::{ActionSet as _, Game as _},
///     games::the_river::TheRiver,
///     rng::ChanceStreams,
/// };
///
/// let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
/// let mut chance = ChanceStreams::new(1, 0, game.chance_sources().len());
/// let mut copy = None;
/// let mut decisions = 0;
/// let choose = |decision: &Decision<'_, TheRiver>| {
///     decisions += 1;
///     if decisions == 10 {
///         copy = Some((*decision.state, decision.chance.clone()));
///     }
///     decision.legal.nth(0)
/// };
/// let end = play_from(&game, game.initial(), &mut chance, choose, ());
///
/// let (state, mut chance) = copy.expect("a game has more than 10 decisions");
/// assert_eq!(play_from(&game, state, &mut chance, |decision| decision.legal.nth(0), ()), end);
/// # Ok::<(), watershed::ConfigError>(())
/// ```
pub fn play_from<G: Game>(
    game: &G,
    mut state: G::State,
    chance: &mut ChanceStreams,
    mut choose: impl FnMut(&Decision<'_, G>) -> G::Action,
    mut observer: impl Observer<G>,
) -> G::State {
    loop {
        let legal;
        let (event, action) = match game.turn(&state) {
            Turn::Chance(source) => {
                let outcome = game.draw_chance(&state, source, chance);
                (Event::Chance(outcome), outcome)
            }
            Turn::Seat(seat) => {
                legal = game.legal_actions(&state);
                let action = choose(&Decision { state: &state, seat, legal: &legal, chance });
                (Event::Decision { seat, legal: &legal, action }, action)
            }
            Turn::Over => {
                observer.on_end(game, &state);
                return state;
            }
        };
        observer.on_event(game, &state, &event);
        game.apply(&mut state, action);
    }
}
