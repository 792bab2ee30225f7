//! A game of people, as a log has it.

use super::playtest_log::{LogColumn, LogLayout, LoggedGame};
use crate::{
    game::{MAX_SEATS, Outcome},
    run::names::find_item,
    study::shared::prelude::*,
};

/// Largest absolute score, so that sums over all games do not overflow.
const MAX_SCORE: u32 = 100_000;
/// Entries that say nothing.
const UNKNOWN: [&str; 10] = ["", "?", "-", "–", "n/a", "na", "none", "unknown", "draw", "tie"];
/// Entries of a player who has won or begun, besides 1.
const YES: [&str; 7] = ["yes", "y", "true", "x", "✓", "won", "win"];
/// Entries of a player who has not, besides other numbers.
const NO: [&str; 6] = ["no", "n", "false", "lost", "loss", "lose"];

/// A finished game of people.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PlaytestGame {
    pub(super) outcome: Outcome,
    /// False if the points were not written down.
    pub(super) has_scores: bool,
    /// The place of each seat in the turn order, from 0; `None` if it is not known.
    pub(super) turn_positions: Vec<Option<usize>>,
    /// The items of each seat; `None` if they were not written down.
    pub(super) items: Option<Vec<Vec<ItemId>>>,
}

/// A game of a log with what is known of all its games.
pub(super) struct GameReader<'a> {
    pub(super) file: &'a str,
    pub(super) layout: &'a LogLayout,
    pub(super) logged: &'a LoggedGame,
    /// True if the order of the entries is the turn order, or does not matter.
    pub(super) is_in_turn_order: bool,
    pub(super) game: &'a BoundGame,
}

