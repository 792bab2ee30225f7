//! What statistics count in We All Take from the River: roles, objectives, structures, policies,
//! trades, where camps are pitched, openings, and how river and seats stand day by day.

use super::{
    CommonRiver,
    action::{Action, Actions},
    components::{Objective, Structure, Tile, Token},
    phases::{Mode, Phase, PolicyKind},
    state::State,
};
use crate::{
    bits::ones,
    game::{ActionSet, ItemEvent, ItemId, ItemTable, ReportedSeats, RoundMetric, Seat, Statistics},
};

/// Codes of opening steps: camps by tile, builds by structure.
const CAMP: u8 = 1;
const BUILD: u8 = CAMP + Tile::COUNT as u8;

/// The gauges in the order in which they are read.
const GAUGES: [RoundMetric; 14] = [
    RoundMetric::number("pollution"),
    RoundMetric::number("estuary_pollution"),
    RoundMetric::number("flooded_tiles"),
    RoundMetric::number("protected_tiles"),
    RoundMetric::share("city_stands"),
    RoundMetric::share("river_died"),
    RoundMetric::share("nobody_wins"),
    RoundMetric::number("fish"),
    RoundMetric::number("gold"),
    RoundMetric::share("conservation"),
    RoundMetric::share("agriculture"),
    RoundMetric::share("development"),
    RoundMetric::share("capital"),
    RoundMetric::share("charity"),
];
/// The first gauge of seats.
const FISH: usize = 7;

impl CommonRiver {
    fn role_item(role: usize) -> ItemId {
        ItemId(role as u16)
    }

    fn objective_item(&self, objective: Objective) -> ItemId {
        ItemId((self.roles.len() + objective as usize) as u16)
    }

    /// A structure other than the camp, which can't be built.
    fn structure_item(&self, kind: Structure) -> ItemId {
        let first = self.roles.len() + Objective::ALL.len();
        let place = Self::buildable().position(|other| other == kind).unwrap_or(0);
        ItemId((first + place) as u16)
    }

    fn policy_item(&self, policy: PolicyKind) -> ItemId {
        let first = self.roles.len() + Objective::ALL.len() + Self::buildable().count();
        ItemId((first + policy as usize) as u16)
    }

    fn camp_item(&self, tile: Tile) -> ItemId {
        let first = self.policy_item(PolicyKind::City).0 as usize + PolicyKind::ALL.len();
        let place = self.camp_tiles().position(|other| other == tile).unwrap_or(0);
        ItemId((first + place) as u16)
    }

    /// Any trade, which comes before those of the tokens.
    fn trade_item(&self) -> ItemId {
        let first = self.policy_item(PolicyKind::City).0 as usize + PolicyKind::ALL.len();
        ItemId((first + self.camp_tiles().count()) as u16)
    }

    /// A trade in which a token changes hands.
    fn token_trade_item(&self, token: Token) -> ItemId {
        ItemId(self.trade_item().0 + 1 + token as u16)
    }

    /// A role at a table with another one.
    fn pair_item(&self, role: usize, other: usize) -> ItemId {
        let first = self.trade_item().0 as usize + 1 + Token::ALL.len();
        let place = if other > role { other - 1 } else { other };
        ItemId((first + role * (self.roles.len() - 1) + place) as u16)
    }

