//! Calibration of win chances by tenths, maps that correct them, and ranks of the chosen actions.

use crate::{
    experiments::calibration::{SearchedDecision, SearchedGame, SearchedGames},
    game::PerSeat,
    search::calibration::{ChanceMap, ChanceMaps, ChanceSample},
    study::shared::prelude::*,
};

/// Largest difference between the mean chance and the share won of a calibrated tenth.
pub const TOLERANCE: f64 = 0.03;
/// Number of ranges of the chance.
pub const TENTHS: usize = 10;
/// Groups of blocks of the jackknife.
const GROUPS: u64 = 10;
/// Half-width of the 95 % interval of the jackknife in standard errors: Student's quantile for 9
/// degrees of freedom.
const CRITICAL_VALUE: f64 = 2.262;
/// Numbers of actions at the head of the policy that are counted.
const HEADS: [usize; 3] = [1, 3, 5];

watershed_engine::named! {
    /// Origin of the mean rewards.
    pub enum Source {
        /// All iterations.
        Position = "position",
        /// The iterations that start with the chosen action.
        Action = "action",
    }
}

impl Source {
    const fn values(self, decision: &SearchedDecision) -> &PerSeat<f64> {
        match self {
            Self::Position => &decision.position,
            Self::Action => &decision.action,
        }
    }
}

/// Names of the seats of a row, by the index into [`CalibrationRow::seat`].
pub const SEATS: [&str; 2] = ["mover", "others"];
/// Names of the chances of a row, by the index into [`CalibrationRow::chance`].
pub const CHANCES: [&str; 2] = ["raw", "calibrated"];

/// Chances in one tenth, with what was won.
#[derive(Clone, Copy, Debug)]
pub struct CalibrationRow {
    /// Origin of the mean rewards.
    pub source: Source,
    /// 0 for the seat to move, 1 for the others.
    pub seat: usize,
    /// 0 for mean rewards, 1 for chances by the map.
    pub chance: usize,
    /// The tenth, from 0.
    pub tenth: usize,
    /// Games with such a chance.
    pub games: u64,
    /// Mean chance.
    pub mean_chance: f64,
    /// Share of the games won. `n` counts chances.
    pub won: Estimate,
}

impl CalibrationRow {
    /// Returns true if the mean chance is within 3 points of the share won, or in its interval.
    pub fn is_calibrated(&self) -> bool {
        let Estimate { value, low, high, .. } = self.won;
        (value - self.mean_chance).abs() <= TOLERANCE || (low..=high).contains(&self.mean_chance)
    }
}

/// Map of one source, with its fit.
#[derive(Clone, Copy, Debug)]
pub struct MapRow {
    /// Origin of the mean rewards.
    pub source: Source,
    /// Map that is fitted to all games.
    pub map: ChanceMap,
    /// Slope of the map with its interval. `n` counts decisions.
    pub slope: Estimate,
    /// Mean cross entropy of the results under the mean rewards, in nats.
    pub loss: f64,
    /// The same under the maps that are fitted to the other half of the games.
    pub calibrated_loss: f64,
}

/// Ranks of the chosen actions of one kind in the prior.
#[derive(Clone, Copy, Debug)]
pub struct RankRow {
    /// Kind of action; `None` for all kinds.
    pub kind: Option<u32>,
    /// Share of decisions in which the chosen action is first, within the first three, and within
    /// the first five.
    pub within: [Estimate; HEADS.len()],
}

/// Results of a bot.
#[derive(Clone, Debug)]
pub struct BotCalibration {
    /// Mean iterations of a search.
    pub iterations: u64,
    /// Games with a search.
    pub games: u64,
    /// Decisions with a search.
    pub decisions: u64,
    /// Chances by source, seat, chance and tenth; tenths without chances are left out.
    pub rows: Vec<CalibrationRow>,
    /// Maps by source.
    pub maps: [MapRow; 2],
    /// Ranks of all decisions, then by kind.
    pub ranks: Vec<RankRow>,
}

/// Sums of one tenth.
#[derive(Clone, Copy, Default)]
struct TenthSums {
    won: Ratio,
    chances: f64,
    games: u64,
}

