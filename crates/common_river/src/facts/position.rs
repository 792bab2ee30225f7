//! The facts of positions of We All Take from the River.

use super::{
    super::{
        CommonRiver,
        components::{MAX_LAND_SLOTS, MAX_LAND_TILES, Objective, Structure, Tile, Token, tiles_in},
        phases::{Mode, Phase},
        pieces::{Camp, Stack, Status},
        state::State,
    },
    FACTS, SeatFacts, SharedFacts, ViewFacts,
    context::Context,
    groups::{BUILDABLE, PRICED},
};
use watershed_engine::{
    bits::ones,
    game::{
        MAX_SEATS, Seat,
        facts::{FactList, PositionFacts},
    },
};

impl CommonRiver {
    pub(in super::super) fn list_position_facts(&self, state: &State, lists: &mut PositionFacts) {
        let facts = &FACTS.0;
        let context = Context::new(self, state);
        let mut stacks = [Stack::default(); MAX_SEATS];
        for seat in self.all_seats() {
            let land = state.total_stack(seat);
            stacks[seat.index()] = land;
            let list = &mut lists.seats[seat.index()];
            context.list_stock(&facts.seat, seat, list);
            context.list_structures(&facts.seat, seat, land, list);
            context.list_choices(&facts.seat, seat, list);
        }
        for seat in self.all_seats() {
            let list = &mut lists.views[seat.index()];
            context.list_objectives(&facts.view, seat, stacks[seat.index()], list);
        }
        context.list_time(&facts.shared, &mut lists.shared);
        context.list_map(&facts.shared, &mut lists.shared);
        context.list_common(&facts.shared, &stacks, &mut lists.shared);
    }

    /// Returns the numbers of trees and gravel on a land tile, of fish in the river next to it, and
    /// of pollution on the tile.
    #[inline]
    pub(super) fn camp_surroundings(&self, state: &State, tile: Tile) -> [usize; 4] {
        let slots = self.slots(state, tile);
        let count = |set: u64| (slots & set).count_ones() as usize;
        [
            count(state.filled & self.map.trees),
            count(state.filled & self.map.gravel),
            self.tokens_in_river(state, tile.row(), Token::Fish) as usize,
            count(state.polluted),
        ]
    }

    /// Returns the result of the proposal as the votes stand: 0 if it fails, otherwise 1 or 2 for
    /// its majority, at most.
    #[inline]
    pub(super) fn vote_result(state: &State) -> usize {
        if state.phase == Phase::ChooseTile {
            return 1;
        }
        usize::from(state.votes[0].saturating_sub(state.votes[1])).min(2)
    }
}

