//! The openings of games, and how often those who play them win.

use maud::html;

use crate::{
    arena::tally::{Opening, OpeningTally, opening_steps},
    game::{Statistics, UNITS_PER_WIN},
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        html::{Cell, HtmlTable, Section, Unit, format_count, group_digits},
    },
    stats::ratio::Estimate,
    study::simulate::{
        csv::rank_openings,
        page::{MIN_OBSERVATIONS, RunPage, conclusion::TURN_POSITION_NAMES},
    },
};

/// The number of openings in the chart.
const BEST: usize = 12;
/// The number of openings in the table.
const LISTED: usize = 50;

type Ranked<'a> = (&'a Opening, &'a OpeningTally, Estimate);

impl RunPage<'_> {
    pub(crate) fn openings<G: Statistics>(&self, game: &G) -> Section {
        let mut openings = rank_openings(self.tally);
        let found = openings.len();
        openings.retain(|(_, results, above)| {
            results.wins.n >= MIN_OBSERVATIONS && above.low.is_finite()
        });
        let frequent = openings.len();
        let steps = |opening: &Opening| {
            let steps = opening
                .steps()
                .iter()
                .take_while(|&&step| step != 0)
                .map(|&step| game.opening_step_text(step));
            steps.collect::<Vec<_>>().join(", ")
        };
        let best: Vec<_> = openings
            .iter()
            .take(BEST)
            .map(|&ranked| (self.opening_name(ranked.0, &steps(ranked.0)), ranked))
            .collect();
        let row = |&(opening, results, above): &Ranked<'_>| {
            vec![
                Cell::text(steps(opening)),
                if self.setup.identity.players > 1 {
                    Cell::text(TURN_POSITION_NAMES[opening.turn_position()])
                } else {
                    Cell::empty()
                },
                Cell::count(results.wins.n),
                Cell::estimate(above, Unit::PercentagePoints),
                Cell::estimate(results.wins.rate(UNITS_PER_WIN), Unit::Percent),
                Cell::estimate(
                    self.tally.turn_positions[opening.turn_position()].rate(UNITS_PER_WIN),
                    Unit::Percent,
                ),
                Cell::estimate(results.scores.mean(), Unit::Decimals(2)),
            ]
        };
        let listed = &openings[..frequent.min(LISTED)];
        let against = if self.setup.identity.players > 1 {
            "win rate of the turn position"
        } else {
            "win rate of all games"
        };
        let table = HtmlTable {
            caption: format!("The {} best openings in numbers", listed.len()),
            headings: [
                "opening",
                "turn position",
                "n",
                "difference",
                "win rate",
                against,
                "mean score",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: listed.iter().map(row).collect(),
        };
        let seats = self.tally.games * self.setup.identity.players as u64;
        let body = html! {
            @if best.is_empty() {
                p { "No opening was played often enough (" (MIN_OBSERVATIONS) " times) to compare \
                    it with the others." }
            } @else {
                (self.best_openings(best, frequent))
                (table)
            }
            p.note {
                "An opening is a seat's first " (format_count(opening_steps(self.setup.question.opening_depth) as u64, "step")) ". " (group_digits(found as i64)) " different openings were played in the "
                (group_digits(seats)) " seats of all games; " code { "openings.csv" } " has all of \
                    them. Openings are sorted by the lower end of the interval of the difference. "
                "A step that is possible only after a lucky draw, such as an early build, makes an \
                    opening look better than the choice of its first steps is."
                @if self.tally.bots.len() > 1 { " Openings of all bots are counted together, so an \
                    opening that a stronger bot prefers looks better too." }
            }
        };
        Section::new("Openings", body)
    }

    fn opening_name(&self, opening: &Opening, steps: &str) -> String {
        if self.setup.identity.players > 1 {
            format!("{}: {steps}", TURN_POSITION_NAMES[opening.turn_position()])
        } else {
            steps.to_owned()
        }
    }

    fn best_openings(&self, best: Vec<(String, Ranked<'_>)>, frequent: usize) -> IntervalChart {
        let first = best.first().map(|(name, (opening, results, above))| {
            let expected = self.tally.turn_positions[opening.turn_position()].rate(UNITS_PER_WIN);
            let of_all = if self.setup.identity.players > 1 {
                format!("the {} overall", TURN_POSITION_NAMES[opening.turn_position()])
            } else {
                "the mean of all games".to_owned()
            };
            format!(
                "Best: {name} won {} of {}, {of_all} {}: a difference of {}. ",
                Unit::Percent.format_estimate(results.wins.rate(UNITS_PER_WIN)),
                format_count(results.wins.n as u64, "game"),
                Unit::Percent.format_value(expected),
                Unit::PercentagePoints.format_estimate(*above),
            )
        });
        let sentence = format!(
            "{}Shown are the {} openings with the highest lower ends of their intervals among \
             {frequent} that were played {MIN_OBSERVATIONS} times or more, each compared with the \
             win rate of its {}. The best of many estimates tends to be too high: play again with \
             another seed before relying on it.",
            first.unwrap_or_default(),
            best.len(),
            if self.setup.identity.players > 1 { "turn position" } else { "games" },
        );
        IntervalChart {
            sentence: html! { (sentence) },
            unit: Unit::PercentagePoints,
            series: vec!["difference to the win rate of the turn position".to_owned()],
            reference: Some(ReferenceLine { value: 0.0, name: "no difference".to_owned() }),
            rows: best
                .into_iter()
                .map(|(label, (_, _, above))| IntervalRow {
                    label,
                    badge: html! {},
                    estimates: vec![above],
                })
                .collect(),
        }
    }
}
