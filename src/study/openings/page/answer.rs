//! The answers of books of openings in sentences.

use maud::{Markup, html};

use super::BooksPage;
use crate::{
    analysis::book::{BookRow, BookVerdict, SituationKey},
    game::TURN_POSITION_NAMES,
    report::html::{capitalize, join_with_and},
};

impl BooksPage<'_> {
    /// States the good and the bad actions of each place and step, for each bot.
    pub(super) fn short_answers(&self) -> Markup {
        html! {
            @for key in self.coarsest() {
                h3 { (capitalize(&self.step_text(&key))) }
                ul {
                    @for book in 0..self.books.len() {
                        li { (self.sentence(book, &key)) }
                    }
                    @if let Some(sentence) = self.disagreement(&key) { li { (sentence) } }
                }
            }
        }
    }

    /// Returns the coarsest groups.
    fn coarsest(&self) -> Vec<SituationKey> {
        let mut keys: Vec<_> =
            self.rows[0].iter().filter(|row| row.key.level() == 1).map(|row| &row.key).collect();
        keys.dedup();
        keys.into_iter().cloned().collect()
    }

    /// Returns the place and the step of a group.
    pub(super) fn step_text(&self, key: &SituationKey) -> String {
        let place = TURN_POSITION_NAMES[usize::from(key.turn_position)];
        format!("{place}, {}", self.reference().step_name(key))
    }

    /// States which actions of a group are good and bad by a bot.
    fn sentence(&self, book: usize, key: &SituationKey) -> String {
        let choice = self.books[book].choice(self.group(book, key));
        let choice = choice.unwrap_or_else(|| "no action is good or bad".to_owned());
        format!("By {}: {choice}.", self.names[book])
    }

    /// Names the actions that are good by one bot and bad by another.
    fn disagreement(&self, key: &SituationKey) -> Option<String> {
        if self.books.len() < 2 {
            return None;
        }
        let rows = self.group(0, key);
        let disputed: Vec<_> = rows
            .iter()
            .filter(|row| self.is_disputed(key, row.code))
            .map(|row| format!("“{}”", self.action_label(row.code)))
            .collect();
        Some(if disputed.is_empty() {
            "The bots do not disagree: no action is good by one bot and bad by another.".to_owned()
        } else {
            let disputed = join_with_and(&disputed);
            format!("The bots disagree on {disputed}: good by one, bad by another.")
        })
    }

    /// Returns true if an action is good by one bot and bad by another.
    pub(super) fn is_disputed(&self, key: &SituationKey, code: u8) -> bool {
        let verdicts: Vec<_> = (0..self.books.len())
            .filter_map(|book| self.row(book, key, code))
            .map(|row| row.verdict)
            .collect();
        verdicts.contains(&BookVerdict::Good) && verdicts.contains(&BookVerdict::Bad)
    }

    /// Returns the row of an action of a group in a book.
    pub(super) fn row(&self, book: usize, key: &SituationKey, code: u8) -> Option<&BookRow> {
        self.group(book, key).iter().find(|row| row.code == code)
    }

    /// Returns the name of an action for people.
    pub(super) fn action_label(&self, code: u8) -> String {
        self.books
            .iter()
            .find_map(|book| book.action_names.get(&code))
            .map_or_else(|| format!("action {code}"), |name| name.label.clone())
    }
}
