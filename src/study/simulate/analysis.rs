//! The analysis of a run: estimates, differences, rankings and distributions that tables, terminal
//! text and page show.

use std::collections::BTreeMap;

use super::setup::RunSetup;
use crate::{
    arena::{
        metric::Metric,
        tally::{ALL_SEATS, BotTally, ItemTally, Opening, OpeningTally, ResultTally, Tally},
    },
    bound::BoundGame,
    game::{Item, ItemTable, UNITS_PER_WIN},
    report::provenance::Claim,
    stats::{
        confidence_sequence::ConfidenceSequence,
        ratio::{Estimate, Ratio},
    },
};

/// The results of a run, complete or not.
#[derive(Clone, Debug)]
pub(crate) struct RunAnalysis<'a> {
    pub(crate) setup: &'a RunSetup,
    pub(crate) tally: &'a Tally,
    /// Index of the first seat of each distinct bot.
    pub(crate) distinct_bots: Vec<usize>,
    /// The intervals of win rates, if the run has a goal.
    pub(crate) confidence_sequence: Option<ConfidenceSequence>,
    pub(crate) expected_share: ExpectedShare,
}

/// The win rate of equal bots.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ExpectedShare {
    /// 1 / players if every game had one win, else the mean win rate of all seats.
    pub(crate) value: f64,
    /// True if every game had one win.
    pub(crate) always_won: bool,
}

impl ExpectedShare {
    fn new(tally: &Tally, players: usize) -> Self {
        let wins: i64 = tally.bots.iter().map(|cells| cells[ALL_SEATS].wins.x).sum();
        let always_won = wins == tally.games as i64 * UNITS_PER_WIN;
        let value = if always_won {
            1.0 / players as f64
        } else {
            wins as f64 / UNITS_PER_WIN as f64 / (players as f64 * tally.games as f64)
        };
        Self { value, always_won }
    }
}

impl<'a> RunAnalysis<'a> {
    /// Analyses the games that have been played.
    pub(crate) fn new(setup: &'a RunSetup, tally: &'a Tally) -> Self {
        let goal = setup.question.goal;
        Self {
            setup,
            tally,
            distinct_bots: setup.distinct_bots(),
            confidence_sequence: goal.map(|goal| goal.confidence_sequence(&setup.win_rates(tally))),
            expected_share: ExpectedShare::new(tally, setup.identity.players),
        }
    }

    /// Returns the provenance of the data file.
    pub(super) fn provenance(&self) -> &Claim {
        &self.setup.question.data.provenance
    }

    /// Returns the number of players.
    pub(crate) const fn players(&self) -> usize {
        self.setup.identity.players
    }

