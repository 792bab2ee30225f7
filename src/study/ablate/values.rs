//! The effects of forced picks, beside association and regression: `values.csv` and its short
//! table.

use std::fmt::Write;

use crate::{
    arena::metric::SeatMetric,
    game::{Item, ItemCatalog},
    report::text::{format_with_interval, truncate},
    run::lineups::SIGN_FLIP_MARK,
    stats::{flags::Flag, paired::Effect, ratio::Estimate},
    study::{
        ablate::{
            analysis::{TestedItem, flag_sign_flips, test_table},
            experiment::{ItemEffects, ItemEffectsTally},
        },
        simulate::csv::{CsvTable, format_p_value, number, words},
    },
};

/// What was counted with some bots in the seats.
#[derive(Clone, Debug)]
pub struct LineupEffects<'a> {
    /// The bots in short.
    pub lineup: String,
    /// What was counted.
    pub appraisal: &'a ItemEffectsTally,
}

/// The symbol of a flag for the terminal; [`legend`] explains it.
const fn symbol(flag: Flag) -> char {
    match flag {
        Flag::Disagree => '!',
        Flag::Opposite => 'x',
        Flag::Strong => '+',
        Flag::Weak => '-',
        Flag::Flips => SIGN_FLIP_MARK,
        Flag::Constant => '=',
        Flag::Significant | Flag::Removed | Flag::Added => ' ',
    }
}

fn legend() -> String {
    format!(
        "assigned    seats that the experiment told to take the item now, or never\n\
         assoc       takers less seats that could have taken it, in plain comparison\n\
         adjust      the same by regression on the position before the choice\n\
         forced now  seats told to take it, less seats told never to take it\n\
         Flags (Holm-adjusted p < 0.05):\n\
         !  assoc and forced now differ        x  they have opposite signs\n\
         +  forced now is above that of the other items, -  below it\n\
         {SIGN_FLIP_MARK}  opposite signs for two bots        =  constant, so without an interval\n"
    )
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) lineup: usize,
    pub(crate) table: usize,
    pub(crate) item: usize,
    pub(crate) measure: SeatMetric,
    /// Seats that had to take it, and seats that might not.
    pub(crate) granted: [i64; 2],
    pub(crate) tested: TestedItem,
}

/// The values of all items as tables show them.
#[derive(Clone, Debug)]
pub struct ItemEffectsReport<'a> {
    pub(crate) catalog: &'a ItemCatalog,
    pub(crate) rungs: Vec<LineupEffects<'a>>,
    provenance: &'a str,
    pub(crate) rows: Vec<Row>,
}

/// How many items are shown from each end.
const SHOWN: usize = 4;
const NAME_WIDTH: usize = 24;
/// Fewer seats to which an item was assigned say little about it.
const FEWEST_ASSIGNED: i64 = 60;

impl<'a> ItemEffectsReport<'a> {
    /// The values by these bots, from weak to strong.
    pub fn new(
        catalog: &'a ItemCatalog,
        rungs: Vec<LineupEffects<'a>>,
        provenance: &'a str,
    ) -> Self {
        let mut rows = Vec::new();
        for (rung, LineupEffects { appraisal, .. }) in rungs.iter().enumerate() {
            for (table, items) in catalog.tables().iter().enumerate() {
                let counted = &appraisal.items[items.ids().range()];
                let values: Vec<_> = counted
                    .iter()
                    .map(crate::study::ablate::experiment::ItemEffectSums::effects)
                    .collect();
                for (index, measure) in SeatMetric::ALL.into_iter().enumerate() {
                    let of_measure: Vec<_> = values.iter().map(|values| values[index]).collect();
                    rows.extend(test_table(&of_measure).into_iter().enumerate().map(
                        |(item, tested)| {
                            let granted = [
                                counted[item].forced_now[index].treatment.n,
                                counted[item].forced_now[index].control.n,
                            ];
                            Row { lineup: rung, table, item, measure, granted, tested }
                        },
                    ));
                }
            }
        }
        flag_sign_flips(rows.iter_mut().map(|row: &mut Row| &mut row.tested), rungs.len());
        rows.sort_by_key(|row| (row.lineup, row.table, row.item));
        Self { catalog, rungs, provenance, rows }
    }

