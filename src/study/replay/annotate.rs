//! `watershed replay --annotate`: a game explained, by the changes of the win chances.

mod page;
mod summary;
mod text;

use summary::GamesSummary;
use text::method;

use super::{ReplayArguments, has_same_rules, select_game};
use crate::{
    analysis::review_searches::{DOUBLINGS, ReviewSearches},
    protocol::review::{GameAnnotation, GameReview, Reviewer},
    report::terminal::print_error,
    run::records::{read_recorded_game, read_records},
    study::shared::prelude::*,
};

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

/// Reviews a game, or all finished games of the file together.
pub(super) fn run(games: GameList, arguments: &ReplayArguments) -> anyhow::Result<ExitStatus> {
    let (file, options) = (arguments.file.display(), &arguments.annotation);
    let records = read(arguments)?;
    let selection = select_game(games, arguments, &records[0])?;
    check_outputs(options)?;
    let pool = build_thread_pool(options.threads, u64::MAX, options.quiet)?;
    let game = selection.open()?;
    let searches = ReviewSearches::new(game.library(), options.iterations)?;
    let provenance = selection.provenance.as_str();
    let reviewer =
        Reviewer { game: &game, provenance, searches: &searches, seed: options.seed, hinted: &[] };
    let events: usize = records.iter().map(|record| record.events.len()).sum();
    let bar = progress_bar(2 * events as u64, "searches", options.quiet);
    let stop = AtomicBool::new(false);
    let (mut summary, mut last) = (GamesSummary::default(), None);
    for record in &records {
        match pool.install(|| reviewer.review(record, &stop, &|| bar.inc(1))) {
            Ok((review, annotation)) => {
                summary.add(&review);
                last = Some((record, review, annotation));
            }
            Err(disagreement) => {
                bar.finish_and_clear();
                print_error(&format!("{file}: game {}: {disagreement}", record.index));
                return Ok(ExitStatus::Negative);
            }
        }
    }
    bar.finish_and_clear();
    let method = method(options, searches.calibration().as_deref());
    let (title, provenance) = (selection.game.title, &selection.provenance);
    if options.summary {
        let report = summary.report(title, provenance);
        let text = write_report(report, "replay", provenance, &method, options)?;
        if let Some(folder) = &options.csv {
            fs::create_dir_all(folder).with_context(|| format!("--csv: {}", folder.display()))?;
            for table in summary.tables(provenance) {
                write_file(options, &folder.join(table.schema().file_name()), &table.csv())?;
            }
        }
        print(&text);
    } else if let Some((record, review, annotation)) = last {
        let game = &game;
        let report = AnnotationReport { game, record, provenance, options, annotation, review };
        let subject = format!("{title} · game {}", record.index);
        let text = write_report(report.report(), &subject, provenance, &method, options)?;
        print(&if options.json { serde_json::to_string(&report.review)? + "\n" } else { text });
    }
    Ok(ExitStatus::Success)
}

/// Reads the game that the flags select, or all finished games of the file, which are of one kind.
fn read(arguments: &ReplayArguments) -> anyhow::Result<Vec<Record>> {
    let file = arguments.file.display();
    if !arguments.annotation.summary {
        let record = read_recorded_game(&arguments.file, arguments.game_index, None)?;
        let index = record.index;
        ensure!(!record.unfinished, "{file}: game {index} is unfinished; expected a finished game");
        return Ok(vec![record]);
    }
    let mut records = read_records(&arguments.file)?.collect::<Result<Vec<_>, _>>()?;
    records.retain(|record| !record.unfinished);
    let Some(first) = records.first() else { bail!("{file} has no finished game") };
    if let Some(other) = records.iter().find(|record| !has_same_rules(first, record)) {
        bail!(
            "{file}: game {} is of another game, number of players or data file than game {}; \
             expected games of one kind",
            other.index,
            first.index
        );
    }
    Ok(records)
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

/// Writes the page of a report, if one is asked for, and returns the text for the terminal.
fn write_report(
    mut report: StudyReport,
    subject: &str,
    provenance: &Claim,
    method: &str,
    options: &AnnotationArguments,
) -> anyhow::Result<String> {
    report.terminal(&format!("\n{}", paragraph(method)));
    let note = format!("Data: “{provenance}”. {method}");
    let (text, page) = report.render_alone(subject, &note);
    if let Some(path) = &options.html {
        write_file(options, path, &page)?;
    }
    Ok(text)
}

fn write_file(options: &AnnotationArguments, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    PartialFile::write_for_user(path, bytes, true)?;
    if !options.quiet {
        print_info(&format!("written to {}", path.display()));
    }
    Ok(())
}

/// An annotated game with all that its text, JSON and page show.
struct AnnotationReport<'a> {
    game: &'a BoundGame,
    record: &'a Record,
    provenance: &'a Claim,
    options: &'a AnnotationArguments,
    annotation: GameAnnotation,
    review: GameReview,
}
