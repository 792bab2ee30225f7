//! The course of the games apart from who won: the figures of `health.csv`, how games stood round
//! by round, and what never happened.

use maud::{Markup, html};

use crate::{
    game::{RoundMetric, Statistics, UNITS_PER_WIN},
    report::{
        chart::CurveChart,
        html::{Cell, HtmlTable, Section, Unit, capitalize, format_count, group_digits},
    },
    stats::ratio::{Estimate, MeanSums},
    study::simulate::{
        health::{HealthMetric, MetricKind, NeverEvent, health_metrics, list_never_events},
        page::RunPage,
    },
};

/// Rounds that fewer than one game in so many reached are left out of the curves: the few games
/// that last so long are not like the others.
const RARE: i64 = 10;

impl RunPage<'_> {
    pub(crate) fn health(&self) -> Section {
        let row = |figure: HealthMetric| {
            let value = match figure.kind {
                MetricKind::Rate => Cell::estimate(figure.estimate, Unit::Percent),
                MetricKind::Number => Cell::estimate(figure.estimate, Unit::Decimals(2)),
                MetricKind::Count => Cell::number(figure.estimate.value, 0),
            };
            let value = if figure.estimate.value.is_finite() { value } else { Cell::empty() };
            vec![
                Cell::text(in_words(&figure.name)),
                value,
                Cell::count(figure.estimate.n),
                Cell::text(html! { code { (figure.name) } }),
            ]
        };
        let table = HtmlTable {
            caption: "All figures of the games in numbers".to_owned(),
            headings: ["figure", "value", "n", "name in health.csv"].map(str::to_owned).to_vec(),
            rows: health_metrics(&self.context, self.tally).into_iter().map(row).collect(),
        };
        let body = html! {
            @for sentence in self.health_in_words() { p { (sentence) } }
            (table)
            p.note { "Percentiles, minimum and maximum are those of the games played and have no \
                interval. " code { "health.csv" } " has the same numbers." }
        };
        Section::new("Game health", body)
    }

    /// The questions that people ask first: how close games are, and how early they are decided.
    fn health_in_words(&self) -> Vec<String> {
        let health = &self.tally.health;
        let mut sentences = Vec::new();
        let branching = health.branching.mean();
        if self.setup.identity.players > 1 {
            let (half, changes, margin) = (
                health.leaders_at_half.rate(UNITS_PER_WIN),
                health.lead_changes.mean(),
                health.winning_margins.mean(),
            );
            if half.n > 0 {
                let games = format_count(half.n as u64, "game");
                sentences.push(format!(
                    "The player who leads alone after half the rounds wins {} of {games}.",
                    Unit::Percent.format_estimate(half)
                ));
            }
            if changes.n > 0 && margin.n > 0 {
                sentences.push(format!(
                    "The lead passes to another player {} times a game (n {}), and winners are {} \
                        points ahead of the best other player (n {}).",
                    Unit::Decimals(2).format_estimate(changes),
                    group_digits(changes.n),
                    Unit::Decimals(1).format_estimate(margin),
                    group_digits(margin.n),
                ));
            }
        }
        if branching.n > 0 {
            let n = group_digits(branching.n);
            sentences.push(format!(
                "A decision has {} legal actions on average (n {n}).",
                Unit::Decimals(1).format_estimate(branching)
            ));
        }
        sentences
    }

    /// The gauges round by round; nothing for a game without gauges.
    pub(crate) fn rounds(&self, gauges: &[RoundMetric]) -> Option<Section> {
        let tally = &self.tally.round_metrics;
        let read: Vec<_> = (0..gauges.len())
            .filter(|&gauge| tally.end.get(gauge).is_some_and(|end| end.ratio.n > 0))
            .collect();
        let estimate = |gauge: usize, sums: &MeanSums| {
            if gauges[gauge].is_share { sums.ratio.rate(1) } else { sums.mean() }
        };
        let unit =
            |gauge: usize| if gauges[gauge].is_share { Unit::Percent } else { Unit::Decimals(2) };
        let of_rounds = |gauge: usize| {
            let rounds = tally
                .rounds
                .iter()
                .zip(1_u32..)
                .map(move |(ratios, round)| (round, estimate(gauge, &ratios[gauge])));
            rounds.filter(|(_, estimate)| estimate.n > 0)
        };
        let curve = |gauge: usize| {
            let name = gauges[gauge].name.replace('_', " ");
            let end = estimate(gauge, &tally.end[gauge]);
            let most = of_rounds(gauge).map(|(_, estimate)| estimate.n).max().unwrap_or(0);
            let common = of_rounds(gauge).filter(|(_, estimate)| estimate.n * RARE >= most);
            let points = common.map(|(round, estimate)| (f64::from(round), estimate)).collect();
            let sentence = format!(
                "{}: {} when games end (n {}).",
                capitalize(&name),
                unit(gauge).format_estimate(end),
                group_digits(end.n)
            );
            CurveChart {
                sentence: html! { (sentence) },
                x_label: "round".to_owned(),
                y_label: name,
                unit: unit(gauge),
                reference: None,
                points,
            }
        };
        let rows = read.iter().flat_map(|&gauge| {
            let rounds =
                of_rounds(gauge).map(|(round, estimate)| (Cell::count(round.into()), estimate));
            let row = move |(when, estimate): (Cell, Estimate)| {
                vec![
                    Cell::text(gauges[gauge].name.replace('_', " ")),
                    when,
                    Cell::estimate(estimate, unit(gauge)),
                    Cell::count(estimate.n),
                ]
            };
            rounds
                .chain([(Cell::text("end of the game"), estimate(gauge, &tally.end[gauge]))])
                .map(row)
                .collect::<Vec<_>>()
        });
        let table = HtmlTable {
            caption: "All rounds in numbers".to_owned(),
            headings: ["gauge", "round", "mean or share", "n"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        };
        let body = html! {
            p { "Each figure as it stood before the last decision of a round, over the games that \
                reached the round, with the band of its 95 % interval." }
            div.curves { @for &gauge in &read { (curve(gauge)) } }
            (table)
            p.note { "Rounds that fewer than one in " (RARE) " games reached are in the table \
                only. " code { "rounds.csv" } " has the same numbers." }
        };
        (!read.is_empty()).then(|| Section::new("Round by round", body))
    }

    pub(crate) fn never_section<G: Statistics>(&self, game: &G) -> Section {
        let list = list_never_events(game, self.tally);
        let games = format_count(self.tally.games, "game");
        let body = html! {
            @if list.is_empty() {
                p { "Everything that is counted happened at least once in " (games) "." }
            } @else {
                p { (never_in_words(&list, &games)) }
                (HtmlTable {
                    caption: format!("All {} in a list", list.len()),
                    headings: ["name", "kind", "never"].map(str::to_owned).to_vec(),
                    rows: list.iter().map(|never| [&never.name, never.kind, never.event].map(Cell::text).to_vec()).collect(),
                })
            }
            p.note { code { "never.csv" } " has the same list." }
        };
        Section::new("What never happened", body)
    }
}

