//! The moves of We All Take from the River: whose turn it is, what is legal, and what each action does, in the order of the rules' sections.
//!
//! Every action ends in [`CommonRiver::proceed`], which goes on with what needs no decision until one is due. There, each phase answers
//! whether it waits; where only the closing word could be chosen, it does not (§4).

use super::{
    CommonRiver, DICE, MODES, NETS, ROLES, SEATS, WEATHER,
    action::{
        Action, Actions, BUY, CAMP, CITY, GET, GIVE, MOVE, OFFER, PLANT, REMOVABLE, SALVABLE, SELL, TAKE, TILE, build_number,
        salvage_number,
    },
    components::{MAX_ROWS, Structure, Tile, Token, Tokens},
    data::Erosion,
    state::{Actor, Boats, Mode, Phase, Policy, Stack, Stage, State, Status, Window},
};
use crate::{
    bits::{ones, select},
    game::{ActionSet, Seat, Turn},
    rng::{Rng, below},
};

/// The places of a row: two land tiles and the river.
const PLACES: u8 = 3;

impl CommonRiver {
    #[inline]
    pub(super) fn turn_of(state: &State) -> Turn {
        match state.phase {
            Phase::Mode => Turn::Chance(MODES),
            Phase::FirstPlayer => Turn::Chance(SEATS),
            Phase::Almanac | Phase::Night => Turn::Chance(WEATHER),
            Phase::Roles => Turn::Chance(ROLES),
            Phase::Die => Turn::Chance(DICE),
            Phase::Net => Turn::Chance(NETS),
            Phase::Over => Turn::Over,
            _ => Turn::Seat(state.decider),
        }
    }

    #[inline]
    pub(super) fn list_actions(&self, state: &State) -> Actions {
        let mut actions = Actions::default();
        let seat = state.decider;
        match state.phase {
            Phase::Camps => actions.insert_all(CAMP, self.free_camp_slots(state).into()),
            Phase::Offer => {
                actions.insert_all(OFFER, self.partners(state, seat).into());
                actions.insert(Action::Pass);
            }
            Phase::Give => {
                actions.insert_all(GIVE, self.givable(state).into());
                if !state.given.is_empty() || !state.stock(Self::partner(state)).is_empty() {
                    actions.insert(Action::For);
                }
            }
            Phase::Get => {
                actions.insert_all(GET, self.askable(state).into());
                if !state.given.is_empty() || !state.asked.is_empty() {
                    actions.insert(Action::Send);
                }
            }
            Phase::Answer => {
                actions.insert(Action::Accept);
                actions.insert(Action::Refuse);
            }
            Phase::Choose => {
                actions = self.candidates(state, seat);
                actions.insert(Action::Done);
            }
            Phase::Act => {
                if let Some(actor) = state.actor {
                    actions = self.turn_actions(state, seat, actor);
                    if actor.sole || actor.stage != Stage::Start {
                        actions.insert(Action::Stop);
                    }
                }
            }
            Phase::Take => {
                actions.insert_all(TAKE, self.next_takes(state).into());
                actions.insert(Action::Enough);
            }
            Phase::Sell => {
                actions.insert_all(SELL, self.sales(state, seat).into());
                if state.count == 0 {
                    actions.insert(Action::Done);
                }
            }
            Phase::Propose => {
                actions = self.proposals(state, seat);
                actions.insert(Action::Pass);
            }
            Phase::Place => {
                if let Some((policy, _)) = state.proposal {
                    actions.insert_all(TILE, self.proposal_tiles(state, policy).into());
                }
            }
            Phase::Vote => {
                actions.insert(Action::Vote(true));
                actions.insert(Action::Vote(false));
            }
            Phase::Bid => {
                actions.insert(Action::Bid);
                actions.insert(Action::Settle);
            }
            Phase::Salvage => {
                actions = Self::salvages(state, seat);
                actions.insert(Action::Done);
            }
            Phase::Site => {
                actions.insert_all(CITY, self.contributions(state, seat).into());
                actions.insert(Action::Done);
            }
            Phase::Buy => {
                actions.insert_all(BUY, Self::purchases(state, seat).into());
                actions.insert(Action::Done);
            }
            _ => {}
        }
        actions
    }

    #[inline]
    pub(super) fn carry_out(&self, state: &mut State, action: Action) {
        let seat = state.decider;
        match action {
            Action::Mode(mode) => {
                state.mode = mode;
                state.phase = Phase::FirstPlayer;
            }
            Action::FirstPlayer(first) => {
                state.first = first;
                state.phase = Phase::Almanac;
            }
            Action::Weather(card) => self.reveal_weather(state, card.into()),
            Action::Role(role) => self.deal_role(state, role),
            Action::Camp(tile) => self.pitch_camp(state, seat, tile),
            Action::Die(eyes) => self.roll(state, eyes),
            Action::Net(token) => self.catch(state, token),
            Action::Offer(partner) => {
                state.other = partner.index() as u8;
                state.count += 1;
                state.offered = true;
                state.last = 0;
                state.phase = Phase::Give;
            }
            Action::Give(token) => {
                state.given.add(token, 1);
                state.last = token as u8;
            }
            Action::For => Self::ask(state),
            Action::Get(token) => {
                state.asked.add(token, 1);
                state.last = token as u8;
            }
            Action::Send => Self::await_answer(state),
            Action::Accept => Self::exchange(state),
            Action::Refuse => Self::end_offer(state),
            Action::Use(kind, tile) => {
                state.actor = Some(Actor { kind, tile, stage: Stage::Start, sole: false });
                state.phase = Phase::Act;
            }
            Action::Stop => Self::stop(state, seat),
            Action::Take(tile) => self.take(state, seat, tile),
            Action::Enough => self.end_take(state),
            Action::Harvest(_) | Action::Dredge | Action::Plant(_) => self.harvest(state, seat, action),
            Action::Build(_) | Action::BuildNet(_) => self.build(state, seat, action),
            Action::Remove(kind, tile) => self.remove(state, seat, kind, tile),
            Action::Move(tile) => Self::move_to(state, seat, tile),
            Action::Ferry(kind, tile) => Self::ferry(state, seat, kind, tile),
            Action::Sell(token) => self.sell(state, seat, token),
            Action::Propose(policy) => self.propose(state, seat, policy),
            Action::Tile(tile) => {
                if let Some((_, about)) = &mut state.proposal {
                    *about = Some(tile);
                }
                Self::open_vote(state);
            }
            Action::Vote(yes) => Self::vote(state, seat, yes),
            Action::Bid => self.bid(state, seat),
            Action::Settle => {
                state.settled |= 1 << seat.index();
                self.next_voter(state);
            }
            Action::Salvage(kind, tile) => self.salvage(state, seat, kind, tile),
            Action::City(token) => self.contribute(state, seat, token),
            Action::Buy(token) => {
                state.stock[seat.index()].take(Token::Gold, 1);
                state.stock[seat.index()].add(token, 1);
                state.last = token as u8;
            }
            Action::Pass if state.phase == Phase::Offer => self.next_offerer(state),
            Action::Pass => {
                state.count += 1;
                self.next_proposer(state);
            }
            Action::Done if state.phase == Phase::Choose => Self::end_group(state),
            Action::Done => self.next_seat(state),
        }
        self.proceed(state);
    }

