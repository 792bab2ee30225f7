//! The map and its tokens (rules §1).

use super::{CommonRiverModel, ModelSeat, row_of};

impl CommonRiverModel {
    pub(super) fn river(&self) -> String {
        format!("W{}", self.row)
    }

    pub(super) fn put_in_box(&mut self, token: &str, count: i64) {
        *self.box_change.entry(token.to_owned()).or_default() += count;
    }

    /// Moves tokens from the box into a stockpile.
    pub(super) fn gain(&mut self, seat: usize, token: &str, count: i64) {
        *self.seats[seat].stock.entry(token.to_owned()).or_default() += count;
        self.put_in_box(token, -count);
    }

    pub(super) fn pay(&mut self, seat: usize, token: &str, count: i64) {
        self.gain(seat, token, -count);
        assert!(self.seats[seat].has(token) >= 0, "{token} is there to be paid");
    }

    pub(super) fn add_loose(&mut self, row: usize, token: &str, count: i64) {
        *self.loose.get_mut(&format!("W{row}")).unwrap().entry(token.to_owned()).or_default() +=
            count;
    }

    pub(crate) fn is_storm(&self) -> bool {
        self.data.is_storm(&self.almanac[0])
    }

    pub(crate) fn camp(&self, seat: usize) -> String {
        self.seats[seat].camp().unwrap().place.clone()
    }

    pub(super) fn has_free_camp_slot(&self, tile: &str) -> bool {
        let taken = self.seats.iter().filter_map(ModelSeat::camp).any(|camp| camp.place == tile);
        self.data.has_camp_slot(tile) && !taken
    }

    /// Returns the 2 land tiles of a row, the higher first.
    pub(super) fn higher_first(&self, row: usize) -> [String; 2] {
        let [left, right] = [format!("L{row}"), format!("R{row}")];
        if self.data.elevation(&right) > self.data.elevation(&left) {
            [right, left]
        } else {
            [left, right]
        }
    }

    pub(super) fn camp_order(&self) -> Vec<usize> {
        let mut seats: Vec<usize> = (0..self.players).collect();
        seats.sort_by_key(|&seat| {
            let tile = self.camp(seat);
            (-self.data.elevation(&tile), row_of(&tile), tile)
        });
        seats
    }

    pub(super) fn works(&self, tile: &str) -> bool {
        !self.flooded.contains(tile) && !self.protected.contains(tile)
    }

    pub(super) fn on_tile(&self, kind: &str, tile: &str) -> i64 {
        self.seats.iter().map(|seat| seat.count(kind, tile)).sum()
    }

    pub(super) fn effective_elevation(&self, tile: &str) -> i64 {
        self.data.elevation(tile) + if self.works(tile) { self.on_tile("levee", tile) } else { 0 }
    }

    pub(super) fn is_wetlands(&self, tile: &str) -> bool {
        self.slots[tile].iter().any(|slot| slot.kind == "gravel")
    }

    pub(crate) fn city_stands(&self) -> bool {
        self.city.as_ref().is_some_and(|city| city.complete && !self.flooded.contains(&city.tile))
    }

    /// Puts a token into the first empty slot that fits, if there is one.
    pub(super) fn fill(&mut self, tile: &str, token: &str) -> bool {
        let slots = self.slots.get_mut(tile).unwrap();
        let slot = slots
            .iter_mut()
            .find(|slot| slot.holds.is_none() && (slot.kind == token || token == "pollution"));
        let found = slot.is_some();
        if let Some(slot) = slot {
            slot.holds = Some(token.to_owned());
        }
        self.note_death();
        found
    }

    /// Removes a token from the first slot that holds it, if there is one.
    pub(super) fn empty(&mut self, tile: &str, token: &str) -> bool {
        let slot = self
            .slots
            .get_mut(tile)
            .unwrap()
            .iter_mut()
            .find(|slot| slot.holds.as_deref() == Some(token));
        let found = slot.is_some();
        if let Some(slot) = slot {
            slot.holds = None;
        }
        found
    }

    pub(super) fn slotted(&self, tile: &str, token: &str) -> i64 {
        self.slots[tile].iter().filter(|slot| slot.holds.as_deref() == Some(token)).count() as i64
    }

    pub(super) fn note_death(&mut self) {
        let estuary = &self.slots[&format!("W{}", self.data.rows())];
        self.died |= estuary.iter().all(|slot| slot.holds.as_deref() == Some("pollution"));
    }

    pub(super) fn enter(&mut self, row: usize) {
        let river = format!("W{row}");
        if self.fill(&river, "pollution") {
            return;
        }
        if row == self.data.rows() && self.empty(&river, "fish") {
            self.put_in_box("fish", 1);
            self.fill(&river, "pollution");
        } else {
            self.add_loose(row, "pollution", 1);
        }
    }

    pub(super) fn pollute(&mut self, row: usize, times: i64) {
        for _ in 0..times {
            if !self.died {
                self.put_in_box("pollution", -1);
                self.enter(row);
            }
        }
    }
}
