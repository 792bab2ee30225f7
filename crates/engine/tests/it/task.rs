//! Computations over the built-in games whose types are known.
#![allow(dead_code, reason = "not every user of this file needs all of it")]

use watershed::{
    bots::profile::BotLibrary,
    config::{ConfigError, Document},
    games::{
        BuiltInGame, GameDefinition, common_river::CommonRiver, glassworks::Glassworks,
        the_river::TheRiver,
    },
};

/// A computation over any game.
pub(crate) trait GameTask {
    /// Result type.
    type Output;

    /// Runs the computation for a game bound to a data file.
    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> Self::Output;
}

/// Binds a built-in game to a data file and runs a computation.
pub(crate) fn bind_and_run<T: GameTask>(
    id: &str,
    document: &Document,
    players: usize,
    task: T,
) -> Result<T::Output, ConfigError> {
    fn run<G: BuiltInGame, T: GameTask>(
        document: &Document,
        players: usize,
        task: T,
    ) -> Result<T::Output, ConfigError> {
        let game = G::bind(document, players)?;
        let profiles = game.profile_library().with_data([document])?;
        Ok(task.run(&game, &BotLibrary { profiles, added_bots: Vec::new(), programs: None }))
    }
    match id {
        TheRiver::ID => run::<TheRiver, T>(document, players, task),
        Glassworks::ID => run::<Glassworks, T>(document, players, task),
        CommonRiver::ID => run::<CommonRiver, T>(document, players, task),
        _ => panic!("{id} is no built-in game"),
    }
}
