//! The page of `balance luck`.

use maud::{Markup, html};

use super::{
    analysis::{DEAL, LuckAnalysis, LuckRow, LuckShares, METRICS, PLAYER},
    tables::CAVEAT,
};
use crate::{
    arena::metric::SeatMetric,
    experiments::luck::LuckTally,
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        data_table::{Columns, DataTable},
        html::{HtmlTable, Section, Unit, format_count, format_percent},
        study_page::{ReportBody, metric_label},
        text::truncate,
    },
    run::lineups::{LineupResult, lineup_suffix, player_text},
    stats::ratio::{Estimate, MIN_BLOCKS_OF_MEAN},
    study::shared::panel_verdict::LabelledSentence,
};

/// Maximum width of a lineup in the table of the lineups.
const COLUMN_WIDTH: usize = 18;

/// Results of a lineup with the share of the deal or the players, the largest source and its share.
type AnswerOfLineup<'a> = (&'a LineupResult<LuckTally>, Option<(Estimate, &'a str, Estimate)>);

impl LuckAnalysis<'_> {
    /// Returns the body of the page.
    pub fn report_body(&self, tables: &[DataTable]) -> ReportBody {
        let rows = self.rows();
        let label = LabelledSentence::of_only_lineup(self.results);
        let lead = html! { (self.lead(&rows)) };
        let panel = (self.results.len() > 1).then(|| self.panel_section(&rows));
        let sources = tables
            .iter()
            .take(1)
            .flat_map(|table| METRICS.map(|metric| self.section(&rows, table, metric)));
        let shares = tables.iter().skip(1).map(|table| self.shares_section(table));
        let sections = panel.into_iter().chain(shares).chain(sources).collect();
        let labels = html! {
            @if let Some(label) = label { (label) br; }
            (CAVEAT)
        };
        ReportBody { labels, ..ReportBody::new("Variance explained by chance", lead, sections) }
    }

    /// States the answer of the first lineup and its limits. The table of the lineups has the
    /// others.
    pub(super) fn lead(&self, rows: &[LuckRow<'_>]) -> String {
        let Some(first) = self.results.first() else { return String::new() };
        let metric = SeatMetric::WinShare;
        let answer = match self.shares().first() {
            Some(shares) => vec![Self::shares_sentence(shares)],
            None => vec![
                Self::deal_sentence(first, rows, metric),
                Self::largest_source_sentence(first, rows, metric),
            ],
        };
        let mut sentences: Vec<_> = answer.into_iter().flatten().collect();
        if sentences.is_empty() {
            sentences.push(format!(
                "{} with {} are too few for shares of the variance; expected at least {}.",
                format_count(first.tally.blocks, "block"),
                first.lineup,
                MIN_BLOCKS_OF_MEAN
            ));
        }
        sentences.join(" ")
    }

    /// States the share of the players and that of the largest source.
    fn shares_sentence(shares: &LuckShares<'_>) -> Option<String> {
        let [(_, player), sources @ ..] = &shares.sources[..] else { return None };
        let (name, largest) =
            largest_share(sources).filter(|(_, largest)| player.n > 0 && largest.n > 0)?;
        Some(format!(
            "{} of the variance of the win share lies between the players with {} in the seats, \
             and {} arises at the events of {name}, the largest of the other sources ({}).",
            format_share(*player),
            player_text(shares.lineup),
            format_share(largest),
            format_count(shares.blocks, "block"),
        ))
    }

    /// States the share of the variance that the deal explains.
    fn deal_sentence(
        LineupResult { lineup, tally, .. }: &LineupResult<LuckTally>,
        rows: &[LuckRow<'_>],
        metric: SeatMetric,
    ) -> Option<String> {
        let name = metric_label(metric).0;
        let player = player_text(lineup);
        let blocks = format_count(tally.blocks, "block");
        let deal = overall_rows(rows, lineup, metric).find(|row| row.source == DEAL)?;
        Some(if !deal.varies && tally.blocks > 0 {
            format!(
                "The {name} of all seats with {player} in the seats did not vary over {blocks}."
            )
        } else if tally.bots_source().is_some_and(|bots| bots.has_no_effect(metric)) {
            format!(
                "All of the variance of the {name} of the seats comes from the deal, the chance of \
                 the game, with {player} in the seats: random choices of the bots changed no game \
                 of {blocks}."
            )
        } else if deal.first_order.n == 0 {
            return None;
        } else {
            format!(
                "The deal, all chance of the game, explains {} of the variance of the {name} of \
                 all seats with {player} ({blocks}). The rest comes from the bots.",
                format_share(deal.first_order),
            )
        })
    }

    /// States which single source explains the largest share.
    fn largest_source_sentence(
        result: &LineupResult<LuckTally>,
        rows: &[LuckRow<'_>],
        metric: SeatMetric,
    ) -> Option<String> {
        let sources = sources_by_share(rows, &result.lineup, metric);
        let (largest, others) = sources.split_first()?;
        let is_separate =
            others.iter().all(|other| other.first_order.high < largest.first_order.low);
        Some(format!(
            "The largest single source is {}: it alone explains {}, {}.",
            largest.source,
            format_share(largest.first_order),
            if is_separate {
                "more than any other (intervals do not overlap)"
            } else {
                "not clearly more than another"
            }
        ))
    }

    /// Returns a row for each lineup with the answers on the win share, if it played enough blocks.
    pub(super) fn lineups_table(&self, rows: &[LuckRow<'_>]) -> DataTable {
        let first = if self.has_shares { "players" } else { "deal" };
        let all_shares = self.shares();
        let answers = self.results.iter().enumerate().map(|(index, result)| {
            let (lineup, metric) = (&result.lineup, SeatMetric::WinShare);
            let answer = match all_shares.get(index).map(|shares| &shares.sources[..]) {
                Some([(_, player), sources @ ..]) => {
                    largest_share(sources).map(|(source, share)| (*player, source, share))
                }
                _ => overall_rows(rows, lineup, metric)
                    .find(|row| row.source == DEAL)
                    .zip(sources_by_share(rows, lineup, metric).first())
                    .map(|(deal, row)| (deal.first_order, row.source, row.first_order)),
            };
            let has_intervals = |shares: [&Estimate; 2]| shares.iter().all(|share| share.n > 0);
            let answer = answer.filter(|(first, _, largest)| has_intervals([first, largest]));
            (result, answer)
        });
        Columns::<AnswerOfLineup<'_>>::new("luck", "")
            .text("lineup", "lineup", "", |(result, _)| truncate(&result.lineup, COLUMN_WIDTH))
            .integer("games", "games", "", |(result, _)| result.tally.games)
            .text("first", first, "", |(_, answer)| answer.map(|(first, ..)| limited(first)))
            .text("source", "source", "", |(_, answer)| answer.map(|(_, source, _)| source))
            .text("largest", "its share", "", |(_, answer)| {
                answer.map(|(.., share)| limited(share))
            })
            .table("", answers)
    }

    fn panel_section(&self, rows: &[LuckRow<'_>]) -> Section {
        let body = html! {
            (self.lineups_table(rows).view().html("The variance of the win share with each bot"))
            p.note { "All bots play the same deals, the later ones fewer of them." }
        };
        Section::new("The bots of the panel", body)
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
                 choices of the bots. "
                 code { (table.schema().file_name()) } " has the same numbers."
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
        let name = metric_label(metric).0;
        let chart = IntervalChart {
            sentence: html! {
                "Share of the variance of the " (name) " of all seats that each source explains \
                 alone."
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

/// Returns the indices of a lineup for all seats together.
fn overall_rows<'a>(
    rows: &'a [LuckRow<'a>],
    lineup: &str,
    metric: SeatMetric,
) -> impl Iterator<Item = &'a LuckRow<'a>> {
    rows.iter().filter(move |row| (row.lineup, row.metric) == (lineup, metric) && row.is_overall())
}

/// Returns the sources of a lineup with a share, without the deal, the largest first.
fn sources_by_share<'a>(
    rows: &'a [LuckRow<'a>],
    lineup: &str,
    metric: SeatMetric,
) -> Vec<&'a LuckRow<'a>> {
    let mut sources: Vec<_> = overall_rows(rows, lineup, metric)
        .filter(|row| row.source != DEAL && row.first_order.n > 0)
        .collect();
    sources.sort_by(|one, other| other.first_order.value.total_cmp(&one.first_order.value));
    sources
}

/// Returns the source with the largest additive share.
fn largest_share<'a>(sources: &[(&'a str, Estimate)]) -> Option<(&'a str, Estimate)> {
    let sources = sources.iter().filter(|(_, share)| share.n > 0);
    sources.max_by(|one, other| one.1.value.total_cmp(&other.1.value)).copied()
}

/// Formats a share of the variance, limited to the possible range of 0 to 100 %.
fn limited(share: Estimate) -> String {
    let limit = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { value };
    let [value, low, high] = [share.value, share.low, share.high].map(limit);
    format_percent(Estimate { n: share.n, value, low, high })
}

/// Formats a share of the variance for a sentence.
fn format_share(share: Estimate) -> String {
    let shown = limited(share);
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
