//! Actions in a row turn (rules §6).

use std::collections::{BTreeMap, BTreeSet};

use super::{CommonRiverModel, Piece, Status, Step, Turn, other_bank, row_of};

impl CommonRiverModel {
    pub(super) fn actions(&mut self) {
        self.agenda.pop();
        let [higher, lower] = self.higher_first(self.row);
        let mut places = [higher, lower, self.river()];
        let mut seats = self.order.clone();
        if self.is_storm() {
            places.reverse();
            seats.reverse();
        }
        for (index, place) in places.iter().enumerate().rev() {
            for &seat in seats.iter().rev() {
                self.agenda.push(Step::Group(
                    seat,
                    place.clone(),
                    places[index + 1..].to_vec(),
                    None,
                ));
            }
        }
    }

    pub(super) fn acts(kind: &str) -> bool {
        ["camp", "boat", "excavator", "mill"].contains(&kind)
    }

    /// Returns the kinds and tiles of the candidates without repetition.
    pub(super) fn candidates(
        &self,
        seat: usize,
        place: &str,
        later: &[String],
        privileged: bool,
    ) -> BTreeSet<(String, String)> {
        let camp_is_fresh = self.seats[seat].camp().unwrap().status == Status::Fresh;
        let may =
            |tile: &String| tile == place || privileged && camp_is_fresh && later.contains(tile);
        let pieces = self.seats[seat]
            .pieces
            .iter()
            .filter(|piece| Self::acts(&piece.kind) && piece.status == Status::Fresh);
        let mut candidates = BTreeSet::new();
        for piece in pieces.filter(|piece| may(&piece.place)) {
            let turn = Self::new_turn(seat, piece.kind.clone(), piece.place.clone(), false);
            if !self.turn_options(&turn).is_empty() {
                candidates.insert((piece.kind.clone(), piece.place.clone()));
            }
        }
        candidates
    }

    pub(super) fn new_turn(seat: usize, kind: String, place: String, sole: bool) -> Turn {
        Turn { seat, kind, place, sole, harvested: false, building: None, built: false }
    }

    pub(super) fn begin_turn(&mut self, seat: usize, kind: String, place: String, sole: bool) {
        self.agenda.push(Step::Turn(Self::new_turn(seat, kind, place, sole)));
    }

    pub(super) fn turn(&self) -> Turn {
        let turns =
            self.agenda.iter().rev().find_map(|step| {
                if let Step::Turn(turn) = step { Some(turn.clone()) } else { None }
            });
        turns.unwrap()
    }

    /// Returns the actions of a structure except stopping.
    pub(super) fn turn_options(&self, turn: &Turn) -> Vec<String> {
        let mut options = Vec::new();
        if !turn.harvested && turn.building.is_none() && !turn.built {
            options.extend(self.harvests(turn));
        }
        if !turn.built {
            options.extend(self.builds(turn));
        }
        options.extend(self.moves(turn));
        options
    }

    pub(super) fn is_on_map(&self, tile: &str, token: &str) -> bool {
        self.slotted(tile, token) > 0
            || self
                .loose
                .get(tile)
                .and_then(|loose| loose.get(token))
                .is_some_and(|&count| count > 0)
    }

    pub(super) fn harvests(&self, turn: &Turn) -> Vec<String> {
        let Turn { seat, kind, place, .. } = turn;
        let mut options = Vec::new();
        if self.flooded.contains(place) {
            return options;
        }
        if self.is_on_map(place, "pollution") {
            options.push("harvest:pollution".to_owned());
        }
        if self.protected.contains(place) {
            return options;
        }
        match kind.as_str() {
            "camp" => {
                options.extend(
                    ["tree", "gravel"]
                        .into_iter()
                        .filter(|token| self.is_on_map(place, token))
                        .map(|token| format!("harvest:{token}")),
                );
                if !self.protected.contains(&self.river()) && self.is_on_map(&self.river(), "fish")
                {
                    options.push("harvest:fish".to_owned());
                }
            }
            "boat" => {
                let tokens = ["fish", "tree", "gravel"]
                    .into_iter()
                    .filter(|token| self.is_on_map(place, token));
                options.extend(tokens.map(|token| format!("harvest:{token}")));
                options.push("dredge".to_owned());
            }
            _ => options.extend(self.takes(kind, place)),
        }
        for slot in &self.slots[place] {
            if slot.holds.is_none() && self.seats[*seat].has(&slot.kind) > 0 {
                options.push(format!("plant:{}", slot.kind));
            }
        }
        options
    }

