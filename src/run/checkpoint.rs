//! `tally.json`: how far a run has come. A run that was interrupted goes on from it, and the parts
//! of a run that was shared out are merged by it.

use std::{
    fs::File,
    io::{self, Read as _},
    ops::Range,
    path::Path,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    arena::{
        record::RecordEncoder,
        tally::{ALL_SEATS, BotTally, Tally},
    },
    config::{ConfigError, read_at_most, sha256},
    game::UNITS_PER_WIN,
    run::{
        append_file::FileEnd,
        files::{OutputError, RunFolder},
        manifest::{RunSetup, SimulateSetup},
    },
    stats::{
        confidence_sequence::{ConfidenceSequence, WinRates, look_schedule},
        ratio::Ratio,
    },
};

/// The name of the file.
pub const FILE: &str = "tally.json";

/// The table with a row for each game, which grows while games are played.
pub const GAMES: &str = "games.csv";

/// The name and version of the format.
const FORMAT: &str = "watershed.tally/3";

/// The largest file that is read, in bytes: a run with 500,000 openings has some 60 MB.
const LONGEST: u64 = 1 << 30;

/// The key of the file's last value, the SHA-256 of all text before it.
const SEAL: &str = ",\"sha256\":\"";

/// Returns true if a folder holds the state of a run.
pub fn has_checkpoint(folder: &Path) -> bool {
    let begin = format!("{{\"format\":\"{}", FORMAT.trim_end_matches(char::is_numeric));
    let mut found = Vec::new();
    let read = File::open(folder.join(FILE))
        .and_then(|file| file.take(begin.len() as u64).read_to_end(&mut found));
    read.is_ok() && found == begin.as_bytes()
}

/// Adds the hash of a JSON object as its last value.
fn seal(mut json: Vec<u8>) -> Vec<u8> {
    json.pop();
    let hash = sha256(&json);
    json.extend(format!("{SEAL}{hash}\"}}").into_bytes());
    json
}

/// Returns the JSON object without its hash; nothing if it is not what was hashed.
fn unseal(bytes: &[u8]) -> Option<Vec<u8>> {
    let hash_length = 64;
    let (json, end) =
        bytes.split_at_checked(bytes.len().checked_sub(SEAL.len() + hash_length + 2)?)?;
    (end == format!("{SEAL}{}\"}}", sha256(json)).as_bytes()).then(|| [json, b"}"].concat())
}

/// A run up to the end of some block: what was asked for, what has been counted, and how long the
/// files were that grow.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Name and version of the format.
    pub format: String,
    /// The command that makes the whole run again.
    pub command: String,
    /// What was asked for.
    pub setup: RunSetup,
    /// The text of the data file, so that a run can be merged where the file is not.
    pub data: String,
    /// The end of `games.csv`, if it is wanted.
    pub games_csv: Option<FileEnd>,
    /// The records, if they are wanted.
    pub records: Option<RecordsFile>,
    /// Threads that play it, the most there were at a time.
    pub threads: usize,
    /// Wall time so far in seconds.
    pub seconds: f64,
    /// What has been counted, from the first block on without a gap.
    pub tally: Tally,
}

/// The format of a file that may be of another version.
#[derive(Deserialize)]
struct Version {
    format: String,
}

/// A file of records that grows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordsFile {
    /// Its name as given.
    pub file: String,
    /// Whether legal actions are listed.
    pub legal: bool,
    /// Its end.
    pub end: FileEnd,
    /// What is to be written yet.
    pub encoder: RecordEncoder,
}

impl Checkpoint {
    /// A run that has not begun.
    pub fn new(command: String, setup: RunSetup, data: String, tally: Tally) -> Self {
        let format = FORMAT.to_owned();
        Self {
            format,
            command,
            setup,
            data,
            games_csv: None,
            records: None,
            threads: 0,
            seconds: 0.0,
            tally,
        }
    }

