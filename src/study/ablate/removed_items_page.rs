//! What games become without an item.

use maud::{Markup, html};

use crate::{
    arena::figures::Figure,
    report::{
        chart::{Intervals, Reference, Row},
        html::{Cell, Section, Table},
        study_page::{beyond_doubt, estimate},
    },
    run::ladder::by,
    stats::{
        holm::holm,
        paired::{Effect, Paired},
    },
    study::{
        ablate::removed_items::{Change, NeutralisedReport, SHOWN},
        compare::{
            page::{unit, unit_of_difference},
            tables::{Rung, title},
        },
        simulate::page::items::leave_out_the_middle,
    },
};

/// A change by some bots, with its effect on a figure and the p-value by Holm's method.
struct Changed<'a> {
    rung: &'a Rung,
    change: &'a Change<'a>,
    paired: &'a Paired,
    effect: Effect,
    p: f64,
}

impl NeutralisedReport<'_> {
    /// The section of a page.
    pub(crate) fn section(&self) -> Section {
        let body = html! {
            @for figure in SHOWN { (self.chart(figure)) }
            @for &figure in &self.figures.figures { (self.numbers(figure)) }
            p.note {
                "The same deals were played with the data as it is and with each of these changed; differences are the changed game less the game as it is. " code { "neutralised.csv" }
                " has the same numbers."
            }
        };
        Section::new("Without an item", body)
    }

    fn changed(&self, figure: Figure) -> Vec<Changed<'_>> {
        let rows: Vec<_> = self.rows(figure).map(|row| (row, figure.difference(row.2))).collect();
        let corrected = holm(&rows.iter().map(|(_, effect)| effect.p()).collect::<Vec<_>>());
        let changed = rows.into_iter().zip(corrected);
        changed.map(|(((rung, change, paired), effect), p)| Changed { rung, change, paired, effect, p }).collect()
    }

    fn chart(&self, figure: Figure) -> Markup {
        let mut changed = self.changed(figure);
        let Some(first) = changed.first() else { return html! {} };
        let name = title(figure, first.rung);
        let mut sentence = format!(
            "Difference in {name} of whole games. {}",
            beyond_doubt(changed.iter().map(|changed| (changed.effect.value, changed.p)))
        );
        changed.sort_by(|one, other| other.effect.value.total_cmp(&one.effect.value));
        sentence += &leave_out_the_middle(&mut changed);
        let row = |changed: &Changed<'_>| Row { label: self.label(changed), mark: html! {}, estimates: vec![estimate(changed.effect)] };
        let chart = Intervals {
            sentence: html! { (sentence) },
            unit: unit_of_difference(figure),
            series: vec![format!("difference in {name}")],
            reference: Some(Reference { value: 0.0, name: "no difference".to_owned() }),
            rows: changed.iter().map(row).collect(),
        };
        html! { (chart) }
    }

    fn numbers(&self, figure: Figure) -> Table {
        let name = self.rungs.first().map_or_else(|| figure.name().to_owned(), |rung| title(figure, rung));
        let row = |changed: Changed<'_>| {
            let sides = figure.sides(changed.paired);
            let sides = sides.into_iter().flat_map(|side| [Cell::estimate(side, unit(figure)), Cell::count(side.n)]);
            let difference = Cell::estimate(estimate(changed.effect), unit_of_difference(figure));
            let label = Cell::text(self.label(&changed));
            std::iter::once(label).chain(sides).chain([difference, Cell::probability(changed.p)]).collect()
        };
        Table {
            caption: format!("In numbers: {}", name.replace(" %", "")),
            headings: ["item", "as it is", "n as it is", "changed", "n changed", "difference", "p (Holm)"].map(str::to_owned).to_vec(),
            rows: self.changed(figure).into_iter().map(row).collect(),
        }
    }

    fn label(&self, changed: &Changed<'_>) -> String {
        format!("{} {}{}", changed.change.item, changed.change.change, by(&changed.rung.bots, self.rungs.len()))
    }
}
