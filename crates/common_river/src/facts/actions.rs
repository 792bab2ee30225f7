//! The facts of actions of We All Take from the River.

use super::{
    super::{
        CommonRiver,
        action::{Action, kind_index},
        components::{MAX_LAND_TILES, Objective, Structure, Tile, Token, tiles_in},
        phases::{Mode, Phase, PolicyKind, Stage},
        state::State,
    },
    ActionFacts, FACTS,
    context::{span_of, time_of},
    position::acting_index,
};
use watershed_engine::{
    bits::ones,
    game::{Seat, facts::FactList},
};

/// Values that the facts of all actions of a decision depend on.
pub(in super::super) struct Choice<'a> {
    game: &'a CommonRiver,
    facts: &'a ActionFacts,
    state: &'a State,
    seat: Seat,
    /// The objectives of the seat.
    own: u8,
    time: usize,
    span: usize,
}

impl<'a> Choice<'a> {
    #[inline]
    pub(in super::super) fn new(game: &'a CommonRiver, state: &'a State, seat: Seat) -> Self {
        let days = game.days_to_act(state);
        Self {
            game,
            facts: &FACTS.0.action,
            state,
            seat,
            own: game.objectives(state, seat),
            time: time_of(days),
            span: span_of(days),
        }
    }

    /// Lists the facts of an action.
    #[inline]
    pub(in super::super) fn list(&self, action: Action, list: &mut FactList) {
        let facts = self.facts;
        let state = self.state;
        facts.kind(list, kind_index(action), self.span, state.mode as usize);
        match action {
            Action::Done | Action::Pass | Action::Enough | Action::EndGive => {
                facts.ends(list, state.phase as usize, self.span);
                if action == Action::Enough {
                    self.list_pollution(state.row(), list);
                }
            }
            Action::Stop => {
                if let Some(actor) = state.actor {
                    let kind = acting_index(actor.kind);
                    facts.stop(list, kind, actor.stage as usize, self.span);
                }
            }
            Action::Send => {
                self.list_exchange(2, true, list);
            }
            Action::Accept => self.list_exchange(1, false, list),
            Action::Refuse => self.list_exchange(0, false, list),
            Action::Settle | Action::Bid => self.list_bid(action == Action::Bid, list),
            Action::Camp(tile) => self.list_new_camp(tile, list),
            Action::Use(kind, tile) => self.list_use(kind, tile, list),
            Action::Harvest(token) => self.list_harvest(token, list),
            Action::Dredge => {
                self.list_gain(Token::Gravel, list);
                self.list_pollution(state.row(), list);
            }
            Action::Take(tile) => self.list_take(tile, list),
            Action::Plant(token) => self.list_plant(token, list),
            Action::Build(kind) => self.list_build(kind, None, list),
            Action::BuildNet(slot) => self.list_build(Structure::Net, Some(slot), list),
            Action::Remove(kind, _) => facts.remove(list, kind as usize),
            Action::Move(tile) => self.list_move(tile, list),
            Action::Ferry(kind, _) => facts.ferry(list, kind == Structure::Camp),
            Action::Sell(token) => self.list_sale(token, list),
            Action::Buy(token) => {
                self.list_gain(token, list);
                facts.buy(list, state.stock(self.seat).get(Token::Gold) - 1);
            }
            Action::Propose(policy) => {
                for objective in ones(self.own.into()) {
                    facts.propose(list, policy as usize, objective, self.span);
                }
            }
            Action::Tile(tile) => {
                if let Some((policy, _)) = state.proposal {
                    self.list_policy_tile(policy, tile, 2, list);
                }
            }
            Action::Vote(yes) => self.list_vote(yes, list),
            Action::Salvage(kind, _) => facts.salvage(list, kind as usize),
            Action::City(token) => self.list_contribution(token, list),
            Action::Offer(partner) => {
                facts.partner(list, state.stock(partner).total(), state.mode as usize);
            }
            Action::Give(token) => self.list_offer_token(token, true, list),
            Action::Get(token) => self.list_offer_token(token, false, list),
            _ => {}
        }
    }

