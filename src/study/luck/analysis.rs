//! Shares of the variance of outcomes that each chance source explains.

use crate::{
    arena::metric::SeatMetric,
    experiments::luck::LuckTally,
    run::lineups::LineupResult,
    stats::ratio::{Estimate, MIN_BLOCKS_OF_MEAN},
};

/// The metrics whose variance is explained.
pub(crate) const METRICS: [SeatMetric; 2] = [SeatMetric::WinShare, SeatMetric::Score];

/// Names of [`METRICS`] in tables.
pub(crate) const METRIC_NAMES: [&str; 2] = [METRICS[0].as_str(), METRICS[1].as_str()];

/// Name of the source that is all chance sources of the game together.
pub(crate) const DEAL: &str = "deal";

/// Sobol indices of every chance source.
#[derive(Clone, Copy, Debug)]
pub struct LuckAnalysis<'a> {
    /// Names of the chance sources, the random choices of the bots last.
    pub sources: &'a [&'a str],
    /// Number of players.
    pub players: usize,
    /// True if there are additive shares.
    pub has_shares: bool,
    /// Results of each lineup.
    pub results: &'a [LineupResult<LuckTally>],
}

/// Sobol indices of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LuckRow<'a> {
    pub(crate) lineup: &'a str,
    pub(crate) metric: SeatMetric,
    /// The seat; none for all seats together.
    pub(crate) seat: Option<usize>,
    pub(crate) source: &'a str,
    /// Completed blocks.
    pub(crate) blocks: u64,
    /// True if the metric varies.
    pub(crate) varies: bool,
    /// Share of the variance explained by the source alone. `n` counts blocks; 0 without a value.
    pub(crate) first_order: Estimate,
    /// Total index: share of the variance that the source takes part in.
    pub(crate) total: Estimate,
}

impl LuckRow<'_> {
    /// Returns true if the row belongs to all seats together.
    pub(crate) const fn is_overall(&self) -> bool {
        self.seat.is_none()
    }
}

/// Additive shares of the variance of the win share.
#[derive(Clone, Debug)]
pub struct LuckShares<'a> {
    /// Bots in the seats.
    pub lineup: &'a str,
    /// Completed blocks.
    pub blocks: u64,
    /// The share of the player, and that of each source.
    pub sources: Vec<(&'a str, Estimate)>,
}

/// Name of the share of the differences between the seats.
pub(crate) const PLAYER: &str = "player";

impl LuckAnalysis<'_> {
    /// Returns the additive shares of the lineups; none if they were not estimated.
    pub fn shares(&self) -> Vec<LuckShares<'_>> {
        let lineup_shares = |result: &'_ LineupResult<LuckTally>| {
            let LuckTally { blocks, shares, .. } = &result.tally;
            let (player, sources) = shares.split_last()?;
            let shares = std::iter::once((PLAYER, player))
                .chain(self.sources.iter().copied().zip(sources))
                .map(|(name, share)| {
                    let share = Estimate { n: *blocks as i64, ..share.ratio() };
                    (name, reported_share(share))
                });
            Some((*blocks, shares.collect()))
        };
        let shares = self.results.iter().filter_map(|result| {
            let (blocks, sources) = lineup_shares(result)?;
            Some(LuckShares { lineup: &result.lineup, blocks, sources })
        });
        shares.collect()
    }

    /// Returns the indices by lineup, metric, seat (all seats first) and source (the deal first).
    pub(crate) fn rows(&self) -> Vec<LuckRow<'_>> {
        let mut rows = Vec::new();
        for LineupResult { lineup, tally, .. } in self.results {
            let deal = tally.deal().map(|deal| (DEAL, deal));
            let sources = self.sources.iter().copied().zip(tally.sources.iter().copied());
            let sources: Vec<_> = deal.into_iter().chain(sources).collect();
            for metric in METRICS {
                for seat in std::iter::once(None).chain((0..self.players).map(Some)) {
                    let index = |index: Estimate| {
                        reported_share(Estimate { n: tally.blocks as i64, ..index })
                    };
                    rows.extend(sources.iter().map(|(source, results)| {
                        let first_order = results.first_order_index(metric, seat);
                        LuckRow {
                            lineup,
                            metric,
                            seat,
                            source,
                            blocks: tally.blocks,
                            varies: first_order.value.is_finite(),
                            first_order: index(first_order),
                            total: index(results.total_index(metric, seat)),
                        }
                    }));
                }
            }
        }
        rows
    }
}

/// Returns an estimate of a share by its number of blocks. It has no value if the blocks are too
/// few for an interval: the share can then be far from the true one.
fn reported_share(estimate: Estimate) -> Estimate {
    if estimate.value.is_finite() && estimate.n >= MIN_BLOCKS_OF_MEAN as i64 {
        estimate
    } else {
        Estimate::unbounded(0, f64::NAN)
    }
}
