//! The setup of a run: everything that decides its results.

use super::playtest_file::PlaytestFile;
use crate::{
    arena::{schedule::distinct, tally::BotTally},
    run::panel::PanelMember,
    stats::confidence_sequence::{FIRST_LOOK, StoppingCriterion, WinRates, look_schedule},
    study::shared::{prelude::*, tallied_games::RunGoal},
};

/// Everything that decides the results of a simulation: runs with equal setups have equal results.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RunSetup {
    /// Program, game, players and seed.
    pub identity: RunIdentity,
    /// The rest.
    pub question: SimulateSetup,
}

/// The part of a simulation's setup that other commands do not have.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SimulateSetup {
    /// The data file.
    #[serde(flatten)]
    pub data: DataSource,
    /// SHA-256 of the values that affect play, by [`crate::config::Document::values_sha256`].
    pub data_sha256: String,
    /// The bots in the seats of the first game of a block.
    pub bots: Vec<BotDescription>,
    /// The bots that are asked the same question, the bot in all seats first; empty if the bots
    /// were named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<PanelMember>,
    /// Number of placements after the first that make an opening.
    #[serde(skip)]
    pub opening_depth: usize,
    /// Games asked for, rounded up to whole blocks, of all shards together. The maximum if the run
    /// has a goal.
    pub games_planned: u64,
    /// Games per block.
    pub games_per_block: u64,
    /// Games from which forks are played, the first ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub fork_games: u64,
    /// The part of the run that is played here, if it is divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The stopping criterion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<StoppingCriterion>,
    /// Number of looks at equal distances.
    #[serde(skip)]
    pub looks: Option<u64>,
    /// The families of items that are shown; all if it is empty.
    #[serde(skip)]
    pub only: Vec<String>,
    /// The games of people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playtests: Option<PlaytestFile>,
    /// The format of `games.csv`.
    #[serde(skip)]
    pub rows_format: CsvFormat,
}

/// Returns true if no games have forks.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(games: &u64) -> bool {
    *games == 0
}

impl RunSetup {
    /// Returns the number of blocks of the run, of all shards together.
    pub(crate) const fn blocks(&self) -> u64 {
        self.question.games_planned / self.question.games_per_block
    }

    /// Returns the index of the first seat of each distinct bot.
    pub(crate) fn distinct_bots(&self) -> Vec<usize> {
        let names: Vec<_> = self.question.bots.iter().map(|bot| &bot.name).collect();
        distinct(&names).0
    }

    /// Returns true if the goal is reached; `None` without a goal, or in a shard, which can't know.
    pub(crate) fn goal_reached(&self, tally: &Tally) -> Option<bool> {
        self.question
            .goal
            .filter(|_| self.question.shard.is_none())
            .map(|goal| goal.is_reached(&self.win_rates(tally)))
    }

    /// Returns the win rates of the goal: those of all bots, or those of a single bot in each seat.
    pub(crate) fn win_rates(&self, tally: &Tally) -> WinRates {
        let players = self.identity.players;
        let cells: Vec<&BotTally> = match tally.bots.as_slice() {
            [cells] => cells[..players].iter().collect(),
            bots => bots.iter().map(|cells| &cells[ALL_SEATS]).collect(),
        };
        let of = |rate: fn(&BotTally) -> Ratio| cells.iter().map(|cell| rate(cell)).collect();
        WinRates {
            rates: of(|cell| cell.wins),
            split_rates: of(|cell| cell.split_wins),
            unit: UNITS_PER_WIN,
            players,
            games_per_block: self.question.games_per_block,
        }
    }
}

impl RunGoal for RunSetup {
    fn next_look(&self, blocks: u64) -> Option<u64> {
        let Some(count) = self.question.looks else {
            return look_schedule().find(|&look| look > blocks);
        };
        // These are the ends of shards.
        let total = self.blocks();
        let next = blocks.max(FIRST_LOOK - 1) + 1;
        let index = (u128::from(next) * u128::from(count)).div_ceil(u128::from(total)) as u64;
        (next <= total).then(|| Shard { index, count }.blocks(total).end)
    }

    fn is_decided(&self, tally: &Tally) -> bool {
        let blocks = tally.blocks;
        let is_look = || blocks > 0 && self.next_look(blocks - 1) == Some(blocks);
        self.question.goal.is_some_and(|goal| is_look() && goal.is_reached(&self.win_rates(tally)))
    }
}
