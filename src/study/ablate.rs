//! `watershed balance ablate`: estimates the effects of items by forks of the same past, and of
//! removing items from the data file.

pub mod analysis;
pub(crate) mod arguments;
pub(crate) mod page;
mod play;
pub(super) mod remedy;
mod removed_items;
mod screen;
pub(crate) mod tables;

use analysis::ItemEffectsAnalysis;
use arguments::AblateArguments;
use play::AblateGames;
use remedy::{Remedy, RemedyPlan};
use removed_items::{RemovedItem, RemovedItemsAnalysis};

use super::shared::{
    adaptation::{Adaptation, ComparedBots},
    comparison::experiment::count_games,
    convergence,
    planned_study::{OpenedStudy, StudyAnswer, StudyArguments, max_blocks},
};
use crate::{
    run::{arguments::Deals, lineups::distinct_bot_names},
    study::shared::prelude::*,
};

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    let tables = [
        tables::forks_columns().schema(),
        tables::removed_items_columns().schema(),
        remedy::tables::columns().schema(),
    ];
    tables.into_iter().chain([convergence::schema()]).collect()
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct AblateQuestion<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    adaptation: Option<&'a Adaptation>,
}

/// Everything that was found.
struct Findings<'a> {
    effects: ItemEffectsAnalysis<'a>,
    removed: Option<RemovedItemsAnalysis<'a>>,
    remedy: Option<&'a Remedy>,
    adapted: Option<&'a Adaptation>,
}

impl Findings<'_> {
    /// Returns the report.
    fn report(&self, task: &AblateTask<'_>, played: &PlayedGames) -> StudyReport {
        let Self { effects, removed, remedy, adapted } = self;
        let selection = task.selection;
        let provenance = &selection.provenance;
        let mut report = StudyReport::new("What is each card worth?");
        task.add_screen(played, remedy.is_some(), &mut report);
        if let Some(remedy) = remedy {
            remedy.add_to(&mut report, provenance);
        }
        if let Some(adapted) = adapted {
            report.terminal(&adapted.text());
        }
        report.terminal(&effects.games_text());
        effects.agreement().add_trends(&mut report, provenance);
        effects.add_sections(&Provenance::read(&selection.document.text), provenance, &mut report);
        if let Some(removed) = removed {
            removed.add_section(provenance, &mut report);
        }
        if let Some(adapted) = adapted {
            adapted.add_section(&mut report);
        }
        report
    }
}

/// Returns the numbers of blocks, games, and games that the round limit ended, of each lineup: with
/// the data file, and with `files` changed files.
fn count_played<'a>(
    results: &'a [LineupResult<ItemEffectsTally>],
    comparisons: &'a [LineupResult<ComparisonTally>],
    files: usize,
) -> impl Iterator<Item = [u64; 3]> + 'a {
    let of_games = |tally: &ItemEffectsTally| [tally.blocks, tally.games, tally.capped];
    let of_files = move |tally: &ComparisonTally| [0, tally.games * files as u64, tally.capped];
    let played = results.iter().map(move |result| of_games(&result.tally));
    played.chain(comparisons.iter().map(move |result| of_files(&result.tally)))
}

/// Runs the command.
pub(crate) fn run(opened: &OpenedStudy<'_, AblateArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, command } = opened;
    let StudyArguments { own, output, parts, .. } = arguments;
    let task = AblateTask::read(own, selection, game)?;
    let changed = task.open_changed()?;
    if own.adaptation.adapt && task.items.is_empty() {
        bail!("--adapt: expected --remove with it, which changes the data file");
    }
    // The data file is the baseline of the changed files.
    let files: Vec<_> = [game]
        .into_iter()
        .chain(changed.iter())
        .zip([&selection.document].into_iter().chain(task.changed_documents()))
        .collect();
    let library = &game.library().with_data(files.iter().map(|(_, document)| *document))?;
    let inputs = [("--config", selection.config.as_deref())];
    let folder = parts.lock_folder(output, game, &inputs)?;
    let bots = own.adaptation.read_bots(&own.lineups, &files, library, &output.run, &folder)?;
    let Some(ComparedBots { lineups_by_file, adaptation }) = &bots else {
        return Ok(ExitStatus::Negative);
    };
    let lineups = &lineups_by_file[0];
    let games = own.games(selection.players);
    let lineup_games = &own.lineups.games_by_lineup(library, games)[..];
    let games_per_file = count_games(lineups, 1, lineup_games)?;
    let max_blocks = max_blocks(lineups, lineup_games);
    let command = &command.with("--games", Some(games));
    let mut plan = opened.plan(lineups.iter().flatten(), max_blocks);
    plan.command = command;
    plan.folder = Some(folder);
    // Values of a remedy are chosen by earlier games.
    plan.grows = task.plan.is_none();
    plan.run(|study| {
        let names = distinct_bot_names(&lineups[0]);
        let metrics = ComparedMetrics::for_game(selection.players, names.len());
        let games = AblateGames {
            run: &output.run,
            files: &files,
            lineups_by_file,
            lineup_games,
            is_selected: &task.is_selected,
        };
        let played = task.play(&games, study, &metrics, games_per_file)?;
        task.answer(study, &played, &metrics, adaptation.as_ref())
    })
}

