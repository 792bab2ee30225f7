//! HTML pages: sections, tables, and numbers formatted for people. [`super::chart`] draws charts.
//!
//! A page is one file. It holds its style and scripts. Its content security policy names them by
//! their hashes and forbids everything else. The scripts sort and filter tables, show the numbers
//! of charts, and save both; the page is readable without them.

use std::sync::LazyLock;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use sha2::{Digest as _, Sha256};

use crate::stats::ratio::Estimate;
pub(crate) use crate::{
    protocol::words::{join_with, join_with_and},
    scene::capitalize,
};

/// The style of all pages, with that of the boards of games.
static STYLE: LazyLock<String> =
    LazyLock::new(|| [include_str!("html/style.css"), crate::scene::STYLE].concat());
/// The scripts. The second one uses functions of the first.
const SCRIPTS: [&str; 2] = [include_str!("html/tables.js"), include_str!("html/charts.js")];
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let scripts = SCRIPTS.map(source_hash).join(" ");
    format!("default-src 'none'; style-src {}; script-src {scripts}", source_hash(&STYLE))
});

/// Tables with more rows than this are closed until they are opened.
const MAX_OPEN_ROWS: usize = 12;
/// Maximum number of decimals added so that the ends of an interval differ.
pub(crate) const MAX_EXTRA_DECIMALS: usize = 4;
/// P-values below this are shown as an upper bound.
pub(crate) const MIN_P: f64 = 0.0001;

/// A section of a page, which the table of contents links to.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// Target of links, in letters, digits and hyphens.
    pub id: String,
    pub title: String,
    pub body: Markup,
    /// True if the page shows only the title until the section is opened.
    pub is_folded: bool,
}

impl Section {
    /// Creates a section; its id is made of its title.
    pub(crate) fn new(title: impl Into<String>, body: Markup) -> Self {
        let title = capitalize(&title.into());
        let id = title.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        Self { id: id.to_ascii_lowercase(), title, body, is_folded: false }
    }

    /// Returns the section folded if a condition holds.
    #[must_use]
    pub(crate) fn folded_if(self, is_folded: bool) -> Self {
        Self { is_folded, ..self }
    }
}

/// Renders a page: its head, a table of contents and the sections.
pub(crate) fn render_page(title: &str, head: &Markup, sections: &[Section]) -> Vec<u8> {
    render(title, head, sections, false)
}

/// Renders a page that is printed on one sheet: its head and the sections, in small type.
pub(crate) fn render_brief_page(title: &str, head: &Markup, sections: &[Section]) -> Vec<u8> {
    render(title, head, sections, true)
}