    /// Goes on until a decision or a draw is due, or the game has ended.
    #[inline]
    pub(super) fn proceed(&self, state: &mut State) {
        loop {
            if self.river_died(state) {
                state.phase = Phase::Over;
            }
            let waits = match state.phase {
                Phase::Offer => self.awaits_offer(state),
                Phase::Give => self.awaits_give(state),
                Phase::Get => self.awaits_get(state),
                Phase::Choose => self.awaits_choice(state),
                Phase::Act => self.awaits_act(state),
                Phase::Take => self.awaits_take(state),
                Phase::Net => self.awaits_net(state),
                Phase::Sell => self.awaits_sale(state),
                Phase::Propose => self.awaits_proposal(state),
                Phase::Vote => self.awaits_vote(state),
                Phase::Bid => self.awaits_bid(state),
                Phase::Salvage => self.awaits_salvage(state),
                Phase::Site => self.awaits_contribution(state),
                Phase::Buy => self.awaits_purchase(state),
                _ => true,
            };
            if waits {
                return;
            }
        }
    }

    // Chance.

    pub(super) fn list_outcomes(&self, state: &State) -> Vec<(Action, u32)> {
        match state.phase {
            Phase::Mode => self.modes.iter().map(|&mode| (Action::Mode(mode), 1)).collect(),
            Phase::FirstPlayer => self.all_seats().map(|seat| (Action::FirstPlayer(seat), 1)).collect(),
            Phase::Almanac | Phase::Night => {
                let cards = (0..self.weather.len()).map(|card| (Action::Weather(card as u8), state.unseen(card)));
                cards.filter(|&(_, count)| count > 0).collect()
            }
            Phase::Roles => ones(self.roles_left(state)).map(|role| (Action::Role(role as u8), 1)).collect(),
            Phase::Die => (1..=self.die).map(|eyes| (Action::Die(eyes as u8), 1)).collect(),
            Phase::Net => {
                let flow = state.loose(state.row());
                Token::ALL.iter().map(|&token| (Action::Net(token), flow.get(token))).filter(|&(_, count)| count > 0).collect()
            }
            _ => Vec::new(),
        }
    }

    #[inline]
    pub(super) fn draw(&self, state: &State, rng: &mut Rng) -> Action {
        match state.phase {
            Phase::Mode => Action::Mode(self.modes[below(rng, self.modes.len() as u32) as usize]),
            Phase::FirstPlayer => Action::FirstPlayer(Seat::new(below(rng, self.players as u32) as usize)),
            Phase::Almanac | Phase::Night => {
                let cards = self.weather.len();
                let all = (0..cards).map(|card| state.unseen(card)).sum();
                Action::Weather(nth_of(below(rng, all), (0..cards).map(|card| state.unseen(card))) as u8)
            }
            Phase::Roles => Action::Role(draw_role(self.roles_left(state), rng)),
            Phase::Die => Action::Die(1 + below(rng, self.die) as u8),
            _ => {
                let flow = state.loose(state.row());
                Action::Net(Token::ALL[nth_of(below(rng, flow.total()), Token::ALL.iter().map(|&token| flow.get(token)))])
            }
        }
    }

    /// The roles not yet dealt, bit r for role r.
    fn roles_left(&self, state: &State) -> u64 {
        let all = (1 << self.roles.len()) - 1;
        self.all_seats().filter_map(|seat| state.role(seat)).fold(all, |left, role| left & !(1 << role))
    }

    /// Deals to the other seats that have a role one of those that this seat does not have.
    pub(super) fn deal_hidden_roles(&self, state: &State, seat: Seat, rng: &mut Rng) -> State {
        let mut dealt = *state;
        if state.mode != Mode::Roles {
            return dealt;
        }
        let mut left = ((1 << self.roles.len()) - 1) & !state.role(seat).map_or(0, |role| 1 << role);
        for other in self.all_seats().filter(|&other| other != seat && state.role(other).is_some()) {
            let role = draw_role(left, rng);
            left &= !(1 << role);
            dealt.roles[other.index()] = role + 1;
        }
        dealt
    }

    // §3 Setup.

    pub(super) fn begin(&self) -> State {
        let mut state = State::new();
        state.mode = self.modes[0];
        state.phase = if self.players == 2 { Phase::Mode } else { Phase::FirstPlayer };
        state.filled = self.map.slots.iter().fold(0, |all, slots| all | slots);
        for (card, weather) in self.weather.iter().enumerate() {
            state.unseen |= u64::from(weather.count) << (card * 4);
        }
        for seat in self.all_seats() {
            state.stock[seat.index()] = self.start;
        }
        state
    }

    fn reveal_weather(&self, state: &mut State, card: usize) {
        state.reveal(card);
        if state.phase == Phase::Night {
            Self::begin_day(state);
        } else if state.almanac_len() == self.almanac {
            state.phase = if state.mode == Mode::Roles { Phase::Roles } else { Phase::Camps };
            state.decider = if state.mode == Mode::Roles { Seat::new(0) } else { state.first };
        }
    }

    fn deal_role(&self, state: &mut State, role: u8) {
        state.roles[state.decider.index()] = role + 1;
        if state.decider.index() + 1 == self.players {
            state.phase = Phase::Camps;
            state.decider = state.first;
        } else {
            state.decider = state.decider.clockwise(1, self.players);
        }
    }

    #[inline]
    pub(super) fn free_camp_slots(&self, state: &State) -> u32 {
        self.map.camp_slots & !state.camp_tiles()
    }

    fn pitch_camp(&self, state: &mut State, seat: Seat, tile: Tile) {
        state.camps[seat.index()].tile = Some(tile);
        state.decider = seat.clockwise(1, self.players);
        if state.decider == state.first {
            self.take_camp_order(state);
            Self::begin_day(state);
        }
    }

    /// Takes the camp order (§1) as it is now.
    pub(super) fn take_camp_order(&self, state: &mut State) {
        let rank = |seat: Seat| state.camp(seat).tile.map_or(u8::MAX, |tile| self.map.camp_rank[tile.index()]);
        let mut order = state.order;
        for seat in self.all_seats() {
            let place = self.all_seats().filter(|&other| rank(other) < rank(seat)).count();
            order.set(place, seat);
        }
        state.order = order;
    }

    // §1 Words.

    #[inline]
    pub(super) fn is_storm(&self, state: &State) -> bool {
        state.almanac(0).is_some_and(|card| self.weather[card].storm)
    }

    /// The slots of a tile that the City does not cover.
    #[inline]
    pub(super) fn slots(&self, state: &State, tile: Tile) -> u64 {
        if state.city == Some(tile) { 0 } else { self.map.slots[tile.index()] }
    }

    #[inline]
    fn empty_slots(&self, state: &State, tile: Tile) -> u64 {
        self.slots(state, tile) & !(state.filled | state.polluted)
    }

    /// Whether what stands passively on a land tile works.
    #[inline]
    pub(super) fn works(state: &State, tile: Tile) -> bool {
        u32::from(state.flooded | state.protected) & tile.bit() == 0
    }

    /// How many structures of a kind stand on a land tile, whoever owns them.
    #[inline]
    fn on_tile(&self, state: &State, kind: Structure, tile: Tile) -> u32 {
        state.land[..self.players].iter().map(|land| land[tile.index()].count(kind)).sum()
    }

