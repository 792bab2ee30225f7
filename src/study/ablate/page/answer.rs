//! The sentences with which the page and the terminal text begin.

use crate::{
    arena::metric::SeatMetric,
    game::ItemTable,
    report::{
        html::{Unit, capitalize, format_count, join_with_and},
        study_page::effect_estimate,
    },
    stats::flags::Flag,
    study::ablate::{
        analysis::{EffectRow, ItemEffectsAnalysis},
        experiment::Estimand,
    },
};

/// Maximum number of items of a sentence that are named.
const MAX_NAMED: usize = 3;

impl ItemEffectsAnalysis<'_> {
    /// States which items of a table raise and which lower the win share of the seats that may
    /// take them.
    pub(crate) fn answer(&self, lineup: usize, table: &ItemTable) -> String {
        let rows: Vec<_> = self
            .ranking(lineup, table, SeatMetric::WinShare)
            .into_iter()
            .map(|(_, row)| row)
            .collect();
        let with = |flag: Flag| -> Vec<&EffectRow> {
            rows.iter().copied().filter(|row| row.flags().contains(&flag)).collect()
        };
        let (gains, mut losses, unused) = (with(Flag::Gain), with(Flag::Loss), with(Flag::Unused));
        losses.reverse();
        let kinds = table.name.replace('_', " ");
        let tested =
            rows.iter().filter(|row| row.effect(Estimand::Access).effect.is_testable()).count();
        let mut answer = match (&gains[..], &losses[..]) {
            ([], []) if tested == 0 => format!(
                "{}: no access has a test; there are too few deals, or the bots take too few.",
                capitalize(&kinds)
            ),
            ([], []) => format!(
                "{}: the access to none of {tested} differs significantly from 0 (Holm-adjusted p \
                 < 0.05).",
                capitalize(&kinds)
            ),
            _ => {
                let mut parts = Vec::new();
                if !losses.is_empty() {
                    let (is, they) = if losses.len() == 1 { ("is", "it") } else { ("are", "them") };
                    parts.push(format!(
                        "{} of {tested} {is} too weak: seats that may take {they} win less, by {}",
                        losses.len(),
                        self.named(&losses)
                    ));
                }
                if !gains.is_empty() {
                    parts.push(format!(
                        "{} of {tested} raise{} the win share of the seats that may take {}, by {}",
                        gains.len(),
                        if gains.len() == 1 { "s" } else { "" },
                        if gains.len() == 1 { "it" } else { "them" },
                        self.named(&gains)
                    ));
                }
                format!(
                    "{}: {} (access, Holm-adjusted p < 0.05).",
                    capitalize(&kinds),
                    parts.join("; ")
                )
            }
        };
        if !unused.is_empty() {
            answer += &format!(
                " Taken after less than 1 % of the forks, so not judged: {}.",
                self.names(&unused)
            );
        }
        answer
    }

    /// Returns the first items with their access, and the number of others.
    fn named(&self, rows: &[&EffectRow]) -> String {
        let part = |row: &&EffectRow| {
            let access = effect_estimate(row.effect(Estimand::Access).effect);
            format!(
                "{} ({})",
                Unit::PercentagePoints.format_estimate(access),
                self.item(row.item).label
            )
        };
        let mut parts: Vec<_> = rows.iter().take(MAX_NAMED).map(part).collect();
        if rows.len() > MAX_NAMED {
            let others = format_count((rows.len() - MAX_NAMED) as u64, "other");
            parts.push(format!("less for {others}"));
        }
        join_with_and(&parts)
    }

    fn names(&self, rows: &[&EffectRow]) -> String {
        let mut names: Vec<_> =
            rows.iter().take(2 * MAX_NAMED).map(|row| self.item(row.item).label.clone()).collect();
        if rows.len() > names.len() {
            names.push(format_count((rows.len() - names.len()) as u64, "other"));
        }
        join_with_and(&names)
    }
}
