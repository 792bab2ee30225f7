//! The page of a study of a game's balance: what it found, between what it is of and how to make it
//! again.

use maud::{Markup, html};

use crate::study::simulate::page::origin;
use crate::{
    arena::metric::SeatMetric,
    config::Document,
    report::{
        html::{Section, Unit, format_count, group_digits, render_page, warning_box},
        provenance::Provenance,
    },
    run::manifest::BotDescription,
    stats::{holm::SIGNIFICANCE_LEVEL, paired::Effect, ratio::Estimate},
    study::simulate::page::game_title,
};

/// What a study is of, and how to make it again.
#[derive(Clone, Copy, Debug)]
pub struct StudyPage<'a> {
    /// The command that makes it again.
    pub command: &'a str,
    /// The game's name.
    pub game: &'a str,
    /// Number of players.
    pub players: usize,
    /// The master seed.
    pub seed: u64,
    /// The bots.
    pub bots: &'a [BotDescription],
    /// The data files, each with what it is called if there are several.
    pub data: &'a [(&'a str, &'a Document)],
    /// Where their values come from.
    pub provenance: &'a str,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played.
    pub games: u64,
    /// Games asked for.
    pub games_planned: u64,
}

/// What a study found.
#[derive(Clone, Debug)]
pub struct ReportBody {
    /// What it asked.
    pub title: String,
    /// The one thing to know.
    pub lead: Markup,
    /// All else.
    pub sections: Vec<Section>,
}

impl StudyPage<'_> {
    /// The page.
    pub fn render(&self, findings: ReportBody) -> Vec<u8> {
        let provenance: Vec<_> =
            self.data.iter().map(|(_, document)| Provenance::read(&document.text)).collect();
        let name = self
            .data
            .first()
            .map_or_else(|| self.game.to_owned(), |(_, document)| game_title(document, self.game));
        let title =
            format!("{}: {name}, {}", findings.title, format_count(self.players as u64, "player"));
        let heading = |label: &str| {
            if label.is_empty() { "The data".to_owned() } else { format!("The data of {label}") }
        };
        let data = self.data.iter().zip(&provenance).map(|((label, document), provenance)| {
            origin::data_section(&heading(label), provenance, &document.text)
        });
        let data: Vec<_> = data.collect();
        let marks = data.first().map_or("", |section| section.id.as_str());
        let head = html! {
            p.kicker { "Watershed · " (name) " · " (format_count(self.players as u64, "player")) " · seed " (self.seed) }
            h1 { (title) }
            (origin::provenance_warning(self.provenance, &provenance, marks))
            @if self.games < self.games_planned {
                (warning_box("This study is not complete.", &html! {
                    "It was interrupted after " (format_count(self.games, "game")) " of " (group_digits(self.games_planned)) "."
                }))
            }
            p.lead { (findings.lead) }
            p.note { (format_count(self.games, "game")) " of all kinds in " (format_count(self.blocks, "block")) "." }
        };
        let mut sections = findings.sections;
        sections.extend(data);
        sections.push(self.manifest());
        render_page(&title, &head, &sections)
    }

    fn manifest(&self) -> Section {
        let facts = html! {
            dt { "program" } dd { "watershed " (env!("CARGO_PKG_VERSION")) }
            dt { "game" } dd { (self.game) ", " (format_count(self.players as u64, "player")) }
            @for (label, document) in self.data {
                dt { "data" @if !label.is_empty() { " of " (label) } } dd { (document.name) }
                dt { "its SHA-256" } dd { code { (document.sha256()) } }
            }
            dt { "marked" } dd { q { (self.provenance) } }
            dt { "seed" } dd { (self.seed) }
            dt { "games" } dd { (group_digits(self.games)) " in " (format_count(self.blocks, "block")) }
            dt { "complete" } dd { @if self.games < self.games_planned { "no" } @else { "yes" } }
        };
        origin::repeat_section(self.command, &facts, self.bots.iter())
    }
}

/// A measure as people call it, and how differences of it are written.
pub(crate) const fn metric_label(measure: SeatMetric) -> (&'static str, Unit) {
    match measure {
        SeatMetric::WinShare => ("share of the win", Unit::PercentagePoints),
        SeatMetric::Score => ("score", Unit::Signed(2)),
        SeatMetric::Rounds => ("rounds of the game", Unit::Signed(2)),
    }
}

/// An effect as charts and tables show it; without observations if there are too few for a value.
pub(crate) fn effect_estimate(effect: Effect) -> Estimate {
    estimate_if_finite(effect.estimate())
}

/// An estimate without observations if it has no value.
pub(crate) fn estimate_if_finite(estimate: Estimate) -> Estimate {
    Estimate { n: if estimate.value.is_finite() { estimate.n } else { 0 }, ..estimate }
}

/// `3 lie above 0 and 1 below`, of corrected p-values of effects.
pub(crate) fn significance_summary(effects: impl Iterator<Item = (f64, f64)>) -> String {
    let (mut all, mut above, mut below) = (0, 0, 0);
    for (value, p) in effects.filter(|(_, p)| p.is_finite()) {
        all += 1;
        above += u64::from(p < SIGNIFICANCE_LEVEL && value > 0.0);
        below += u64::from(p < SIGNIFICANCE_LEVEL && value < 0.0);
    }
    match (all, above + below) {
        (0, _) => "There are too few observations to test any.".to_owned(),
        (_, 0) => format!("Of {all} tested together, none is shown to differ from 0."),
        _ => format!(
            "Of {all} tested together, {above} {} shown to lie above 0 and {below} below; of the \
                others none is.",
            if above == 1 { "is" } else { "are" }
        ),
    }
}
