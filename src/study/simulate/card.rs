//! The health card: the answers to the questions that designers ask first, each with its figure,
//! its interval and, if the data file has a target, the result of the comparison.

use super::{
    analysis::RunAnalysis,
    columns::POINTS,
    health_metrics::Statistic,
    offered_items::{dealt, extreme_items, offered_items},
    panel::PanelQuestion,
};
use crate::{
    games::targets::{TargetRange, Targets},
    report::data_table::Value,
    study::shared::{health_questions::question, prelude::*},
};

/// Number of items that a row names.
const MAX_NAMED: usize = 4;

/// The question that another command answers.
const KINGMAKING: &str = "Kingmaking, and loss per decision";
const KINGMAKING_ANSWER: &str = "`watershed loss` measures it";

/// Values of the column `unit` of `card.csv`.
const UNITS: [&str; 4] = ["share", "items", "rounds", "changes"];

watershed_engine::named! {
    /// The relation of an estimate to its target.
    pub(crate) enum TargetVerdict {
        /// The whole interval lies in the target.
        Inside = "inside",
        /// The whole interval lies on one side of the target.
        Outside = "outside",
        /// The interval includes values inside and outside.
        NotShown = "not_shown",
    }
}

impl TargetVerdict {
    /// Compares an interval with a target.
    pub(crate) fn of(estimate: Estimate, target: TargetRange) -> Self {
        let Estimate { low, high, .. } = estimate;
        if high < target.low || low > target.high {
            Self::Outside
        } else if target.low <= low && high <= target.high {
            Self::Inside
        } else {
            Self::NotShown
        }
    }

    /// Returns the name for people.
    const fn label(self) -> &'static str {
        ["inside", "outside", "not shown"][self as usize]
    }
}

/// A row of the card.
#[derive(Clone, Debug)]
pub(crate) struct CardRow {
    /// Name in tables, and of the target.
    pub(crate) key: &'static str,
    /// Name for people.
    title: &'static str,
    pub(crate) estimate: Estimate,
    unit: Unit,
    /// Further facts, or the items that are counted.
    details: Vec<String>,
    target: Option<TargetRange>,
}

impl CardRow {
    /// Returns the result of the comparison with the target, if there is one.
    pub(crate) fn verdict(&self) -> Option<TargetVerdict> {
        self.target.map(|target| TargetVerdict::of(self.estimate, target))
    }

    /// Returns the figure with its interval and number of observations.
    fn figure(&self) -> String {
        if self.is_count() { self.count_text() } else { self.unit.format_estimate(self.estimate) }
    }

    /// Returns true unless the row counts items and there are none.
    fn is_found(&self) -> bool {
        !self.is_count() || self.estimate.value > 0.0
    }

    /// Returns true if the figure is a number of items.
    fn is_count(&self) -> bool {
        self.key.ends_with("_items")
    }

    /// Returns the name of the unit in tables.
    fn unit_name(&self) -> &'static str {
        match self.key {
            "rounds" => "rounds",
            "lead_changes" => "changes",
            _ if self.is_count() => "items",
            _ => "share",
        }
    }

    /// Returns a number of items with its range.
    fn count_text(&self) -> String {
        let Estimate { n, low, high, .. } = self.estimate;
        if low < high {
            format!("between {low} and {high} of {n}")
        } else {
            format!("{low} of {n}")
        }
    }

    /// Returns the first facts, and the number of others.
    fn detail(&self, max: usize) -> String {
        let shown = &self.details[..self.details.len().min(max)];
        let more = match self.details.len() - shown.len() {
            0 => String::new(),
            more => format!("; {more} more"),
        };
        shown.join("; ") + &more
    }

    fn target_text(&self) -> String {
        let Some(TargetRange { low, high }) = self.target else { return String::new() };
        let scale = if self.unit == Unit::Percent { 100.0 } else { 1.0 };
        let [low, high] = [low, high].map(|end| (scale * end * 1e6).round() / 1e6);
        format!("{low} to {high}{}", self.unit.suffix())
    }
}

/// The health card of a run.
#[derive(Clone, Debug)]
pub(crate) struct HealthCard {
    pub(crate) rows: Vec<CardRow>,
    /// True if a player who cannot win may decide who does.
    has_kingmaking: bool,
}