    #[inline]
    pub(super) fn effective_elevation(&self, state: &State, tile: Tile) -> i16 {
        let levees = if Self::works(state, tile) { self.on_tile(state, Structure::Levee, tile) } else { 0 };
        self.map.elevation[tile.index()] + levees as i16
    }

    /// A pollution enters a row.
    fn enter(&self, state: &mut State, row: usize) {
        let tile = Tile::river(row);
        let empty = self.empty_slots(state, tile);
        if empty != 0 {
            state.polluted |= lowest(empty);
        } else if row + 1 == self.map.rows {
            let fish = lowest(state.filled & self.map.slots[tile.index()]);
            state.filled &= !fish;
            state.polluted |= fish;
        } else {
            state.loose[row].add(Token::Pollution, 1);
        }
    }

    /// Pollutes a row, unless the river has died.
    #[inline]
    pub(super) fn pollute(&self, state: &mut State, row: usize, times: u32) {
        for _ in 0..times {
            if !self.river_died(state) {
                self.enter(state, row);
            }
        }
    }

    // §5 The day.

    fn begin_day(state: &mut State) {
        state.day += 1;
        state.phase = Phase::Die;
    }

    fn roll(&self, state: &mut State, eyes: u8) {
        let modifier = state.almanac(0).map_or(0, |card| self.weather[card].modifier);
        state.water = i16::from(eyes) + modifier + state.carry;
        state.carry = 0;
        self.open_window(state, Window::Dawn);
    }

    /// A row turn up to the trade window. In the day's first no line was crossed.
    fn begin_row(&self, state: &mut State, row: usize, crossed: Option<usize>) {
        state.row = row as u8;
        if crossed.is_some_and(|line| self.map.dots[line]) {
            state.water += 1;
        }
        let eroded = self.erode(state);
        if self.river_died(state) {
            return;
        }
        self.drain(state);
        if state.water > 0 {
            self.populate(state, eroded);
        }
        self.open_window(state, Window::Row);
    }

    /// §5.2; the tiles that eroded.
    fn erode(&self, state: &mut State) -> u32 {
        let [higher, lower] = self.map.higher[state.row()];
        let lower_first = self.effective_elevation(state, lower) > self.effective_elevation(state, higher);
        let order = if lower_first { [lower, higher] } else { [higher, lower] };
        order.into_iter().fold(0, |eroded, tile| if self.erode_tile(state, tile) { eroded | tile.bit() } else { eroded })
    }

    fn erode_tile(&self, state: &mut State, tile: Tile) -> bool {
        let elevation = self.effective_elevation(state, tile);
        if state.water <= elevation {
            return false;
        }
        let slots = self.slots(state, tile);
        if slots & self.map.gravel != 0 {
            state.water -= 1;
            state.filled |= (slots & self.map.gravel | self.map.half_gravel[tile.index()]) & !state.polluted;
            if state.water <= elevation {
                return false;
            }
        }
        let row = state.row();
        let mut eroded = false;
        loop {
            let trees = state.filled & slots & self.map.trees;
            if trees == 0 {
                self.flood(state, tile, slots);
                return eroded;
            }
            state.filled &= !lowest(trees);
            state.loose[row].add(Token::Tree, 1);
            state.water -= 1;
            eroded = true;
            if self.erosion == Erosion::Single || state.water <= elevation {
                return true;
            }
        }
    }

    fn flood(&self, state: &mut State, tile: Tile, slots: u64) {
        let row = state.row();
        state.flooded |= tile.bit() as u16;
        let gravel = state.filled & slots;
        state.filled &= !gravel;
        state.loose[row].add(Token::Gravel, gravel.count_ones());
        let pollution = state.polluted & slots;
        state.polluted &= !pollution;
        self.pollute(state, row, pollution.count_ones());
        if state.city == Some(tile) && state.city_complete {
            self.pollute(state, row, self.city_flood_pollution);
        }
    }

    /// §5.3.
    fn drain(&self, state: &mut State) {
        for tile in self.map.higher[state.row()] {
            let canals = if Self::works(state, tile) { self.on_tile(state, Structure::Canal, tile) } else { 0 };
            let lowered = canals.min(state.water.max(0) as u32);
            if lowered > 0 {
                state.water -= lowered as i16;
                for seat in self.all_seats() {
                    let farms = state.stack(seat, tile).count(Structure::Farm);
                    state.stock[seat.index()].add(Token::Fish, lowered * farms);
                }
            }
        }
    }

    /// §5.4.
    fn populate(&self, state: &mut State, eroded: u32) {
        let row = state.row();
        let river = Tile::river(row);
        if self.has(state, river, Token::Fish) {
            let empty = self.empty_slots(state, river);
            state.filled |= lowest(empty);
            state.loose[row].add(Token::Fish, u32::from(empty == 0));
        }
        let spared = !(eroded | u32::from(state.flooded));
        for tile in self.map.higher[row].into_iter().filter(|tile| spared & tile.bit() != 0).chain([Tile::half(row)]) {
            state.filled |= lowest(self.empty_slots(state, tile) & self.map.trees);
        }
        if state.city.is_some_and(|tile| tile.row() == row) && state.city_stands() {
            self.pollute(state, row, self.city_pollution);
        }
        for tile in self.map.higher[row] {
            if Self::works(state, tile) {
                self.farm(state, tile);
            }
        }
    }

    fn farm(&self, state: &mut State, tile: Tile) {
        for seat in self.all_seats() {
            for _ in 0..state.stack(seat, tile).count(Structure::Farm) {
                if !self.river_died(state) {
                    state.stock[seat.index()].add(Token::Fish, 1);
                    self.enter(state, tile.row());
                }
            }
        }
    }

    /// §5.7.
    fn end_row(&self, state: &mut State) {
        state.place = 0;
        state.cursor = 0;
        // Camps have moved at most in the actions that ended just now.
        self.take_camp_order(state);
        let row = state.row();
        let tile = Tile::river(row);
        while state.loose[row].get(Token::Pollution) > 0 && self.empty_slots(state, tile) != 0 {
            state.loose[row].take(Token::Pollution, 1);
            state.polluted |= lowest(self.empty_slots(state, tile));
        }
        while state.loose[row].get(Token::Fish) > 0 && self.empty_slots(state, tile) != 0 {
            state.loose[row].take(Token::Fish, 1);
            state.filled |= lowest(self.empty_slots(state, tile));
        }
        state.phase = Phase::Net;
    }

    /// The row above the line that the flow crosses, if it crosses one.
    #[inline]
    fn line(&self, state: &State) -> Option<usize> {
        if self.is_storm(state) { state.row().checked_sub(1) } else { Some(state.row()) }
    }

    /// The net slot of the line that collects first (0) or second (1).
    #[inline]
    fn net_slot(&self, state: &State, line: usize, place: usize) -> Tile {
        let first = self.map.net_first[line];
        if (place == 0) == self.is_storm(state) { first.across() } else { first }
    }

    fn awaits_net(&self, state: &mut State) -> bool {
        let row = state.row();
        if let Some(line) = self.line(state)
            && !state.nets.is_empty()
            && !state.loose[row].is_empty()
            && !state.is_protected(Tile::river(line))
        {
            while state.cursor < 2 {
                if state.net(self.net_slot(state, line, state.cursor.into())).is_some() {
                    return true;
                }
                state.cursor += 1;
            }
        }
        state.cursor = 0;
        self.flow(state);
        false
    }

