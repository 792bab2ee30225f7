//! `watershed balance ablate`: estimates the effects of items by forks of the same past, beside
//! association and regression, and of removing items from the data file.

pub mod analysis;
pub mod arguments;
pub mod experiment;
pub mod page;
mod remedy;
pub mod tables;

use std::{ops::Range, time::Instant};

use anyhow::bail;
use serde::Serialize;

use super::{
    compare::experiment::count_games,
    train::adaptation::{Adaptation, ComparedBots},
};
use crate::{
    arena::{
        compared_metrics::ComparedMetrics,
        comparison::{ComparisonExperiment, ComparisonTally},
        schedule::Rotations,
    },
    bots::profile::BotLibrary,
    games::{GameDefinition, GameList, GameTask},
    report::{
        data_table::Schema, origin::BotDescription, provenance::Provenance, text::provenance_line,
    },
    run::{
        ExitStatus,
        arguments::StudyTask,
        finish::FinishedStudy,
        lineups::{LineupResult, distinct_bot_names, distinct_bots},
        manifest::{DataSource, GameCounts, RunIdentity},
        page::StudyPage,
    },
};
use analysis::{ItemEffectsAnalysis, RemovedItemsAnalysis};
use arguments::Arguments;
use experiment::{ItemEffectsExperiment, ItemEffectsTally};
use maud::html;
use remedy::{Remedy, RemedyTrial, choose_value};

/// Describes all tables that the command can write.
pub fn schemas() -> Vec<Schema> {
    vec![
        tables::forks_schema(),
        tables::correlations_schema(),
        tables::removed_items_schema(),
        remedy::tables::schema(),
    ]
}

/// Runs the command.
pub(crate) fn run<L: GameList>(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve::<L>()?;
    selection.run_on_this_thread::<L, _>(StudyTask { arguments, selection: &selection })
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct Question<'a> {
    #[serde(flatten)]
    data: DataSource,
    bots: &'a [BotDescription],
    value: &'a str,
    item: &'a [String],
    only: &'a [String],
    remove: &'a [String],
    baseline: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adaptation: Option<&'a Adaptation>,
    #[serde(flatten)]
    counts: GameCounts,
}

