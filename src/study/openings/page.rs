//! `watershed openings html`: books side by side on a page of its own.

use super::{
    arguments::BookHtmlArguments,
    file::{BookSettings, OpeningBook},
    tables::pairs_columns,
};
use crate::{
    analysis::book::{BookRow, BookVerdict, Shrinkage, SituationKey, pair_rows, rows, shrinkages},
    study::shared::prelude::*,
};

/// Books of the same game, data and number of players.
struct BooksPage<'a> {
    books: &'a [OpeningBook],
    /// Names of the bots, each different.
    names: Vec<String>,
    /// Rows of each book.
    rows: &'a [Vec<BookRow>],
    /// The rows of each book by group and action.
    index: Vec<BTreeMap<(&'a SituationKey, u8), &'a BookRow>>,
    /// Smallest number of forks of a row on the page.
    min_forks: i64,
}

/// An action in a group of situations, by each book.
struct ActionRow<'a> {
    action: String,
    /// The situations; empty for the coarsest ones.
    situation: String,
    /// The row of the first book.
    row: &'a BookRow,
    /// The rows of all books.
    rows: Vec<Option<&'a BookRow>>,
}

pub(super) fn run(arguments: &BookHtmlArguments) -> anyhow::Result<ExitStatus> {
    let read = |path: &PathBuf| OpeningBook::read(path);
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
    let rows: Vec<_> = books.iter().map(|book| rows(&book.tally)).collect();
    let page = BooksPage {
        books: &books,
        names: names(&books),
        rows: &rows,
        index: rows
            .iter()
            .map(|rows| rows.iter().map(|row| ((&row.key, row.code), row)).collect())
            .collect(),
        min_forks: i64::try_from(arguments.min_n).unwrap_or(i64::MAX),
    };
    PartialFile::create(out)?.finish_with(&page.render(&arguments.books))?;
    if !arguments.quiet {
        print_info(&format!("written to {}", out.display()));
    }
    Ok(ExitStatus::Success)
}

/// Names the bots of books. Two books of one bot differ in their seeds.
fn names(books: &[OpeningBook]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for BookSettings { policy, identity, .. } in books.iter().map(|book| &book.settings) {
        let (name, seed) = (&policy.name, identity.seed);
        let is_used = names.contains(name);
        names.push(if is_used { format!("{name}, seed {seed}") } else { name.clone() });
    }
    names
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
        return Some(format_count(theirs.identity.players, "player"));
    }
    let is_other_data = ours.data.config_sha256 != theirs.data.config_sha256;
    is_other_data.then(|| "another data file".to_owned())
}

