//! A small game with facts.

use std::sync::Arc;

use watershed::game::{
    BitActions, Features, Game, MAX_SEATS, Outcome, Seat, Turn,
    facts::{FactGroup, FactList, FactTable, PositionFacts},
};

/// Seats take 1 to 3 stones from a heap in turn; a taken stone is a point, and the seat that takes
/// the last one gets a bonus.
#[derive(Clone)]
pub(super) struct Heap {
    pub(super) seats: usize,
    pub(super) stones: u8,
    pub(super) bonus: u8,
    pub(super) wins_are_independent: bool,
}

impl Heap {
    /// The solved game of Nim: the seat that takes the last stone wins.
    pub(super) fn nim(seats: usize, stones: u8) -> Self {
        Self { seats, stones, bonus: 100, wins_are_independent: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Position {
    pub(super) left: u8,
    points: [u8; MAX_SEATS],
    turn: Seat,
}

impl Game for Heap {
    type State = Position;
    type Action = u8;
    type Actions = BitActions;

    fn seats(&self) -> usize {
        self.seats
    }

    fn initial(&self) -> Position {
        Position { left: self.stones, points: [0; MAX_SEATS], turn: Seat::new(0) }
    }

    fn turn(&self, state: &Position) -> Turn {
        if state.left == 0 { Turn::Over } else { Turn::Seat(state.turn) }
    }

    fn legal_actions(&self, state: &Position) -> BitActions {
        (1..=state.left.min(3)).collect()
    }

    fn apply(&self, state: &mut Position, taken: u8) {
        state.left -= taken;
        let bonus = if state.left == 0 { self.bonus } else { 0 };
        state.points[state.turn.index()] += taken + bonus;
        state.turn = state.turn.clockwise(1, self.seats);
    }

    fn round(&self, state: &Position) -> u32 {
        (self.stones - state.left).into()
    }

    fn outcome(&self, state: &Position) -> Outcome {
        let best = state.points.iter().max();
        let winners = (0..self.seats).filter(|&seat| Some(&state.points[seat]) == best);
        Outcome {
            scores: state.points.map(i32::from),
            winners: winners.fold(0, |winners, seat| winners | 1 << seat),
            wins_are_independent: false,
            rounds: self.round(state),
            hit_round_limit: false,
        }
    }

    fn wins_are_independent(&self) -> bool {
        self.wins_are_independent
    }
}

/// Groups of facts: points, turns until a seat decides, stones left, stones taken.
type Groups = (FactGroup, FactGroup, FactGroup, FactGroup);

pub(super) fn table_and_groups() -> (FactTable, Groups) {
    let mut table = FactTable::default();
    let points = table.seat.number("points", 12);
    let turn = table.view.choice("turn", 0..MAX_SEATS);
    let left = table.shared.number("left", 20);
    let taken = table.action.number("taken", 3);
    (table, (points, turn, left, taken))
}

impl Features for Heap {
    fn fact_table(&self) -> Arc<FactTable> {
        table_and_groups().0.into()
    }

    fn position_facts(&self, state: &Position, facts: &mut PositionFacts) {
        thread_local!(static GROUPS: Groups = table_and_groups().1);
        let (points, turn, left, _) = GROUPS.with(|groups| *groups);
        for seat in 0..self.seats {
            facts.seats[seat].push_number(points, state.points[seat].into());
            let turns = (seat + self.seats - state.turn.index()) % self.seats;
            facts.views[seat].push_choice(turn, turns);
        }
        facts.shared.push_number(left, state.left.into());
    }

    fn action_lister<'a>(&'a self, _: &'a Position, _: Seat) -> impl FnMut(u8, &mut FactList) {
        thread_local!(static GROUPS: Groups = table_and_groups().1);
        let group = GROUPS.with(|groups| groups.3);
        move |taken, facts| facts.push_number(group, taken.into())
    }
}
