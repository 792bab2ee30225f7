//! The drawings of an annotated game on its page: the win chances, and the events to step through.

use super::AnnotationReport;
use crate::{
    game::Notation as _,
    protocol::review::{ReviewedEvent, player},
    report::{
        html::{HtmlTable, TableCell, capitalize},
        steps::{ChanceChart, EventSteps, ShownEvent},
    },
    scene::SvgSheet,
};

impl AnnotationReport<'_> {
    /// Returns the chart of the win chances.
    pub(super) fn chart(&self) -> ChanceChart {
        let events = &self.review.events;
        let marks = self.review.mistakes().map(|event| {
            let title = format!("Event {}: {}", event.n, event.mistake.unwrap_or_default());
            (event.n, event.seat.unwrap_or_default(), title)
        });
        let before = events.iter().map(|event| event.before.clone());
        ChanceChart {
            names: (0..self.review.players).map(player).collect(),
            chances: before.chain([self.review.end.clone()]).collect(),
            marks: marks.collect(),
            ids: events.iter().map(|event| event_id(event.n)).collect(),
        }
    }

    /// Returns all events and the end.
    pub(super) fn steps(&self) -> EventSteps {
        let (mut sheet, rules) = (SvgSheet::default(), self.game.rules());
        let events = self.review.events.iter().zip(&self.annotation.events);
        let events = events.map(|(event, annotated)| ShownEvent {
            id: event_id(event.n),
            title: format!(
                "Event {}, round {}: {}: {}",
                event.n,
                event.round,
                event.decider(),
                action_text(&event.label, &event.action)
            ),
            text: verdict_text(event),
            drawing: sheet.figure(&rules.scene(&annotated.state, None)),
            table: Some(chances_table(event)),
            details: Some([
                "Position before the event, in words".to_owned(),
                rules.position_text(&annotated.state),
            ]),
        });
        let mut events: Vec<_> = events.collect();
        if !events.is_empty() {
            events.push(ShownEvent {
                id: "end".to_owned(),
                title: "End of the game".to_owned(),
                text: self.heading(),
                drawing: sheet.figure(&rules.scene(&self.annotation.end_state, None)),
                table: None,
                details: None,
            });
        }
        EventSteps { definitions: sheet.definitions(), events }
    }
}

/// Returns the target of links to an event.
pub(super) fn event_id(number: usize) -> String {
    format!("event{number}")
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
        is_open: true,
    }
}

/// Returns an action in words, with its notation as code.
fn action_text(label: &str, notation: &str) -> String {
    if label == notation { format!("`{notation}`") } else { format!("{label} `{notation}`") }
}

/// States the mistake of a decision and the better action, with the reason and the cost; empty for
/// chance and for single choices.
fn verdict_text(event: &ReviewedEvent) -> String {
    let ReviewedEvent { best, best_label, reason, mistake, choices, .. } = event;
    let Some((best, label)) = best.as_ref().zip(best_label.as_ref()) else {
        let is_decision = event.seat.is_some() && *choices > 1;
        let sentence = || format!("No better action was found among {choices}.");
        return is_decision.then(sentence).unwrap_or_default();
    };
    let mistake = mistake.map(|mistake| format!("**{}**. ", capitalize(mistake)));
    let reason = reason.as_ref().map(|reason| format!(", {reason}"));
    format!(
        "{}Best: {}{}; {}.",
        mistake.unwrap_or_default(),
        action_text(label, best),
        reason.unwrap_or_default(),
        event.cost_text()
    )
}
