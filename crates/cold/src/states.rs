//! Positions that another program holds, copies and continues, with numbered actions.
//!
//! A decision has the same number in all positions of a game: its index among
//! [`Notation::all_decisions`](crate::game::Notation::all_decisions). A chance outcome is numbered
//! by its place among the outcomes of its position.

use std::{any::Any, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    analysis::named::NamedAction,
    bots::{Bot, BotFactory, View},
    game::{
        ActionSet as _, FullGame, Game, NotationError, Outcome, Seat, Turn,
        facts::{FactBlock, FactList, FactTable, PositionFacts},
    },
    rng::{ChanceStreams, Rng},
    scene::Scene,
    search::playout::{Uniform, play_out},
};

/// A position with its rules, whichever game it is.
pub trait GameState: Send + Sync {
    /// Returns the value itself, from which a bot recovers its type.
    fn as_any(&self) -> &dyn Any;

    /// Returns a copy, which shares the rules.
    fn copy(&self) -> Box<dyn GameState>;

    /// Returns who decides.
    fn turn(&self) -> Turn;

    /// Returns the round, 0 during setup.
    fn round(&self) -> u32;

    /// Returns the outcome if the game ended in this position.
    fn outcome(&self) -> Outcome;

    /// Returns the named parts of the score of a seat.
    fn score_parts(&self, seat: Seat) -> Vec<(&'static str, i32)>;

    /// Returns the notation of the whole position.
    fn text(&self) -> String;

    /// Returns the notation of the position as a seat sees it.
    fn view_text(&self, seat: Seat) -> String;

    /// Returns the picture of the position from the view of a seat, or of everything.
    fn scene(&self, viewer: Option<Seat>) -> Scene;

    /// Appends the numbers of the legal actions or chance outcomes; none at the end of the game.
    fn list_numbers(&self, numbers: &mut Vec<u32>);

    /// Returns the weights of the chance outcomes, in proportion to their probabilities; empty if
    /// chance does not decide.
    fn outcome_weights(&self) -> Vec<u32>;

    /// Returns the names of an action or chance outcome; `None` if no action has this number.
    fn name(&self, number: u32) -> Option<NamedAction>;

    /// Returns the number of an action or chance outcome, legal or not; `None` if it cannot be
    /// numbered here.
    ///
    /// # Errors
    /// If the text is no notation of the game.
    fn find(&self, notation: &str) -> Result<Option<u32>, NotationError>;

    /// Applies a legal action or a chance outcome; returns false if there is none of this number.
    fn apply(&mut self, number: u32) -> bool;

    /// Draws chance outcomes until a seat decides or the game is over.
    fn draw_chance(&mut self, chance: &mut ChanceStreams);

    /// Returns a position drawn uniformly from those that a seat cannot distinguish from this one.
    fn determinize(&self, seat: Seat, rng: &mut Rng) -> Box<dyn GameState>;

    /// Adds up the inputs of the facts that a seat sees. `observation` is zero at first and as long
    /// as [`StateTable::observation_names`].
    fn observe(&self, seat: Seat, observation: &mut [f32]);

    /// Plays uniformly random actions to the end. Returns the number of events.
    fn play_out(&mut self, rng: &mut Rng) -> u64;
}

/// A bot that chooses in positions which are not those of one game in their order.
pub trait StateBot: Send {
    /// Returns the number of the action that the bot chooses at the beginning of its memory;
    /// `None` if no seat decides, or if the position is one of another game.
    fn choose(&mut self, state: &dyn GameState, rng: &mut Rng) -> Option<u32>;
}

/// The positions of a game.
pub trait StateTable: Send + Sync {
    /// Returns the position before the first event.
    fn initial(&self) -> Box<dyn GameState>;

    /// Reads a position in the notation of a view.
    ///
    /// # Errors
    /// If the text is no position of the game.
    fn parse(&self, text: &str) -> Result<Box<dyn GameState>, NotationError>;

    /// Returns the number of players.
    fn seats(&self) -> usize;

    /// Returns the number of sources of chance.
    fn chance_sources(&self) -> usize;

    /// Returns the names of all decisions, in the order of their numbers.
    fn decisions(&self) -> Vec<NamedAction>;

    /// Returns the names of the numbers that a seat observes: for its own facts `own.NAME`, for
    /// those of the next seats clockwise `next1.NAME` and so on, for its view `view.NAME`, and
    /// for facts of no seat `shared.NAME`. Empty if the game has no facts.
    fn observation_names(&self) -> Vec<String>;

