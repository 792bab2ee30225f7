//! The main results in sentences.

use super::{analysis::ExpectedShare, report::RunReport};
use crate::study::shared::prelude::*;

/// Maximum number of conditions of winning that a sentence names.
const MAX_CONDITIONS: usize = 2;
/// More rates than this are counted in a sentence instead of named.
const MAX_NAMED: usize = 5;

impl ExpectedShare {
    /// Returns the value as text.
    fn percent(self) -> String {
        let is_whole = (100.0 * self.value).fract() == 0.0;
        format!("{} %", Unit::Percent.format_number(self.value, usize::from(!is_whole)))
    }

    /// Returns the line of charts at this value.
    pub(super) fn reference_line(self) -> ReferenceLine {
        ReferenceLine { value: self.value, name: format!("expected share, {}", self.percent()) }
    }

    /// Returns the sentence that compares win rates with this value by their intervals.
    fn compare_rates(self, rates: &[(String, Estimate)]) -> String {
        let percent = self.percent();
        let names = |is_chosen: &dyn Fn(Estimate) -> bool| {
            let chosen = rates.iter().filter(|(_, rate)| is_chosen(*rate));
            chosen.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        let above = names(&|rate| rate.low > self.value);
        let below = names(&|rate| rate.high < self.value);
        let included = rates.len() - above.len() - below.len();
        if above.is_empty() && below.is_empty() {
            let intervals = match rates.len() {
                1 => "the 95 % interval includes",
                _ => "all 95 % intervals include",
            };
            return format!(
                "No significant difference from the expected share: {intervals} {percent}."
            );
        }
        if rates.len() > MAX_NAMED {
            return format!(
                "Of {} 95 % intervals, {} lie above the expected share of {percent}, {} below, and \
                 {included} include it; about 1 in 20 would exclude it by chance.",
                rates.len(),
                above.len(),
                below.len(),
            );
        }
        let side = |(names, side): (&[String], &str)| {
            let verb = if names.len() == 1 { "wins" } else { "win" };
            (!names.is_empty()).then(|| format!("{} {verb} {side}", join_with_and(names)))
        };
        let sides: Vec<_> =
            [(&above[..], "more"), (&below, "less")].into_iter().filter_map(side).collect();
        format!(
            "Compared with the expected share of {percent}, {} (95 % intervals exclude it).",
            join_with_and(&sides)
        )
    }
}

impl RunReport<'_> {
    /// Returns the sentence on the win rate of equal bots and, if nobody won some games, on these.
    pub(super) fn share_text(&self) -> String {
        let share = self.analysis.expected_share;
        let nobody_won = if share.always_won {
            String::new()
        } else {
            let nobody_won = format_percent(self.analysis.share_nobody_won());
            format!("; nobody won {nobody_won} of the games")
        };
        format!("The expected share of equal bots is {}{nobody_won}.", share.percent())
    }

    /// Returns the sentence that compares win rates with the expected share, after a space; empty
    /// for a single player.
    pub(super) fn comparison(&self, rates: &[(String, Estimate)]) -> String {
        if !self.is_competitive() {
            return String::new();
        }
        format!(" {}", self.analysis.expected_share.compare_rates(rates))
    }

    /// Returns the sentence that replaces the verdict: no game was finished, or programs failed.
    pub(super) fn replaced_answer(&self) -> Option<String> {
        match self.analysis.tally.games {
            0 => Some("No game was finished.".to_owned()),
            _ => self.invalid.clone(),
        }
    }

