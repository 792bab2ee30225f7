//! Where a run comes from: its data, and how to make it again.

use maud::{Markup, html};

use crate::{
    report::{
        chart::BarChart,
        html::{Section, format_count, group_digits, join_with_and, warning_box},
        provenance::{Mark, Provenance},
    },
    run::{
        checkpoint::Checkpoint,
        manifest::{BotDescription, RunSetup},
    },
    study::simulate::page::RunPage,
};

/// What all must know who see anything of data that is so marked.
pub(crate) fn provenance_warning(mark: &str, provenance: &[Provenance], section: &str) -> Markup {
    if mark.to_lowercase().contains("reconstruct")
        || provenance.iter().any(Provenance::is_reconstruction)
    {
        warning_box(
            "A reconstruction, not the printed game.",
            &html! {
                "The data of this run is marked " q { (mark) } ": not all of its values are \
                    public. What follows says how this data plays, and nothing of "
                "the printed game beyond it. Items are marked by where their values come from; " a href={ "#" (section) } { "the marks" } "."
            },
        )
    } else {
        html! { p { "The data of this run is marked " q { (mark) } "." } }
    }
}

/// Where the values of a data file come from, and the file.
pub(crate) fn data_section(title: &str, provenance: &Provenance, text: &str) -> Section {
    let counts =
        || Mark::ALL.into_iter().zip(provenance.values_by_mark).filter(|&(_, count)| count > 0);
    let marked: Vec<_> =
        counts().map(|(mark, count)| format!("{} {}", group_digits(count), mark.name())).collect();
    let total = provenance.marked_values() + provenance.unmarked_values;
    let sentence = format!(
        "The data file has {}: {} by the least sure mark of each, as its comments tell; without a \
            mark: {}.",
        format_count(total, "value"),
        join_with_and(&marked),
        group_digits(provenance.unmarked_values),
    );
    let rows = counts()
        .map(|(mark, count)| (html! { strong { (mark.letter()) } " " (mark.name()) }, count))
        .collect();
    let body = html! {
        @if marked.is_empty() {
            p { "The data file has " (format_count(total, "value")) "; none of them has a mark." }
        } @else {
            (BarChart { sentence: html! { (sentence) }, rows })
            p { "An item with several marks has them each in part: some of its values have the \
                one, and others the other." }
            dl.list { @for mark in Mark::ALL { dt { strong { (mark.letter()) } " " (mark.name()) } dd { (mark.definition()) } } }
        }
        details { summary { "The data file as it was played" } pre { code { (text) } } }
    };
    Section::new(title, body)
}

/// The command that makes a run again, what else there is to know of it, and its bots.
pub(crate) fn repeat_section<'a>(
    command: &str,
    facts: &Markup,
    bots: impl Iterator<Item = &'a BotDescription>,
) -> Section {
    let body = html! {
        p { "This command makes the run again, with the same bytes in every table and in this \
            report unless a bot's budget is time:" }
        pre { code { (command) } }
        dl.list {
            (facts)
            dt { "time and threads" } dd { "in " code { "run.json" } ": they make no difference \
                here" }
        }
        details {
            summary { "All parameters of the bots" }
            @for bot in bots {
                h3 { (bot.name) }
                pre { code { (serde_json::to_string_pretty(&bot.parameters).unwrap_or_default()) } }
            }
        }
    };
    Section::new("How to repeat it", body)
}

impl RunPage<'_> {
    pub(crate) fn manifest(&self, progress: &Checkpoint, command: &str) -> Section {
        let RunSetup {
            version,
            game,
            config,
            config_sha256,
            provenance,
            players,
            bots,
            seed,
            games_per_block,
            ..
        } = self.setup;
        let facts = html! {
            dt { "program" } dd { "watershed " (version) }
            dt { "game" } dd { (game) ", " (format_count(*players as u64, "player")) }
            dt { "data" } dd { (config) ", marked " q { (provenance) } }
            dt { "SHA-256 of the data" } dd { code { (config_sha256) } }
            dt { "seed" } dd { (seed) }
            dt { "games" } dd { (group_digits(self.tally.games)) " in " (format_count(self.tally.blocks, "block")) " of " (format_count(*games_per_block, "game")) }
            dt { "complete" } dd { @if progress.is_complete() { "yes" } @else { "no" } }
            @if let Some(reached) = progress.goal_reached() { dt { "goal reached" } dd { @if reached { "yes" } @else { "no" } } }
        };
        repeat_section(command, &facts, self.context.distinct_bots.iter().map(|&seat| &bots[seat]))
    }
}
