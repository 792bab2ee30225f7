//! A second, simple implementation of River Valley Glassworks, which follows a game event by event
//! and is compared with the library.
//!
//! It is written from the text of the rules only, section by section, with lists and names where
//! the library packs bits: slow, and easy to check. It reads the data file itself. Events are the
//! notation of actions and chance outcomes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    rc::Rc,
};

use toml::Value;

use crate::rules::conformance::Decider;

/// A data file as plain values.
#[derive(Debug)]
pub(crate) struct ModelData {
    file: Value,
    /// Name and stones.
    pub(crate) shapes: Vec<(String, usize)>,
    /// Name, pieces by shape, fewest players.
    colours: Vec<(String, Vec<usize>, usize)>,
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_integer().unwrap()).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

impl ModelData {
    pub(crate) fn read(file: &str) -> Self {
        let file: Value = Value::Table(file.parse().unwrap());
        let rows = |key: &str| file[key].as_array().unwrap().clone();
        let shapes =
            rows("shape").iter().map(|row| (text(&row["id"]), number(&row["stones"]))).collect();
        let colours = rows("color").into_iter().map(|row| {
            let pieces = row["pieces"].as_array().unwrap().iter().map(number).collect();
            (text(&row["id"]), pieces, row.get("min_players").map_or(0, number))
        });
        let colours = colours.collect();
        Self { file, shapes, colours }
    }

    pub(crate) fn play(&self, key: &str) -> usize {
        number(&self.file["play"][key])
    }

    pub(crate) fn glassworks(&self, key: &str) -> usize {
        number(&self.file["glassworks"][key])
    }

    pub(crate) fn is_bga(&self) -> bool {
        text(&self.file["play"]["end_variant"]) == "bga"
    }
}

/// The destination of a piece from the bag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Tile(String),
    Lake,
    Satchel(usize),
}

/// The step after the last piece is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum After {
    Setup,
    Refill,
    TopUp,
}

/// The next decision or chance event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    FirstPlayer,
    River,
    Glass(After),
    Turn,
    /// After a placement on this tile.
    Collect(String),
    /// Choice of the next new colour; the pieces are still on this tile.
    Column(String),
    /// The last piece put into the overflow in this turn.
    Overflow(Option<String>),
    Over,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct ModelSeat {
    pub(crate) satchel: Vec<String>,
    /// The pieces of each column, with its colour.
    pub(crate) columns: Vec<(String, Vec<String>)>,
    pub(crate) overflow: Vec<String>,
}

impl ModelSeat {
    pub(crate) fn inventory(&self) -> usize {
        self.columns.iter().map(|(_, pieces)| pieces.len()).sum()
    }
}

#[derive(Debug)]
pub(crate) struct GlassworksModel {
    pub(crate) data: Rc<ModelData>,
    pub(crate) players: usize,
    /// Colour and shape of each piece, by its name.
    pub(crate) pieces: HashMap<String, (String, String)>,
    /// The number of each piece.
    pub(crate) counts: BTreeMap<String, usize>,
    pub(crate) bag: BTreeMap<String, usize>,
    pub(crate) river: Vec<(String, Vec<String>)>,
    pub(crate) lake: Vec<String>,
    pub(crate) seats: Vec<ModelSeat>,
    pub(crate) step: Step,
    /// The destinations of the pieces to be drawn.
    pub(crate) due: VecDeque<Place>,
    pub(crate) first: usize,
    pub(crate) seat: usize,
    pub(crate) round: usize,
    passes: usize,
    /// The round in which the end was triggered, and the seat that triggered it.
    pub(crate) triggered_in: Option<usize>,
    pub(crate) triggered_by: Option<usize>,
    pub(crate) capped: bool,
}

impl GlassworksModel {
    pub(crate) fn new(data: &Rc<ModelData>, players: usize) -> Self {
        let mut pieces = HashMap::new();
        let mut counts = BTreeMap::new();
        for (colour, by_shape, _) in data.colours.iter().filter(|(_, _, fewest)| *fewest <= players)
        {
            for ((shape, _), &count) in data.shapes.iter().zip(by_shape) {
                if count > 0 {
                    let name = format!("{colour}_{shape}");
                    pieces.insert(name.clone(), (colour.clone(), shape.clone()));
                    counts.insert(name, count);
                }
            }
        }
        Self {
            data: Rc::clone(data),
            players,
            pieces,
            bag: counts.clone(),
            counts,
            river: Vec::new(),
            lake: Vec::new(),
            seats: vec![ModelSeat::default(); players],
            step: Step::FirstPlayer,
            due: VecDeque::new(),
            first: 0,
            seat: 0,
            round: 0,
            passes: 0,
            triggered_in: None,
            triggered_by: None,
            capped: false,
        }
    }

