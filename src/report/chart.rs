//! Charts as inline SVG: estimates with intervals, bars, and curves.
//!
//! A chart of rows is an HTML list; each row holds a label, a drawing and the numbers as text.
//! Positions in a drawing are percentages, so that its width fits the screen while text keeps its
//! size.

mod dots;
mod scale;

pub(crate) use dots::{Dot, DotChart};
use maud::{Markup, Render, html};

use scale::{Scale, percent, vertical};

use super::html::{Unit, group_digits};
use crate::stats::ratio::Estimate;

/// A vertical or horizontal line of comparison.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ReferenceLine {
    /// Position on the scale of the values.
    pub value: f64,
    pub name: String,
}

/// A row of an [`IntervalChart`].
#[derive(Clone, Debug)]
pub(crate) struct IntervalRow {
    pub label: String,
    /// Markup after the name: the identifier of an item, marks and flags.
    pub badge: Markup,
    /// An estimate for each series; those without observations are left out.
    pub estimates: Vec<Estimate>,
}

impl IntervalRow {
    /// Creates a row of one series, without a badge.
    pub(crate) fn new((label, estimate): (String, Estimate)) -> Self {
        Self::of_series(label, vec![estimate])
    }

    /// Creates a row without a badge.
    pub(crate) fn of_series(label: impl Into<String>, estimates: Vec<Estimate>) -> Self {
        Self { label: label.into(), badge: html! {}, estimates }
    }

    /// Adds a note to the badge.
    #[must_use]
    pub(crate) fn with_note(self, note: &str) -> Self {
        let badge = html! { (self.badge) @if !note.is_empty() { " " small { (note) } } };
        Self { badge, ..self }
    }

    /// Returns the estimates with observations, by the index and the CSS class of their series.
    fn series(&self) -> impl Iterator<Item = (usize, &'static str, Estimate)> {
        let series = self.estimates.iter().zip(SERIES).enumerate();
        let series = series.map(|(index, (&estimate, class))| (index, class, estimate));
        series.filter(|(.., estimate)| estimate.n > 0)
    }
}

/// A chart of estimates as dots with their intervals, on one scale for all rows.
#[derive(Clone, Debug)]
pub(crate) struct IntervalChart {
    /// Main result, in a sentence.
    pub sentence: String,
    pub unit: Unit,
    /// Names of the series, 1 to 3.
    pub series: Vec<String>,
    /// Value of comparison.
    pub reference: Option<ReferenceLine>,
    pub rows: Vec<IntervalRow>,
}

/// Minimum number of observations of an estimate in a chart of many estimates.
pub(crate) const MIN_OBSERVATIONS: i64 = 30;

/// Maximum number of rows of a chart.
const MAX_ROWS: usize = 40;

/// Removes the middle rows of a chart that has too many, and returns a sentence with their number.
pub(crate) fn elide_middle<T>(rows: &mut Vec<T>) -> String {
    if rows.len() <= MAX_ROWS {
        return String::new();
    }
    let removed = rows.len() - MAX_ROWS;
    rows.drain(MAX_ROWS / 2..MAX_ROWS / 2 + removed);
    format!(" The {removed} between the highest and the lowest are in the table only.")
}

/// CSS classes of the series.
const SERIES: [&str; 3] = ["first", "second", "third"];
const MIDDLE_OF_FIRST: usize = 15;
const BETWEEN_SERIES: usize = 16;
const END_MARK: usize = 4;

