//! `panel.csv`: the answers of the bots of a panel.

use super::{
    columns::POINTS,
    panel::{PanelAnalysis, PanelQuestion, PanelRow},
};
use crate::study::shared::prelude::*;

impl PanelAnalysis<'_> {
    /// Returns the table of the panel.
    pub(super) fn data_table(&self) -> DataTable {
        columns()
            .table(&self.setup.question.data.provenance, self.rows.iter().map(|row| (self, row)))
    }
}

/// A panel with the answer of a bot.
type AnswerRow<'a> = (&'a PanelAnalysis<'a>, &'a PanelRow<'a>);

pub(super) fn columns<'a>() -> Columns<AnswerRow<'a>> {
    let p_holm = "`p` adjusted over the bots by Holm's method.";
    let significant = "Direction of the difference if it is significant.";
    let nobody_won = "Share of the games without a winner.";
    let question = "Question: win rate of the first player, or share of the games that are won.";
    let difference = "Rate minus the mean rate of all turn positions; empty for games won, which \
                      have no fair share.";
    let leader = "Win rate of the player who leads alone after half the rounds.";
    let strength = "Win rate of the bot in one seat with the search of the default panel in all \
                    others, measured on the default data. Without interval for the search.";
    let title = "One row for each bot of the panel, or one for the only bot; each has all seats.";
    Columns::<AnswerRow<'_>>::new("panel", title)
        .text("bot", "Name of the bot.", |(_, row)| row.bot)
        .word("question", &PanelQuestion::NAMES, question, |(all, _)| all.question.name())
        .integer("games", "Games: the first ones of the run.", |(_, row)| row.tally.games)
        .percent("rate", "Rate of the question.", |(_, row)| row.rate)
        .ci("ci")
        .percentage_points(
            ("difference", "difference from a fair game"),
            difference,
            |(all, row)| all.tested_difference(row).map(|difference| difference.effect.estimate()),
        )
        .p_value("p", "Two-sided p-value of the difference.", |(all, row)| {
            all.tested_difference(row).map_or(f64::NAN, |tested| tested.effect.p_value())
        })
        .p_value(("p_holm", "p, adjusted"), p_holm, |(all, row)| {
            all.tested_difference(row).map_or(f64::NAN, |tested| tested.p_holm)
        })
        .word("significant", &["more", "less", "none"], significant, |(all, row)| {
            let sign = all.tested_difference(row)?.sign();
            Some(["less", "none", "more"][(sign + 1) as usize])
        })
        .estimate(("rounds", "rounds a game"), POINTS, "Rounds a game.", |(_, row)| {
            row.tally.health.rounds.mean()
        })
        .measured_in("rounds")
        .percent(("leader_at_half_wins", "leader at half time wins"), leader, |(_, row)| {
            row.tally.health.leaders_at_half.rate(UNITS_PER_WIN)
        })
        .n(("leader_at_half_n", "n leader at half time"))
        .percent(("nobody_won", "games without a winner"), nobody_won, |(_, row)| {
            row.tally.health.nobody_won.rate(1)
        })
        .percent(("wins_against_search", "wins against the search"), strength, |(all, row)| {
            all.wins_against_search(row)
        })
        .n_after(("wins_against_search_n", "games against the search"))
        .provenance()
}
