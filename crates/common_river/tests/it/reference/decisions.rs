//! Decisions (rules §4).

use std::collections::BTreeSet;

use super::{Bid, CLOSING, CommonRiverModel, Piece, Status, Step, list, row_of};

use crate::rules::conformance::Decider;

impl CommonRiverModel {
    pub(crate) fn step(&self) -> Option<&Step> {
        self.agenda.last()
    }

    pub(crate) fn decider(&self) -> Decider {
        let Some(step) = self.step() else { return Decider::Nobody };
        match step {
            Step::Mode => Decider::Chance("modes"),
            Step::First => Decider::Chance("seats"),
            Step::Almanac(_) | Step::NightCard => Decider::Chance("weather"),
            Step::Role(_) => Decider::Chance("roles"),
            Step::Die => Decider::Chance("dice"),
            Step::Nets(_) => Decider::Chance("nets"),
            Step::Camp(steps) => Decider::Seat((self.first + steps) % self.players),
            Step::Offers(seat, _)
            | Step::Give(seat, ..)
            | Step::Get(seat, ..)
            | Step::Group(seat, ..)
            | Step::Sell(seat, ..)
            | Step::Salvage(seat, _)
            | Step::Site(seat, _)
            | Step::Buy(seat, _) => Decider::Seat(*seat),
            Step::Answer(_, partner, ..) => Decider::Seat(*partner),
            Step::Turn(turn) => Decider::Seat(turn.seat),
            Step::Take(..) => Decider::Seat(self.turn().seat),
            Step::Policies(place, _) => Decider::Seat(self.order[*place]),
            Step::Place(proposer, _) => Decider::Seat(*proposer),
            Step::Vote(_, _, _, votes) => Decider::Seat(self.next_voter(votes).unwrap()),
            Step::Bid(bid) => Decider::Seat(self.order[self.next_bidder(bid).unwrap()]),
            step => unreachable!("{step:?} asks nobody"),
        }
    }

    pub(crate) fn outcomes(&self) -> Vec<(String, u32)> {
        let mut outcomes: Vec<(String, i64)> = match self.step().unwrap() {
            Step::Mode => list(&self.data.file["modes_for_two"])
                .iter()
                .map(|mode| (format!("mode:{mode}"), 1))
                .collect(),
            Step::First => (0..self.players).map(|seat| (format!("first:{seat}"), 1)).collect(),
            Step::Almanac(_) | Step::NightCard => {
                let left = self.unseen.iter().filter(|&(_, &count)| count > 0);
                left.map(|(card, &count)| (format!("weather:{card}"), count)).collect()
            }
            Step::Role(_) => {
                let dealt: BTreeSet<_> =
                    self.seats.iter().filter_map(|seat| seat.role.clone()).collect();
                self.data
                    .roles()
                    .into_iter()
                    .filter(|role| !dealt.contains(role))
                    .map(|role| (format!("role:{role}"), 1))
                    .collect()
            }
            Step::Die => {
                (1..=self.data.rule("die")).map(|eyes| (format!("d6:{eyes}"), 1)).collect()
            }
            Step::Nets(_) => {
                let flow = self.loose[&self.river()].iter().filter(|&(_, &count)| count > 0);
                flow.map(|(token, &count)| (format!("net:{token}"), count)).collect()
            }
            step => unreachable!("{step:?} is no chance"),
        };
        outcomes.sort();
        let weight = |count| u32::try_from(count).unwrap();
        outcomes.into_iter().map(|(event, count)| (event, weight(count))).collect()
    }