impl Render for IntervalChart {
    fn render(&self) -> Markup {
        let reference = self.reference.as_ref().map(|reference| reference.value);
        let estimates =
            self.rows.iter().flat_map(|row| &row.estimates).filter(|estimate| estimate.n > 0);
        let ends = estimates.flat_map(|estimate| [estimate.low, estimate.value, estimate.high]);
        let scale = Scale::covering(ends.chain(reference));
        let height = 2 * MIDDLE_OF_FIRST + BETWEEN_SERIES * (self.series.len().max(1) - 1);
        let middle = |index: usize| MIDDLE_OF_FIRST + index * BETWEEN_SERIES;
        html! {
            figure {
                figcaption { (self.sentence) }
                (self.key())
                ul.chart {
                    @for row in &self.rows {
                        li {
                            span.label { (row.label) " " (row.badge) }
                            svg height=(height) role="img" aria-label=(self.description(row)) {
                                (scale.grid())
                                @if let Some(value) = reference {
                                    (vertical("reference", &scale.percent(value)))
                                }
                                @for (index, class, estimate) in row.series() {
                                    g class=(class) { (dot(&scale, estimate, middle(index))) }
                                }
                            }
                            span.values {
                                @for (_, class, estimate) in row.series() {
                                    span {
                                        strong class=(class) {
                                            (self.unit.format_estimate(estimate))
                                        }
                                        " " small { "n " (group_digits(estimate.n)) }
                                    }
                                }
                            }
                        }
                    }
                    (scale.axis(self.unit))
                }
            }
        }
    }
}

impl IntervalChart {
    /// Creates a chart with the names of its series, without a value of comparison.
    pub(crate) fn new(
        sentence: impl Into<String>,
        unit: Unit,
        series: &[&str],
        rows: impl IntoIterator<Item = IntervalRow>,
    ) -> Self {
        let series = series.iter().map(|&name| name.to_owned()).collect();
        let rows = rows.into_iter().collect();
        Self { sentence: sentence.into(), unit, series, reference: None, rows }
    }

    /// Sets the value of comparison.
    #[must_use]
    pub(crate) fn with_reference(self, value: f64, name: impl Into<String>) -> Self {
        Self { reference: Some(ReferenceLine { value, name: name.into() }), ..self }
    }

    fn key(&self) -> Markup {
        html! {
            p.key {
                @for (class, name) in SERIES.iter().zip(&self.series) {
                    span {
                        svg aria-hidden="true" {
                            g class=(class) {
                                line.interval x1="0" x2="100%" y1="50%" y2="50%" {}
                                circle cx="50%" cy="50%" r="4.5" {}
                            }
                        }
                        (name) ", with its 95 % interval"
                    }
                }
                @if let Some(reference) = &self.reference {
                    span {
                        svg aria-hidden="true" { (vertical("reference", "50%")) }
                        (reference.name)
                    }
                }
            }
        }
    }

    fn description(&self, row: &IntervalRow) -> String {
        let values = row.series().map(|(index, _, estimate)| {
            let (name, n) = (&self.series[index], group_digits(estimate.n));
            format!("{name} {}, n {n}", self.unit.format_estimate(estimate))
        });
        format!("{}: {}", row.label, values.collect::<Vec<_>>().join("; "))
    }
}

fn has_interval(estimate: Estimate) -> bool {
    estimate.low.is_finite() && estimate.high.is_finite()
}

/// Draws an estimate as a dot with its interval.
fn dot(scale: &Scale, estimate: Estimate, middle: usize) -> Markup {
    let ends = [estimate.low, estimate.high].map(|end| scale.percent(end));
    html! {
        @if has_interval(estimate) {
            line.interval x1=(ends[0]) x2=(ends[1]) y1=(middle) y2=(middle) {}
            @let [top, bottom] = [middle - END_MARK, middle + END_MARK];
            @for end in &ends { line.interval x1=(end) x2=(end) y1=(top) y2=(bottom) {} }
        }
        circle cx=(scale.percent(estimate.value)) cy=(middle) r="4.5" {}
    }
}

fn horizontal(class: &str, y: f64) -> Markup {
    let y = number(y);
    html! { line class=(class) x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {} }
}

/// A chart of counts as bars.
#[derive(Clone, Debug)]
pub(crate) struct BarChart {
    /// Main result, in a sentence.
    pub sentence: String,
    pub rows: Vec<(String, u64)>,
}

