//! The facts of an action.

use std::cell::OnceCell;

use super::{
    super::{
        TheRiver,
        action::{ACTION_KINDS, Action, Payment},
        components::{Bag, Building, Resource, SPOTS, TileKind, TileRow},
        state::{Phase, Place, State},
    },
    Facts,
    position::SpotState,
    readiness::{Readiness, SPANS, span},
    summary::{Means, Summary},
};
use watershed_engine::{
    bits::ones,
    game::{Seat, facts::FactList},
};

/// The position of the seat that acts. Values that only some kinds of action need are computed
/// once, when they are first needed.
struct Mover<'a> {
    facts: &'a Facts,
    game: &'a TheRiver,
    state: &'a State,
    seat: Seat,
    stage: usize,
    span: usize,
    bag: Bag,
    /// The second value of the group `last_pioneers`, if pioneers are being placed.
    boats: Option<usize>,
    /// The buildings that the seat can build.
    payable: u64,
    claim: OnceCell<Claim>,
    means: OnceCell<Means>,
    /// The face-up buildings that each other seat with a pioneer can pay.
    payable_by_others: OnceCell<[u64; 3]>,
    lead: OnceCell<i32>,
}

/// The position of a seat that claims a tile, apart from the tile.
struct Claim {
    /// The numbers that points of effects depend on.
    summary: Summary,
    spot_state: SpotState,
    matching: u8,
}

impl<'a> Mover<'a> {
    fn new(facts: &'a Facts, game: &'a TheRiver, state: &'a State, seat: Seat) -> Self {
        let stage = facts.stage(game, state);
        let boats = (state.phase() == Phase::Place).then(|| {
            let others = game.all_seats().filter(|&other| other != seat);
            let others_done =
                others.fold(true, |done, other| done & (state.boat_pioneers(other) == 0));
            let boat = state.boat_pioneers(seat).clamp(1, 3) as usize - 1;
            2 * boat + usize::from(others_done)
        });
        let bag = state.bag(seat);
        let mut mover = Self {
            facts,
            game,
            state,
            seat,
            stage,
            span: span(stage),
            bag,
            boats,
            payable: 0,
            claim: OnceCell::new(),
            means: OnceCell::new(),
            payable_by_others: OnceCell::new(),
            lead: OnceCell::new(),
        };
        mover.payable = mover.payable_with(bag);
        mover
    }

    /// Returns the buildings that the seat can build with these resources, of those that lie face
    /// up and its reserved ones, without the one to pay for.
    #[inline]
    fn payable_with(&self, bag: Bag) -> u64 {
        let discount = self.game.data.rules.reserve_discount.get();
        let payable = self.state.face_up_buildings() & self.game.affordable.get(bag, 0)
            | self.state.reserved_buildings(self.seat) & self.game.affordable.get(bag, discount);
        match Facts::paying(self.state) {
            Some((_, building)) => payable & !(1 << building.0),
            None => payable,
        }
    }

    /// Returns the points of the most valuable building of a set. One without points counts 1,
    /// because it still brings a token.
    #[inline]
    fn best_points(&self, buildings: u64) -> u32 {
        let points =
            ones(buildings).map(|building| self.game.buildings[building as usize].points.max(1));
        points.max().unwrap_or(0)
    }

    #[inline]
    fn room(&self) -> u32 {
        let storage = self.state.symbols(self.seat).storage();
        storage.saturating_sub(self.bag.total())
    }

    /// Returns the number of other seats that can pay a face-up building.
    #[inline]
    fn rivals(&self, building: Building) -> usize {
        let sets = self.payable_by_others.get_or_init(|| {
            let mut sets = [0; 3];
            let others = self.game.all_seats().filter(|&other| other != self.seat);
            let others = others.filter(|&other| self.state.boat_pioneers(other) > 0);
            for (set, other) in sets.iter_mut().zip(others) {
                *set = self.game.affordable.get(self.state.bag(other), 0);
            }
            sets
        });
        sets.iter().map(|set| (set >> building.0 & 1) as usize).sum()
    }

    /// Returns the lead of the seat with some points more over the best other seat.
    fn lead(&self, gain: u32) -> i32 {
        let lead = self.lead.get_or_init(|| {
            let mut seats = [Summary::default(); 4];
            self.facts.summarize_position(self.game, self.state, &mut seats);
            let points = |seat: Seat| seats[seat.index()].points() as i32;
            let others = self.game.all_seats().filter(|&other| other != self.seat);
            points(self.seat) - others.map(points).max().unwrap_or(0)
        });
        lead + gain as i32
    }

