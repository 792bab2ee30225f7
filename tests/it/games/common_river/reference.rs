//! A second, simple implementation of We All Take from the River, which follows a game event by
//! event and is compared with the library.
//!
//! It is written from the text of the rules only, section by section, with lists and names where
//! the library packs bits: slow, and easy to check. It reads the data file itself. Events are the
//! notation of actions and chance outcomes. The future is an agenda of steps, the next one last. A
//! step whose only action is its closing word ends without a decision (§4).

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use toml::Value;

use crate::games::conformance::Decider;

/// A data file as plain values.
#[derive(Debug)]
pub(crate) struct ModelData {
    file: Value,
}

const TOKENS: [&str; 5] = ["fish", "gold", "gravel", "pollution", "tree"];
const CLOSING: [&str; 7] = ["done", "stop", "enough", "pass", "for", "send", "settle"];

impl ModelData {
    pub(crate) fn read(file: &str) -> Self {
        Self { file: Value::Table(file.parse().unwrap()) }
    }

    fn table(&self, section: &str) -> &Value {
        &self.file[section]
    }

    pub(crate) fn rule(&self, key: &str) -> i64 {
        self.file["rules"][key].as_integer().unwrap()
    }

    pub(crate) fn city_pollutes_dry(&self) -> bool {
        self.file["rules"]["city_pollutes_dry"].as_bool().unwrap()
    }

    pub(crate) fn negotiation(&self, key: &str) -> i64 {
        self.file["negotiation"][key].as_integer().unwrap()
    }

    fn progress(&self, key: &str) -> i64 {
        self.file["progress"][key].as_integer().unwrap()
    }

    pub(crate) fn pieces(&self, key: &str) -> i64 {
        self.file["pieces"][key].as_integer().unwrap()
    }

    fn row(&self, row: usize) -> &Value {
        &self.file["row"][row - 1]
    }

    pub(crate) fn rows(&self) -> usize {
        self.file["row"].as_array().unwrap().len()
    }

    fn land(&self, tile: &str) -> &Value {
        &self.row(row_of(tile))[if tile.starts_with('L') { "left" } else { "right" }]
    }

    fn elevation(&self, tile: &str) -> i64 {
        self.land(tile)["elevation"].as_integer().unwrap()
    }

    fn has_camp_slot(&self, tile: &str) -> bool {
        self.land(tile)["camp"].as_bool().unwrap()
    }

    fn half(&self, row: usize) -> String {
        self.row(row)["half"]["id"].as_str().unwrap().to_owned()
    }

    fn half_neighbours(&self, row: usize) -> Vec<String> {
        list(&self.row(row)["half"]["adjacent"])
    }

    pub(crate) fn city_cost(&self) -> Vec<(String, i64)> {
        token_counts(&self.file["rules"]["city_cost"])
    }

    fn cost(&self, kind: &str) -> Vec<(String, i64)> {
        token_counts(&self.table("cost")[kind])
    }

    fn weather(&self, card: &str) -> &Value {
        self.file["weather"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"].as_str() == Some(card))
            .unwrap()
    }

    fn is_storm(&self, card: &str) -> bool {
        self.weather(card).get("storm").is_some_and(|storm| storm.as_bool().unwrap())
    }

    fn roles(&self) -> Vec<String> {
        self.file["role"]
            .as_array()
            .unwrap()
            .iter()
            .map(|role| role["id"].as_str().unwrap().to_owned())
            .collect()
    }

    fn role_objectives(&self, role: &str) -> Vec<String> {
        let rows = self.file["role"].as_array().unwrap();
        list(&rows.iter().find(|row| row["id"].as_str() == Some(role)).unwrap()["objectives"])
    }

    /// Returns all land tiles, from the top, left before right.
    fn land_tiles(&self) -> Vec<String> {
        (1..=self.rows()).flat_map(|row| [format!("L{row}"), format!("R{row}")]).collect()
    }
}

fn list(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|entry| entry.as_str().unwrap().to_owned()).collect()
}