    /// Returns the land tiles next to a land tile.
    pub(super) fn neighbours(&self, tile: &str) -> Vec<String> {
        let row = row_of(tile);
        let on_bank =
            [row - 1, row + 1].into_iter().filter(|row| (1..=self.data.rows()).contains(row));
        let mut neighbours: Vec<_> = on_bank.map(|row| format!("{}{row}", &tile[..1])).collect();
        if self.bridges.contains_key(&row) {
            neighbours.push(other_bank(tile));
        }
        neighbours
    }

    pub(super) fn takes(&self, kind: &str, place: &str) -> Vec<String> {
        let token = if kind == "excavator" { "gravel" } else { "tree" };
        let mut tiles = self.neighbours(place);
        tiles.push(place.to_owned());
        for row in 1..=self.data.rows() {
            if self.data.half_neighbours(row).iter().any(|tile| tile == place) {
                tiles.push(self.data.half(row));
            }
        }
        tiles.retain(|tile| !self.protected.contains(tile) && self.slotted(tile, token) > 0);
        tiles.into_iter().map(|tile| format!("take:{tile}")).collect()
    }

    pub(super) fn sticks(&self, seat: usize) -> i64 {
        let laid = self.seats[seat]
            .pieces
            .iter()
            .filter(|piece| ["canal", "levee"].contains(&piece.kind.as_str()))
            .count();
        laid as i64 + self.bridges.values().filter(|&&owner| owner == seat).count() as i64
    }

    pub(super) fn can_build(&self, turn: &Turn, kind: &str) -> bool {
        let seat = &self.seats[turn.seat];
        let mut price: BTreeMap<String, i64> = self.data.cost(kind).into_iter().collect();
        if turn.building.is_none() {
            *price.entry("fish".to_owned()).or_default() += self.data.rule("build_fish");
        }
        let piece_left = match kind {
            "canal" | "levee" | "bridge" => self.sticks(turn.seat) < self.data.pieces("sticks"),
            "net" => {
                (self.nets.values().filter(|&&owner| owner == turn.seat).count() as i64)
                    < self.data.pieces("net")
            }
            _ => {
                (seat.pieces.iter().filter(|piece| piece.kind == kind).count() as i64)
                    < self.data.pieces(kind)
            }
        };
        piece_left && price.iter().all(|(token, &count)| seat.has(token) >= count)
    }

    pub(super) fn builds(&self, turn: &Turn) -> Vec<String> {
        let mut options: Vec<String> = Vec::new();
        if !self.works(&turn.place) {
            return options;
        }
        if turn.kind == "excavator" {
            if self.can_build(turn, "canal") {
                options.push("build:canal".to_owned());
            }
            if self.seats[turn.seat].has("fish") >= self.data.rule("build_fish") {
                let laid = self.seats[turn.seat]
                    .pieces
                    .iter()
                    .filter(|piece| ["canal", "levee"].contains(&piece.kind.as_str()));
                options.extend(laid.map(|piece| format!("remove:{}@{}", piece.kind, piece.place)));
                let bridges = self.bridges.iter().filter(|&(_, &owner)| owner == turn.seat);
                options.extend(bridges.map(|(row, _)| format!("remove:bridge@W{row}")));
            }
        }
        if turn.kind == "camp" {
            for kind in ["excavator", "mill", "farm", "canal", "levee", "boat"] {
                if self.can_build(turn, kind) {
                    options.push(format!("build:{kind}"));
                }
            }
            if !self.bridges.contains_key(&self.row) && self.can_build(turn, "bridge") {
                options.push("build:bridge".to_owned());
            }
            for line in [self.row - 1, self.row] {
                let slot = format!("{}{line}", &turn.place[..1]);
                if line > 0 && !self.nets.contains_key(&slot) && self.can_build(turn, "net") {
                    options.push(format!("build:net@{slot}"));
                }
            }
            if let Some(last) = &turn.building {
                options.retain(|text| text >= last);
            }
        }
        options
    }

