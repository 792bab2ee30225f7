//! Playing several data files of one game on the same deals, for `compare` and `sweep`.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context as _;
use clap::Args;

use crate::report::{provenance::Claim, study_page};
use crate::{
    arena::{
        compared_metrics::ComparedMetrics, comparison::ComparisonExperiment, schedule::Rotations,
    },
    bots::profile::{BotLibrary, Profile},
    config::{ConfigError, Document},
    game::FullGame,
    games::{GameName, GameTask, VariantsTask},
    identity::Build,
    run::{
        ExitStatus,
        arguments::GameSelection,
        count::count,
        lineups::{LineupArguments, bot_names, distinct_bot_names, distinct_bots, lineup_label},
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
        study::{RunArguments, StudyOutput},
        study_manifest::{self, ComparisonManifest, RungOfComparison},
    },
    study::compare::tables::{ComparisonReport, Layout, LineupComparison},
};

const DEFAULT_GAMES: u64 = 10_000;

/// How data files are to be played.
#[derive(Args, Debug)]
pub(crate) struct ComparisonArguments {
    #[command(flatten)]
    bots: LineupArguments,
    /// How many games under each data file, by each bot of a ladder, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GAMES, value_parser = count::<u64>(1..=u64::MAX))]
    games: u64,
    #[command(flatten)]
    run: RunArguments,
}

/// Which data files are compared; the others are compared to the first.
pub(crate) struct ComparisonSpec {
    pub(crate) game: GameName,
    pub(crate) players: usize,
    /// The command without the flags of [`ComparisonArguments`].
    pub(crate) command: String,
    pub(crate) labels: Labels,
    pub(crate) variants: Vec<VariantData>,
}

/// How the data files are called.
pub(crate) enum Labels {
    /// A and B.
    SideBySide,
    /// By the value of a key.
    ByValue { key: String, values: Vec<String> },
}

/// A data file.
pub(crate) struct VariantData {
    pub(crate) document: Document,
    /// The file, if it is not part of the program.
    pub(crate) config: Option<PathBuf>,
    pub(crate) provenance: Claim,
}

impl From<GameSelection> for VariantData {
    fn from(selection: GameSelection) -> Self {
        Self {
            document: selection.document,
            config: selection.config,
            provenance: selection.provenance,
        }
    }
}

/// Makes sure that data which was changed in memory is valid. An error names the key as
/// [`Document::scalar`] reads it, and no file: no file on disk says what was changed.
pub(crate) fn validate_changed_data(
    selection: &GameSelection,
    changed: &Document,
) -> Result<(), String> {
    selection.game.bind_and_run(changed, selection.players, ValidateOnly).map_err(
        |ConfigError { key, message, .. }| {
            let key = changed.key_with_names(&key);
            if key.is_empty() { message } else { format!("key `{key}`: {message}") }
        },
    )
}

/// Only asks whether the data is valid.
pub(crate) struct ValidateOnly;

impl GameTask for ValidateOnly {
    type Output = ();

    fn run<G: FullGame>(self, _game: &G, _library: &BotLibrary<'_>) {}
}

/// Plays all data files and writes how they differ.
pub(crate) fn run_comparison(
    plan: &ComparisonSpec,
    wishes: &ComparisonArguments,
) -> anyhow::Result<ExitStatus> {
    let documents: Vec<_> = plan.variants.iter().map(|variant| variant.document.clone()).collect();
    plan.game.with_each(&documents, plan.players, ComparisonTask { plan, wishes })?
}

struct ComparisonTask<'a> {
    plan: &'a ComparisonSpec,
    wishes: &'a ComparisonArguments,
}

