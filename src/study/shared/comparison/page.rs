//! The page of `compare` and `sweep`.

mod answer;

use super::{
    analysis::{
        ComparisonLayout, ComparisonResult, DataComparison, DifferenceRow, Family, metric_title,
    },
    tables::sort_order,
    verdict::DifferenceVerdict,
};
use crate::{
    arena::{
        compared_metrics::{ComparedMetric, Subject},
        metric::Metric,
    },
    report::{
        chart::{CurveChart, IntervalChart, IntervalRow, ReferenceLine, elide_middle},
        html::{HtmlTable, TableCell, capitalize, format_count, join_with_and},
        provenance::Claim,
        study_page::{difference_chart, difference_unit, effect_estimate, metric_unit},
        study_report::StudyReport,
    },
    run::lineups::lineup_suffix,
    stats::{flags::Flag, ratio::Estimate},
};

type MetricFilter = fn(Metric) -> bool;

/// Charts of metrics with the same unit.
const CHARTS: [(&str, MetricFilter); 3] = [
    ("Rates", Metric::is_rate),
    ("Points", |metric| {
        matches!(metric, Metric::Score | Metric::WinningScore | Metric::WinningMargin)
    }),
    ("Rounds, decisions, legal actions and lead changes", |metric| {
        matches!(
            metric,
            Metric::Rounds | Metric::Decisions | Metric::Branching | Metric::LeadChanges
        )
    }),
];
/// Maximum number of significant items listed for each item table.
const MAX_LISTED: usize = 5;

/// Returns true for metrics that a sweep shows as a curve.
const fn has_curve(metric: ComparedMetric) -> bool {
    match metric.metric {
        Metric::WinShare => !matches!(metric.subject, Subject::Seat(_)),
        Metric::Rounds
        | Metric::Decisions
        | Metric::Score
        | Metric::WinningMargin
        | Metric::LeaderAtHalfWins => true,
        _ => false,
    }
}

impl DifferenceRow<'_> {
    pub(super) fn shown_difference(&self) -> Estimate {
        effect_estimate(self.difference.effect)
    }
}

