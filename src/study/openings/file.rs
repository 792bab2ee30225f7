//! Books with the settings that grew them.

use std::ops::{Deref, DerefMut};

use crate::{
    analysis::book::{self, BookRow, policy_text},
    config::read_at_most,
    run::sealed::first_difference,
    study::shared::prelude::*,
};

/// Name of the file.
pub(crate) const FILE: &str = "book.json";

/// Name of the file with the records of the first games.
pub(crate) const EXAMPLES: &str = "examples.jsonl";

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
    /// One decision in this number is forked after the first opening step of a seat.
    #[serde(default = "every_decision")]
    pub(super) thin: u32,
    /// The round after which a search also judges the games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after_round: Option<u32>,
    /// The search that also judges the games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) judge: Option<BotDescription>,
    /// The command that grows the book in one run.
    pub(super) command: String,
}

/// Returns the setting of books that were grown before there was a choice.
const fn every_decision() -> u32 {
    1
}

/// A book, or a part of one.
#[derive(Debug)]
pub(super) struct OpeningBook(pub(super) book::Book<BookSettings>);

impl Deref for OpeningBook {
    type Target = book::Book<BookSettings>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for OpeningBook {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl BookSettings {
    /// Returns the bot in all seats, and the search that judges.
    pub(super) fn bots(&self) -> impl Iterator<Item = &BotDescription> {
        std::iter::once(&self.policy).chain(&self.judge)
    }

    /// Returns the games of an epoch, from 0.
    pub(super) fn epoch(&self, epoch: u64) -> Range<u64> {
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

impl OpeningBook {
    /// Reads the book in a folder, or the file itself.
    ///
    /// # Errors
    /// If there is none, or it is of another format.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let file: PathBuf = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let name = file.display();
        let bytes = read_at_most(&file, MAX_BYTES)
            .with_context(|| format!("{name}: can't be read; expected a book of openings"))?;
        let book = book::Book::parse(&bytes);
        book.map(Self).map_err(|problem| anyhow!("{name}: {problem}"))
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

    /// Returns the advice of the book by its rows.
    pub(super) fn advice(&self, rows: &[BookRow]) -> String {
        self.0.advice(rows, &self.policy_text())
    }

    /// Returns the bot in words.
    pub(super) fn policy_text(&self) -> String {
        let policy = &self.settings.policy;
        policy_text(&policy.name, &policy.parameters)
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
}

/// Joins ranges that follow each other, and drops empty ones.
pub(super) fn joined(mut ranges: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
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