    fn catch(&self, state: &mut State, token: Token) {
        let row = state.row();
        let owner = self.line(state).and_then(|line| state.net(self.net_slot(state, line, state.cursor.into())));
        if let Some(owner) = owner {
            state.loose[row].take(token, 1);
            state.stock[owner.index()].add(token, 1);
        }
        state.cursor += 1;
    }

    fn flow(&self, state: &mut State) {
        let row = state.row();
        let storm = self.is_storm(state);
        let next = if storm { row.checked_sub(1) } else { Some(row + 1).filter(|&next| next < self.map.rows) };
        if !storm || next.is_some() {
            let flow = std::mem::take(&mut state.loose[row]);
            if let Some(next) = next.filter(|_| !flow.is_empty()) {
                self.arrive(state, next, flow);
            }
        }
        match next {
            Some(next) => self.begin_row(state, next, Some(row.max(next))),
            None => self.open_window(state, Window::Dusk),
        }
    }

    fn arrive(&self, state: &mut State, row: usize, mut flow: Tokens) {
        let pollution = flow.get(Token::Pollution);
        flow.take(Token::Pollution, pollution);
        state.loose[row].add_all(&flow);
        let [higher, lower] = self.map.higher[row];
        for _ in 0..pollution {
            let (on_higher, on_lower) = (self.empty_slots(state, higher), self.empty_slots(state, lower));
            if on_higher != 0 {
                state.polluted |= lowest(on_higher);
            } else if on_lower != 0 {
                state.polluted |= lowest(on_lower);
            } else {
                self.pollute(state, row, 1);
            }
        }
    }

    // §6 Actions in a row turn.

    fn begin_actions(state: &mut State) {
        state.phase = Phase::Choose;
        state.place = 0;
        state.cursor = 0;
    }

    /// One of the three places of the row whose turn it is, in their order today.
    #[inline]
    fn place_tile(&self, state: &State, place: u8) -> Tile {
        let place = if self.is_storm(state) { PLACES - 1 - place } else { place };
        match self.map.higher[state.row()].get(usize::from(place)) {
            Some(&tile) => tile,
            None => Tile::river(state.row()),
        }
    }

    /// The seat whose group it is.
    #[inline]
    fn group_seat(&self, state: &State) -> Seat {
        let cursor = usize::from(state.cursor);
        state.order.get(if self.is_storm(state) { self.players - 1 - cursor } else { cursor })
    }

    fn awaits_choice(&self, state: &mut State) -> bool {
        while state.place < PLACES {
            let tile = self.place_tile(state, state.place);
            while usize::from(state.cursor) < self.players {
                let seat = self.group_seat(state);
                if state.group || Self::has_fresh(state, seat, tile) {
                    if !state.group {
                        state.group = true;
                        state.privileged = Self::has_only_camp(state, seat, tile);
                    }
                    let candidates = self.candidates(state, seat);
                    if !candidates.is_none() {
                        state.decider = seat;
                        if candidates.len() > 1 {
                            return true;
                        }
                        if let Action::Use(kind, tile) = candidates.nth(0) {
                            state.actor = Some(Actor { kind, tile, stage: Stage::Start, sole: true });
                            state.phase = Phase::Act;
                            return false;
                        }
                    }
                }
                Self::end_group(state);
            }
            state.place += 1;
            state.cursor = 0;
        }
        self.end_row(state);
        false
    }

    #[inline]
    fn end_group(state: &mut State) {
        state.group = false;
        state.privileged = false;
        state.cursor += 1;
    }

    /// Whether a seat has a fresh acting structure on a tile.
    #[inline]
    fn has_fresh(state: &State, seat: Seat, tile: Tile) -> bool {
        if tile.is_land() {
            let camp = state.camp(seat);
            state.stack(seat, tile).any_fresh() || camp.tile == Some(tile) && camp.status == Status::Fresh
        } else {
            state.boats(seat, tile.row()).fresh() > 0
        }
    }

    /// Whether a seat's camp stands on this tile, the only one of its row.
    fn has_only_camp(state: &State, seat: Seat, tile: Tile) -> bool {
        tile.is_land() && state.camp(seat).tile == Some(tile) && state.camp_tiles() & tile.across().bit() == 0
    }

    /// The structures that may have their turn next in this group, as actions; none if none stands at the place itself.
    pub(super) fn candidates(&self, state: &State, seat: Seat) -> Actions {
        let mut candidates = Actions::default();
        let camp = state.camp(seat);
        let privileged = state.privileged && camp.status == Status::Fresh;
        let places = if privileged { PLACES } else { state.place + 1 };
        for place in state.place..places {
            let tile = self.place_tile(state, place);
            let mut consider = |kind, there: bool| {
                if there && self.can_act(state, seat, Actor { kind, tile, stage: Stage::Start, sole: false }) {
                    candidates.insert(Action::Use(kind, tile));
                }
            };
            if tile.is_land() {
                let stack = state.stack(seat, tile);
                consider(Structure::Camp, camp.tile == Some(tile) && camp.status == Status::Fresh);
                consider(Structure::Excavator, stack.excavators(Status::Fresh) > 0);
                consider(Structure::Mill, stack.fresh_mills() > 0);
            } else {
                consider(Structure::Boat, state.boats(seat, tile.row()).fresh() > 0);
            }
            if candidates.is_none() {
                break;
            }
        }
        candidates
    }

    /// Whether a structure can do anything but stop.
    fn can_act(&self, state: &State, seat: Seat, actor: Actor) -> bool {
        let mut actions = Actions::default();
        self.list_moves(state, seat, actor, &mut actions);
        if actions.is_none() && actor.stage < Stage::Built {
            self.list_builds(state, seat, actor, &mut actions);
        }
        if actions.is_none() && actor.stage == Stage::Start {
            self.list_harvests(state, seat, actor, &mut actions);
        }
        !actions.is_none()
    }

    /// What a structure that has its turn can do, but for stopping.
    fn turn_actions(&self, state: &State, seat: Seat, actor: Actor) -> Actions {
        let mut actions = Actions::default();
        if actor.stage == Stage::Start {
            self.list_harvests(state, seat, actor, &mut actions);
        }
        if actor.stage < Stage::Built {
            self.list_builds(state, seat, actor, &mut actions);
        }
        self.list_moves(state, seat, actor, &mut actions);
        actions
    }

    fn awaits_act(&self, state: &mut State) -> bool {
        match state.actor {
            Some(actor) if self.can_act(state, state.decider, actor) => true,
            _ => {
                Self::stop(state, state.decider);
                false
            }
        }
    }

    /// Ends the turn of the structure that has it; if there was no choice of structure and nothing was done, that of the group too.
    fn stop(state: &mut State, seat: Seat) {
        if let Some(actor) = state.actor.take() {
            let seat = seat.index();
            match actor.kind {
                Structure::Camp => state.camps[seat].status = Status::Closed,
                Structure::Boat => {
                    let boats = &mut state.boats[seat][actor.tile.row()];
                    boats.leave();
                    boats.arrive();
                }
                kind => state.land[seat][actor.tile.index()].close(kind),
            }
            if actor.sole && actor.stage == Stage::Start {
                Self::end_group(state);
            }
        }
        state.last = 0;
        state.phase = Phase::Choose;
    }

