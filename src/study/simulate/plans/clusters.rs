//! Clusters of the winners by what they took, and the plans that stand for them.

use super::super::setup::RunSetup;
use crate::{
    arena::{play_statistics::SeatSample, tally::Tally},
    bound::BoundGame,
    experiments::plan::Plan,
    game::{ItemFamily, MAX_FAMILIES},
    report::html::join_with_and,
    stats::{clusters::Clusters, ratio::Ratio},
};

/// Smallest number of winners that are divided into clusters.
const MIN_WINNERS: usize = 200;
/// Numbers of clusters, of which the best is taken.
const NUMBERS: std::ops::RangeInclusive<usize> = 3..=5;
/// A plan asks for a family of which the winners of its cluster took this many standard deviations
/// more than all winners.
const MIN_DEVIATION: f64 = 0.25;
/// Seats with more items of a family count as having as many.
pub(crate) const MAX_ITEMS: usize = 9;

/// The winners of a run by what they took.
#[derive(Clone, Debug)]
pub(crate) struct PlanClusters {
    /// The families of items that are counted.
    pub(crate) families: Vec<ItemFamily>,
    /// The clusters, the most frequent first.
    pub(crate) clusters: Vec<PlanCluster>,
    /// The different plans of the clusters, in their order.
    pub(crate) plans: Vec<NamedPlan>,
    /// For each family, the win shares of the seats by the number of its items that they took.
    pub(crate) by_number: Vec<[Ratio; MAX_ITEMS + 1]>,
}

/// Seats whose items are nearest to the mean of a cluster of winners.
#[derive(Clone, Debug)]
pub(crate) struct PlanCluster {
    /// All seats, and those of the cluster.
    pub(crate) share: Ratio,
    /// Win shares of its seats.
    pub(crate) wins: Ratio,
    /// For each family, the mean number of items that its winners took in the first half of the
    /// game and in the second one.
    pub(crate) means: Vec<[f64; 2]>,
    /// Index of its plan; `None` if its winners took more of no family than all winners.
    pub(crate) plan: Option<usize>,
}

/// A plan with its name for people.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NamedPlan {
    /// As in `4 meadows and 1 desert`.
    pub(crate) name: String,
    pub(crate) targets: Plan,
}

impl PlanClusters {
    /// Divides the winners of a run with one bot in all seats. Returns `None` if several bots have
    /// them, if there are too few winners, or no families.
    pub(crate) fn of_run(setup: &RunSetup, tally: &Tally, game: &BoundGame) -> Option<Self> {
        let seats = game.seats();
        let is_competitive = seats > 1 && !game.is_cooperative();
        let families = game.catalog().families();
        if !is_competitive || families.is_empty() || setup.distinct_bots().len() > 1 {
            return None;
        }
        let seats_per_block = setup.question.games_per_block as usize * seats;
        Self::find(families, &tally.play.sample.seats, seats_per_block)
    }

    /// Divides the winners of a sample into clusters. `seats_per_block` is the number of seats of
    /// all games of a block. Returns `None` if there are too few winners, or no families.
    fn find(families: &[ItemFamily], seats: &[SeatSample], seats_per_block: usize) -> Option<Self> {
        let early = |seat: &SeatSample| -> Vec<f64> {
            seat.taken[0][..families.len()].iter().map(|&count| count.into()).collect()
        };
        let winners: Vec<_> = seats.iter().filter(|seat| seat.wins > 0).collect();
        if winners.len() < MIN_WINNERS {
            return None;
        }
        let points: Vec<_> = winners.iter().map(|seat| early(seat)).collect();
        let found = Clusters::best_of(&points, NUMBERS)?;
        let number = found.centres.len();
        let mut clusters: Vec<_> = (0..number)
            .map(|cluster| {
                let of_cluster = winners.iter().zip(&found.of_points);
                let of_cluster = of_cluster.filter(|&(_, &of)| of == cluster);
                let of_cluster: Vec<_> = of_cluster.map(|(seat, _)| seat.taken).collect();
                let mean = |family: usize, half: usize| {
                    let counts = of_cluster.iter().map(|taken| f64::from(taken[half][family]));
                    counts.sum::<f64>() / of_cluster.len() as f64
                };
                let means = (0..families.len()).map(|family| [0, 1].map(|half| mean(family, half)));
                let means = means.collect();
                PlanCluster { share: Ratio::default(), wins: Ratio::default(), means, plan: None }
            })
            .collect();
        for block in seats.chunks_exact(seats_per_block) {
            let mut sums = vec![(0, 0); number];
            for seat in block {
                let (n, wins) = &mut sums[found.nearest(&early(seat))];
                *n += 1;
                *wins += seat.wins;
            }
            for (cluster, (n, wins)) in clusters.iter_mut().zip(sums) {
                cluster.share.add_block(seats_per_block as i64, n);
                cluster.wins.add_block(n, wins);
            }
        }
        clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.share.x));
        let plans = name_plans(families, &mut clusters, &points);
        let by_number = by_number(families.len(), seats, seats_per_block);
        Some(Self { families: families.to_vec(), clusters, plans, by_number })
    }
}

