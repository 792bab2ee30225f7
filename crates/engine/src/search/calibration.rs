//! Calibration: maps from the mean rewards of a search to win chances.
//!
//! A search that prints 70 % should win 70 % of such games. Its mean rewards need not have this
//! property: they include the iterations that tried weak actions, and the evaluator can be too
//! confident. A map with two or three parameters corrects both. If there is always one win, it
//! keeps the sum of the chances at one: for several seats it is the temperature scaling of Guo,
//! Pleiss, Sun and Weinberger (*On calibration of modern neural networks*, 2017) with a bias for
//! the seat to move. For two seats, and for each seat that wins or loses by itself, it is the
//! logistic scaling of Platt (*Probabilistic outputs for support vector machines*, 1999).

use serde::Serialize;

use crate::{
    game::{GameMode, MAX_SEATS, PerSeat},
    keys,
    stats::conditional_logit::Observations,
};

/// Smallest mean reward that the maps distinguish from 0: half a unit of the rewards of a tree.
const MIN_VALUE: f64 = 1.0 / 2048.0;
/// L2 penalty of the fit, which matters only if the data leave a parameter undetermined.
const RIDGE: f64 = 1e-6;

keys! {
    /// Monotone map from the mean rewards of the seats to their win chances. The odds of two seats
    /// are those of their mean rewards to the power of `slope`, times e to the power of `mover` for
    /// the seat to move.
    #[derive(Copy, PartialEq, Serialize)]
    pub struct ChanceMap {
        /// Exponent of the odds; below 1 for a search that is too confident.
        pub slope: f64,
        /// Logarithm of the factor of the odds of the seat to move.
        pub mover: f64,
        /// Logarithm of the factor of the odds that a seat does not win, in a game in which each
        /// seat wins or loses by itself; `None` if there is always one win.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub no_win: Option<f64>,
    }
}

/// Maps of a search for one budget.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ChanceMaps {
    /// Map of the mean rewards of all iterations.
    pub position: ChanceMap,
    /// Map of the mean rewards of the iterations that start with one action.
    pub action: ChanceMap,
}

/// Maps of a search for several budgets.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Calibration {
    /// Maps, in ascending order of the iterations.
    fitted: Vec<FittedMaps>,
    /// Maps of the modes that have their own, by their names.
    modes: Vec<(String, Self)>,
}

/// Maps of a search for one budget, and what they were fitted to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FittedMaps {
    /// Iterations of each search.
    pub iterations: u64,
    /// Number of games.
    pub games: u64,
    /// The maps.
    pub maps: ChanceMaps,
}

/// Mean rewards of a position and the result of its game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChanceSample {
    /// Seat to move.
    pub mover: usize,
    /// Mean reward of each seat.
    pub values: PerSeat<f64>,
    /// Win share of each seat, from 0 to 1.
    pub shares: PerSeat<f64>,
}

impl ChanceMap {
    /// Returns the win chances of the seats from their mean rewards. `mover` is the seat to move.
    pub fn chances(&self, values: &[f64], mover: usize) -> PerSeat<f64> {
        let mut odds = [0.0; MAX_SEATS];
        for (seat, (odds, &value)) in odds.iter_mut().zip(values).enumerate() {
            let bias = if seat == mover { self.mover } else { 0.0 };
            *odds = (self.slope * log(value) + bias).exp();
        }
        if let Some(bias) = self.no_win {
            for (odds, &value) in odds.iter_mut().zip(values) {
                *odds /= *odds + (self.slope * log(1.0 - value) + bias).exp();
            }
            return odds;
        }
        let total = odds.iter().sum::<f64>();
        odds.map(|odds| odds / total)
    }

