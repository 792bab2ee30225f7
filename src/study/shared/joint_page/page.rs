//! The page of several runs.

use std::path::Path;

use maud::{Markup, html};

use super::{
    joint::{JointColumn, section_title, table_name},
    main_tables::{ITEMS, main_tables},
    saved_run::SavedRun,
};
use crate::{
    arena::metric::Metric,
    report::{
        html::{
            Section, first_finding, format_count, format_percent, join_with_and, render_brief_page,
            render_page,
        },
        note::Note,
        provenance::Claim,
        study_report::LabelledSentence,
    },
    run::{page::FILE as REPORT, paths::resolve_path},
};

/// Rows of a table of a brief page, and rows of its main chart.
const BRIEF_ROWS: usize = 6;
/// Tables of a brief page after the health card.
const BRIEF_TABLES: usize = 2;

/// The runs of a page, with their names.
pub(super) struct JointPage<'a> {
    runs: &'a [SavedRun],
    /// The name of each run: what differs from the other runs.
    labels: Vec<String>,
    /// The file of the page.
    out: &'a Path,
}

impl<'a> JointPage<'a> {
    /// Creates the page of some runs, which is written to a file.
    pub(super) fn new(runs: &'a [SavedRun], out: &'a Path) -> Self {
        Self { runs, labels: labels(runs), out }
    }

    /// Renders the page, as one sheet if it is brief, with notes of the user: these or, without
    /// any, those of the runs.
    pub(super) fn render(&self, is_brief: bool, note: Option<&Note>) -> Vec<u8> {
        let mut sections: Vec<Section> = if let Some(note) = note {
            vec![note.section()]
        } else {
            let own = self.runs.iter().filter_map(|run| run.note.as_ref());
            own.map(Note::section).collect()
        };
        for kind in self.kinds() {
            let indices: Vec<_> =
                (0..self.runs.len()).filter(|&run| self.runs[run].kind == kind).collect();
            let runs: Vec<_> = indices.iter().map(|&run| &self.runs[run]).collect();
            let labels: Vec<_> = indices.iter().map(|&run| self.labels[run].clone()).collect();
            let tables = joint_tables(kind, &runs);
            if is_brief {
                let items: Vec<_> =
                    runs.iter().filter_map(|run| run.swept_item.as_deref()).collect();
                sections.extend(brief_section(kind, tables, &labels, &items));
            } else {
                sections.extend(full_sections(kind, &tables, &labels, self.kinds().len() > 1));
            }
        }
        let title = self.title();
        let kinds: Vec<_> = self.kinds().into_iter().map(str::to_owned).collect();
        let (games, kinds) = (join_with_and(&self.games()), join_with_and(&kinds));
        let head = html! {
            p.kicker { "Watershed · " (games) " · " (kinds) }
            h1 { (title) }
            (self.lead(is_brief))
            (self.provenance_note())
        };
        if is_brief {
            sections.push(self.commands("Repeat the run"));
            return render_brief_page(&title, &head, &sections);
        }
        sections.push(self.commands("Repeat the runs"));
        render_page(&title, &head, &sections)
    }

