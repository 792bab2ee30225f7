//! Features of positions of The River for heuristics, from the point of view of one seat. Facts for
//! networks are in `facts.rs`.

use std::sync::Arc;

use super::{
    TheRiver,
    action::Action,
    components::{Bag, Building, Resource, SPOTS, Symbols, TileKind, TileRow},
    facts::Facts,
    scoring::Score,
    state::{Phase, State},
};
use watershed_engine::{
    bits::ones,
    game::{
        FeatureVector, Features, PerSeat, Seat,
        facts::{FactList, FactTable, PositionFacts},
        named_features,
    },
    games::memo::Memo,
};

named_features! {
    /// The features of a position for a seat.
    struct Values {
        token_points tokens building_points column_points meadow_points resources food production
        production_kinds storage tiles meadows open_columns open_pairs reserved_points
        best_payable best_progress pioneers pawn lead_at_end
    }
}

impl Features for TheRiver {
    fn feature_names(&self) -> &'static [&'static str] {
        Values::NAMES
    }

    fn features(&self, state: &State, seat: Seat) -> FeatureVector {
        self.cached_features()(state, seat)
    }

    fn cached_features(&self) -> impl FnMut(&State, Seat) -> FeatureVector {
        let mut seats = PerSeat::<SeatCache>::default();
        move |state, seat| self.compute_features(state, seat, &mut seats)
    }

    /// Returns the progress of the seat that is nearest to the end.
    fn progress(&self, state: &State) -> f64 {
        let tokens = self.all_seats().fold(0, |most, seat| most.max(state.tokens(seat)));
        // The longest row has the highest bit of all.
        let tiles = self.all_seats().fold(0, |bits, seat| bits | state.tiles(seat).0);
        let by_tokens = f64::from(tokens) / f64::from(self.bonus_spots);
        f64::max(by_tokens, TileRow(tiles).len() as f64 / SPOTS as f64)
    }

    fn fact_table(&self) -> Arc<FactTable> {
        self.facts_and_table().1.clone()
    }

    fn position_facts(&self, state: &State, facts: &mut PositionFacts) {
        self.facts().list_position(self, state, facts);
    }

    fn action_lister<'a>(
        &'a self,
        state: &'a State,
        seat: Seat,
    ) -> impl FnMut(Action, &mut FactList) {
        self.facts().action_lister(self, state, seat)
    }
}

impl TheRiver {
    /// Returns the features of a position for a seat.
    ///
    /// A building to pay for counts as built. Values of future rounds (production, storage,
    /// pioneers, open columns) are multiplied by the remaining share of the game.
    fn compute_features(
        &self,
        state: &State,
        seat: Seat,
        caches: &mut PerSeat<SeatCache>,
    ) -> FeatureVector {
        let cache = &mut caches[seat.index()];
        let board = cache.board(self, state, seat);
        let building_points = cache.building_points(self, state, seat);
        let tiles = state.tiles(seat);
        let symbols = state.symbols(seat);
        let bag = state.bag(seat);
        let remaining = 1.0 - self.progress(state);

        let paying = (state.phase() == Phase::Pay && state.decider() == seat)
            .then(|| TheRiver::building_to_pay(state));
        let price = paying.map_or(0, |building| self.price(state, seat, building));
        let points_to_come = paying.map_or(0, |building| self.building_rules(building).points);
        let token_to_come = paying.and_then(|_| self.next_token(state, seat));
        let unspent = bag.total().saturating_sub(price);
        let held = unspent.min(symbols.storage());

        let production = Resource::PRODUCED.map(|resource| symbols.production(resource));
        let reserved =
            state.reserved_buildings(seat) & !paying.map_or(0, |building| 1 << building.0);
        let reserved_points: u32 =
            ones(reserved).map(|building| self.buildings[building as usize].points).sum();
        let (best_payable, best_progress) =
            if paying.is_some() { (0.0, 0.0) } else { cache.best_building(self, state, seat) };

        let lead_at_end = if state.is_end_triggered() {
            let mut total = |seat: Seat| caches[seat.index()].score(self, state, seat).total();
            let others = self.all_seats().filter(|&other| other != seat);
            let lead = total(seat) - others.map(&mut total).max().unwrap_or(0);
            let resources_lost = price / self.data.rules.per_resources.get();
            f64::from(lead) + f64::from(points_to_come + token_to_come.unwrap_or(0))
                - f64::from(resources_lost)
        } else {
            0.0
        };

        Values {
            token_points: f64::from(state.token_points(seat))
                + f64::from(token_to_come.unwrap_or(0)),
            tokens: f64::from(state.tokens(seat)) + if token_to_come.is_some() { 1.0 } else { 0.0 },
            building_points: f64::from(building_points) + f64::from(points_to_come),
            column_points: f64::from(board.columns),
            meadow_points: f64::from(board.meadows),
            resources: f64::from(held),
            food: f64::from(bag.get(Resource::Food)),
            production: f64::from(production.iter().map(|&symbols| symbols.min(4)).sum::<u32>())
                * remaining,
            production_kinds: production.iter().filter(|&&symbols| symbols > 0).count() as f64
                * remaining,
            storage: f64::from(symbols.storage().min(8)) * remaining,
            tiles: tiles.len() as f64,
            meadows: f64::from(board.tiles_with_effect),
            open_columns: f64::from(board.open_columns) * remaining,
            open_pairs: f64::from(board.open_pairs) * remaining,
            reserved_points: f64::from(reserved_points) * remaining,
            best_payable,
            best_progress,
            pioneers: f64::from(
                state.pioneers(seat).saturating_sub(self.framed_covered(state, seat)),
            ) * remaining,
            pawn: if state.pawn_holder() == seat { remaining } else { 0.0 },
            lead_at_end,
        }
        .vector()
    }

