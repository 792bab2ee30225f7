//! The checkpoint of a simulation. `simulate --resume` continues from it, and `merge` joins
//! the checkpoints of shards.

use std::{ops::Range, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    arena::{
        record::RecordEncoder,
        tally::{ALL_SEATS, BotTally, Tally},
    },
    config::ConfigError,
    game::UNITS_PER_WIN,
    run::{
        append_file::FileEnd,
        files::{OutputError, RunFolder},
        manifest::{RunSetup, SimulateSetup},
        panel::PanelMember,
        sealed::{
            expected_format, first_difference, read_checkpoint, write_checkpoint, wrong_checkpoint,
        },
    },
    stats::{
        confidence_sequence::{ConfidenceSequence, WinRates, look_schedule},
        ratio::Ratio,
    },
};

/// The table of games, to which a run appends.
pub(crate) const GAMES: &str = "games.csv";

/// The name and version of the format.
pub(crate) const FORMAT: &str = "watershed.tally/3";

/// The state of a run at the end of a block: its setup, its counts, and the ends of the files to
/// which it appends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    /// Name and version of the format.
    pub format: String,
    /// The command that repeats the whole run.
    pub command: String,
    /// Everything that decides the results.
    pub setup: RunSetup,
    /// The text of the data file, so that a run can be merged where the file is not.
    pub data: String,
    /// The end of `games.csv`, if the run writes it.
    pub games_csv: Option<FileEnd>,
    /// The records, if the run writes them.
    pub records: Option<RecordsFile>,
    /// Maximum number of threads that played it at a time.
    pub threads: usize,
    /// Wall time so far in seconds.
    pub seconds: f64,
    /// Counts of all blocks from the first one.
    pub tally: Tally,
    /// Counts of the bots of the panel after the first, which is that of `tally`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<Tally>,
}

/// A file of records to which a run appends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordsFile {
    /// Its name as given.
    pub file: String,
    /// True if legal actions are listed.
    pub legal: bool,
    /// Its end.
    pub end: FileEnd,
    /// Encoder with the records that are not yet written.
    pub encoder: RecordEncoder,
}

impl Checkpoint {
    /// Creates the state of a run before its first game.
    pub(crate) fn new(command: String, setup: RunSetup, data: String, tally: Tally) -> Self {
        let others = setup.question.panel.len().saturating_sub(1);
        let panel = vec![Tally::new(1, tally.items.len()); others];
        Self {
            format: FORMAT.to_owned(),
            command,
            setup,
            data,
            games_csv: None,
            records: None,
            threads: 0,
            seconds: 0.0,
            tally,
            panel,
        }
    }