    /// Returns the map of the highest likelihood for games of this many seats. Without samples, the
    /// chances are the mean rewards.
    pub fn fit(samples: &[ChanceSample], seats: usize, wins_are_independent: bool) -> Self {
        let no_win = wins_are_independent.then_some(0.0);
        let identity = Self { slope: 1.0, mover: 0.0, no_win };
        if samples.is_empty() {
            return identity;
        }
        // Attributes: logarithm of the mean reward, seat to move, no win. With one seat, the last
        // two would be the same.
        let has_mover = seats > 1;
        let attributes = 1 + usize::from(has_mover) + usize::from(wins_are_independent);
        // Each seat is a choice between a win and none, or all of them are one choice.
        let alternatives = if wins_are_independent { 2 } else { seats };
        let mut data = Observations::new(alternatives, attributes);
        let mut push = |value: f64, is_mover: bool, is_loss: bool, share: f64| {
            data.values.push(log(value) as f32);
            data.values.extend(has_mover.then_some(f32::from(u8::from(is_mover))));
            data.values.extend(wins_are_independent.then_some(f32::from(u8::from(is_loss))));
            data.shares.push(share as f32);
        };
        for sample in samples {
            for (seat, &value) in sample.values[..seats].iter().enumerate() {
                push(value, seat == sample.mover, false, sample.shares[seat]);
                if wins_are_independent {
                    push(1.0 - value, false, true, 1.0 - sample.shares[seat]);
                }
            }
        }
        let mut start = vec![0.0; attributes];
        start[0] = 1.0;
        let weights = data.fit(&start, RIDGE);
        Self {
            slope: weights[0],
            mover: if has_mover { weights[1] } else { 0.0 },
            no_win: wins_are_independent.then(|| weights[attributes - 1]),
        }
    }

    /// Returns the map with all parameters rounded to 4 decimals, as in files.
    #[must_use]
    pub fn rounded(self) -> Self {
        let round = |value: f64| (value * 1e4).round() / 1e4;
        Self { slope: round(self.slope), mover: round(self.mover), no_win: self.no_win.map(round) }
    }

    /// Returns the map that is this share of the way to another one.
    fn towards(self, other: Self, share: f64) -> Self {
        let mix = |one: f64, other: f64| one + share * (other - one);
        let no_win = match (self.no_win, other.no_win) {
            (Some(one), Some(other)) => Some(mix(one, other)),
            (one, other) => one.or(other),
        };
        Self { slope: mix(self.slope, other.slope), mover: mix(self.mover, other.mover), no_win }
    }
}

impl ChanceMaps {
    fn towards(self, other: Self, share: f64) -> Self {
        Self {
            position: self.position.towards(other.position, share),
            action: self.action.towards(other.action, share),
        }
    }
}

impl Calibration {
    /// Creates a calibration from the maps of several budgets.
    pub fn new(fitted: impl IntoIterator<Item = FittedMaps>) -> Self {
        let mut fitted: Vec<_> = fitted.into_iter().collect();
        fitted.sort_by_key(|fitted| fitted.iterations);
        Self { fitted, modes: Vec::new() }
    }

    /// Adds the calibration of a mode, by its name.
    #[must_use]
    pub fn with_mode(mut self, name: &str, calibration: Self) -> Self {
        self.modes.push((name.to_owned(), calibration));
        self
    }

    /// Returns true if there are maps, for all modes or for one.
    pub fn has_maps(&self) -> bool {
        !self.fitted.is_empty() || !self.modes.is_empty()
    }

    /// Returns the calibration for games of a mode: that of the mode, or the one of all modes.
    pub fn of_mode(&self, mode: Option<GameMode>) -> &Self {
        let is_own = |(name, _): &&(String, Self)| mode.is_some_and(|mode| mode.name == name);
        self.modes.iter().find(is_own).map_or(self, |(_, calibration)| calibration)
    }

    /// Returns the maps for a number of iterations: interpolated in the logarithm of the iterations
    /// between the nearest budgets, or those of the nearest budget; `None` if there are no maps.
    pub fn at(&self, iterations: u64) -> Option<ChanceMaps> {
        match self.nearest(iterations) {
            [] => None,
            [one] => Some(one.maps),
            [low, .., high] => {
                let log = |iterations: u64| (iterations.max(1) as f64).ln();
                let share = (log(iterations) - log(low.iterations))
                    / (log(high.iterations) - log(low.iterations));
                Some(low.maps.towards(high.maps, share))
            }
        }
    }

    /// Returns the maps that are used for a number of iterations: those of this budget, of the
    /// nearest ones below and above it, or of the nearest one if all are on one side.
    pub fn nearest(&self, iterations: u64) -> &[FittedMaps] {
        let count = self.fitted.len();
        let above = self.fitted.partition_point(|fitted| fitted.iterations < iterations);
        let is_exact = self.fitted.get(above).is_some_and(|one| one.iterations == iterations);
        match above {
            _ if is_exact || above == 0 => &self.fitted[above..count.min(above + 1)],
            _ => &self.fitted[above - 1..count.min(above + 1)],
        }
    }
}

