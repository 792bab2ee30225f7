//! `pairs.csv`: whether two items or actions work together or replace each other.

use super::tables::LINEUP_WIDTH;
use crate::{
    arena::restrict::{RestrictTally, RestrictionPair},
    report::study_page::metric_label,
    study::shared::prelude::*,
};

/// Values of the column `verdict`.
const VERDICTS: [&str; 3] = ["together", "instead", "flips"];
/// Metric of the answer. A seat that cannot win any more has no win share to lose, so that all that
/// it needs to win would seem to work together.
const MAIN_METRIC: SeatMetric = SeatMetric::Score;
/// Maximum number of pairs that a sentence names.
const MAX_NAMED: usize = 2;

/// The interactions of all pairs, tested.
#[derive(Debug)]
pub(super) struct PairAnalysis<'a> {
    results: &'a [LineupResult<RestrictTally>],
    /// Interactions by metric, lineup and pair.
    rows: Vec<InteractionRow<'a>>,
}

/// Interaction of a pair in a metric.
#[derive(Debug)]
pub(super) struct InteractionRow<'a> {
    lineup: &'a str,
    /// Items or actions that the restrictions forbid.
    pair: [&'a str; 2],
    metric: SeatMetric,
    /// Difference with both restrictions.
    both: Estimate,
    /// Sum of the losses with each restriction, minus the loss with both. The pairs of a lineup are
    /// one family of tests.
    interaction: TestedEffect,
}

impl InteractionRow<'_> {
    /// Returns the value of the column `verdict`.
    fn verdict(&self) -> Option<&'static str> {
        let [together, instead, flips] = VERDICTS;
        match self.interaction.sign() {
            _ if self.interaction.sign_differs => Some(flips),
            1 => Some(together),
            -1 => Some(instead),
            _ => None,
        }
    }

    fn label(&self) -> String {
        let [one, other] = self.pair;
        format!("{one} and {other}")
    }

    /// Returns the pair with its interaction.
    fn named(&self) -> String {
        let estimate = effect_estimate(self.interaction.effect);
        format!("{} {}", self.label(), metric_label(self.metric).1.format_estimate(estimate))
    }
}

/// Returns the columns of `pairs.csv`.
pub(super) fn columns<'a>() -> Columns<&'a InteractionRow<'a>> {
    let title = "Joint effect of two restrictions on a metric of the restricted seat. Only with \
                 `--pairs`.";
    let interaction = "Sum of the losses with each restriction, minus the loss with both.";
    let p_holm = "`p` adjusted by Holm's method for all pairs of the lineup.";
    let verdict = "`together`: significantly above 0, each is worth less without the other. \
                   `instead`: significantly below 0, each replaces the other. `flips`: significant \
                   with opposite signs for two lineups.";
    Columns::<&InteractionRow<'_>>::new("pairs", title)
        .text("lineup", "Bot in all seats.", |row| row.lineup)
        .text("first", "What the first restriction forbids.", |row| row.pair[0])
        .text("second", "What the second restriction forbids.", |row| row.pair[1])
        .word("metric", &SeatMetric::NAMES, "Metric of the restricted seat.", |row| {
            row.metric.name()
        })
        .difference("both", "Difference with both restrictions.", |row| {
            (row.both, row.metric.metric())
        })
        .difference("interaction", interaction, |row| {
            (row.interaction.effect.estimate(), row.metric.metric())
        })
        .n_after(("interaction_n", "n"))
        .p_value("p", "Test of no interaction.", |row| row.interaction.effect.p_value())
        .p_value(("p_holm", "p (Holm)"), p_holm, |row| row.interaction.p_holm)
        .word("verdict", &VERDICTS, verdict, |row| row.verdict())
        .provenance()
}

impl<'a> PairAnalysis<'a> {
    /// Tests the interactions of pairs of the restrictions with these names.
    pub(super) fn new(
        names: &'a [String],
        pairs: &[RestrictionPair],
        results: &'a [LineupResult<RestrictTally>],
    ) -> Self {
        let forbidden = |index: usize| names[index].trim_start_matches("never ");
        let mut rows = Vec::new();
        for metric in SeatMetric::ALL {
            // An interaction lies between -2 and 2 wins: it has not the limits of a difference.
            let of_lineup = |LineupResult { tally, .. }: &LineupResult<RestrictTally>| {
                let sums = tally.pairs.iter().map(|pair| &pair[metric as usize]);
                sums.map(|sums| sums.difference(metric.unit())).collect()
            };
            let tested = test_effects(&results.iter().map(of_lineup).collect::<Vec<_>>());
            let of_pairs = results.iter().flat_map(|result| pairs.iter().map(move |p| (result, p)));
            rows.extend(of_pairs.zip(tested).map(|((result, pair), interaction)| {
                let both = &result.tally.restrictions[pair.both].sums[metric as usize];
                InteractionRow {
                    lineup: &result.lineup,
                    pair: pair.each.map(forbidden),
                    metric,
                    both: metric.difference(both).estimate(),
                    interaction,
                }
            }));
        }
        Self { results, rows }
    }

