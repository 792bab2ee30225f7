//! What games become without an item: `neutralised.csv` and its short table.

use std::fmt::Write;

use crate::{
    arena::{
        compared_metrics::{ComparedMetric, ComparedMetrics},
        metric::Metric,
    },
    report::text::{format_with_interval, truncate},
    stats::{
        holm::holm_adjust,
        paired::{Effect, PairedSums},
        ratio::Estimate,
    },
    study::{
        compare::analysis::{ComparisonResult, metric_subject},
        simulate::csv::{CsvTable, format_p_value, number, words},
    },
};

/// A change of the data, in words.
#[derive(Clone, Copy, Debug)]
pub struct RemovedItem<'a> {
    /// The item that it is about.
    pub item: &'a str,
    /// What became of it.
    pub change: &'a str,
}

/// The same deals with changes of the data and without, as tables show them.
#[derive(Clone, Copy, Debug)]
pub struct RemovedItemsReport<'a> {
    /// What was compared, of whole games.
    pub figures: &'a ComparedMetrics,
    /// The changes.
    pub items: &'a [RemovedItem<'a>],
    /// For each set of bots what was counted without a change and with each.
    pub lineups: &'a [ComparisonResult],
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

const NAME_WIDTH: usize = 26;
/// The figures that the terminal and charts show.
pub(crate) const SHOWN: [ComparedMetric; 2] =
    [ComparedMetric::of_game(Metric::Rounds), ComparedMetric::of_game(Metric::Score)];

impl RemovedItemsReport<'_> {
    /// `neutralised.csv`: a row per bots, item and figure. p-values are also given by Holm's
    /// method, over the rows of a figure.
    pub fn csv(&self) -> Vec<u8> {
        let heading = [
            "bots",
            "item",
            "change",
            "figure",
            "of",
            "before_n",
            "before",
            "before_ci_low",
            "before_ci_high",
            "after_n",
            "after",
            "after_ci_low",
            "after_ci_high",
            "difference",
            "ci_low",
            "ci_high",
            "p",
            "p_holm",
            "provenance",
        ];
        let mut table = CsvTable::new(&words(&heading));
        for &figure in &self.figures.metrics {
            let rows: Vec<_> = self.rows(figure).collect();
            let corrected = holm_adjust(
                &rows
                    .iter()
                    .map(|(_, _, paired)| figure.metric.difference(paired).p_value())
                    .collect::<Vec<_>>(),
            );
            for ((rung, change, paired), p_holm) in rows.into_iter().zip(corrected) {
                let effect = figure.metric.difference(paired);
                let Estimate { value, low, high, .. } = effect.estimate();
                let first = [
                    &rung.lineup,
                    change.item,
                    change.change,
                    figure.metric.as_str(),
                    &metric_subject(figure, rung),
                ]
                .map(str::to_owned);
                let sides =
                    figure.metric.estimates(paired).map(|Estimate { n, value, low, high }| {
                        let [value, low, high] = [value, low, high].map(|value| number(value, 6));
                        [n.to_string(), value, low, high]
                    });
                let difference = [value, low, high].map(|value| number(value, 6));
                let p = [effect.p_value(), p_holm].map(format_p_value);
                table.row(
                    &[&first[..], &sides.concat(), &difference, &p, &[self.provenance.to_owned()]]
                        .concat(),
                );
            }
        }
        table.into_bytes()
    }

    /// A figure by all bots and with each change.
    pub(crate) fn rows(
        &self,
        figure: ComparedMetric,
    ) -> impl Iterator<Item = (&ComparisonResult, &RemovedItem<'_>, &PairedSums)> {
        let place = self.figures.metrics.iter().position(|&other| other == figure);
        self.lineups.iter().flat_map(move |rung| {
            let changes = self.items.iter().zip(&rung.tally.differences);
            changes
                .filter_map(move |(change, differences)| Some((rung, change, &differences[place?])))
        })
    }

    /// What becomes of the length and the scores, for the terminal.
    pub fn text(&self) -> String {
        let mut text = format!(
            "\n{:<NAME_WIDTH$} {:<26} {}\n",
            "item, what becomes of it", "rounds [95 %]", "mean score [95 %]"
        );
        let [rounds, scores] = SHOWN
            .map(|figure| self.rows(figure).map(move |row| (row, figure.metric.difference(row.2))));
        for (((_, change, _), rounds), (_, scores)) in rounds.zip(scores) {
            let name = truncate(&format!("{} {}", change.item, change.change), NAME_WIDTH);
            let _ = writeln!(text, "{name:<NAME_WIDTH$} {:<26} {}", cell(rounds), cell(scores));
        }
        text
    }
}

fn cell(effect: Effect) -> String {
    format_with_interval(effect.estimate(), 3, |value, decimals| format!("{value:+.decimals$}"))
}