    /// Reads how far the run in a folder has come, if it says so.
    ///
    /// # Errors
    /// If the file can't be read, is not of this version, or was changed.
    pub fn read(folder: &Path) -> Result<Option<Self>, ConfigError> {
        let path = folder.join(FILE);
        let wrong = |message: String| ConfigError {
            file: path.display().to_string(),
            line: None,
            key: String::new(),
            message,
        };
        let bytes = match read_at_most(&path, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|error| wrong(format!("can't be read: {error}")))?,
        };
        let Some(json) = unseal(&bytes) else {
            let format =
                serde_json::from_slice(&bytes).map(|Version { format }| format).unwrap_or_default();
            return Err(wrong(if format.is_empty() || format == FORMAT {
                "was changed since the run saved it; expected the file as the run wrote it"
                    .to_owned()
            } else {
                format!("expected the format {FORMAT}, found {format:?}")
            }));
        };
        let expected = || format!("expected the format {FORMAT} as this version writes it");
        let progress: Self = serde_json::from_slice(&json)
            .map_err(|error| wrong(format!("{}: {error}", expected())))?;
        let SimulateSetup { games_planned, games_per_block, .. } = progress.setup.question;
        let whole_blocks = games_planned.checked_rem(games_per_block) == Some(0);
        let games_match =
            progress.tally.blocks.checked_mul(games_per_block) == Some(progress.tally.games);
        if progress.format != FORMAT
            || !whole_blocks
            || !games_match
            || progress.next_block() > progress.setup.blocks().end
        {
            return Err(wrong(expected()));
        }
        Ok(Some(progress))
    }

    /// Writes it to the run's folder.
    ///
    /// # Errors
    /// If it can't be written; then an earlier one is as it was.
    pub fn write(&self, folder: &RunFolder) -> Result<(), OutputError> {
        // Nothing in it is a map with keys that are no text, which is all that JSON can't hold.
        folder.write(FILE, &seal(serde_json::to_vec(self).unwrap_or_default()))
    }

    /// The first block that is not counted.
    pub fn next_block(&self) -> u64 {
        self.setup.blocks().start.saturating_add(self.tally.blocks)
    }

    /// The blocks that are to be played before the next look at the goal, all that are left if
    /// there is none.
    pub fn next_blocks(&self) -> Range<u64> {
        let (next, end) = (self.next_block(), self.setup.blocks().end);
        let look = self.setup.question.goal.and_then(|_| look_schedule().find(|&look| look > next));
        next..look.map_or(end, |look| look.min(end))
    }

    /// Whether everything that was asked for was played: all blocks, or those up to the look at
    /// which the goal was reached.
    pub fn is_complete(&self) -> bool {
        let blocks = self.tally.blocks;
        self.next_block() == self.setup.blocks().end
            || look_schedule().any(|look| look == blocks) && self.goal_reached() == Some(true)
    }

    /// Whether the goal is reached, if there is one.
    pub fn goal_reached(&self) -> Option<bool> {
        self.setup.question.goal.map(|goal| goal.is_reached(&self.win_rates()))
    }

    /// The intervals of the win rates, if there is a goal.
    pub fn confidence_sequence(&self) -> Option<ConfidenceSequence> {
        self.setup.question.goal.map(|goal| goal.confidence_sequence(&self.win_rates()))
    }

    /// The win rates that a goal is about: each bot's overall, or one bot's in each seat.
    pub fn win_rates(&self) -> WinRates {
        let players = self.setup.identity.players;
        let games_per_block = self.setup.question.games_per_block;
        let cells: Vec<&BotTally> = match self.tally.bots.as_slice() {
            [cells] => cells[..players].iter().collect(),
            bots => bots.iter().map(|cells| &cells[ALL_SEATS]).collect(),
        };
        let of = |rate: fn(&BotTally) -> Ratio| cells.iter().map(|cell| rate(cell)).collect();
        WinRates {
            rates: of(|cell| cell.wins),
            split_rates: of(|cell| cell.split_wins),
            unit: UNITS_PER_WIN,
            players,
            games_per_block,
        }
    }

    /// The first thing that was asked for otherwise than here, in words.
    pub fn first_difference(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (self.asked(), other.asked());
        let keys =
            ours.as_object().into_iter().chain(theirs.as_object()).flat_map(|object| object.keys());
        let key =
            keys.into_iter().find(|key| ours.get(key.as_str()) != theirs.get(key.as_str()))?;
        let text = |asked: &Value| asked.get(key).unwrap_or(&Value::Null).to_string();
        Some(format!("`{key}` is {}, not {}", text(&theirs), text(&ours)))
    }

    /// All that was asked for and decides the results, by its names. A data file may have moved,
    /// and its comments may have changed.
    fn asked(&self) -> Value {
        let RunSetup { identity, question } = &self.setup;
        let mut asked = serde_json::to_value(&self.setup).unwrap_or_default();
        if let Some(asked) = asked.as_object_mut() {
            asked.retain(|key, _| {
                !["build", "config", "config_sha256", "provenance"].contains(&key.as_str())
            });
        }
        asked["build.source_sha256"] = identity.build.source_sha256.as_str().into();
        asked["bots"] = question.bots.iter().map(|bot| bot.name.as_str()).collect();
        for bot in &question.bots {
            asked[format!("bots.{}.sha256", bot.name)] = bot.sha256.as_str().into();
        }
        asked["games_csv"] = self.games_csv.is_some().into();
        asked["records"] = self.records.as_ref().map(|records| records.file.clone()).into();
        asked["legal"] = self.records.as_ref().is_some_and(|records| records.legal).into();
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bit that changes anywhere in the file is noticed, and so is an end that is missing.
    #[test]
    fn what_is_sealed_can_not_be_changed() -> serde_json::Result<()> {
        let json = br#"{"blocks":17,"seconds":0.5}"#.to_vec();
        let sealed = seal(json.clone());
        let value: Value = serde_json::from_slice(&sealed)?;
        assert_eq!(value["blocks"], 17);
        assert_eq!(unseal(&sealed), Some(json));
        for place in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[place] ^= 1 << bit;
                assert_eq!(unseal(&changed), None, "bit {bit} of byte {place}");
            }
            assert_eq!(unseal(&sealed[..place]), None);
        }
        assert_eq!(unseal(&[&sealed[..], b"\n"].concat()), None);
        Ok(())
    }
}
