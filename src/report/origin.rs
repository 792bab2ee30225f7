//! The origin of results: the data, the bots, and the command that repeats a run.

use std::iter;

use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    chart::BarChart,
    html::{HtmlTable, Section, TableCell, format_count, group_digits, join_with_and},
    provenance::{Claim, Mark, Marks, Provenance},
};
use crate::{
    bots::BotFactory,
    config::{Document, sha256},
    game::Item,
};

/// A bot as manifests and pages describe it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct BotDescription {
    pub name: String,
    /// All parameters.
    pub parameters: Value,
    /// SHA-256 of the parameters as JSON, including those of the bots that they name.
    pub sha256: String,
    /// Notes for the user: parts of the bot that were learned on other data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl From<&BotFactory> for BotDescription {
    fn from(bot: &BotFactory) -> Self {
        let parameters = bot.parameters();
        let mut hashed: Vec<_> = iter::once(parameters).chain(bot.parts()).cloned().collect();
        for parameters in hashed.iter_mut().filter_map(Value::as_object_mut) {
            // It does not affect play.
            parameters.remove("description");
        }
        let sha256 = sha256(json!(hashed).to_string().as_bytes());
        let notes = bot.notes().to_vec();
        Self { name: bot.name().to_owned(), parameters: parameters.clone(), sha256, notes }
    }
}

/// Returns the title of the game in its data file, or else its identifier.
pub(crate) fn game_title(data: &Document, game: &str) -> String {
    let table = data.table().unwrap_or_default();
    table.get("name").and_then(toml::Value::as_str).unwrap_or(game).to_owned()
}

/// States the provenance of the data.
pub(crate) fn data_note<'a>(
    claim: &Claim,
    data: impl IntoIterator<Item = &'a Provenance>,
) -> String {
    if claim.is_reconstruction() || data.into_iter().any(Provenance::is_reconstruction) {
        "**A reconstruction, not the printed game.** Some values of the data file are \
         reconstructed; the section on the data has the marks."
            .to_owned()
    } else {
        format!("The data of this run is marked “{claim}”.")
    }
}

/// Returns the section on the provenance of a data file, with the file.
pub(crate) fn data_section(title: &str, provenance: &Provenance, text: &str) -> Section {
    let counts =
        || Mark::ALL.into_iter().zip(provenance.values_by_mark).filter(|&(_, count)| count > 0);
    let marked: Vec<_> =
        counts().map(|(mark, count)| format!("{} {}", group_digits(count), mark.name())).collect();
    let total = provenance.marked_values() + provenance.unmarked_values;
    let sentence = format!(
        "{} of {} have a mark: {}. A value with several marks counts under the least certain one. \
         Values without a mark: {}.",
        group_digits(provenance.marked_values()),
        format_count(total, "value"),
        join_with_and(&marked),
        group_digits(provenance.unmarked_values),
    );
    let bar = |(mark, count): (Mark, u64)| (format!("{} {}", mark.letter(), mark.name()), count);
    let body = html! {
        @if marked.is_empty() {
            p { "The data file has " (format_count(total, "value")) "; none of them has a mark." }
        } @else {
            (BarChart { sentence, rows: counts().map(bar).collect() })
            p { "Items show the marks of all their values." }
            dl.list {
                @for mark in Mark::ALL {
                    dt { strong { (mark.letter()) } " " (mark.name()) }
                    dd { (mark.definition()) }
                }
            }
        }
        details { summary { "Text of the data file" } pre { code { (text) } } }
    };
    Section::new(title, body).folded_if(true)
}

/// Returns the marks of an item as a label with an explanation.
fn marks_badge(marks: Marks) -> Markup {
    let letters: Vec<_> = marks.iter().map(|mark| mark.letter().to_string()).collect();
    let names: Vec<_> = marks.iter().map(Mark::name).collect();
    let in_part = if names.len() > 1 { ", each in part" } else { "" };
    let title = format!("data: {}{in_part}", names.join(", "));
    html! {
        @if !marks.is_empty() {
            abbr.mark title=(title) { (letters.join(" ")) }
        }
    }
}

/// Adds the marks of the items of a table as its sixth column; the first five are shown at first.
pub(crate) fn with_marks<'a>(
    table: HtmlTable,
    items: impl Iterator<Item = &'a Item>,
    provenance: &Provenance,
) -> HtmlTable {
    let marks = items.map(|Item { name, properties, .. }| {
        TableCell::text(marks_badge(provenance.marks_of_item(name, properties)))
    });
    let index = table.headings.len().min(5);
    table.with_column(index, "data", marks)
}

/// Returns the section with the command that repeats a run, its settings and its bots.
pub(crate) fn repeat_section<'a>(
    command: &str,
    facts: &Markup,
    bots: impl Iterator<Item = &'a BotDescription>,
) -> Section {
    let bots: Vec<_> = bots.collect();
    let mut notes: Vec<_> = bots.iter().flat_map(|bot| &bot.notes).collect();
    notes.sort();
    notes.dedup();
    let body = html! {
        @for note in notes {
            p { "Note: " (note) "." }
        }
        p {
            "This command repeats the run. Tables and report are identical unless a bot has a time \
             limit."
        }
        pre { code { (command) } }
        dl.list {
            (facts)
            dt { "time and threads" }
            dd { "in " code { "run.json" } "; they do not affect results" }
        }
        details {
            summary { "Parameters of the bots" }
            @for bot in &bots {
                h3 { (bot.name) }
                pre {
                    code { (serde_json::to_string_pretty(&bot.parameters).unwrap_or_default()) }
                }
            }
        }
    };
    Section::new("Repeat the run", body)
}
