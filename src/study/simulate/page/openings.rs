//! The openings of the games, ranked by the win rate of the seats that play them.

use maud::html;

use super::RunPage;
use crate::{
    arena::tally::opening_steps,
    bound::BoundGame,
    game::{TURN_POSITION_NAMES, UNITS_PER_WIN},
    report::{
        chart::{IntervalChart, IntervalRow, MIN_OBSERVATIONS, ReferenceLine},
        html::{HtmlTable, Section, TableCell, Unit, format_count, group_digits},
    },
    study::simulate::analysis::RankedOpening,
};

/// Number of openings in the chart.
const MAX_CHARTED: usize = 12;
/// Number of openings in the table.
const MAX_LISTED: usize = 50;

impl RunPage<'_> {
    /// Returns the section on openings.
    pub(super) fn openings(&self, game: &BoundGame) -> Section {
        let openings = self.analysis.rank_openings();
        let played = openings.len();
        let is_frequent = |ranked: &RankedOpening<'_>| {
            ranked.results.wins.n >= MIN_OBSERVATIONS && ranked.difference.low.is_finite()
        };
        let frequent = openings.into_iter().enumerate().filter(|(_, ranked)| is_frequent(ranked));
        let frequent: Vec<_> = frequent
            .map(|(row, ranked)| {
                let steps = ranked.opening.steps().iter().take_while(|&&step| step != 0);
                let steps: Vec<_> = steps.map(|&step| game.opening_step_text(step)).collect();
                (row, steps.join(", "), ranked)
            })
            .collect();
        let seats = self.analysis.tally.games * self.analysis.players() as u64;
        let steps = opening_steps(self.setup().question.opening_depth) as u64;
        let body = html! {
            @if frequent.is_empty() {
                p { "No opening was played by " (MIN_OBSERVATIONS) " seats or more." }
            } @else {
                (self.openings_chart(&frequent))
                (self.openings_table(&frequent))
            }
            p.note {
                (group_digits(seats)) " seats played " (format_count(played as u64, "opening"))
                " of " (format_count(steps, "step")) "; " code { "openings.csv" } " has all of \
                 them, ordered by the lower end of the interval of the difference. Steps that \
                 depend on lucky draws, such as an early build, bias the difference upwards"
                @if self.analysis.tally.bots.len() > 1 {
                    ", and so do stronger bots, because the openings of all bots are pooled"
                }
                "."
            }
        };
        Section::new("Openings", body).folded_if(true)
    }

    fn openings_table(&self, frequent: &[(usize, String, RankedOpening<'_>)]) -> HtmlTable {
        let listed = &frequent[..frequent.len().min(MAX_LISTED)];
        let columns =
            ["n", "above_turn_position", "win_rate", "expected_from_turn_position", "mean_score"];
        let view = self.tables.openings.view().select(&columns);
        let rows = listed.iter().map(|(row, ..)| *row);
        let mut table = view.rows(rows).html(format!("The {} best openings", listed.len()));
        if self.is_competitive() {
            let positions = listed.iter().map(|(_, _, ranked)| {
                TableCell::text(TURN_POSITION_NAMES[ranked.opening.turn_position()])
            });
            table = table.with_column(0, "turn position", positions);
        } else {
            "win rate of all games".clone_into(&mut table.headings[3]);
        }
        table.with_column(0, "opening", listed.iter().map(|(_, steps, _)| TableCell::text(steps)))
    }

    fn openings_chart(&self, frequent: &[(usize, String, RankedOpening<'_>)]) -> IntervalChart {
        let baseline = |position: usize| {
            if self.is_competitive() {
                format!("the {}", TURN_POSITION_NAMES[position])
            } else {
                "all games".to_owned()
            }
        };
        let best = frequent.first().map(|(_, steps, ranked)| {
            let position = ranked.opening.turn_position();
            let expected = self.analysis.tally.turn_positions[position].rate(UNITS_PER_WIN);
            format!(
                "{} wins {} of {}, {} more than {} ({}). ",
                self.opening_name(steps, position),
                Unit::Percent.format_estimate(ranked.results.wins.rate(UNITS_PER_WIN)),
                format_count(ranked.results.wins.n as u64, "game"),
                Unit::PercentagePoints.format_estimate(ranked.difference),
                baseline(position),
                Unit::Percent.format_value(expected),
            )
        });
        let charted = &frequent[..frequent.len().min(MAX_CHARTED)];
        let reference = if self.is_competitive() {
            "win rate of the turn position"
        } else {
            "win rate of all games"
        };
        let sentence = format!(
            "{}The chart has the {} openings with the highest lower ends of the interval among {} \
             played {MIN_OBSERVATIONS} times or more. The best of many estimates tends to be too \
             high; repeat the run with another seed.",
            best.unwrap_or_default(),
            charted.len(),
            frequent.len(),
        );
        let row = |(_, steps, ranked): &(usize, String, RankedOpening<'_>)| {
            let name = self.opening_name(steps, ranked.opening.turn_position());
            IntervalRow::new((name, ranked.difference))
        };
        let rows = charted.iter().map(row).collect();
        let series = format!("difference from the {reference}");
        let reference = Some(ReferenceLine { value: 0.0, name: "no difference".to_owned() });
        let chart = IntervalChart::new(&sentence, Unit::PercentagePoints, series, rows);
        IntervalChart { reference, ..chart }
    }

    fn opening_name(&self, steps: &str, position: usize) -> String {
        if self.is_competitive() {
            format!("{}: {steps}", TURN_POSITION_NAMES[position])
        } else {
            steps.to_owned()
        }
    }
}
