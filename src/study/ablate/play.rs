//! The games of the study: with the data file, with items removed, and with the values of a remedy.

use super::remedy::{Remedy, RemedyPlan, RemedyTrial};
use crate::{
    run::arguments::Deals,
    study::shared::{comparison::experiment::count_games, prelude::*, tallied_games::TalliedGames},
};

/// Number of planned games, and blocks, games and games at the round limit that were played.
pub(super) type PlayedCounts = (u64, [u64; 3]);

/// Everything that the games are played with.
pub(super) struct AblateGames<'a> {
    pub(super) run: &'a RunArguments,
    /// The game with the data file, with those without items, and with those of the remedy.
    pub(super) files: &'a [(&'a BoundGame, &'a Document)],
    pub(super) lineups_by_file: &'a [Vec<Vec<BotFactory>>],
    /// Games of each lineup.
    pub(super) lineup_games: &'a [u64],
    /// For each item, true if its forks are played.
    pub(super) is_selected: &'a [bool],
}

impl AblateGames<'_> {
    /// Plays games with forks in a file by its first lineups.
    pub(super) fn effects(
        &self,
        study: &mut StudyRun<'_>,
        file: usize,
        lineups: usize,
        deals: Deals,
    ) -> anyhow::Result<Vec<LineupResult<ItemEffectsTally>>> {
        let (game, _) = self.files[file];
        let lineups = &self.lineups_by_file[file][..lineups];
        let experiments = lineups.iter().zip(self.lineup_games).map(|(lineup, &games)| {
            let experiment = deals.of(self.run.new_experiment(lineup, games));
            game.item_effects(experiment, self.is_selected, ForkArms::All)
        });
        study.play_lineups(experiments)
    }

    /// Plays the same games by the first lineup without forks.
    pub(super) fn tally(&self, study: &mut StudyRun<'_>) -> anyhow::Result<Tally> {
        let (game, _) = self.files[0];
        let experiment = self.run.new_experiment(&self.lineups_by_file[0][0], self.lineup_games[0]);
        let experiment = Experiment { play_statistics: true, ..experiment };
        let games = [TalliedGames::new(game, experiment)].into_iter();
        let mut played = TalliedGames::play(study, games, |_| "offers of items".to_owned())?;
        Ok(played.remove(0))
    }

    /// Plays whole games in the first files on the same deals.
    pub(super) fn comparison(
        &self,
        study: &mut StudyRun<'_>,
        files: usize,
        metrics: &ComparedMetrics,
    ) -> anyhow::Result<Vec<LineupResult<ComparisonTally>>> {
        if files == 0 {
            return Ok(Vec::new());
        }
        let (baseline, _) = self.files[0];
        let variants = self.files.get(1..files).unwrap_or_default();
        let variants: Vec<_> = variants.iter().map(|(game, _)| *game).collect();
        let experiments = self.lineup_games.iter().enumerate().map(|(lineup, &games)| {
            let experiments = self.lineups_by_file[..files]
                .iter()
                .map(|lineups| self.run.new_experiment(&lineups[lineup], games));
            baseline.comparison(&variants, experiments.collect(), metrics)
        });
        study.play_lineups(experiments)
    }

    /// Plays all values of a remedy, whose files follow `first`, with the first lineup, then the
    /// chosen one with all lineups on fresh deals.
    pub(super) fn remedy(
        &self,
        study: &mut StudyRun<'_>,
        plan: &RemedyPlan,
        first: usize,
    ) -> anyhow::Result<(Remedy, PlayedCounts)> {
        let mut trials = Vec::new();
        let (mut planned, mut played) = (0, [0; 3]);
        let mut add =
            |value: usize, lineups: usize, deals: Deals, trials: &mut Vec<RemedyTrial>| {
                let file = first + value;
                let games = &self.lineup_games[..lineups];
                planned += count_games(&self.lineups_by_file[file][..lineups], 1, games)?;
                let (game, _) = self.files[file];
                for result in self.effects(study, file, lineups, deals)? {
                    let is_fresh = deals == Deals::Fresh;
                    let counts = [result.tally.blocks, result.tally.games, result.tally.capped];
                    played.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                    let selected = self.is_selected;
                    trials.push(RemedyTrial::new(
                        plan,
                        game.catalog(),
                        selected,
                        &result,
                        value,
                        is_fresh,
                    ));
                }
                anyhow::Ok(())
            };
        for value in 0..plan.values.len() {
            add(value, 1, Deals::First, &mut trials)?;
        }
        if let Some(value) = plan.choose_value(&trials) {
            add(value, self.lineup_games.len(), Deals::Fresh, &mut trials)?;
        }
        let lineup = trials.first().map(|trial| trial.lineup.clone()).unwrap_or_default();
        let item = self.files[0].0.catalog().item(plan.item);
        let (label, name) = (item.label.clone(), item.name.clone());
        Ok((Remedy { plan: plan.clone(), lineup, label, name, trials }, (planned, played)))
    }
}
