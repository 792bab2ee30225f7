//! The build action of structures in We All Take from the River (rules §6).

use super::{
    CommonRiver,
    action::{Action, Actions, BUILD, REMOVABLE, build_index},
    components::{Structure, Tile, Token, Tokens, tiles_in},
    phases::{Actor, Stage},
    state::State,
};
use watershed_engine::game::Seat;

/// Returns the bit of a kind of structure in a set of kinds. Builds have the same order.
const fn kind_bit(kind: Structure) -> u64 {
    1 << kind as u32
}

/// The kinds of structure that a camp builds on its tile or next to it. Nets are built in a slot.
const BUILT_BY_CAMP: u64 =
    ((1 << Structure::ALL.len()) - 1) & !(kind_bit(Structure::Camp) | kind_bit(Structure::Net));

impl CommonRiver {
    pub(super) fn list_builds(
        &self,
        state: &State,
        seat: Seat,
        actor: Actor,
        actions: &mut Actions,
    ) {
        let tile = actor.tile;
        let can_build = matches!(actor.kind, Structure::Camp | Structure::Excavator);
        if !can_build || !Self::structures_work(state, tile) {
            return;
        }
        let mut budget = *state.stock(seat);
        if actor.stage != Stage::Building {
            let fish = self.data.rules.build_fish.get();
            if budget.get(Token::Fish) < fish {
                return;
            }
            budget.take(Token::Fish, fish);
        }
        let affordable = self.affordable_kinds(state, seat, &budget);
        if actor.kind == Structure::Excavator {
            actions.insert_bits(BUILD, affordable & kind_bit(Structure::Canal));
            if Self::count_sticks(state, seat) > 0 {
                self.list_removals(state, seat, actions);
            }
            return;
        }
        let row = tile.row();
        let bridged =
            if state.bridge_owner(row).is_some() { kind_bit(Structure::Bridge) } else { 0 };
        let mut builds = affordable & BUILT_BY_CAMP & !bridged;
        if affordable & kind_bit(Structure::Net) != 0 {
            let above = if row > 0 { Tile(tile.0 - 1) } else { tile };
            for slot in [above, tile].into_iter().filter(|&slot| state.net_owner(slot).is_none()) {
                builds |= 1 << build_index(Action::BuildNet(slot));
            }
        }
        let first = if actor.stage == Stage::Building { u32::from(state.last_choice) } else { 0 };
        actions.insert_bits(BUILD, builds & u64::MAX << first);
    }

    /// Returns the number of canals, levees and bridges of a seat on the map.
    #[inline]
    pub(super) fn count_sticks(state: &State, seat: Seat) -> u32 {
        let land = state.total_stack(seat);
        land.count(Structure::Canal) + land.count(Structure::Levee) + state.bridges.count(seat)
    }

    /// Returns the kinds of structure that `budget` pays for and of which the seat has a piece
    /// left, bit `k` for kind `k`.
    #[inline]
    fn affordable_kinds(&self, state: &State, seat: Seat, budget: &Tokens) -> u64 {
        let sticks = Self::count_sticks(state, seat);
        let mut kinds = 0;
        for (kind, (cost, &pieces)) in
            Structure::ALL.iter().zip(self.costs.iter().zip(&self.pieces))
        {
            let built =
                || if kind.is_stick() { sticks } else { state.structure_count(seat, *kind) };
            kinds |= if budget.covers(cost) && built() < pieces { kind_bit(*kind) } else { 0 };
        }
        kinds
    }

    fn list_removals(&self, state: &State, seat: Seat, actions: &mut Actions) {
        for row in (0..self.map.rows).filter(|&row| state.bridge_owner(row) == Some(seat)) {
            actions.insert(Action::Remove(Structure::Bridge, Tile::river(row)));
        }
        for tile in tiles_in(self.map.land) {
            for kind in REMOVABLE {
                if state.stack(seat, tile).count(kind) > 0 {
                    actions.insert(Action::Remove(kind, tile));
                }
            }
        }
    }

    pub(super) fn build_structure(&self, state: &mut State, seat: Seat, action: Action) {
        let Some(actor) = state.actor else { return };
        let row = actor.tile.row();
        let kind = if let Action::Build(kind) = action { kind } else { Structure::Net };
        let stock = &mut state.stock[seat.index()];
        if actor.stage != Stage::Building {
            stock.take(Token::Fish, self.data.rules.build_fish.get());
        }
        stock.take_all(&self.costs[kind as usize]);
        match action {
            Action::BuildNet(slot) => state.nets.set(slot.index(), Some(seat)),
            Action::Build(Structure::Bridge) => state.bridges.set(row, Some(seat)),
            Action::Build(Structure::Boat) => state.boats[seat.index()][row].add_turned(),
            _ => state.stacks[seat.index()][actor.tile.index()].build(kind),
        }
        if actor.kind == Structure::Excavator {
            self.pollute(state, row, 1);
            Self::set_stage(state, Stage::Built);
        } else {
            state.last_choice = build_index(action) as u8;
            Self::set_stage(state, Stage::Building);
        }
    }

    pub(super) fn remove_structure(
        &self,
        state: &mut State,
        seat: Seat,
        kind: Structure,
        tile: Tile,
    ) {
        state.stock[seat.index()].take(Token::Fish, self.data.rules.build_fish.get());
        match kind {
            Structure::Bridge => state.bridges.set(tile.row(), None),
            _ => state.stacks[seat.index()][tile.index()].dismantle(kind),
        }
        self.pollute(state, state.row(), 1);
        Self::set_stage(state, Stage::Built);
    }
}