fn log(value: f64) -> f64 {
    value.max(MIN_VALUE).ln()
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use crate::rng::{Purpose, stream};

    const MAP: ChanceMap = ChanceMap { slope: 0.5, mover: 0.3, no_win: None };

    fn assert_near(found: ChanceMap, expected: ChanceMap, tolerance: f64) {
        let parameters = |map: ChanceMap| [map.slope, map.mover, map.no_win.unwrap_or(0.0)];
        for (found, expected) in parameters(found).into_iter().zip(parameters(expected)) {
            assert!((found - expected).abs() < tolerance, "{found:?}, {expected:?}");
        }
    }

    #[test]
    fn with_two_seats_the_map_is_logistic_in_the_logit_of_the_mover() {
        for value in [0.1, 0.5, 0.8] {
            let chances = MAP.chances(&[1.0 - value, value], 1);
            let logit = 0.5 * (value / (1.0 - value)).ln() + 0.3;
            assert!((chances[1] - 1.0 / (1.0 + (-logit).exp())).abs() < 1e-12);
            assert!((chances[0] + chances[1] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn chances_rise_with_the_value_and_add_up_to_one_win() {
        let map = ChanceMap { no_win: Some(-0.5), ..MAP };
        let chances = [0.0, 0.2, 0.4, 0.7].map(|value| map.chances(&[value, 0.1, 0.2], 0));
        assert!(chances.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        assert!(chances.iter().all(|one| one[1..3] == chances[0][1..3]), "independent wins");
        let all = MAP.chances(&[0.5, 0.2, 0.3], 2);
        assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(all[3..], [0.0; MAX_SEATS - 3]);
    }

    /// Games whose results follow a map of random mean rewards give back the map.
    #[test]
    fn fit_recovers_the_map_that_made_the_results() {
        let mut rng = stream(3, 0, 0, Purpose::Playout);
        for (seats, map) in [
            (2, ChanceMap { slope: 1.0, mover: 0.0, no_win: None }),
            (2, MAP),
            (4, ChanceMap { slope: 1.4, mover: -0.2, no_win: None }),
            (3, ChanceMap { slope: 0.7, mover: 0.2, no_win: Some(0.4) }),
            (1, ChanceMap { slope: 0.6, mover: 0.0, no_win: Some(-0.3) }),
        ] {
            let mut sample = || {
                let mut values = [0.0; MAX_SEATS];
                values[..seats].fill_with(|| -rng.random::<f64>().ln());
                let total = values.iter().sum::<f64>();
                let is_independent = map.no_win.is_some();
                let values =
                    values.map(
                        |value| {
                            if is_independent { value / (1.0 + value) } else { value / total }
                        },
                    );
                let mover = rng.random_range(0..seats);
                let mut shares = [0.0; MAX_SEATS];
                let mut left: f64 = rng.random();
                for (share, chance) in shares.iter_mut().zip(map.chances(&values[..seats], mover)) {
                    *share = f64::from(u8::from((0.0..chance).contains(&left)));
                    left = if is_independent { rng.random() } else { left - chance };
                }
                ChanceSample { mover, values, shares }
            };
            let samples: Vec<_> = (0..20_000).map(|_| sample()).collect();
            let found = ChanceMap::fit(&samples, seats, map.no_win.is_some());
            assert_near(found, map, 0.08);
        }
    }

    #[test]
    fn maps_between_budgets_are_interpolated_in_the_logarithm() {
        let maps = |slope| {
            let map = ChanceMap { slope, mover: 2.0 * slope, no_win: None };
            ChanceMaps { position: map, action: map }
        };
        let fitted = |iterations, slope| FittedMaps { iterations, games: 50, maps: maps(slope) };
        let calibration = Calibration::new([fitted(1000, 1.0), fitted(100, 0.5)]);
        let slope = |iterations| calibration.at(iterations).map(|maps| maps.action.slope);
        assert_eq!([10, 100, 1000, 5000].map(slope), [0.5, 0.5, 1.0, 1.0].map(Some));
        assert!(slope(316).is_some_and(|slope| (slope - 0.75).abs() < 1e-3));
        assert_eq!(Calibration::default().at(100), None);
        let budgets = |iterations| -> Vec<u64> {
            calibration.nearest(iterations).iter().map(|fitted| fitted.iterations).collect()
        };
        assert_eq!([10, 100, 1000, 5000].map(budgets), [100, 100, 1000, 1000].map(|one| vec![one]));
        assert_eq!(budgets(316), [100, 1000]);
    }
}
