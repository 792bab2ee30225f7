//! The end of the day and trade windows (rules §7 and §8).

use std::collections::BTreeMap;

use super::{Bid, City, CommonRiverModel, Status, Step, TOKENS, list, row_of};

impl CommonRiverModel {
    pub(super) fn end_day(&mut self) {
        self.agenda.pop();
        let seats = self.order.clone();
        let each = |step: &dyn Fn(usize) -> Step| {
            seats.iter().rev().map(|&seat| step(seat)).collect::<Vec<_>>()
        };
        self.agenda.push(Step::Night);
        self.agenda.extend(each(&|seat| Step::Sell(seat, 0, String::new())));
        self.agenda.extend(each(&|seat| Step::Buy(seat, String::new())));
        self.agenda.extend(each(&|seat| Step::Site(seat, String::new())));
        self.agenda.extend(each(&|seat| Step::Salvage(seat, String::new())));
        self.agenda.push(Step::Policies(0, 0));
        self.agenda.extend(each(&|seat| Step::Sell(seat, 0, String::new())));
        self.agenda.push(Step::Window("dusk"));
    }

    pub(super) fn sales(&self, seat: usize, sold: i64, last: &str) -> Vec<String> {
        let mut kinds = vec!["fish", "gravel", "tree"];
        if self.subsidized {
            kinds.push("pollution");
        }
        kinds.sort_unstable();
        let missing = self.data.rule("tokens_per_gold") - sold;
        let fills = |kind: &str| {
            kinds
                .iter()
                .filter(|other| **other >= kind)
                .map(|other| self.seats[seat].has(other))
                .sum::<i64>()
                >= missing
        };
        let possible = kinds.iter().filter(|kind| self.seats[seat].has(kind) > 0 && fills(kind));
        possible.map(|kind| format!("sell:{kind}")).filter(|text| text.as_str() >= last).collect()
    }

    pub(super) fn proposals(&self, seat: usize) -> Vec<String> {
        let own = &self.seats[seat];
        if own.has("gold") < self.data.rule("proposal_gold")
            || own.proposals >= self.data.negotiation("proposals_per_day")
        {
            return Vec::new();
        }
        let mut proposals = Vec::new();
        let subsidy = if self.subsidized { "unsubsidy" } else { "subsidy" };
        if !self.failed.contains(&format!("{subsidy}@")) {
            proposals.push(subsidy);
        }
        proposals.extend(
            ["protect", "unprotect", "city"]
                .into_iter()
                .filter(|verb| !self.policy_tiles(verb).is_empty()),
        );
        proposals.into_iter().map(|verb| format!("propose:{verb}")).collect()
    }

    pub(super) fn policy_tiles(&self, verb: &str) -> Vec<String> {
        let mut tiles = self.data.land_tiles();
        if verb != "city" {
            tiles.extend((1..=self.data.rows()).map(|row| format!("W{row}")));
        }
        tiles.retain(|tile| match verb {
            "protect" => !self.protected.contains(tile),
            "unprotect" => self.protected.contains(tile),
            _ => self.city.is_none(),
        });
        tiles.retain(|tile| !self.failed.contains(&format!("{verb}@{tile}")));
        tiles
    }

    pub(super) fn next_voter(&self, votes: &[(usize, bool)]) -> Option<usize> {
        self.order.iter().copied().find(|seat| votes.iter().all(|(other, _)| other != seat))
    }

    /// Returns the index in camp order of the next seat to decide, if any.
    pub(super) fn next_bidder(&self, bid: &Bid) -> Option<usize> {
        let places = (0..self.players).map(|steps| (bid.next + steps) % self.players);
        let mut asked = places.filter(|&place| {
            let seat = self.order[place];
            let loses = bid.sides.contains(&(seat, !bid.passes()));
            loses && self.seats[seat].has("gold") > 0 && !bid.settled.contains(&seat)
        });
        asked.next()
    }

    pub(super) fn answer_bid(&mut self, mut bid: Bid, verb: &str) -> Bid {
        let place = self.next_bidder(&bid).unwrap();
        let seat = self.order[place];
        if verb == "settle" {
            bid.settled.insert(seat);
        } else {
            let passed = bid.passes();
            self.pay(seat, "gold", 1);
            if bid.sides.contains(&(seat, true)) {
                bid.yes += 1;
            } else {
                bid.no += 1;
            }
            if bid.passes() != passed {
                bid.settled.clear();
            }
        }
        bid.next = (place + 1) % self.players;
        bid
    }

    pub(super) fn enact(&mut self, verb: &str, tile: &str) {
        match verb {
            "subsidy" => self.subsidized = true,
            "unsubsidy" => self.subsidized = false,
            "protect" => assert!(self.protected.insert(tile.to_owned())),
            "unprotect" => assert!(self.protected.remove(tile)),
            _ => {
                self.city =
                    Some(City { tile: tile.to_owned(), tokens: BTreeMap::new(), complete: false });
                for slot in self.slots.insert(tile.to_owned(), Vec::new()).unwrap() {
                    match slot.holds.as_deref() {
                        Some("pollution") => self.enter(row_of(tile)),
                        Some(token) => self.put_in_box(token, 1),
                        None => {}
                    }
                }
            }
        }
    }

