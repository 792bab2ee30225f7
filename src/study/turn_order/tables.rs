//! `turn_positions.csv`, `verdicts.csv` and their terminal text.

use super::analysis::{FairnessVerdict, LineupTurnOrder, TurnOrder, TurnOrderAnalysis};
use crate::{
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        provenance::Claim,
        text::paragraph,
    },
    stats::ratio::Estimate,
};

/// Describes `turn_positions.csv`.
pub fn positions_schema() -> Schema {
    Schema::new("turn_positions", "Results at a turn position.")
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(
            Column::integer("turn_position", "position", "Turn position, 0 for the first player.")
                .counted_from_1(),
        )
        .column(
            Column::estimate("win_rate", "win rate", Unit::Percent, "Share of games won.")
                .n("n", "games"),
        )
        .column(Column::estimate(
            "difference",
            "from mean",
            Unit::PercentagePoints,
            "Win rate minus the mean of all turn positions.",
        ))
        .column(
            Column::estimate("mean_score", "mean score", Unit::Decimals(2), "Final score.")
                .measured_in("points"),
        )
        .column(Column::integer(
            "even_points",
            "even points",
            "Points in addition to the final score that make the win rates as equal as possible, \
             chosen with the games of even blocks. Empty if a game is not won by score alone.",
        ))
        .column(
            Column::estimate(
                "even_win_rate",
                "win rate with them",
                Unit::Percent,
                "Share of games of odd blocks won with these points, computed from the final \
                 scores and not played.",
            )
            .n("even_n", "games with them"),
        )
        .provenance()
}

/// Describes `verdicts.csv`.
pub fn verdicts_schema() -> Schema {
    Schema::new("verdicts", "Tests of the turn order with a lineup.")
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(Column::integer("blocks", "blocks", "Whole blocks played."))
        .column(Column::integer("games", "games", "Games played."))
        .column(Column::integer("without_winner", "nobody won", "Games without a winner."))
        .column(Column::estimate(
            "mean_win_rate",
            "mean win rate",
            Unit::Percent,
            "Mean win rate of all turn positions. It has no interval if every game is won.",
        ))
        .column(Column::estimate(
            "sd_of_turn_positions",
            "spread",
            Unit::PercentagePoints,
            "Standard deviation of the true win rates of the turn positions; negative if they \
             differ less than expected by chance.",
        ))
        .column(Column::estimate(
            "largest_difference",
            "largest difference",
            Unit::PercentagePoints,
            "Largest difference between the win rates of two turn positions, which are chosen in \
             one half of the blocks and compared in the other.",
        ))
        .column(Column::number(
            "q",
            "Q",
            4,
            "Wald's statistic of the test that all win rates are equal.",
        ))
        .column(Column::integer("degrees_of_freedom", "df", "Its degrees of freedom."))
        .column(Column::p_value("p", "p", "Test that all win rates are equal."))
        .column(Column::p_value(
            "p_holm",
            "p (Holm)",
            "`p` adjusted by Holm's method for all lineups.",
        ))
        .column(Column::number(
            "margin",
            "margin",
            6,
            "Largest difference between two win rates that counts as fair.",
        ))
        .column(Column::p_value(
            "equivalence_p",
            "p of equivalence",
            "Test that all win rates are equal within the margin.",
        ))
        .column(Column::word(
            "verdict",
            "verdict",
            &FairnessVerdict::NAMES,
            "`fair`: equal within the margin (`equivalence_p` < 0.05). `unfair`: different \
             (`p_holm` < 0.05) and not `fair`. `open`: neither.",
        ))
        .column(Column::integer(
            "games_needed",
            "games needed",
            "Games that show `fair` with a probability of 90 % if all win rates are equal; empty \
             unless the verdict is `open`.",
        ))
        .provenance()
}

impl TurnOrderAnalysis<'_> {
    /// Returns the rows of `turn_positions.csv`.
    pub fn positions_table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(positions_schema(), provenance);
        for LineupTurnOrder { lineup, tally, order, points } in &self.lineups {
            for position in 0..self.players {
                let points = points.as_ref();
                let none = Estimate { n: 0, value: f64::NAN, low: 0.0, high: 1.0 };
                table.push([
                    (*lineup).into(),
                    position.into(),
                    order.win_rates[position].into(),
                    order.differences_from_mean[position].estimate().into(),
                    tally.scores[position].mean().into(),
                    points.map(|points| i64::from(points.points[position])).into(),
                    points.map_or(none, |points| points.win_rates[position]).into(),
                ]);
            }
        }
        table
    }

    /// Returns the rows of `verdicts.csv`.
    pub fn verdicts_table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(verdicts_schema(), provenance);
        for LineupTurnOrder { lineup, tally, order, .. } in &self.lineups {
            let TurnOrder { equality, .. } = order;
            table.push([
                (*lineup).into(),
                tally.blocks.into(),
                tally.games.into(),
                tally.without_winner.into(),
                order.mean.into(),
                order.sd.into(),
                order.largest_difference.estimate().into(),
                Value::Number(equality.q),
                equality.degrees_of_freedom.into(),
                Value::P(equality.p),
                Value::P(order.p_holm),
                Value::Number(self.margin),
                Value::P(order.p_equivalence),
                order.verdict.as_str().into(),
                order.games_needed().into(),
            ]);
        }
        table
    }

    /// Returns the answer and the win rates of turn positions, for the terminal.
    pub fn text(&self, positions: &DataTable, verdicts: &DataTable) -> String {
        let mut text = String::from("\n");
        text += &paragraph(&self.lead());
        text += &self.agreement().text();
        let several = self.lineups.len() > 1;
        let keys = |keys: &[&'static str]| -> Vec<&'static str> {
            keys.iter().copied().filter(|key| several || *key != "lineup").collect()
        };
        text += "\n";
        text += &positions
            .view()
            .select(if several {
                &["lineup", "turn_position", "win_rate", "difference"]
            } else {
                &["turn_position", "win_rate", "difference", "mean_score"]
            })
            .text();
        text += "\n";
        text += &verdicts
            .view()
            .select(&keys(&["lineup", "sd_of_turn_positions", "largest_difference", "verdict"]))
            .text();
        text
    }
}
