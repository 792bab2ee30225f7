//! `watershed match --mode ladder`: a game with known upsets, and the output of the program.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use watershed::{
    bots::{Bot, BotFactory, View},
    cli,
    config::{ConfigError, DisplayName, Document},
    game::{
        BitActions, ChanceSource, Features, Game, ItemCatalog, Notation, NotationError, Outcome,
        Seat, Statistics, Turn,
    },
    games::{GameData, GameDefinition, GameEntry, GameFiles, GameList, player_range::PlayerRange},
    keys,
    rng::Rng,
    run::ExitStatus,
};

use crate::support::{Folder, Row, find_row, number};

/// A game in which each seat plays high or low, and chance draws the winner: a seat that plays high
/// has 3 tickets and one that plays low has 2.
#[derive(Clone)]
struct Raffle {
    players: usize,
    catalog: ItemCatalog,
}

const LOW: u8 = 0;
const HIGH: u8 = 1;
/// First chance outcome: seat s wins by `WIN + s`.
const WIN: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
struct Plays {
    high: [bool; 4],
    decided: u8,
    winner: Option<u8>,
}

impl Game for Raffle {
    type State = Plays;
    type Action = u8;
    type Actions = BitActions;

    fn seats(&self) -> usize {
        self.players
    }
    fn chance_sources(&self) -> &'static [&'static str] {
        &["draw"]
    }
    fn initial(&self) -> Plays {
        Plays::default()
    }
    fn turn(&self, plays: &Plays) -> Turn {
        match usize::from(plays.decided) {
            seat if seat < self.players => Turn::Seat(Seat::new(seat)),
            _ if plays.winner.is_none() => Turn::Chance(ChanceSource(0)),
            _ => Turn::Over,
        }
    }
    fn round(&self, _: &Plays) -> u32 {
        1
    }
    fn legal_actions(&self, _: &Plays) -> BitActions {
        [LOW, HIGH].into_iter().collect()
    }
    fn chance_outcomes(&self, plays: &Plays) -> Vec<(u8, u32)> {
        let tickets = |seat: usize| 2 + u32::from(plays.high[seat]);
        (0..self.players).map(|seat| (WIN + seat as u8, tickets(seat))).collect()
    }
    fn apply(&self, plays: &mut Plays, action: u8) {
        if let Some(seat) = action.checked_sub(WIN) {
            plays.winner = Some(seat);
        } else {
            plays.high[usize::from(plays.decided)] = action == HIGH;
            plays.decided += 1;
        }
    }
    fn outcome(&self, plays: &Plays) -> Outcome {
        let mut scores = [0; 5];
        scores[usize::from(plays.winner.unwrap_or_default())] = 1;
        Outcome::highest_score_wins(scores, self.players, 1)
    }
}

impl Notation for Raffle {
    fn action_text(&self, action: u8) -> String {
        ["low", "high", "a", "b", "c", "d"][usize::from(action)].to_owned()
    }
    fn parse_action(&self, text: &str) -> Result<u8, NotationError> {
        let action = (LOW..WIN + 4).find(|&action| self.action_text(action) == text);
        action.ok_or_else(|| NotationError::new(text, "action", "`low`, `high` or a seat"))
    }
    fn all_decisions(&self) -> Vec<u8> {
        vec![LOW, HIGH]
    }
    fn position_text(&self, plays: &Plays) -> String {
        serde_json::to_string(plays).unwrap()
    }
    fn parse_position(&self, text: &str) -> Result<Plays, NotationError> {
        let read = serde_json::from_str(text);
        read.map_err(|error| NotationError::new(text, "position", error.to_string()))
    }
}

impl Features for Raffle {}

impl Statistics for Raffle {
    fn catalog(&self) -> &ItemCatalog {
        &self.catalog
    }
}

keys! {
    struct Data {
        provenance: DisplayName,
        players: PlayerRange<2, 4>,
    }
}

impl GameData for Data {
    fn player_range(&self) -> RangeInclusive<usize> {
        self.players.range()
    }
    fn check(&self, _: &Document) -> Result<(), ConfigError> {
        Ok(())
    }
}

impl GameDefinition for Raffle {
    const ID: &'static str = "raffle";
    const TITLE: &'static str = "Raffle";
    const PLAYERS: RangeInclusive<usize> = 2..=4;
    type Data = Data;

    fn from_data(_: Data, _: &Document, players: usize) -> Result<Self, ConfigError> {
        Ok(Self { players, catalog: ItemCatalog::new() })
    }
}

/// A bot that always makes the same choice.
#[derive(Clone)]
struct Always(u8);

impl Bot<Raffle> for Always {
    fn choose(&mut self, _: &View<'_, Raffle>, _: &BitActions, _: &mut Rng) -> u8 {
        self.0
    }
}

/// Returns the raffle with the bots `low` and `high`.
fn games() -> GameList {
    let data = "provenance = \"invented\"\nplayers = { min = 2, max = 4 }\n";
    let bots = || {
        let [low, high] = [("low", LOW), ("high", HIGH)]
            .map(|(name, choice)| BotFactory::new::<Raffle, _>(name, move || Always(choice)));
        vec![low, high]
    };
    let files = GameFiles::new(Raffle::ID, data);
    GameList::new(vec![GameEntry::new::<Raffle>(files).with_bots(bots)])
}