    /// The pairs of roles in the order of their items.
    fn role_pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let roles = if self.modes.contains(&Mode::Roles) { self.roles.len() } else { 0 };
        (0..roles).flat_map(move |role| {
            (0..roles).filter(move |&other| other != role).map(move |other| (role, other))
        })
    }

    /// The proposal that this action brings to its end.
    fn decided(&self, state: &State, action: Action) -> Option<(PolicyKind, bool)> {
        let policy = match action {
            Action::Propose(policy) if !policy.has_tile() => policy,
            Action::Tile(_) | Action::Vote(_) | Action::Bid | Action::Settle => state.proposal?.0,
            _ => return None,
        };
        let mut after = *state;
        self.carry_out(&mut after, action);
        let policies = |state: &State| (state.city.is_some(), state.protected, state.subsidized);
        let passed = policies(&after) != policies(state);
        (passed || !matches!(after.phase, Phase::Vote | Phase::Bid)).then_some((policy, passed))
    }

    /// What an offer is counted as: a trade, and one of each kind of token that would change hands.
    fn trade_events(&self, state: &State, accepted: bool, mut emit: impl FnMut(ItemEvent)) {
        let seat = Self::seat_at_cursor(state);
        let tokens = Token::ALL.into_iter().filter(|&token| {
            state.offered_tokens.get(token) + state.requested_tokens.get(token) > 0
        });
        for item in tokens.map(|token| self.token_trade_item(token)).chain([self.trade_item()]) {
            emit(ItemEvent::Offered(item));
            if accepted {
                emit(ItemEvent::Taken(seat, item));
            }
        }
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
    let names: Vec<_> = Objective::ALL
        .into_iter()
        .filter(|objective| set & objective.bit() != 0)
        .map(Objective::name)
        .collect();
    names.join("+")
}