    fn claim(&self) -> &Claim {
        self.claim.get_or_init(|| {
            let Self { facts, game, state, seat, .. } = *self;
            let tiles = state.tiles(seat);
            let symbols = state.symbols(seat);
            let spot = tiles.len();
            let (spot_state, matching) =
                facts.spot_state(&game.columns, |spot| facts.terrain_at(tiles, spot), spot);
            let counts = tiles.iter().map(|kind| facts.tiles[usize::from(kind.0)].counts);
            let summary = Summary {
                terrain_counts: counts.sum(),
                production: Resource::PRODUCED.map(|resource| symbols.production(resource)),
                pioneers: state.pioneers(seat).saturating_sub(game.framed_covered(state, seat)),
                tokens: state.tokens(seat),
                len: spot,
                ..Summary::default()
            };
            Claim { summary, spot_state, matching }
        })
    }

    /// Returns the means after the seat has reserved a building.
    fn means(&self) -> &Means {
        self.means.get_or_init(|| {
            let Self { game, state, seat, bag, .. } = *self;
            let supply = game.supply(state);
            let yields = Resource::PRODUCED.map(|resource| {
                if Facts::free_places(game, state, resource as usize) > 0 {
                    game.production(state, seat, resource).min(supply.get(resource))
                } else {
                    0
                }
            });
            let food = supply.get(Resource::Food) > 0
                && Facts::free_places(game, state, Place::Food as usize) > 0;
            Means {
                held: Resource::ALL.map(|resource| bag.get(resource)),
                storage: state.symbols(seat).storage(),
                yields,
                food_yield: u32::from(food),
                // The reservation itself takes a pioneer.
                boat: state.boat_pioneers(seat).saturating_sub(1),
            }
        })
    }
}

