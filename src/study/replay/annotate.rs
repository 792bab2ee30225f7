//! `watershed replay --annotate`: a game explained, by the changes of the win chances.

mod json;
mod page;
mod summary;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use anyhow::{Context as _, bail, ensure};
use clap::Args;

use super::{ReplayArguments, has_same_rules, select_game};
use crate::{
    analysis::{
        ledger::Annotation,
        named::{NamedAction, NamedPosition},
        review_searches::{DOUBLINGS, ReviewSearches},
    },
    arena::record::{Record, read_records},
    bound::BoundGame,
    games::GameList,
    report::{
        provenance::Claim,
        terminal::{print, print_error, print_info},
    },
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{DEFAULT_SEED, GameSelection, build_thread_pool},
        count::count,
        progress_bar::progress_bar,
    },
    search::calibration::FittedMaps,
};
use summary::GamesSummary;

/// Flags of the annotation.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub(super) struct AnnotationArguments {
    /// Explain a game: the luck of each chance event, the cost of each decision, and mistakes
    ///
    /// Without --game-index, the first game of the file.
    #[arg(long)]
    pub(super) annotate: bool,
    /// Set the number of iterations of the searches of each decision; up to 16 times as many where
    /// two of them differ
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "annotate",
          value_parser = count(1..=u32::MAX >> DOUBLINGS))]
    iterations: u32,
    /// Print the answer and the mistakes only
    #[arg(long, requires = "annotate")]
    mistakes_only: bool,
    /// Explain all games of the file together: accuracy, loss, luck and kinds of mistakes of each
    /// player, with their intervals
    #[arg(long, requires = "annotate",
          conflicts_with_all = ["game_index", "json", "mistakes_only"])]
    pub(super) summary: bool,
    /// Write a page to step through the game, or that of the summary
    #[arg(long, value_name = "FILE", requires = "annotate")]
    html: Option<PathBuf>,
    /// Write the tables of the summary to this folder
    #[arg(long, value_name = "DIR", requires = "summary")]
    csv: Option<PathBuf>,
    /// Overwrite the page and the tables
    #[arg(long, requires = "annotate")]
    force: bool,
    /// Print one JSON object instead of text
    #[arg(long, requires = "annotate")]
    json: bool,
    /// Set the random seed; equal seeds give identical results
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, requires = "annotate",
          value_parser = count(0..=u64::MAX))]
    seed: u64,
    /// Set the number of threads, at most 4 per core [default: all cores]
    #[arg(long, value_name = "N", requires = "annotate", value_parser = count(1..=usize::MAX))]
    threads: Option<usize>,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

/// Annotates a game.
pub(super) fn run(
    games: GameList,
    arguments: &ReplayArguments,
    record: &Record,
) -> anyhow::Result<ExitStatus> {
    let file = arguments.file.display();
    if record.unfinished {
        bail!("{file}: game {} is unfinished; expected a finished game", record.index);
    }
    let selection = select_game(games, arguments, record)?;
    let options = &arguments.annotation;
    check_outputs(options)?;
    let pool = build_thread_pool(options.threads, u64::MAX, options.quiet)?;
    let name = format!("{file}: game {}", record.index);
    let task = AnnotateTask { options, record, selection: &selection, name: &name };
    let game = selection.open()?;
    pool.install(|| task.run(&game))
}

