//! The figures that verdicts judge, as a table, and those of the built-in games, which are shipped:
//! an edited data file is compared with them.
//!
//! `.ci/reference` makes the file with the bots of the release. Without the figures of a game, its
//! number of players and its bot, only levels are judged.

use std::collections::{BTreeMap, BTreeSet};

use super::verdict::{
    GameFigure, ItemFigures, MeasuredValue, RatedGame, RatedItem, RatedTable, SmallestEffects,
};
use crate::report::{
    data_table::{Columns, DataTable, Schema},
    provenance::Claim,
};

/// The figures of the built-in games: those of [`columns`], after the game, the number of players
/// and the bot.
const FILE: &str = include_str!("../../../bots/reference.csv");

watershed_engine::names! {
    /// A figure of an item.
    enum ItemFigure {
        Owners = "owners_win",
        Taken = "taken",
        Worth = "worth",
        Points = "points",
    }
}

/// The figures of a game that is not edited.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct ReferenceFigures {
    pub(crate) figures: BTreeMap<GameFigure, MeasuredValue>,
    /// By table and name of the item.
    items: BTreeMap<(String, String), ItemFigures>,
}

impl ReferenceFigures {
    /// Returns the figures of a built-in game with a bot in all seats; `None` if they are
    /// unknown.
    pub(crate) fn built_in(game: &str, players: usize, bot: &str) -> Option<Self> {
        Self::read(FILE, &format!("{game},{players},{bot},"))
    }

    /// Reads the rows that begin with a prefix; `None` without any.
    fn read(file: &str, prefix: &str) -> Option<Self> {
        let mut read = Self::default();
        for row in file.lines().filter_map(|line| line.strip_prefix(prefix)) {
            read.add(row)?;
        }
        (!read.figures.is_empty()).then_some(read)
    }

    /// Reads `figures.csv` of a run; `None` if it is not this table, or in the format of a
    /// spreadsheet.
    pub(crate) fn from_csv(file: &str) -> Option<Self> {
        let mut read = Self::default();
        for row in file.lines().skip(1) {
            // The provenance is the last column.
            let (end, _) = row.match_indices(',').nth(5)?;
            read.add(&row[..end])?;
        }
        (!read.figures.is_empty()).then_some(read)
    }

    /// Returns these figures as a game that is compared with another one.
    pub(crate) fn compared_with(&self, other: &Self, name: &str, players: usize) -> RatedGame {
        let plurals: BTreeSet<_> = self.items.keys().map(|(table, _)| table).collect();
        let plurals: Vec<_> = plurals.into_iter().collect();
        let items = self.items.iter().map(|((table, id), &now)| RatedItem {
            table: plurals.iter().position(|plural| *plural == table).unwrap_or(0),
            id: id.clone(),
            name: id.clone(),
            now,
            before: other.item(table, id),
            ..RatedItem::default()
        });
        let table = |plural: &&String| RatedTable {
            plural: (*plural).clone(),
            singular: (*plural).clone(),
        };
        RatedGame {
            players,
            games: self.figures.values().map(|one| one.n.unsigned_abs()).max().unwrap_or(0),
            smallest: SmallestEffects::new(players, 10.0),
            is_edited: true,
            compared_with: name.to_owned(),
            figures: self.figures.clone(),
            before: Some(other.figures.clone()),
            seats: Vec::new(),
            targets: Vec::new(),
            tables: plurals.iter().map(table).collect(),
            items: items.collect(),
        }
    }

    /// Returns all figures by the table, the item and the name of the figure.
    pub(crate) fn list(&self) -> BTreeMap<[String; 3], MeasuredValue> {
        let of_game = self.figures.iter().map(|(figure, value)| {
            ([String::new(), String::new(), figure.name().to_owned()], *value)
        });
        let of_items = self.items.iter().flat_map(|((table, item), figures)| {
            let key = |figure: ItemFigure| [table.clone(), item.clone(), figure.name().to_owned()];
            let ItemFigures { owners, taken, worth, points } = *figures;
            let figures = ItemFigure::ALL.into_iter().zip([owners, taken, worth, points]);
            figures.filter_map(move |(figure, value)| Some((key(figure), value?)))
        });
        of_game.chain(of_items).collect()
    }

    /// Adds a row; `None` if it is not one.
    fn add(&mut self, row: &str) -> Option<()> {
        let [table, item, figure, value, error, n] = row.split(',').collect::<Vec<_>>()[..] else {
            return None;
        };
        let value = MeasuredValue {
            value: value.parse().ok()?,
            error: error.parse().unwrap_or(f64::INFINITY),
            n: n.parse().ok()?,
        };
        if table.is_empty() {
            self.figures.insert(GameFigure::from_name(figure)?, value);
            return Some(());
        }
        let item = self.items.entry((table.to_owned(), item.to_owned())).or_default();
        *match ItemFigure::from_name(figure)? {
            ItemFigure::Owners => &mut item.owners,
            ItemFigure::Taken => &mut item.taken,
            ItemFigure::Worth => &mut item.worth,
            ItemFigure::Points => &mut item.points,
        } = Some(value);
        Some(())
    }

