//! How games open, and what came of it.

use maud::html;

use super::{FEWEST, Run};
use crate::{
    arena::tally::{Opening, ResultTally},
    game::{Statistics, WIN},
    report::{
        chart::{Intervals, Row},
        html::{Cell, Section, Table, Unit, counted, grouped},
    },
    stats::ratio::Estimate,
};

/// How many openings the chart shows.
const BEST: usize = 12;
/// How many the table shows.
const MOST_PLAYED: usize = 50;

impl Run<'_> {
    pub(super) fn openings<G: Statistics>(&self, game: &G) -> Section {
        let mut openings: Vec<(&Opening, &ResultTally)> = self.tally.openings.iter().collect();
        openings.sort_unstable_by_key(|(opening, results)| (-results.wins.n, opening.seat(), opening.steps()));
        let name = |opening: &Opening| {
            let steps = opening.steps().iter().take_while(|&&step| step != 0).map(|&step| game.opening_text(step));
            format!("seat {}: {}", opening.seat(), steps.collect::<Vec<_>>().join(", "))
        };
        let often = openings.iter().take_while(|(_, results)| results.wins.n >= FEWEST).count();
        let mut rated: Vec<_> = openings[..often].iter().map(|(opening, results)| (name(opening), results.wins.rate(WIN))).collect();
        rated.sort_by(|one, other| other.1.low.total_cmp(&one.1.low).then(one.0.cmp(&other.0)));
        rated.truncate(BEST);
        let found = openings.len();
        let shown = &openings[..found.min(MOST_PLAYED)];
        let covered: i64 = shown.iter().map(|(_, results)| results.wins.n).sum();
        let table = Table {
            caption: format!("The {} most played openings in numbers", shown.len()),
            headings: ["opening", "n", "win rate", "mean score"].map(str::to_owned).to_vec(),
            rows: shown.iter().map(|(opening, results)| row(name(opening), results)).collect(),
        };
        let seats = self.tally.games * self.setup.players as u64;
        let body = html! {
            @if rated.is_empty() {
                p { "No opening was played " (FEWEST) " times or more, which is too few to tell anything of one." }
            } @else {
                (self.best_openings(rated, often))
            }
            (table)
            p.note {
                "An opening is a seat's first " (counted(self.setup.opening_depth as u64 + 1, "step")) ". There were " (grouped(found as i64)) " different ones in the "
                (grouped(seats)) " seats of all games; the table has " (grouped(covered)) " of these seats, and " code { "openings.csv" } " the others too."
            }
        };
        Section::new("Openings", body)
    }

    fn best_openings(&self, rated: Vec<(String, Estimate)>, of: usize) -> Intervals {
        let best = rated
            .first()
            .map(|(name, rate)| format!("From {name}, {} of {} were won. ", Unit::Percent.both(*rate), counted(rate.n as u64, "game")));
        let sentence = format!(
            "{}These are the {} openings with the highest lower ends of their intervals among {of} that were played {FEWEST} times or more. The best of many looks \
             better than it is: play it again with another seed before trusting it.",
            best.unwrap_or_default(),
            rated.len(),
        );
        Intervals {
            sentence: html! { (sentence) },
            unit: Unit::Percent,
            series: vec!["win rate".to_owned()],
            reference: (self.setup.players > 1).then(|| self.even.reference()),
            rows: rated.into_iter().map(|(label, rate)| Row { label, mark: html! {}, estimates: vec![rate] }).collect(),
        }
    }
}

fn row(name: String, results: &ResultTally) -> Vec<Cell> {
    vec![
        Cell::text(name),
        Cell::count(results.wins.n),
        Cell::estimate(results.wins.rate(WIN), Unit::Percent),
        Cell::estimate(results.scores.mean(), Unit::Decimals(2)),
    ]
}
