//! `book.json`: the integers of a book, from which all its tables follow.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    analysis::book::{BookTally, SituationKey},
    config::read_at_most,
    game::Statistics,
    report::{origin::BotDescription, provenance::Claim},
    run::{
        manifest::{DataSource, RunIdentity},
        sealed::first_difference,
    },
    stats::Merge as _,
};

/// Name of the file.
pub(super) const FILE: &str = "book.json";

/// Name of the file with the records of the first games.
pub(super) const EXAMPLES: &str = "examples.jsonl";

/// Name and version of the format.
const FORMAT: &str = "watershed.book/1";

/// Maximum size of a book in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Everything that decides the content of a complete book.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BookSettings {
    /// Program, game, players and seed.
    pub(super) identity: RunIdentity,
    /// Title of the game.
    pub(super) title: String,
    /// The data file.
    pub(super) data: DataSource,
    /// The bot in all seats.
    pub(super) policy: BotDescription,
    /// Number of games.
    pub(super) games: u64,
    /// Number of epochs.
    pub(super) epochs: u64,
    /// Number of opening steps of each seat.
    pub(super) steps: usize,
    /// Maximum number of actions of a fork.
    pub(super) actions: usize,
    /// The command that grows the book in one run.
    pub(super) command: String,
}

/// The name of an action.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ActionName {
    /// Notation.
    pub(super) id: String,
    /// Name for people.
    pub(super) label: String,
}

/// A book, or a part of one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Book {
    /// Name and version of the format.
    format: String,
    pub(super) settings: BookSettings,
    /// The games of the book: first game, and the one after the last, of each range.
    pub(super) played: Vec<[u64; 2]>,
    /// Names of the opening steps, by index.
    pub(super) step_names: Vec<String>,
    /// Names of the actions, by code.
    pub(super) action_names: BTreeMap<u8, ActionName>,
    pub(super) tally: BookTally,
}

impl BookSettings {
    /// Returns the games of an epoch, from 0.
    pub(super) fn epoch(&self, epoch: u64) -> std::ops::Range<u64> {
        let bound = |epoch: u64| {
            // No number of games times 1000 overflows.
            self.games * epoch / self.epochs
        };
        bound(epoch)..bound(epoch + 1)
    }

    /// Describes the first difference to the settings of another book.
    pub(super) fn first_difference(&self, other: &Self) -> Option<String> {
        let [ours, theirs] =
            [self, other].map(|settings| serde_json::to_value(settings).unwrap_or_default());
        first_difference(&ours, &theirs)
    }
}

impl Book {
    /// Creates a book of these games.
    pub(super) fn new<G: Statistics>(
        settings: BookSettings,
        game: &G,
        played: Vec<[u64; 2]>,
        tally: BookTally,
    ) -> Self {
        let codes = tally.situations.values().flat_map(|sums| sums.actions.keys().copied());
        let action = |code| {
            let id = game.book_action_text(code);
            (code, ActionName { id, label: game.book_action_label(code) })
        };
        Self {
            format: FORMAT.to_owned(),
            step_names: (0..settings.steps).map(|step| game.book_step_name(step)).collect(),
            action_names: codes.map(action).collect(),
            settings,
            played: joined(played),
            tally,
        }
    }

    /// Reads the book in a folder, or the file itself.
    ///
    /// # Errors
    /// If there is none, or it is of another format.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let file: PathBuf = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let name = file.display();
        let bytes = read_at_most(&file, MAX_BYTES)
            .with_context(|| format!("{name}: can't be read; expected a book of openings"))?;
        let book: Self = serde_json::from_slice(&bytes)
            .with_context(|| format!("{name}: expected a book in the format {FORMAT}"))?;
        ensure!(
            book.format == FORMAT,
            "{name}: expected the format {FORMAT}, found {:?}",
            book.format
        );
        Ok(book)
    }

    /// Returns the file.
    pub(super) fn to_json(&self) -> Vec<u8> {
        // All keys are text, which is all that JSON demands.
        let mut json = serde_json::to_vec(self).unwrap_or_default();
        json.push(b'\n');
        json
    }

    /// Returns the records of the first games, one on each line.
    pub(super) fn examples(&self) -> Vec<u8> {
        self.tally.records.values().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
    }

    /// Returns the provenance of the data.
    pub(super) fn provenance(&self) -> &Claim {
        &self.settings.data.provenance
    }

    /// Returns true if all games were played.
    pub(super) fn is_complete(&self) -> bool {
        self.played == [[0, self.settings.games]]
    }

    /// Returns the number of complete epochs.
    ///
    /// # Errors
    /// If the games are not those of the first epochs.
    pub(super) fn complete_epochs(&self) -> anyhow::Result<u64> {
        let settings = &self.settings;
        let found = (1..=settings.epochs)
            .find(|&epochs| self.played == [[0, settings.epoch(epochs - 1).end]]);
        found.with_context(|| {
            format!("expected a book of whole epochs, found the games {}", self.games_text())
        })
    }

    /// Adds a book of other games of the same run.
    ///
    /// # Errors
    /// If the books are of different runs, or have games in common.
    pub(super) fn add(&mut self, other: &Self) -> anyhow::Result<()> {
        if let Some(difference) = self.settings.first_difference(&other.settings) {
            bail!("is a book of another run: its {difference}");
        }
        let mut played = self.played.clone();
        played.extend(&other.played);
        played.sort_unstable();
        let overlap = played.array_windows().find(|[[_, end], [next, _]]| end > next);
        if let Some([_, [next, _]]) = overlap {
            bail!("has games that another book has too, from game {next}");
        }
        self.played = joined(played);
        self.action_names.extend(other.action_names.clone());
        self.tally.merge(&other.tally);
        Ok(())
    }

    /// Returns the games of the book, as in `0-499, 1000-1499`.
    pub(super) fn games_text(&self) -> String {
        let ranges = self.played.iter().map(|[start, end]| format!("{start}-{}", end - 1));
        ranges.collect::<Vec<_>>().join(", ")
    }

    /// Returns the name of a place in the turn order.
    pub(super) fn step_name(&self, key: &SituationKey) -> &str {
        self.step_names.get(usize::from(key.step)).map_or("", String::as_str)
    }

    /// Returns the name of an identifier of a situation for people.
    pub(super) fn label<'a>(&'a self, id: &'a str) -> &'a str {
        self.tally.labels.get(id).map_or(id, String::as_str)
    }

    /// Returns the name of an action.
    pub(super) fn action(&self, code: u8) -> ActionName {
        self.action_names.get(&code).cloned().unwrap_or_else(|| {
            let id = format!("step {code}");
            ActionName { label: id.clone(), id }
        })
    }
}

/// Joins ranges in ascending order that follow each other, and drops empty ones.
fn joined(mut ranges: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    ranges.retain(|[start, end]| start < end);
    ranges.sort_unstable();
    let mut joined: Vec<[u64; 2]> = Vec::new();
    for [start, end] in ranges {
        match joined.last_mut() {
            Some(last) if last[1] == start => last[1] = end,
            _ => joined.push([start, end]),
        }
    }
    joined
}