fn render(title: &str, head: &Markup, sections: &[Section], is_brief: bool) -> Vec<u8> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(*POLICY);
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(&*STYLE)) }
            }
            body.brief[is_brief] {
                header { (head) }
                @if !is_brief {
                    nav aria-label="Contents" {
                        @for section in sections {
                            a href={ "#" (section.id) } { (section.title) } " "
                        }
                    }
                }
                main {
                    @for section in sections {
                        section id=(section.id) {
                            @if section.is_folded && !is_brief {
                                details.folded {
                                    summary { h2 { (section.title) } }
                                    (section.body)
                                }
                            } @else {
                                h2 { (section.title) }
                                (section.body)
                            }
                        }
                    }
                }
                @for script in SCRIPTS { script { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string().into_bytes()
}

/// The start of the paragraph of a page with its answer, up to the text.
const ANSWER: &str = "<p class=\"lead\">";
/// The start of the tiles and the picture below it.
const SCREEN: &str = "<div class=\"screen\">";
/// The start of the paragraph with the labels of the answer.
const LABELS: &str = "<p class=\"labels\">";

/// Renders the answer of a page, with labels that say how far it can be trusted.
pub(crate) fn answer(lead: &Markup, labels: &Markup) -> Markup {
    html! {
        @if !lead.0.is_empty() { p.lead { (lead) } }
        @if !labels.0.is_empty() { p.labels { (labels) } }
    }
}

/// Returns the answer of a page with its labels as plain text, if the page has one.
pub(crate) fn answer_of_page(page: &str) -> Option<String> {
    let answer = text_between(page, ANSWER, "</p>")?;
    let labels = text_between(page, LABELS, "</p>");
    Some(labels.map_or(answer.clone(), |labels| format!("{answer} {labels}")))
}

/// Returns the markup of a page below its answer; with it that of the first section, if the answer
/// has no picture.
pub(crate) fn screen_of_page(page: &str) -> Option<String> {
    let (_, rest) = page.split_once(SCREEN)?;
    let (picture, rest) = rest.split_once("</header>")?;
    let picture = format!("{SCREEN}{picture}");
    if picture.contains("<svg") || picture.contains("class=\"tile\"") {
        return Some(picture);
    }
    let (_, section) = rest.split_once("<section")?.1.split_once('>')?;
    Some(picture + section.split_once("</section>")?.0)
}

/// Returns the title of a page.
pub(crate) fn title_of_page(page: &str) -> Option<String> {
    text_between(page, "<title>", "</title>")
}

/// Returns the text between two parts of a page without its tags; `None` if there is none.
fn text_between(page: &str, start: &str, end: &str) -> Option<String> {
    let (_, rest) = page.split_once(start)?;
    let (content, _) = rest.split_once(end)?;
    let mut text = String::new();
    for (index, part) in content.split('<').enumerate() {
        // The part before the first `<` is text; all others begin with a tag.
        let (tag, content) =
            if index == 0 { ("", part) } else { part.split_once('>').unwrap_or_default() };
        if tag == "br" {
            text.push(' ');
        }
        text.push_str(content);
    }
    for (entity, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
        text = text.replace(entity, letter);
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// Returns the sentences of an answer up to the first one with an interval, or the first one if
/// none has an interval.
pub(crate) fn first_finding(text: &str) -> &str {
    let is_end = |&(at, _): &(usize, &str)| {
        text[at + 2..].starts_with(|letter: char| letter.is_uppercase() || letter == '“')
    };
    let mut ends = text.match_indices(". ").filter(is_end).map(|(at, _)| &text[..=at]);
    let first = ends.clone().next().unwrap_or(text);
    let last = text.contains('[').then_some(text);
    ends.find(|start| start.contains('[')).or(last).unwrap_or(first)
}

/// Returns the hash of a style or a script as a source of a content security policy.
fn source_hash(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)))
}

/// Renders the label of an item, with its name beside it if that is another one.
pub(crate) fn item_label(name: &str, label: &str) -> Markup {
    html! { (label) @if name != label { " " small.id { (name) } } }
}

/// A cell of a table: its content, and the number by which it is sorted.
#[derive(Clone, Debug)]
pub struct TableCell {
    shown: Markup,
    number: Option<f64>,
}

impl TableCell {
    /// Creates an empty cell. A column of empty cells is left out.
    pub fn empty() -> Self {
        Self { shown: html! {}, number: None }
    }

    /// Creates a cell of text or markup.
    pub fn text(shown: impl Render) -> Self {
        Self { shown: shown.render(), number: None }
    }

    /// Creates a cell of an item.
    pub fn item(name: &str, label: &str) -> Self {
        Self::text(item_label(name, label))
    }

    /// Creates a cell of text that is sorted as a number if it is one.
    pub fn text_or_number(text: &str) -> Self {
        Self { number: text.parse().ok(), ..Self::text(text) }
    }

    /// Creates a cell of a number as shown.
    pub fn number(shown: impl Render, number: f64) -> Self {
        Self { shown: shown.render(), number: Some(number) }
    }

    /// Creates a cell of a count.
    pub fn count(count: i64) -> Self {
        Self { shown: group_digits(count).render(), number: Some(count as f64) }
    }

    /// Creates a cell of a p-value; empty if it is not a number.
    pub fn p_value(p: f64) -> Self {
        let shown = match p {
            _ if p.is_nan() => return Self::empty(),
            _ if p < MIN_P => html! { "< " (MIN_P) },
            _ => decimal(p, 4).render(),
        };
        Self { shown, number: Some(p) }
    }

    /// Creates a cell of an estimate with its interval, its number of observations and a remark.
    pub fn estimate_with_n(estimate: Estimate, unit: Unit, remark: &str) -> Self {
        let n = estimate.n;
        // An estimate without a number of observations is shown nevertheless.
        let Self { shown, number } = Self::estimate(Estimate { n: n.max(1), ..estimate }, unit);
        let shown = html! {
            (shown)
            @if n > 0 { " " small.n { "n " (group_digits(n)) } }
            @if !remark.is_empty() { " " small.remark { (remark) } }
        };
        Self { shown, number }
    }

    /// Creates a cell of an estimate with its interval.
    pub fn estimate(estimate: Estimate, unit: Unit) -> Self {
        if estimate.n == 0 {
            return Self::empty();
        }
        let shown = html! {
            (unit.format_value(estimate))
            @if let Some(interval) = unit.format_interval(estimate) {
                " " span.interval { (interval) }
            }
        };
        Self { shown, number: Some(estimate.value) }
    }
}

/// A table that readers can sort by any column. The first column names the row.
#[derive(Clone, Debug)]
pub struct HtmlTable {
    pub caption: String,
    pub headings: Vec<String>,
    /// Rows, each with a cell for every heading.
    pub rows: Vec<Vec<TableCell>>,
    /// True if a long table is not folded.
    pub is_open: bool,
}

impl HtmlTable {
    /// Adds a column at this index.
    #[must_use]
    pub fn with_column(
        mut self,
        index: usize,
        heading: &str,
        cells: impl IntoIterator<Item = TableCell>,
    ) -> Self {
        self.headings.insert(index, heading.to_owned());
        self.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.insert(index, cell));
        self
    }
}

