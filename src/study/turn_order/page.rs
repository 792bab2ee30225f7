//! The report of `balance turn-order`, and the sentences that state its answer.

use super::analysis::{LineupTurnOrder, TurnOrderAnalysis};
use crate::{report::html::MIN_P, stats::equivalence::Equivalence, study::shared::prelude::*};

impl TurnOrderAnalysis<'_> {
    /// Returns the report.
    pub(super) fn report(&self, provenance: &Claim) -> StudyReport {
        let mut report = StudyReport::new("Fairness of the turn order");
        report.answer(&self.lead());
        let points = self.headline().and_then(Self::points_sentence).unwrap_or_default();
        report.terminal(&paragraph(&points));
        self.agreement().add_to(&mut report, provenance);
        self.add_win_rates(&mut report, provenance);
        self.add_points(&points, &mut report, provenance);
        self.add_tests(&mut report, provenance);
        report
    }

    /// States the answer of the first lineup, and its limits. The labels of a panel have the
    /// others.
    pub(super) fn lead(&self) -> String {
        let Some(lineup) = self.headline() else { return String::new() };
        if lineup.tally.games == 0 {
            return "No block of games was finished.".to_owned();
        }
        let mut sentences = vec![self.answer(lineup)];
        sentences.extend(self.games_needed_sentence(lineup));
        sentences.extend(Self::nobody_sentence(lineup));
        sentences.join(" ")
    }

    fn answer(&self, lineup: &LineupTurnOrder<'_>) -> String {
        let LineupTurnOrder { order, tally, lineup, .. } = lineup;
        let verdict = match order.verdict {
            Equivalence::Equal => format!("Fair within {}", margin_words(self.margin)),
            Equivalence::Different => "Unfair".to_owned(),
            Equivalence::Open => "Open".to_owned(),
        };
        let others: Vec<_> = (1..self.players)
            .map(|position| {
                format!("the {} {}", ordinal(position), format_percent(order.win_rates[position]))
            })
            .collect();
        let p = match order.verdict {
            Equivalence::Different if order.p_holm.is_finite() => {
                format!(" ({})", p_words(order.p_holm))
            }
            _ => String::new(),
        };
        format!(
            "{verdict}: the first of {} players wins {} of {}, {}, with {} in the seats{p}.",
            self.players,
            format_percent(order.win_rates[0]),
            format_count(tally.games, "game"),
            join_with_and(&others),
            player_text(lineup)
        )
    }

    fn games_needed_sentence(&self, lineup: &LineupTurnOrder<'_>) -> Option<String> {
        let games = lineup.order.games_needed()?;
        Some(format!(
            "Neither a difference nor equality within {} is shown; if the win rates are equal, \
             about {} games show it with a probability of 90 %.",
            margin_words(self.margin),
            group_digits(round_to_3_digits(games))
        ))
    }

    fn nobody_sentence(lineup: &LineupTurnOrder<'_>) -> Option<String> {
        let LineupTurnOrder { order, tally, .. } = lineup;
        (tally.without_winner > 0).then(|| {
            format!(
                "Nobody wins {} of these games, so the mean win rate is {}.",
                group_digits(tally.without_winner),
                format_percent(order.mean)
            )
        })
    }

    /// States the points that would make the game even, unless it is fair without.
    pub(super) fn points_sentence(lineup: &LineupTurnOrder<'_>) -> Option<String> {
        let points = &lineup.points.as_ref()?.best;
        if lineup.order.verdict != Equivalence::Different
            || points.points.iter().all(|&points| points == 0)
        {
            return None;
        }
        let given = points.points.iter().enumerate().filter(|(_, points)| **points > 0);
        let given = given.map(|(position, &points)| {
            format!("{} for the {} player", format_count(points, "point"), ordinal(position))
        });
        Some(format!(
            "With {} in addition, the final scores of these games give {}, the smallest spread. \
             Bots that know of the points play otherwise; `balance search` plays edits.",
            join_with_and(given),
            join_with_and(points.win_rates.iter().map(|&rate| format_percent(rate)))
        ))
    }

    fn add_win_rates(&self, report: &mut StudyReport, provenance: &Claim) {
        let several = self.lineups.len();
        let rows = self.lineups.iter().flat_map(|lineup| {
            lineup.order.win_rates.iter().enumerate().map(move |(position, &rate)| {
                let by = lineup_suffix(lineup.lineup, several);
                let name = capitalize(TURN_POSITION_NAMES[position]);
                IntervalRow::new((format!("{name}{by}"), rate))
            })
        });
        let sentence = "Win rate by turn position, with 95 % confidence intervals.";
        let mut chart = IntervalChart::new(sentence, Unit::Percent, &["win rate"], rows);
        if let [only] = &self.lineups[..] {
            chart = chart.with_reference(only.order.mean.value, "mean of all turn positions");
        }
        report.section("Win rates");
        report.page(chart);
        let table = self.positions_table(provenance);
        report.terminal_table(&table.view().select(if several > 1 {
            &["lineup", "turn_position", "win_rate", "difference"]
        } else {
            &["turn_position", "win_rate", "difference", "mean_score"]
        }));
        report.page_table(&table.view(), "All turn positions");
        report.file(table, ", with turn position 0 for the first player");
    }

    fn add_points(&self, sentence: &str, report: &mut StudyReport, provenance: &Claim) {
        let Some(table) = self.points_table(provenance) else { return };
        report.section("Points in addition");
        if !sentence.is_empty() {
            report.explanation(sentence);
        }
        report.explanation(
            "Win rates if turn positions had points in addition to the final score. The best \
             points are those with the smallest spread of the win rates. They are computed from \
             the final scores of all games and not played: a bot that knew of the points could \
             play differently.",
        );
        report.page_table(&table.view(), "Points in addition");
        report.file(table, "");
    }

    fn add_tests(&self, report: &mut StudyReport, provenance: &Claim) {
        report.section("Tests");
        report.explanation(&format!(
            "The order is unfair if the test that all win rates are equal is significant, and fair \
             if all differences lie within {}, which two one-sided tests of each pair must show.",
            margin_words(self.margin)
        ));
        let keys = ["lineup", "sd_of_turn_positions", "largest_difference", "verdict"];
        let table = self.verdicts_table(provenance);
        report.terminal_table(&table.view().select(&keys[usize::from(self.lineups.len() < 2)..]));
        report.page_table(&table.view(), "Tests");
        report.file(table, "");
    }
}

/// Returns the ordinal number of a turn position, as in `first`.
fn ordinal(position: usize) -> &'static str {
    TURN_POSITION_NAMES[position].trim_end_matches(" player")
}

/// Returns a p-value as in `p = 0.0123`.
fn p_words(p: f64) -> String {
    if p < MIN_P { format!("p < {MIN_P}") } else { format!("p = {p:.4}") }
}

/// Rounds a number to 3 significant digits.
fn round_to_3_digits(number: u64) -> u64 {
    let unit = 10_u64.pow((number.max(1).ilog10()).saturating_sub(2));
    (number + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::round_to_3_digits;

    #[test]
    fn games_are_rounded_to_3_digits() {
        for (games, rounded) in [(0, 0), (7, 7), (104, 104), (103_892, 104_000), (99_951, 100_000)]
        {
            assert_eq!(round_to_3_digits(games), rounded);
        }
    }
}