fn token_counts(table: &Value) -> Vec<(String, i64)> {
    table
        .as_table()
        .unwrap()
        .iter()
        .map(|(token, count)| (token.clone(), count.as_integer().unwrap()))
        .collect()
}

/// Returns the row of a land tile, river tile or net slot.
pub(crate) fn row_of(tile: &str) -> usize {
    tile[1..].parse().unwrap()
}

fn other_bank(tile: &str) -> String {
    format!("{}{}", if tile.starts_with('L') { 'R' } else { 'L' }, &tile[1..])
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    kind: String,
    pub(crate) holds: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    Fresh,
    Closed,
    Turned,
}

/// An acting structure, or a farm, canal or levee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) kind: String,
    pub(crate) place: String,
    pub(crate) status: Status,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct ModelSeat {
    pub(crate) role: Option<String>,
    pub(crate) stock: BTreeMap<String, i64>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) proposals: i64,
}

impl ModelSeat {
    pub(crate) fn has(&self, token: &str) -> i64 {
        self.stock.get(token).copied().unwrap_or(0)
    }

    fn has_anything(&self) -> bool {
        self.stock.values().any(|&count| count > 0)
    }

    pub(crate) fn camp(&self) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.kind == "camp")
    }

    pub(crate) fn count(&self, kind: &str, place: &str) -> i64 {
        self.pieces.iter().filter(|piece| piece.kind == kind && piece.place == place).count() as i64
    }
}

#[derive(Clone, Debug)]
pub(crate) struct City {
    pub(crate) tile: String,
    pub(crate) tokens: BTreeMap<String, i64>,
    pub(crate) complete: bool,
}

/// A step of the agenda.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Mode,
    First,
    /// Number of cards of the almanac to come.
    Almanac(i64),
    Role(usize),
    Camp(usize),
    Day,
    Die,
    Window(&'static str),
    /// A round of offers; true if a seat made one.
    Round(i64, bool),
    Offers(usize, i64),
    Give(usize, usize, Vec<String>),
    Get(usize, usize, Vec<String>, Vec<String>),
    Answer(usize, usize, Vec<String>, Vec<String>),
    Row(usize, bool),
    Actions,
    /// The structures of a seat at a place, with the places after it; true with privilege, once
    /// begun.
    Group(usize, String, Vec<String>, Option<bool>),
    Turn(Turn),
    Take(i64, String),
    EndRow,
    Nets(Vec<String>),
    Flow,
    EndDay,
    /// The seat, the number of tokens of the bundle sold so far, and the last choice.
    Sell(usize, i64, String),
    /// The next seat by its index in camp order, and the number of successive passes.
    Policies(usize, usize),
    Place(usize, String),
    /// The verb, its tile, and the votes so far.
    Vote(usize, String, String, Vec<(usize, bool)>),
    Bid(Bid),
    Salvage(usize, String),
    Site(usize, String),
    Buy(usize, String),
    Night,
    NightCard,
}

/// The turn of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) seat: usize,
    pub(crate) kind: String,
    pub(crate) place: String,
    pub(crate) sole: bool,
    pub(crate) harvested: bool,
    /// The last build of the camp.
    pub(crate) building: Option<String>,
    pub(crate) built: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bid {
    pub(crate) verb: String,
    pub(crate) tile: String,
    pub(crate) sides: Vec<(usize, bool)>,
    pub(crate) yes: i64,
    pub(crate) no: i64,
    pub(crate) settled: BTreeSet<usize>,
    /// The next seat, by its index in camp order.
    pub(crate) next: usize,
}

impl Bid {
    pub(crate) fn passes(&self) -> bool {
        self.yes > self.no
    }
}

