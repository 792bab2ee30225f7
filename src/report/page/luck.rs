//! How much each source of chance decides.

use maud::{Markup, html};

use super::study::{Findings, known};
use crate::{
    arena::luck::{Measure, SourceTally},
    report::{
        chart::{Intervals, Reference, Row},
        html::{Cell, Section, Table, Unit, counted, percent},
        luck::LuckReport,
    },
    stats::ratio::Estimate,
};

type Index = fn(&SourceTally, Measure, Option<usize>) -> Estimate;

const INDICES: [(&str, Index); 2] = [("by itself", SourceTally::first_order), ("with its interactions", SourceTally::total)];

impl LuckReport<'_> {
    /// The report for people.
    pub fn findings(&self) -> Findings {
        let lead = html! { (self.greatest(Measure::WinShare)) };
        let sections = Measure::ALL.into_iter().map(|measure| self.section(measure)).collect();
        Findings { title: "How much chance decides".to_owned(), lead, sections }
    }

    /// An index of a source, with the blocks that it is of.
    fn index(&self, source: usize, index: Index, measure: Measure, seat: Option<usize>) -> Estimate {
        let share = index(&self.tally.sources[source], measure, seat);
        known(Estimate { n: self.tally.blocks as i64, ..share })
    }

    /// The source that explains most by itself, and whether that is beyond doubt.
    fn greatest(&self, measure: Measure) -> String {
        let [(_, by_itself), (_, together)] = INDICES;
        let shares = (0..self.sources.len()).map(|source| (source, self.index(source, by_itself, measure, None)));
        let mut shares: Vec<_> = shares.filter(|(_, share)| share.n > 0).collect();
        shares.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
        let Some(((source, most), others)) = shares.split_first() else {
            return "Nothing varied, so there is nothing to explain.".to_owned();
        };
        let verdict = if others.iter().all(|(_, other)| other.high < most.low) {
            "Its interval lies wholly above those of the other sources."
        } else {
            "The interval of another source overlaps its own, so by them none explains most."
        };
        format!(
            "Of the variance of the {} of all seats, the source of chance {} explains {} by itself, and {} with its interactions, over {}. {verdict}",
            name(measure),
            self.sources[*source],
            percent(*most),
            percent(self.index(*source, together, measure, None)),
            counted(self.tally.blocks, "block"),
        )
    }

    fn section(&self, measure: Measure) -> Section {
        let body = html! {
            (self.chart(measure))
            (self.numbers(measure))
            p.note {
                "n counts blocks, of two deals each. What a source explains by itself is its first-order Sobol index: how much less games differ that share this source alone. With its "
                "interactions it is the total index: how much games differ that share all but it. The source " code { "bots" } " is the bots' own dice. An estimate of nearly nothing may lie "
                "a little below 0. " code { "luck.csv" } " has the same numbers."
            }
        };
        Section::new(name(measure), body)
    }

    fn chart(&self, measure: Measure) -> Markup {
        let row = |(source, name): (usize, &&str)| Row {
            label: (*name).to_owned(),
            mark: html! {},
            estimates: INDICES.map(|(_, index)| self.index(source, index, measure, None)).to_vec(),
        };
        let chart = Intervals {
            sentence: html! { (self.greatest(measure)) },
            unit: Unit::Percent,
            series: INDICES.map(|(name, _)| name.to_owned()).to_vec(),
            reference: Some(Reference { value: 0.0, name: "nothing".to_owned() }),
            rows: self.sources.iter().enumerate().map(row).collect(),
        };
        html! { (chart) }
    }

    fn numbers(&self, measure: Measure) -> Table {
        let seats = || std::iter::once(None).chain((0..self.players).map(Some));
        let rows = seats().flat_map(|seat| (0..self.sources.len()).map(move |source| (seat, source))).map(|(seat, source)| {
            let [first, total] = INDICES.map(|(_, index)| self.index(source, index, measure, seat));
            let seat = seat.map_or("all".to_owned(), |seat| seat.to_string());
            let shares = [Cell::estimate(first, Unit::Percent), Cell::estimate(total, Unit::Percent)];
            [Cell::text(self.sources[source]), Cell::text(seat), Cell::count(first.n)].into_iter().chain(shares).collect()
        });
        Table {
            caption: format!("All sources and seats in numbers: {}", name(measure)),
            headings: ["source", "seat", "blocks", "by itself", "with its interactions"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}

const fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::WinShare => "share of the win",
        Measure::Score => "score",
    }
}
