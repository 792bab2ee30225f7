//! The results of plans against each other.

use crate::{
    arena::tally::{ALL_SEATS, Tally},
    game::UNITS_PER_WIN,
    stats::{
        mixture::{alpha_rank, unbeaten_mixture},
        ratio::Estimate,
    },
};

/// A plan is viable if it loses at most this share of the games against the mixture.
pub(crate) const MARGIN: f64 = 0.02;

/// Smallest share of a mixture that is named and whose games are counted.
pub(crate) const LEAST_SHARE: f64 = 0.01;

/// The win rate of a plan against the mixture that no plan beats, in comparison with a fair share
/// less [`MARGIN`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Viability {
    /// The whole interval lies above the limit.
    Viable,
    /// The whole interval lies below it.
    Behind,
    Open,
}

impl Viability {
    /// The names in tables.
    pub(crate) const KEYS: [&'static str; 3] = ["viable", "behind", "open"];

    /// Returns the name in tables.
    pub(crate) const fn key(self) -> &'static str {
        Self::KEYS[self as usize]
    }
}

/// The results of free play, which is the first, and of each plan against each other.
#[derive(Clone, Debug)]
pub(crate) struct PlanMatrix {
    /// The win rate of equal players.
    pub(crate) fair: f64,
    /// The win rate of one seat with plan i while the others have plan j. The intervals of all
    /// pairs hold at once (Bonferroni).
    pub(crate) rates: Vec<Vec<Estimate>>,
    /// The share of each in the mixture that no plan beats, or with more than two players the
    /// share that it has in the long run. Free play is no part of it, since every plan is a
    /// restriction of it.
    pub(crate) mixture: Vec<f64>,
    /// The win rate of each against the mixture, with an interval of its own.
    pub(crate) against_mixture: Vec<Estimate>,
}

/// Returns the pairs of plans that are played: of two players, each pair once.
pub(super) fn pairs(plans: usize, players: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..plans).flat_map(move |plan| (0..plans).map(move |other| (plan, other)));
    all.filter(move |(plan, other)| if players == 2 { plan < other } else { plan != other })
}

impl PlanMatrix {
    /// Analyses the games of [`pairs`]; `None` if not all were played.
    pub(super) fn new(plans: usize, players: usize, tallies: &[Tally]) -> Option<Self> {
        if tallies.is_empty() || tallies.iter().any(|tally| tally.games == 0) {
            return None;
        }
        let fair = 1.0 / players as f64;
        // Equal plans win the same by construction.
        let equal = Estimate { n: 0, value: fair, low: fair, high: fair };
        let mut rates = vec![vec![equal; plans]; plans];
        let mut alone = rates.clone();
        let level = 1.0 - 0.05 / tallies.len() as f64;
        for ((plan, other), tally) in pairs(plans, players).zip(tallies) {
            // Games that nobody wins, or several do, are divided among all seats.
            let wins = &tally.bots[0][ALL_SEATS].split_wins;
            for (rates, rate) in [
                (&mut rates, wins.rate_at(UNITS_PER_WIN, level)),
                (&mut alone, wins.rate(UNITS_PER_WIN)),
            ] {
                rates[plan][other] = rate;
                if players == 2 {
                    rates[other][plan] = rate.complement();
                }
            }
        }
        let between_plans = |less: f64| -> Vec<Vec<f64>> {
            let row = |row: &Vec<Estimate>| row[1..].iter().map(|rate| rate.value - less).collect();
            rates[1..].iter().map(row).collect()
        };
        let mut mixture = match players {
            2 => unbeaten_mixture(&between_plans(fair)),
            _ => alpha_rank(&between_plans(0.0), fair),
        };
        mixture.insert(0, 0.0);
        let against = |row: &Vec<Estimate>| against_mixture(row, &mixture);
        let against_mixture = alone.iter().map(against).collect();
        Some(Self { fair, rates, mixture, against_mixture })
    }

    /// Returns the pairs of plans, without free play, of which the first wins more than a fair
    /// share of its games against the second, the largest win rate first.
    pub(crate) fn counters(&self) -> Vec<(usize, usize)> {
        let plans = 1..self.rates.len();
        let pairs = plans.clone().flat_map(|plan| plans.clone().map(move |other| (plan, other)));
        let rate = |&(plan, other): &(usize, usize)| self.rates[plan][other];
        let mut found: Vec<_> = pairs.filter(|pair| rate(pair).low > self.fair).collect();
        found.sort_by(|one, other| rate(other).value.total_cmp(&rate(one).value));
        found
    }

    /// Returns the plans against which one seat with free play wins more than a fair share, that
    /// with the lowest win rate first.
    pub(crate) fn beaten_by_free_play(&self) -> Vec<usize> {
        let rate = |plan: &usize| self.rates[0][*plan];
        let mut beaten: Vec<_> =
            (1..self.rates.len()).filter(|plan| rate(plan).low > self.fair).collect();
        beaten.sort_by(|one, other| rate(one).value.total_cmp(&rate(other).value));
        beaten
    }

    /// Compares the win rate of a plan against the mixture with a fair share less [`MARGIN`].
    pub(crate) fn viability(&self, plan: usize) -> Viability {
        let (rate, limit) = (self.against_mixture[plan], self.fair - MARGIN);
        match rate {
            _ if rate.n == 0 || rate.low >= limit => Viability::Viable,
            _ if rate.high < limit => Viability::Behind,
            _ => Viability::Open,
        }
    }
}

/// Returns the win rate against a mixture, of independent rates against its parts.
fn against_mixture(rates: &[Estimate], mixture: &[f64]) -> Estimate {
    let weighted = || rates.iter().zip(mixture);
    let value = weighted().map(|(rate, share)| share * rate.value).sum::<f64>();
    let n = weighted().filter(|(_, share)| **share >= LEAST_SHARE).map(|(rate, _)| rate.n).sum();
    if n == 0 {
        // The mixture is the plan itself.
        return Estimate::unbounded(0, value);
    }
    let end = |deviation: fn(&Estimate) -> f64| {
        weighted().map(|(rate, share)| (share * deviation(rate)).powi(2)).sum::<f64>().sqrt()
    };
    Estimate {
        n,
        value,
        low: value - end(|rate| rate.value - rate.low),
        high: value + end(|rate| rate.high - rate.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_players_play_each_pair_once() {
        assert!(pairs(3, 2).eq([(0, 1), (0, 2), (1, 2)]));
        assert!(pairs(2, 3).eq([(0, 1), (1, 0)]));
    }

    #[test]
    fn intervals_against_a_mixture_are_those_of_independent_parts() {
        let rate = |value, half_width| Estimate {
            n: 100,
            value,
            low: value - half_width,
            high: value + half_width,
        };
        let mixed = against_mixture(&[rate(0.4, 0.03), rate(0.6, 0.04)], &[0.5, 0.5]);
        assert!((mixed.value - 0.5).abs() < 1e-12);
        assert!((mixed.high - mixed.low - 0.05).abs() < 1e-12);
    }
}
