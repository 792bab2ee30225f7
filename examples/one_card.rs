//! One Card: a game of one's own with chance, hidden information, a data file and items. It gets
//! every command of the program.
//!
//! Each seat is dealt a card, which only it sees. Then each seat in turn bets or folds. The highest
//! card among the bets scores a prize; every other bet costs a stake.
//!
//! ```console
//! $ cargo run --release --example one_card -- simulate --out results/one_card
//! $ cargo run --release --example one_card -- match --bots mcts:iterations=200,random
//! $ cargo run --release --example one_card -- balance sweep --key stake --values 0..4
//! ```

use std::{ops::RangeInclusive, process::ExitCode};

use serde::{Deserialize, Serialize};
use watershed::{
    cli,
    config::{BoundedInteger, ConfigError, DisplayName, Document},
    game::{
        BitActions, ChanceSource, Features, Game, Item, ItemCatalog, ItemEvent, ItemIds, ItemTable,
        Notation, NotationError, Outcome, ReportedSeats, Seat, Statistics, Turn,
    },
    games::{GameData, GameDefinition, GameEntry, GameFiles, GameList, player_range::PlayerRange},
    keys,
    rng::Rng,
};

/// The rules bound to data and a number of players.
#[derive(Clone)]
struct OneCard {
    players: usize,
    data: Data,
    catalog: ItemCatalog,
    cards: ItemIds,
}

const FOLD: u8 = 0;
const BET: u8 = 1;
/// First chance outcome: card k of the data file is dealt by `DEAL + k`.
const DEAL: u8 = 2;

/// A position: the outcome that dealt each seat's card, or 0, and the bets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
struct Hands {
    cards: [u8; 4],
    bets: [bool; 4],
    decided: u8,
}

impl Game for OneCard {
    type State = Hands;
    type Action = u8;
    type Actions = BitActions;

    fn seats(&self) -> usize {
        self.players
    }
    fn chance_sources(&self) -> &'static [&'static str] {
        &["deck"]
    }
    fn initial(&self) -> Hands {
        Hands::default()
    }
    fn turn(&self, hands: &Hands) -> Turn {
        match usize::from(hands.decided) {
            _ if self.round(hands) == 0 => Turn::Chance(ChanceSource(0)),
            seat if seat < self.players => Turn::Seat(Seat::new(seat)),
            _ => Turn::Over,
        }
    }
    fn round(&self, hands: &Hands) -> u32 {
        (!hands.cards[..self.players].contains(&0)).into()
    }
    fn legal_actions(&self, _: &Hands) -> BitActions {
        [FOLD, BET].into_iter().collect()
    }
    fn chance_outcomes(&self, hands: &Hands) -> Vec<(u8, u32)> {
        let held = |deal| hands.cards.map(|card| u32::from(card == deal)).iter().sum::<u32>();
        let left = |(deal, card): (u8, &Card)| (deal, card.count.get() - held(deal));
        (DEAL..).zip(&self.data.card).map(left).filter(|&(_, left)| left > 0).collect()
    }
    fn apply(&self, hands: &mut Hands, action: u8) {
        if let Some(seat) = hands.cards[..self.players].iter().position(|&card| card == 0) {
            hands.cards[seat] = action;
        } else {
            hands.bets[usize::from(hands.decided)] = action == BET;
            hands.decided += 1;
        }
    }
    fn outcome(&self, hands: &Hands) -> Outcome {
        let value = |seat: usize| hands.bets[seat].then(|| self.card(hands.cards[seat]).value);
        let best = (0..4).filter_map(value).max();
        let [prize, stake] =
            [self.data.prize, self.data.stake].map(|points| points.signed() as i32);
        let mut scores = [0; 5];
        for seat in (0..4).filter(|&seat| hands.bets[seat]) {
            scores[seat] = if value(seat) == best { prize } else { -stake };
        }
        Outcome::highest_score_wins(scores, self.players, 1)
    }
    fn determinize(&self, hands: &Hands, seat: Seat, rng: &mut Rng) -> Hands {
        let hidden = |&other: &usize| other != seat.index() && hands.cards[other] > 0;
        let mut other = *hands;
        (0..4).filter(hidden).for_each(|seat| other.cards[seat] = 0);
        (0..4).filter(hidden).for_each(|seat| other.cards[seat] = self.sample_chance(&other, rng));
        other
    }
    fn private_info_key(&self, hands: &Hands, seat: Seat) -> u32 {
        hands.cards[seat.index()].into()
    }
}