    /// `values.csv`: a row per bots, item and measure.
    pub fn csv(&self) -> Vec<u8> {
        let mut heading = words(&["bots", "table", "item", "properties", "measure"]);
        for kind in ["association", "adjusted", "forced_now"] {
            heading.extend(
                ["estimate", "n", "ci_low", "ci_high", "p", "p_holm"]
                    .map(|column| format!("{kind}_{column}")),
            );
        }
        heading.extend(words(&["granted", "refused", "disagree_p_holm", "flag", "provenance"]));
        let mut table = CsvTable::new(&heading);
        for row in &self.rows {
            let items = &self.catalog.tables()[row.table];
            let Item { name, properties } = &items.items[row.item];
            let properties =
                items.properties.iter().zip(properties).filter(|(_, value)| !value.is_empty());
            let properties: Vec<_> =
                properties.map(|(property, value)| format!("{property}={value}")).collect();
            let mut cells = vec![
                self.rungs[row.lineup].lineup.clone(),
                items.name.to_owned(),
                name.clone(),
                properties.join(" "),
                row.measure.as_str().to_owned(),
            ];
            let TestedItem {
                effects: ItemEffects { association, adjusted, forced_now, .. },
                p_holm,
                disagree_p_holm,
                flags,
            } = &row.tested;
            for (effect, &p_holm) in [association, adjusted, forced_now].into_iter().zip(p_holm) {
                let Estimate { low, high, .. } = effect.estimate();
                cells.extend([
                    number(effect.value, 6),
                    effect.n.to_string(),
                    number(low, 6),
                    number(high, 6),
                ]);
                cells.extend([format_p_value(effect.p_value()), format_p_value(p_holm)]);
            }
            cells.extend(row.granted.map(|n| n.to_string()));
            let flags: Vec<_> = flags.iter().map(|flag| flag.as_str()).collect();
            cells.extend([
                format_p_value(*disagree_p_holm),
                flags.join("+"),
                self.provenance.to_owned(),
            ]);
            table.row(&cells);
        }
        table.into_bytes()
    }

    /// The items whose forced picks have the greatest and the least effects on the score, for the
    /// terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, LineupEffects { lineup: bots, appraisal, .. }) in self.rungs.iter().enumerate()
        {
            let ItemEffectsTally { games, blocks, capped, .. } = appraisal;
            let bots = truncate(bots, 2 * NAME_WIDTH);
            let _ = writeln!(
                text,
                "{bots}\n{games} games in {blocks} blocks; {capped} capped by the round limit"
            );
            let provenance =
                truncate(self.provenance.lines().next().unwrap_or_default(), NAME_WIDTH);
            let _ = writeln!(text, "data: {provenance} (the data file marks its values)");
            for table in 0..self.catalog.tables().len() {
                self.table_lines(&mut text, index, table);
            }
            text.push('\n');
        }
        text + &legend()
    }

    fn table_lines(&self, text: &mut String, rung: usize, table: usize) {
        let of_table = self
            .rows
            .iter()
            .filter(|row| (row.lineup, row.table, row.measure) == (rung, table, SeatMetric::Score));
        let mut rows: Vec<_> =
            of_table.filter(|row| row.tested.effects.forced_now.n >= FEWEST_ASSIGNED).collect();
        let effect = |row: &Row| row.tested.effects.forced_now.value;
        rows.sort_by(|one, other| effect(other).total_cmp(&effect(one)));
        if rows.is_empty() {
            return;
        }
        let singular = self.catalog.tables()[table].singular;
        let _ = writeln!(
            text,
            "\n{singular:<NAME_WIDTH$} assigned   assoc  adjust  forced now: score [95 %]"
        );
        let from_end = rows.len().saturating_sub(SHOWN).max(SHOWN);
        for (_, row) in
            rows.iter().enumerate().filter(|(index, _)| *index < SHOWN || *index >= from_end)
        {
            let ItemEffects { association, adjusted, forced_now, .. } = row.tested.effects;
            let name = truncate(
                self.catalog.tables()[table]
                    .short_name(&self.catalog.tables()[table].items[row.item]),
                NAME_WIDTH,
            );
            let flags: String = row.tested.flags.iter().map(|&flag| symbol(flag)).collect();
            let _ = writeln!(
                text,
                "{name:<NAME_WIDTH$} {:>8} {} {}  {} {}",
                forced_now.n,
                points(association),
                points(adjusted),
                format_with_interval(forced_now.estimate(), 2, |value, decimals| format!(
                    "{value:+.decimals$}"
                )),
                flags
            );
        }
    }
}

fn points(effect: Effect) -> String {
    if effect.value.is_finite() { format!("{:+7.2}", effect.value) } else { format!("{:>7}", "-") }
}
