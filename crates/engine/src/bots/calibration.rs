//! The file `calibration.toml` of a game: maps from the mean rewards of its searches to win
//! chances, as `calibrate` fits them.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use crate::{
    config::{ConfigError, Document, sha256},
    keys,
    search::calibration::{ChanceMap, ChanceMaps, FittedMaps},
};

/// Parameters of a search that limit its work. The maps depend on the number of iterations,
/// whatever limits it.
pub(super) const BUDGET: [&str; 4] = ["iterations", "steps", "time_ms", "cpu_ms"];

/// Key of the hash of a network's weights among its parameters.
const WEIGHTS_SHA256: &str = "weights_sha256";

/// Comment at the head of a file.
const HEAD: &str = "\
# Maps from the mean rewards of searches to win chances, fitted to the results of games. Each table
# has the command that repeats it, which replaces it in this file with `--write FILE`.
#
# The odds of two seats are those of their mean rewards to the power of `slope`, times e to the \
power
# of `mover` for the seat to move. If each seat wins or loses by itself, its odds are those of a win
# against none, which has the factor e to the power of `no_win`. `position` is for the mean rewards
# of all iterations, `action` for those of the iterations that start with an action.
# The maps are used if the networks and heuristics of the search are those of `evaluators_sha256`.
";

keys! {
    /// Content of a file.
    #[derive(PartialEq, Default)]
    pub struct CalibrationFile {
        search: Vec<CalibratedSearch> = Vec::new(),
    }

    /// Maps of a search with one budget and number of players.
    #[derive(PartialEq, Serialize)]
    pub struct CalibratedSearch {
        /// Name of the bot, without the budget.
        pub bot: String,
        /// Number of players.
        pub players: usize,
        /// The mode, if a game for this number of players has several.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mode: Option<String>,
        /// Iterations of each search.
        pub iterations: u64,
        /// Number of games to which the maps are fitted.
        pub games: u64,
        /// Command that repeats the maps.
        pub command: String,
        /// Hash of the heuristics and networks of the bot, by [`evaluators_sha256`].
        pub evaluators_sha256: String,
        /// Map of the mean rewards of all iterations.
        pub position: ChanceMap,
        /// Map of the mean rewards of the iterations that start with one action.
        pub action: ChanceMap,
    }
}

impl CalibratedSearch {
    /// Returns both maps with the budget and the number of games.
    pub fn fitted_maps(&self) -> FittedMaps {
        let Self { iterations, games, position, action, .. } = *self;
        FittedMaps { iterations, games, maps: ChanceMaps { position, action } }
    }

    fn key(&self) -> (&str, usize, Option<&str>, u64) {
        (&self.bot, self.players, self.mode.as_deref(), self.iterations)
    }
}

impl CalibrationFile {
    /// Reads an embedded file; an empty text has no maps.
    ///
    /// # Errors
    /// Returns an error if the text is not such a file.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        Document::embedded("calibration.toml", text).parse()
    }

    /// Returns the searches that are calibrated for a number of players.
    pub fn for_players(&self, players: usize) -> impl Iterator<Item = &CalibratedSearch> {
        self.search.iter().filter(move |search| search.players == players)
    }

    /// Adds a search, or replaces that of the same bot, number of players, mode and iterations.
    pub fn insert(&mut self, new: CalibratedSearch) {
        self.search.retain(|search| search.key() != new.key());
        self.search.push(new);
        self.search.sort_by(|one, other| one.key().cmp(&other.key()));
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        let mut text = HEAD.to_owned();
        for search in &self.search {
            // Serialising numbers and text cannot fail.
            let table = toml::to_string(search).unwrap_or_default();
            let table = table.replace("\n[", "\n[search.").replace("\n\n[", "\n[");
            let _ = write!(text, "\n[[search]]\n{table}");
        }
        text
    }
}

/// Returns a hash of the parts of a search: of the weights of networks, and of all parameters of
/// heuristics.
pub fn evaluators_sha256(parts: &[Value]) -> String {
    let mut text = String::new();
    for part in parts {
        let weights = part.get(WEIGHTS_SHA256).and_then(Value::as_str);
        text += &weights.map_or_else(|| part.to_string(), str::to_owned);
        text.push('\n');
    }
    sha256(text.as_bytes())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    fn search(players: usize, iterations: u64, slope: f64) -> CalibratedSearch {
        let map = ChanceMap { slope, mover: -0.25, no_win: (players == 1).then_some(0.5) };
        CalibratedSearch {
            bot: "mcts".to_owned(),
            players,
            mode: None,
            iterations,
            games: 100,
            command: "watershed calibrate --bots 'mcts:iterations=100'".to_owned(),
            evaluators_sha256: "00ff".to_owned(),
            position: map,
            action: map,
        }
    }

    #[test]
    fn files_are_read_back_and_a_new_map_replaces_the_old_one() {
        let mut file = CalibrationFile::default();
        for new in [search(2, 1000, 0.75), search(2, 200, 1.0), search(1, 200, 2.0)] {
            file.insert(new);
        }
        file.insert(search(2, 1000, 0.5));
        file.insert(CalibratedSearch { mode: Some("coop".to_owned()), ..search(2, 200, 3.0) });
        let text = file.to_text();
        assert_eq!(CalibrationFile::parse(&text).unwrap(), file, "{text}");
        let slopes = file.for_players(2).map(|search| (search.iterations, search.action.slope));
        assert_eq!(slopes.collect::<Vec<_>>(), [(200, 1.0), (1000, 0.5), (200, 3.0)]);
        assert_eq!(CalibrationFile::parse("").unwrap(), CalibrationFile::default());
    }

    #[test]
    fn other_weights_have_another_hash() {
        let part = |weights: &str| [serde_json::json!({"weights_sha256": weights, "epsilon": 0.1})];
        assert_ne!(evaluators_sha256(&part("a")), evaluators_sha256(&part("b")));
    }
}
