//! The use that bots make of an edit: counts of games in lockstep, and the bots to try instead.

use crate::{
    arena::lockstep::{LockstepTally, UseOfChange},
    study::shared::prelude::*,
};

/// Maximum number of deals that are played in lockstep.
const MAX_DEALS: u64 = 300;

/// The use that the bots of a lineup make of a variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LineupUse {
    pub(crate) tally: LockstepTally,
    /// If the bots make no use of the change, a bot in all seats that does.
    pub(crate) other_bot: Option<String>,
}

impl LineupUse {
    /// Returns true if the bots played as if the data had not changed.
    pub(crate) fn is_blind(&self) -> bool {
        self.tally.use_of_change().is_blind()
    }

    /// States that the bots make no use of the edit, and which bot does; empty if they use it.
    pub(crate) fn sentence(&self, lineup: &str, edit: &str) -> String {
        let LockstepTally { games, decisions, .. } = self.tally;
        let fact = match self.tally.use_of_change() {
            UseOfChange::Used | UseOfChange::OtherDeals => return String::new(),
            UseOfChange::HardlyUsed => format!("{lineup} hardly ever uses what {edit} changes"),
            UseOfChange::Unused => format!("{lineup} never uses what {edit} changes"),
            UseOfChange::Unseen => {
                format!("{lineup} does not react to {edit}, which changes only the outcome")
            }
            UseOfChange::WithoutEffect => {
                format!("{edit} changed nothing in the games of {lineup}")
            }
        };
        let advice = match &self.other_bot {
            Some(bot) => format!("Try --bots {bot}, which uses it."),
            None => "Try a bot that does, such as a search.".to_owned(),
        };
        let changed = self.tally.choice_differs;
        let choices = if changed > 0 {
            format!("in {games} deals it made another choice in {changed} only")
        } else {
            format!("in {games} deals all of its {decisions} choices were the same with both files")
        };
        format!("{fact}: {choices}. This does not show that the edit makes no difference. {advice}")
    }
}

/// Plays lineups in lockstep under the baseline and each variant.
pub(super) struct UseCheck<'a> {
    /// The games bound to the baseline and its variants.
    pub(super) games: &'a [&'a BoundGame],
    /// For each data file, the lineups.
    pub(super) lineups_by_file: &'a [Vec<Vec<BotFactory>>],
    /// The bots that the program adds.
    pub(super) library: &'a BotLibrary,
    pub(super) seed: u64,
    /// Number of deals of the study.
    pub(super) deals: u64,
    pub(super) stop: &'a AtomicBool,
}

impl UseCheck<'_> {
    /// Returns the use that each lineup makes of each variant.
    pub(super) fn check(&self) -> Vec<Vec<LineupUse>> {
        let variants = || 1..self.games.len();
        let lineups = 0..self.lineups_by_file[0].len();
        lineups
            .map(|lineup| {
                let check = |variant: usize| {
                    let lineups = [0, variant].map(|file| &self.lineups_by_file[file][lineup][..]);
                    let tally = self.play(lineups, variant);
                    let is_blind = tally.use_of_change().is_blind();
                    let other_bot =
                        if is_blind { self.other_bot(lineups[0], variant) } else { None };
                    LineupUse { tally, other_bot }
                };
                variants().map(check).collect()
            })
            .collect()
    }

    /// Returns the first bot without search that uses the change.
    fn other_bot(&self, lineup: &[BotFactory], variant: usize) -> Option<String> {
        let players = self.games[0].seats();
        let default = self.library.default_bot().to_owned();
        let candidates = [default, format!("learned{players}"), "balanced".to_owned()];
        let uses_it = |name: &String| {
            let read = |file: usize| {
                let game = self.games[file];
                Some(vec![game.library().read(name).ok()?; game.seats()])
            };
            let (Some(own), Some(other)) = (read(0), read(variant)) else { return false };
            self.play([&own, &other], variant).use_of_change() == UseOfChange::Used
        };
        let is_other = |name: &&String| lineup.iter().all(|bot| bot.name() != name.as_str());
        candidates.iter().filter(is_other).find(|name| uses_it(name)).cloned()
    }

    fn play(&self, lineups: [&[BotFactory]; 2], variant: usize) -> LockstepTally {
        let blocks = 0..self.deals.min(MAX_DEALS);
        let experiments = lineups.map(|lineup| Experiment::new(lineup, self.seed, blocks.clone()));
        self.games[0].lockstep(self.games[variant], experiments, self.stop)
    }
}