#[derive(Debug)]
pub(crate) struct CommonRiverModel {
    pub(crate) data: Rc<ModelData>,
    pub(crate) players: usize,
    pub(crate) mode: String,
    pub(crate) first: usize,
    pub(crate) day: i64,
    pub(crate) row: usize,
    pub(crate) water: i64,
    pub(crate) carry: i64,
    pub(crate) almanac: Vec<String>,
    pub(crate) unseen: BTreeMap<String, i64>,
    /// The slots of each tile.
    pub(crate) slots: BTreeMap<String, Vec<Slot>>,
    /// The loose tokens of each river tile.
    pub(crate) loose: BTreeMap<String, BTreeMap<String, i64>>,
    pub(crate) flooded: BTreeSet<String>,
    pub(crate) eroded: BTreeSet<String>,
    pub(crate) protected: BTreeSet<String>,
    pub(crate) bridges: BTreeMap<usize, usize>,
    pub(crate) nets: BTreeMap<String, usize>,
    pub(crate) subsidized: bool,
    pub(crate) city: Option<City>,
    pub(crate) seats: Vec<ModelSeat>,
    /// Tokens in the box, minus those at the beginning.
    pub(crate) box_change: BTreeMap<String, i64>,
    pub(crate) failed: BTreeSet<String>,
    pub(crate) order: Vec<usize>,
    pub(crate) agenda: Vec<Step>,
    pub(crate) died: bool,
    /// Row turns at whose end loose pollution flowed on although the row had an empty slot.
    pub(crate) slots_passed_by_pollution: usize,
    /// Row turns in which the City polluted a dry row.
    pub(crate) dry_rows_polluted: usize,
}

impl CommonRiverModel {
    pub(crate) fn new(data: &Rc<ModelData>, players: usize) -> Self {
        let mut model = Self {
            data: Rc::clone(data),
            players,
            mode: if players == 1 { "solo" } else { "roles" }.to_owned(),
            first: 0,
            day: 0,
            row: 1,
            water: 0,
            carry: 0,
            almanac: Vec::new(),
            unseen: BTreeMap::new(),
            slots: BTreeMap::new(),
            loose: BTreeMap::new(),
            flooded: BTreeSet::new(),
            eroded: BTreeSet::new(),
            protected: BTreeSet::new(),
            bridges: BTreeMap::new(),
            nets: BTreeMap::new(),
            subsidized: false,
            city: None,
            seats: vec![ModelSeat::default(); players],
            box_change: BTreeMap::new(),
            failed: BTreeSet::new(),
            order: Vec::new(),
            agenda: Vec::new(),
            died: false,
            slots_passed_by_pollution: 0,
            dry_rows_polluted: 0,
        };
        for row in data.file["weather"].as_array().unwrap() {
            model
                .unseen
                .insert(row["id"].as_str().unwrap().to_owned(), row["count"].as_integer().unwrap());
        }
        let filled = |kind: String| Slot { holds: Some(kind.clone()), kind };
        for row in 1..=data.rows() {
            for tile in [format!("L{row}"), format!("R{row}")] {
                let slots = list(&data.land(&tile)["slots"]).into_iter().map(filled).collect();
                model.slots.insert(tile, slots);
            }
            let fish = data.row(row)["fish_slots"].as_integer().unwrap() as usize;
            model.slots.insert(format!("W{row}"), vec![filled("fish".to_owned()); fish]);
            model.slots.insert(
                data.half(row),
                vec![filled(data.row(row)["half"]["slot"].as_str().unwrap().to_owned())],
            );
            model.loose.insert(format!("W{row}"), BTreeMap::new());
        }
        let tokens: Vec<String> =
            model.slots.values().flatten().map(|slot| slot.kind.clone()).collect();
        for token in tokens {
            model.put_in_box(&token, -1);
        }
        for seat in 0..players {
            for (token, count) in token_counts(&data.file["rules"]["start"]) {
                model.gain(seat, &token, count);
            }
        }
        model.agenda =
            vec![Step::Camp(0), Step::Role(0), Step::Almanac(data.rule("almanac")), Step::First];
        if players == 2 {
            model.agenda.push(Step::Mode);
        }
        model
    }