    /// Returns the legal actions, sorted and without repetition.
    pub(crate) fn legal(&self) -> Vec<String> {
        let mut legal: BTreeSet<String> = BTreeSet::new();
        match self.step().unwrap() {
            Step::Camp(_) => {
                let free =
                    self.data.land_tiles().into_iter().filter(|tile| self.has_free_camp_slot(tile));
                legal.extend(free.map(|tile| format!("camp:{tile}")));
            }
            Step::Offers(..) | Step::Give(..) | Step::Get(..) | Step::Answer(..) => {
                legal = self.trade_options();
            }
            Step::Group(seat, place, later, privileged) => {
                legal.insert("done".to_owned());
                legal.extend(
                    self.candidates(*seat, place, later, privileged.unwrap())
                        .iter()
                        .map(|(kind, tile)| format!("use:{kind}@{tile}")),
                );
            }
            Step::Turn(turn) => {
                legal.extend(self.turn_options(turn));
                if turn.sole || turn.harvested || turn.built || turn.building.is_some() {
                    legal.insert("stop".to_owned());
                }
            }
            Step::Take(taken, last) => {
                legal.insert("enough".to_owned());
                if *taken < self.data.rule("take_max") {
                    let turn = self.turn();
                    legal.extend(
                        self.takes(&turn.kind, &turn.place).into_iter().filter(|text| text >= last),
                    );
                }
            }
            Step::Sell(seat, sold, last) => {
                if *sold == 0 {
                    legal.insert("done".to_owned());
                }
                legal.extend(self.sales(*seat, *sold, last));
            }
            Step::Policies(place, _) => {
                legal.insert("pass".to_owned());
                legal.extend(self.proposals(self.order[*place]));
            }
            Step::Place(_, verb) => {
                legal
                    .extend(self.policy_tiles(verb).into_iter().map(|tile| format!("tile:{tile}")));
            }
            Step::Vote(..) => legal.extend(["vote:yes", "vote:no"].map(str::to_owned)),
            Step::Bid(_) => legal.extend(["bid", "settle"].map(str::to_owned)),
            Step::Salvage(seat, last) => {
                legal.insert("done".to_owned());
                legal.extend(self.salvages(*seat).into_iter().filter(|text| text >= last));
            }
            Step::Site(seat, last) => {
                legal.insert("done".to_owned());
                legal.extend(self.contributions(*seat).filter(|text| text >= last));
            }
            Step::Buy(seat, last) => {
                legal.insert("done".to_owned());
                legal.extend(self.purchases(*seat).into_iter().filter(|text| text >= last));
            }
            step => unreachable!("{step:?} is no decision"),
        }
        legal.into_iter().collect()
    }

    /// Returns the legal actions in a trade window.
    fn trade_options(&self) -> BTreeSet<String> {
        let mut legal = BTreeSet::new();
        match self.step().unwrap() {
            Step::Offers(seat, made) => {
                legal.insert("pass".to_owned());
                if *made < self.data.negotiation("offers_per_round") {
                    let partners = (0..self.players).filter(|other| other != seat);
                    let listed = partners.filter(|&other| {
                        self.seats[*seat].has_anything() || self.seats[other].has_anything()
                    });
                    legal.extend(listed.map(|partner| format!("offer:{partner}")));
                }
            }
            Step::Give(seat, partner, given) => {
                if !given.is_empty() || self.seats[*partner].has_anything() {
                    legal.insert("for".to_owned());
                }
                legal.extend(self.offered(*seat, given).map(|token| format!("give:{token}")));
            }
            Step::Get(_, partner, given, got) => {
                if !given.is_empty() || !got.is_empty() {
                    legal.insert("send".to_owned());
                }
                legal.extend(
                    self.offered(*partner, got)
                        .filter(|token| !given.contains(token))
                        .map(|token| format!("get:{token}")),
                );
            }
            Step::Answer(..) => legal.extend(["accept", "refuse"].map(str::to_owned)),
            step => unreachable!("{step:?} is no step of a trade"),
        }
        legal
    }

    /// Returns the tokens that a seat can add to the site of the City.
    fn contributions(&self, seat: usize) -> impl Iterator<Item = String> {
        let city = self.city.as_ref().filter(|city| !city.complete);
        let wanted = city.into_iter().flat_map(move |city| {
            self.data.city_cost().into_iter().filter(move |(token, cost)| {
                self.seats[seat].has(token) > 0
                    && city.tokens.get(token).copied().unwrap_or(0) < *cost
            })
        });
        wanted.map(|(token, _)| format!("city:{token}"))
    }

