//! The health card: the answers to the questions that designers ask first, each with its figure,
//! its interval and, if the data file has a target, the result of the comparison.

use maud::{Markup, html};
use serde::Deserialize;

use super::{
    analysis::{RunAnalysis, Statistic},
    panel::PanelQuestion,
    tables::POINTS,
};
use crate::{
    arena::tally::ItemTally,
    bound::BoundGame,
    config::Document,
    game::UNITS_PER_WIN,
    games::targets::{TargetRange, Targets},
    report::{
        chart::MIN_OBSERVATIONS,
        data_table::{Columns, DataTable, Value, terminal_estimate},
        html::{HtmlTable, TableCell, Unit, format_percent, group_digits},
        text::{truncate, wrap},
    },
    stats::ratio::Estimate,
    study::shared::health_questions::question,
};

/// Share of the offers below which an item is dead.
const DEAD: f64 = 0.15;
/// Share of the offers from which an item is a must-take.
const MUST_TAKE: f64 = 0.99;
/// Number of items that a row names.
const MAX_NAMED: usize = 4;
/// Width of the name of a row in terminal text.
const NAME_WIDTH: usize = 39;
/// Width of the figure of a row in terminal text.
const FIGURE_WIDTH: usize = 24;

/// A data file, of which only the targets are read.
#[derive(Default, Deserialize)]
struct TargetFile {
    #[serde(default)]
    targets: Targets,
}

/// The relation of an estimate to its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetVerdict {
    /// The whole interval lies in the target.
    Inside,
    /// The whole interval lies on one side of the target.
    Outside,
    /// The interval includes values inside and outside.
    NotShown,
}

impl TargetVerdict {
    const NAMES: [&str; 3] = ["inside", "outside", "not_shown"];

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

    /// Returns the name in tables.
    pub(crate) const fn key(self) -> &'static str {
        Self::NAMES[self as usize]
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
    /// Further facts.
    detail: String,
    target: Option<TargetRange>,
}

impl CardRow {
    /// Returns the result of the comparison with the target, if there is one.
    pub(crate) fn verdict(&self) -> Option<TargetVerdict> {
        self.target.map(|target| TargetVerdict::of(self.estimate, target))
    }

    fn terminal_figure(&self) -> String {
        let Estimate { low, high, .. } = self.estimate;
        // A number of items can be certain.
        if low >= high {
            return self.unit.format_value(self.estimate);
        }
        terminal_estimate(self.estimate, self.unit) + self.unit.suffix()
    }

    fn target_text(&self) -> String {
        let Some(TargetRange { low, high }) = self.target else { return String::new() };
        let scale = if self.unit == Unit::Percent { 100.0 } else { 1.0 };
        let [low, high] = [low, high].map(|end| (scale * end * 1e6).round() / 1e6);
        format!("{low} to {high}{}", self.unit.suffix())
    }

    fn verdict_text(&self) -> &'static str {
        self.verdict().map_or("", TargetVerdict::label)
    }
}

/// The health card of a run.
#[derive(Clone, Debug)]
pub(crate) struct HealthCard {
    pub(crate) rows: Vec<CardRow>,
}