    /// Creates a bot.
    fn build_bot(&self, bot: &BotFactory) -> Box<dyn StateBot>;
}

/// A game with the numbers of its decisions, and the facts that seats observe.
pub struct NumberedGame<G: Game> {
    game: G,
    decisions: Vec<G::Action>,
    numbers: FxHashMap<G::Action, u32>,
    facts: Arc<FactTable>,
}

impl<G: FullGame> NumberedGame<G> {
    /// Numbers the decisions of a game.
    pub fn new(game: G) -> Self {
        let decisions = game.all_decisions();
        let numbers = (0..).zip(&decisions).map(|(number, &action)| (action, number)).collect();
        let facts = game.fact_table();
        Self { game, decisions, numbers, facts }
    }

    /// Returns the number of a decision.
    pub fn number(&self, action: G::Action) -> Option<u32> {
        self.numbers.get(&action).copied()
    }

    /// Returns the decision with this number.
    pub fn decision(&self, number: u32) -> Option<G::Action> {
        self.decisions.get(number as usize).copied()
    }

    /// Holds a position of the game.
    pub fn hold(self: &Arc<Self>, state: G::State) -> Box<dyn GameState>
    where
        G: Send,
    {
        Box::new(HeldState { rules: Arc::clone(self), state })
    }

    /// Returns the blocks of facts that a seat sees, with the names of their prefixes.
    fn blocks(&self) -> impl Iterator<Item = (String, &FactBlock)> {
        let of_seat = |steps| match steps {
            0 => "own".to_owned(),
            _ => format!("next{steps}"),
        };
        let seats = (0..self.game.seats()).map(move |steps| (of_seat(steps), &self.facts.seat));
        let rest = [("view", &self.facts.view), ("shared", &self.facts.shared)];
        seats.chain(rest.map(|(name, block)| (name.to_owned(), block)))
    }
}

impl<G: FullGame + Send> StateTable for Arc<NumberedGame<G>> {
    fn initial(&self) -> Box<dyn GameState> {
        self.hold(self.game.initial())
    }

    fn parse(&self, text: &str) -> Result<Box<dyn GameState>, NotationError> {
        Ok(self.hold(self.game.parse_view(text)?))
    }

    fn seats(&self) -> usize {
        self.game.seats()
    }

    fn chance_sources(&self) -> usize {
        self.game.chance_sources().len()
    }

    fn decisions(&self) -> Vec<NamedAction> {
        let decisions = self.decisions.iter();
        decisions.map(|&action| NamedAction::new(&self.game, action)).collect()
    }

    fn observation_names(&self) -> Vec<String> {
        let names = |(prefix, block): (String, &FactBlock)| -> Vec<String> {
            block.inputs().iter().map(|input| format!("{prefix}.{input}")).collect()
        };
        self.blocks().flat_map(names).collect()
    }

    fn build_bot(&self, bot: &BotFactory) -> Box<dyn StateBot> {
        Box::new(NumberedBot::<G> { bot: bot.build(), rules: Arc::clone(self) })
    }
}

/// A position of a [`NumberedGame`].
struct HeldState<G: Game> {
    rules: Arc<NumberedGame<G>>,
    state: G::State,
}

impl<G: FullGame> HeldState<G> {
    /// Returns the event with this number, if it is legal.
    fn legal_event(&self, number: u32) -> Option<G::Action> {
        let game = &self.rules.game;
        match game.turn(&self.state) {
            Turn::Over => None,
            Turn::Chance(_) => {
                game.chance_outcomes(&self.state).get(number as usize).map(|(outcome, _)| *outcome)
            }
            Turn::Seat(_) => {
                let legal = game.legal_actions(&self.state);
                self.rules.decision(number).filter(|&action| legal.contains(action))
            }
        }
    }
}

impl<G: FullGame + Send> GameState for HeldState<G> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn copy(&self) -> Box<dyn GameState> {
        self.rules.hold(self.state)
    }

    fn turn(&self) -> Turn {
        self.rules.game.turn(&self.state)
    }

    fn round(&self) -> u32 {
        self.rules.game.round(&self.state)
    }

    fn outcome(&self) -> Outcome {
        self.rules.game.outcome(&self.state)
    }

    fn score_parts(&self, seat: Seat) -> Vec<(&'static str, i32)> {
        self.rules.game.score_breakdown(&self.state, seat)
    }

    fn text(&self) -> String {
        self.rules.game.position_text(&self.state)
    }

    fn view_text(&self, seat: Seat) -> String {
        self.rules.game.view_text(&self.state, seat)
    }

