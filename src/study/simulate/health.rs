//! How the games of a run went apart from who won: `health.csv`, and `never.csv` for what never
//! happened.

use std::collections::BTreeMap;

use crate::{
    arena::tally::Tally,
    game::{Item, Statistics, UNITS_PER_WIN},
    stats::ratio::Estimate,
    study::simulate::csv::{CsvTable, TableContext, number, words},
};

/// The percentiles of games that are shown.
const PERCENTILES: [u64; 3] = [10, 50, 90];

/// The unit of the value of a [`ComparedMetric`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MetricKind {
    /// A rate from 0 to 1.
    Rate,
    /// A mean, or the standard deviation of a number.
    Number,
    /// A count that some game had.
    Count,
}

/// A figure of `health.csv`; its interval has no ends where it is no rate or mean over blocks.
pub(crate) struct HealthMetric {
    pub(crate) name: String,
    pub(crate) kind: MetricKind,
    pub(crate) estimate: Estimate,
}

/// `health.csv`: one row a figure.
pub(crate) fn health(context: &TableContext<'_>, tally: &Tally) -> Vec<u8> {
    let mut table =
        CsvTable::new(&words(&["name", "value", "n", "ci_low", "ci_high", "provenance"]));
    for HealthMetric { name, kind, estimate } in health_metrics(context, tally) {
        let Estimate { n, value, low, high } = estimate;
        let decimals = if kind == MetricKind::Count { 0 } else { 6 };
        let [value, low, high] = [value, low, high].map(|value| number(value, decimals));
        table.row(&[name, value, n.to_string(), low, high, context.provenance.to_string()]);
    }
    table.into_bytes()
}

/// The figures of `health.csv` in their order.
pub(crate) fn health_metrics(context: &TableContext<'_>, tally: &Tally) -> Vec<HealthMetric> {
    let health = &tally.health;
    let players = context.bots.len();
    let mut figures: Vec<HealthMetric> = Vec::new();
    let mut add = |name: &str, kind: MetricKind, estimate: Estimate| {
        figures.push(HealthMetric { name: name.to_owned(), kind, estimate })
    };
    for (name, rates) in [("sd_of_seats", &health.seats), ("sd_of_places", &health.turn_positions)]
    {
        if let Some(deviation) = rates.standard_deviation(players, UNITS_PER_WIN) {
            add(name, MetricKind::Rate, deviation);
        }
    }
    if players > 1 {
        add("shared_wins", MetricKind::Rate, health.shared_wins.rate(1));
    }
    for (name, rate) in [("nobody_won", health.nobody_won), ("capped", health.capped)] {
        add(name, MetricKind::Rate, rate.rate(1));
    }
    for (name, mean, games) in [
        ("rounds", health.rounds, &health.games_by_rounds),
        ("decisions", health.decisions, &health.games_by_decisions),
    ] {
        add(name, MetricKind::Number, mean.mean());
        for (part, kind, value) in distribution(games) {
            add(
                &format!("{name}_{part}"),
                kind,
                Estimate { n: mean.ratio.n, value, low: f64::NEG_INFINITY, high: f64::INFINITY },
            );
        }
    }
    add("branching", MetricKind::Number, health.branching.mean());
    add("winning_score", MetricKind::Number, health.winning_scores.mean());
    if players > 1 {
        add("winning_margin", MetricKind::Number, health.winning_margins.mean());
        add("lead_changes", MetricKind::Number, health.lead_changes.mean());
        let leaders = health.leaders_at_half;
        if leaders.n > 0 {
            add("leader_at_half_wins", MetricKind::Rate, leaders.rate(UNITS_PER_WIN));
        }
    }
    figures
}

/// The standard deviation, the ends and some percentiles of a number that so many games had.
fn distribution(games: &BTreeMap<u64, u64>) -> Vec<(String, MetricKind, f64)> {
    let sum = |value: fn(f64) -> f64| {
        games.iter().map(|(&number, &games)| games as f64 * value(number as f64)).sum::<f64>()
    };
    let n = sum(|_| 1.0);
    let mean = sum(|number| number) / n;
    let deviation =
        ((sum(|number| number * number) / n - mean * mean) * n / (n - 1.0)).max(0.0).sqrt();
    let percentile = |percent: u64| {
        let total: u64 = games.values().sum();
        let mut below = 0;
        let reached = games.iter().find(|(_, games)| {
            below += **games;
            below * 100 >= percent * total
        });
        reached.map_or(f64::NAN, |(&number, _)| number as f64)
    };
    let end = |end: Option<&u64>| end.map_or(f64::NAN, |&number| number as f64);
    let mut parts = vec![
        ("sd".to_owned(), MetricKind::Number, deviation),
        ("min".to_owned(), MetricKind::Count, end(games.keys().next())),
    ];
    parts.extend(
        PERCENTILES.map(|percent| (format!("p{percent}"), MetricKind::Count, percentile(percent))),
    );
    parts.push(("max".to_owned(), MetricKind::Count, end(games.keys().next_back())));
    parts
}

/// An item that was never offered or never taken, or a kind of action that was never legal.
pub(crate) struct NeverEvent {
    /// The event that did not happen to it: `offered`, `legal`, or what taking an item of its table
    /// is called.
    pub(crate) event: &'static str,
    /// The kind of item, or `action`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
}

/// `never.csv`: what never happened in any game.
pub(crate) fn never<G: Statistics>(context: &TableContext<'_>, game: &G, tally: &Tally) -> Vec<u8> {
    let mut table = CsvTable::new(&words(&["never", "kind", "name", "games", "provenance"]));
    for NeverEvent { event: what, kind, name } in list_never_events(game, tally) {
        table.row(&[what, kind, &name, &tally.games.to_string(), context.provenance.as_str()]);
    }
    table.into_bytes()
}

/// The rows of `never.csv` in their order.
pub(crate) fn list_never_events<G: Statistics>(game: &G, tally: &Tally) -> Vec<NeverEvent> {
    let mut list = Vec::new();
    let mut line =
        |what, kind, name: &str| list.push(NeverEvent { event: what, kind, name: name.to_owned() });
    for items in game.catalog().tables() {
        let tallies = &tally.items[items.ids().range()];
        for (Item { name, .. }, item) in items.items.iter().zip(tallies) {
            if items.offered && item.taken.n == 0 {
                line("offered", items.singular, name);
            } else if item.times_taken == 0 {
                line(items.taken_label, items.singular, name);
            }
        }
    }
    for (kind, name) in game.action_kinds().iter().enumerate() {
        if tally.health.legal_kinds >> kind & 1 == 0 {
            line("legal", "action", name);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_is_that_of_its_games() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squared deviations 32.
        let parts = distribution(&[(2, 1), (4, 3), (5, 2), (7, 1), (9, 1)].into());
        let values: Vec<_> = parts.iter().map(|(part, _, value)| (part.as_str(), *value)).collect();
        assert!((values[0].1 - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(
            values[1..],
            [("min", 2.0), ("p10", 2.0), ("p50", 4.0), ("p90", 9.0), ("max", 9.0)]
        );
    }
}
