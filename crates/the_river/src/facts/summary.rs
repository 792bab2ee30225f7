//! The numbers of a position that facts are made of.

use super::{
    super::{
        TheRiver,
        components::{Building, Resource, SPOTS, TileRow},
        state::{Phase, Place, State},
    },
    Facts,
};
use watershed_engine::{bits::ones, game::Seat};

/// The number of free places for pioneers if there is no limit.
pub(super) const UNLIMITED: u32 = u32::MAX;
/// The bits of a terrain in packed counts of terrains.
const COUNT_BITS: u32 = 8;

/// Returns the packed count of one tile with these terrains.
pub(super) fn packed_terrain(set: u8) -> u64 {
    ones(u64::from(set)).fold(0, |counts, terrain| counts | 1 << (terrain * COUNT_BITS))
}

/// Returns the count of a terrain.
#[inline]
pub(super) const fn terrain_count(counts: u64, terrain: usize) -> u32 {
    (counts >> (terrain as u32 * COUNT_BITS) & 0xff) as u32
}

/// Returns the count of tiles with one of these terrains. Mixed tiles with two of them count twice.
#[inline]
pub(super) fn count_of_set(counts: u64, set: u8) -> u32 {
    ones(u64::from(set)).map(|terrain| terrain_count(counts, terrain as usize)).sum()
}

/// The numbers that all seats share.
pub(super) struct Common {
    pub(super) phase: Phase,
    /// The nearness of the end, below [`super::STAGES`].
    pub(super) stage: usize,
    /// The seat that pays for a building, which counts as built, and the building.
    pub(super) paying: Option<(Seat, Building)>,
    pub(super) supply: [u32; 4],
    /// The resources of an island beyond the production of the seat.
    pub(super) bonus: [u32; 3],
    /// The number of bonus tokens taken.
    pub(super) tokens_taken: usize,
    pub(super) face_up_buildings: u64,
    /// The packed count of terrains of face-up tiles.
    pub(super) visible_terrain: u64,
}

/// The means by which a seat gets buildings.
#[derive(Clone, Copy, Default)]
pub(super) struct Means {
    /// The resources held, without the expected payment of the building to pay for.
    pub(super) held: [u32; 4],
    pub(super) storage: u32,
    /// The resources that the seat gets from each island: in this round if it has a pioneer on its
    /// boat, otherwise in a round in which all islands are free.
    pub(super) yields: [u32; 3],
    /// 1 if there is food to take.
    pub(super) food_yield: u32,
    pub(super) boat: u32,
}

/// The numbers of a seat. A building to pay for counts as built.
#[derive(Clone, Copy, Default)]
pub(super) struct Summary {
    pub(super) means: Means,
    pub(super) total: u32,
    pub(super) production: [u32; 3],
    pub(super) tokens: u32,
    pub(super) token_points: u32,
    pub(super) building_points: u32,
    pub(super) column_points: u32,
    pub(super) meadow_points: u32,
    pub(super) resource_points: u32,
    pub(super) tiles: TileRow,
    pub(super) len: usize,
    /// The terrains of the tile on each spot, and 0 for free spots.
    pub(super) terrain: [u8; SPOTS],
    /// The packed count of terrains.
    pub(super) terrain_counts: u64,
    /// The pioneers that are left after the cleanup of this round.
    pub(super) pioneers: u32,
    /// The tiles that the seat can still claim in this round.
    pub(super) claims_left: u32,
    pub(super) reserved: u64,
}

impl Summary {
    /// Returns the points if the game ended with the cleanup of this round, without its income.
    pub(super) const fn points(&self) -> u32 {
        self.token_points
            + self.building_points
            + self.column_points
            + self.meadow_points
            + self.resource_points
    }
}

/// Returns the resources left after a payment that spends as little food as possible.
fn after_payment(mut held: [u32; 4], cost: [u32; 3], price: u32) -> [u32; 4] {
    let mut due = price;
    for resource in 0..3 {
        let paid = cost[resource].min(held[resource]).min(due);
        held[resource] -= paid;
        due -= paid;
    }
    held[3] = held[3].saturating_sub(due);
    held
}

impl Facts {
    /// Returns the seat that pays and its building.
    #[inline]
    pub(super) fn paying(state: &State) -> Option<(Seat, Building)> {
        (state.phase() == Phase::Pay).then(|| (state.decider(), TheRiver::building_to_pay(state)))
    }

    /// Returns the stage of the game.
    #[inline]
    pub(super) fn stage(&self, game: &TheRiver, state: &State) -> usize {
        if state.is_end_triggered() {
            return super::STAGES - 1;
        }
        let paying = Self::paying(state)
            .filter(|&(seat, _)| game.next_token(state, seat).is_some())
            .map(|(seat, _)| seat);
        let stages = game.all_seats().map(|seat| {
            let tokens = state.tokens(seat) as usize + usize::from(paying == Some(seat));
            self.stage_of_tokens[tokens].max(super::STAGE_OF_TILES[state.tiles(seat).len()])
        });
        stages.max().unwrap_or(0).into()
    }

    /// Returns the numbers of the free places for pioneers on a place.
    #[inline]
    pub(super) fn free_places(game: &TheRiver, state: &State, place: usize) -> u32 {
        let limit = game.place_limits[place];
        if limit == 0 {
            UNLIMITED
        } else if state.phase() == Phase::IncomeOverflow {
            limit
        } else {
            limit - state.pioneers_on(super::PLACES[place]).min(limit)
        }
    }

