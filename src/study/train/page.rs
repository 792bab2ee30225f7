//! The page of `train`.

use maud::{Markup, html};

use super::tables::LOSSES;
use crate::{
    config::Document,
    games::GameEntry,
    report::{
        chart::{CurveChart, IntervalChart, IntervalRow},
        data_table::DataTable,
        html::{Section, Unit, format_count, join_with_and, render_page, warning_box},
        origin::{data_section, game_title, provenance_note},
        provenance::{Claim, Provenance},
    },
    stats::ratio::Estimate,
    study::shared::training::{
        results::TrainingResults,
        test_match::{HYPOTHESES, TestWinRates},
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
        let players: Vec<_> = self.players.iter().map(ToString::to_string).collect();
        let players = format!("{} players", join_with_and(&players));
        let title = format!("Training of a network: {name}, {players}");
        let provenance = [Provenance::read(&self.data.text)];
        let data = data_section("The data", &provenance[0], &self.data.text);
        let done = self.results.generations.len();
        let head = html! {
            p.kicker { "Watershed · " (name) " · " (players) " · seed " (self.seed) }
            h1 { (title) }
            @if done < self.planned {
                (warning_box("This training is not complete.", &html! {
                    "It has " (format_count(done as u64, "generation")) " of " (self.planned) "."
                }))
            }
            p.lead { (self.results.summary()) }
            (provenance_note(self.provenance, &provenance, &data.id))
        };
        let sections = [self.losses(), self.ladder(), data, self.repeat()];
        render_page(&title, &head, &sections)
    }

    fn losses(&self) -> Section {
        let all = &self.results.generations;
        // Generation 0 learns the games of a bot without search, whose losses are others.
        let first = usize::from(all.len() > 2 && all[0].generation == 0);
        let generations = &all[first..];
        let chart = |(index, [_, title, description]): (usize, [&str; 3])| {
            let points = generations.iter().map(|result| {
                let value = result.losses_after[index];
                let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
                (f64::from(result.generation), Estimate { n: 1, value, low, high })
            });
            CurveChart {
                sentence: html! { "Mean " (description) ", after learning." },
                x_label: "generation".to_owned(),
                y_label: format!("{title} loss"),
                unit: Unit::Decimals(4),
                reference: None,
                points: points.collect(),
            }
        };
        let body = html! {
            @if generations.len() > 1 {
                div.curves { @for loss in LOSSES.into_iter().enumerate() { (chart(loss)) } }
            }
            (self.tables[0].view().html("Losses in held-out games, and tests"))
            p.note {
                "Losses are measured in games of the newest generation that are held out of the \
                 learning, so each generation has games of its own: later games are closer, and \
                 losses need not fall from one generation to the next. Within a generation, the \
                 loss after learning should be below the one before. "
                @if first > 0 { "Generation 0, with games of another bot, is only in the table. " }
                code { (self.tables[0].schema().file_name()) } " has the same numbers."
            }
        };
        Section::new("Losses", body)
    }

    fn ladder(&self) -> Section {
        let [low, high] = [HYPOTHESES.elo0, HYPOTHESES.elo1];
        let body = html! {
            @for &players in self.players { (self.ladder_chart(players)) }
            (self.tables[1].view().html("Tests"))
            p.note {
                @if let Some(bot) = self.against {
                    "Each generation plays one seat against " (bot) " in all other seats, on the \
                     same deals. The win rate of the best one is the highest of several, which \
                     makes it too high on average. "
                } @else {
                    "Each generation plays one seat against the best generation before it in all \
                     other seats, or the same deals if a network plays alone. A sequential test \
                     of " (low) " against " (high) " Elo points stops early; the intervals are not \
                     adjusted for that. "
                }
                code { (self.tables[1].schema().file_name()) } " has the same numbers."
            }
        };
        Section::new("Ladder of generations", body)
    }

    /// Draws the win rates of the tests with one number of players.
    fn ladder_chart(&self, players: usize) -> Markup {
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
            let badge = html! { @if !result.is_promoted { small { "not promoted" } } };
            Some(IntervalRow { label, badge, estimates: vec![candidate, best] })
        });
        let rows: Vec<_> = rows.collect();
        let chart = IntervalChart {
            sentence: html! {
                "Win rates of the generations with " (format_count(players as u64, "player")) "."
            },
            unit: Unit::Percent,
            series: ["generation", self.against.unwrap_or("best generation before")]
                .map(str::to_owned)
                .to_vec(),
            reference: None,
            rows,
        };
        html! { @if !chart.rows.is_empty() { (chart) } }
    }

    fn repeat(&self) -> Section {
        let body = html! {
            p {
                "This command repeats the training up to the best generation, with the same \
                 network for any number of threads."
            }
            pre { code { (self.command) } }
            dl.list {
                dt { "program" } dd { "watershed " (env!("CARGO_PKG_VERSION")) }
                dt { "data" } dd { (self.data.name) }
                dt { "its SHA-256" } dd { code { (self.data.sha256()) } }
                dt { "provenance" } dd { q { (self.provenance) } }
                dt { "seed" } dd { (self.seed) }
            }
        };
        Section::new("Repeat the training", body)
    }
}
