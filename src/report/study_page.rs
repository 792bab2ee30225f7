//! The page of a study: its results between the provenance of the data and the command that repeats
//! it.

use maud::{Markup, html};

use super::{
    chart::{IntervalChart, IntervalRow, ReferenceLine},
    data_table::{Column, Value},
    html::{Section, Unit, format_count, group_digits, render_page, warning_box},
    origin::{self, BotDescription, game_title},
    provenance::{Claim, Provenance},
};
use crate::{
    arena::metric::{Metric, SeatMetric},
    config::Document,
    stats::{flags::TestedEffect, holm::SIGNIFICANCE_LEVEL, paired::Effect, ratio::Estimate},
};

/// The name of the file.
pub const FILE: &str = "report.html";

/// The subject of a study, and how to repeat it.
#[derive(Clone, Copy, Debug)]
pub struct StudyPage<'a> {
    /// The command that repeats it.
    pub command: &'a str,
    /// Identifier of the game.
    pub game: &'a str,
    /// Number of players.
    pub players: usize,
    /// Random seed.
    pub seed: u64,
    /// The bots.
    pub bots: &'a [BotDescription],
    /// The data files, with labels if there are several.
    pub data: &'a [(&'a str, &'a Document)],
    /// Provenance of their values.
    pub provenance: &'a Claim,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played.
    pub games: u64,
    /// Games asked for.
    pub games_planned: u64,
}

/// The results of a study.
#[derive(Clone, Debug)]
pub struct ReportBody {
    /// Title.
    pub title: String,
    /// The main result.
    pub lead: Markup,
    /// All other results.
    pub sections: Vec<Section>,
}

impl StudyPage<'_> {
    /// Renders the page.
    pub fn render(&self, body: ReportBody) -> Vec<u8> {
        let provenance: Vec<_> =
            self.data.iter().map(|(_, document)| Provenance::read(&document.text)).collect();
        let name = self
            .data
            .first()
            .map_or_else(|| self.game.to_owned(), |(_, document)| game_title(document, self.game));
        let players = format_count(self.players as u64, "player");
        let title = format!("{}: {name}, {players}", body.title);
        let heading = |label: &str| {
            if label.is_empty() { "The data".to_owned() } else { format!("The data of {label}") }
        };
        let data = self.data.iter().zip(&provenance).map(|((label, document), provenance)| {
            origin::data_section(&heading(label), provenance, &document.text)
        });
        let data: Vec<_> = data.collect();
        let marks = data.first().map_or("", |section| section.id.as_str());
        let games = format_count(self.games, "game");
        let head = html! {
            p.kicker { "Watershed · " (name) " · " (players) " · seed " (self.seed) }
            h1 { (title) }
            (origin::provenance_warning(self.provenance, &provenance, marks))
            @if self.games < self.games_planned {
                (warning_box("This study is not complete.", &html! {
                    "It was interrupted after " (games) " of "
                    (group_digits(self.games_planned)) "."
                }))
            }
            p.lead { (body.lead) }
            p.note { (games) " in " (format_count(self.blocks, "block")) "." }
        };
        let mut sections = body.sections;
        sections.extend(data);
        sections.push(self.repeat_section());
        render_page(&title, &head, &sections)
    }

    fn repeat_section(&self) -> Section {
        let facts = html! {
            dt { "program" } dd { "watershed " (env!("CARGO_PKG_VERSION")) }
            dt { "game" } dd { (self.game) ", " (format_count(self.players as u64, "player")) }
            @for (label, document) in self.data {
                dt { "data" @if !label.is_empty() { " of " (label) } } dd { (document.name) }
                dt { "its SHA-256" } dd { code { (document.sha256()) } }
            }
            dt { "provenance" } dd { q { (self.provenance) } }
            dt { "seed" } dd { (self.seed) }
            dt { "games" }
            dd { (group_digits(self.games)) " in " (format_count(self.blocks, "block")) }
            dt { "complete" } dd { @if self.games < self.games_planned { "no" } @else { "yes" } }
        };
        origin::repeat_section(self.command, &facts, self.bots.iter())
    }
}

