//! The health card: the answers to the questions that designers ask first, each with its figure,
//! its interval and, if the data file has a target, the result of the comparison.

use std::borrow::Cow;

use maud::{Markup, html};

use super::{
    analysis::{RunAnalysis, Statistic},
    columns::POINTS,
    outliers::{Outliers, is_dealt},
    panel::PanelQuestion,
};
use crate::{
    arena::tally::ItemTally,
    bound::BoundGame,
    config::Document,
    game::{Item, ItemId, ItemTable, UNITS_PER_WIN},
    games::targets::{TargetRange, Targets},
    report::{
        chart::MIN_OBSERVATIONS,
        data_table::{Columns, DataTable, Value, terminal_estimate},
        html::{HtmlTable, TableCell, Unit, format_count, format_percent, group_digits},
        text::{TEXT_WIDTH, truncate, wrap},
    },
    stats::ratio::Estimate,
    study::shared::{
        comparison::edits::Edit,
        health_questions::{question, question_on_item, title_on_item},
    },
};

/// Share of the offers below which an item is dead.
const DEAD: f64 = 0.15;
/// Share of the offers from which an item is a must-take.
const MUST_TAKE: f64 = 0.99;
/// Maximum number of edited items with a row.
const MAX_EDITED: usize = 3;
/// Number of items that a row names, and that it names in terminal text.
const MAX_NAMED: usize = 4;
const MAX_NAMED_IN_TEXT: usize = 1;
/// Width of the name of a row in terminal text.
const NAME_WIDTH: usize = 39;
/// Width of the figure of a row in terminal text.
const FIGURE_WIDTH: usize = 24;

/// The question that another command answers.
const KINGMAKING: &str = "Kingmaking, and loss per decision";
const KINGMAKING_ANSWER: &str = "`watershed loss` measures it";

