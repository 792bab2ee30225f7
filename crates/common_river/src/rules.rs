//! The moves of We All Take from the River: turns, legal actions, chance outcomes, setup, and the
//! definitions of the rules (§1 to §4).
//!
//! Every action ends in [`CommonRiver::advance`], which performs all steps that need no decision.
//! Each phase has an `advance_…` function that returns true if a decision or draw is due, and
//! otherwise performs the next step. A closing word that is the only option is taken at once (§4).
//! The steps are in `nature.rs`, `structures.rs`, `build.rs`, `end_of_day.rs` and `trade.rs`, by
//! the sections of the rules.

use super::{
    CommonRiver,
    action::{self, Action, Actions, BUY, CAMP, CITY, OFFER, SELL, TAKE, TILE, USE},
    components::{Objective, Structure, Tile, Token},
    phases::{Actor, Mode, Phase, Stage},
    pieces::{Camp, Status},
    state::State,
};
use watershed_engine::{
    bits::{ones, select},
    game::{ChanceSource, Game, GameMode, MAX_SEATS, Offer, Outcome, Seat, Turn},
    rng::{ChanceStreams, Rng, random_below},
};

// The chance sources, in the order of `Game::chance_sources`.
const MODES: ChanceSource = ChanceSource(0);
const SEATS: ChanceSource = ChanceSource(1);
const WEATHER: ChanceSource = ChanceSource(2);
const ROLES: ChanceSource = ChanceSource(3);
const DICE: ChanceSource = ChanceSource(4);
const NETS: ChanceSource = ChanceSource(5);

impl Game for CommonRiver {
    type State = State;
    type Action = Action;
    type Actions = Actions;

    fn seats(&self) -> usize {
        self.players
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        &["modes", "seats", "weather", "roles", "dice", "nets"]
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        &action::ACTION_KINDS
    }