    /// Returns the commands, each once.
    fn kinds(&self) -> Vec<&'a str> {
        distinct(self.runs.iter().map(|run| run.kind.as_str()))
    }

    fn games(&self) -> Vec<String> {
        distinct(self.runs.iter().map(|run| run.game.clone()))
    }

    /// Returns the title: that of the page of the only run, which names its data files, or what the
    /// runs have in common.
    fn title(&self) -> String {
        if let [SavedRun { title: Some(title), .. }] = self.runs {
            return title.clone();
        }
        let games = join_with_and(&self.games());
        let mut numbers = distinct(self.runs.iter().map(|run| run.identity.players));
        numbers.sort_unstable();
        let last = numbers.last().copied().unwrap_or(0);
        let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        let players = match &numbers[..] {
            [_] => format_count(last as u64, "player"),
            _ => format!("{} players", join_with_and(&numbers)),
        };
        let bots = join_with_and(&distinct(self.runs.iter().flat_map(|run| run.bots.clone())));
        let kinds: Vec<_> = self.kinds().iter().map(|kind| (*kind).to_owned()).collect();
        let subject = match self.runs.len() {
            1 => kinds.concat(),
            runs => format!("{runs} runs of {}", join_with_and(&kinds)),
        };
        let bots = if bots.is_empty() { bots } else { format!(", {bots}") };
        format!("{subject}: {games}, {players}{bots}")
    }

    /// Renders the answer: that of the only run, or the first sentence of each.
    fn lead(&self, is_brief: bool) -> Markup {
        if let ([_], Some(answer)) = (self.runs, self.runs[0].answer.as_deref()) {
            return html! { p.lead { (answer) } };
        }
        let labels = self.runs.iter().map(SavedRun::one_lineup_label);
        let labels = distinct(labels.flatten().map(|label| label.plain()));
        html! {
            @for label in labels { p.lead { (label) } }
            @if let Some(sentence) = self.first_player_sentence() { p.lead { (sentence) } }
            dl.list.answers {
                @for (run, label) in self.runs.iter().zip(&self.labels) {
                    dt {
                        @match self.link(run).filter(|_| !is_brief) {
                            Some(link) => a href=(link) { (label) },
                            None => (label),
                        }
                    }
                    dd {
                        @match &run.answer {
                            Some(answer) => (first_finding(answer)),
                            None => "No answer: the run has no page.",
                        }
                        " " span.note { (run.facts()) }
                    }
                }
            }
        }
    }

    /// Returns the win rates of the first player with each number of players, if this is the only
    /// difference between the runs.
    pub(super) fn first_player_sentence(&self) -> Option<String> {
        let [kind] = self.kinds()[..] else { return None };
        let numbers = distinct(self.runs.iter().map(|run| run.identity.players));
        if numbers.len() < self.runs.len() || self.runs.len() < 2 {
            return None;
        }
        let runs: Vec<_> = self.runs.iter().collect();
        let tables = joint_tables(kind, &runs);
        let is_rate = |column: &&JointColumn| {
            ["turn_order", "turn_positions"].contains(&column.table.as_str())
                && column.key == "win_rate"
        };
        let row = tables.iter().find(is_rate)?.row("0")?;
        let rates = row.estimates.iter().zip(self.runs).map(|(estimate, run)| {
            let estimate = (*estimate)?;
            let players = run.identity.players;
            Some(format!("{} with {players}", format_percent(estimate)))
        });
        let rates = rates.collect::<Option<Vec<_>>>()?;
        let games: u64 = row.estimates.iter().flatten().map(|estimate| estimate.n as u64).sum();
        let bots = distinct(self.runs.iter().map(|run| join_with_and(&run.bots)));
        let bots = match &bots[..] {
            [bots] => format!(" with {bots}"),
            _ => String::new(),
        };
        let rates = join_with_and(&rates);
        let games = format_count(games, "game");
        Some(format!("The first player wins {rates} players ({games}{bots})."))
    }

    /// Returns the link to the page of a run in a folder beside this page.
    fn link(&self, run: &SavedRun) -> Option<String> {
        let page = resolve_path(&run.folder.join(REPORT));
        let out = resolve_path(self.out);
        let path = page.strip_prefix(out.parent()?).ok()?;
        let parts = path.iter().map(|part| part.to_str().map(percent_encode));
        page.exists().then_some(parts.collect::<Option<Vec<_>>>()?.join("/"))
    }

    fn provenance_note(&self) -> Markup {
        let tables = self.runs.iter().flat_map(|run| &run.tables);
        let claims = distinct(tables.filter_map(|table| table.provenance().map(str::to_owned)));
        html! {
            p.note {
                @if claims.iter().any(|claim| Claim::new(claim).is_reconstruction()) {
                    strong { "A reconstruction, not the printed game." }
                    " Some values of the data files are reconstructed."
                } @else {
                    "The data of the runs is marked " q { (join_with_and(&claims)) } "."
                }
            }
        }
    }

    fn commands(&self, title: &str) -> Section {
        Section::new(
            title,
            html! {
                @for run in self.runs { pre { code { (run.command) } } }
            },
        )
    }
}

impl SavedRun {
    /// Returns the table of a name.
    pub(super) fn table(
        &self,
        name: &str,
    ) -> Option<&crate::report::data_table::saved::SavedTable> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Returns the label of the answer if it rests on one lineup.
    fn one_lineup_label(&self) -> Option<LabelledSentence> {
        let label = LabelledSentence::of_one_lineup(&self.bots.join(","));
        self.answer.as_ref()?.contains(&label.plain()).then_some(label)
    }

    /// Returns the game, the players and the bots.
    fn facts(&self) -> String {
        let players = format_count(self.identity.players as u64, "player");
        let bots = join_with_and(&distinct(self.bots.iter().chain(&self.panel).cloned()));
        format!("{}, {players}, {bots}, seed {}", self.game, self.identity.seed)
    }
}

