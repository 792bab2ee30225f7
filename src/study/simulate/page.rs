//! `report.html`: a run for people, in one file that needs nothing else.

pub mod conclusion;
pub mod health;
pub mod items;
pub mod openings;
pub mod origin;
pub mod winners;

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    arena::tally::Tally,
    config::Document,
    game::Statistics,
    report::{
        html::{counted, grouped, listed, page, warning},
        provenance::Provenance,
    },
    run::{checkpoint::Progress, manifest::Setup},
    study::simulate::{csv::Context, even::Even},
};

/// The name of the file.
pub const FILE: &str = "report.html";

/// Fewer observations than this say little about one of many things.
pub(crate) const FEWEST: i64 = 30;

/// What the parts of the page need to know.
pub(crate) struct Run<'a> {
    context: Context<'a>,
    setup: &'a Setup,
    tally: &'a Tally,
    game_name: String,
    provenance: Provenance,
    even: Even,
}

/// What a data file calls its game.
#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The name of a game as its data file gives it, or else its short one.
pub(crate) fn name_of(data: &Document, game: &str) -> String {
    data.parse().map_or_else(|_| game.to_owned(), |Named { name }| name)
}

/// The report of a run.
pub fn run<G: Statistics>(game: &G, context: Context<'_>, progress: &Progress, command: &str) -> Vec<u8> {
    let Progress { setup, tally, .. } = progress;
    let provenance = Provenance::read(&progress.data);
    let data = Document { name: String::new(), text: progress.data.clone() };
    let game_name = name_of(&data, &setup.game);
    let run = Run { context, setup, tally, game_name, provenance, even: Even::of(tally, setup.players) };
    let mut sections = vec![run.winners()];
    if setup.players > 1 {
        sections.push(run.turn_order());
    }
    sections.extend([run.scores(), run.length(), run.health()]);
    sections.extend(run.rounds(game.gauges()));
    let mut first_item = 0;
    for table in game.tables() {
        sections.extend(run.items(&table, &tally.items[first_item..first_item + table.items.len()]));
        first_item += table.items.len();
    }
    sections.extend([
        run.openings(game),
        run.never(game),
        origin::data("The data", &run.provenance, &progress.data),
        run.manifest(progress, command),
    ]);
    page(&run.title(), &run.head(progress), &sections)
}

impl Run<'_> {
    fn title(&self) -> String {
        let bots = match self.bot_names().as_slice() {
            [bot] if self.setup.players == 1 => bot.clone(),
            [bot] => format!("{bot} in all seats"),
            bots => listed(bots),
        };
        format!("{} of {} for {}: {bots}", counted(self.tally.games, "game"), self.game_name, counted(self.setup.players as u64, "player"))
    }

    fn head(&self, progress: &Progress) -> Markup {
        let Setup { players, seed, provenance, .. } = self.setup;
        html! {
            p.kicker { "Watershed · " (self.game_name) " · " (counted(*players as u64, "player")) " · seed " (seed) }
            h1 { (self.title()) }
            (origin::warning_of(provenance, std::slice::from_ref(&self.provenance), "the-data"))
            @if !progress.is_complete() {
                (warning("This run is not complete.", &html! {
                    "It was interrupted after " (counted(self.tally.games, "game")) " of " (grouped(self.setup.games())) "."
                }))
            }
            @if let Some(shard) = self.setup.shard {
                (warning("This is a part of a run.", &html! { "Part " (shard) "; " code { "watershed merge" } " makes one run of all parts." }))
            }
            p.lead { (self.conclusion()) }
            (self.facts())
        }
    }

    /// The names of the different bots.
    fn bot_names(&self) -> Vec<String> {
        self.context.different.iter().map(|&seat| self.context.bots[seat].name.clone()).collect()
    }
}
