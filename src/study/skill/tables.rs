//! `skill.csv` and its terminal text.

use super::{
    analysis::{RungResult, SkillAnalysis, Step},
    ladder::RungComparison,
};
use crate::report::{
    data_table::{Column, DataTable, Schema},
    html::Unit,
    provenance::Claim,
    text::paragraph,
};

/// Describes `skill.csv`.
pub(super) fn schema() -> Schema {
    Schema::new("skill", "A rung of the ladder in one seat against copies of a lower one.")
        .column(Column::text("rung", "rung", "Bot in one seat."))
        .column(Column::text("against", "against", "Bot in all other seats."))
        .column(Column::word(
            "comparison",
            "comparison",
            &RungComparison::WORDS,
            "`below`: the next lower rung. `tenth`: the same search with a tenth of the \
             iterations.",
        ))
        .column(Column::integer("games", "games", "Games of the pairing."))
        .column(
            Column::estimate("win_share", "win share", Unit::Percent, "Win share per game.")
                .ci("ci"),
        )
        .column(Column::estimate(
            "above_even",
            "above even",
            Unit::PercentagePoints,
            "Win share minus the mean of all seats, which is that of equal bots.",
        ))
        .column(Column::estimate(
            "upset_share",
            "others win",
            Unit::Percent,
            "Share of the games with a winner that the rung does not win. With more than 2 players \
             several weaker bots share these games.",
        ))
        .column(Column::estimate(
            "games_to_know_95",
            "games to know",
            Unit::Decimals(0),
            "Games after which the better bot is ahead with a probability of 95 %; empty if the \
             rung is not shown to be better.",
        ))
        .column(
            Column::estimate(
                "elo_wins",
                "Elo",
                Unit::Signed(1),
                "Elo difference by the games that somebody won.",
            )
            .decimals(2)
            .measured_in("Elo points"),
        )
        .column(Column::word(
            "step",
            "step",
            &Step::WORDS,
            "`clear`: at least 60 % of the games against one opponent, or 70 Elo points. `small`: \
             less. `open`: neither is shown.",
        ))
        .provenance()
}

/// Returns the rows of `skill.csv`.
pub(super) fn table(analysis: &SkillAnalysis<'_>, provenance: &Claim) -> DataTable {
    let mut table = DataTable::new(schema(), provenance);
    for result in &analysis.results {
        let &RungResult { rung, against, comparison, win_share, above_even, .. } = result;
        table.push([
            rung.into(),
            against.into(),
            comparison.words().into(),
            win_share.n.into(),
            win_share.into(),
            above_even.into(),
            result.upset_share.into(),
            result.games_to_know.into(),
            result.elo_wins.into(),
            result.step.as_str().into(),
        ]);
    }
    table
}

/// Returns the answer and the table for the terminal.
pub(super) fn text(analysis: &SkillAnalysis<'_>, table: &DataTable) -> String {
    let mut text = "\n".to_owned();
    for sentence in analysis.sentences() {
        text += &paragraph(&sentence);
    }
    let keys = ["rung", "games", "win_share", "games_to_know_95", "step"];
    let rows = |is_shown: fn(&RungComparison) -> bool| -> Vec<usize> {
        let rows = analysis.results.iter().enumerate();
        rows.filter(|(_, row)| is_shown(&row.comparison)).map(|(index, _)| index).collect()
    };
    let below = rows(|comparison| comparison.is_below);
    text += &format!("\n{} and up, each against the rung below [95 %]\n", analysis.rungs[0]);
    text += &table.view().select(&keys).rows(below).text();
    let tenth = rows(|comparison| comparison.is_tenth && !comparison.is_below);
    if !tenth.is_empty() {
        text += "\nagainst the same search with a tenth of the iterations [95 %]\n";
        text += &table.view().select(&keys).rows(tenth).text();
    }
    text
}
