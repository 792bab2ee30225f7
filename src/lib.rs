//! Simulates board games between AI players and estimates win rates, effects of cards and tiles,
//! and the strength of bots and openings.
//!
//! A game is a type that implements [`Game`]. Bots play it, search it with Monte Carlo tree search,
//! and see only what their seat sees. The arena plays an [`Experiment`] on all cores; its [`Tally`]
//! has estimates with confidence intervals, and is the same for every number of threads. The crate
//! re-exports the engine, which has all of this and is compiled for each game, and what is done
//! with a game besides playing it, which is compiled once. It adds three games and the program
//! `watershed` with all commands for them.
//!
//! # Code map
//!
//! The modules of the engine. Each uses only modules above it.
//!
//! | module | contents | start here |
//! |---|---|---|
//! | [`rng`] | random streams that follow from (seed, block, game, purpose) | [`rng::stream`] |
//! | [`bits`] | sets of small numbers as machine words | [`bits::select`] |
//! | [`stats`] | estimates over blocks, intervals, tests, ratings | [`stats::ratio::Ratio`] |
//! | [`config`] | TOML files, errors with file, line and key, replaced values | [`Document`] |
//! | [`game`] | traits of a game, a check of their contract | [`Game`], [`game::conformance`] |
//! | [`search`] | Monte Carlo tree search, playouts, value functions | [`search::mcts::Search`] |
//! | [`bots`] | the trait of a bot, profiles, factories | [`Bot`], [`BotFactory`] |
//! | [`arena`] | experiments, the game loop, counters, records, comparisons | [`Experiment`] |
//! | [`games`] | games with data files and bots, lists of games | [`GameDefinition`] |
//!
//! Analysis, experiments and games of people, compiled once for all games:
//!
//! | module | contents | start here |
//! |---|---|---|
//! | [`analysis`] | positions: win chances, best actions, rollouts | [`analysis::judge::Analyst`] |
//! | [`states`] | positions that another program holds | [`states::GameState`] |
//! | [`erased`] | games whose type is not known | [`erased::AnyGame`] |
//! | [`experiments`] | the experiments of single studies | [`experiments::comparison`] |
//! | [`session`] | games that people play, with history and undo | [`session::Session`] |
//! | [`bound`] | a game with its data and bots | [`bound::BoundGame`] |
//!
//! The modules of this crate. None has a type parameter for a game.
//!
//! | module | contents | start here |
//! |---|---|---|
//! | [`identity`] | version, commit and hash of the sources of this build | [`identity::Build`] |
//! | [`protocol`] | analyses, reviews and problems in JSON | [`protocol::analysis`] |
//! | [`web`] | games in a browser: requests and answers in JSON, page | [`web::Application`] |
//! | `report` ¹ ² | tables as CSV, JSON, text and HTML; charts | `src/report/data_table.rs` |
//! | [`run`] ¹ | exit status; output folders, manifests and checkpoints ² | [`run::ExitStatus`] |
//! | `study` ¹ ² | the commands: arguments, tables and page of each | `src/study/simulate.rs` |
//! | [`cli`] ¹ | command line for any list of games | [`cli::run_games`], [`cli::run_command`] |
//!
//! ¹ needs the feature `cli`\
//! ² not part of the interface: may change in any version
//!
//! # Features
//!
//! | feature | default | contents |
//! |---|---|---|
//! | `cli` | yes | the commands with their tables and reports, and the program `watershed` |
//! | `the_river`, `glassworks`, `common_river` | yes | a game each |
//! | `serve` | no | the server of `watershed serve` |
//!
//! `cargo build --release --package watershed --no-default-features --features cli,the_river` makes
//! a program with one game. Without `--package`, Cargo also selects the examples, which need all
//! games.
//!
//! Without default features, the crate has search, bots, arena and statistics, depends neither on
//! clap nor on the libraries of the reports, and compiles for `wasm32-unknown-unknown`.
//!
//! # Examples
//!
//! ## Playing games
//!
//! An experiment plays blocks. A block is one deal, played once for each distinct rotation of the
//! bots over the seats.
//!
//! ```
//! use watershed::{
//!     BuiltInGame as _, Experiment, GameDefinition as _, arena::tally::ALL_SEATS,
//!     game::UNITS_PER_WIN,
//!     games::the_river::TheRiver,
//! };
//!
//! let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
//! let bots = game.bot_library();
//! let lineup = [bots.read("balanced")?, bots.read("random")?];
//! let tally = Experiment::new(&lineup, 1, 0..100).play(&game);
//!
//! let balanced = tally.bots[0][ALL_SEATS].wins.rate(UNITS_PER_WIN);
//! assert_eq!(tally.games, 200);
//! assert_eq!(balanced.n, 200);
//! assert!(balanced.low > 0.9, "{balanced:?}");
//! # Ok::<(), watershed::ConfigError>(())
//! ```
//!
//! ## A bot of one's own
//!
//! ```
//! use watershed::{
//!     Bot, BotFactory, BuiltInGame as _, Experiment, Game, GameDefinition as _, Rng, View,
//!     arena::tally::ALL_SEATS,
//!     game::{ActionSet as _, UNITS_PER_WIN},
//!     games::the_river::TheRiver,
//! };
//!
//! /// Chooses the action after which its score is highest.
//! #[derive(Clone)]
//! struct Greedy;
//!
//! impl<G: Game> Bot<G> for Greedy {
//!     fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
//!         let position = view.determinize(rng);
//!         let score_after = |&action: &G::Action| {
//!             let mut after = position;
//!             view.game().apply(&mut after, action);
//!             view.game().outcome(&after).scores[view.seat().index()]
//!         };
//!         legal.iter().max_by_key(score_after).expect("there is a legal action")
//!     }
//! }
//!
//! let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
//! let own = BotFactory::new::<TheRiver, _>("greedy", || Greedy);
//! let lineup = [own, game.bot_library().read("balanced")?];
//! let tally = Experiment::new(&lineup, 1, 0..100).play(&game);
//! let [own, balanced] = [0, 1].map(|bot| tally.bots[bot][ALL_SEATS].wins.rate(UNITS_PER_WIN));
//! assert!(own.high < balanced.low, "{own:?} {balanced:?}");
//! # Ok::<(), watershed::ConfigError>(())
//! ```
//!
//! ## A study
//!
//! [`cli::run_command`] runs a command with its flags and writes the same files as the program. A
//! program with games of its own passes its list in place of [`games::built_in_games`].
//!
//! ```
//! # #[cfg(feature = "cli")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use watershed::{cli::run_command, games::built_in_games, run::ExitStatus};
//!
//! # let folder = std::env::temp_dir().join(format!("watershed-lib-{}", std::process::id()));
//! # let out = folder.to_str().expect("a path in UTF-8");
//! // Do more pioneers at the start change the win rate of the first player?
//! let status = run_command(built_in_games(), [
//!     "balance", "sweep", "--key", "rules.start_pioneers", "--values", "3..5",
//!     "--bots", "balanced", "--games", "100", "--quiet", "--out", out,
//! ])?;
//! assert_eq!(status, ExitStatus::Success);
//!
//! let table = std::fs::read_to_string(folder.join("sweep.csv"))?;
//! let rows = table.lines().filter(|line| line.contains("win_share,turn position 0,"));
//! assert_eq!(rows.count(), 3);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "cli"))]
//! # fn main() {}
//! ```

// Links to modules that exist only with the feature.
#![cfg_attr(not(feature = "cli"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "cli")]
pub mod cli;
pub mod games;
pub mod identity;
pub mod protocol;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod report;
#[cfg(feature = "cli")]
pub mod run;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod study;
pub mod web;

#[doc(inline)]
pub use watershed_cold::{analysis, bound, erased, experiments, session, states};
#[doc(inline)]
pub use watershed_engine::{
    arena, benchmark, bits, bots, config, game, keys, rng, scene, search, stats, training,
};

/// The examples of the guide are tests.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../docs/library.md")]
mod guide {}

pub use games::{BuiltInGame, GameDefinition, GameEntry, GameFiles, GameList};
pub use watershed_engine::arena::{run::Experiment, tally::Tally};
pub use watershed_engine::bots::{Bot, BotFactory, View, profile::BotLibrary};
pub use watershed_engine::config::{ConfigError, Document};
pub use watershed_engine::game::{Game, Outcome, Seat, Turn};
pub use watershed_engine::rng::Rng;