    #[inline]
    fn has(&self, objective: Objective) -> bool {
        self.own & objective.bit() != 0
    }

    /// Returns true if tokens of a seat go to the City.
    #[inline]
    fn wants_city(&self) -> bool {
        self.has(Objective::Development) && !self.state.city_complete
    }

    /// Returns the number of tokens of a kind that the City lacks.
    #[inline]
    fn city_missing(&self, token: Token) -> u32 {
        if self.state.city_complete {
            return 0;
        }
        self.game.city_cost.get(token).saturating_sub(self.state.site.get(token))
    }

    /// Returns the price of a structure in tokens of a kind, the fish of the build action included.
    #[inline]
    fn price(&self, kind: Structure, token: Token) -> u32 {
        let fish = if token == Token::Fish { self.game.data.rules.build_fish.get() } else { 0 };
        self.game.costs[kind as usize].get(token) + fish
    }

    /// Returns the number of tokens of a kind that a seat keeps for its objective.
    #[inline]
    fn kept(&self, token: Token) -> u32 {
        let is_kept = token == Token::Fish && self.has(Objective::Agriculture);
        if is_kept { self.game.data.rules.agriculture_fish.get() } else { 0 }
    }

    /// Lists how a seat can use one more token of a kind.
    #[inline]
    fn list_gain(&self, token: Token, list: &mut FactList) {
        let held = self.state.stock(self.seat).get(token);
        let kept = self.kept(token);
        let objective = match token {
            Token::Fish => held < kept,
            Token::Gold => self.has(Objective::Capital),
            Token::Pollution => self.has(Objective::Conservation),
            _ => false,
        };
        let city = self.wants_city() && held < self.city_missing(token) + kept;
        let boat = held < self.price(Structure::Boat, token);
        let structure = [Structure::Excavator, Structure::Farm, Structure::Mill]
            .into_iter()
            .any(|kind| held < self.price(kind, token));
        let bits = usize::from(objective)
            | usize::from(city) << 1
            | usize::from(boat) << 2
            | usize::from(structure) << 3;
        self.facts.gain(list, token as usize, bits, self.span);
        if let Some(natural) = Token::NATURAL.iter().position(|&natural| natural == token) {
            self.facts.gain_lack(list, natural, self.wanted(token).saturating_sub(held), self.span);
        }
    }

    /// Returns the number of tokens of a kind that the objectives of the seat demand.
    #[inline]
    fn wanted(&self, token: Token) -> u32 {
        let city = if self.wants_city() { self.city_missing(token) } else { 0 };
        self.kept(token) + city
    }

    /// Lists what a seat misses when it has one token of a kind less.
    #[inline]
    fn list_loss(&self, token: Token, list: &mut FactList) {
        let held = self.state.stock(self.seat).get(token);
        let kept = self.kept(token);
        let objective = match token {
            Token::Fish => held <= kept,
            Token::Gold => self.has(Objective::Capital),
            _ => false,
        };
        let city = self.wants_city() && held <= self.city_missing(token) + kept;
        let boat = held <= self.price(Structure::Boat, token);
        let bits = usize::from(objective)
            | usize::from(city) << 1
            | usize::from(boat) << 2
            | usize::from(self.has(Objective::Capital)) << 3;
        self.facts.lose(list, token as usize, bits, self.span);
        if let Some(natural) = Token::NATURAL.iter().position(|&natural| natural == token) {
            let surplus = held as i32 - self.wanted(token) as i32;
            self.facts.lose_surplus(list, natural, surplus, self.span);
        }
    }

    /// Lists the consequences of a pollution that enters a row.
    #[inline]
    fn list_pollution(&self, row: usize, list: &mut FactList) {
        let clean = (self.game.map.estuary & !self.state.polluted).count_ones();
        let in_estuary = row + 1 == self.game.map.rows;
        let conservation = self.has(Objective::Conservation);
        self.facts.pollute(list, clean, in_estuary, conservation, self.span);
    }

