//! Several data files on the same deals, and tests of their differences: `compare` and `sweep`.

pub mod analysis;
pub mod arguments;
pub mod edits;
pub mod experiment;
mod figures;
mod page;
mod screen;
pub mod tables;

use std::collections::BTreeSet;

use analysis::{ComparisonLayout, DataComparison};
use arguments::ComparisonArguments;
use edits::Edit;
use experiment::{ComparedData, ComparisonSpec, count_games};

use crate::{
    report::origin::game_title,
    run::{
        arguments::OutputArguments, lineups::distinct_bot_names, new_study::StudyExtras,
        shell::shell_quote, validation::check_start,
    },
    study::shared::{
        adaptation::{Adaptation, ComparedBots},
        convergence,
        planned_study::{PlannedStudy, StudyAnswer, max_blocks},
        prelude::*,
    },
};

/// Describes all tables that a comparison with this layout can write.
pub(crate) fn schemas(layout: &ComparisonLayout) -> Vec<Schema> {
    let tables =
        [None, Some(("<items>", "<item>"))].map(|items| tables::columns(layout, items).schema());
    tables.into_iter().chain([convergence::schema()]).collect()
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct CompareQuestion<'a> {
    /// The baseline, then its variants.
    variants: Vec<LabelledSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adaptation: Option<&'a Adaptation>,
}

#[derive(Serialize)]
struct LabelledSource {
    label: String,
    #[serde(flatten)]
    data: DataSource,
}

/// Returns the name of a data file without its folder.
pub(crate) fn file_name(document: &Document) -> &str {
    let name = document.name.trim_matches(['<', '>']);
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Plays the data files of a comparison and writes their differences.
pub(crate) fn run_comparison(
    spec: &ComparisonSpec<'_>,
    arguments: &ComparisonArguments,
    parts: &PartArguments,
    output: &OutputArguments,
) -> anyhow::Result<ExitStatus> {
    let opened = spec.data.iter().map(|data| spec.game.open(&data.document, spec.players));
    let opened = opened.collect::<Result<Vec<_>, _>>()?;
    let games: &Vec<&BoundGame> = &opened.iter().collect();
    let ComparisonArguments { lineups, adaptation, position, .. } = arguments;
    check_start(games, position.as_deref())?;
    let values = spec.data.iter().map(|data| data.document.values_sha256());
    if values.collect::<Result<BTreeSet<_>, _>>()?.len() == 1 {
        let names: Vec<_> = spec.data.iter().map(|data| data.document.shown_name()).collect();
        print(&format!("{} are the same game: nothing to compare\n", names.join(" and ")));
        return Ok(ExitStatus::Success);
    }
    let library = &games[0].library().with_data(spec.data.iter().map(|data| &data.document))?;
    arguments.selected_items(&ItemCatalog::merged(games.iter().map(|game| game.catalog())))?;
    let folder = parts.lock_folder(output, games[0], &spec.inputs())?;
    let documents: Vec<_> = spec.data.iter().map(|data| &data.document).collect();
    let files: Vec<_> = games.iter().copied().zip(documents.iter().copied()).collect();
    let bots = adaptation.read_bots(lineups, &files, library, &output.run, &folder)?;
    let Some(ComparedBots { lineups_by_file, adaptation }) = &bots else {
        return Ok(ExitStatus::Negative);
    };
    let lineups = &lineups_by_file[0];
    let catalogs: Vec<_> = games.iter().map(|game| game.catalog()).collect();
    let metrics =
        ComparedMetrics::new(&catalogs, spec.players, distinct_bot_names(&lineups[0]).len());
    let edits = spec.edits(&metrics.catalog)?;
    let metrics = &arguments.select_items(metrics, &edits)?;
    let lineup_games = &arguments.lineups.games_by_lineup(library, arguments.games)[..];
    let games_planned = count_games(lineups, games.len(), lineup_games)?;
    let plan = PlannedStudy {
        parts,
        output,
        game: games[0],
        players: spec.players,
        command: spec.command,
        documents,
        shown: spec.shown_documents(),
        provenance: &Claim::join(spec.data.iter().map(|data| &data.provenance)),
        inputs: Vec::new(),
        outputs: Vec::new(),
        extras: StudyExtras::default(),
        folder: Some(folder),
        bots: lineups.iter().flatten().collect(),
        max_blocks: max_blocks(lineups, lineup_games),
        grows: true,
    };
    let provenance = plan.provenance;
    plan.run(|study| {
        let position = position.as_deref();
        let run = &output.run;
        let compared = GamesOfFiles { games, lineups_by_file, lineup_games, run, position };
        let results = compared.play(study, metrics)?;
        let comparison =
            DataComparison::new(metrics, &spec.layout, &results, edits).with_labels(&catalogs[1..]);
        let adaptation = adaptation.as_ref();
        let report = spec.report(&comparison, adaptation, provenance);
        let own = CompareQuestion { variants: spec.sources(), adaptation };
        let files = spec.data.len() as u64;
        let counts = count_games_of(games_planned, &results, |tally| {
            [tally.blocks, tally.games * files, tally.capped]
        });
        Ok(StudyAnswer { own, counts, report, is_negative: false })
    })
}

/// The games of each lineup under each data file.
struct GamesOfFiles<'a> {
    games: &'a [&'a BoundGame],
    lineups_by_file: &'a [Vec<Vec<BotFactory>>],
    lineup_games: &'a [u64],
    run: &'a RunArguments,
    position: Option<&'a str>,
}