/// Returns the name of a metric for people, and the format of its differences.
pub(crate) const fn metric_label(metric: SeatMetric) -> (&'static str, Unit) {
    match metric {
        SeatMetric::WinShare => ("win share", Unit::PercentagePoints),
        SeatMetric::Score => ("score", Unit::Signed(2)),
        SeatMetric::Rounds => ("rounds of the game", Unit::Signed(2)),
    }
}

/// Returns the format of a metric.
pub(crate) const fn metric_unit(metric: Metric) -> Unit {
    match metric {
        Metric::TakenPerGame => Unit::Decimals(4),
        _ if metric.is_rate() => Unit::Percent,
        _ => Unit::Decimals(2),
    }
}

/// Returns the format of the differences of a metric.
pub(crate) const fn difference_unit(metric: Metric) -> Unit {
    match metric {
        Metric::TakenPerGame => Unit::Signed(4),
        _ if metric.is_rate() => Unit::PercentagePoints,
        _ => Unit::Signed(2),
    }
}

/// Decimals in CSV of estimates whose unit depends on the row.
const DECIMALS: usize = 6;

/// Creates a column of means of different metrics.
pub(crate) fn mean_column(
    key: impl Into<String>,
    title: impl Into<String>,
    description: &str,
) -> Column {
    Column::estimate(key, title, Unit::Decimals(2), description).decimals(DECIMALS)
}

/// Creates a column of differences of different metrics.
pub(crate) fn difference_column(
    key: impl Into<String>,
    title: impl Into<String>,
    description: &str,
) -> Column {
    Column::estimate(key, title, Unit::Signed(2), description).decimals(DECIMALS)
}

/// Returns the mean of a metric for a column of means.
pub(crate) fn mean_value(estimate: Estimate, metric: Metric) -> Value {
    Value::EstimateIn(estimate, metric_unit(metric))
}

/// Returns the difference of a metric for a column of differences.
pub(crate) fn difference_value(estimate: Estimate, metric: Metric) -> Value {
    Value::EstimateIn(estimate, difference_unit(metric))
}

/// Draws differences around 0, with the names of the series.
pub(crate) fn difference_chart(
    sentence: &str,
    unit: Unit,
    series: &[String],
    rows: Vec<IntervalRow>,
) -> Markup {
    let chart = IntervalChart {
        sentence: html! { (sentence) },
        unit,
        series: series.to_vec(),
        reference: Some(ReferenceLine { value: 0.0, name: "no difference".to_owned() }),
        rows,
    };
    html! { (chart) }
}

/// Returns an effect for charts and tables, without observations if it has no value.
pub(crate) fn effect_estimate(effect: Effect) -> Estimate {
    estimate_if_finite(effect.estimate())
}

/// Returns an estimate, without observations if it has no value.
pub(crate) fn estimate_if_finite(estimate: Estimate) -> Estimate {
    Estimate { n: if estimate.value.is_finite() { estimate.n } else { 0 }, ..estimate }
}

/// States the number of significant effects of each sign.
pub(crate) fn significance_summary<'a>(effects: impl Iterator<Item = &'a TestedEffect>) -> String {
    let tested: Vec<_> = effects.filter(|tested| tested.p_holm.is_finite()).collect();
    let count = |sign: f64| {
        let has_sign = |tested: &&&TestedEffect| sign * tested.effect.value > 0.0;
        tested.iter().filter(|tested| tested.is_significant()).filter(has_sign).count()
    };
    let (tests, above, below) = (tested.len(), count(1.0), count(-1.0));
    match (tests, above + below) {
        (0, _) => "No test is possible: there are too few observations.".to_owned(),
        (_, 0) => format!(
            "None of {tests} tests is significant (Holm-adjusted p < {SIGNIFICANCE_LEVEL})."
        ),
        _ => format!(
            "Of {tests} tests, {above} {} significantly above 0 and {below} below (Holm-adjusted \
             p < {SIGNIFICANCE_LEVEL}).",
            if above == 1 { "is" } else { "are" }
        ),
    }
}
