//! `report.html`: the page of a run, between the provenance of its data and the command that
//! repeats it.

use maud::html;

pub(crate) use super::file_names::PAGE as FILE;
use super::{
    command::RepeatCommand,
    manifest::{GameCounts, RunIdentity},
};
use crate::{
    arena::schedule::Shard,
    config::Document,
    report::{
        html::{answer, format_count, group_digits, join_with_and, render_page},
        note::Note,
        origin::{self, BotDescription, game_title},
        provenance::{Claim, Provenance},
        study_page::ReportBody,
        study_report::inline_markup,
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
    /// True if the exit code of a complete study is 1.
    pub(crate) is_negative: bool,
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
        let players = format_count(identity.players as u64, "player");
        let title = format!("{}: {name}, {players}, {}", body.title, join_with_and(&names));
        let provenance: Vec<_> =
            data.iter().map(|(_, document)| Provenance::read(&document.text)).collect();
        let sections = data.iter().zip(&provenance).map(|(&(label, document), provenance)| {
            let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
            origin::data_section(&format!("The data{of}"), provenance, &document.text)
        });
        let data_sections: Vec<_> = sections.collect();
        let in_blocks = format!("in {}", format_count(blocks, "block"));
        let played = format!("{} {in_blocks}", format_count(games, "game"));
        let head = html! {
            p.kicker { "Watershed · " (name) " · " (players) " · seed " (identity.seed) }
            h1 { (title) }
            @if !complete {
                aside.warning role="note" {
                    strong { "This study is not complete." } " It was interrupted after "
                    (format_count(games, "game")) " of " (group_digits(*games_planned)) "."
                }
            }
            @if let Some(shard) = shard {
                aside.warning role="note" {
                    strong { "This is a shard of a study." } " Shard " (shard) "; "
                    code { "watershed merge" } " joins all shards."
                }
            }
            (answer(&body.lead, &body.labels))
            p.note { (inline_markup(&origin::data_note(claim, &provenance))) }
            (body.picture)
            p.note { (played) "." }
        };
        let facts = html! {
            dt { "program" } dd { "watershed " (identity.version) }
            dt { "game" } dd { (identity.game) ", " (players) }
            @for (label, document) in data {
                dt { "data" @if !label.is_empty() { " of " (label) } } dd { (document.name) }
                dt { "its SHA-256" } dd { code { (document.sha256()) } }
            }
            dt { "provenance" } dd { q { (claim) } }
            dt { "seed" } dd { (identity.seed) }
            dt { "games" } dd { (played) }
            dt { "complete" } dd { @if *complete { "yes" } @else { "no" } }
        };
        let repeat = origin::repeat_section(&end.command.to_string(), &facts, bots.iter());
        let note = end.note.iter().map(Note::section);
        let own = note.chain(body.sections);
        let sections: Vec<_> = own.chain(data_sections).chain([repeat]).collect();
        render_page(&title, &head, &sections)
    }
}
