//! The course of a day in We All Take from the River: water and nature in a row turn, and the flow
//! of loose tokens (rules §5).

use super::{
    CommonRiver, Land, Row,
    components::{Flow, Structure, Tile, Token},
    data::Erosion,
    phases::{Phase, TradeWindow},
    rules::lowest_bit,
    state::State,
};

impl CommonRiver {
    pub(super) fn begin_day(state: &mut State) {
        state.day += 1;
        state.phase = Phase::Die;
    }

    pub(super) fn roll_die(&self, state: &mut State, eyes: u8) {
        let modifier = state
            .almanac_card(0)
            .map_or(0, |card| self.data.weather[card].modifier.signed() as i16);
        state.water = i16::from(eyes) + modifier + state.carried_water;
        state.carried_water = 0;
        self.open_window(state, TradeWindow::Dawn);
    }

    /// Performs a row turn up to the trade window. `crossed` is the lower row at the line that was
    /// crossed; there is none in the first row turn of a day.
    pub(super) fn begin_row(&self, state: &mut State, row: usize, crossed: Option<usize>) {
        if self.is_river_dead(state) {
            return;
        }
        state.row = row as u8;
        if crossed.is_some_and(|line| self.map.row[line].dot_above) {
            state.water += 1;
        }
        let is_bare =
            state.have_no_structures(self.map.row[row].land_by_elevation.map(|land| land.tile));
        let eroded = self.erode(state, is_bare);
        if self.is_river_dead(state) {
            return;
        }
        if !is_bare {
            self.drain(state);
        }
        if state.water > 0 {
            self.populate(state, eroded);
            if !is_bare {
                self.harvest_farms(state);
            }
        } else if self.data.rules.city_pollutes_dry {
            self.pollute_by_city(state);
        }
        self.open_window(state, TradeWindow::Row);
    }

    /// Erodes the tiles of the row (§5.2) and returns those that lost a tree.
    #[inline]
    fn erode(&self, state: &mut State, is_bare: bool) -> u32 {
        let elevation = |land: &Land| {
            if is_bare { land.elevation } else { self.effective_elevation(state, land.tile) }
        };
        let [mut first, mut second] = self.map.row[state.row()]
            .land_by_elevation
            .each_ref()
            .map(|land| (land, elevation(land)));
        if state.water <= first.1.min(second.1) {
            return 0;
        }
        if second.1 > first.1 {
            std::mem::swap(&mut first, &mut second);
        }
        let mut eroded = 0;
        for (land, elevation) in [first, second] {
            if state.water > elevation
                && !self.is_river_dead(state)
                && self.erode_land(state, land, elevation)
            {
                eroded |= land.tile.bit();
            }
        }
        eroded
    }

    /// Erodes a tile below the water level. Returns true if it lost a tree.
    fn erode_land(&self, state: &mut State, land: &Land, elevation: i16) -> bool {
        if land.gravel != 0 && state.city != Some(land.tile) {
            state.water -= 1;
            state.filled |= (land.gravel | land.half_gravel) & !state.polluted;
            if state.water <= elevation {
                return false;
            }
        }
        let row = state.row();
        let mut eroded = false;
        loop {
            let trees = state.filled & land.trees;
            if trees == 0 {
                self.flood(state, land);
                return eroded;
            }
            state.filled &= !lowest_bit(trees);
            state.loose_tokens[row].add(Token::Tree, 1);
            state.water -= 1;
            eroded = true;
            if self.data.rules.erosion == Erosion::Single || state.water <= elevation {
                return true;
            }
        }
    }

    fn flood(&self, state: &mut State, land: &Land) {
        let row = state.row();
        state.flooded |= land.tile.bit() as u16;
        let gravel = state.filled & land.slots;
        state.filled &= !gravel;
        state.loose_tokens[row].add(Token::Gravel, gravel.count_ones());
        let pollution = state.polluted & land.slots;
        state.polluted &= !pollution;
        for _ in 0..pollution.count_ones() {
            self.add_pollution(state, row);
        }
        if state.city == Some(land.tile) && state.city_complete {
            self.pollute(state, row, self.data.rules.city_flood_pollution.get());
        }
    }

    /// Lowers the water by canals (§5.3).
    fn drain(&self, state: &mut State) {
        for tile in self.map.row[state.row()].land_by_elevation.map(|land| land.tile) {
            let canals = if Self::structures_work(state, tile) {
                self.count_on_tile(state, Structure::Canal, tile)
            } else {
                0
            };
            let lowered = canals.min(state.water.max(0) as u32);
            if lowered > 0 {
                state.water -= lowered as i16;
                for seat in self.all_seats() {
                    let farms = state.stack(seat, tile).count(Structure::Farm);
                    state.stock[seat.index()].add(Token::Fish, lowered * farms);
                }
            }
        }
    }

