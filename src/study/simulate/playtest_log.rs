//! Logs of games as people keep them: text in the encodings and with the separators of
//! spreadsheets, and a row for each game or for each player.

use csv::StringRecord;

use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    report::csv_format::spreadsheet_reader,
    study::shared::prelude::*,
};

/// The letters of the bytes from 0x80 to 0x9f in Windows-1252; all others are those of Unicode.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
/// Separators of the entries of a cell, one for each seat. The first one in the cell counts; the
/// last two can also be part of a name.
const SEPARATORS: [char; 4] = [';', '|', '/', ','];

/// The text of a log.
pub(super) struct PlaytestLog {
    /// The text without a byte-order mark.
    pub(super) document: Document,
    /// SHA-256 of the bytes of the file.
    pub(super) sha256: String,
    /// Name of the encoding; `None` for UTF-8.
    pub(super) encoding: Option<&'static str>,
}

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

impl PlaytestLog {
    /// Reads a file.
    ///
    /// # Errors
    /// If it can't be read as text.
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let wrong = |message: String| ConfigError::new(&name, "", message);
        let bytes = read_at_most(path, MAX_FILE_BYTES)
            .map_err(|error| wrong(format!("can't be read: {error}")))?;
        let (text, encoding) = decode(&bytes);
        if text.contains('\0') {
            return Err(wrong("expected text, as a spreadsheet saves it as CSV".to_owned()));
        }
        Ok(Self { document: Document { name, text }, sha256: sha256(&bytes), encoding })
    }

    /// Returns the columns, and the games in the order of their first rows.
    ///
    /// # Errors
    /// If the header has neither players nor scores.
    pub(super) fn games(&self) -> anyhow::Result<(LogLayout, Vec<LoggedGame>)> {
        let Document { name: file, text } = &self.document;
        let (body, mut reader) = spreadsheet_reader(text);
        let layout = LogLayout::new(reader.headers()?.clone());
        ensure!(
            layout.heading(LogColumn::Player).or(layout.heading(LogColumn::Score)).is_some(),
            "{file}:1: expected a header with `seats` and `scores`, with `Player1`, `Score1`, \
             `Player2`, … or, with a row for each player, with `game`, `player` and `score`; \
             found `{}`",
            layout.header.iter().collect::<Vec<_>>().join(", ")
        );
        let mut games: Vec<LoggedGame> = Vec::new();
        let mut index_of = BTreeMap::new();
        for record in reader.records() {
            let record = record?;
            if record.iter().all(str::is_empty) {
                continue;
            }
            let mut row = layout.read_row(&record);
            let start = record.position().map_or(0, |position| position.byte() as usize);
            // A record begins before the end of the last line and empty lines, which it leaves out.
            let rest = body[start..].trim_start_matches(['\r', '\n']);
            row.lines.push(text[..text.len() - rest.len()].matches('\n').count() + 1);
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
        let ignored = columns.filter(|(column, _)| column.is_none());
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
            let separators = match column {
                LogColumn::Player | LogColumn::Score if is_game => &SEPARATORS[..],
                _ => &SEPARATORS[..2],
            };
            let separator = separators.iter().find(|separator| cell.contains(**separator));
            match (number, separator) {
                (Some(_), _) if !takes_part(number) => {}
                (None, Some(&separator)) => {
                    entries.extend(cell.split(separator).map(|entry| entry.trim().to_owned()));
                }
                _ => entries.push(cell.to_owned()),
            }
        }
        row
    }
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
            "seat" | "seats" | "player" | "players" | "name" | "names" | "playername" => {
                (Self::Player, number)
            }
            "score" | "scores" | "points" | "playerscore" | "playerpoints" => (Self::Score, number),
            "winner" | "winners" | "won" | "win" | "rank" => (Self::Winner, number),
            "start" | "starter" | "startplayer" | "startposition" | "startingplayer" | "first"
            | "firstplayer" | "order" | "turnorder" => (Self::Start, number),
            "items" => (Self::Items, number),
            _ => return None,
        })
    }
}

/// Returns the text of a file, and the name of its encoding unless it is UTF-8.
fn decode(bytes: &[u8]) -> (String, Option<&'static str>) {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<_> = bytes.as_chunks().0.iter().copied().map(unit).collect();
        (String::from_utf16_lossy(&units), Some("UTF-16"))
    };
    match bytes {
        [0xff, 0xfe, text @ ..] | text @ [1..=255, 0, ..] => utf16(text, u16::from_le_bytes),
        [0xfe, 0xff, text @ ..] | text @ [0, 1..=255, ..] => utf16(text, u16::from_be_bytes),
        _ => {
            if let Ok(text) = str::from_utf8(bytes) {
                return (text.trim_start_matches('\u{feff}').to_owned(), None);
            }
            let special: Vec<_> = WINDOWS_1252.chars().collect();
            let letter = |&byte: &u8| match byte {
                0x80..=0x9f => special[usize::from(byte - 0x80)],
                byte => char::from(byte),
            };
            (bytes.iter().map(letter).collect(), Some("Windows-1252"))
        }
    }
}