    /// Sets the numbers of a seat, without its yields. All are 0 before.
    fn summarize(
        &self,
        game: &TheRiver,
        state: &State,
        seat: Seat,
        common: &Common,
        summary: &mut Summary,
    ) {
        let symbols = state.symbols(seat);
        let bag = state.bag(seat);
        let tiles = state.tiles(seat);
        summary.means.held = Resource::ALL.map(|resource| bag.get(resource));
        summary.means.storage = symbols.storage();
        summary.means.boat = state.boat_pioneers(seat);
        summary.production = Resource::PRODUCED.map(|resource| symbols.production(resource));
        summary.tokens = state.tokens(seat);
        summary.token_points = state.token_points(seat);
        summary.tiles = tiles;
        summary.len = tiles.len();
        summary.pioneers = state.pioneers(seat).saturating_sub(game.framed_covered(state, seat));
        summary.reserved = state.reserved_buildings(seat);
        for building in ones(state.built_buildings(seat)) {
            summary.building_points += game.buildings[building as usize].points;
        }
        if let Some((_, building)) = common.paying.filter(|&(paying, _)| paying == seat) {
            self.pay_in_advance(game, state, seat, building, summary);
        }
        summary.total = summary.means.held.iter().sum();
        summary.resource_points =
            summary.total.min(summary.means.storage) / game.data.rules.per_resources.get();
        let mut effects = 0u32;
        for spot in 0..summary.len {
            let kind = usize::from(tiles.get(spot).0);
            summary.terrain[spot] = self.tiles[kind].terrain;
            summary.terrain_counts += self.tiles[kind].counts;
            effects |= u32::from(self.tiles[kind].has_effect) << spot;
        }
        for spot in ones(effects.into()) {
            let kind = usize::from(tiles.get(spot as usize).0);
            summary.meadow_points += self.tiles[kind].points(summary, 0);
        }
        for column in game.columns {
            summary.column_points += self.column_points(&summary.terrain, column);
        }
        let limit = game.data.rules.claim_tile_per_player.get();
        summary.claims_left = limit
            .saturating_sub(state.claims(seat))
            .min(summary.means.boat)
            .min((SPOTS - summary.len) as u32)
            .min(state.face_up_tiles().len() as u32);
    }

    /// Counts a building as paid and built.
    #[expect(clippy::unused_self, reason = "all lists of a block have the same form")]
    fn pay_in_advance(
        &self,
        game: &TheRiver,
        state: &State,
        seat: Seat,
        building: Building,
        summary: &mut Summary,
    ) {
        let rules = game.building_rules(building);
        let price = game.price(state, seat, building);
        summary.means.held = after_payment(summary.means.held, rules.cost, price);
        summary.building_points += rules.points;
        summary.reserved &= !(1 << building.0);
        if let Some(points) = game.next_token(state, seat) {
            summary.tokens += 1;
            summary.token_points += points;
            if summary.tokens == game.data.rules.extra_pioneer_on_bonus_spot.get() {
                summary.pioneers += 1;
                summary.means.boat += 1;
            }
        }
    }

    /// Returns the points of a column with these terrains on the spots.
    #[inline]
    pub(super) fn column_points(&self, terrain: &[u8; SPOTS], column: [usize; 3]) -> u32 {
        let terrain_at = |row: usize| terrain[column[row]];
        let (top, middle, bottom) = (terrain_at(0), terrain_at(1), terrain_at(2));
        if top & middle & bottom != 0 {
            self.column_all_three
        } else if top & middle != 0 {
            self.column_top_two
        } else {
            0
        }
    }

    /// Returns the numbers of a position, and sets those of the seats. All are 0 before.
    pub(super) fn summarize_position(
        &self,
        game: &TheRiver,
        state: &State,
        seats: &mut [Summary; 4],
    ) -> Common {
        let paying = Self::paying(state);
        let mut common = Common {
            phase: state.phase(),
            stage: self.stage(game, state),
            paying,
            supply: Resource::ALL.map(|resource| game.stock.get(resource)),
            bonus: [0; 3],
            tokens_taken: 0,
            face_up_buildings: state.face_up_buildings(),
            visible_terrain: 0,
        };
        if let Some((_, building)) = paying {
            common.face_up_buildings &= !(1 << building.0);
        }
        for tile in state.face_up_tiles().iter() {
            common.visible_terrain += self.tiles[usize::from(tile.0)].counts;
        }
        for seat in game.all_seats() {
            let summary = &mut seats[seat.index()];
            self.summarize(game, state, seat, &common, summary);
            for (supply, held) in common.supply.iter_mut().zip(summary.means.held) {
                *supply -= held;
            }
            common.tokens_taken += summary.tokens as usize;
        }
        for resource in 0..3 {
            let place = super::PLACES[resource];
            let first = common.phase == Phase::IncomeOverflow || state.pioneers_on(place) == 0;
            common.bonus[resource] = if first { game.first_pioneer_bonus } else { 0 };
            let free = Self::free_places(game, state, resource) > 0;
            for summary in &mut seats[..game.players] {
                let (open, bonus) = if summary.means.boat > 0 {
                    (free, common.bonus[resource])
                } else {
                    (true, game.first_pioneer_bonus)
                };
                let gain = (summary.production[resource] + bonus).min(common.supply[resource]);
                summary.means.yields[resource] = if open { gain } else { 0 };
            }
        }
        let food = u32::from(common.supply[3] > 0);
        let free = Self::free_places(game, state, Place::Food as usize) > 0;
        for summary in &mut seats[..game.players] {
            summary.means.food_yield = if free || summary.means.boat == 0 { food } else { 0 };
        }
        common
    }
}
