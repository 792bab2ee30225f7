//! Trade windows of We All Take from the River: offers and answers (rules §8).

use super::{
    CommonRiver,
    action::{Action, Actions, GET, GIVE},
    components::{Token, Tokens},
    phases::{Phase, TradeWindow},
    state::State,
};
use watershed_engine::{
    bits::ones,
    game::{Game as _, Offer, Seat},
};

impl CommonRiver {
    /// Opens a trade window if it is held. Otherwise continues with the next step.
    pub(super) fn open_window(&self, state: &mut State, window: TradeWindow) {
        state.window = window;
        if self.held_windows[window as usize] {
            Self::begin_step(state, Phase::Offer);
            state.offer_round = 0;
            state.offer_made = false;
        } else {
            self.close_window(state);
        }
    }

    fn close_window(&self, state: &mut State) {
        state.cursor = 0;
        match state.window {
            TradeWindow::Dawn => {
                let first = if self.is_storm(state) { self.map.rows - 1 } else { 0 };
                self.begin_row(state, first, None);
            }
            TradeWindow::Row => self.begin_actions(state),
            TradeWindow::Dusk => Self::begin_step(state, Phase::Sell),
        }
    }

    /// Returns the seats to which `seat` can make an offer.
    pub(super) fn partners(&self, state: &State, seat: Seat) -> u32 {
        let own = !state.stock(seat).is_empty();
        let partners = self
            .all_seats()
            .filter(|&other| other != seat && (own || !state.stock(other).is_empty()));
        partners.fold(0, |set, other| set | 1 << other.index())
    }

    #[inline]
    pub(super) fn partner(state: &State) -> Seat {
        Seat::new(state.partner_or_voter.into())
    }

    pub(super) fn advance_offer(&self, state: &mut State) -> bool {
        let seat = Self::seat_at_cursor(state);
        if u32::from(state.step_count) < self.data.negotiation.offers_per_round.get()
            && self.partners(state, seat) != 0
        {
            state.decider = seat;
            return true;
        }
        self.next_offerer(state);
        false
    }

    pub(super) fn next_offerer(&self, state: &mut State) {
        state.step_count = 0;
        state.cursor += 1;
        if usize::from(state.cursor) < self.players {
            return;
        }
        state.offer_round += 1;
        if state.offer_made
            && u32::from(state.offer_round) < self.data.negotiation.trade_rounds.get()
        {
            state.cursor = 0;
            state.offer_made = false;
        } else {
            state.offer_round = 0;
            state.offer_made = false;
            self.close_window(state);
        }
    }

    /// Begins an offer to a seat.
    #[inline]
    pub(super) fn begin_offer(state: &mut State, partner: Seat) {
        state.partner_or_voter = partner.index() as u8;
        state.step_count += 1;
        state.offer_made = true;
        state.last_choice = 0;
        state.phase = Phase::Give;
    }

    /// Returns the offers that bots consider: one or two tokens of one kind for one or two of
    /// another, and among seats that win together also gifts and requests.
    pub(super) fn list_offers(&self, state: &State) -> Vec<Offer<Action>> {
        if state.phase != Phase::Offer {
            return Vec::new();
        }
        let seat = state.decider;
        let max = self.data.negotiation.offer_max_tokens.get().min(2);
        let sides = |held: &Tokens| -> Vec<Option<(Token, u32)>> {
            let amounts = |token| (1..=held.get(token).min(max)).map(move |count| (token, count));
            Token::ALL.into_iter().flat_map(amounts).map(Some).chain([None]).collect()
        };
        let is_shared = self.is_shared(state);
        let is_considered =
            |given: Option<(Token, u32)>, asked: Option<(Token, u32)>| match (given, asked) {
                (Some((given, _)), Some((asked, _))) => given != asked,
                (None, None) => false,
                _ => is_shared,
            };
        let partners = ones(self.partners(state, seat).into());
        let mut offers = Vec::new();
        for partner in partners.map(|partner| Seat::new(partner as usize)) {
            for given in sides(state.stock(seat)) {
                for asked in sides(state.stock(partner)) {
                    if is_considered(given, asked) {
                        offers.push(self.offer(state, partner, given, asked));
                    }
                }
            }
        }
        offers
    }

