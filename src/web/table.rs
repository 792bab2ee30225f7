//! Tables of components that a spreadsheet saved, for a page. The commands read them, as
//! `data import`; an application without them refuses it.

use serde::{Deserialize, Serialize};

use super::versions::GameVersion;
use crate::{config::Document, games::GameEntry, protocol::problem::Problem};

/// A table of components for a version.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRequest {
    /// Name of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The version with all other values.
    pub version: GameVersion,
    /// Name of the table, such as `building.csv`.
    pub name: String,
    /// The bytes of the table, in any encoding.
    pub bytes: Vec<u8>,
}

/// A function that reads the table of this name into the data file of a game.
pub type TableReader = fn(&GameEntry, &Document, &str, &[u8]) -> Result<ImportedTable, Problem>;

/// A version with the components of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ImportedTable {
    /// The data file.
    pub data: String,
    /// Notes on what was not read as it is.
    pub notes: Vec<String>,
}