impl GameReader<'_> {
    /// Returns the entries of a column.
    pub(super) fn entries(&self, column: LogColumn) -> &[String] {
        self.logged.entries(column)
    }

    /// Returns the message on an entry of a column.
    fn error(&self, column: LogColumn, entry: usize, message: impl std::fmt::Display) -> String {
        let lines = &self.logged.lines;
        let line = lines.get(entry).unwrap_or(&lines[0]);
        let heading = self.layout.heading(column).unwrap_or("scores");
        format!("{}:{line}: column `{heading}`: {message}", self.file)
    }

    /// Returns the number of players.
    pub(super) fn seats(&self) -> Result<usize, String> {
        let [names, scores] = [LogColumn::Player, LogColumn::Score].map(|key| self.entries(key));
        let are_unnamed = names.iter().all(String::is_empty);
        let seats = if are_unnamed { scores.len() } else { names.len() };
        self.ensure_one_each(LogColumn::Score, seats)?;
        Ok(seats)
    }

    /// Checks that a column has an entry for each seat, or none.
    fn ensure_one_each(&self, column: LogColumn, seats: usize) -> Result<(), String> {
        let entries = self.entries(column);
        if entries.len() == seats || entries.iter().all(|entry| is_one_of(&UNKNOWN, entry)) {
            return Ok(());
        }
        let found = entries.len();
        let expected = format!("expected {seats} entries separated by `;`, one for each seat");
        Err(self.error(column, 0, format!("{expected}; found {found}")))
    }

    /// Reads the game.
    pub(super) fn read(&self) -> Result<PlaytestGame, String> {
        let seats = self.game.seats();
        let points = self.scores()?;
        let mut scores = [0; MAX_SEATS];
        if let Some(points) = &points {
            scores[..seats].copy_from_slice(points);
        }
        let mut outcome = Outcome::highest_score_wins(scores, seats, 0);
        outcome.wins_are_independent = self.game.wins_are_independent();
        let marks = self.marks(LogColumn::Winner)?;
        let winners = marks.iter().rev().fold(0, |set, mark| set << 1 | u8::from(*mark == Some(1)));
        if winners > 0 || outcome.wins_are_independent {
            outcome.winners = winners;
        }
        // Who is no winner has lost if nobody need win.
        let has_winners = self.layout.heading(LogColumn::Winner).is_some();
        let can_lose_all = outcome.wins_are_independent && has_winners;
        if points.is_none() && winners == 0 && !can_lose_all {
            let message = "expected the points of all players, or a winner";
            return Err(self.error(LogColumn::Score, 0, message));
        }
        Ok(PlaytestGame {
            outcome,
            has_scores: points.is_some(),
            turn_positions: self.turn_positions()?,
            items: self.items()?,
        })
    }

    /// Returns the scores; `None` if one is not known.
    fn scores(&self) -> Result<Option<Vec<i32>>, String> {
        let score = |(index, text): (usize, &String)| {
            if is_one_of(&UNKNOWN, text) {
                return Ok(None);
            }
            // Spreadsheets write a typographic minus.
            let score = whole_number(text).replace('−', "-").parse::<i32>().ok();
            let score = score.filter(|score| score.unsigned_abs() <= MAX_SCORE);
            let message = || format!("expected whole points separated by `;`, found `{text}`");
            score.map(Some).ok_or_else(|| self.error(LogColumn::Score, index, message()))
        };
        let scores = self.entries(LogColumn::Score).iter().enumerate().map(score);
        let scores = scores.collect::<Result<Option<Vec<_>>, _>>()?;
        Ok(scores.filter(|scores| !scores.is_empty()))
    }

    /// Returns the number from 1 that a column gives to each seat: 1 to a seat that is named or has
    /// a yes, and none to a seat without entry or with a no.
    fn marks(&self, column: LogColumn) -> Result<Vec<Option<usize>>, String> {
        let names = self.entries(LogColumn::Player);
        let entries = self.entries(column);
        let mut marks = vec![None; self.game.seats()];
        for (index, text) in
            entries.iter().enumerate().filter(|(_, text)| !is_one_of(&UNKNOWN, text))
        {
            let is_named = |seat: &usize| names[*seat].to_lowercase() == text.to_lowercase();
            let named: Vec<_> = (0..names.len()).filter(is_named).collect();
            let number = match whole_number(text).parse() {
                Ok(number) => Some(number),
                _ if is_one_of(&YES, text) => Some(1),
                _ => is_one_of(&NO, text).then_some(0),
            };
            let is_own = entries.len() == marks.len();
            match (&named[..], number) {
                (&[seat], _) => marks[seat] = Some(1),
                ([], Some(number)) if is_own => marks[index] = Some(number).filter(|_| number > 0),
                // Several players of this name: the points decide.
                ([_, _, ..], _) if !self.game.wins_are_independent() => {}
                // All seats win or lose together.
                ([], Some(number)) if self.game.is_cooperative() => marks.fill(Some(number)),
                _ => {
                    let names = names.join(", ");
                    let message = format!("expected one of {names}, found `{text}`");
                    return Err(self.error(column, index, message));
                }
            }
        }
        Ok(marks)
    }

    /// Returns the place of each seat in the turn order.
    fn turn_positions(&self) -> Result<Vec<Option<usize>>, String> {
        let seats = self.game.seats();
        if self.is_in_turn_order {
            return Ok((0..seats).map(Some).collect());
        }
        let mut marks = self.marks(LogColumn::Start)?;
        let missing = (1..=seats).filter(|number| !marks.contains(&Some(*number)));
        let missing: Vec<_> = missing.collect();
        if missing.len() != marks.iter().filter(|mark| mark.is_none()).count() {
            let message = format!("expected each place from 1 to {seats} at most once");
            return Err(self.error(LogColumn::Start, 0, message));
        }
        // The last place is known from all others.
        if let [place] = missing[..] {
            marks.iter_mut().filter(|mark| mark.is_none()).for_each(|mark| *mark = Some(place));
        }
        Ok(marks.into_iter().map(|mark| Some(mark? - 1)).collect())
    }

    /// Returns the items of each seat; `None` if no cell has one.
    fn items(&self) -> Result<Option<Vec<Vec<ItemId>>>, String> {
        let entries = self.entries(LogColumn::Items);
        // A list of nothing says that nobody took an item.
        let is_list = self.logged.lines.len() == 1 && entries.len() > 1;
        if !is_list && entries.iter().all(|entry| is_one_of(&UNKNOWN, entry)) {
            return Ok(None);
        }
        self.ensure_one_each(LogColumn::Items, self.game.seats())?;
        let catalog = self.game.catalog();
        let item = |index: usize, name: &str| {
            let error = |message: String| self.error(LogColumn::Items, index, message);
            let item = find_item(catalog, name).map_err(|problem| error(problem.to_string()))?;
            let table = catalog.table(item);
            if table.reported_seats == ReportedSeats::None {
                let message = "expected an item whose seats are counted, found one of";
                return Err(error(format!("{message} `{}`", table.name)));
            }
            Ok(item)
        };
        let of_seat = |(index, names): (usize, &String)| {
            let names = names.split([' ', ';', ',']).filter(|name| !is_one_of(&UNKNOWN, name));
            names.map(|name| item(index, name)).collect()
        };
        entries.iter().enumerate().map(of_seat).collect::<Result<_, _>>().map(Some)
    }
}

/// Returns a whole number that a program or a spreadsheet wrote with a decimal.
fn whole_number(text: &str) -> &str {
    text.strip_suffix(".0").or(text.strip_suffix(",0")).unwrap_or(text)
}

/// Returns true if an entry is one of these words.
fn is_one_of(words: &[&str], entry: &str) -> bool {
    words.contains(&entry.to_lowercase().as_str())
}