    fn scene(&self, viewer: Option<Seat>) -> Scene {
        self.rules.game.scene(&self.state, viewer)
    }

    fn list_numbers(&self, numbers: &mut Vec<u32>) {
        let game = &self.rules.game;
        match game.turn(&self.state) {
            Turn::Over => {}
            Turn::Chance(_) => numbers.extend(0..game.chance_outcomes(&self.state).len() as u32),
            Turn::Seat(_) => {
                let legal = game.legal_actions(&self.state);
                numbers.extend(legal.iter().filter_map(|action| self.rules.number(action)));
            }
        }
    }

    fn outcome_weights(&self) -> Vec<u32> {
        match self.turn() {
            Turn::Chance(_) => {
                let outcomes = self.rules.game.chance_outcomes(&self.state);
                outcomes.into_iter().map(|(_, weight)| weight).collect()
            }
            _ => Vec::new(),
        }
    }

    fn name(&self, number: u32) -> Option<NamedAction> {
        let action = match self.turn() {
            Turn::Chance(_) => self.legal_event(number)?,
            _ => self.rules.decision(number)?,
        };
        Some(NamedAction::new(&self.rules.game, action))
    }

    fn find(&self, notation: &str) -> Result<Option<u32>, NotationError> {
        let game = &self.rules.game;
        let action = game.parse_action(notation)?;
        let outcome_number = || {
            let outcomes = game.chance_outcomes(&self.state);
            outcomes.iter().position(|&(outcome, _)| outcome == action).map(|index| index as u32)
        };
        Ok(match self.turn() {
            Turn::Chance(_) => outcome_number(),
            _ => self.rules.number(action),
        })
    }

    fn apply(&mut self, number: u32) -> bool {
        let event = self.legal_event(number);
        if let Some(event) = event {
            self.rules.game.apply(&mut self.state, event);
        }
        event.is_some()
    }

    fn draw_chance(&mut self, chance: &mut ChanceStreams) {
        let game = &self.rules.game;
        while let Turn::Chance(source) = game.turn(&self.state) {
            let outcome = game.draw_chance(&self.state, source, chance);
            game.apply(&mut self.state, outcome);
        }
    }

    fn determinize(&self, seat: Seat, rng: &mut Rng) -> Box<dyn GameState> {
        self.rules.hold(self.rules.game.determinize(&self.state, seat, rng))
    }

    fn observe(&self, seat: Seat, observation: &mut [f32]) {
        if self.turn() == Turn::Over {
            return;
        }
        let mut facts = PositionFacts::new();
        self.rules.game.position_facts(&self.state, &mut facts);
        let seats = self.rules.game.seats();
        let of_seats = (0..seats).map(|steps| &facts.seats[seat.clockwise(steps, seats).index()]);
        let lists = of_seats.chain([&facts.views[seat.index()], &facts.shared]);
        let mut rest = observation;
        for (list, (_, block)) in lists.zip(self.rules.blocks()) {
            let (part, after) = rest.split_at_mut(block.inputs().len());
            add_inputs(list, block, part);
            rest = after;
        }
    }

    fn play_out(&mut self, rng: &mut Rng) -> u64 {
        play_out(&self.rules.game, &mut self.state, &Uniform, rng)
    }
}

/// Counts the inputs of facts.
fn add_inputs(list: &FactList, block: &FactBlock, counts: &mut [f32]) {
    for &fact in list.as_slice() {
        for &input in &block.facts()[usize::from(fact)] {
            counts[usize::from(input)] += 1.0;
        }
    }
}

/// A bot for the positions of one game.
struct NumberedBot<G: Game> {
    bot: Box<dyn Bot<G>>,
    /// The game for which the bot was made, or one with the same decisions and facts.
    rules: Arc<NumberedGame<G>>,
}

impl<G: FullGame + Send> StateBot for NumberedBot<G> {
    fn choose(&mut self, state: &dyn GameState, rng: &mut Rng) -> Option<u32> {
        let HeldState { rules, state } = state.as_any().downcast_ref::<HeldState<G>>()?;
        let Turn::Seat(seat) = rules.game.turn(state) else { return None };
        if !Arc::ptr_eq(rules, &self.rules) {
            // The bot knows facts by their numbers.
            let is_same =
                rules.decisions == self.rules.decisions && rules.facts == self.rules.facts;
            self.rules = is_same.then(|| Arc::clone(rules))?;
        }
        self.bot.reset();
        let view = View::new(&rules.game, state, seat);
        let action = self.bot.choose(&view, &rules.game.legal_actions(state), rng);
        rules.number(action)
    }
}
