//! The tables of `loss`, its terminal text and its page.

use super::analysis::{LossAnalysis, LossRow, StakeAnalysis, StakeRow, StakeScope};
use crate::{report::chart::MIN_OBSERVATIONS, study::shared::prelude::*};

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
            format_count(floor.loss.n, "decision"),
            format_count(self.games, "game"),
            self.player,
            self.judge,
        )
    }

    /// Returns the report.
    pub(super) fn report(&self, stakes: &StakeAnalysis, provenance: &Claim) -> StudyReport {
        let mut report = StudyReport::new("Loss per decision");
        let rows = self.rows.iter().map(|row| IntervalRow::new((row.bot.clone(), row.loss)));
        let table = columns().table(provenance, &self.rows);
        report.answer(&self.sentence());
        report.section("Loss per decision");
        let sentence = "Win share that a decision loses, with 95 % intervals.";
        let chart = IntervalChart::new(sentence, Unit::PercentagePoints, &["loss"], rows);
        report.page(chart.with_reference(0.0, "as the judge"));
        report.data(table, &["bot", "n", "loss", "same"], "All bots", "");
        stakes.add_to(&mut report, provenance);
        report
    }
}

impl StakeAnalysis {
    /// States how often a choice matters, with which kinds of action most and least, and what seats
    /// without a chance decide.
    fn sentence(&self) -> String {
        let [all, rest @ ..] = &self.rows[..] else { return String::new() };
        let mut kinds: Vec<_> = rest
            .iter()
            .filter(|row| row.scope == StakeScope::Kind && row.loss.low.is_finite())
            .collect();
        kinds.sort_by(|one, other| other.loss.value.total_cmp(&one.loss.value));
        let mut sentence = format!(
            "A random choice in place of that of the judge loses {} points (n {}); {} of the \
             decisions matter, by more than 1 point.",
            points(all.loss),
            group_digits(all.loss.n),
            format_percent(all.matters),
        );
        if let [most, .., least] = kinds[..] {
            sentence += &format!(
                " Most where “{}” is best, {}, least where “{}” is, {}.",
                most.name,
                points(most.loss),
                least.name,
                points(least.loss)
            );
        }
        match self.kingmaking {
            Some(moved) if moved.n >= MIN_OBSERVATIONS => format!(
                "{sentence} Kingmaking: a player who wins less than 2 of 100 games moves {} points \
                 of win share between the others by such a choice (n {}).",
                points(moved),
                group_digits(moved.n)
            ),
            Some(moved) => format!(
                "{sentence} Kingmaking can't be estimated: {} by players who win less than 2 of \
                 100 games.",
                format_count(moved.n, "decision")
            ),
            None => sentence,
        }
    }

    fn add_to(&self, report: &mut StudyReport, provenance: &Claim) {
        let name = |row: &StakeRow| match row.scope {
            StakeScope::Overall => "all decisions".to_owned(),
            StakeScope::Kind => row.name.clone(),
            StakeScope::Round if row.name == "0" => "setup".to_owned(),
            StakeScope::Round => format!("round {}", row.name),
        };
        let rows = self.rows.iter().map(|row| IntervalRow::new((name(row), row.loss)));
        let sentence =
            "Win share that a random choice loses, by the kind of the best action and by round.";
        let chart = IntervalChart::new(sentence, Unit::PercentagePoints, &["loss"], rows);
        let table = stake_columns().table(provenance, &self.rows);
        let of_kinds = self.rows.iter().take_while(|row| row.scope != StakeScope::Round).count();
        let keys = ["scope", "name", "n", "loss", "matters"];
        report.section("How often a choice matters");
        report.paragraph(&self.sentence());
        report.terminal_table(&table.view().rows(0..of_kinds).select(&keys));
        report.page(chart);
        report.page_table(&table.view(), "All kinds and rounds");
        report.explanation(
            "A decision matters if the random choice loses more than 1 point in each half of the \
             searches after both.",
        );
        report.file(table, "");
    }
}

/// Returns a loss in percentage points with its interval.
fn points(loss: Estimate) -> String {
    let Estimate { value, low, high, .. } = loss.map(|share| 100.0 * share);
    if low.is_finite() && high.is_finite() {
        format!("{value:.2} [{low:.2}, {high:.2}]")
    } else {
        format!("{value:.2}")
    }
}

/// Returns the columns of `stakes.csv`.
pub(super) fn stake_columns<'a>() -> Columns<&'a StakeRow> {
    let title = "How important the decisions are: one row for all, one for each kind of action \
                 that the judge chooses, and one for each round.";
    let scope = "Decisions of the row. Rows of different scope count the same decisions.";
    let loss = "Mean win share after the choice of the judge less that after another legal action, \
                drawn uniformly.";
    let matters = "Share of the decisions in which that action loses more than 1 percentage point, \
                   in each half of the searches.";
    Columns::<&StakeRow>::new("stakes", title)
        .word("scope", &StakeScope::NAMES, scope, |row| row.scope.name())
        .text("name", "Kind of action, or round from 1, 0 for the setup.", |row| &row.name)
        .percentage_points(("loss", "loss by a random choice"), loss, |row| row.loss)
        .n("n")
        .percent("matters", matters, |row| row.matters)
        .provenance()
}

/// Returns the columns of `decision_loss.csv`.
pub(super) fn columns<'a>() -> Columns<&'a LossRow> {
    let loss = "Mean win share after the choice of the judge less that after the choice of the \
                bot.";
    let same = "Share of the decisions in which the bot chooses the action of the judge.";
    Columns::<&LossRow>::new("decision_loss", "Loss of win share per decision of a bot.")
        .text("bot", "Bot; `noise floor` is the judge with another seed.", |row| &row.bot)
        .percentage_points("loss", loss, |row| row.loss)
        .n("n")
        .percent(("same", "as the judge"), same, |row| row.same)
        .provenance()
}
