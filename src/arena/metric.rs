//! What is measured of a game and a seat, whatever is asked of it.

use crate::{
    game::{Outcome, Seat, UNITS_PER_WIN},
    stats::paired::{Effect, PairedSums},
};

/// What of a game a study is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatMetric {
    /// The share of the win, from 0 to 1.
    WinShare,
    /// The final score, in points.
    Score,
    /// The rounds of the game.
    Rounds,
}

impl SeatMetric {
    /// All measures, each at the place that it has as a number.
    pub const ALL: [Self; 3] = [Self::WinShare, Self::Score, Self::Rounds];

    /// The name in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WinShare => "win_share",
            Self::Score => "score",
            Self::Rounds => "rounds",
        }
    }

    /// How many units of a count make one of the measure.
    pub const fn unit(self) -> i64 {
        match self {
            Self::WinShare => UNITS_PER_WIN,
            Self::Score | Self::Rounds => 1,
        }
    }

    /// The second of two sides minus the first, in units of the measure.
    pub fn difference(self, paired: &PairedSums) -> Effect {
        match self {
            Self::WinShare => paired.difference_of_rates(self.unit()),
            Self::Score | Self::Rounds => paired.difference(self.unit()),
        }
    }

    /// What it is of a seat when a game ends so, in units of a count.
    pub fn scaled_value(self, outcome: &Outcome, seat: Seat) -> i64 {
        match self {
            Self::WinShare => outcome.win_share(seat),
            Self::Score => outcome.scores[seat.index()].into(),
            Self::Rounds => outcome.rounds.into(),
        }
    }
}
