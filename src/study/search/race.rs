//! The games of the search: candidates race on common deals, the best are played on fresh deals,
//! and one for each number of edits on sealed deals.

use super::{
    edits::{AdditiveModel, EditSet},
    goals::{Goals, Measured},
};
use crate::{
    arena::block_experiment::BoxedExperiment,
    run::{
        arguments::Deals, lineups::lineup_label, study_run::StudyTally, validation::validate_data,
    },
    study::shared::{
        adaptation::{Adaptation, AdaptationArguments, ComparedBots, read_lineups},
        key_values::KeyValues,
        prelude::*,
        tallied_games::TalliedGames,
    },
};

/// Share of the games after which the first half of the candidates is left out.
const FIRST_STAGE: u64 = 16;
/// Number of candidates of one number of edits that are played on fresh deals.
const FINALISTS: usize = 3;
/// Number of predicted sets of several edits that race.
const RACED: usize = 32;

/// Plays the experiments of a search.
pub(super) trait SearchPlayer {
    /// Plays experiments one after the other. `text` describes the experiment with an index.
    fn play<T: StudyTally>(
        &mut self,
        experiments: &[BoxedExperiment<'_, T>],
        text: &(dyn Fn(usize) -> String + Sync),
    ) -> anyhow::Result<Vec<T>>;

    /// Returns true if no experiment was interrupted.
    fn is_complete(&self) -> bool;

    /// Marks the search as interrupted in work besides its games.
    fn interrupt(&mut self);
}

impl SearchPlayer for StudyRun<'_> {
    fn play<T: StudyTally>(
        &mut self,
        experiments: &[BoxedExperiment<'_, T>],
        text: &(dyn Fn(usize) -> String + Sync),
    ) -> anyhow::Result<Vec<T>> {
        StudyRun::play(self, experiments, |index, _| text(index))
    }

    fn is_complete(&self) -> bool {
        StudyRun::is_complete(self)
    }

    fn interrupt(&mut self) {
        self.set_incomplete(true);
    }
}

/// Everything that the games are played with.
pub(super) struct SearchGames<'a> {
    pub(super) selection: &'a GameSelection,
    pub(super) library: &'a BotLibrary,
    pub(super) lineups: &'a LineupArguments,
    /// The training of the bots on each data file, if that is asked for, with the folder of the
    /// run.
    pub(super) adaptation: Option<(&'a AdaptationArguments, &'a RunFolder)>,
    pub(super) run: &'a RunArguments,
    /// Games of each lineup.
    pub(super) games: &'a [u64],
    pub(super) keys: &'a [KeyValues],
    pub(super) goals: &'a Goals,
    pub(super) is_forked: &'a [bool],
    pub(super) max_edits: usize,
}

watershed_engine::named! {
    /// The part of the search in which a result was found.
    pub(super) enum Stage {
        /// Common deals of all candidates.
        Race = "race",
        /// Fresh deals of the best candidates.
        Fresh = "fresh",
        /// Deals that nothing before has seen.
        Sealed = "sealed",
    }
}

/// The games of a set of edits.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) edits: EditSet,
    pub(super) stage: Stage,
    pub(super) lineup: String,
    pub(super) measured: Measured,
    /// The values of the figures.
    pub(super) values: Vec<f64>,
    /// True if they lie in their ranges.
    pub(super) is_inside: bool,
}

/// What the search found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The games of the data file on the common deals; empty if interrupted.
    pub(super) file: Option<Trial>,
    /// The races of all candidates, and the finalists on fresh deals.
    pub(super) trials: Vec<Trial>,
    /// The sealed games, by each lineup, of the data file, of the best set of each number of edits
    /// that did not meet all goals on fresh deals, and of the sets that did, the best first.
    pub(super) sealed: Vec<Trial>,
    pub(super) adaptation: Option<Adaptation>,
}

/// A set of edits with its games so far.
struct RacedSet {
    edits: EditSet,
    game: BoundGame,
    lineup: Vec<BotFactory>,
    measured: Measured,
}