    // §4: decisions.

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
                legal.extend(self.policy_tiles(verb).into_iter().map(|tile| format!("tile:{tile}")))
            }
            Step::Vote(..) => legal.extend(["vote:yes", "vote:no"].map(str::to_owned)),
            Step::Bid(_) => legal.extend(["bid", "settle"].map(str::to_owned)),
            Step::Salvage(seat, last) => {
                legal.insert("done".to_owned());
                legal.extend(self.salvages(*seat).into_iter().filter(|text| text >= last));
            }
            Step::Site(seat, last) => {
                legal.insert("done".to_owned());
                if let Some(city) = self.city.as_ref().filter(|city| !city.complete) {
                    let wanted = self.data.city_cost().into_iter().filter(|(token, cost)| {
                        self.seats[*seat].has(token) > 0
                            && city.tokens.get(token).copied().unwrap_or(0) < *cost
                    });
                    legal.extend(
                        wanted
                            .map(|(token, _)| format!("city:{token}"))
                            .filter(|text| text >= last),
                    );
                }
            }
            Step::Buy(seat, last) => {
                legal.insert("done".to_owned());
                if self.city_stands() && self.seats[*seat].has("gold") > 0 {
                    legal.extend(
                        ["buy:fish", "buy:tree", "buy:gravel"]
                            .map(str::to_owned)
                            .into_iter()
                            .filter(|text| text >= last),
                    );
                }
            }
            step => unreachable!("{step:?} is no decision"),
        }
        legal.into_iter().collect()
    }

    /// Applies an event and all later steps without a decision.
    pub(crate) fn apply(&mut self, event: &str) {
        self.carry_out(event);
        loop {
            if self.died {
                self.agenda.clear();
            }
            let Some(step) = self.agenda.last().cloned() else { return };
            if self.carry_on(&step) {
                continue;
            }
            if matches!(self.decider(), Decider::Chance(_)) {
                return;
            }
            let legal = self.legal();
            match &legal[..] {
                [only] if CLOSING.contains(&only.as_str()) => {
                    let only = only.clone();
                    self.carry_out(&only);
                }
                _ => return,
            }
        }
    }

    /// Performs the next step and returns true, if it needs no decision.
    fn carry_on(&mut self, step: &Step) -> bool {
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
            Step::Group(seat, place, later, None) => {
                let camps_of_row: Vec<_> = (0..self.players)
                    .filter(|&other| row_of(&self.camp(other)) == self.row)
                    .collect();
                let privileged = self.camp(*seat) == *place && camps_of_row == [*seat];
                self.agenda.pop();
                self.agenda.push(Step::Group(
                    *seat,
                    place.clone(),
                    later.clone(),
                    Some(privileged),
                ));
            }
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

    fn carry_out(&mut self, event: &str) {
        let (verb, object) = event.split_once(':').unwrap_or((event, ""));
        let step = self.agenda.last().cloned().unwrap();
        match (&step, verb) {
            (Step::Mode, _) => {
                self.agenda.pop();
                object.clone_into(&mut self.mode);
            }
            (Step::First, _) => {
                self.agenda.pop();
                self.first = object.parse().unwrap();
            }
            (Step::Almanac(left), _) => {
                self.agenda.pop();
                self.reveal(object);
                if *left > 1 {
                    self.agenda.push(Step::Almanac(left - 1));
                }
            }
            (Step::NightCard, _) => {
                self.agenda.pop();
                self.reveal(object);
            }
            (Step::Role(seat), _) => {
                self.agenda.pop();
                self.seats[*seat].role = Some(object.to_owned());
                self.agenda.push(Step::Role(seat + 1));
            }
            (Step::Camp(steps), _) => {
                self.agenda.pop();
                let seat = (self.first + steps) % self.players;
                self.seats[seat].pieces.push(Piece {
                    kind: "camp".to_owned(),
                    place: object.to_owned(),
                    status: Status::Fresh,
                });
                self.agenda.push(Step::Camp(steps + 1));
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
                self.trade(&step, verb, object)
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
            _ => self.carry_out_in_the_evening(&step, event),
        }
    }

    fn carry_out_in_the_evening(&mut self, step: &Step, event: &str) {
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
                    self.agenda.push(Step::Vote(
                        seat,
                        object.to_owned(),
                        String::new(),
                        vec![(seat, true)],
                    ));
                } else {
                    self.agenda.push(Step::Place(seat, object.to_owned()));
                }
            }
            (Step::Place(seat, verb), _) => {
                self.agenda.pop();
                self.agenda.push(Step::Vote(
                    *seat,
                    verb.clone(),
                    object.to_owned(),
                    vec![(*seat, true)],
                ));
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

    // §1 Words.

    fn river(&self) -> String {
        format!("W{}", self.row)
    }

    fn put_in_box(&mut self, token: &str, count: i64) {
        *self.box_change.entry(token.to_owned()).or_default() += count;
    }

    /// Moves tokens from the box into a stockpile.
    fn gain(&mut self, seat: usize, token: &str, count: i64) {
        *self.seats[seat].stock.entry(token.to_owned()).or_default() += count;
        self.put_in_box(token, -count);
    }

    fn pay(&mut self, seat: usize, token: &str, count: i64) {
        self.gain(seat, token, -count);
        assert!(self.seats[seat].has(token) >= 0, "{token} is there to be paid");
    }

    fn add_loose(&mut self, row: usize, token: &str, count: i64) {
        *self.loose.get_mut(&format!("W{row}")).unwrap().entry(token.to_owned()).or_default() +=
            count;
    }

    pub(crate) fn is_storm(&self) -> bool {
        self.data.is_storm(&self.almanac[0])
    }

    pub(crate) fn camp(&self, seat: usize) -> String {
        self.seats[seat].camp().unwrap().place.clone()
    }

    fn has_free_camp_slot(&self, tile: &str) -> bool {
        let taken = self.seats.iter().filter_map(ModelSeat::camp).any(|camp| camp.place == tile);
        self.data.has_camp_slot(tile) && !taken
    }

    /// Returns the 2 land tiles of a row, the higher first.
    fn higher_first(&self, row: usize) -> [String; 2] {
        let [left, right] = [format!("L{row}"), format!("R{row}")];
        if self.data.elevation(&right) > self.data.elevation(&left) {
            [right, left]
        } else {
            [left, right]
        }
    }

    fn camp_order(&self) -> Vec<usize> {
        let mut seats: Vec<usize> = (0..self.players).collect();
        seats.sort_by_key(|&seat| {
            let tile = self.camp(seat);
            (-self.data.elevation(&tile), row_of(&tile), tile)
        });
        seats
    }

    fn works(&self, tile: &str) -> bool {
        !self.flooded.contains(tile) && !self.protected.contains(tile)
    }

    fn on_tile(&self, kind: &str, tile: &str) -> i64 {
        self.seats.iter().map(|seat| seat.count(kind, tile)).sum()
    }

    fn effective_elevation(&self, tile: &str) -> i64 {
        self.data.elevation(tile) + if self.works(tile) { self.on_tile("levee", tile) } else { 0 }
    }

    fn is_wetlands(&self, tile: &str) -> bool {
        self.slots[tile].iter().any(|slot| slot.kind == "gravel")
    }

    pub(crate) fn city_stands(&self) -> bool {
        self.city.as_ref().is_some_and(|city| city.complete && !self.flooded.contains(&city.tile))
    }

    /// Puts a token into the first empty slot that fits, if there is one.
    fn fill(&mut self, tile: &str, token: &str) -> bool {
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
    fn empty(&mut self, tile: &str, token: &str) -> bool {
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

    fn slotted(&self, tile: &str, token: &str) -> i64 {
        self.slots[tile].iter().filter(|slot| slot.holds.as_deref() == Some(token)).count() as i64
    }

    fn note_death(&mut self) {
        let estuary = &self.slots[&format!("W{}", self.data.rows())];
        self.died |= estuary.iter().all(|slot| slot.holds.as_deref() == Some("pollution"));
    }

    fn enter(&mut self, row: usize) {
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

    fn pollute(&mut self, row: usize, times: i64) {
        for _ in 0..times {
            if !self.died {
                self.put_in_box("pollution", -1);
                self.enter(row);
            }
        }
    }

    // §3 Setup and §5 The day.

    fn reveal(&mut self, card: &str) {
        *self.unseen.get_mut(card).unwrap() -= 1;
        self.almanac.push(card.to_owned());
    }

    fn begin_day(&mut self) {
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

    fn row_turn(&mut self, row: usize, first: bool) {
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

    fn erode(&mut self, tile: &str) {
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

    fn flood(&mut self, tile: &str) {
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

    fn drain(&mut self, tile: &str) {
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

    fn populate(&mut self) {
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

    fn pollute_by_city(&mut self) {
        if self.city_stands() && row_of(&self.city.as_ref().unwrap().tile) == self.row {
            self.dry_rows_polluted += usize::from(self.water <= 0);
            self.pollute(self.row, self.data.rule("city_pollution"));
        }
    }

    fn farm(&mut self) {
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

    fn end_row(&mut self) {
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

    fn flow(&mut self) {
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

    // §6 Actions in a row turn.

    fn actions(&mut self) {
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

    fn acts(kind: &str) -> bool {
        ["camp", "boat", "excavator", "mill"].contains(&kind)
    }

    /// Returns the kinds and tiles of the candidates without repetition.
    fn candidates(
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

    fn new_turn(seat: usize, kind: String, place: String, sole: bool) -> Turn {
        Turn { seat, kind, place, sole, harvested: false, building: None, built: false }
    }

    fn begin_turn(&mut self, seat: usize, kind: String, place: String, sole: bool) {
        self.agenda.push(Step::Turn(Self::new_turn(seat, kind, place, sole)));
    }

    fn turn(&self) -> Turn {
        let turns =
            self.agenda.iter().rev().find_map(|step| {
                if let Step::Turn(turn) = step { Some(turn.clone()) } else { None }
            });
        turns.unwrap()
    }

    /// Returns the actions of a structure except stopping.
    fn turn_options(&self, turn: &Turn) -> Vec<String> {
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

    fn is_on_map(&self, tile: &str, token: &str) -> bool {
        self.slotted(tile, token) > 0
            || self
                .loose
                .get(tile)
                .and_then(|loose| loose.get(token))
                .is_some_and(|&count| count > 0)
    }

    fn harvests(&self, turn: &Turn) -> Vec<String> {
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
    fn neighbours(&self, tile: &str) -> Vec<String> {
        let row = row_of(tile);
        let on_bank =
            [row - 1, row + 1].into_iter().filter(|row| (1..=self.data.rows()).contains(row));
        let mut neighbours: Vec<_> = on_bank.map(|row| format!("{}{row}", &tile[..1])).collect();
        if self.bridges.contains_key(&row) {
            neighbours.push(other_bank(tile));
        }
        neighbours
    }

    fn takes(&self, kind: &str, place: &str) -> Vec<String> {
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

    fn sticks(&self, seat: usize) -> i64 {
        let laid = self.seats[seat]
            .pieces
            .iter()
            .filter(|piece| ["canal", "levee"].contains(&piece.kind.as_str()))
            .count();
        laid as i64 + self.bridges.values().filter(|&&owner| owner == seat).count() as i64
    }

    fn can_build(&self, turn: &Turn, kind: &str) -> bool {
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

    fn builds(&self, turn: &Turn) -> Vec<String> {
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

    fn moves(&self, turn: &Turn) -> Vec<String> {
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

    fn find_piece(
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

    fn take_off_map(&mut self, tile: &str, token: &str) {
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

    fn act(&mut self, mut turn: Turn, event: &str) {
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
            "ferry" => {
                self.find_piece(seat, "boat", &turn.place, Status::Fresh).unwrap().status =
                    Status::Turned;
                let (kind, tile) = object.split_once('@').unwrap();
                let closed = self.find_piece(seat, kind, tile, Status::Closed).is_some();
                let piece = self
                    .find_piece(
                        seat,
                        kind,
                        tile,
                        if closed { Status::Closed } else { Status::Fresh },
                    )
                    .unwrap();
                piece.place = other_bank(tile);
                piece.status = Status::Turned;
                return;
            }
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
            "build" => {
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

    fn remove_piece(&mut self, seat: usize, kind: &str, tile: &str) {
        let pieces = &mut self.seats[seat].pieces;
        let index =
            pieces.iter().position(|piece| piece.kind == kind && piece.place == tile).unwrap();
        pieces.remove(index);
    }

    fn take(&mut self, tile: &str) {
        let turn = self.turn();
        let token = if turn.kind == "excavator" { "gravel" } else { "tree" };
        assert!(self.empty(tile, token));
        *self.seats[turn.seat].stock.entry(token.to_owned()).or_default() += 1;
    }

    fn end_take(&mut self) {
        self.agenda.pop();
        self.pollute(self.row, 1);
        if let Some(Step::Turn(turn)) = self.agenda.last_mut() {
            turn.harvested = true;
        }
    }

    // §7 The end of the day.

    fn end_day(&mut self) {
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

    fn sales(&self, seat: usize, sold: i64, last: &str) -> Vec<String> {
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

    fn proposals(&self, seat: usize) -> Vec<String> {
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

    fn policy_tiles(&self, verb: &str) -> Vec<String> {
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

    fn next_voter(&self, votes: &[(usize, bool)]) -> Option<usize> {
        self.order.iter().copied().find(|seat| votes.iter().all(|(other, _)| other != seat))
    }

    /// Returns the index in camp order of the next seat to decide, if any.
    fn next_bidder(&self, bid: &Bid) -> Option<usize> {
        let places = (0..self.players).map(|steps| (bid.next + steps) % self.players);
        let mut asked = places.filter(|&place| {
            let seat = self.order[place];
            let loses = bid.sides.contains(&(seat, !bid.passes()));
            loses && self.seats[seat].has("gold") > 0 && !bid.settled.contains(&seat)
        });
        asked.next()
    }

    fn answer_bid(&mut self, mut bid: Bid, verb: &str) -> Bid {
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

    fn enact(&mut self, verb: &str, tile: &str) {
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

    fn salvages(&self, seat: usize) -> Vec<String> {
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

    fn salvage(&mut self, seat: usize, object: &str) {
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

    fn contribute(&mut self, token: &str) {
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

    fn night(&mut self) {
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

    // §8 Trade windows.

    fn window(&mut self, window: &str) {
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
    fn offered(&self, seat: usize, side: &[String]) -> impl Iterator<Item = String> {
        let last = side.last().cloned().unwrap_or_default();
        let kinds = TOKENS.iter().filter(move |token| {
            let already = side.iter().filter(|other| other == *token).count() as i64;
            **token >= last.as_str() && self.seats[seat].has(token) > already
        });
        kinds.map(|token| (*token).to_owned()).collect::<Vec<_>>().into_iter()
    }

    fn trade(&mut self, step: &Step, verb: &str, object: &str) {
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
                self.agenda.push(Step::Get(seat, partner, given, Vec::new()))
            }
            (Step::Give(seat, partner, given), _) => {
                self.agenda.push(Step::Give(seat, partner, with(&given)))
            }
            (Step::Get(seat, partner, given, got), "send") => {
                self.agenda.push(Step::Answer(seat, partner, given, got))
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

    // Queries of the tests.

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

    // §9 The end.

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

    fn most_gold_of_others(&self, seat: usize) -> Option<i64> {
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

    fn helped(&self, seat: usize, completed: &[BTreeSet<String>]) -> usize {
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
