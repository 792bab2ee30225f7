//! The default bots of a game, and the defaults of its searches, by number of players.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Default bots of a game for one number of players.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BotDefaults {
    /// Bot in all seats if a command names none: the strongest that does not search.
    pub(crate) bot: &'static str,
    /// Bots of the default panel, the bot first.
    #[serde(default)]
    pub(crate) panel: Vec<PanelBot>,
    /// Heuristic from which training starts if a command names none: the strongest of the game.
    pub(crate) heuristic: Option<&'static str>,
    /// Defaults of searches.
    pub(crate) search: SearchDefaults,
}

impl BotDefaults {
    /// Reads the defaults for a number of players from the text of a file. A number without
    /// defaults has those of a game without profiles.
    ///
    /// # Errors
    /// Returns an error if the file is invalid.
    pub(crate) fn parse(text: &'static str, players: usize) -> Result<Self, toml::de::Error> {
        let file = toml::Deserializer::parse(text);
        let mut by_players = file.and_then(BTreeMap::<String, Self>::deserialize)?;
        Ok(by_players.remove(&players.to_string()).unwrap_or(Self {
            bot: "random",
            panel: Vec::new(),
            heuristic: None,
            search: SearchDefaults {
                playout: "random",
                value: None,
                prior: None,
                own_moves: false,
                halving: false,
                prior_temperature: None,
            },
        }))
    }
}

/// Defaults of a search that depend on the game and the number of players.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchDefaults {
    /// Bot that playouts follow.
    pub playout: &'static str,
    /// Trained heuristic or network that evaluates positions; `None` if there is none.
    pub value: Option<&'static str>,
    /// Trained heuristic or network that gives the prior of actions.
    pub prior: Option<&'static str>,
    /// True if a search with `value` builds a tree per seat with the seat's own decisions.
    pub own_moves: bool,
    /// True if a search with `prior` chooses by sequential halving whatever its budget.
    #[serde(default)]
    pub halving: bool,
    /// Temperature of `prior` in a search that does not choose by sequential halving; `None` for
    /// that of its profile.
    pub prior_temperature: Option<f64>,
}

/// Bot of the default panel of a game: it is asked the question of a study on the first deals.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelBot {
    /// Name.
    pub bot: &'static str,
    /// Maximum number of games in a simulation.
    pub games: u64,
    /// Strength relative to the search of the panel: Elo by win shares, for one player by the odds
    /// of winning, and the ends of its 95 % confidence interval, all 0 for the search. `None` if it
    /// was not measured.
    pub elo: Option<[f64; 3]>,
    /// Number of games of that measurement.
    #[serde(default)]
    pub elo_games: u64,
}

/// Strength of a bot relative to the search of the default panel, as measured on the default data.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct MeasuredElo {
    /// Elo by win shares.
    pub value: f64,
    /// Lower end of the 95 % confidence interval.
    pub ci_low: f64,
    /// Upper end of the 95 % confidence interval.
    pub ci_high: f64,
    /// Number of games.
    pub n: u64,
}

impl PanelBot {
    /// Returns the strength, if it was measured.
    pub fn measured_elo(&self) -> Option<MeasuredElo> {
        let [value, ci_low, ci_high] = self.elo?;
        Some(MeasuredElo { value, ci_low, ci_high, n: self.elo_games })
    }
}
