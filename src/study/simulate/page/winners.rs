//! Win rates, scores and lengths of the games.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::{RunPage, conclusion::win_rate_clause};
use crate::{
    arena::tally::BotTally,
    game::{TURN_POSITION_NAMES, UNITS_PER_WIN},
    report::{
        chart::{BarChart, IntervalChart, IntervalRow},
        data_table::Value,
        html::{Section, Unit, format_count, group_digits},
    },
    stats::ratio::Estimate,
    study::simulate::{analysis::percentile, columns::POINTS},
};

/// The longest games share one bar if they are at most 1 in this number.
const GAMES_PER_RARE: u64 = 200;

/// Widths of the bars of a histogram in points, and the maximum number of bars.
const BIN_WIDTHS: [i64; 8] = [1, 2, 5, 10, 20, 50, 100, 200];
const MAX_BINS: i64 = 14;

impl RunPage<'_> {
    /// Returns the section on the win rates of bots and seats.
    pub(super) fn winners(&self) -> Section {
        let several = self.analysis.tally.bots.len() > 1;
        let rate = |cell: &BotTally| self.analysis.win_rate(&cell.wins);
        let bots = self.analysis.bots().map(|(bot, cell)| (bot.to_owned(), rate(cell))).collect();
        let seats = self.results_by_seat().map(|(name, cell)| (name, rate(cell))).collect();
        let games = if self.is_competitive() { "games of a bot in a seat" } else { "games" };
        let body = html! {
            @if several {
                (self.win_rate_chart_of(bots))
                @if let Some(sentence) = self.difference_sentence() { p { (sentence) } }
            }
            @if self.is_competitive() || !several {
                @if several { h3 { "By seat" } }
                (self.win_rate_chart_of(seats))
            }
            @if self.analysis.confidence_sequence.is_some() {
                p.note {
                    "The intervals of this section are those of a confidence sequence, which is \
                     valid at every look at which the run could have stopped."
                }
            }
            p.note {
                "n is the number of " (games) ". "
                @if self.is_competitive() { "Seats that win together share the win. " }
                "Intervals are over blocks; a block is a deal, played once for each rotation \
                 of the bots. All numbers are in " code { "win_rates.csv" } "."
            }
        };
        // Equal bots win equally often in all seats.
        let is_equal_by_design = self.is_competitive() && self.analysis.has_equal_bots();
        Section::new("Who wins", body).folded_if(is_equal_by_design)
    }

    /// Returns the section on turn positions.
    pub(super) fn turn_order(&self) -> Section {
        let several = self.analysis.tally.bots.len() > 1;
        let rates = self.analysis.turn_positions().map(|(bot, position, results)| {
            let position = TURN_POSITION_NAMES[position];
            let name = if several { format!("{bot} as {position}") } else { position.to_owned() };
            (name, results.wins.rate(UNITS_PER_WIN))
        });
        let body = html! {
            (self.win_rate_chart_of(rates.collect()))
            p.note {
                "The first player is in seat 1, or drawn at random if the rules say so. Scores by \
                 turn position are in " code { "turn_order.csv" } "."
            }
        };
        Section::new("Turn order", body)
    }

    /// Returns the section on scores.
    pub(super) fn scores(&self) -> Section {
        let means: Vec<_> = if self.analysis.tally.bots.len() > 1 {
            self.analysis.bots().map(|(bot, cell)| (bot.to_owned(), cell.scores.mean())).collect()
        } else {
            self.results_by_seat().map(|(name, cell)| (name, cell.scores.mean())).collect()
        };
        let sentence = score_sentence(&means);
        let rows = means.into_iter().map(IntervalRow::new).collect();
        let chart = IntervalChart::new(&sentence, POINTS, "mean score".to_owned(), rows);
        let columns = ["bot", "seat", "games", "wins", "win_rate", "mean_score"];
        let columns = [&columns[..], &["sd_score", "mean_rank", "mean_margin"]].concat();
        let view = self.tables.win_rates.view();
        let table = if self.is_competitive() {
            view.select(&columns).html("Bots and seats")
        } else {
            let overall = view.filter(|row| row.contains(&Value::from("overall")));
            overall
                .select(&["bot", "games", "wins", "win_rate", "mean_score", "sd_score"])
                .html("Bots")
        };
        let body = html! {
            (self.score_histogram())
            // Equal bots have equal means in all seats.
            @if !(self.is_competitive() && self.analysis.has_equal_bots()) { (chart) }
            (table)
        };
        Section::new("Scores", body)
    }

    /// Draws the number of seats by final score.
    fn score_histogram(&self) -> Markup {
        let seats = &self.analysis.tally.health.seats_by_score;
        let (Some((&min, _)), Some((&max, _))) = (seats.first_key_value(), seats.last_key_value())
        else {
            return html! {};
        };
        let width = BIN_WIDTHS.into_iter().find(|width| (max - min) / width < MAX_BINS);
        let width = width.unwrap_or(max - min + 1);
        let bin = |score: i64| score.div_euclid(width);
        let rows = (bin(min)..=bin(max)).map(|index| {
            let (first, last) = (index * width, (index + 1) * width - 1);
            let label = html! { (first) @if first < last { " to " (last) } " points" };
            (label, seats.range(first..=last).map(|(_, count)| count).sum())
        });
        let below = |percent: u64| percentile(seats, percent).copied().unwrap_or(max);
        let chart = BarChart {
            sentence: html! {
                "The middle half of the final scores lies from " (below(25)) " to " (below(75))
                " points; the median is " (below(50)) ". Number of seats by score:"
            },
            rows: rows.collect(),
        };
        html! { (chart) }
    }

    /// Returns the section on the length of the games.
    pub(super) fn length(&self) -> Section {
        let tally = self.analysis.tally;
        let health = &tally.health;
        let rounds = health.rounds.mean();
        let games = tally.games.max(1) as f64;
        let [events, decisions] = [tally.events, health.decisions.ratio.x as u64]
            .map(|count| Unit::Decimals(1).format_number(count as f64 / games, 1));
        let mode = health.games_by_rounds.iter().max_by_key(|&(rounds, n)| (n, Reverse(rounds)));
        let played = format_count(tally.games, "game");
        let body = html! {
            @if rounds.n > 0 {
                p {
                    "A game takes " (POINTS.format_estimate(rounds)) " rounds on average (n "
                    (group_digits(rounds.n)) ") and has " (events) " events: " (decisions)
                    " decisions of the players, and chance."
                }
            }
            @if let Some((&rounds, &n)) = mode {
                (BarChart {
                    sentence: html! {
                        "The most frequent length is " (format_count(rounds, "round")) ", in "
                        (group_digits(n)) " of " (played) "."
                    },
                    rows: self.games_by_length(),
                })
            }
            (self.ends())
            @if health.capped.x > 0 {
                p {
                    (format_count(health.capped.x as u64, "game")) " reached the round limit of \
                     the simulator, which is not a rule of the game."
                }
            }
        };
        Section::new("Game length", body)
    }

    /// Returns a chart of the reasons for which games end; empty if there are none.
    fn ends(&self) -> Markup {
        let rows: Vec<_> = self.card.ends().collect();
        let most = rows.iter().max_by(|one, other| one.1.value.total_cmp(&other.1.value));
        let Some((title, share)) = most else { return html! {} };
        let name = title.trim_start_matches("Ends: ");
        let sentence = format!(
            "Most often a game ends because {name}: {} (n {}). Several reasons can hold at once.",
            Unit::Percent.format_estimate(*share),
            group_digits(share.n)
        );
        let row = |(title, share): &(&str, Estimate)| {
            let name = title.trim_start_matches("Ends: ").to_owned();
            IntervalRow::new((name, *share))
        };
        let rows = rows.iter().map(row).collect();
        let series = "share of the games".to_owned();
        html! { (IntervalChart::new(&sentence, Unit::Percent, series, rows)) }
    }

    /// Returns the number of games by rounds, the longest games together.
    fn games_by_length(&self) -> Vec<(Markup, u64)> {
        let tally = self.analysis.tally;
        let lengths: Vec<_> =
            tally.health.games_by_rounds.iter().map(|(&rounds, &games)| (rounds, games)).collect();
        let total = |lengths: &[(u64, u64)]| lengths.iter().map(|&(_, games)| games).sum::<u64>();
        let is_rare = |&index: &usize| total(&lengths[index..]) * GAMES_PER_RARE <= tally.games;
        let common = (0..lengths.len()).find(is_rare).unwrap_or(lengths.len());
        let (common, rare) = lengths.split_at(common);
        let label = |rounds| html! { (format_count(rounds, "round")) };
        let mut rows: Vec<_> =
            common.iter().map(|&(rounds, games)| (label(rounds), games)).collect();
        if let (Some((min, _)), Some((max, _))) = (rare.first(), rare.last()) {
            let label = html! { (min) @if min < max { " to " (max) } " rounds" };
            rows.push((label, total(rare)));
        }
        rows
    }

    /// Returns a chart of win rates with the expected share.
    fn win_rate_chart_of(&self, rates: Vec<(String, Estimate)>) -> Markup {
        let best = rates.iter().max_by(|one, other| one.1.value.total_cmp(&other.1.value));
        let sentence = match best {
            Some((name, rate)) => {
                let highest = if rates.len() > 1 { "Highest: " } else { "" };
                let won = win_rate_clause(name, *rate, "game");
                format!("{highest}{won}.{}", self.comparison(&rates))
            }
            None => "No game was finished.".to_owned(),
        };
        let rows = rates.into_iter().map(IntervalRow::new).collect();
        let reference =
            self.is_competitive().then(|| self.analysis.expected_share.reference_line());
        let series = "win rate".to_owned();
        let chart = IntervalChart::new(&sentence, Unit::Percent, series, rows);
        html! { (IntervalChart { reference, ..chart }) }
    }

    /// Returns the results of each bot in each seat, by name; without a seat for a
    /// single player.
    fn results_by_seat(&self) -> impl Iterator<Item = (String, &BotTally)> {
        self.analysis.bots_by_seat().filter_map(|(bot, seat, cell)| {
            let name = |seat: usize| {
                if self.is_competitive() {
                    format!("{bot} in seat {}", seat + 1)
                } else {
                    bot.to_owned()
                }
            };
            seat.map(|seat| (name(seat), cell))
        })
    }
}

fn score_sentence(means: &[(String, Estimate)]) -> String {
    let highest = means.iter().max_by(|one, other| one.1.value.total_cmp(&other.1.value));
    let Some((name, mean)) = highest else { return "No game was finished.".to_owned() };
    let is_separate =
        means.iter().filter(|(other, _)| other != name).all(|(_, other)| other.high < mean.low);
    let verdict = match (means.len(), is_separate) {
        (1, _) => "",
        (_, true) => ", the most; its 95 % interval lies above all others",
        (_, false) => ", the most; its 95 % interval overlaps another",
    };
    let score = POINTS.format_estimate(*mean);
    format!("{name} scores {score} points a game (n {}){verdict}.", group_digits(mean.n))
}
