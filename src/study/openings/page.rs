//! `watershed openings html`: books side by side on a page of its own.

mod answer;
mod games;
mod lines;

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use anyhow::{Context as _, bail, ensure};
use maud::{Markup, html};

use super::{arguments::BookHtmlArguments, file::OpeningBook};
use crate::{
    analysis::book::{BookRow, Shrinkage, SituationKey, rows, shrinkages},
    game::TURN_POSITION_NAMES,
    report::{
        html::{
            HtmlTable, Section, TableCell, capitalize, format_count, group_digits, join_with_and,
            render_page, warning_box,
        },
        terminal::print_info,
    },
    run::{ExitStatus, append_file::PartialFile},
};

/// Books of the same game, data and number of players.
pub(super) struct BooksPage<'a> {
    books: &'a [OpeningBook],
    /// Names of the bots, each different.
    names: Vec<String>,
    /// Rows of each book.
    rows: Vec<Vec<BookRow>>,
    /// For each book, the rows of each group.
    groups: Vec<BTreeMap<SituationKey, Range<usize>>>,
    /// The groups of the first book one level below each group.
    children: BTreeMap<SituationKey, Vec<SituationKey>>,
    /// Folders of the books, for commands.
    folders: Vec<String>,
    /// Smallest number of forks of a row on the page.
    min_forks: i64,
}

pub(super) fn run(arguments: &BookHtmlArguments) -> anyhow::Result<ExitStatus> {
    let read = |path: &std::path::PathBuf| OpeningBook::read(path);
    let books = arguments.books.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    for (book, path) in books.iter().zip(&arguments.books).skip(1) {
        if let Some(difference) = different_game(&books[0], book) {
            bail!(
                "{}: expected a book of the same game as {}, found {difference}",
                path.display(),
                arguments.books[0].display()
            );
        }
    }
    let out = &arguments.out;
    ensure!(
        !arguments.books.iter().any(|path| path == out),
        "--out: expected a file other than the books, found {}",
        out.display()
    );
    ensure!(
        arguments.force || !out.exists() || is_page(out),
        "--out: {} exists and is no page; expected a new file, or --force to overwrite it",
        out.display()
    );
    let folders = arguments.books.iter().map(|path| path.display().to_string()).collect();
    let min_forks = i64::try_from(arguments.min_n).unwrap_or(i64::MAX);
    let page = BooksPage::new(&books, folders, min_forks).render();
    let mut file = PartialFile::create(out)?;
    std::io::Write::write_all(file.file(), &page)
        .with_context(|| format!("{}: can't be written", out.display()))?;
    file.finish()?;
    if !arguments.quiet {
        print_info(&format!("written to {}", out.display()));
    }
    Ok(ExitStatus::Success)
}

/// Returns the rows of each group. Those of a group follow each other.
fn groups(rows: &[BookRow]) -> BTreeMap<SituationKey, Range<usize>> {
    let mut groups = BTreeMap::new();
    let mut start = 0;
    for group in rows.chunk_by(|one, other| one.key == other.key) {
        groups.insert(group[0].key.clone(), start..start + group.len());
        start += group.len();
    }
    groups
}

/// Returns true if a file is a page of this program.
fn is_page(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.starts_with("<!DOCTYPE html>"))
}

/// Describes the first difference between the games of two books.
fn different_game(one: &OpeningBook, other: &OpeningBook) -> Option<String> {
    let [ours, theirs] = [one, other].map(|book| &book.settings);
    if ours.identity.game != theirs.identity.game {
        return Some(theirs.identity.game.clone());
    }
    if ours.identity.players != theirs.identity.players {
        return Some(format_count(theirs.identity.players as u64, "player"));
    }
    let is_other_data = ours.data.config_sha256 != theirs.data.config_sha256;
    is_other_data.then(|| "another data file".to_owned())
}

impl<'a> BooksPage<'a> {
    fn new(books: &'a [OpeningBook], folders: Vec<String>, min_forks: i64) -> Self {
        let mut names: Vec<String> = Vec::new();
        for book in books {
            let name = &book.settings.policy.name;
            // Two books of one bot differ in their seeds.
            let seed = book.settings.identity.seed;
            let is_used = |name: &String| names.contains(name);
            names.push(if is_used(name) { format!("{name}, seed {seed}") } else { name.clone() });
        }
        let rows: Vec<_> = books.iter().map(|book| rows(&book.tally)).collect();
        let groups: Vec<_> = rows.iter().map(|rows| groups(rows)).collect();
        let mut children: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for key in groups[0].keys() {
            if let Some(parent) = key.parent() {
                children.entry(parent).or_default().push(key.clone());
            }
        }
        Self { books, names, rows, groups, children, folders, min_forks }
    }

