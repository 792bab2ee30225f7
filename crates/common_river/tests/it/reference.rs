//! A second, simple implementation of We All Take from the River, which follows a game event by
//! event and is compared with the library.
//!
//! It is written from the text of the rules only, section by section, with lists and names where
//! the library packs bits: slow, and easy to check. It reads the data file itself. Events are the
//! notation of actions and chance outcomes. The future is an agenda of steps, the next one last. A
//! step whose only action is its closing word ends without a decision (§4).

mod actions;
mod data;
mod day;
mod decisions;
mod end;
mod evening;
mod map;
mod pieces;

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use data::{CLOSING, TOKENS, list, other_bank, token_counts};
pub(crate) use data::{ModelData, row_of};
use pieces::Bid;
pub(crate) use pieces::{City, ModelSeat, Piece, Slot, Status, Step, Turn};

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
}
