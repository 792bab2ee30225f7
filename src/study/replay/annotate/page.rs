//! The annotated game as a page to step through.

use maud::{Markup, PreEscaped, html};

use super::{
    AnnotationReport,
    text::{cost_text, decider, player},
};
use crate::{
    analysis::ledger::{AnnotatedEvent, Mistake},
    analysis::named::{NamedAction, NamedPosition},
    game::{Seat, Turn},
    report::{
        html::{Section, capitalize, render_page, warning_box},
        provenance::Claim,
    },
    scene::SvgSheet,
};

/// Size of the chart in units of its coordinates.
const CHART: [f64; 2] = [720.0, 220.0];
/// Space beside the chart for the labels of the axis.
const MARGIN: f64 = 48.0;

impl AnnotationReport<'_> {
    /// Renders the page: the answer, the chart of the win chances, the mistakes, the ledger, and
    /// the events, of which one is shown at a time.
    pub(super) fn page(&self) -> Vec<u8> {
        let title = format!("{}, game {}: annotated", self.title, self.record.index);
        let claim: &Claim = self.provenance;
        let head = html! {
            p.kicker { "Watershed · " (self.title) " · game " (self.record.index) }
            h1 { (title) }
            p.lead { (self.heading()) " " (self.answer()) }
            @if let Some(warning) = self.revision_warning() {
                (warning_box("The evaluation is not stable.", &html! { (warning) }))
            }
            p.note { "Data: " q { (claim) } ". " (self.method()) }
        };
        let sections = [
            Section::new("Win chances", self.chart()),
            Section::new("Mistakes", self.mistakes_markup()),
            Section::new("Ledger", self.ledger_markup()),
            Section::new("Events", self.events_markup()),
        ];
        render_page(&title, &head, &sections)
    }

    /// Draws a line for each seat. Lines differ in colour and in their dashes.
    fn chart(&self) -> Markup {
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

    fn ledger_markup(&self) -> Markup {
        let annotation = &self.annotation;
        let row = |name: &str, changes: &[f64], signed: bool| {
            html! {
                tr {
                    th scope="row" { (name) }
                    @for change in changes {
                        td.number {
                            @if signed { (format!("{:+.1}", 100.0 * change)) }
                            @else { (format!("{:.1}", 100.0 * change)) }
                        }
                    }
                }
            }
        };
        html! {
            p {
                "Start, luck, decisions and revisions add up to the end. Luck is the change of \
                 the win chance by a chance event, less its mean over all outcomes. A decision \
                 changes it by what it costs against the best action that was found. Revisions \
                 are changes of the evaluation without an event."
            }
            div.scroll {
                table {
                    thead {
                        tr {
                            th { "win chance, points" }
                            @for column in self.ledger_columns() { th.number { (column) } }
                        }
                    }
                    tbody {
                        (row("start", &self.ledger_chances(&annotation.start), false))
                        @for line in annotation.ledger() {
                            @let source = self.source_name(line.source);
                            @let changes = self.ledger_changes(&line.changes);
                            (row(&source, &changes, true))
                        }
                        (row("end", &self.ledger_chances(&annotation.end), false))
                    }
                }
            }
        }
    }

    fn mistakes_markup(&self) -> Markup {
        let mistakes: Vec<_> = self.annotation.mistakes().collect();
        html! {
            @if mistakes.is_empty() {
                p { "No decision is shown to be a mistake." }
            } @else {
                ul {
                    @for (index, event, cost) in mistakes {
                        li {
                            a href=(format!("#event{index}")) { "Event " (index) }
                            ", round " (event.round) ", " (decider(event.turn)) ": "
                            strong { (cost.mistake.map_or("", Mistake::as_str)) } ", "
                            (Self::action_markup(&event.action)) "; better: "
                            (Self::action_markup(&cost.best))
                            @if let Some(reason) = &event.reason { ", " (reason) }
                            "; " (cost_text(cost)) "."
                        }
                    }
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
    fn events_markup(&self) -> Markup {
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
        let seats = (0..self.annotation.seats).map(Seat::new);
        let next = match index + 1 {
            next if next == self.annotation.events.len() => "#end".to_owned(),
            next => format!("#event{next}"),
        };
        let percent = |chance: f64| format!("{:.1}", 100.0 * chance);
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
                div.scroll {
                    table {
                        thead {
                            tr {
                                th { "win chance, %" } th.number { "before" }
                                th.number {
                                    @if matches!(event.turn, Turn::Seat(_)) { "decision" }
                                    @else { "luck" }
                                }
                                th.number { "revision" } th.number { "after" }
                            }
                        }
                        tbody {
                            @for seat in seats {
                                tr {
                                    th scope="row" { (player(seat)) }
                                    td.number { (percent(event.before[seat.index()])) }
                                    td.number { (format!("{:+.1}", 100.0 * event.change(seat))) }
                                    td.number { (format!("{:+.1}", 100.0 * event.revision(seat))) }
                                    td.number { (percent(event.after[seat.index()])) }
                                }
                            }
                        }
                    }
                }
                details {
                    summary { "Position before the event, in words" }
                    dl.position { (self.position_markup(index)) }
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

    /// Renders the words of a position as a list of terms.
    fn position_markup(&self, index: usize) -> Markup {
        let text = &self.annotation.events[index].state.text;
        html! {
            @for word in text.split(' ') {
                @if let Some((key, value)) = word.split_once(':') {
                    dt { (key.replace('_', " ")) } dd { (value.replace(',', ", ")) }
                } @else {
                    dt { "game" } dd { (word) }
                }
            }
        }
    }
}