impl OneCard {
    fn card(&self, deal: u8) -> &Card {
        &self.data.card[usize::from(deal - DEAL)]
    }
}

impl Notation for OneCard {
    fn action_text(&self, action: u8) -> String {
        match action {
            FOLD => "fold".to_owned(),
            BET => "bet".to_owned(),
            deal => format!("deal:{}", self.card(deal).id),
        }
    }
    fn parse_action(&self, text: &str) -> Result<u8, NotationError> {
        let mut actions = 0..DEAL + self.data.card.len() as u8;
        let action = actions.find(|&action| self.action_text(action) == text);
        action.ok_or_else(|| NotationError::new(text, "action", "`fold`, `bet` or `deal:CARD`"))
    }
    fn all_decisions(&self) -> Vec<u8> {
        vec![FOLD, BET]
    }
    fn position_text(&self, hands: &Hands) -> String {
        serde_json::to_string(hands).unwrap_or_default()
    }
    fn parse_position(&self, text: &str) -> Result<Hands, NotationError> {
        let read = serde_json::from_str(text);
        read.map_err(|error| NotationError::new(text, "position", error.to_string()))
    }
}

/// No features: heuristics of this game value all positions equally.
impl Features for OneCard {}

impl Statistics for OneCard {
    fn catalog(&self) -> &ItemCatalog {
        &self.catalog
    }
    fn item_events(&self, hands: &Hands, action: u8, mut report: impl FnMut(ItemEvent)) {
        let item = |deal: u8| self.cards.get(usize::from(deal - DEAL));
        let seat = usize::from(hands.decided);
        match action {
            FOLD => {}
            BET => report(ItemEvent::Taken(Seat::new(seat), item(hands.cards[seat]))),
            deal => report(ItemEvent::Offered(item(deal))),
        }
    }
}

keys! {
    /// The data file.
    struct Data {
        name: DisplayName,
        provenance: DisplayName,
        players: PlayerRange<2, 4>,
        prize: BoundedInteger<-1000, 1000>,
        stake: BoundedInteger<-1000, 1000>,
        card: Vec<Card>,
    }

    struct Card {
        id: String,
        value: BoundedInteger<-1000, 1000>,
        count: BoundedInteger<1, 1000>,
    }
}

impl GameData for Data {
    fn player_range(&self) -> RangeInclusive<usize> {
        self.players.range()
    }
    fn check(&self, document: &Document) -> Result<(), ConfigError> {
        let cards: u32 = self.card.iter().map(|card| card.count.get()).sum();
        let valid = (4..=1000).contains(&cards) && self.card.len() <= 62;
        if valid { Ok(()) } else { Err(document.error("card", "expected 4 to 1000 cards")) }
    }
}

impl GameDefinition for OneCard {
    const ID: &'static str = "one_card";
    const TITLE: &'static str = "One Card";
    const PLAYERS: RangeInclusive<usize> = 2..=4;
    type Data = Data;

    fn from_data(data: Data, _: &Document, players: usize) -> Result<Self, ConfigError> {
        let items =
            data.card.iter().map(|card| Item::new(&card.id, [card.value.signed().to_string()]));
        let table = ItemTable::new(["cards", "card", "bet"], &["value"], items);
        let table = table.listed_as("card").offered().reporting(ReportedSeats::Takers);
        let mut catalog = ItemCatalog::new();
        let cards = catalog.add(table);
        Ok(Self { players, data, catalog, cards })
    }
}

/// The data file.
const FILES: GameFiles = GameFiles::new(OneCard::ID, include_str!("one_card.toml"));

/// Returns the games of the program.
fn games() -> GameList {
    GameList::new(vec![GameEntry::new::<OneCard>(FILES)])
}

