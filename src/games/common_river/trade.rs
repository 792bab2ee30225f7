//! Trade windows of We All Take from the River: offers and answers (rules §8).

use super::{
    CommonRiver,
    components::Tokens,
    phases::{Phase, Window},
    state::State,
};
use crate::game::Seat;

impl CommonRiver {
    /// Opens a trade window if it is held, or goes on with what comes after.
    pub(super) fn open_window(&self, state: &mut State, window: Window) {
        state.window = window;
        if self.windows[window as usize] {
            Self::begin_step(state, Phase::Offer);
            state.round = 0;
            state.offered = false;
        } else {
            self.close_window(state);
        }
    }

    fn close_window(&self, state: &mut State) {
        state.cursor = 0;
        match state.window {
            Window::Dawn => {
                let first = if self.is_storm(state) { self.map.rows - 1 } else { 0 };
                self.begin_row(state, first, None);
            }
            Window::Row => self.begin_actions(state),
            Window::Dusk => Self::begin_step(state, Phase::Sell),
        }
    }

    /// The seats that this one can make an offer to.
    pub(super) fn partners(&self, state: &State, seat: Seat) -> u32 {
        let own = !state.stock(seat).is_empty();
        let partners = self.all_seats().filter(|&other| other != seat && (own || !state.stock(other).is_empty()));
        partners.fold(0, |set, other| set | 1 << other.index())
    }

    #[inline]
    pub(super) fn partner(state: &State) -> Seat {
        Seat::new(state.other.into())
    }

    pub(super) fn awaits_offer(&self, state: &mut State) -> bool {
        let seat = Self::seat_in_order(state);
        if u32::from(state.count) < self.offers_per_round && self.partners(state, seat) != 0 {
            state.decider = seat;
            return true;
        }
        self.next_offerer(state);
        false
    }

    pub(super) fn next_offerer(&self, state: &mut State) {
        state.count = 0;
        state.cursor += 1;
        if usize::from(state.cursor) < self.players {
            return;
        }
        state.round += 1;
        if state.offered && u32::from(state.round) < self.trade_rounds {
            state.cursor = 0;
            state.offered = false;
        } else {
            state.round = 0;
            state.offered = false;
            self.close_window(state);
        }
    }

    /// The kinds of token that the seat can add to what it gives.
    pub(super) fn givable(&self, state: &State) -> u8 {
        if state.given.total() == self.offer_max_tokens {
            return 0;
        }
        let mut left = *state.stock(Self::seat_in_order(state));
        left.take_all(&state.given);
        Self::in_succession(state, left.kinds())
    }

    pub(super) fn awaits_give(&self, state: &mut State) -> bool {
        if self.givable(state) != 0 {
            return true;
        }
        Self::ask(state);
        false
    }

    pub(super) fn ask(state: &mut State) {
        state.last = 0;
        state.phase = Phase::Get;
    }

    /// The kinds of token that the seat can add to what it asks for.
    pub(super) fn askable(&self, state: &State) -> u8 {
        if state.asked.total() == self.offer_max_tokens {
            return 0;
        }
        let mut left = *state.stock(Self::partner(state));
        left.take_all(&state.asked);
        Self::in_succession(state, left.kinds() & !state.given.kinds())
    }

    pub(super) fn awaits_get(&self, state: &mut State) -> bool {
        if self.askable(state) != 0 {
            return true;
        }
        Self::await_answer(state);
        false
    }

    pub(super) fn await_answer(state: &mut State) {
        state.last = 0;
        state.decider = Self::partner(state);
        state.phase = Phase::Answer;
    }

    pub(super) fn exchange(state: &mut State) {
        let (given, asked) = (state.given, state.asked);
        let (seat, partner) = (Self::seat_in_order(state).index(), usize::from(state.other));
        state.stock[seat].take_all(&given);
        state.stock[partner].take_all(&asked);
        state.stock[seat].add_all(&asked);
        state.stock[partner].add_all(&given);
        Self::end_offer(state);
    }

    pub(super) fn end_offer(state: &mut State) {
        state.given = Tokens::NONE;
        state.asked = Tokens::NONE;
        state.other = 0;
        state.phase = Phase::Offer;
    }
}
