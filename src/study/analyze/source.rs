//! The position to analyse: from the command line, from standard input, or from a record.

use std::io::{BufRead as _, stdin};

use anyhow::{Context as _, anyhow, bail};

use super::AnalyzeArguments;
use crate::{
    analysis::named::NamedAction,
    arena::record::{Decider, Record},
    bound::{BoundGame, GamePosition},
    game::{Seat, Turn},
    run::arguments::read_recorded_game,
};

/// Largest length of a position, so that no input can exhaust the memory.
const MAX_POSITION_BYTES: u64 = 1 << 16;

pub(super) enum PositionSource {
    /// A line of text.
    Text {
        /// The flag or file, for errors.
        name: &'static str,
        /// The name of the game.
        game: String,
        players: usize,
        text: String,
    },
    /// A game and the number of events before the position.
    Record {
        /// The file and the game, for errors.
        name: String,
        record: Box<Record>,
        events: usize,
    },
}

/// A position in which a seat decides.
pub(super) struct DecisionPosition<'a> {
    pub(super) position: Box<dyn GamePosition + 'a>,
    pub(super) seat: Seat,
    /// The action that was played, in a record.
    pub(super) played: Option<NamedAction>,
}

impl PositionSource {
    /// Reads the source that the flags select.
    pub(super) fn read(arguments: &AnalyzeArguments) -> anyhow::Result<Self> {
        let Some(path) = &arguments.record else {
            return match arguments.position.as_deref() {
                None | Some("-") => Self::from_text("standard input", read_line()?),
                Some(text) => Self::from_text("--position", text.to_owned()),
            };
        };
        let record = read_recorded_game(path, arguments.game_index, Some("--record"))?;
        let name = format!("{}: game {}", path.display(), record.index);
        let events = arguments.move_index.unwrap_or_default();
        // A game that was left has a position after its last event, too.
        let is_finished = record.winners.is_some();
        let last = record.events.len().saturating_sub(usize::from(is_finished));
        if events > last {
            bail!("--move: expected 0 to {last} ({name}), found {events}");
        }
        Ok(Self::Record { name, record: Box::new(record), events })
    }

    fn from_text(name: &'static str, text: String) -> anyhow::Result<Self> {
        let head = text.split_ascii_whitespace().next().and_then(|head| head.split_once('/'));
        let head = head.and_then(|(game, players)| Some((game, players.parse().ok()?)));
        let (game, players) = head.with_context(|| {
            format!(
                "{name}: expected a position, a line that begins with a game and the number of \
                 players, as in the_river/2"
            )
        })?;
        Ok(Self::Text { name, game: game.to_owned(), players, text })
    }

    /// Returns the name of the source for errors.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Text { name, .. } => (*name).to_owned(),
            Self::Record { name, .. } => name.clone(),
        }
    }

    /// Returns the number of events before the next decision of a record.
    fn next_decision(&self) -> Option<usize> {
        let Self::Record { record, events, .. } = self else { return None };
        let is_decision = |event: &usize| matches!(record.events[*event].0, Decider::Seat(_));
        (*events..record.events.len()).find(is_decision)
    }

    /// Returns the position.
    ///
    /// # Errors
    /// If the text is no position, the record does not follow the rules, or no seat decides.
    pub(super) fn position<'a>(
        &self,
        game: &'a dyn BoundGame,
    ) -> anyhow::Result<DecisionPosition<'a>> {
        let name = self.name();
        let (position, played) = match self {
            Self::Text { text, .. } => {
                (game.parse_view(text.trim()).with_context(|| name.clone())?, None)
            }
            Self::Record { record, events, .. } => game
                .recorded_position(record, *events)
                .map_err(|disagreement| anyhow!("{name}: {disagreement}"))?,
        };
        match position.turn() {
            Turn::Seat(seat) => Ok(DecisionPosition { position, seat, played }),
            Turn::Over => bail!("{name}: expected a decision, but the game is over"),
            Turn::Chance(source) => bail!(
                "{name}: expected a decision, but chance is next ({}){}",
                game.chance_sources()[usize::from(source.0)],
                self.next_decision().map_or_else(String::new, |events| format!(
                    "; the next decision is --move {events}"
                ))
            ),
        }
    }
}

/// Reads the first line of standard input.
fn read_line() -> anyhow::Result<String> {
    use std::io::Read as _;
    let mut line = String::new();
    stdin()
        .lock()
        .take(MAX_POSITION_BYTES)
        .read_line(&mut line)
        .context("standard input: can't be read")?;
    Ok(line)
}
