//! The drawings of an annotated game on its page: the win chances, and the events to step through.

use maud::{Markup, PreEscaped, html};

use super::{
    AnnotationReport,
    text::{cost_text, decider, player},
};
use crate::{
    analysis::ledger::{AnnotatedEvent, Mistake},
    analysis::named::{NamedAction, NamedPosition},
    game::{Seat, Turn},
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
        let events = &self.annotation.events;
        let x =
            |event: usize| MARGIN + (width - MARGIN) * event as f64 / events.len().max(1) as f64;
        let y = |chance: f64| 14.0 + (height - 34.0) * (1.0 - chance.clamp(0.0, 1.0));
        let line = |seat: usize| {
            let before = events.iter().map(|event| event.before[seat]);
            let chances = before.chain([self.annotation.end[seat]]);
            let points = chances
                .enumerate()
                .map(|(event, chance)| format!("{:.1},{:.1}", x(event), y(chance)));
            points.collect::<Vec<_>>().join(" ")
        };
        let seats = 0..self.annotation.seats;
        let marks = self.annotation.mistakes().map(|(index, event, cost)| {
            let seat = match event.turn {
                Turn::Seat(seat) => seat.index(),
                _ => 0,
            };
            let size = cost.mistake.map_or("", Mistake::as_str);
            (index, x(index), y(event.before[seat]), format!("Event {index}: {size}"))
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
                            (capitalize(&player(Seat::new(seat))))
                        }
                        " "
                    }
                    "Circles are mistakes; each links to its event."
                }
            }
        }
    }

    /// Renders an action in words, with its notation.
    fn action_markup(action: &NamedAction) -> Markup {
        let NamedAction { label, notation } = action;
        html! {
            @if label != notation { (label) " " }
            code { (notation) }
        }
    }

    /// Renders all events. The style shows the one that the address names, or the first.
    pub(super) fn events_markup(&self) -> Markup {
        let mut sheet = SvgSheet::default();
        let boards = self.annotation.events.iter();
        let boards = boards.map(|event| sheet.figure(&event.state.scene));
        let boards: Vec<_> = boards.collect();
        let end = &self.annotation.end_state;
        let end = (!boards.is_empty()).then(|| sheet.figure(&end.scene));
        html! {
            (PreEscaped(sheet.definitions()))
            p.note { "One event is shown at a time; follow its links, or those of the chart." }
            div.steps {
                @if let Some(end) = end { (self.end_markup(&end)) }
                // The first event is written last, because the style shows the last one if the
                // address names none.
                @let events = self.annotation.events.iter().zip(&boards).enumerate();
                @for (index, (event, boards)) in events.rev() {
                    (self.event_markup(index, event, boards))
                }
            }
        }
    }

    fn event_markup(
        &self,
        index: usize,
        event: &AnnotatedEvent<NamedPosition, NamedAction>,
        boards: &str,
    ) -> Markup {
        let next = match index + 1 {
            next if next == self.annotation.events.len() => "#end".to_owned(),
            next => format!("#event{next}"),
        };
        html! {
            article.step id=(format!("event{index}")) {
                h3 {
                    "Event " (index) ", round " (event.round) ": " (decider(event.turn)) ": "
                    (Self::action_markup(&event.action))
                }
                p {
                    @if index > 0 { a href=(format!("#event{}", index - 1)) { "← previous" } " " }
                    a href=(next) { "next →" }
                }
                @if let Some(cost) = &event.cost {
                    p {
                        @if let Some(mistake) = cost.mistake {
                            strong { (capitalize(mistake.as_str())) } ". "
                        }
                        "Best: " (Self::action_markup(&cost.best))
                        @if let Some(reason) = &event.reason { ", " (reason) }
                        "; " (cost_text(cost)) "."
                    }
                } @else if matches!(event.turn, Turn::Seat(_)) && event.choices > 1 {
                    p { "No better action was found among " (event.choices) "." }
                }
                (PreEscaped(boards))
                (self.chances_table(event))
                details {
                    summary { "Position before the event, in words" }
                    pre { code { (event.state.text) } }
                }
            }
        }
    }

    /// Renders the final position.
    fn end_markup(&self, boards: &str) -> Markup {
        let last = self.annotation.events.len().saturating_sub(1);
        html! {
            article.step id="end" {
                h3 { "End of the game" }
                p { a href=(format!("#event{last}")) { "← previous" } }
                p { (self.heading()) }
                (PreEscaped(boards))
            }
        }
    }

    /// Returns the win chances around an event, and their changes.
    fn chances_table(&self, event: &AnnotatedEvent<NamedPosition, NamedAction>) -> HtmlTable {
        let is_decision = matches!(event.turn, Turn::Seat(_));
        let change = if is_decision { "decision" } else { "luck" };
        let rows = (0..self.annotation.seats).map(|index| {
            let seat = Seat::new(index);
            let chance = |chance: f64| TableCell::number(format!("{:.1}", 100.0 * chance), chance);
            let change = |change: f64| TableCell::number(format!("{:+.1}", 100.0 * change), change);
            vec![
                TableCell::text(player(seat)),
                chance(event.before[index]),
                change(event.change(seat)),
                change(event.revision(seat)),
                chance(event.after[index]),
            ]
        });
        HtmlTable {
            caption: "Win chances in percent".to_owned(),
            headings: ["", "before", change, "revision", "after"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}
