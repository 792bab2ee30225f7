//! Opponents with names: bots from a beginner to the full search, with measured ratings.

use super::answer::{BotOffer, BotRating};

/// An opponent.
#[derive(Clone, Copy, Debug)]
struct Opponent {
    /// Name for people.
    title: &'static str,
    /// The bot, as commands name it; `{players}` stands for the number of players.
    bot: &'static str,
    /// Rating in games of two, three and more players, with its 95 % interval. They are relative
    /// to the first opponent of the game, which has 800 by definition.
    ratings: &'static [[f64; 3]],
    /// A sentence of character.
    character: &'static str,
}

const fn opponent(
    title: &'static str,
    bot: &'static str,
    ratings: &'static [[f64; 3]],
    character: &'static str,
) -> Opponent {
    Opponent { title, bot, ratings, character }
}

/// Characters of the opponents that several games have.
const BEGINNER: &str = "A beginner, who has only a rough idea of what an action is worth.";
const MISJUDGES: &str = "Knows the game, but misjudges what is not far apart.";
const TRAINED: &str = "Knows from many games what a position is worth, and does not look ahead.";
const GLANCE: &str = "Looks ahead before each decision, at a glance.";
const SEARCH: &str = "Looks ahead before each decision, for a moment.";
const FULL_SEARCH: &str = "Looks ahead as far as it can.";

/// The rating of the first opponent.
const FIRST: &[[f64; 3]] = &[[800.0; 3]; 4];

/// The opponents of a game.
struct OpponentsOfGame {
    game: &'static str,
    /// Games of each opponent in the measurements with two, three and more players.
    games: &'static [u32],
    opponents: [Opponent; 7],
}

