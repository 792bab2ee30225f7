//! What differs between data files, or between values of a key.

use maud::{Markup, html};

use crate::{
    arena::{
        compared_metrics::{ComparedMetric, Subject},
        metric::Metric,
    },
    game::ItemTable,
    report::{
        chart::{CurveChart, IntervalChart, IntervalRow as ChartRow, ReferenceLine},
        html::{Cell, HtmlTable, Section, Unit, capitalize, format_count, join_with_and},
        study_page::{ReportBody, estimate_if_finite},
    },
    run::lineups::lineup_suffix,
    stats::ratio::Estimate,
    study::{
        compare::tables::{ComparisonReport, Layout, Row, metric_title},
        simulate::page::items::elide_middle,
    },
};

/// Whether a figure is in a chart.
type Belongs = fn(Metric) -> bool;

/// The figures of a game that can share a chart: their unit is the same.
const CHARTS: [(&str, Belongs); 3] = [
    ("Rates", Metric::is_rate),
    ("Points", |figure| {
        matches!(figure, Metric::Score | Metric::WinningScore | Metric::WinningMargin)
    }),
    ("Rounds, decisions, choices and leads", |figure| {
        matches!(
            figure,
            Metric::Rounds | Metric::Decisions | Metric::Branching | Metric::LeadChanges
        )
    }),
];
/// How many differing items are listed of each figure.
const MOST_LISTED: usize = 5;

/// How the values of a figure are written.
pub(crate) const fn unit(figure: Metric) -> Unit {
    match figure {
        Metric::TakenPerGame => Unit::Decimals(4),
        _ if figure.is_rate() => Unit::Percent,
        _ => Unit::Decimals(2),
    }
}

/// How differences of it are.
pub(crate) const fn unit_of_difference(figure: Metric) -> Unit {
    match unit(figure) {
        Unit::Decimals(decimals) | Unit::Signed(decimals) => Unit::Signed(decimals),
        Unit::Percent | Unit::PercentagePoints => Unit::PercentagePoints,
    }
}

/// Figures that a curve is drawn of.
const fn is_main(figure: ComparedMetric) -> bool {
    match figure.metric {
        Metric::WinShare => !matches!(figure.subject, Subject::Seat(_)),
        Metric::Rounds
        | Metric::Decisions
        | Metric::Score
        | Metric::WinningMargin
        | Metric::LeaderAtHalfWins => true,
        _ => false,
    }
}

impl Row<'_> {
    fn shown(&self) -> Estimate {
        estimate_if_finite(self.difference.estimate())
    }

    fn sides(&self) -> [Estimate; 2] {
        self.figure.metric.estimates(self.paired)
    }

    fn name(&self) -> String {
        metric_title(self.figure, self.rung).replace(" %", "")
    }
}

