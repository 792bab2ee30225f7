//! How much each source of chance decides.

use maud::{Markup, html};

use super::study::{Findings, known, told};
use crate::{
    arena::{luck::SourceTally, measure::Measure},
    report::{
        chart::{Intervals, Reference, Row},
        html::{Cell, Section, Table, Unit, counted, percent},
        ladder::by,
        luck::{LuckReport, MEASURES, Rung},
    },
    stats::ratio::Estimate,
};

type Index = fn(&SourceTally, Measure, Option<usize>) -> Estimate;

const INDICES: [(&str, Index); 2] = [("by itself", SourceTally::first_order), ("with its interactions", SourceTally::total)];

impl LuckReport<'_> {
    /// The report for people.
    pub fn findings(&self) -> Findings {
        let lead = html! { (self.greatest(Measure::WinShare)) };
        let sections = MEASURES.into_iter().map(|measure| self.section(measure)).collect();
        Findings { title: "How much chance decides".to_owned(), lead, sections }
    }

    /// The source that explains most by itself, and whether that is beyond doubt, for each set of bots.
    fn greatest(&self, measure: Measure) -> String {
        self.rungs.iter().map(|rung| self.greatest_by(rung, measure)).collect::<Vec<_>>().join(" ")
    }

    fn greatest_by(&self, rung: &Rung, measure: Measure) -> String {
        let [(_, by_itself), (_, together)] = INDICES;
        let shares = (0..self.sources.len()).map(|source| (source, shown(rung, source, by_itself, measure, None)));
        let mut shares: Vec<_> = shares.filter(|(_, share)| share.n > 0).collect();
        shares.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
        let Some(((source, most), others)) = shares.split_first() else {
            return format!("Nothing varied{}, so there is nothing to explain.", by(&rung.bots, self.rungs.len()));
        };
        let verdict = if others.iter().all(|(_, other)| other.high < most.low) {
            "Its interval lies wholly above those of the other sources."
        } else {
            "The interval of another source overlaps its own, so by them none explains most."
        };
        format!(
            "Of the variance of the {} of all seats{}, the source of chance {} explains {} by itself, and {} with its interactions, over {}. {verdict}",
            told(measure).0,
            by(&rung.bots, self.rungs.len()),
            self.sources[*source],
            percent(*most),
            percent(shown(rung, *source, together, measure, None)),
            counted(rung.tally.blocks, "block"),
        )
    }

    /// Each source, by each set of bots.
    fn rows(&self) -> impl Iterator<Item = (usize, &Rung)> {
        (0..self.sources.len()).flat_map(|source| self.rungs.iter().map(move |rung| (source, rung)))
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
        Section::new(told(measure).0, body)
    }

    fn chart(&self, measure: Measure) -> Markup {
        let row = |(source, rung): (usize, &Rung)| Row {
            label: format!("{}{}", self.sources[source], by(&rung.bots, self.rungs.len())),
            mark: html! {},
            estimates: INDICES.map(|(_, index)| shown(rung, source, index, measure, None)).to_vec(),
        };
        let chart = Intervals {
            sentence: html! { (self.greatest(measure)) },
            unit: Unit::Percent,
            series: INDICES.map(|(name, _)| name.to_owned()).to_vec(),
            reference: Some(Reference { value: 0.0, name: "nothing".to_owned() }),
            rows: self.rows().map(row).collect(),
        };
        html! { (chart) }
    }

    fn numbers(&self, measure: Measure) -> Table {
        let seats = || std::iter::once(None).chain((0..self.players).map(Some));
        let rows = seats().flat_map(|seat| self.rows().map(move |(source, rung)| (seat, source, rung))).map(|(seat, source, rung)| {
            let [first, total] = INDICES.map(|(_, index)| shown(rung, source, index, measure, seat));
            let seat = seat.map_or("all".to_owned(), |seat| seat.to_string());
            let bots = if self.rungs.len() > 1 { Cell::text(&rung.bots) } else { Cell::none() };
            let names = [Cell::text(self.sources[source]), bots, Cell::text(seat)];
            let shares = [first, total].map(|share| Cell::estimate(share, Unit::Percent));
            names.into_iter().chain([Cell::count(first.n)]).chain(shares).collect()
        });
        Table {
            caption: format!("All sources and seats in numbers: {}", told(measure).0),
            headings: ["source", "played by", "seat", "blocks", "by itself", "with its interactions"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}

/// An index of a source, with the blocks that it is of.
fn shown(rung: &Rung, source: usize, index: Index, measure: Measure, seat: Option<usize>) -> Estimate {
    let share = index(&rung.tally.sources[source], measure, seat);
    known(Estimate { n: rung.tally.blocks as i64, ..share })
}