impl GameTask for StudyTask<'_, Arguments> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: GameDefinition>(
        self,
        game: &G,
        library: &BotLibrary<G>,
    ) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let games = arguments.games(selection.players);
        let output = &arguments.output;
        let run = &output.run;
        let (evaluator_name, evaluator) = arguments.read_evaluator(&library.profiles)?;
        let is_selected = arguments.read_selection(game.catalog())?;
        let items = arguments.read_removed_items(selection, game.catalog())?;
        let plan = arguments.remedy.read(selection, game.catalog(), &is_selected)?;
        let remedy_documents = plan.as_ref().map_or(&[][..], |plan| &plan.documents);
        let changed_documents = || items.iter().map(|item| &item.document).chain(remedy_documents);
        let changed = changed_documents().map(|document| G::bind(document, selection.players));
        let changed = changed.collect::<Result<Vec<_>, _>>()?;
        if arguments.adaptation.adapt && items.is_empty() {
            bail!("--adapt: expected --remove with it, which changes the data file");
        }
        // The data file is the baseline of the changed files.
        let documents = changed_documents();
        let files: Vec<_> = [game]
            .into_iter()
            .chain(&changed)
            .zip([&selection.document].into_iter().chain(documents))
            .collect();
        let library = &library.with_data(files.iter().map(|(_, document)| *document))?;
        let folder = output.lock_folder(game, &[("--config", selection.config.as_deref())])?;
        let bots =
            arguments.adaptation.read_bots(&arguments.lineups, &files, library, run, &folder)?;
        let Some(ComparedBots { lineups_by_file, adaptation }) = bots else {
            return Ok(ExitStatus::Negative);
        };
        let lineups = &lineups_by_file[0];
        let compared = if items.is_empty() { &[] } else { &files[..=items.len()] };
        let lineup_games = &arguments.lineups.games_by_lineup(library, games)[..];
        let games_per_file = count_games(lineups, 1, lineup_games)?;
        let blocks = lineups.iter().map(|lineup| Rotations::new(lineup).blocks_for_games(games));
        let pool = run.thread_pool(blocks.max().unwrap_or(0), lineups.iter().flatten())?;
        let mut games_planned = (1 + compared.len() as u64) * games_per_file;

        let started = Instant::now();
        let names = distinct_bot_names(&lineups[0]);
        let metrics = ComparedMetrics::for_game(selection.players, names.len());
        let results =
            run.play_lineups(&pool, lineups, games_per_file, |lineup, stop, report| {
                let experiment = &run.new_experiment(game, &lineups[lineup], lineup_games[lineup]);
                let (evaluator, is_selected) = (&evaluator, &is_selected[..]);
                ItemEffectsExperiment { experiment, evaluator, is_selected }.run(stop, report)
            })?;
        let file_count = compared.len() as u64;
        let comparisons = run.play_lineups(
            &pool,
            lineups,
            file_count * games_per_file,
            |lineup, stop, report| {
                let experiments = compared.iter().zip(&lineups_by_file);
                let experiments = experiments
                    .map(|((game, _), lineups)| {
                        run.new_experiment(*game, &lineups[lineup], lineup_games[lineup])
                    })
                    .collect();
                ComparisonExperiment { experiments, metrics: &metrics }.run(stop, report)
            },
        )?;

        let mut remedy_games = [0; 3];
        let mut remedy = None;
        if let Some(plan) = &plan {
            let first = 1 + items.len();
            let play = |value: usize, is_confirmation: bool| {
                let lineups = &lineups_by_file[first + value][..1];
                let file = files[first + value].0;
                let games_of_lineup = count_games(lineups, 1, &lineup_games[..1])?;
                let results =
                    run.play_lineups(&pool, lineups, games_of_lineup, |lineup, stop, report| {
                        let mut experiment =
                            run.new_experiment(file, &lineups[lineup], lineup_games[0]);
                        if is_confirmation {
                            // As many deals, which follow those of the search.
                            let Range { start, end } = experiment.blocks;
                            experiment.blocks = end..end + (end - start);
                        }
                        let experiment = &experiment;
                        let (evaluator, is_selected) = (&evaluator, &is_selected[..]);
                        ItemEffectsExperiment { experiment, evaluator, is_selected }
                            .run(stop, report)
                    })?;
                let place = [value, usize::from(is_confirmation)];
                let trial = RemedyTrial::new(plan, file, &is_selected, &results[0], place);
                let LineupResult { lineup, tally, .. } = &results[0];
                let counts = [tally.blocks, tally.games, tally.capped];
                anyhow::Ok((trial, lineup.clone(), counts, games_of_lineup))
            };
            let mut trials = Vec::new();
            let mut name = String::new();
            let mut planned = 0;
            let mut add = |value: usize, is_confirmation: bool, trials: &mut Vec<_>| {
                let (trial, lineup, counts, games) = play(value, is_confirmation)?;
                trials.push(trial);
                name = lineup;
                planned += games;
                remedy_games.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                anyhow::Ok(())
            };
            for value in 0..plan.values.len() {
                add(value, false, &mut trials)?;
            }
            if let Some(value) = choose_value(plan, &trials) {
                add(value, true, &mut trials)?;
            }
            games_planned += planned;
            let label = game.catalog().item(plan.item).label.clone();
            remedy = Some(Remedy { plan: plan.clone(), lineup: name, label, trials });
        }

        let effects = ItemEffectsAnalysis::new(game.catalog(), &is_selected, &results);
        let [forks, correlations] = effects.tables(&selection.provenance);
        let adapted = adaptation.as_ref();
        let mut text = provenance_line(&selection.provenance)
            + &adapted.map(Adaptation::text).unwrap_or_default()
            + &effects.text();
        let marks = Provenance::read(&selection.document.text);
        let mut body = effects.report_body(&forks, &correlations, &marks);
        let mut tables = vec![forks, correlations];
        if !items.is_empty() {
            let removed = RemovedItemsAnalysis::new(&metrics, &items, &comparisons);
            let table = removed.table(&selection.provenance);
            text += &removed.text();
            body.sections.push(removed.section(&table));
            tables.push(table);
        }
        if let Some(remedy) = &remedy {
            let name = &game.catalog().item(remedy.plan.item).name;
            let table = remedy.table(name, &selection.provenance);
            text = format!("{text}{}", remedy.text());
            body.lead = html! { (remedy.sentence()) " " (body.lead) };
            body.sections.insert(0, remedy.section(&table));
            tables.push(table);
        }
        body.sections.extend(adapted.map(Adaptation::section));
        let of_games = |tally: &ItemEffectsTally| [tally.blocks, tally.games, tally.capped];
        let played = results.iter().map(|result| of_games(&result.tally));
        let of_files = |tally: &ComparisonTally| [0, tally.games * file_count, tally.capped];
        let compared = comparisons.iter().map(|result| of_files(&result.tally));
        let counts = GameCounts::sum(games_planned, played.chain(compared).chain([remedy_games]));
        let bots = distinct_bots(lineups.iter().flatten());
        let study = FinishedStudy {
            command: arguments.repeat_command(selection, lineups, &evaluator_name),
            identity: RunIdentity::new(selection.game.id, selection.players, run.seed()),
            question: Question {
                data: DataSource::new(&selection.document, &selection.provenance),
                bots: &bots,
                value: &evaluator_name,
                item: &arguments.item,
                only: &arguments.only,
                remove: &arguments.remove,
                baseline: arguments.baseline.as_deref(),
                adaptation: adapted,
                counts,
            },
            counts,
            complete: counts.games == games_planned,
            threads: pool.current_num_threads(),
            started,
            text,
            page: Some(StudyPage {
                body,
                bots: &bots,
                data: &[("", &selection.document)],
                provenance: &selection.provenance,
            }),
            tables,
        };
        let status = study.finish(output, &folder)?;
        let Some(remedy) = remedy else { return Ok(status) };
        if let Some(text) = remedy.data_file(&selection.document) {
            folder.write(remedy::FILE, text.as_bytes())?;
            return Ok(status);
        }
        Ok(ExitStatus::Negative)
    }
}
