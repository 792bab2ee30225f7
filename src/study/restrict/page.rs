//! What keeping a rule costs.

use maud::{Markup, html};

use crate::{
    arena::metric::SeatMetric,
    report::{
        chart::{IntervalChart, IntervalRow as ChartRow, ReferenceLine},
        html::{Cell, HtmlTable, Section, Unit, capitalize, join_with_and},
        study_page::{ReportBody, effect_estimate, metric_label, significance_summary},
    },
    run::lineups::lineup_suffix,
    study::restrict::tables::{RestrictionsReport, Row},
};

impl RestrictionsReport<'_> {
    /// The report for people.
    pub fn report_body(&self) -> ReportBody {
        let sections = SeatMetric::ALL.into_iter().map(|measure| self.section(measure)).collect();
        ReportBody { title: "What keeping a rule costs".to_owned(), lead: self.lead(), sections }
    }

    fn lead(&self) -> Markup {
        let rows = self.rows(SeatMetric::WinShare);
        let (name, unit) = metric_label(SeatMetric::WinShare);
        let of_bot = |rows: &[Row<'_>]| {
            let all: Vec<_> = rows
                .iter()
                .map(|row| {
                    format!(
                        "{} with {}",
                        unit.format_estimate(effect_estimate(row.difference)),
                        row.restriction
                    )
                })
                .collect();
            format!("The {name} of {} differs by {}.", rows[0].bot, join_with_and(&all))
        };
        let sentences: Vec<_> =
            rows.chunk_by(|one, other| one.bot == other.bot).map(of_bot).collect();
        html! { (sentences.join(" ")) }
    }

    fn section(&self, measure: SeatMetric) -> Section {
        let rows = self.rows(measure);
        let body = html! {
            @for rows in rows.chunk_by(|one, other| one.bot == other.bot) {
                (self.chart(rows))
                (self.numbers(rows))
            }
            p.note { "Applied counts the decisions at which a rule withheld something. " code { "restricted.csv" } " has the same numbers." }
        };
        let (name, _) = metric_label(measure);
        Section::new(capitalize(name), body)
    }

    /// The rules that a bot keeps, and what they change of a measure.
    fn chart(&self, rows: &[Row<'_>]) -> Markup {
        let (name, unit) = metric_label(rows[0].measure);
        let sentence = format!(
            "What keeping each rule changes for a seat{}, against the same seat on the same deals \
                without it. {}",
            lineup_suffix(rows[0].bot, self.results.len()),
            significance_summary(rows.iter().map(|row| (row.difference.value, row.p_holm)))
        );
        let row = |row: &Row<'_>| ChartRow {
            label: row.restriction.to_owned(),
            badge: html! {
                small {
                    @if row.tally.binding_decisions == 0 { "never made a difference to what could \
                        be chosen" }
                    (in_words(row))
                }
            },
            estimates: vec![effect_estimate(row.difference)],
        };
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit,
            series: vec![format!("difference in {name}")],
            reference: Some(ReferenceLine { value: 0.0, name: "no loss".to_owned() }),
            rows: rows.iter().map(row).collect(),
        };
        html! { (chart) }
    }

    fn numbers(&self, rows: &[Row<'_>]) -> HtmlTable {
        let measure = rows[0].measure;
        let (name, unit) = metric_label(measure);
        let mean = if unit == Unit::PercentagePoints { Unit::Percent } else { Unit::Decimals(2) };
        let of = |value: f64| {
            if value.is_finite() {
                Cell::text(format!("{}{}", mean.format_number(value, 2), mean.suffix()))
            } else {
                Cell::empty()
            }
        };
        let row = |row: &Row<'_>| {
            let [free, kept] =
                [&row.paired.control, &row.paired.treatment].map(|side| side.value(measure.unit()));
            vec![
                Cell::text(row.restriction),
                Cell::count(row.tally.binding_decisions.try_into().unwrap_or(i64::MAX)),
                Cell::count(row.paired.treatment.n),
                of(free),
                of(kept),
                Cell::estimate(effect_estimate(row.difference), unit),
                Cell::p_value(row.p_holm),
                Cell::text(in_words(row)),
            ]
        };
        HtmlTable {
            caption: format!(
                "All rules in numbers: {name}{}",
                lineup_suffix(rows[0].bot, self.results.len())
            ),
            headings: [
                "rule",
                "applied",
                "n",
                "without it",
                "keeping it",
                "difference",
                "p (Holm)",
                "flag",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: rows.iter().map(row).collect(),
        }
    }
}

fn in_words(row: &Row<'_>) -> &'static str {
    match (row.sign_differs, row.difference.is_constant()) {
        (true, _) => "other sign by other bots",
        (_, true) => "does not vary",
        _ => "",
    }
}
