//! Targets of a data file: the intended ranges of metrics. They do not affect play.

use crate::config::{Document, KeySection, KeyType, Value};

crate::keys! {
    /// The table `[targets]` of a data file. A metric without a range has no target.
    #[derive(Copy, Default)]
    pub struct Targets {
        /// Win rate of the first player, from 0 to 1.
        pub first_player: Option<ShareRange>,
        /// Share of the games that are won, from 0 to 1, for a single player and for seats that win
        /// or lose together.
        pub games_won: Option<ShareRange>,
        /// Mean number of rounds of a game.
        pub rounds: Option<TargetRange>,
        /// Win rate of the player who leads alone after half the rounds, from 0 to 1.
        pub leader_at_half_wins: Option<ShareRange>,
        /// Mean number of changes of the leading player in a game.
        pub lead_changes: Option<TargetRange>,
        /// Number of items that are hardly ever taken when they are offered.
        pub dead_items: Option<TargetRange>,
        /// Number of items that are nearly always taken when they are offered.
        pub must_take_items: Option<TargetRange>,
        /// Share of the games with several winners, from 0 to 1.
        pub shared_wins: Option<ShareRange>,
        /// Share of the games without a winner, from 0 to 1.
        pub nobody_won: Option<ShareRange>,
    }
}

impl Targets {
    /// Returns the targets of a valid data file.
    pub fn of(data: &Document) -> Self {
        let table = data.table().unwrap_or_default();
        KeySection::root(data, &table).option("targets").ok().flatten().unwrap_or_default()
    }
}

/// A range of intended values, both ends included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TargetRange {
    /// Minimum.
    pub low: f64,
    /// Maximum.
    pub high: f64,
}

/// A range of intended shares, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ShareRange(pub TargetRange);

impl KeyType for ShareRange {
    fn accepted() -> String {
        "the minimum and the maximum of a share, as in [0.47, 0.53] (0.47, not 47)".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        TargetRange::from_value(value).filter(|range| range.high <= 1.0).map(Self)
    }
}

impl KeyType for TargetRange {
    fn accepted() -> String {
        "two numbers from 0, the minimum and the maximum, as in [4, 6]".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let [low, high] = &value.as_array()?[..] else { return None };
        let (low, high) = (f64::from_value(low)?, f64::from_value(high)?);
        (0.0 <= low && low <= high && high.is_finite()).then_some(Self { low, high })
    }
}
