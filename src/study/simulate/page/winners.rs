//! Who wins, from where, and by how much.

use std::cmp::Reverse;

use maud::{Markup, html};

use crate::{
    arena::tally::{ALL_SEATS, BotTally},
    game::UNITS_PER_WIN,
    report::{
        chart::{BarChart, IntervalChart, IntervalRow},
        html::{Cell, HtmlTable, Section, Unit, format_count, group_digits},
    },
    stats::ratio::Estimate,
    study::simulate::{
        csv::{mean_rank, score_standard_deviation},
        page::{
            RunPage,
            conclusion::{TURN_POSITION_NAMES, win_rate_clause},
        },
    },
};

const DECIMALS: usize = 2;
/// The longest games, no more than one in so many, have one bar together.
const RARE: u64 = 200;

impl RunPage<'_> {
    pub(crate) fn winners(&self) -> Section {
        let body = html! {
            @if self.tally.bots.len() > 1 {
                (self.win_rates_of_bots(self.overall().map(|(name, cell)| (name, self.context.win_rate(&cell.wins))).collect()))
            }
            @if self.setup.identity.players > 1 || self.tally.bots.len() == 1 {
                @if self.tally.bots.len() > 1 { h3 { "By seat" } }
                (self.win_rates(self.by_seat().map(|(name, cell)| (name, self.context.win_rate(&cell.wins))).collect()))
            }
            @if self.context.intervals.is_some() {
                p.note { "This run could stop at several looks. The intervals of this section hold \
                    at all of them together with 95 %, which makes them wider." }
            }
            p.note {
                "n counts the games of a bot in a seat. A win that several seats share counts in \
                    shares. Intervals are taken over blocks: deals that are played once "
                "for each rotation of the bots. " code { "win_rates.csv" } " has all numbers."
            }
        };
        Section::new("Who wins", body)
    }

    pub(crate) fn turn_order(&self) -> Section {
        let several = self.tally.bots.len() > 1;
        let rates =
            self.bot_names().into_iter().zip(&self.tally.turn_order).flat_map(|(bot, places)| {
                let played = places
                    .iter()
                    .zip(TURN_POSITION_NAMES)
                    .filter(|(results, _)| results.wins.n > 0);
                played.map(move |(results, place)| {
                    let name = if several { format!("{bot} as {place}") } else { place.to_owned() };
                    (name, results.wins.rate(UNITS_PER_WIN))
                })
            });
        let body = html! {
            (self.win_rates(rates.collect()))
            p.note { "The first player is drawn by chance where the game says so; else it is seat \
                0. " code { "turn_order.csv" } " has the scores too." }
        };
        Section::new("Turn order", body)
    }

    pub(crate) fn scores(&self) -> Section {
        let rows: Vec<_> = if self.tally.bots.len() > 1 {
            self.overall().collect()
        } else {
            self.by_seat().collect()
        };
        let means: Vec<_> =
            rows.iter().map(|(name, cell)| (name.clone(), cell.scores.mean())).collect();
        let unit = Unit::Decimals(DECIMALS);
        let sentence = match means.iter().max_by(|one, other| one.1.value.total_cmp(&other.1.value))
        {
            Some((name, mean)) => {
                let apart = means
                    .iter()
                    .filter(|(other, _)| other != name)
                    .all(|(_, other)| other.high < mean.low);
                let verdict = match (means.len(), apart) {
                    (1, _) => "",
                    (_, true) => " Its interval lies wholly above the others.",
                    (_, false) => {
                        " Another interval overlaps its own, so by them no mean is the highest."
                    }
                };
                let highest = if means.len() > 1 { "Highest: " } else { "" };
                format!(
                    "{highest}{name} with {} points a game over {}.{verdict}",
                    unit.format_estimate(*mean),
                    format_count(mean.n as u64, "game")
                )
            }
            None => "No game was finished.".to_owned(),
        };
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit,
            series: vec!["mean score".to_owned()],
            reference: None,
            rows: means
                .into_iter()
                .map(|(label, mean)| IntervalRow { label, badge: html! {}, estimates: vec![mean] })
                .collect(),
        };
        Section::new("Scores", html! { (chart) (self.bots_table()) })
    }

    pub(crate) fn length(&self) -> Section {
        let health = &self.tally.health;
        let rounds = health.rounds.mean();
        let games = self.tally.games.max(1) as f64;
        let [events, decisions] = [self.tally.events, health.decisions.ratio.x as u64]
            .map(|count| Unit::Decimals(1).format_number(count as f64 / games, 1));
        let most_often =
            health.games_by_rounds.iter().max_by_key(|&(rounds, games)| (games, Reverse(rounds)));
        let played = format_count(self.tally.games, "game");
        let body = html! {
            @if rounds.n > 0 {
                p {
                    "A game took " (Unit::Decimals(DECIMALS).format_estimate(rounds)) " rounds on \
                        average over " (played) ", with " (events) " events, " (decisions)
                    " of them decisions of the players and the rest chance."
                }
            }
            @if let Some((&rounds, &games)) = most_often {
                (BarChart {
                    sentence: html! { "Most often it took " (format_count(rounds, "round")) ": in " (group_digits(games)) " of " (played) "." },
                    rows: self.lengths(),
                })
            }
            @if health.capped.x > 0 {
                p { "Ended by the simulator's round limit, which is no rule of the game: " (format_count(health.capped.x as u64, "game")) "." }
            }
        };
        Section::new("Game length", body)
    }

    /// How many games took how many rounds, the longest together.
    fn lengths(&self) -> Vec<(Markup, u64)> {
        let lengths: Vec<_> = self
            .tally
            .health
            .games_by_rounds
            .iter()
            .map(|(&rounds, &games)| (rounds, games))
            .collect();
        let longer = |index: usize| lengths[index..].iter().map(|&(_, games)| games).sum::<u64>();
        let common = (0..lengths.len())
            .find(|&index| longer(index) * RARE <= self.tally.games)
            .unwrap_or(lengths.len());
        let (common, rare) = lengths.split_at(common);
        let mut rows: Vec<_> = common
            .iter()
            .map(|&(rounds, games)| (html! { (format_count(rounds, "round")) }, games))
            .collect();
        if let (Some((least, _)), Some((most, _))) = (rare.first(), rare.last()) {
            rows.push((
                html! { (least) @if least < most { " to " (most) } " rounds" },
                rare.iter().map(|&(_, games)| games).sum(),
            ));
        }
        rows
    }

    /// A chart of the bots' win rates. Where games are lost by all seats, the difference from the
    /// other seats is more certain than the rate.
    fn win_rates_of_bots(&self, rates: Vec<(String, Estimate)>) -> Markup {
        html! {
            (self.win_rates(rates))
            @if !self.difference_sentence().is_empty() { p { (self.difference_sentence().trim_start()) } }
        }
    }

    /// A chart of win rates beside the even one.
    fn win_rates(&self, rates: Vec<(String, Estimate)>) -> Markup {
        let best = rates.iter().max_by(|one, other| one.1.value.total_cmp(&other.1.value));
        let sentence = match best {
            Some((name, rate)) => {
                let highest = if rates.len() > 1 { "Highest: " } else { "" };
                let won = win_rate_clause(name, *rate, "game");
                let beside = if self.setup.identity.players > 1 {
                    self.expected.compare_rates(&rates)
                } else {
                    String::new()
                };
                format!("{highest}{won}. {beside}")
            }
            None => "No game was finished.".to_owned(),
        };
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit: Unit::Percent,
            series: vec!["win rate".to_owned()],
            reference: (self.setup.identity.players > 1).then(|| self.expected.reference_line()),
            rows: rates
                .into_iter()
                .map(|(label, rate)| IntervalRow { label, badge: html! {}, estimates: vec![rate] })
                .collect(),
        };
        html! { (chart) }
    }

    /// Each bot's results in all seats.
    fn overall(&self) -> impl Iterator<Item = (String, &BotTally)> {
        self.bot_names()
            .into_iter()
            .zip(self.tally.bots.iter().map(|cells| &cells[ALL_SEATS]))
            .filter(|(_, cell)| cell.wins.n > 0)
    }

    /// Each bot's results in each seat.
    fn by_seat(&self) -> impl Iterator<Item = (String, &BotTally)> {
        self.cells().filter_map(|(bot, seat, cell)| {
            seat.map(|seat| (format!("{bot} in seat {seat}"), cell))
        })
    }

    /// Each bot's results in all seats and in each.
    fn cells(&self) -> impl Iterator<Item = (String, Option<usize>, &BotTally)> {
        self.bot_names().into_iter().zip(&self.tally.bots).flat_map(|(bot, cells)| {
            let seats = (0..self.setup.identity.players).map(|seat| (Some(seat), &cells[seat]));
            let all = std::iter::once((None, &cells[ALL_SEATS]));
            all.chain(seats)
                .filter(|(_, cell)| cell.wins.n > 0)
                .map(move |(seat, cell)| (bot.clone(), seat, cell))
        })
    }

    fn bots_table(&self) -> HtmlTable {
        let headings = [
            "bot",
            "seat",
            "games",
            "wins",
            "win rate",
            "mean score",
            "standard deviation",
            "mean rank",
            "mean margin to the best opponent",
        ];
        let rows = self.cells().map(|(bot, seat, cell)| {
            let compared = |estimate: Estimate, unit: Unit| {
                if self.setup.identity.players > 1 {
                    Cell::estimate(estimate, unit)
                } else {
                    Cell::empty()
                }
            };
            vec![
                Cell::text(bot),
                Cell::text(seat.map_or("all".to_owned(), |seat| seat.to_string())),
                Cell::count(cell.wins.n),
                Cell::number(cell.wins.x as f64 / UNITS_PER_WIN as f64, 1),
                Cell::estimate(self.context.win_rate(&cell.wins), Unit::Percent),
                Cell::estimate(cell.scores.mean(), Unit::Decimals(DECIMALS)),
                Cell::number(score_standard_deviation(cell), DECIMALS),
                compared(mean_rank(cell), Unit::Decimals(DECIMALS)),
                compared(cell.margins.mean(), Unit::Signed(DECIMALS)),
            ]
        });
        HtmlTable {
            caption: "Bots and seats in numbers".to_owned(),
            headings: headings.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}