    pub(super) fn salvages(&self, seat: usize) -> Vec<String> {
        let mut options = Vec::new();
        for piece in &self.seats[seat].pieces {
            if ["farm", "mill", "canal", "levee"].contains(&piece.kind.as_str())
                && self.protected.contains(&piece.place)
            {
                options.push(format!("salvage:{}@{}", piece.kind, piece.place));
            }
        }
        for (slot, &owner) in &self.nets {
            if owner == seat && self.protected.contains(&format!("W{}", row_of(slot))) {
                options.push(format!("salvage:net@{slot}"));
            }
        }
        options
    }

    pub(super) fn salvage(&mut self, seat: usize, object: &str) {
        let (kind, tile) = object.split_once('@').unwrap();
        if kind == "net" {
            assert_eq!(self.nets.remove(tile), Some(seat));
        } else {
            self.remove_piece(seat, kind, tile);
        }
        for (token, count) in self.data.cost(kind) {
            self.gain(seat, &token, count);
        }
    }

    pub(super) fn contribute(&mut self, token: &str) {
        let cost = self.data.city_cost();
        let city = self.city.as_mut().unwrap();
        *city.tokens.entry(token.to_owned()).or_default() += 1;
        if cost.iter().all(|(token, count)| city.tokens.get(token).copied().unwrap_or(0) == *count)
        {
            city.complete = true;
            for (token, count) in std::mem::take(&mut city.tokens) {
                self.put_in_box(&token, count);
            }
        }
    }

    pub(crate) fn is_last_day(&self) -> bool {
        self.day >= self.data.rule("days") && !self.is_storm()
    }

    pub(super) fn night(&mut self) {
        self.agenda.pop();
        self.flooded.clear();
        self.eroded.clear();
        self.failed.clear();
        if self.is_storm() {
            self.carry = self.water;
        }
        for seat in &mut self.seats {
            seat.proposals = 0;
            seat.pieces.iter_mut().for_each(|piece| piece.status = Status::Fresh);
        }
        self.almanac.remove(0);
        self.agenda.push(Step::Day);
        self.agenda.push(Step::NightCard);
    }

    pub(super) fn window(&mut self, window: &str) {
        self.agenda.pop();
        let windows = list(&self.data.file["negotiation"]["trade_windows"]);
        if self.players >= 2
            && windows.iter().any(|held| held == window)
            && self.data.negotiation("trade_rounds") > 0
        {
            self.agenda.push(Step::Round(0, true));
        }
    }

    /// Returns the kinds that can be added to one side of an offer.
    pub(super) fn offered(&self, seat: usize, side: &[String]) -> impl Iterator<Item = String> {
        let last = side.last().cloned().unwrap_or_default();
        let kinds = TOKENS.iter().filter(move |token| {
            let already = side.iter().filter(|other| other == *token).count() as i64;
            **token >= last.as_str() && self.seats[seat].has(token) > already
        });
        kinds.map(|token| (*token).to_owned()).collect::<Vec<_>>().into_iter()
    }

    pub(super) fn trade(&mut self, step: &Step, verb: &str, object: &str) {
        self.agenda.pop();
        let with = |side: &[String]| [side, &[object.to_owned()]].concat();
        match (step.clone(), verb) {
            (Step::Offers(..), "pass") => {}
            (Step::Offers(seat, made), _) => {
                let round =
                    self.agenda.iter_mut().rev().find(|step| matches!(step, Step::Round(..)));
                if let Some(Step::Round(_, offers)) = round {
                    *offers = true;
                }
                self.agenda.push(Step::Offers(seat, made + 1));
                self.agenda.push(Step::Give(seat, object.parse().unwrap(), Vec::new()));
            }
            (Step::Give(seat, partner, given), "for") => {
                self.agenda.push(Step::Get(seat, partner, given, Vec::new()));
            }
            (Step::Give(seat, partner, given), _) => {
                self.agenda.push(Step::Give(seat, partner, with(&given)));
            }
            (Step::Get(seat, partner, given, got), "send") => {
                self.agenda.push(Step::Answer(seat, partner, given, got));
            }
            (Step::Get(seat, partner, given, got), _) => {
                let got = with(&got);
                self.agenda.push(Step::Get(seat, partner, given, got));
            }
            (Step::Answer(seat, partner, given, got), "accept") => {
                for (from, to, tokens) in [(seat, partner, given), (partner, seat, got)] {
                    for token in tokens {
                        *self.seats[from].stock.get_mut(&token).unwrap() -= 1;
                        *self.seats[to].stock.entry(token).or_default() += 1;
                    }
                }
            }
            _ => assert_eq!(verb, "refuse"),
        }
    }
}
