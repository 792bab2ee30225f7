//! The drawings of an annotated game on its page: the win chances, and the events to step through.

use maud::{Markup, PreEscaped, html};

use super::AnnotationReport;
use crate::{
    game::Notation as _,
    protocol::review::{ReviewedEvent, player},
    report::html::{HtmlTable, TableCell, capitalize},
    scene::SvgSheet,
};

/// Size of the chart in units of its coordinates.
const CHART: [f64; 2] = [720.0, 220.0];
/// Space beside the chart for the labels of the axis.
const MARGIN: f64 = 48.0;

impl AnnotationReport<'_> {
    /// Draws a line for each seat. Lines differ in colour and in their dashes.
    pub(super) fn chart(&self) -> Markup {
        let [width, height] = CHART;
        let (seats, events) = (0..self.review.players, &self.review.events);
        let x =
            |event: usize| MARGIN + (width - MARGIN) * event as f64 / events.len().max(1) as f64;
        let y = |chance: f64| 14.0 + (height - 34.0) * (1.0 - chance.clamp(0.0, 1.0));
        let line = |seat: usize| {
            let before = events.iter().map(|event| event.before[seat]);
            let chances = before.chain([self.review.end[seat]]);
            let points = chances
                .enumerate()
                .map(|(event, chance)| format!("{:.1},{:.1}", x(event), y(chance)));
            points.collect::<Vec<_>>().join(" ")
        };
        let marks = self.review.mistakes().map(|event| {
            let (index, size) = (event.n, event.mistake.unwrap_or_default());
            let chance = event.before[event.seat.unwrap_or_default()];
            (index, x(index), y(chance), format!("Event {index}: {size}"))
        });
        let label = format!("Win chance of each player before each of {} events", events.len());
        html! {
            figure.chances {
                svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(label) {
                    @for chance in [0.0, 0.25, 0.5, 0.75, 1.0] {
                        line.grid x1=(MARGIN) x2=(width) y1=(y(chance)) y2=(y(chance)) {}
                        text.tick x=(MARGIN - 6.0) y=(y(chance) + 6.0) text-anchor="end" {
                            (format!("{:.0}", 100.0 * chance))
                        }
                    }
                    @for seat in seats.clone() {
                        @let class = format!("seat seat{seat}");
                        polyline class=(class) points=(line(seat)) fill="none" {}
                    }
                    @for (index, x, y, title) in marks {
                        a href=(format!("#event{index}")) {
                            circle.mistake cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="5" {
                                title { (title) }
                            }
                        }
                    }
                }
                figcaption {
                    "Win chance in percent before each event. "
                    @for seat in seats {
                        span class=(format!("key seat{seat}")) {
                            svg viewBox="0 0 36 8" aria-hidden="true" {
                            line x1="0" x2="36" y1="4" y2="4" {} }
                            (capitalize(&player(seat)))
                        }
                        " "
                    }
                    "Circles are mistakes; each links to its event."
                }
            }
        }
    }

    /// Renders all events. The style shows the one that the address names, or the first.
    pub(super) fn events_markup(&self) -> Markup {
        let mut sheet = SvgSheet::default();
        let rules = self.game.rules();
        let events = self.annotation.events.iter();
        let boards = events.map(|event| sheet.figure(&rules.scene(&event.state, None)));
        let boards: Vec<_> = boards.collect();
        let end = rules.scene(&self.annotation.end_state, None);
        let end = (!boards.is_empty()).then(|| sheet.figure(&end));
        html! {
            (PreEscaped(sheet.definitions()))
            p.note { "One event is shown at a time; follow its links, or those of the chart." }
            div.steps {
                @if let Some(end) = end { (self.end_markup(&end)) }
                // The first event is written last, because the style shows the last one if the
                // address names none.
                @for (event, boards) in self.review.events.iter().zip(&boards).rev() {
                    (self.event_markup(event, boards))
                }
            }
        }
    }

    fn event_markup(&self, event: &ReviewedEvent, boards: &str) -> Markup {
        let (index, rules) = (event.n, self.game.rules());
        let next = match index + 1 {
            next if next == self.review.events.len() => "#end".to_owned(),
            next => format!("#event{next}"),
        };
        html! {
            article.step id=(format!("event{index}")) {
                h3 {
                    "Event " (index) ", round " (event.round) ": " (event.decider()) ": "
                    (action_markup(&event.label, &event.action))
                }
                p {
                    @if index > 0 { a href=(format!("#event{}", index - 1)) { "← previous" } " " }
                    a href=(next) { "next →" }
                }
                @if event.best.is_some() {
                    p {
                        @if let Some(mistake) = event.mistake {
                            strong { (capitalize(mistake)) } ". "
                        }
                        "Best: " (best_markup(event)) "."
                    }
                } @else if event.seat.is_some() && event.choices > 1 {
                    p { "No better action was found among " (event.choices) "." }
                }
                (PreEscaped(boards))
                (chances_table(event))
                details {
                    summary { "Position before the event, in words" }
                    pre { code { (rules.position_text(&self.annotation.events[index].state)) } }
                }
            }
        }
    }

    /// Renders the final position.
    fn end_markup(&self, boards: &str) -> Markup {
        let last = self.review.events.len().saturating_sub(1);
        html! {
            article.step id="end" {
                h3 { "End of the game" }
                p { a href=(format!("#event{last}")) { "← previous" } }
                p { (self.heading()) }
                (PreEscaped(boards))
            }
        }
    }
}

/// Returns the win chances around an event, and their changes.
fn chances_table(event: &ReviewedEvent) -> HtmlTable {
    let number = |number: f64, text: String| TableCell::number(text, number);
    let chance = |chance: f64| number(chance, format!("{:.1}", 100.0 * chance));
    let change = |change: f64| number(change, format!("{:+.1}", 100.0 * change));
    let rows = (0..event.before.len()).map(|seat| {
        vec![
            TableCell::text(player(seat)),
            chance(event.before[seat]),
            change(event.change[seat]),
            change(event.revision[seat]),
            chance(event.after[seat]),
        ]
    });
    HtmlTable {
        caption: "Win chances in percent".to_owned(),
        headings: ["", "before", event.kind, "revision", "after"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// Renders an action in words, with its notation.
fn action_markup(label: &str, notation: &str) -> Markup {
    html! {
        @if label != notation { (label) " " }
        code { (notation) }
    }
}

/// Renders the action that is better than that of an event, with the reason and the cost.
fn best_markup(event: &ReviewedEvent) -> Markup {
    let ReviewedEvent { best, best_label, reason, .. } = event;
    html! {
        @if let (Some(best), Some(label)) = (best, best_label) { (action_markup(label, best)) }
        @if let Some(reason) = reason { ", " (reason) }
        "; " (event.cost_text())
    }
}
