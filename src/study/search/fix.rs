//! The search for a page: the same games as those of the command with one bot, without a folder.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    MAX_VALUES,
    edits::EditSet,
    goals::{GoalVerdict, Goals},
    race::{SearchGames, SearchPlayer, Trial},
    tables::SearchAnalysis,
};
use crate::{
    arena::block_experiment::{BoxedExperiment, play_in_order},
    protocol::problem::Problem,
    run::study_run::StudyTally,
    study::shared::{key_values::KeyValues, prelude::*},
    web::fix::{FixProposal, FixTask, FixView, GoalView},
};

/// Maximum number of edits.
const MAX_EDITS: usize = 5;
/// Number of sentences of the answer, of which the first has the figures.
const SENTENCES: usize = 3;

/// Searches for the edits that a page asks for.
///
/// # Errors
/// If a key, a goal or a number is wrong, or if the search is stopped.
pub(crate) fn find_fix(task: &FixTask) -> Result<FixView, Problem> {
    find(task).map_err(Problem::from)
}

fn find(task: &FixTask) -> anyhow::Result<FixView> {
    let FixTask { request, game, document, .. } = task;
    let (max_edits, games) = (request.max_edits, request.games);
    ensure!((1..=MAX_EDITS).contains(&max_edits), "edits: expected 1 to {MAX_EDITS}");
    let max_games = MAX_GAMES / 4;
    ensure!((1..=max_games).contains(&games), "games: expected 1 to {max_games}");
    ensure!(!request.keys.is_empty(), "keys: expected a key, as in building.w2c1.points+=-1..1");
    let (document, players) = (document.clone(), request.players);
    let selection =
        GameSelection { game, document, config: None, players, provenance: Claim::default() };
    let game = selection.open()?;
    let keys = KeyValues::read_all("keys", &request.keys, &selection, MAX_VALUES)?;
    let text = request.goals.clone();
    let goals = Goals::parse(&Document { name: "the targets".to_owned(), text }, &game)?;
    let search = SearchGames {
        selection: &selection,
        library: &game.library().with_data([&selection.document])?,
        lineups: &LineupArguments::of_bot(game.library().default_bot()),
        adaptation: None,
        run: &RunArguments { seed: request.seed, threads: None, quiet: true },
        games: &[games],
        keys: &keys,
        goals: &goals,
        is_forked: &goals.forked_items(game.catalog()),
        max_edits,
    };
    let mut player = PagePlayer(task);
    // On the threads of all, the games of edits would wait for those of the search.
    let pool = build_thread_pool(None, u64::MAX, true)?;
    let found = pool.install(|| search.search(&mut player))?;
    ensure!(player.is_complete(), "the search was stopped");
    Ok(view(&SearchAnalysis::new(&keys, &goals, &found, max_edits, true)))
}

/// Plays the games until the task is stopped.
struct PagePlayer<'a>(&'a FixTask);

impl SearchPlayer for PagePlayer<'_> {
    fn play<T: StudyTally>(
        &mut self,
        experiments: &[BoxedExperiment<'_, T>],
        _: &(dyn Fn(usize) -> String + Sync),
    ) -> anyhow::Result<Vec<T>> {
        let FixTask { done, total, stop, .. } = self.0;
        let add = |count: &AtomicUsize, games: u64| {
            count.fetch_add(games as usize, Ordering::Relaxed);
        };
        for experiment in experiments {
            let Range { start, end } = experiment.blocks();
            add(total, (end - start) * experiment.games_per_block());
        }
        let play = |experiment: &BoxedExperiment<'_, T>| {
            let mut tally = experiment.empty_tally();
            let on_games = |games| add(done, games);
            play_in_order(&**experiment, experiment.blocks(), stop, &on_games, &mut |_, next| {
                tally.merge(&next);
                ControlFlow::Continue(())
            });
            tally
        };
        Ok(experiments.iter().map(play).collect())
    }

    fn is_complete(&self) -> bool {
        !self.0.stop.load(Ordering::Relaxed)
    }

    fn interrupt(&mut self) {}
}

/// Returns the answer for the page.
fn view(analysis: &SearchAnalysis<'_>) -> FixView {
    let proposal = |trial: &Trial| FixProposal {
        edits: edits_by_key(&trial.edits, analysis.keys),
        text: trial.edits.text(analysis.keys),
        is_met: analysis.is_met(trial),
        games: trial.measured.tally.games,
        figures: (analysis.goal_rows(trial))
            .map(|row| GoalView {
                title: row.goal.title.clone(),
                range: row.goal.range_text(),
                before: row.value_of_file(),
                after: row.goal.unit.format_estimate(row.estimate),
                verdict: GoalVerdict::name(row.goal.verdict(row.estimate)),
            })
            .collect(),
    };
    let mut trials: Vec<_> = analysis.sealed().collect();
    trials.sort_by_key(|trial| {
        let distance = analysis.goals.distance(&trial.values);
        (!analysis.is_met(trial), distance.to_bits(), trial.edits.steps(analysis.keys))
    });
    let [_, games, _] = analysis.count_games();
    FixView {
        sentences: analysis.sentences(SENTENCES).into_iter().take(SENTENCES).collect(),
        proposals: trials.into_iter().map(proposal).collect(),
        games,
    }
}

/// Returns the edited keys with their values. Keys that were joined have the same value.
fn edits_by_key(edits: &EditSet, keys: &[KeyValues]) -> Vec<(String, String)> {
    let of_edit = |&(index, value): &(usize, i64)| {
        let names = keys[index].key.split('+').map(str::to_owned);
        names.map(move |name| (name, value.to_string())).collect::<Vec<_>>()
    };
    edits.0.iter().flat_map(of_edit).collect()
}
