//! The file `opponents.toml` of a game: bots with names, from a beginner to the full search, with
//! measured ratings.

use serde::{Deserialize, Serialize};

/// Opponent in games of one number of players.
#[derive(Clone, PartialEq, Debug)]
pub struct Opponent {
    /// Name for people.
    pub title: &'static str,
    /// The bot, as commands name it.
    pub bot: String,
    /// A sentence of character.
    pub character: &'static str,
    /// The rating, if it was measured with this number of players.
    pub rating: Option<OpponentRating>,
    /// Number of games of the opponent in the measurement.
    pub games: u32,
    /// Skill in the reviews of such games, from 0 to 1, if it was measured.
    pub skill: Option<f64>,
}

/// Rating on the scale of Elo.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct OpponentRating {
    /// Value.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct OpponentFile {
    /// Games of each opponent in the measurements with two, three and more players.
    games: Vec<u32>,
    opponents: Vec<OpponentEntry>,
}

/// An opponent in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpponentEntry {
    title: &'static str,
    /// The bot; `{players}` stands for the number of players.
    bot: &'static str,
    character: &'static str,
    /// Ratings in games of two, three and more players, with their 95 % intervals.
    ratings: Vec<[f64; 3]>,
    /// Skills in such games.
    #[serde(default)]
    skills: Vec<f64>,
}

impl Opponent {
    /// Reads the opponents for a number of players from the text of a file, the weakest first.
    /// There are none if the text is empty, or alone.
    ///
    /// # Errors
    /// Returns an error if the file is invalid.
    pub(crate) fn parse_all(
        text: &'static str,
        players: usize,
    ) -> Result<Vec<Self>, toml::de::Error> {
        let Some(index) = players.checked_sub(2).filter(|_| !text.is_empty()) else {
            return Ok(Vec::new());
        };
        let file = toml::Deserializer::parse(text).and_then(OpponentFile::deserialize)?;
        let games = file.games.get(index).copied().unwrap_or_default();
        let opponent = |entry: OpponentEntry| {
            let rating = entry.ratings.get(index);
            Self {
                title: entry.title,
                bot: entry.bot.replace("{players}", &players.to_string()),
                character: entry.character,
                rating: rating.map(|&[value, low, high]| OpponentRating { value, low, high }),
                games,
                skill: entry.skills.get(index).copied(),
            }
        };
        let mut opponents: Vec<_> = file.opponents.into_iter().map(opponent).collect();
        let rating = |one: &Self| one.rating.map_or(0.0, |rating| rating.value);
        opponents.sort_by(|one, other| rating(one).total_cmp(&rating(other)));
        Ok(opponents)
    }
}