impl BooksPage<'_> {
    fn render(&self, folders: &[PathBuf]) -> Vec<u8> {
        let book = &self.books[0];
        let settings = &book.settings;
        let players = format_count(settings.identity.players, "player");
        let subject = format!("{} · {players}", settings.title);
        let bots = join_with_and(&self.names);
        let title = format!("Openings: {}, {players}, {bots}", settings.title);
        let mut report = StudyReport::new(title);
        report.answer(&book.advice(&self.rows[0]));
        report.labels(ReportPlace::Page, self.incomplete_warning());
        self.add_short_answers(&mut report);
        let mut positions: Vec<_> = self.rows[0].iter().map(|row| row.key.turn_position).collect();
        positions.dedup();
        for position in positions {
            self.add_place(position, &mut report);
        }
        self.add_pairs(&mut report);
        self.add_method(folders, &mut report);
        let counts = self.names.iter().zip(self.books);
        let counts = counts.map(|(name, book)| format!("{name}: {}. ", book.counts_text()));
        let data = &settings.data.provenance;
        let note = format!("Data: “{data}”. {}{METHOD}", counts.collect::<String>());
        report.render_alone(&subject, &note).1
    }

    fn incomplete_warning(&self) -> Option<LabelledSentence> {
        let books = self.names.iter().zip(self.books).filter(|(_, book)| !book.is_complete());
        let incomplete = books.map(|(name, book)| {
            let [games, planned] = [book.tally.games, book.settings.games].map(group_digits);
            format!("{name} has {games} of {planned} games")
        });
        let incomplete = join_with_and(incomplete);
        let rest = format!(": {incomplete}.");
        let label = "A book is not complete";
        (!incomplete.is_empty()).then_some(LabelledSentence { label, rest })
    }

    /// States the good and the bad actions of each place and step, for each bot.
    fn add_short_answers(&self, report: &mut StudyReport) {
        report.section("In short");
        let groups = self.rows[0].chunk_by(|one, other| one.key == other.key);
        for group in groups.filter(|group| group[0].key.level() == 1) {
            let key = &group[0].key;
            report.heading(&self.books[0].situation_name(key));
            let books = self.books.iter().zip(self.rows).zip(&self.names);
            let sentences = books.map(|((book, rows), name)| {
                let mut groups = rows.chunk_by(|one, other| one.key == other.key);
                let choice = groups.find(|group| group[0].key == *key);
                let choice = choice.and_then(|rows| book.choice(rows));
                let none = || "no action is good or bad".to_owned();
                format!("By {name}: {}.", choice.unwrap_or_else(none))
            });
            let disputed = group.iter().map(|row| self.action_row(row));
            let disputed = disputed.filter(ActionRow::is_disputed).map(|row| row.action);
            let disputed: Vec<_> = disputed.map(|action| format!("“{action}”")).collect();
            let disagreement = match (self.books, disputed.as_slice()) {
                ([_], _) => None,
                (_, []) => Some(
                    "The bots do not disagree: no action is good by one bot and bad by another."
                        .to_owned(),
                ),
                (_, disputed) => Some(format!(
                    "The bots disagree on {}: good by one, bad by another.",
                    join_with_and(disputed)
                )),
            };
            report.page_list(&sentences.chain(disagreement).collect::<Vec<_>>());
        }
    }

    /// Returns a row of the first book with those of the others.
    fn action_row<'r>(&'r self, row: &'r BookRow) -> ActionRow<'r> {
        let names = self.books.iter().find_map(|book| book.action_names.get(&row.code));
        let is_coarse = row.key.level() == 1;
        ActionRow {
            action: names.map_or_else(|| format!("action {}", row.code), |name| name.label.clone()),
            situation: if is_coarse {
                String::new()
            } else {
                self.books[0].situation_name(&row.key)
            },
            row,
            rows: self.index.iter().map(|rows| rows.get(&(&row.key, row.code)).copied()).collect(),
        }
    }

    /// Adds the tables of a place: one for each step, and one of all finer situations.
    fn add_place(&self, position: u8, report: &mut StudyReport) {
        report.section(TURN_POSITION_NAMES[usize::from(position)]);
        let is_shown =
            |row: &&BookRow| row.key.turn_position == position && row.effect.n >= self.min_forks;
        let shown: Vec<_> = self.rows[0].iter().filter(is_shown).collect();
        if shown.is_empty() {
            let forks = group_digits(self.min_forks);
            report.explanation(&format!("No action has {forks} forks or more."));
        }
        let (coarse, fine): (Vec<_>, Vec<_>) =
            shown.into_iter().partition(|row| row.key.level() == 1);
        let steps = coarse.chunk_by(|one, other| one.key == other.key);
        let steps = steps.map(|rows| (self.books[0].situation_name(&rows[0].key), rows));
        let fine = (!fine.is_empty()).then_some(("All finer situations".to_owned(), &fine[..]));
        for (caption, rows) in steps.chain(fine) {
            let rows = rows.iter().map(|row| self.action_row(row));
            report.page_table(&self.columns().table("", rows).view(), caption);
        }
    }

    /// Returns the columns of an action, with the effect by each bot.
    fn columns<'r>(&self) -> Columns<ActionRow<'r>> {
        let columns = Columns::<ActionRow<'_>>::new("", "")
            .text("action", "", |row| row.action.clone())
            .text("situation", "", |row| row.situation.clone())
            .integer("forks", "", |row| row.row.effect.n);
        let columns = self.names.iter().enumerate().fold(columns, |columns, (book, name)| {
            let by = if self.books.len() > 1 { format!(" by {name}") } else { String::new() };
            let verdict = move |row: &ActionRow<'_>| row.rows[book].map(|row| row.verdict.name());
            columns
                .percentage_points(("", format!("effect{by}")), "", move |row| {
                    row.rows[book].map(|row| row.effect.estimate())
                })
                .text(("", format!("verdict{by}")), "", verdict)
        });
        columns
            .percentage_points("mean effect", "", |row| {
                Estimate::unbounded(row.row.mean.n, row.row.mean.value)
            })
            .percent("win share", "", |row| row.row.with_action)
            .percent("chosen", "", |row| {
                let decisions = row.row.decisions;
                let share = row.row.chosen.n as f64 / decisions as f64;
                Estimate::unbounded(decisions, share)
            })
            .text("games", "", |row| {
                let games: Vec<_> = row.row.examples.iter().map(ToString::to_string).collect();
                games.join(" ")
            })
    }

    /// Adds the differences between actions that were plausible together.
    fn add_pairs(&self, report: &mut StudyReport) {
        let book = &self.books[0];
        let pairs = pair_rows(&book.tally);
        let shown =
            pairs.iter().filter(|row| row.key.level() == 1 && row.difference.n >= self.min_forks);
        let table = pairs_columns().table("", shown.map(|row| (book, row)));
        let keys = ["label", "other_label", "place", "step", "n", "difference", "verdict"];
        report.section("Two actions together");
        report.explanation(
            "The win share with one action less that with the other, over the decisions at which \
             both are plausible: level if the interval lies within 2 points of 0, else better if \
             it lies above 0. The intervals are not adjusted for their number.",
        );
        let caption = format!("Two actions at one decision, by {}", self.names[0]);
        report.page_table(&table.view().select(&keys), caption);
    }

    /// Explains the figures and lists the commands.
    fn add_method(&self, folders: &[PathBuf], report: &mut StudyReport) {
        report.section("Method").is_folded = true;
        report.explanation(
            "One bot plays all seats. At each opening decision the plausible actions, those that \
             it chose or whose prior is at least 1 %, are played on from the same position with \
             the same chance. The effect of an action is its win share less the mean over what \
             the bot would choose, the plausible actions of the decision weighted with their \
             priors, over the decisions at which the action is plausible, shrunk towards that of \
             coarser situations (the mean effect is not). Intervals are 95 %. An action is good \
             if the interval lies above −2 points, bad if it lies below, and playable if it \
             contains −2 points; with too few forks, or an interval that contains −2 points and \
             is wider than 4 points on each side, it is too rare. The effects are those of play \
             by these bots.",
        );
        let folder = folders[0].display();
        report.explanation(&format!(
            "Games are examples of {}. `watershed replay {folder}/examples.jsonl --game-index N` \
             shows game N with its positions, and `--annotate` explains it.",
            self.names[0]
        ));
        for ((name, book), folder) in self.names.iter().zip(self.books).zip(folders) {
            let (folder, command) = (folder.display(), &book.settings.command);
            report.explanation(&format!("{}, `{folder}`: `{command}`", capitalize(name)));
            let shrinkages = shrinkage_columns().table("", shrinkages(&book.tally));
            let caption = "Shrinkage towards the coarser level, checked on the other games";
            report.page_table(&shrinkages.view(), format!("{caption}: {name}"));
        }
    }
}

impl ActionRow<'_> {
    /// Returns true if an action is good by one bot and bad by another.
    fn is_disputed(&self) -> bool {
        let has = |verdict| self.rows.iter().flatten().any(|row| row.verdict == verdict);
        has(BookVerdict::Good) && has(BookVerdict::Bad)
    }
}

/// The sentence under the answer that says what an effect is.
const METHOD: &str = "An effect is the change of the win share, in percentage points (pp), if the \
                      seat chooses the action instead of what the bot would choose on average, in \
                      the same games with the same chance. Intervals are 95 %. Above −2 points an \
                      action is good, below it is bad.";

/// Returns the columns of the shrinkage of each level.
fn shrinkage_columns() -> Columns<Shrinkage> {
    let points = |error: f64| 100.0 * error.max(0.0).sqrt();
    Columns::<Shrinkage>::new("", "")
        .integer("level", "", |row| row.level)
        .number("weight in forks", 0, "", |row| row.weight)
        .integer("compared", "", |row| row.compared)
        .number("error of means, pp", 2, "", move |row| points(row.error_of_means))
        .number("error if shrunk, pp", 2, "", move |row| points(row.error_of_shrunk))
        .text("used", "", |row| if row.is_used() { "yes" } else { "no" })
}