    fn reach(state: &mut State, reached: Stage) {
        if let Some(actor) = &mut state.actor {
            actor.stage = reached;
        }
    }

    // Harvest.

    /// Whether a token of a kind is on a tile, in a slot or loose.
    #[inline]
    pub(super) fn has(&self, state: &State, tile: Tile, token: Token) -> bool {
        let slotted = self.slots(state, tile) & self.holding(state, tile, token) != 0;
        slotted || !tile.is_land() && state.loose[tile.row()].get(token) > 0
    }

    /// The slots that hold a token of a kind, among those of this tile and others.
    #[inline]
    fn holding(&self, state: &State, tile: Tile, token: Token) -> u64 {
        match token {
            Token::Pollution => state.polluted,
            Token::Tree => state.filled & self.map.trees,
            Token::Gravel => state.filled & self.map.gravel,
            Token::Fish if !tile.is_land() => state.filled,
            Token::Fish | Token::Gold => 0,
        }
    }

    /// Takes a token off the map: a loose one first, else the first in a slot.
    fn take_from(&self, state: &mut State, tile: Tile, token: Token) {
        if tile == Tile::river(tile.row()) && state.loose[tile.row()].get(token) > 0 {
            state.loose[tile.row()].take(token, 1);
            return;
        }
        let slot = lowest(self.slots(state, tile) & self.holding(state, tile, token));
        match token {
            Token::Pollution => state.polluted &= !slot,
            _ => state.filled &= !slot,
        }
    }

    fn list_harvests(&self, state: &State, seat: Seat, actor: Actor, actions: &mut Actions) {
        let tile = actor.tile;
        if state.is_flooded(tile) {
            return;
        }
        if self.has(state, tile, Token::Pollution) {
            actions.insert(Action::Harvest(Token::Pollution));
        }
        if state.is_protected(tile) {
            return;
        }
        match actor.kind {
            Structure::Camp => {
                for token in [Token::Gravel, Token::Tree] {
                    if self.has(state, tile, token) {
                        actions.insert(Action::Harvest(token));
                    }
                }
                let river = Tile::river(tile.row());
                if !state.is_protected(river) && self.has(state, river, Token::Fish) {
                    actions.insert(Action::Harvest(Token::Fish));
                }
            }
            Structure::Boat => {
                for token in Token::NATURAL {
                    if self.has(state, tile, token) {
                        actions.insert(Action::Harvest(token));
                    }
                }
                actions.insert(Action::Dredge);
            }
            _ => actions.insert_all(TAKE, self.takes(state, actor).into()),
        }
        let empty = self.empty_slots(state, tile);
        if empty != 0 {
            let stock = state.stock(seat);
            let fits = |token: Token, slots: u64| u64::from(empty & slots != 0 && stock.get(token) > 0) << token as u32;
            let plants = if tile.is_land() {
                fits(Token::Tree, self.map.trees) | fits(Token::Gravel, self.map.gravel)
            } else {
                fits(Token::Fish, u64::MAX)
            };
            actions.insert_all(PLANT, plants);
        }
    }

    fn harvest(&self, state: &mut State, seat: Seat, action: Action) {
        let Some(Actor { kind, tile, .. }) = state.actor else { return };
        match action {
            Action::Harvest(token) => {
                let from = if kind == Structure::Camp && token == Token::Fish { Tile::river(tile.row()) } else { tile };
                self.take_from(state, from, token);
                state.stock[seat.index()].add(token, 1);
            }
            Action::Plant(token) => {
                let empty = self.empty_slots(state, tile);
                let slots = match token {
                    Token::Tree => empty & self.map.trees,
                    Token::Gravel => empty & self.map.gravel,
                    _ => empty,
                };
                state.stock[seat.index()].take(token, 1);
                state.filled |= lowest(slots);
            }
            _ => {
                state.stock[seat.index()].add(Token::Gravel, 1);
                self.pollute(state, tile.row(), 1);
            }
        }
        Self::reach(state, Stage::Harvested);
    }

    /// What an excavator or a mill takes.
    #[inline]
    const fn taken_by(kind: Structure) -> Token {
        if matches!(kind, Structure::Excavator) { Token::Gravel } else { Token::Tree }
    }

    /// The tiles from which an excavator or mill can take.
    fn takes(&self, state: &State, actor: Actor) -> u32 {
        let token = Self::taken_by(actor.kind);
        let reach = self.map.reach[actor.tile.index()] | Self::across_bridge(state, actor.tile).map_or(0, Tile::bit);
        let open = reach & !u32::from(state.protected);
        ones(open.into()).filter(|&tile| self.has_slotted(state, Tile(tile as u8), token)).fold(0, |tiles, tile| tiles | 1 << tile)
    }

    #[inline]
    fn has_slotted(&self, state: &State, tile: Tile, token: Token) -> bool {
        self.slots(state, tile) & self.holding(state, tile, token) != 0
    }

    /// The tiles from which one more token can be taken: none whose name sorts before the last.
    fn next_takes(&self, state: &State) -> u32 {
        let tiles = state.actor.map_or(0, |actor| self.takes(state, actor));
        tiles & self.map.not_before[usize::from(state.last)]
    }

    fn take(&self, state: &mut State, seat: Seat, tile: Tile) {
        let Some(actor) = state.actor else { return };
        let token = Self::taken_by(actor.kind);
        self.take_from(state, tile, token);
        state.stock[seat.index()].add(token, 1);
        state.count = if state.phase == Phase::Take { state.count + 1 } else { 1 };
        state.last = tile.0;
        state.phase = Phase::Take;
    }

    fn awaits_take(&self, state: &mut State) -> bool {
        if u32::from(state.count) < self.take_max && self.next_takes(state) != 0 {
            return true;
        }
        self.end_take(state);
        false
    }

    fn end_take(&self, state: &mut State) {
        state.count = 0;
        state.last = 0;
        self.pollute(state, state.row(), 1);
        Self::reach(state, Stage::Harvested);
        state.phase = Phase::Act;
    }

    // Build.

    /// The kinds that a camp can build, but for nets, in the order of their texts.
    const BUILT_BY_CAMP: [Structure; 7] =
        [Structure::Boat, Structure::Bridge, Structure::Canal, Structure::Excavator, Structure::Farm, Structure::Levee, Structure::Mill];

    fn list_builds(&self, state: &State, seat: Seat, actor: Actor, actions: &mut Actions) {
        let tile = actor.tile;
        let builds = matches!(actor.kind, Structure::Camp | Structure::Excavator);
        if !builds || !Self::works(state, tile) {
            return;
        }
        let mut budget = *state.stock(seat);
        if actor.stage != Stage::Building {
            if budget.get(Token::Fish) < self.build_fish {
                return;
            }
            budget.take(Token::Fish, self.build_fish);
        }
        let land = state.all_land(seat);
        let sticks = land.count(Structure::Canal) + land.count(Structure::Levee) + state.bridges.count(seat);
        let can_build = |kind: Structure| {
            let built = match kind {
                Structure::Boat => state.all_boats(seat),
                Structure::Net => state.nets.count(seat),
                _ if kind.is_stick() => sticks,
                _ => land.count(kind),
            };
            budget.cover(&self.costs[kind as usize]) && built < self.pieces[kind as usize]
        };
        if actor.kind == Structure::Excavator {
            if can_build(Structure::Canal) {
                actions.insert(Action::Build(Structure::Canal));
            }
            if sticks > 0 {
                self.list_removals(state, seat, actions);
            }
            return;
        }
        let last = if actor.stage == Stage::Building { u32::from(state.last) } else { 0 };
        let row = tile.row();
        for kind in Self::BUILT_BY_CAMP {
            let place_taken = kind == Structure::Bridge && state.bridge(row).is_some();
            if build_number(Action::Build(kind)) >= last && !place_taken && can_build(kind) {
                actions.insert(Action::Build(kind));
            }
        }
        if can_build(Structure::Net) {
            for slot in (row.saturating_sub(1)..=row).map(|line| Tile(tile.0 - (row - line) as u8)) {
                if state.net(slot).is_none() && build_number(Action::BuildNet(slot)) >= last {
                    actions.insert(Action::BuildNet(slot));
                }
            }
        }
    }

