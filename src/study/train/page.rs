//! The page of `train`.

use super::tables::LOSSES;
use crate::{
    report::{
        chart::CurveChart,
        origin::{data_note, data_section, game_title},
    },
    study::shared::{
        prelude::*,
        training::{
            results::TrainingResults,
            test_match::{HYPOTHESES, TestWinRates},
        },
    },
};

/// The page of a training.
pub(super) struct TrainingPage<'a> {
    pub(super) results: &'a TrainingResults,
    /// Tables of the generations and of the tests.
    pub(super) tables: &'a [DataTable; 2],
    pub(super) game: &'static GameEntry,
    pub(super) data: &'a Document,
    pub(super) provenance: &'a Claim,
    pub(super) players: &'a [usize],
    pub(super) seed: u64,
    /// Number of generations of the complete training.
    pub(super) planned: usize,
    /// Name of the frozen bot of a training against one.
    pub(super) against: Option<&'a str>,
    /// Command that repeats the training.
    pub(super) command: &'a str,
}

impl TrainingPage<'_> {
    pub(super) fn render(&self) -> Vec<u8> {
        let name = game_title(self.data, self.game.id);
        let players = join_with_and(self.players.iter().map(ToString::to_string));
        let players = format!("{players} players");
        let mut report = StudyReport::new(format!("Training of a network: {name}, {players}"));
        report.answer(&self.results.summary());
        let done = self.results.generations.len();
        let rest = format!(": it has {done} of {} generations.", self.planned);
        let label = "This training is not complete";
        let incomplete = LabelledSentence { label, rest };
        report.labels(ReportPlace::Page, (done < self.planned).then_some(incomplete));
        self.add_losses(&mut report);
        self.add_ladder(&mut report);
        let provenance = Provenance::read(&self.data.text);
        report.add_section(data_section("The data", &provenance, &self.data.text));
        report.section("Repeat the training");
        report.explanation(&format!(
            "`{}` repeats the training up to the best generation, with the same network for any \
             number of threads. Program: watershed {}; data: {}, SHA-256 `{}`.",
            self.command,
            env!("CARGO_PKG_VERSION"),
            self.data.name,
            self.data.sha256()
        ));
        let subject = format!("{name} · {players} · seed {}", self.seed);
        report.render_alone(&subject, &data_note(self.provenance, [&provenance])).1
    }

    fn add_losses(&self, report: &mut StudyReport) {
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
        report.page_table(&self.tables[0].view(), "Losses in held-out games, and tests");
        report.explanation(
            "Losses are measured in games of the newest generation that are held out of the \
             learning, so each generation has games of its own: later games are closer, and \
             losses need not fall from one generation to the next. Within a generation, the loss \
             after learning should be below the one before.",
        );
        if first > 0 {
            report.explanation("Generation 0, with games of another bot, is only in the table.");
        }
        report.file(self.tables[0].clone(), "");
    }

    fn add_ladder(&self, report: &mut StudyReport) {
        let [low, high] = [HYPOTHESES.elo0, HYPOTHESES.elo1];
        report.section("Ladder of generations");
        for &players in self.players {
            report.charts(self.ladder_chart(players));
        }
        report.page_table(&self.tables[1].view(), "Tests");
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
        report.file(self.tables[1].clone(), "");
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
