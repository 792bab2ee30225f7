//! `report.html`: the page of a run.

mod conclusion;
mod health;
mod items;
mod openings;
mod play;
mod winners;

use maud::{Markup, html};

use super::{
    analysis::RunAnalysis, card::HealthCard, items::ShownItems, outliers::Outliers,
    panel::PanelAnalysis, playtests::PlaytestComparison, setup::RunSetup, tables::RunTables,
};
use crate::{
    bound::BoundGame,
    config::Document,
    report::{
        html::{Section, answer, format_count, group_digits, join_with_and, render_page},
        note::Note,
        origin::{self, game_title},
        provenance::Provenance,
        study_report::{StudyReport, labels_markup},
    },
    run::{
        manifest::DataSource,
        page::{incomplete_warning, shard_warning, yes_or_no},
    },
};
pub(crate) use conclusion::share_text;

/// The results of a run with everything that its page shows of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunPage<'a> {
    /// The data file.
    pub(crate) data: &'a Document,
    /// The sentence that replaces the answer if programs failed in too many games.
    pub(crate) invalid: Option<&'a str>,
    /// States its edits of the built-in data; `None` without one.
    pub(crate) edits: Option<&'a str>,
    /// True if all games were played, or all up to the look at which the goal was reached.
    pub(crate) complete: bool,
    pub(crate) analysis: &'a RunAnalysis<'a>,
    pub(crate) panel: Option<&'a PanelAnalysis<'a>>,
    pub(crate) card: &'a HealthCard,
    /// `None` if there is nobody to win against, or if different bots have the seats.
    pub(crate) outliers: Option<&'a Outliers<'a>>,
    /// None without games of people.
    pub(super) playtests: Option<&'a PlaytestComparison<'a>>,
    pub(crate) tables: &'a RunTables,
    /// The items to show, table by table.
    pub(crate) items: &'a [ShownItems],
    /// The command that repeats the run.
    pub(crate) command: &'a str,
    /// Notes of the user.
    pub(crate) note: Option<&'a Note>,
    pub(crate) provenance: &'a Provenance,
}

impl RunPage<'_> {
    /// Renders the page.
    pub(crate) fn render(&self, game: &BoundGame) -> Vec<u8> {
        let convergence = self.panel.and_then(|panel| panel.convergence.as_ref());
        let mut convergence_report = StudyReport::new("");
        if let Some((convergence, table)) = convergence.zip(self.tables.convergence.as_ref()) {
            convergence.add_section(&mut convergence_report, table.clone());
        }
        let mut sections = convergence_report.into_sections();
        sections.extend(self.note.map(Note::section));
        let playtests = self.playtests.zip(self.tables.playtests.as_ref());
        sections.extend(playtests.map(|(playtests, table)| playtests.section(table)));
        sections.push(self.winners());
        if self.is_competitive() {
            sections.push(self.turn_order());
        }
        sections.extend([self.scores(), self.length(), self.health()]);
        sections.extend(self.rounds(game.round_metrics()));
        for (items, table) in self.items.iter().zip(&self.tables.items) {
            sections.extend(self.items(items, table));
        }
        sections.extend(self.items_by_round(game));
        sections.extend(self.leads());
        sections.extend([
            self.openings(game),
            self.never(game),
            origin::data_section("The data", self.provenance, &self.data.text),
            self.repeat_section(),
        ]);
        let name = game_title(self.data, &self.setup().identity.game);
        let title = self.title(&name);
        render_page(&title, &self.head(game, &name, &title), &sections)
    }

    const fn setup(&self) -> &RunSetup {
        self.analysis.setup
    }

    /// Returns true if several players compete: a single one has no rank, margin or turn position.
    const fn is_competitive(&self) -> bool {
        self.analysis.players() > 1
    }

    fn title(&self, game: &str) -> String {
        let players = self.analysis.players();
        let bots = match self.analysis.bot_names().as_slice() {
            [bot] if players > 1 => format!("{bot} in all seats"),
            bots => join_with_and(bots),
        };
        let games = format_count(self.analysis.tally.games, "game");
        format!("{games} of {game} for {}: {bots}", format_count(players as u64, "player"))
    }

    /// Returns the names of the bots in the seats.
    pub(crate) fn bots(&self) -> String {
        join_with_and(&self.analysis.bot_names())
    }

    fn head(&self, game: &BoundGame, name: &str, title: &str) -> Markup {
        let RunSetup { identity, question } = self.setup();
        let trends = self.panel.map(PanelAnalysis::trends).unwrap_or_default();
        let labels = self.verdict().into_iter().chain(self.unconfirmed_outliers()).chain(trends);
        html! {
            (identity.page_head(name, title))
            @if !self.complete {
                (incomplete_warning("run", self.analysis.tally.games, self.setup().games()))
            }
            @if let Some(shard) = question.shard {
                (shard_warning("run", shard))
            }
            (answer(
                &html! {
                    @if let Some(edits) = self.edits { strong { (edits) } " " }
                    (self.conclusion(game))
                },
                &labels_markup(labels),
            ))
            (origin::provenance_note(
                &question.data.provenance,
                std::slice::from_ref(self.provenance),
                "the-data",
            ))
            @if let (Some(panel), Some(table)) = (self.panel, &self.tables.panel) {
                (panel.chart())
                details {
                    summary { "The figures of each bot" }
                    (Self::panel_table(panel, table))
                }
                @if let Some(note) = panel.strength_note() { p.note { (note) } }
            }
            (self.card.html(&self.bots()))
        }
    }

    fn repeat_section(&self) -> Section {
        let RunSetup { identity, question } = self.setup();
        let DataSource { config, config_sha256, provenance } = &question.data;
        let tally = self.analysis.tally;
        let data = html! {
            dt { "data" } dd { (config) ", provenance " q { (provenance) } }
            dt { "SHA-256 of the data" } dd { code { (config_sha256) } }
        };
        let facts = html! {
            (identity.facts(&data))
            dt { "games" }
            dd {
                (group_digits(tally.games)) " in " (format_count(tally.blocks, "block")) " of "
                (format_count(question.games_per_block, "game"))
            }
            dt { "complete" } dd { (yes_or_no(self.complete)) }
            @if let Some(reached) = self.setup().goal_reached(tally) {
                dt { "stopping criterion reached" } dd { (yes_or_no(reached)) }
            }
        };
        let bots = self.analysis.distinct_bots.iter().map(|&seat| &question.bots[seat]);
        origin::repeat_section(self.command, &facts, bots)
    }
}