impl ComparisonReport<'_> {
    /// The report for people; `key` is what was varied, if the files are values of one.
    pub fn report_body(&self, key: &str) -> ReportBody {
        let title = match self.layout {
            Layout::SideBySide => "What differs between A and B".to_owned(),
            Layout::ByValue(_) => format!("What {key} changes"),
        };
        let game = self.rows(None);
        let lead = html! {
            @for rung in self.results {
                (self.in_short(game.iter().filter(|row| std::ptr::eq(row.rung, rung)))) " "
            }
        };
        let tables: Vec<_> = self
            .figures
            .catalog
            .tables()
            .iter()
            .map(|table| (table, self.rows(Some(table))))
            .collect();
        let mut sections = vec![self.standing_out(&game, &tables)];
        for rung in self.results {
            let of_rung = |row: &&Row<'_>| std::ptr::eq(row.rung, rung);
            let by = lineup_suffix(&rung.lineup, self.results.len());
            let rows: Vec<_> = game.iter().filter(of_rung).collect();
            sections.push(Section::new(format!("The game{by}"), self.game(&rows, key)));
            for (table, rows) in &tables {
                let rows: Vec<_> = rows.iter().filter(of_rung).collect();
                sections.push(Section::new(
                    format!("{}{by}", table.name.replace('_', " ")),
                    self.items(table, &rows),
                ));
            }
        }
        ReportBody { title, lead, sections }
    }

    /// The number of these figures that differ significantly.
    fn in_short<'b>(&self, rows: impl Iterator<Item = &'b Row<'b>>) -> String {
        let rows: Vec<_> = rows.filter(|row| !row.p_holm.is_nan()).collect();
        let Some(first) = rows.first() else {
            return "There are too few blocks to test anything.".to_owned();
        };
        let differ = rows.iter().filter(|row| row.is_significant()).count();
        let shown = match differ {
            0 => "none is shown to differ".to_owned(),
            1 => "1 is shown to differ".to_owned(),
            _ => format!("{differ} are shown to differ"),
        };
        let what = if matches!(self.layout, Layout::SideBySide) {
            "between A and B"
        } else {
            "from those of the file's value"
        };
        format!(
            "Of {} tested together, with {} in the seats, {shown} {what}.",
            format_count(rows.len() as u64, "figure"),
            first.rung.lineup
        )
    }

    fn value(&self, row: &Row<'_>) -> Option<&str> {
        match self.layout {
            Layout::SideBySide => None,
            Layout::ByValue(values) => values.get(row.variant + 1).map(String::as_str),
        }
    }

    /// What a row is of: an item or nothing, its figure, its value.
    fn label(&self, row: &Row<'_>) -> String {
        let item =
            row.figure.item().map(|item| format!("{}: ", self.item_name(item))).unwrap_or_default();
        let value = self.value(row).map(|value| format!(" at {value}")).unwrap_or_default();
        format!("{item}{}{value}", row.name())
    }

    /// A significant difference, in words.
    fn in_words(&self, row: &Row<'_>) -> Markup {
        let [a, b] = row.sides().map(|side| unit(row.figure.metric).format_value(side));
        let difference = row.shown();
        html! {
            strong { (self.label(row)) } ": " (a) " → " (b) ", a difference of " (unit_of_difference(row.figure.metric).format_estimate(difference)) " over "
            (format_count(difference.n as u64, "observation"))
            @if row.sign_differs { "; by other bots it has the other sign" } "."
        }
    }

    fn standing_out(&self, game: &[Row<'_>], tables: &[(&ItemTable, Vec<Row<'_>>)]) -> Section {
        let body = html! {
            p {
                "Both sides were played on the same deals. What is listed here differs \
                    significantly: all figures of a table that are of the same bots are tested \
                    together (Holm, 5 %), so that "
                "where nothing differs at most one table in twenty lists anything. What is not \
                    listed may differ too, by less than these games can show."
            }
            @for rung in self.results {
                @let of_rung = |row: &&Row<'_>| std::ptr::eq(row.rung, rung) && row.is_significant();
                @if self.results.len() > 1 { h3 { "By " (rung.lineup) } }
                ul {
                    @for row in game.iter().filter(of_rung) { li { (self.in_words(row)) } }
                    @for (table, rows) in tables { (self.items_in_words(table, rows.iter().filter(of_rung).collect())) }
                    @if !game.iter().chain(tables.iter().flat_map(|(_, rows)| rows)).any(|row| of_rung(&row)) { li { "Nothing is shown to differ." } }
                }
            }
            @for (table, rows) in tables {
                @for (flag, words) in [("removed", "before the change only"), ("added", "after it \
                    only")] {
                    @let names = self.with_flag(rows, flag);
                    @if !names.is_empty() { p { (capitalize(&table.name.replace('_', " "))) " " (words) ": " (join_with_and(&names)) "." } }
                }
            }
        };
        Section::new("What differs", body)
    }

    /// The items with a flag, each once.
    fn with_flag(&self, rows: &[Row<'_>], flag: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for item in
            rows.iter().filter(|row| self.flag(row) == flag).filter_map(|row| row.figure.item())
        {
            if names.iter().all(|name| name != self.item_name(item)) {
                names.push(self.item_name(item).to_owned());
            }
        }
        names
    }

    /// The items that differ most surely, and how many more do.
    fn items_in_words(&self, table: &ItemTable, mut rows: Vec<&Row<'_>>) -> Markup {
        rows.sort_by(|one, other| one.difference.p_value().total_cmp(&other.difference.p_value()));
        html! {
            @for row in rows.iter().take(MOST_LISTED) { li { (self.in_words(row)) } }
            @if rows.len() > MOST_LISTED {
                li { (rows.len() - MOST_LISTED) " more figures of " (table.name.replace('_', " ")) ", which the table names." }
            }
        }
    }

    fn game(&self, rows: &[&Row<'_>], key: &str) -> Markup {
        let curves = match self.layout {
            Layout::SideBySide => None,
            Layout::ByValue(values) => values
                .iter()
                .map(|value| value.parse().ok().filter(|value: &f64| value.is_finite()))
                .collect::<Option<Vec<_>>>(),
        };
        html! {
            @if let Some(values) = &curves {
                div.curves {
                    @for first in rows.iter().filter(|row| row.variant == 0 && is_main(row.figure)) {
                        @let rows: Vec<_> = rows.iter().copied().filter(|row| row.figure == first.figure).collect();
                        (curve(&rows, values, key))
                    }
                }
            } @else {
                @for (name, belongs) in CHARTS {
                    (self.chart(name, rows.iter().copied().filter(|row| belongs(row.figure.metric)).collect()))
                }
            }
            (self.numbers("The game in numbers".to_owned(), None, rows))
            p.note { code { (self.game_file_name()) } " has the same numbers." }
        }
    }

    /// Differences in figures of one unit.
    fn chart(&self, name: &str, mut rows: Vec<&Row<'_>>) -> Markup {
        rows.retain(|row| row.shown().n > 0);
        let Some(first) = rows.first() else { return html! {} };
        let unit = unit_of_difference(first.figure.metric);
        let differ = rows.iter().filter(|row| row.is_significant()).count();
        let shown = if differ == 0 {
            "none is shown to differ".to_owned()
        } else {
            format!("{differ} {} shown to differ", if differ == 1 { "is" } else { "are" })
        };
        let mut sentence = format!(
            "{name}: of {}, {shown}, tested together with all others of the table.",
            format_count(rows.len() as u64, "difference")
        );
        sentence += &elide_middle(&mut rows);
        let row = |row: &&Row<'_>| ChartRow {
            label: self.label(row),
            badge: html! { small { (self.flag_in_words(row)) } },
            estimates: vec![row.shown()],
        };
        let what = if matches!(self.layout, Layout::SideBySide) {
            "difference, B less A"
        } else {
            "difference from the file's value"
        };
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit,
            series: vec![what.to_owned()],
            reference: Some(ReferenceLine { value: 0.0, name: "no difference".to_owned() }),
            rows: rows.iter().map(row).collect(),
        };
        html! { (chart) }
    }

    /// A table of items: their differences, first of what is not told in points.
    fn items(&self, table: &ItemTable, rows: &[&Row<'_>]) -> Markup {
        let metrics = [Metric::TakenPerGame, Metric::TakersWinShare];
        let sorted = |metric: Metric| {
            let mut rows: Vec<_> =
                rows.iter().copied().filter(|row| row.figure.metric == metric).collect();
            rows.sort_by(|one, other| other.difference.value.total_cmp(&one.difference.value));
            rows
        };
        html! {
            @for metric in metrics { (self.chart(&capitalize(metric.title()), sorted(metric))) }
            (self.numbers(format!("All {} in numbers", table.name.replace('_', " ")), Some(table.singular), rows))
            p.note { code { (table.name) ".csv" } " has the same numbers." }
        }
    }

    fn flag_in_words(&self, row: &Row<'_>) -> &'static str {
        match self.flag(row) {
            "significant" => "differs",
            "flips" => "differs, with the other sign by other bots",
            "constant" => "does not vary",
            "removed" => "before the change only",
            "added" => "after the change only",
            _ => "",
        }
    }

    fn numbers(&self, caption: String, singular: Option<&str>, rows: &[&Row<'_>]) -> HtmlTable {
        let [a, b] = if matches!(self.layout, Layout::SideBySide) {
            ["A", "B"]
        } else {
            ["the file's value", "this value"]
        };
        let headings = [
            "figure",
            "value",
            a,
            &format!("n of {a}"),
            b,
            &format!("n of {b}"),
            "difference",
            "p (Holm)",
            "flag",
        ];
        let row = |row: &&Row<'_>| {
            let item = row.figure.item().map(|item| Cell::text(self.item_name(item)));
            let value = self.value(row).map_or_else(Cell::empty, Cell::text_or_number);
            let sides = row.sides().into_iter().flat_map(|side| {
                [Cell::estimate(side, unit(row.figure.metric)), Cell::count(side.n)]
            });
            let difference = Cell::estimate(row.shown(), unit_of_difference(row.figure.metric));
            let last = [difference, Cell::p_value(row.p_holm), Cell::text(self.flag_in_words(row))];
            item.into_iter()
                .chain([Cell::text(row.name()), value])
                .chain(sides)
                .chain(last)
                .collect()
        };
        HtmlTable {
            caption,
            headings: singular.into_iter().chain(headings).map(str::to_owned).collect(),
            rows: rows.iter().map(row).collect(),
        }
    }
}

/// A main figure along the values of the key; the first of the values is that of the data file.
fn curve(rows: &[&Row<'_>], values: &[f64], key: &str) -> Markup {
    let Some(first) = rows.first() else { return html! {} };
    let [as_it_is, _] = first.sides();
    let figure = first.figure.metric;
    let others = rows.iter().map(|row| (values[row.variant + 1], row.sides()[1]));
    let mut points: Vec<_> = std::iter::once((values[0], as_it_is))
        .chain(others)
        .filter(|(_, estimate)| estimate.n > 0)
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let differ: Vec<_> = rows.iter().filter(|row| row.is_significant()).collect();
    let told: Vec<_> = differ
        .iter()
        .map(|row| {
            format!(
                "{} at {} (n {})",
                unit_of_difference(figure).format_estimate(row.shown()),
                values[row.variant + 1],
                row.shown().n
            )
        })
        .collect();
    let differ = if told.is_empty() {
        "no other value is shown to differ from it".to_owned()
    } else {
        format!("from it differ {}", join_with_and(&told))
    };
    let name = first.name();
    let chart = CurveChart {
        sentence: html! {
            (capitalize(&name)) ": " (unit(figure).format_estimate(as_it_is)) " over " (format_count(as_it_is.n as u64, "observation")) " at the file's value, " (values[0]) "; " (differ) "."
        },
        x_label: key.to_owned(),
        y_label: name,
        unit: unit(figure),
        reference: Some(ReferenceLine { value: as_it_is.value, name: format!("at {}", values[0]) }),
        points,
    };
    html! { (chart) }
}