fn main() -> ExitCode {
    cli::run_games("one_card", games(), std::env::args_os().collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use std::{fs, path::Path};

    use tempfile::TempDir;
    use watershed::{game::conformance, run::ExitStatus};

    use super::*;

    /// Runs a command with the arguments of a line, in which `DIR` stands for a folder.
    fn run(folder: &TempDir, line: &str) {
        let line = line.replace("DIR", &folder.path().display().to_string());
        let status = cli::run_command(games(), line.split(' '));
        assert_eq!(status.map_err(|error| format!("{line}: {error:#}")), Ok(ExitStatus::Success));
    }

    fn read(folder: &TempDir, file: impl AsRef<Path>) -> String {
        fs::read_to_string(folder.path().join(file)).unwrap()
    }

    /// Returns a value of the row of a CSV file that begins with `row`.
    fn value(csv: &str, row: &str, column: &str) -> f64 {
        let heading = csv.lines().next().unwrap();
        let column = heading.split(',').position(|name| name == column).unwrap();
        let line = csv.lines().find(|line| line.starts_with(row)).unwrap();
        line.split(',').nth(column).unwrap().parse().unwrap()
    }

    #[test]
    fn the_contract_is_kept() {
        for players in 2..=4 {
            let game = OneCard::bind(&FILES.default_document(), players).unwrap();
            conformance::check(&game, 200, 1).unwrap();
        }
    }

    #[test]
    fn a_broken_contract_is_found() {
        let mut game = OneCard::bind(&FILES.default_document(), 2).unwrap();
        // Both cards have the same notation.
        game.data.card[1].id = "low".to_owned();
        let violation = conformance::check(&game, 1, 1).unwrap_err();
        assert!(violation.contains(r#"the notation "deal:low""#), "{violation}");
    }

    #[test]
    fn simulate_reports_wins_and_cards() {
        let folder = tempfile::tempdir().unwrap();
        run(
            &folder,
            "simulate --players 3 --games 3000 --quiet --records DIR/g.jsonl --out DIR/run",
        );
        let wins = read(&folder, "run/win_rates.csv");
        assert!((value(&wins, "random,all", "win_rate") - 1.0 / 3.0).abs() < 1e-3, "{wins}");
        let cards = read(&folder, "run/cards.csv");
        let [low, high] = ["low", "high"].map(|card| value(&cards, card, "with_win_rate"));
        assert!(high > low + 0.1, "{cards}");
        assert!(read(&folder, "run/report.html").contains("One Card"));
        assert!(read(&folder, "run/run.json").contains("--game one_card --players 3"));
        run(&folder, "replay DIR/g.jsonl");
        run(&folder, "perft --depth 2 --quiet");
        run(&folder, "bench --scale 0.001 --repetitions 3 --json");
    }

    #[test]
    fn a_game_without_facts_trains_no_network() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("new.toml").display().to_string();
        let error = cli::run_command(games(), ["train", "--out", &out]).unwrap_err();
        assert_eq!(format!("{error:#}"), "--game: one_card has no facts for networks");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn search_beats_random_bets() {
        let folder = tempfile::tempdir().unwrap();
        run(&folder, "match --bots mcts:iterations=100,random --games 400 --quiet --out DIR/match");
        let table = read(&folder, "match/crosstable.csv");
        assert!(value(&table, "mcts:iterations=100,", "ci_low") > 0.55, "{table}");
    }

    #[test]
    fn data_files_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let base = FILES.data;
        fs::write(folder.path().join("base.toml"), base).unwrap();
        fs::write(folder.path().join("free.toml"), base.replace("stake = 2", "stake = 0")).unwrap();
        let files = "DIR/base.toml DIR/free.toml";
        run(&folder, &format!("balance compare {files} --games 2000 --quiet --out DIR/compare"));
        let table = read(&folder, "compare/differences.csv");
        assert!(
            table.lines().any(|line| line.contains("score") && line.contains("significant")),
            "{table}"
        );
        assert!(read(&folder, "compare/report.html").contains("One Card"));
        run(&folder, "balance sweep --key stake --values 0..3 --games 200 --quiet --out DIR/sweep");
        run(&folder, "balance turn-order --games 100 --quiet --out DIR/order");
    }
}