    pub(crate) fn colour(&self, piece: &str) -> String {
        self.pieces[piece].0.clone()
    }

    pub(crate) fn shape(&self, piece: &str) -> String {
        self.pieces[piece].1.clone()
    }

    pub(crate) fn in_bag(&self) -> usize {
        self.bag.values().sum()
    }

    fn stones(&self, shape: &str) -> usize {
        self.data.shapes.iter().find(|(id, _)| id == shape).unwrap().1
    }

    pub(crate) fn index_of(&self, shape: &str) -> usize {
        self.river.iter().position(|(id, _)| id == shape).unwrap()
    }

    pub(crate) fn decider(&self) -> Decider {
        match self.step {
            Step::FirstPlayer => Decider::Chance("seats"),
            Step::River => Decider::Chance("river"),
            Step::Glass(_) => Decider::Chance("glass"),
            Step::Over => Decider::Nobody,
            _ => Decider::Seat(self.seat),
        }
    }

    pub(crate) fn outcomes(&self) -> Vec<(String, u32)> {
        let mut outcomes: Vec<(String, u32)> = match self.step {
            Step::FirstPlayer => {
                (0..self.players).map(|seat| (format!("first:{seat}"), 1)).collect()
            }
            Step::River => {
                let left = self
                    .data
                    .shapes
                    .iter()
                    .filter(|(shape, _)| self.river.iter().all(|(placed, _)| placed != shape));
                left.map(|(shape, _)| (format!("river:{shape}"), 1)).collect()
            }
            _ => {
                let left = self.bag.iter().filter(|&(_, &count)| count > 0);
                left.map(|(piece, &count)| {
                    (format!("glass:{piece}"), u32::try_from(count).unwrap())
                })
                .collect()
            }
        };
        outcomes.sort();
        outcomes
    }

    // §3: legal actions.

    pub(crate) fn legal(&self) -> Vec<String> {
        let own = &self.seats[self.seat];
        let mut legal = BTreeSet::new();
        match &self.step {
            Step::Turn => {
                for (index, piece) in own.satchel.iter().enumerate() {
                    legal.insert(format!("place:{piece}"));
                    for other in &own.satchel[index + 1..] {
                        if self.shape(piece) == self.shape(other) {
                            let (first, second) =
                                if piece < other { (piece, other) } else { (other, piece) };
                            for (shape, _) in &self.river {
                                legal.insert(format!("pair:{first}+{second}@{shape}"));
                            }
                        }
                    }
                }
                if !self.lake.is_empty() && !self.draws_closed() {
                    if self.lake.len() <= self.data.play("lake_take") {
                        legal.insert("draw:all".to_owned());
                    } else {
                        legal.extend(self.lake.iter().map(|piece| format!("draw:{piece}")));
                    }
                }
                if legal.is_empty() {
                    legal.insert("pass".to_owned());
                }
            }
            Step::Collect(placed) => {
                let index = self.index_of(placed);
                for (other, (shape, _)) in self.river.iter().enumerate() {
                    if other.abs_diff(index) == 1 {
                        legal.insert(format!("collect:{shape}"));
                    }
                }
            }
            Step::Column(shape) => {
                let pieces = &self.river[self.index_of(shape)].1;
                legal.extend(pieces.iter().map(|piece| format!("column:{}", self.colour(piece))));
            }
            Step::Overflow(last) => {
                let excess = own.satchel.len() - self.data.play("satchel_limit");
                for piece in &own.satchel {
                    let in_order = last.as_ref().is_none_or(|last| piece >= last);
                    let not_before = own.satchel.iter().filter(|other| *other >= piece).count();
                    if in_order && not_before >= excess {
                        legal.insert(format!("overflow:{piece}"));
                    }
                }
            }
            _ => unreachable!("no seat decides"),
        }
        legal.into_iter().collect()
    }

    /// Returns true after the top-up, when no seat draws (§5).
    pub(crate) fn draws_closed(&self) -> bool {
        self.data.is_bga() && self.triggered_in.is_some()
    }

    // Events.

