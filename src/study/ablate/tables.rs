//! `values.csv`, `removed_items.csv` and their terminal text.

use std::fmt::Write;

use super::{
    analysis::{ItemEffectsAnalysis, ItemRow, MIN_SEATS, RemovedItemsAnalysis},
    experiment::ItemEffectsTally,
};
use crate::{
    arena::metric::SeatMetric,
    game::{Item, ItemTable},
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        provenance::Claim,
        study_page::{difference_column, difference_value},
        text::truncate,
    },
    run::lineups::{LineupResult, SIGN_FLIP_MARK},
    stats::flags::{Flag, TestedEffect},
    study::compare::{
        analysis::metric_subject,
        tables::{side_columns, test_columns},
    },
};

/// Values of the column `flag`, joined by `+`.
const FLAGS: [&str; 6] = [
    Flag::Disagree.as_str(),
    Flag::Opposite.as_str(),
    Flag::Strong.as_str(),
    Flag::Weak.as_str(),
    Flag::Flips.as_str(),
    Flag::Constant.as_str(),
];
/// Number of items with the highest effects in terminal text, and with the lowest.
const SHOWN: usize = 4;
/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 72;

/// Describes `values.csv`.
pub fn values_schema() -> Schema {
    let kinds = [
        ("association", "Seats that took the item minus seats that could have and did not."),
        (
            "adjusted",
            "Coefficient of taking the item at the first offer in a linear regression on seat, \
             turn position, bot, round and the value of the position.",
        ),
        (
            "forced_now",
            "Seats that had to take the item at the first offer minus seats that were forbidden to \
             take it: the causal effect of a forced pick.",
        ),
    ];
    let effect_columns = kinds.into_iter().flat_map(|(kind, description)| {
        let title = kind.replace('_', " ");
        let effect = difference_column(format!("{kind}_estimate"), title.clone(), description);
        [
            effect.n_after(format!("{kind}_n"), format!("n {title}")).ci(format!("{kind}_ci")),
            Column::p_value(format!("{kind}_p"), "p", "Test of no effect."),
            Column::p_value(
                format!("{kind}_p_holm"),
                "p (Holm)",
                "The p-value adjusted by Holm's method for all items of the table.",
            ),
        ]
    });
    Schema::new("values", "Effects of an item on a metric of the seats.")
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(Column::text("table", "table", "Item table."))
        .column(Column::text("item", "item", "Item."))
        .column(Column::text("properties", "properties", "Properties of the item."))
        .column(Column::word("metric", "metric", &SeatMetric::NAMES, "Metric of a seat."))
        .columns(effect_columns)
        .column(Column::integer("granted", "n forced", "Seats that had to take the item."))
        .column(Column::integer("refused", "n refused", "Seats that were forbidden to take it."))
        .column(Column::p_value(
            "disagree_p_holm",
            "p of the difference (Holm)",
            "Holm-adjusted test of no difference between `forced_now` and `association`.",
        ))
        .column(Column::word(
            "flag",
            "flag",
            &FLAGS,
            "Flags with Holm-adjusted p < 0.05. `disagree`: association and forced pick differ. \
             `opposite`: both are significant, with opposite signs. `strong`, `weak`: the forced \
             pick is above or below the mean of the other items of the table. `flips`: the forced \
             pick is significant with opposite signs for two lineups. `constant`: an estimate does \
             not vary between blocks.",
        ))
        .provenance()
}

/// Describes `removed_items.csv`.
pub fn removed_items_schema() -> Schema {
    Schema::new(
        "removed_items",
        "Difference of a metric with and without an item in the data file.",
    )
    .column(Column::text("lineup", "lineup", "Bots in the seats."))
    .column(Column::text("item", "item", "Changed item."))
    .column(Column::text("change", "change", "Change: `removed`, or `replaced by` an item."))
    .column(Column::text("metric", "metric", "Metric whose mean is compared."))
    .column(Column::text(
        "of",
        "of",
        "Seat, turn position or bot of the metric; empty for the whole game.",
    ))
    .columns(side_columns())
    .columns(test_columns(
        "`p` adjusted by Holm's method for all items and lineups with the same metric and `of`.",
    ))
    .provenance()
}

