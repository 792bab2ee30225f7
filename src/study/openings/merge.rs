//! `watershed openings merge`: joins the shards of a book.

use super::{
    arguments::BookMergeArguments,
    file::{EXAMPLES, FILE, OpeningBook},
    grow::{BookQuestion, KIND},
    show::summary,
};
use crate::{
    report::text::provenance_line,
    run::{
        files::run_file_names,
        finish::{column_types, write_tables_and_page},
        manifest::{self, Manifest, Timing},
        paths::ensure_other_folder,
    },
    study::shared::{planned_study::StudyQuestion, prelude::*},
};

pub(super) fn run(arguments: &BookMergeArguments) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let paths = &arguments.books;
    ensure_other_folder(&arguments.out, paths, "books")?;
    let mut whole = OpeningBook::read(&paths[0])?;
    for path in &paths[1..] {
        let book = OpeningBook::read(path)?;
        whole.add(&book).with_context(|| path.display().to_string())?;
    }
    ensure!(
        whole.complete_epochs().is_ok(),
        "{}: a shard is missing: the books have the games {} of {}, which are no whole epochs",
        paths[0].display(),
        whole.games_text(),
        whole.settings.games
    );
    let folder = RunFolder::lock(&arguments.out, run_file_names(&ItemCatalog::new()))?;
    folder.ensure_writable(arguments.force)?;
    folder.remove_run()?;
    folder.write(FILE, &whole.to_json())?;
    folder.write(EXAMPLES, &whole.examples())?;
    let tables = whole.tables();
    let mut files = write_tables_and_page(&folder, &tables, None, CsvFormat::Plain)?;
    files.extend([FILE, EXAMPLES].map(str::to_owned));
    let command = RepeatCommand::parse(KIND, &whole.settings.command);
    let identity = whole.settings.identity.clone();
    let (own, counts) = BookQuestion::of(&whole, whole.tally.games);
    let bots: Vec<_> = whole.settings.bots().cloned().collect();
    let question = StudyQuestion { data: whole.settings.data.clone(), bots: &bots, own, counts };
    let complete = whole.is_complete();
    let timing = Some(Timing::new(1, started.elapsed().as_secs_f64(), whole.tally.games));
    let columns = column_types(&tables);
    let new = Manifest::new(&command, identity, question);
    let manifest = Manifest { complete, files, columns, timing, ..new };
    folder.write(manifest::FILE, &manifest.to_json())?;
    if !arguments.quiet {
        print(&format!("{command}\n{}{}", provenance_line(whole.provenance()), summary(&whole)));
    }
    Ok(ExitStatus::Success)
}