    pub(crate) fn apply(&mut self, event: &str) {
        let (verb, object) = event.split_once(':').unwrap_or((event, ""));
        match verb {
            "first" => {
                self.first = object.parse().unwrap();
                self.seat = self.first;
                self.step = Step::River;
            }
            "river" => {
                self.river.push((object.to_owned(), Vec::new()));
                if self.river.len() == self.data.shapes.len() {
                    self.refill_all();
                }
            }
            "glass" => self.glass(object),
            "place" => {
                let shape = self.shape(object);
                self.put(object, &shape);
                self.step = Step::Collect(shape);
            }
            "pair" => {
                let (pieces, shape) = object.split_once('@').unwrap();
                for piece in pieces.split('+') {
                    self.put(piece, shape);
                }
                self.step = Step::Collect(shape.to_owned());
            }
            "collect" => self.collect(object),
            "column" => {
                let Step::Column(shape) = self.step.clone() else { panic!("no column is due") };
                self.new_column(&shape, object);
                self.continue_adding(&shape);
            }
            "draw" => {
                let mut taken = std::mem::take(&mut self.lake);
                if object != "all" {
                    let kept = taken.iter().position(|piece| piece == object).unwrap();
                    self.lake.push(taken.remove(kept));
                }
                self.seats[self.seat].satchel.append(&mut taken);
                self.after_draw(None);
            }
            "overflow" => {
                let own = &mut self.seats[self.seat];
                let index = own.satchel.iter().position(|piece| piece == object).unwrap();
                let piece = own.satchel.remove(index);
                own.overflow.push(piece.clone());
                self.after_draw(Some(piece));
            }
            "pass" => {
                self.passes += 1;
                self.end_turn();
            }
            _ => panic!("{event} is no event"),
        }
    }

    // §2 Setup.

    fn refill_all(&mut self) {
        for (shape, _) in self.river.clone() {
            let stones = self.stones(&shape);
            self.due.extend(std::iter::repeat_n(Place::Tile(shape), stones));
        }
        self.due.extend(std::iter::repeat_n(Place::Lake, self.data.play("lake_size")));
        for steps in 0..self.players {
            let seat = (self.first + steps) % self.players;
            self.due
                .extend(std::iter::repeat_n(Place::Satchel(seat), self.data.play("satchel_start")));
        }
        self.draw_due_pieces(After::Setup);
    }

    fn draw_due_pieces(&mut self, after: After) {
        if self.in_bag() == 0 {
            self.due.clear();
        }
        if !self.due.is_empty() {
            self.step = Step::Glass(after);
            return;
        }
        match after {
            After::Setup => self.begin_round(1),
            After::Refill => self.end_turn(),
            After::TopUp => self.next_turn(),
        }
    }

    fn glass(&mut self, piece: &str) {
        let Step::Glass(after) = self.step else { panic!("no piece is due") };
        *self.bag.get_mut(piece).unwrap() -= 1;
        match self.due.pop_front().unwrap() {
            Place::Tile(shape) => {
                let index = self.index_of(&shape);
                self.river[index].1.push(piece.to_owned());
            }
            Place::Lake => self.lake.push(piece.to_owned()),
            Place::Satchel(seat) => self.seats[seat].satchel.push(piece.to_owned()),
        }
        self.draw_due_pieces(after);
    }

    // §3 A turn.

    fn begin_round(&mut self, round: usize) {
        self.round = round;
        self.passes = 0;
        self.seat = self.first;
        self.step = Step::Turn;
    }

    fn put(&mut self, piece: &str, shape: &str) {
        let satchel = &mut self.seats[self.seat].satchel;
        let index = satchel.iter().position(|other| other == piece).unwrap();
        let piece = satchel.remove(index);
        let tile = self.index_of(shape);
        self.river[tile].1.push(piece);
    }

    fn after_draw(&mut self, spilled: Option<String>) {
        if self.seats[self.seat].satchel.len() > self.data.play("satchel_limit") {
            self.step = Step::Overflow(spilled);
            return;
        }
        let missing = self.data.play("lake_size") - self.lake.len();
        self.due.extend(std::iter::repeat_n(Place::Lake, missing));
        self.draw_due_pieces(After::Refill);
    }

    fn collect(&mut self, shape: &str) {
        let index = self.index_of(shape);
        for piece in std::mem::take(&mut self.river[index].1) {
            let colour = self.colour(&piece);
            let rows = self.data.glassworks("rows");
            let own = &mut self.seats[self.seat];
            match own.columns.iter_mut().find(|(other, _)| *other == colour) {
                Some((_, pieces)) if pieces.len() < rows => pieces.push(piece),
                Some(_) => own.overflow.push(piece),
                None => self.river[index].1.push(piece),
            }
        }
        self.continue_adding(shape);
    }

