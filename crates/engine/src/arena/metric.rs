//! Metrics: numbers per game, seat or item whose means are estimated.

use crate::{
    game::{Outcome, Seat, UNITS_PER_WIN},
    stats::{
        paired::{Effect, PairedSums},
        ratio::Estimate,
    },
};

crate::names! {
    /// A number per game, seat or item whose mean is estimated.
    pub enum Metric {
        /// Share of the win, from 0 to 1; its mean is the win rate.
        WinShare = "win_share",
        /// Final score, in points.
        Score = "score",
        /// Rounds of a game.
        Rounds = "rounds",
        /// Share of the games that several seats won.
        SharedWins = "shared_wins",
        /// Share of the games without a winner.
        NobodyWon = "nobody_won",
        /// Share of the games that the round limit ended.
        HitRoundLimit = "capped",
        /// Decisions of a game.
        Decisions = "decisions",
        /// Legal actions of a decision.
        Branching = "branching",
        /// Final score of a winner, in points.
        WinningScore = "winning_score",
        /// Score of a winner minus the best score of the others, in points.
        WinningMargin = "winning_margin",
        /// Changes of the leading seat in a game.
        LeadChanges = "lead_changes",
        /// Win share of the only leader after half of the rounds.
        LeaderAtHalfWins = "leader_at_half_wins",
        /// Times that an item is taken in a game.
        TakenPerGame = "taken_per_game",
        /// Share of the offers of an item at which it is taken.
        TakenPerOffer = "taken_per_offer",
        /// Win share of the seats that took an item.
        TakersWinShare = "takers_win_share",
        /// Points that an item scores itself.
        Points = "points",
    }
}

impl Metric {
    /// Returns the name of the mean in reports.
    pub const fn title(self) -> &'static str {
        match self {
            Self::WinShare => "win rate",
            Self::SharedWins => "shared wins",
            Self::NobodyWon => "games without a winner",
            Self::HitRoundLimit => "games at the round limit",
            Self::Branching => "legal actions",
            Self::WinningScore => "winning score",
            Self::WinningMargin => "winning margin",
            Self::LeadChanges => "lead changes",
            Self::LeaderAtHalfWins => "win rate of leader at half",
            Self::TakenPerGame => "taken per game",
            Self::TakenPerOffer => "taken per offer",
            Self::TakersWinShare => "win rate of takers",
            Self::Score | Self::Rounds | Self::Decisions | Self::Points => self.name(),
        }
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
        matches!(
            self,
            Self::WinShare
                | Self::SharedWins
                | Self::NobodyWon
                | Self::HitRoundLimit
                | Self::LeaderAtHalfWins
                | Self::TakenPerOffer
                | Self::TakersWinShare
        )
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

crate::named! {
    /// A metric of a seat in a finished game.
    pub enum SeatMetric {
        /// [`Metric::WinShare`].
        WinShare = "win_share",
        /// [`Metric::Score`].
        Score = "score",
        /// [`Metric::Rounds`].
        Rounds = "rounds",
    }
}

impl SeatMetric {
    /// Returns the metric without the restriction to seats.
    pub const fn metric(self) -> Metric {
        [Metric::WinShare, Metric::Score, Metric::Rounds][self as usize]
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