    fn reference(&self) -> &'a OpeningBook {
        &self.books[0]
    }

    fn render(&self) -> Vec<u8> {
        let settings = &self.reference().settings;
        let players = format_count(settings.identity.players as u64, "player");
        let bots = join_with_and(&self.names);
        let title = format!("Openings: {}, {players}, {bots}", settings.title);
        let head = html! {
            p.kicker { "Watershed · " (settings.title) " · " (players) }
            h1 { (title) }
            p.lead { (self.reference().advice(&self.rows[0])) }
            @if let Some(warning) = self.incomplete_warning() { (warning) }
            p.note {
                "Data: " q { (settings.data.provenance) } ". "
                @for (name, book) in self.names.iter().zip(self.books) {
                    (name) ": " (book.counts_text()) ". "
                }
            }
            p.note { (METHOD) }
        };
        let mut sections = vec![Section::new("In short", self.short_answers())];
        let mut positions: Vec<_> = self.rows[0].iter().map(|row| row.key.turn_position).collect();
        positions.dedup();
        for position in positions {
            let name = TURN_POSITION_NAMES[usize::from(position)];
            sections.push(Section::new(name, self.place(position)));
        }
        sections.push(Section::new("Two actions together", self.pairs()));
        sections.push(Section::new("Example games", self.games()));
        sections.push(Section::new("Method", self.method()));
        render_page(&title, &head, &sections)
    }

    fn incomplete_warning(&self) -> Option<Markup> {
        let incomplete: Vec<_> = self
            .names
            .iter()
            .zip(self.books)
            .filter(|(_, book)| !book.is_complete())
            .map(|(name, book)| {
                format!(
                    "{name} has {} of {} games",
                    group_digits(book.tally.games),
                    group_digits(book.settings.games)
                )
            })
            .collect();
        let text = format!("{}.", capitalize(&join_with_and(&incomplete)));
        (!incomplete.is_empty()).then(|| warning_box("A book is not complete.", &html! { (text) }))
    }

    /// Returns the rows of a group of a book.
    fn group(&self, book: usize, key: &SituationKey) -> &[BookRow] {
        let range = self.groups[book].get(key).cloned().unwrap_or_default();
        &self.rows[book][range]
    }

    /// Explains the figures and lists the commands.
    fn method(&self) -> Markup {
        html! {
            p {
                "One bot plays all seats. At each opening decision the plausible actions, those "
                "that it chose or whose prior is at least 1 %, are played on from the same "
                "position with the same chance. The effect of an action is its win share less "
                "the mean over what the bot would choose, the plausible actions of the decision "
                "weighted with their priors, over the decisions at which the action is "
                "plausible, shrunk towards that of coarser situations (the mean effect is not). "
                "Intervals are 95 %. An action is good if the interval lies above −2 points, bad "
                "if it lies below, and playable if it contains −2 points; with too few forks, or "
                "an interval that contains −2 points and is wider than 4 points on each side, it "
                "is too rare. The effects are those of play by these bots."
            }
            @for ((name, book), folder) in self.names.iter().zip(self.books).zip(&self.folders) {
                (shrinkage_table(name, book))
                p { (capitalize(name)) ", " code { (folder) } ": "
                code { (book.settings.command) } }
            }
        }
    }
}

/// The sentence under the answer that says what an effect is.
const METHOD: &str = "An effect is the change of the win share, in percentage points (pp), if the \
                      seat chooses the action instead of what the bot would choose on average, in \
                      the same games with the same chance. Intervals are 95 %. Above −2 points an \
                      action is good, below it is bad.";

/// Returns the table of the shrinkage of each level.
fn shrinkage_table(name: &str, book: &OpeningBook) -> HtmlTable {
    let row = |shrinkage: Shrinkage| {
        let error = |error: f64| {
            let points = 100.0 * error.max(0.0).sqrt();
            TableCell::number(format!("{points:.2} pp"), points)
        };
        vec![
            TableCell::number(shrinkage.level, shrinkage.level as f64),
            TableCell::number(format!("{:.0}", shrinkage.weight), shrinkage.weight),
            TableCell::count(i64::try_from(shrinkage.compared).unwrap_or(i64::MAX)),
            error(shrinkage.error_of_means),
            error(shrinkage.error_of_shrunk),
            TableCell::text(if shrinkage.is_used() { "yes" } else { "no" }),
        ]
    };
    let headings =
        ["level", "weight in forks", "compared", "error of means", "error if shrunk", "used"];
    HtmlTable {
        caption: format!("Shrinkage towards the coarser level, checked on the other games: {name}"),
        headings: headings.map(str::to_owned).to_vec(),
        rows: shrinkages(&book.tally).into_iter().map(row).collect(),
    }
}
