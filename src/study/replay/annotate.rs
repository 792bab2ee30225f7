//! `watershed replay --annotate`: a game explained, by the changes of the win chances.

mod json;
mod page;
mod text;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::{ReplayArguments, select_game};
use crate::{
    analysis::{
        ledger::{Annotation, Annotator},
        named::{NamedAction, NamedPosition},
        pair_search::PairedSearches,
    },
    arena::record::Record,
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

/// Iterations of the searches that estimate luck.
const LUCK_ITERATIONS: u32 = 200;
/// Number of times that the budget of the searches of a decision can double.
const DOUBLINGS: u32 = 4;

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
    /// Write a page to step through the game
    #[arg(long, value_name = "FILE", requires = "annotate")]
    html: Option<PathBuf>,
    /// Overwrite the page
    #[arg(long, requires = "html")]
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
    // An existing page is refused before the work.
    if let Some(path) = &options.html
        && path.exists()
        && !options.force
    {
        bail!("--html: {} exists; --force overwrites it", path.display());
    }
    let pool = build_thread_pool(options.threads, u64::MAX, options.quiet)?;
    let name = format!("{file}: game {}", record.index);
    let task = AnnotateTask { options, record, selection: &selection, name: &name };
    let game = selection.open()?;
    pool.install(|| task.run(&*game))
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
    fn run(self, game: &dyn BoundGame) -> anyhow::Result<ExitStatus> {
        let library = game.library();
        let Self { options, record, selection, name } = self;
        let search = |iterations: u32| library.read(&format!("mcts:iterations={iterations}"));
        let luck_search = search(LUCK_ITERATIONS.min(options.iterations))?;
        let budgets = (0..=DOUBLINGS).map(|doublings| options.iterations << doublings);
        let searches = budgets.map(search).collect::<Result<Vec<_>, _>>()?;
        // Notes say that the networks were adapted to other data, for which there are no maps.
        let is_known = searches[0].notes().is_empty();
        let calibration = searches[0].calibration();
        let fitted = calibration.nearest(options.iterations.into()).to_vec();
        let calibration = (is_known && calibration.has_maps()).then_some(fitted);
        let annotator = Annotator {
            searches: PairedSearches { bots: &searches },
            luck_search: &luck_search,
            seed: options.seed,
        };
        let bar = progress_bar(2 * record.events.len() as u64, "searches", options.quiet);
        let annotation = game.annotate(&annotator, record, &|| bar.inc(1));
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
            calibration,
            options,
            annotation,
        };
        if let Some(path) = &options.html {
            use std::io::Write as _;
            let mut output = PartialFile::create_for_user(path, true)?;
            let written = output.file().write_all(&report.page());
            written.map_err(|error| output.unwritable(error))?;
            output.finish()?;
            if !options.quiet {
                print_info(&format!("written to {}", path.display()));
            }
        }
        print(&if options.json { report.json()? } else { report.text() });
        Ok(ExitStatus::Success)
    }
}
