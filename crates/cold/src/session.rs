//! Games that people play: against bots, with each other, or at a table.
//!
//! A [`Session`] is a setup and a history, and everything else follows from these: the next draw of
//! a chance source depends on the seed and the draws of the source so far, and the choice of a bot
//! on the seed and the events so far. So taking a decision back and making it again leads to the
//! same game, a saved game continues as if it had not been left, and taking back never brings other
//! luck.
//!
//! A session knows nothing of how it is shown.

mod combination;

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicBool},
};

use serde::{Deserialize, Serialize};

use crate::{
    analysis::book::BookDecision,
    arena::{
        forfeit::ForfeitedSeats,
        record::{ChanceWord, Decider, FORMAT, HUMAN, Record, replay_events},
    },
    bots::{BotFactory, View},
    game::{ActionSet as _, FullGame, Seat, Turn},
    rng::{ChanceStreams, Purpose, random_below, stream},
    search::ensemble::SearchWatch,
};

/// The player of a seat.
#[derive(Clone, Debug)]
pub enum Player {
    /// Somebody who enters decisions.
    Person,
    /// A bot.
    Bot(BotFactory),
}

impl Player {
    /// Returns the name in records: [`HUMAN`] or that of the bot.
    pub fn name(&self) -> &str {
        match self {
            Self::Person => HUMAN,
            Self::Bot(bot) => bot.name(),
        }
    }

    /// Returns the name for people of the opponent that the player is, if it is one.
    pub fn title(&self) -> Option<&'static str> {
        match self {
            Self::Person => None,
            Self::Bot(bot) => bot.title(),
        }
    }
}

/// The origin of chance outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChanceOrigin {
    /// They are drawn from the seed.
    #[default]
    Drawn,
    /// People enter them, as in a game at a table.
    Entered,
}

/// All that a game follows from, except for the decisions of people.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Name of the game in records.
    pub game: String,
    /// SHA-256 of the data file.
    pub config_sha256: String,
    /// The player of each seat.
    pub players: Vec<Player>,
    /// The seed of chance and of the bots.
    pub seed: u64,
    /// The origin of chance outcomes.
    pub chance: ChanceOrigin,
}

/// The origin of the next event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// A person decides for this seat.
    Person(Seat),
    /// A person enters a chance outcome.
    EnteredChance,
    /// A bot decides for this seat.
    Bot(Seat),
    /// A chance outcome is drawn.
    DrawnChance,
    /// None: the game is over.
    Over,
}

impl Next {
    /// Returns true if a person makes the next event.
    pub const fn is_person(self) -> bool {
        matches!(self, Self::Person(_) | Self::EnteredChance)
    }
}

/// An event of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionEvent<A> {
    /// The seat that decided; `None` for chance.
    pub seat: Option<Seat>,
    /// The action or chance outcome.
    pub action: A,
}

/// A game in progress with its history.
///
/// ```
/// use std::sync::Arc;
///
/// use watershed::{
///     BuiltInGame as _, GameDefinition as _,
///     games::the_river::TheRiver,
///     session::{Next, Player, Session, Setup},
/// };
///
/// let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
/// let bot = game.bot_library().read("balanced")?;
/// let mut session = Session::new(
///     Arc::new(game),
///     Setup {
///         game: TheRiver::ID.to_owned(),
///         config_sha256: TheRiver::default_document().sha256(),
///         players: vec![Player::Person, Player::Bot(bot)],
///         seed: 1,
///         chance: Default::default(),
///     },
/// );
/// session.advance();
/// let Next::Person(seat) = session.next() else { unreachable!("a person plays") };
/// let actions = session.actions();
/// session.act(actions[0]).expect("a legal action");
/// session.advance();
/// assert!(session.undo());
/// assert_eq!(session.next(), Next::Person(seat));
/// # Ok::<(), watershed::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session<G: FullGame> {
    game: Arc<G>,
    setup: Setup,
    /// All events; those at the end may have been taken back.
    events: Vec<SessionEvent<G::Action>>,
    /// The position before each event, and the one after the last.
    states: Vec<G::State>,
    /// Number of events that have not been taken back.
    position: usize,
    /// Number of decisions of people that have been taken back.
    undone: u32,
    /// The seats whose bots lost the game by a failure.
    forfeits: ForfeitedSeats,
    /// Choices of a combination for which the rules ask for another one first.
    pending: Vec<G::Action>,
}

impl<G: FullGame> Session<G> {
    /// Begins a game.
    ///
    /// # Panics
    /// If the number of players is not that of the game.
    pub fn new(game: Arc<G>, setup: Setup) -> Self {
        let initial = game.initial();
        Self::from_position(game, setup, initial)
    }