    /// Returns the purchases that a seat can make.
    fn purchases(&self, seat: usize) -> Vec<String> {
        if self.city_stands() && self.seats[seat].has("gold") > 0 {
            ["buy:fish", "buy:tree", "buy:gravel"].map(str::to_owned).into()
        } else {
            Vec::new()
        }
    }

    /// Applies an event and all later steps without a decision.
    pub(crate) fn apply(&mut self, event: &str) {
        self.apply_to_step(event);
        loop {
            if self.died {
                self.agenda.clear();
            }
            let Some(step) = self.agenda.last().cloned() else { return };
            if self.skip_to_decision(&step) {
                continue;
            }
            if matches!(self.decider(), Decider::Chance(_)) {
                return;
            }
            let legal = self.legal();
            match &legal[..] {
                [only] if CLOSING.contains(&only.as_str()) => {
                    let only = only.clone();
                    self.apply_to_step(&only);
                }
                _ => return,
            }
        }
    }

    /// Performs the next step and returns true, if it needs no decision.
    pub(super) fn skip_to_decision(&mut self, step: &Step) -> bool {
        match step {
            Step::Role(_) if self.mode != "roles" => {
                self.agenda.pop();
            }
            Step::Role(seat) if *seat == self.players => {
                self.agenda.pop();
            }
            Step::Camp(steps) if *steps == self.players => {
                self.agenda.pop();
                self.agenda.push(Step::Day);
            }
            Step::Day => self.begin_day(),
            Step::Window(window) => self.window(window),
            Step::Round(round, offers) => {
                let offers_made = *offers;
                self.agenda.pop();
                if *round == 0 || (offers_made && *round < self.data.negotiation("trade_rounds")) {
                    self.agenda.push(Step::Round(round + 1, false));
                    for &seat in self.order.clone().iter().rev() {
                        self.agenda.push(Step::Offers(seat, 0));
                    }
                }
            }
            Step::Give(seat, partner, given)
                if given.len() as i64 == self.data.negotiation("offer_max_tokens") =>
            {
                self.agenda.pop();
                self.agenda.push(Step::Get(*seat, *partner, given.clone(), Vec::new()));
            }
            Step::Get(seat, partner, given, got)
                if got.len() as i64 == self.data.negotiation("offer_max_tokens") =>
            {
                self.agenda.pop();
                self.agenda.push(Step::Answer(*seat, *partner, given.clone(), got.clone()));
            }
            Step::Row(row, first) => self.row_turn(*row, *first),
            Step::Actions => self.actions(),
            Step::Group(seat, place, later, None) => self.decide_privilege(*seat, place, later),
            Step::Group(seat, place, later, Some(privileged)) => {
                let candidates = self.candidates(*seat, place, later, *privileged);
                if candidates.iter().all(|(_, tile)| tile != place) {
                    self.agenda.pop();
                } else if candidates.len() == 1 {
                    let (kind, place) = candidates.into_iter().next().unwrap();
                    self.begin_turn(*seat, kind, place, true);
                } else {
                    return false;
                }
            }
            Step::Take(taken, _) if *taken == self.data.rule("take_max") => self.end_take(),
            Step::EndRow => self.end_row(),
            Step::Nets(slots) => {
                let row = self.river();
                let flowing = self.loose[&row].values().any(|&count| count > 0);
                if slots.is_empty() || !flowing {
                    self.agenda.pop();
                } else {
                    return false;
                }
            }
            Step::Flow => self.flow(),
            Step::EndDay => self.end_day(),
            _ => return self.skip_in_the_evening(step),
        }
        true
    }

