//! One page of several finished runs: of `report`, and of a study of several numbers of players.

mod saved_run;

use std::collections::BTreeSet;

use maud::PreEscaped;
use saved_run::SavedRun;

use crate::{
    report::{data_table::Value, html::first_finding, note::Note, study_report::RunFinding},
    run::{page::FILE as REPORT, paths::resolve_path},
    study::shared::{prelude::*, verdict_page::estimate},
};

/// Runs whose differences from the first one are stated.
const MAX_DIFFERENCES: usize = 3;

/// Writes the page of the runs of some folders, as one sheet if it is brief, with notes of the
/// user. Returns the sentence that sums them up; it is empty if there is none.
///
/// # Errors
/// If a folder holds no finished run, or the page can't be written.
pub(crate) fn write_page(
    games: GameList,
    folders: &[PathBuf],
    out: &Path,
    is_brief: bool,
    note: Option<&Note>,
    overwrite: bool,
) -> anyhow::Result<String> {
    for (index, folder) in folders.iter().enumerate() {
        let same = |other: &PathBuf| resolve_path(other) == resolve_path(folder);
        ensure!(
            !folders[..index].iter().any(same),
            "{}: is given twice; expected each run once",
            folder.display()
        );
    }
    let read = |folder: &PathBuf| SavedRun::read(games, folder);
    let runs = folders.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let page = JointPage { labels: labels(&runs), runs: &runs, out, is_brief };
    let summary = page.first_player_sentence().or_else(|| page.differences());
    let summary = summary.unwrap_or_default();
    let page = page.render(&summary, note);
    let mut file = PartialFile::create_for_user(out, overwrite)?;
    file.file().write_all(&page).map_err(|error| file.unwritable(error))?;
    file.finish()?;
    Ok(summary)
}

/// The runs of a page.
struct JointPage<'a> {
    runs: &'a [SavedRun],
    /// The name of each run: what differs from the other runs.
    labels: Vec<String>,
    /// The file of the page.
    out: &'a Path,
    /// True if the page is one sheet.
    is_brief: bool,
}