/// What the command is to find, as the flags name it.
struct AblateTask<'a> {
    arguments: &'a AblateArguments,
    selection: &'a GameSelection,
    game: &'a BoundGame,
    /// For each item, true if its forks are played.
    is_selected: Vec<bool>,
    items: Vec<RemovedItem>,
    plan: Option<RemedyPlan>,
}

/// The results of all games.
struct PlayedGames {
    effects: Vec<LineupResult<ItemEffectsTally>>,
    /// The games of the first lineup without forks, which count how often items are taken.
    tally: Tally,
    comparisons: Vec<LineupResult<ComparisonTally>>,
    remedy: Option<Remedy>,
    counts: GameCounts,
}

impl<'a> AblateTask<'a> {
    /// Reads the flags that name items, and the remedy.
    fn read(
        arguments: &'a AblateArguments,
        selection: &'a GameSelection,
        game: &'a BoundGame,
    ) -> anyhow::Result<Self> {
        let is_selected = arguments.read_selection(game.catalog())?;
        let items = arguments.read_removed_items(selection, game.catalog())?;
        let plan = arguments.remedy.read(selection, game.catalog(), &is_selected)?;
        Ok(Self { arguments, selection, game, is_selected, items, plan })
    }

    /// Returns the changed data files: without items, then with the values of the remedy.
    fn changed_documents(&self) -> impl Iterator<Item = &Document> {
        let of_remedy = self.plan.as_ref().map_or(&[][..], |plan| &plan.documents);
        self.items.iter().map(|item| &item.document).chain(of_remedy)
    }

    /// Binds the game to each changed data file.
    fn open_changed(&self) -> Result<Vec<BoundGame>, ConfigError> {
        let GameSelection { game, players, .. } = *self.selection;
        self.changed_documents().map(|document| game.open(document, players)).collect()
    }

    /// Returns the number of data files that are compared: with all items, and without each.
    fn compared_files(&self) -> usize {
        if self.items.is_empty() { 0 } else { 1 + self.items.len() }
    }

    /// Plays the forks, the games without items and those of the remedy.
    fn play(
        &self,
        games: &AblateGames<'_>,
        study: &mut StudyRun<'_>,
        metrics: &ComparedMetrics,
        games_per_file: u64,
    ) -> anyhow::Result<PlayedGames> {
        let file_count = self.compared_files();
        let effects = games.effects(study, 0, games.lineup_games.len(), Deals::First)?;
        let tally = games.tally(study)?;
        let comparisons = games.comparison(study, file_count, metrics)?;
        let first_of_remedy = 1 + self.items.len();
        let remedy = self.plan.as_ref().map(|plan| games.remedy(study, plan, first_of_remedy));
        let (remedy, remedy_counts) = remedy.transpose()?.unzip();
        let (remedy_planned, remedy_games) = remedy_counts.unwrap_or_default();
        let games_planned = (1 + file_count as u64) * games_per_file + remedy_planned;
        let played = count_played(&effects, &comparisons, file_count);
        let counts = GameCounts::sum(games_planned, played.chain([remedy_games]));
        Ok(PlayedGames { effects, tally, comparisons, remedy, counts })
    }

    /// Analyses the results, and writes the data file of the remedy.
    fn answer(
        &self,
        study: &mut StudyRun<'_>,
        played: &PlayedGames,
        metrics: &ComparedMetrics,
        adapted: Option<&'a Adaptation>,
    ) -> anyhow::Result<StudyAnswer<AblateQuestion<'a>>> {
        let Self { selection, game, is_selected, items, .. } = self;
        let PlayedGames { effects, comparisons, remedy, counts, .. } = played;
        let effects = ItemEffectsAnalysis::new(game.catalog(), is_selected, effects);
        let removed =
            (!items.is_empty()).then(|| RemovedItemsAnalysis::new(metrics, items, comparisons));
        let remedy = remedy.as_ref();
        let findings = Findings { effects, removed, remedy, adapted };
        let report = findings.report(self, played);
        // Later games of an interrupted study may change the answer.
        let remedied = remedy.map(|remedy| remedy.data_file(&selection.document));
        if let Some(Some(text)) = &remedied
            && study.is_conclusive(counts.games)
        {
            study.write_file(remedy::FILE, text.as_bytes())?;
        }
        let own = AblateQuestion { adaptation: adapted };
        let is_negative = matches!(remedied, Some(None));
        Ok(StudyAnswer { own, counts: *counts, report, is_negative })
    }
}
