//! The tables of a page of books: places, then steps, starters and situations.

use std::collections::BTreeMap;

use maud::{Markup, Render as _, html};

use super::BooksPage;
use crate::{
    analysis::book::{BookRow, SituationKey, pair_rows},
    game::TURN_POSITION_NAMES,
    report::html::{HtmlTable, TableCell, Unit, capitalize, group_digits},
};

/// Maximum number of situations that are listed below a step or a starter.
const MAX_SITUATIONS: usize = 12;

impl BooksPage<'_> {
    /// Renders all tables of a place: for each step all situations, then each starter.
    pub(super) fn place(&self, position: u8) -> Markup {
        let mut keys: Vec<_> = self.rows[0]
            .iter()
            .map(|row| &row.key)
            .filter(|key| key.turn_position == position)
            .collect();
        keys.dedup();
        let steps: Vec<_> = keys.iter().filter(|key| key.level() == 1).copied().collect();
        let mut by_starter: BTreeMap<&String, Vec<&SituationKey>> = BTreeMap::new();
        for key in keys.iter().filter(|key| key.level() == 2) {
            if let Some(starter) = &key.starter {
                by_starter.entry(starter).or_default().push(key);
            }
        }
        html! {
            @for step in steps {
                h3 { (capitalize(self.reference().step_name(step))) ", all situations" }
                (self.table(step))
                @let finer = self.children(step).filter(|key| key.starter.is_none());
                (self.situations(finer.collect()))
            }
            @for (starter, keys) in by_starter {
                h3 id=(anchor(position, starter)) {
                    (capitalize(TURN_POSITION_NAMES[usize::from(position)])) " after "
                    (self.reference().label(starter))
                }
                @for key in keys {
                    (self.table(key))
                    (self.situations(self.children(key).collect()))
                }
            }
        }
    }

    /// Returns the groups one level below a group in the first book.
    fn children(&self, key: &SituationKey) -> impl Iterator<Item = &SituationKey> {
        self.children.get(key).into_iter().flatten()
    }

    /// Renders the most frequent groups of these, closed at first.
    fn situations(&self, mut keys: Vec<&SituationKey>) -> Markup {
        let forks = |key: &SituationKey| {
            self.group(0, key).iter().map(|row| row.effect.n).max().unwrap_or(0)
        };
        keys.retain(|key| forks(key) >= self.min_forks);
        keys.sort_by_key(|key| std::cmp::Reverse(forks(key)));
        let (count, shown) = (keys.len(), keys.len().min(MAX_SITUATIONS));
        html! {
            @if !keys.is_empty() {
                details {
                    summary {
                        "Situations: " (shown) " of " (count)
                        " with " (group_digits(self.min_forks))
                        " forks or more"
                    }
                    @for key in &keys[..shown] {
                        (self.table(key))
                    }
                }
            }
        }
    }

    /// Renders the actions of a group, with a column for each bot.
    fn table(&self, key: &SituationKey) -> Markup {
        let rows = self.group(0, key);
        let rows: Vec<_> = rows.iter().filter(|row| row.effect.n >= self.min_forks).collect();
        if rows.is_empty() {
            let forks = group_digits(self.min_forks);
            return html! { p.note { "No action has " (forks) " forks or more." } };
        }
        let mut headings = vec!["action".to_owned(), "forks".to_owned()];
        if let [_] = self.books {
            headings.extend(["effect", "mean effect", "win share", "chosen"].map(str::to_owned));
        } else {
            headings.extend(self.names.iter().map(|name| format!("effect by {name}")));
            headings.push("bots".to_owned());
        }
        headings.extend(["verdict", "games"].map(str::to_owned));
        let table = HtmlTable {
            caption: self.caption(key),
            headings,
            rows: rows.iter().map(|row| self.cells(key, row)).collect(),
        };
        table.render()
    }

    fn caption(&self, key: &SituationKey) -> String {
        let mut caption = capitalize(&self.step_text(key));
        let parts = key.starter.iter().chain(&key.open);
        for part in parts {
            caption += ": ";
            caption += self.reference().label(part);
        }
        caption
    }

    fn cells(&self, key: &SituationKey, row: &BookRow) -> Vec<TableCell> {
        let mut cells = vec![self.action_cell(key, row.code), TableCell::count(row.effect.n)];
        let effect =
            |row: &BookRow| TableCell::estimate(row.effect.estimate(), Unit::PercentagePoints);
        if let [_] = self.books {
            let mean = row.mean.value;
            let mean_text = Unit::PercentagePoints.format_number(mean, 1) + " pp";
            let share = row.chosen.n as f64 / row.decisions as f64;
            cells.extend([
                effect(row),
                TableCell::number(mean_text, mean),
                TableCell::estimate(row.with_action, Unit::Percent),
                TableCell::number(format!("{:.0} %", 100.0 * share), share),
            ]);
        } else {
            cells.extend((0..self.books.len()).map(|book| match self.row(book, key, row.code) {
                Some(other) if book > 0 => TableCell::estimate_with_n(
                    other.effect.estimate(),
                    Unit::PercentagePoints,
                    other.verdict.as_str(),
                ),
                Some(other) => effect(other),
                None => TableCell::empty(),
            }));
            let is_disputed = self.is_disputed(key, row.code);
            cells.push(TableCell::text(if is_disputed { "disagree" } else { "" }));
        }
        cells.push(TableCell::text(row.verdict.as_str()));
        cells.push(TableCell::text(html! {
            @for game in &row.examples { a href=(format!("#game-{game}")) { (game) } " " }
        }));
        cells
    }

    /// Returns the cell of an action, which links to the placements after a starter.
    fn action_cell(&self, key: &SituationKey, code: u8) -> TableCell {
        let label = self.action_label(code);
        let id = self.reference().action(code).id;
        let is_starter = |row: &&BookRow| {
            row.key.turn_position == key.turn_position
                && row.key.starter.as_deref().is_some_and(|starter| {
                    id.split_once(':').is_some_and(|(_, object)| object == starter)
                })
        };
        let next = key.starter.is_none().then(|| self.rows[0].iter().find(is_starter)).flatten();
        match next.and_then(|row| row.key.starter.as_ref()) {
            Some(starter) if key.step == 0 => TableCell::text(html! {
                a href={ "#" (anchor(key.turn_position, starter)) } { (label) }
            }),
            _ => TableCell::text(label),
        }
    }

    /// Renders the differences between actions that were plausible together.
    pub(super) fn pairs(&self) -> Markup {
        let book = self.reference();
        let pairs = pair_rows(&book.tally);
        let shown =
            pairs.iter().filter(|row| row.key.level() == 1 && row.difference.n >= self.min_forks);
        let rows = shown.map(|row| {
            let [better, other] = row.codes.map(|code| TableCell::text(self.action_label(code)));
            let place = TableCell::text(capitalize(&self.step_text(&row.key)));
            let difference = row.difference.estimate();
            vec![
                better,
                other,
                place,
                TableCell::count(row.difference.n),
                TableCell::estimate(difference, Unit::PercentagePoints),
                TableCell::text(row.verdict().as_str()),
            ]
        });
        let headings = ["take", "instead of", "when", "forks", "difference", "verdict"];
        let table = HtmlTable {
            caption: format!("Two actions at one decision, by {}", self.names[0]),
            headings: headings.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        };
        html! {
            p {
                "The win share with one action less that with the other, over the decisions at \
                 which "
                "both are plausible: level if the interval lies within 2 points of 0, else better "
                "if "
                "it lies above 0. The intervals are not adjusted for their number."
            }
            (table.render())
        }
    }
}

/// Returns the id of the part of the page about a starter of a place.
fn anchor(position: u8, starter: &str) -> String {
    let name = starter.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    format!("place-{}-{name}", position + 1)
}
