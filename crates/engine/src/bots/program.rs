//! Bots that are programs of their own: they answer one request for each decision.
//!
//! This crate starts no process. A program that embeds it passes a [`ProgramReader`], which makes a
//! [`BotProgram`] of the command after [`PREFIX`], to the entry of a game.

use std::{fmt, sync::Arc};

use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Bot, BotFactory, View};
use crate::{
    game::{ActionSet, Notation},
    rng::{Rng, random_below},
};

/// Beginning of the names of bots that are programs; the rest is the command.
pub const PREFIX: &str = "exec:";

/// Name and version of the format of requests and answers.
pub const FORMAT: &str = "watershed.bot/1";

/// A decision that a program is asked for, as one JSON object on one line. The program sees what
/// the seat that decides sees.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DecisionRequest {
    /// Name and version of the format: `watershed.bot/1`.
    pub format: &'static str,
    /// The number of the request, which the answer repeats.
    pub id: u64,
    /// The name of the game.
    pub game: &'static str,
    /// The number of players.
    pub players: usize,
    /// The seat that decides, from 0.
    pub seat: usize,
    /// True for the first request of a game.
    pub new_game: bool,
    /// The round, from 1; 0 during setup.
    pub round: u32,
    /// The position as the seat sees it; hidden information is `?`.
    pub position: String,
    /// The legal actions, at least two, in byte order.
    pub actions: Vec<String>,
    /// A random number for this decision. A program whose choices depend on nothing but the
    /// requests is reproducible.
    pub seed: u64,
    /// Seconds within which the answer must come.
    pub time_seconds: f64,
}

/// The answer of a program, as one JSON object on one line. Other fields are ignored.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DecisionAnswer {
    /// The number of the request.
    pub id: u64,
    /// One of the legal actions of the request.
    pub action: String,
}

/// A problem by which a program loses a game.
#[derive(Clone, PartialEq, Debug)]
pub enum ProgramFailure {
    /// It could not be started.
    NotStarted(String),
    /// It ended, or closed its output.
    Ended(String),
    /// It did not answer within this number of seconds.
    TimedOut(f64),
    /// Its answer was no answer to the request.
    Unreadable(String),
    /// Its answer was no legal action.
    Illegal(String),
}

impl fmt::Display for ProgramFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(cause) => write!(formatter, "cannot be started: {cause}"),
            Self::Ended(how) => write!(formatter, "ended before its answer: {how}"),
            Self::TimedOut(seconds) => write!(formatter, "did not answer within {seconds} s"),
            Self::Unreadable(answer) => write!(
                formatter,
                "gave an answer that cannot be read, {answer:?}; expected \
                 {{\"id\": 1, \"action\": \"…\"}} with the id of the request"
            ),
            Self::Illegal(action) => {
                write!(formatter, "chose {action:?}, which is not among the legal actions")
            }
        }
    }
}

/// A program that plays.
pub trait BotProgram: Send + Sync {
    /// Returns a connection, by which one bot at a time asks for its decisions.
    fn connect(&self) -> Box<dyn ProgramConnection>;

    /// Returns the parameters that manifests record.
    fn parameters(&self) -> Value;

    /// Returns the seconds for a decision.
    fn seconds(&self) -> f64;

    /// Receives the problem by which the program has just lost a game.
    fn report(&self, failure: &ProgramFailure);
}

/// Connection to a running program.
pub trait ProgramConnection: Send {
    /// Returns the answer of the program.
    ///
    /// # Errors
    /// If it does not answer. The next call asks a new process.
    fn ask(&mut self, request: &DecisionRequest) -> Result<DecisionAnswer, ProgramFailure>;

    /// Ends the process, because of an answer that breaks the rules.
    fn end(&mut self);
}

/// Returns the program of a command, or the problem with the command.
pub type ProgramReader = fn(&str) -> Result<Arc<dyn BotProgram>, String>;

