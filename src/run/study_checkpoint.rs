//! The checkpoint of a study: the sums over the blocks that were played, in the order of play.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json, value::RawValue};

use super::{
    files::read_manifest,
    growing_files::SavedFile,
    manifest::{self, RunIdentity},
    sealed::{expected_format, first_difference, read_checkpoint, wrong_checkpoint},
};
use crate::{arena::schedule::Shard, config::ConfigError, report::html::join_with_and};

/// The name and version of the format.
pub(crate) const FORMAT: &str = "watershed.study/4";

/// The flag of a study that may stop at some of its shards.
const LOOKS_FLAG: &str = "--looks";

/// The flag of the number of games.
const GAMES_FLAG: &str = "--games";

/// The flag of a shard, which the command of the whole study does not have.
const SHARD_FLAG: &str = "--shard";

/// Everything that decides the results of a study.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudySetup {
    /// Name of the command.
    pub(crate) kind: String,
    /// Arguments that repeat the whole study, without the name of the program.
    pub(crate) arguments: Vec<String>,
    /// Program, game, players and seed.
    pub(crate) identity: RunIdentity,
    /// Settings that the command does not have, by their flags: output files that a user names.
    pub(crate) outputs: Map<String, Value>,
    /// SHA-256 of each data file, or of its values.
    pub(crate) data_sha256: Vec<String>,
    /// Name and SHA-256 of each bot.
    pub(crate) bots: Vec<(String, String)>,
    /// The part of each lineup's blocks that is played, if the study is divided.
    pub(crate) shard: Option<Shard>,
}

impl StudySetup {
    /// Returns the setup of the study of which this is a shard. Each shard has its own files.
    pub(crate) fn whole_study(&self) -> Self {
        Self { shard: None, outputs: Map::new(), ..self.clone() }
    }

    /// Returns the number of looks at the results after equal numbers of games, at which the study
    /// may stop; `None` if it has no such looks.
    pub(crate) fn looks(&self) -> Option<u64> {
        self.number(LOOKS_FLAG)
    }

    /// Returns the value of a flag that takes a number; `None` if it is unset.
    fn number(&self, flag: &str) -> Option<u64> {
        let mut values = self.arguments.iter().skip_while(|argument| *argument != flag);
        values.nth(1)?.parse().ok()
    }

    /// Returns true if the other study is this one with more games.
    fn has_fewer_games_than(&self, other: &Self) -> bool {
        let without_games = |setup: &Self| {
            let mut settings = setup.settings();
            settings[GAMES_FLAG].take();
            settings
        };
        self.kind == other.kind
            && self.number(GAMES_FLAG) < other.number(GAMES_FLAG)
            && without_games(self) == without_games(other)
    }

    /// Describes the first difference between the settings of two studies.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<String> {
        if self.kind != other.kind {
            return Some(format!("command is `{}`, not `{}`", other.kind, self.kind));
        }
        let difference = first_difference(&self.settings(), &other.settings())?;
        if !difference.starts_with("`data_sha256`") {
            return Some(difference);
        }
        let [ours, theirs] = [self, other].map(|setup| &setup.identity.edits);
        let keys: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
        let keys = keys.into_iter().filter(|key| ours.get(*key) != theirs.get(*key));
        let keys: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
        let place = if keys.is_empty() { "" } else { " in " };
        Some(format!("data differs{place}{} (`data_sha256`)", join_with_and(&keys)))
    }

    /// Returns the settings by name. Those of the command have their flags as names.
    fn settings(&self) -> Value {
        let mut settings: Map<String, Value> = Map::new();
        let mut flag = "arguments";
        for word in &self.arguments {
            if word.starts_with("--") {
                flag = word;
                settings.entry(flag).or_insert(true.into());
            } else {
                let before = settings.get(flag).and_then(Value::as_str);
                let values = before.map_or_else(|| word.clone(), |text| format!("{text},{word}"));
                settings.insert(flag.to_owned(), values.into());
            }
        }
        // The data is compared by its hash; the path of its file may differ.
        settings.remove("--config");
        let Self { identity, outputs, data_sha256, bots, shard, .. } = self;
        settings.extend(outputs.clone());
        let mut add = |name: String, value: Value| drop(settings.insert(name, value));
        add("version".to_owned(), identity.version.as_str().into());
        add("build.source_sha256".to_owned(), identity.build.source_sha256.as_str().into());
        add("data_sha256".to_owned(), json!(data_sha256));
        add(SHARD_FLAG.to_owned(), json!(shard));
        for (name, sha256) in bots {
            add(format!("bots.{name}.sha256"), sha256.as_str().into());
        }
        settings.into()
    }

    /// Reads the setup of the study whose manifest is in a folder, as far as the manifest has that
    /// of `requested`, and whether it is complete; `None` if there is no manifest of a study.
    pub(crate) fn read_manifest(folder: &Path, requested: &Self) -> Option<(Self, bool)> {
        #[derive(Deserialize)]
        struct SavedStudy {
            kind: String,
            arguments: Vec<String>,
            #[serde(flatten)]
            identity: RunIdentity,
            complete: bool,
        }
        let path = folder.join(manifest::FILE);
        let saved = read_manifest::<SavedStudy>(&path)?;
        let text = read_manifest::<Value>(&path)?.to_string();
        let SavedStudy { kind, mut arguments, identity, complete } = saved;
        let mut shard = None;
        if let [.., flag, value] = &arguments[..]
            && flag == SHARD_FLAG
        {
            shard = value.parse().ok();
            arguments.truncate(arguments.len() - 2);
        }
        let mut setup = Self { kind, arguments, identity, shard, ..requested.clone() };
        setup.data_sha256.retain(|sha256| text.contains(sha256.as_str()));
        setup.bots.retain(|(_, sha256)| text.contains(sha256.as_str()));
        Some((setup, complete))
    }
}

