//! What keeping a rule costs.

use maud::{Markup, html};

use super::{
    study::{Findings, beyond_doubt, estimate},
    values::told,
};
use crate::{
    arena::appraisal::Measure,
    report::{
        chart::{Intervals, Reference, Row},
        html::{Cell, Section, Table, Unit, capitalised, counted, listed},
        plans::PlansReport,
    },
    stats::{
        holm::holm,
        paired::{Effect, Paired},
    },
};

impl PlansReport<'_> {
    /// The report for people.
    pub fn findings(&self) -> Findings {
        let sections = (0..Measure::ALL.len()).map(|measure| self.section(measure)).collect();
        Findings { title: "What keeping a rule costs".to_owned(), lead: self.lead(), sections }
    }

    fn lead(&self) -> Markup {
        let (_, unit) = told(Measure::ALL[0]);
        let all: Vec<_> =
            self.differences(0).iter().map(|(name, effect, _)| format!("{} with {name}", unit.both(estimate(*effect)))).collect();
        html! { "The share of the win of " (self.bot.name) " differs by " (listed(&all)) "." }
    }

    /// Each plan with its difference in a measure and the p-value of it by Holm's method.
    fn differences(&self, measure: usize) -> Vec<(&String, Effect, f64)> {
        let effect = |plan: &crate::arena::restricted::PlanTally| plan.differences[measure].difference(Measure::ALL[measure].unit());
        let effects: Vec<_> = self.tally.plans.iter().map(effect).collect();
        let corrected = holm(&effects.iter().map(Effect::p).collect::<Vec<_>>());
        self.names.iter().zip(effects).zip(corrected).map(|((name, effect), p)| (name, effect, p)).collect()
    }

    fn section(&self, measure: usize) -> Section {
        let (name, unit) = told(Measure::ALL[measure]);
        let differences = self.differences(measure);
        let sentence = format!(
            "What keeping each rule changes for a seat, against the same seat on the same deals without it. {}",
            beyond_doubt(differences.iter().map(|(_, effect, p)| (effect.value, *p)))
        );
        let row = |(index, (name, effect, _)): (usize, &(&String, Effect, f64))| Row {
            label: (*name).clone(),
            mark: html! { @if self.tally.plans[index].applied == 0 { small { "never made a difference to what could be chosen" } } },
            estimates: vec![estimate(*effect)],
        };
        let chart = Intervals {
            sentence: html! { (sentence) },
            unit,
            series: vec![format!("difference in {name}")],
            reference: Some(Reference { value: 0.0, name: "no loss".to_owned() }),
            rows: differences.iter().enumerate().map(row).collect(),
        };
        let body = html! {
            (chart)
            (self.numbers(measure))
            p.note { "Applied counts the " (counted(self.tally.plans.iter().map(|plan| plan.applied).sum(), "decision")) " at which a rule withheld something. " code { "restricted.csv" } " has the same numbers." }
        };
        Section::new(capitalised(name), body)
    }

    fn numbers(&self, measure: usize) -> Table {
        let (name, unit) = told(Measure::ALL[measure]);
        let rows = self.differences(measure).into_iter().zip(&self.tally.plans).map(|((plan, effect, p), tally)| {
            let mean = if unit == Unit::PercentagePoints { Unit::Percent } else { Unit::Decimals(2) };
            let Paired { a, b, .. } = &tally.differences[measure];
            let [free, kept] = [a, b].map(|side| side.value(Measure::ALL[measure].unit()));
            let of = |value: f64| {
                if value.is_finite() { Cell::text(format!("{}{}", mean.number(value, 2), mean.suffix())) } else { Cell::none() }
            };
            let n = tally.differences[measure].b.n;
            let applied = Cell::count(tally.applied.try_into().unwrap_or(i64::MAX));
            vec![
                Cell::text(plan),
                applied,
                Cell::count(n),
                of(free),
                of(kept),
                Cell::estimate(estimate(effect), unit),
                Cell::probability(p),
            ]
        });
        Table {
            caption: format!("All rules in numbers: {name}"),
            headings: ["rule", "applied", "n", "without it", "keeping it", "difference", "p (Holm)"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}
