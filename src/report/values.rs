//! What items are worth: `values.csv` and its short table.

use std::fmt::Write;

use super::{
    csv::{Table, number, words},
    table::{shortened, with_interval},
};
use crate::{
    arena::{
        appraisal::{Appraisal, Value},
        measure::Measure,
    },
    game::ItemTable,
    stats::{
        holm::{ERROR_RATE, holm},
        paired::Effect,
        ratio::Estimate,
    },
};

/// What was counted with some bots in the seats.
#[derive(Clone, Debug)]
pub struct Rung<'a> {
    /// The bots in short.
    pub bots: String,
    /// What was counted.
    pub appraisal: &'a Appraisal,
}

/// What makes an item worth a look.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Flag {
    Disagree,
    Opposite,
    Strong,
    Weak,
    Flips,
}

impl Flag {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Disagree => "disagree",
            Self::Opposite => "opposite",
            Self::Strong => "strong",
            Self::Weak => "weak",
            Self::Flips => "flips",
        }
    }

    /// For the terminal; [`LEGEND`] explains it.
    const fn symbol(self) -> char {
        match self {
            Self::Disagree => '!',
            Self::Opposite => 'x',
            Self::Strong => '+',
            Self::Weak => '-',
            Self::Flips => '~',
        }
    }
}

const LEGEND: &str = "! association disagrees, x in sign; + above, - below others; ~ by bots in sign";

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) rung: usize,
    pub(super) table: usize,
    pub(super) item: usize,
    pub(super) measure: Measure,
    pub(super) value: Value,
    /// Seats to which it was granted, and refused.
    pub(super) granted: [i64; 2],
    /// p-values by Holm's method, over the items of the table: association, adjusted, causal.
    pub(super) holm: [f64; 3],
    pub(super) flags: Vec<Flag>,
}

/// The values of all items as tables show them.
#[derive(Clone, Debug)]
pub struct ValuesReport<'a> {
    pub(super) tables: Vec<ItemTable>,
    pub(super) rungs: Vec<Rung<'a>>,
    provenance: &'a str,
    pub(super) rows: Vec<Row>,
}

/// The property that parts a table into groups of items of different kinds.
const GROUP: &str = "group";
/// How many items are shown from each end.
const SHOWN: usize = 4;
const NAME_WIDTH: usize = 24;
/// Fewer seats to which an item was assigned say little about it.
const FEWEST_ASSIGNED: i64 = 60;

impl<'a> ValuesReport<'a> {
    /// The values by these bots, from weak to strong.
    pub fn new(tables: Vec<ItemTable>, rungs: Vec<Rung<'a>>, provenance: &'a str) -> Self {
        let mut rows = Vec::new();
        for (rung, Rung { appraisal, .. }) in rungs.iter().enumerate() {
            let mut first = 0;
            for (table, items) in tables.iter().enumerate() {
                let counted = &appraisal.items[first..first + items.items.len()];
                let values: Vec<_> = counted.iter().map(crate::arena::appraisal::ItemValues::values).collect();
                for (index, measure) in Measure::ALL.into_iter().enumerate() {
                    let row = |item: usize| Row {
                        rung,
                        table,
                        item,
                        measure,
                        value: values[item][index],
                        granted: [counted[item].causal[index].b.n, counted[item].causal[index].a.n],
                        holm: [f64::NAN; 3],
                        flags: Vec::new(),
                    };
                    let mut of_table: Vec<_> = (0..values.len()).map(row).collect();
                    judge(&mut of_table, items);
                    rows.extend(of_table);
                }
                first += items.items.len();
            }
        }
        flag_flips(&mut rows);
        rows.sort_by_key(|row| (row.rung, row.table, row.item));
        Self { tables, rungs, provenance, rows }
    }

    /// `values.csv`: a row per bots, item and measure.
    pub fn csv(&self) -> Vec<u8> {
        let mut heading = words(&["bots", "table", "item", "properties", "measure"]);
        for kind in ["association", "adjusted", "causal"] {
            heading.extend(["estimate", "n", "ci_low", "ci_high", "p", "p_holm"].map(|column| format!("{kind}_{column}")));
        }
        heading.extend(words(&["granted", "refused", "flag", "provenance"]));
        let mut table = Table::new(&heading);
        for row in &self.rows {
            let items = &self.tables[row.table];
            let (name, properties) = &items.items[row.item];
            let properties = items.properties.iter().zip(properties).filter(|(_, value)| !value.is_empty());
            let properties: Vec<_> = properties.map(|(property, value)| format!("{property}={value}")).collect();
            let mut cells = vec![
                self.rungs[row.rung].bots.clone(),
                items.name.to_owned(),
                name.clone(),
                properties.join(" "),
                row.measure.as_str().to_owned(),
            ];
            let Value { association, adjusted, causal } = row.value;
            for (effect, p_holm) in [association, adjusted, causal].into_iter().zip(row.holm) {
                let Estimate { low, high, .. } = effect.estimate();
                cells.extend([number(effect.value, 6), effect.n.to_string(), number(low, 6), number(high, 6)]);
                cells.extend([probability(effect.p()), probability(p_holm)]);
            }
            cells.extend(row.granted.map(|n| n.to_string()));
            cells.extend([row.flags.iter().map(|flag| flag.as_str()).collect::<Vec<_>>().join("+"), self.provenance.to_owned()]);
            table.row(&cells);
        }
        table.into_bytes()
    }

