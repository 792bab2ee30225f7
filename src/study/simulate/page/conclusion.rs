//! What the numbers say in sentences, and no more than their intervals allow.

use maud::{Markup, html};

use crate::{
    arena::tally::{ALL_SEATS, Tally},
    game::UNITS_PER_WIN,
    report::{
        chart::ReferenceLine,
        html::{Unit, format_count, format_percent, group_digits, join_with_and},
    },
    stats::ratio::Estimate,
    study::simulate::{
        even::{self, ExpectedShare},
        page::RunPage,
    },
};

/// Up to so many things are named in a sentence; more are counted.
const MOST_NAMED: usize = 5;

impl ExpectedShare {
    pub(crate) fn reference_line(self) -> ReferenceLine {
        ReferenceLine {
            value: self.value,
            name: format!("{}, {}", self.name(), self.percent_text()),
        }
    }

    /// What these win rates are beside an even one.
    pub(crate) fn compare_rates(self, rates: &[(String, Estimate)]) -> String {
        let those = |chosen: &dyn Fn(Estimate) -> bool| {
            rates
                .iter()
                .filter(|(_, rate)| chosen(*rate))
                .map(|(name, _)| name.clone())
                .collect::<Vec<_>>()
        };
        let (above, below) =
            (those(&|rate| rate.low > self.value), those(&|rate| rate.high < self.value));
        let name = self.name();
        let even = format!("{}{} is {}", name[..1].to_uppercase(), &name[1..], self.percent_text());
        if above.is_empty() && below.is_empty() {
            let intervals =
                if rates.len() == 1 { "the interval includes" } else { "all intervals include" };
            return format!("{even}; {intervals} it, so no difference shows.");
        }
        if rates.len() > MOST_NAMED {
            let rest = rates.len() - above.len() - below.len();
            return format!(
                "{even}. Of {} intervals {} lie wholly above it and {} wholly below; {rest} \
                    include it. By chance alone about one in twenty would not.",
                rates.len(),
                above.len(),
                below.len(),
            );
        }
        let sides =
            [(above, "above"), (below, "below")].into_iter().filter(|(names, _)| !names.is_empty());
        let sides: Vec<_> = sides
            .map(|(names, side)| match names.as_slice() {
                [name] => format!("the interval of {name} lies wholly {side} it"),
                names => format!("the intervals of {} lie wholly {side} it", join_with_and(names)),
            })
            .collect();
        format!("{even}; {}.", join_with_and(&sides))
    }
}

/// `name won 51.2 % [50.5, 51.9] of 20,000 games`.
pub(crate) fn win_rate_clause(name: &str, rate: Estimate, of: &str) -> String {
    format!("{name} won {} of {}", format_percent(rate), format_count(rate.n as u64, of))
}

pub(crate) const TURN_POSITION_NAMES: [&str; crate::game::MAX_SEATS] =
    ["first player", "second player", "third player", "fourth player", "fifth player"];

