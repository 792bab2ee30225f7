//! Logs of games as people keep them: text in the encodings and with the separators of
//! spreadsheets, and a row for each game or for each player.

use csv::StringRecord;

use crate::{run::spreadsheet::Spreadsheet, study::shared::prelude::*};

/// Separators of the entries of a cell, one for each seat. The first one in the cell counts; all
/// but the first three can also be part of a name.
const SEPARATORS: [&str; 9] = [";", "|", "\n", "/", "&", " vs ", " - ", ":", ","];

/// The meaning of a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum LogColumn {
    /// The game to which the row of a player belongs.
    Game,
    Player,
    Score,
    Winner,
    /// The first player, or the place of each player in the turn order.
    Start,
    Items,
    Date,
}

/// A game as it is written.
#[derive(Default)]
pub(super) struct LoggedGame {
    /// The line of each row.
    pub(super) lines: Vec<usize>,
    /// The entries of each column, one for each seat or one for the game.
    entries: BTreeMap<LogColumn, Vec<String>>,
}

/// The columns of a log.
pub(super) struct LogLayout {
    header: StringRecord,
    /// The meaning of each column, and the number of its player if it has one; `None` if it is not
    /// read.
    columns: Vec<Option<(LogColumn, Option<usize>)>>,
}

/// Returns the columns of a log, and the games in the order of their first rows.
///
/// # Errors
/// If the header has neither players nor scores.
pub(super) fn read_games(log: &Spreadsheet) -> anyhow::Result<(LogLayout, Vec<LoggedGame>)> {
    let (header, rows) = log.rows(|heading| LogColumn::of_heading(heading).is_some())?;
    let layout = LogLayout::new(header);
    ensure!(
        layout.heading(LogColumn::Player).or(layout.heading(LogColumn::Score)).is_some(),
        "{}:1: expected a header with `seats` and `scores`, with `Player1`, `Score1`, `Player2`, … \
         or, with a row for each player, with `game`, `player` and `score`; found `{}`",
        log.document.name,
        layout.header.iter().collect::<Vec<_>>().join(", ")
    );
    let mut games: Vec<LoggedGame> = Vec::new();
    let mut index_of = BTreeMap::new();
    for (line, record) in rows {
        let mut row = layout.read_row(&record);
        row.lines.push(line);
        let name = row.entries(LogColumn::Game).to_vec();
        let index = match &name[..] {
            [] => None,
            _ if row.entries(LogColumn::Player).len() > 1 => None,
            // Only the first row of a game names it.
            [first, ..] if first.is_empty() => games.len().checked_sub(1),
            _ => Some(*index_of.entry(name).or_insert(games.len())),
        };
        match index.and_then(|index| games.get_mut(index)) {
            Some(game) => game.append(row),
            None => games.push(row),
        }
    }
    Ok((layout, games))
}

impl LoggedGame {
    /// Returns the entries of a column.
    pub(super) fn entries(&self, column: LogColumn) -> &[String] {
        self.entries.get(&column).map_or(&[], Vec::as_slice)
    }

    /// Adds the row of another player.
    fn append(&mut self, row: Self) {
        self.lines.extend(row.lines);
        for (column, entries) in row.entries {
            self.entries.entry(column).or_default().extend(entries);
        }
    }
}

impl LogLayout {
    fn new(header: StringRecord) -> Self {
        let mut columns: Vec<_> = header.iter().map(LogColumn::of_heading).collect();
        let is_numbered = columns.iter().flatten().any(|(_, number)| number.is_some());
        for index in 0..columns.len() {
            let is_repeated = columns[..index].contains(&columns[index]);
            columns[index] = columns[index].filter(|(column, number)| match column {
                // The name of the game can stand beside its number, and the number of players
                // beside their names.
                LogColumn::Game => true,
                LogColumn::Player | LogColumn::Score if is_numbered => {
                    number.is_some() && !is_repeated
                }
                _ => !is_repeated,
            });
        }
        Self { header, columns }
    }

    /// Returns the heading of the first column with this meaning.
    pub(super) fn heading(&self, column: LogColumn) -> Option<&str> {
        let is_wanted =
            |found: &Option<(LogColumn, _)>| found.is_some_and(|(one, _)| one == column);
        self.columns.iter().position(is_wanted).map(|index| &self.header[index])
    }

