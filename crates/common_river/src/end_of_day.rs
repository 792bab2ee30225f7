//! The end of a day in We All Take from the River: sales, policies, salvage, the City, and the
//! night (rules §7).

use super::{
    CommonRiver,
    action::{Action, Actions, SALVABLE, salvage_index},
    components::{Structure, Tile, Token, Tokens, tiles_in},
    phases::{Phase, PolicyKind},
    pieces::{Boats, Stack},
    rules::NATURAL,
    state::State,
};
use watershed_engine::game::{ActionSet, Seat};

impl CommonRiver {
    /// Begins a step in which the seats choose in camp order.
    pub(super) fn begin_step(state: &mut State, phase: Phase) {
        state.phase = phase;
        state.cursor = 0;
        state.last_choice = 0;
        state.step_count = 0;
    }

    #[inline]
    pub(super) fn seat_at_cursor(state: &State) -> Seat {
        state.camp_order.get(state.cursor.into())
    }

    /// Gives the turn in this step to the next seat.
    pub(super) fn next_seat(state: &mut State) {
        state.last_choice = 0;
        state.cursor += 1;
    }

    /// Advances to the next seat that has a choice, in this step or a later one in which each seat
    /// has one turn.
    pub(super) fn advance_step(&self, state: &mut State) -> bool {
        loop {
            while usize::from(state.cursor) < self.players {
                let seat = Self::seat_at_cursor(state);
                let can_act = match state.phase {
                    Phase::Sell => self.sellable_kinds(state, seat) != 0,
                    Phase::Salvage => state.protected != 0 && Self::can_salvage(state, seat),
                    Phase::Contribute => self.contributable_kinds(state, seat) != 0,
                    _ => Self::purchasable_kinds(state, seat) != 0,
                };
                if can_act {
                    state.decider = seat;
                    return true;
                }
                Self::next_seat(state);
            }
            match state.phase {
                Phase::Salvage => Self::begin_step(state, Phase::Contribute),
                Phase::Contribute => Self::begin_step(state, Phase::Buy),
                Phase::Buy => {
                    state.second_sale = true;
                    Self::begin_step(state, Phase::Sell);
                }
                _ if state.second_sale => {
                    state.second_sale = false;
                    self.end_day(state);
                    return false;
                }
                _ => {
                    Self::begin_step(state, Phase::Propose);
                    return false;
                }
            }
        }
    }

    /// Returns the kinds of token of a set that may follow the last choice (§4).
    #[inline]
    pub(super) fn kinds_from_last_choice(state: &State, kinds: u8) -> u8 {
        kinds & u8::MAX << state.last_choice
    }

    // §7.2 and §7.7 Sales.

    /// Returns the kinds of token that a seat can sell so that the bundle can still be filled.
    pub(super) fn sellable_kinds(&self, state: &State, seat: Seat) -> u8 {
        let sellable = NATURAL | if state.subsidized { 1 << Token::Pollution as u8 } else { 0 };
        let missing = self.data.rules.tokens_per_gold.get() - u32::from(state.step_count);
        let stock = state.stock(seat);
        let mut held = 0;
        let mut sales = 0;
        for token in Token::ALL.into_iter().rev() {
            let count = if sellable >> token as u8 & 1 == 1 { stock.get(token) } else { 0 };
            held += count;
            sales |= u8::from(count > 0 && held >= missing) << token as u8;
        }
        Self::kinds_from_last_choice(state, sales)
    }

    pub(super) fn sell_token(&self, state: &mut State, seat: Seat, token: Token) {
        let stock = &mut state.stock[seat.index()];
        stock.take(token, 1);
        state.last_choice = token as u8;
        state.step_count += 1;
        if u32::from(state.step_count) == self.data.rules.tokens_per_gold.get() {
            state.step_count = 0;
            stock.add(Token::Gold, 1);
        }
    }

    // §7.3 Policies.

    #[inline]
    pub(super) fn list_proposals(&self, state: &State, seat: Seat, actions: &mut Actions) {
        let proposed = u32::from(state.proposals_made[seat.index()]);
        if state.stock(seat).get(Token::Gold) < self.data.rules.proposal_gold.get()
            || proposed >= self.data.negotiation.proposals_per_day.get()
        {
            return;
        }
        if !state.subsidy_failed {
            actions.insert(Action::Propose(if state.subsidized {
                PolicyKind::Unsubsidy
            } else {
                PolicyKind::Subsidy
            }));
        }
        for policy in [PolicyKind::City, PolicyKind::Protect, PolicyKind::Unprotect] {
            if self.proposal_tiles(state, policy) != 0 {
                actions.insert(Action::Propose(policy));
            }
        }
    }