    #[inline]
    fn list_harvest(&self, token: Token, list: &mut FactList) {
        self.list_gain(token, list);
        let Some(actor) = self.state.actor else { return };
        let row = actor.tile.row();
        match token {
            Token::Fish => {
                let left = self.game.tokens_in_river(self.state, row, Token::Fish) - 1;
                self.facts.fish_left(list, left, self.span);
            }
            Token::Pollution => {
                let place: usize = match actor.kind {
                    Structure::Boat if row + 1 == self.game.map.rows => 2,
                    Structure::Boat => 1,
                    _ => 0,
                };
                let conservation = self.has(Objective::Conservation);
                let left = self.state.pollution() - 1;
                self.facts.clean(list, place, conservation, left, self.span);
            }
            _ => {}
        }
    }

    #[inline]
    fn list_take(&self, tile: Tile, list: &mut FactList) {
        let Some(actor) = self.state.actor else { return };
        let mill = actor.kind == Structure::Mill;
        self.list_gain(if mill { Token::Tree } else { Token::Gravel }, list);
        let held = self.game.slots(self.state, tile) & self.game.slots_for(self.state, actor.kind);
        let first = self.state.phase != Phase::Take;
        let half = tile.index() >= Tile::FULL_COUNT;
        self.facts.take(list, mill, held.count_ones().saturating_sub(1), half, first);
        if first {
            self.list_pollution(self.state.row(), list);
        }
    }

    #[inline]
    fn list_plant(&self, token: Token, list: &mut FactList) {
        self.list_loss(token, list);
        let Some(actor) = self.state.actor else { return };
        let [trees, gravel, fish, _] = if actor.tile.is_land() {
            self.game.camp_surroundings(self.state, actor.tile)
        } else {
            let fish = self.game.tokens_in_river(self.state, actor.tile.row(), Token::Fish);
            [0, 0, fish as usize, 0]
        };
        let bare = match token {
            Token::Tree => trees == 0,
            Token::Gravel => gravel == 0,
            _ => fish == 0,
        };
        self.facts.plant(list, token as usize, bare, self.span);
    }

    #[inline]
    fn list_build(&self, kind: Structure, net: Option<Tile>, list: &mut FactList) {
        let (game, state) = (self.game, self.state);
        let Some(actor) = state.actor else { return };
        let count = state.structure_count(self.seat, kind);
        self.facts.build(list, kind as usize, count, self.time, state.mode as usize);
        let (tile, row) = (actor.tile, actor.tile.row());
        let own = state.stack(self.seat, tile);
        let matching = match kind {
            Structure::Boat => game.tokens_in_river(state, row, Token::Fish),
            Structure::Farm => game.count_on_tile(state, Structure::Canal, tile),
            Structure::Canal => own.count(Structure::Farm),
            Structure::Levee => u32::from(state.city == Some(tile)),
            Structure::Excavator | Structure::Mill => {
                (game.slots_in_reach(state, tile) & game.slots_for(state, kind)).count_ones()
            }
            Structure::Net => {
                net.map_or(0, |slot| 1 + u32::from(state.net_owner(slot.opposite_bank()).is_none()))
            }
            Structure::Bridge | Structure::Camp => 0,
        };
        self.facts.build_place(list, kind as usize, matching);
        let fish = state.stock(self.seat).get(Token::Fish);
        let paid =
            if actor.stage == Stage::Building { 0 } else { game.data.rules.build_fish.get() };
        self.facts.build_fish(list, fish.saturating_sub(paid));
        let need = game.need(state, self.seat, self.own);
        self.facts.build_need(list, need.div_ceil(4), self.time);
        if actor.kind == Structure::Excavator {
            self.list_pollution(row, list);
        }
    }