/// Explains all finished games of a file together.
pub(super) fn summarize(
    games: GameList,
    arguments: &ReplayArguments,
) -> anyhow::Result<ExitStatus> {
    let (file, options) = (arguments.file.display(), &arguments.annotation);
    let records = read_records(&arguments.file)?.collect::<Result<Vec<_>, _>>()?;
    let finished: Vec<_> = records.iter().filter(|record| !record.unfinished).collect();
    let Some(first) = finished.first() else { bail!("{file} has no finished game") };
    if let Some(other) = finished.iter().find(|record| !has_same_rules(first, record)) {
        bail!(
            "{file}: game {} is of another game, number of players or data file than game {}; \
             expected games of one kind",
            other.index,
            first.index
        );
    }
    let selection = select_game(games, arguments, first)?;
    check_outputs(options)?;
    let pool = build_thread_pool(options.threads, u64::MAX, options.quiet)?;
    let game = selection.open()?;
    let searches = ReviewSearches::new(game.library(), options.iterations)?;
    let events: usize = finished.iter().map(|record| record.events.len()).sum();
    let bar = progress_bar(2 * events as u64, "searches", options.quiet);
    let mut summary = GamesSummary::default();
    let stop = AtomicBool::new(false);
    for record in &finished {
        let annotate =
            || game.annotate(&searches.annotator(options.seed, &stop), record, &|| bar.inc(1));
        match pool.install(annotate) {
            Ok(annotation) => summary.add(record, &annotation),
            Err(disagreement) => {
                bar.finish_and_clear();
                print_error(&format!("{file}: game {}: {disagreement}", record.index));
                return Ok(ExitStatus::Negative);
            }
        }
    }
    bar.finish_and_clear();
    let method = text::method(options, searches.calibration().as_deref());
    let (title, provenance) = (selection.game.title, &selection.provenance);
    write_page(options, || summary.page(title, provenance, &method))?;
    if let Some(folder) = &options.csv {
        fs::create_dir_all(folder).with_context(|| format!("--csv: {}", folder.display()))?;
        for table in summary.tables(provenance) {
            write_file(options, &folder.join(table.schema().file_name()), &table.csv())?;
        }
    }
    print(&summary.text(title, provenance, &method));
    Ok(ExitStatus::Success)
}

/// Refuses outputs that exist before the work.
fn check_outputs(options: &AnnotationArguments) -> anyhow::Result<()> {
    let tables = summary::FILES.iter().filter_map(|file| Some(options.csv.as_ref()?.join(file)));
    let outputs = options.html.iter().cloned().map(|page| ("--html", page));
    for (flag, path) in outputs.chain(tables.map(|table| ("--csv", table))) {
        ensure!(
            !path.exists() || options.force,
            "{flag}: {} exists; --force overwrites it",
            path.display()
        );
    }
    Ok(())
}

/// Writes the page, if one is asked for.
fn write_page(options: &AnnotationArguments, page: impl FnOnce() -> Vec<u8>) -> anyhow::Result<()> {
    options.html.as_ref().map_or(Ok(()), |path| write_file(options, path, &page()))
}

fn write_file(options: &AnnotationArguments, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    PartialFile::write_for_user(path, bytes, true)?;
    if !options.quiet {
        print_info(&format!("written to {}", path.display()));
    }
    Ok(())
}

struct AnnotateTask<'a> {
    options: &'a AnnotationArguments,
    record: &'a Record,
    selection: &'a GameSelection,
    name: &'a str,
}

/// An annotated game with all that its text, JSON and page show.
struct AnnotationReport<'a> {
    chance_sources: &'static [&'static str],
    title: &'a str,
    record: &'a Record,
    provenance: &'a Claim,
    /// The maps of the win chances; `None` if these are not calibrated.
    calibration: Option<Vec<FittedMaps>>,
    options: &'a AnnotationArguments,
    annotation: Annotation<NamedPosition, NamedAction>,
}

impl AnnotateTask<'_> {
    fn run(self, game: &BoundGame) -> anyhow::Result<ExitStatus> {
        let Self { options, record, selection, name } = self;
        let searches = ReviewSearches::new(game.library(), options.iterations)?;
        let bar = progress_bar(2 * record.events.len() as u64, "searches", options.quiet);
        let stop = AtomicBool::new(false);
        let annotation =
            game.annotate(&searches.annotator(options.seed, &stop), record, &|| bar.inc(1));
        bar.finish_and_clear();
        let annotation = match annotation {
            Ok(annotation) => annotation,
            Err(disagreement) => {
                print_error(&format!("{name}: {disagreement}"));
                return Ok(ExitStatus::Negative);
            }
        };
        let report = AnnotationReport {
            chance_sources: game.chance_sources(),
            title: selection.game.title,
            record,
            provenance: &selection.provenance,
            calibration: searches.calibration(),
            options,
            annotation,
        };
        write_page(options, || report.page())?;
        print(&if options.json { report.json()? } else { report.text() });
        Ok(ExitStatus::Success)
    }
}
