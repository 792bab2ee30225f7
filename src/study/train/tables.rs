//! Tables of `train`: the generations, and their tests.

use crate::{
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        provenance::Claim,
    },
    study::shared::training::{results::TrainingResults, test_match::TestResult},
};

/// Kinds of losses: key, title and description.
pub(super) const LOSSES: [[&str; 3]; 3] = [
    ["win_loss", "win share", "cross-entropy of the win shares of all seats"],
    ["policy_loss", "policy", "divergence of the policy of the searches from that of the network"],
    [
        "score_loss",
        "score",
        "Huber loss of the scores of all seats, in units of the scale of the network",
    ],
];

/// Returns the description of `training.csv`.
pub(super) fn training_schema() -> Schema {
    let loss = |[key, title, description]: [&str; 3]| {
        [("before", "before"), ("after", "after")].map(|(time, words)| {
            Column::number(
                format!("{key}_{time}"),
                format!("{title} loss {words}"),
                6,
                &format!("Mean {description}, in held-out games, {time} learning."),
            )
            .unit(Unit::Decimals(4))
            .measured_in(if key == "score_loss" { "" } else { "nats" })
        })
    };
    Schema::new("training", "A generation of a training.")
        .column(Column::integer("generation", "generation", "Number of the generation."))
        .column(Column::integer(
            "games",
            "games",
            "Games that were learned from, those of earlier generations included.",
        ))
        .column(Column::integer("samples", "samples", "Positions that were learned from."))
        .columns(LOSSES.into_iter().flat_map(loss))
        .column(Column::integer(
            "opponent",
            "tested against",
            "Generation that was the best one before; missing without a test.",
        ))
        .column(Column::integer(
            "test_games",
            "test games",
            "Games of the test. A game that a network plays alone counts for the tested one.",
        ))
        .column(
            Column::number("llr", "LLR", 4, "Log-likelihood ratio of the test; promoted above 0.")
                .unit(Unit::Signed(2)),
        )
        .column(Column::word(
            "promoted",
            "promoted",
            &["yes", "no"],
            "`yes` if the generation plays the games of the next one.",
        ))
        .column(Column::integer("best", "best", "Best generation so far."))
        .provenance()
}

/// Returns the description of `training_tests.csv`.
pub(super) fn tests_schema() -> Schema {
    Schema::new("training_tests", "Test of a generation with one number of players.")
        .column(Column::integer("generation", "generation", "Number of the tested generation."))
        .column(Column::integer(
            "opponent",
            "against",
            "Generation that was the best one before, in all other seats.",
        ))
        .column(Column::integer("players", "players", "Number of players."))
        .column(
            Column::estimate("win_rate", "win rate", Unit::Percent, "Win rate of the generation.")
                .n("games", "games")
                .ci("ci"),
        )
        .column(
            Column::estimate(
                "opponent_win_rate",
                "win rate of the opponent",
                Unit::Percent,
                "Mean win rate of the other seats; with 1 player, of the opponent on the same \
                 deals.",
            )
            .ci("opponent_ci"),
        )
        .provenance()
}

impl TrainingResults {
    /// Returns `training.csv`.
    pub(super) fn training_table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(training_schema(), provenance);
        for (index, result) in self.generations.iter().enumerate() {
            let test = result.test.as_ref();
            let losses = result.losses_before.into_iter().zip(result.losses_after);
            let row =
                [u64::from(result.generation).into(), result.games.into(), result.samples.into()];
            let losses = losses.flat_map(|(before, after)| [before, after].map(Value::Number));
            table.push(row.into_iter().chain(losses).chain([
                test.map(|_| u64::from(self.best_before(index))).into(),
                test.map(|test| test.games).into(),
                test.map_or(Value::Missing, |test| Value::Number(test.llr)),
                if result.is_promoted { "yes" } else { "no" }.into(),
                u64::from(result.best).into(),
            ]));
        }
        table
    }

    /// Returns `training_tests.csv`.
    pub(super) fn tests_table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(tests_schema(), provenance);
        for (index, result) in self.generations.iter().enumerate() {
            for rates in result.test.iter().flat_map(TestResult::win_rates) {
                table.push([
                    u64::from(result.generation).into(),
                    u64::from(self.best_before(index)).into(),
                    rates.players.into(),
                    rates.candidate.into(),
                    rates.best.into(),
                ]);
            }
        }
        table
    }
}
