//! The cleanup after a round of The River (§7).

use super::{
    TheRiver,
    components::{Resource, TileKind, TileRow},
    data::Effect,
    state::{Phase, State},
};

/// The factor of the resource in the cursor of income, whose remainder is the spot of the board.
pub(super) const INCOME_RESOURCE_STEP: u32 = 16;
/// The factor of the seat in the cursor of income, clockwise from the holder of the pawn.
pub(super) const INCOME_SEAT_STEP: u32 = 4 * INCOME_RESOURCE_STEP;

impl TheRiver {
    pub(super) fn clean_up(&self, state: &mut State) {
        if state.is_end_triggered() {
            self.settle(state);
        } else {
            state.face_up_tiles = TileRow::default();
            self.lay_out_tiles(state);
        }
    }

    /// Waits for chance until enough tiles lie face up or none is left (§7.1, and §2.7 in setup).
    pub(super) fn lay_out_tiles(&self, state: &mut State) {
        let enough = state.face_up_tiles.len() == self.face_up_tiles;
        if !enough && (state.unseen_tiles != 0 || self.discard_pile(state) != 0) {
            state.set_phase(Phase::Tiles);
        } else if state.round() == 0 {
            self.begin_round(state, 1);
        } else {
            self.lay_out_buildings(state);
        }
    }

    /// Waits for chance until enough buildings lie face up or none is left (§7.2, and §2.5 in
    /// setup).
    pub(super) fn lay_out_buildings(&self, state: &mut State) {
        let enough = state.face_up_buildings().count_ones() >= self.face_up_buildings;
        if !enough && state.unseen_buildings(self.building_pile) != 0 {
            state.set_phase(Phase::Buildings);
        } else if state.round() == 0 {
            self.begin_draft(state);
        } else {
            self.settle(state);
        }
    }

    /// Returns pioneers to the boats, except one that settles for each framed spot covered (§7.3).
    fn settle(&self, state: &mut State) {
        for seat in self.all_seats() {
            let pioneers = state.pioneers(seat).saturating_sub(state.framed_covered(seat));
            state.set_pioneers(seat, pioneers);
            state.set_boat_pioneers(seat, pioneers);
            state.set_framed_covered(seat, 0);
            state.set_claims(seat, 0);
        }
        state.set_cursor(0);
        self.collect_income(state);
    }

    /// Gives income to the seats clockwise from the pawn holder, to each by resource and spot
    /// (§7.4). The cursor is the step to continue with.
    pub(super) fn collect_income(&self, state: &mut State) {
        let start = u32::from(state.cursor());
        for steps in start / INCOME_SEAT_STEP..self.players as u32 {
            let seat = state.pawn_holder().clockwise(steps as usize, self.players);
            if !state.has_income(seat) {
                continue;
            }
            let tiles = state.tiles(seat);
            for resource in Resource::PRODUCED {
                for spot in 0..tiles.len() as u32 {
                    let cursor =
                        steps * INCOME_SEAT_STEP + resource as u32 * INCOME_RESOURCE_STEP + spot;
                    let income = self.income(tiles.get(spot as usize), resource);
                    if cursor < start || income == 0 {
                        continue;
                    }
                    self.take(state, seat, resource, income);
                    if Self::overflows(state, seat) {
                        state.set_cursor(cursor as u8 + 1);
                        state.set_decider(seat);
                        state.set_phase(Phase::IncomeOverflow);
                        return;
                    }
                }
            }
        }
        state.set_cursor(0);
        if self.is_last_round(state) {
            state.set_phase(Phase::Over);
        } else {
            self.begin_round(state, state.round() + 1);
        }
    }

    /// Returns the income of a resource that a kind of tile gives.
    pub(super) fn income(&self, kind: TileKind, resource: Resource) -> u32 {
        match self.tile_rules(kind).effect {
            Some(Effect::Income { resource: produced, amount, .. })
                if Resource::from(produced) == resource =>
            {
                amount.get()
            }
            _ => 0,
        }
    }

    /// Returns true if the game ends after this round (§7.5 and the two stops).
    pub(super) fn is_last_round(&self, state: &State) -> bool {
        state.is_end_triggered()
            || self.all_seats().all(|seat| state.pioneers(seat) == 0)
            || state.round() == self.data.rules.max_rounds.get()
    }
}
