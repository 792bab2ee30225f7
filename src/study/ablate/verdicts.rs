//! What the items need: a list in the order *nerf*, *fine*, *buff*, *dead*, with which the page and
//! the terminal text begin.

use std::fmt::Write;

use super::analysis::{EffectRow, ItemEffectsAnalysis};
use crate::{run::validation::all_keys, study::shared::prelude::*};

/// Share of the forks below which an item is hardly ever taken.
const RARE: f64 = 0.15;
/// Explanation of the verdict on such an item.
const DEAD: &str = "DEAD: shown to be taken by less than 15 % of the seats that could";
/// Number of fine or open items of a table up to which all are listed.
const MAX_LISTED: usize = 16;
/// Number of items with the highest access that are listed of more, and with the lowest.
const LISTED_OF_MANY: usize = 3;

watershed_engine::named! {
    /// The verdict on an item by the first lineup.
    pub(super) enum ItemVerdict {
        /// Its access is above the median of the other items.
        Nerf = "nerf",
        /// Its access does not differ from the median of the others by more than chance.
        Fine = "fine",
        /// Its access is below the median of the others.
        Buff = "buff",
        /// It is hardly ever taken.
        Dead = "dead",
        /// There are too few forks to tell, or no other items of its table.
        Open = "open",
    }
}

impl ItemVerdict {
    /// Returns the verdict on an item by the forks of a lineup.
    pub(super) fn of(row: &EffectRow) -> Self {
        if row.flags().contains(&Flag::Strong) {
            Self::Nerf
        } else if is_rare(row) {
            Self::Dead
        } else if row.flags().contains(&Flag::Weak) {
            Self::Buff
        } else if row.effect(Estimand::Access).effect.is_testable() {
            Self::Fine
        } else {
            Self::Open
        }
    }
}

/// Returns true if an item is hardly ever taken.
pub(super) fn is_rare(row: &EffectRow) -> bool {
    row.sums.forks() > 0 && row.sums.taken.rate(1).high < RARE
}

/// An item in the list.
#[derive(Clone, Copy)]
struct ListedItem<'a> {
    analysis: &'a ItemEffectsAnalysis<'a>,
    verdict: ItemVerdict,
    row: &'a EffectRow,
    /// The bots with enough forks for a verdict, and those with this verdict.
    votes: [usize; 2],
}

impl ListedItem<'_> {
    fn label(&self) -> &str {
        &self.analysis.item(self.row.item).label
    }

    /// Returns the percentage of the forks whose seat takes it.
    fn taken_text(&self) -> String {
        Unit::Percent.format_number(self.row.sums.taken.value(1), 0)
    }

    fn votes_text(&self) -> String {
        let [voters, agreeing] = self.votes;
        let is_change = !matches!(self.verdict, ItemVerdict::Fine | ItemVerdict::Open);
        let has_vote = voters > 0 && is_change;
        if has_vote { format!("{agreeing} of {voters}") } else { String::new() }
    }
}

