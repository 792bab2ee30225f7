//! The cells of the picture of The River, by which actions can be chosen.

use super::{
    action::{Action, Payment},
    components::{Building, Resource, TileKind},
    state::{Phase, Place, State},
};
use watershed_engine::game::Seat;

/// Returns the cells that an action of the seat that decides concerns.
pub(super) fn action_cells(state: &State, action: Action) -> Vec<String> {
    let seat = state.decider();
    let held = |payment: Payment| {
        let paid = Resource::ALL.into_iter().filter(move |&one| payment.get(one) > 0);
        paid.map(move |resource| held_id(seat, resource))
    };
    match action {
        Action::Claim(kind) => vec![tile_id(kind), spot_id(seat, state.tiles(seat).len())],
        Action::Produce(resource) => {
            vec![supply_id(resource), place_id(Place::production(resource))]
        }
        Action::FoodSubstitute(resource) => vec![supply_id(resource), place_id(Place::Food)],
        Action::Food => vec![supply_id(Resource::Food), place_id(Place::Food)],
        Action::Reserve(card) => vec![building_id(card), place_id(Place::Reserve)],
        Action::Build(card) => vec![building_id(card), place_id(Place::Build)],
        Action::Swap(one, other) => {
            let mut cells = vec![spot_id(seat, one.into()), spot_id(seat, other.into())];
            cells.extend((state.phase() == Phase::Place).then(|| place_id(Place::Swap)));
            cells
        }
        Action::Trade(payment) | Action::Pay(payment) => held(payment).collect(),
        Action::Discard(resource) => vec![held_id(seat, resource)],
        Action::TakePawn => vec![place_id(Place::First)],
        Action::Skip
        | Action::Pass
        | Action::FirstPlayer(_)
        | Action::Board(_)
        | Action::RevealTile(_)
        | Action::RevealBuilding(_)
        | Action::Reshuffle => Vec::new(),
    }
}

/// Returns the identifier of the open tiles of a kind.
pub(super) fn tile_id(kind: TileKind) -> String {
    format!("tile-{}", kind.0)
}

/// Returns the identifier of a building.
pub(super) fn building_id(card: Building) -> String {
    format!("building-{}", card.0)
}

/// Returns the identifier of a place of the main board.
pub(super) fn place_id(place: Place) -> String {
    format!("place-{}", place as usize)
}

/// Returns the identifier of a spot of a board, from 0.
pub(super) fn spot_id(seat: Seat, spot: usize) -> String {
    format!("seat{seat}-spot-{spot}")
}

/// Returns the identifier of a resource of the supply.
pub(super) fn supply_id(resource: Resource) -> String {
    format!("supply-{}", resource.name())
}

/// Returns the identifier of a resource that a seat holds.
pub(super) fn held_id(seat: Seat, resource: Resource) -> String {
    format!("seat{seat}-{}", resource.name())
}