impl DataComparison<'_> {
    /// Returns the title of the page.
    pub(super) fn title(&self) -> String {
        match self.layout {
            // The names of the files are known to those who have read them.
            ComparisonLayout::SideBySide => "Baseline and variant".to_owned(),
            ComparisonLayout::ByValue { key: Some(key), .. } => format!("Effects of {key}"),
            ComparisonLayout::ByValue { key: None, values } => {
                format!("{} compared with {}", join_with_and(&values[1..]), values[0])
            }
        }
    }

    /// Adds the edits, and the answer with the first lineup.
    pub(super) fn add_answer(&self, report: &mut StudyReport) {
        report.page_answer(&self.lead());
        // The edits of several files take more words than the answer.
        let edits = self.edits_sentence().filter(|_| self.has_several_files());
        report.page_remark(&edits.unwrap_or_default());
        report.terminal(&self.answer_text());
    }

    /// Adds the sections of the page and the tables.
    pub(super) fn add_sections(&self, provenance: &Claim, report: &mut StudyReport) {
        for result in self.results {
            self.add_edit(result, report);
        }
        self.add_significant(report);
        let tables = self.tables(provenance);
        for (index, result) in self.results.iter().enumerate() {
            let by = lineup_suffix(&result.lineup, self.results.len());
            for (family, table) in self.families.iter().zip(&tables) {
                let rows = family.rows_of(result);
                let size = table.rows().len() / self.results.len();
                let numbers = table.view().rows(index * size..(index + 1) * size);
                // The list of significant differences has what matters of the items.
                report.section(&format!("{}{by}", family.title())).is_folded =
                    index > 0 || family.items.is_some();
                if family.items.is_none() {
                    self.add_game_charts(&rows, report);
                } else {
                    self.add_item_charts(&rows, report);
                }
                report.page_table(&numbers, format!("All differences: {}", family.title()));
            }
        }
        for table in tables {
            report.file(table, "");
        }
    }

    /// Returns true if there are several variants.
    const fn has_several_files(&self) -> bool {
        matches!(self.layout, ComparisonLayout::ByValue { key: None, .. })
    }

    /// Returns the answer: the edits, and the main figures with the first lineup.
    fn lead(&self) -> String {
        let edits = self.edits_sentence().filter(|_| !self.has_several_files());
        let main = self.results.first().map(|result| {
            format!("With {}: {}", result.lineup, self.main_answer(result).join(" "))
        });
        edits.into_iter().chain(main).collect::<Vec<_>>().join(" ")
    }

    /// Adds the section on the edited items and the main metrics of the game.
    fn add_edit(&self, result: &ComparisonResult, report: &mut StudyReport) {
        let mut rows: Vec<_> = self
            .edited_items()
            .into_iter()
            .flat_map(|item| self.rows_of_item(result, item))
            .collect();
        let is_first = self.results.first().is_some_and(|first| std::ptr::eq(first, result));
        let items = rows.len();
        let game = self.families.first().map(|game| game.rows_of(result)).unwrap_or_default();
        rows.extend(game.into_iter().filter(|row| has_curve(row.metric)));
        rows.retain(|row| row.estimates.iter().any(|estimate| estimate.n > 0));
        let by = lineup_suffix(&result.lineup, self.results.len());
        report.section(&format!("The edit{by}")).is_folded = !is_first;
        report.explanation(&self.answer(result).join(" "));
        for note in self.notes(result) {
            report.explanation(&note);
        }
        report.explanation(&format!("Smallest change that matters: {}.", self.margins.text()));
        self.add_edit_charts(&rows[..items.min(rows.len())], report);
        report.page(match self.layout {
            ComparisonLayout::SideBySide => self.side_table(&rows),
            ComparisonLayout::ByValue { values, .. } => self.values_table(&rows, values),
        });
    }

    /// Draws the differences of the edited items: along the values if they are numbers.
    fn add_edit_charts(&self, rows: &[&DifferenceRow<'_>], report: &mut StudyReport) {
        if let Some(values) = self.numbers() {
            report.curves(&self.curves(rows, &values));
            return;
        }
        let rates: Vec<_> =
            rows.iter().copied().filter(|row| row.metric.metric.is_rate()).collect();
        report.charts(self.chart("The edited items", rates));
    }

    /// Returns the values of a sweep if all are numbers.
    fn numbers(&self) -> Option<Vec<f64>> {
        let ComparisonLayout::ByValue { values, .. } = self.layout else { return None };
        let number = |value: &String| value.parse().ok().filter(|value: &f64| value.is_finite());
        values.iter().map(number).collect()
    }

    fn key(&self) -> &str {
        match self.layout {
            ComparisonLayout::SideBySide => "",
            ComparisonLayout::ByValue { key, .. } => key.as_deref().unwrap_or_default(),
        }
    }

    fn side_table(&self, rows: &[&DifferenceRow<'_>]) -> HtmlTable {
        let headings = ["figure", "baseline", "variant", "difference", "verdict"];
        let cells = rows.iter().map(|row| {
            let metric = row.metric.metric;
            let [baseline, variant] =
                row.estimates.map(|estimate| TableCell::estimate(estimate, metric_unit(metric)));
            let difference = TableCell::estimate(row.shown_difference(), difference_unit(metric));
            let verdict = row.verdict.map_or("", DifferenceVerdict::title);
            vec![
                TableCell::text(self.label(row)),
                baseline,
                variant,
                difference,
                TableCell::text(verdict),
            ]
        });
        HtmlTable {
            caption: "The edited items and the game".to_owned(),
            headings: headings.map(str::to_owned).to_vec(),
            rows: cells.collect(),
        }
    }

    fn values_table(&self, rows: &[&DifferenceRow<'_>], values: &[String]) -> HtmlTable {
        let order = sort_order(values);
        let heading = |&value: &usize| {
            let file = if value == 0 { self.layout.baseline_note() } else { "" };
            format!("{}{file}", values[value])
        };
        let line = |rows: &[&DifferenceRow<'_>]| {
            let first = rows[0];
            let cell = |&value: &usize| {
                let row = rows.iter().find(|row| row.variant + 1 == value);
                let estimate = row.map_or(first.estimates[0], |row| row.estimates[1]);
                let unit = metric_unit(first.metric.metric);
                let note = row.and_then(|row| row.verdict).map_or("", DifferenceVerdict::mark);
                let shown = format!("{} {note}", unit.format_value(estimate));
                if estimate.value.is_nan() {
                    TableCell::empty()
                } else {
                    TableCell::number(shown, estimate.value)
                }
            };
            let item = self.item(first).map(|item| format!("{}: ", item.label));
            let name = item.unwrap_or_default() + &metric_title(first.metric, first.result);
            std::iter::once(TableCell::text(name)).chain(order.iter().map(cell)).collect()
        };
        HtmlTable {
            caption: "All values; * differs significantly from the data file (Holm, 5 %), = \
                      smaller than a change that matters"
                .to_owned(),
            headings: std::iter::once("figure".to_owned())
                .chain(order.iter().map(heading))
                .collect(),
            rows: rows.chunk_by(|one, other| one.metric == other.metric).map(line).collect(),
        }
    }

    /// States a significant difference.
    fn describe(&self, row: &DifferenceRow<'_>) -> String {
        let metric = row.metric.metric;
        let [baseline, variant] =
            row.estimates.map(|estimate| metric_unit(metric).format_value(estimate));
        let difference = row.shown_difference();
        let is_flip = row.flag == Some(Flag::Flips);
        format!(
            "**{}**: {baseline} → {variant}, difference {} ({}){}.",
            self.label(row),
            difference_unit(metric).format_estimate(difference),
            format_count(difference.n as u64, "deal"),
            if is_flip { "; opposite sign for another lineup" } else { "" }
        )
    }

    fn add_significant(&self, report: &mut StudyReport) {
        report.section("Significant differences");
        report.explanation(
            "Baseline and variant were played on the same deals. This list has the significant \
             differences (Holm-adjusted p < 0.05 over all differences with the same lineup). \
             Smaller differences may exist.",
        );
        for result in self.results {
            if self.results.len() > 1 {
                report.heading(&format!("Lineup {}", result.lineup));
            }
            let listed = self.families.iter();
            let listed = listed.flat_map(|family| self.significant_items(family, result));
            let mut listed: Vec<_> = listed.collect();
            if listed.is_empty() {
                listed.push("No significant difference.".to_owned());
            }
            report.page_list(&listed);
        }
        for family in &self.families {
            for (flag, side) in [(Flag::Removed, "baseline"), (Flag::Added, "variant")] {
                let names = family.items_with_flag(self.metrics, flag);
                if !names.is_empty() {
                    let (title, names) = (capitalize(&family.title()), join_with_and(&names));
                    report.explanation(&format!("{title} only in the {side}: {names}."));
                }
            }
        }
    }

    /// States the significant differences of a table: all of the game, and of items those with the
    /// smallest p-values.
    fn significant_items(&self, family: &Family<'_>, result: &ComparisonResult) -> Vec<String> {
        let mut rows = family.rows_of(result);
        rows.retain(|row| row.difference.is_significant());
        let Some(items) = family.items else {
            return rows.iter().map(|row| self.describe(row)).collect();
        };
        rows.sort_by(|one, other| {
            one.difference.effect.p_value().total_cmp(&other.difference.effect.p_value())
        });
        let mut listed: Vec<_> =
            rows.iter().take(MAX_LISTED).map(|row| self.describe(row)).collect();
        if rows.len() > MAX_LISTED {
            let (more, title) = (rows.len() - MAX_LISTED, family.title());
            listed.push(format!("{more} more of {title}; see `{}.csv`.", items.name));
        }
        listed
    }

    /// Draws the metrics of the game: along the values if they are numbers, else as differences.
    fn add_game_charts(&self, rows: &[&DifferenceRow<'_>], report: &mut StudyReport) {
        if let Some(values) = self.numbers() {
            let rows: Vec<_> = rows.iter().copied().filter(|row| has_curve(row.metric)).collect();
            report.curves(&self.curves(&rows, &values));
            return;
        }
        for (name, is_shown) in CHARTS {
            let rows = rows.iter().copied().filter(|row| is_shown(row.metric.metric));
            report.charts(self.chart(name, rows.collect()));
        }
    }

    /// Draws the differences of the items in two metrics, the largest first.
    fn add_item_charts(&self, rows: &[&DifferenceRow<'_>], report: &mut StudyReport) {
        for metric in [Metric::TakenPerGame, Metric::TakersWinShare] {
            let mut rows: Vec<_> =
                rows.iter().copied().filter(|row| row.metric.metric == metric).collect();
            let value = |row: &DifferenceRow<'_>| row.difference.effect.value;
            rows.sort_by(|one, other| value(other).total_cmp(&value(one)));
            report.charts(self.chart(&capitalize(metric.title()), rows));
        }
    }

    /// Draws differences with the same unit.
    fn chart(&self, name: &str, mut rows: Vec<&DifferenceRow<'_>>) -> Option<IntervalChart> {
        rows.retain(|row| row.shown_difference().n > 0);
        let first = rows.first()?;
        let unit = difference_unit(first.metric.metric);
        let significant = rows.iter().filter(|row| row.difference.is_significant()).count();
        let mut sentence = format!(
            "{name}: {significant} of {} {} significant (Holm, 5 %, over all differences).",
            format_count(rows.len() as u64, "difference"),
            if significant == 1 { "is" } else { "are" },
        );
        sentence += &elide_middle(&mut rows);
        let row = |row: &&DifferenceRow<'_>| {
            let chart_row = IntervalRow::new((self.label(row), row.shown_difference()));
            chart_row.with_note(row.flag.map_or("", Flag::name))
        };
        let [baseline, variant] = self.layout.side_titles();
        let series = format!("difference, {variant} minus {baseline}");
        Some(difference_chart(&sentence, unit, &[series], rows.iter().map(row).collect()))
    }
}

impl DataComparison<'_> {
    /// Draws the differences of metrics along the values of a key.
    fn curves(&self, rows: &[&DifferenceRow<'_>], values: &[f64]) -> Vec<CurveChart> {
        let metrics = rows.chunk_by(|one, other| one.metric == other.metric);
        metrics.filter_map(|rows| self.curve(rows, values)).collect()
    }

    /// Draws the paired differences of a metric along the values of a key, of which the first is
    /// that of the data file. The rows have the other values.
    fn curve(&self, rows: &[&DifferenceRow<'_>], values: &[f64]) -> Option<CurveChart> {
        let metric = rows[0].metric.metric;
        let baseline = rows[0].estimates[0];
        let unit = difference_unit(metric);
        let difference =
            |row: &&DifferenceRow<'_>| (values[row.variant + 1], row.shown_difference());
        let file = Estimate { n: baseline.n, value: 0.0, low: 0.0, high: 0.0 };
        let mut points: Vec<_> =
            std::iter::once((values[0], file)).chain(rows.iter().map(difference)).collect();
        points.retain(|(_, estimate)| estimate.n > 0);
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        if points.len() < 2 {
            return None;
        }
        let significant = rows.iter().filter(|row| row.difference.is_significant());
        let significant = significant.map(|row| {
            let value = values[row.variant + 1];
            let verdict = row.verdict.map_or("", DifferenceVerdict::title);
            format!("{} at {value} ({verdict})", unit.format_estimate(row.shown_difference()))
        });
        let significant: Vec<_> = significant.collect();
        let differences = if significant.is_empty() {
            "no significant difference at another value".to_owned()
        } else {
            format!("significant differences: {}", join_with_and(&significant))
        };
        let item = self.item(rows[0]).map(|item| format!("{}: ", item.label)).unwrap_or_default();
        let title = metric_title(rows[0].metric, rows[0].result);
        let name = item + &title;
        Some(CurveChart {
            sentence: format!(
                "{}: {} at {}, the value of the data file; {differences}.",
                capitalize(&name),
                metric_unit(metric).format_estimate(baseline),
                values[0]
            ),
            x_label: self.key().to_owned(),
            y_label: format!("{title}, difference"),
            unit,
            reference: Some(ReferenceLine { value: 0.0, name: format!("at {}", values[0]) }),
            points,
        })
    }
}
