//! The sentences with which the page and the terminal text begin.

use crate::{
    arena::metric::SeatMetric,
    experiments::item_effects::Estimand,
    game::ItemTable,
    report::{
        html::{Unit, capitalize, format_count},
        study_page::effect_estimate,
    },
    stats::{flags::Flag, ratio::Estimate},
    study::ablate::analysis::{EffectRow, ItemEffectsAnalysis},
};

/// Maximum number of items that are named for the same reason.
const MAX_NAMED: usize = 3;
/// Maximum number of characters of the short answers on all tables.
const MAX_LENGTH: usize = 260;
/// Share of the forks below which an item is hardly ever taken.
const RARE: f64 = 0.15;

impl ItemEffectsAnalysis<'_> {
    /// Returns an answer for each table that names the items to change. Fewer items are named for
    /// the same reason if the answers would be too long, none of them twice.
    pub(crate) fn short_answers(&self, lineup: usize) -> Vec<String> {
        let answers = |max_named: usize| -> Vec<String> {
            self.item_tables().map(|table| self.short_answer(lineup, table, max_named)).collect()
        };
        let length = |answers: &[String]| -> usize {
            answers.iter().map(|answer| answer.chars().count()).sum()
        };
        let fitting = (1..=MAX_NAMED).rev().map(answers);
        let fitting = fitting.into_iter().find(|answers| length(answers) <= MAX_LENGTH);
        fitting.unwrap_or_else(|| answers(0))
    }

    fn short_answer(&self, lineup: usize, table: &ItemTable, max_named: usize) -> String {
        let rows = self.ranking(lineup, table, SeatMetric::WinShare);
        let mut rest: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
        let mut parts = Vec::new();
        let count = rest.iter().filter(|row| has_interval(row)).count();
        let lowest = count.checked_sub(1).map(|last| rest[last].item);
        let mut add = |reason: &str,
                       rows: Vec<&EffectRow>,
                       max: usize,
                       name: &dyn Fn(&EffectRow) -> String| {
            if rows.is_empty() {
                return;
            }
            let mut names: Vec<_> = rows.iter().take(max).map(|row| name(row)).collect();
            let others = rows.len() - names.len();
            if others > 0 {
                let unit = if names.is_empty() { "item" } else { "other" };
                names.push(format_count(others as u64, unit));
            }
            parts.push(format!("{reason}: {}", names.join(", ")));
        };
        let strong: Vec<_> =
            rest.extract_if(.., |row| row.flags().contains(&Flag::Strong)).collect();
        let mut rare: Vec<_> = rest.extract_if(.., |row| is_rare(row)).collect();
        rare.sort_by(|one, other| taken(one).total_cmp(&taken(other)));
        let mut weak: Vec<_> =
            rest.extract_if(.., |row| row.flags().contains(&Flag::Weak)).collect();
        weak.reverse();
        let is_lowest = |row: &EffectRow| Some(row.item) == lowest;
        let lowest: Vec<_> = rest.extract_if(.., |row| is_lowest(row)).collect();
        let is_highest = |row: &&EffectRow| strong.is_empty() && count > 2 && has_interval(row);
        let highest = usize::from(rest.first().is_some_and(is_highest));
        let highest: Vec<_> = rest.drain(..highest).collect();
        let unknown: Vec<_> = rest.into_iter().filter(|row| !has_interval(row)).collect();
        let short_size = |row: &EffectRow| self.short_size(row);
        let label = |row: &EffectRow| self.item(row.item).label.clone();
        let share = |row: &EffectRow| {
            format!("{} {} %", label(row), Unit::Percent.format_number(taken(row), 0))
        };
        // These have short names, and no other figure says so.
        let max_rare = if max_named > 0 { MAX_NAMED } else { 0 };
        add("too strong", strong, max_named, &short_size);
        add("hardly ever taken", rare, max_rare, &share);
        add("too weak", weak, max_named, &short_size);
        add("highest", highest, max_named, &short_size);
        add("lowest", lowest, max_named, &short_size);
        add("in too few deals to tell", unknown, max_named, &label);
        format!("{}, {}.", capitalize(&table.name.replace('_', " ")), parts.join("; "))
    }

    /// Returns the label of an item with its access.
    fn short_size(&self, row: &EffectRow) -> String {
        let Estimate { value, low, high, .. } = row.effect(Estimand::Access).effect.estimate();
        let value = Unit::PercentagePoints.format_number(value, 1);
        let half = Unit::Percent.format_number((high - low) / 2.0, 1);
        let label = &self.item(row.item).label;
        format!("{label} {value} ± {half} pp")
    }

    /// Names the strongest and the weakest items of a table by access, and those that differ from
    /// the others.
    pub(crate) fn answer(&self, lineup: usize, table: &ItemTable) -> String {
        let all = self.ranking(lineup, table, SeatMetric::WinShare);
        let all: Vec<_> = all.into_iter().map(|(_, row)| row).collect();
        let is_tested = |row: &&EffectRow| row.effect(Estimand::Access).effect.is_testable();
        let tested: Vec<_> = all.iter().copied().filter(is_tested).collect();
        let kinds = table.name.replace('_', " ");
        let mut sentences = vec![match &tested[..] {
            [] => format!(
                "{}: no access has a test; there are too few deals, or the bots take too few.",
                capitalize(&kinds)
            ),
            [row] => format!("{}: access {}.", capitalize(&kinds), self.size(row)),
            rows => {
                let named = MAX_NAMED.min(rows.len() / 2);
                let weakest: Vec<_> = rows.iter().rev().copied().take(named).collect();
                format!(
                    "{} by access, strongest: {}; weakest: {}.",
                    capitalize(&kinds),
                    self.sizes(&rows[..named]),
                    self.sizes(&weakest)
                )
            }
        }];
        let with = |flag: Flag| -> Vec<&EffectRow> {
            all.iter().copied().filter(|row| row.flags().contains(&flag)).collect()
        };
        if tested.len() > 1 {
            sentences.push(self.comparison(&kinds, &with(Flag::Strong), with(Flag::Weak)));
        }
        let (gains, mut losses, unused) = (with(Flag::Gain), with(Flag::Loss), with(Flag::Unused));
        losses.reverse();
        if !losses.is_empty() {
            sentences.push(format!(
                "Being allowed to take it lowers the win share: {}.",
                self.sizes_of_some(&losses)
            ));
        }
        if tested.len() > 1 {
            sentences.push(format!(
                "{} of {} differ significantly from 0 ({} above, {} below; Holm-adjusted p < \
                 0.05).",
                gains.len() + losses.len(),
                tested.len(),
                gains.len(),
                losses.len()
            ));
        }
        if !unused.is_empty() {
            sentences.push(format!(
                "Taken after less than 1 % of the forks, so not judged: {}.",
                self.all_names(&unused)
            ));
        }
        let rare: Vec<_> = all.iter().copied().filter(|row| is_rare(row)).collect();
        if !rare.is_empty() {
            let names = self.all_names(&rare);
            sentences
                .push(format!("Hardly ever taken, after less than 15 % of the forks: {names}."));
        }
        let unknown: Vec<_> = all.iter().copied().filter(|row| !is_tested(row)).collect();
        if !unknown.is_empty() && !tested.is_empty() {
            sentences.push(format!("In too few deals to tell: {}.", self.all_names(&unknown)));
        }
        sentences.join(" ")
    }

    /// States which items are too strong and too weak, compared with the others of the table.
    fn comparison(&self, kinds: &str, strong: &[&EffectRow], mut weak: Vec<&EffectRow>) -> String {
        weak.reverse();
        let parts = [("too strong", strong), ("too weak", &weak)];
        let parts = parts.iter().filter(|(_, rows)| !rows.is_empty());
        let parts: Vec<_> = parts
            .map(|(verdict, rows)| format!("{verdict}: {}", self.sizes_of_some(rows)))
            .collect();
        if parts.is_empty() {
            return format!("None differs significantly from the median of the other {kinds}.");
        }
        format!(
            "Compared with the median of the other {kinds} (Holm-adjusted p < 0.05), {}.",
            parts.join("; ")
        )
    }

    /// Returns the label of an item with its access.
    fn size(&self, row: &EffectRow) -> String {
        let access = effect_estimate(row.effect(Estimand::Access).effect);
        let access = Unit::PercentagePoints.format_estimate(access);
        format!("{} {access}", self.item(row.item).label)
    }

    fn sizes(&self, rows: &[&EffectRow]) -> String {
        rows.iter().map(|row| self.size(row)).collect::<Vec<_>>().join(", ")
    }

    /// Returns the first items with their access, and the number of others.
    fn sizes_of_some(&self, rows: &[&EffectRow]) -> String {
        let named = self.sizes(&rows[..rows.len().min(MAX_NAMED)]);
        match rows.len().saturating_sub(MAX_NAMED) {
            0 => named,
            others => format!("{named} and {}", format_count(others as u64, "other")),
        }
    }

    pub(super) fn all_names(&self, rows: &[&EffectRow]) -> String {
        let names: Vec<_> = rows.iter().map(|row| self.item(row.item).label.as_str()).collect();
        names.join(", ")
    }
}

/// Returns the share of the forks whose seat takes the item.
fn taken(row: &EffectRow) -> f64 {
    row.sums.taken.value(1)
}

/// Returns true if the access to an item has an interval.
fn has_interval(row: &EffectRow) -> bool {
    row.effect(Estimand::Access).effect.is_testable()
}

/// Returns true if an item is hardly ever taken.
fn is_rare(row: &EffectRow) -> bool {
    row.sums.forks() > 0 && row.sums.taken.rate(1).high < RARE
}
