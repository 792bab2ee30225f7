//! Features of positions of The River for heuristics, from the point of view of one seat. Facts for
//! networks are in `facts.rs`.

use super::{
    TheRiver,
    action::{Action, Actions},
    components::{Building, Resource, SPOTS},
    facts::Facts,
    state::{Phase, State},
};
use crate::{
    bits::ones,
    game::{
        FeatureVector, Features, MAX_FEATURES, Seat,
        facts::{FactList, FactTable, PositionFacts},
    },
};

/// The names of the features.
const NAMES: [&str; 23] = [
    "token_points",
    "tokens",
    "building_points",
    "column_points",
    "meadow_points",
    "resources",
    "overflow",
    "food",
    "production",
    "production_kinds",
    "storage",
    "tiles",
    "meadows",
    "open_columns",
    "open_pairs",
    "reserved_points",
    "best_payable",
    "best_progress",
    "pioneers",
    "boat",
    "turn",
    "pawn",
    "lead_at_end",
];

impl Features for TheRiver {
    fn feature_names(&self) -> &'static [&'static str] {
        &NAMES
    }

    /// A building to pay for counts as built. Values of future rounds (production, storage,
    /// pioneers, open columns) are multiplied by the remaining share of the game. Seats have
    /// different numbers of turns within a round: the pioneers on the boat, the seat that decides
    /// and the resources that cannot be stored make their positions comparable.
    fn features(&self, state: &State, seat: Seat) -> FeatureVector {
        let score = self.score(state, seat);
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
        let (open_columns, open_pairs) = open_columns(self, state, seat);
        let reserved =
            state.reserved_buildings(seat) & !paying.map_or(0, |building| 1 << building.0);
        let reserved_points: u32 =
            ones(reserved).map(|building| self.buildings[building as usize].points).sum();
        let (best_payable, best_progress) =
            if paying.is_some() { (0.0, 0.0) } else { best_building(self, state, seat) };

        let values = [
            f64::from(score.tokens) + f64::from(token_to_come.unwrap_or(0)),
            f64::from(state.tokens(seat)) + if token_to_come.is_some() { 1.0 } else { 0.0 },
            f64::from(score.buildings) + f64::from(points_to_come),
            f64::from(score.columns),
            f64::from(score.meadows),
            f64::from(held),
            f64::from(unspent - held),
            f64::from(bag.get(Resource::Food)),
            f64::from(production.iter().map(|&symbols| symbols.min(4)).sum::<u32>()) * remaining,
            production.iter().filter(|&&symbols| symbols > 0).count() as f64 * remaining,
            f64::from(symbols.storage().min(8)) * remaining,
            tiles.len() as f64,
            tiles.iter().filter(|&kind| self.tile_rules(kind).effect.is_some()).count() as f64,
            open_columns * remaining,
            open_pairs * remaining,
            f64::from(reserved_points) * remaining,
            best_payable,
            best_progress,
            f64::from(state.pioneers(seat).saturating_sub(state.framed_covered(seat))) * remaining,
            f64::from(state.boat_pioneers(seat)),
            if state.phase() == Phase::Place && state.decider() == seat { 1.0 } else { 0.0 },
            if state.pawn_holder() == seat { remaining } else { 0.0 },
            lead_at_end(self, state, seat, price, points_to_come + token_to_come.unwrap_or(0)),
        ];
        let mut features = [0.0; MAX_FEATURES];
        features[..values.len()].copy_from_slice(&values);
        features
    }

    /// Returns the progress of the seat that is nearest to the end.
    fn progress(&self, state: &State) -> f64 {
        let progress = self.all_seats().map(|seat| {
            let by_tokens = f64::from(state.tokens(seat)) / f64::from(self.bonus_spots);
            let by_tiles = state.tiles(seat).len() as f64 / SPOTS as f64;
            by_tokens.max(by_tiles)
        });
        progress.fold(0.0, f64::max)
    }

    fn fact_table(&self) -> FactTable {
        self.facts_and_table().1.clone()
    }

    fn position_facts(&self, state: &State, facts: &mut PositionFacts) {
        self.facts().list_position(self, state, facts);
    }

    fn action_facts(
        &self,
        state: &State,
        seat: Seat,
        legal: &Actions,
        receive: &mut dyn FnMut(Action, &FactList),
    ) {
        self.facts().list_actions(self, state, seat, legal, receive);
    }
}

impl TheRiver {
    #[inline]
    pub(super) fn facts(&self) -> &Facts {
        &self.facts_and_table().0
    }

    fn facts_and_table(&self) -> &(Facts, FactTable) {
        self.facts.get_or_init(|| Box::new(Facts::new(self)))
    }
}

/// Returns the number of columns with a top tile only, and of columns with two matching tiles and
/// no third one.
fn open_columns(game: &TheRiver, state: &State, seat: Seat) -> (f64, f64) {
    let tiles = state.tiles(seat);
    let mut open = (0.0, 0.0);
    for column in game.columns {
        let [top, middle, bottom] = column.map(|spot| game.terrain(tiles.get(spot)));
        if top != 0 && middle == 0 {
            open.0 += 1.0;
        } else if top & middle != 0 && bottom == 0 {
            open.1 += 1.0;
        }
    }
    open
}

/// Returns the maximum points of a building that a seat can pay now, and the maximum product of the
/// points of a building and the share of its price that the seat holds.
fn best_building(game: &TheRiver, state: &State, seat: Seat) -> (f64, f64) {
    let bag = state.bag(seat);
    let (mut payable, mut progress) = (0.0, 0.0);
    for building in ones(state.face_up_buildings() | state.reserved_buildings(seat)) {
        let rules = &game.buildings[building as usize];
        let price = game.price(state, seat, Building(building as u8));
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

/// Returns the lead of a seat over the best other seat once the end is certain, otherwise 0.
fn lead_at_end(game: &TheRiver, state: &State, seat: Seat, price: u32, points_to_come: u32) -> f64 {
    if !state.is_end_triggered() {
        return 0.0;
    }
    let total = |seat: Seat| game.score(state, seat).total();
    let best_other = game.all_seats().filter(|&other| other != seat).map(total).max().unwrap_or(0);
    let resources_lost = price / game.data.rules.per_resources.get();
    f64::from(total(seat) - best_other) + f64::from(points_to_come) - f64::from(resources_lost)
}
