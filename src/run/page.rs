//! `report.html`: the page of a run, between the provenance of its data and the command that
//! repeats it.

use maud::html;

pub(crate) use super::file_names::PAGE as FILE;
use super::{manifest::GameCounts, study_run::StudyRun};
use crate::{
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
    /// Renders the page of the results so far of a study.
    pub(crate) fn render(self, study: &StudyRun<'_>, counts: GameCounts) -> Vec<u8> {
        let (identity, is_complete) = (&study.identity, study.is_complete());
        let Self { body, bots: described, data, provenance: claim } = self;
        let GameCounts { blocks, games, .. } = counts;
        let game = &identity.game;
        let name =
            data.first().map_or_else(|| game.clone(), |(_, document)| game_title(document, game));
        let names: Vec<_> = described.iter().map(|bot| bot.name.clone()).collect();
        let players = identity.players_text();
        let bots =
            if names.is_empty() { String::new() } else { format!(", {}", join_with_and(&names)) };
        // A question names the game itself.
        let question = Some(&body.title).filter(|title| title.ends_with('?'));
        let (mark, by) = question.map_or((":", ""), |_| ("", bots.as_str()));
        let title = format!("{}{mark} {name}, {players}{bots}", body.title);
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
            p.kicker { "Watershed · " (name) " · " (players) " · seed " (identity.seed) (by) }
            h1 { (question.unwrap_or(&title)) }
            @if !is_complete {
                aside.warning role="note" {
                    strong { "This study is not complete." } " It was interrupted after "
                    (format_count(games, "game")) " of " (group_digits(study.games_planned())) "."
                }
            }
            @if let Some(shard) = study.shard() {
                aside.warning role="note" {
                    strong { "This is a shard of a study." } " Shard " (shard) "; "
                    code { "watershed merge" } " joins all shards."
                }
            }
            (answer(&body.lead, &body.labels))
            p.note { (inline_markup(&origin::data_note(claim, &provenance))) }
            div.screen { (body.picture) }
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
            dt { "complete" } dd { @if is_complete { "yes" } @else { "no" } }
        };
        let repeat = origin::repeat_section(&study.command().to_string(), &facts, described.iter());
        let note = study.note().map(Note::section).into_iter();
        let own = note.chain(body.sections);
        let sections: Vec<_> = own.chain(data_sections).chain([repeat]).collect();
        render_page(&title, &head, &sections)
    }
}
