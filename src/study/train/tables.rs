//! Tables of `train`: the generations, and their tests.

use crate::study::shared::{
    prelude::*,
    training::{
        results::{NetworkGeneration, TrainingResults},
        test_match::{TestResult, TestWinRates},
    },
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

/// A generation with the one that was the best before.
type GenerationRow<'a> = (&'a NetworkGeneration, u32);

/// Returns the columns of `training.csv`.
pub(super) fn training_columns<'a>() -> Columns<GenerationRow<'a>> {
    let games = "Games that were learned from, those of earlier generations included.";
    let of_opponent = "Generation that was the best one before; missing without a test against it.";
    let test_games = "Games of the test. A game that a network plays alone counts for the tested \
                      one.";
    let llr = "Log-likelihood ratio of the test; promoted above 0.";
    let promoted = "`yes` if the generation plays the games of the next one.";
    let columns = Columns::<GenerationRow<'_>>::new("training", "A generation of a training.")
        .integer("generation", "Number of the generation.", |(result, _)| result.generation)
        .integer("games", games, |(result, _)| result.games)
        .integer("samples", "Positions that were learned from.", |(result, _)| result.samples);
    let columns = LOSSES.into_iter().enumerate().fold(columns, |columns, (index, loss)| {
        let columns = with_loss(columns, loss, "before", move |row| row.losses_before[index]);
        with_loss(columns, loss, "after", move |row| row.losses_after[index])
    });
    columns
        .integer(("opponent", "tested against"), of_opponent, |(result, best)| {
            opponent(result, *best)
        })
        .integer("test games", test_games, |(result, _)| {
            result.test.as_ref().map(|test| test.games)
        })
        .number(("llr", "LLR"), 4, llr, |(result, _)| result.test.as_ref().map(|test| test.llr))
        .unit(Unit::Signed(2))
        .word(
            "promoted",
            &["yes", "no"],
            promoted,
            |(result, _)| {
                if result.is_promoted { "yes" } else { "no" }
            },
        )
        .integer("best", "Best generation so far.", |(result, _)| result.best)
        .provenance()
}

/// Returns the generation against which a generation was tested.
fn opponent(result: &NetworkGeneration, best: u32) -> Option<u64> {
    let is_of_self_play = result.test.as_ref()?.against.is_none();
    is_of_self_play.then_some(best.into())
}

fn with_loss<'a>(
    columns: Columns<GenerationRow<'a>>,
    [key, title, description]: [&str; 3],
    time: &str,
    value: impl Fn(&NetworkGeneration) -> f64 + 'static,
) -> Columns<GenerationRow<'a>> {
    let description = format!("Mean {description}, in held-out games, {time} learning.");
    let heading = (format!("{key}_{time}"), format!("{title} loss {time}"));
    columns
        .number(heading, 6, &description, move |(result, _)| value(result))
        .unit(Unit::Decimals(4))
        .measured_in(if key == "score_loss" { "" } else { "nats" })
}

/// Returns the columns of `training_tests.csv`.
pub(super) fn tests_columns<'a>() -> Columns<(GenerationRow<'a>, TestWinRates)> {
    let of_opponent = "Generation that was the best one before, in all other seats; missing if a \
                       frozen bot was there.";
    let opponent_win_rate = "Mean win rate of the other seats; with 1 player, of the opponent on \
                             the same deals.";
    Columns::<(GenerationRow<'_>, TestWinRates)>::new(
        "training_tests",
        "Test of a generation with one number of players.",
    )
    .integer("generation", "Number of the tested generation.", |((result, _), _)| result.generation)
    .integer(("opponent", "against"), of_opponent, |((result, best), _)| opponent(result, *best))
    .word(
        "data",
        &["file", "edited"],
        "`file` for the data file of the training, `edited` for files with random edits.",
        |(_, rates)| if rates.is_edited { "edited" } else { "file" },
    )
    .integer("players", "Number of players.", |(_, rates)| rates.players)
    .percent("win rate", "Win rate of the generation.", |(_, rates)| rates.candidate)
    .n("games")
    .ci("ci")
    .percent(("opponent_win_rate", "win rate of the opponent"), opponent_win_rate, |(_, rates)| {
        rates.best
    })
    .ci("opponent_ci")
    .provenance()
}

impl TrainingResults {
    fn rows(&self) -> impl Iterator<Item = GenerationRow<'_>> {
        (0..).zip(&self.generations).map(|(index, result)| (result, self.best_before(index)))
    }

    /// Returns `training.csv`.
    pub(super) fn training_table(&self, provenance: &Claim) -> DataTable {
        training_columns().table(provenance, self.rows())
    }

    /// Returns `training_tests.csv`.
    pub(super) fn tests_table(&self, provenance: &Claim) -> DataTable {
        let rows = self.rows().flat_map(|row| {
            let tests = row.0.test.iter().flat_map(TestResult::parts);
            tests.flat_map(TestResult::win_rates).map(move |rates| (row, rates))
        });
        tests_columns().table(provenance, rows)
    }
}