/// Values of the column `unit` of `card.csv`.
const UNITS: [&str; 4] = ["share", "items", "rounds", "changes"];

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
    pub(crate) key: Cow<'static, str>,
    /// Name for people.
    title: Cow<'static, str>,
    /// The edited item, if the row is of one.
    item: Option<String>,
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

    fn terminal_figure(&self) -> String {
        if self.is_count() {
            return self.count_text();
        }
        terminal_estimate(self.estimate, self.unit) + self.unit.suffix()
    }

    /// Returns true if the figure is a number of items.
    fn is_count(&self) -> bool {
        self.item.is_none() && (self.key == "outliers" || self.key.ends_with("_items"))
    }

    /// Returns the name of the unit in tables.
    fn unit_name(&self) -> &'static str {
        match &*self.key {
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

    fn verdict_text(&self) -> &'static str {
        self.verdict().map_or("", TargetVerdict::label)
    }

    /// Returns the row as terminal text. Facts that fit stand beside the figure.
    fn text(&self) -> String {
        let figure = self.terminal_figure();
        let mut line = format!("{:<NAME_WIDTH$}  {figure:<FIGURE_WIDTH$}", self.title);
        if self.target.is_some() {
            line += &format!("  {}", self.target_text());
        }
        let line = line.trim_end();
        let facts = [self.verdict_text().to_owned(), self.detail(MAX_NAMED_IN_TEXT)];
        let facts: Vec<_> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        let facts = truncate(&facts.join("; "), 400);
        let beside = format!("{line}  {facts}");
        if beside.chars().count() <= TEXT_WIDTH {
            return format!("{}\n", beside.trim_end());
        }
        let facts = wrap(&facts, TEXT_WIDTH - 4).into_iter().map(|line| format!("    {line}\n"));
        std::iter::once(format!("{line}\n")).chain(facts).collect()
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
    /// Answers the questions from the games of the lineup. `data` is the data file, `edits` are its
    /// edits of the built-in data.
    pub(crate) fn new(
        game: &BoundGame,
        analysis: &RunAnalysis<'_>,
        outliers: Option<&Outliers<'_>>,
        data: &Document,
        edits: &[Edit],
    ) -> Self {
        let targets = Targets::of(data);
        let health = &analysis.tally.health;
        let mut rows = edited_rows(game, analysis, edits);
        let mut add = |key: &'static str, estimate: Estimate, details: Vec<String>, target| {
            if estimate.n > 0 && estimate.value.is_finite() {
                let (title, unit) = question(key).unwrap_or((key.into(), Unit::Percent));
                let (key, item) = (Cow::Borrowed(key), None);
                rows.push(CardRow { key, title, item, estimate, unit, details, target });
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
        if let Some(outliers) = outliers {
            let count = certain_count(outliers.compared, outliers.count());
            add("outliers", count, outliers.details(), None);
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

    /// Returns the reasons for which games end and their shares.
    pub(super) fn ends(&self) -> impl Iterator<Item = (&str, Estimate)> {
        let is_end = |row: &&CardRow| row.key.starts_with("ends_by_");
        self.rows.iter().filter(is_end).map(|row| (&*row.title, row.estimate))
    }

    fn has_targets(&self) -> bool {
        self.rows.iter().any(|row| row.target.is_some())
    }

    /// Renders the card.
    pub(crate) fn html(&self, bots: &str) -> Markup {
        let is_short = |row: &&CardRow| !row.is_count() && row.item.is_none();
        let cells = |row: &CardRow| {
            let figure = if row.is_count() {
                TableCell::text(row.count_text())
            } else {
                TableCell::estimate(row.estimate, row.unit)
            };
            let detail = if is_short(&row) { row.detail(MAX_NAMED) } else { String::new() };
            vec![
                TableCell::text(&*row.title),
                figure,
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
            @if self.has_kingmaking { p.note { (KINGMAKING) ": " (KINGMAKING_ANSWER) "." } }
            @for row in self.rows.iter().filter(|row| !is_short(row) && row.estimate.value > 0.0) {
                p.note { (row.title) ": " (row.detail(MAX_NAMED)) "." }
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
            text += &row.text();
            if row.key == "lead_changes" && self.has_kingmaking {
                text += &format!("{KINGMAKING:<NAME_WIDTH$}  {KINGMAKING_ANSWER}\n");
            }
        }
        text
    }

    /// Returns the table of the card.
    pub(crate) fn data_table(&self, analysis: &RunAnalysis<'_>) -> DataTable {
        columns().table(analysis.provenance(), &self.rows)
    }
}

/// Returns a number of items that is certain, of all of them.
fn certain_count(all: usize, count: usize) -> Estimate {
    let count = count as f64;
    Estimate { n: all as i64, value: count, low: count, high: count }
}

/// A component of the data file that is offered to seats or dealt to them.
#[derive(Clone, Copy, Debug)]
struct OfferedItem<'a> {
    label: &'a str,
    /// Share of the offers at which it is taken.
    taken: Estimate,
    /// Win rate of the seats that took it.
    wins: Estimate,
}

/// Returns the components of the data file in some tables. Groups of components are left out, which
/// would count twice.
fn components<'a>(
    game: &'a BoundGame,
    analysis: &RunAnalysis<'_>,
    is_included: impl Fn(&ItemTable) -> bool,
) -> Vec<OfferedItem<'a>> {
    let tables = game.catalog().tables().iter();
    let tables = tables.filter(|table| table.data_key.is_some() && is_included(table));
    let items = tables.flat_map(|table| table.items.iter().zip(analysis.item_tallies(table)));
    let item = |(item, tally): (&'a Item, &ItemTally)| OfferedItem {
        label: &item.label,
        taken: tally.taken.rate(1),
        wins: tally.wins_with.rate(UNITS_PER_WIN),
    };
    items.map(item).collect()
}

/// Returns the components that are offered to seats.
fn offered_items<'a>(game: &'a BoundGame, analysis: &RunAnalysis<'_>) -> Vec<OfferedItem<'a>> {
    components(game, analysis, |table| table.offered)
}

/// Returns the win rates of the owners of the first edited items that were owned, and how often
/// each is taken, and what comparable owners of others win.
fn edited_rows(game: &BoundGame, analysis: &RunAnalysis<'_>, edits: &[Edit]) -> Vec<CardRow> {
    let catalog = game.catalog();
    let mut items: Vec<_> = edits.iter().filter_map(|edit| edit.item).collect();
    items.dedup();
    let row = |id: ItemId| {
        let table = &catalog.tables()[catalog.table_index(id)];
        let index = table.ids().iter().position(|other| other == id)?;
        let tally = &analysis.item_tallies(table)[index];
        let taken = tally.taken.rate(1);
        let wins = tally.wins_with.rate(UNITS_PER_WIN);
        let mut facts = Vec::new();
        if table.offered && taken.n > 0 {
            let share = format_percent(taken);
            let offers = format_count(taken.n as u64, "offer");
            facts.push(format!("taken at {share} of {offers}"));
        }
        let comparisons = analysis.compare_owners(table);
        let others = comparisons.get(index).map_or(f64::NAN, |one| one.rates.others.value);
        if others.is_finite() {
            let others = Unit::Percent.format_number(others, 1);
            facts.push(format!("seats with as many, without it, win {others} %"));
        }
        let item = catalog.item(id);
        // Without a target, there is room beside the figure.
        let room = TEXT_WIDTH - FIGURE_WIDTH - 2;
        let label = truncate(&item.label, room - title_on_item("").len());
        (wins.n > 0).then(|| CardRow {
            key: question_on_item(&item.name).into(),
            title: title_on_item(&label).into(),
            item: Some(item.label.clone()),
            estimate: wins,
            unit: Unit::Percent,
            details: vec![facts.join("; ")],
            target: None,
        })
    };
    items.into_iter().filter_map(row).take(MAX_EDITED).collect()
}

/// Returns the component that is dealt to seats with which they win most, and that with which they
/// win least; nothing if there are fewer than 2.
fn dealt<'a>(game: &'a BoundGame, analysis: &RunAnalysis<'_>) -> Vec<OfferedItem<'a>> {
    let mut items = components(game, analysis, is_dealt);
    items.retain(|item| item.wins.n >= MIN_OBSERVATIONS);
    items.sort_by(|one, other| other.wins.value.total_cmp(&one.wins.value));
    match &items[..] {
        [best, .., worst] => vec![*best, *worst],
        _ => Vec::new(),
    }
}

/// Counts and names the items that are taken at few of their offers, and those at nearly all.
fn extreme_items(items: &[OfferedItem<'_>]) -> [(Estimate, Vec<String>); 2] {
    let dead = count_items(items, |share| share.high < DEAD, |share| share.low < DEAD);
    let must_take =
        count_items(items, |share| share.low >= MUST_TAKE, |share| share.high >= MUST_TAKE);
    [(dead.0, name_taken(dead.1, 1.0)), (must_take.0, name_taken(must_take.1, -1.0))]
}

/// Counts the items whose share has a property with its whole interval, and returns them. The
/// interval of the count reaches to those that can have it: a part of the interval has it, or
/// there are too few offers to tell.
fn count_items<'a, 'b>(
    items: &'b [OfferedItem<'a>],
    surely_has: impl Fn(Estimate) -> bool,
    can_have: impl Fn(Estimate) -> bool,
) -> (Estimate, Vec<&'b OfferedItem<'a>>) {
    let is_rare = |item: &OfferedItem<'_>| item.taken.n < MIN_OBSERVATIONS;
    let counted: Vec<_> =
        items.iter().filter(|item| !is_rare(item) && surely_has(item.taken)).collect();
    let possible = items.iter().filter(|item| is_rare(item) || can_have(item.taken)).count();
    let high = possible.max(counted.len()) as f64;
    (Estimate { high, ..certain_count(items.len(), counted.len()) }, counted)
}

/// Names items with the shares of the offers at which they are taken, in the order of the shares
/// multiplied by `sign`.
fn name_taken(mut items: Vec<&OfferedItem<'_>>, sign: f64) -> Vec<String> {
    items.sort_by(|one, other| {
        let [first, second] = [one, other].map(|item| sign * item.taken.value);
        first.total_cmp(&second).then(one.label.cmp(other.label))
    });
    let name = |OfferedItem { label, taken, .. }: &OfferedItem<'_>| {
        format!("{label} {} (n {})", format_percent(*taken), group_digits(taken.n))
    };
    items.into_iter().map(name).collect()
}

pub(super) fn columns<'a>() -> Columns<&'a CardRow> {
    let value = "Figure of the question, with the bots of the lineup.";
    Columns::<&CardRow>::new("card", "One row for each question of the health card.")
        .text("question", "question", "Name of the question, and of its target.", |row| &*row.key)
        .estimate("value", "figure", POINTS, value, |row| Value::EstimateIn(row.estimate, row.unit))
        .decimals(6)
        .ci("ci")
        .n_after("n", "n")
        .word("unit", "unit", &UNITS, "Unit of `value` and its interval.", |row| row.unit_name())
        .text("detail", "detail", "Further facts as text.", |row| {
            let item = row.item.iter().map(|item| format!("{item}: "));
            item.chain([row.detail(MAX_NAMED)]).collect::<String>()
        })
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
    fn items_are_counted_with_their_whole_interval() {
        let item = |label, n, low, high| {
            let taken = Estimate { n, ..estimate(low, high) };
            OfferedItem { label, taken, wins: estimate(0.5, 0.6) }
        };
        let items = [
            item("dead", 100, 0.05, 0.10),
            item("nearly", 100, 0.10, 0.18),
            item("alive", 100, 0.50, 0.60),
            item("rare", 5, 0.40, 0.90),
        ];
        let (count, counted) =
            count_items(&items, |share| share.high < DEAD, |share| share.low < DEAD);
        assert_eq!((count.n, count.value, count.low, count.high), (4, 1.0, 1.0, 3.0));
        assert_eq!(name_taken(counted, 1.0), ["dead 7.5 % [5.0, 10.0] (n 100)"]);
        let (count, _) = count_items(&items, |share| share.low >= 0.4, |share| share.high >= 0.4);
        assert_eq!((count.low, count.high), (1.0, 2.0));
    }
}
