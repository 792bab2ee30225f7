//! What keeping a rule costs.

use maud::{Markup, html};

use crate::{
    arena::measure::Measure,
    report::{
        chart::{Intervals, Reference, Row as ChartRow},
        html::{Cell, Section, Table, Unit, capitalised, listed},
        study_page::{Findings, beyond_doubt, estimate, told},
    },
    run::ladder::by,
    study::restrict::tables::{PlansReport, Row},
};

impl PlansReport<'_> {
    /// The report for people.
    pub fn findings(&self) -> Findings {
        let sections = Measure::ALL.into_iter().map(|measure| self.section(measure)).collect();
        Findings { title: "What keeping a rule costs".to_owned(), lead: self.lead(), sections }
    }

    fn lead(&self) -> Markup {
        let rows = self.rows(Measure::WinShare);
        let (name, unit) = told(Measure::WinShare);
        let of_bot = |rows: &[Row<'_>]| {
            let all: Vec<_> = rows.iter().map(|row| format!("{} with {}", unit.both(estimate(row.difference)), row.plan)).collect();
            format!("The {name} of {} differs by {}.", rows[0].bot, listed(&all))
        };
        let sentences: Vec<_> = rows.chunk_by(|one, other| one.bot == other.bot).map(of_bot).collect();
        html! { (sentences.join(" ")) }
    }

    fn section(&self, measure: Measure) -> Section {
        let rows = self.rows(measure);
        let body = html! {
            @for rows in rows.chunk_by(|one, other| one.bot == other.bot) {
                (self.chart(rows))
                (self.numbers(rows))
            }
            p.note { "Applied counts the decisions at which a rule withheld something. " code { "restricted.csv" } " has the same numbers." }
        };
        let (name, _) = told(measure);
        Section::new(capitalised(name), body)
    }

    /// The rules that a bot keeps, and what they change of a measure.
    fn chart(&self, rows: &[Row<'_>]) -> Markup {
        let (name, unit) = told(rows[0].measure);
        let sentence = format!(
            "What keeping each rule changes for a seat{}, against the same seat on the same deals without it. {}",
            by(rows[0].bot, self.rungs.len()),
            beyond_doubt(rows.iter().map(|row| (row.difference.value, row.adjusted)))
        );
        let row = |row: &Row<'_>| ChartRow {
            label: row.plan.to_owned(),
            mark: html! {
                small {
                    @if row.tally.applied == 0 { "never made a difference to what could be chosen" }
                    (in_words(row))
                }
            },
            estimates: vec![estimate(row.difference)],
        };
        let chart = Intervals {
            sentence: html! { (sentence) },
            unit,
            series: vec![format!("difference in {name}")],
            reference: Some(Reference { value: 0.0, name: "no loss".to_owned() }),
            rows: rows.iter().map(row).collect(),
        };
        html! { (chart) }
    }

    fn numbers(&self, rows: &[Row<'_>]) -> Table {
        let measure = rows[0].measure;
        let (name, unit) = told(measure);
        let mean = if unit == Unit::PercentagePoints { Unit::Percent } else { Unit::Decimals(2) };
        let of = |value: f64| {
            if value.is_finite() { Cell::text(format!("{}{}", mean.number(value, 2), mean.suffix())) } else { Cell::none() }
        };
        let row = |row: &Row<'_>| {
            let [free, kept] = [&row.paired.a, &row.paired.b].map(|side| side.value(measure.unit()));
            vec![
                Cell::text(row.plan),
                Cell::count(row.tally.applied.try_into().unwrap_or(i64::MAX)),
                Cell::count(row.paired.b.n),
                of(free),
                of(kept),
                Cell::estimate(estimate(row.difference), unit),
                Cell::probability(row.adjusted),
                Cell::text(in_words(row)),
            ]
        };
        Table {
            caption: format!("All rules in numbers: {name}{}", by(rows[0].bot, self.rungs.len())),
            headings: ["rule", "applied", "n", "without it", "keeping it", "difference", "p (Holm)", "flag"].map(str::to_owned).to_vec(),
            rows: rows.iter().map(row).collect(),
        }
    }
}

fn in_words(row: &Row<'_>) -> &'static str {
    match (row.flips, row.difference.is_constant()) {
        (true, _) => "other sign by other bots",
        (_, true) => "does not vary",
        _ => "",
    }
}
