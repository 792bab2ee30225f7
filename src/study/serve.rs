//! `watershed serve`: games in a browser, and pages of results.
//!
//! The server needs the feature `serve`. Without it, the command says how to build it.

mod arguments;
#[cfg(feature = "serve")]
mod connections;
#[cfg(feature = "serve")]
mod guard;
#[cfg(feature = "serve")]
mod results;
#[cfg(feature = "serve")]
mod server;

pub(crate) use self::arguments::ServeArguments;
use crate::{study::shared::prelude::*, web::CommandTools};

/// Runs the command, until the process is ended. The workbench has the `tools`.
#[cfg(feature = "serve")]
pub(crate) fn run(
    games: GameList,
    arguments: &ServeArguments,
    tools: CommandTools,
) -> anyhow::Result<ExitStatus> {
    server::run(games, arguments, tools)
}

/// Says that the program has no server.
#[cfg(not(feature = "serve"))]
pub(crate) fn run(_: GameList, _: &ServeArguments, _: CommandTools) -> anyhow::Result<ExitStatus> {
    anyhow::bail!(
        "this program was built without its server; to build it: cargo build --release \
         --features serve"
    )
}