/// Returns the number of items of each kind to which something never happened.
fn never_in_words(list: &[NeverEvent], games: &str) -> Markup {
    let mut counts: Vec<(&str, &str, usize)> = Vec::new();
    for NeverEvent { event: what, kind, .. } in list {
        match counts.iter_mut().find(|(other, of, _)| (other, of) == (what, kind)) {
            Some((.., count)) => *count += 1,
            None => counts.push((what, kind, 1)),
        }
    }
    let parts: Vec<_> =
        counts.iter().map(|(what, kind, count)| format!("{kind}: {count} never {what}")).collect();
    html! { "In " (games) ", " (parts.join("; ")) "." }
}

/// A figure of `health.csv` in words.
fn in_words(name: &str) -> String {
    let words = match name {
        "sd_of_seats" => "standard deviation of the true win rates of seats",
        "sd_of_places" => "standard deviation of the true win rates of turn positions",
        "shared_wins" => "games won by several players",
        "nobody_won" => "games won by nobody",
        "capped" => "games ended by the round limit of the simulator",
        "rounds" => "rounds per game",
        "decisions" => "decisions per game, of all players together",
        "branching" => "legal actions per decision",
        "winning_score" => "score of the winners",
        "winning_margin" => "lead of the winners over the best other player, in points",
        "lead_changes" => "changes of the lead per game",
        "leader_at_half_wins" => "win rate of the player who leads alone after half the rounds",
        _ => return of_distribution(name).unwrap_or_else(|| name.replace('_', " ")),
    };
    words.to_owned()
}

/// A part of the distribution of rounds or decisions in words.
fn of_distribution(name: &str) -> Option<String> {
    let (of, part) = name.rsplit_once('_')?;
    let part = match part {
        "sd" => "standard deviation".to_owned(),
        "min" => "least".to_owned(),
        "max" => "most".to_owned(),
        "p50" => "median".to_owned(),
        percentile => format!("{}th percentile", percentile.strip_prefix('p')?),
    };
    Some(format!("{of} per game, {part}"))
}
