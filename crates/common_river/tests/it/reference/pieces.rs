//! Pieces, seats and steps of the reference model.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub(super) kind: String,
    pub(crate) holds: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    Fresh,
    Closed,
    Turned,
}

/// An acting structure, or a farm, canal or levee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) kind: String,
    pub(crate) place: String,
    pub(crate) status: Status,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct ModelSeat {
    pub(crate) role: Option<String>,
    pub(crate) stock: BTreeMap<String, i64>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) proposals: i64,
}

impl ModelSeat {
    pub(crate) fn has(&self, token: &str) -> i64 {
        self.stock.get(token).copied().unwrap_or(0)
    }

    pub(super) fn has_anything(&self) -> bool {
        self.stock.values().any(|&count| count > 0)
    }

    pub(crate) fn camp(&self) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.kind == "camp")
    }

    pub(crate) fn count(&self, kind: &str, place: &str) -> i64 {
        self.pieces.iter().filter(|piece| piece.kind == kind && piece.place == place).count() as i64
    }
}

#[derive(Clone, Debug)]
pub(crate) struct City {
    pub(crate) tile: String,
    pub(crate) tokens: BTreeMap<String, i64>,
    pub(crate) complete: bool,
}

/// A step of the agenda.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Mode,
    First,
    /// Number of cards of the almanac to come.
    Almanac(i64),
    Role(usize),
    Camp(usize),
    Day,
    Die,
    Window(&'static str),
    /// A round of offers; true if a seat made one.
    Round(i64, bool),
    Offers(usize, i64),
    Give(usize, usize, Vec<String>),
    Get(usize, usize, Vec<String>, Vec<String>),
    Answer(usize, usize, Vec<String>, Vec<String>),
    Row(usize, bool),
    Actions,
    /// The structures of a seat at a place, with the places after it; true with privilege, once
    /// begun.
    Group(usize, String, Vec<String>, Option<bool>),
    Turn(Turn),
    Take(i64, String),
    EndRow,
    Nets(Vec<String>),
    Flow,
    EndDay,
    /// The seat, the number of tokens of the bundle sold so far, and the last choice.
    Sell(usize, i64, String),
    /// The next seat by its index in camp order, and the number of successive passes.
    Policies(usize, usize),
    Place(usize, String),
    /// The verb, its tile, and the votes so far.
    Vote(usize, String, String, Vec<(usize, bool)>),
    Bid(Bid),
    Salvage(usize, String),
    Site(usize, String),
    Buy(usize, String),
    Night,
    NightCard,
}

/// The turn of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) seat: usize,
    pub(crate) kind: String,
    pub(crate) place: String,
    pub(crate) sole: bool,
    pub(crate) harvested: bool,
    /// The last build of the camp.
    pub(crate) building: Option<String>,
    pub(crate) built: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bid {
    pub(crate) verb: String,
    pub(crate) tile: String,
    pub(crate) sides: Vec<(usize, bool)>,
    pub(crate) yes: i64,
    pub(crate) no: i64,
    pub(crate) settled: BTreeSet<usize>,
    /// The next seat, by its index in camp order.
    pub(crate) next: usize,
}

impl Bid {
    pub(crate) fn passes(&self) -> bool {
        self.yes > self.no
    }
}
