//! Win rates of the turn positions, tested for equality and for equivalence.

use super::points::EvenPoints;
use crate::{
    experiments::turn_order::{TurnOrderTallies, TurnOrderTally},
    run::panel::search_budgets,
    stats::{
        equivalence::{DEFAULT_POWER, Equivalence, PowerGoal, tost_p},
        joint::{EqualityTest, JointEstimates, largest_difference},
        ratio::MIN_BLOCKS_OF_MEAN,
    },
    study::shared::{
        agreement::Agreement,
        comparison::verdict::Margins,
        panel_verdict::{AskedBot, PanelFigure},
        prelude::*,
    },
};

/// Results of a lineup under one data file.
#[derive(Clone, Debug)]
pub struct TurnOrder {
    /// Win rates by turn position.
    pub win_rates: Vec<Estimate>,
    /// Win rates by turn position, each minus the mean of all.
    pub differences_from_mean: Vec<Effect>,
    /// Mean win rate.
    pub mean: Estimate,
    /// Standard deviation of the true win rates.
    pub sd: Option<Estimate>,
    /// Largest difference between two win rates; not a number if the pair is not clear.
    pub largest_difference: Estimate,
    /// Test that all win rates are equal.
    pub equality: EqualityTest,
    /// P-value of that test, adjusted for the lineups of the run.
    pub p_holm: f64,
    /// P-value of the test that all win rates are equal within the margin.
    pub p_equivalence: f64,
    /// The answer: the win rates are equal within the margin, or differ significantly.
    pub verdict: Equivalence,
    /// Games that show with a probability of 90 % that the order is fair, if all win rates are
    /// equal; none if the win rates do not vary.
    games_to_show_fairness: Option<u64>,
    /// The verdict of games that do not vary, which have no test.
    constant: Option<Equivalence>,
}

impl TurnOrder {
    /// Estimates and tests the win rates of turn positions. `margin` is the largest difference that
    /// counts as fair.
    pub fn new(tally: &TurnOrderTally, players: usize, margin: f64) -> Self {
        let sums = tally.joint_wins();
        let joint = sums.estimates(players, UNITS_PER_WIN);
        let equality = joint.equality();
        // Two win rates differ by at most 1.
        let pairs = joint
            .pairs()
            .map(|(one, other)| Effect { limits: [-1.0, 1.0], ..joint.difference(one, other) });
        let pairs: Vec<_> = pairs.collect();
        let p_equivalence =
            pairs.iter().map(|pair| tost_p(pair, margin)).fold(0.0, |one: f64, other| {
                if one.is_nan() || other.is_nan() { f64::NAN } else { one.max(other) }
            });
        let p_equivalence = if pairs.is_empty() { f64::NAN } else { p_equivalence };
        let halves = tally.halves.map(|half| half.estimates(players, UNITS_PER_WIN));
        let mut order = Self {
            win_rates: tally.wins[..players].iter().map(|wins| wins.rate(UNITS_PER_WIN)).collect(),
            differences_from_mean: (0..players).map(|p| joint.difference_from_mean(p)).collect(),
            mean: mean_win_rate(tally),
            sd: sums.standard_deviation(players, UNITS_PER_WIN),
            largest_difference: largest_difference(&joint, &halves),
            equality,
            p_holm: equality.p,
            p_equivalence,
            verdict: Equivalence::Open,
            games_to_show_fairness: games_to_show_fairness(&joint, tally, &pairs, margin),
            constant: constant_verdict(&pairs, margin),
        };
        order.set_adjusted_p(equality.p);
        order
    }

    /// Returns the number of games that shows with a probability of 90 % that the order is fair, if
    /// it is; none unless the verdict is open.
    pub fn games_needed(&self) -> Option<u64> {
        self.games_to_show_fairness.filter(|_| self.verdict == Equivalence::Open)
    }

    /// Sets the p-value of the test of equality, adjusted for several tests, and the verdict.
    pub(super) fn set_adjusted_p(&mut self, p_holm: f64) {
        self.p_holm = p_holm;
        let by_tests = Equivalence::decide(self.p_holm, self.p_equivalence);
        self.verdict = self.constant.unwrap_or(by_tests);
    }
}

/// Returns the mean win rate of all turn positions. It is known if every game is won.
fn mean_win_rate(tally: &TurnOrderTally) -> Estimate {
    let mean = tally.all_wins.rate(UNITS_PER_WIN);
    if tally.without_winner > 0 {
        return mean;
    }
    Estimate { low: f64::NEG_INFINITY, high: f64::INFINITY, ..mean }
}

