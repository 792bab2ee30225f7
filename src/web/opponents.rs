//! Opponents with names: bots from a beginner to the full search, with measured ratings.

use super::answer::{BotOffer, BotRating};

/// An opponent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opponent {
    /// Name for people.
    title: &'static str,
    /// The bot, as commands name it.
    pub(super) bot: &'static str,
    /// Rating in games of two, with its 95 % interval. All ratings of a game are relative to its
    /// first opponent, which has 800 by definition.
    rating: [f64; 3],
    /// A sentence of character.
    character: &'static str,
}

const fn opponent(
    title: &'static str,
    bot: &'static str,
    rating: [f64; 3],
    character: &'static str,
) -> Opponent {
    Opponent { title, bot, rating, character }
}

/// Characters of the opponents that both games have.
const SLIPS: &str = "Plays well, but does something at random in one of five decisions.";
const TRAINED: &str = "Knows from many games what a position is worth, and does not look ahead.";
const GLANCE: &str = "Looks ahead before each decision, at a glance.";
const SEARCH: &str = "Looks ahead before each decision, for a moment.";
const FULL_SEARCH: &str = "Looks ahead as far as it can.";

/// The opponents of each game. Measured by `watershed match --game G --players 2 --bots B1,…,B7
/// --games 60`: Plackett-Luce strengths above that of the first.
const OPPONENTS: [(&str, [Opponent; 7]); 2] = [
    (
        "the_river",
        [
            opponent(
                "Reed",
                "meadow:epsilon=0.3",
                [800.0, 800.0, 800.0],
                "A beginner who loves meadows. Three of ten decisions are random.",
            ),
            opponent(
                "Wren",
                "settler",
                [1193.0, 1091.0, 1294.0],
                "Rushes along the river to end the game with the twelfth tile.",
            ),
            opponent(
                "Beaver",
                "builder",
                [1233.0, 1138.0, 1328.0],
                "Builds early and often, and ends the game with bonus tokens.",
            ),
            opponent("Otter", "expert:epsilon=0.2", [1357.0, 1251.0, 1463.0], SLIPS),
            opponent("Heron", "expert", [1709.0, 1589.0, 1829.0], TRAINED),
            opponent("Pike", "mcts:iterations=120", [1986.0, 1855.0, 2117.0], SEARCH),
            opponent("Kingfisher", "mcts:iterations=2000", [2098.0, 1958.0, 2238.0], FULL_SEARCH),
        ],
    ),
    (
        "glassworks",
        [
            opponent(
                "Reed",
                "sprint:epsilon=0.5",
                [800.0, 800.0, 800.0],
                "A beginner who grabs pieces. Half of the decisions are random.",
            ),
            opponent("Otter", "expert:epsilon=0.2", [1036.0, 957.0, 1115.0], SLIPS),
            opponent(
                "Beaver",
                "rows",
                [1146.0, 1066.0, 1225.0],
                "Opens many columns and fills rows from the left.",
            ),
            opponent("Heron", "expert", [1236.0, 1152.0, 1319.0], TRAINED),
            opponent("Marten", "mcts:iterations=30", [1437.0, 1350.0, 1524.0], GLANCE),
            opponent("Pike", "mcts:iterations=120", [1522.0, 1432.0, 1613.0], SEARCH),
            opponent("Kingfisher", "mcts:iterations=2000", [1606.0, 1514.0, 1698.0], FULL_SEARCH),
        ],
    ),
];

/// Games of each opponent in the measurement.
const RATING_GAMES: u32 = 360;

/// Returns the opponents of a game, the weakest first; none if it has none.
pub(super) fn of_game(game: &str) -> &'static [Opponent] {
    let found = OPPONENTS.iter().find(|(id, _)| *id == game);
    found.map_or(&[], |(_, opponents)| opponents)
}

/// Returns the name of the opponent that a bot of a game is, if it is one.
pub(super) fn name_of(game: &str, bot: &str) -> Option<&'static str> {
    of_game(game).iter().find(|opponent| opponent.bot == bot).map(|opponent| opponent.title)
}

impl Opponent {
    /// Returns the opponent as it is offered for a number of players.
    pub(super) fn offer(&self, players: usize) -> BotOffer {
        let [value, low, high] = self.rating;
        let rating = BotRating { value, low, high };
        let shown = if players == 2 {
            let half = ((high - low) / 2.0).round();
            let half = if half > 0.0 { format!(" ± {half}") } else { String::new() };
            format!(" Rating {value}{half}, measured in {RATING_GAMES} games.")
        } else {
            String::new()
        };
        BotOffer {
            name: self.bot.to_owned(),
            title: self.title.to_owned(),
            description: format!("{}{shown}", self.character),
            rating: (players == 2).then_some(rating),
        }
    }
}