    /// Returns the name of the bot in a seat of the first game of a block.
    pub(crate) fn bot_name(&self, seat: usize) -> &'a str {
        &self.setup.question.bots[seat].name
    }

    /// Returns the names of the distinct bots.
    pub(crate) fn bot_names(&self) -> Vec<String> {
        self.distinct_bots.iter().map(|&seat| self.bot_name(seat).to_owned()).collect()
    }

    /// Returns a win rate of bots, with the interval that suits the goal of the run.
    pub(crate) fn win_rate(&self, wins: &Ratio) -> Estimate {
        self.confidence_sequence
            .map_or_else(|| wins.rate(UNITS_PER_WIN), |sequence| sequence.rate(wins, UNITS_PER_WIN))
    }

    /// Returns true if the same bot has all seats.
    pub(super) const fn has_equal_bots(&self) -> bool {
        self.distinct_bots.len() == 1
    }

    /// Returns true if the win rate of all seats together is 1/players by construction: one bot has
    /// all of several seats, and every game was won.
    pub(crate) fn has_constant_win_rate(&self) -> bool {
        self.players() > 1 && self.has_equal_bots() && self.expected_share.always_won
    }

    /// Returns the number of games that each distinct bot lost by a failure.
    pub(crate) fn forfeits(&self) -> impl Iterator<Item = (&'a str, u64)> {
        self.bots().map(|(bot, tally)| (bot, tally.forfeits))
    }

    /// Returns the results of each distinct bot in all seats.
    pub(crate) fn bots(&self) -> impl Iterator<Item = (&'a str, &'a BotTally)> {
        self.bots_by_seat().filter(|(_, seat, _)| seat.is_none()).map(|(bot, _, cell)| (bot, cell))
    }

    /// Returns the results of each distinct bot in all seats and in each.
    pub(crate) fn bots_by_seat(
        &self,
    ) -> impl Iterator<Item = (&'a str, Option<usize>, &'a BotTally)> {
        self.distinct_bots.iter().zip(&self.tally.bots).flat_map(move |(&bot, cells)| {
            let seats = (0..self.players()).map(|seat| (Some(seat), &cells[seat]));
            let all = std::iter::once((None, &cells[ALL_SEATS])).chain(seats);
            let played = all.filter(|(_, cell)| cell.wins.n > 0);
            played.map(move |(seat, cell)| (self.bot_name(bot), seat, cell))
        })
    }

    /// Returns the results of each distinct bot at each turn position.
    pub(crate) fn turn_positions(&self) -> impl Iterator<Item = (&'a str, usize, &'a ResultTally)> {
        self.distinct_bots.iter().zip(&self.tally.turn_order).flat_map(move |(&bot, positions)| {
            let played = positions.iter().enumerate().filter(|(_, results)| results.wins.n > 0);
            played.map(move |(position, results)| (self.bot_name(bot), position, results))
        })
    }

    /// Returns a bot's win rate minus the mean of the other seats; `None` if it has all seats.
    ///
    /// Wins of all seats together, or of none, add the same to both, so they cancel.
    pub(crate) fn difference_from_others(&self, cell: &BotTally) -> Option<Estimate> {
        let players = self.players() as f64;
        let own_seats = cell.split_wins.n as f64 / self.tally.games.max(1) as f64;
        let scale = players / (players - own_seats);
        let Estimate { n, value, low, high } = self.win_rate(&cell.split_wins);
        let [value, low, high] = [value, low, high].map(|rate| (rate - 1.0 / players) * scale);
        (own_seats < players).then_some(Estimate { n, value, low, high })
    }

    /// Returns the differences of all bots; empty with a single bot.
    pub(crate) fn differences_from_others(&self) -> Vec<(&'a str, Estimate)> {
        let difference = |(bot, cell)| Some((bot, self.difference_from_others(cell)?));
        self.bots().filter_map(difference).collect()
    }

    /// Returns the share of the games that nobody won.
    pub(crate) fn share_nobody_won(&self) -> Estimate {
        self.tally.health.nobody_won.rate(1)
    }

    /// Returns the tallies of the items of a table.
    pub(crate) fn item_tallies(&self, table: &ItemTable) -> &'a [ItemTally] {
        &self.tally.items[table.ids().range()]
    }

    /// Returns the openings with the difference of their win rate from that of their turn
    /// position, ordered by the lower end of the interval, highest first.
    pub(crate) fn rank_openings(&self) -> Vec<RankedOpening<'a>> {
        let ranked = self.tally.openings.kept.iter().map(|(opening, results)| {
            let difference = self.tally.opening_difference(opening.turn_position(), results);
            RankedOpening { opening, results, difference }
        });
        let mut openings: Vec<_> = ranked.collect();
        let key = |opening: &Opening| (opening.turn_position(), *opening.steps());
        openings.sort_unstable_by(|one, other| {
            let by_low = other.difference.low.total_cmp(&one.difference.low);
            by_low.then_with(|| key(one.opening).cmp(&key(other.opening)))
        });
        openings
    }

    /// Returns the metrics of the games apart from win rates and scores of bots.
    pub(crate) fn health_metrics(&self) -> Vec<(HealthMetric, Estimate)> {
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
        metrics
    }

    /// Returns the items never offered or taken and the kinds of action never legal.
    pub(crate) fn never_happened(&self, game: &BoundGame) -> Vec<NeverEvent> {
        let mut events = Vec::new();
        for table in game.catalog().tables() {
            for (Item { name, label, .. }, tally) in
                table.items.iter().zip(self.item_tallies(table))
            {
                let event = if table.offered && tally.taken.n == 0 {
                    "offered"
                } else if tally.times_taken == 0 {
                    table.taken_label
                } else {
                    continue;
                };
                let (name, label) = (name.clone(), label.clone());
                events.push(NeverEvent { event, kind: table.singular, name, label });
            }
        }
        for (kind, name) in game.action_kinds().iter().enumerate() {
            if !self.tally.health.legal_kinds.contains(kind) {
                let (event, kind, name) = ("legal", "action", (*name).to_owned());
                events.push(NeverEvent { event, kind, label: name.clone(), name });
            }
        }
        events
    }
}

/// An opening with its results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedOpening<'a> {
    pub(crate) opening: &'a Opening,
    pub(crate) results: &'a OpeningTally,
    /// Win rate minus that of all seats at the same turn position.
    pub(crate) difference: Estimate,
}

/// An item or kind of action to which an event never happened.
#[derive(Clone, Debug)]
pub(crate) struct NeverEvent {
    /// `offered`, `legal`, or the word for taking an item of the table.
    pub(crate) event: &'static str,
    /// The kind of item, or `action`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// The name for people.
    pub(crate) label: String,
}

/// Returns the mean rank of a bot.
pub(crate) fn mean_rank(tally: &BotTally) -> Estimate {
    // Ranks are counted in halves.
    let Estimate { n, value, low, high } = tally.ranks.mean();
    Estimate { n, value: value / 2.0, low: low / 2.0, high: high / 2.0 }
}

/// Returns the standard deviation of a bot's scores; not a number with fewer than two.
pub(crate) fn score_standard_deviation(tally: &BotTally) -> f64 {
    let n = tally.scores.ratio.n as f64;
    if n < 2.0 {
        return f64::NAN;
    }
    let mean = tally.scores.value();
    ((tally.squared_scores as f64 / n - mean * mean) * n / (n - 1.0)).max(0.0).sqrt()
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
            Self::Distribution(metric, statistic) => {
                format!("{} per game, {}", metric.title(), statistic.title())
            }
        }
    }

    /// Returns true if the metric lies between 0 and 1.
    pub(crate) const fn is_rate(self) -> bool {
        match self {
            Self::SdOfSeats | Self::SdOfTurnPositions => true,
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

/// Returns the smallest value that this percentage of a distribution, or more, does not exceed;
/// `None` if it is empty.
pub(super) fn percentile<T>(counts: &BTreeMap<T, u64>, percent: u64) -> Option<&T> {
    let total: u64 = counts.values().sum();
    let mut below = 0;
    let reached = counts.iter().find(|(_, n)| {
        below += **n;
        below * 100 >= percent * total
    });
    reached.map(|(value, _)| value)
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
