//! Games bound to a data file and a number of players, with their bots, as objects: the boundary
//! between the code that is compiled for each game and the code that is compiled once.
//!
//! [`GameEntry::open`](crate::game_list::GameEntry::open) returns a [`BoundGame`]. Its methods
//! return plain values or further objects. There is one dynamic call for each job of blocks, each
//! analysed position and each decision of a person, and none for an event of a simulated game.
//! [`Bound`] implements the trait for every game.

mod experiments;
mod information;
mod positions;
mod sessions;
mod states;
mod studies;
mod training;

use std::any::Any;

pub use experiments::PlayExperiments;
pub use information::GameInformation;
pub use positions::{EventReceiver, FoundPuzzle, GamePosition, Positions, PuzzleSearch};
pub use sessions::{GameSession, OpenSessions};
pub use states::{GameState, NumberedGame, OpenStates, StateBot, StateTable};
pub use studies::{BlockPlayer, PlayStudies};
pub use training::{SelfPlayer, Train};

use crate::{bots::profile::BotLibrary, games::GameDefinition};

/// A game bound to a data file and a number of players, with its bots.
pub trait BoundGame:
    GameInformation
    + PlayExperiments
    + PlayStudies
    + Positions
    + OpenSessions
    + OpenStates
    + Train
    + Send
    + Sync
{
    /// Returns the value itself, from which another one of the same game can be recovered.
    fn as_any(&self) -> &dyn Any;
}

/// A game of a known type with its bots, as a [`BoundGame`].
#[derive(Clone, Debug)]
pub struct Bound<G> {
    /// The rules, bound to the data.
    pub game: G,
    /// The bots.
    pub library: BotLibrary,
}

impl<G: GameDefinition> BoundGame for Bound<G> {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<G: GameDefinition> Bound<G> {
    /// Returns the rules of other data files of the same game.
    ///
    /// # Panics
    /// If one is another game.
    fn games_of<'a>(others: &[&'a dyn BoundGame]) -> Vec<&'a G> {
        let game = |other: &&'a dyn BoundGame| {
            let bound = other.as_any().downcast_ref::<Self>();
            &bound.expect("games that are compared are one game with several data files").game
        };
        others.iter().map(game).collect()
    }
}
