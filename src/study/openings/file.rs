//! Books with the settings that grew them.

use crate::{
    analysis::book::Book, config::read_at_most, run::sealed::first_difference,
    study::shared::prelude::*,
};

/// Name of the file.
pub(crate) const FILE: &str = "book.json";

/// Name of the file with the records of the first games.
pub(crate) const EXAMPLES: &str = "examples.jsonl";

/// Maximum size of a book in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// A book, or a part of one.
pub(super) type OpeningBook = Book<BookSettings>;

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
    /// The command that grows the book in one run.
    pub(super) command: String,
}

/// Returns the setting of books that were grown before there was a choice.
const fn every_decision() -> u32 {
    1
}

impl BookSettings {
    /// Returns the games of an epoch, from 0.
    pub(super) fn epoch(&self, epoch: u64) -> Range<u64> {
        // No number of games times 1000 overflows.
        let bound = |epoch: u64| self.games * epoch / self.epochs;
        bound(epoch)..bound(epoch + 1)
    }

    /// Returns the number of epochs of another book, which are the first ones of this one.
    ///
    /// # Errors
    /// If the other book is of another run, or has other games.
    pub(super) fn count_epochs(&self, other: &OpeningBook) -> anyhow::Result<u64> {
        let [ours, theirs] = [self, &other.settings]
            .map(|settings| serde_json::to_value(settings).unwrap_or_default());
        if let Some(difference) = first_difference(&ours, &theirs) {
            bail!("is a book of another run: its {difference}");
        }
        let epochs = (1..=self.epochs)
            .find(|&epochs| other.played == [[0, self.epoch(epochs - 1).end]])
            .with_context(|| {
                let games = other.played.iter().map(|[start, end]| format!("{start}-{}", end - 1));
                let games = games.collect::<Vec<_>>().join(", ");
                format!("expected a book of whole epochs, found the games {games}")
            })?;
        ensure!(epochs < self.epochs, "holds all {epochs} epochs of the book");
        Ok(epochs)
    }
}

/// Reads the book in a folder, or the file itself.
///
/// # Errors
/// If there is none, or it is of another format.
pub(super) fn read(path: &Path) -> anyhow::Result<OpeningBook> {
    let file: PathBuf = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    let name = file.display();
    let bytes = read_at_most(&file, MAX_BYTES)
        .with_context(|| format!("{name}: can't be read; expected a book of openings"))?;
    Book::parse(&bytes).map_err(|problem| anyhow!("{name}: {problem}"))
}
