//! A second, simple implementation of The River, which follows a game event by event and is
//! compared with the library.
//!
//! It is written from the text of the rules only, section by section, with lists and names where
//! the library packs bits: slow, and easy to check. It reads the data file itself. Events are the
//! notation of actions and chance outcomes.

mod data;
mod placements;
mod scoring;

use std::{
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use toml::Value;

use crate::rules::conformance::Decider;

pub(crate) use data::ModelData;
use data::{list, number, text};

/// The resources in the order of the notation.
pub(crate) const RESOURCES: [&str; 4] = ["wood", "clay", "stone", "food"];
const FOOD: usize = 3;

/// Amounts of the resources.
pub(crate) type Amounts = [usize; 4];

/// Possessions of a seat (§1).
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelSeat {
    board: usize,
    pub(crate) tiles: Vec<String>,
    pub(crate) held: Amounts,
    pub(crate) tokens: Vec<usize>,
    pub(crate) start_points: usize,
    pub(crate) built: Vec<String>,
    pub(crate) reserved: Vec<String>,
    pub(crate) boat: usize,
    pub(crate) pioneers: usize,
    pub(crate) claims: usize,
    pub(crate) framed: usize,
}

/// The next decision or chance event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    FirstPlayer,
    Boards,
    DraftRow,
    Tiles,
    Buildings,
    Draft(usize),
    Turn(usize),
    Pay(usize, String),
    /// Number of swaps left.
    Swaps(usize, usize),
    /// The first resource that may still be returned; true if income overflowed.
    Discard {
        seat: usize,
        first: usize,
        income: bool,
    },
    Over,
}

/// A game and its position.
#[derive(Clone, Debug)]
pub(crate) struct RiverModel {
    pub(crate) data: Rc<ModelData>,
    players: usize,
    pub(crate) step: Step,
    pub(crate) round: usize,
    pub(crate) pawn: usize,
    pub(crate) supply: Amounts,
    pub(crate) face_up: Vec<String>,
    pub(crate) unseen: Vec<String>,
    pub(crate) discarded: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) cards_face_up: Vec<String>,
    pub(crate) cards_unseen: Vec<String>,
    pub(crate) tokens_left: VecDeque<usize>,
    /// Pioneers on each place this round, by the word of the action, with the resource for
    /// production.
    placed: BTreeMap<String, usize>,
    draft_order: VecDeque<usize>,
    /// Income not yet taken in this cleanup: seat, resource, amount.
    pub(crate) incomes: VecDeque<(usize, usize, usize)>,
    pub(crate) seats: Vec<ModelSeat>,
}

impl RiverModel {
    pub(crate) fn new(data: &Rc<ModelData>, players: usize) -> Self {
        let setup = &data.file["setup"][&players.to_string()];
        Self {
            data: Rc::clone(data),
            players,
            step: Step::FirstPlayer,
            round: 0,
            pawn: 0,
            supply: RESOURCES.map(|resource| number(&setup["stock"][resource])),
            face_up: Vec::new(),
            unseen: data.tiles.iter().flat_map(|tile| vec![tile.id.clone(); tile.copies]).collect(),
            discarded: Vec::new(),
            removed: Vec::new(),
            cards_face_up: Vec::new(),
            cards_unseen: data.cards.keys().cloned().collect(),
            tokens_left: list(&setup["bonus_tokens"]).iter().map(number).collect(),
            placed: BTreeMap::new(),
            draft_order: VecDeque::new(),
            incomes: VecDeque::new(),
            seats: Vec::new(),
        }
    }

    /// Returns a number of the main board for this number of players.
    pub(crate) fn setup(&self, key: &str) -> usize {
        number(&self.data.file["setup"][&self.players.to_string()][key])
    }

    pub(crate) fn decider(&self) -> Decider {
        match self.step {
            Step::FirstPlayer => Decider::Chance("seats"),
            Step::Boards => Decider::Chance("boards"),
            Step::DraftRow | Step::Tiles => Decider::Chance("tiles"),
            Step::Buildings => Decider::Chance("buildings"),
            Step::Draft(seat)
            | Step::Turn(seat)
            | Step::Pay(seat, _)
            | Step::Swaps(seat, _)
            | Step::Discard { seat, .. } => Decider::Seat(seat),
            Step::Over => Decider::Nobody,
        }
    }