    fn list_removals(&self, state: &State, seat: Seat, actions: &mut Actions) {
        for row in (0..self.map.rows).filter(|&row| state.bridge(row) == Some(seat)) {
            actions.insert(Action::Remove(Structure::Bridge, Tile::river(row)));
        }
        for tile in ones(self.map.land.into()).map(|tile| Tile(tile as u8)) {
            for kind in REMOVABLE {
                if state.stack(seat, tile).count(kind) > 0 {
                    actions.insert(Action::Remove(kind, tile));
                }
            }
        }
    }

    fn build(&self, state: &mut State, seat: Seat, action: Action) {
        let Some(actor) = state.actor else { return };
        let row = actor.tile.row();
        let kind = if let Action::Build(kind) = action { kind } else { Structure::Net };
        let stock = &mut state.stock[seat.index()];
        if actor.stage != Stage::Building {
            stock.take(Token::Fish, self.build_fish);
        }
        stock.take_all(&self.costs[kind as usize]);
        match action {
            Action::BuildNet(slot) => state.nets.set(slot.index(), Some(seat)),
            Action::Build(Structure::Bridge) => state.bridges.set(row, Some(seat)),
            Action::Build(Structure::Boat) => state.boats[seat.index()][row].arrive(),
            _ => state.land[seat.index()][actor.tile.index()].build(kind),
        }
        if actor.kind == Structure::Excavator {
            self.pollute(state, row, 1);
            Self::reach(state, Stage::Built);
        } else {
            state.last = build_number(action) as u8;
            Self::reach(state, Stage::Building);
        }
    }

    fn remove(&self, state: &mut State, seat: Seat, kind: Structure, tile: Tile) {
        state.stock[seat.index()].take(Token::Fish, self.build_fish);
        match kind {
            Structure::Bridge => state.bridges.set(tile.row(), None),
            _ => state.land[seat.index()][tile.index()].dismantle(kind),
        }
        self.pollute(state, state.row(), 1);
        Self::reach(state, Stage::Built);
    }

    // Move.

    /// The land tile on the other bank, if a bridge leads there.
    #[inline]
    fn across_bridge(state: &State, tile: Tile) -> Option<Tile> {
        state.bridge(tile.row()).map(|_| tile.across())
    }

    fn list_moves(&self, state: &State, seat: Seat, actor: Actor, actions: &mut Actions) {
        let tile = actor.tile;
        match actor.kind {
            Structure::Excavator => {
                let across = Self::across_bridge(state, tile).map_or(0, Tile::bit);
                let neighbours = self.map.reach[tile.index()] & self.map.land & !tile.bit() | across;
                actions.insert_all(MOVE, neighbours.into());
            }
            Structure::Camp => {
                let free = self.free_camp_slots(state);
                let bank = if tile.index() < MAX_ROWS { Tile::land(0, 0) } else { Tile::land(1, 0) };
                let on_bank = free & ((1 << MAX_ROWS) - 1) << bank.0;
                let up = on_bank & (tile.bit() - 1);
                let down = on_bank & !(tile.bit() | (tile.bit() - 1));
                let nearest_up = if up == 0 { 0 } else { 1 << up.ilog2() };
                let nearest_down = down & down.wrapping_neg();
                let across = free & Self::across_bridge(state, tile).map_or(0, Tile::bit);
                actions.insert_all(MOVE, (nearest_up | nearest_down | across).into());
            }
            Structure::Boat => {
                let rivers = self.map.whole & !self.map.land & !tile.bit();
                actions.insert_all(MOVE, rivers.into());
                if !state.is_protected(tile) {
                    self.list_ferries(state, seat, tile.row(), actions);
                }
            }
            _ => {}
        }
    }

    fn list_ferries(&self, state: &State, seat: Seat, row: usize, actions: &mut Actions) {
        for from in [Tile::land(0, row), Tile::land(1, row)] {
            let camp = state.camp(seat);
            let camp_slot = self.free_camp_slots(state) & from.across().bit() != 0;
            if camp.tile == Some(from) && camp.status != Status::Turned && camp_slot {
                actions.insert(Action::Ferry(Structure::Camp, from));
            }
            let stack = state.stack(seat, from);
            if stack.excavators(Status::Fresh) + stack.excavators(Status::Closed) > 0 {
                actions.insert(Action::Ferry(Structure::Excavator, from));
            }
        }
    }

    fn move_to(state: &mut State, seat: Seat, to: Tile) {
        let Some(Actor { kind, tile, .. }) = state.actor.take() else { return };
        let seat = seat.index();
        match kind {
            Structure::Camp => {
                state.camps[seat].tile = Some(to);
                state.camps[seat].status = Status::Turned;
            }
            Structure::Boat => {
                state.boats[seat][tile.row()].leave();
                state.boats[seat][to.row()].arrive();
            }
            _ => {
                state.land[seat][tile.index()].remove(Stack::excavator(Status::Fresh));
                state.land[seat][to.index()].insert(Stack::excavator(Status::Turned));
            }
        }
        state.last = 0;
        state.phase = Phase::Choose;
    }

    fn ferry(state: &mut State, seat: Seat, kind: Structure, from: Tile) {
        let to = from.across();
        let index = seat.index();
        if kind == Structure::Camp {
            state.camps[index].tile = Some(to);
            state.camps[index].status = Status::Turned;
        } else {
            let closed = state.stack(seat, from).excavators(Status::Closed) > 0;
            let status = if closed { Status::Closed } else { Status::Fresh };
            state.land[index][from.index()].remove(Stack::excavator(status));
            state.land[index][to.index()].insert(Stack::excavator(Status::Turned));
        }
        // The boat is turned where it is.
        Self::move_to(state, seat, Tile::river(from.row()));
    }

    // §7 The end of the day.

    /// Begins a step in which the seats choose in camp order.
    fn begin_step(state: &mut State, phase: Phase) {
        state.phase = phase;
        state.cursor = 0;
        state.last = 0;
        state.count = 0;
    }

    #[inline]
    fn seat_in_order(state: &State) -> Seat {
        state.order.get(state.cursor.into())
    }

    /// The step goes on with the next seat, or the next step begins.
    fn next_seat(&self, state: &mut State) {
        state.last = 0;
        state.cursor += 1;
        if usize::from(state.cursor) < self.players {
            return;
        }
        match state.phase {
            Phase::Sell if state.closing => {
                state.cursor = 0;
                state.phase = Phase::Over;
            }
            Phase::Sell => Self::begin_step(state, Phase::Propose),
            Phase::Salvage => Self::begin_step(state, Phase::Site),
            Phase::Site => Self::begin_step(state, Phase::Buy),
            _ => self.end_day(state),
        }
    }

