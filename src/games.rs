//! The games, each under a name of its own with the same rooms.

pub mod the_river;