    fn initial(&self) -> State {
        let mut state = State {
            mode: self.modes[0],
            phase: if self.players == 2 { Phase::Mode } else { Phase::FirstPlayer },
            filled: self.map.slots.iter().fold(0, |all, slots| all | slots),
            ..State::default()
        };
        for (card, weather) in self.data.weather.iter().enumerate() {
            state.unseen |= u64::from(weather.count.get()) << (card * 4);
        }
        for seat in self.all_seats() {
            state.stock[seat.index()] = self.data.rules.start.tokens();
        }
        state
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
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
    fn legal_actions(&self, state: &State) -> Actions {
        let mut actions = Actions::default();
        let seat = state.decider;
        match state.phase {
            Phase::Camps => actions.insert_bits(CAMP, self.free_camp_slots(state).into()),
            Phase::Offer => {
                actions.insert_bits(OFFER, self.partners(state, seat).into());
                actions.insert(Action::Pass);
            }
            Phase::Give => self.list_gifts(state, &mut actions),
            Phase::Get => self.list_requests(state, &mut actions),
            Phase::Answer => {
                actions.insert(Action::Accept);
                actions.insert(Action::Refuse);
            }
            Phase::ChooseStructure => {
                actions.insert_bits(USE, self.candidates(state, seat));
                actions.insert(Action::Done);
            }
            Phase::Act => {
                if let Some(actor) = state.actor {
                    self.list_turn_actions(state, seat, actor, &mut actions);
                    if actor.only_candidate || actor.stage != Stage::Start {
                        actions.insert(Action::Stop);
                    }
                }
            }
            Phase::Take => {
                actions.insert_bits(TAKE, self.next_take_tiles(state).into());
                actions.insert(Action::Enough);
            }
            Phase::Sell => {
                actions.insert_bits(SELL, self.sellable_kinds(state, seat).into());
                if state.step_count == 0 {
                    actions.insert(Action::Done);
                }
            }
            Phase::Propose => {
                self.list_proposals(state, seat, &mut actions);
                actions.insert(Action::Pass);
            }
            Phase::ChooseTile => {
                if let Some((policy, _)) = state.proposal {
                    actions.insert_bits(TILE, self.proposal_tiles(state, policy).into());
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
                Self::list_salvages(state, seat, &mut actions);
                actions.insert(Action::Done);
            }
            Phase::Contribute => {
                actions.insert_bits(CITY, self.contributable_kinds(state, seat).into());
                actions.insert(Action::Done);
            }
            Phase::Buy => {
                actions.insert_bits(BUY, Self::purchasable_kinds(state, seat).into());
                actions.insert(Action::Done);
            }
            _ => {}
        }
        actions
    }

    fn offers(&self, state: &State) -> Vec<Offer<Action>> {
        self.list_offers(state)
    }

    #[inline]
    fn lookahead_actions(&self, state: &State) -> Actions {
        if state.phase == Phase::Offer {
            let mut actions = Actions::default();
            actions.insert(Action::Pass);
            return actions;
        }
        self.legal_actions(state)
    }

    fn chance_outcomes(&self, state: &State) -> Vec<(Action, u32)> {
        match state.phase {
            Phase::Mode => self.modes.iter().map(|&mode| (Action::Mode(mode), 1)).collect(),
            Phase::FirstPlayer => {
                self.all_seats().map(|seat| (Action::FirstPlayer(seat), 1)).collect()
            }
            Phase::Almanac | Phase::Night => {
                let cards = (0..self.data.weather.len())
                    .map(|card| (Action::Weather(card as u8), state.unseen_count(card)));
                cards.filter(|&(_, count)| count > 0).collect()
            }
            Phase::Roles => {
                ones(self.roles_left(state)).map(|role| (Action::Role(role as u8), 1)).collect()
            }
            Phase::Die => {
                (1..=self.data.rules.die.get()).map(|eyes| (Action::Die(eyes as u8), 1)).collect()
            }
            Phase::Net => {
                let flow = state.loose_tokens[state.row()];
                Token::ALL
                    .iter()
                    .map(|&token| (Action::Net(token), flow.get(token)))
                    .filter(|&(_, count)| count > 0)
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    #[inline]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        match state.phase {
            Phase::Mode => {
                Action::Mode(self.modes[random_below(rng, self.modes.len() as u32) as usize])
            }
            Phase::FirstPlayer => {
                Action::FirstPlayer(Seat::new(random_below(rng, self.players as u32) as usize))
            }
            Phase::Almanac | Phase::Night => {
                let rank = random_below(rng, state.total_unseen());
                Action::Weather(kind_at_rank(
                    rank,
                    (0..self.data.weather.len()).map(|card| state.unseen_count(card)),
                ) as u8)
            }
            Phase::Roles => Action::Role(draw_role(self.roles_left(state), rng)),
            Phase::Die => Action::Die(1 + random_below(rng, self.data.rules.die.get()) as u8),
            _ => {
                let flow = state.loose_tokens[state.row()];
                Action::Net(
                    Token::ALL[kind_at_rank(
                        random_below(rng, flow.total()),
                        Token::ALL.iter().map(|&token| flow.get(token)),
                    )],
                )
            }
        }
    }

    fn draw_chance(
        &self,
        state: &State,
        source: ChanceSource,
        chance: &mut ChanceStreams,
    ) -> Action {
        let [weather, roles] = &self.components;
        match source {
            WEATHER => {
                let left = |card| state.unseen_count(card);
                let card = chance.draw(source.0, weather, state.total_unseen(), left);
                Action::Weather(card as u8)
            }
            ROLES => Action::Role(chance.draw_from_set(source.0, roles, self.roles_left(state))),
            _ => self.sample_chance(state, chance.source_stream(source.0)),
        }
    }

    #[inline]
    fn apply(&self, state: &mut State, action: Action) {
        self.carry_out(state, action);
        self.advance(state);
    }

    fn round(&self, state: &State) -> u32 {
        state.day()
    }

    fn outcome(&self, state: &State) -> Outcome {
        let completed = self.completed_objectives(state);
        let mut scores = [0; MAX_SEATS];
        let mut winners = 0;
        for seat in self.all_seats() {
            let objectives = self.objectives(state, seat);
            if !self.is_river_dead(state) {
                scores[seat.index()] = self.total_progress(state, seat, completed) as i32;
            }
            winners |= u8::from(completed[seat.index()] & objectives == objectives) << seat.index();
        }
        let all = (1 << self.players) - 1;
        if self.is_river_dead(state) || state.mode == Mode::Coop && winners != all {
            winners = 0;
        }
        Outcome {
            scores,
            winners,
            wins_are_independent: true,
            rounds: state.day(),
            hit_round_limit: false,
        }
    }

    fn wins_are_independent(&self) -> bool {
        true
    }

    fn is_cooperative(&self) -> bool {
        self.modes.iter().all(|&mode| mode == Mode::Coop)
    }

    fn mode(&self, state: &State) -> Option<GameMode> {
        let is_cooperative = matches!(state.mode, Mode::Solo | Mode::Coop);
        // Only one can have the most gold.
        let has_one_winner =
            state.mode == Mode::Competitive && self.competitor & Objective::Capital.bit() != 0;
        let mode = GameMode { name: state.mode.name(), is_cooperative, has_one_winner };
        (state.phase != Phase::Mode).then_some(mode)
    }

    /// Deals new roles to the other seats. The order of the unseen weather cards is not part of a
    /// position.
    fn determinize(&self, state: &State, seat: Seat, rng: &mut Rng) -> State {
        let mut dealt = *state;
        if state.mode != Mode::Roles {
            return dealt;
        }
        let mut left =
            ((1 << self.roles.len()) - 1) & !state.role(seat).map_or(0, |role| 1 << role);
        for other in self.all_seats().filter(|&other| other != seat && state.role(other).is_some())
        {
            let role = draw_role(left, rng);
            left &= !(1 << role);
            dealt.roles[other.index()] = role + 1;
        }
        dealt
    }

    /// Returns the role of the seat + 1, or 0 for none.
    fn private_info_key(&self, state: &State, seat: Seat) -> u32 {
        state.role(seat).map_or(0, |role| role as u32 + 1)
    }
}

impl CommonRiver {
    /// Carries out an action without the steps that follow it.
    #[inline]
    pub(super) fn carry_out(&self, state: &mut State, action: Action) {
        let seat = state.decider;
        match action {
            Action::Mode(mode) => {
                state.mode = mode;
                state.phase = Phase::FirstPlayer;
            }
            Action::FirstPlayer(first) => {
                state.first_player = first;
                state.phase = Phase::Almanac;
            }
            Action::Weather(card) => self.reveal_weather(state, card.into()),
            Action::Role(role) => self.deal_role(state, role),
            Action::Camp(tile) => self.pitch_camp(state, seat, tile),
            Action::Die(eyes) => self.roll_die(state, eyes),
            Action::Net(token) => self.collect_in_net(state, token),
            Action::Offer(partner) => Self::begin_offer(state, partner),
            Action::Give(token) => {
                state.offered_tokens.add(token, 1);
                state.last_choice = token as u8;
            }
            Action::EndGive => Self::begin_request(state),
            Action::Get(token) => {
                state.requested_tokens.add(token, 1);
                state.last_choice = token as u8;
            }
            Action::Send => Self::begin_answer(state),
            Action::Accept => Self::exchange_tokens(state),
            Action::Refuse => Self::end_offer(state),
            Action::Use(kind, tile) => {
                state.actor = Some(Actor::new(kind, tile, false));
                state.phase = Phase::Act;
            }
            Action::Stop => Self::end_structure_turn(state, seat),
            Action::Take(tile) => self.take_token(state, seat, tile),
            Action::Enough => self.end_taking(state),
            Action::Harvest(_) | Action::Dredge | Action::Plant(_) => {
                self.harvest(state, seat, action);
            }
            Action::Build(_) | Action::BuildNet(_) => self.build_structure(state, seat, action),
            Action::Remove(kind, tile) => self.remove_structure(state, seat, kind, tile),
            Action::Move(tile) => Self::move_to(state, seat, tile),
            Action::Ferry(kind, tile) => Self::ferry(state, seat, kind, tile),
            Action::Sell(token) => self.sell_token(state, seat, token),
            Action::Propose(policy) => self.propose_policy(state, seat, policy),
            Action::Tile(tile) => {
                if let Some((_, proposed)) = &mut state.proposal {
                    *proposed = Some(tile);
                }
                Self::open_vote(state);
            }
            Action::Vote(yes) => Self::cast_vote(state, seat, yes),
            Action::Bid => self.buy_vote(state, seat),
            Action::Settle => {
                state.settled_seats |= 1 << seat.index();
                self.next_voter(state);
            }
            Action::Salvage(kind, tile) => self.salvage_structure(state, seat, kind, tile),
            Action::City(token) => self.contribute_token(state, seat, token),
            Action::Buy(token) => Self::buy_token(state, seat, token),
            Action::Pass if state.phase == Phase::Offer => self.next_offerer(state),
            Action::Pass => {
                state.step_count += 1;
                self.next_proposer(state);
            }
            Action::Done if state.phase == Phase::ChooseStructure => Self::end_group(state),
            Action::Done => Self::next_seat(state),
        }
    }

    /// Performs steps until a decision or draw is due, or the game has ended.
    #[inline]
    pub(super) fn advance(&self, state: &mut State) {
        loop {
            if self.is_river_dead(state) {
                state.phase = Phase::Over;
            }
            let waits = match state.phase {
                Phase::Offer => self.advance_offer(state),
                Phase::Give => self.advance_give(state),
                Phase::Get => self.advance_get(state),
                Phase::ChooseStructure => self.advance_choice(state),
                Phase::Act => self.advance_act(state),
                Phase::Take => self.advance_take(state),
                Phase::Net => self.advance_net(state),
                Phase::Sell | Phase::Salvage | Phase::Contribute | Phase::Buy => {
                    self.advance_step(state)
                }
                Phase::Propose => self.advance_proposal(state),
                Phase::Vote => self.advance_vote(state),
                Phase::Bid => self.advance_bid(state),
                _ => true,
            };
            if waits {
                return;
            }
        }
    }

    // Chance.

    /// Returns the roles not yet dealt, bit `r` for role `r`.
    fn roles_left(&self, state: &State) -> u64 {
        let all = (1 << self.roles.len()) - 1;
        self.all_seats()
            .filter_map(|seat| state.role(seat))
            .fold(all, |left, role| left & !(1 << role))
    }

    // §3 Setup.

    fn reveal_weather(&self, state: &mut State, card: usize) {
        state.reveal(card);
        if state.phase == Phase::Night {
            Self::begin_day(state);
        } else if state.almanac_len() == self.data.rules.almanac.get() as usize {
            state.phase = if state.mode == Mode::Roles { Phase::Roles } else { Phase::Camps };
            state.decider =
                if state.mode == Mode::Roles { Seat::new(0) } else { state.first_player };
        }
    }

    fn deal_role(&self, state: &mut State, role: u8) {
        state.roles[state.decider.index()] = role + 1;
        if state.decider.index() + 1 == self.players {
            state.phase = Phase::Camps;
            state.decider = state.first_player;
        } else {
            state.decider = state.decider.clockwise(1, self.players);
        }
    }

    #[inline]
    pub(super) fn free_camp_slots(&self, state: &State) -> u32 {
        self.map.camp_slots & !state.camp_tiles()
    }

    fn pitch_camp(&self, state: &mut State, seat: Seat, tile: Tile) {
        state.camps[seat.index()] = Camp::new(tile, Status::Fresh);
        state.decider = seat.clockwise(1, self.players);
        if state.decider == state.first_player {
            self.update_camp_order(state);
            Self::begin_day(state);
        }
    }

    /// Sets the camp order (§1) by the positions of the camps.
    pub(super) fn update_camp_order(&self, state: &mut State) {
        let rank = |seat: Seat| {
            state.camp(seat).tile().map_or(u8::MAX, |tile| self.map.camp_rank[tile.index()])
        };
        let mut order = state.camp_order;
        for seat in self.all_seats() {
            let position = self.all_seats().filter(|&other| rank(other) < rank(seat)).count();
            order.set(position, seat);
        }
        state.camp_order = order;
    }

    // §1 Definitions.

    #[inline]
    pub(super) fn is_storm(&self, state: &State) -> bool {
        self.storms >> (state.almanac & 15) & 1 == 1
    }

    /// Returns the slots of a tile: none if the City covers it.
    #[inline]
    pub(super) fn slots(&self, state: &State, tile: Tile) -> u64 {
        if state.city == Some(tile) { 0 } else { self.map.slots[tile.index()] }
    }

    /// Returns the empty slots of a tile: none if the City covers it.
    #[inline]
    pub(super) fn empty_slots(&self, state: &State, tile: Tile) -> u64 {
        self.map.slots[tile.index()] & self.all_empty_slots(state)
    }

    #[inline]
    pub(super) fn all_empty_slots(&self, state: &State) -> u64 {
        let covered = state.city.map_or(0, |tile| self.map.slots[tile.index()]);
        !(state.filled | state.polluted | covered)
    }

    /// Returns true if passive structures on a land tile work.
    #[inline]
    pub(super) fn structures_work(state: &State, tile: Tile) -> bool {
        u32::from(state.flooded | state.protected) & tile.bit() == 0
    }

    /// Returns the number of structures of a kind of all seats on a land tile.
    #[inline]
    pub(super) fn count_on_tile(&self, state: &State, kind: Structure, tile: Tile) -> u32 {
        self.all_seats().map(|seat| state.stack(seat, tile).count(kind)).sum()
    }

    #[inline]
    pub(super) fn effective_elevation(&self, state: &State, tile: Tile) -> i16 {
        let levees = if Self::structures_work(state, tile) {
            self.count_on_tile(state, Structure::Levee, tile)
        } else {
            0
        };
        self.map.elevation[tile.index()] + levees as i16
    }

    /// Adds a pollution to a row (§1: it *enters* the row).
    pub(super) fn add_pollution(&self, state: &mut State, row: usize) {
        let tile = Tile::river(row);
        let empty = self.empty_slots(state, tile);
        let fish = state.filled & self.map.slots[tile.index()];
        if empty != 0 {
            state.polluted |= lowest_bit(empty);
        } else if row + 1 == self.map.rows && fish != 0 {
            state.filled &= !lowest_bit(fish);
            state.polluted |= lowest_bit(fish);
        } else {
            state.loose_tokens[row].add(Token::Pollution, 1);
        }
    }

    /// Pollutes a row several times, until the river has died.
    #[inline]
    pub(super) fn pollute(&self, state: &mut State, row: usize, times: u32) {
        for _ in 0..times {
            if !self.is_river_dead(state) {
                self.add_pollution(state, row);
            }
        }
    }
}

/// [`Token::NATURAL`] as a set.
pub(super) const NATURAL: u8 =
    1 << Token::Fish as u8 | 1 << Token::Gravel as u8 | 1 << Token::Tree as u8;

/// Returns the lowest set bit, or 0 for the empty set.
#[inline]
pub(super) const fn lowest_bit(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// Draws one of a set of roles, which must not be empty.
fn draw_role(roles: u64, rng: &mut Rng) -> u8 {
    select(roles, random_below(rng, roles.count_ones())) as u8
}

/// Returns the kind of the item with this rank if the items are sorted by kind, where `counts` are
/// the numbers of items of each kind.
#[inline]
fn kind_at_rank(rank: u32, counts: impl Iterator<Item = u32>) -> usize {
    let mut up_to = 0;
    let mut kinds = 0;
    for count in counts {
        up_to += count;
        // The rank is random, so a branch would often be mispredicted.
        kinds += usize::from(up_to <= rank);
    }
    kinds
}
