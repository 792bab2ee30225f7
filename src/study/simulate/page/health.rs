//! The course of the games apart from who won: the metrics of `health.csv`, the metrics of each
//! round, and the events that never happened.

use maud::{Markup, html};

use super::RunPage;
use crate::{
    bound::BoundGame,
    game::{RoundMetric, UNITS_PER_WIN},
    report::{
        chart::CurveChart,
        html::{Section, TableCell, Unit, capitalize, format_count, group_digits},
    },
    stats::{mean::MeanSums, ratio::Estimate},
    study::simulate::{analysis::NeverEvent, columns::POINTS},
};

/// Rounds that were reached by fewer than 1 game in this number are left out of the curves, because
/// the games that last so long are not like the others.
const MAX_GAMES_PER_REACHED: i64 = 10;

impl RunPage<'_> {
    /// Returns the section on the metrics of whole games.
    pub(super) fn health(&self) -> Section {
        let metrics = self.analysis.health_metrics();
        let keys =
            metrics.iter().map(|(metric, _)| TableCell::text(html! { code { (metric.key()) } }));
        let titles = metrics.iter().map(|(metric, _)| TableCell::text(metric.title()));
        let table = self.tables.health.view().select(&["value", "n"]).html("Metrics of the games");
        let table = table.with_column(0, "name in health.csv", keys);
        let table = table.with_column(0, "metric", titles);
        let body = html! {
            (self.facts())
            @for sentence in self.health_sentences() { p { (sentence) } }
            (table)
            p.note {
                "Percentiles, minimum and maximum describe the games played and have no interval. "
                code { "health.csv" } " has the same numbers."
            }
        };
        Section::new("Game health", body)
    }

    /// Returns the answers to the most frequent questions: how close games are, and how early they
    /// are decided.
    fn health_sentences(&self) -> Vec<String> {
        let health = &self.analysis.tally.health;
        let mut sentences = Vec::new();
        let branching = health.branching.mean();
        if self.is_competitive() {
            let half = health.leaders_at_half.rate(UNITS_PER_WIN);
            let (changes, margin) = (health.lead_changes.mean(), health.winning_margins.mean());
            if half.n > 0 {
                sentences.push(format!(
                    "The player who leads alone after half the rounds wins {} of {}.",
                    Unit::Percent.format_estimate(half),
                    format_count(half.n as u64, "game")
                ));
            }
            if changes.n > 0 && margin.n > 0 {
                sentences.push(format!(
                    "The lead passes to another player {} times a game (n {}). Winners are {} \
                     points ahead of the best other player (n {}).",
                    POINTS.format_estimate(changes),
                    group_digits(changes.n),
                    Unit::Decimals(1).format_estimate(margin),
                    group_digits(margin.n),
                ));
            }
        }
        if branching.n > 0 {
            let n = group_digits(branching.n);
            let branching = Unit::Decimals(1).format_estimate(branching);
            sentences.push(format!("A decision has {branching} legal actions on average (n {n})."));
        }
        sentences
    }

    /// Returns the section on the metrics of each round; `None` for a game without any.
    pub(super) fn rounds(&self, metrics: &[RoundMetric]) -> Option<Section> {
        let table = self.tables.rounds.as_ref()?;
        let ends = metrics.iter().zip(&self.analysis.tally.round_metrics.end).enumerate();
        let observed: Vec<_> = ends.filter(|(_, (_, end))| end.ratio.n > 0).collect();
        let body = html! {
            p {
                "Means before the last decision of a round, over the games that reached it, with \
                 95 % intervals as a band."
            }
            div.curves {
                @for &(index, (metric, end)) in &observed {
                    (self.round_curve(index, *metric, end))
                }
            }
            (table.view().select(&["metric", "round", "when", "mean", "n"]).html("All rounds"))
            p.note {
                "Rounds that fewer than 1 game in " (MAX_GAMES_PER_REACHED) " reached are in the \
                 table only. " code { "rounds.csv" } " has the same numbers."
            }
        };
        (!observed.is_empty()).then(|| Section::new("Round by round", body))
    }

    fn round_curve(&self, index: usize, metric: RoundMetric, end: &MeanSums) -> CurveChart {
        let estimate = |sums: &MeanSums| -> Estimate {
            if metric.is_share { sums.ratio.rate(1) } else { sums.mean() }
        };
        let unit = if metric.is_share { Unit::Percent } else { POINTS };
        let name = metric.name.replace('_', " ");
        let end = estimate(end);
        let rounds = self.analysis.tally.round_metrics.rounds.iter().zip(1_u32..);
        let rounds = rounds.map(|(sums, round)| (f64::from(round), estimate(&sums[index])));
        let rounds: Vec<_> = rounds.filter(|(_, estimate)| estimate.n > 0).collect();
        let max_n = rounds.iter().map(|(_, estimate)| estimate.n).max().unwrap_or(0);
        let is_frequent =
            |(_, estimate): &(f64, Estimate)| estimate.n * MAX_GAMES_PER_REACHED >= max_n;
        let sentence = format!(
            "{}: {} at the end of the game (n {}).",
            capitalize(&name),
            unit.format_estimate(end),
            group_digits(end.n)
        );
        CurveChart {
            sentence: html! { (sentence) },
            x_label: "round".to_owned(),
            y_label: name,
            unit,
            reference: None,
            points: rounds.into_iter().filter(is_frequent).collect(),
        }
    }

    /// Returns the section on items and kinds of action to which an event never happened.
    pub(super) fn never(&self, game: &BoundGame) -> Section {
        let events = self.analysis.never_happened(game);
        let games = format_count(self.analysis.tally.games, "game");
        let table = &self.tables.never;
        let body = html! {
            @if events.is_empty() {
                p { "Every counted event happened at least once in " (games) "." }
            } @else {
                p { (count_events(&events, &games)) }
                @let caption = format!("All {}", events.len());
                (table.view().select(&["name", "kind", "never"]).html(caption))
            }
            p.note { code { "never.csv" } " has the same list." }
        };
        Section::new("What never happened", body).folded_if(true)
    }
}

/// Returns the number of items of each kind to which each event never happened.
fn count_events(events: &[NeverEvent], games: &str) -> Markup {
    let mut counts: Vec<(&str, &str, usize)> = Vec::new();
    for NeverEvent { event, kind, .. } in events {
        match counts.iter_mut().find(|(other, of, _)| (other, of) == (event, kind)) {
            Some((.., count)) => *count += 1,
            None => counts.push((event, kind, 1)),
        }
    }
    let parts = counts.iter().map(|(event, kind, count)| format!("{kind}: {count} never {event}"));
    html! { "In " (games) ", " (parts.collect::<Vec<_>>().join("; ")) "." }
}
