//! Placements (rules §4).

use super::{
    Amounts, FOOD, RESOURCES, RiverModel, Step, amounts_text, index_of, number, take_one, up_to,
};

impl RiverModel {
    pub(super) fn placements(&self, seat: usize) -> Vec<String> {
        let own = &self.seats[seat];
        let mut actions = Vec::new();
        if own.tiles.len() < self.data.path.len()
            && own.claims < self.data.rule("claim_tile_per_player")
        {
            actions.append(&mut self.claims());
        }
        for (resource, name) in RESOURCES[..FOOD].iter().enumerate() {
            let place = format!("produce:{name}");
            if self.has_room(&place) && self.yields(seat, resource) >= 1 {
                actions.push(place);
            }
        }
        if self.has_room("food") {
            if self.supply[FOOD] >= 1 {
                actions.push("food".to_owned());
            } else {
                actions.extend(
                    (0..3)
                        .filter(|&resource| self.supply[resource] >= 1)
                        .map(|resource| format!("food:{}", RESOURCES[resource])),
                );
            }
        }
        if self.has_room("reserve") && own.reserved.len() < self.data.rule("reserve_hand_limit") {
            actions.extend(self.cards_face_up.iter().map(|card| format!("reserve:{card}")));
        }
        if self.has_room("build") {
            let cards = self.cards_face_up.iter().chain(&own.reserved);
            actions.extend(
                cards
                    .filter(|card| !self.payments(seat, card).is_empty())
                    .map(|card| format!("build:{card}")),
            );
        }
        if self.has_room("first") {
            actions.push("first".to_owned());
        }
        if self.has_room("swap") {
            actions.append(&mut self.swaps(seat));
        }
        actions
    }

    pub(super) fn has_room(&self, place: &str) -> bool {
        let spots = &self.data.file["spots"];
        let limit = match place {
            "build" => number(&spots["build"]),
            "first" => number(&spots["first_player"]),
            "food" | "swap" | "reserve" => self.setup(&format!("{place}_spots")),
            _ => self.setup("production_spots"),
        };
        limit == 0 || self.pioneers_on(place) < limit
    }

    pub(crate) fn pioneers_on(&self, place: &str) -> usize {
        self.placed.get(place).copied().unwrap_or(0)
    }

    /// Returns the amount that a production island would give the seat now.
    pub(super) fn yields(&self, seat: usize, resource: usize) -> usize {
        let first = self.pioneers_on(&format!("produce:{}", RESOURCES[resource])) == 0;
        let bonus = if first { self.setup("first_pioneer_bonus") } else { 0 };
        (self.production(seat, resource) + bonus).min(self.supply[resource])
    }

    /// Returns each kind of face-up tile once.
    pub(super) fn claims(&self) -> Vec<String> {
        let mut kinds = self.face_up.clone();
        kinds.sort();
        kinds.dedup();
        kinds.iter().map(|kind| format!("claim:{kind}")).collect()
    }

    /// Returns all pairs of different tiles, and the first pair of tiles of one kind.
    pub(super) fn swaps(&self, seat: usize) -> Vec<String> {
        let tiles = &self.seats[seat].tiles;
        let mut actions = Vec::new();
        let mut listed_alike = false;
        for one in 0..tiles.len() {
            for other in one + 1..tiles.len() {
                let alike = tiles[one] == tiles[other];
                if !alike || !listed_alike {
                    actions.push(format!("swap:{}-{}", one + 1, other + 1));
                }
                listed_alike |= alike;
            }
        }
        actions
    }

    pub(super) fn payments(&self, seat: usize, building: &str) -> Vec<String> {
        let own = &self.seats[seat];
        let cost = self.data.cards[building].cost;
        let reserved = own.reserved.iter().any(|card| card == building);
        let discount = if reserved { self.data.rule("reserve_discount") } else { 0 };
        let total = cost.iter().sum::<usize>().saturating_sub(discount);
        let mut payments = Vec::new();
        for (wood, clay, stone) in
            up_to([0, 1, 2].map(|resource| cost[resource].min(own.held[resource])))
        {
            let food = total.checked_sub(wood + clay + stone);
            if let Some(food) = food.filter(|&food| food <= own.held[FOOD]) {
                payments.push(format!("pay:{}", amounts_text([wood, clay, stone, food])));
            }
        }
        payments
    }

    pub(super) fn place(&mut self, seat: usize, word: &str, name: &str) {
        let place = if word == "produce" { format!("produce:{name}") } else { word.to_owned() };
        let amount = if word == "produce" { self.yields(seat, index_of(name)) } else { 0 };
        *self.placed.entry(place).or_insert(0) += 1;
        match word {
            "claim" => {
                self.seats[seat].claims += 1;
                self.claim(seat, name);
            }
            "produce" => {
                self.take(seat, index_of(name), amount);
                self.store(seat, false);
            }
            "food" => {
                self.take(seat, if name.is_empty() { FOOD } else { index_of(name) }, 1);
                self.store(seat, false);
            }
            "reserve" => {
                take_one(&mut self.cards_face_up, name);
                self.seats[seat].reserved.push(name.to_owned());
                self.end_turn(seat);
            }
            "build" => self.step = Step::Pay(seat, name.to_owned()),
            "first" => {
                self.pawn = seat;
                self.end_turn(seat);
            }
            "swap" => {
                self.swap(seat, name);
                self.end_turn(seat);
            }
            "pass" => self.end_turn(seat),
            _ => panic!("{word} is no placement"),
        }
    }

    pub(super) fn pay(&mut self, seat: usize, building: &str, payment: Amounts) {
        for (resource, amount) in payment.into_iter().enumerate() {
            self.give_back(seat, resource, amount);
        }
        let reserved = self.seats[seat].reserved.iter().any(|card| card == building);
        take_one(
            if reserved { &mut self.seats[seat].reserved } else { &mut self.cards_face_up },
            building,
        );
        self.seats[seat].built.push(building.to_owned());
        if self.seats[seat].tokens.len() < self.setup("bonus_spots")
            && let Some(token) = self.tokens_left.pop_front()
        {
            self.seats[seat].tokens.push(token);
            if self.seats[seat].tokens.len() == self.data.rule("extra_pioneer_on_bonus_spot") {
                self.seats[seat].pioneers += 1;
                self.seats[seat].boat += 1;
            }
        }
        self.end_turn(seat);
    }

    pub(super) fn swap(&mut self, seat: usize, spots: &str) {
        let (one, other) = spots.split_once('-').unwrap();
        let [one, other] = [one, other].map(|spot| spot.parse::<usize>().unwrap() - 1);
        self.seats[seat].tiles.swap(one, other);
    }
}
