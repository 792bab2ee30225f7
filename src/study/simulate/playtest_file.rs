//! The games of people, from a CSV file with one row for each game.

use std::collections::BTreeMap;

use anyhow::{anyhow, ensure};
use csv::StringRecord;
use serde::Serialize;

use crate::{
    arena::tally::{ALL_SEATS, Tally},
    bound::BoundGame,
    config::Document,
    game::{ItemId, MAX_SEATS, Outcome, ReportedSeats},
    report::html::{format_count, join_with_and},
    run::names::find_item,
};

/// The columns that are read. The first two are required.
const COLUMNS: [&str; 5] = ["seats", "scores", "date", "winner", "items"];
const SEATS: usize = 0;
const SCORES: usize = 1;
const DATE: usize = 2;
const WINNER: usize = 3;
const ITEMS: usize = 4;
/// Separates the entries of a cell, one for each seat.
const SEPARATOR: char = ';';
/// Largest absolute score, so that sums over all games do not overflow.
const MAX_SCORE: u32 = 100_000;

/// The games of people with the number of players of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct PlaytestFile {
    /// Path of the file.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Number of games with the number of players of the run.
    pub games: usize,
    /// Number of games with each other number of players.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<usize, u64>,
    /// The dates of the first and the last game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<[String; 2]>,
    /// Columns that are not read.
    #[serde(skip)]
    ignored: Vec<String>,
    /// True if the file names winners.
    #[serde(skip)]
    pub has_winners: bool,
    #[serde(skip)]
    list: Vec<PlaytestGame>,
}

/// A finished game of people. Seats are in turn order.
#[derive(Clone, PartialEq, Debug)]
struct PlaytestGame {
    outcome: Outcome,
    /// The items of each seat; `None` if they were not written down.
    items: Option<Vec<Vec<ItemId>>>,
}

/// A row with its place in the file.
struct PlaytestRow<'a> {
    file: &'a str,
    text: &'a str,
    record: &'a StringRecord,
    /// The index of each of [`COLUMNS`] in the file.
    places: &'a [Option<usize>; COLUMNS.len()],
}

impl PlaytestFile {
    /// Reads the games with the number of players of `game`.
    ///
    /// # Errors
    /// If a row does not describe a game, or if no game has this number of players.
    pub(crate) fn read(document: &Document, game: &BoundGame) -> anyhow::Result<Self> {
        let file = document.name.as_str();
        let text = document.text.trim_start_matches('\u{feff}');
        // Spreadsheets of many languages separate columns by semicolons, and quote lists.
        let is_comma = text.trim_start().lines().next().is_some_and(|header| header.contains(','));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(if is_comma { b',' } else { b';' })
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let header = reader.headers()?.clone();
        let place = |name: &str| header.iter().position(|cell| cell.eq_ignore_ascii_case(name));
        let places = COLUMNS.map(place);
        for required in [SEATS, SCORES] {
            ensure!(
                places[required].is_some(),
                "{file}:1: column `{}`: expected a header with this column, found `{}`",
                COLUMNS[required],
                header.iter().collect::<Vec<_>>().join(", ")
            );
        }
        let ignored = header.iter().enumerate().filter(|(i, _)| !places.contains(&Some(*i)));
        let mut playtests = Self {
            file: file.to_owned(),
            sha256: document.sha256(),
            games: 0,
            left_out: BTreeMap::new(),
            dates: None,
            ignored: ignored.map(|(_, name)| format!("`{name}`")).collect(),
            has_winners: places[WINNER].is_some(),
            list: Vec::new(),
        };
        for record in reader.records() {
            let record = &record?;
            if !record.iter().all(str::is_empty) {
                let row = PlaytestRow { file, text, record, places: &places };
                playtests.add(&row, header.len(), game)?;
            }
        }
        let found = playtests.other_games();
        ensure!(
            playtests.games > 0,
            "{file}: expected games with {}, found {}",
            format_count(game.seats() as u64, "player"),
            if found.is_empty() { "none" } else { &found }
        );
        Ok(playtests)
    }

