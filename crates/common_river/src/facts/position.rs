//! The facts of positions of We All Take from the River.

use super::{
    super::{
        CommonRiver,
        components::{MAX_LAND_SLOTS, MAX_LAND_TILES, Objective, Structure, Tile, Token, tiles_in},
        phases::{Mode, Phase},
        pieces::{Camp, Stack, Status},
        state::State,
    },
    FACTS, Facts, SeatFacts, ViewFacts,
    groups::{
        BUILDABLE, MAX_DIFFERENCE, MAX_GOLD_LEAD, MAX_SLACK, MAX_WEALTH_LEAD, MODIFIERS, PRICED,
        WATER, index_between,
    },
    situation::PositionNumbers,
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
        let situation = PositionNumbers::new(self, state);
        let mut stacks = [Stack::default(); MAX_SEATS];
        let mut prices_missing = [[0; PRICED.len()]; MAX_SEATS];
        for seat in self.all_seats() {
            let index = seat.index();
            stacks[index] = state.total_stack(seat);
            prices_missing[index] = self.missing_for_prices(state, seat);
            let list = &mut lists.seats[index];
            self.list_stock_facts(&facts.seat, state, &situation, seat, list);
            self.list_structure_facts(
                &facts.seat,
                state,
                &situation,
                seat,
                stacks[index],
                prices_missing[index],
                list,
            );
            self.list_choice_facts(&facts.seat, state, &situation, seat, list);
        }
        for seat in self.all_seats() {
            let list = &mut lists.views[seat.index()];
            self.list_objective_facts(facts, state, &situation, seat, stacks[seat.index()], list);
        }
        self.list_time_facts(facts, state, &situation, &mut lists.shared);
        self.list_map_facts(facts, state, &situation, &mut lists.shared);
        self.list_common_facts(facts, state, &situation, &stacks, &mut lists.shared);
    }

    /// Returns the number of tokens that a seat lacks for each structure of [`PRICED`], the fish of
    /// the build action included.
    #[inline]
    fn missing_for_prices(&self, state: &State, seat: Seat) -> [u32; PRICED.len()] {
        let stock = state.stock(seat);
        let build_fish = self.data.rules.build_fish.get();
        PRICED.map(|kind| {
            let cost = &self.costs[kind as usize];
            let missing: u32 = [Token::Gold, Token::Gravel, Token::Pollution, Token::Tree]
                .into_iter()
                .map(|token| cost.get(token).saturating_sub(stock.get(token)))
                .sum();
            missing + (cost.get(Token::Fish) + build_fish).saturating_sub(stock.get(Token::Fish))
        })
    }

    #[inline]
    fn list_stock_facts(
        &self,
        facts: &SeatFacts,
        state: &State,
        situation: &PositionNumbers,
        seat: Seat,
        list: &mut FactList,
    ) {
        let &PositionNumbers { span, public, .. } = situation;
        let stock = state.stock(seat);
        for token in Token::ALL {
            list.push_number(facts.stock[token as usize], stock.get(token));
        }
        let wanted = self.data.rules.agriculture_fish.get();
        let missing = wanted.saturating_sub(stock.get(Token::Fish));
        let is_public = public >> Objective::Agriculture as u8 & 1;
        facts.missing_fish.push(list, [is_public.into(), span, missing as usize]);
        if self.players > 1 {
            let only = usize::from(public == Objective::Capital.bit());
            let lead = PositionNumbers::lead(&situation.gold, self.players, seat.index());
            let lead = index_between(lead, -MAX_GOLD_LEAD, MAX_GOLD_LEAD);
            facts.gold_lead.push(list, [only, span, lead]);
            let lead = PositionNumbers::lead(&situation.wealth, self.players, seat.index());
            let lead = index_between(lead, -MAX_WEALTH_LEAD, MAX_WEALTH_LEAD);
            facts.wealth_lead.push(list, [only, span, lead]);
        }
        list.push_number(facts.wealth, situation.wealth[seat.index()] as u32);
        if !state.city_complete {
            let gap = self.city_gap(state, situation, seat);
            let site = usize::from(state.city.is_some());
            facts.city_gap.push(list, [site, span, gap as usize]);
        }
        if matches!(state.phase, Phase::Give | Phase::Get | Phase::Answer) {
            let (gains, losses) = if Self::seat_at_cursor(state) == seat {
                (&state.requested_tokens, &state.offered_tokens)
            } else if Self::partner(state) == seat {
                (&state.offered_tokens, &state.requested_tokens)
            } else {
                return;
            };
            for token in Token::ALL {
                let difference = gains.get(token) as i32 - losses.get(token) as i32;
                if difference != 0 {
                    let index = index_between(difference, -MAX_DIFFERENCE, MAX_DIFFERENCE);
                    facts.offer.push(list, [token as usize, index]);
                }
            }
        }
    }

    /// Returns the number of tokens that the City lacks when a seat has added all that it can.
    #[inline]
    #[expect(clippy::unused_self, reason = "all lists of a block have the same form")]
    fn city_gap(&self, state: &State, situation: &PositionNumbers, seat: Seat) -> u32 {
        let stock = state.stock(seat);
        Token::ALL
            .into_iter()
            .map(|token| situation.city_missing[token as usize].saturating_sub(stock.get(token)))
            .sum()
    }

    #[inline]
    #[expect(clippy::too_many_arguments, reason = "computed once for several lists")]
    fn list_structure_facts(
        &self,
        facts: &SeatFacts,
        state: &State,
        situation: &PositionNumbers,
        seat: Seat,
        land: Stack,
        missing: [u32; PRICED.len()],
        list: &mut FactList,
    ) {
        let span = situation.span;
        let boats: u32 = state.boats[seat.index()].iter().map(|boats| boats.count()).sum();
        let nets = state.nets.count(seat);
        let bridges = state.bridges.count(seat);
        let count = |kind: Structure| match kind {
            Structure::Boat => boats,
            Structure::Bridge => bridges,
            Structure::Net => nets,
            _ => land.count(kind),
        };
        for (index, kind) in BUILDABLE.into_iter().enumerate() {
            let count = count(kind);
            if count > 0 {
                facts.structures.push(list, [index, count as usize, span]);
            }
        }
        let ready = usize::from(situation.camp_can_act(state, seat));
        for (index, kind) in PRICED.into_iter().enumerate() {
            if missing[index] < 5 {
                let at = [index, missing[index] as usize, ready, count(kind) as usize, span];
                facts.price.push(list, at);
            }
        }
        if let Some(tile) = state.camp(seat).tile() {
            let others = state.camp_tiles() & tile.opposite_bank().bit();
            let row = self.row_from_mouth(tile.row());
            facts.camp_row.push(list, [row, usize::from(others != 0)]);
            let [trees, gravel, fish, pollution] = self.camp_surroundings(state, tile);
            facts.camp_yield.push(list, [ready, trees, gravel, fish]);
            let river = situation.river_pollution[tile.row()] as usize;
            if pollution + river > 0 {
                facts.camp_pollution.push(list, [pollution, river]);
            }
        }
        if boats > 0 {
            for row in 0..self.map.rows {
                let here = state.boats(seat, row);
                let fish = situation.fish[row] as usize;
                let pollution = situation.river_pollution[row] as usize;
                for boat in 0..here.count() {
                    let ready = boat < here.fresh() && situation.can_act(row);
                    let at = [self.row_from_mouth(row), usize::from(ready), fish, pollution];
                    facts.boat.push(list, at);
                }
            }
        }
        if land != Stack::default() {
            for index in 0..MAX_LAND_TILES {
                let stack = state.stacks[seat.index()][index];
                if stack != Stack::default() {
                    let tile = Tile(index as u8);
                    self.list_stack_facts(facts, state, situation, tile, stack, list);
                }
            }
        }
        if nets > 0 {
            for line in 0..self.map.rows {
                let [left, right] = [0, 1].map(|bank| state.net_owner(Tile::land(bank, line)));
                let at =
                    [self.row_from_mouth(line), usize::from(left.is_some() && right.is_some())];
                for owner in [left, right] {
                    if owner == Some(seat) {
                        facts.net.push(list, at);
                    }
                }
            }
        }
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

    #[inline]
    fn list_stack_facts(
        &self,
        facts: &SeatFacts,
        state: &State,
        situation: &PositionNumbers,
        tile: Tile,
        stack: Stack,
        list: &mut FactList,
    ) {
        let machines = [
            (Structure::Excavator, stack.excavators(Status::Fresh)),
            (Structure::Mill, stack.fresh_mills()),
        ];
        for (index, (kind, fresh)) in machines.into_iter().enumerate() {
            let count = stack.count(kind);
            if count == 0 {
                continue;
            }
            let reach = self.slots_in_reach(state, tile) & self.slots_for(state, kind);
            let pollution = self.slots(state, tile) & state.polluted != 0;
            for machine in 0..count {
                let ready = machine < fresh && situation.can_act(tile.row());
                let at = [
                    index,
                    usize::from(ready),
                    reach.count_ones() as usize,
                    usize::from(pollution),
                ];
                facts.machine.push(list, at);
            }
        }
        let farms = stack.count(Structure::Farm);
        if farms > 0 {
            let works = usize::from(Self::structures_work(state, tile));
            let canals = self.count_on_tile(state, Structure::Canal, tile) as usize;
            for _ in 0..farms {
                facts.farm.push(list, [works, canals, self.row_from_mouth(tile.row())]);
            }
        }
    }

    /// Lists the facts about the decisions of a seat.
    #[inline]
    fn list_choice_facts(
        &self,
        facts: &SeatFacts,
        state: &State,
        situation: &PositionNumbers,
        seat: Seat,
        list: &mut FactList,
    ) {
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
            facts.decides.push(list, [state.phase as usize, situation.span]);
            if let Some(actor) = state.actor {
                let kind = acting_index(actor.kind);
                facts
                    .actor
                    .push(list, [kind, actor.stage as usize, usize::from(actor.only_candidate)]);
            }
        }
        if self.players == 1 {
            return;
        }
        if state.day > 0 {
            let mut order = 0;
            while order + 1 < self.players && state.camp_order.get(order) != seat {
                order += 1;
            }
            facts.camp_order.push(list, [order]);
        }
        list.push_number(facts.proposals, state.proposals_made[seat.index()].into());
        if let Some((policy, _)) = state.proposal
            && state.phase != Phase::ChooseTile
        {
            let part = if Self::seat_at_cursor(state) == seat {
                0
            } else if state.yes_voters >> seat.index() & 1 == 1 {
                1
            } else if state.phase == Phase::Bid || self.has_voted(state, seat) {
                2
            } else {
                3
            };
            facts.vote.push(list, [part, policy as usize]);
        }
    }

    /// Returns true if the turn of a seat to vote is over.
    #[inline]
    fn has_voted(&self, state: &State, seat: Seat) -> bool {
        (0..usize::from(state.partner_or_voter).min(self.players))
            .any(|position| state.camp_order.get(position) == seat)
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

    /// Returns the objectives of any kind that a seat has completed, apart from Charity, which
    /// depends on roles.
    #[inline]
    fn completed_apart_from_charity(
        &self,
        state: &State,
        situation: &PositionNumbers,
        seat: usize,
    ) -> u8 {
        let mut completed = 0;
        if situation.pollution == 0 {
            completed |= Objective::Conservation.bit();
        }
        if situation.city == 3 {
            completed |= Objective::Development.bit();
        }
        if state.stock[seat].get(Token::Fish) >= self.data.rules.agriculture_fish.get() {
            completed |= Objective::Agriculture.bit();
        }
        if self.players == 1 || PositionNumbers::lead(&situation.gold, self.players, seat) > 0 {
            completed |= Objective::Capital.bit();
        }
        completed
    }

    /// Lists the facts about the objectives of a seat. The seat knows no objectives of other seats
    /// in a game with roles.
    #[inline]
    fn list_objective_facts(
        &self,
        facts: &Facts,
        state: &State,
        situation: &PositionNumbers,
        seat: Seat,
        land: Stack,
        list: &mut FactList,
    ) {
        let facts = &facts.view;
        let &PositionNumbers { time, span, .. } = situation;
        let own = self.objectives(state, seat);
        if own == 0 {
            return;
        }
        let has = |objective: Objective| own & objective.bit() != 0;
        let mut completed = self.completed_apart_from_charity(state, situation, seat.index());
        let stock = state.stock(seat);
        let boats: u32 = state.boats[seat.index()].iter().map(|boats| boats.count()).sum();
        if has(Objective::Conservation) {
            let pollution = situation.pollution as usize;
            facts.conservation.push(list, [time, pollution]);
            facts.cleaning.push(list, [time, pollution, boats as usize]);
        }
        if has(Objective::Agriculture) {
            let wanted = self.data.rules.agriculture_fish.get();
            let missing = wanted.saturating_sub(stock.get(Token::Fish));
            facts.agriculture.push(list, [time, missing as usize]);
        }
        if has(Objective::Development) {
            let lacks_gold = situation.city == 0 && self.proposal_tokens(state, seat) > 0;
            let city = if lacks_gold { 1 } else { situation.city };
            facts.development.push(list, [city, time]);
            if !state.city_complete {
                let gap = self.city_gap(state, situation, seat);
                facts.development_gap.push(list, [time, gap as usize]);
            }
        }
        if has(Objective::Capital) && self.players > 1 {
            let lead = PositionNumbers::lead(&situation.gold, self.players, seat.index());
            let lead = index_between(lead, -MAX_GOLD_LEAD, MAX_GOLD_LEAD);
            facts.capital.push(list, [time, lead]);
            let lead = PositionNumbers::lead(&situation.wealth, self.players, seat.index());
            let lead = index_between(lead, -MAX_WEALTH_LEAD, MAX_WEALTH_LEAD);
            facts.capital_wealth.push(list, [time, lead]);
        }
        if has(Objective::Charity) {
            // Whether it is completed depends on roles; it is if all kinds are.
            if self.list_charity_facts(facts, state, situation, seat, list) == 4 {
                completed |= Objective::Charity.bit();
            }
        }
        let done = |objective: usize| usize::from(completed >> objective & 1 == 1);
        let mut rest = own;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if own.is_power_of_two() {
                facts.pair.push(list, [first, first, done(first), span]);
            }
            for second in ones(rest.into()).map(|second| second as usize) {
                let both = done(first) | done(second) << 1;
                facts.pair.push(list, [first, second, both, span]);
            }
            if let Some((policy, _)) = state.proposal {
                facts.policy.push(list, [policy as usize, first, Self::vote_result(state)]);
            }
        }
        facts.open_objectives.push(list, [time, (own & !completed).count_ones() as usize]);
        if has(Objective::Agriculture) || has(Objective::Development) {
            let need = self.need(state, seat, own);
            facts.need.push(list, [time, need.div_ceil(2) as usize]);
            let dirt = if has(Objective::Conservation) { situation.pollution } else { 0 };
            let income = situation.days * PositionNumbers::income(state, seat, land);
            let slack = (income as i32 - (need + dirt) as i32).div_euclid(2);
            facts.slack.push(list, [time, index_between(slack, -MAX_SLACK, MAX_SLACK)]);
        }
    }

    /// Lists the facts about the objective Charity. Returns the lowest number of objectives, of any
    /// other kind, that another seat has completed.
    #[inline]
    fn list_charity_facts(
        &self,
        facts: &ViewFacts,
        state: &State,
        situation: &PositionNumbers,
        seat: Seat,
        list: &mut FactList,
    ) -> usize {
        let mut least = 4;
        let mut seats = 0;
        for other in (0..self.players).filter(|&other| other != seat.index()) {
            let done = self.completed_apart_from_charity(state, situation, other).count_ones();
            least = least.min(done as usize);
            seats += usize::from(done > 0);
        }
        facts.charity.push(list, [situation.time, least]);
        facts.charity_seats.push(list, [situation.time, seats]);
        least
    }

    #[inline]
    fn list_time_facts(
        &self,
        facts: &Facts,
        state: &State,
        situation: &PositionNumbers,
        list: &mut FactList,
    ) {
        let facts = &facts.shared;
        let &PositionNumbers { time, span, mode, .. } = situation;
        facts.table.push(list, [mode, self.players]);
        facts.phase.push(list, [state.phase as usize, mode]);
        facts.time.push(list, [time, mode]);
        let days = self.data.rules.days.get();
        list.push_number(facts.share_played, state.day().min(days) * 10 / days);
        let storm = self.is_storm(state);
        let rows = situation.rows_to_act.count_ones() as usize;
        facts.rows_to_act.push(list, [rows, usize::from(storm)]);
        facts.water.push(list, [index_between(state.water(), WATER.0, WATER.1)]);
        list.push_number(facts.carried_water, state.carried_water().max(0) as u32);
        let mut storm_at = 4;
        for place in 0..3 {
            if let Some(card) = state.almanac_card(place) {
                let is_storm = self.storms >> (card + 1) & 1 == 1;
                if is_storm && storm_at == 4 {
                    storm_at = place;
                }
                let modifier = self.data.weather[card].modifier.signed() as i32;
                let index = index_between(modifier, MODIFIERS.0, MODIFIERS.1);
                facts.card.push(list, [place, index, usize::from(is_storm)]);
            }
        }
        if storm_at == 4
            && ones((self.storms >> 1).into()).any(|card| state.unseen_count(card as usize) > 0)
        {
            storm_at = 3;
        }
        facts.storm.push(list, [storm_at, span]);
    }

    #[inline]
    fn list_map_facts(
        &self,
        facts: &Facts,
        state: &State,
        situation: &PositionNumbers,
        list: &mut FactList,
    ) {
        let facts = &facts.shared;
        let &PositionNumbers { time, span, .. } = situation;
        if situation.pollution > 0 {
            facts.pollution.push(list, [time, situation.pollution as usize]);
        }
        let mut fish_rows = 0;
        let mut upriver = 0;
        for row in 0..self.map.rows {
            let from_mouth = self.row_from_mouth(row);
            let pollution = situation.river_pollution[row];
            if pollution > 0 {
                facts.river_pollution.push(list, [from_mouth, pollution as usize]);
                upriver += if from_mouth > 0 { pollution } else { 0 };
            }
            let land = self.map.slots[Tile::land(0, row).index()]
                | self.map.slots[Tile::land(1, row).index()];
            let pollution = (land & state.polluted).count_ones();
            if pollution > 0 {
                facts.land_pollution.push(list, [from_mouth, pollution as usize]);
            }
            let fish = situation.fish[row];
            if fish > 0 {
                facts.fish.push(list, [from_mouth, fish as usize]);
                fish_rows += 1;
            }
        }
        facts.fish_rows.push(list, [time, fish_rows]);
        let clean = (self.map.estuary & !state.polluted).count_ones();
        facts.estuary.push(list, [clean as usize, upriver as usize, span]);
        let unattended = self.unattended_tiles(state);
        if unattended > 0 {
            facts.unattended.push(list, [time, unattended]);
        }
        list.push_number(facts.trees, (state.filled & self.map.trees).count_ones());
        list.push_number(facts.gravel, (state.filled & self.map.gravel).count_ones());
        let protected = u32::from(state.protected);
        list.push_number(facts.protected_land, (protected & self.map.land).count_ones());
        list.push_number(facts.protected_river, (protected & !self.map.land).count_ones());
        list.push_number(facts.flooded, state.flooded.count_ones());
    }

    /// Returns the number of polluted land tiles without a structure that can remove the pollution.
    #[inline]
    fn unattended_tiles(&self, state: &State) -> usize {
        const LAND: u64 = (1 << (MAX_LAND_TILES * MAX_LAND_SLOTS)) - 1;
        if state.polluted & LAND == 0 {
            return 0;
        }
        let camps = Camp::tiles(&state.camps);
        let polluted = tiles_in(self.map.land)
            .filter(|tile| state.polluted & self.map.slots[tile.index()] != 0);
        polluted
            .filter(|tile| {
                camps & tile.bit() == 0
                    && self.all_seats().all(|seat| {
                        let stack = state.stack(seat, *tile);
                        stack.count(Structure::Mill) + stack.count(Structure::Excavator) == 0
                    })
            })
            .count()
    }

    /// Lists the facts about the City, policies, and what the seats need together.
    #[inline]
    fn list_common_facts(
        &self,
        facts: &Facts,
        state: &State,
        situation: &PositionNumbers,
        stacks: &[Stack; MAX_SEATS],
        list: &mut FactList,
    ) {
        let facts = &facts.shared;
        let &PositionNumbers { time, span, .. } = situation;
        facts.city.push(list, [situation.city, time]);
        if let Some(tile) = state.city {
            let complete = usize::from(state.city_complete);
            let elevation = self.effective_elevation(state, tile).max(0) as usize;
            facts.city_tile.push(list, [elevation, complete, self.row_from_mouth(tile.row())]);
            if !state.city_complete {
                for (group, token) in facts.city_missing.into_iter().zip(Token::NATURAL) {
                    list.push_number(group, situation.city_missing[token as usize]);
                }
                let total: u32 = situation.city_missing.iter().sum();
                facts.city_total.push(list, [time, total as usize]);
            }
        }
        if state.subsidized {
            facts.subsidized.push(list, [span]);
        }
        if let Some((policy, _)) = state.proposal {
            facts.proposal.push(list, [policy as usize, Self::vote_result(state)]);
        }
        if state.phase == Phase::Take {
            list.push(facts.taking);
        }
        if matches!(state.mode, Mode::Solo | Mode::Coop) {
            let mut need = self.team_need(state, situation);
            let coop = usize::from(state.mode == Mode::Coop);
            if situation.public & Objective::Conservation.bit() != 0 {
                need += situation.pollution;
            }
            let income: u32 = self
                .all_seats()
                .map(|seat| PositionNumbers::income(state, seat, stacks[seat.index()]))
                .sum();
            let slack = ((income * situation.days) as i32 - need as i32).div_euclid(2);
            // Half the need of one seat, so that both modes have equal ranges.
            let scaled = need.div_ceil(if coop == 1 { 4 } else { 2 });
            facts.team_need.push(list, [coop, time, scaled as usize]);
            let slack = index_between(slack, -MAX_SLACK, MAX_SLACK);
            facts.team_slack.push(list, [coop, time, slack]);
        }
    }

    /// Returns the number of tokens that seats with the same objectives together need for the
    /// objectives Agriculture and Development. Only fish beyond those for Agriculture are shared.
    #[inline]
    fn team_need(&self, state: &State, situation: &PositionNumbers) -> u32 {
        let has = |objective: Objective| situation.public & objective.bit() != 0;
        let wanted =
            if has(Objective::Agriculture) { self.data.rules.agriculture_fish.get() } else { 0 };
        let mut need = 0;
        let mut missing = situation.city_missing;
        let mut gold = u32::MAX;
        for seat in self.all_seats() {
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
            gold = gold.min(self.proposal_tokens(state, seat));
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

/// Returns the index of an acting structure among [`ACTING`](super::ACTING).
#[inline]
pub(super) const fn acting_index(kind: Structure) -> usize {
    match kind {
        Structure::Boat => 0,
        Structure::Camp => 1,
        Structure::Excavator => 2,
        _ => 3,
    }
}