    /// Adds the answer, the pairs and their table, if there are pairs.
    pub(super) fn add_to(&self, report: &mut StudyReport, provenance: &Claim) {
        if self.rows.is_empty() {
            return;
        }
        let table = columns().table(provenance, &self.rows);
        report.answer(&self.lead());
        report.section("Pairs");
        for LineupResult { lineup, .. } in self.results {
            report.terminal(&format!("\n{}", truncate(lineup, LINEUP_WIDTH)));
            self.add_lineup(lineup, &table, report);
        }
        report.terminal(
            "\ninteraction  points that two are worth together, less what each is worth alone\n",
        );
        report.file(table, "");
    }

    fn add_lineup(&self, lineup: &str, table: &DataTable, report: &mut StudyReport) {
        let suffix = lineup_suffix(lineup, self.results.len());
        let indices = self.indices(MAIN_METRIC, lineup);
        let rows = indices.iter().map(|&index| &self.rows[index]).map(|row| {
            let interaction = effect_estimate(row.interaction.effect);
            IntervalRow::new((row.label(), interaction))
                .with_note(row.verdict().unwrap_or_default())
        });
        let sentence = format!(
            "Points that two things are worth together, less what each is worth without the \
             other{suffix}: to the right they work together, to the left they replace each other."
        );
        let unit = metric_label(MAIN_METRIC).1;
        report.page(difference_chart(sentence, unit, &["interaction"], rows));
        let view = table.view().select(&["first", "second", "interaction", "verdict"]);
        report.terminal_table(&view.rows(indices));
        let keys = ["first", "second", "metric", "interaction", "p_holm", "verdict"];
        let rows = (0..self.rows.len()).filter(|&index| self.rows[index].lineup == lineup);
        report.page_table(&table.view().select(&keys).rows(rows), format!("All pairs{suffix}"));
    }

    /// Returns the indices of the rows of a metric and a lineup.
    fn indices(&self, metric: SeatMetric, lineup: &str) -> Vec<usize> {
        let is_shown = |row: &InteractionRow<'_>| row.metric == metric && row.lineup == lineup;
        let rows = self.rows.iter().enumerate().filter(|(_, row)| is_shown(row));
        rows.map(|(index, _)| index).collect()
    }

    /// States which pairs work together with the first bot.
    fn lead(&self) -> String {
        let Some(LineupResult { lineup, .. }) = self.results.first() else { return String::new() };
        let (indices, player) = (self.indices(MAIN_METRIC, lineup), player_text(lineup));
        let all: Vec<_> = indices.iter().map(|&index| &self.rows[index]).collect();
        let [is_together, is_instead, flips] = VERDICTS;
        let named = |verdict| {
            let mut rows: Vec<_> =
                all.iter().filter(|row| row.verdict() == Some(verdict)).collect();
            let size = |row: &InteractionRow<'_>| row.interaction.effect.value.abs();
            rows.sort_by(|one, other| size(other).total_cmp(&size(one)));
            let mut names: Vec<_> = rows.iter().take(MAX_NAMED).map(|row| row.named()).collect();
            if rows.len() > MAX_NAMED {
                let others = rows.len() - MAX_NAMED;
                names.push(format!("{others} other{}", if others == 1 { "" } else { "s" }));
            }
            (rows.len(), join_with_and(&names))
        };
        let pairs = format_count(all.len(), "pair");
        let (together, instead) = (named(is_together), named(is_instead));
        let flipping = match named(flips) {
            (0, _) => String::new(),
            (_, names) => format!(" It depends on the bot: {names}."),
        };
        if together.0 + instead.0 == 0 {
            return format!(
                "Of {pairs} with {player}, none is shown to be worth more or less together than \
                 apart.{flipping}"
            );
        }
        let mut sentences = vec![format!(
            "Of {pairs} with {player}, {} worth more points together than apart, and {} worth \
             less.",
            is_or_are(together.0),
            is_or_are(instead.0)
        )];
        if together.0 > 0 {
            sentences.push(format!("They work together: {}.", together.1));
        }
        if instead.0 > 0 {
            sentences.push(format!("They replace each other: {}.", instead.1));
        }
        sentences.join(" ") + &flipping
    }
}
