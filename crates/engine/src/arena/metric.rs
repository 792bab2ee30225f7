//! Metrics: numbers per game, seat or item whose means are estimated.

use crate::{
    game::{Outcome, Seat, UNITS_PER_WIN},
    stats::{
        paired::{Effect, PairedSums},
        ratio::Estimate,
    },
};

/// A number per game, seat or item whose mean is estimated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metric {
    /// Share of the win, from 0 to 1; its mean is the win rate.
    WinShare,
    /// Final score, in points.
    Score,
    /// Rounds of a game.
    Rounds,
    /// Share of the games that several seats won.
    SharedWins,
    /// Share of the games without a winner.
    NobodyWon,
    /// Share of the games that the round limit ended.
    HitRoundLimit,
    /// Decisions of a game.
    Decisions,
    /// Legal actions of a decision.
    Branching,
    /// Final score of a winner, in points.
    WinningScore,
    /// Score of a winner minus the best score of the others, in points.
    WinningMargin,
    /// Changes of the leading seat in a game.
    LeadChanges,
    /// Win share of the only leader after half of the rounds.
    LeaderAtHalfWins,
    /// Times that an item is taken in a game.
    TakenPerGame,
    /// Share of the offers of an item at which it is taken.
    TakenPerOffer,
    /// Win share of the seats that took an item.
    TakersWinShare,
    /// Points that an item scores itself.
    Points,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Self; 16] = [
        Self::WinShare,
        Self::Score,
        Self::Rounds,
        Self::SharedWins,
        Self::NobodyWon,
        Self::HitRoundLimit,
        Self::Decisions,
        Self::Branching,
        Self::WinningScore,
        Self::WinningMargin,
        Self::LeadChanges,
        Self::LeaderAtHalfWins,
        Self::TakenPerGame,
        Self::TakenPerOffer,
        Self::TakersWinShare,
        Self::Points,
    ];

    /// Returns the metric with this name in tables.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.as_str() == name)
    }

    /// Returns the name in tables, the name of the mean in reports, and true for a metric between 0
    /// and 1.
    const fn properties(self) -> (&'static str, &'static str, bool) {
        match self {
            Self::WinShare => ("win_share", "win rate", true),
            Self::Score => ("score", "score", false),
            Self::Rounds => ("rounds", "rounds", false),
            Self::SharedWins => ("shared_wins", "shared wins", true),
            Self::NobodyWon => ("nobody_won", "games without a winner", true),
            Self::HitRoundLimit => ("capped", "games at the round limit", true),
            Self::Decisions => ("decisions", "decisions", false),
            Self::Branching => ("branching", "legal actions", false),
            Self::WinningScore => ("winning_score", "winning score", false),
            Self::WinningMargin => ("winning_margin", "winning margin", false),
            Self::LeadChanges => ("lead_changes", "lead changes", false),
            Self::LeaderAtHalfWins => ("leader_at_half_wins", "win rate of leader at half", true),
            Self::TakenPerGame => ("taken_per_game", "taken per game", false),
            Self::TakenPerOffer => ("taken_per_offer", "taken per offer", true),
            Self::TakersWinShare => ("takers_win_share", "win rate of takers", true),
            Self::Points => ("points", "points", false),
        }
    }

    /// Returns the name in tables.
    pub const fn as_str(self) -> &'static str {
        self.properties().0
    }

    /// Returns the name of the mean in reports.
    pub const fn title(self) -> &'static str {
        self.properties().1
    }

    /// Returns the units that make 1 of the metric: sums are integers, and a mean is
    /// sum / (n · unit).
    pub const fn unit(self) -> i64 {
        match self {
            Self::WinShare | Self::TakersWinShare | Self::LeaderAtHalfWins => UNITS_PER_WIN,
            _ => 1,
        }
    }

    /// Returns true if the metric lies between 0 and 1.
    pub const fn is_rate(self) -> bool {
        self.properties().2
    }

    /// Returns the means of the control and of the treatment, each with its interval.
    pub fn estimates(self, sums: &PairedSums) -> [Estimate; 2] {
        if self.is_rate() {
            [&sums.control, &sums.treatment].map(|side| side.rate(self.unit()))
        } else {
            sums.means()
        }
    }

    /// Returns the treatment minus the control.
    pub fn difference(self, sums: &PairedSums) -> Effect {
        if self.is_rate() {
            sums.difference_of_rates(self.unit())
        } else {
            sums.difference(self.unit())
        }
    }
}

/// A metric of a seat in a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatMetric {
    /// [`Metric::WinShare`].
    WinShare,
    /// [`Metric::Score`].
    Score,
    /// [`Metric::Rounds`].
    Rounds,
}

impl SeatMetric {
    /// All metrics of a seat; each has its discriminant as index.
    pub const ALL: [Self; 3] = [Self::WinShare, Self::Score, Self::Rounds];

    /// The names of all metrics in tables.
    pub const NAMES: [&str; 3] =
        [Self::WinShare.as_str(), Self::Score.as_str(), Self::Rounds.as_str()];

    /// Returns the metric without the restriction to seats.
    pub const fn metric(self) -> Metric {
        match self {
            Self::WinShare => Metric::WinShare,
            Self::Score => Metric::Score,
            Self::Rounds => Metric::Rounds,
        }
    }

    /// Returns the name in tables.
    pub const fn as_str(self) -> &'static str {
        self.metric().as_str()
    }

    /// Returns the units that make 1 of the metric.
    pub const fn unit(self) -> i64 {
        self.metric().unit()
    }

    /// Returns the treatment minus the control.
    pub fn difference(self, sums: &PairedSums) -> Effect {
        self.metric().difference(sums)
    }

    /// Returns the value for a seat of a game with this outcome, in multiples of 1 / `unit`.
    pub fn scaled_value(self, outcome: &Outcome, seat: Seat) -> i64 {
        match self {
            Self::WinShare => outcome.win_share(seat),
            Self::Score => outcome.scores[seat.index()].into(),
            Self::Rounds => outcome.rounds.into(),
        }
    }
}
