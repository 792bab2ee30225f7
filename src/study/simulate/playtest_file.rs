//! The games of people, from a file that they wrote.

use super::{
    playtest_game::{GameReader, PlaytestGame},
    playtest_log::{LogColumn, read_games},
};
use crate::{
    rng::{Rng, random_below},
    run::spreadsheet::Spreadsheet,
    study::shared::prelude::*,
};

/// Maximum number of reasons that messages give for games that cannot be read.
const MAX_REASONS: usize = 5;
/// Number of games from which a message asks for the turn order, if the first one of the list has
/// won all.
const SUSPICIOUS_GAMES: usize = 5;

/// The games of people with the number of players of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct PlaytestFile {
    /// Path of the file.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Encoding of its text, unless it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// Number of games with the number of players of the run.
    pub games: usize,
    /// Number of games with each other number of players.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<usize, u64>,
    /// The first line of each game that cannot be read and is left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread_lines: Vec<usize>,
    /// The dates of the first and the last game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<[String; 2]>,
    /// The first reasons for which games cannot be read.
    #[serde(skip)]
    reasons: Vec<String>,
    /// Columns that are not read.
    #[serde(skip)]
    ignored: Vec<String>,
    /// True if the seats seem to be in the order of the result and not in turn order.
    #[serde(skip)]
    is_suspicious: bool,
    /// True if the file names winners.
    #[serde(skip)]
    pub has_winners: bool,
    #[serde(skip)]
    list: Vec<PlaytestGame>,
}

impl PlaytestFile {
    /// Reads the games with the number of players of `game`.
    ///
    /// # Errors
    /// If more than half of the games cannot be read, or if no game has this number of players.
    pub(super) fn read(log: &Spreadsheet, game: &BoundGame) -> anyhow::Result<Self> {
        let (layout, games) = &read_games(log)?;
        let file = log.document.name.as_str();
        let is_joint = game.seats() == 1 || game.is_cooperative();
        let is_in_turn_order = layout.is_in_turn_order() || is_joint;
        let mut playtests = Self {
            file: file.to_owned(),
            sha256: log.sha256.clone(),
            encoding: log.encoding,
            ignored: layout.ignored(),
            has_winners: layout.heading(LogColumn::Winner).is_some(),
            ..Self::default()
        };
        for logged in games {
            let reader = GameReader { file, layout, logged, is_in_turn_order, game };
            if let Err(reason) = playtests.add(&reader) {
                playtests.unread_lines.push(logged.lines[0]);
                playtests.reasons.push(reason);
            }
        }
        let first_wins = |game: &PlaytestGame| game.outcome.winners & 1 == 1;
        playtests.is_suspicious = is_in_turn_order
            && !is_joint
            && playtests.games >= SUSPICIOUS_GAMES
            && playtests.list.iter().all(first_wins);
        playtests.reasons.truncate(MAX_REASONS);
        ensure!(
            2 * playtests.unread_lines.len() <= games.len(),
            "{file}: {} of {} cannot be read: {}",
            playtests.unread_lines.len(),
            format_count(games.len(), "game"),
            playtests.reasons.join("; ")
        );
        let found = playtests.other_games();
        let is_one_each = playtests.left_out.keys().eq([&1]);
        ensure!(
            playtests.games > 0,
            "{file}: expected games with {}, found {}{}",
            format_count(game.seats() as u64, "player"),
            if found.is_empty() { "none" } else { &found },
            if is_one_each {
                "; expected names separated by `;`, or a column `game` with a row for each player"
            } else {
                ""
            }
        );
        Ok(playtests)
    }

    /// Adds a game; counts it only if it has another number of players.
    fn add(&mut self, reader: &GameReader<'_>) -> Result<(), String> {
        let seats = reader.seats()?;
        if seats != reader.game.seats() {
            *self.left_out.entry(seats).or_default() += 1;
            return Ok(());
        }
        self.list.push(reader.read()?);
        self.games += 1;
        let date = reader.entries(LogColumn::Date).first().filter(|date| !date.is_empty());
        if let Some(date) = date {
            let first = self.dates.take().map_or_else(|| date.clone(), |[first, _]| first);
            self.dates = Some([first, date.clone()]);
        }
        Ok(())
    }