impl HealthCard {
    /// Answers the questions from the games of the lineup. `data` is the data file.
    pub(crate) fn new(game: &dyn BoundGame, analysis: &RunAnalysis<'_>, data: &Document) -> Self {
        let TargetFile { targets } = data.parse().unwrap_or_default();
        let health = &analysis.tally.health;
        let mut rows: Vec<CardRow> = Vec::new();
        let mut add = |key, estimate: Estimate, detail: String, target| {
            if estimate.n > 0 && estimate.value.is_finite() {
                let (title, unit) = question(key).unwrap_or((key, POINTS));
                rows.push(CardRow { key, title, estimate, unit, detail, target });
            }
        };
        let nobody_won = health.nobody_won.rate(1);
        match PanelQuestion::of(game) {
            PanelQuestion::FirstPlayer => {
                let first = analysis.tally.turn_positions[0].rate(UNITS_PER_WIN);
                add("first_player", first, String::new(), targets.first_player);
            }
            PanelQuestion::GamesWon => {
                let won = nobody_won.complement();
                add("games_won", won, String::new(), targets.games_won);
            }
        }
        let [p10, p90] = [Statistic::P10, Statistic::P90]
            .map(|percentile| percentile.of(&health.games_by_rounds));
        let percentiles = format!("10th to 90th percentile {p10} to {p90}");
        add("rounds", health.rounds.mean(), percentiles, targets.rounds);
        if analysis.players() > 1 {
            let leaders = health.leaders_at_half.rate(UNITS_PER_WIN);
            add("leader_at_half_wins", leaders, String::new(), targets.leader_at_half_wins);
            let changes = health.lead_changes.mean();
            add("lead_changes", changes, String::new(), targets.lead_changes);
        }
        let shares = shares_of_offers(game, analysis);
        let dead = count_items(&shares, |share| share < DEAD, |share| (share.low, share.high));
        let must_take = |share| share >= MUST_TAKE;
        let must_take = count_items(&shares, must_take, |share| (share.high, share.low));
        for (key, (count, named), target) in [
            ("dead_items", dead, targets.dead_items),
            ("must_take_items", must_take, targets.must_take_items),
        ] {
            add(key, count, named, target);
        }
        if analysis.players() > 1 && !game.is_cooperative() {
            let shared = health.shared_wins.rate(1);
            add("shared_wins", shared, String::new(), targets.shared_wins);
        }
        if game.can_end_without_winner() && PanelQuestion::of(game) == PanelQuestion::FirstPlayer {
            add("nobody_won", nobody_won, String::new(), targets.nobody_won);
        }
        if let Some(skill) = &analysis.setup.question.skill {
            add("better_bot_wins", skill.estimate(), skill.bots(), targets.better_bot_wins);
        }
        Self { rows }
    }

    fn has_targets(&self) -> bool {
        self.rows.iter().any(|row| row.target.is_some())
    }

    /// Renders the card.
    pub(crate) fn html(&self, bots: &str) -> Markup {
        let is_short = |row: &&CardRow| !row.key.ends_with("_items");
        let cells = |row: &CardRow| {
            let detail = if is_short(&row) { row.detail.as_str() } else { "" };
            vec![
                TableCell::text(row.title),
                TableCell::estimate(row.estimate, row.unit),
                TableCell::text(row.target_text()),
                TableCell::text(row.verdict_text()),
                TableCell::text(detail),
                TableCell::count(row.estimate.n),
            ]
        };
        let headings = ["question", "figure", "target", "verdict", "detail", "n"];
        let table = HtmlTable {
            caption: format!("Health with {bots}"),
            headings: headings.map(str::to_owned).to_vec(),
            rows: self.rows.iter().map(cells).collect(),
        };
        html! {
            (table)
            @for row in self.rows.iter().filter(|row| !is_short(row) && row.estimate.value > 0.0) {
                p.note { (row.title) ", " (row.detail) "." }
            }
        }
    }

    /// Returns the card as terminal text.
    pub(crate) fn text(&self, bots: &str) -> String {
        let mut text = format!("\nhealth with {bots}");
        if self.has_targets() {
            text = format!("{text:<67}target\n");
        } else {
            text.push('\n');
        }
        for row in &self.rows {
            let figure = row.terminal_figure();
            let mut line = format!("{:<NAME_WIDTH$}  {figure:<FIGURE_WIDTH$}", row.title);
            if row.target.is_some() {
                line += &format!("  {}", row.target_text());
            }
            text += &format!("{}\n", line.trim_end());
            let facts = [row.verdict_text(), &row.detail];
            let facts: Vec<_> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
            if !facts.is_empty() {
                for line in wrap(&truncate(&facts.join("; "), 300), 74) {
                    text += &format!("    {line}\n");
                }
            }
        }
        text
    }

    /// Returns the table of the card.
    pub(crate) fn data_table(&self, analysis: &RunAnalysis<'_>) -> DataTable {
        columns().table(analysis.provenance(), &self.rows)
    }
}