/// Sums of all rows of a source, by seat, chance and tenth.
type SourceSums = [[[TenthSums; TENTHS]; 2]; 2];

impl BotCalibration {
    /// Analyses the searches of a bot, `bots` being the lineup's indices of the same bot; `None` if
    /// there are none. The wins of the seats are independent if any number of them can win.
    pub fn new(
        games: &SearchedGames,
        bots: &[usize],
        seats: usize,
        wins_are_independent: bool,
    ) -> Option<Self> {
        let decisions_of = |game: &SearchedGame| {
            let is_own = |decision: &&SearchedDecision| bots.contains(&decision.bot);
            game.decisions.iter().filter(is_own).copied().collect::<Vec<_>>()
        };
        let games: Vec<_> = games
            .0
            .iter()
            .map(|game| SearchedGame { decisions: decisions_of(game), ..game.clone() })
            .filter(|game| !game.decisions.is_empty())
            .collect();
        let decisions: u64 = games.iter().map(|game| game.decisions.len() as u64).sum();
        if decisions == 0 {
            return None;
        }
        let all = || games.iter().flat_map(|game| &game.decisions);
        let iterations: u64 = all().map(|decision| decision.iterations).sum();
        let mut rows = Vec::new();
        let maps = Source::ALL
            .map(|source| analyse_source(&games, source, seats, wins_are_independent, &mut rows));
        let mut kinds: Vec<_> = all().map(|decision| decision.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kinds = std::iter::once(None).chain(kinds.into_iter().map(Some));
        Some(Self {
            iterations: (iterations + decisions / 2) / decisions,
            games: games.len() as u64,
            decisions,
            rows,
            maps,
            ranks: kinds.map(|kind| rank_row(&games, kind)).collect(),
        })
    }

    /// Returns the maps that are fitted to all games.
    pub fn chance_maps(&self) -> ChanceMaps {
        let [position, action] = self.maps.map(|row| row.map);
        ChanceMaps { position, action }
    }

    /// Returns the number of calibrated tenths and of all tenths with such chances.
    pub fn calibrated_tenths(&self, chance: usize) -> (usize, usize) {
        let rows: Vec<_> = self.rows.iter().filter(|row| row.chance == chance).collect();
        (rows.iter().filter(|row| row.is_calibrated()).count(), rows.len())
    }
}

fn sample(game: &SearchedGame, decision: &SearchedDecision, source: Source) -> ChanceSample {
    let share = |units: i64| units as f64 / UNITS_PER_WIN as f64;
    ChanceSample {
        mover: decision.mover,
        values: *source.values(decision),
        shares: game.win_shares.map(share),
    }
}

/// Adds the rows of a source and returns its map.
fn analyse_source(
    games: &[SearchedGame],
    source: Source,
    seats: usize,
    wins_are_independent: bool,
    rows: &mut Vec<CalibrationRow>,
) -> MapRow {
    let fit = |is_used: &dyn Fn(&SearchedGame) -> bool| {
        let games = games.iter().filter(|game| is_used(game));
        let samples: Vec<_> = games
            .flat_map(|game| game.decisions.iter().map(|one| sample(game, one, source)))
            .collect();
        ChanceMap::fit(&samples, seats, wins_are_independent)
    };
    // Each half of the blocks gets the map of the other half.
    let of_other_half = [1, 0].map(|half| fit(&|game| game.block % 2 == half));
    let mut sums = SourceSums::default();
    let mut losses = [0.0; 2];
    let mut decisions = 0_i32;
    for block in games.chunk_by(|one, other| one.block == other.block) {
        // Chances and win shares of the block.
        let mut counts = [[[(0, 0); TENTHS]; 2]; 2];
        for game in block {
            let map = of_other_half[(game.block % 2) as usize];
            let mut seen = [[[false; TENTHS]; 2]; 2];
            for decision in &game.decisions {
                let sample = sample(game, decision, source);
                let calibrated = map.chances(&sample.values[..seats], sample.mover);
                for (chance, chances) in [sample.values, calibrated].iter().enumerate() {
                    losses[chance] +=
                        log_loss(&chances[..seats], &sample.shares, wins_are_independent);
                    for (seat, &value) in chances[..seats].iter().enumerate() {
                        let group = usize::from(seat != sample.mover);
                        let tenth = ((value * TENTHS as f64) as usize).min(TENTHS - 1);
                        let (n, won) = &mut counts[group][chance][tenth];
                        *n += 1;
                        *won += game.win_shares[seat];
                        let sums = &mut sums[group][chance][tenth];
                        sums.chances += value;
                        sums.games += u64::from(!seen[group][chance][tenth]);
                        seen[group][chance][tenth] = true;
                    }
                }
                decisions += 1;
            }
        }
        let counts = counts.as_flattened().as_flattened();
        for (sums, &(n, won)) in sums.as_flattened_mut().as_flattened_mut().iter_mut().zip(counts) {
            if n > 0 {
                sums.won.add_block(n, won);
            }
        }
    }
    // The chances of two seats are complements of each other if one of them always wins.
    let groups = match (seats, wins_are_independent) {
        (1, _) | (2, false) => 1,
        _ => SEATS.len(),
    };
    for (seat, sums) in sums.iter().enumerate().take(groups) {
        for (chance, sums) in sums.iter().enumerate() {
            let sums = sums.iter().enumerate().filter(|(_, sums)| sums.won.n > 0);
            rows.extend(sums.map(|(tenth, sums)| CalibrationRow {
                source,
                seat,
                chance,
                tenth,
                games: sums.games,
                mean_chance: sums.chances / sums.won.n as f64,
                won: sums.won.rate(UNITS_PER_WIN),
            }));
        }
    }
    let [loss, calibrated_loss] = losses.map(|loss| loss / f64::from(decisions));
    let map = fit(&|_| true).rounded();
    let without_group = |group| fit(&|game| game.block % GROUPS != group).slope;
    let slopes: Vec<_> = (0..GROUPS).map(without_group).collect();
    let slope = jackknife(i64::from(decisions), map.slope, &slopes);
    MapRow { source, map, slope, loss, calibrated_loss }
}

/// Returns a value with its interval by the delete-a-group jackknife (Kott, *The delete-a-group
/// jackknife*, Journal of Official Statistics 17, 2001). `replicates` are the values without each
/// group of blocks.
fn jackknife(n: i64, value: f64, replicates: &[f64]) -> Estimate {
    let groups = replicates.len() as f64;
    let mean = replicates.iter().sum::<f64>() / groups;
    let squares = replicates.iter().map(|replicate| (replicate - mean).powi(2)).sum::<f64>();
    let half_width = CRITICAL_VALUE * ((groups - 1.0) / groups * squares).sqrt();
    Estimate { n, value, low: value - half_width, high: value + half_width }
}

/// Returns the cross entropy of a result under these chances, in nats.
fn log_loss(chances: &[f64], shares: &[f64], wins_are_independent: bool) -> f64 {
    /// Smallest chance, so that one certain error does not outweigh all other decisions.
    const MIN_CHANCE: f64 = 1.0 / 2048.0;
    let loss = |share: f64, chance: f64| -share * chance.max(MIN_CHANCE).ln();
    let seats = chances.iter().zip(shares).map(|(&chance, &share)| {
        let no_win = if wins_are_independent { loss(1.0 - share, 1.0 - chance) } else { 0.0 };
        loss(share, chance) + no_win
    });
    seats.sum()
}

fn rank_row(games: &[SearchedGame], kind: Option<u32>) -> RankRow {
    let mut within = [Ratio::default(); HEADS.len()];
    for block in games.chunk_by(|one, other| one.block == other.block) {
        let decisions = || {
            let all = block.iter().flat_map(|game| &game.decisions);
            all.filter(|decision| kind.is_none_or(|kind| decision.kind == kind))
        };
        let n = decisions().count() as i64;
        for (within, head) in within.iter_mut().zip(HEADS).filter(|_| n > 0) {
            within.add_block(n, decisions().filter(|decision| decision.rank < head).count() as i64);
        }
    }
    RankRow { kind, within: within.map(|within| within.rate(1)) }
}
