//! The main results in sentences.

use super::{analysis::ExpectedShare, report::RunReport};
use crate::study::shared::prelude::*;

/// Maximum number of conditions of winning that a sentence names.
const MAX_CONDITIONS: usize = 2;
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
