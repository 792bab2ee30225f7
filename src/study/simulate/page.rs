//! `report.html`: a run for people, in one file that needs nothing else.

pub mod conclusion;
pub mod health;
pub mod items;
pub mod openings;
pub mod winners;

use maud::{Markup, html};

use crate::{
    arena::tally::Tally,
    config::Document,
    game::Statistics,
    report::{
        html::{Section, format_count, group_digits, join_with_and, render_page, warning_box},
        origin::{self, game_title},
        provenance::Provenance,
    },
    run::{
        checkpoint::Checkpoint,
        manifest::{DataSource, RunIdentity, RunSetup},
    },
    study::simulate::{csv::TableContext, even::ExpectedShare},
};

/// Fewer observations than this say little about one of many things.
pub(crate) const MIN_OBSERVATIONS: i64 = 30;

/// What the parts of the page need to know.
pub(crate) struct RunPage<'a> {
    context: TableContext<'a>,
    setup: &'a RunSetup,
    tally: &'a Tally,
    game_name: String,
    provenance: Provenance,
    expected: ExpectedShare,
}

/// The report of a run.
pub fn render_run_page<G: Statistics>(
    game: &G,
    context: TableContext<'_>,
    progress: &Checkpoint,
    command: &str,
) -> Vec<u8> {
    let Checkpoint { setup, tally, .. } = progress;
    let provenance = Provenance::read(&progress.data);
    let data = Document { name: String::new(), text: progress.data.clone() };
    let game_name = game_title(&data, &setup.identity.game);
    let run = RunPage {
        context,
        setup,
        tally,
        game_name,
        provenance,
        expected: ExpectedShare::new(tally, setup.identity.players),
    };
    let mut sections = vec![run.winners()];
    if setup.identity.players > 1 {
        sections.push(run.turn_order());
    }
    sections.extend([run.scores(), run.length(), run.health()]);
    sections.extend(run.rounds(game.round_metrics()));
    for table in game.catalog().tables() {
        sections.extend(run.items(table, &tally.items[table.ids().range()]));
    }
    sections.extend([
        run.openings(game),
        run.never_section(game),
        origin::data_section("The data", &run.provenance, &progress.data),
        run.repeat_section(progress, command),
    ]);
    render_page(&run.title(), &run.head(progress), &sections)
}

impl RunPage<'_> {
    fn title(&self) -> String {
        let bots = match self.bot_names().as_slice() {
            [bot] if self.setup.identity.players == 1 => bot.clone(),
            [bot] => format!("{bot} in all seats"),
            bots => join_with_and(bots),
        };
        format!(
            "{} of {} for {}: {bots}",
            format_count(self.tally.games, "game"),
            self.game_name,
            format_count(self.setup.identity.players as u64, "player")
        )
    }

    fn head(&self, progress: &Checkpoint) -> Markup {
        let RunIdentity { players, seed, .. } = self.setup.identity;
        let provenance = &self.setup.question.data.provenance;
        html! {
            p.kicker { "Watershed · " (self.game_name) " · " (format_count(players as u64, "player")) " · seed " (seed) }
            h1 { (self.title()) }
            (origin::provenance_warning(provenance, std::slice::from_ref(&self.provenance), "the-data"))
            @if !progress.is_complete() {
                (warning_box("This run is not complete.", &html! {
                    "It was interrupted after " (format_count(self.tally.games, "game")) " of " (group_digits(self.setup.games())) "."
                }))
            }
            @if let Some(shard) = self.setup.question.shard {
                (warning_box("This is a part of a run.", &html! { "Part " (shard) "; " code { "watershed merge" } " makes one run of all parts." }))
            }
            p.lead { (self.conclusion()) }
            (self.facts())
        }
    }

    /// The names of the different bots.
    fn bot_names(&self) -> Vec<String> {
        self.context
            .distinct_bots
            .iter()
            .map(|&seat| self.context.bots[seat].name.clone())
            .collect()
    }

    fn repeat_section(&self, progress: &Checkpoint, command: &str) -> Section {
        let RunSetup { identity, question } = self.setup;
        let DataSource { config, config_sha256, provenance } = &question.data;
        let facts = html! {
            dt { "program" } dd { "watershed " (identity.version) }
            dt { "game" } dd { (identity.game) ", " (format_count(identity.players as u64, "player")) }
            dt { "data" } dd { (config) ", provenance " q { (provenance) } }
            dt { "SHA-256 of the data" } dd { code { (config_sha256) } }
            dt { "seed" } dd { (identity.seed) }
            dt { "games" } dd { (group_digits(self.tally.games)) " in " (format_count(self.tally.blocks, "block")) " of " (format_count(question.games_per_block, "game")) }
            dt { "complete" } dd { @if progress.is_complete() { "yes" } @else { "no" } }
            @if let Some(reached) = progress.goal_reached() { dt { "goal reached" } dd { @if reached { "yes" } @else { "no" } } }
        };
        origin::repeat_section(
            command,
            &facts,
            self.context.distinct_bots.iter().map(|&seat| &question.bots[seat]),
        )
    }
}