    /// Returns the headings of columns that are not read.
    pub(super) fn ignored(&self) -> Vec<String> {
        let columns = self.columns.iter().zip(&self.header);
        let ignored = columns.filter(|(column, heading)| column.is_none() && !heading.is_empty());
        ignored.map(|(_, heading)| format!("`{heading}`")).collect()
    }

    /// Returns true if the log lists the players in turn order: as seats, without another
    /// statement.
    pub(super) fn is_in_turn_order(&self) -> bool {
        let players = self.heading(LogColumn::Player).unwrap_or_default().to_lowercase();
        players.starts_with("seat") && self.heading(LogColumn::Start).is_none()
    }

    /// Returns the entries of a row.
    fn read_row(&self, record: &StringRecord) -> LoggedGame {
        let mut row = LoggedGame::default();
        let cell = |index| record.get(index).unwrap_or_default();
        let cells = self.columns.iter().enumerate();
        let cells = cells.filter_map(|(index, column)| Some(((*column)?, cell(index))));
        let mut cells: Vec<_> = cells.collect();
        cells.sort_by_key(|(column, _)| *column);
        // A game can have fewer players than the columns.
        let takes_part = |number| {
            let is_entry = |((column, of), cell): &((LogColumn, _), &str)| {
                *of == number && *column <= LogColumn::Score && !cell.is_empty()
            };
            cells.iter().any(is_entry)
        };
        let is_game = self.heading(LogColumn::Game).is_none();
        for &((column, number), cell) in &cells {
            let entries = row.entries.entry(column).or_default();
            let can_name = is_game && column <= LogColumn::Score;
            match (number, separator(cell, can_name)) {
                (Some(_), _) if !takes_part(number) => {}
                (None, Some(separator)) => {
                    entries.extend(cell.split(separator).map(|entry| entry.trim().to_owned()));
                }
                _ => entries.push(cell.to_owned()),
            }
        }
        // A list can end with a separator.
        let last = |column| row.entries(column).iter().rposition(|entry| !entry.is_empty());
        let seats = last(LogColumn::Player).max(last(LogColumn::Score)).map_or(0, |last| last + 1);
        for entries in row.entries.values_mut().filter(|entries| entries.len() == seats + 1) {
            entries.pop_if(|entry| entry.is_empty());
        }
        row
    }
}

/// Returns the separator of the entries of a cell, which are names or points or can be others.
fn separator(cell: &str, are_names: bool) -> Option<&'static str> {
    let separators = if are_names { &SEPARATORS[..] } else { &SEPARATORS[..3] };
    let found = separators.iter().find(|separator| cell.contains(**separator)).copied();
    // Points can have a hyphen between them, as in `41-30`, and a minus sign.
    let are_points = cell.split('-').all(|points| points.parse::<u32>().is_ok());
    found.or((are_names && are_points).then_some("-"))
}

impl LogColumn {
    /// Returns the meaning of a heading and the number of the player in it, as in `Score 2`.
    fn of_heading(heading: &str) -> Option<(Self, Option<usize>)> {
        let letters = heading.chars().filter(|letter| letter.is_alphabetic());
        let word: String = letters.flat_map(char::to_lowercase).collect();
        let digits: String = heading.chars().filter(char::is_ascii_digit).collect();
        let number = digits.parse().ok();
        Some(match word.as_str() {
            "game" | "gameid" | "match" | "matchid" | "play" | "playid" | "session" => {
                (Self::Game, None)
            }
            "date" => (Self::Date, None),
            // The place of the player in the row.
            "seat" if number.is_none() => (Self::Start, None),
            "p" if number.is_some() => (Self::Player, number),
            "seat" | "seats" | "player" | "players" | "name" | "names" | "playername" => {
                (Self::Player, number)
            }
            "score" | "scores" | "points" | "playerscore" | "playerpoints" | "pscore"
            | "ppoints" => (Self::Score, number),
            "winner" | "winners" | "won" | "win" | "rank" | "place" | "placement" => {
                (Self::Winner, number)
            }
            "start" | "starter" | "startplayer" | "startposition" | "startingplayer" | "first"
            | "firstplayer" | "order" | "turnorder" => (Self::Start, number),
            "items" => (Self::Items, number),
            _ => return None,
        })
    }
}