/// A part of a study: consecutive blocks of one lineup under the same conditions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyPart {
    /// The first block.
    pub(crate) start: u64,
    /// The block after the last one.
    pub(crate) end: u64,
    /// Number of completed blocks.
    pub(crate) completed: u64,
    /// True if a stopping criterion was reached.
    pub(crate) is_decided: bool,
    /// Wall time of the completed blocks in seconds.
    pub(crate) seconds: f64,
    /// Sums over the completed blocks: of each shard, in their order, if the study was merged.
    pub(crate) tallies: Vec<Box<RawValue>>,
}

impl StudyPart {
    /// Returns true if no more blocks are played.
    pub(crate) const fn is_complete(&self) -> bool {
        self.is_decided || self.completed == self.end - self.start
    }

    /// Returns true if the numbers of blocks are possible.
    const fn is_valid(&self) -> bool {
        self.start <= self.end && self.completed <= self.end - self.start
    }
}

/// The state of a study at the end of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyCheckpoint {
    /// Name and version of the format.
    pub(crate) format: String,
    /// Everything that decides the results.
    pub(crate) setup: StudySetup,
    /// True if all games were played.
    pub(crate) complete: bool,
    /// Maximum number of threads that played it at a time.
    pub(crate) threads: usize,
    /// Wall time so far in seconds.
    pub(crate) seconds: f64,
    /// Games that programs lost by failures, also those of blocks that were not completed.
    pub(crate) forfeits: u64,
    /// The text of the data file, if its names and comments may change during the study.
    pub(crate) data: Option<String>,
    /// The files to which the study appends.
    pub(crate) files: Vec<SavedFile>,
    /// The parts in the order of play.
    pub(crate) parts: Vec<StudyPart>,
}

/// The joined shards of a study.
#[derive(Clone, Debug)]
pub(crate) struct JoinedShards {
    pub(crate) checkpoint: StudyCheckpoint,
    /// The folders of the shards in their order.
    pub(crate) folders: Vec<PathBuf>,
}

impl StudyCheckpoint {
    /// Creates the state of a study before its first game.
    pub(crate) fn new(setup: StudySetup, data: Option<String>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            setup,
            complete: false,
            threads: 0,
            seconds: 0.0,
            forfeits: 0,
            data,
            files: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Reads the checkpoint in a folder; `None` if there is none.
    ///
    /// # Errors
    /// If the file can't be read, is not of this version, or was changed.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, ConfigError> {
        let saved: Option<Self> = read_checkpoint(folder, FORMAT)?;
        match saved {
            Some(saved) if !saved.parts.iter().all(StudyPart::is_valid) => {
                Err(Self::unexpected(folder))
            }
            saved => Ok(saved),
        }
    }

    /// Returns true if the blocks are the first ones of a study with more games. No look after
    /// some of its games has ended it.
    pub(super) fn has_fewer_games(&self, requested: &StudySetup) -> bool {
        let is_whole = self.setup.shard.is_none() && requested.looks().is_none();
        is_whole
            && !self.parts.iter().any(|part| part.is_decided)
            && self.setup.has_fewer_games_than(requested)
    }

    /// Returns the error that the parts are not those of the study.
    pub(crate) fn unexpected(folder: &Path) -> ConfigError {
        wrong_checkpoint(folder, expected_format(FORMAT))
    }

    /// Returns the numbers of saved blocks and of all blocks.
    pub(crate) fn blocks(&self) -> [u64; 2] {
        let blocks = self.parts.iter().map(|part| [part.completed, part.end - part.start]);
        blocks.fold([0; 2], |sums, next| [sums[0] + next[0], sums[1] + next[1]])
    }

    /// Joins the checkpoints of all shards of a study, or of those before a look, in their order;
    /// `None` if their blocks do not follow each other.
    pub(crate) fn joined(shards: &[&Self]) -> Option<Self> {
        let first = *shards.first()?;
        let mut whole = Self { complete: false, files: Vec::new(), ..first.clone() };
        whole.setup = first.setup.whole_study();
        for shard in &shards[1..] {
            whole.threads = whole.threads.max(shard.threads);
            whole.seconds += shard.seconds;
            whole.forfeits += shard.forfeits;
            if shard.parts.len() != whole.parts.len() {
                return None;
            }
            for (part, next) in whole.parts.iter_mut().zip(&shard.parts) {
                if part.end != next.start {
                    return None;
                }
                part.end = next.end;
                part.completed += next.completed;
                part.seconds += next.seconds;
                part.tallies.extend(next.tallies.iter().cloned());
            }
        }
        Some(whole)
    }
}
