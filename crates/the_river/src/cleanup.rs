//! The cleanup after a round of The River (§7).

use super::{
    TheRiver,
    components::{Bag, Income, Resource, TileKind, TileRow},
    state::{Phase, State},
};
use watershed_engine::{bits::ones, game::Seat};

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
    #[inline]
    pub(super) fn lay_out_tiles(&self, state: &mut State) {
        self.continue_tile_layout(state, state.face_up_tiles.len());
    }

    /// Waits for chance if more tiles can lie face up than the present number.
    #[inline]
    pub(super) fn continue_tile_layout(&self, state: &mut State, face_up: usize) {
        let enough = face_up == self.face_up_tiles;
        if !enough && (state.unseen_tiles != 0 || self.has_discarded_tiles(state)) {
            state.set_phase(Phase::Tiles);
        } else {
            self.end_tile_layout(state);
        }
    }

    #[inline(never)]
    fn end_tile_layout(&self, state: &mut State) {
        if state.round() == 0 {
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
            let pioneers = state.pioneers(seat).saturating_sub(self.framed_covered(state, seat));
            state.set_pioneers(seat, pioneers);
            state.set_boat_pioneers(seat, pioneers);
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
            let (mut income, mut spots_with_income) = (Income::default(), 0_u64);
            for (spot, kind) in tiles.iter().enumerate() {
                if self.income(kind) != Income::default() {
                    income = income.plus(self.income(kind));
                    spots_with_income |= 1 << spot;
                }
            }
            let first_step = steps * INCOME_SEAT_STEP;
            if first_step >= start && self.collect_storable_income(state, seat, income) {
                continue;
            }
            for resource in Resource::PRODUCED {
                for spot in ones(spots_with_income) {
                    let cursor = first_step + resource as u32 * INCOME_RESOURCE_STEP + spot;
                    let amount = self.income(tiles.get(spot as usize)).get(resource);
                    if cursor < start || amount == 0 {
                        continue;
                    }
                    self.take(state, seat, resource, amount);
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

    /// Returns the resources that a tile gives in each cleanup.
    #[inline]
    pub(super) fn income(&self, kind: TileKind) -> Income {
        self.incomes[usize::from(kind.0)]
    }

    /// Gives a seat its whole income and returns true, if the seat can store it.
    fn collect_storable_income(&self, state: &mut State, seat: Seat, income: Income) -> bool {
        let supply = self.supply(state);
        let [wood, clay, stone] =
            Resource::PRODUCED.map(|resource| income.get(resource).min(supply.get(resource)));
        let bag = state.bag(seat).plus(Bag::new(wood, clay, stone, 0));
        let is_storable = bag.total() <= state.symbols(seat).storage();
        if is_storable {
            state.set_bag(seat, bag);
        }
        is_storable
    }

    /// Returns true if the game ends after this round (§7.5 and the two stops).
    pub(super) fn is_last_round(&self, state: &State) -> bool {
        state.is_end_triggered()
            || self.all_seats().all(|seat| state.pioneers(seat) == 0)
            || state.round() == self.data.rules.max_rounds.get()
    }
}
