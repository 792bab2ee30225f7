//! The page of `compare` and `sweep`.

mod answer;

use super::analysis::{ComparisonLayout, DataComparison, DifferenceRow, metric_title};
use crate::{
    arena::compared_metrics::Subject,
    report::chart::{CurveChart, elide_middle},
    study::shared::prelude::*,
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

    /// Adds the edits: on the page below the answer if they are those of several files.
    pub(super) fn add_edits(&self, report: &mut StudyReport) {
        let Some(edits) = self.edits_sentence() else { return };
        report.terminal(&paragraph(&edits));
        if self.has_several_files() {
            report.page_remark(&edits);
        }
    }

    /// Adds the sections of the page and the tables.
    pub(super) fn add_sections(&self, provenance: &Claim, report: &mut StudyReport) {
        self.add_results(report);
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

    /// Draws the differences of the edited items: along the values if they are numbers.
    pub(super) fn add_edit_charts(&self, rows: &[&DifferenceRow<'_>], report: &mut StudyReport) {
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
            format_count(rows.len(), "difference"),
            if significant == 1 { "is" } else { "are" },
        );
        sentence += &elide_middle(&mut rows);
        let row = |row: &&DifferenceRow<'_>| {
            let chart_row = IntervalRow::new((self.label(row), row.shown_difference()));
            chart_row.with_note(row.flag.map_or("", Flag::name))
        };
        let [baseline, variant] = self.layout.side_titles();
        let series = format!("difference, {variant} minus {baseline}");
        Some(difference_chart(sentence, unit, &[&series], rows.iter().map(row)))
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
            format!("{} at {value}", unit.format_estimate(row.shown_difference()))
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