    /// Decides whether the camp of the seat has the privilege to begin elsewhere: it is alone in
    /// the row.
    fn decide_privilege(&mut self, seat: usize, place: &str, later: &[String]) {
        let camps_of_row: Vec<_> =
            (0..self.players).filter(|&other| row_of(&self.camp(other)) == self.row).collect();
        let privileged = self.camp(seat) == place && camps_of_row == [seat];
        self.agenda.pop();
        self.agenda.push(Step::Group(seat, place.to_owned(), later.to_vec(), Some(privileged)));
    }

    /// Performs the next step of the evening or the night and returns true, if it needs no
    /// decision.
    fn skip_in_the_evening(&mut self, step: &Step) -> bool {
        match step {
            Step::Policies(_, passes) if *passes == self.players => {
                self.agenda.pop();
            }
            Step::Vote(proposer, verb, tile, votes) if self.next_voter(votes).is_none() => {
                let (proposer, verb, tile, votes) =
                    (*proposer, verb.clone(), tile.clone(), votes.clone());
                self.agenda.pop();
                let yes = votes.iter().filter(|(_, yes)| *yes).count() as i64;
                let no = votes.len() as i64 - yes;
                assert!(votes.contains(&(proposer, true)));
                self.agenda.push(Step::Bid(Bid {
                    verb,
                    tile,
                    sides: votes,
                    yes,
                    no,
                    settled: BTreeSet::new(),
                    next: 0,
                }));
            }
            Step::Bid(bid) if self.next_bidder(bid).is_none() => {
                let bid = bid.clone();
                self.agenda.pop();
                if bid.passes() {
                    self.enact(&bid.verb, &bid.tile);
                } else {
                    self.failed.insert(format!("{}@{}", bid.verb, bid.tile));
                }
            }
            Step::Night if self.is_last_day() => self.agenda.clear(),
            Step::Night => self.night(),
            Step::NightCard if self.unseen.values().all(|&count| count == 0) => {
                self.agenda.pop();
            }
            _ => return false,
        }
        true
    }

    pub(super) fn apply_to_step(&mut self, event: &str) {
        let (verb, object) = event.split_once(':').unwrap_or((event, ""));
        let step = self.agenda.last().cloned().unwrap();
        match (&step, verb) {
            (Step::Mode | Step::First | Step::Almanac(_) | Step::Role(_) | Step::Camp(_), _) => {
                self.apply_in_setup(&step, object);
            }
            (Step::NightCard, _) => {
                self.agenda.pop();
                self.reveal(object);
            }
            (Step::Die, _) => {
                self.agenda.pop();
                let eyes: i64 = object.parse().unwrap();
                let modifier =
                    self.data.weather(&self.almanac[0])["modifier"].as_integer().unwrap();
                self.water = eyes + modifier + self.carry;
                self.carry = 0;
            }
            (Step::Nets(slots), _) => {
                let owner = self.nets[&slots[0]];
                let river = self.river();
                *self.loose.get_mut(&river).unwrap().get_mut(object).unwrap() -= 1;
                *self.seats[owner].stock.entry(object.to_owned()).or_default() += 1;
                self.agenda.pop();
                self.agenda.push(Step::Nets(slots[1..].to_vec()));
            }
            (Step::Offers(..) | Step::Give(..) | Step::Get(..) | Step::Answer(..), _) => {
                self.trade(&step, verb, object);
            }
            (Step::Group(..), "done") => {
                self.agenda.pop();
            }
            (Step::Group(seat, ..), _) => {
                let (kind, place) = object.split_once('@').unwrap();
                self.begin_turn(*seat, kind.to_owned(), place.to_owned(), false);
            }
            (Step::Turn(turn), _) => self.act(turn.clone(), event),
            (Step::Take(..), "enough") => self.end_take(),
            (Step::Take(taken, _), _) => {
                self.agenda.pop();
                self.take(object);
                self.agenda.push(Step::Take(taken + 1, event.to_owned()));
            }
            (_, "done") => {
                self.agenda.pop();
            }
            _ => self.apply_in_the_evening(&step, event),
        }
    }