    /// Adds the game of a row; counts it only if it has another number of players.
    fn add(
        &mut self,
        row: &PlaytestRow<'_>,
        columns: usize,
        game: &BoundGame,
    ) -> anyhow::Result<()> {
        ensure!(
            row.record.len() <= columns,
            "{}: expected {columns} columns as in the header, found {}; names, scores and items \
             of seats are separated by `;`",
            row.place(),
            row.record.len()
        );
        let (seats, scores) = row.seats_and_scores()?;
        if seats.len() == game.seats() {
            self.list.push(row.game(&seats, &scores, game)?);
            self.games += 1;
            let date = row.cell(DATE);
            if !date.is_empty() {
                let first = self.dates.take().map_or_else(|| date.to_owned(), |[first, _]| first);
                self.dates = Some([first, date.to_owned()]);
            }
        } else {
            *self.left_out.entry(seats.len()).or_default() += 1;
        }
        Ok(())
    }

    /// Describes the games with other numbers of players.
    fn other_games(&self) -> String {
        let counts = self.left_out.iter().map(|(seats, games)| {
            format!("{} with {seats} (--players {seats})", format_count(*games, "game"))
        });
        join_with_and(&counts.collect::<Vec<_>>())
    }

    /// Returns sentences on the games and columns that are left out.
    pub(crate) fn notes(&self) -> Vec<String> {
        let left_out = [("left out", self.other_games()), ("not read", self.ignored.join(", "))];
        let left_out = left_out.into_iter().filter(|(_, names)| !names.is_empty());
        left_out.map(|(what, names)| format!("{}: {what}: {names}", self.file)).collect()
    }

    /// Describes the games, as in `24 games from 2026-03-01 to 2026-05-12`.
    pub(crate) fn description(&self) -> String {
        let games = format_count(self.games as u64, "game");
        let dates = self.dates.as_ref().map(|[first, last]| format!(" from {first} to {last}"));
        let left_out = match self.other_games() {
            others if others.is_empty() => others,
            others => format!("; left out: {others}"),
        };
        format!("{} has {games}{}{left_out}.", self.file, dates.unwrap_or_default())
    }

    /// Returns all items that are named, in the order of the catalog.
    pub(crate) fn items(&self) -> Vec<ItemId> {
        let seats = self.list.iter().filter_map(|game| game.items.as_ref()).flatten();
        let mut items: Vec<_> = seats.flatten().copied().collect();
        items.sort_by_key(|item| item.index());
        items.dedup();
        items
    }

    /// Counts the games as those of one bot in all seats. Each is a block; the number of blocks is
    /// that of games whose items were written down.
    pub(crate) fn tally(&self, game: &BoundGame) -> Tally {
        let seats = game.seats();
        let mut tally = Tally::for_game(game.catalog(), 1);
        for PlaytestGame { outcome, items } in &self.list {
            tally.blocks += u64::from(items.is_some());
            let wins = outcome.win_shares(seats);
            let scores = &outcome.scores.map(i64::from)[..seats];
            tally.bots[0][ALL_SEATS].scores.add_block(seats as i64, scores.iter().sum());
            for (position, &wins) in wins[..seats].iter().enumerate() {
                tally.turn_order[0][position].wins.add_block(1, wins);
            }
            let winners: Vec<_> = (0..seats).filter(|&seat| wins[seat] > 0).collect();
            let n = winners.len() as i64;
            let margin = |&seat: &usize| {
                let others = (0..seats).filter(|&other| other != seat);
                others.map(|other| scores[seat] - scores[other]).min().unwrap_or(0)
            };
            let health = &mut tally.health;
            health.shared_wins.add_block(1, i64::from(n > 1));
            health.winning_scores.add_block(n, winners.iter().map(|&seat| scores[seat]).sum());
            health.winning_margins.add_block(n, winners.iter().map(margin).sum());
            let named: BTreeMap<_, _> =
                items.iter().flatten().flatten().map(|item| (item.index(), item)).collect();
            for (index, item) in named {
                let seats = items.iter().flatten().zip(wins).filter(|(own, _)| own.contains(item));
                let wins: Vec<_> = seats.map(|(_, wins)| wins).collect();
                tally.items[index].wins_with.add_block(wins.len() as i64, wins.iter().sum());
            }
        }
        tally
    }
}

