//! What games become without an item.

use maud::{Markup, html};

use crate::{
    arena::compared_metrics::ComparedMetric,
    report::chart::elide_middle,
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        html::{Cell, HtmlTable, Section},
        study_page::{difference_unit, effect_estimate, metric_unit, significance_summary},
    },
    run::lineups::lineup_suffix,
    stats::{
        holm::holm_adjust,
        paired::{Effect, PairedSums},
    },
    study::{
        ablate::removed_items::{RemovedItem, RemovedItemsReport, SHOWN},
        compare::analysis::{ComparisonResult, metric_title},
    },
};

/// A change by some bots, with its effect on a figure and the p-value by Holm's method.
struct Changed<'a> {
    rung: &'a ComparisonResult,
    change: &'a RemovedItem<'a>,
    paired: &'a PairedSums,
    effect: Effect,
    p: f64,
}

impl RemovedItemsReport<'_> {
    /// The section of a page.
    pub(crate) fn section(&self) -> Section {
        let body = html! {
            @for figure in SHOWN { (self.chart(figure)) }
            @for &figure in &self.figures.metrics { (self.numbers(figure)) }
            p.note {
                "The same deals were played with the data as it is and with each of these changed; \
                    differences are the changed game less the game as it is. " code { "neutralised.csv" }
                " has the same numbers."
            }
        };
        Section::new("Without an item", body)
    }

    fn changed(&self, figure: ComparedMetric) -> Vec<Changed<'_>> {
        let rows: Vec<_> =
            self.rows(figure).map(|row| (row, figure.metric.difference(row.2))).collect();
        let corrected =
            holm_adjust(&rows.iter().map(|(_, effect)| effect.p_value()).collect::<Vec<_>>());
        let changed = rows.into_iter().zip(corrected);
        changed
            .map(|(((rung, change, paired), effect), p)| Changed {
                rung,
                change,
                paired,
                effect,
                p,
            })
            .collect()
    }

    fn chart(&self, figure: ComparedMetric) -> Markup {
        let mut changed = self.changed(figure);
        let Some(first) = changed.first() else { return html! {} };
        let name = metric_title(figure, first.rung);
        let mut sentence = format!(
            "Difference in {name} of whole games. {}",
            significance_summary(changed.iter().map(|changed| (changed.effect.value, changed.p)))
        );
        changed.sort_by(|one, other| other.effect.value.total_cmp(&one.effect.value));
        sentence += &elide_middle(&mut changed);
        let row = |changed: &Changed<'_>| IntervalRow {
            label: self.label(changed),
            badge: html! {},
            estimates: vec![effect_estimate(changed.effect)],
        };
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit: difference_unit(figure.metric),
            series: vec![format!("difference in {name}")],
            reference: Some(ReferenceLine { value: 0.0, name: "no difference".to_owned() }),
            rows: changed.iter().map(row).collect(),
        };
        html! { (chart) }
    }

    fn numbers(&self, figure: ComparedMetric) -> HtmlTable {
        let name = self
            .lineups
            .first()
            .map_or_else(|| figure.metric.title().to_owned(), |rung| metric_title(figure, rung));
        let row = |changed: Changed<'_>| {
            let sides = figure.metric.estimates(changed.paired);
            let sides = sides.into_iter().flat_map(|side| {
                [Cell::estimate(side, metric_unit(figure.metric)), Cell::count(side.n)]
            });
            let difference =
                Cell::estimate(effect_estimate(changed.effect), difference_unit(figure.metric));
            let label = Cell::text(self.label(&changed));
            std::iter::once(label)
                .chain(sides)
                .chain([difference, Cell::p_value(changed.p)])
                .collect()
        };
        HtmlTable {
            caption: format!("In numbers: {}", name.replace(" %", "")),
            headings: [
                "item",
                "as it is",
                "n as it is",
                "changed",
                "n changed",
                "difference",
                "p (Holm)",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: self.changed(figure).into_iter().map(row).collect(),
        }
    }

    fn label(&self, changed: &Changed<'_>) -> String {
        format!(
            "{} {}{}",
            changed.change.item,
            changed.change.change,
            lineup_suffix(&changed.rung.lineup, self.lineups.len())
        )
    }
}