impl JointPage<'_> {
    /// Renders the page with notes of the user: these or, without any, those of the runs.
    fn render(&self, summary: &str, note: Option<&Note>) -> Vec<u8> {
        let mut report = StudyReport::new(self.title());
        if let [SavedRun { answer: Some(answer), .. }] = self.runs {
            report.page_answer(answer);
        } else {
            report.answer(summary);
            let labels = self.runs.iter().filter_map(SavedRun::one_bot_label);
            report.labels(ReportPlace::Page, distinct(labels));
            report.findings(self.runs.iter().zip(&self.labels).map(|(run, label)| RunFinding {
                name: label.clone(),
                address: self.link(run),
                sentence: match &run.answer {
                    Some(answer) => first_finding(answer).to_owned(),
                    None => "No answer: the run has no page.".to_owned(),
                },
                facts: run.facts(),
            }));
        }
        let notes: Vec<_> = match note {
            Some(note) => vec![note],
            None => self.runs.iter().filter_map(|run| run.note.as_ref()).collect(),
        };
        for note in notes {
            report.add_section(note.section());
        }
        self.add_screens(&mut report);
        if self.is_brief {
            report.set_brief();
        } else {
            self.add_figures(&mut report);
            report.section("Repeat the runs");
            report.verbatim(self.runs.iter().map(|run| run.text("command")));
        }
        let subject = format!("{} · {}", self.games(), join_with_and(self.kinds()));
        report.render_alone(&subject, &self.provenance_note()).1
    }

    /// Returns the commands, each once.
    fn kinds(&self) -> Vec<String> {
        distinct(self.runs.iter().map(|run| run.text("kind").to_owned()))
    }

    /// Returns the titles of the games.
    fn games(&self) -> String {
        join_with_and(distinct(self.runs.iter().map(|run| run.game.clone())))
    }

    /// Returns the title: that of the page of the only run, which names its data files, or what the
    /// runs have in common.
    fn title(&self) -> String {
        if let [SavedRun { title: Some(title), .. }] = self.runs {
            return title.clone();
        }
        let mut numbers = distinct(self.runs.iter().map(|run| run.identity.players));
        numbers.sort_unstable();
        let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        let noun = if numbers == ["1"] { "player" } else { "players" };
        let bots = distinct(self.runs.iter().flat_map(SavedRun::bots));
        let bots =
            if bots.is_empty() { String::new() } else { format!(", {}", join_with_and(&bots)) };
        let runs = format_count(self.runs.len(), "run");
        let (kinds, numbers) = (join_with_and(self.kinds()), join_with_and(&numbers));
        format!("{runs} of {kinds}: {}, {numbers} {noun}{bots}", self.games())
    }

    /// Adds the screen of each run: its picture and, on a brief page, its items and commands.
    fn add_screens(&self, report: &mut StudyReport) {
        for (run, label) in self.runs.iter().zip(&self.labels) {
            if self.runs.len() > 1 {
                report.section(label);
            }
            if !self.is_brief {
                report.page(PreEscaped(&run.picture));
                continue;
            }
            // A sheet has no room for tables; folded ones are not printed.
            let open = r#"<details class="table" open>"#;
            report.page(PreEscaped(run.picture.replace(open, r#"<details class="table">"#)));
            // Without figures, the items are those of the picture.
            let has_cards = !run.screen_lines("figure").is_empty();
            for (part, title) in [("item", "Cards"), ("try", "What to try")] {
                let lines = run.screen_lines(part);
                if !lines.is_empty() && (has_cards || part == "try") {
                    report.section(title);
                    report.verbatim([lines.join("\n").as_str()]);
                }
            }
        }
    }

    /// Adds the figures of the runs beside each other.
    fn add_figures(&self, report: &mut StudyReport) {
        let runs = self.runs.iter().zip(&self.labels);
        let rates = runs.clone().filter_map(|(run, label)| {
            Some(IntervalRow::new((label.clone(), run.first_player_rate()?)))
        });
        let rates: Vec<_> = rates.collect();
        let compared = runs.filter_map(|(run, label)| Some((label, run.figures()?.list())));
        let compared: Vec<_> = compared.collect();
        if rates.len() > 1 || compared.len() > 1 {
            report.section("The runs beside each other");
        }
        if rates.len() > 1 {
            let sentence = "The first player wins, with 95 % intervals.".to_owned();
            report.page(IntervalChart::new(sentence, Unit::Percent, &["win rate"], rates));
        }
        if compared.len() < 2 {
            return;
        }
        let names: BTreeSet<_> = compared.iter().flat_map(|(_, figures)| figures.keys()).collect();
        let columns = Columns::<&[String; 3]>::new("", "")
            .text("table", "", |[table, ..]| table)
            .text("item", "", |[_, item, _]| item)
            .text("figure", "", |[.., figure]| figure);
        let columns = compared.iter().fold(columns, |columns, (label, figures)| {
            let figures = figures.clone();
            columns.estimate(("", label.as_str()), Unit::Decimals(1), "", move |name| {
                figures.get(*name).map(|value| Value::Estimate(estimate(*value)))
            })
        });
        report.page_table(&columns.table("", names).view(), "All figures");
    }

    /// Returns the win rates of the first player with each number of players, if this is the only
    /// difference between the runs.
    fn first_player_sentence(&self) -> Option<String> {
        let numbers = distinct(self.runs.iter().map(|run| run.identity.players));
        if self.kinds().len() > 1 || numbers.len() < self.runs.len() || numbers.len() < 2 {
            return None;
        }
        let mut games = 0;
        let rates = self.runs.iter().map(|run| {
            let rate = run.first_player_rate()?;
            games += rate.n.unsigned_abs();
            Some(format!("{} with {}", format_percent(rate), run.identity.players))
        });
        let rates = join_with_and(&rates.collect::<Option<Vec<_>>>()?);
        let bots = match &distinct(self.runs.iter().map(|run| join_with_and(run.bots())))[..] {
            [bots] => format!(" with {bots}"),
            _ => String::new(),
        };
        let games = format_count(games, "game");
        Some(format!("The first player wins {rates} players ({games}{bots})."))
    }

    /// States for each run after the first what differs most from it, if all are of one game with
    /// one number of players.
    fn differences(&self) -> Option<String> {
        let same = |run: &SavedRun| (run.identity.game.clone(), run.identity.players);
        if distinct(self.runs.iter().map(same)).len() > 1 {
            return None;
        }
        let figures = self.runs.iter().map(SavedRun::figures).collect::<Option<Vec<_>>>()?;
        let (first, others) = figures.split_first()?;
        let differences = others.iter().zip(&self.labels[1..]).map(|(other, label)| {
            let players = self.runs[0].identity.players;
            let rated = other.compared_with(first, &self.labels[0], players);
            format!("{label}: {}", rated.verdict().first_sentence(&rated))
        });
        let differences: Vec<_> = differences.take(MAX_DIFFERENCES).collect();
        (!differences.is_empty()).then(|| differences.join(" "))
    }

    /// Returns the link to the page of a run in a folder beside this page.
    fn link(&self, run: &SavedRun) -> Option<String> {
        let page = resolve_path(&run.folder.join(REPORT));
        let path = page.strip_prefix(resolve_path(self.out).parent()?).ok()?;
        let is_linked = page.exists() && !self.is_brief;
        let link = path.to_str().filter(|_| is_linked)?.replace('\\', "/");
        Some(link.replace('%', "%25").replace('#', "%23").replace('?', "%3F"))
    }

    fn provenance_note(&self) -> String {
        let claims = distinct(self.runs.iter().map(|run| run.text("provenance").to_owned()));
        if claims.iter().any(|claim| Claim::new(claim).is_reconstruction()) {
            "**A reconstruction, not the printed game.** Some values of the data files are \
             reconstructed."
                .to_owned()
        } else {
            format!("The data of the runs is marked “{}”.", join_with_and(&claims))
        }
    }
}

/// Returns the name of each run: the facts that differ between the runs, with the folder where they
/// are not enough.
fn labels(runs: &[SavedRun]) -> Vec<String> {
    if runs.len() == 1 {
        return vec!["estimate".to_owned()];
    }
    let facts: [fn(&SavedRun) -> String; 6] = [
        |run| run.text("kind").to_owned(),
        |run| run.game.clone(),
        |run| run.identity.players_text(),
        |run| join_with_and(run.bots()),
        |run| run.text("config").to_owned(),
        |run| format!("seed {}", run.identity.seed),
    ];
    let differs = |fact: &fn(&SavedRun) -> String| distinct(runs.iter().map(fact)).len() > 1;
    let differing: Vec<_> = facts.into_iter().filter(differs).collect();
    let mut labels: Vec<Vec<_>> =
        runs.iter().map(|run| differing.iter().map(|fact| fact(run)).collect()).collect();
    if distinct(labels.iter().cloned()).len() < runs.len() {
        for (label, run) in labels.iter_mut().zip(runs) {
            label.insert(0, run.folder.display().to_string());
        }
    }
    labels.iter().map(|facts| facts.join(", ")).collect()
}

/// Returns the different values in the order of their first occurrence.
fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}