impl Render for BarChart {
    fn render(&self) -> Markup {
        let max = self.rows.iter().map(|&(_, count)| count).max().unwrap_or(0).max(1);
        let total = self.rows.iter().map(|&(_, count)| count).sum::<u64>().max(1);
        html! {
            figure {
                figcaption { (self.sentence) }
                ul.chart {
                    @for &(ref label, count) in &self.rows {
                        @let share = Unit::Percent.format_number(count as f64 / total as f64, 1);
                        @let width = percent(count as f64 / max as f64);
                        li {
                            span.label { (label) }
                            svg height="20" aria-hidden="true" {
                                rect.bar x="0" y="3" height="14" width=(width) {}
                            }
                            span.values {
                                span { (group_digits(count)) " " small { "(" (share) " %)" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A chart of estimates along a number, as a line with the intervals as a band.
#[derive(Clone, Debug)]
pub(crate) struct CurveChart {
    /// Main result, in a sentence.
    pub sentence: String,
    /// Name of the horizontal axis.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    pub unit: Unit,
    /// Value of comparison.
    pub reference: Option<ReferenceLine>,
    /// Estimates by position on the horizontal axis, in ascending order.
    pub points: Vec<(f64, Estimate)>,
}

/// Maximum number of points of a curve with a tick each.
const MAX_POINT_TICKS: usize = 12;
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 36.0;

impl Render for CurveChart {
    fn render(&self) -> Markup {
        let reference = self.reference.as_ref().map(|reference| reference.value);
        let estimates = self.points.iter().map(|(_, estimate)| estimate);
        let ends = estimates.flat_map(|estimate| [estimate.low, estimate.value, estimate.high]);
        let y_scale = Scale::covering(ends.chain(reference));
        let x_scale = Scale::covering(self.points.iter().map(|&(at, _)| at));
        // Few points have a tick each, so that no value is shown that was not played.
        let x_ticks: Vec<_> = if self.points.len() <= MAX_POINT_TICKS {
            self.points.iter().map(|&(at, _)| (at, format!("{at}"))).collect()
        } else {
            let label = |&tick: &f64| (tick, x_scale.label(tick, Unit::Decimals(0)));
            x_scale.ticks.iter().map(label).collect()
        };
        let x = |value: f64| LEFT + x_scale.position(value) * (WIDTH - LEFT - 8.0);
        let y = |value: f64| TOP + (1.0 - y_scale.position(value)) * (HEIGHT - TOP - BOTTOM);
        let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
            let points = points.map(|(at, value)| format!("{:.1} {:.1}", x(at), y(value)));
            format!("M{}", points.collect::<Vec<_>>().join("L"))
        };
        let means = || self.points.iter().map(|&(at, estimate)| (at, estimate.value));
        let is_bounded = |(_, estimate): &&(f64, Estimate)| has_interval(*estimate);
        let bounded = || self.points.iter().filter(is_bounded);
        let low = bounded().map(|&(at, estimate)| (at, estimate.low));
        let high = bounded().rev().map(|&(at, estimate)| (at, estimate.high));
        let describe = |&(at, estimate): &(f64, Estimate)| {
            format!("{at}: {}, n {}", self.unit.format_estimate(estimate), group_digits(estimate.n))
        };
        let values = self.points.iter().map(describe).collect::<Vec<_>>().join("; ");
        let description = format!("{} by {}: {values}", self.y_label, self.x_label);
        html! {
            figure.curve {
                figcaption { (self.sentence) }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(description) {
                    @for &tick in &y_scale.ticks {
                        (horizontal("grid", y(tick)))
                        text x=(LEFT - 6.0) y=(number(y(tick) + 4.0)) text-anchor="end" {
                            (y_scale.label(tick, self.unit))
                        }
                    }
                    @for (tick, label) in &x_ticks {
                        text x=(number(x(*tick))) y=(HEIGHT - BOTTOM + 16.0) text-anchor="middle" {
                            (label)
                        }
                    }
                    text x=(WIDTH) y=(HEIGHT - 4.0) text-anchor="end" { (self.x_label) }
                    text x="0" y="12" {
                        (self.y_label) (self.unit.suffix())
                        @if let Some(reference) = &self.reference { "; dashed: " (reference.name) }
                    }
                    @if let Some(value) = reference { (horizontal("reference", y(value))) }
                    g.first {
                        path.band d={ (path(&mut low.chain(high))) "Z" } {}
                        path.mean d=(path(&mut means())) {}
                        @for point in &self.points {
                            @let tip = format!("{} {}", self.x_label, describe(point));
                            circle cx=(number(x(point.0))) cy=(number(y(point.1.value))) r="3.5"
                                data-tip=(tip) {}
                        }
                    }
                }
            }
        }
    }
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { n: 100, value, low, high }
    }

    fn count(html: &str, part: &str) -> usize {
        html.matches(part).count()
    }

    #[test]
    fn rows_have_a_dot_an_interval_and_numbers() {
        let rows = [("a", 0.4, 0.3, 0.5), ("b", 0.6, 0.5, 0.7)];
        let rows = rows.map(|(label, value, low, high)| {
            IntervalRow::new((label.to_owned(), estimate(value, low, high)))
        });
        let chart = IntervalChart::new("Result.", Unit::Percent, &["win rate"], rows)
            .with_reference(0.5, "expected share");
        let html = chart.render().into_string();
        let (_, html) = html.split_once("<ul").unwrap_or_default();
        let counts = ["<circle", "class=\"interval\"", "class=\"reference\""];
        assert_eq!(counts.map(|part| count(html, part)), [2, 6, 2]);
        assert!(html.contains("aria-label=\"a: win rate 40.0 % [30.0, 50.0], n 100\""), "{html}");
        // 0.5 is the middle of the scale: the grid and the reference are there in both rows, an end
        // of both intervals, and a number of the axis.
        assert_eq!(count(html, "\"50.00%\""), 2 * (2 + 2 + 3) + 1, "{html}");
    }

    #[test]
    fn unknown_intervals_are_not_drawn() {
        let unknown = estimate(3.0, f64::NEG_INFINITY, f64::INFINITY);
        let none = Estimate { n: 0, value: f64::NAN, low: 0.0, high: 1.0 };
        let row = IntervalRow::new(("a".to_owned(), unknown));
        let rows = vec![IntervalRow { estimates: vec![unknown, none], ..row }];
        let chart = IntervalChart::new("", Unit::Decimals(1), &["one", "other"], rows);
        let html = chart.render().into_string();
        let (_, html) = html.split_once("<ul").unwrap_or_default();
        assert_eq!([count(html, "<circle"), count(html, "class=\"interval\"")], [1, 0]);
        assert!(
            html.contains("no interval") && !html.contains("NaN") && !html.contains("inf"),
            "{html}"
        );
    }

    #[test]
    fn curves_go_through_their_points() {
        let points = [0.0, 1.0, 2.0, 3.0, 4.0].map(|at| (at, estimate(at, at - 1.0, at + 1.0)));
        let curve = CurveChart {
            sentence: "Result.".to_owned(),
            x_label: "cost".to_owned(),
            y_label: "score".to_owned(),
            unit: Unit::Decimals(1),
            reference: Some(ReferenceLine { value: 2.0, name: "baseline".to_owned() }),
            points: points.to_vec(),
        };
        let html = curve.render().into_string();
        let path = |class: &str| {
            let (_, rest) = html.split_once(&format!("class=\"{class}\" d=\"")).unwrap_or_default();
            rest.split_once('"').unwrap_or_default().0
        };
        let (band, mean) = (path("band"), path("mean"));
        let counts = [count(band, "L"), count(mean, "L"), count(&html, "<circle")];
        assert_eq!(counts, [9, 4, 5], "{html}");
        assert!(band.ends_with('Z'));
    }
}