impl GamesOfFiles<'_> {
    /// Plays each lineup under all data files on the same deals.
    fn play(
        &self,
        study: &mut StudyRun<'_>,
        metrics: &ComparedMetrics,
    ) -> anyhow::Result<Vec<LineupResult<ComparisonTally>>> {
        let experiments = self.lineup_games.iter().enumerate().map(|(lineup, &count)| {
            let experiments = self.lineups_by_file.iter();
            let experiments = experiments.map(|lineups| Experiment {
                position: self.position,
                ..self.run.new_experiment(&lineups[lineup], count)
            });
            self.games[0].comparison(&self.games[1..], experiments.collect(), metrics)
        });
        study.play_lineups(experiments)
    }
}

impl ComparisonSpec<'_> {
    /// Returns the report of a comparison.
    fn report(
        &self,
        comparison: &DataComparison<'_>,
        adapted: Option<&Adaptation>,
        provenance: &Claim,
    ) -> StudyReport {
        let mut report = StudyReport::new(match self.layout {
            ComparisonLayout::SideBySide => {
                let [baseline, variant] = [0, 1].map(|side| file_name(&self.data[side].document));
                format!("{variant} compared with {baseline}")
            }
            ComparisonLayout::ByValue { .. } => comparison.title(),
        });
        report.screen(comparison.screen(self.screen_title(), self.players, &self.files()));
        report.terminal(&self.file_lines());
        if let Some(adapted) = adapted {
            report.terminal(&adapted.text());
        }
        comparison.add_edits(&mut report);
        comparison.agreement().add_trends(&mut report, provenance);
        comparison.add_sections(provenance, &mut report);
        if let Some(adapted) = adapted {
            adapted.add_section(&mut report);
        }
        report
    }

    /// Returns the title of the screen.
    fn screen_title(&self) -> String {
        let (game, data) = (self.game, &self.data);
        let what = if let ComparisonLayout::ByValue { key: Some(key), .. } = &self.layout {
            key.clone()
        } else {
            let names: Vec<_> = data.iter().map(|data| file_name(&data.document)).collect();
            format!("{} against {}", names[1..].join(", "), names[0])
        };
        let title = game_title(&data[0].document, game.id);
        format!("{title}, {}: {what}", format_count(self.players, "player"))
    }

    /// Returns the data files in commands.
    fn files(&self) -> String {
        let paths = self.data.iter().filter_map(|data| data.config.as_ref());
        let paths = paths.map(|path| shell_quote(&path.display().to_string()));
        paths.collect::<Vec<_>>().join(" ")
    }

    /// Returns the label of a data file, 0 for the baseline.
    fn label(&self, index: usize) -> &str {
        match &self.layout {
            ComparisonLayout::SideBySide => self.layout.side_titles()[index],
            ComparisonLayout::ByValue { values, .. } => &values[index],
        }
    }

    /// Returns the data files with the arguments that name them.
    fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        self.data.iter().map(|data| (data.document.name.as_str(), data.config.as_deref())).collect()
    }

    /// Returns the edits of each variant. Items are those of the catalogue.
    fn edits(&self, catalog: &ItemCatalog) -> Result<Vec<Vec<Edit>>, ConfigError> {
        let (baseline, variants) = (&self.data[0].document, &self.data[1..]);
        variants.iter().map(|one| Edit::between(baseline, &one.document, catalog)).collect()
    }

    fn sources(&self) -> Vec<LabelledSource> {
        let source = |(index, data): (usize, &ComparedData)| LabelledSource {
            label: self.label(index).to_owned(),
            data: DataSource::new(&data.document, &data.provenance),
        };
        self.data.iter().enumerate().map(source).collect()
    }

    /// Returns the data files that the page describes: both files of `compare`, and the only file
    /// of `sweep`.
    fn shown_documents(&self) -> Vec<(&str, &Document)> {
        let labels = match &self.layout {
            ComparisonLayout::SideBySide => self.layout.side_titles().to_vec(),
            ComparisonLayout::ByValue { key: Some(_), .. } => vec![""],
            ComparisonLayout::ByValue { key: None, values } => {
                values.iter().map(String::as_str).collect()
            }
        };
        labels.into_iter().zip(self.data.iter().map(|data| &data.document)).collect()
    }

    /// Returns the lines of terminal text that name the data files.
    fn file_lines(&self) -> String {
        let documents = self.shown_documents();
        let is_named =
            |label: &str, document: &Document| !label.is_empty() && label != document.name;
        let labelled = documents.iter().filter(|(label, document)| is_named(label, document));
        labelled.map(|(label, document)| format!("{label}: {}\n", document.name)).collect()
    }
}
