//! The analysis of `loss`: mean losses with their intervals.

use crate::{
    experiments::decision_loss::{JudgedGames, LOSS_UNITS},
    stats::{
        mean::MeanSums,
        ratio::{Estimate, Ratio},
    },
};

/// Name of the row of the judge with another seed.
const NOISE_FLOOR: &str = "noise floor";

/// Loss of a bot.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LossRow {
    pub(super) bot: String,
    /// Mean loss of win share per decision.
    pub(super) loss: Estimate,
    /// Share of the decisions with the choice of the judge.
    pub(super) same: Estimate,
}

/// The losses of all bots, and last the noise floor.
pub(super) struct LossAnalysis<'a> {
    pub(super) rows: Vec<LossRow>,
    pub(super) judge: &'a str,
    pub(super) player: &'a str,
    pub(super) games: u64,
}

impl<'a> LossAnalysis<'a> {
    /// Analyses the judged games. Their blocks are the sampling units.
    pub(super) fn new(
        judged: &JudgedGames,
        bots: &[String],
        judge: &'a str,
        player: &'a str,
    ) -> Self {
        let row = |(index, bot): (usize, &str)| {
            let (mut losses, mut same) = (MeanSums::default(), Ratio::default());
            for block in judged.0.chunk_by(|one, other| one.block == other.block) {
                let decisions = || block.iter().flat_map(|game| &game.decisions);
                let n = decisions().count() as i64;
                losses.add_block(n, decisions().map(|one| one.losses[index]).sum());
                same.add_block(n, decisions().filter(|one| one.is_same[index]).count() as i64);
            }
            let mean = losses.mean();
            let [value, low, high] =
                [mean.value, mean.low, mean.high].map(|loss| loss / LOSS_UNITS as f64);
            LossRow {
                bot: bot.to_owned(),
                loss: Estimate { n: mean.n, value, low, high },
                same: same.rate(1),
            }
        };
        let names = bots.iter().map(String::as_str).chain([NOISE_FLOOR]).enumerate();
        Self { rows: names.map(row).collect(), judge, player, games: judged.0.len() as u64 }
    }
}