    /// Begins a game from a position.
    ///
    /// # Panics
    /// If the number of players is not that of the game.
    pub fn from_position(game: Arc<G>, setup: Setup, position: G::State) -> Self {
        assert_eq!(setup.players.len(), game.seats(), "each seat has a player");
        Self {
            game,
            setup,
            events: Vec::new(),
            states: vec![position],
            position: 0,
            undone: 0,
            forfeits: ForfeitedSeats::default(),
            pending: Vec::new(),
        }
    }

    /// Chooses the mode of a game that has not begun, as chance would.
    ///
    /// # Errors
    /// Returns a message if the game has no such mode.
    pub fn choose_mode(&mut self, name: &str) -> Result<(), String> {
        let modes = self.game.modes();
        let found = modes.iter().find(|(mode, _)| mode.name == name && self.events.is_empty());
        let Some(&(_, outcome)) = found else { return Err(format!("there is no mode {name:?}")) };
        self.push(outcome);
        Ok(())
    }

    /// Begins the game again in its mode, with another seed. Returns false, without a change, if a
    /// person has decided.
    pub fn begin_again(&mut self, seed: u64) -> bool {
        if self.can_undo() {
            return false;
        }
        let has_mode = !self.game.modes().is_empty() && !self.is_set_up();
        self.position = self.position.min(usize::from(has_mode));
        self.events.truncate(self.position);
        self.states.truncate(self.position + 1);
        self.undone = 0;
        self.forfeits = ForfeitedSeats::default();
        self.setup.seed = seed;
        true
    }

    /// Continues the game of a record.
    ///
    /// # Errors
    /// Returns the first difference between the record and the rules, on one line.
    ///
    /// # Panics
    /// If the number of players is not that of the game.
    pub fn load(game: Arc<G>, setup: Setup, record: &Record) -> Result<Self, String> {
        let mut session = Self::new(game, setup);
        let mut actions = Vec::new();
        let game = Arc::clone(&session.game);
        replay_events(&*game, record, record.events.len(), |_, _, action| actions.push(action))?;
        for action in actions {
            session.push(action);
        }
        session.undone = record.undo;
        session.forfeits = record.forfeits.iter().copied().map(Seat::new).collect();
        Ok(session)
    }

    /// Returns the rules.
    pub fn game(&self) -> &Arc<G> {
        &self.game
    }

    /// Returns the setup.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the present position.
    pub fn state(&self) -> &G::State {
        &self.states[self.position]
    }

    /// Gives a seat to another player, who decides from now on.
    pub fn set_player(&mut self, seat: Seat, player: Player) {
        self.setup.players[seat.index()] = player;
    }

    /// Returns the position before an event, or the present one after the last event.
    pub fn state_before(&self, event: usize) -> Option<&G::State> {
        self.states[..=self.position].get(event)
    }

    /// Returns true if the game began from another position than games do. It has no record then.
    pub fn is_set_up(&self) -> bool {
        self.states[0] != self.game.initial()
    }

    /// Returns the events so far, without those that have been taken back.
    pub fn events(&self) -> &[SessionEvent<G::Action>] {
        &self.events[..self.position]
    }

    /// Returns the game as it was before an event, or as it is after the last event, with the
    /// events from there on as those that were taken back. `None` if there is no such event.
    pub fn before(&self, event: usize) -> Option<Self>
    where
        G: Clone,
    {
        let pending = Vec::new();
        (event <= self.position).then(|| Self { position: event, pending, ..self.clone() })
    }

    /// Returns the present decision as a book of openings groups it; `None` if it is no decision of
    /// an opening, or if the game did not begin as games do.
    pub fn book_decision(&self) -> Option<BookDecision> {
        let events: Vec<_> = self.events().iter().map(|event| event.action).collect();
        let decision =
            || BookDecision::of_game(&*self.game, &self.states, &events, &self.actions());
        if self.is_set_up() { None } else { decision() }
    }

    /// Returns the origin of the next event.
    pub fn next(&self) -> Next {
        match (self.game.turn(self.state()), self.setup.chance) {
            (Turn::Over, _) => Next::Over,
            (Turn::Chance(_), ChanceOrigin::Drawn) => Next::DrawnChance,
            (Turn::Chance(_), ChanceOrigin::Entered) => Next::EnteredChance,
            (Turn::Seat(seat), _) => match self.setup.players[seat.index()] {
                Player::Person => Next::Person(seat),
                Player::Bot(_) => Next::Bot(seat),
            },
        }
    }

    /// Returns the actions of the seat that decides, or the outcomes if chance decides. To a person
    /// they are the legal ones and, after these, those of a combination that only its order
    /// forbids; while some choices are pending, only those of this combination.
    pub fn actions(&self) -> Vec<G::Action> {
        let mut actions = self.legal_actions();
        let others = self.forbidden_by_order(&actions);
        if !self.pending.is_empty() {
            actions.clear();
        }
        actions.extend(others);
        actions
    }