/// A data file with a lineup, and the blocks of some deals that it plays.
struct PlayedFile<'a> {
    game: &'a BoundGame,
    lineup: &'a [BotFactory],
    /// Games of the lineup on all of these deals.
    games: u64,
    deals: Deals,
    /// Blocks of the lineup, from the first of these deals.
    blocks: Range<u64>,
}

impl PlayedFile<'_> {
    /// Returns the experiment that plays the blocks.
    fn experiment(&self, run: &RunArguments) -> Experiment<'_> {
        let experiment = self.deals.of(run.new_experiment(self.lineup, self.games));
        let start = experiment.blocks.start;
        let Range { start: first, end } = self.blocks;
        Experiment { blocks: start + first..start + end, ..experiment }
    }
}

impl SearchGames<'_> {
    /// Searches until a number of edits meets all goals, and plays the sealed games of the best.
    pub(super) fn search(&self, study: &mut impl SearchPlayer) -> anyhow::Result<Found> {
        let mut found = Found::default();
        let ends = self.stage_ends()?;
        let mut file = [self.candidate(EditSet::default())?];
        self.play(study, &mut file, Deals::First, 0..ends[0])?;
        let first_figures = self.goals.effects(&file[0].measured);
        let last = ends.last().copied().unwrap_or_default();
        self.play(study, &mut file, Deals::First, ends[0]..last)?;
        let [file] = file;
        if study.is_complete() {
            self.goals.ensure_measured(&file.measured)?;
        }
        found.file = Some(self.trial(&file, Stage::Race));
        let is_missed =
            found.file.as_ref().is_some_and(|file| self.goals.is_missed(&file.measured));
        if !study.is_complete() || !is_missed {
            return Ok(found);
        }
        let mut model =
            AdditiveModel { goals: self.goals, file: first_figures, singles: Vec::new() };
        let mut best_sets = Vec::new();
        for edits in 1..=self.max_edits.min(self.keys.len()) {
            let sets = match edits {
                1 => EditSet::singles(self.keys),
                _ => self.valid_sets(model.best_sets(self.keys, edits)),
            };
            let finalists = self.race(study, sets, &ends, &mut found, &mut model)?;
            if !study.is_complete() {
                return Ok(found);
            }
            let trials = self.play_fresh(study, finalists, last)?;
            let is_met = trials.iter().any(|trial| trial.is_inside);
            let best = trials.iter().filter(|trial| trial.is_inside || !is_met);
            let count = if is_met { FINALISTS } else { 1 };
            best_sets.extend(best.take(count).map(|trial| trial.edits.clone()));
            found.trials.extend(trials);
            if is_met || !study.is_complete() {
                break;
            }
        }
        if study.is_complete() {
            self.play_sealed(study, best_sets, &mut found)?;
        }
        Ok(found)
    }

    /// Returns the numbers of blocks after which candidates are left out, the last one that of the
    /// first lineup's games.
    fn stage_ends(&self) -> anyhow::Result<Vec<u64>> {
        let file = self.candidate(EditSet::default())?;
        let blocks = self.run.new_experiment(&file.lineup, self.games[0]).blocks.end;
        let mut ends = vec![(blocks / FIRST_STAGE).max(1)];
        while let Some(&end) = ends.last()
            && end < blocks
        {
            ends.push((2 * end).min(blocks));
        }
        Ok(ends)
    }

    /// Returns the first sets whose edits the game accepts together.
    fn valid_sets(&self, sets: Vec<EditSet>) -> Vec<EditSet> {
        let is_valid = |set: &EditSet| {
            let document = set.document(self.keys, &self.selection.document);
            document.is_ok_and(|document| validate_data(self.selection, &document).is_ok())
        };
        sets.into_iter().filter(is_valid).take(RACED).collect()
    }

    /// Opens an edited data file with the first lineup.
    fn candidate(&self, edits: EditSet) -> anyhow::Result<RacedSet> {
        let document = edits.document(self.keys, &self.selection.document)?;
        let game = self.open(&document)?;
        let mut lineups = read_lineups(self.lineups, &game, self.library, Arc::default())?;
        let measured = Measured::default();
        Ok(RacedSet { edits, game, lineup: lineups.swap_remove(0), measured })
    }

    fn open(&self, document: &Document) -> anyhow::Result<BoundGame> {
        Ok(self.selection.game.open(document, self.selection.players)?)
    }

    /// Plays blocks of all candidates, and adds them to their statistics. An interrupted study
    /// plays some of them.
    fn play(
        &self,
        study: &mut impl SearchPlayer,
        candidates: &mut [RacedSet],
        deals: Deals,
        blocks: Range<u64>,
    ) -> anyhow::Result<()> {
        let measured = {
            let played = candidates.iter().map(|candidate| PlayedFile {
                game: &candidate.game,
                lineup: &candidate.lineup,
                games: self.games[0],
                deals,
                blocks: blocks.clone(),
            });
            let text = |index: usize| candidates[index].edits.text(self.keys);
            self.measure(study, &played.collect::<Vec<_>>(), &text)?
        };
        for (candidate, next) in candidates.iter_mut().zip(measured) {
            if candidate.measured.tally.blocks == 0 {
                candidate.measured = next;
            } else {
                candidate.measured.merge(&next);
            }
        }
        Ok(())
    }

    /// Plays games, and their forks if goals ask for them. An interrupted study plays some of them.
    fn measure(
        &self,
        study: &mut impl SearchPlayer,
        played: &[PlayedFile<'_>],
        text: &(dyn Fn(usize) -> String + Sync),
    ) -> anyhow::Result<Vec<Measured>> {
        let games =
            played.iter().map(|file| TalliedGames::new(file.game, file.experiment(self.run)));
        let games: Vec<_> = games.collect();
        let experiments: Vec<_> = games.iter().map(TalliedGames::boxed).collect();
        let tallies = study.play(&experiments, text)?.into_iter();
        let measured = tallies.map(|games| Measured { tally: games.tally, ..Measured::default() });
        let mut measured: Vec<_> = measured.collect();
        if self.is_forked.contains(&true) {
            let experiments = played.iter().map(|file| {
                file.game.item_effects(file.experiment(self.run), self.is_forked, ForkArms::All)
            });
            let forks = study.play(&experiments.collect::<Vec<_>>(), text)?;
            measured.iter_mut().zip(forks).for_each(|(one, forks)| one.forks = forks);
        }
        Ok(measured)
    }

    /// Returns the games of a candidate so far.
    fn trial(&self, candidate: &RacedSet, stage: Stage) -> Trial {
        Trial {
            edits: candidate.edits.clone(),
            stage,
            lineup: lineup_label(&candidate.lineup),
            values: self.goals.values(&candidate.measured),
            is_inside: self.goals.is_inside(&candidate.measured),
            measured: candidate.measured.clone(),
        }
    }

    /// Halves the candidates after each stage, of which each has twice as many games as the one
    /// before, by their distance from the goals (successive halving, Karnin et al. 2013). Returns
    /// those that remain.
    fn race(
        &self,
        study: &mut impl SearchPlayer,
        sets: Vec<EditSet>,
        ends: &[u64],
        found: &mut Found,
        model: &mut AdditiveModel<'_>,
    ) -> anyhow::Result<Vec<EditSet>> {
        let candidates = sets.into_iter().map(|set| self.candidate(set));
        let mut candidates = candidates.collect::<anyhow::Result<Vec<_>>>()?;
        let mut start = 0;
        for &end in ends {
            self.play(study, &mut candidates, Deals::First, start..end)?;
            if start == 0 && candidates.iter().all(|candidate| candidate.edits.len() == 1) {
                model.singles = candidates
                    .iter()
                    .map(|candidate| {
                        (candidate.edits.clone(), self.goals.values(&candidate.measured))
                    })
                    .collect();
            }
            start = end;
            candidates.sort_by_cached_key(|candidate| {
                let beyond =
                    self.goals.distance_beyond_error(&self.goals.effects(&candidate.measured));
                let values = self.goals.values(&candidate.measured);
                let from_middle = self.goals.distance_from_middle(&values);
                // Distances are not negative, so the order of their bits is that of their values.
                (beyond.to_bits(), from_middle.to_bits(), candidate.edits.steps(self.keys))
            });
            let kept = (candidates.len() / 2).max(FINALISTS).min(candidates.len());
            let is_over = end == ends[ends.len() - 1] || candidates.len() <= FINALISTS;
            let kept = if is_over { 0 } else { kept };
            let left_out = candidates.iter().skip(kept);
            found.trials.extend(left_out.map(|candidate| self.trial(candidate, Stage::Race)));
            if is_over || !study.is_complete() {
                break;
            }
            candidates.truncate(kept);
        }
        candidates.truncate(FINALISTS);
        Ok(candidates.into_iter().map(|candidate| candidate.edits).collect())
    }

    /// Plays the finalists on fresh deals, and returns them, the best first: those that meet all
    /// goals with their whole intervals, the smallest edits first, then those whose estimates do,
    /// then the others by their distance.
    fn play_fresh(
        &self,
        study: &mut impl SearchPlayer,
        finalists: Vec<EditSet>,
        blocks: u64,
    ) -> anyhow::Result<Vec<Trial>> {
        let finalists = finalists.into_iter().map(|set| self.candidate(set));
        let mut finalists = finalists.collect::<anyhow::Result<Vec<_>>>()?;
        self.play(study, &mut finalists, Deals::Fresh, 0..blocks)?;
        let mut trials: Vec<_> =
            finalists.iter().map(|finalist| self.trial(finalist, Stage::Fresh)).collect();
        trials.sort_by_cached_key(|trial| {
            let is_met = self.goals.is_met(&trial.measured, 1);
            let distance = self.goals.distance(&trial.values);
            let steps = if is_met { trial.edits.steps(self.keys) } else { 0 };
            let from_middle = self.goals.distance_from_middle(&trial.values);
            (!is_met, !trial.is_inside, distance.to_bits(), steps, from_middle.to_bits())
        });
        Ok(trials)
    }

    /// Plays the data file and the best sets with all lineups on sealed deals, with bots that are
    /// adapted to each file if that is asked for.
    fn play_sealed(
        &self,
        study: &mut impl SearchPlayer,
        best_sets: Vec<EditSet>,
        found: &mut Found,
    ) -> anyhow::Result<()> {
        let sets: Vec<_> = std::iter::once(EditSet::default()).chain(best_sets).collect();
        let document = |set: &EditSet| set.document(self.keys, &self.selection.document);
        let documents = sets.iter().map(document).collect::<anyhow::Result<Vec<_>>>()?;
        let games = documents.iter().map(|document| self.open(document));
        let games = games.collect::<anyhow::Result<Vec<_>>>()?;
        let files: Vec<_> = games.iter().zip(&documents).collect();
        let bots = match self.adaptation {
            Some((adaptation, folder)) => {
                adaptation.read_bots(self.lineups, &files, self.library, self.run, folder)?
            }
            None => Some(ComparedBots::read(self.lineups, &files, self.library)?),
        };
        let Some(ComparedBots { lineups_by_file, adaptation }) = bots else {
            study.interrupt();
            return Ok(());
        };
        found.adaptation = adaptation;
        let mut played = Vec::new();
        let mut sets_played = Vec::new();
        for ((set, game), lineups) in sets.iter().zip(&games).zip(&lineups_by_file) {
            for (lineup, &games) in lineups.iter().zip(self.games) {
                let blocks = self.run.new_experiment(lineup, games).blocks;
                let deals = Deals::Sealed;
                played.push(PlayedFile { game, lineup, games, deals, blocks });
                sets_played.push(set);
            }
        }
        let text = |index: usize| lineup_label(played[index].lineup);
        let measured = self.measure(study, &played, &text)?;
        for ((&set, file), measured) in sets_played.iter().zip(&played).zip(measured) {
            found.sealed.push(Trial {
                edits: set.clone(),
                stage: Stage::Sealed,
                lineup: lineup_label(file.lineup),
                values: self.goals.values(&measured),
                is_inside: self.goals.is_inside(&measured),
                measured,
            });
        }
        Ok(())
    }
}
