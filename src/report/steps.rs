//! The events of a game to step through on a page, and the chart of the win chances over them.

use maud::{Markup, PreEscaped, Render, html};

use super::{
    html::{HtmlTable, capitalize},
    study_report::inline_markup,
};

/// Size of the chart in units of its coordinates.
const CHART: [f64; 2] = [720.0, 220.0];
/// Space beside the chart for the labels of the axis.
const MARGIN: f64 = 48.0;

/// An event with its drawing. Words of its texts between backticks are code, and between double
/// asterisks strong.
pub(crate) struct ShownEvent {
    /// Target of links.
    pub(crate) id: String,
    pub(crate) title: String,
    /// A paragraph; empty for none.
    pub(crate) text: String,
    /// Drawing as SVG.
    pub(crate) drawing: String,
    pub(crate) table: Option<HtmlTable>,
    /// A text in lines that opens below its title.
    pub(crate) details: Option<[String; 2]>,
}

/// Events in order, of which the page shows the one that its address names, or the first.
pub(crate) struct EventSteps {
    /// What the drawings have in common, as SVG.
    pub(crate) definitions: String,
    pub(crate) events: Vec<ShownEvent>,
}

impl EventSteps {
    /// Renders the link to an event; nothing if there is none.
    fn link(&self, index: Option<usize>, text: &str) -> Markup {
        let event = index.and_then(|index| self.events.get(index));
        html! { @if let Some(ShownEvent { id, .. }) = event { a href={ "#" (id) } { (text) } " " } }
    }
}

impl Render for EventSteps {
    fn render(&self) -> Markup {
        html! {
            (PreEscaped(&self.definitions))
            p.note { "One event is shown at a time; follow its links, or those of the chart." }
            div.steps {
                // The first event is written last, because the style shows the last one if the
                // address names none.
                @for (index, event) in self.events.iter().enumerate().rev() {
                    article.step id=(event.id) {
                        h3 { (inline_markup(&event.title)) }
                        p {
                            (self.link(index.checked_sub(1), "← previous"))
                            (self.link(Some(index + 1), "next →"))
                        }
                        @if !event.text.is_empty() { p { (inline_markup(&event.text)) } }
                        (PreEscaped(&event.drawing))
                        @if let Some(table) = &event.table { (table) }
                        @if let Some([title, text]) = &event.details {
                            details { summary { (title) } pre { code { (text) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Win chances before each event and at the end, a line for each player.
pub(crate) struct ChanceChart {
    /// Names of the players. Their lines differ in colour and in their dashes.
    pub(crate) names: Vec<String>,
    /// The chances of all players, by event.
    pub(crate) chances: Vec<Vec<f64>>,
    /// Mistakes: the index of the event, the player, and what the mark says.
    pub(crate) marks: Vec<(usize, usize, String)>,
    /// The targets of the events.
    pub(crate) ids: Vec<String>,
}

impl Render for ChanceChart {
    fn render(&self) -> Markup {
        let [width, height] = CHART;
        let events = self.ids.len();
        let x = |event: usize| MARGIN + (width - MARGIN) * event as f64 / events.max(1) as f64;
        let y = |chance: f64| 14.0 + (height - 34.0) * (1.0 - chance.clamp(0.0, 1.0));
        let line = |player: usize| {
            let chances = self.chances.iter().map(|chances| chances[player]).enumerate();
            let points = chances.map(|(event, chance)| format!("{:.1},{:.1}", x(event), y(chance)));
            points.collect::<Vec<_>>().join(" ")
        };
        let label = format!("Win chance of each player before each of {events} events");
        html! {
            figure.chances {
                svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(label) {
                    @for chance in [0.0, 0.25, 0.5, 0.75, 1.0] {
                        line.grid x1=(MARGIN) x2=(width) y1=(y(chance)) y2=(y(chance)) {}
                        text.tick x=(MARGIN - 6.0) y=(y(chance) + 6.0) text-anchor="end" {
                            (format!("{:.0}", 100.0 * chance))
                        }
                    }
                    @for player in 0..self.names.len() {
                        polyline class={ "seat seat" (player) } points=(line(player)) fill="none" {}
                    }
                    @for &(event, player, ref title) in &self.marks {
                        @let [x, y] = [x(event), y(self.chances[event][player])];
                        a href={ "#" (self.ids[event]) } {
                            circle.mistake cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="5" {
                                title { (title) }
                            }
                        }
                    }
                }
                figcaption {
                    "Win chance in percent before each event. "
                    @for (player, name) in self.names.iter().enumerate() {
                        span class={ "key seat" (player) } {
                            svg viewBox="0 0 36 8" aria-hidden="true" {
                                line x1="0" x2="36" y1="4" y2="4" {}
                            }
                            (capitalize(name))
                        }
                        " "
                    }
                    "Circles are mistakes; each links to its event."
                }
            }
        }
    }
}
