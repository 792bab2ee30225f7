//! The analysis of `loss`: mean losses with their intervals, and how important decisions are.

use crate::{
    experiments::decision_loss::{JudgedGames, LOSS_UNITS, Stake},
    study::shared::prelude::*,
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
            LossRow { bot: bot.to_owned(), loss: shares(losses.mean()), same: same.rate(1) }
        };
        let names = bots.iter().map(String::as_str).chain([NOISE_FLOOR]).enumerate();
        Self { rows: names.map(row).collect(), judge, player, games: judged.0.len() as u64 }
    }
}

/// A loss of win share that matters, in units of 1 / [`LOSS_UNITS`].
const MATTERS: i64 = LOSS_UNITS / 100;
/// A seat with a smaller win share has hardly a chance.
const HOPELESS: i64 = LOSS_UNITS / 50;

/// The importance of some of the decisions.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StakeRow {
    pub(super) scope: StakeScope,
    /// Kind of action, or the round.
    pub(super) name: String,
    /// Mean loss of win share by a random other action.
    pub(super) loss: Estimate,
    /// Share of the decisions in which such an action loses more than 1 point.
    pub(super) matters: Estimate,
}

watershed_engine::named! {
    /// The decisions of a [`StakeRow`].
    pub(super) enum StakeScope {
        Overall = "overall",
        Kind = "kind",
        Round = "round",
    }
}

/// The importance of the decisions.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StakeAnalysis {
    /// All decisions, then those of each kind of action and of each round.
    pub(super) rows: Vec<StakeRow>,
    /// Win share that a seat without a chance moves from one of the others to another by a random
    /// action; `None` for fewer than 3 players or 2 samples.
    pub(super) kingmaking: Option<Estimate>,
}

impl StakeAnalysis {
    /// Analyses the judged games. `has_kingmaking` says if there are enough players and samples for
    /// it.
    pub(super) fn new(judged: &JudgedGames, kinds: &[&str], has_kingmaking: bool) -> Self {
        let row = |scope, name: String, is_in: &dyn Fn(&Stake) -> bool| {
            let (mut losses, mut matters) = (MeanSums::default(), Ratio::default());
            for stakes in blocks(judged) {
                let stakes: Vec<_> = stakes.filter(|stake| is_in(stake)).collect();
                let n = stakes.len() as i64;
                let sum = stakes.iter().flat_map(|stake| stake.losses).sum::<i64>();
                losses.add_block(2 * n, sum);
                let is_large = |stake: &&&Stake| stake.losses.iter().all(|&loss| loss > MATTERS);
                matters.add_block(n, stakes.iter().filter(is_large).count() as i64);
            }
            let n = matters.n;
            let loss = Estimate { n, ..shares(losses.mean()) };
            (n > 0).then(|| StakeRow { scope, name, loss, matters: matters.rate(1) })
        };
        let of_kind = |(kind, name): (usize, &&str)| {
            row(StakeScope::Kind, (*name).to_owned(), &|stake| stake.kind as usize == kind)
        };
        let rounds = blocks(judged).flatten().map(|stake| stake.round).max().unwrap_or(0);
        let of_round =
            |round: u32| row(StakeScope::Round, round.to_string(), &|stake| stake.round == round);
        let all = row(StakeScope::Overall, String::new(), &|_| true).into_iter();
        let kinds = kinds.iter().enumerate().filter_map(of_kind);
        let rows = all.chain(kinds).chain((0..=rounds).filter_map(of_round)).collect();
        Self { rows, kingmaking: has_kingmaking.then(|| kingmaking(judged)) }
    }
}

/// Returns the stakes of each block.
fn blocks(judged: &JudgedGames) -> impl Iterator<Item = impl Iterator<Item = &Stake>> {
    let blocks = judged.0.chunk_by(|one, other| one.block == other.block);
    blocks.map(|block| block.iter().flat_map(|game| &game.decisions).map(|one| &one.stake))
}

/// Returns what seats without a chance move from one other seat to another: with two others, the
/// squares of their gains add up to twice its square.
fn kingmaking(judged: &JudgedGames) -> Estimate {
    let mut squares = MeanSums::default();
    for stakes in blocks(judged) {
        let hopeless: Vec<_> = stakes.filter(|stake| stake.share < HOPELESS).collect();
        let sum = hopeless.iter().map(|stake| stake.gains_of_others).sum();
        squares.add_block(hopeless.len() as i64, sum);
    }
    shares(squares.mean()).map(|square| (square / 2.0).max(0.0).sqrt())
}

/// Converts a mean in units of 1 / [`LOSS_UNITS`].
fn shares(mean: Estimate) -> Estimate {
    mean.map(|loss| loss / LOSS_UNITS as f64)
}