/// The opponents of each game. Measured by `watershed match --game G --players N --bots B1,…,B7
/// --games 60`, with 24 games for The River and Glassworks with 3 and more players, and 120 for We
/// All Take from the River with 3: Plackett-Luce strengths above that of the first.
const OPPONENTS: [OpponentsOfGame; 3] = [
    OpponentsOfGame {
        game: "the_river",
        games: &[360, 288, 288],
        opponents: [
            opponent("Reed", "expert:candidates=32:noise=5", FIRST, BEGINNER),
            opponent(
                "Wren",
                "settler",
                &[[1330.0, 1194.0, 1466.0], [1335.0, 1192.0, 1478.0], [1378.0, 1276.0, 1481.0]],
                "Collects tiles, and ends more games with the last one than others do.",
            ),
            opponent(
                "Beaver",
                "builder",
                &[[1375.0, 1236.0, 1514.0], [1394.0, 1234.0, 1553.0], [1375.0, 1275.0, 1475.0]],
                "Builds early and often, and ends the game with bonus tokens.",
            ),
            opponent(
                "Otter",
                "expert:noise=3",
                &[[1439.0, 1300.0, 1578.0], [1413.0, 1265.0, 1561.0], [1311.0, 1214.0, 1408.0]],
                MISJUDGES,
            ),
            opponent(
                "Heron",
                "expert",
                &[[1830.0, 1669.0, 1990.0], [1935.0, 1767.0, 2103.0], [1836.0, 1710.0, 1962.0]],
                TRAINED,
            ),
            opponent(
                "Pike",
                "mcts:iterations=120",
                &[[2135.0, 1969.0, 2301.0], [2054.0, 1886.0, 2222.0], [2012.0, 1887.0, 2137.0]],
                SEARCH,
            ),
            opponent(
                "Kingfisher",
                "mcts:iterations=2000",
                &[[2233.0, 2055.0, 2411.0], [2124.0, 1949.0, 2299.0], [2090.0, 1964.0, 2216.0]],
                FULL_SEARCH,
            ),
        ],
    },
    OpponentsOfGame {
        game: "glassworks",
        games: &[360, 288, 288, 300],
        opponents: [
            opponent("Reed", "expert:candidates=32:noise=8", FIRST, BEGINNER),
            opponent(
                "Otter",
                "expert:noise=3",
                &[
                    [1138.0, 1047.0, 1228.0],
                    [1190.0, 1104.0, 1275.0],
                    [1091.0, 1008.0, 1174.0],
                    [1143.0, 1081.0, 1204.0],
                ],
                MISJUDGES,
            ),
            opponent(
                "Beaver",
                "rows",
                &[
                    [1250.0, 1157.0, 1342.0],
                    [1336.0, 1251.0, 1422.0],
                    [1268.0, 1180.0, 1355.0],
                    [1319.0, 1255.0, 1383.0],
                ],
                "Opens many columns and fills rows from the left.",
            ),
            opponent(
                "Heron",
                "expert",
                &[
                    [1353.0, 1260.0, 1445.0],
                    [1398.0, 1311.0, 1484.0],
                    [1380.0, 1292.0, 1469.0],
                    [1380.0, 1318.0, 1442.0],
                ],
                TRAINED,
            ),
            opponent(
                "Marten",
                "mcts:iterations=30",
                &[
                    [1509.0, 1411.0, 1606.0],
                    [1515.0, 1427.0, 1603.0],
                    [1465.0, 1380.0, 1551.0],
                    [1459.0, 1397.0, 1521.0],
                ],
                GLANCE,
            ),
            opponent(
                "Pike",
                "mcts:iterations=120",
                &[
                    [1611.0, 1513.0, 1709.0],
                    [1544.0, 1452.0, 1636.0],
                    [1461.0, 1374.0, 1548.0],
                    [1482.0, 1416.0, 1548.0],
                ],
                SEARCH,
            ),
            opponent(
                "Kingfisher",
                "mcts:iterations=2000",
                &[
                    [1695.0, 1594.0, 1795.0],
                    [1579.0, 1488.0, 1670.0],
                    [1494.0, 1406.0, 1583.0],
                    [1500.0, 1436.0, 1564.0],
                ],
                FULL_SEARCH,
            ),
        ],
    },
    OpponentsOfGame {
        game: "common_river",
        games: &[360, 1440, 720, 720],
        opponents: [
            opponent("Beaver", "mason", FIRST, "Builds the City on high ground and supplies it."),
            opponent(
                "Otter",
                "farmer",
                &[
                    [804.0, 765.0, 843.0],
                    [859.0, 847.0, 871.0],
                    [854.0, 839.0, 868.0],
                    [827.0, 816.0, 839.0],
                ],
                "Stockpiles fish, from the river and from farms.",
            ),
            opponent(
                "Magpie",
                "hoarder",
                &[
                    [925.0, 884.0, 966.0],
                    [875.0, 864.0, 887.0],
                    [864.0, 850.0, 878.0],
                    [839.0, 828.0, 850.0],
                ],
                "Converts as much as possible into gold.",
            ),
            opponent(
                "Wren",
                "balanced",
                &[
                    [900.0, 859.0, 942.0],
                    [889.0, 877.0, 902.0],
                    [873.0, 856.0, 889.0],
                    [848.0, 834.0, 861.0],
                ],
                "Pursues its own objectives.",
            ),
            opponent(
                "Heron",
                "learned{players}",
                &[
                    [1070.0, 1023.0, 1116.0],
                    [951.0, 938.0, 964.0],
                    [905.0, 889.0, 921.0],
                    [859.0, 847.0, 871.0],
                ],
                TRAINED,
            ),
            opponent(
                "Pike",
                "mcts:iterations=30",
                &[
                    [1051.0, 1006.0, 1096.0],
                    [934.0, 921.0, 947.0],
                    [906.0, 889.0, 922.0],
                    [870.0, 856.0, 884.0],
                ],
                GLANCE,
            ),
            opponent(
                "Kingfisher",
                "mcts:iterations=400",
                &[
                    [1085.0, 1037.0, 1133.0],
                    [926.0, 913.0, 939.0],
                    [901.0, 884.0, 918.0],
                    [857.0, 843.0, 871.0],
                ],
                SEARCH,
            ),
        ],
    },
];

/// Returns the opponents of a game; `None` if it has none.
fn of_game(game: &str, players: usize) -> Option<&'static OpponentsOfGame> {
    // Alone, there is nobody to play against.
    OPPONENTS.iter().find(|one| one.game == game && players > 1)
}

/// Returns the opponents of a game as they are offered for a number of players, the weakest first.
pub(super) fn offers(game: &str, players: usize) -> Vec<BotOffer> {
    let Some(OpponentsOfGame { games, opponents, .. }) = of_game(game, players) else {
        return Vec::new();
    };
    let mut offers: Vec<_> = opponents.iter().map(|one| one.offer(players, games)).collect();
    let rating = |offer: &BotOffer| offer.rating.map_or(0.0, |rating| rating.value);
    offers.sort_by(|one, other| rating(one).total_cmp(&rating(other)));
    offers
}

/// Returns the name of the opponent that a bot of a game is, if it is one.
pub(super) fn name_of(game: &str, players: usize, bot: &str) -> Option<&'static str> {
    let opponents = &of_game(game, players)?.opponents;
    let found = opponents.iter().find(|opponent| opponent.bot(players) == bot);
    found.map(|opponent| opponent.title)
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
            title: self.title.to_owned(),
            description: format!("{}{}", self.character, text.unwrap_or_default()),
            rating: measured.map(|(rating, _)| rating),
        }
    }
}