impl Facts {
    /// Returns a function that lists the facts of an action.
    pub(in super::super) fn action_lister<'a>(
        &'a self,
        game: &'a TheRiver,
        state: &'a State,
        seat: Seat,
    ) -> impl FnMut(Action, &mut FactList) {
        let mover = Mover::new(self, game, state, seat);
        move |action, list| self.list_action(&mover, action, list)
    }

    #[inline]
    fn list_action(&self, mover: &Mover<'_>, action: Action, list: &mut FactList) {
        let Mover { game, state, seat, stage, .. } = *mover;
        // The index among the kinds of action, or after them.
        let kind = match action {
            Action::Claim(_) if state.phase() == Phase::Draft => ACTION_KINDS.len(),
            Action::Claim(_) => 0,
            Action::Produce(_) => 1,
            Action::Food | Action::FoodSubstitute(_) => 2,
            Action::Reserve(_) => 3,
            Action::Build(_) => 4,
            Action::TakePawn => 5,
            Action::Swap(..) => 6,
            Action::Trade(_) => 7,
            Action::Pay(_) => 8,
            Action::Discard(_) => 9,
            Action::Skip => 10,
            _ => 11,
        };
        self.action.kind(list, kind, stage);
        if let Some(boats) = mover.boats {
            self.action.last_pioneers(list, kind, boats);
        }
        match action {
            Action::Claim(tile) => self.list_claim(mover, tile, list),
            Action::Produce(resource) => self.list_produce(mover, resource, list),
            Action::Food => {
                let held = mover.bag.get(Resource::Food);
                self.action.food_held(list, held, mover.room() > 0);
                self.list_unlocked(mover, mover.bag.plus(Bag::single(Resource::Food, 1)), list);
            }
            Action::FoodSubstitute(resource) => {
                self.action.substitute(list, resource as usize);
                self.list_gain(mover, resource, 1, list);
            }
            Action::Reserve(building) => self.list_reserve(mover, building, list),
            Action::Build(building) => self.list_build(mover, building, list),
            Action::TakePawn => {
                let holder = state.pawn_holder().index();
                let distance = (seat.index() + game.players - holder) % game.players;
                self.action.pawn(list, distance, stage);
            }
            Action::Swap(one, other) => self.list_swap(mover, one.into(), other.into(), list),
            Action::Trade(payment) => {
                let left = mover.bag.minus(payment.bag()).plus(Bag::single(Resource::Food, 1));
                self.list_unlocked(mover, left, list);
                self.list_left(mover, left, list);
            }
            Action::Pay(payment) => self.list_payment(mover, payment, list),
            Action::Discard(resource) => self.list_discard(mover, resource, list),
            _ => {}
        }
    }

    fn list_claim(&self, mover: &Mover<'_>, tile: TileKind, list: &mut FactList) {
        let Mover { game, state, seat, stage, span, .. } = *mover;
        let groups = &self.action;
        let values = &self.tiles[usize::from(tile.0)];
        let claim = mover.claim();
        list.push_choice(groups.tile, tile.0.into());
        groups.covers(list, state.board(seat), claim.summary.len);
        let differs = usize::from(claim.matching & values.terrain == 0);
        let matching = match claim.spot_state {
            SpotState::Top => 0,
            SpotState::Middle => 1 + differs,
            SpotState::Bottom => 3 + differs,
            SpotState::Lost => 5,
            SpotState::Unknown => 6,
        };
        groups.matches(list, matching, stage);
        for resource in 0..3 {
            if values.production[resource] > 0 {
                groups.new_production(list, resource, claim.summary.production[resource], span);
            }
        }
        if values.storage > 0 {
            groups.new_storage(list, values.storage, state.symbols(seat).storage());
        }
        if values.has_effect {
            let supply = || game.supply(state).get(Resource::PRODUCED[usize::from(values.subject)]);
            groups.effect(list, values.kind, stage, values.offered(&claim.summary, supply));
        }
        if claim.summary.len + 1 == SPOTS && !state.is_end_triggered() {
            groups.claim_ends(list, mover.lead(0));
        }
    }

    #[inline]
    fn terrain_at(&self, tiles: TileRow, spot: usize) -> u8 {
        self.tiles[usize::from(tiles.get(spot).0)].terrain
    }

    fn list_produce(&self, mover: &Mover<'_>, resource: Resource, list: &mut FactList) {
        let supply = mover.game.supply(mover.state).get(resource);
        let gain = mover.game.production(mover.state, mover.seat, resource).min(supply);
        self.action.yields(list, resource as usize, gain, gain.min(mover.room()));
        self.list_gain(mover, resource, gain, list);
    }

    /// Lists the buildings that a gain of a resource makes payable or brings nearer.
    fn list_gain(&self, mover: &Mover<'_>, resource: Resource, gain: u32, list: &mut FactList) {
        self.list_unlocked(mover, mover.bag.plus(Bag::single(resource, gain)), list);
        let Mover { game, state, seat, bag, .. } = *mover;
        let amount = |building: u32, resource: Resource| {
            let cost = game.buildings[building as usize].cost[resource as usize];
            cost.saturating_sub(bag.get(resource))
        };
        let reserved = ones(state.reserved_buildings(seat));
        let units = reserved.map(|building| amount(building, resource).min(gain)).max();
        self.action.helps_reserved(list, mover.span, units.unwrap_or(0));
        let mut best = 0;
        for building in ones(state.face_up_buildings()) {
            let useful = amount(building, resource).min(gain);
            let missing: u32 =
                Resource::PRODUCED.iter().map(|&resource| amount(building, resource)).sum();
            if useful > 0 && missing <= useful + bag.get(Resource::Food) + 2 {
                best = best.max(game.buildings[building as usize].points);
            }
        }
        self.action.helps_visible(list, mover.span, best);
    }

    /// Lists the most valuable building that becomes payable with these resources.
    #[inline]
    fn list_unlocked(&self, mover: &Mover<'_>, after: Bag, list: &mut FactList) {
        let unlocked = mover.payable_with(after) & !mover.payable;
        self.action.unlocks(list, mover.span, mover.best_points(unlocked));
    }

    fn list_reserve(&self, mover: &Mover<'_>, building: Building, list: &mut FactList) {
        let Mover { game, state, seat, stage, span, .. } = *mover;
        let groups = &self.action;
        let rules = game.building_rules(building);
        let discount = game.data.rules.reserve_discount.get();
        let readiness = Readiness::new(rules.cost, discount, mover.means());
        list.push_choice(groups.reserve, building.0.into());
        groups.reserve_readiness(list, readiness, span, rules.points);
        groups.reserve_rivals(list, mover.rivals(building), span);
        groups.reserved_count(list, state.reserved_buildings(seat).count_ones(), stage);
    }

    fn list_build(&self, mover: &Mover<'_>, building: Building, list: &mut FactList) {
        let Mover { game, state, seat, stage, span, bag, .. } = *mover;
        let groups = &self.action;
        let rules = game.building_rules(building);
        let reserved = state.reserved_buildings(seat) >> building.0 & 1 == 1;
        // A building without points has the fact of 1 point.
        let points = rules.points.max(1);
        groups.build(list, usize::from(reserved) * SPANS + span, points);
        let best = mover.best_points(mover.payable);
        groups.build_gap(list, span, best.saturating_sub(points));
        if !reserved {
            groups.build_rivals(list, mover.rivals(building), span);
        }
        let discount = if reserved { game.data.rules.reserve_discount.get() } else { 0 };
        let lacking: u32 = Resource::PRODUCED
            .iter()
            .map(|&resource| rules.cost[resource as usize].saturating_sub(bag.get(resource)))
            .sum();
        groups.build_food(list, lacking.saturating_sub(discount), span);
        let Some(token) = game.next_token(state, seat) else { return };
        groups.build_token(list, stage, token);
        let tokens = state.tokens(seat) + 1;
        if tokens == game.data.rules.extra_pioneer_on_bonus_spot.get() {
            groups.extra_pioneer(list, stage);
        }
        if tokens == game.bonus_spots && !state.is_end_triggered() {
            groups.build_ends(list, mover.lead(rules.points + token));
        }
    }

    fn list_payment(&self, mover: &Mover<'_>, payment: Payment, list: &mut FactList) {
        let left = mover.bag.minus(payment.bag());
        self.list_left(mover, left, list);
        self.list_payable_after(mover, left, list);
    }

    #[inline]
    fn list_payable_after(&self, mover: &Mover<'_>, left: Bag, list: &mut FactList) {
        let best = mover.best_points(mover.payable_with(left));
        self.action.payable_after(list, mover.span, best);
    }

    /// Lists the resources that are left, each with the production of it.
    #[inline]
    fn list_left(&self, mover: &Mover<'_>, left: Bag, list: &mut FactList) {
        let symbols = mover.state.symbols(mover.seat);
        for resource in Resource::ALL {
            let production = match resource {
                Resource::Food => 0,
                _ => symbols.production(resource),
            };
            self.action.left(list, resource as usize, production, left.get(resource));
        }
    }

    fn list_swap(&self, mover: &Mover<'_>, one: usize, other: usize, list: &mut FactList) {
        let columns = &mover.game.columns;
        let tiles = mover.state.tiles(mover.seat);
        let mut swapped = tiles;
        swapped.swap(one, other);
        let first = self.place_of_spot[one].1;
        let second = self.place_of_spot[other].1;
        let mut points = 0;
        let mut pairs = 0;
        for column in [first, second].into_iter().take(if first == second { 1 } else { 2 }) {
            for (sign, tiles) in [(1, swapped), (-1, tiles)] {
                let terrain_at = |row: usize| self.terrain_at(tiles, columns[column][row]);
                let (top, middle, bottom) = (terrain_at(0), terrain_at(1), terrain_at(2));
                if top & middle & bottom != 0 {
                    points += sign * self.column_all_three as i32;
                } else if top & middle != 0 {
                    points += sign * self.column_top_two as i32;
                    pairs += sign * i32::from(bottom == 0);
                }
            }
        }
        self.action.swap_points(list, mover.stage, points);
        self.action.swap_pairs(list, mover.stage, pairs);
    }

    fn list_discard(&self, mover: &Mover<'_>, resource: Resource, list: &mut FactList) {
        let Mover { game, state, seat, bag, .. } = *mover;
        let groups = &self.action;
        groups.discard(list, resource as usize);
        let left = bag.minus(Bag::single(resource, 1));
        self.list_left(mover, left, list);
        self.list_payable_after(mover, left, list);
        if resource == Resource::Food {
            return;
        }
        let needs_all = |buildings: u64| {
            let needed = ones(buildings).filter(|&building| {
                game.buildings[building as usize].cost[resource as usize] >= bag.get(resource)
            });
            needed.map(|building| game.buildings[building as usize].points).max().unwrap_or(0)
        };
        let reserved = needs_all(state.reserved_buildings(seat));
        groups.needed_reserved(list, mover.span, reserved);
        groups.needed_visible(list, mover.span, needs_all(state.face_up_buildings()));
    }
}
