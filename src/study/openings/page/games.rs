//! The example games of a book on its page.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::BooksPage;
use crate::{
    arena::record::{Decider, Record},
    report::html::{HtmlTable, TableCell, join_with_and},
};

impl BooksPage<'_> {
    /// Renders the games that the tables link to, with the command that shows each.
    pub(super) fn games(&self) -> Markup {
        let shown: BTreeSet<u64> = self.rows[0]
            .iter()
            .filter(|row| row.effect.n >= self.min_forks)
            .flat_map(|row| row.examples.iter().copied())
            .collect();
        let records = self.reference().tally.records.iter();
        let records = records.filter(|(index, _)| shown.contains(index));
        let records: Vec<_> = records
            .filter_map(|(&index, line)| Some((index, serde_json::from_str::<Record>(line).ok()?)))
            .collect();
        html! {
            p {
                "Games of " (self.names[0]) " as it played them, which the tables link to. "
                code { "watershed replay " (self.folders[0]) "/examples.jsonl --game-index N" }
                " shows game N with its positions, and " code { "--annotate" } " explains it."
            }
            @for (index, record) in &records { (game(*index, record)) }
        }
    }
}

/// Renders the events of a game.
fn game(index: u64, record: &Record) -> Markup {
    let rows = record.events.iter().enumerate().map(|(number, (decider, action))| {
        let decider = match decider {
            Decider::Seat(seat) => format!("player {}", seat + 1),
            Decider::Chance(_) => "chance".to_owned(),
        };
        vec![
            TableCell::number(number, number as f64),
            TableCell::text(decider),
            TableCell::text(action),
        ]
    });
    let table = HtmlTable {
        caption: format!("Events of game {index}"),
        headings: ["event", "decides", "action"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    let winners: Vec<_> =
        record.winners.iter().flatten().map(|seat| format!("player {}", seat + 1)).collect();
    let scores: Vec<_> = record.scores.iter().flatten().map(ToString::to_string).collect();
    html! {
        div id=(format!("game-{index}")) {
            h3 { "Game " (index) }
            p {
                "Scores " (scores.join(" : ")) ", "
                @if winners.is_empty() { "nobody wins" }
                @else { "won by " (join_with_and(&winners)) }
                ", " (record.rounds) " rounds."
            }
            (table)
        }
    }
}
