//! The metrics of `health.csv`: means over games, and statistics of their distributions.

use super::analysis::RunAnalysis;
use crate::study::shared::{judged::percentile, prelude::*};

impl RunAnalysis<'_> {
    /// Returns the metrics of the games apart from win rates and scores of bots, with the shares of
    /// the games that end for each reason.
    pub(crate) fn health_metrics(
        &self,
        end_reasons: &[&'static str],
    ) -> Vec<(HealthMetric, Estimate)> {
        let health = &self.tally.health;
        let is_competitive = self.players() > 1;
        let mean = |metric, estimate| (HealthMetric::Mean(metric), estimate);
        let mut metrics = Vec::new();
        for (metric, rates) in [
            (HealthMetric::SdOfSeats, &health.seats),
            (HealthMetric::SdOfTurnPositions, &health.turn_positions),
        ] {
            let deviation = rates.standard_deviation(self.players(), UNITS_PER_WIN);
            metrics.extend(deviation.map(|deviation| (metric, deviation)));
        }
        if is_competitive {
            metrics.push(mean(Metric::SharedWins, health.shared_wins.rate(1)));
        }
        metrics.push(mean(Metric::NobodyWon, health.nobody_won.rate(1)));
        metrics.push(mean(Metric::HitRoundLimit, health.capped.rate(1)));
        for (metric, sums, games) in [
            (Metric::Rounds, health.rounds, &health.games_by_rounds),
            (Metric::Decisions, health.decisions, &health.games_by_decisions),
        ] {
            metrics.push(mean(metric, sums.mean()));
            metrics.extend(Statistic::ALL.map(|statistic| {
                let (n, value) = (sums.ratio.n, statistic.of(games));
                (HealthMetric::Distribution(metric, statistic), Estimate::unbounded(n, value))
            }));
        }
        metrics.push(mean(Metric::Branching, health.branching.mean()));
        metrics.push(mean(Metric::WinningScore, health.winning_scores.mean()));
        if is_competitive {
            metrics.push(mean(Metric::WinningMargin, health.winning_margins.mean()));
            metrics.push(mean(Metric::LeadChanges, health.lead_changes.mean()));
            let leaders = &health.leaders_at_half;
            let wins = mean(Metric::LeaderAtHalfWins, leaders.rate(UNITS_PER_WIN));
            metrics.extend((leaders.n > 0).then_some(wins));
        }
        let ends = end_reasons.iter().zip(&health.ends);
        metrics.extend(ends.map(|(&reason, ends)| (HealthMetric::End(reason), ends.rate(1))));
        metrics
    }
}

/// A metric of `health.csv`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HealthMetric {
    /// Standard deviation of the true win rates of seats.
    SdOfSeats,
    /// Standard deviation of the true win rates of turn positions.
    SdOfTurnPositions,
    /// Mean over games.
    Mean(Metric),
    /// Share of the games that end for this reason.
    End(&'static str),
    /// Statistic of the distribution over games.
    Distribution(Metric, Statistic),
}

impl HealthMetric {
    /// Returns the name in tables.
    pub(crate) fn key(self) -> String {
        match self {
            Self::SdOfSeats => "sd_of_seats".to_owned(),
            Self::SdOfTurnPositions => "sd_of_turn_positions".to_owned(),
            Self::Mean(metric) => metric.name().to_owned(),
            Self::End(reason) => reason.to_owned(),
            Self::Distribution(metric, statistic) => {
                format!("{}_{}", metric.name(), statistic.name())
            }
        }
    }

    /// Returns the name for people.
    pub(crate) fn title(self) -> String {
        match self {
            Self::SdOfSeats => "standard deviation of the true win rates of seats".to_owned(),
            Self::SdOfTurnPositions => {
                "standard deviation of the true win rates of turn positions".to_owned()
            }
            Self::Mean(metric) => mean_title(metric).to_owned(),
            Self::End(reason) => format!("{}, share of the games", reason.replace('_', " ")),
            Self::Distribution(metric, statistic) => {
                format!("{} per game, {}", metric.title(), statistic.title())
            }
        }
    }

    /// Returns true if the metric lies between 0 and 1.
    pub(crate) const fn is_rate(self) -> bool {
        match self {
            Self::SdOfSeats | Self::SdOfTurnPositions | Self::End(_) => true,
            Self::Mean(metric) => metric.is_rate(),
            Self::Distribution(..) => false,
        }
    }

    /// Returns true if the metric is the count of a single game.
    pub(crate) const fn is_count(self) -> bool {
        matches!(self, Self::Distribution(_, statistic) if !matches!(statistic, Statistic::Sd))
    }
}

/// Returns the name of the mean of a metric per game, with what it counts.
const fn mean_title(metric: Metric) -> &'static str {
    match metric {
        Metric::SharedWins => "games with several winners",
        Metric::NobodyWon => "games without a winner",
        Metric::HitRoundLimit => "games ended by the round limit of the simulator",
        Metric::Rounds => "rounds per game",
        Metric::Decisions => "decisions per game, all players together",
        Metric::Branching => "legal actions per decision",
        Metric::WinningScore => "score of the winners",
        Metric::WinningMargin => "winners' lead over the best other player, in points",
        Metric::LeadChanges => "changes of the leading player per game",
        Metric::LeaderAtHalfWins => "win rate of the player who leads alone after half the rounds",
        metric => metric.title(),
    }
}

watershed_engine::named! {
    /// A statistic of the distribution of a number over games.
    pub(crate) enum Statistic {
        Sd = "sd",
        Min = "min",
        P10 = "p10",
        Median = "p50",
        P90 = "p90",
        Max = "max",
    }
}

impl Statistic {
    const fn title(self) -> &'static str {
        ["standard deviation", "minimum", "10th percentile", "median", "90th percentile", "maximum"]
            [self as usize]
    }

    /// Returns the statistic of a distribution: the number of games by value.
    pub(crate) fn of(self, games: &BTreeMap<u64, u64>) -> f64 {
        let or_nan = |value: Option<&u64>| value.map_or(f64::NAN, |&value| value as f64);
        let percentile = |percent: u64| or_nan(percentile(games, percent));
        match self {
            Self::Sd => {
                let sum = |term: fn(f64) -> f64| {
                    let terms = games.iter().map(|(&value, &n)| n as f64 * term(value as f64));
                    terms.sum::<f64>()
                };
                let n = sum(|_| 1.0);
                let mean = sum(|value| value) / n;
                let square = sum(|value| value * value) / n;
                ((square - mean * mean) * n / (n - 1.0)).max(0.0).sqrt()
            }
            Self::Min => or_nan(games.keys().next()),
            Self::P10 => percentile(10),
            Self::Median => percentile(50),
            Self::P90 => percentile(90),
            Self::Max => or_nan(games.keys().next_back()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_describe_a_distribution() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squared deviations 32.
        let games = [(2, 1), (4, 3), (5, 2), (7, 1), (9, 1)].into();
        let [sd, rest @ ..] = Statistic::ALL.map(|statistic| statistic.of(&games));
        assert!((sd - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(rest.map(|value| value.to_string()), ["2", "2", "4", "9", "9"]);
    }
}