    /// The items of greatest and least causal effect on the score, for the terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, Rung { bots, appraisal, .. }) in self.rungs.iter().enumerate() {
            let Appraisal { games, blocks, capped, .. } = appraisal;
            let bots = shortened(bots, 2 * NAME_WIDTH);
            let _ = writeln!(text, "{bots}\n{games} games in {blocks} blocks; {capped} capped by the round limit");
            let provenance = shortened(self.provenance.lines().next().unwrap_or_default(), NAME_WIDTH);
            let _ = writeln!(text, "data: {provenance} (the data file marks its values)");
            for table in 0..self.tables.len() {
                self.table_lines(&mut text, index, table);
            }
            text.push('\n');
        }
        text + LEGEND + "\n"
    }

    fn table_lines(&self, text: &mut String, rung: usize, table: usize) {
        let of_table = self.rows.iter().filter(|row| (row.rung, row.table, row.measure) == (rung, table, Measure::Score));
        let mut rows: Vec<_> = of_table.filter(|row| row.value.causal.n >= FEWEST_ASSIGNED).collect();
        rows.sort_by(|one, other| other.value.causal.value.total_cmp(&one.value.causal.value));
        if rows.is_empty() {
            return;
        }
        let singular = self.tables[table].singular;
        let _ = writeln!(text, "\n{singular:<NAME_WIDTH$} assigned   assoc  adjust  causal [95 % interval] of score");
        let from_end = rows.len().saturating_sub(SHOWN).max(SHOWN);
        for (_, row) in rows.iter().enumerate().filter(|(index, _)| *index < SHOWN || *index >= from_end) {
            let Value { association, adjusted, causal } = row.value;
            let name = shortened(&self.tables[table].items[row.item].0, NAME_WIDTH);
            let flags: String = row.flags.iter().map(|flag| flag.symbol()).collect();
            let _ = writeln!(
                text,
                "{name:<NAME_WIDTH$} {:>8} {} {}  {} {}",
                causal.n,
                points(association),
                points(adjusted),
                with_interval(causal.estimate(), |value| format!("{value:+.2}")),
                flags
            );
        }
    }
}

fn points(effect: Effect) -> String {
    if effect.value.is_finite() { format!("{:+7.2}", effect.value) } else { format!("{:>7}", "-") }
}

pub(super) fn probability(p: f64) -> String {
    if p.is_nan() { String::new() } else { format!("{p:.3e}") }
}

/// Corrects the p-values of a table's items for their number, and flags what stands out.
fn judge(rows: &mut [Row], items: &ItemTable) {
    let kinds: [fn(&Value) -> Effect; 3] = [|value| value.association, |value| value.adjusted, |value| value.causal];
    for (index, effect) in kinds.into_iter().enumerate() {
        let p: Vec<_> = rows.iter().map(|row| effect(&row.value).p()).collect();
        rows.iter_mut().zip(holm(&p)).for_each(|(row, p)| row.holm[index] = p);
    }
    let against_others: Vec<_> = (0..rows.len()).map(|item| against_others(rows, item, items)).collect();
    let p: Vec<_> = against_others.iter().map(Effect::p).collect();
    for ((row, difference), p) in rows.iter_mut().zip(&against_others).zip(holm(&p)) {
        if disagree(row.value.association, row.value.causal) {
            row.flags.push(Flag::Disagree);
        }
        if opposite(row) {
            row.flags.push(Flag::Opposite);
        }
        if p < ERROR_RATE {
            row.flags.push(if difference.value > 0.0 { Flag::Strong } else { Flag::Weak });
        }
    }
}

/// Whether two intervals have no number in common.
fn disagree(one: Effect, other: Effect) -> bool {
    let (known, [one, other]) = (one.is_known() && other.is_known(), [one, other].map(|effect| effect.estimate()));
    known && (one.low > other.high || one.high < other.low)
}

/// Whether association and causal effect have different signs, beyond doubt among all items of the table.
fn opposite(row: &Row) -> bool {
    let [association, _, causal] = row.holm;
    association.max(causal) < ERROR_RATE && row.value.association.value * row.value.causal.value < 0.0
}

/// How the causal effect of an item differs from the mean of the others of its table and group. The effects of different items come from
/// assignments of their own and are taken to be independent.
fn against_others(rows: &[Row], item: usize, items: &ItemTable) -> Effect {
    let own = rows[item].value.causal;
    let group = |item: usize| items.properties.iter().zip(&items.items[item].1).find(|(property, _)| **property == GROUP);
    let others = (0..rows.len()).filter(|&other| other != item && group(other) == group(item));
    let others: Vec<_> = others.map(|other| rows[other].value.causal).filter(Effect::is_known).collect();
    let n = others.len() as f64;
    if !own.is_known() || others.is_empty() {
        return Effect::unknown(own.n);
    }
    let mean = others.iter().map(|other| other.value).sum::<f64>() / n;
    let variance = others.iter().map(|other| other.error.powi(2)).sum::<f64>() / (n * n);
    Effect { value: own.value - mean, error: own.error.hypot(variance.sqrt()), ..own }
}

/// Flags the items whose causal effect has one sign with some bots and the other with others, beyond doubt with both.
fn flag_flips(rows: &mut [Row]) {
    let key = |row: &Row| (row.table, row.item, row.measure.as_str());
    let signs: Vec<_> = rows.iter().map(|row| (key(row), row.value.causal)).filter(|(_, effect)| effect.is_significant()).collect();
    for row in rows.iter_mut() {
        let mut of_item = signs.iter().filter(|(other, _)| *other == key(row)).map(|(_, effect)| effect.value > 0.0);
        if of_item.next().is_some_and(|first| of_item.any(|sign| sign != first)) {
            row.flags.push(Flag::Flips);
        }
    }
}
