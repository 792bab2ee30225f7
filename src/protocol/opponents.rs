//! Opponents with names: bots from a beginner to the full search, with measured ratings.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};

/// The opponents of each game by its name. The file explains its values.
static OPPONENTS: LazyLock<BTreeMap<String, OpponentsOfGame>> = LazyLock::new(|| {
    toml::from_str(include_str!("opponents.toml")).expect("the embedded file is valid")
});

/// A bot that can be chosen.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BotOffer {
    /// Name in requests and records.
    pub name: String,
    /// Short description.
    pub title: String,
    /// Sentences about the way in which the bot decides and about its strength.
    pub description: String,
    /// The rating, if it was measured with this number of players.
    pub rating: Option<BotRating>,
}

/// A rating on the scale of Elo.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct BotRating {
    /// Value.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The opponents of a game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpponentsOfGame {
    /// Games of each opponent in the measurements with two, three and more players.
    games: Vec<u32>,
    opponents: Vec<Opponent>,
}

/// An opponent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opponent {
    /// Name for people.
    title: String,
    /// The bot, as commands name it; `{players}` stands for the number of players.
    bot: String,
    /// A sentence of character.
    character: String,
    /// Rating in games of two, three and more players, with its 95 % interval.
    ratings: Vec<[f64; 3]>,
    /// Skill in the reviews of such games, from 0 to 1.
    #[serde(default)]
    skills: Vec<f64>,
}

/// Returns the opponents of a game; `None` if it has none.
fn of_game(game: &str, players: usize) -> Option<&'static OpponentsOfGame> {
    // Alone, there is nobody to play against.
    OPPONENTS.get(game).filter(|_| players > 1)
}

/// Returns the opponents of a game as they are offered for a number of players, the weakest first.
pub(crate) fn offers(game: &str, players: usize) -> Vec<BotOffer> {
    let Some(OpponentsOfGame { games, opponents }) = of_game(game, players) else {
        return Vec::new();
    };
    let mut offers: Vec<_> = opponents.iter().map(|one| one.offer(players, games)).collect();
    let rating = |offer: &BotOffer| offer.rating.map_or(0.0, |rating| rating.value);
    offers.sort_by(|one, other| rating(one).total_cmp(&rating(other)));
    offers
}

/// Returns the bot of the opponent with this name, in any case; `None` if the game has none.
pub fn bot_named(game: &str, players: usize, name: &str) -> Option<String> {
    let mut opponents = of_game(game, players)?.opponents.iter();
    let found = opponents.find(|opponent| opponent.title.eq_ignore_ascii_case(name))?;
    Some(found.bot(players))
}

/// Returns the name of the opponent that a bot of a game is, if it is one.
pub fn name_of(game: &str, players: usize, bot: &str) -> Option<&'static str> {
    let opponents = &of_game(game, players)?.opponents;
    let found = opponents.iter().find(|opponent| opponent.bot(players) == bot);
    found.map(|opponent| &*opponent.title)
}

/// Returns the opponent whose skill is the nearest to this one, with its rating; `None` if none was
/// measured in games of this number of players.
pub(crate) fn like(game: &str, players: usize, skill: f64) -> Option<String> {
    let index = players.checked_sub(2)?;
    let opponents = of_game(game, players)?.opponents.iter();
    let distance = |one: &Opponent| Some((one.skills.get(index)? - skill).abs());
    let measured = opponents.filter_map(|one| Some((distance(one)?, one)));
    let (_, nearest) = measured.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(format!("{} ({:.0})", nearest.title, nearest.ratings.get(index)?[0]))
}

impl Opponent {
    /// Returns the bot in games of this number of players, as commands name it.
    fn bot(&self, players: usize) -> String {
        self.bot.replace("{players}", &players.to_string())
    }

    /// Returns the opponent as it is offered for a number of players. `games` are those of the
    /// measurements.
    fn offer(&self, players: usize, games: &[u32]) -> BotOffer {
        let measured = players.checked_sub(2).and_then(|index| {
            let [value, low, high] = *self.ratings.get(index)?;
            Some((BotRating { value, low, high }, *games.get(index)?))
        });
        let text = measured.as_ref().map(|(rating, games)| {
            let half = ((rating.high - rating.low) / 2.0).round();
            let half = if half > 0.0 { format!(" ± {half}") } else { String::new() };
            format!(" Rating {}{half}, measured in {games} games.", rating.value)
        });
        BotOffer {
            name: self.bot(players),
            title: self.title.clone(),
            description: format!("{}{}", self.character, text.unwrap_or_default()),
            rating: measured.map(|(rating, _)| rating),
        }
    }
}
