//! The answer of a study as data, said once and shown in the terminal and on the page.
//!
//! A study adds the parts of its answer in their order. Sentences and labels appear at both
//! places. Charts, sections and explanations are of the page only. A table is a view of a
//! [`DataTable`]; the terminal and the page may show other columns of it. The renderers know the
//! layout: blank lines, folding, the picture under the answer, the note on the file of a table.

use maud::{Markup, Render, html};

use super::{
    data_table::{DataTable, TableView},
    html::Section,
    provenance::Claim,
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

    /// Returns the sentence as lines for the terminal.
    pub(crate) fn text(&self) -> String {
        paragraph(&self.plain())
    }
}

impl Render for LabelledSentence {
    fn render(&self) -> Markup {
        html! { strong { (self.label) } (self.rest) }
    }
}

/// Renders labels, one in a line.
pub(crate) fn labels_markup(labels: impl IntoIterator<Item = LabelledSentence>) -> Markup {
    html! {
        @for (index, label) in labels.into_iter().enumerate() {
            @if index > 0 { br; }
            (label)
        }
    }
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
    page: ReportBody,
    labels: Vec<LabelledSentence>,
    tables: Vec<DataTable>,
}

impl StudyReport {
    /// Creates an answer without parts. `title` is that of the page.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        let page = ReportBody::new(title, html! {}, Vec::new());
        Self { text: String::new(), page, labels: Vec::new(), tables: Vec::new() }
    }

    /// Creates an answer for the terminal and its files.
    pub(crate) fn without_page() -> Self {
        Self::new("")
    }

    /// Adds sentences of the answer. The first ones are the most important truth.
    pub(crate) fn answer(&mut self, sentences: &str) {
        if !sentences.is_empty() {
            self.text += if self.page.lead.0.is_empty() { "\n" } else { "" };
            self.text += &paragraph(sentences);
            self.page_answer(sentences);
        }
    }

    /// Adds sentences to the answer of the page. The terminal has them in other words.
    pub(crate) fn page_answer(&mut self, sentences: &str) {
        let page = &mut self.page;
        let is_first = page.lead.0.is_empty();
        page.lead = if is_first {
            html! { (sentences) }
        } else {
            html! { (page.lead) " " (sentences) }
        };
    }

    /// Adds labels, which say how far the answer can be trusted.
    pub(crate) fn labels(
        &mut self,
        place: ReportPlace,
        labels: impl IntoIterator<Item = LabelledSentence>,
    ) {
        for label in labels {
            if place != ReportPlace::Page {
                self.text += &label.text();
            }
            if place != ReportPlace::Terminal {
                self.labels.push(label);
            }
        }
    }

    /// Adds text of the terminal, which ends its last line.
    pub(crate) fn terminal(&mut self, text: &str) {
        self.text += text;
    }

    /// Returns true if the page has a picture under its answer.
    pub(crate) fn has_picture(&self) -> bool {
        !self.page.picture.0.is_empty()
    }

    /// Begins a section of the page.
    pub(crate) fn section(&mut self, title: &str) -> &mut Section {
        self.page.sections.push(Section::new(title, html! {}));
        self.page.sections.last_mut().expect("a section was added")
    }

    /// Adds to the page: to its last section, or to the answer if there is none.
    pub(crate) fn page(&mut self, markup: impl Render) {
        let Self { page, .. } = self;
        let body = page.sections.last_mut().map_or(&mut page.picture, |section| &mut section.body);
        markup.render_to(&mut body.0);
    }

    /// Adds a paragraph, after an empty line in the terminal.
    pub(crate) fn paragraph(&mut self, text: &str) {
        self.text += &format!("\n{}", paragraph(text));
        self.page(html! { p { (text) } });
    }

    /// Adds a paragraph that explains what the page shows. Words between backticks are code, and
    /// between double asterisks strong.
    pub(crate) fn explanation(&mut self, text: &str) {
        self.page(html! { p { (inline_markup(text)) } });
    }

    /// Shows a table in the terminal, after an empty line.
    pub(crate) fn terminal_table(&mut self, view: &TableView<'_>) {
        self.text += &format!("\n{}", view.text());
    }

    /// Shows a table on the page.
    pub(crate) fn page_table(&mut self, view: &TableView<'_>, caption: impl Into<String>) {
        self.page(view.html(caption));
    }

    /// Adds a table to the files of the study. The last section of the page names the file with
    /// this remark.
    pub(crate) fn file(&mut self, table: DataTable, remark: &str) {
        let name = table.schema().file_name();
        self.page(html! { p.note { code { (name) } " has the same numbers" (remark) "." } });
        self.tables.push(table);
    }

    /// Returns the sections of the page.
    pub(crate) fn into_sections(self) -> Vec<Section> {
        self.page.sections
    }

    /// Returns the text for the terminal, the page if there is one, and the tables.
    pub(crate) fn render(self, provenance: &Claim) -> (String, Option<ReportBody>, Vec<DataTable>) {
        let Self { text, mut page, labels, tables } = self;
        page.labels = labels_markup(labels);
        let page = (!page.title.is_empty()).then_some(page);
        (provenance_line(provenance) + &text, page, tables)
    }
}

/// Renders a text whose words between backticks are code, and between double asterisks strong.
fn inline_markup(text: &str) -> Markup {
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
