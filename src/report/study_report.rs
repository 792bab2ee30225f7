//! The answer of a study as data, said once and shown in the terminal and on the page.
//!
//! A study adds the parts of its answer in their order. Sentences and labels appear at both
//! places. Charts, sections and explanations are of the page only. A table is a view of a
//! [`DataTable`]; the terminal and the page may show other columns of it. The renderers know the
//! layout: blank lines, folding, the picture under the answer, the note on the file of a table.

use maud::{Markup, Render, html};

use super::{
    chart::{CurveChart, IntervalChart},
    data_table::{DataTable, TableView},
    html::{Section, answer, capitalize, render_brief_page, render_page},
    provenance::Claim,
    screen::{Screen, ScreenFigure},
    study_page::ReportBody,
    text::{paragraph, provenance_line},
};

/// A label of an answer, and the rest of the sentence that begins with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LabelledSentence {
    pub(crate) label: &'static str,
    pub(crate) rest: String,
}

impl LabelledSentence {
    /// Returns the sentence without markup.
    pub(crate) fn plain(&self) -> String {
        format!("{}{}", self.label, self.rest)
    }
}

impl Render for LabelledSentence {
    fn render(&self) -> Markup {
        html! { strong { (self.label) } (self.rest) }
    }
}

/// A sentence that begins with a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LinkedSentence {
    pub(crate) name: String,
    /// The address of the link, which begins with `#` for a part of the page.
    pub(crate) address: String,
    pub(crate) rest: String,
}

/// The first finding of a run on a page of several runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RunFinding {
    pub(crate) name: String,
    /// The address of the page of the run, if the page links to it.
    pub(crate) address: Option<String>,
    pub(crate) sentence: String,
    /// The size of the run.
    pub(crate) facts: String,
}

/// The places at which a part of an answer is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReportPlace {
    Everywhere,
    Terminal,
    Page,
}

/// The answer of a study.
#[derive(Clone, Debug)]
pub(crate) struct StudyReport {
    text: String,
    /// Title of the page; `None` for an answer of the terminal and its files.
    title: Option<String>,
    lead: Markup,
    labels: Markup,
    picture: Markup,
    sections: Vec<Section>,
    tables: Vec<DataTable>,
    /// True if the page is one sheet.
    is_brief: bool,
    /// The screen with which the study ends: its first sentences, its first label and its first
    /// table, if the study does not set another.
    screen: Screen,
}

/// A report as it is written.
#[derive(Debug)]
pub(crate) struct RenderedReport {
    /// The text for the terminal, without the screen.
    pub(crate) text: String,
    /// The page, if there is one.
    pub(crate) page: Option<ReportBody>,
    pub(crate) tables: Vec<DataTable>,
    pub(crate) screen: Screen,
}