    /// Populates the row (§5.4), except for farms.
    #[expect(
        clippy::inline_always,
        reason = "part of every row turn; a call would take a quarter of its time"
    )]
    #[inline(always)]
    fn populate(&self, state: &mut State, eroded: u32) {
        let row = state.row();
        let Row { land_by_elevation: [higher, lower], fish, half_trees, .. } = &self.map.row[row];
        let empty = self.all_empty_slots(state);
        if state.filled & fish != 0 || state.loose_tokens[row].get(Token::Fish) > 0 {
            let spawning = lowest_bit(empty & fish);
            state.filled |= spawning;
            state.loose_tokens[row].add(Token::Fish, u32::from(spawning == 0));
        }
        let spared = !(eroded | u32::from(state.flooded));
        for (tile, trees) in
            [(higher.tile, higher.trees), (lower.tile, lower.trees), (Tile::half(row), *half_trees)]
        {
            state.filled |= lowest_bit(empty & trees) * u64::from(spared >> tile.0 & 1);
        }
        self.pollute_by_city(state);
    }

    /// Pollutes the row if the City is in it, complete and not flooded.
    #[inline]
    fn pollute_by_city(&self, state: &mut State) {
        let row = state.row();
        if state.city.is_some_and(|tile| tile.row() == row) && state.city_stands() {
            self.pollute(state, row, self.data.rules.city_pollution.get());
        }
    }

    fn harvest_farms(&self, state: &mut State) {
        let row = state.row();
        for tile in self.map.row[row].land_by_elevation.map(|land| land.tile) {
            for seat in self.all_seats() {
                let farms = if Self::structures_work(state, tile) {
                    state.stack(seat, tile).count(Structure::Farm)
                } else {
                    0
                };
                for _ in 0..farms {
                    if !self.is_river_dead(state) {
                        state.stock[seat.index()].add(Token::Fish, 1);
                        self.add_pollution(state, row);
                    }
                }
            }
        }
    }

    /// Ends the row turn (§5.7). Loose fish fill empty slots of the row; loose pollution flows on.
    pub(super) fn end_row(&self, state: &mut State) {
        state.place = 0;
        state.cursor = 0;
        let row = state.row();
        let mut empty = self.empty_slots(state, Tile::river(row));
        while empty != 0 && state.loose_tokens[row].get(Token::Fish) > 0 {
            state.loose_tokens[row].take(Token::Fish, 1);
            state.filled |= lowest_bit(empty);
            empty &= empty - 1;
        }
        state.phase = Phase::Net;
    }

    /// Returns the row above the line that the flow crosses, if it crosses one.
    #[inline]
    pub(super) fn crossed_line(&self, state: &State) -> Option<usize> {
        if self.is_storm(state) { state.row().checked_sub(1) } else { Some(state.row()) }
    }

    /// Returns the net slot of the line that collects first (0) or second (1).
    #[inline]
    fn net_slot(&self, state: &State, line: usize, place: usize) -> Tile {
        self.map.row[line].nets[place ^ usize::from(self.is_storm(state))]
    }

    pub(super) fn advance_net(&self, state: &mut State) -> bool {
        // Several rows in which no seat can act may follow one another.
        while state.phase == Phase::Net && !self.is_river_dead(state) {
            if self.advance_to_net(state) {
                return true;
            }
            state.cursor = 0;
            self.move_flow(state);
        }
        false
    }

    /// Moves the cursor to the next net that can collect a loose token. Returns false if there is
    /// none.
    #[inline]
    fn advance_to_net(&self, state: &mut State) -> bool {
        let row = state.row();
        if !state.nets.is_empty()
            && let Some(line) = self.crossed_line(state)
            && !state.loose_tokens[row].is_empty()
            && !state.is_protected(Tile::river(line))
        {
            while state.cursor < 2 {
                if state.net_owner(self.net_slot(state, line, state.cursor.into())).is_some() {
                    return true;
                }
                state.cursor += 1;
            }
        }
        false
    }

    pub(super) fn collect_in_net(&self, state: &mut State, token: Token) {
        let row = state.row();
        let owner = self
            .crossed_line(state)
            .and_then(|line| state.net_owner(self.net_slot(state, line, state.cursor.into())));
        if let Some(owner) = owner {
            state.loose_tokens[row].take(token, 1);
            state.stock[owner.index()].add(token, 1);
        }
        state.cursor += 1;
    }

    pub(super) fn move_flow(&self, state: &mut State) {
        let row = state.row();
        let storm = self.is_storm(state);
        let next = if storm {
            row.checked_sub(1)
        } else {
            Some(row + 1).filter(|&next| next < self.map.rows)
        };
        if !storm || next.is_some() {
            let flow = std::mem::take(&mut state.loose_tokens[row]);
            if let Some(next) = next.filter(|_| !flow.is_empty()) {
                self.receive_flow(state, next, flow);
            }
        }
        match next {
            Some(next) => self.begin_row(state, next, Some(row.max(next))),
            None => self.open_window(state, TradeWindow::Dusk),
        }
    }

    pub(super) fn receive_flow(&self, state: &mut State, row: usize, mut flow: Flow) {
        let pollution = flow.get(Token::Pollution);
        flow.take(Token::Pollution, pollution);
        state.loose_tokens[row].add_all(flow);
        let [higher, lower] = self.map.row[row].land_by_elevation;
        for _ in 0..pollution {
            let (on_higher, on_lower) =
                (self.empty_slots(state, higher.tile), self.empty_slots(state, lower.tile));
            if on_higher != 0 {
                state.polluted |= lowest_bit(on_higher);
            } else if on_lower != 0 {
                state.polluted |= lowest_bit(on_lower);
            } else {
                self.add_pollution(state, row);
            }
        }
    }
}