    #[inline]
    fn list_new_camp(&self, tile: Tile, list: &mut FactList) {
        let (game, state) = (self.game, self.state);
        let elevation = game.map.elevation[tile.index()];
        self.facts.camp(list, elevation, game.row_from_mouth(tile.row()));
        let [trees, gravel, fish, _] = game.camp_surroundings(state, tile);
        let others = state.camp_tiles() & tile.opposite_bank().bit() != 0;
        self.facts.camp_place(list, trees, gravel, fish, others);
        let reach = tiles_in(game.map.reach[tile.index()])
            .fold(0, |slots, tile| slots | game.map.slots[tile.index()]);
        let count = |slots: u64| (reach & slots).count_ones();
        self.facts.camp_reach(list, count(game.map.trees), count(game.map.gravel));
    }

    /// Returns the number of tokens in reach of an acting structure on a tile, and of pollution
    /// that it can remove there.
    #[inline]
    fn yield_at(&self, kind: Structure, tile: Tile) -> [usize; 2] {
        let (game, state) = (self.game, self.state);
        match kind {
            Structure::Boat => [Token::Fish, Token::Pollution]
                .map(|token| game.tokens_in_river(state, tile.row(), token) as usize),
            Structure::Camp => {
                let [trees, gravel, fish, pollution] = game.camp_surroundings(state, tile);
                [trees + gravel + fish, pollution]
            }
            _ => {
                let reach = game.slots_in_reach(state, tile) & game.slots_for(state, kind);
                let pollution = game.slots(state, tile) & state.polluted;
                [reach.count_ones() as usize, pollution.count_ones() as usize]
            }
        }
    }

    #[inline]
    fn list_use(&self, kind: Structure, tile: Tile, list: &mut FactList) {
        let [tokens, pollution] = self.yield_at(kind, tile);
        self.facts.use_place(list, acting_index(kind), tokens, pollution);
    }

    #[inline]
    fn list_move(&self, to: Tile, list: &mut FactList) {
        let (game, state, facts) = (self.game, self.state, self.facts);
        let Some(actor) = state.actor else { return };
        let row = game.row_from_mouth(to.row());
        facts.move_row(list, acting_index(actor.kind), row);
        let [tokens, pollution] = self.yield_at(actor.kind, to);
        match actor.kind {
            Structure::Boat => {
                let boats = state.boats(self.seat, to.row()).count();
                facts.boat_to(list, tokens, pollution, boats, row);
                let [tokens, pollution] = self.yield_at(actor.kind, actor.tile);
                facts.boat_from(list, tokens, pollution);
            }
            Structure::Camp => {
                let [trees, gravel, fish, pollution] = game.camp_surroundings(state, to);
                facts.camp_to(list, trees, gravel, fish, pollution);
                let [trees, gravel, fish, pollution] = game.camp_surroundings(state, actor.tile);
                facts.camp_from(list, trees, gravel, fish, pollution);
            }
            _ => facts.excavator_to(list, tokens, pollution),
        }
        let conservation = self.has(Objective::Conservation);
        facts.move_to_pollution(list, conservation, pollution, self.span);
    }

    #[inline]
    fn list_sale(&self, token: Token, list: &mut FactList) {
        self.list_loss(token, list);
        let gold = self.state.stock(self.seat).get(Token::Gold);
        let for_site = self.has(Objective::Development)
            && self.state.city.is_none()
            && !self.state.second_sale
            && gold < self.game.data.rules.proposal_gold.get();
        self.facts.sell(list, gold, self.has(Objective::Capital), for_site, self.span);
    }