impl VariantsTask for ComparisonTask<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, games: &[G], library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { plan, wishes } = self;
        let tables = wishes.bots.read_lineups(library, plan.players)?;
        let figures = ComparedMetrics::new(games, distinct_bot_names(&tables[0]).len());
        let rotations: Vec<_> = tables.iter().map(|bots| rotations(bots)).collect();
        let games_planned = self.games_planned(&rotations, games.len())?;
        let blocks = rotations
            .iter()
            .map(|rotations| rotations.blocks_for_games(wishes.games))
            .max()
            .unwrap_or(0);
        let pool = wishes.run.thread_pool(blocks, tables.iter().flatten())?;
        let folder = wishes.run.lock_folder(&games[0], &self.inputs())?;

        let started = Instant::now();
        let bar = progress_bar(games_planned, wishes.run.quiet);
        let stop = stop_on_interrupt()?;
        let mut rungs = Vec::new();
        for bots in &tables {
            show_message(&bar, || bot_names(bots));
            let experiments = games
                .iter()
                .map(|game| wishes.run.new_experiment(game, bots, wishes.games))
                .collect();
            let variants = ComparisonExperiment { experiments, metrics: &figures };
            let tally = pool.install(|| variants.run(stop, &|games| bar.inc(games)));
            rungs.push(LineupComparison {
                lineup: lineup_label(bots),
                distinct_bots: distinct_bot_names(bots),
                tally,
            });
        }
        bar.finish_and_clear();
        let provenance = self.provenance();
        let layout = match &plan.labels {
            Labels::SideBySide => Layout::SideBySide,
            Labels::ByValue { values, .. } => Layout::ByValue(values),
        };
        let comparison = ComparisonReport {
            figures: &figures,
            layout,
            results: &rungs,
            provenance: provenance.as_str(),
        };
        let mut findings = StudyOutput {
            kind: match plan.labels {
                Labels::SideBySide => "balance compare",
                Labels::ByValue { .. } => "balance sweep",
            },
            command: self.command(&tables),
            games_planned,
            games: games.len() as u64 * rungs.iter().map(|rung| rung.tally.games).sum::<u64>(),
            threads: pool.current_num_threads(),
            tables: comparison.csv_files(),
            text: self.heading(provenance.as_str()) + &comparison.text(),
            started,
        };
        let about = study_page::StudyPage {
            command: &findings.command,
            game: plan.game.as_str(),
            players: plan.players,
            seed: wishes.run.seed,
            bots: &distinct_bots(tables.iter().flatten()),
            data: &self.data(),
            provenance: &provenance,
            blocks: rungs.iter().map(|rung| rung.tally.blocks).sum(),
            games: findings.games,
            games_planned,
        };
        let key = if let Labels::ByValue { key, .. } = &plan.labels { key } else { "" };
        let report = about.render(comparison.report_body(key));
        findings.tables.push((study_page::FILE.to_owned(), report));
        let played = tables.iter().zip(&rotations).zip(&rungs);
        let played = played.map(|((bots, rotations), rung)| RungOfComparison {
            bots: bots.iter().map(Into::into).collect(),
            games_per_block: rotations.games_per_block(),
            blocks: rung.tally.blocks,
            games: rung.tally.games,
        });
        wishes.run.write_and_print(&folder, &findings, |timing| {
            study_manifest::manifest_json(&ComparisonManifest {
                heading: findings.heading(),
                version: env!("CARGO_PKG_VERSION"),
                build: Build::current(),
                game: plan.game.as_str(),
                variants: self.variants(),
                players: plan.players,
                rungs: played.collect(),
                seed: wishes.run.seed,
                games_planned,
                complete: findings.is_complete(),
                files: findings.files(),
                timing,
            })
        })
    }
}

fn rotations(bots: &[Profile]) -> Rotations {
    let parameters: Vec<_> = bots.iter().map(|bot| (&bot.name, &bot.spec)).collect();
    Rotations::new(&parameters)
}

impl ComparisonTask<'_> {
    /// The data files with the arguments that name them.
    fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        self.plan
            .variants
            .iter()
            .map(|variant| (variant.document.name.as_str(), variant.config.as_deref()))
            .collect()
    }

    fn games_planned(&self, rotations: &[Rotations], variants: usize) -> anyhow::Result<u64> {
        let games = rotations.iter().try_fold(0_u64, |sum, rotations| {
            let games = rotations
                .blocks_for_games(self.wishes.games)
                .checked_mul(rotations.games_per_block())?
                .checked_mul(variants as u64)?;
            sum.checked_add(games)
        });
        games.with_context(|| format!("--games: expected fewer, found {}", self.wishes.games))
    }

    /// Returns the provenance of all data files, each once.
    fn provenance(&self) -> Claim {
        Claim::join(self.plan.variants.iter().map(|variant| &variant.provenance))
    }

    fn variants(&self) -> Vec<study_manifest::Variant<'_>> {
        let ComparisonSpec { labels, variants, .. } = self.plan;
        let label = |index: usize| match labels {
            Labels::SideBySide => ["A", "B"][index],
            Labels::ByValue { values, .. } => &values[index],
        };
        let named = variants.iter().enumerate().map(|(index, variant)| (label(index), variant));
        named
            .map(|(label, VariantData { document, provenance, .. })| study_manifest::Variant {
                label,
                config: &document.name,
                config_sha256: document.sha256(),
                provenance: provenance.as_str(),
            })
            .collect()
    }

    /// The data files that a reader wants to see: both, or that whose key has other values.
    fn data(&self) -> Vec<(&str, &Document)> {
        let ComparisonSpec { labels, variants, .. } = self.plan;
        let names: &[&str] = if matches!(labels, Labels::SideBySide) { &["A", "B"] } else { &[""] };
        names.iter().zip(variants).map(|(name, variant)| (*name, &variant.document)).collect()
    }

    fn heading(&self, provenance: &str) -> String {
        let files: String = match &self.plan.labels {
            Labels::SideBySide => self
                .variants()
                .iter()
                .map(|variant| format!("{}: {}\n", variant.label, variant.config))
                .collect(),
            Labels::ByValue { .. } => String::new(),
        };
        format!(
            "{files}data: {} (the data files mark their values)\n",
            provenance.lines().next().unwrap_or_default()
        )
    }

    /// The command that makes the comparison again, whatever its threads and folders were.
    fn command(&self, tables: &[Vec<Profile>]) -> String {
        let ComparisonArguments { bots, games, run } = self.wishes;
        format!(
            "watershed balance {} {} --games {games} --seed {}",
            self.plan.command,
            bots.to_flag(tables),
            run.seed
        )
    }
}