    /// Applies an event of the setup.
    fn apply_in_setup(&mut self, step: &Step, object: &str) {
        match step {
            Step::Mode => {
                self.agenda.pop();
                object.clone_into(&mut self.mode);
            }
            Step::First => {
                self.agenda.pop();
                self.first = object.parse().unwrap();
            }
            Step::Almanac(left) => {
                self.agenda.pop();
                self.reveal(object);
                if *left > 1 {
                    self.agenda.push(Step::Almanac(left - 1));
                }
            }
            Step::Role(seat) => {
                self.agenda.pop();
                self.seats[*seat].role = Some(object.to_owned());
                self.agenda.push(Step::Role(seat + 1));
            }
            Step::Camp(steps) => {
                self.agenda.pop();
                let seat = (self.first + steps) % self.players;
                self.seats[seat].pieces.push(Piece {
                    kind: "camp".to_owned(),
                    place: object.to_owned(),
                    status: Status::Fresh,
                });
                self.agenda.push(Step::Camp(steps + 1));
            }
            _ => panic!("{object} at {step:?}"),
        }
    }

    /// Begins the vote on a proposal, for which its seat votes.
    fn begin_vote(&mut self, seat: usize, verb: &str, tile: &str) {
        let votes = vec![(seat, true)];
        self.agenda.push(Step::Vote(seat, verb.to_owned(), tile.to_owned(), votes));
    }

    pub(super) fn apply_in_the_evening(&mut self, step: &Step, event: &str) {
        let (verb, object) = event.split_once(':').unwrap_or((event, ""));
        match (step, verb) {
            (Step::Sell(seat, sold, _), _) => {
                self.agenda.pop();
                self.pay(*seat, object, 1);
                let mut sold = sold + 1;
                if sold == self.data.rule("tokens_per_gold") {
                    self.gain(*seat, "gold", 1);
                    sold = 0;
                }
                self.agenda.push(Step::Sell(*seat, sold, event.to_owned()));
            }
            (Step::Policies(place, passes), "pass") => {
                self.agenda.pop();
                self.agenda.push(Step::Policies((place + 1) % self.players, passes + 1));
            }
            (Step::Policies(place, _), _) => {
                self.agenda.pop();
                self.agenda.push(Step::Policies((place + 1) % self.players, 0));
                let seat = self.order[*place];
                self.pay(seat, "gold", self.data.rule("proposal_gold"));
                self.seats[seat].proposals += 1;
                if ["subsidy", "unsubsidy"].contains(&object) {
                    self.begin_vote(seat, object, "");
                } else {
                    self.agenda.push(Step::Place(seat, object.to_owned()));
                }
            }
            (Step::Place(seat, verb), _) => {
                self.agenda.pop();
                self.begin_vote(*seat, verb, object);
            }
            (Step::Vote(proposer, verb, tile, votes), _) => {
                let mut votes = votes.clone();
                votes.push((self.next_voter(&votes).unwrap(), object == "yes"));
                self.agenda.pop();
                self.agenda.push(Step::Vote(*proposer, verb.clone(), tile.clone(), votes));
            }
            (Step::Bid(bid), _) => {
                self.agenda.pop();
                let bid = self.answer_bid(bid.clone(), verb);
                self.agenda.push(Step::Bid(bid));
            }
            (Step::Salvage(seat, _), _) => {
                self.agenda.pop();
                self.salvage(*seat, object);
                self.agenda.push(Step::Salvage(*seat, event.to_owned()));
            }
            (Step::Site(seat, _), _) => {
                self.agenda.pop();
                *self.seats[*seat].stock.get_mut(object).unwrap() -= 1;
                self.contribute(object);
                self.agenda.push(Step::Site(*seat, event.to_owned()));
            }
            (Step::Buy(seat, _), _) => {
                self.agenda.pop();
                self.pay(*seat, "gold", 1);
                self.gain(*seat, object, 1);
                self.agenda.push(Step::Buy(*seat, event.to_owned()));
            }
            _ => panic!("{event} at {step:?}"),
        }
    }
}