impl Render for HtmlTable {
    fn render(&self) -> Markup {
        let has = |column, is: fn(&TableCell) -> bool| self.rows.iter().any(|row| is(&row[column]));
        let is_shown = |&column: &usize| has(column, |cell| !cell.shown.0.is_empty());
        let class = |column| has(column, |cell| cell.number.is_some()).then_some("number");
        let columns = (0..self.headings.len()).filter(is_shown);
        let columns: Vec<_> = columns.map(|column| (column, class(column))).collect();
        let heading = |&(column, class): &(usize, _)| {
            html! { th scope="col" class=[class] { (self.headings[column]) } }
        };
        let body_cell = |row: &[TableCell], &(column, class): &(usize, _)| {
            let TableCell { shown, number } = &row[column];
            if column == 0 {
                html! { th scope="row" data-number=[number] { (shown) } }
            } else {
                html! { td class=[class] data-number=[number] { (shown) } }
            }
        };
        html! {
            details.table open[self.is_open || self.rows.len() <= MAX_OPEN_ROWS] {
                summary { (self.caption) }
                div.scroll role="region" aria-label=(self.caption) tabindex="0" {
                    table {
                        thead { tr { @for column in &columns { (heading(column)) } } }
                        tbody {
                            @for row in &self.rows {
                                tr { @for column in &columns { (body_cell(row, column)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A format of numbers for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Rates from 0 to 1 as percentages.
    Percent,
    /// Differences of rates in percentage points, with sign.
    PercentagePoints,
    /// Numbers with at least this many decimals.
    Decimals(usize),
    /// Differences with at least this many decimals, with sign.
    Signed(usize),
}

impl Unit {
    /// Formats a number with this many decimals, without suffix.
    pub fn format_number(self, value: f64, decimals: usize) -> String {
        match self {
            Self::Percent => decimal(100.0 * value, decimals),
            Self::PercentagePoints => Self::Signed(decimals).format_number(100.0 * value, decimals),
            Self::Signed(_) if value > 0.0 => format!("+{}", decimal(value, decimals)),
            Self::Signed(_) | Self::Decimals(_) => decimal(value, decimals),
        }
    }

    /// Formats the value of an estimate, which is unknown without observations.
    pub fn format_value(self, estimate: Estimate) -> String {
        if estimate.value.is_nan() {
            return "unknown".to_owned();
        }
        format!("{}{}", self.format_number(estimate.value, self.decimals(estimate)), self.suffix())
    }

    /// Formats the interval of an estimate in brackets, if it has one.
    pub fn format_interval(self, estimate: Estimate) -> Option<String> {
        let end = |value: f64| self.format_number(value, self.decimals(estimate));
        let known = estimate.low.is_finite() && estimate.high.is_finite();
        known.then(|| format!("[{}, {}]", end(estimate.low), end(estimate.high)))
    }

    /// Formats value and interval of an estimate, which is unknown without observations.
    pub fn format_estimate(self, estimate: Estimate) -> String {
        if estimate.value.is_nan() {
            return self.format_value(estimate);
        }
        let interval = self.format_interval(estimate);
        let interval = interval.as_deref().unwrap_or("[no interval]");
        format!("{} {interval}", self.format_value(estimate))
    }

    /// Returns the suffix of a value, such as ` %`.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Percent => " %",
            Self::PercentagePoints => " pp",
            Self::Decimals(_) | Self::Signed(_) => "",
        }
    }

    /// Returns the number of decimals: more for narrow intervals, so that their ends differ.
    fn decimals(self, estimate: Estimate) -> usize {
        let Estimate { low, high, .. } = estimate;
        let min = match self {
            Self::Percent | Self::PercentagePoints => 1 + usize::from(high - low < 0.004),
            Self::Decimals(decimals) | Self::Signed(decimals) => decimals,
        };
        let differ = |decimals: &usize| {
            self.format_number(low, *decimals) != self.format_number(high, *decimals)
        };
        (min..min + MAX_EXTRA_DECIMALS).find(differ).unwrap_or(min)
    }
}

/// Formats a rate with its interval, as in `51.2 % [50.5, 51.9]`.
pub(crate) fn format_percent(rate: Estimate) -> String {
    Unit::Percent.format_estimate(rate)
}

/// Formats an integer with a comma before each three digits.
pub(crate) fn group_digits(count: impl TryInto<i128>) -> String {
    let count = count.try_into().unwrap_or_default();
    let digits = count.abs().to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    format!("{}{}", if count < 0 { "−" } else { "" }, groups.join(","))
}

/// Formats a number, rounded to 3 significant digits.
pub(crate) fn format_rounded(number: u64) -> String {
    let unit = 10_u64.pow((number.max(1).ilog10()).saturating_sub(2));
    group_digits((number + unit / 2) / unit * unit)
}

/// Formats a p-value, as in `p = 0.0123`.
pub(crate) fn format_p(p: f64) -> String {
    if p < MIN_P { format!("p < {MIN_P}") } else { format!("p = {p:.4}") }
}

/// Formats a count with the verb of a sentence, as in `2 are`.
pub(crate) fn is_or_are(count: usize) -> String {
    format!("{count} {}", if count == 1 { "is" } else { "are" })
}

/// Formats a count with its noun, as in `1 game` and `20,000 games`.
pub(crate) fn format_count(count: impl TryInto<i128>, thing: &str) -> String {
    let count = count.try_into().unwrap_or_default();
    format!("{} {thing}{}", group_digits(count), if count == 1 { "" } else { "s" })
}

/// Formats a number with this many decimals, commas and a minus sign, except of zero.
fn decimal(value: f64, decimals: usize) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let is_negative = value < 0.0 && text.contains(|digit| matches!(digit, '1'..='9'));
    let sign = if is_negative { "−" } else { "" };
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = whole.parse::<i64>().map_or_else(|_| whole.to_owned(), group_digits);
    format!("{sign}{whole}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_3_digits() {
        let rounded = [(0, "0"), (7, "7"), (104, "104"), (103_892, "104,000"), (99_951, "100,000")];
        for (number, expected) in rounded {
            assert_eq!(format_rounded(number), expected);
        }
    }

    #[test]
    fn numbers_have_separators_and_minus_signs() {
        let counts = [0, 999, 1000, 20_000, -1_234_567].map(group_digits);
        assert_eq!(counts, ["0", "999", "1,000", "20,000", "−1,234,567"]);
        for (value, decimals, expected) in
            [(-0.04, 1, "0.0"), (-0.06, 1, "−0.1"), (1234.5, 1, "1,234.5"), (7.0, 0, "7")]
        {
            assert_eq!(decimal(value, decimals), expected);
        }
        assert_eq!(format_count(1, "game"), "1 game");
        assert_eq!(format_count(2000, "game"), "2,000 games");
        assert_eq!(join_with_and(["a", "b", "c"].map(str::to_owned)), "a, b and c");
    }

    #[test]
    fn estimates_are_formatted_with_intervals() {
        const NONE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
        for (unit, value, [low, high], expected) in [
            (Unit::Percent, 0.512, [0.505, 0.519], "51.2 % [50.5, 51.9]"),
            (Unit::Percent, 0.512, [0.511, 0.513], "51.20 % [51.10, 51.30]"),
            // A third decimal shows that the ends differ.
            (Unit::Decimals(2), 4.9, [4.8994, 4.9006], "4.900 [4.899, 4.901]"),
            (Unit::Signed(2), 0.5, [-0.25, 1.25], "+0.50 [−0.25, +1.25]"),
            (Unit::PercentagePoints, 0.012, [-0.005, 0.029], "+1.2 pp [−0.5, +2.9]"),
            (Unit::Decimals(1), 3.0, NONE, "3.0 [no interval]"),
            (Unit::Signed(1), f64::INFINITY, NONE, "+∞ [no interval]"),
            (Unit::Signed(1), f64::NEG_INFINITY, NONE, "−∞ [no interval]"),
        ] {
            let estimate = Estimate { n: 20_000, value, low, high };
            assert_eq!(unit.format_estimate(estimate), expected);
        }
    }

    /// The hash is that of `printf abc | openssl sha256 -binary | base64`.
    #[test]
    fn sources_are_named_by_their_hash() {
        let hash = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        assert_eq!(source_hash("abc"), hash);
        assert!(POLICY.starts_with("default-src 'none'; style-src 'sha256-"));
        assert!(!POLICY.contains("unsafe"));
    }

    #[test]
    fn answers_are_read_from_pages() {
        let head = html! {
            p.lead { "The first player wins 5 % [1, 9] with " code { "a<b&c" } ". It is fair. " }
        };
        let page = String::from_utf8(render_page("A page", &head, &[])).unwrap_or_default();
        let answer = answer_of_page(&page).unwrap_or_default();
        assert_eq!(answer, "The first player wins 5 % [1, 9] with a<b&c. It is fair.");
        assert_eq!(first_finding(&answer), "The first player wins 5 % [1, 9] with a<b&c.");
        assert_eq!(
            first_finding("It takes 4.5 rounds, vs. 5 before"),
            "It takes 4.5 rounds, vs. 5 before"
        );
        let text = "The cost at 1 and 2. It wins 5 % [1, 9]. It is fair.";
        assert_eq!(first_finding(text), "The cost at 1 and 2. It wins 5 % [1, 9].");
        assert_eq!(first_finding("No effect. No test."), "No effect.");
        assert_eq!(answer_of_page("<p>no answer</p>"), None);
    }

    #[test]
    fn tables_leave_out_empty_columns() {
        let row =
            |name: &str| vec![TableCell::text(name), TableCell::empty(), TableCell::count(1200)];
        let table = HtmlTable {
            caption: "Things".to_owned(),
            headings: ["thing", "empty", "n"].map(str::to_owned).to_vec(),
            rows: vec![row("<a>"), row("b")],
            is_open: false,
        };
        let html = table.render().into_string();
        assert!(!html.contains("empty"));
        let row =
            r#"<th scope="row">&lt;a&gt;</th><td class="number" data-number="1200">1,200</td>"#;
        assert!(html.contains(row), "{html}");
    }
}
