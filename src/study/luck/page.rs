//! The share of the outcome that the deal fixes, and the share that each source of chance explains.

use maud::{Markup, html};

use crate::{
    arena::metric::SeatMetric,
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        html::{Cell, HtmlTable, Section, Unit, format_count, format_percent},
        study_page::{ReportBody, estimate_if_finite, metric_label},
    },
    run::lineups::lineup_suffix,
    stats::ratio::Estimate,
    study::luck::tables::{LineupLuck, LuckReport, METRICS, VarianceSource},
};

const SERIES: &str = "by itself";

impl LuckReport<'_> {
    /// The report for people.
    pub fn report_body(&self) -> ReportBody {
        let lead = html! { (self.fixed_by_deal(SeatMetric::WinShare)) };
        let sections = METRICS.into_iter().map(|measure| self.section(measure)).collect();
        ReportBody { title: "How much chance decides".to_owned(), lead, sections }
    }

    /// The share that the deal as a whole fixes, for each set of bots.
    fn fixed_by_deal(&self, measure: SeatMetric) -> String {
        self.results
            .iter()
            .map(|rung| self.fixed_by_deal_with(rung, measure))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn fixed_by_deal_with(&self, rung: &LineupLuck, measure: SeatMetric) -> String {
        let (name, by) = (metric_label(measure).0, lineup_suffix(&rung.lineup, self.results.len()));
        let blocks = format_count(rung.tally.blocks, "block");
        let (Some(deal), Some(bots)) =
            (rung.tally.deal_first_order_index(measure, None), rung.tally.bots_source())
        else {
            return String::new();
        };
        if !deal.value.is_finite() {
            return format!(
                "The {name} of all seats{by} did not vary over {blocks}, so there is nothing to \
                    explain."
            );
        }
        if bots.has_no_effect(measure) {
            return format!(
                "The deal as a whole fixes the {name} of all seats{by}: with the same deal and \
                 other dice of the bots, no game of {blocks} ended otherwise. These bots use no \
                 dice, or their dice change nothing."
            );
        }
        format!(
            "{} of the variance of the {name} of all seats{by} is fixed by the deal as a whole, \
             which is all of the game's chance together, over {blocks}. The rest depends on the \
             bots' own dice.",
            share_in_words(deal),
        )
    }

    /// The source that explains most by itself, for each set of bots.
    fn greatest(&self, measure: SeatMetric) -> String {
        self.results
            .iter()
            .map(|rung| self.greatest_with(rung, measure))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn greatest_with(&self, rung: &LineupLuck, measure: SeatMetric) -> String {
        let shares = (0..self.sources.len())
            .map(|source| (source, shown(rung, VarianceSource::Source(source), measure, None)));
        let mut shares: Vec<_> = shares.filter(|(_, share)| share.n > 0).collect();
        shares.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
        let Some(((source, most), others)) = shares.split_first() else { return String::new() };
        let verdict = if others.iter().all(|(_, other)| other.high < most.low) {
            "It explains more than any other source (intervals do not overlap)."
        } else {
            "The interval of another source overlaps its own, so no source is shown to explain \
                most."
        };
        format!(
            "Of single sources{}, {} explains most by itself: {}. {verdict}",
            lineup_suffix(&rung.lineup, self.results.len()),
            self.sources[*source],
            share_in_words(*most),
        )
    }

    /// The deal and each source, by each set of bots.
    fn rows_by_bots(&self) -> impl Iterator<Item = (&str, VarianceSource, &LineupLuck)> {
        self.rows()
            .flat_map(|(title, source)| self.results.iter().map(move |rung| (title, source, rung)))
    }

    fn section(&self, measure: SeatMetric) -> Section {
        let body = html! {
            (self.chart(measure))
            (self.numbers(measure))
            p.note {
                "n counts blocks, of two deals each. What a source explains by itself is its \
                    first-order Sobol index: how much less games differ that share this source \
                    alone. The deal as a whole "
                "is all sources of the game together, and " code { "bots" } " are the bots' own \
                    dice. An estimate of nearly nothing may lie a little below 0. " code { "luck.csv" } " has the same "
                "numbers, and the total indices as " code { "sensitivity" } ": how much games \
                    differ that share all but a source. These are no shares; they add up to more \
                    than 100 %."
            }
        };
        Section::new(metric_label(measure).0, body)
    }

    fn chart(&self, measure: SeatMetric) -> Markup {
        let row = |(title, source, rung): (&str, VarianceSource, &LineupLuck)| IntervalRow {
            label: format!("{title}{}", lineup_suffix(&rung.lineup, self.results.len())),
            badge: html! {},
            estimates: vec![shown(rung, source, measure, None)],
        };
        let chart = IntervalChart {
            sentence: html! { (self.fixed_by_deal(measure)) " " (self.greatest(measure)) },
            unit: Unit::Percent,
            series: vec![SERIES.to_owned()],
            reference: Some(ReferenceLine { value: 0.0, name: "nothing".to_owned() }),
            rows: self.rows_by_bots().map(row).collect(),
        };
        html! { (chart) }
    }

    fn numbers(&self, measure: SeatMetric) -> HtmlTable {
        let seats = std::iter::once(None).chain((0..self.players).map(Some));
        let rows = seats.flat_map(|seat| {
            self.rows_by_bots().map(move |(title, source, rung)| (seat, title, source, rung))
        });
        let rows = rows.map(|(seat, title, source, rung)| {
            let share = shown(rung, source, measure, seat);
            let seat = seat.map_or("all".to_owned(), |seat| seat.to_string());
            let bots =
                if self.results.len() > 1 { Cell::text(&rung.lineup) } else { Cell::empty() };
            vec![
                Cell::text(title),
                bots,
                Cell::text(seat),
                Cell::count(share.n),
                Cell::estimate(share, Unit::Percent),
            ]
        });
        HtmlTable {
            caption: format!("All sources and seats in numbers: {}", metric_label(measure).0),
            headings: ["source", "played by", "seat", "blocks", SERIES].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}

/// A share in a sentence, cut off at what is possible.
fn share_in_words(share: Estimate) -> String {
    let cut = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { value };
    let shown = format_percent(Estimate {
        n: share.n,
        value: cut(share.value),
        low: cut(share.low),
        high: cut(share.high),
    });
    if share.value <= 0.0 || share.value >= 1.0 { format!("about {shown}") } else { shown }
}

/// The share that a source explains by itself, with the number of blocks.
fn shown(
    rung: &LineupLuck,
    source: VarianceSource,
    measure: SeatMetric,
    seat: Option<usize>,
) -> Estimate {
    let unknown = Estimate { n: 0, value: f64::NAN, low: f64::NEG_INFINITY, high: f64::INFINITY };
    estimate_if_finite(
        source
            .first_order(&rung.tally, measure, seat)
            .map_or(unknown, |share| Estimate { n: rung.tally.blocks as i64, ..share }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_shares_are_cut_off_in_sentences() {
        let share = |value: f64, half: f64| Estimate {
            n: 90,
            value,
            low: value - half,
            high: value + half,
        };
        assert_eq!(share_in_words(share(0.66, 0.03)), "66.0 % [63.0, 69.0]");
        assert_eq!(share_in_words(share(-0.01, 0.03)), "about 0.0 % [0.0, 2.0]");
        assert_eq!(share_in_words(share(1.02, 0.05)), "about 100.0 % [97.0, 100.0]");
    }
}