impl PlaytestRow<'_> {
    /// Returns file and line.
    fn place(&self) -> String {
        // A record begins before the end of the last line and empty lines, which it leaves out.
        let start = self.record.position().map_or(0, |position| position.byte() as usize);
        let rest = self.text[start..].trim_start_matches(['\r', '\n']);
        let line = self.text[..self.text.len() - rest.len()].matches('\n').count() + 1;
        format!("{}:{line}", self.file)
    }

    fn error(&self, column: usize, message: impl std::fmt::Display) -> anyhow::Error {
        anyhow!("{}: column `{}`: {message}", self.place(), COLUMNS[column])
    }

    /// Returns the text of a cell; empty if the file does not have the column.
    fn cell(&self, column: usize) -> &str {
        self.places[column].and_then(|place| self.record.get(place)).unwrap_or_default()
    }

    fn entries(&self, column: usize) -> Vec<&str> {
        self.cell(column).split(SEPARATOR).map(str::trim).collect()
    }

    /// Returns the names and scores of the seats.
    fn seats_and_scores(&self) -> anyhow::Result<(Vec<&str>, Vec<i32>)> {
        let seats = self.entries(SEATS);
        let repeated = |(index, name): (usize, &&str)| seats[..index].contains(name);
        if seats.contains(&"") || seats.iter().enumerate().any(repeated) {
            let found = self.cell(SEATS);
            let message = format!("expected different names separated by `;`, found `{found}`");
            return Err(self.error(SEATS, message));
        }
        let score = |text: &str| {
            let score = text.parse::<i32>().ok().filter(|score| score.unsigned_abs() <= MAX_SCORE);
            let message = || format!("expected whole points separated by `;`, found `{text}`");
            score.ok_or_else(|| self.error(SCORES, message()))
        };
        let scores = self.entries(SCORES).into_iter().map(score).collect::<Result<Vec<_>, _>>()?;
        self.ensure_one_each(SCORES, seats.len(), scores.len())?;
        Ok((seats, scores))
    }

    fn ensure_one_each(&self, column: usize, seats: usize, found: usize) -> anyhow::Result<()> {
        let expected = format!("expected {seats} entries separated by `;`, one for each seat");
        let message = format!("{expected}; found {found}");
        if seats == found { Ok(()) } else { Err(self.error(column, message)) }
    }

    /// Returns the game of these seats.
    fn game(
        &self,
        seats: &[&str],
        points: &[i32],
        game: &BoundGame,
    ) -> anyhow::Result<PlaytestGame> {
        let mut scores = [0; MAX_SEATS];
        scores[..points.len()].copy_from_slice(points);
        let mut outcome = Outcome::highest_score_wins(scores, seats.len(), 0);
        outcome.wins_are_independent = game.wins_are_independent();
        if !self.cell(WINNER).is_empty() || outcome.wins_are_independent {
            outcome.winners = 0;
            for name in self.entries(WINNER).into_iter().filter(|name| !name.is_empty()) {
                let seat = seats.iter().position(|seat| *seat == name).ok_or_else(|| {
                    let seats = seats.join(", ");
                    self.error(WINNER, format!("expected a name of {seats}, found `{name}`"))
                })?;
                outcome.winners |= 1 << seat;
            }
        }
        Ok(PlaytestGame { outcome, items: self.items(seats.len(), game)? })
    }

    /// Returns the items of each seat; `None` if the cell is empty.
    fn items(&self, seats: usize, game: &BoundGame) -> anyhow::Result<Option<Vec<Vec<ItemId>>>> {
        if self.cell(ITEMS).is_empty() {
            return Ok(None);
        }
        let catalog = game.catalog();
        let item = |name: &str| {
            let item = find_item(catalog, name).map_err(|error| self.error(ITEMS, error))?;
            let table = catalog.table(item);
            if table.reported_seats == ReportedSeats::None {
                let message = "expected an item whose seats are counted, found one of";
                return Err(self.error(ITEMS, format!("{message} `{}`", table.name)));
            }
            Ok(item)
        };
        let of_seat = |names: &str| names.split_whitespace().map(item).collect();
        let items = self.entries(ITEMS).into_iter().map(of_seat);
        let items = items.collect::<anyhow::Result<Vec<Vec<_>>>>()?;
        self.ensure_one_each(ITEMS, seats, items.len())?;
        Ok(Some(items))
    }
}