impl ItemEffectsAnalysis<'_> {
    /// Returns the rows of `values.csv`.
    pub fn table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(values_schema(), provenance);
        for row in &self.rows {
            let items = self.catalog.table(row.item);
            let Item { name, properties } = self.item(row);
            let properties: Vec<_> = (items.properties.iter().zip(properties))
                .filter(|(_, value)| !value.is_empty())
                .map(|(property, value)| format!("{property}={value}"))
                .collect();
            let mut values = vec![
                Value::from(&self.results[row.lineup].lineup),
                items.name.into(),
                name.into(),
                properties.join(" ").into(),
                row.metric.as_str().into(),
            ];
            for TestedEffect { effect, p_holm, .. } in row.tested.effects {
                values.push(difference_value(effect.estimate(), row.metric.metric()));
                values.extend([effect.p_value(), p_holm].map(Value::P));
            }
            values.extend([
                row.granted.into(),
                row.refused.into(),
                Value::P(row.tested.disagreement.p_holm),
                row.tested.flag_text().into(),
            ]);
            table.push(values);
        }
        table
    }

    /// Returns the items of each table with the highest and the lowest effects of forced picks on
    /// the score, for the terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, LineupResult { lineup, tally, .. }) in self.results.iter().enumerate() {
            let ItemEffectsTally { games, blocks, capped, .. } = tally;
            let _ = writeln!(
                text,
                "\n{}\n{games} games in {blocks} blocks; {capped} ended by the round limit",
                truncate(lineup, LINEUP_WIDTH)
            );
            for table in self.catalog.tables() {
                self.write_items(&mut text, index, table);
            }
        }
        text + &format!(
            "\nEffects on the score [95 % CI]:\n\
             assigned    seats that were forced or forbidden to take the item\n\
             assoc       association: takers minus seats that could have taken it\n\
             adjust      association adjusted by regression on the position before the choice\n\
             forced now  forced seats minus forbidden seats\n\
             Flags (Holm-adjusted p < 0.05):\n\
             {}  assoc and forced now differ         {}  they have opposite signs\n\
             {}  forced now is above other items     {}  forced now is below other items\n\
             {}  opposite signs for two bots         {}  constant, so without an interval\n",
            symbol(Flag::Disagree),
            symbol(Flag::Opposite),
            symbol(Flag::Strong),
            symbol(Flag::Weak),
            symbol(Flag::Flips),
            symbol(Flag::Constant),
        )
    }

    fn write_items(&self, text: &mut String, lineup: usize, items: &ItemTable) {
        let schema = Schema::new("", "")
            .column(Column::text("", items.singular, ""))
            .column(Column::integer("", "assigned", ""))
            .column(Column::number("", "assoc", 2, "").unit(Unit::Signed(2)))
            .column(Column::number("", "adjust", 2, "").unit(Unit::Signed(2)))
            .column(Column::estimate("", "forced now", Unit::Signed(2), ""))
            .column(Column::text("", "", ""));
        let mut table = DataTable::new(schema, "");
        let mut rows = self.rows_of(lineup, items, SeatMetric::Score);
        let forced_now = |row: &ItemRow| row.tested.effects[2].effect;
        rows.retain(|(_, row)| forced_now(row).n >= MIN_SEATS);
        rows.sort_by(|(_, one), (_, other)| {
            forced_now(other).value.total_cmp(&forced_now(one).value)
        });
        let lowest = rows.len().saturating_sub(SHOWN);
        for (index, (_, row)) in rows.iter().enumerate() {
            if index < SHOWN || index >= lowest {
                let [association, adjusted, _] =
                    row.tested.effects.map(|tested| Value::Number(tested.effect.value));
                let estimate = forced_now(row).estimate();
                let symbols: String = row.tested.flags.iter().map(|&flag| symbol(flag)).collect();
                table.push([
                    items.short_name(self.item(row)).into(),
                    estimate.n.into(),
                    association,
                    adjusted,
                    estimate.into(),
                    symbols.into(),
                ]);
            }
        }
        if !rows.is_empty() {
            *text += &format!("\n{}", table.view().text());
        }
    }
}

/// Returns the symbol of a flag in terminal text.
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

impl RemovedItemsAnalysis<'_> {
    /// Returns the rows of `removed_items.csv`.
    pub fn table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(removed_items_schema(), provenance);
        for row in &self.rows {
            let item = &self.items[row.variant];
            let names = [
                Value::from(&row.result.lineup),
                Value::from(&item.name),
                Value::from(&item.change),
                row.metric.metric.as_str().into(),
                metric_subject(row.metric, row.result).into(),
            ];
            table.push(names.into_iter().chain(row.side_values()).chain(row.test_values()));
        }
        table
    }

    /// Returns the differences in rounds and scores for the terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for LineupResult { lineup, .. } in self.results {
            let schema = Schema::new("", "").column(Column::text("", "item", ""));
            let metrics =
                Self::SHOWN.map(|metric| Column::estimate("", metric.title(), Unit::Signed(3), ""));
            let mut table = DataTable::new(schema.columns(metrics), "");
            let [rounds, scores] = Self::SHOWN.map(|metric| self.rows_of(metric));
            for ((_, rounds), (_, score)) in rounds.iter().zip(&scores) {
                if rounds.result.lineup == *lineup {
                    let effects = [rounds, score].map(|row| row.difference.effect.estimate());
                    let label = Value::from(self.label(rounds));
                    table.push([label].into_iter().chain(effects.map(Value::Estimate)));
                }
            }
            let _ = write!(
                text,
                "\nDifferences of whole games with {} [95 % CI]\n{}",
                truncate(lineup, LINEUP_WIDTH / 2),
                table.view().text()
            );
        }
        text
    }
}