impl StudyReport {
    /// Creates an answer without parts. `title` is that of the page.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..Self::without_page() }
    }

    /// Creates an answer for the terminal and its files.
    pub(crate) fn without_page() -> Self {
        Self {
            text: String::new(),
            title: None,
            lead: html! {},
            labels: html! {},
            picture: html! {},
            sections: Vec::new(),
            tables: Vec::new(),
            is_brief: false,
            screen: Screen::default(),
        }
    }

    /// Adds sentences of the answer. The first ones are the most important truth.
    pub(crate) fn answer(&mut self, sentences: &str) {
        if !sentences.is_empty() {
            self.text += if self.lead.0.is_empty() { "\n" } else { "" };
            self.text += &paragraph(sentences);
            self.screen.answer.push(sentences.to_owned());
            self.page_answer(sentences);
        }
    }

    /// Adds sentences to the answer of the page. The terminal has them in other words.
    pub(crate) fn page_answer(&mut self, sentences: &str) {
        let space = if self.lead.0.is_empty() { "" } else { " " };
        self.lead = html! { (self.lead) (space) (inline_markup(sentences)) };
    }

    /// Sets the screen with which the study ends. The page begins with its sentences and tiles.
    pub(crate) fn screen(&mut self, screen: Screen) {
        let replaced = std::mem::take(&mut self.screen);
        self.page_answer(&screen.answer.join(" "));
        let edits = Some(format!("Edited: {}.", screen.edits));
        self.page_remark(&edits.filter(|_| !screen.edits.is_empty()).unwrap_or_default());
        self.page_remark(&capitalize(&screen.sure));
        self.page(screen.tiles());
        self.screen = Screen { answer: [screen.answer, replaced.answer].concat(), ..screen };
    }

    /// Sets the lines of the screen below its answer; the first one is their heading.
    pub(crate) fn screen_lines(&mut self, text: &str) {
        self.screen.set_lines(text.trim());
    }

    /// Adds sentences to the screen that the page has in a section.
    pub(crate) fn screen_sentences(&mut self, sentences: &str) {
        self.screen.answer.push(sentences.to_owned());
    }

    /// Sets the answer of the screen and how sure it is, if the text for the terminal has more.
    pub(crate) fn screen_answer(&mut self, answer: &[String], sure: &str) {
        self.screen.answer = answer.to_vec();
        sure.clone_into(&mut self.screen.sure);
    }

    /// Adds a figure with the word for it to the screen, and as a tile to the page.
    pub(crate) fn figure(&mut self, name: &'static str, word: &'static str, text: String) {
        self.screen.figures.push(ScreenFigure { name, word, text });
    }

    /// Adds labels, which say how far the answer can be trusted.
    pub(crate) fn labels(
        &mut self,
        place: ReportPlace,
        labels: impl IntoIterator<Item = LabelledSentence>,
    ) {
        for label in labels {
            if place != ReportPlace::Page {
                self.text += &paragraph(&label.plain());
                if self.screen.sure.is_empty() {
                    self.screen.sure = label.plain();
                }
            }
            // A screen of its own says on the page how sure the answer is.
            if place != ReportPlace::Terminal && !self.screen.is_own() {
                self.add_label(&label);
            }
        }
    }

    /// Adds a sentence to the labels of the page that has no label itself.
    pub(crate) fn page_remark(&mut self, sentence: &str) {
        if !sentence.is_empty() {
            self.add_label(&sentence);
        }
    }

    fn add_label(&mut self, label: &impl Render) {
        self.labels = html! {
            @if !self.labels.0.is_empty() { (self.labels) br; }
            (label)
        };
    }

    /// Adds text of the terminal, which ends its last line.
    pub(crate) fn terminal(&mut self, text: &str) {
        self.text += text;
    }

    /// Begins a section of the page.
    pub(crate) fn section(&mut self, title: &str) -> &mut Section {
        self.add_section(Section::new(title, html! {}))
    }

    /// Adds a section to the page.
    pub(crate) fn add_section(&mut self, section: Section) -> &mut Section {
        self.sections.push(section);
        self.sections.last_mut().expect("a section was added")
    }

    /// Adds to the page: to its last section, or to the answer if there is none.
    pub(crate) fn page(&mut self, markup: impl Render) {
        let Self { sections, picture, .. } = self;
        let body = sections.last_mut().map_or(picture, |section| &mut section.body);
        markup.render_to(&mut body.0);
    }

    /// Adds charts to the page.
    pub(crate) fn charts(&mut self, charts: impl IntoIterator<Item = IntervalChart>) {
        charts.into_iter().for_each(|chart| self.page(chart));
    }

    /// Adds curves to the page, beside each other.
    pub(crate) fn curves(&mut self, curves: &[CurveChart]) {
        self.page(html! { div.curves { @for curve in curves { (curve) } } });
    }

    /// Adds a paragraph, after an empty line in the terminal.
    pub(crate) fn paragraph(&mut self, text: &str) {
        self.sentence(ReportPlace::Everywhere, text);
    }

    /// Adds a paragraph to the page and perhaps to the terminal, after an empty line.
    pub(crate) fn sentence(&mut self, place: ReportPlace, text: &str) {
        if place != ReportPlace::Page {
            self.text += &format!("\n{}", paragraph(text));
        }
        self.explanation(text);
    }

    /// Adds a paragraph that explains what the page shows. Words between backticks are code, and
    /// between double asterisks strong.
    pub(crate) fn explanation(&mut self, text: &str) {
        self.page(html! { p { (inline_markup(text)) } });
    }

    /// Adds a section with sentences on parts of the page, each a paragraph of the terminal.
    pub(crate) fn linked_sentences(
        &mut self,
        place: ReportPlace,
        title: &str,
        sentences: &[LinkedSentence],
    ) {
        if place != ReportPlace::Page {
            self.text += &format!("\n{title}\n");
            for LinkedSentence { name, rest, .. } in sentences {
                self.text += &paragraph(&format!("{name}{rest}"));
            }
        }
        self.section(title);
        self.links(sentences);
    }

    /// Adds a list of links with the rest of their sentences to the page.
    pub(crate) fn links(&mut self, links: &[LinkedSentence]) {
        self.page(html! {
            ul {
                @for LinkedSentence { name, address, rest } in links {
                    li { a href=(address) { (name) } (rest) }
                }
            }
        });
    }

    /// Adds the first findings of several runs to the page.
    pub(crate) fn findings(&mut self, findings: impl IntoIterator<Item = RunFinding>) {
        self.page(html! {
            dl.list.answers {
                @for RunFinding { name, address, sentence, facts } in findings {
                    dt {
                        @if let Some(address) = address { a href=(address) { (name) } }
                        @else { (name) }
                    }
                    dd { (sentence) " " span.note { (facts) } }
                }
            }
        });
    }

    /// Adds texts to the page as they are, such as commands.
    pub(crate) fn verbatim<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        self.page(html! { @for text in texts { pre { code { (text) } } } });
    }

    /// Adds a list of sentences to the page.
    pub(crate) fn page_list(&mut self, sentences: &[String]) {
        self.page(html! { ul { @for one in sentences { li { (inline_markup(one)) } } } });
    }

    /// Shows a table in the terminal, after an empty line.
    pub(crate) fn terminal_table(&mut self, view: &TableView<'_>) {
        self.text += "\n";
        self.add_text_table(view);
    }

    fn add_text_table(&mut self, view: &TableView<'_>) {
        let text = view.text();
        if self.screen.items.is_empty() && !self.screen.has_own_items {
            self.screen.set_lines(&text);
        }
        self.text += &text;
    }

    /// Shows a table on the page.
    pub(crate) fn page_table(&mut self, view: &TableView<'_>, caption: impl Into<String>) {
        self.page(view.html(caption));
    }

    /// Shows a table in the terminal and on the page.
    pub(crate) fn table(&mut self, view: &TableView<'_>, caption: impl Into<String>) {
        self.terminal_table(view);
        self.page_table(view, caption);
    }

    /// Shows a table on the page and perhaps in the terminal, below its caption.
    pub(crate) fn captioned_table(
        &mut self,
        place: ReportPlace,
        caption: &str,
        view: &TableView<'_>,
    ) {
        if place != ReportPlace::Page {
            self.text += &format!("\n{}", paragraph(caption));
            self.add_text_table(view);
        }
        self.page_table(view, capitalize(caption));
    }

    /// Shows some columns of a table in the terminal and all of it on the page, and adds it to the
    /// files of the study with this remark.
    pub(crate) fn data(
        &mut self,
        table: DataTable,
        in_terminal: &[&str],
        caption: impl Into<String>,
        remark: &str,
    ) {
        if !in_terminal.is_empty() {
            self.terminal_table(&table.view().select(in_terminal));
        }
        self.page_table(&table.view(), caption);
        self.file(table, remark);
    }

    /// Adds a table to the files of the study. The last section of the page names the file with
    /// this remark.
    pub(crate) fn file(&mut self, table: DataTable, remark: &str) {
        let name = table.schema().file_name();
        self.page(html! { p.note { code { (name) } " has the same numbers" (remark) "." } });
        self.tables.push(table);
    }

    /// Adds a table to the files of the study that the page does not name.
    pub(crate) fn file_only(&mut self, table: DataTable) {
        self.tables.push(table);
    }

    /// Renders the report.
    pub(crate) fn render(self, provenance: &Claim) -> RenderedReport {
        let Self { text, title, lead, labels, picture, sections, mut tables, screen, .. } = self;
        if screen.is_own() {
            tables.insert(0, screen.table(provenance));
        }
        let has_tiles = !screen.is_own() && !screen.figures.is_empty();
        let picture = html! { @if has_tiles { (screen.tiles()) } (picture) };
        let page = title.map(|title| ReportBody { title, lead, labels, picture, sections });
        RenderedReport { text: provenance_line(provenance) + &text, page, tables, screen }
    }

    /// Replaces the answer and its labels, in the terminal everything, by a sentence.
    pub(crate) fn replace_answer(&mut self, sentence: &str) {
        let Self { text, lead, labels, picture, screen, .. } = self;
        text.clear();
        for part in [lead, labels, picture] {
            part.0.clear();
        }
        *screen = Screen::default();
        self.answer(sentence);
    }

    /// Makes the page one sheet, in small type.
    pub(crate) const fn set_brief(&mut self) {
        self.is_brief = true;
    }

    /// Returns the text for the terminal, and a page that is not of a run: the subject above its
    /// title, and a note below its answer.
    pub(crate) fn render_alone(self, subject: &str, note: &str) -> (String, Vec<u8>) {
        let Self { text, title, lead, labels, picture, sections, is_brief, .. } = self;
        let title = title.unwrap_or_default();
        let head = html! {
            p.kicker { "Watershed · " (subject) }
            h1 { (title) }
            (answer(&lead, &labels))
            p.note { (inline_markup(note)) }
            (picture)
        };
        let render = if is_brief { render_brief_page } else { render_page };
        (text.trim_start().to_owned(), render(&title, &head, &sections))
    }
}

/// Renders a text whose words between backticks are code, and between double asterisks strong.
pub(crate) fn inline_markup(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split("**").enumerate() {
            @if index % 2 == 1 { strong { (part) } } @else {
                @for (index, part) in part.split('`').enumerate() {
                    @if index % 2 == 1 { code { (part) } } @else { (part) }
                }
            }
        }
    }
}