impl ItemEffectsAnalysis<'_> {
    /// Returns the items of a table in the order of the list.
    fn listed(&self, table: &ItemTable) -> Vec<ListedItem<'_>> {
        let agreement = self.agreement();
        let ranking = self.ranking(0, table, SeatMetric::WinShare);
        let is_alone = ranking.len() == 1;
        let verdict_of = |row: &EffectRow| match ItemVerdict::of(row) {
            ItemVerdict::Fine if is_alone => ItemVerdict::Open,
            verdict => verdict,
        };
        let mut items: Vec<ListedItem<'_>> = Vec::new();
        for (_, row) in ranking {
            let verdict = verdict_of(row);
            let of_lineup = |lineup: usize| {
                let rows = self.ranking(lineup, table, SeatMetric::WinShare);
                rows.into_iter().map(|(_, other)| other).find(|other| other.item == row.item)
            };
            let label = self.item(row.item).label.as_str();
            let voters = (0..self.results.len())
                .filter(|&lineup| lineup == 0 || agreement.is_usable(label, lineup));
            let verdicts: Vec<_> = voters.filter_map(of_lineup).map(verdict_of).collect();
            let agreeing = verdicts.iter().filter(|other| **other == verdict).count();
            items.push(ListedItem {
                analysis: self,
                verdict,
                row,
                votes: [verdicts.len(), agreeing],
            });
        }
        // The verdicts of all bots come first.
        items.sort_by_key(|item| (item.verdict, item.votes[0] - item.votes[1]));
        items
    }

    /// Returns the items of the list without the middle ones of many fine or open items that the
    /// user has not named, and the number of those.
    fn shown(&self, table: &ItemTable) -> (Vec<ListedItem<'_>>, usize) {
        let mut items = self.listed(table);
        let mut hidden = 0;
        for verdict in [ItemVerdict::Fine, ItemVerdict::Open] {
            let count = items.iter().filter(|item| item.verdict == verdict).count();
            let first = items.iter().position(|item| item.verdict == verdict).unwrap_or(0);
            if count > MAX_LISTED {
                let start = first + LISTED_OF_MANY;
                let middle = items.drain(start..start + count - 2 * LISTED_OF_MANY);
                let is_named = |item: &ListedItem<'_>| self.named.contains(&item.row.item);
                let named: Vec<_> = middle.filter(is_named).collect();
                hidden += count - 2 * LISTED_OF_MANY - named.len();
                items.splice(start..start, named);
            }
        }
        (items, hidden)
    }

    /// States how many items of each table need a change, and the worth of the one that differs
    /// most.
    pub(super) fn verdict_sentences(&self) -> Vec<String> {
        let is_open = |table: &&ItemTable| {
            let items = self.listed(table);
            items.len() > 1 && items.iter().all(|item| item.verdict == ItemVerdict::Open)
        };
        let (open, known): (Vec<_>, Vec<_>) = self.item_tables().partition(is_open);
        let mut sentences: Vec<_> =
            known.into_iter().map(|table| self.counts_sentence(table)).collect();
        if !open.is_empty() {
            let names: Vec<_> = open.iter().map(|table| table.name.replace('_', " ")).collect();
            sentences.push(format!("In too few games to tell: all {}.", join_with_and(&names)));
        }
        sentences.extend(self.item_to_change().map(|row| self.worth_sentence(row)));
        sentences
    }

    fn counts_sentence(&self, table: &ItemTable) -> String {
        let items = self.listed(table);
        let count =
            |verdict: ItemVerdict| items.iter().filter(|item| item.verdict == verdict).count();
        let parts = [
            (ItemVerdict::Nerf, "too strong"),
            (ItemVerdict::Buff, "too weak"),
            (ItemVerdict::Dead, "hardly ever taken"),
            (ItemVerdict::Open, "in too few games to tell"),
        ];
        let parts = parts.map(|(verdict, words)| (count(verdict), words));
        let parts: Vec<_> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, words)| format!("{count} {words}"))
            .collect();
        let kinds = table.name.replace('_', " ");
        if let [ListedItem { verdict: ItemVerdict::Open, row, .. }] = items[..] {
            let item = &self.item(row.item).name;
            return format!(
                "{} Played alone; `--only {} --item {item}` compares it with others.",
                self.worth_sentence(self.overall_row(row.item).unwrap_or(row)),
                table.name
            );
        }
        if parts.is_empty() {
            return format!("{}: none of {} stands out.", capitalize(&kinds), items.len());
        }
        let parts = parts.join(", ");
        let by = match self.results {
            [_] => String::new(),
            all => format!(", by {}", all[0].lineup),
        };
        format!("{}{by}: of {}, {parts}.", capitalize(&kinds), items.len())
    }

    /// Returns the row of the item that is too strong with the highest access or, if none is, of
    /// the one that is too weak with the lowest.
    fn item_to_change(&self) -> Option<&EffectRow> {
        let items: Vec<_> = self.item_tables().flat_map(|table| self.listed(table)).collect();
        let access = |item: &&ListedItem<'_>| item.row.effect(Estimand::Access).effect.value;
        let with = |verdict| items.iter().filter(move |item| item.verdict == verdict);
        let strongest =
            with(ItemVerdict::Nerf).max_by(|one, other| access(one).total_cmp(&access(other)));
        let weakest =
            with(ItemVerdict::Buff).min_by(|one, other| access(one).total_cmp(&access(other)));
        self.overall_row(strongest.or(weakest)?.row.item)
    }

    /// Returns the row of the first lineup on the win share with an item in all rounds.
    fn overall_row(&self, item: ItemId) -> Option<&EffectRow> {
        self.rows.iter().find(|row| {
            (row.lineup, row.item, row.metric) == (0, item, SeatMetric::WinShare)
                && row.overall.is_some()
        })
    }

    fn worth_sentence(&self, row: &EffectRow) -> String {
        let points = |estimand: Estimand| {
            let value = row.effect(estimand).effect.value;
            Unit::Percent.format_number(value, 1)
        };
        let access = effect_estimate(row.effect(Estimand::Access).effect);
        let unit = Unit::PercentagePoints;
        let worth = if access.low.is_finite() {
            unit.format_estimate(access)
        } else {
            unit.format_value(access)
        };
        format!(
            "Being allowed to take {} is worth {worth} (n {}) of win rate by {}: {} from the item, \
             {} because no other player has it.",
            self.item(row.item).label,
            group_digits(access.n),
            player_text(&self.results[0].lineup),
            points(Estimand::Worth),
            points(Estimand::Denial)
        )
    }

    /// Returns the flags that search a better value of the item to change, if it has a number.
    pub(super) fn next_command(&self, selection: &GameSelection) -> Option<String> {
        let row = self.item_to_change()?;
        let list = self.catalog.table(row.item).data_key?;
        let start = format!("{list}.{}.", self.item(row.item).name);
        let keys = all_keys(selection).ok()?.into_iter();
        let numbers = keys.filter(|key| {
            key.key.starts_with(&start) && !key.is_absent && key.value.parse::<i64>().is_ok()
        });
        let mut keys: Vec<_> = numbers.map(|key| key.key).collect();
        // Points change nothing but the worth of an item.
        keys.sort_by_key(|key| (!key.ends_with("points"), key.ends_with("copies")));
        let family = self.catalog.table(row.item).name;
        let target = format!("--only {family} --target mean");
        let data = match &selection.config {
            Some(path) => format!("--config {}", path.display()),
            None => format!("--game {}", selection.game.id),
        };
        let players = selection.players;
        keys.first()
            .map(|key| format!("{data} --players {players} \\\n    --remedy {key} {target}"))
    }

    /// Returns the lists of all tables for the terminal.
    pub(super) fn verdict_lists(&self) -> String {
        let mut text = String::new();
        for sentence in self.verdict_sentences() {
            text += &paragraph(&sentence);
        }
        for table in self.item_tables() {
            let (items, hidden) = self.shown(table);
            let mut columns = Columns::<ListedItem<'_>>::new("", "")
                .text(("", table.singular), "", |item: &ListedItem<'_>| {
                    item.analysis.item(item.row.item)
                })
                .text("", "", |item| item.verdict.name().to_uppercase())
                .text("access pp", "", |item| access_text(item.row))
                .text("taken", "", |item| format!("{:>3} %", item.taken_text()));
            if self.results.len() > 1 {
                columns = columns.text("bots", "", ListedItem::votes_text);
            }
            let is_any_dead = items.iter().any(|item| item.verdict == ItemVerdict::Dead);
            let _ = write!(text, "\n{}", columns.table("", items).view().text());
            if is_any_dead {
                let _ = writeln!(text, "{DEAD}");
            }
            if hidden > 0 {
                let _ = writeln!(text, "{hidden} fine or open items are in forks.csv only");
            }
        }
        text
    }

    /// Draws the lists of all tables.
    pub(super) fn add_verdict_charts(&self, report: &mut StudyReport) {
        self.item_tables().for_each(|table| report.page(self.verdict_chart(table)));
    }

    fn verdict_chart(&self, table: &ItemTable) -> IntervalChart {
        let (items, hidden) = self.shown(table);
        let row = |item: &ListedItem<'_>| {
            let mut note = match item.row.sums.taken.n {
                0 => "never offered".to_owned(),
                _ => format!("taken {} %", item.taken_text()),
            };
            let votes = item.votes_text();
            if self.results.len() > 1 && !votes.is_empty() {
                note += &format!(", {votes} bots");
            }
            let access = effect_estimate(item.row.effect(Estimand::Access).effect);
            let verdict = item.verdict.name().to_uppercase();
            IntervalRow::new((item.label().to_owned(), access))
                .with_mark(&verdict, item.verdict != ItemVerdict::Fine)
                .with_note(&note)
        };
        let mut sentence = format!(
            "{}: what being allowed to take it is worth, in points of win rate, by {} ({} games).",
            capitalize(&table.name.replace('_', " ")),
            self.results[0].lineup,
            group_digits(self.results[0].tally.games)
        );
        if hidden > 0 {
            sentence += &format!(" {hidden} fine or open items are in the tables only.");
        }
        if items.iter().any(|item| item.verdict == ItemVerdict::Dead) {
            sentence += &format!(" {DEAD}.");
        }
        let rows = items.iter().map(row);
        IntervalChart::new(sentence, Unit::PercentagePoints, &["access"], rows)
            .with_reference(0.0, "worth nothing")
    }
}

/// Returns the access to an item with the half-width of its interval.
fn access_text(row: &EffectRow) -> String {
    let access = row.effect(Estimand::Access).effect;
    let value = Unit::PercentagePoints.format_number(access.value, 1);
    if !access.is_testable() {
        return if access.value.is_finite() { value } else { String::new() };
    }
    let estimate = access.estimate();
    let half = Unit::Percent.format_number((estimate.high - estimate.low) / 2.0, 1);
    format!("{value} ± {half}")
}