    /// Returns the figures of an item; none if the game does not have it.
    pub(crate) fn item(&self, table: &str, name: &str) -> ItemFigures {
        self.items.get(&(table.to_owned(), name.to_owned())).copied().unwrap_or_default()
    }
}

/// A figure with what it is of.
struct MeasuredFigure<'a> {
    table: &'a str,
    item: &'a str,
    figure: &'static str,
    value: MeasuredValue,
}

/// Returns the rows of `figures.csv`.
pub(crate) fn table(game: &RatedGame, provenance: &Claim) -> DataTable {
    let figures = game.figures.iter().map(|(figure, value)| MeasuredFigure {
        table: "",
        item: "",
        figure: figure.name(),
        value: *value,
    });
    let items = game.items.iter().flat_map(|item| {
        let table = game.tables[item.table].plural.as_str();
        let ItemFigures { owners, taken, worth, points } = item.now;
        let figures = ItemFigure::ALL.into_iter().zip([owners, taken, worth, points]);
        figures.filter_map(move |(figure, value)| {
            Some(MeasuredFigure { table, item: &item.id, figure: figure.name(), value: value? })
        })
    });
    columns().table(provenance, figures.chain(items).filter(|row| row.value.value.is_finite()))
}

/// Returns the description of `figures.csv`.
pub(crate) fn schema() -> Schema {
    columns().schema()
}

fn columns<'a>() -> Columns<MeasuredFigure<'a>> {
    let value = "The figure; shares and win rates in points of 100.";
    Columns::<MeasuredFigure<'_>>::new(
        "figures",
        "One row for each figure that the verdict judges.",
    )
    .text("table", "Table of the item; empty for a figure of the game.", |row| row.table)
    .text("item", "Name of the item.", |row| row.item)
    .text("figure", "Name of the figure.", |row| row.figure)
    .number("value", 4, value, |row| row.value.value)
    .number("standard_error", 4, "Standard error of the figure.", |row| {
        Some(row.value.error).filter(|error| error.is_finite())
    })
    .integer("n", "Number of games, owners, offers or forks.", |row| row.value.n)
    .provenance()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_game_players_and_bot() {
        let file = "game,players,bot,table,item,figure,value,standard_error,n\n\
                    a,2,expert,,,rounds,4.6,0.01,20000\n\
                    a,2,expert,tiles,meadow,taken,72.5,0.4,900\n\
                    a,2,expert,tiles,meadow,worth,3,0.5,400\n\
                    a,3,expert,,,rounds,5.1,0.01,20000\n";
        let read = ReferenceFigures::read(file, "a,2,expert,").expect("there are rows");
        let rounds = MeasuredValue { value: 4.6, error: 0.01, n: 20_000 };
        assert_eq!(read.figures[&GameFigure::Rounds], rounds);
        let item = read.item("tiles", "meadow");
        assert_eq!(item.worth, Some(MeasuredValue { value: 3.0, error: 0.5, n: 400 }));
        assert_eq!((item.owners, read.item("tiles", "forest")), (None, ItemFigures::default()));
        assert_eq!(ReferenceFigures::read(file, "a,2,network,"), None);
    }

    #[test]
    fn two_runs_are_compared_by_their_figures() {
        let read = |rounds: &str, taken: &str| {
            ReferenceFigures::from_csv(&format!(
                "table,item,figure,value,standard_error,n,provenance\n\
                 ,,rounds,{rounds},0.01,2000,stated\n\
                 ,,capped,0,,2000,stated\n\
                 tiles,meadow,taken,{taken},0.4,900,stated\n"
            ))
        };
        let sentence = |rounds: &str, taken: &str| {
            let [one, other] = [read(rounds, taken), read("4.6", "72.5")].map(Option::unwrap);
            let game = one.compared_with(&other, "expert", 2);
            game.verdict().first_sentence(&game)
        };
        assert_eq!(sentence("4.6", "72"), "No change that matters against expert.");
        assert_eq!(sentence("5.9", "72"), "Games now last 5.9 rounds, not 4.6.");
        assert_eq!(sentence("4.6", "12"), "meadow: now taken at 12 % of offers, not 72 %.");
        assert_eq!(ReferenceFigures::from_csv("a;b\n1;2\n"), None);
    }

    #[test]
    fn the_shipped_file_is_read_without_errors() {
        let keys: BTreeSet<_> = FILE
            .lines()
            .skip(1)
            .map(|line| line.split(',').take(3).map(|part| format!("{part},")).collect::<String>())
            .collect();
        for key in keys {
            assert!(ReferenceFigures::read(FILE, &key).is_some(), "{key}");
        }
    }
}