impl Context<'_> {
    /// Returns the number of tokens that a seat lacks for each structure of [`PRICED`], the fish of
    /// the build action included.
    #[inline]
    fn missing_for_prices(&self, seat: Seat) -> [u32; PRICED.len()] {
        let Self { game, state, .. } = *self;
        let stock = state.stock(seat);
        let build_fish = game.data.rules.build_fish.get();
        PRICED.map(|kind| {
            let cost = &game.costs[kind as usize];
            let missing: u32 = [Token::Gold, Token::Gravel, Token::Pollution, Token::Tree]
                .into_iter()
                .map(|token| cost.get(token).saturating_sub(stock.get(token)))
                .sum();
            missing + (cost.get(Token::Fish) + build_fish).saturating_sub(stock.get(Token::Fish))
        })
    }

    #[inline]
    fn list_stock(&self, facts: &SeatFacts, seat: Seat, list: &mut FactList) {
        let Self { game, state, span, public, .. } = *self;
        let stock = state.stock(seat);
        facts.fish(list, stock.get(Token::Fish));
        facts.gold(list, stock.get(Token::Gold));
        facts.gravel(list, stock.get(Token::Gravel));
        facts.pollution(list, stock.get(Token::Pollution));
        facts.trees(list, stock.get(Token::Tree));
        let wanted = game.data.rules.agriculture_fish.get();
        let missing = wanted.saturating_sub(stock.get(Token::Fish));
        let is_public = public >> Objective::Agriculture as u8 & 1;
        facts.missing_fish(list, is_public, span, missing);
        if game.players > 1 {
            let is_only = public == Objective::Capital.bit();
            let lead = self.lead(&self.gold, seat.index());
            facts.gold_lead(list, is_only, span, lead);
            let lead = self.lead(&self.wealth, seat.index());
            facts.wealth_lead(list, is_only, span, lead);
        }
        facts.wealth(list, self.wealth[seat.index()]);
        if !state.city_complete {
            let gap = self.city_gap(seat);
            facts.city_gap(list, state.city.is_some(), span, gap);
        }
        if matches!(state.phase, Phase::Give | Phase::Get | Phase::Answer) {
            let (gains, losses) = if CommonRiver::seat_at_cursor(state) == seat {
                (&state.requested_tokens, &state.offered_tokens)
            } else if CommonRiver::partner(state) == seat {
                (&state.offered_tokens, &state.requested_tokens)
            } else {
                return;
            };
            for token in Token::ALL {
                let difference = gains.get(token) as i32 - losses.get(token) as i32;
                if difference != 0 {
                    facts.offer(list, token as usize, difference);
                }
            }
        }
    }

    /// Returns the number of tokens that the City lacks when a seat has added all that it can.
    #[inline]
    fn city_gap(&self, seat: Seat) -> u32 {
        let stock = self.state.stock(seat);
        Token::ALL
            .into_iter()
            .map(|token| self.city_missing[token as usize].saturating_sub(stock.get(token)))
            .sum()
    }

    #[inline]
    fn list_structures(&self, facts: &SeatFacts, seat: Seat, land: Stack, list: &mut FactList) {
        let Self { game, state, span, .. } = *self;
        let boats = self.boats(seat);
        let nets = state.nets.count(seat);
        let bridges = state.bridges.count(seat);
        let count = |kind: Structure| match kind {
            Structure::Boat => boats,
            Structure::Bridge => bridges,
            Structure::Net => nets,
            _ => land.count(kind),
        };
        for (index, kind) in BUILDABLE.into_iter().enumerate() {
            facts.structures(list, index, count(kind), span);
        }
        let is_ready = self.camp_can_act(seat);
        let missing = self.missing_for_prices(seat);
        for (index, kind) in PRICED.into_iter().enumerate() {
            if missing[index] < 5 {
                facts.price(list, index, missing[index], is_ready, count(kind), span);
            }
        }
        if let Some(tile) = state.camp(seat).tile() {
            let others = state.camp_tiles() & tile.opposite_bank().bit();
            let row = game.row_from_mouth(tile.row());
            facts.camp_row(list, row, others != 0);
            let [trees, gravel, fish, pollution] = game.camp_surroundings(state, tile);
            facts.camp_yield(list, is_ready, trees, gravel, fish);
            let river = self.river_pollution[tile.row()] as usize;
            if pollution + river > 0 {
                facts.camp_pollution(list, pollution, river);
            }
        }
        if boats > 0 {
            for row in 0..game.map.rows {
                let here = state.boats(seat, row);
                let (fish, pollution) = (self.fish[row], self.river_pollution[row]);
                for boat in 0..here.count() {
                    let is_ready = boat < here.fresh() && self.can_act(row);
                    facts.boat(list, game.row_from_mouth(row), is_ready, fish, pollution);
                }
            }
        }
        if land != Stack::default() {
            for index in 0..MAX_LAND_TILES {
                let stack = state.stacks[seat.index()][index];
                if stack != Stack::default() {
                    let tile = Tile(index as u8);
                    self.list_stack(facts, tile, stack, list);
                }
            }
        }
        if nets > 0 {
            for line in 0..game.map.rows {
                let [left, right] = [0, 1].map(|bank| state.net_owner(Tile::land(bank, line)));
                let is_shared = left.is_some() && right.is_some();
                for owner in [left, right] {
                    if owner == Some(seat) {
                        facts.net(list, game.row_from_mouth(line), is_shared);
                    }
                }
            }
        }
    }

    #[inline]
    fn list_stack(&self, facts: &SeatFacts, tile: Tile, stack: Stack, list: &mut FactList) {
        let Self { game, state, .. } = *self;
        let machines = [
            (Structure::Excavator, stack.excavators(Status::Fresh)),
            (Structure::Mill, stack.fresh_mills()),
        ];
        for (index, (kind, fresh)) in machines.into_iter().enumerate() {
            let count = stack.count(kind);
            if count == 0 {
                continue;
            }
            let reach = game.slots_in_reach(state, tile) & game.slots_for(state, kind);
            let pollution = game.slots(state, tile) & state.polluted != 0;
            for machine in 0..count {
                let ready = machine < fresh && self.can_act(tile.row());
                facts.machine(list, index, ready, reach.count_ones(), pollution);
            }
        }
        let farms = stack.count(Structure::Farm);
        if farms > 0 {
            let works = CommonRiver::structures_work(state, tile);
            let canals = game.count_on_tile(state, Structure::Canal, tile);
            for _ in 0..farms {
                facts.farm(list, works, canals, game.row_from_mouth(tile.row()));
            }
        }
    }

    /// Lists the facts about the decisions of a seat.
    #[inline]
    fn list_choices(&self, facts: &SeatFacts, seat: Seat, list: &mut FactList) {
        let Self { game, state, .. } = *self;
        let is_chance = matches!(
            state.phase,
            Phase::Mode
                | Phase::FirstPlayer
                | Phase::Almanac
                | Phase::Roles
                | Phase::Die
                | Phase::Net
                | Phase::Night
                | Phase::Over
        );
        if state.decider == seat && !is_chance {
            facts.decides(list, state.phase as usize, self.span);
            if let Some(actor) = state.actor {
                let kind = acting_index(actor.kind);
                facts.actor(list, kind, actor.stage as usize, actor.only_candidate);
            }
        }
        if game.players == 1 {
            return;
        }
        if state.day > 0 {
            let mut order = 0;
            while order + 1 < game.players && state.camp_order.get(order) != seat {
                order += 1;
            }
            facts.camp_order(list, order);
        }
        facts.proposals(list, state.proposals_made[seat.index()]);
        if let Some((policy, _)) = state.proposal
            && state.phase != Phase::ChooseTile
        {
            let part = if CommonRiver::seat_at_cursor(state) == seat {
                0_usize
            } else if state.yes_voters >> seat.index() & 1 == 1 {
                1
            } else if state.phase == Phase::Bid || self.has_voted(seat) {
                2
            } else {
                3
            };
            facts.vote(list, part, policy as usize);
        }
    }

    /// Returns true if the turn of a seat to vote is over.
    #[inline]
    fn has_voted(&self, seat: Seat) -> bool {
        let Self { game, state, .. } = *self;
        (0..usize::from(state.partner_or_voter).min(game.players))
            .any(|position| state.camp_order.get(position) == seat)
    }

    /// Returns the objectives of any kind that a seat has completed, apart from Charity, which
    /// depends on roles.
    #[inline]
    fn completed_apart_from_charity(&self, seat: usize) -> u8 {
        let Self { game, state, .. } = *self;
        let mut completed = 0;
        if self.pollution == 0 {
            completed |= Objective::Conservation.bit();
        }
        if self.city == 3 {
            completed |= Objective::Development.bit();
        }
        if state.stock[seat].get(Token::Fish) >= game.data.rules.agriculture_fish.get() {
            completed |= Objective::Agriculture.bit();
        }
        if game.players == 1 || self.lead(&self.gold, seat) > 0 {
            completed |= Objective::Capital.bit();
        }
        completed
    }

    /// Lists the facts about the objectives of a seat. The seat knows no objectives of other seats
    /// in a game with roles.
    #[inline]
    fn list_objectives(&self, facts: &ViewFacts, seat: Seat, land: Stack, list: &mut FactList) {
        let Self { game, state, time, .. } = *self;
        let own = game.objectives(state, seat);
        if own == 0 {
            return;
        }
        let has = |objective: Objective| own & objective.bit() != 0;
        let mut completed = self.completed_apart_from_charity(seat.index());
        let stock = state.stock(seat);
        let boats = self.boats(seat);
        if has(Objective::Conservation) {
            facts.conservation(list, time, self.pollution);
            facts.cleaning(list, time, self.pollution, boats);
        }
        if has(Objective::Agriculture) {
            let wanted = game.data.rules.agriculture_fish.get();
            let missing = wanted.saturating_sub(stock.get(Token::Fish));
            facts.agriculture(list, time, missing);
        }
        if has(Objective::Development) {
            let lacks_gold = self.city == 0 && game.proposal_tokens(state, seat) > 0;
            let city = if lacks_gold { 1 } else { self.city };
            facts.development(list, city, time);
            if !state.city_complete {
                let gap = self.city_gap(seat);
                facts.development_gap(list, time, gap);
            }
        }
        if has(Objective::Capital) && game.players > 1 {
            let lead = self.lead(&self.gold, seat.index());
            facts.capital(list, time, lead);
            let lead = self.lead(&self.wealth, seat.index());
            facts.capital_wealth(list, time, lead);
        }
        if has(Objective::Charity) {
            let mut least = 4;
            let mut seats = 0_usize;
            for other in (0..game.players).filter(|&other| other != seat.index()) {
                let done = self.completed_apart_from_charity(other).count_ones();
                least = least.min(done);
                seats += usize::from(done > 0);
            }
            facts.charity(list, time, least);
            facts.charity_seats(list, time, seats);
            // Whether it is completed depends on roles; it is if all kinds are.
            if least == 4 {
                completed |= Objective::Charity.bit();
            }
        }
        self.list_pairs(facts, own, completed, list);
        facts.open_objectives(list, time, (own & !completed).count_ones());
        if has(Objective::Agriculture) || has(Objective::Development) {
            let need = game.need(state, seat, own);
            facts.need(list, time, need);
            let dirt = if has(Objective::Conservation) { self.pollution } else { 0 };
            let income = self.days * self.income(seat, land);
            facts.slack(list, time, income as i32 - (need + dirt) as i32);
            let (lack, supply) = (self.lack(seat, own), self.supply(seat, land));
            for token in 0..if has(Objective::Development) { 3 } else { 1 } {
                facts.lack(list, token, self.span, lack[token].max(0));
                facts.surplus(list, token, self.span, supply[token] as i32 - lack[token]);
            }
        }
    }

    /// Lists the facts about each objective and each two objectives of a seat, of which some are
    /// completed.
    #[inline]
    fn list_pairs(&self, facts: &ViewFacts, own: u8, completed: u8, list: &mut FactList) {
        let Self { state, span, .. } = *self;
        let done = |objective: usize| usize::from(completed >> objective & 1 == 1);
        let mut rest = own;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if own.is_power_of_two() {
                facts.pair(list, first, first, done(first), span);
            }
            for second in ones(rest.into()).map(|second| second as usize) {
                let both = done(first) | done(second) << 1;
                facts.pair(list, first, second, both, span);
            }
            if let Some((policy, _)) = state.proposal {
                facts.policy(list, policy as usize, first, CommonRiver::vote_result(state));
            }
        }
    }

    #[inline]
    fn list_time(&self, facts: &SharedFacts, list: &mut FactList) {
        let Self { game, state, time, span, mode, .. } = *self;
        facts.table(list, mode, game.players);
        facts.phase(list, state.phase as usize, mode);
        facts.time(list, time, mode);
        let days = game.data.rules.days.get();
        facts.share_played(list, state.day().min(days) * 10 / days);
        facts.rows_to_act(list, self.rows_to_act.count_ones(), game.is_storm(state));
        facts.water(list, state.water());
        facts.carried_water(list, state.carried_water().max(0));
        let mut storm_at = 4;
        for place in 0..3 {
            if let Some(card) = state.almanac_card(place) {
                let is_storm = game.storms >> (card + 1) & 1 == 1;
                if is_storm && storm_at == 4 {
                    storm_at = place;
                }
                let modifier = game.data.weather[card].modifier.signed() as i32;
                facts.card(list, place + 1, modifier, is_storm);
            }
        }
        if storm_at == 4
            && ones((game.storms >> 1).into()).any(|card| state.unseen_count(card as usize) > 0)
        {
            storm_at = 3;
        }
        facts.storm(list, storm_at, span);
    }

    #[inline]
    fn list_map(&self, facts: &SharedFacts, list: &mut FactList) {
        let Self { game, state, time, span, .. } = *self;
        facts.pollution(list, time, self.pollution);
        let mut fish_rows = 0_usize;
        let mut upriver = 0;
        for row in 0..game.map.rows {
            let from_mouth = game.row_from_mouth(row);
            let pollution = self.river_pollution[row];
            facts.river_pollution(list, from_mouth, pollution);
            upriver += if from_mouth > 0 { pollution } else { 0 };
            let land = game.map.slots[Tile::land(0, row).index()]
                | game.map.slots[Tile::land(1, row).index()];
            facts.land_pollution(list, from_mouth, (land & state.polluted).count_ones());
            facts.fish(list, from_mouth, self.fish[row]);
            fish_rows += usize::from(self.fish[row] > 0);
        }
        facts.fish_rows(list, time, fish_rows);
        facts.estuary(list, (game.map.estuary & !state.polluted).count_ones(), upriver, span);
        facts.unattended(list, time, self.unattended_tiles());
        facts.trees(list, (state.filled & game.map.trees).count_ones());
        facts.gravel(list, (state.filled & game.map.gravel).count_ones());
        let protected = u32::from(state.protected);
        facts.protected_land(list, (protected & game.map.land).count_ones());
        facts.protected_river(list, (protected & !game.map.land).count_ones());
        facts.flooded(list, state.flooded.count_ones());
    }

    /// Returns the number of polluted land tiles without a structure that can remove the pollution.
    #[inline]
    fn unattended_tiles(&self) -> usize {
        const LAND: u64 = (1 << (MAX_LAND_TILES * MAX_LAND_SLOTS)) - 1;
        let Self { game, state, .. } = *self;
        if state.polluted & LAND == 0 {
            return 0;
        }
        let camps = Camp::tiles(&state.camps);
        let polluted = tiles_in(game.map.land)
            .filter(|tile| state.polluted & game.map.slots[tile.index()] != 0);
        polluted
            .filter(|tile| {
                camps & tile.bit() == 0
                    && game.all_seats().all(|seat| {
                        let stack = state.stack(seat, *tile);
                        stack.count(Structure::Mill) + stack.count(Structure::Excavator) == 0
                    })
            })
            .count()
    }

    /// Lists the facts about the City, policies, and what the seats need together.
    #[inline]
    fn list_common(&self, facts: &SharedFacts, stacks: &[Stack; MAX_SEATS], list: &mut FactList) {
        let Self { game, state, time, span, .. } = *self;
        facts.city(list, self.city, time);
        if let Some(tile) = state.city {
            let elevation = game.effective_elevation(state, tile);
            let row = game.row_from_mouth(tile.row());
            facts.city_tile(list, elevation, state.city_complete, row);
            self.list_city_margin(facts, elevation.into(), list);
            if !state.city_complete {
                for (index, token) in Token::NATURAL.into_iter().enumerate() {
                    facts.city_missing(list, index, self.city_missing[token as usize]);
                }
                facts.city_total(list, time, self.city_missing.iter().sum::<u32>());
            }
        }
        if state.subsidized {
            facts.subsidized(list, span);
        }
        if let Some((policy, _)) = state.proposal {
            facts.proposal(list, policy as usize, CommonRiver::vote_result(state));
        }
        if state.phase == Phase::Take {
            facts.taking(list);
        }
        if matches!(state.mode, Mode::Solo | Mode::Coop) {
            let mut need = self.team_need();
            let coop = state.mode == Mode::Coop;
            if self.public & Objective::Conservation.bit() != 0 {
                need += self.pollution;
            }
            let income: u32 =
                game.all_seats().map(|seat| self.income(seat, stacks[seat.index()])).sum();
            let slack = (income * self.days) as i32 - need as i32;
            // The need of one seat, so that both modes have equal ranges.
            facts.team_need(list, coop, time, need.div_ceil(if coop { 2 } else { 1 }));
            facts.team_slack(list, coop, time, slack);
            if coop {
                self.list_team_tokens(facts, stacks, list);
            }
        }
    }

    /// Lists how far the City is above the water that the weather cards to come bring, without that
    /// of the die.
    #[inline]
    fn list_city_margin(&self, facts: &SharedFacts, elevation: i32, list: &mut FactList) {
        let Self { game, state, span, .. } = *self;
        let modifier = |card: usize| game.data.weather[card].modifier.signed() as i32;
        let face_up = (0..3).filter_map(|place| state.almanac_card(place)).map(modifier).max();
        let unseen = (0..game.data.weather.len()).filter(|&card| state.unseen_count(card) > 0);
        for (index, highest) in [face_up, unseen.map(modifier).max()].into_iter().enumerate() {
            if let Some(highest) = highest {
                facts.city_margin(list, index, span, elevation - highest);
            }
        }
    }

    /// Lists what two seats with the same objectives lack together, and what they can still take.
    #[inline]
    fn list_team_tokens(
        &self,
        facts: &SharedFacts,
        stacks: &[Stack; MAX_SEATS],
        list: &mut FactList,
    ) {
        // What the City lacks is wanted once.
        let city = self.lack(Seat::new(0), Objective::Development.bit());
        let held = Token::NATURAL.map(|token| self.state.stock(Seat::new(0)).get(token) as i32);
        let (mut lack, mut supply) = ([0, 1, 2].map(|token| city[token] + held[token]), [0; 3]);
        for seat in self.game.all_seats() {
            let own = self.lack(seat, self.public & Objective::Agriculture.bit());
            let of_seat = self.supply(seat, stacks[seat.index()]);
            for token in 0..lack.len() {
                lack[token] += own[token];
                supply[token] += of_seat[token] as i32;
            }
        }
        for token in 0..lack.len() {
            facts.team_lack(list, token, self.span, lack[token].max(0));
            facts.team_surplus(list, token, self.span, supply[token] - lack[token]);
        }
    }

    /// Returns the number of tokens that seats with the same objectives together need for the
    /// objectives Agriculture and Development. Only fish beyond those for Agriculture are shared.
    #[inline]
    fn team_need(&self) -> u32 {
        let Self { game, state, .. } = *self;
        let has = |objective: Objective| self.public & objective.bit() != 0;
        let wanted =
            if has(Objective::Agriculture) { game.data.rules.agriculture_fish.get() } else { 0 };
        let mut need = 0;
        let mut missing = self.city_missing;
        let mut gold = u32::MAX;
        for seat in game.all_seats() {
            let stock = state.stock(seat);
            let fish = stock.get(Token::Fish);
            need += wanted.saturating_sub(fish);
            for token in Token::ALL {
                let held = if token == Token::Fish {
                    fish.saturating_sub(wanted)
                } else {
                    stock.get(token)
                };
                let missing = &mut missing[token as usize];
                *missing = missing.saturating_sub(held);
            }
            gold = gold.min(game.proposal_tokens(state, seat));
        }
        if has(Objective::Development) {
            need += missing.iter().sum::<u32>();
            if state.city.is_none() {
                need += gold;
            }
        }
        need
    }
}

/// Returns the index of an acting structure among [`ACTING`](super::groups::ACTING).
#[inline]
pub(super) const fn acting_index(kind: Structure) -> usize {
    match kind {
        Structure::Boat => 0,
        Structure::Camp => 1,
        Structure::Excavator => 2,
        _ => 3,
    }
}
