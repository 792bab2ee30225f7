//! The table of `loss`, its terminal text and its page.

use maud::html;

use super::analysis::{LossAnalysis, LossRow};
use crate::{
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        data_table::{Columns, DataTable},
        html::{Section, Unit, format_count},
        study_page::ReportBody,
        text::paragraph,
    },
    stats::ratio::Estimate,
};

impl LossAnalysis<'_> {
    /// States the loss of each bot, the smallest first, and the noise floor.
    fn sentence(&self) -> String {
        let Some((floor, bots)) = self.rows.split_last() else { return String::new() };
        let mut bots: Vec<_> = bots.iter().collect();
        bots.sort_by(|one, other| one.loss.value.total_cmp(&other.loss.value));
        let losses = bots.iter().map(|row| format!("{} {}", row.bot, points(row.loss)));
        format!(
            "Percentage points of win share that a decision loses: {} (noise floor {}). {} of {} \
             by {}, judged by {}.",
            losses.collect::<Vec<_>>().join(", "),
            points(floor.loss),
            format_count(floor.loss.n as u64, "decision"),
            format_count(self.games, "game"),
            self.player,
            self.judge,
        )
    }

    /// Returns the answer and the table for the terminal.
    pub(super) fn text(&self, table: &DataTable) -> String {
        let view = table.view().select(&["bot", "n", "loss", "same"]).text();
        format!("\n{}\n{view}", paragraph(&self.sentence()))
    }

    /// Returns the body of the page.
    pub(super) fn report_body(&self, table: &DataTable) -> ReportBody {
        let rows = self.rows.iter().map(|row| IntervalRow {
            label: row.bot.clone(),
            badge: html! {},
            estimates: vec![row.loss],
        });
        let chart = IntervalChart {
            sentence: html! { "Win share that a decision loses, with 95 % intervals." },
            unit: Unit::PercentagePoints,
            series: vec!["loss".to_owned()],
            reference: Some(ReferenceLine { value: 0.0, name: "as the judge".to_owned() }),
            rows: rows.collect(),
        };
        let body = html! { (chart) (table.view().html("All bots".to_owned())) };
        ReportBody::new(
            "Loss per decision",
            html! { (self.sentence()) },
            vec![Section::new("Loss per decision", body)],
        )
    }
}

/// Returns a loss in percentage points with its interval.
fn points(loss: Estimate) -> String {
    let [value, low, high] = [loss.value, loss.low, loss.high].map(|share| 100.0 * share);
    if low.is_finite() && high.is_finite() {
        format!("{value:.2} [{low:.2}, {high:.2}]")
    } else {
        format!("{value:.2}")
    }
}

/// Returns the columns of `decision_loss.csv`.
pub(super) fn columns<'a>() -> Columns<&'a LossRow> {
    Columns::<&LossRow>::new("decision_loss", "Loss of win share per decision of a bot.")
        .text("bot", "bot", "Bot; `noise floor` is the judge with another seed.", |row| &row.bot)
        .percentage_points(
            "loss",
            "loss",
            "Mean win share after the choice of the judge less that after the choice of the bot.",
            |row| row.loss,
        )
        .n("n", "n")
        .percent(
            "same",
            "as the judge",
            "Share of the decisions in which the bot chooses the action of the judge.",
            |row| row.same,
        )
        .provenance()
}