impl Statistics for CommonRiver {
    fn tables(&self) -> Vec<ItemTable> {
        let roles = (0..self.roles.len()).map(|role| {
            (self.names.role(role).to_owned(), vec![objective_names(self.roles[role])])
        });
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
            (
                self.names.tile(tile).to_owned(),
                vec![elevation, count(self.map.trees), count(self.map.gravel)],
            )
        });
        let trades = ["any"].into_iter().chain(Token::ALL.map(Token::name));
        let pairs = self.role_pairs().map(|(role, other)| {
            let names = [role, other].map(|role| self.names.role(role).to_owned());
            (names.join("+"), names.to_vec())
        });
        let table = |name, singular, taken, properties, items| ItemTable {
            name,
            singular,
            taken_label: taken,
            properties,
            offered: false,
            reported_seats: ReportedSeats::Takers,
            reservable: false,
            scoring: false,
            items,
        };
        let chosen = |name, singular, taken, properties, items| ItemTable {
            reported_seats: ReportedSeats::TakersAndNonTakers,
            ..table(name, singular, taken, properties, items)
        };
        vec![
            ItemTable {
                scoring: true,
                ..table("roles", "role", "dealt", &["objectives"], roles.collect())
            },
            ItemTable {
                offered: true,
                scoring: true,
                ..table(
                    "objectives",
                    "objective",
                    "completed",
                    &[],
                    Objective::ALL
                        .iter()
                        .map(|objective| (objective.name().to_owned(), Vec::new()))
                        .collect(),
                )
            },
            chosen("structures", "structure", "built", &["cost"], structures.collect()),
            ItemTable {
                offered: true,
                ..chosen(
                    "policies",
                    "policy",
                    "passed",
                    &[],
                    PolicyKind::ALL
                        .iter()
                        .map(|policy| (policy.name().to_owned(), Vec::new()))
                        .collect(),
                )
            },
            chosen("camps", "tile", "pitched", &["elevation", "trees", "gravel"], camps.collect()),
            ItemTable {
                offered: true,
                ..table(
                    "trades",
                    "trade",
                    "accepted",
                    &[],
                    trades.map(|name| (name.to_owned(), Vec::new())).collect(),
                )
            },
            table("role_pairs", "pair", "dealt", &["role", "other"], pairs.collect()),
        ]
    }

    fn action_events(&self, state: &State, action: Action, mut emit: impl FnMut(ItemEvent)) {
        let seat = state.decider;
        match action {
            Action::Role(role) => {
                let role = usize::from(role);
                emit(ItemEvent::Taken(seat, Self::role_item(role)));
                for (other, of_other) in
                    self.all_seats().filter_map(|other| Some((other, state.role(other)?)))
                {
                    emit(ItemEvent::Taken(seat, self.pair_item(role, of_other)));
                    emit(ItemEvent::Taken(other, self.pair_item(of_other, role)));
                }
            }
            Action::Camp(tile) => emit(ItemEvent::Taken(seat, self.camp_item(tile))),
            Action::Accept | Action::Refuse => {
                self.trade_events(state, action == Action::Accept, emit)
            }
            _ => {
                if let Some((policy, passed)) = self.decided(state, action) {
                    let item = self.policy_item(policy);
                    emit(ItemEvent::Offered(item));
                    if passed {
                        emit(ItemEvent::Taken(Self::seat_at_cursor(state), item));
                    }
                }
                if let Some(kind) = Self::built_by(action) {
                    emit(ItemEvent::Taken(seat, self.structure_item(kind)));
                }
            }
        }
    }

    fn available_items(&self, seat: Seat, legal: &Actions, mut emit: impl FnMut(ItemEvent)) {
        for action in legal.item_actions().iter() {
            self.taken_by(legal, action, |item| emit(ItemEvent::Available(seat, item)));
        }
    }

    fn taken_by(&self, _legal: &Actions, action: Action, emit: impl FnMut(ItemId)) {
        let item = match action {
            Action::Camp(tile) => Some(self.camp_item(tile)),
            Action::Propose(policy) => Some(self.policy_item(policy)),
            _ => Self::built_by(action).map(|kind| self.structure_item(kind)),
        };
        item.into_iter().for_each(emit);
    }

    /// An objective is offered to each seat that has it, and taken by those that completed it.
    fn final_events(&self, state: &State, mut emit: impl FnMut(ItemEvent)) {
        let completed = self.completed_objectives(state);
        for seat in self.all_seats() {
            let breakdown = self.breakdown(state, seat);
            let objectives = self.objectives(state, seat);
            for objective in
                Objective::ALL.into_iter().filter(|objective| objectives & objective.bit() != 0)
            {
                let item = self.objective_item(objective);
                emit(ItemEvent::Offered(item));
                if completed[seat.index()] & objective.bit() != 0 && !self.is_river_dead(state) {
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

    fn round_metrics(&self) -> &'static [RoundMetric] {
        &GAUGES
    }

    /// Objectives are read of the seats that have them, fish and gold of all seats, the rest of the
    /// game.
    fn observe_round_metrics(&self, state: &State, mut read: impl FnMut(usize, i64, i64)) {
        let completed = self.completed_objectives(state);
        let outcome = self.final_outcome(state);
        let seats = self.players as i64;
        let held =
            |token| self.all_seats().map(|seat| i64::from(state.stock(seat).get(token))).sum();
        let of_game = [
            i64::from(state.pollution()),
            i64::from((state.polluted & self.map.estuary).count_ones()),
            i64::from(state.flooded.count_ones()),
            i64::from(state.protected.count_ones()),
            i64::from(state.city_stands()),
            i64::from(self.is_river_dead(state)),
            i64::from(outcome.winners == 0),
        ];
        for (gauge, value) in of_game.into_iter().enumerate() {
            read(gauge, 1, value);
        }
        read(FISH, seats, held(Token::Fish));
        read(FISH + 1, seats, held(Token::Gold));
        for (objective, gauge) in Objective::ALL.into_iter().zip(FISH + 2..) {
            for seat in
                self.all_seats().filter(|&seat| self.objectives(state, seat) & objective.bit() != 0)
            {
                read(gauge, 1, i64::from(completed[seat.index()] & objective.bit() != 0));
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

    fn opening_step_text(&self, step: u8) -> String {
        match step {
            CAMP..BUILD => format!("camp:{}", self.names.tile(Tile(step - CAMP))),
            _ => format!(
                "build:{}",
                Structure::ALL[usize::from(step - BUILD) % Structure::ALL.len()].name()
            ),
        }
    }
}
