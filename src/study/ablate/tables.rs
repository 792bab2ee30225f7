//! `forks.csv`, `removed_items.csv` and their terminal text.

use std::fmt::Write;

use super::analysis::{EffectRow, ItemEffectsAnalysis, RemovedItemsAnalysis};
use crate::{
    arena::metric::SeatMetric,
    experiments::item_effects::{Estimand, ItemEffectsTally, Stratum},
    game::{ItemId, ItemTable},
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        provenance::Claim,
        study_page::{difference_column, difference_value},
        text::{paragraph, truncate},
    },
    run::lineups::{LineupResult, SIGN_FLIP_MARK},
    stats::{flags::Flag, ratio::Estimate},
    study::shared::comparison::{
        analysis::metric_subject,
        tables::{side_columns, test_columns},
    },
};

/// Values of the column `flag` of `forks.csv`, joined by `+`.
const FLAGS: [&str; 10] = [
    Flag::Gain.as_str(),
    Flag::Loss.as_str(),
    Flag::Denial.as_str(),
    Flag::Mistimed.as_str(),
    Flag::Varies.as_str(),
    Flag::SignByRound.as_str(),
    Flag::Unused.as_str(),
    Flag::Strong.as_str(),
    Flag::Weak.as_str(),
    Flag::Flips.as_str(),
];
/// Number of items in terminal text up to which all are shown.
const SHOWN: usize = 18;
/// Number of items with the highest access in terminal text of more items, and with the lowest.
const SHOWN_OF_MANY: usize = 5;
/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 72;

/// Returns the description of an estimate in tables.
const fn description(estimand: Estimand) -> &'static str {
    match estimand {
        Estimand::Access => {
            "Mean over forks of `free` minus `never`: the effect of being allowed to take the \
                 item."
        }
        Estimand::Takers => {
            "The same over the forks whose seat takes the item in the free arm: the effect on \
                 those who take it."
        }
        Estimand::Worth => {
            "Mean over forks of `free` minus `gone`: the effect of the item, compared with its \
                 absence for all seats."
        }
        Estimand::Denial => {
            "Mean over forks of `gone` minus `never`: the effect of keeping the item from the \
                 other seats. `worth` and `denial` add up to `access`."
        }
        Estimand::Now => {
            "Mean over forks of `must` minus `not now`: the effect of taking the item at the \
                 fork. Above 0, the bot takes it too late or too seldom; below 0, a forced pick is \
                 harmful."
        }
    }
}

/// The columns that name lineup, item and metric.
fn item_columns() -> [Column; 5] {
    [
        Column::text("lineup", "lineup", "Bots in the seats."),
        Column::text("table", "table", "Item table."),
        Column::text("item", "item", "Item."),
        Column::text("properties", "properties", "Properties of the item."),
        Column::word("metric", "metric", &SeatMetric::NAMES, "Metric of a seat."),
    ]
}

/// The columns of an estimate.
fn estimate_columns(estimand: Estimand) -> [Column; 3] {
    let name = estimand.as_str();
    let key = format!("{name}_estimate");
    let estimate = difference_column(key, name, description(estimand));
    let estimate = if estimand == Estimand::Takers {
        estimate.n_after(format!("{name}_n"), "n taken")
    } else {
        estimate
    };
    [
        estimate.ci(format!("{name}_ci")),
        Column::p_value(format!("{name}_p"), "p", "Test of no effect."),
        Column::p_value(
            format!("{name}_p_holm"),
            "p (Holm)",
            "The p-value adjusted by Holm's method for all items of the table; in a row of a round \
             or a turn position, for all items and rounds or turn positions.",
        ),
    ]
}