/// Returns the verdict if the differences of all pairs are the same in all blocks, so that there is
/// no test: from the intervals that follow from the number of blocks.
fn constant_verdict(pairs: &[Effect], margin: f64) -> Option<Equivalence> {
    if pairs.is_empty() || !pairs.iter().all(Effect::is_constant) {
        return None;
    }
    let intervals: Vec<_> = pairs.iter().map(Effect::estimate).collect();
    if intervals.iter().any(|interval| interval.low > 0.0 || interval.high < 0.0) {
        Some(Equivalence::Different)
    } else if intervals.iter().all(|interval| -margin < interval.low && interval.high < margin) {
        Some(Equivalence::Equal)
    } else {
        Some(Equivalence::Open)
    }
}

/// Returns the number of games that shows, with a probability of 90 %, that all win rates are equal
/// within the margin, if they are equal.
fn games_to_show_fairness(
    joint: &JointEstimates,
    tally: &TurnOrderTally,
    pairs: &[Effect],
    margin: f64,
) -> Option<u64> {
    let variances = pairs.iter().map(|pair| pair.standard_error.powi(2) * joint.blocks as f64);
    let variance = variances.fold(f64::NAN, f64::max);
    let blocks = PowerGoal::Equivalence(margin).blocks(variance, DEFAULT_POWER, pairs.len());
    let blocks = blocks.max(MIN_BLOCKS_OF_MEAN as f64);
    let games = blocks * tally.games as f64 / tally.blocks.max(1) as f64;
    (variance.is_finite() && variance > 0.0).then(|| games.ceil() as u64)
}

/// The results of all lineups.
#[derive(Clone, Debug)]
pub struct TurnOrderAnalysis<'a> {
    pub(crate) players: usize,
    /// Largest difference between two win rates that counts as fair.
    pub(crate) margin: f64,
    /// Results of each lineup under the data file.
    pub(crate) lineups: Vec<LineupTurnOrder<'a>>,
}

/// Results of a lineup under the data file.
#[derive(Clone, Debug)]
pub(crate) struct LineupTurnOrder<'a> {
    pub(crate) lineup: &'a str,
    elo: Option<f64>,
    pub(crate) tally: &'a TurnOrderTally,
    pub(crate) order: TurnOrder,
    pub(crate) points: Option<EvenPoints>,
}

impl<'a> TurnOrderAnalysis<'a> {
    /// Analyses the results under the first data file. `margin` is the largest difference between
    /// two win rates that counts as fair.
    pub fn new(results: &'a [LineupResult<TurnOrderTallies>], players: usize, margin: f64) -> Self {
        let of_lineup = |result: &'a LineupResult<TurnOrderTallies>| {
            let tally = result.tally.files.first()?;
            Some(LineupTurnOrder {
                lineup: &result.lineup,
                elo: result.elo,
                tally,
                order: TurnOrder::new(tally, players, margin),
                points: EvenPoints::find(tally, players),
            })
        };
        let mut lineups: Vec<_> = results.iter().filter_map(of_lineup).collect();
        let p_values: Vec<_> = lineups.iter().map(|lineup| lineup.order.equality.p).collect();
        for (lineup, p_holm) in lineups.iter_mut().zip(holm_adjust(&p_values)) {
            lineup.order.set_adjusted_p(p_holm);
        }
        Self { players, margin, lineups }
    }

    /// Returns the lineup that answers first: the largest budget of one search, else the first.
    pub(super) fn headline(&self) -> Option<&LineupTurnOrder<'a>> {
        let is_one_search = search_budgets(self.lineups.iter().map(|one| one.lineup)).is_some();
        if is_one_search { self.lineups.last() } else { self.lineups.first() }
    }

    /// Returns the answers of the bots on the win rates of the turn positions.
    pub(crate) fn agreement(&self) -> Agreement {
        // The win rates of two players are opposite.
        let positions = if self.players == 2 { 1 } else { self.players };
        let of_lineup =
            |lineup: &LineupTurnOrder<'_>| lineup.order.differences_from_mean[..positions].to_vec();
        let tested = test_effects(&self.lineups.iter().map(of_lineup).collect::<Vec<_>>());
        let question = |position: usize| PanelFigure {
            name: format!("win rate of the {} minus the mean", TURN_POSITION_NAMES[position]),
            metric: Metric::WinShare,
            margin: Margins::default().of(Metric::WinShare),
            figures: tested.iter().skip(position).step_by(positions).copied().collect(),
        };
        let bots = self.lineups.iter().map(|lineup| AskedBot {
            name: lineup.lineup.to_owned(),
            games: lineup.tally.games,
            elo: lineup.elo,
        });
        Agreement::new(bots.collect(), (0..positions).map(question).collect())
    }
}