    pub(super) fn moves(&self, turn: &Turn) -> Vec<String> {
        let Turn { seat, kind, place, .. } = turn;
        let mut options = Vec::new();
        match kind.as_str() {
            "excavator" => options
                .extend(self.neighbours(place).into_iter().map(|tile| format!("move:{tile}"))),
            "camp" => {
                let row = row_of(place) as i64;
                for step in [-1, 1] {
                    let mut to = row + step;
                    while (1..=self.data.rows() as i64).contains(&to) {
                        let tile = format!("{}{to}", &place[..1]);
                        if self.has_free_camp_slot(&tile) {
                            options.push(format!("move:{tile}"));
                            break;
                        }
                        to += step;
                    }
                }
                if self.bridges.contains_key(&row_of(place))
                    && self.has_free_camp_slot(&other_bank(place))
                {
                    options.push(format!("move:{}", other_bank(place)));
                }
            }
            "boat" => {
                options.extend(
                    (1..=self.data.rows())
                        .filter(|row| format!("W{row}") != *place)
                        .map(|row| format!("move:W{row}")),
                );
                if !self.protected.contains(place) {
                    for tile in self.higher_first(self.row) {
                        for piece in self.seats[*seat]
                            .pieces
                            .iter()
                            .filter(|piece| piece.place == tile && piece.status != Status::Turned)
                        {
                            let camp =
                                piece.kind == "camp" && self.has_free_camp_slot(&other_bank(&tile));
                            if camp || piece.kind == "excavator" {
                                options.push(format!("ferry:{}@{tile}", piece.kind));
                            }
                        }
                    }
                }
            }
            _ => {}
        }
        options
    }

    pub(super) fn find_piece(
        &mut self,
        seat: usize,
        kind: &str,
        place: &str,
        status: Status,
    ) -> Option<&mut Piece> {
        self.seats[seat]
            .pieces
            .iter_mut()
            .find(|piece| piece.kind == kind && piece.place == place && piece.status == status)
    }

    pub(super) fn take_off_map(&mut self, tile: &str, token: &str) {
        if let Some(count) = self
            .loose
            .get_mut(tile)
            .and_then(|loose| loose.get_mut(token))
            .filter(|count| **count > 0)
        {
            *count -= 1;
        } else {
            assert!(self.empty(tile, token), "{token} is on {tile}");
        }
    }