/// Joins the main tables of runs of the same command.
fn joint_tables(kind: &str, runs: &[&SavedRun]) -> Vec<JointColumn> {
    let mut joined = Vec::new();
    for main in main_tables(kind) {
        let names = if main.name == ITEMS {
            let tables = runs.iter().flat_map(|run| &run.tables).filter(|table| table.is_items);
            distinct(tables.map(|table| table.name.clone()))
        } else {
            vec![main.name.to_owned()]
        };
        for name in names {
            joined.extend(JointColumn::join(runs, &name, main));
        }
    }
    // The only bot of a panel is in the other tables.
    joined.retain(|column| column.table != "panel" || column.rows.len() > 1);
    joined
}

/// Returns a section for each table, with the chart of its first estimate.
fn full_sections(
    kind: &str,
    columns: &[JointColumn],
    labels: &[String],
    is_with_kind: bool,
) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let names = distinct(columns.iter().map(|column| table_name(&column.table).to_owned()));
    for name in names {
        let own = || columns.iter().filter(|column| table_name(&column.table) == name);
        let mut charted: Vec<&str> = Vec::new();
        let body = html! {
            @for column in own() {
                @let is_first = !charted.contains(&column.table.as_str());
                @if is_first {
                    ({ charted.push(&column.table); "" })
                    @if let Some(chart) = column.chart(labels) { (chart) }
                }
                (column.table(labels))
            }
        };
        let title = section_title(&name);
        sections.push(Section::new(
            if is_with_kind { format!("{kind}: {title}") } else { title },
            body,
        ));
    }
    sections
}

/// Returns the main results of a command for a page of one sheet.
/// `items` are those whose values were swept, which come first.
fn brief_section(
    kind: &str,
    mut columns: Vec<JointColumn>,
    labels: &[String],
    items: &[&str],
) -> Option<Section> {
    columns.sort_by_cached_key(|column| !items.iter().any(|item| column.has_item(item)));
    let mut tables = 0;
    let mut charts = 0;
    let mut body: Vec<Markup> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for mut column in columns {
        // The first estimate of each table is its main one.
        let name = table_name(&column.table).to_owned();
        if seen.contains(&name) || ["panel", "win_rates"].contains(&name.as_str()) {
            continue;
        }
        // Of the metrics of an item, the win rate of its takers is the main one.
        if column.is_by_metric()
            && ![Metric::WinShare, Metric::TakersWinShare]
                .iter()
                .any(|metric| column.is_of(*metric))
        {
            continue;
        }
        seen.push(name);
        let is_card = column.table == "card";
        if !is_card && tables >= BRIEF_TABLES {
            continue;
        }
        let item = items.iter().find(|item| column.has_item(item));
        if let Some(item) = item {
            column.keep_item(item);
        }
        if column.rows.len() > BRIEF_ROWS {
            column.keep_first_lineup();
        }
        column.keep_ends(if is_card || item.is_some() { usize::MAX } else { BRIEF_ROWS });
        let chart = column.chart(labels).filter(|_| charts == 0);
        if let Some(chart) = chart {
            charts += 1;
            body.push(chart);
        } else {
            tables += usize::from(!is_card);
            body.push(html! { (column.table(labels)) });
        }
    }
    let body = html! { @for part in &body { (part) } };
    (!seen.is_empty()).then(|| Section::new(format!("Main results of {kind}"), body))
}

/// Returns the name of each run: the facts that differ between the runs, with the folder where they
/// are not enough.
fn labels(runs: &[SavedRun]) -> Vec<String> {
    if runs.len() == 1 {
        return vec!["estimate".to_owned()];
    }
    let facts: [fn(&SavedRun) -> String; 6] = [
        |run| run.kind.clone(),
        |run| run.game.clone(),
        |run| format_count(run.identity.players as u64, "player"),
        |run| join_with_and(&run.bots),
        |run| run.data.clone(),
        |run| format!("seed {}", run.identity.seed),
    ];
    let differing: Vec<_> =
        facts.into_iter().filter(|fact| distinct(runs.iter().map(fact)).len() > 1).collect();
    let label = |run: &SavedRun| {
        let facts: Vec<_> = differing.iter().map(|fact| fact(run)).collect();
        facts.join(", ")
    };
    let labels: Vec<_> = runs.iter().map(label).collect();
    let is_unique = distinct(labels.iter().cloned()).len() == runs.len();
    let with_folder = |(label, run): (String, &SavedRun)| {
        let folder = run.folder.display().to_string();
        match (is_unique, label.is_empty()) {
            (true, _) => label,
            (false, true) => folder,
            (false, false) => format!("{folder}, {label}"),
        }
    };
    labels.into_iter().zip(runs).map(with_folder).collect()
}

fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Encodes a part of a path for a link.
fn percent_encode(part: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    part.bytes().map(encode).collect()
}
