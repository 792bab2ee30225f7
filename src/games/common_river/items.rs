//! What statistics count in We All Take from the River: roles, objectives, structures, proposals, where camps are pitched, and openings.

use super::{
    CommonRiver,
    action::{Action, Actions},
    components::{Objective, Structure, Tile, Token},
    state::{Phase, Policy, State},
};
use crate::{
    bits::ones,
    game::{ActionSet, Item, ItemEvent, ItemTable, Seat, Statistics},
};

/// Codes of opening steps: camps by tile, builds by structure.
const CAMP: u8 = 1;
const BUILD: u8 = CAMP + Tile::COUNT as u8;

impl CommonRiver {
    fn role_item(role: usize) -> Item {
        Item(role as u16)
    }

    fn objective_item(&self, objective: Objective) -> Item {
        Item((self.roles.len() + objective as usize) as u16)
    }

    /// A structure other than the camp, which can't be built.
    fn structure_item(&self, kind: Structure) -> Item {
        let first = self.roles.len() + Objective::ALL.len();
        let place = Self::buildable().position(|other| other == kind).unwrap_or(0);
        Item((first + place) as u16)
    }

    fn policy_item(&self, policy: Policy) -> Item {
        let first = self.roles.len() + Objective::ALL.len() + Self::buildable().count();
        Item((first + policy as usize) as u16)
    }

    fn camp_item(&self, tile: Tile) -> Item {
        let first = self.policy_item(Policy::City).0 as usize + Policy::ALL.len();
        let place = self.camp_tiles().position(|other| other == tile).unwrap_or(0);
        Item((first + place) as u16)
    }

    fn buildable() -> impl Iterator<Item = Structure> {
        Structure::ALL.into_iter().filter(|&kind| kind != Structure::Camp)
    }

    fn camp_tiles(&self) -> impl Iterator<Item = Tile> + use<> {
        ones(self.map.camp_slots.into()).map(|tile| Tile(tile as u8))
    }

    fn built_by(action: Action) -> Option<Structure> {
        match action {
            Action::Build(kind) => Some(kind),
            Action::BuildNet(_) => Some(Structure::Net),
            _ => None,
        }
    }
}

fn objective_names(set: u8) -> String {
    let names: Vec<_> = Objective::ALL.into_iter().filter(|objective| set & objective.bit() != 0).map(Objective::name).collect();
    names.join("+")
}

impl Statistics for CommonRiver {
    fn tables(&self) -> Vec<ItemTable> {
        let roles = (0..self.roles.len()).map(|role| (self.names.role(role).to_owned(), vec![objective_names(self.roles[role])]));
        let structures = Self::buildable().map(|kind| {
            let cost = &self.costs[kind as usize];
            let cost: Vec<_> = Token::ALL
                .into_iter()
                .filter(|&token| cost.get(token) > 0)
                .map(|token| format!("{}{}", token.name(), cost.get(token)))
                .collect();
            (kind.name().to_owned(), vec![cost.join("+")])
        });
        let camps = self.camp_tiles().map(|tile| {
            let slots = self.map.slots[tile.index()];
            let count = |kind: u64| (slots & kind).count_ones().to_string();
            let elevation = self.map.elevation[tile.index()].to_string();
            (self.names.tile(tile).to_owned(), vec![elevation, count(self.map.trees), count(self.map.gravel)])
        });
        let table = |name, singular, taken, properties, scoring, items| ItemTable {
            name,
            singular,
            taken,
            properties,
            reservable: false,
            scoring,
            items,
        };
        vec![
            table("roles", "role", "dealt", &["objectives"], true, roles.collect()),
            table(
                "objectives",
                "objective",
                "completed",
                &[],
                true,
                Objective::ALL.iter().map(|objective| (objective.name().to_owned(), Vec::new())).collect(),
            ),
            table("structures", "structure", "built", &["cost"], false, structures.collect()),
            table(
                "policies",
                "policy",
                "proposed",
                &[],
                false,
                Policy::ALL.iter().map(|policy| (policy.name().to_owned(), Vec::new())).collect(),
            ),
            table("camps", "tile", "pitched", &["elevation", "trees", "gravel"], false, camps.collect()),
        ]
    }

    fn action_events(&self, state: &State, action: Action, mut emit: impl FnMut(ItemEvent)) {
        let seat = state.decider;
        match action {
            Action::Role(role) => emit(ItemEvent::Taken(seat, Self::role_item(role.into()))),
            Action::Camp(tile) => emit(ItemEvent::Taken(seat, self.camp_item(tile))),
            Action::Propose(policy) => emit(ItemEvent::Taken(seat, self.policy_item(policy))),
            _ => {
                if let Some(kind) = Self::built_by(action) {
                    emit(ItemEvent::Taken(seat, self.structure_item(kind)));
                }
            }
        }
    }

    fn available_items(&self, seat: Seat, legal: &Actions, mut emit: impl FnMut(ItemEvent)) {
        for action in legal.items().iter() {
            self.taken_by(legal, action, |item| emit(ItemEvent::Available(seat, item)));
        }
    }

    fn taken_by(&self, _legal: &Actions, action: Action, emit: impl FnMut(Item)) {
        let item = match action {
            Action::Camp(tile) => Some(self.camp_item(tile)),
            Action::Propose(policy) => Some(self.policy_item(policy)),
            _ => Self::built_by(action).map(|kind| self.structure_item(kind)),
        };
        item.into_iter().for_each(emit);
    }

    /// An objective is offered to each seat that has it, and taken by those that completed it.
    fn final_events(&self, state: &State, mut emit: impl FnMut(ItemEvent)) {
        let completed = self.completed(state);
        for seat in self.all_seats() {
            let breakdown = self.breakdown(state, seat);
            let objectives = self.objectives(state, seat);
            for objective in Objective::ALL.into_iter().filter(|objective| objectives & objective.bit() != 0) {
                let item = self.objective_item(objective);
                emit(ItemEvent::Offered(item));
                if completed[seat.index()] & objective.bit() != 0 && !self.river_died(state) {
                    emit(ItemEvent::Taken(seat, item));
                }
                emit(ItemEvent::Scored(seat, item, breakdown[objective as usize].1));
            }
            if let Some(role) = state.role(seat) {
                let points = breakdown.iter().map(|(_, points)| points).sum();
                emit(ItemEvent::Scored(seat, Self::role_item(role), points));
            }
        }
    }

    fn first_player(&self, outcome: Action) -> Option<Seat> {
        match outcome {
            Action::FirstPlayer(seat) => Some(seat),
            _ => None,
        }
    }

    fn opening_step(&self, state: &State, action: Action) -> Option<u8> {
        match action {
            Action::Camp(tile) if state.phase == Phase::Camps => Some(CAMP + tile.0),
            _ => Self::built_by(action).map(|kind| BUILD + kind as u8),
        }
    }

    fn opening_text(&self, step: u8) -> String {
        match step {
            CAMP..BUILD => format!("camp:{}", self.names.tile(Tile(step - CAMP))),
            _ => format!("build:{}", Structure::ALL[usize::from(step - BUILD) % Structure::ALL.len()].name()),
        }
    }
}
