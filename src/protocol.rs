//! The language in JSON of all who ask about positions and games: `engine`, `analyze` and `replay`
//! on the command line, and the page, with a server or without one.
//!
//! An action is its notation under the key `action`, and in words under the key `label`. Seats are
//! counted from 0, and chances are numbers from 0 to 1. Each front end adds only what it alone has:
//! the requests of the page are in [`web`](crate::web), those of other programs in `study::engine`.

pub mod analysis;
pub(crate) mod panel;
pub mod problem;
pub mod review;
pub(crate) mod smallest_effects;
pub mod words;
