//! Opponents with names: bots from a beginner to the full search, with measured ratings.

use super::answer::{BotOffer, BotRating};

/// An opponent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opponent {
    /// Name for people.
    title: &'static str,
    /// The bot, as commands name it.
    pub(super) bot: &'static str,
    /// Rating in games of two, three and four players, with its 95 % interval. They are relative to
    /// the first opponent of the game, which has 800 by definition.
    ratings: [[f64; 3]; 3],
    /// A sentence of character.
    character: &'static str,
}

const fn opponent(
    title: &'static str,
    bot: &'static str,
    ratings: [[f64; 3]; 3],
    character: &'static str,
) -> Opponent {
    Opponent { title, bot, ratings, character }
}

/// Characters of the opponents that both games have.
const BEGINNER: &str = "A beginner, who has only a rough idea of what an action is worth.";
const MISJUDGES: &str = "Knows the game, but misjudges what is not far apart.";
const TRAINED: &str = "Knows from many games what a position is worth, and does not look ahead.";
const GLANCE: &str = "Looks ahead before each decision, at a glance.";
const SEARCH: &str = "Looks ahead before each decision, for a moment.";
const FULL_SEARCH: &str = "Looks ahead as far as it can.";

/// The rating of the first opponent.
const FIRST: [f64; 3] = [800.0; 3];

/// The opponents of each game. Measured by `watershed match --game G --players N --bots B1,…,B7
/// --games 60`, with 24 games for 3 and 4 players: Plackett-Luce strengths above that of the first.
const OPPONENTS: [(&str, [Opponent; 7]); 2] = [
    (
        "the_river",
        [
            opponent("Reed", "expert:candidates=32:noise=5", [FIRST; 3], BEGINNER),
            opponent(
                "Wren",
                "settler",
                [[1330.0, 1194.0, 1466.0], [1335.0, 1192.0, 1478.0], [1378.0, 1276.0, 1481.0]],
                "Rushes along the river to end the game with the twelfth tile.",
            ),
            opponent(
                "Beaver",
                "builder",
                [[1375.0, 1236.0, 1514.0], [1394.0, 1234.0, 1553.0], [1375.0, 1275.0, 1475.0]],
                "Builds early and often, and ends the game with bonus tokens.",
            ),
            opponent(
                "Otter",
                "expert:noise=3",
                [[1439.0, 1300.0, 1578.0], [1413.0, 1265.0, 1561.0], [1311.0, 1214.0, 1408.0]],
                MISJUDGES,
            ),
            opponent(
                "Heron",
                "expert",
                [[1830.0, 1669.0, 1990.0], [1935.0, 1767.0, 2103.0], [1836.0, 1710.0, 1962.0]],
                TRAINED,
            ),
            opponent(
                "Pike",
                "mcts:iterations=120",
                [[2135.0, 1969.0, 2301.0], [2054.0, 1886.0, 2222.0], [2012.0, 1887.0, 2137.0]],
                SEARCH,
            ),
            opponent(
                "Kingfisher",
                "mcts:iterations=2000",
                [[2233.0, 2055.0, 2411.0], [2124.0, 1949.0, 2299.0], [2090.0, 1964.0, 2216.0]],
                FULL_SEARCH,
            ),
        ],
    ),
    (
        "glassworks",
        [
            opponent("Reed", "expert:candidates=32:noise=8", [FIRST; 3], BEGINNER),
            opponent(
                "Otter",
                "expert:noise=3",
                [[1138.0, 1047.0, 1228.0], [1190.0, 1104.0, 1275.0], [1091.0, 1008.0, 1174.0]],
                MISJUDGES,
            ),
            opponent(
                "Beaver",
                "rows",
                [[1250.0, 1157.0, 1342.0], [1336.0, 1251.0, 1422.0], [1268.0, 1180.0, 1355.0]],
                "Opens many columns and fills rows from the left.",
            ),
            opponent(
                "Heron",
                "expert",
                [[1353.0, 1260.0, 1445.0], [1398.0, 1311.0, 1484.0], [1380.0, 1292.0, 1469.0]],
                TRAINED,
            ),
            opponent(
                "Marten",
                "mcts:iterations=30",
                [[1509.0, 1411.0, 1606.0], [1515.0, 1427.0, 1603.0], [1465.0, 1380.0, 1551.0]],
                GLANCE,
            ),
            opponent(
                "Pike",
                "mcts:iterations=120",
                [[1611.0, 1513.0, 1709.0], [1544.0, 1452.0, 1636.0], [1461.0, 1374.0, 1548.0]],
                SEARCH,
            ),
            opponent(
                "Kingfisher",
                "mcts:iterations=2000",
                [[1695.0, 1594.0, 1795.0], [1579.0, 1488.0, 1670.0], [1494.0, 1406.0, 1583.0]],
                FULL_SEARCH,
            ),
        ],
    ),
];

/// Games of each opponent in the measurements with two, three and four players.
const RATING_GAMES: [u32; 3] = [360, 288, 288];

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
        let measured = players.checked_sub(2).and_then(|index| {
            let [value, low, high] = *self.ratings.get(index)?;
            Some((BotRating { value, low, high }, RATING_GAMES[index]))
        });
        let text = measured.as_ref().map(|(rating, games)| {
            let half = ((rating.high - rating.low) / 2.0).round();
            let half = if half > 0.0 { format!(" ± {half}") } else { String::new() };
            format!(" Rating {}{half}, measured in {games} games.", rating.value)
        });
        BotOffer {
            name: self.bot.to_owned(),
            title: self.title.to_owned(),
            description: format!("{}{}", self.character, text.unwrap_or_default()),
            rating: measured.map(|(rating, _)| rating),
        }
    }
}
