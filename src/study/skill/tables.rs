//! `skill.csv` and its terminal text.

use super::{
    analysis::{RungResult, SkillAnalysis, Step},
    ladder::RungComparison,
};
use crate::report::{
    data_table::{Columns, DataTable},
    html::Unit,
    provenance::Claim,
    text::paragraph,
};

/// Returns the columns of `skill.csv`.
pub(super) fn columns<'a>() -> Columns<&'a RungResult<'a>> {
    Columns::<&RungResult<'_>>::new(
        "skill",
        "A rung of the ladder in one seat against copies of a lower one.",
    )
    .text("rung", "rung", "Bot in one seat.", |row| row.rung)
    .text("against", "against", "Bot in all other seats.", |row| row.against)
    .word(
        "comparison",
        "comparison",
        &RungComparison::WORDS,
        "`below`: the next lower rung. `tenth`: the same search with a tenth of the \
             iterations.",
        |row| row.comparison.words(),
    )
    .integer("games", "games", "Games of the pairing.", |row| row.win_share.n)
    .percent("win_share", "win share", "Win share per game.", |row| row.win_share)
    .ci("ci")
    .percentage_points(
        "above_even",
        "above even",
        "Win share minus the mean of all seats, which is that of equal bots.",
        |row| row.above_even,
    )
    .percent(
        "upset_share",
        "others win",
        "Share of the games with a winner that the rung does not win. With more than 2 players \
             several weaker bots share these games.",
        |row| row.upset_share,
    )
    .estimate(
        "games_to_know_95",
        "games to know",
        Unit::Decimals(0),
        "Games after which the better bot is ahead with a probability of 95 %; empty if the \
             rung is not shown to be better.",
        |row| row.games_to_know,
    )
    .estimate(
        "elo_wins",
        "Elo",
        Unit::Signed(1),
        "Elo difference by the games that somebody won.",
        |row| row.elo_wins,
    )
    .decimals(2)
    .measured_in("Elo points")
    .word(
        "step",
        "step",
        &Step::WORDS,
        "`clear`: at least 60 % of the games against one opponent, or 70 Elo points. `small`: \
             less. `open`: neither is shown.",
        |row| row.step.as_str(),
    )
    .provenance()
}

/// Returns the rows of `skill.csv`.
pub(super) fn table(analysis: &SkillAnalysis<'_>, provenance: &Claim) -> DataTable {
    columns().table(provenance, &analysis.results)
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
