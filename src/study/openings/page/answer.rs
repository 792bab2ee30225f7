//! The answers of books of openings in sentences.

use maud::{Markup, html};

use super::BooksPage;
use crate::{
    analysis::book::{BookRow, BookVerdict, SituationKey},
    game::TURN_POSITION_NAMES,
    report::html::{Unit, capitalize, group_digits, join_with_and},
};

/// Maximum number of actions that a sentence names.
const MAX_NAMED: usize = 4;

impl BooksPage<'_> {
    /// States the best starters, or the best first actions, of each place.
    pub(super) fn lead(&self) -> String {
        let keys = self.coarsest();
        let first_step = keys.iter().map(|key| key.step).min();
        let shown = keys.iter().filter(|key| Some(key.step) == first_step);
        let sentences: Vec<_> = shown.filter_map(|key| self.sentence(0, key)).collect();
        if sentences.is_empty() {
            return "No opening decision was forked often enough for an interval.".to_owned();
        }
        sentences.join(" ")
    }

    /// States the best actions of each place and step, for each bot.
    pub(super) fn short_answers(&self) -> Markup {
        html! {
            @for key in self.coarsest() {
                h3 { (capitalize(&self.step_text(&key))) }
                ul {
                    @for book in 0..self.books.len() {
                        @if let Some(sentence) = self.sentence(book, &key) { li { (sentence) } }
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

    /// States which actions of a group are the best ones by a bot.
    fn sentence(&self, book: usize, key: &SituationKey) -> Option<String> {
        let rows = self.group(book, key);
        let best = rows.first().filter(|row| row.verdict == BookVerdict::Best)?;
        let name = |row: &BookRow| self.action_label(row.code);
        let effect = Unit::PercentagePoints.format_estimate(best.effect.estimate());
        let level: Vec<_> = rows.iter().filter(|row| row.verdict == BookVerdict::Level).collect();
        let worse = rows.iter().filter(|row| row.verdict == BookVerdict::Worse).count();
        let when = capitalize(&self.step_text(key));
        let found =
            format!("{} ({effect}, {} forks)", quoted(&name(best)), group_digits(best.effect.n));
        let bot = &self.names[book];
        let worse = match worse {
            0 => String::new(),
            1 => " Another one is significantly worse.".to_owned(),
            _ => format!(" {worse} others are significantly worse."),
        };
        if level.is_empty() {
            return Some(format!("{when}: the best action by {bot} is {found}.{worse}"));
        }
        let others: Vec<_> = level.iter().take(MAX_NAMED).map(|row| quoted(&name(row))).collect();
        let others = match level.len() - others.len() {
            0 => join_with_and(&others),
            more => format!("{} and {more} more", others.join(", ")),
        };
        let sentence = format!(
            "{when}: {} actions cannot be told apart as the best by {bot}: {found}, \
             {others}.{worse}",
            best.level_actions
        );
        Some(sentence)
    }

    /// Names the actions that are the best by one bot and significantly worse by another.
    fn disagreement(&self, key: &SituationKey) -> Option<String> {
        if self.books.len() < 2 {
            return None;
        }
        let rows = self.group(0, key);
        let disputed: Vec<_> = rows
            .iter()
            .filter(|row| self.is_disputed(key, row.code))
            .map(|row| quoted(&self.action_label(row.code)))
            .collect();
        Some(if disputed.is_empty() {
            "The bots do not disagree: no action is the best by one bot and significantly worse by \
             another."
                .to_owned()
        } else {
            format!(
                "The bots disagree on {}: the best by one, significantly worse by another.",
                join_with_and(&disputed)
            )
        })
    }

    /// Returns true if an action is the best by one bot and significantly worse by another. An
    /// action that is only not distinguished from the best one is no evidence for a disagreement.
    pub(super) fn is_disputed(&self, key: &SituationKey, code: u8) -> bool {
        let verdicts: Vec<_> = (0..self.books.len())
            .filter_map(|book| self.row(book, key, code))
            .map(|row| row.verdict)
            .collect();
        verdicts.contains(&BookVerdict::Best) && verdicts.contains(&BookVerdict::Worse)
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

fn quoted(name: &str) -> String {
    format!("“{name}”")
}