    /// Returns the legal actions or chance outcomes.
    fn legal_actions(&self) -> Vec<G::Action> {
        let state = self.state();
        match self.game.turn(state) {
            Turn::Over => Vec::new(),
            Turn::Seat(_) => self.game.legal_actions(state).iter().collect(),
            Turn::Chance(_) => {
                let outcomes = self.game.chance_outcomes(state);
                outcomes.iter().map(|&(outcome, _)| outcome).collect()
            }
        }
    }

    /// Makes the next event, which a person decides, or adds a choice to a combination. Returns the
    /// number of events that did not change.
    ///
    /// # Errors
    /// Returns a message if no person decides or if the action is not legal.
    pub fn act(&mut self, action: G::Action) -> Result<usize, String> {
        if !self.next().is_person() {
            return Err("no person decides the next event".to_owned());
        }
        let legal = self.legal_actions();
        let unchanged = if self.pending.is_empty() && legal.contains(&action) {
            self.push(action);
            Some(self.position - 1)
        } else {
            let is_offered = self.forbidden_by_order(&legal).contains(&action);
            is_offered.then(|| self.combine(&legal, action)).flatten()
        };
        unchanged.ok_or_else(|| format!("{} is not legal now", self.game.action_text(action)))
    }

    /// Makes the next event if a bot or chance decides it, and returns it; `None` if a person
    /// decides or if the game is over. When `stop` becomes true, a bot ends its search and may
    /// choose any action.
    pub fn step(&mut self, stop: &AtomicBool) -> Option<SessionEvent<G::Action>> {
        let action = match self.next() {
            Next::Person(_) | Next::EnteredChance | Next::Over => return None,
            // It was taken back, and would be the same.
            _ if self.can_redo() => self.events[self.position].action,
            Next::Bot(seat) => self.choice_of_bot(seat, stop),
            Next::DrawnChance => self.drawn_outcome(),
        };
        self.push(action);
        self.events().last().copied()
    }

    /// Makes all events until a person decides or the game is over.
    pub fn advance(&mut self) {
        while self.step(&AtomicBool::new(false)).is_some() {}
    }

    /// Goes back to the last event that a person decided, before it, or takes the last pending
    /// choice back. Returns false if there is none.
    pub fn undo(&mut self) -> bool {
        if self.pending.pop().is_some() {
            return true;
        }
        let last = self.events().iter().rposition(|event| self.is_entered(event));
        if let Some(last) = last {
            self.position = last;
            self.undone += 1;
        }
        last.is_some()
    }

    /// Makes an event that was taken back again, and those that followed until a person decided
    /// again. Returns false if there is none.
    pub fn redo(&mut self) -> bool {
        self.pending.clear();
        let (_, rest) = self.events.split_at(self.position);
        let Some((_, after)) = rest.split_first() else { return false };
        let next = after.iter().position(|event| self.is_entered(event));
        self.position += 1 + next.unwrap_or(after.len());
        self.undone = self.undone.saturating_sub(1);
        true
    }

    /// Returns true if there is a decision of a person to take back.
    pub fn can_undo(&self) -> bool {
        !self.pending.is_empty() || self.events().iter().any(|event| self.is_entered(event))
    }

    /// Returns true if there are events that were taken back.
    pub fn can_redo(&self) -> bool {
        self.position < self.events.len()
    }

    /// Returns the seat from whose view the game is shown: that of the person who decides or
    /// decided last. `None` if only bots play: then nothing is hidden from those who watch, as
    /// after the end of the game.
    pub fn viewer(&self) -> Option<Seat> {
        let people = || {
            let seats = (0..self.game.seats()).map(Seat::new);
            seats.filter(|seat| matches!(self.setup.players[seat.index()], Player::Person))
        };
        match self.next() {
            Next::Over => None,
            Next::Person(seat) => Some(seat),
            _ => {
                let mut events = self.events().iter().rev();
                let last = events.find_map(|event| {
                    event.seat.filter(|&seat| people().any(|person| person == seat))
                });
                last.or_else(|| people().next())
            }
        }
    }

    /// Returns true if a seat cannot tell the outcome of an event from others: it is chance, and
    /// all outcomes look the same to the seat.
    ///
    /// # Panics
    /// If there is no such event.
    pub fn is_secret(&self, event: usize, viewer: Seat) -> bool {
        let (state, SessionEvent { seat, action }) = (&self.states[event], self.events[event]);
        if seat.is_some() {
            return false;
        }
        let view_after = |outcome| {
            let mut after = *state;
            self.game.apply(&mut after, outcome);
            self.game.view_text(&after, viewer)
        };
        let outcomes = self.game.chance_outcomes(state);
        let actual = view_after(action);
        outcomes.len() > 1 && outcomes.iter().all(|&(outcome, _)| view_after(outcome) == actual)
    }

