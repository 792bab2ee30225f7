//! The page of `balance luck`.

use maud::{Markup, html};

use super::{
    analysis::{DEAL, LuckAnalysis, LuckRow, LuckShares, METRICS, PLAYER},
    tables::CAVEAT,
};
use crate::{
    arena::metric::SeatMetric,
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        data_table::DataTable,
        html::{HtmlTable, Section, Unit, format_count, format_percent},
        study_page::{ReportBody, metric_label},
    },
    run::lineups::{LineupResult, lineup_suffix},
    stats::ratio::Estimate,
    study::luck::experiment::LuckTally,
};

impl LuckAnalysis<'_> {
    /// Returns the body of the page.
    pub fn report_body(&self, tables: &[DataTable]) -> ReportBody {
        let rows = self.rows();
        let answer = match self.shares_sentences() {
            sentences if sentences.is_empty() => self.deal_sentences(&rows, SeatMetric::WinShare),
            sentences => sentences,
        };
        let lead = html! { (answer) " " (CAVEAT) };
        let sections = tables
            .iter()
            .take(1)
            .flat_map(|table| METRICS.map(|metric| self.section(&rows, table, metric)));
        let shares = tables.iter().skip(1).map(|table| self.shares_section(table));
        let sections = shares.chain(sections).collect();
        ReportBody { title: "Variance explained by chance".to_owned(), lead, sections }
    }

    /// States the share of the players and that of the largest source, for each lineup with additive
    /// shares.
    fn shares_sentences(&self) -> String {
        let shares = self.shares();
        let sentence = |shares: &LuckShares<'_>| {
            let by = lineup_suffix(shares.lineup, self.results.len());
            let [(_, player), sources @ ..] = &shares.sources[..] else { return None };
            let largest = |one: &&(&str, Estimate), other: &&(&str, Estimate)| {
                one.1.value.total_cmp(&other.1.value)
            };
            let (name, largest) = sources.iter().max_by(largest).filter(|_| player.n > 0)?;
            Some(format!(
                "{} of the variance of the win share{by} lies between the players, and {} arises \
                 at the events of {name}, the largest of the other sources ({}).",
                format_share(*player),
                format_share(*largest),
                format_count(shares.blocks, "block"),
            ))
        };
        shares.iter().filter_map(sentence).collect::<Vec<_>>().join(" ")
    }

    /// States the share of the variance that the deal explains, for each lineup.
    fn deal_sentences(&self, rows: &[LuckRow<'_>], metric: SeatMetric) -> String {
        let sentence = |LineupResult { lineup, tally, .. }: &LineupResult<LuckTally>| {
            let (name, by) = (metric_label(metric).0, lineup_suffix(lineup, self.results.len()));
            let blocks = format_count(tally.blocks, "block");
            let mut rows = rows.iter().filter(|row| row.lineup == lineup && row.metric == metric);
            let deal = rows.find(|row| row.source == DEAL && row.is_overall())?;
            Some(if deal.first_order.n == 0 {
                format!("The {name} of all seats{by} did not vary over {blocks}.")
            } else if tally.bots_source().is_some_and(|bots| bots.has_no_effect(metric)) {
                format!(
                    "The deal determines the {name} of all seats{by}: other random choices of the \
                     bots changed no game of {blocks}."
                )
            } else {
                format!(
                    "{} of the variance of the {name} of all seats{by} is explained by the deal, \
                     which is all chance of the game ({blocks}). The rest depends on the random \
                     choices of the bots.",
                    format_share(deal.first_order),
                )
            })
        };
        self.results.iter().filter_map(sentence).collect::<Vec<_>>().join(" ")
    }

    /// States which single source explains the largest share, for each lineup.
    fn largest_source_sentences(&self, rows: &[LuckRow<'_>], metric: SeatMetric) -> String {
        let sentence = |result: &LineupResult<LuckTally>| {
            let is_shown = |row: &&LuckRow<'_>| {
                (row.lineup, row.metric) == (result.lineup.as_str(), metric) && row.is_overall()
            };
            let mut sources: Vec<_> = rows.iter().filter(is_shown).collect();
            sources.retain(|row| row.source != DEAL && row.first_order.n > 0);
            sources.sort_by(|one, other| other.first_order.value.total_cmp(&one.first_order.value));
            let (largest, others) = sources.split_first()?;
            let is_separate =
                others.iter().all(|other| other.first_order.high < largest.first_order.low);
            Some(format!(
                "The largest single source{} is {}: it alone explains {}. {}",
                lineup_suffix(&result.lineup, self.results.len()),
                largest.source,
                format_share(largest.first_order),
                if is_separate {
                    "It explains more than any other source (intervals do not overlap)."
                } else {
                    "Its interval overlaps that of another source, so the order is uncertain."
                }
            ))
        };
        self.results.iter().filter_map(sentence).collect::<Vec<_>>().join(" ")
    }

    fn section(&self, rows: &[LuckRow<'_>], table: &DataTable, metric: SeatMetric) -> Section {
        let body = html! {
            (self.chart(rows, metric))
            (self.html_table(rows, table, metric))
            p.note {
                "A block is two deals. The share that a source explains alone is its first-order \
                 Sobol index; estimates near 0 can be negative. The total index measures the mean \
                 squared difference of games that differ only in the source; the total indices add \
                 up to more than 100 % if sources interact. " code { "bots" } " are the random \
                 choices of the bots. " code { (table.schema().file_name()) } " has the same numbers."
            }
        };
        Section::new(metric_label(metric).0, body)
    }

    fn shares_section(&self, table: &DataTable) -> Section {
        let shares = self.shares();
        let rows = shares.iter().flat_map(|shares| {
            let suffix = lineup_suffix(shares.lineup, self.results.len());
            let sources = shares.sources.iter().copied();
            sources
                .map(move |(source, share)| IntervalRow::new((format!("{source}{suffix}"), share)))
        });
        let body = html! {
            (IntervalChart {
                sentence: html! { "Shares of the variance of the win share that add up to 100 %." },
                unit: Unit::Percent,
                series: vec!["share".to_owned()],
                reference: Some(ReferenceLine { value: 0.0, name: "no share".to_owned() }),
                rows: rows.collect(),
            })
            (table.view().html("Additive shares".to_owned()))
            p.note {
                "The share of a source is the variance that arises at its events: before an event, \
                 the expected result is the mean over continuations of the game. "
                code { (PLAYER) } " is the difference between the seats: their bots, and what the \
                 rules give to a seat. " code { (table.schema().file_name()) }
                " has the same numbers."
            }
        };
        Section::new("Additive shares", body)
    }

    fn chart(&self, rows: &[LuckRow<'_>], metric: SeatMetric) -> Markup {
        let sources = std::iter::once(&DEAL).chain(self.sources);
        let shown = sources.flat_map(|&source| {
            rows.iter()
                .filter(move |row| row.source == source && row.metric == metric && row.is_overall())
        });
        let row = |row: &LuckRow<'_>| {
            let suffix = lineup_suffix(row.lineup, self.results.len());
            IntervalRow::new((format!("{}{suffix}", row.source), row.first_order))
        };
        let chart = IntervalChart {
            sentence: html! {
                (self.deal_sentences(rows, metric)) " "
                (self.largest_source_sentences(rows, metric))
            },
            unit: Unit::Percent,
            series: vec!["explained alone".to_owned()],
            reference: Some(ReferenceLine { value: 0.0, name: "nothing explained".to_owned() }),
            rows: shown.map(row).collect(),
        };
        html! { (chart) }
    }

    fn html_table(&self, rows: &[LuckRow<'_>], table: &DataTable, metric: SeatMetric) -> HtmlTable {
        let all = ["source", "lineup", "seat", "blocks", "first_order", "sensitivity"];
        let is_shown = |key: &&str| self.results.len() > 1 || *key != "lineup";
        let keys: Vec<_> = all.into_iter().filter(is_shown).collect();
        let is_shown = |index: &usize| rows[*index].metric == metric;
        let view = table.view().select(&keys).rows((0..rows.len()).filter(is_shown));
        view.html(format!("All sources and seats: {}", metric_label(metric).0))
    }
}

/// Formats a share of the variance, limited to the possible range of 0 to 100 %.
fn format_share(share: Estimate) -> String {
    let limit = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { value };
    let [value, low, high] = [share.value, share.low, share.high].map(limit);
    let shown = format_percent(Estimate { n: share.n, value, low, high });
    if share.value <= 0.0 || share.value >= 1.0 { format!("about {shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_limit_shares_to_the_possible_range() {
        let share = |value: f64, half: f64| Estimate {
            n: 90,
            value,
            low: value - half,
            high: value + half,
        };
        assert_eq!(format_share(share(0.66, 0.03)), "66.0 % [63.0, 69.0]");
        assert_eq!(format_share(share(-0.01, 0.03)), "about 0.0 % [0.0, 2.0]");
        assert_eq!(format_share(share(1.02, 0.05)), "about 100.0 % [97.0, 100.0]");
    }
}