    /// Returns the legal decisions, sorted by their bytes.
    pub(crate) fn legal(&self) -> Vec<String> {
        let mut actions = match &self.step {
            Step::Draft(_) => self.claims(),
            Step::Turn(seat) => self.turn(*seat),
            Step::Pay(seat, building) => self.payments(*seat, building),
            Step::Swaps(seat, _) => {
                let mut actions = self.swaps(*seat);
                actions.push("skip".to_owned());
                actions
            }
            Step::Discard { seat, first, .. } => self.discards(*seat, *first),
            _ => Vec::new(),
        };
        actions.sort();
        actions
    }

    /// Returns the outcomes of the chance event, sorted, with their numbers of equally likely
    /// cases.
    pub(crate) fn outcomes(&self) -> Vec<(String, u32)> {
        let cases: Vec<String> = match self.step {
            Step::FirstPlayer => (0..self.players).map(|seat| format!("first:{seat}")).collect(),
            Step::Boards => {
                let free = |board: &usize| self.seats.iter().all(|seat| seat.board != *board);
                (0..self.data.boards.len())
                    .filter(free)
                    .map(|board| format!("board:{}", self.data.boards[board].id))
                    .collect()
            }
            Step::DraftRow | Step::Tiles if self.unseen.is_empty() => vec!["reshuffle".to_owned()],
            Step::DraftRow | Step::Tiles => {
                self.unseen.iter().map(|tile| format!("tile:{tile}")).collect()
            }
            Step::Buildings => {
                self.cards_unseen.iter().map(|card| format!("building:{card}")).collect()
            }
            _ => Vec::new(),
        };
        let mut counts = BTreeMap::new();
        for case in cases {
            *counts.entry(case).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    /// Applies an event, which must be possible.
    pub(crate) fn apply(&mut self, event: &str) {
        let (word, name) = event.split_once(':').unwrap_or((event, ""));
        match (self.step.clone(), word) {
            (Step::FirstPlayer, "first") => {
                self.pawn = name.parse().unwrap();
                self.step = Step::Boards;
            }
            (Step::Boards, "board") => self.take_board(name),
            (Step::DraftRow, "tile") => {
                take_one(&mut self.unseen, name);
                self.face_up.push(name.to_owned());
                if self.face_up.len() == self.setup("draft_tiles") {
                    self.lay_out_buildings();
                }
            }
            (Step::Tiles, "tile") => {
                take_one(&mut self.unseen, name);
                self.face_up.push(name.to_owned());
                self.lay_out_tiles();
            }
            (Step::Tiles, "reshuffle") => self.unseen.append(&mut self.discarded),
            (Step::Buildings, "building") => {
                take_one(&mut self.cards_unseen, name);
                self.cards_face_up.push(name.to_owned());
                self.lay_out_buildings();
            }
            (Step::Draft(seat), "claim") => self.claim(seat, name),
            (Step::Turn(seat), "trade") => {
                for (resource, amount) in parse_amounts(name).into_iter().enumerate() {
                    self.give_back(seat, resource, amount);
                }
                self.take(seat, FOOD, 1);
            }
            (Step::Turn(seat), _) => {
                self.seats[seat].boat -= 1;
                self.place(seat, word, name);
            }
            (Step::Pay(seat, building), "pay") => self.pay(seat, &building, parse_amounts(name)),
            (Step::Swaps(seat, left), "swap") => {
                self.swap(seat, name);
                self.step = Step::Swaps(seat, left - 1);
                if left == 1 {
                    self.store(seat, false);
                }
            }
            (Step::Swaps(seat, _), "skip") => self.store(seat, false),
            (Step::Discard { seat, income, .. }, "discard") => {
                let resource = index_of(name);
                self.give_back(seat, resource, 1);
                if self.overflow(seat) > 0 {
                    self.step = Step::Discard { seat, first: resource, income };
                } else if income {
                    self.collect_income();
                } else {
                    self.end_turn(seat);
                }
            }
            (step, _) => panic!("{event} can't happen at {step:?}"),
        }
    }

    // §2 Setup.

    fn take_board(&mut self, id: &str) {
        let pioneers = self.data.rule("start_pioneers");
        let board = self.data.boards.iter().position(|board| board.id == id).unwrap();
        let position = (self.seats.len() + self.players - self.pawn) % self.players;
        let setup = &self.data.file["setup"][&self.players.to_string()];
        let start = setup.get("start").and_then(|start| start.get(position));
        let amount = |resource| start.and_then(|start| start.get(resource)).map_or(0, number);
        let (held, start_points) = (RESOURCES.map(amount), amount("points"));
        (0..held.len()).for_each(|resource| self.supply[resource] -= held[resource]);
        let seat = ModelSeat {
            board,
            boat: pioneers,
            pioneers,
            held,
            start_points,
            ..ModelSeat::default()
        };
        self.seats.push(seat);
        if self.seats.len() == self.players {
            self.step = Step::DraftRow;
        }
    }

    /// Returns the seats counterclockwise from the right of the first player, who is last.
    fn begin_draft(&mut self) {
        self.draft_order = (1..=self.players)
            .map(|steps| (self.pawn + self.players - steps) % self.players)
            .collect();
        self.next_draft_turn();
    }

    fn next_draft_turn(&mut self) {
        if let Some(seat) = self.draft_order.pop_front() {
            self.step = Step::Draft(seat);
        } else {
            self.removed.append(&mut self.face_up);
            self.lay_out_tiles();
        }
    }

    // §3 A turn.

    fn begin_round(&mut self) {
        self.round += 1;
        self.placed.clear();
        self.next_turn(self.pawn);
    }

    /// Returns the next seat with a pioneer on its boat, clockwise from this one.
    fn next_turn(&mut self, from: usize) {
        let clockwise = (from..from + self.players).map(|seat| seat % self.players);
        match clockwise.into_iter().find(|&seat| self.seats[seat].boat > 0) {
            Some(seat) => self.step = Step::Turn(seat),
            None => self.clean_up(),
        }
    }

    fn end_turn(&mut self, seat: usize) {
        if self.round == 0 {
            self.next_draft_turn();
        } else {
            self.next_turn(seat + 1);
        }
    }

    fn turn(&self, seat: usize) -> Vec<String> {
        let mut actions = self.placements(seat);
        if actions.is_empty() {
            actions.push("pass".to_owned());
        }
        if self.supply[FOOD] >= 1 {
            let held = self.seats[seat].held;
            for (wood, clay, stone) in up_to([held[0], held[1], held[2]]) {
                if wood + clay + stone == self.data.rule("trade_in") {
                    actions.push(format!("trade:{}", amounts_text([wood, clay, stone, 0])));
                }
            }
        }
        actions
    }

    // §5 Claiming a tile.

    fn claim(&mut self, seat: usize, id: &str) {
        take_one(&mut self.face_up, id);
        self.seats[seat].tiles.push(id.to_owned());
        let spot = self.seats[seat].tiles.len();
        if self.data.framed.contains(&spot) {
            self.seats[seat].framed += 1;
        }
        let effect = &self.data.tile(id).effect;
        match effect.get("kind").and_then(Value::as_str) {
            Some("take") => {
                self.take(seat, index_of(&text(&effect["resource"])), number(&effect["amount"]));
            }
            Some("swap") if spot >= 2 => {
                self.step = Step::Swaps(seat, number(&effect["times"]));
                return;
            }
            _ => {}
        }
        self.store(seat, false);
    }

    // §1 Storage and production, §6 Too much to store.

    fn production(&self, seat: usize, resource: usize) -> usize {
        self.symbols(seat, |(production, _)| production[resource])
    }

    fn capacity(&self, seat: usize) -> usize {
        self.symbols(seat, |(_, storage)| *storage)
    }

    /// Returns the symbols on uncovered spots and on tiles.
    fn symbols(&self, seat: usize, count: impl Fn(&([usize; 3], usize)) -> usize) -> usize {
        let own = &self.seats[seat];
        let uncovered = self.data.boards[own.board]
            .spots
            .iter()
            .skip(own.tiles.len())
            .map(&count)
            .sum::<usize>();
        let tiles = own.tiles.iter().map(|id| self.data.tile(id));
        uncovered + tiles.map(|tile| count(&(tile.production, tile.storage))).sum::<usize>()
    }

    fn take(&mut self, seat: usize, resource: usize, amount: usize) {
        let amount = amount.min(self.supply[resource]);
        self.supply[resource] -= amount;
        self.seats[seat].held[resource] += amount;
    }

    fn give_back(&mut self, seat: usize, resource: usize, amount: usize) {
        self.seats[seat].held[resource] -= amount;
        self.supply[resource] += amount;
    }

    /// Returns the amount that a seat holds above its storage.
    pub(crate) fn overflow(&self, seat: usize) -> usize {
        self.seats[seat].held.iter().sum::<usize>().saturating_sub(self.capacity(seat))
    }

    /// Ends the turn, or waits for the resources that must be returned first.
    fn store(&mut self, seat: usize, income: bool) {
        if self.overflow(seat) > 0 {
            self.step = Step::Discard { seat, first: 0, income };
        } else {
            self.end_turn(seat);
        }
    }

    fn discards(&self, seat: usize, first: usize) -> Vec<String> {
        let held = self.seats[seat].held;
        let overflow = self.overflow(seat);
        let offered = (first..4).filter(|&resource| {
            held[resource] > 0 && held[resource..].iter().sum::<usize>() >= overflow
        });
        offered.map(|resource| format!("discard:{}", RESOURCES[resource])).collect()
    }

    // §7 Cleanup.

    pub(crate) fn end_triggered(&self) -> bool {
        let all_tokens = self.setup("bonus_spots");
        self.seats
            .iter()
            .any(|seat| seat.tokens.len() == all_tokens || seat.tiles.len() == self.data.path.len())
    }

    fn clean_up(&mut self) {
        if self.end_triggered() {
            self.settle();
        } else {
            self.discarded.append(&mut self.face_up);
            self.lay_out_tiles();
        }
    }

    fn lay_out_tiles(&mut self) {
        let missing = self.setup("face_up_tiles") - self.face_up.len();
        if missing.min(self.unseen.len() + self.discarded.len()) > 0 {
            self.step = Step::Tiles;
        } else if self.round == 0 {
            self.begin_round();
        } else {
            self.lay_out_buildings();
        }
    }

    fn lay_out_buildings(&mut self) {
        if self.cards_face_up.len() < self.setup("face_up_buildings")
            && !self.cards_unseen.is_empty()
        {
            self.step = Step::Buildings;
        } else if self.round == 0 {
            self.begin_draft();
        } else {
            self.settle();
        }
    }

    fn settle(&mut self) {
        for seat in &mut self.seats {
            seat.pioneers = seat.pioneers.saturating_sub(seat.framed);
            seat.boat = seat.pioneers;
            seat.framed = 0;
            seat.claims = 0;
        }
        for seat in (self.pawn..self.pawn + self.players).map(|seat| seat % self.players) {
            for (resource, name) in RESOURCES.iter().enumerate() {
                for id in &self.seats[seat].tiles {
                    let effect = &self.data.tile(id).effect;
                    if effect.get("kind").and_then(Value::as_str) == Some("income")
                        && effect["resource"].as_str() == Some(name)
                    {
                        self.incomes.push_back((seat, resource, number(&effect["amount"])));
                    }
                }
            }
        }
        self.collect_income();
    }

    fn collect_income(&mut self) {
        while let Some((seat, resource, amount)) = self.incomes.pop_front() {
            self.take(seat, resource, amount);
            if self.overflow(seat) > 0 {
                self.step = Step::Discard { seat, first: 0, income: true };
                return;
            }
        }
        if self.end_triggered() || self.no_pioneers() || self.round == self.data.rule("max_rounds")
        {
            self.step = Step::Over;
        } else {
            self.begin_round();
        }
    }

    pub(crate) fn no_pioneers(&self) -> bool {
        self.seats.iter().all(|seat| seat.pioneers == 0)
    }

    pub(crate) fn capped(&self) -> bool {
        self.round == self.data.rule("max_rounds") && !self.end_triggered()
    }
}

fn index_of(resource: &str) -> usize {
    RESOURCES.iter().position(|name| *name == resource).unwrap()
}

/// Removes one entry of this name from a list.
fn take_one(names: &mut Vec<String>, name: &str) {
    let place = names.iter().position(|found| found == name).unwrap();
    names.remove(place);
}

/// Returns all amounts of wood, clay and stone up to these.
fn up_to(most: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..=most[0]).flat_map(move |wood| {
        (0..=most[1]).flat_map(move |clay| (0..=most[2]).map(move |stone| (wood, clay, stone)))
    })
}

fn amounts_text(amounts: Amounts) -> String {
    if amounts == [0; 4] {
        return "-".to_owned();
    }
    let counted = "wcsf".chars().zip(amounts).filter(|&(_, amount)| amount > 0);
    counted.map(|(letter, amount)| format!("{letter}{amount}")).collect::<Vec<_>>().concat()
}

fn parse_amounts(text: &str) -> Amounts {
    let amount = |letter: char| {
        let digits = text.split_once(letter).map_or("0", |(_, after)| {
            after.split(|next: char| !next.is_ascii_digit()).next().unwrap()
        });
        digits.parse().unwrap()
    };
    ['w', 'c', 's', 'f'].map(amount)
}
