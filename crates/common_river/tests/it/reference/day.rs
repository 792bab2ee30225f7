//! Setup and the day (rules §3 and §5).

use super::{CommonRiverModel, Step, other_bank, row_of};

impl CommonRiverModel {
    pub(super) fn reveal(&mut self, card: &str) {
        *self.unseen.get_mut(card).unwrap() -= 1;
        self.almanac.push(card.to_owned());
    }

    pub(super) fn begin_day(&mut self) {
        self.agenda.pop();
        self.day += 1;
        self.order = self.camp_order();
        let rows: Vec<usize> = if self.is_storm() {
            (1..=self.data.rows()).collect()
        } else {
            (1..=self.data.rows()).rev().collect()
        };
        self.agenda.push(Step::EndDay);
        let first = *rows.last().unwrap();
        self.agenda.extend(rows.into_iter().map(|row| Step::Row(row, row == first)));
        self.agenda.push(Step::Window("dawn"));
        self.agenda.push(Step::Die);
    }

    pub(super) fn row_turn(&mut self, row: usize, first: bool) {
        self.agenda.pop();
        self.row = row;
        let lower_row = if self.is_storm() { row + 1 } else { row };
        if !first && self.data.row(lower_row)["dot_above"].as_bool().unwrap() {
            self.water += 1;
        }
        let higher = self.higher_first(row);
        let mut by_elevation = higher.clone();
        by_elevation.sort_by_key(|tile| -self.effective_elevation(tile));
        for tile in &by_elevation {
            self.erode(tile);
        }
        if self.died {
            return;
        }
        for tile in &higher {
            self.drain(tile);
        }
        if self.water > 0 {
            self.populate();
        }
        if self.water > 0 || self.data.city_pollutes_dry() {
            self.pollute_by_city();
        }
        if self.water > 0 {
            self.farm();
        }
        self.agenda.extend([Step::EndRow, Step::Actions, Step::Window("row")]);
    }

    pub(super) fn erode(&mut self, tile: &str) {
        let elevation = self.effective_elevation(tile);
        if self.died || self.water <= elevation {
            return;
        }
        if self.is_wetlands(tile) {
            self.water -= 1;
            let halves = (1..=self.data.rows())
                .filter(|&row| self.data.half_neighbours(row).iter().any(|other| other == tile));
            let tiles: Vec<_> =
                halves.map(|row| self.data.half(row)).chain([tile.to_owned()]).collect();
            for tile in tiles {
                while self.fill(&tile, "gravel") {
                    self.put_in_box("gravel", -1);
                }
            }
            if self.water <= elevation {
                return;
            }
        }
        let in_a_loop = self.data.file["rules"]["erosion"].as_str() == Some("loop");
        loop {
            if !self.empty(tile, "tree") {
                self.flood(tile);
                return;
            }
            self.add_loose(self.row, "tree", 1);
            self.water -= 1;
            self.eroded.insert(tile.to_owned());
            if !in_a_loop || self.water <= elevation {
                return;
            }
        }
    }

    pub(super) fn flood(&mut self, tile: &str) {
        self.flooded.insert(tile.to_owned());
        while self.empty(tile, "gravel") {
            self.add_loose(self.row, "gravel", 1);
        }
        while self.empty(tile, "pollution") {
            self.enter(self.row);
        }
        if self.city.as_ref().is_some_and(|city| city.complete && city.tile == tile) {
            self.pollute(self.row, self.data.rule("city_flood_pollution"));
        }
    }

    pub(super) fn drain(&mut self, tile: &str) {
        if !self.works(tile) {
            return;
        }
        for _ in 0..self.on_tile("canal", tile) {
            if self.water > 0 {
                self.water -= 1;
                for seat in 0..self.players {
                    self.gain(seat, "fish", self.seats[seat].count("farm", tile));
                }
            }
        }
    }

    pub(super) fn populate(&mut self) {
        let (row, river) = (self.row, self.river());
        if self.slotted(&river, "fish") > 0
            || self.loose[&river].get("fish").is_some_and(|&count| count > 0)
        {
            self.put_in_box("fish", -1);
            if !self.fill(&river, "fish") {
                self.add_loose(row, "fish", 1);
            }
        }
        let spared = self
            .higher_first(row)
            .into_iter()
            .filter(|tile| !self.eroded.contains(tile) && !self.flooded.contains(tile));
        for tile in spared.chain([self.data.half(row)]).collect::<Vec<_>>() {
            if self.fill(&tile, "tree") {
                self.put_in_box("tree", -1);
            }
        }
    }

    pub(super) fn pollute_by_city(&mut self) {
        if self.city_stands() && row_of(&self.city.as_ref().unwrap().tile) == self.row {
            self.dry_rows_polluted += usize::from(self.water <= 0);
            self.pollute(self.row, self.data.rule("city_pollution"));
        }
    }

    pub(super) fn farm(&mut self) {
        let row = self.row;
        for tile in self.higher_first(row) {
            for seat in 0..self.players {
                for _ in
                    0..if self.works(&tile) { self.seats[seat].count("farm", &tile) } else { 0 }
                {
                    if !self.died {
                        self.gain(seat, "fish", 1);
                        self.pollute(row, 1);
                    }
                }
            }
        }
    }

    pub(super) fn end_row(&mut self) {
        self.agenda.pop();
        self.order = self.camp_order();
        let river = self.river();
        while self.loose[&river].get("fish").is_some_and(|&count| count > 0)
            && self.fill(&river, "fish")
        {
            self.add_loose(self.row, "fish", -1);
        }
        let has_empty_slot = self.slots[&river].iter().any(|slot| slot.holds.is_none());
        let has_pollution = self.loose[&river].get("pollution").is_some_and(|&count| count > 0);
        self.slots_passed_by_pollution += usize::from(has_empty_slot && has_pollution);
        let line = if self.is_storm() { self.row - 1 } else { self.row };
        let mut slots = Vec::new();
        if line > 0 && !self.protected.contains(&format!("W{line}")) {
            let first = self.data.row(line)["net_first"].as_str().unwrap();
            slots = vec![format!("{first}{line}"), other_bank(&format!("{first}{line}"))];
            if self.is_storm() {
                slots.reverse();
            }
            slots.retain(|slot| self.nets.contains_key(slot));
        }
        self.agenda.push(Step::Flow);
        self.agenda.push(Step::Nets(slots));
    }

    pub(super) fn flow(&mut self) {
        self.agenda.pop();
        let storm = self.is_storm();
        if storm && self.row == 1 {
            return;
        }
        let next = if storm { self.row - 1 } else { self.row + 1 };
        let flow = std::mem::take(self.loose.get_mut(&self.river()).unwrap());
        for (token, count) in flow {
            if next > self.data.rows() {
                self.put_in_box(&token, count);
                continue;
            }
            for _ in 0..count {
                if token == "pollution" {
                    let [higher, lower] = self.higher_first(next);
                    if !self.fill(&higher, "pollution") && !self.fill(&lower, "pollution") {
                        self.enter(next);
                    }
                } else {
                    self.add_loose(next, &token, 1);
                }
            }
        }
    }
}