/// Describes `forks.csv`.
pub fn forks_schema() -> Schema {
    Schema::new(
        "forks",
        "Effects of an item on a metric of a seat, over its forks: the decisions at which a seat \
         can take the item for the first time and can also do something else.",
    )
    .columns(item_columns())
    .column(Column::integer("round", "round", "Round of the forks; empty for all rounds."))
    .column(
        Column::integer(
            "turn_position",
            "turn position",
            "Turn position of the seats of the forks, 0 for the first player; empty for all.",
        )
        .counted_from_1(),
    )
    .column(Column::integer("forks", "forks", "Number of forks, at most one for a seat and game."))
    .column(Column::integer("blocks", "blocks", "Number of blocks with a fork."))
    .column(Column::estimate(
        "taken_share",
        "taken",
        Unit::Percent,
        "Share of the forks whose seat takes the item by choice in the free arm.",
    ))
    .column(Column::estimate(
        "taken_at_once_share",
        "taken at once",
        Unit::Percent,
        "Share of the forks at which the seat takes the item.",
    ))
    .column(Column::integer(
        "forced",
        "forced",
        "Decisions of the arm `never` at which all legal actions took the item.",
    ))
    .columns(Estimand::ALL.into_iter().flat_map(estimate_columns))
    .column(Column::p_value(
        "access_q_fdr",
        "q",
        "False discovery rate of `access` in the same family, by Benjamini and Hochberg.",
    ))
    .column(Column::p_value(
        "heterogeneity_p",
        "p of rounds",
        "Test of equal access in all rounds (Cochran's Q); empty in the row of a round or a turn \
         position.",
    ))
    .column(Column::p_value(
        "heterogeneity_p_holm",
        "p of rounds (Holm)",
        "The same, adjusted by Holm's method for all items of the table.",
    ))
    .column(Column::integer(
        "equal_independent_games",
        "equal games",
        "Independent games, half of them with the item forbidden to the seat, that would give the \
         standard error of `access`.",
    ))
    .column(Column::word(
        "flag",
        "flag",
        &FLAGS,
        "Flags of the item with Holm-adjusted p < 0.05. `gain`, `loss`: `access` is above or below \
         0. `denial`: `denial` differs from 0 and `worth` does not. `mistimed`: `now` differs from \
         0. `varies`: `access` depends on the round. `sign_by_round`: `access` is above 0 in one \
         round and below 0 in another. `unused`: taken after less than 1 % of the forks. `strong`, \
         `weak`: `access` is above or below the mean of the other items of the table. `flips`: \
         `access` differs from 0 with opposite signs for two lineups.",
    ))
    .provenance()
    .label()
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
    .label()
}