    #[inline]
    pub(super) fn facts(&self) -> &Facts {
        &self.facts_and_table().0
    }

    fn facts_and_table(&self) -> &(Facts, Arc<FactTable>) {
        self.facts.get_or_init(|| Facts::new(self))
    }
}

/// The parts of a seat's features that most actions leave unchanged.
#[derive(Default)]
struct SeatCache {
    board: Memo<BoardKey, BoardFeatures>,
    /// By the buildings that the seat has built.
    building_points: Memo<u64, i32>,
    /// By the bag of the seat, the buildings in its reach and those of them that it has reserved.
    best_building: Memo<(Bag, u64, u64), (f64, f64)>,
}

/// All values on which [`BoardFeatures`] depend.
#[derive(PartialEq)]
struct BoardKey {
    tiles: TileRow,
    symbols: Symbols,
    pioneers: u32,
    tokens: u32,
}

/// Features of the tiles on a board.
#[derive(Clone, Copy)]
struct BoardFeatures {
    columns: i32,
    meadows: i32,
    tiles_with_effect: u32,
    open_columns: u32,
    open_pairs: u32,
}

impl SeatCache {
    #[inline]
    fn board(&mut self, game: &TheRiver, state: &State, seat: Seat) -> BoardFeatures {
        let tiles = state.tiles(seat);
        let key = BoardKey {
            tiles,
            symbols: state.symbols(seat),
            pioneers: state.pioneers(seat),
            tokens: state.tokens(seat),
        };
        self.board.get(key, || {
            let terrains = game.terrains(tiles);
            let [open_columns, open_pairs] = terrains.open_columns();
            let has_effect = |kind: &TileKind| game.kinds_with_effect >> kind.0 & 1 == 1;
            BoardFeatures {
                columns: game.column_points(terrains),
                meadows: game.meadow_points(state, seat, terrains),
                tiles_with_effect: tiles.iter().filter(has_effect).count() as u32,
                open_columns,
                open_pairs,
            }
        })
    }

    #[inline]
    fn building_points(&mut self, game: &TheRiver, state: &State, seat: Seat) -> i32 {
        let built = state.built_buildings(seat);
        self.building_points.get(built, || game.building_points(built))
    }

    #[inline]
    fn best_building(&mut self, game: &TheRiver, state: &State, seat: Seat) -> (f64, f64) {
        let (bag, reserved) = (state.bag(seat), state.reserved_buildings(seat));
        let in_reach = state.face_up_buildings() | reserved;
        let key = (bag, in_reach, reserved);
        self.best_building.get(key, || best_building(game, bag, in_reach, reserved))
    }

    /// Returns the score of the seat, as [`TheRiver::score`] does.
    #[inline]
    fn score(&mut self, game: &TheRiver, state: &State, seat: Seat) -> Score {
        let board = self.board(game, state, seat);
        Score {
            tokens: state.token_points(seat) as i32,
            buildings: self.building_points(game, state, seat),
            resources: game.resource_points(state.bag(seat)),
            columns: board.columns,
            meadows: board.meadows,
        }
    }
}

/// Returns the maximum points of a building of a set that can be paid from a bag, and the maximum
/// product of the points of a building and the share of its price that the bag holds.
fn best_building(game: &TheRiver, bag: Bag, buildings: u64, reserved: u64) -> (f64, f64) {
    let (mut payable, mut progress) = (0.0, 0.0);
    for building in ones(buildings) {
        let rules = &game.buildings[building as usize];
        let price = game.price_if(Building(building as u8), reserved >> building & 1 == 1);
        let held = Resource::PRODUCED
            .iter()
            .map(|&resource| rules.cost[resource as usize].min(bag.get(resource)))
            .sum::<u32>();
        let held = (held + bag.get(Resource::Food)).min(price);
        let points = f64::from(rules.points);
        if held == price {
            payable = f64::max(payable, points);
        }
        progress = f64::max(progress, points * f64::from(held) / f64::from(price.max(1)));
    }
    (payable, progress)
}