    /// Returns the tiles that a policy can be proposed for.
    pub(super) fn proposal_tiles(&self, state: &State, policy: PolicyKind) -> u32 {
        let (protected, failed) = (u32::from(state.protected), u32::from(state.failed_tiles));
        match policy {
            PolicyKind::Protect => self.map.land_and_river & !protected & !failed,
            PolicyKind::Unprotect => protected & !failed,
            PolicyKind::City if state.city.is_none() => {
                self.map.land & !u32::from(state.failed_sites)
            }
            _ => 0,
        }
    }

    pub(super) fn advance_proposal(&self, state: &mut State) -> bool {
        while usize::from(state.step_count) < self.players {
            let seat = Self::seat_at_cursor(state);
            let mut proposals = Actions::default();
            self.list_proposals(state, seat, &mut proposals);
            if !proposals.is_empty() {
                state.decider = seat;
                return true;
            }
            state.step_count += 1;
            self.next_proposer(state);
        }
        Self::begin_step(state, Phase::Salvage);
        false
    }

    pub(super) fn next_proposer(&self, state: &mut State) {
        state.cursor = (state.cursor + 1) % self.players as u8;
    }

    pub(super) fn propose_policy(&self, state: &mut State, seat: Seat, policy: PolicyKind) {
        state.stock[seat.index()].take(Token::Gold, self.data.rules.proposal_gold.get());
        state.proposals_made[seat.index()] += 1;
        state.step_count = 0;
        state.proposal = Some((policy, None));
        if policy.has_tile() {
            state.phase = Phase::ChooseTile;
        } else {
            Self::open_vote(state);
        }
    }

    /// Opens the vote on the proposal. The vote of the proposer is yes.
    pub(super) fn open_vote(state: &mut State) {
        state.votes = [1, 0];
        state.yes_voters = 1 << Self::seat_at_cursor(state).index();
        state.partner_or_voter = 0;
        state.phase = Phase::Vote;
    }

    pub(super) fn advance_vote(&self, state: &mut State) -> bool {
        let proposer = Self::seat_at_cursor(state);
        while usize::from(state.partner_or_voter) < self.players {
            let voter = state.camp_order.get(state.partner_or_voter.into());
            if voter != proposer {
                state.decider = voter;
                return true;
            }
            state.partner_or_voter += 1;
        }
        state.partner_or_voter = 0;
        state.phase = Phase::Bid;
        false
    }

    pub(super) fn cast_vote(state: &mut State, seat: Seat, yes: bool) {
        state.votes[usize::from(!yes)] += 1;
        state.yes_voters |= u8::from(yes) << seat.index();
        state.partner_or_voter += 1;
    }

    #[inline]
    fn is_passing(state: &State) -> bool {
        state.votes[0] > state.votes[1]
    }

    pub(super) fn advance_bid(&self, state: &mut State) -> bool {
        let losing = if Self::is_passing(state) { !state.yes_voters } else { state.yes_voters };
        for _ in 0..self.players {
            let seat = state.camp_order.get(state.partner_or_voter.into());
            if losing & !state.settled_seats & 1 << seat.index() != 0
                && state.stock(seat).get(Token::Gold) > 0
            {
                state.decider = seat;
                return true;
            }
            self.next_voter(state);
        }
        self.close_vote(state);
        false
    }

    pub(super) fn next_voter(&self, state: &mut State) {
        state.partner_or_voter = (state.partner_or_voter + 1) % self.players as u8;
    }

    pub(super) fn buy_vote(&self, state: &mut State, seat: Seat) {
        let passed = Self::is_passing(state);
        state.stock[seat.index()].take(Token::Gold, 1);
        state.votes[usize::from(state.yes_voters >> seat.index() & 1 == 0)] += 1;
        if Self::is_passing(state) != passed {
            state.settled_seats = 0;
        }
        self.next_voter(state);
    }

    fn close_vote(&self, state: &mut State) {
        let passes = Self::is_passing(state);
        state.votes = [0; 2];
        state.yes_voters = 0;
        state.settled_seats = 0;
        state.partner_or_voter = 0;
        state.phase = Phase::Propose;
        self.next_proposer(state);
        match state.proposal.take() {
            Some((policy, tile)) if passes => self.enact(state, policy, tile),
            Some((PolicyKind::City, Some(tile))) => state.failed_sites |= tile.bit() as u16,
            Some((_, Some(tile))) => state.failed_tiles |= tile.bit() as u16,
            _ => state.subsidy_failed = true,
        }
    }