impl ItemEffectsAnalysis<'_> {
    /// Returns the values of [`item_columns`].
    fn item_values(&self, lineup: usize, item: ItemId, metric: SeatMetric) -> [Value; 5] {
        let (table, item) = (self.catalog.table(item), self.catalog.item(item));
        let properties: Vec<_> = (table.properties.iter().zip(&item.properties))
            .filter(|(_, value)| !value.is_empty())
            .map(|(property, value)| format!("{property}={value}"))
            .collect();
        [
            Value::from(&self.results[lineup].lineup),
            table.name.into(),
            item.into(),
            properties.join(" ").into(),
            metric.as_str().into(),
        ]
    }

    /// Returns the rows of `forks.csv`.
    pub fn table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(forks_schema(), provenance);
        for row in &self.rows {
            let &EffectRow { lineup, item, metric, stratum, sums, .. } = row;
            let (round, turn_position) = match stratum {
                Stratum::All => (Value::Missing, Value::Missing),
                Stratum::Round(round) => (Value::Integer(round.into()), Value::Missing),
                Stratum::TurnPosition(position) => (Value::Missing, position.into()),
            };
            let mut values = self.item_values(lineup, item, metric).to_vec();
            values.extend([round, turn_position, sums.forks().into(), sums.taken.blocks.into()]);
            values.extend([sums.taken, sums.taken_at_once].map(|taken| taken.rate(1).into()));
            values.push(sums.forced.into());
            for tested in &row.effects {
                values.push(difference_value(tested.effect.estimate(), metric.metric()));
                values.extend([tested.effect.p_value(), tested.p_holm].map(Value::P));
            }
            values.push(Value::P(row.false_discovery_rate));
            values.extend(
                row.overall.as_ref().map_or([Value::Missing, Value::Missing], |overall| {
                    [overall.heterogeneity_p, overall.heterogeneity_p_holm].map(Value::P)
                }),
            );
            let games = sums.equal_independent_games(metric);
            values.extend([games.map_or(Value::Missing, Value::Integer), row.flag_text().into()]);
            table.push(values);
        }
        table
    }

    /// Returns the answer in sentences and the items of each table by access, for the terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, LineupResult { lineup, tally, .. }) in self.results.iter().enumerate() {
            let ItemEffectsTally { games, arms, blocks, capped, .. } = tally;
            let _ = writeln!(
                text,
                "\n{}\n{games} games in {blocks} blocks and {arms} continuations; {capped} ended \
                 by the round limit\n",
                truncate(lineup, LINEUP_WIDTH)
            );
            for table in self.item_tables() {
                text += &paragraph(&self.answer(index, table));
            }
            // The page and the tables have the items of the other bots.
            for table in self.item_tables().filter(|_| index == 0) {
                self.write_items(&mut text, index, table);
            }
        }
        let symbols = SYMBOLS
            .map(|(flag, symbol, meaning)| format!("{symbol}  {:<14} {meaning}\n", flag.as_str()));
        text + &format!(
            "\nEffects on the win share in percentage points [95 % CI]:\n\
             taken   share of the forks whose seat takes the item\n\
             access  being allowed to take the item; forks.csv divides it into the\n        \
                     worth of the item and the denial of the item to the others\n\
             Flags (Holm-adjusted p < 0.05):\n{}",
            symbols.concat()
        )
    }

    fn write_items(&self, text: &mut String, lineup: usize, items: &ItemTable) {
        let schema = Schema::new("", "")
            .column(Column::text("", items.singular, ""))
            .column(Column::number("", "taken %", 2, "").unit(Unit::Percent))
            .column(Column::estimate("", "access", Unit::PercentagePoints, ""))
            .column(Column::text("", "", ""));
        let mut table = DataTable::new(schema, "");
        let rows = self.ranking(lineup, items, SeatMetric::WinShare);
        let first_of_lowest = if rows.len() > SHOWN { rows.len() - SHOWN_OF_MANY } else { 0 };
        for (index, (_, row)) in rows.iter().enumerate() {
            if index < SHOWN_OF_MANY || index >= first_of_lowest {
                let symbols = SYMBOLS.iter().filter(|(flag, ..)| row.flags().contains(flag));
                let access = row.effect(Estimand::Access).effect.estimate();
                table.push([
                    self.item(row.item).into(),
                    Value::Number(row.sums.taken.value(1)),
                    Estimate { n: row.sums.forks(), ..access }.into(),
                    symbols.map(|&(_, symbol, _)| symbol).collect::<String>().into(),
                ]);
            }
        }
        if !rows.is_empty() {
            *text += &format!("\n{}", table.view().text());
        }
    }
}

/// Symbols of flags in terminal text, with their meanings.
const SYMBOLS: [(Flag, char, &str); 10] = [
    (Flag::Gain, '+', "access is above 0"),
    (Flag::Loss, '-', "access is below 0: those who may take it do worse"),
    (Flag::Denial, 'd', "denial differs from 0, worth does not"),
    (Flag::Mistimed, 'm', "taking it at the first chance or not then differs"),
    (Flag::Varies, 'v', "access depends on the round"),
    (Flag::SignByRound, 's', "access above 0 in one round, below 0 in another"),
    (Flag::Unused, 'u', "taken after less than 1 % of the forks"),
    (Flag::Strong, '>', "access above the mean of the other items"),
    (Flag::Weak, '<', "access below the mean of the other items"),
    (Flag::Flips, SIGN_FLIP_MARK, "access with opposite signs for two bots"),
];

impl RemovedItemsAnalysis<'_> {
    /// Returns the rows of `removed_items.csv`.
    pub fn table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(removed_items_schema(), provenance);
        for row in &self.rows {
            let item = &self.items[row.variant];
            let names = [
                Value::from(&row.result.lineup),
                Value::Item(item.name.clone(), item.label.clone()),
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