/// Returns the means and standard deviations of each coordinate.
fn moments(points: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let n = points.len() as f64;
    let axes = points.first().map_or(0, Vec::len);
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / n;
    let means: Vec<_> = (0..axes).map(mean).collect();
    let deviation = |axis: usize| {
        let squares = points.iter().map(|point| (point[axis] - means[axis]).powi(2));
        (squares.sum::<f64>() / n).sqrt()
    };
    let deviations = (0..axes).map(deviation).collect();
    (means, deviations)
}

/// Gives each cluster the plan to take what its winners took more of than all winners in the first
/// half of the game, and returns the different plans. `winners` has what each winner took then.
fn name_plans(
    families: &[ItemFamily],
    clusters: &mut [PlanCluster],
    winners: &[Vec<f64>],
) -> Vec<NamedPlan> {
    let (means, deviations) = moments(winners);
    let mut plans: Vec<NamedPlan> = Vec::new();
    for cluster in clusters {
        let early = |family: usize| cluster.means[family][0];
        let lift = |family: usize| (early(family) - means[family]) / deviations[family];
        let mut asked: Vec<_> = (0..families.len()).filter(|&f| deviations[f] > 0.0).collect();
        asked.sort_by(|&one, &other| lift(other).total_cmp(&lift(one)));
        asked.retain(|&family| lift(family) >= MIN_DEVIATION && early(family) >= 0.5);
        if asked.is_empty() {
            continue;
        }
        let mut targets = [0; MAX_FAMILIES];
        for &family in &asked {
            targets[family] = early(family).round() as u8;
        }
        let part = |&family: &usize| {
            let [one, several] = families[family].labels;
            format!("{} {}", targets[family], if targets[family] == 1 { one } else { several })
        };
        let parts: Vec<_> = asked.iter().map(part).collect();
        let name = format!("{} early", join_with_and(&parts));
        let known = plans.iter().position(|plan| plan.targets == targets);
        cluster.plan = Some(known.unwrap_or(plans.len()));
        if known.is_none() {
            plans.push(NamedPlan { name, targets });
        }
    }
    plans
}

fn by_number(
    families: usize,
    seats: &[SeatSample],
    seats_per_block: usize,
) -> Vec<[Ratio; MAX_ITEMS + 1]> {
    let mut tallies = vec![[Ratio::default(); MAX_ITEMS + 1]; families];
    for block in seats.chunks_exact(seats_per_block) {
        for (family, tally) in tallies.iter_mut().enumerate() {
            let mut sums = [(0, 0); MAX_ITEMS + 1];
            for seat in block {
                let taken = seat.taken.iter().map(|half| usize::from(half[family])).sum::<usize>();
                let (n, wins) = &mut sums[taken.min(MAX_ITEMS)];
                *n += 1;
                *wins += seat.wins;
            }
            tally.iter_mut().zip(sums).for_each(|(ratio, (n, wins))| ratio.add_block(n, wins));
        }
    }
    tallies
}