    /// Waits for the seat whose turn it is in this step if it can do anything but close.
    #[inline]
    fn awaits_seat(&self, state: &mut State, can_act: impl FnOnce(&Self, &State, Seat) -> bool) -> bool {
        let seat = Self::seat_in_order(state);
        if can_act(self, state, seat) {
            state.decider = seat;
            return true;
        }
        self.next_seat(state);
        false
    }

    /// Those of a set of kinds of token that may follow the last choice.
    #[inline]
    fn in_succession(state: &State, kinds: u8) -> u8 {
        kinds & u8::MAX << state.last
    }

    // §7.2 Sales.

    /// The kinds of token that a seat can sell such that the bundle can still be filled.
    fn sales(&self, state: &State, seat: Seat) -> u8 {
        let sellable = NATURAL | if state.subsidized { 1 << Token::Pollution as u8 } else { 0 };
        let missing = self.tokens_per_gold - u32::from(state.count);
        let stock = state.stock(seat);
        let mut held = 0;
        let mut sales = 0;
        for token in Token::ALL.into_iter().rev().filter(|&token| sellable >> token as u8 & 1 == 1) {
            held += stock.get(token);
            sales |= u8::from(stock.get(token) > 0 && held >= missing) << token as u8;
        }
        Self::in_succession(state, sales)
    }

    fn awaits_sale(&self, state: &mut State) -> bool {
        self.awaits_seat(state, |game, state, seat| game.sales(state, seat) != 0)
    }

    fn sell(&self, state: &mut State, seat: Seat, token: Token) {
        let stock = &mut state.stock[seat.index()];
        stock.take(token, 1);
        state.last = token as u8;
        state.count += 1;
        if u32::from(state.count) == self.tokens_per_gold {
            state.count = 0;
            stock.add(Token::Gold, 1);
        }
    }

    // §7.3 Policies.

    pub(super) fn proposals(&self, state: &State, seat: Seat) -> Actions {
        let mut actions = Actions::default();
        let proposed = u32::from(state.proposals[seat.index()]);
        if state.stock(seat).get(Token::Gold) < self.proposal_gold || proposed >= self.proposals_per_day {
            return actions;
        }
        if !state.subsidy_failed {
            actions.insert(Action::Propose(if state.subsidized { Policy::Unsubsidy } else { Policy::Subsidy }));
        }
        for policy in [Policy::City, Policy::Protect, Policy::Unprotect] {
            if self.proposal_tiles(state, policy) != 0 {
                actions.insert(Action::Propose(policy));
            }
        }
        actions
    }

    /// The tiles that a proposal can be about.
    fn proposal_tiles(&self, state: &State, policy: Policy) -> u32 {
        let (protected, failed) = (u32::from(state.protected), u32::from(state.failed_tiles));
        match policy {
            Policy::Protect => self.map.whole & !protected & !failed,
            Policy::Unprotect => protected & !failed,
            Policy::City if state.city.is_none() => self.map.land & !u32::from(state.failed_sites),
            _ => 0,
        }
    }

    fn awaits_proposal(&self, state: &mut State) -> bool {
        if usize::from(state.count) == self.players {
            Self::begin_step(state, Phase::Salvage);
            return false;
        }
        let seat = Self::seat_in_order(state);
        if self.proposals(state, seat).is_none() {
            state.count += 1;
            self.next_proposer(state);
            return false;
        }
        state.decider = seat;
        true
    }

    fn next_proposer(&self, state: &mut State) {
        state.cursor = (state.cursor + 1) % self.players as u8;
    }

    fn propose(&self, state: &mut State, seat: Seat, policy: Policy) {
        state.stock[seat.index()].take(Token::Gold, self.proposal_gold);
        state.proposals[seat.index()] += 1;
        state.count = 0;
        state.proposal = Some((policy, None));
        if policy.has_tile() {
            state.phase = Phase::Place;
        } else {
            Self::open_vote(state);
        }
    }

    /// The proposer's vote is yes.
    fn open_vote(state: &mut State) {
        state.votes = [1, 0];
        state.yes = 1 << Self::seat_in_order(state).index();
        state.other = 0;
        state.phase = Phase::Vote;
    }

    fn awaits_vote(&self, state: &mut State) -> bool {
        let proposer = Self::seat_in_order(state);
        while usize::from(state.other) < self.players {
            let voter = state.order.get(state.other.into());
            if voter != proposer {
                state.decider = voter;
                return true;
            }
            state.other += 1;
        }
        state.other = 0;
        state.phase = Phase::Bid;
        false
    }

    fn vote(state: &mut State, seat: Seat, yes: bool) {
        state.votes[usize::from(!yes)] += 1;
        state.yes |= u8::from(yes) << seat.index();
        state.other += 1;
    }

    #[inline]
    fn passes(state: &State) -> bool {
        state.votes[0] > state.votes[1]
    }

    fn awaits_bid(&self, state: &mut State) -> bool {
        let losing = if Self::passes(state) { !state.yes } else { state.yes };
        for _ in 0..self.players {
            let seat = state.order.get(state.other.into());
            if losing & !state.settled & 1 << seat.index() != 0 && state.stock(seat).get(Token::Gold) > 0 {
                state.decider = seat;
                return true;
            }
            self.next_voter(state);
        }
        self.close_vote(state);
        false
    }

    fn next_voter(&self, state: &mut State) {
        state.other = (state.other + 1) % self.players as u8;
    }

    fn bid(&self, state: &mut State, seat: Seat) {
        let passed = Self::passes(state);
        state.stock[seat.index()].take(Token::Gold, 1);
        state.votes[usize::from(state.yes >> seat.index() & 1 == 0)] += 1;
        if Self::passes(state) != passed {
            state.settled = 0;
        }
        self.next_voter(state);
    }

    fn close_vote(&self, state: &mut State) {
        let passes = Self::passes(state);
        state.votes = [0; 2];
        state.yes = 0;
        state.settled = 0;
        state.other = 0;
        state.phase = Phase::Propose;
        self.next_proposer(state);
        match state.proposal.take() {
            Some((policy, tile)) if passes => self.enact(state, policy, tile),
            Some((Policy::City, Some(tile))) => state.failed_sites |= tile.bit() as u16,
            Some((_, Some(tile))) => state.failed_tiles |= tile.bit() as u16,
            _ => state.subsidy_failed = true,
        }
    }

    fn enact(&self, state: &mut State, policy: Policy, tile: Option<Tile>) {
        let bit = tile.map_or(0, |tile| tile.bit() as u16);
        match policy {
            Policy::Subsidy => state.subsidized = true,
            Policy::Unsubsidy => state.subsidized = false,
            Policy::Protect => state.protected |= bit,
            Policy::Unprotect => state.protected &= !bit,
            Policy::City => {
                if let Some(tile) = tile {
                    let slots = self.slots(state, tile);
                    let pollution = (state.polluted & slots).count_ones();
                    state.filled &= !slots;
                    state.polluted &= !slots;
                    state.city = Some(tile);
                    self.pollute(state, tile.row(), pollution);
                }
            }
        }
    }

    // §7.4 Salvage.

