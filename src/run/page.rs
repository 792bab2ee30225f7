//! `report.html`: the page of a run, between the provenance of its data and the command that
//! repeats it.

use maud::{Markup, html};

pub(crate) use super::file_names::PAGE as FILE;
use super::{
    ExitStatus,
    command::RepeatCommand,
    manifest::{GameCounts, RunIdentity},
};
use crate::{
    arena::schedule::Shard,
    config::Document,
    report::{
        html::{answer, format_count, group_digits, join_with_and, render_page, warning_box},
        note::Note,
        origin::{self, BotDescription, game_title},
        provenance::{Claim, Provenance},
        study_page::ReportBody,
    },
};

/// The end of a study: which one, and how much of it was played.
pub(crate) struct StudyEnd {
    /// The command that repeats it.
    pub(crate) command: RepeatCommand,
    pub(crate) identity: RunIdentity,
    /// The part of the study that was played, if it is divided.
    pub(crate) shard: Option<Shard>,
    /// True if all games were played, or all up to the end by a stopping criterion.
    pub(crate) complete: bool,
    /// The exit status of the complete study.
    pub(crate) status: ExitStatus,
    /// Number of games to play, of this shard only if the study is divided.
    pub(crate) games_planned: u64,
    pub(crate) threads: usize,
    /// Wall time in seconds.
    pub(crate) seconds: f64,
    /// Further files that the study wrote.
    pub(crate) further_files: Vec<String>,
    /// Notes of the user for the page.
    pub(crate) note: Option<Note>,
}

/// The page of a study.
pub(crate) struct StudyPage<'a> {
    pub(crate) body: ReportBody,
    pub(crate) bots: &'a [BotDescription],
    /// The data files, with labels if there are several.
    pub(crate) data: &'a [(&'a str, &'a Document)],
    /// Provenance of their values.
    pub(crate) provenance: &'a Claim,
}

impl StudyPage<'_> {
    /// Renders the page.
    pub(crate) fn render(self, end: &StudyEnd, counts: GameCounts) -> Vec<u8> {
        let StudyEnd { identity, shard, complete, games_planned, .. } = end;
        let Self { body, bots, data, provenance: claim } = self;
        let GameCounts { blocks, games, .. } = counts;
        let game = &identity.game;
        let name =
            data.first().map_or_else(|| game.clone(), |(_, document)| game_title(document, game));
        let names: Vec<_> = bots.iter().map(|bot| bot.name.clone()).collect();
        let players = identity.players_text();
        let title = format!("{}: {name}, {players}, {}", body.title, join_with_and(&names));
        let provenance: Vec<_> =
            data.iter().map(|(_, document)| Provenance::read(&document.text)).collect();
        let sections = data.iter().zip(&provenance).map(|(&(label, document), provenance)| {
            let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
            origin::data_section(&format!("The data{of}"), provenance, &document.text)
        });
        let data_sections: Vec<_> = sections.collect();
        let marks = data_sections.first().map_or("", |section| section.id.as_str());
        let in_blocks = format!("in {}", format_count(blocks, "block"));
        let head = html! {
            (identity.page_head(&name, &title))
            @if !complete { (incomplete_warning("study", games, *games_planned)) }
            @if let Some(shard) = shard { (shard_warning("study", *shard)) }
            (answer(&body.lead, &body.labels))
            (origin::provenance_note(claim, &provenance, marks))
            (body.picture)
            p.note { (format_count(games, "game")) " " (in_blocks) "." }
        };
        let data_facts = html! {
            @for (label, document) in data {
                dt { "data" @if !label.is_empty() { " of " (label) } } dd { (document.name) }
                dt { "its SHA-256" } dd { code { (document.sha256()) } }
            }
            dt { "provenance" } dd { q { (claim) } }
        };
        let facts = html! {
            (identity.facts(&data_facts))
            dt { "games" } dd { (group_digits(games)) " " (in_blocks) }
            dt { "complete" } dd { (yes_or_no(*complete)) }
        };
        let repeat = origin::repeat_section(&end.command.to_string(), &facts, bots.iter());
        let note = end.note.iter().map(Note::section);
        let own = note.chain(body.sections);
        let sections: Vec<_> = own.chain(data_sections).chain([repeat]).collect();
        render_page(&title, &head, &sections)
    }
}

impl RunIdentity {
    /// Returns the number of players, as in `2 players`.
    pub(crate) fn players_text(&self) -> String {
        format_count(self.players as u64, "player")
    }

    /// Renders the subject and the title of a page. `name` is the title of the game.
    pub(crate) fn page_head(&self, name: &str, title: &str) -> Markup {
        html! {
            p.kicker { "Watershed · " (name) " · " (self.players_text()) " · seed " (self.seed) }
            h1 { (title) }
        }
    }

    /// Renders the program, the game, the data and the seed as a list of terms.
    pub(crate) fn facts(&self, data: &Markup) -> Markup {
        html! {
            dt { "program" } dd { "watershed " (self.version) }
            dt { "game" } dd { (self.game) ", " (self.players_text()) }
            (data)
            dt { "seed" } dd { (self.seed) }
        }
    }
}

/// Returns the warning that a run or study was interrupted.
pub(crate) fn incomplete_warning(subject: &str, games: u64, games_planned: u64) -> Markup {
    warning_box(
        &format!("This {subject} is not complete."),
        &html! {
            "It was interrupted after " (format_count(games, "game")) " of "
            (group_digits(games_planned)) "."
        },
    )
}

/// Returns the warning that a page is about a part of a run or study.
pub(crate) fn shard_warning(subject: &str, shard: Shard) -> Markup {
    let title = format!("This is a shard of a {subject}.");
    let text = html! { "Shard " (shard) "; " code { "watershed merge" } " joins all shards." };
    warning_box(&title, &text)
}

/// Returns `yes` or `no`.
pub(crate) const fn yes_or_no(is_true: bool) -> &'static str {
    if is_true { "yes" } else { "no" }
}