    fn new_column(&mut self, shape: &str, colour: &str) {
        let index = self.index_of(shape);
        let rows = self.data.glassworks("rows");
        let (new, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.river[index].1)
            .into_iter()
            .partition(|piece| self.colour(piece) == colour);
        self.river[index].1 = rest;
        let own = &mut self.seats[self.seat];
        let fits = new.len().min(rows);
        own.columns.push((colour.to_owned(), new[..fits].to_vec()));
        own.overflow.extend_from_slice(&new[fits..]);
    }

    /// Continues with the pieces of new colours that are left on the tile (§4).
    fn continue_adding(&mut self, shape: &str) {
        let index = self.index_of(shape);
        let free = self.data.glassworks("columns") - self.seats[self.seat].columns.len();
        let new: BTreeSet<_> = self.river[index].1.iter().map(|piece| self.colour(piece)).collect();
        if new.len() >= 2 && free >= 1 {
            self.step = Step::Column(shape.to_owned());
            return;
        }
        if free >= 1 {
            for colour in &new {
                self.new_column(shape, colour);
            }
        }
        let rest = std::mem::take(&mut self.river[index].1);
        self.seats[self.seat].overflow.extend(rest);
        let tile = self.river.remove(index);
        self.river.insert(0, tile);
        let stones = self.stones(&self.river[1].0);
        self.due.extend(std::iter::repeat_n(Place::Tile(shape.to_owned()), stones));
        self.draw_due_pieces(After::Refill);
    }

    // §5 End.

    fn end_turn(&mut self) {
        if self.triggered_in.is_none()
            && self.seats[self.seat].inventory() >= self.data.glassworks("end_trigger")
        {
            self.triggered_in = Some(self.round);
            self.triggered_by = Some(self.seat);
            if self.data.is_bga() {
                for steps in 1..=self.players {
                    let seat = (self.seat + steps) % self.players;
                    let missing =
                        self.data.play("bga_topup").saturating_sub(self.seats[seat].satchel.len());
                    self.due.extend(std::iter::repeat_n(Place::Satchel(seat), missing));
                }
                return self.draw_due_pieces(After::TopUp);
            }
        }
        self.next_turn();
    }

    fn next_turn(&mut self) {
        self.seat = (self.seat + 1) % self.players;
        self.step = Step::Turn;
        if self.seat != self.first {
            return;
        }
        let extra_round_played = self.triggered_in.is_some_and(|round| round < self.round);
        let all_passed = self.passes == self.players;
        let limit = self.round == self.data.play("max_rounds");
        if extra_round_played || all_passed || limit {
            self.capped = limit && !extra_round_played && !all_passed;
            self.step = Step::Over;
        } else {
            self.begin_round(self.round + 1);
        }
    }

    // §6 Scoring.

    pub(crate) fn breakdown(&self, seat: usize) -> Vec<(&'static str, i32)> {
        let own = &self.seats[seat];
        let heights: Vec<usize> = own.columns.iter().map(|(_, pieces)| pieces.len()).collect();
        let mut parts = score(&self.data, &heights, own.overflow.len()).to_vec();
        if let Some(setup) = self.data.file.get("setup") {
            let start = setup.get(self.players.to_string()).map(|setup| &setup["start"]);
            let position = (seat + self.players - self.first) % self.players;
            let entry = start.and_then(|start| start.get(position));
            let points = entry.and_then(|entry| entry.get("points")).map_or(0, number);
            parts.push(("start", i32::try_from(points).unwrap()));
        }
        parts
    }

    pub(crate) fn scores(&self) -> Vec<i32> {
        (0..self.players)
            .map(|seat| self.breakdown(seat).iter().map(|(_, points)| points).sum())
            .collect()
    }
}

fn score(data: &ModelData, heights: &[usize], overflow: usize) -> [(&'static str, i32); 3] {
    let glassworks = &data.file["glassworks"];
    let mut rows = 0;
    for row in 1..=data.glassworks("rows") {
        let filled = heights.iter().take_while(|&&height| height >= row).count();
        rows += number(&glassworks["row_points"][filled]);
    }
    let mut columns: Vec<usize> = (0..data.glassworks("columns")).collect();
    let height = |column: usize| heights.get(column).copied().unwrap_or(0);
    columns.sort_by_key(|&column| (usize::MAX - height(column), column));
    let scored = columns.iter().take(data.glassworks("scored_columns"));
    let column_points: usize =
        scored.map(|&column| number(&glassworks["column_points"][column][height(column)])).sum();
    let points = |points: usize| i32::try_from(points).unwrap();
    [
        ("rows", points(rows)),
        ("columns", points(column_points)),
        ("overflow", -points(overflow * data.glassworks("overflow_penalty"))),
    ]
}