    /// Returns the offer of these tokens for those.
    fn offer(
        &self,
        state: &State,
        partner: Seat,
        given: Option<(Token, u32)>,
        asked: Option<(Token, u32)>,
    ) -> Offer<Action> {
        let mut after = *state;
        let mut actions = Vec::new();
        let mut next = Action::Offer(partner);
        while after.phase != Phase::Answer {
            self.apply(&mut after, next);
            actions.push(next);
            let is_missing = |tokens: &Tokens, (token, count)| tokens.get(token) < count;
            next = if after.phase == Phase::Give {
                let missing = given.filter(|&given| is_missing(&after.offered_tokens, given));
                missing.map_or(Action::EndGive, |(token, _)| Action::Give(token))
            } else {
                let missing = asked.filter(|&asked| is_missing(&after.requested_tokens, asked));
                missing.map_or(Action::Send, |(token, _)| Action::Get(token))
            };
        }
        Offer { partner, actions, accept: Action::Accept, refuse: Action::Refuse }
    }

    /// Lists the tokens that the seat can add to those that the offer gives, and the end of the
    /// list if the offer can still exchange anything.
    #[inline]
    pub(super) fn list_gifts(&self, state: &State, actions: &mut Actions) {
        actions.insert_bits(GIVE, self.givable_kinds(state).into());
        if !state.offered_tokens.is_empty() || !state.stock(Self::partner(state)).is_empty() {
            actions.insert(Action::EndGive);
        }
    }

    /// Lists the tokens that the seat can add to those that the offer asks for, and the end of the
    /// list unless the offer is empty.
    #[inline]
    pub(super) fn list_requests(&self, state: &State, actions: &mut Actions) {
        actions.insert_bits(GET, self.requestable_kinds(state).into());
        if !state.offered_tokens.is_empty() || !state.requested_tokens.is_empty() {
            actions.insert(Action::Send);
        }
    }

    /// Returns the kinds of token that the seat can add to those that the offer gives.
    pub(super) fn givable_kinds(&self, state: &State) -> u8 {
        if state.offered_tokens.total() == self.data.negotiation.offer_max_tokens.get() {
            return 0;
        }
        let mut left = *state.stock(Self::seat_at_cursor(state));
        left.take_all(&state.offered_tokens);
        Self::kinds_from_last_choice(state, left.kinds())
    }

    pub(super) fn advance_give(&self, state: &mut State) -> bool {
        if self.givable_kinds(state) != 0 {
            return true;
        }
        Self::begin_request(state);
        false
    }

    pub(super) fn begin_request(state: &mut State) {
        state.last_choice = 0;
        state.phase = Phase::Get;
    }

    /// Returns the kinds of token that the seat can add to those that the offer asks for.
    pub(super) fn requestable_kinds(&self, state: &State) -> u8 {
        if state.requested_tokens.total() == self.data.negotiation.offer_max_tokens.get() {
            return 0;
        }
        let mut left = *state.stock(Self::partner(state));
        left.take_all(&state.requested_tokens);
        Self::kinds_from_last_choice(state, left.kinds() & !state.offered_tokens.kinds())
    }

    pub(super) fn advance_get(&self, state: &mut State) -> bool {
        if self.requestable_kinds(state) != 0 {
            return true;
        }
        Self::begin_answer(state);
        false
    }

    pub(super) fn begin_answer(state: &mut State) {
        state.last_choice = 0;
        state.decider = Self::partner(state);
        state.phase = Phase::Answer;
    }

    pub(super) fn exchange_tokens(state: &mut State) {
        let (given, asked) = (state.offered_tokens, state.requested_tokens);
        let (seat, partner) =
            (Self::seat_at_cursor(state).index(), usize::from(state.partner_or_voter));
        state.stock[seat].take_all(&given);
        state.stock[partner].take_all(&asked);
        state.stock[seat].add_all(&asked);
        state.stock[partner].add_all(&given);
        Self::end_offer(state);
    }

    pub(super) fn end_offer(state: &mut State) {
        state.offered_tokens = Tokens::NONE;
        state.requested_tokens = Tokens::NONE;
        state.partner_or_voter = 0;
        state.phase = Phase::Offer;
    }
}
