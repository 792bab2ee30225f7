//! The sentences with which the section of a lineup and a table begins.

use crate::study::{
    ablate::{
        analysis::{EffectRow, ItemEffectsAnalysis},
        verdicts::is_rare,
    },
    shared::prelude::*,
};

/// Maximum number of items that are named for the same reason.
const MAX_NAMED: usize = 3;

impl ItemEffectsAnalysis<'_> {
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
            others => format!("{named} and {}", format_count(others, "other")),
        }
    }

    pub(super) fn all_names(&self, rows: &[&EffectRow]) -> String {
        let names: Vec<_> = rows.iter().map(|row| self.item(row.item).label.as_str()).collect();
        names.join(", ")
    }
}