    pub(super) fn act(&mut self, mut turn: Turn, event: &str) {
        let (verb, object) = event.split_once(':').unwrap_or((event, ""));
        let seat = turn.seat;
        self.agenda.pop();
        match verb {
            "stop" => {
                self.find_piece(seat, &turn.kind, &turn.place, Status::Fresh).unwrap().status =
                    Status::Closed;
                if turn.sole && !turn.harvested && turn.building.is_none() && !turn.built {
                    self.agenda.pop();
                }
                return;
            }
            "move" => {
                let piece = self.find_piece(seat, &turn.kind, &turn.place, Status::Fresh).unwrap();
                object.clone_into(&mut piece.place);
                piece.status = Status::Turned;
                return;
            }
            "ferry" => return self.ferry(&turn, object),
            "harvest" => {
                let from = if turn.kind == "camp" && object == "fish" {
                    self.river()
                } else {
                    turn.place.clone()
                };
                self.take_off_map(&from, object);
                *self.seats[seat].stock.entry(object.to_owned()).or_default() += 1;
                turn.harvested = true;
            }
            "dredge" => {
                self.gain(seat, "gravel", 1);
                self.pollute(self.row, 1);
                turn.harvested = true;
            }
            "plant" => {
                *self.seats[seat].stock.get_mut(object).unwrap() -= 1;
                assert!(self.fill(&turn.place, object));
                turn.harvested = true;
            }
            "take" => {
                self.agenda.push(Step::Turn(turn));
                self.take(object);
                self.agenda.push(Step::Take(1, event.to_owned()));
                return;
            }
            "build" => self.build(&mut turn, event),
            "remove" => {
                let (kind, tile) = object.split_once('@').unwrap();
                self.pay(seat, "fish", self.data.rule("build_fish"));
                if kind == "bridge" {
                    self.bridges.remove(&row_of(tile));
                } else {
                    self.remove_piece(seat, kind, tile);
                }
                self.pollute(self.row, 1);
                turn.built = true;
            }
            _ => panic!("{event} in a turn"),
        }
        // Without other actions the turn ends without a decision.
        self.agenda.push(Step::Turn(turn));
    }

    /// Ferries a structure with a boat to the other bank.
    fn ferry(&mut self, turn: &Turn, object: &str) {
        let seat = turn.seat;
        self.find_piece(seat, "boat", &turn.place, Status::Fresh).unwrap().status = Status::Turned;
        let (kind, tile) = object.split_once('@').unwrap();
        let closed = self.find_piece(seat, kind, tile, Status::Closed).is_some();
        let piece = self
            .find_piece(seat, kind, tile, if closed { Status::Closed } else { Status::Fresh })
            .unwrap();
        piece.place = other_bank(tile);
        piece.status = Status::Turned;
    }

    /// Builds a structure, and pays for it.
    fn build(&mut self, turn: &mut Turn, event: &str) {
        let seat = turn.seat;
        let object = event.strip_prefix("build:").unwrap();
        let (kind, slot) = object.split_once('@').unwrap_or((object, ""));
        if turn.building.is_none() {
            self.pay(seat, "fish", self.data.rule("build_fish"));
        }
        for (token, count) in self.data.cost(kind) {
            self.pay(seat, &token, count);
        }
        match kind {
            "net" => {
                self.nets.insert(slot.to_owned(), seat);
            }
            "bridge" => {
                self.bridges.insert(self.row, seat);
            }
            _ => {
                let place = if kind == "boat" { self.river() } else { turn.place.clone() };
                self.seats[seat].pieces.push(Piece {
                    kind: kind.to_owned(),
                    place,
                    status: Status::Turned,
                });
            }
        }
        if turn.kind == "excavator" {
            self.pollute(self.row, 1);
            turn.built = true;
        } else {
            turn.building = Some(event.to_owned());
        }
    }

    pub(super) fn remove_piece(&mut self, seat: usize, kind: &str, tile: &str) {
        let pieces = &mut self.seats[seat].pieces;
        let index =
            pieces.iter().position(|piece| piece.kind == kind && piece.place == tile).unwrap();
        pieces.remove(index);
    }

    pub(super) fn take(&mut self, tile: &str) {
        let turn = self.turn();
        let token = if turn.kind == "excavator" { "gravel" } else { "tree" };
        assert!(self.empty(tile, token));
        *self.seats[turn.seat].stock.entry(token.to_owned()).or_default() += 1;
    }

    pub(super) fn end_take(&mut self) {
        self.agenda.pop();
        self.pollute(self.row, 1);
        if let Some(Step::Turn(turn)) = self.agenda.last_mut() {
            turn.harvested = true;
        }
    }
}