/// Plays a ladder with the bots of the raffle and returns the rows of a table.
fn raffle(folder: &Folder, out: &str, table: &str, arguments: &str) -> Vec<Row> {
    let path = folder.path(out);
    let line = format!("match --mode ladder --quiet --out {} {arguments}", path.display());
    let status = cli::run_command(games(), line.split(' '));
    assert_eq!(status.map_err(|error| format!("{error:#}")), Ok(ExitStatus::Success));
    folder.rows(format!("{out}/{table}.csv"))
}

#[track_caller]
fn includes(row: &Row, column: &str, truth: f64) {
    let [low, high] = ["low", "high"].map(|end| number(row, &format!("{column}_ci_{end}")));
    assert!((low..=high).contains(&truth), "{column}: {truth} is not in [{low}, {high}]");
}

/// `high` wins 3 of 5 games against `low`. Both games of a block have the same draw: `high` wins
/// both with probability 0.2 and else one. Its 1.2 games of a block have the variance 0.16, so that
/// 1.645² · 0.16 / 0.2² blocks are needed.
#[test]
fn planted_upsets_are_found() {
    let folder = Folder::new();
    let rows = raffle(&folder, "two", "ladder", "--bots low,high --games 40000");
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (&row["bot"][..], &row["opponent"][..], &row["games"][..]),
        ("high", "low", "40000")
    );
    includes(row, "upset_share", 0.4);
    includes(row, "games_to_know_95", 2.0 * (1.645_f64.powi(2) * 0.16 / 0.04).ceil());
    assert!(number(row, "upset_share_ci_high") - number(row, "upset_share_ci_low") < 0.011);

    // With 3 players `high` has 3 of 7 tickets.
    let rows = raffle(&folder, "three", "ladder", "--players 3 --bots low,high --games 30000");
    includes(&rows[0], "upset_share", 4.0 / 7.0);

    // The wrong order is reported, and no number of games shows that `low` is better.
    let rows = raffle(&folder, "wrong", "ladder", "--bots high,low --games 4000");
    assert_eq!(rows[0]["games_to_know_95"], "");
    let page = folder.read("wrong/report.html");
    assert!(page.contains("The ladder is not in order: low is weaker than high"), "{page}");
}

/// After the games that the table names, the better of two bots is ahead in 95 % of the matches.
#[test]
fn the_better_bot_is_ahead_after_the_games_that_the_table_names() {
    const MATCHES: u64 = 300;
    let folder = Folder::new();
    let rows = raffle(&folder, "run", "ladder", "--bots low,high --games 40000");
    let games = (number(&rows[0], "games_to_know_95") / 2.0).ceil() as u64 * 2;
    let ahead = (0..MATCHES).map(|seed| {
        let arguments = format!("--bots low,high --games {games} --seed {seed} --force");
        let rows = raffle(&folder, "match", "crosstable", &arguments);
        let share = number(find_row(&rows, &[("bot", "high")]), "win_rate");
        // A level match shows neither.
        if share > 0.5 {
            1.0
        } else if share < 0.5 {
            0.0
        } else {
            0.5
        }
    });
    let ahead = ahead.sum::<f64>() / MATCHES as f64;
    assert!((0.92..=0.98).contains(&ahead), "{ahead}");
}

#[test]
fn each_bot_plays_the_one_before_it() {
    let folder = Folder::new();
    let bots = "random,mcts:iterations=5@20,mcts:iterations=20,mcts:iterations=50@12";
    let arguments = format!("match --game glassworks --mode ladder --bots {bots} --games 30");
    folder.succeeds_quietly(&format!("{arguments} --out ladder"));
    let rows = folder.rows("ladder/ladder.csv");
    let pairings: Vec<_> =
        rows.iter().map(|row| ["bot", "opponent", "games"].map(|key| row[key].as_str())).collect();
    let [five, twenty, fifty] = ["mcts:iterations=5", "mcts:iterations=20", "mcts:iterations=50"];
    assert_eq!(pairings, [[five, "random", "20"], [twenty, five, "20"], [fifty, twenty, "12"]]);
    // The first pairing equals that of another match, which plays the same deals.
    let cell = |run: &str| {
        let rows = folder.rows(format!("{run}/crosstable.csv"));
        find_row(&rows, &[("bot", five), ("opponent", "random")])["win_rate"].clone()
    };
    let run = format!("match --game glassworks --bots {five},random --games 20 --out match");
    folder.succeeds_quietly(&run);
    assert_eq!(cell("ladder"), cell("match"));
}

#[test]
fn default_ladders_are_in_the_order_of_the_strengths() {
    let folder = Folder::new();
    for (game, players, bots) in [
        ("the_river", 2, "random,network2,expert,mcts:iterations=50@1500,mcts:iterations=500@150"),
        ("glassworks", 4, "random,learned4,expert,mcts:iterations=50@1000,"),
        ("common_river", 3, "random,balanced,learned3,mcts:iterations=50@300,"),
    ] {
        let run = format!("match --mode ladder --game {game} --players {players} --games 1");
        let printed = folder.succeeds_quietly(&format!("{run} --force --out run"));
        assert!(printed.contains(&format!("--bots {bots}")), "{printed}");
        assert_eq!(folder.rows("run/ladder.csv").len(), 4);
    }
}
