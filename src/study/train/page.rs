//! The report of `train`.

use super::tables::LOSSES;
use crate::{
    report::chart::CurveChart,
    study::shared::{
        prelude::*,
        training::{
            results::TrainingResults,
            test_match::{HYPOTHESES, TestWinRates},
        },
    },
};

/// The report of a training.
pub(super) struct TrainingPage<'a> {
    pub(super) results: &'a TrainingResults,
    pub(super) players: Vec<usize>,
    /// Name of the frozen bot of a training against one.
    pub(super) against: Option<&'a str>,
}

impl TrainingPage<'_> {
    pub(super) fn report(&self, provenance: &Claim) -> StudyReport {
        let mut report = StudyReport::new("Training of a network");
        report.answer(&self.results.summary());
        self.add_losses(&mut report, provenance);
        self.add_ladder(&mut report, provenance);
        report
    }

    fn add_losses(&self, report: &mut StudyReport, provenance: &Claim) {
        let table = self.results.training_table(provenance);
        let all = &self.results.generations;
        // Generation 0 learns the games of a bot without search, whose losses are others.
        let first = usize::from(all.len() > 2 && all[0].generation == 0);
        let generations = &all[first..];
        let chart = |(index, [_, title, description]): (usize, [&str; 3])| {
            let points = generations.iter().map(|result| {
                let value = result.losses_after[index];
                (f64::from(result.generation), Estimate::unbounded(1, value))
            });
            CurveChart {
                sentence: format!("Mean {description}, after learning."),
                x_label: "generation".to_owned(),
                y_label: format!("{title} loss"),
                unit: Unit::Decimals(4),
                reference: None,
                points: points.collect(),
            }
        };
        report.section("Losses");
        if generations.len() > 1 {
            report.curves(&LOSSES.into_iter().enumerate().map(chart).collect::<Vec<_>>());
        }
        report.page_table(&table.view(), "Losses in held-out games, and tests");
        report.explanation(
            "Losses are measured in games of the newest generation that are held out of the \
             learning, so each generation has games of its own: later games are closer, and \
             losses need not fall from one generation to the next. Within a generation, the loss \
             after learning should be below the one before.",
        );
        if first > 0 {
            report.explanation("Generation 0, with games of another bot, is only in the table.");
        }
        report.file(table, "");
    }

    fn add_ladder(&self, report: &mut StudyReport, provenance: &Claim) {
        let table = self.results.tests_table(provenance);
        let [low, high] = [HYPOTHESES.elo0, HYPOTHESES.elo1];
        report.section("Ladder of generations");
        for &players in &self.players {
            report.charts(self.ladder_chart(players));
        }
        report.page_table(&table.view(), "Tests");
        report.explanation(&match self.against {
            Some(bot) => format!(
                "Each generation plays one seat against {bot} in all other seats, on the same \
                 deals. The win rate of the best one is the highest of several, which makes it \
                 too high on average."
            ),
            None => format!(
                "Each generation plays one seat against the best generation before it in all \
                 other seats, or the same deals if a network plays alone. A sequential test of \
                 {low} against {high} Elo points stops early; the intervals are not adjusted for \
                 that."
            ),
        });
        report.file(table, "");
    }

    /// Draws the win rates of the tests with one number of players; `None` without any.
    fn ladder_chart(&self, players: usize) -> Option<IntervalChart> {
        let results = self.results.generations.iter().enumerate();
        let rows = results.filter_map(|(index, result)| {
            let mut rates = result.test.as_ref()?.win_rates();
            let TestWinRates { candidate, best, .. } =
                rates.find(|rates| rates.players == players)?;
            let label = match self.against {
                Some(_) => format!("generation {}", result.generation),
                None => {
                    format!("{} against {}", result.generation, self.results.best_before(index))
                }
            };
            let note = if result.is_promoted { "" } else { "not promoted" };
            Some(IntervalRow::of_series(label, vec![candidate, best]).with_note(note))
        });
        let rows: Vec<_> = rows.collect();
        let players = format_count(players, "player");
        let series = ["generation", self.against.unwrap_or("best generation before")];
        let sentence = format!("Win rates of the generations with {players}.");
        let chart = || IntervalChart::new(sentence, Unit::Percent, &series, rows.iter().cloned());
        (!rows.is_empty()).then(chart)
    }
}