    /// Returns the record of the game so far.
    pub fn record(&self) -> Record {
        let decider = |seat: Option<Seat>| {
            seat.map_or(Decider::Chance(ChanceWord::Chance), |seat| Decider::Seat(seat.index()))
        };
        let events = self.events().iter();
        let mut record = Record {
            format: FORMAT.to_owned(),
            game: self.setup.game.clone(),
            config_sha256: self.setup.config_sha256.clone(),
            players: self.game.seats(),
            bots: self.setup.players.iter().map(|player| player.name().to_owned()).collect(),
            seed: self.setup.seed,
            undo: self.undone,
            forfeits: self.forfeits.iter().map(Seat::index).collect(),
            events: events
                .map(|event| (decider(event.seat), self.game.action_text(event.action)))
                .collect(),
            ..Record::default()
        };
        record.set_results(&*self.game, self.state());
        record
    }

    /// Returns true if a person decides this kind of event.
    fn is_entered(&self, event: &SessionEvent<G::Action>) -> bool {
        match event.seat {
            Some(seat) => matches!(self.setup.players[seat.index()], Player::Person),
            None => self.setup.chance == ChanceOrigin::Entered,
        }
    }

    /// Appends an event. Events that were taken back are forgotten if it is another one than the
    /// first of them.
    fn push(&mut self, action: G::Action) {
        let state = *self.state();
        let seat = match self.game.turn(&state) {
            Turn::Seat(seat) => Some(seat),
            _ => None,
        };
        let event = SessionEvent { seat, action };
        if self.events.get(self.position) != Some(&event) {
            self.events.truncate(self.position);
            self.states.truncate(self.position + 1);
            let mut after = state;
            self.game.apply(&mut after, action);
            self.events.push(event);
            self.states.push(after);
        }
        self.position += 1;
    }

    /// Asks a bot that knows the events so far.
    fn choice_of_bot(&mut self, seat: Seat, stop: &AtomicBool) -> G::Action {
        let Player::Bot(factory) = &self.setup.players[seat.index()] else {
            unreachable!("a bot decides for {seat}")
        };
        let mut bot = factory.build();
        bot.reset();
        for event in self.events() {
            if let Some(seat) = event.seat {
                bot.observe(seat, event.action);
            }
        }
        let purpose = Purpose::Bot(seat.index() as u8);
        let mut rng = stream(self.setup.seed, self.position as u64, 0, purpose);
        let state = self.state();
        let legal = self.game.legal_actions(state);
        if self.forfeits.contains(seat) {
            return legal.nth(random_below(&mut rng, legal.len() as u32) as usize);
        }
        let watch = SearchWatch::of_flag(stop);
        let view = View::new(&*self.game, state, seat).with_watch(Some(&watch));
        let action = bot.choose(&view, &legal, &mut rng);
        if bot.has_forfeited() {
            self.forfeits.insert(seat);
        }
        action
    }

    /// Draws the next outcome of a chance source.
    fn drawn_outcome(&self) -> G::Action {
        let mut chance = ChanceStreams::new(self.setup.seed, 0, self.game.chance_sources().len());
        let due = self.game.turn(self.state());
        let mut drawn = None;
        for state in &self.states[..=self.position] {
            match self.game.turn(state) {
                turn @ Turn::Chance(source) if turn == due => {
                    drawn = Some(self.game.draw_chance(state, source, &mut chance));
                }
                _ => {}
            }
        }
        drawn.expect("chance decides")
    }
}

/// The results of a finished game, by seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Results {
    /// Score.
    pub scores: Vec<i32>,
    /// The winning seats, ascending.
    pub winners: Vec<usize>,
    /// The parts of each score by name.
    pub breakdown: Vec<BTreeMap<String, i32>>,
    /// The goals that all seats together did not reach; `None` if they did, or play for themselves.
    pub shortfall: Option<String>,
    /// True if a score is the share of its goals that a seat has reached, in percent.
    pub are_scores_progress: bool,
}

impl<G: FullGame> Session<G> {
    /// Returns the results; `None` before the end of the game.
    pub fn results(&self) -> Option<Results> {
        let Record { scores, winners, breakdown, .. } = self.record();
        let shortfall = self.game.shortfall(self.state());
        let are_scores_progress = self.game.wins_are_independent();
        Some(Results {
            scores: scores?,
            winners: winners?,
            breakdown: breakdown?,
            shortfall,
            are_scores_progress,
        })
    }
}
