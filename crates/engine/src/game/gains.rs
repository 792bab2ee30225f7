//! Gains of seats, by which expected lines are compared in words.

use super::Seat;

/// Something that a seat gets by a decision, open to all seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gain {
    /// The seat.
    pub seat: Seat,
    /// A noun phrase, as in `the 4-point building (2 wood + 1 clay)`; of an amount, what is
    /// counted, as in `fish`.
    pub name: String,
    /// The part of the score in which it counts, or any other name of its kind.
    pub part: &'static str,
    /// Its worth in points, about; of an amount, that of one.
    pub worth: i32,
    /// The amount, which can be negative; `None` of a single thing.
    pub amount: Option<i32>,
    /// True if only the seat that is first has it, and only in this round.
    pub is_brief: bool,
}

impl Gain {
    /// Maximum number of characters of a name.
    pub const MAX_NAME: usize = 90;

    /// Creates a single gain that lasts.
    pub fn new(seat: Seat, name: impl Into<String>, part: &'static str, worth: u32) -> Self {
        let worth = worth as i32;
        Self { seat, name: name.into(), part, worth, amount: None, is_brief: false }
    }

    /// Makes it one that only the first seat has, in this round.
    #[must_use]
    pub fn brief(self) -> Self {
        Self { is_brief: true, ..self }
    }
}

/// Returns texts as an enumeration, as in `wood, clay and stone`.
pub fn enumerate(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<_> = texts.collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}