impl RunPage<'_> {
    /// The one thing to know of the run.
    pub(crate) fn conclusion(&self) -> String {
        let names = self.bot_names();
        if self.tally.games == 0 {
            return "No game was finished.".to_owned();
        }
        if self.setup.identity.players == 1 {
            return format!(
                "{}.",
                win_rate_clause(
                    &names[0],
                    self.context.win_rate(&self.tally.bots[0][ALL_SEATS].wins),
                    "game"
                )
            );
        }
        format!("{}{}", self.lost_by_all(), self.who_wins(names))
    }

    /// The first sentence where nobody won most games: no win rate can be read without it.
    fn lost_by_all(&self) -> String {
        let Tally { games, health, .. } = self.tally;
        if health.nobody_won.x * 2 <= *games as i64 {
            return String::new();
        }
        format!(
            "Nobody won {} of {}. ",
            format_percent(even::share_nobody_won(self.tally)),
            format_count(*games, "game")
        )
    }

    /// The differences between each bot's win rate and the mean of the other seats at its table,
    /// where some games were lost by all seats.
    pub(crate) fn difference_sentence(&self) -> String {
        if self.expected.always_won {
            return String::new();
        }
        let shown = |(bot, estimate): (usize, Estimate)| {
            format!(
                "{} {}",
                self.context.bots[bot].name,
                Unit::PercentagePoints.format_estimate(estimate)
            )
        };
        let differences: Vec<_> = even::differences_from_others(&self.context, self.tally)
            .into_iter()
            .map(shown)
            .collect();
        if differences.is_empty() {
            String::new()
        } else {
            format!(
                " Difference from the mean of the other seats: {}.",
                join_with_and(&differences)
            )
        }
    }

    fn who_wins(&self, names: Vec<String>) -> String {
        if let [places] = self.tally.turn_order.as_slice() {
            let rates: Vec<_> = (0..self.setup.identity.players)
                .map(|place| {
                    (TURN_POSITION_NAMES[place].to_owned(), places[place].wins.rate(UNITS_PER_WIN))
                })
                .collect();
            let first = win_rate_clause("the first player", rates[0].1, "game");
            return format!(
                "With {} in all seats, {first}. {}",
                names[0],
                self.expected.compare_rates(&rates)
            );
        }
        let mut rates: Vec<_> = names
            .into_iter()
            .zip(&self.tally.bots)
            .map(|(name, cells)| (name, self.context.win_rate(&cells[ALL_SEATS].wins)))
            .collect();
        rates.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
        let ranking: Vec<_> =
            rates.iter().map(|(name, rate)| format!("{name} {}", format_percent(*rate))).collect();
        let ranking = format!(
            "Win rates over {}: {}.",
            format_count(self.tally.games, "game"),
            join_with_and(&ranking)
        );
        let [(first, best), (second, next), ..] = rates.as_slice() else { return ranking };
        if best.low > next.high {
            format!(
                "{ranking} {first} is ahead at this table: its interval lies wholly above that of \
                    {second}."
            )
        } else {
            format!(
                "{ranking} The intervals of {first} and {second} overlap, so by them neither is \
                    ahead."
            )
        }
    }

    /// The numbers of the run that are no win rates.
    pub(crate) fn facts(&self) -> Markup {
        let Tally { games, blocks, health, bots, .. } = self.tally;
        let won: i64 = bots.iter().map(|cells| cells[ALL_SEATS].wins.x).sum();
        let without_winner = *games as i64 - won / UNITS_PER_WIN;
        let rounds = health.rounds.mean();
        let decisions = Unit::Decimals(1)
            .format_number(health.decisions.ratio.x as f64 / (*games).max(1) as f64, 1);
        html! {
            dl.facts {
                div { dt { "games" } dd { (group_digits(*games)) small { "in " (format_count(*blocks, "block")) } } }
                @if rounds.n > 0 {
                    div {
                        dt { "rounds a game" }
                        dd { (Unit::Decimals(2).format_value(rounds)) small { (Unit::Decimals(2).format_interval(rounds).unwrap_or_default()) } small { "n " (group_digits(rounds.n)) } }
                    }
                }
                div { dt { "decisions a game" } dd { (decisions) small { "of all seats together" } small { "n " (group_digits(*games)) } } }
                @if self.setup.identity.players > 1 {
                    div { dt { "shared wins" } dd { (group_digits(health.shared_wins.x)) small { "of " (format_count(*games, "game")) } } }
                }
                @if without_winner > 0 {
                    div { dt { "won by nobody" } dd { (group_digits(without_winner)) small { "of " (format_count(*games, "game")) } } }
                }
                div { dt { "ended by the round limit" } dd { (group_digits(health.capped.x)) small { "of " (format_count(*games, "game")) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVEN: ExpectedShare = ExpectedShare { value: 0.5, always_won: true };

    fn rate(name: &str, low: f64, high: f64) -> (String, Estimate) {
        (name.to_owned(), Estimate { n: 100, value: f64::midpoint(low, high), low, high })
    }

    #[test]
    fn no_difference_is_claimed_that_an_interval_does_not_show() {
        assert_eq!(
            EVEN.compare_rates(&[rate("a", 0.49, 0.60)]),
            "A fair share is 50 %; the interval includes it, so no difference shows."
        );
        assert_eq!(
            EVEN.compare_rates(&[rate("a", 0.49, 0.60), rate("b", 0.40, 0.51)]),
            "A fair share is 50 %; all intervals include it, so no difference shows."
        );
        assert_eq!(
            EVEN.compare_rates(&[
                rate("a", 0.51, 0.60),
                rate("b", 0.40, 0.49),
                rate("c", 0.3, 0.7)
            ]),
            "A fair share is 50 %; the interval of a lies wholly above it and the interval of b \
                lies wholly below it."
        );
    }

    #[test]
    fn many_are_counted() {
        let rates: Vec<_> =
            (0..8).map(|index| rate("x", 0.45 + f64::from(index) / 100.0, 0.55)).collect();
        let text = EVEN.compare_rates(&rates);
        assert!(
            text.contains("Of 8 intervals 2 lie wholly above it and 0 wholly below; 6 include it."),
            "{text}"
        );
    }
}