    /// Describes the games with other numbers of players.
    fn other_games(&self) -> String {
        let counts = self.left_out.iter().map(|(seats, games)| {
            format!("{} with {seats} (--players {seats})", format_count(*games, "game"))
        });
        join_with_and(counts)
    }

    /// Returns sentences on the games that are left out, and on unknown turn orders.
    fn remarks(&self) -> impl Iterator<Item = String> {
        let lines: Vec<_> = self.unread_lines.iter().map(|line| format!("line {line}")).collect();
        let unread = format_count(lines.len(), "game");
        let is_unknown = |game: &&PlaytestGame| !game.turn_positions.contains(&Some(0));
        let unknown = self.list.iter().filter(is_unknown).count();
        let others = self.other_games();
        let remarks = [
            (!others.is_empty()).then(|| format!("left out: {others}")),
            (!lines.is_empty()).then(|| {
                let lines = join_with_and(&lines);
                format!("left out: {unread} that cannot be read: {lines}")
            }),
            (unknown > 0)
                .then(|| format!("turn order: not known in {}", format_count(unknown, "game"))),
        ];
        remarks.into_iter().flatten()
    }

    /// Returns sentences on the reading of the file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let order = "turn order: the first seat wins all games; if this is no turn order, add a \
                     column `start` with the first player, or with `?`";
        let notes = [
            self.encoding.map(|encoding| format!("read as {encoding}")),
            (!self.ignored.is_empty()).then(|| format!("not read: {}", self.ignored.join(", "))),
            self.is_suspicious.then(|| order.to_owned()),
        ];
        let notes = notes.into_iter().flatten().chain(self.remarks());
        let notes = notes.map(|note| format!("{}: {note}", self.file));
        notes.chain(self.reasons.iter().cloned()).collect()
    }

    /// Describes the games, as in `24 games from 2026-03-01 to 2026-05-12`.
    pub(crate) fn description(&self) -> String {
        let games = format_count(self.games, "game");
        let dates = self.dates.as_ref().map(|[first, last]| format!(" from {first} to {last}"));
        let remarks: String = self.remarks().map(|remark| format!("; {remark}")).collect();
        format!("{} has {games}{}{remarks}.", self.file, dates.unwrap_or_default())
    }

    /// Returns a file of as many games, each drawn from all games of this one.
    pub(super) fn resample(&self, rng: &mut Rng) -> Self {
        let draw = |_| self.list[random_below(rng, self.list.len() as u32) as usize].clone();
        Self { list: (0..self.list.len()).map(draw).collect(), ..self.clone() }
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
        for PlaytestGame { outcome, has_scores, turn_positions, items } in &self.list {
            tally.blocks += u64::from(items.is_some());
            let wins = outcome.win_shares(seats);
            let scores = &outcome.scores.map(i64::from)[..seats];
            for (position, &wins) in turn_positions.iter().zip(&wins) {
                if let Some(position) = *position {
                    tally.turn_order[0][position].wins.add_block(1, wins);
                }
            }
            let winners: Vec<_> = (0..seats).filter(|&seat| wins[seat] > 0).collect();
            let n = winners.len() as i64;
            let margin = |&seat: &usize| {
                let others = (0..seats).filter(|&other| other != seat);
                others.map(|other| scores[seat] - scores[other]).min().unwrap_or(0)
            };
            let health = &mut tally.health;
            health.shared_wins.add_block(1, i64::from(n > 1));
            if *has_scores {
                tally.bots[0][ALL_SEATS].scores.add_block(seats as i64, scores.iter().sum());
                let winning_scores = winners.iter().map(|&seat| scores[seat]).sum();
                health.winning_scores.add_block(n, winning_scores);
                health.winning_margins.add_block(n, winners.iter().map(margin).sum());
            }
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