    fn salvages(state: &State, seat: Seat) -> Actions {
        let mut actions = Actions::default();
        let mut consider = |kind, tile, there: bool| {
            if there && salvage_number(kind, tile) >= u32::from(state.last) {
                actions.insert(Action::Salvage(kind, tile));
            }
        };
        for tile in ones(state.protected.into()).map(|tile| Tile(tile as u8)) {
            if tile.is_land() {
                let stack = state.stack(seat, tile);
                for kind in SALVABLE {
                    consider(kind, tile, stack.count(kind) > 0);
                }
            } else {
                for slot in [Tile::land(0, tile.row()), Tile::land(1, tile.row())] {
                    consider(Structure::Net, slot, state.net(slot) == Some(seat));
                }
            }
        }
        actions
    }

    fn awaits_salvage(&self, state: &mut State) -> bool {
        self.awaits_seat(state, |_, state, seat| state.protected != 0 && !Self::salvages(state, seat).is_none())
    }

    fn salvage(&self, state: &mut State, seat: Seat, kind: Structure, tile: Tile) {
        match kind {
            Structure::Net => state.nets.set(tile.index(), None),
            _ => state.land[seat.index()][tile.index()].dismantle(kind),
        }
        state.stock[seat.index()].add_all(&self.costs[kind as usize]);
        state.last = salvage_number(kind, tile) as u8;
    }

    // §7.5 The City's site.

    fn contributions(&self, state: &State, seat: Seat) -> u8 {
        if state.city.is_none() || state.city_complete {
            return 0;
        }
        let stock = state.stock(seat);
        let wanted = |token: Token| stock.get(token) > 0 && state.site.get(token) < self.city_cost.get(token);
        Self::in_succession(state, Token::ALL.into_iter().fold(0, |kinds, token| kinds | u8::from(wanted(token)) << token as u8))
    }

    fn awaits_contribution(&self, state: &mut State) -> bool {
        self.awaits_seat(state, |game, state, seat| game.contributions(state, seat) != 0)
    }

    fn contribute(&self, state: &mut State, seat: Seat, token: Token) {
        state.stock[seat.index()].take(token, 1);
        state.site.add(token, 1);
        state.last = token as u8;
        if state.site == self.city_cost {
            state.site = Tokens::NONE;
            state.city_complete = true;
        }
    }

    // §7.6 Purchases.

    fn purchases(state: &State, seat: Seat) -> u8 {
        let can_buy = state.city_stands() && state.stock(seat).get(Token::Gold) > 0;
        if can_buy { Self::in_succession(state, NATURAL) } else { 0 }
    }

    fn awaits_purchase(&self, state: &mut State) -> bool {
        self.awaits_seat(state, |_, state, seat| Self::purchases(state, seat) != 0)
    }

    // §7.7, §7.8 and §9.

    pub(super) fn is_last_day(&self, state: &State) -> bool {
        state.day() >= self.days && !self.is_storm(state)
    }

    fn end_day(&self, state: &mut State) {
        if self.is_last_day(state) {
            state.closing = true;
            Self::begin_step(state, Phase::Sell);
            return;
        }
        if self.is_storm(state) {
            state.carry = state.water;
        }
        state.flooded = 0;
        state.failed_tiles = 0;
        state.failed_sites = 0;
        state.subsidy_failed = false;
        state.cursor = 0;
        for seat in 0..self.players {
            state.proposals[seat] = 0;
            state.camps[seat].status = Status::Fresh;
            state.land[seat].iter_mut().for_each(Stack::refresh);
            state.boats[seat].iter_mut().for_each(Boats::refresh);
        }
        state.almanac >>= 4;
        if state.unseen == 0 {
            Self::begin_day(state);
        } else {
            state.phase = Phase::Night;
        }
    }

    // §8 Trade windows.

    /// Opens a trade window if it is held, or goes on with what comes after.
    fn open_window(&self, state: &mut State, window: Window) {
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
            Window::Row => Self::begin_actions(state),
            Window::Dusk => Self::begin_step(state, Phase::Sell),
        }
    }

    /// The seats that this one can make an offer to.
    fn partners(&self, state: &State, seat: Seat) -> u32 {
        let own = !state.stock(seat).is_empty();
        let partners = self.all_seats().filter(|&other| other != seat && (own || !state.stock(other).is_empty()));
        partners.fold(0, |set, other| set | 1 << other.index())
    }

    #[inline]
    pub(super) fn partner(state: &State) -> Seat {
        Seat::new(state.other.into())
    }

    fn awaits_offer(&self, state: &mut State) -> bool {
        let seat = Self::seat_in_order(state);
        if u32::from(state.count) < self.offers_per_round && self.partners(state, seat) != 0 {
            state.decider = seat;
            return true;
        }
        self.next_offerer(state);
        false
    }

    fn next_offerer(&self, state: &mut State) {
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
    fn givable(&self, state: &State) -> u8 {
        if state.given.total() == self.offer_max_tokens {
            return 0;
        }
        let mut left = *state.stock(Self::seat_in_order(state));
        left.take_all(&state.given);
        Self::in_succession(state, left.kinds())
    }

    fn awaits_give(&self, state: &mut State) -> bool {
        if self.givable(state) != 0 {
            return true;
        }
        Self::ask(state);
        false
    }

    fn ask(state: &mut State) {
        state.last = 0;
        state.phase = Phase::Get;
    }

    /// The kinds of token that the seat can add to what it asks for.
    fn askable(&self, state: &State) -> u8 {
        if state.asked.total() == self.offer_max_tokens {
            return 0;
        }
        let mut left = *state.stock(Self::partner(state));
        left.take_all(&state.asked);
        Self::in_succession(state, left.kinds() & !state.given.kinds())
    }

    fn awaits_get(&self, state: &mut State) -> bool {
        if self.askable(state) != 0 {
            return true;
        }
        Self::await_answer(state);
        false
    }

    fn await_answer(state: &mut State) {
        state.last = 0;
        state.decider = Self::partner(state);
        state.phase = Phase::Answer;
    }

    fn exchange(state: &mut State) {
        let (given, asked) = (state.given, state.asked);
        let (seat, partner) = (Self::seat_in_order(state).index(), usize::from(state.other));
        state.stock[seat].take_all(&given);
        state.stock[partner].take_all(&asked);
        state.stock[seat].add_all(&asked);
        state.stock[partner].add_all(&given);
        Self::end_offer(state);
    }

    fn end_offer(state: &mut State) {
        state.given = Tokens::NONE;
        state.asked = Tokens::NONE;
        state.other = 0;
        state.phase = Phase::Offer;
    }
}

/// [`Token::NATURAL`] as a set.
const NATURAL: u8 = 1 << Token::Fish as u8 | 1 << Token::Gravel as u8 | 1 << Token::Tree as u8;

/// The lowest bit that is set, if any is.
#[inline]
const fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// One of a set of roles, which must not be empty.
fn draw_role(roles: u64, rng: &mut Rng) -> u8 {
    select(roles, below(rng, roles.count_ones())) as u8
}

/// The kind of the thing with this rank among as many things of each kind as `counts` says.
#[inline]
fn nth_of(mut rank: u32, counts: impl Iterator<Item = u32>) -> usize {
    let mut kinds = 0;
    for count in counts {
        if rank < count {
            break;
        }
        rank -= count;
        kinds += 1;
    }
    kinds
}
