//! Situations of opening decisions of The River: the starter tile, and what lies open in classes.

use super::{
    TheRiver,
    components::TileKind,
    data::TileEffect,
    labels::tile_label,
    state::{Phase, Place, State},
};
use watershed_engine::{
    bits::ones,
    game::{Seat, Situation, SituationPart},
};

impl TheRiver {
    /// Returns the situation of a decision in the draft or of a placement. In the draft it is the
    /// row of tiles. Later it is the first tile on the board of the seat, and then the classes of
    /// the face-up tiles, the number of buildings that the seat can pay for, and the place of the
    /// first-player pawn.
    pub(super) fn opening_situation(&self, state: &State, seat: Seat) -> Situation {
        if state.phase() == Phase::Draft {
            let mut kinds: Vec<_> = state.face_up_tiles().iter().collect();
            kinds.sort_unstable();
            let ids: Vec<_> = kinds.iter().map(|&kind| self.tile_id(kind)).collect();
            let labels: Vec<_> = kinds.iter().map(|&kind| self.tile_label(kind)).collect();
            let row = SituationPart::new(ids.join("+"), labels.join(" | "));
            return Situation { starter: None, open: vec![row] };
        }
        // A swap may move the starter, but hardly ever before the second placement.
        let starter = state.tiles(seat).get(0);
        let starter = (starter != TileKind::NONE)
            .then(|| SituationPart::new(self.tile_id(starter), self.tile_label(starter)));
        Situation { starter, open: vec![SituationPart::named(self.open_classes(state, seat))] }
    }

    fn tile_id(&self, kind: TileKind) -> &str {
        self.data.tile[usize::from(kind.0) - 1].id.as_str()
    }

    pub(super) fn tile_label(&self, kind: TileKind) -> String {
        tile_label(&self.data.tile[usize::from(kind.0) - 1])
    }

    /// Returns the classes of what lies open to a seat, in words.
    fn open_classes(&self, state: &State, seat: Seat) -> String {
        let (mut take, mut income, mut other, mut production, mut storage) =
            (false, false, false, false, false);
        for kind in state.face_up_tiles().iter() {
            let rules = self.tile_rules(kind);
            match rules.effect {
                Some(TileEffect::Take { .. }) => take = true,
                Some(TileEffect::Income { .. }) => income = true,
                Some(_) => other = true,
                None => {}
            }
            let data = &self.data.tile[usize::from(kind.0) - 1];
            production |= data.production.to_array().iter().any(|&symbols| symbols > 0);
            storage |= data.storage.get() > 0;
        }
        let classes = [
            (take, "meadow that takes"),
            (income, "meadow with income"),
            (other, "other meadow"),
            (production, "production"),
            (storage, "warehouses"),
        ];
        let open: Vec<_> =
            classes.into_iter().filter_map(|(is_open, name)| is_open.then_some(name)).collect();
        let open = if open.is_empty() { "no tiles".to_owned() } else { open.join(", ") };
        let discount = self.data.rules.reserve_discount.get();
        let bag = state.bag(seat);
        let payable = state.face_up_buildings() & self.affordable.get(bag, 0)
            | state.reserved_buildings(seat) & self.affordable.get(bag, discount);
        let payable = match ones(payable).count() {
            0 => "no building",
            1 => "1 building",
            _ => "2 or more buildings",
        };
        let limit = self.place_limits[Place::First as usize];
        let pawn = if state.pioneers_on(Place::First) < limit { "free" } else { "taken" };
        format!("{open}; {payable} payable; pawn {pawn}")
    }
}
