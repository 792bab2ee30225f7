//! The end of the game (rules §9), and queries of the tests.

use std::collections::{BTreeMap, BTreeSet};

use super::{CommonRiverModel, TOKENS, list};

impl CommonRiverModel {
    /// Returns the row of a half tile.
    pub(crate) fn half_row(&self, tile: &str) -> Option<usize> {
        (1..=self.data.rows()).find(|&row| self.data.half(row) == tile)
    }

    pub(crate) fn weather_cards(&self) -> Vec<String> {
        self.data.file["weather"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(crate) fn pollution(&self) -> i64 {
        let slotted: i64 = self.slots.keys().map(|tile| self.slotted(tile, "pollution")).sum();
        slotted + self.loose.values().filter_map(|loose| loose.get("pollution")).sum::<i64>()
    }

    pub(crate) fn objectives(&self, seat: usize) -> Vec<String> {
        match self.mode.as_str() {
            "solo" | "coop" => list(&self.data.file["objectives"]["settler"]),
            "competitive" => list(&self.data.file["objectives"]["competitor"]),
            _ => self.seats[seat]
                .role
                .as_ref()
                .map_or(Vec::new(), |role| self.data.role_objectives(role)),
        }
    }

    pub(super) fn most_gold_of_others(&self, seat: usize) -> Option<i64> {
        (0..self.players)
            .filter(|&other| other != seat)
            .map(|other| self.seats[other].has("gold"))
            .max()
    }

    /// Returns the objectives that each seat has completed, whether or not they are its own.
    pub(crate) fn completed(&self) -> Vec<BTreeSet<String>> {
        let mut completed = vec![BTreeSet::new(); self.players];
        for (seat, done) in completed.iter_mut().enumerate() {
            let holds = [
                ("conservation", self.pollution() == 0),
                ("agriculture", self.seats[seat].has("fish") >= self.data.rule("agriculture_fish")),
                ("development", self.city_stands()),
                (
                    "capital",
                    self.most_gold_of_others(seat)
                        .is_none_or(|most| self.seats[seat].has("gold") > most),
                ),
            ];
            done.extend(
                holds.iter().filter(|(_, holds)| *holds).map(|(name, _)| (*name).to_owned()),
            );
        }
        loop {
            let helped: Vec<usize> = (0..self.players)
                .filter(|&seat| self.helped(seat, &completed) == self.players - 1)
                .collect();
            if helped.iter().all(|&seat| completed[seat].contains("charity")) {
                return completed;
            }
            for seat in helped {
                completed[seat].insert("charity".to_owned());
            }
        }
    }

    pub(super) fn helped(&self, seat: usize, completed: &[BTreeSet<String>]) -> usize {
        let others = (0..self.players).filter(|&other| other != seat);
        others
            .filter(|&other| {
                self.objectives(other).iter().any(|objective| completed[other].contains(objective))
            })
            .count()
    }

    pub(crate) fn winners(&self) -> Vec<usize> {
        let completed = self.completed();
        let done = |seat: &usize| {
            self.objectives(*seat).iter().all(|objective| completed[*seat].contains(objective))
        };
        let winners: Vec<usize> = (0..self.players).filter(done).collect();
        if self.died || (self.mode == "coop" && winners.len() < self.players) {
            Vec::new()
        } else {
            winners
        }
    }

    pub(crate) fn breakdown(&self, seat: usize) -> Vec<(&'static str, i32)> {
        let full = self.data.progress("full");
        let fish =
            |seat: usize| self.seats[seat].has("fish").min(self.data.rule("agriculture_fish"));
        let wanted = self.data.rule("agriculture_fish");
        let points = |objective: &str| match objective {
            "conservation" => {
                (full - self.data.progress("per_pollution") * self.pollution()).max(0)
            }
            "agriculture" if self.mode == "coop" => full * (fish(0) + fish(1)) / (2 * wanted),
            "agriculture" => full * fish(seat) / wanted,
            "development" => match &self.city {
                None => 0,
                Some(city) if !city.complete => {
                    self.data.progress("city_site")
                        + self.data.progress("city_token") * city.tokens.values().sum::<i64>()
                }
                Some(_) if self.city_stands() => full,
                Some(_) => self.data.progress("city_flooded"),
            },
            "capital" => {
                let own = self.seats[seat].has("gold");
                match self.most_gold_of_others(seat) {
                    Some(most) if most >= own => full * own / (own + most + 1),
                    _ => full,
                }
            }
            _ if self.players == 1 => full,
            _ => full * self.helped(seat, &self.completed()) as i64 / (self.players as i64 - 1),
        };
        let own = if self.died { Vec::new() } else { self.objectives(seat) };
        ["conservation", "agriculture", "development", "capital", "charity"]
            .into_iter()
            .map(|name| {
                (
                    name,
                    if own.iter().any(|objective| objective == name) {
                        points(name) as i32
                    } else {
                        0
                    },
                )
            })
            .collect()
    }

    /// Returns all tokens on the map, in stockpiles, on the site of the City and returned to the
    /// box since the beginning.
    pub(crate) fn all_tokens(&self) -> BTreeMap<&'static str, i64> {
        let mut all: BTreeMap<&'static str, i64> = TOKENS.iter().map(|token| (*token, 0)).collect();
        for (token, sum) in &mut all {
            let slotted: i64 = self.slots.keys().map(|tile| self.slotted(tile, token)).sum();
            let piles = self
                .loose
                .values()
                .chain(self.seats.iter().map(|seat| &seat.stock))
                .chain(self.city.iter().map(|city| &city.tokens));
            let lying: i64 = piles.filter_map(|pile| pile.get(*token)).sum();
            *sum = slotted + lying + self.box_change.get(*token).copied().unwrap_or(0);
        }
        all
    }
}