    /// Reads the checkpoint in a folder; `None` if there is none.
    ///
    /// # Errors
    /// If the file can't be read, is not of this version, or was changed.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, ConfigError> {
        let Some(saved): Option<Self> = read_checkpoint(folder, FORMAT)? else { return Ok(None) };
        let SimulateSetup { games_planned, games_per_block, .. } = saved.setup.question;
        let whole_blocks = games_planned.checked_rem(games_per_block) == Some(0);
        let games_match =
            saved.tally.blocks.checked_mul(games_per_block) == Some(saved.tally.games);
        let has_room = || saved.next_block() <= saved.setup.blocks().end;
        let others = saved.setup.question.panel.len().saturating_sub(1);
        let panel_matches = saved.panel.len() == others
            && (0..others).all(|index| saved.panel[index].blocks <= saved.panel_games(index));
        if whole_blocks && games_match && has_room() && panel_matches {
            return Ok(Some(saved));
        }
        Err(wrong_checkpoint(folder, expected_format(FORMAT)))
    }

    /// Writes the checkpoint to the folder of the run.
    ///
    /// # Errors
    /// If it can't be written. An earlier checkpoint is then unchanged.
    pub(crate) fn write(&self, folder: &RunFolder) -> Result<(), OutputError> {
        write_checkpoint(self, folder)
    }

    /// Returns true if both checkpoints have the same numbers of bots and items.
    pub(crate) fn has_same_shape(&self, other: &Self) -> bool {
        self.tally.has_same_shape(&other.tally)
            && self.panel.len() == other.panel.len()
            && self.panel.iter().zip(&other.panel).all(|(one, other)| one.has_same_shape(other))
    }

    /// Returns the first block that is not counted.
    pub(crate) fn next_block(&self) -> u64 {
        self.setup.blocks().start.saturating_add(self.tally.blocks)
    }

    /// Returns the blocks to play before the next look at the goal; without a goal, all remaining
    /// blocks.
    pub(crate) fn next_blocks(&self) -> Range<u64> {
        let (next, end) = (self.next_block(), self.setup.blocks().end);
        let look = self.setup.question.goal.and_then(|_| look_schedule().find(|&look| look > next));
        next..look.map_or(end, |look| look.min(end))
    }

    /// Returns the blocks that a bot of the panel after the first has to play: those that the first
    /// bot has played, up to the maximum. A block of the panel is a game.
    fn panel_blocks(&self, index: usize) -> Range<u64> {
        let Range { start, .. } = self.setup.blocks();
        let max_games = self.setup.question.panel[index + 1].max_games;
        start..self.next_block().min(max_games).max(start)
    }

    /// Returns the number of games that a bot of the panel after the first has to play.
    fn panel_games(&self, index: usize) -> u64 {
        let Range { start, end } = self.panel_blocks(index);
        end - start
    }

    /// Returns the blocks that a bot of the panel after the first has not played.
    pub(crate) fn next_panel_blocks(&self, index: usize) -> Range<u64> {
        let Range { start, end } = self.panel_blocks(index);
        (start + self.panel[index].blocks).min(end)..end
    }

    /// Returns true if the lineup and all bots of the panel have played all their games.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_lineup_complete()
            && (0..self.panel.len()).all(|index| self.next_panel_blocks(index).is_empty())
    }

    /// Returns the games played, with those of the panel.
    pub(crate) fn games_played(&self) -> u64 {
        self.tally.games + self.panel.iter().map(|tally| tally.games).sum::<u64>()
    }

    /// Returns the games to play, with those of the panel; at most if the run has a goal.
    pub(crate) fn games_planned(&self) -> u64 {
        let Range { start, end } = self.setup.blocks();
        let panel = self.setup.question.panel.iter().skip(1);
        let others = panel.map(|member| end.min(member.max_games).max(start) - start);
        self.setup.games() + others.sum::<u64>()
    }

    /// Returns true if all blocks were played, or all up to the look at which the goal was
    /// reached.
    pub(crate) fn is_lineup_complete(&self) -> bool {
        let blocks = self.tally.blocks;
        self.next_block() == self.setup.blocks().end
            || look_schedule().any(|look| look == blocks) && self.goal_reached() == Some(true)
    }

    /// Returns true if the goal is reached; `None` without a goal.
    pub(crate) fn goal_reached(&self) -> Option<bool> {
        self.setup.question.goal.map(|goal| goal.is_reached(&self.win_rates()))
    }

    /// Returns the intervals of the win rates; `None` without a goal.
    pub(crate) fn confidence_sequence(&self) -> Option<ConfidenceSequence> {
        self.setup.question.goal.map(|goal| goal.confidence_sequence(&self.win_rates()))
    }

    /// Returns the win rates of the goal: those of all bots, or those of a single bot in each seat.
    pub(crate) fn win_rates(&self) -> WinRates {
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

    /// Describes the first difference between the settings of two runs.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<String> {
        first_difference(&self.settings(), &other.settings())
    }

    /// Returns the settings that decide the results, by name. The path and the comments of the data
    /// file are not among them.
    fn settings(&self) -> Value {
        let RunSetup { identity, question } = &self.setup;
        let mut settings = serde_json::to_value(&self.setup).unwrap_or_default();
        let ignored = ["build", "config", "config_sha256", "provenance"];
        if let Some(settings) = settings.as_object_mut() {
            settings.retain(|key, _| !ignored.contains(&key.as_str()));
        }
        settings["build.source_sha256"] = identity.build.source_sha256.as_str().into();
        settings["bots"] = question.bots.iter().map(|bot| bot.name.as_str()).collect();
        let panel = &question.panel;
        settings["panel"] = panel.iter().map(PanelMember::entry).collect();
        for bot in question.bots.iter().chain(panel.iter().map(|member| &member.bot)) {
            settings[format!("bots.{}.sha256", bot.name)] = bot.sha256.as_str().into();
        }
        settings["games_csv"] = self.games_csv.is_some().into();
        settings["records"] = self.records.as_ref().map(|records| records.file.clone()).into();
        settings["legal"] = self.records.as_ref().is_some_and(|records| records.legal).into();
        settings
    }
}