    fn enact(&self, state: &mut State, policy: PolicyKind, tile: Option<Tile>) {
        let bit = tile.map_or(0, |tile| tile.bit() as u16);
        match policy {
            PolicyKind::Subsidy => state.subsidized = true,
            PolicyKind::Unsubsidy => state.subsidized = false,
            PolicyKind::Protect => state.protected |= bit,
            PolicyKind::Unprotect => state.protected &= !bit,
            PolicyKind::City => {
                if let Some(tile) = tile {
                    let slots = self.slots(state, tile);
                    let pollution = (state.polluted & slots).count_ones();
                    state.filled &= !slots;
                    state.polluted &= !slots;
                    state.city = Some(tile);
                    for _ in 0..pollution {
                        self.add_pollution(state, tile.row());
                    }
                }
            }
        }
    }

    // §7.4 Salvage.

    pub(super) fn list_salvages(state: &State, seat: Seat, actions: &mut Actions) {
        let mut consider = |kind, tile, present: bool| {
            if present && salvage_index(kind, tile) >= u32::from(state.last_choice) {
                actions.insert(Action::Salvage(kind, tile));
            }
        };
        for tile in tiles_in(state.protected) {
            if tile.is_land() {
                let stack = state.stack(seat, tile);
                for kind in SALVABLE {
                    consider(kind, tile, stack.count(kind) > 0);
                }
            } else {
                for slot in [Tile::land(0, tile.row()), Tile::land(1, tile.row())] {
                    consider(Structure::Net, slot, state.net_owner(slot) == Some(seat));
                }
            }
        }
    }

    fn can_salvage(state: &State, seat: Seat) -> bool {
        let mut salvages = Actions::default();
        Self::list_salvages(state, seat, &mut salvages);
        !salvages.is_empty()
    }

    pub(super) fn salvage_structure(
        &self,
        state: &mut State,
        seat: Seat,
        kind: Structure,
        tile: Tile,
    ) {
        match kind {
            Structure::Net => state.nets.set(tile.index(), None),
            _ => state.stacks[seat.index()][tile.index()].dismantle(kind),
        }
        state.stock[seat.index()].add_all(&self.costs[kind as usize]);
        state.last_choice = salvage_index(kind, tile) as u8;
    }

    // §7.5 The site of the City.

    #[inline]
    pub(super) fn contributable_kinds(&self, state: &State, seat: Seat) -> u8 {
        if state.city.is_none() || state.city_complete {
            return 0;
        }
        let stock = state.stock(seat);
        let wanted = |token: Token| {
            stock.get(token) > 0 && state.site.get(token) < self.city_cost.get(token)
        };
        Self::kinds_from_last_choice(
            state,
            Token::ALL
                .into_iter()
                .fold(0, |kinds, token| kinds | u8::from(wanted(token)) << token as u8),
        )
    }

    pub(super) fn contribute_token(&self, state: &mut State, seat: Seat, token: Token) {
        state.stock[seat.index()].take(token, 1);
        state.site.add(token, 1);
        state.last_choice = token as u8;
        if state.site == self.city_cost {
            state.site = Tokens::NONE;
            state.city_complete = true;
        }
    }

    // §7.6 Purchases.

    pub(super) fn purchasable_kinds(state: &State, seat: Seat) -> u8 {
        let can_buy = state.city_stands() && state.stock(seat).get(Token::Gold) > 0;
        if can_buy { Self::kinds_from_last_choice(state, NATURAL) } else { 0 }
    }

    /// Exchanges a gold of the seat for a token.
    #[inline]
    pub(super) fn buy_token(state: &mut State, seat: Seat, token: Token) {
        state.stock[seat.index()].take(Token::Gold, 1);
        state.stock[seat.index()].add(token, 1);
        state.last_choice = token as u8;
    }

    // §7.8 The night, and §9.1 the last day.

    fn is_last_day(&self, state: &State) -> bool {
        state.day() >= self.data.rules.days.get() && !self.is_storm(state)
    }

    fn end_day(&self, state: &mut State) {
        if self.is_last_day(state) {
            Self::begin_step(state, Phase::Over);
            return;
        }
        if self.is_storm(state) {
            state.carried_water = state.water;
        }
        state.flooded = 0;
        state.failed_tiles = 0;
        state.failed_sites = 0;
        state.subsidy_failed = false;
        state.cursor = 0;
        for seat in 0..self.players {
            state.proposals_made[seat] = 0;
            state.camps[seat].refresh();
            state.stacks[seat].iter_mut().for_each(Stack::refresh);
            state.boats[seat].iter_mut().for_each(Boats::refresh);
        }
        state.almanac >>= 4;
        if state.unseen == 0 {
            Self::begin_day(state);
        } else {
            state.phase = Phase::Night;
        }
    }
}
