//! The page of `tune`.

use maud::{Markup, html};

use super::{TuneSetup, experiment::PlayOff};
use crate::{
    config::Document,
    report::{
        chart::{IntervalChart, IntervalRow},
        html::{HtmlTable, Section, TableCell, Unit, capitalize, join_with_and, render_page},
        origin::{data_section, game_title, provenance_note, repeat_section},
        provenance::Provenance,
    },
    run::manifest::RunIdentity,
};

/// The page of a finished tuning.
pub(super) struct TuningPage<'a> {
    pub(super) setup: &'a TuneSetup,
    pub(super) identity: &'a RunIdentity,
    pub(super) data: &'a Document,
    pub(super) play_off: &'a PlayOff,
    /// Command that repeats the run.
    pub(super) command: &'a str,
}

impl TuningPage<'_> {
    pub(super) fn render(&self) -> Vec<u8> {
        let Self { setup, identity, data, .. } = self;
        let name = game_title(data, &identity.game);
        let profile = &setup.profile.name;
        let title = format!("Tuning of {profile}: {name}, {}", identity.players_text());
        let provenance = [Provenance::read(&data.text)];
        let data_section = data_section("The data", &provenance[0], &data.text);
        let head = html! {
            (identity.page_head(&name, &title))
            p.lead { (self.answer()) }
            (provenance_note(&setup.data.provenance, &provenance, &data_section.id))
        };
        let sections = [self.play_off(), self.parameters(), data_section, self.repeat()];
        render_page(&title, &head, &sections)
    }

    /// States if a better profile was found, and by how much it wins more.
    fn answer(&self) -> Markup {
        let profile = &self.setup.profile.name;
        let result = self.play_off.describe(profile, self.identity.players);
        let result = result.replace(" -", " −").replace("[-", "[−");
        let players = self.identity.players_text();
        html! {
            @if self.play_off.improvement().is_some() {
                "A better profile than " (profile) " was found for " (players) ": it " (result) "."
            } @else {
                "No better profile than " (profile) " was found for " (players) ". "
                @if self.play_off.winner.is_some() { "The best candidate " (result) "." }
                @else { (capitalize(&result)) "." }
            }
        }
    }

    fn play_off(&self) -> Section {
        let opponents: Vec<_> = self.setup.opponents.iter().map(|bot| bot.name.clone()).collect();
        let rows = self.play_off.rates.iter().map(|(stage, bot, rate)| {
            let bot = if bot == "start" { &self.setup.profile.name } else { bot };
            IntervalRow::new((format!("{bot}, {stage}"), *rate))
        });
        let chart = IntervalChart::new(
            "Win rates of the initial profile and of the result of each restart: in the play-off \
             on the same deals, and of the best of them in the confirmation on new deals.",
            Unit::Percent,
            "win rate".to_owned(),
            rows.collect(),
        );
        let body = html! {
            (chart)
            (self.play_off.table.view().with_first(&["bot", "win_rate", "games"]).html("Play-off"))
            p.note {
                @if !opponents.is_empty() {
                    "In the play-off the other seats have " (join_with_and(&opponents)) ". "
                }
                code { "playoff.csv" } " has the same numbers, and " code { "evaluations.csv" }
                " all evaluations of candidates."
            }
        };
        Section::new("Play-off", body)
    }

    fn parameters(&self) -> Section {
        let tuned = self.play_off.winner_values();
        let number = |value: Option<f64>| match value {
            Some(value) => TableCell::number(Unit::Decimals(4).format_number(value, 4), value),
            None => TableCell::empty(),
        };
        let rows = self.setup.keys.iter().enumerate().map(|(index, parameter)| {
            vec![
                TableCell::text(&parameter.name),
                number(parameter.start),
                number(tuned.map(|values| values[index])),
                number(Some(parameter.low)),
                number(Some(parameter.high)),
            ]
        });
        let headings = ["parameter", "initial", "best finalist", "lower limit", "upper limit"];
        let table = HtmlTable {
            caption: "Values of the tuned parameters".to_owned(),
            headings: headings.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        };
        Section::new("Parameters", html! { (table) })
    }

    fn repeat(&self) -> Section {
        let Self { setup, identity, data, command, .. } = self;
        let facts = html! {
            dt { "data" } dd { (data.name) ", provenance " q { (setup.data.provenance) } }
            dt { "SHA-256 of the data" } dd { code { (data.sha256()) } }
        };
        let bots = std::iter::once(&setup.profile).chain(&setup.opponents);
        let mut distinct: Vec<_> = Vec::new();
        for bot in bots {
            if !distinct.contains(&bot) {
                distinct.push(bot);
            }
        }
        repeat_section(command, &identity.facts(&facts), distinct.into_iter())
    }
}