/// The bots of a game that are programs.
#[derive(Clone, Copy, Debug)]
pub struct ProgramBots {
    game: &'static str,
    read: ProgramReader,
    build: fn(&'static str, &str, Arc<dyn BotProgram>) -> BotFactory,
}

impl ProgramBots {
    /// Creates the bots of a game with this name. `read` returns the program of a command.
    pub fn new<G: Notation>(game: &'static str, read: ProgramReader) -> Self {
        Self { game, read, build: factory::<G> }
    }

    /// Returns the bot of a command. `name` is its name, which begins with [`PREFIX`].
    ///
    /// # Errors
    /// Returns the problem with the command.
    pub fn read(&self, name: &str, command: &str) -> Result<BotFactory, String> {
        Ok((self.build)(self.game, name, (self.read)(command)?))
    }
}

/// Returns the bot of a program.
fn factory<G: Notation>(
    game: &'static str,
    name: &str,
    program: Arc<dyn BotProgram>,
) -> BotFactory {
    let parameters = program.parameters();
    let build = move || ProgramBot {
        game,
        program: Arc::clone(&program),
        connection: None,
        requests: 0,
        is_new_game: true,
        has_forfeited: false,
    };
    BotFactory::new::<G, _>(name, build).with_parameters(parameters).that_can_forfeit(true)
}

/// Bot that asks a program. After a failure it plays the rest of the game at random.
struct ProgramBot {
    game: &'static str,
    program: Arc<dyn BotProgram>,
    /// The connection to the program; `None` before the first request.
    connection: Option<Box<dyn ProgramConnection>>,
    requests: u64,
    is_new_game: bool,
    has_forfeited: bool,
}

/// A copy has a connection of its own.
impl Clone for ProgramBot {
    fn clone(&self) -> Self {
        let &Self { game, requests, is_new_game, has_forfeited, .. } = self;
        let (program, connection) = (Arc::clone(&self.program), None);
        Self { game, program, connection, requests, is_new_game, has_forfeited }
    }
}

impl<G: Notation> Bot<G> for ProgramBot {
    fn reset(&mut self) {
        self.is_new_game = true;
        self.has_forfeited = false;
    }

    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        if legal.len() == 1 {
            return legal.nth(0);
        }
        if !self.has_forfeited {
            match self.ask(view, legal, rng) {
                Ok(action) => return action,
                Err(failure) => {
                    self.has_forfeited = true;
                    self.program.report(&failure);
                }
            }
        }
        legal.nth(random_below(rng, legal.len() as u32) as usize)
    }

    fn has_forfeited(&self) -> bool {
        self.has_forfeited
    }
}

impl ProgramBot {
    /// Asks the program for one of the legal actions.
    fn ask<G: Notation>(
        &mut self,
        view: &View<'_, G>,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> Result<G::Action, ProgramFailure> {
        let (game, seat) = (view.game(), view.seat());
        // Even if the notation of a game had an error, the text of a position that the seat cannot
        // distinguish from the actual one shows nothing that is hidden.
        let state = view.determinize(rng);
        let mut actions: Vec<_> = legal.iter().map(|action| game.action_text(action)).collect();
        actions.sort_unstable();
        let request = DecisionRequest {
            format: FORMAT,
            id: self.requests,
            game: self.game,
            players: game.seats(),
            seat: seat.index(),
            new_game: std::mem::take(&mut self.is_new_game),
            round: game.round(&state),
            position: game.view_text(&state, seat),
            actions,
            // Numbers that every language reads exactly.
            seed: rng.random::<u64>() >> 12,
            time_seconds: self.program.seconds(),
        };
        self.requests += 1;
        let connection = self.connection.get_or_insert_with(|| self.program.connect());
        let DecisionAnswer { action, .. } = connection.ask(&request)?;
        let chosen = game.parse_action(&action).ok().filter(|&action| legal.contains(action));
        chosen.ok_or_else(|| {
            connection.end();
            ProgramFailure::Illegal(action)
        })
    }
}