    /// Returns the sentence on the share of the games that nobody won, if that is most of them, and
    /// on the conditions of winning that failed.
    pub(super) fn nobody_won_sentence(&self) -> String {
        let Tally { games, health, round_metrics, .. } = self.analysis.tally;
        if health.nobody_won.x * 2 <= *games as i64 {
            return String::new();
        }
        let share = format_percent(self.analysis.share_nobody_won());
        let metrics = self.game.round_metrics().iter().zip(&round_metrics.end);
        let conditions = metrics.filter(|(metric, end)| metric.is_condition && end.ratio.n > 0);
        let mut conditions: Vec<_> = conditions.collect();
        conditions.sort_by(|(_, one), (_, other)| one.value().total_cmp(&other.value()));
        let shown = conditions.iter().take(MAX_CONDITIONS).map(|(metric, end)| {
            let failed = format_percent(end.ratio.rate(1).complement());
            format!("{} {failed}", metric.name.replace('_', " "))
        });
        let shown: Vec<_> = shown.collect();
        let reason = match shown.as_slice() {
            [] => String::new(),
            [one] => {
                format!(" The condition that failed: {one} of those who needed it.")
            }
            [..] => format!(
                " The conditions that failed most often: {} of those who needed it.",
                join_with_and(&shown)
            ),
        };
        format!(
            "Nobody won {share} of {} with {}.{reason}",
            format_count(*games, "game"),
            join_with_and(self.analysis.bot_names()),
        )
    }

    /// Returns the sentence on the differences between each bot's win rate and the mean of the
    /// other seats, if nobody won some games.
    pub(super) fn difference_sentence(&self) -> Option<String> {
        let differences = self.analysis.differences_from_others();
        if self.analysis.expected_share.always_won || differences.is_empty() {
            return None;
        }
        let shown = differences.into_iter().map(|(bot, difference)| {
            format!("{bot} {}", Unit::PercentagePoints.format_estimate(difference))
        });
        let shown = join_with_and(shown);
        Some(format!("Difference from the mean of the other seats: {shown}."))
    }

    /// Returns the win rates of the bots, highest first, in short without a comparison of the best.
    pub(super) fn ranking(&self, is_short: bool) -> String {
        let rates =
            self.analysis.bots().map(|(bot, cell)| (bot, self.analysis.win_rate(&cell.wins)));
        let mut rates: Vec<_> = rates.collect();
        rates.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
        let games = format_count(self.analysis.tally.games, "game");
        let shown = rates.iter().map(|(bot, rate)| format!("{bot} {}", format_percent(*rate)));
        let ranking = join_with_and(shown);
        if is_short {
            return format!("Win rates: {ranking}.");
        }
        let [(first, best), (second, next), ..] = rates.as_slice() else {
            return format!("Win rate over {games}: {ranking}.");
        };
        let verdict = if best.low > next.high {
            format!("The 95 % interval of {first} lies above that of {second}.")
        } else {
            format!("The 95 % intervals of {first} and {second} overlap.")
        };
        format!("Win rates over {games}: {ranking}. {verdict}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: ExpectedShare = ExpectedShare { value: 0.5, always_won: true };

    fn rate(name: &str, low: f64, high: f64) -> (String, Estimate) {
        (name.to_owned(), Estimate { n: 100, value: f64::midpoint(low, high), low, high })
    }

    #[test]
    fn claims_only_differences_whose_intervals_exclude_the_expected_share() {
        assert_eq!(
            HALF.compare_rates(&[rate("a", 0.49, 0.60)]),
            "No significant difference from the expected share: the 95 % interval includes 50 %."
        );
        assert_eq!(
            HALF.compare_rates(&[rate("a", 0.49, 0.60), rate("b", 0.40, 0.51)]),
            "No significant difference from the expected share: all 95 % intervals include 50 %."
        );
        assert_eq!(
            HALF.compare_rates(&[
                rate("a", 0.51, 0.60),
                rate("b", 0.40, 0.49),
                rate("c", 0.3, 0.7)
            ]),
            "Compared with the expected share of 50 %, a wins more and b wins less (95 % intervals \
             exclude it)."
        );
    }

    #[test]
    fn counts_many_rates() {
        let rates: Vec<_> =
            (0..8).map(|index| rate("x", 0.45 + f64::from(index) / 100.0, 0.55)).collect();
        let text = HALF.compare_rates(&rates);
        let expected = "Of 8 95 % intervals, 2 lie above the expected share of 50 %, 0 below, and \
                        6 include it";
        assert!(text.starts_with(expected), "{text}");
    }
}