impl HealthCard {
    /// Answers the questions from the games of the lineup. `data` is the data file.
    pub(crate) fn new(game: &BoundGame, analysis: &RunAnalysis<'_>, data: &Document) -> Self {
        let targets = Targets::of(data);
        let health = &analysis.tally.health;
        let mut rows = Vec::new();
        let mut add = |key: &'static str, estimate: Estimate, details: Vec<String>, target| {
            if estimate.n > 0 && estimate.value.is_finite() {
                let (title, unit) = question(key).unwrap_or((key, Unit::Percent));
                rows.push(CardRow { key, title, estimate, unit, details, target });
            }
        };
        let nobody_won = health.nobody_won.rate(1);
        match PanelQuestion::of(game) {
            PanelQuestion::FirstPlayer => {
                let first = analysis.tally.turn_positions[0].rate(UNITS_PER_WIN);
                add("first_player", first, Vec::new(), targets.first_player.map(|share| share.0));
            }
            PanelQuestion::GamesWon => {
                let won = nobody_won.complement();
                add("games_won", won, Vec::new(), targets.games_won.map(|share| share.0));
            }
        }
        let [p10, p90] = [Statistic::P10, Statistic::P90]
            .map(|percentile| percentile.of(&health.games_by_rounds));
        let percentiles = vec![format!("central 80 %: {p10} to {p90}")];
        add("rounds", health.rounds.mean(), percentiles, targets.rounds);
        if analysis.players() > 1 {
            let leaders = health.leaders_at_half.rate(UNITS_PER_WIN);
            let target = targets.leader_at_half_wins.map(|share| share.0);
            add("leader_at_half_wins", leaders, Vec::new(), target);
            let changes = health.lead_changes.mean();
            add("lead_changes", changes, Vec::new(), targets.lead_changes);
        }
        for (key, item) in
            ["best_dealt_item", "worst_dealt_item"].into_iter().zip(dealt(game, analysis))
        {
            add(key, item.wins, vec![item.label.to_owned()], None);
        }
        let [dead, must_take] = extreme_items(&offered_items(game, analysis));
        add("dead_items", dead.0, dead.1, targets.dead_items);
        add("must_take_items", must_take.0, must_take.1, targets.must_take_items);
        if analysis.players() > 1 && !game.is_cooperative() {
            let shared = health.shared_wins.rate(1);
            add("shared_wins", shared, Vec::new(), targets.shared_wins.map(|share| share.0));
        }
        if game.wins_are_independent() && PanelQuestion::of(game) == PanelQuestion::FirstPlayer {
            add("nobody_won", nobody_won, Vec::new(), targets.nobody_won.map(|share| share.0));
        }
        for (key, ends) in game.end_reasons().iter().zip(&health.ends) {
            if ends.x > 0 {
                add(key, ends.rate(1), Vec::new(), None);
            }
        }
        let has_kingmaking = analysis.players() > 2 && !game.is_cooperative();
        Self { rows, has_kingmaking }
    }

    /// Adds the card to the report, with the further facts below it.
    pub(crate) fn add_to(&self, bots: &str, report: &mut StudyReport) {
        let table = Columns::<&CardRow>::new("", "")
            .text("question", "", |row| row.title)
            .text("figure", "", |row| row.figure())
            .text("target", "", |row| row.target_text())
            .text("verdict", "", |row| row.verdict().map_or("", TargetVerdict::label))
            .integer("n", "", |row| row.estimate.n)
            .table("", &self.rows);
        let has_targets = self.rows.iter().any(|row| row.target.is_some());
        let keys = ["question", "figure", "target", "verdict"];
        let keys = if has_targets { &keys[..] } else { &keys[..2] };
        report.terminal(&format!("\nhealth with {bots}\n{}", table.view().select(keys).text()));
        report.page_table(&table.view(), format!("Health with {bots}"));
        let facts = self.rows.iter().filter(|row| !row.details.is_empty() && row.is_found());
        let mut facts: Vec<_> =
            facts.map(|row| format!("{}: {}.", row.title, row.detail(MAX_NAMED))).collect();
        if self.has_kingmaking {
            facts.push(format!("{KINGMAKING}: {KINGMAKING_ANSWER}."));
        }
        report.bullets(&facts);
    }

    /// Returns the table of the card.
    pub(crate) fn table(&self, provenance: &Claim) -> DataTable {
        columns().table(provenance, &self.rows)
    }
}

pub(super) fn columns<'a>() -> Columns<&'a CardRow> {
    let target_low = "Lower end of the target in the data file.";
    let target_high = "Upper end of the target in the data file.";
    let verdict = "Relation of the interval to the target; empty without a target.";
    let value = "Figure of the question, with the bots of the lineup.";
    Columns::<&CardRow>::new("card", "One row for each question of the health card.")
        .text("question", "Name of the question, and of its target.", |row| row.key)
        .estimate(("value", "figure"), POINTS, value, |row| {
            Value::EstimateIn(row.estimate, row.unit)
        })
        .decimals(6)
        .ci("ci")
        .n_after("n")
        .word("unit", &UNITS, "Unit of `value` and its interval.", |row| row.unit_name())
        .text("detail", "Further facts as text.", |row| row.detail(MAX_NAMED))
        .number(("target_low", "target, low"), 6, target_low, |row| {
            row.target.map(|target| target.low)
        })
        .number(("target_high", "target, high"), 6, target_high, |row| {
            row.target.map(|target| target.high)
        })
        .word("verdict", &TargetVerdict::NAMES, verdict, |row| {
            row.verdict().map(TargetVerdict::name)
        })
        .provenance()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, high: f64) -> Estimate {
        Estimate { n: 100, value: f64::midpoint(low, high), low, high }
    }

    #[test]
    fn verdict_compares_the_whole_interval() {
        let target = TargetRange { low: 0.45, high: 0.55 };
        for (low, high, expected) in [
            (0.46, 0.54, TargetVerdict::Inside),
            (0.45, 0.55, TargetVerdict::Inside),
            (0.44, 0.54, TargetVerdict::NotShown),
            (0.40, 0.60, TargetVerdict::NotShown),
            (0.56, 0.60, TargetVerdict::Outside),
            (0.30, 0.44, TargetVerdict::Outside),
            (f64::NEG_INFINITY, f64::INFINITY, TargetVerdict::NotShown),
        ] {
            assert_eq!(TargetVerdict::of(estimate(low, high), target), expected, "{low} {high}");
        }
    }
}