    /// Lists the facts of the tile of a policy. `choice` is 0 for a vote against it, 1 for a vote
    /// for it, and 2 for its proposal.
    #[inline]
    fn list_policy_tile(&self, policy: PolicyKind, tile: Tile, choice: usize, list: &mut FactList) {
        let (game, state, facts) = (self.game, self.state, self.facts);
        let row = game.row_from_mouth(tile.row());
        let river = tile.index() >= MAX_LAND_TILES;
        if choice == 2 {
            if policy == PolicyKind::City {
                facts.city_place(list, row, game.effective_elevation(state, tile));
                let [trees, gravel, _, pollution] = game.camp_surroundings(state, tile);
                facts.city_slots(list, trees, gravel, pollution);
            } else {
                facts.policy_tile(list, policy as usize, river, row);
            }
        }
        let count = |seat: Seat| {
            if river {
                state.boats(seat, tile.row()).count()
            } else {
                let stack = state.stack(seat, tile);
                [Structure::Farm, Structure::Canal, Structure::Mill, Structure::Excavator]
                    .map(|kind| stack.count(kind))
                    .iter()
                    .sum::<u32>()
                    + u32::from(state.camp(seat).is_on(tile))
            }
        };
        let own = count(self.seat);
        let others: u32 = game.all_seats().map(count).sum::<u32>() - own;
        if own + others > 0 {
            facts.policy_structures(list, policy as usize, own, others, choice);
        }
    }

    #[inline]
    fn list_vote(&self, yes: bool, list: &mut FactList) {
        let Some((policy, tile)) = self.state.proposal else { return };
        let passes = CommonRiver::vote_result(self.state) > 0;
        for objective in ones(self.own.into()) {
            self.facts.vote(list, yes, policy as usize, objective, passes);
        }
        if let Some(tile) = tile {
            self.list_policy_tile(policy, tile, usize::from(yes), list);
        }
    }

    #[inline]
    fn list_bid(&self, bids: bool, list: &mut FactList) {
        let Some((policy, _)) = self.state.proposal else { return };
        let yes = self.state.yes_voters >> self.seat.index() & 1;
        for objective in ones(self.own.into()) {
            self.facts.bid(list, bids, yes, policy as usize, objective);
        }
        if bids {
            self.list_loss(Token::Gold, list);
        }
    }

    #[inline]
    fn list_contribution(&self, token: Token, list: &mut FactList) {
        self.list_loss(token, list);
        let missing: u32 = Token::ALL.into_iter().map(|token| self.city_missing(token)).sum();
        self.facts.city(list, missing - 1, self.has(Objective::Development), self.span);
        if missing == 1 {
            self.facts.city_completed(list, self.has(Objective::Conservation), self.time);
        }
    }

    /// Lists the facts of a token that is added to an offer.
    #[inline]
    fn list_offer_token(&self, token: Token, gives: bool, list: &mut FactList) {
        let wanted = self.state.mode == Mode::Coop && {
            let partner = self.state.stock(CommonRiver::partner(self.state));
            let other = self.state.stock(self.seat);
            let receiver = if gives { partner } else { other };
            let agriculture = self.has(Objective::Agriculture)
                && receiver.get(Token::Fish) < self.game.data.rules.agriculture_fish.get();
            match token {
                Token::Fish => agriculture,
                Token::Gold => self.state.city.is_none(),
                _ => self.wants_city() && receiver.get(token) < self.city_missing(token),
            }
        };
        self.facts.partner_token(list, gives, token as usize, wanted);
        if gives {
            self.list_loss(token, list);
        } else {
            self.list_gain(token, list);
        }
    }

    /// Lists what the seat gains and loses by the offer.
    #[inline]
    fn list_exchange(&self, answer: usize, is_proposer: bool, list: &mut FactList) {
        let (offered, requested) = (&self.state.offered_tokens, &self.state.requested_tokens);
        let (gains, losses) = if is_proposer { (requested, offered) } else { (offered, requested) };
        let balance = gains.total() as i32 - losses.total() as i32;
        self.facts.balance(list, answer, balance, self.state.mode as usize);
        for token in Token::ALL {
            let difference = gains.get(token) as i32 - losses.get(token) as i32;
            if difference == 0 {
                continue;
            }
            self.facts.difference(list, answer, token as usize, difference);
            if answer > 0 && difference > 0 {
                self.list_gain(token, list);
            } else if answer > 0 {
                self.list_loss(token, list);
            }
        }
    }
}