/// Returns the components of the data file that are offered often enough, with the share of their
/// offers at which they are taken. Groups of components are left out, which would count twice.
fn shares_of_offers<'a>(
    game: &'a dyn BoundGame,
    analysis: &RunAnalysis<'_>,
) -> Vec<(&'a str, Estimate)> {
    let tables =
        game.catalog().tables().iter().filter(|table| table.offered && table.data_key.is_some());
    let items = tables.flat_map(|table| table.items.iter().zip(analysis.item_tallies(table)));
    let shares =
        items.map(|(item, tally): (_, &ItemTally)| (item.label.as_str(), tally.taken.rate(1)));
    shares.filter(|(_, share)| share.n >= MIN_OBSERVATIONS).collect()
}

/// Counts the items whose share has a property, and names them. `ends` returns the end of the
/// interval that is furthest from the property last, so that the interval of the count reaches from
/// the items that have it at both ends to those that have it at one.
fn count_items(
    shares: &[(&str, Estimate)],
    has: impl Fn(f64) -> bool,
    ends: impl Fn(Estimate) -> (f64, f64),
) -> (Estimate, String) {
    let count = |value: &dyn Fn(Estimate) -> f64| {
        shares.iter().filter(|(_, share)| has(value(*share))).count() as f64
    };
    let estimate = Estimate {
        n: shares.len() as i64,
        value: count(&|share| share.value),
        low: count(&|share| ends(share).1),
        high: count(&|share| ends(share).0),
    };
    let mut named: Vec<_> = shares.iter().filter(|(_, share)| has(share.value)).collect();
    named.sort_by(|(one, a), (other, b)| a.value.total_cmp(&b.value).then(one.cmp(other)));
    let more = named.len().saturating_sub(MAX_NAMED);
    let shown = named.iter().take(MAX_NAMED).map(|(name, share)| {
        format!("{name} {} (n {})", format_percent(*share), group_digits(share.n))
    });
    let mut text = format!("of {}", shares.len());
    for (index, name) in shown.enumerate() {
        text += if index == 0 { ": " } else { "; " };
        text += &name;
    }
    if more > 0 {
        text += &format!(" and {more} more");
    }
    (estimate, text)
}

pub(super) fn columns<'a>() -> Columns<&'a CardRow> {
    let value = "Figure of the question, with the bots of the lineup.";
    Columns::<&CardRow>::new("card", "One row for each question of the health card.")
        .text("question", "question", "Name of the question, and of its target.", |row| row.key)
        .estimate("value", "figure", POINTS, value, |row| Value::EstimateIn(row.estimate, row.unit))
        .decimals(6)
        .ci("ci")
        .n_after("n", "n")
        .text("detail", "detail", "Further facts as text.", |row| &row.detail)
        .number(
            "target_low",
            "target, low",
            6,
            "Lower end of the target in the data file.",
            |row| row.target.map(|target| target.low),
        )
        .number(
            "target_high",
            "target, high",
            6,
            "Upper end of the target in the data file.",
            |row| row.target.map(|target| target.high),
        )
        .word(
            "verdict",
            "verdict",
            &TargetVerdict::NAMES,
            "Relation of the interval to the target; empty without a target.",
            |row| row.verdict().map(TargetVerdict::key),
        )
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

    #[test]
    fn items_are_counted_with_an_interval() {
        let numbers = |count: Estimate| format!("{} [{}, {}]", count.value, count.low, count.high);
        let shares = [
            ("dead", estimate(0.05, 0.10)),
            ("nearly", estimate(0.10, 0.18)),
            ("perhaps", estimate(0.14, 0.20)),
            ("alive", estimate(0.50, 0.60)),
        ];
        let (count, text) =
            count_items(&shares, |share| share < DEAD, |share| (share.low, share.high));
        assert_eq!(numbers(count), "2 [1, 3]");
        assert!(text.starts_with("of 4: dead 7.5 %") && text.contains("nearly"), "{text}");
        let (count, text) =
            count_items(&shares, |share| share >= 0.55, |share| (share.high, share.low));
        assert_eq!(numbers(count), "1 [0, 1]");
        assert!(text.contains("alive"), "{text}");
    }
}
